// The summary: the time of a run and its parts, the kernel's figures, the kernels.

// From the accent to grey: the first part, instructions, is the useful work.
const partShades = ["100%", "62%", "40%", "24%", "10%", "0%"];

function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function wallHeadline(report) {
    const samples = report.wall.samples_ns;
    if (!samples.length) return make("p", { class: "empty" }, "No plain run was made, so there is no wall time.");
    const spread = `${time(Math.min(...samples))} to ${time(Math.max(...samples))}`;
    return make(
        "div",
        { class: "headline" },
        make("strong", {}, time(median(samples))),
        make(
            "span",
            {},
            "wall time of the launches ",
            kindMark("measured"),
            make("br"),
            make(
                "span",
                { class: "muted" },
                samples.length > 1 ? `median of ${samples.length} plain runs, ${spread}` : "one plain run",
            ),
        ),
    );
}

function wallParts(report) {
    const { parts, total_ns: total } = report.wall;
    if (!parts.length || !total) return null;
    const shade = (index) => ({ "--mix": partShades[Math.min(index, partShades.length - 1)] });
    const say = (part) => `${part.name} ${time(part.ns)}, ${share(part.ns / total)}`;
    const bars = parts.map((part, index) =>
        tip(
            make("span", { style: { ...shade(index), "flex-grow": String(part.ns / total), "flex-basis": "0" } }),
            () => [say(part)],
        ),
    );
    const rows = parts.map((part, index) =>
        make(
            "li",
            {},
            make("i", { style: shade(index) }),
            part.name,
            " ",
            make("strong", {}, share(part.ns / total)),
            ` ${time(part.ns)}`,
        ),
    );
    return [
        make("h3", {}, "Where the workers’ time went ", kindMark(parts[0].kind ?? "measured")),
        make("div", { class: "parts", role: "img", "aria-label": parts.map(say).join("; ") }, bars),
        make("ul", { class: "legend" }, rows),
    ];
}

const headFigures = [
    "wall_ns",
    "time_ns",
    "issues",
    "active_share",
    "warp_execution_efficiency",
    "branch_efficiency",
    "predicated_off_share",
    "coalescing_efficiency",
    "sectors_per_request",
    "bank_conflicts",
    "global_bandwidth_gbps",
    "bandwidth_gbps",
    "gflops",
    "arithmetic_intensity",
    "barrier_wait_share",
    "parallel_efficiency",
    "block_balance",
    "occupancy",
    "achieved_occupancy",
    "l1_hit_rate",
    "l2_hit_rate",
    "dram_bytes",
    "model_time_ns",
];

function figureList(report, owner, names) {
    const entries = names.flatMap((name) => {
        const metric = report.metrics.find((one) => one.name === name);
        const held = figure(owner, name);
        if (!metric || !held || held.why) return [];
        const unit = metric.unit && !["ns", "bytes"].includes(metric.unit) ? `, ${metric.unit}` : "";
        const within = uncertainty(held);
        const entry = make(
            "div",
            { tabindex: 0 },
            make("dt", {}, title(name)),
            make("dd", {}, write(held.value, metric.unit), within && make("span", { class: "within" }, within)),
            make("dd", { class: "of" }, kindMark(metric.kind), unit),
        );
        return [tip(entry, () => metricTip(metric, held))];
    });
    return make("dl", { class: "figures" }, entries);
}

function shapeText(shape) {
    const sizes = [...shape];
    while (sizes.length > 1 && sizes.at(-1) === 1) sizes.pop();
    return sizes.join(" × ");
}

