// Opcodes and lines: the same figures by opcode and by line.

const usualFigures = [
    "time_share",
    "time_ns",
    "issues",
    "time_per_issue_ns",
    "active_share",
    "sectors_per_request",
    "coalescing_efficiency",
    "bank_conflicts",
];

// The distribution of an opcode's times: buckets of a quarter of an octave, from the fastest to the slowest opcode.
function sparkline(buckets, first, last) {
    const most = Math.max(...buckets.map(([, count]) => count));
    const place = (ns) => (last > first ? (Math.log(ns / first) / Math.log(last / first)) * 92 : 0);
    const bars = buckets
        .filter(([ns]) => ns > 0)
        .map(([ns, count]) => {
            const height = Math.max(1, (17 * count) / most);
            return draw("rect", {
                x: place(ns).toFixed(1),
                y: (18 - height).toFixed(1),
                width: 4,
                height: height.toFixed(1),
            });
        });
    return draw(
        "svg",
        { class: "spark", viewBox: "0 0 96 18", preserveAspectRatio: "none", "aria-hidden": "true" },
        bars,
    );
}

function distributionColumn(kernel) {
    const histograms = new Map((kernel.histograms ?? []).map((one) => [one.form, one.buckets]));
    const bounds = [...histograms.values()]
        .flat()
        .map(([ns]) => ns)
        .filter((ns) => ns > 0);
    if (!bounds.length) return [];
    const first = Math.min(...bounds),
        last = Math.max(...bounds);
    const cell = (row) => {
        const buckets = histograms.get(row.form);
        if (!buckets?.length) return make("td", { class: "none" }, "–");
        const count = buckets.reduce((sum, bucket) => sum + bucket[1], 0);
        const says = `${grouped.format(count)} timed issues, from ${time(buckets[0][0])} to ${time(buckets.at(-1)[0])}`;
        return tip(make("td", {}, sparkline(buckets, first, last), make("span", { class: "unseen" }, says)), () => [
            says,
        ]);
    };
    const explain = () => [
        `Times of single issues, on a logarithmic scale from ${time(first)} to ${time(last)}; the same scale in all rows.`,
    ];
    return [
        {
            name: "distribution",
            head: "distribution",
            kind: "measured",
            value: (row) => amount(row, "p50_ns"),
            cell,
            tip: explain,
        },
    ];
}

function opcodesView({ report, kernel }) {
    const first = [textColumn("opcode", (row) => row.form)];
    const { holder, picker } = metricTable({
        report,
        caption: "Opcodes",
        rows: kernel.opcodes,
        first,
        last: distributionColumn(kernel),
        usual: usualFigures,
        sort: ["time_share", "descending"],
    });
    return { tools: picker, content: holder };
}

function linesView({ report, kernel }) {
    const first = [
        {
            ...countColumn("line", (row) => row.line),
            cell: (row) =>
                make(
                    "td",
                    { class: "text" },
                    make("a", { class: "code", href: `#line-${row.line}` }, String(row.line)),
                ),
            isText: true,
        },
        textColumn("source", (row) => lineText(report, kernel, row.line)),
    ];
    const { holder, picker } = metricTable({
        report,
        caption: "Lines",
        rows: kernel.lines,
        first,
        usual: usualFigures,
        sort: ["time_share", "descending"],
    });
    return { tools: picker, content: holder };
}

// The launches of the program in their order, those of the kernel that is shown marked.
function launchesView({ report, kernel, show }) {
    const rows = report.launches.map((launch, index) => ({ ...launch, number: index + 1 }));
    if (!rows.length) return null;
    const owner = (row) => report.kernels.find((one) => one.name === row.kernel);
    const first = [
        {
            ...countColumn("launch", (row) => row.number),
            isText: true,
            cell: (row) => make("td", { class: "text" }, String(row.number)),
        },
        textColumn(
            "kernel",
            (row) => row.kernel,
            (row) =>
                make(
                    "td",
                    { class: "text" },
                    row.kernel === kernel.name
                        ? make("strong", {}, row.kernel)
                        : make("a", { href: "#summary", onclick: () => show(owner(row)) }, row.kernel),
                ),
        ),
        textColumn("grid", (row) => shapeText(row.grid)),
        textColumn("block", (row) => shapeText(row.block)),
    ];
    const { holder, picker } = metricTable({
        report,
        caption: "Launches",
        rows,
        first,
        usual: ["wall_ns", "issues", "active_share", "sectors_per_request", "parallel_efficiency", "model_time_ns"],
        sort: ["launch", "ascending"],
    });
    const left = report.launches_left_out ?? 0;
    return {
        intro: left > 0 ? `The first ${many(rows.length, "launch", "launches")}; ${grouped.format(left)} more ran.` : "",
        tools: picker,
        content: holder,
    };
}
