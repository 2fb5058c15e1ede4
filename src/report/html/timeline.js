// The timeline: a lane for each worker, a bar for each block that it ran, coloured by duration, so that long blocks are
// easy to see. Ctrl and the wheel, or plus and minus, zoom; dragging and the arrow keys move.

const laneHeight = 26;
const laneLabel = 74;
const axisHeight = 22;

// Round steps that give about six marks.
function ticks(first, last, wanted = 6) {
    const rough = (last - first) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
    const marks = [];
    for (let at = Math.ceil(first / step) * step; at <= last; at += step) marks.push(at);
    return marks;
}

class Timeline {
    constructor(launch) {
        this.blocks = launch.blocks;
        this.workers = Math.max(launch.workers?.length ?? 0, ...this.blocks.map(([worker]) => worker + 1));
        this.end = Math.max(...this.blocks.map((block) => block[3]));
        this.longest = Math.max(...this.blocks.map((block) => block[3] - block[2]));
        this.from = 0;
        this.to = this.end;
        this.svg = draw("svg", {
            class: "lanes",
            role: "img",
            tabindex: 0,
            "aria-label": `${this.blocks.length} blocks on ${this.workers} workers in ${time(this.end)}; plus and minus zoom, arrows move, 0 shows all`,
        });
        this.svg.addEventListener("keydown", (event) => this.key(event));
        this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        this.svg.addEventListener("pointerdown", (event) => this.drag(event));
    }

    resize(width) {
        this.width = width;
        this.svg.setAttribute("viewBox", `0 0 ${width} ${this.workers * laneHeight + axisHeight}`);
        this.render();
        return this.svg;
    }

    place(ns) {
        return laneLabel + ((ns - this.from) / (this.to - this.from)) * (this.width - laneLabel);
    }

    block([worker, block, start, end]) {
        const left = Math.max(laneLabel, this.place(start)),
            right = Math.min(this.width, this.place(end));
        const bar = draw("rect", {
            class: "block",
            x: left.toFixed(2),
            y: worker * laneHeight + 3,
            width: Math.max(0.5, right - left).toFixed(2),
            height: laneHeight - 6,
            rx: 1.5,
        });
        bar.style.setProperty("--heat", heat(((end - start) / this.longest) ** 3));
        return tip(bar, () => [
            make("strong", {}, `Block ${block}`),
            make("p", {}, `${time(end - start)} on worker ${worker}, from ${time(start)} on`),
        ]);
    }

    render() {
        const bottom = this.workers * laneHeight;
        const lanes = Array.from({ length: this.workers }, (_, worker) => [
            draw("text", { class: "name", x: 0, y: worker * laneHeight + 17 }, `worker ${worker}`),
            draw("line", {
                class: "axis",
                x1: laneLabel,
                x2: this.width,
                y1: (worker + 1) * laneHeight,
                y2: (worker + 1) * laneHeight,
            }),
        ]);
        const marks = ticks(this.from, this.to, Math.max(2, this.width / 180)).map((ns) => [
            draw("line", { class: "axis", x1: this.place(ns), x2: this.place(ns), y1: 0, y2: bottom + 4 }),
            draw("text", { x: Math.min(this.place(ns) + 3, this.width - 52), y: bottom + 16 }, time(ns)),
        ]);
        const seen = this.blocks.filter((block) => block[3] > this.from && block[2] < this.to);
        this.svg.replaceChildren(...lanes.flat(), ...marks.flat(), ...seen.map((block) => this.block(block)));
    }

    // The middle of the visible interval, from 0 to 1, or of the block nearest to it, so that nobody zooms to where no
    // block is.
    middle() {
        const span = this.to - this.from;
        const at = this.from + span / 2;
        const away = ([, , start, end]) => Math.max(start - at, at - end, 0);
        const near = this.blocks.reduce((best, block) => (away(block) < away(best) ? block : best));
        return away(near) === 0 ? 0.5 : Math.min(1, Math.max(0, ((near[2] + near[3]) / 2 - this.from) / span));
    }

    // Shows `factor` of the visible interval, around a point between 0 and 1.
    zoom(factor, around = this.middle()) {
        const span = Math.min(this.end, Math.max(this.end / 1e5, (this.to - this.from) * factor));
        const middle = this.from + around * (this.to - this.from);
        this.show(middle - around * span, span);
    }

    show(from, span) {
        this.from = Math.max(0, Math.min(from, this.end - span));
        this.to = this.from + span;
        this.render();
    }