function kernelTable(report, show) {
    const all = report.kernels.reduce((sum, kernel) => sum + amount(kernel, "time_ns"), 0) || 1;
    const name = textColumn(
        "kernel",
        (kernel) => kernel.name,
        (kernel) =>
            make("td", { class: "text" }, make("a", { href: "#summary", onclick: () => show(kernel) }, kernel.name)),
    );
    const columns = [
        name,
        { ...textColumn("grid", (kernel) => shapeText(kernel.grid)) },
        { ...textColumn("block", (kernel) => shapeText(kernel.block)) },
        countColumn("launches", (kernel) => kernel.launches),
        countColumn("registers", (kernel) => kernel.registers),
        countColumn("shared memory", (kernel) => kernel.shared_bytes, "bytes"),
        countColumn("issues", (kernel) => amount(kernel, "issues")),
        countColumn("time", (kernel) => amount(kernel, "time_ns"), "ns"),
        countColumn("share", (kernel) => amount(kernel, "time_ns") / all, ""),
    ];
    return [
        make("h3", {}, "Kernels"),
        region(
            "Kernels",
            sortable({ caption: "Kernels", columns, rows: report.kernels, sort: ["time", "descending"] }),
        ),
    ];
}

function many(count, one, more = `${one}s`) {
    return `${grouped.format(count)} ${count === 1 ? one : more}`;
}

function stopNotice(report) {
    const stopped = { HX_FAULT: "a fault", HX_LIMIT: "a limit", HX_INTERRUPTED: "an interruption" }[report.status];
    return (
        stopped &&
        make(
            "p",
            { class: "notice" },
            `The program was stopped by ${stopped}: the figures are those of what ran until then.`,
        )
    );
}

function summaryView({ report, kernel, show }) {
    const shape = [
        `grid ${shapeText(kernel.grid)}`,
        `block ${shapeText(kernel.block)}`,
        many(kernel.registers, "register"),
        `${write(kernel.shared_bytes, "bytes")} of shared memory`,
        kernel.launches === 1 ? "one launch" : many(kernel.launches, "launch", "launches"),
    ].join(", ");
    return {
        content: [
            stopNotice(report),
            wallHeadline(report),
            wallParts(report),
            make("h3", {}, `Kernel ${kernel.name}: ${shape}`),
            figureList(report, kernel, headFigures),
            report.kernels.length > 1 && kernelTable(report, show),
        ],
    };
}

// The profiler's hints in its own words, the most promising first.
function hintsView({ report, kernel }) {
    const hints = (report.hints ?? []).filter((hint) => hint.kernel === kernel.name);
    if (!hints.length) return { content: make("p", { class: "empty" }, "Nothing stands out.") };
    const item = ({ rule, line, text, share: part }) => {
        const words = text.replace(/^line \d+: /, "");
        return make(
            "li",
            {},
            make("strong", {}, rule.replaceAll("-", " ")),
            make("span", {}, line > 0 && words !== text && [lineLink(line), ": "], words),
            make("span", { class: "muted part" }, share(part, 0)),
        );
    };
    return { content: make("ul", { class: "hints panel" }, hints.map(item)) };
}

function glossaryView({ report, kernel }) {
    const used = new Set(
        [
            kernel,
            ...kernel.instructions,
            ...kernel.lines,
            ...kernel.opcodes,
            ...(kernel.buffers ?? []),
            ...report.launches,
        ].flatMap((one) => Object.keys(one.metrics ?? {})),
    );
    const rows = report.metrics
        .filter((metric) => used.has(metric.name))
        .map((metric) =>
            make(
                "tr",
                {},
                make(
                    "th",
                    { scope: "row" },
                    title(metric.name),
                    make("br"),
                    make("code", { class: "muted" }, metric.name),
                ),
                make("td", {}, kindMark(metric.kind)),
                make("td", {}, metric.unit || "share"),
                make(
                    "td",
                    {},
                    metric.help,
                    metric.formula && [make("br"), make("code", { class: "muted" }, metric.formula)],
                ),
                make("td", {}, metric.ncu ? make("code", {}, metric.ncu) : "–"),
            ),
        );
    const heads = ["Metric", "Kind", "Unit", "What it is, and its formula", "Nsight Compute"].map((text) =>
        make("th", { scope: "col" }, text),
    );
    return {
        intro: "Exact figures are counted and are the same in each run. Measured ones come with a 95 % interval. Modelled ones are those of the device that is modelled.",
        content: region(
            "Metrics",
            make(
                "table",
                {},
                make("caption", { class: "unseen" }, "Metrics"),
                make("thead", {}, make("tr", {}, heads)),
                make("tbody", {}, rows),
            ),
            "glossary",
        ),
    };
}
