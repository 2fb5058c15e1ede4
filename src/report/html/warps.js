// What slows warps down: divergent branches, requests with scattered addresses, bank conflicts.

function key(...entries) {
    return make(
        "p",
        { class: "key" },
        entries.map(([name, text]) => make("span", {}, make("i", { class: name }), text)),
    );
}

function lineColumn(report) {
    return {
        name: "line",
        head: "line",
        isText: true,
        value: (row) => row.line,
        cell: (row) => make("td", { class: "text" }, lineLink(row.line)),
    };
}

function barColumn(name, value, bar) {
    return { name, head: name, isBar: true, value, cell: (row) => make("td", { class: "text" }, bar(row)) };
}

// ---- Divergence

function waysBar(branch) {
    const all = branch.taken + branch.not_taken + branch.both || 1;
    const parts = [
        ["taken", "taken by all lanes"],
        ["not_taken", "by none"],
        ["both", "by some: the warp splits"],
    ];
    const says = parts.map(([name, text]) => `${text} ${share(branch[name] / all)}`).join(", ");
    return make(
        "div",
        { class: "ways", role: "img", "aria-label": says },
        parts.map(([name]) => make("span", { class: name, style: { flex: `${branch[name] / all} 0 0` } })),
    );
}

function branchTable(report, kernel) {
    const rows = (kernel.branches ?? []).filter((branch) => branch.taken + branch.not_taken + branch.both > 0);
    if (!rows.length) return make("p", { class: "empty" }, "No branch with a condition was executed.");
    const text = new Map(kernel.instructions.map((one) => [one.pc, one.text]));
    const all = (row) => row.taken + row.not_taken + row.both;
    const columns = [
        lineColumn(report),
        textColumn("branch", (row) => text.get(row.pc) ?? ""),
        countColumn("warp issues", all),
        barColumn("which way", (row) => row.taken / all(row), waysBar),
        countColumn("taken", (row) => row.taken),
        countColumn("not taken", (row) => row.not_taken),
        countColumn("both ways", (row) => row.both),
        countColumn("share both ways", (row) => row.both / all(row), ""),
    ];
    return [
        key(["taken", "taken by all lanes"], ["not_taken", "taken by none"], ["both", "both ways: the warp splits"]),
        region("Branches", sortable({ caption: "Branches", columns, rows, sort: ["both ways", "descending"] })),
    ];
}

function idleTable(report, kernel) {
    const warp = report.options.warp_size || 32;
    const lost = (row) => amount(row, "issues") * warp - amount(row, "lanes");
    const rows = kernel.lines
        .filter((row) => lost(row) > 0)
        .sort((a, b) => lost(b) - lost(a))
        .slice(0, 20);
    if (!rows.length) return make("p", { class: "empty" }, "Every warp had all of its lanes active.");
    const names = ["issues", "active_share", "warp_execution_efficiency", "predicated_off_share", "time_share"];
    const metrics = names
        .map((name) => report.metrics.find((one) => one.name === name))
        .filter((one) => one && isBusy(rows, one));
    const columns = [
        lineColumn(report),
        textColumn("source", (row) => lineText(report, kernel, row.line)),
        countColumn("idle lanes", lost),
        ...metrics.map((metric) =>
            metricColumn(metric, {
                isHeat: metric.name === "time_share",
                most: Math.max(...rows.map((row) => amount(row, metric.name))),
            }),
        ),
    ];
    return region(
        "Lines with idle lanes",
        sortable({ caption: "Lines with idle lanes", columns, rows, sort: ["idle lanes", "descending"] }),
    );
}

function divergenceView({ report, kernel }) {
    return {
        content: [
            make("h3", {}, "Branches ", kindMark("exact")),
            branchTable(report, kernel),
            make("h3", {}, "Lines whose warps had idle lanes ", kindMark("exact")),
            idleTable(report, kernel),
        ],
    };
}

// ---- Accesses

// `seen` against the least possible, both per request; the longest bar is the worst of the table.
function needBar(seen, least, most) {
    const says = `${significant(seen)} where ${significant(least)} would do`;
    return make("div", {
        class: "need",
        role: "img",
        "aria-label": says,
        style: { "--seen": `${(100 * seen) / most}%`, "--least": `${(100 * least) / most}%` },
    });
}

function accessTable(report, kernel, { requests, seen, least, unit, usual }) {
    const rows = kernel.instructions.filter((one) => amount(one, requests) > 0 && seen(one) > 0);
    if (!rows.length) return null;
    const most = Math.max(...rows.map(seen));
    const metrics = usual
        .map((name) => report.metrics.find((one) => one.name === name))
        .filter((one) => one && isBusy(rows, one));
    const columns = [
        lineColumn(report),
        textColumn("access", (row) => row.text),
        countColumn("requests", (row) => amount(row, requests)),
        countColumn(`${unit} each`, seen),
        countColumn("least", least),
        barColumn(
            "against the least",
            (row) => seen(row) / least(row),
            (row) => needBar(seen(row), least(row), most),
        ),
        countColumn("in excess", (row) => (seen(row) - least(row)) * amount(row, requests)),
        ...metrics.map((metric) => metricColumn(metric)),
    ];
    return region(
        `Accesses by ${unit}`,
        sortable({ caption: `Accesses by ${unit}`, columns, rows, sort: ["in excess", "descending"] }),
    );
}

const globalAccess = {
    requests: "requests",
    unit: "sectors",
    seen: (row) => amount(row, "sectors_per_request"),
    least: (row) => amount(row, "sectors_per_request") * amount(row, "coalescing_efficiency", 1),
    usual: ["lines_per_request", "l1_hit_rate", "l2_hit_rate", "dram_bytes", "time_share"],
};

const sharedAccess = {
    requests: "shared_requests",
    unit: "passes",
    seen: (row) => amount(row, "wavefronts") / amount(row, "shared_requests", 1),
    least: (row) => (amount(row, "wavefronts") - amount(row, "bank_conflicts")) / amount(row, "shared_requests", 1),
    usual: ["bank_conflicts", "time_share"],
};

function memoryView({ report, kernel }) {
    const parts = [];
    const accesses = [
        ["Global and local memory: 32-byte sectors of a request", globalAccess],
        ["Shared memory: passes over the banks of a request", sharedAccess],
    ];
    for (const [heading, access] of accesses) {
        const table = accessTable(report, kernel, access);
        if (table)
            parts.push(
                make("h3", {}, heading, " ", kindMark("exact")),
                key(["least", "the least that holds the bytes"], ["excess", "in excess"]),
                table,
            );
    }
    const buffers = (kernel.buffers ?? []).filter((one) =>
        report.metrics.some((metric) => amount(one, metric.name) > 0),
    );
    if (buffers.length) {
        const first = [textColumn("buffer", (row) => row.name), countColumn("size", (row) => row.bytes, "bytes")];
        const usual = [
            "requests",
            "sectors",
            "sectors_per_request",
            "coalescing_efficiency",
            "l1_hit_rate",
            "l2_hit_rate",
            "l2_traffic_bytes",
            "dram_bytes",
        ];
        parts.push(
            make("h3", {}, "Buffers"),
            metricTable({
                report,
                caption: "Buffers",
                rows: buffers,
                first,
                usual,
                sort: ["l2_traffic_bytes", "descending"],
            }).holder,
        );
    }
    return parts.length ? { content: parts } : null;
}
