// The modelled GPU: the bound of its time, and what limits the number of warps of its multiprocessors.

function modelParts(model) {
    const most = Math.max(...model.parts.map((part) => part.ns));
    const rows = model.parts.map((part) => ({ ...part, isBound: part.name === model.bound }));
    const columns = [
        textColumn(
            "bound",
            (row) => row.name,
            (row) =>
                make(
                    "td",
                    { class: "text" },
                    row.isBound ? make("strong", {}, title(row.name)) : title(row.name),
                    row.name === "unit" && ` (${model.unit.replaceAll("_", " ")})`,
                ),
        ),
        {
            ...countColumn("time, were it the only bound", (row) => row.ns, "ns"),
            kind: "model",
            cell: (row) =>
                make(
                    "td",
                    { class: "heat", style: { "--share": `${(100 * row.ns) / most}%`, "--heat": heat(row.ns / most) } },
                    time(row.ns),
                ),
        },
    ];
    return region(
        "Bounds",
        sortable({ caption: "Bounds of the modelled time", columns, rows, sort: [columns[1].name, "descending"] }),
        "bounds",
    );
}

function occupancyText(occupancy) {
    const limits = Object.entries(occupancy.limits)
        .filter(([, blocks]) => blocks !== null)
        .map(([name, blocks]) => `${name} ${blocks}`);
    const more = [
        ["registers_for_more", "registers a thread"],
        ["shared_bytes_for_more", "bytes of shared memory"],
        ["block_threads_for_more", "threads a block"],
    ].filter(([name]) => occupancy[name] !== null && occupancy[name] !== undefined);
    return [
        make(
            "p",
            {},
            make("strong", {}, share(occupancy.achieved)),
            ` occupancy of ${share(occupancy.share)} possible: ${occupancy.busy_sms} multiprocessors have blocks, each up to ${occupancy.blocks} at once, ${occupancy.warps} warps on each multiprocessor, limited by ${occupancy.limit}.`,
            more.length > 0 &&
                ` More would fit with at most ${more.map(([name, text]) => `${occupancy[name]} ${text}`).join(", or ")}.`,
        ),
        make("p", { class: "muted" }, `Blocks that each limit alone would allow: ${limits.join(", ")}.`),
    ];
}

function modelView({ kernel }) {
    const model = kernel.model;
    if (!model?.parts?.length) return null;
    return {
        intro: `What ${model.gpu} would take, as modelled: ${time(model.ns)}, bound by ${title(model.bound)}. A model, not a measurement.`,
        content: [modelParts(model), make("h3", {}, "Occupancy ", kindMark("model")), occupancyText(model.occupancy)],
    };
}