    key(event) {
        const span = this.to - this.from;
        const acts = {
            "+": () => this.zoom(0.5),
            "=": () => this.zoom(0.5),
            "-": () => this.zoom(2),
            0: () => this.show(0, this.end),
            ArrowLeft: () => this.show(this.from - span / 5, span),
            ArrowRight: () => this.show(this.from + span / 5, span),
        };
        if (!acts[event.key] || event.ctrlKey || event.metaKey) return;
        acts[event.key]();
        event.preventDefault();
    }

    // The pointer's place, from 0 to 1 of the width of the lanes.
    part(event) {
        const around = this.svg.getBoundingClientRect();
        const x = ((event.clientX - around.left) / around.width) * this.width;
        return Math.min(1, Math.max(0, (x - laneLabel) / (this.width - laneLabel)));
    }

    // The wheel alone scrolls the page. With Ctrl it zooms; browsers report a pinch as Ctrl and the wheel.
    wheel(event) {
        if (!event.ctrlKey) return;
        this.zoom(Math.exp(event.deltaY / 300), this.part(event));
        event.preventDefault();
    }

    drag(start) {
        const from = this.from,
            span = this.to - this.from,
            at = this.part(start);
        const move = (event) => this.show(from - (this.part(event) - at) * span, span);
        const end = () => removeEventListener("pointermove", move);
        addEventListener("pointermove", move);
        addEventListener("pointerup", end, { once: true });
        addEventListener("pointercancel", end, { once: true });
    }
}

const workerParts = ["instructions", "scheduling", "instrumentation", "idle"];

// Where each worker's time went in a launch.
function workerTable(launch) {
    const part = (worker, name) =>
        worker[`${name}_ns`] ??
        amount(worker, `${name}_ns`, amount(worker, `${name === "instructions" ? "running" : name}_ns`));
    const rows = launch.workers ?? [];
    if (!rows.length) return null;
    const all = (worker) => workerParts.reduce((sum, name) => sum + part(worker, name), 0) || 1;
    const columns = [
        {
            ...countColumn("worker", (row) => row.worker),
            isText: true,
            cell: (row) => make("td", { class: "text" }, `worker ${row.worker}`),
        },
        ...(rows[0].blocks === undefined ? [] : [countColumn("blocks", (row) => row.blocks)]),
        ...workerParts.map((name) => ({
            ...countColumn(name, (row) => part(row, name), "ns"),
            cell: (row) =>
                make(
                    "td",
                    {},
                    time(part(row, name)),
                    make("span", { class: "within" }, share(part(row, name) / all(row), 0)),
                ),
        })),
    ];
    return region("Workers", sortable({ caption: "Workers", columns, rows, sort: ["worker", "ascending"] }));
}

function timelineView({ report, kernel }) {
    const launches = report.launches.filter(
        (launch) => launch.kernel === kernel.name && (launch.blocks?.length || launch.workers?.length),
    );
    if (!launches.length) return null;
    const timed = report.options.timed_runs ?? 1;
    const passes = timed > 1 ? `means of ${timed} timed passes` : "of one timed pass";
    const holder = make("div");
    const show = (index) => {
        const launch = launches[index];
        const shown = launch.blocks?.length ? new Timeline(launch) : null;
        const button = (text, label, act) =>
            make("button", { type: "button", class: "plain", "aria-label": label, onclick: act }, text);
        const buttons =
            shown &&
            make(
                "p",
                { class: "tools" },
                button("+", "Zoom in", () => shown.zoom(0.5)),
                " ",
                button("−", "Zoom out", () => shown.zoom(2)),
                " ",
                button("All", "Show all", () => shown.show(0, shown.end)),
            );
        const left =
            shown &&
            launch.blocks_total > launch.blocks.length &&
            make(
                "p",
                { class: "muted" },
                `${grouped.format(launch.blocks.length)} of ${grouped.format(launch.blocks_total)} blocks are shown.`,
            );
        holder.replaceChildren(
            ...[
                shown &&
                    make(
                        "div",
                        { class: "panel chart" },
                        buttons,
                        fluid((width) => shown.resize(width)),
                        left,
                    ),
                make("h3", {}, `Workers, ${passes}`),
                workerTable(launch),
            ].filter(Boolean),
        );
    };
    show(0);
    const options = launches.map((launch, index) => [String(index), `${index + 1}: grid ${shapeText(launch.grid)}`]);
    return {
        intro: "Blocks on their workers, in the first timed pass.",
        tools: launches.length > 1 && choice("Launch", options, "0", show),
        content: holder,
    };
}
