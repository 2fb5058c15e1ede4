// Rooflines (Williams, Waterman and Patterson, Roofline: an insightful visual performance model, Communications of the
// ACM 52, 2009): a machine's peak at each arithmetic intensity, and the kernels below it. One roofline is of the host,
// whose peaks are measured; one is of the modelled GPU.
//
// A roofline is {gflops, memory: [{name, gbps}], points: [{name, level, intensity, gflops}]}. A point is under the roof of
// its level, or of the last memory; memories that bound no point are drawn as thin lines.

const roofSize = { height: 360, left: 56, right: 16, top: 18, bottom: 40 };

function roofAt(roofline, { intensity, level }) {
    const memory = roofline.memory.find((one) => one.name === level) ?? roofline.memory.at(-1);
    return Math.min(roofline.gflops, intensity * memory.gbps);
}

// The level of memory with the lowest roof, also where the arithmetic's peak is lower still.
function lowestLevel(kernel) {
    const roofs = (kernel.levels ?? []).filter((level) => level.roof_flops_per_second > 0);
    return roofs.length
        ? roofs.reduce((low, one) => (one.roof_flops_per_second < low.roof_flops_per_second ? one : low))
        : null;
}

// The peaks of one thread if one worker ran, else those of all cores together.
function hostRoofline(report) {
    const host = report.host;
    if (!host) return null;
    const part = report.options.workers > 1 ? "all" : "one";
    const memory = Object.entries(host.memory).map(([name, ways]) => ({ name, gbps: ways.read[part] / 1e9 }));
    // A kernel stands at the intensity of the level that bounds it: its operations for each byte that comes from there.
    const points = host.kernels.map((one) => {
        const level = lowestLevel(one);
        return {
            name: one.name,
            level: level?.name,
            intensity: level?.arithmetic_intensity ?? one.arithmetic_intensity,
            gflops: one.flops_per_second / 1e9,
        };
    });
    return { gflops: host.f32_flops[part] / 1e9, memory, points };
}

function modelRoofline(report) {
    const modelled = report.kernels.filter((kernel) => kernel.model?.ns > 0);
    if (!modelled.length) return null;
    const { peak_gflops: gflops, peak_dram_gbps: gbps } = modelled[0].model;
    const points = modelled.map((kernel) => ({
        name: kernel.name,
        intensity: amount(kernel, "dram_intensity"),
        gflops: amount(kernel, "flops") / kernel.model.ns,
    }));
    return { gflops, memory: [{ name: "DRAM", gbps }], points };
}

// Powers of ten around values: [lowest, highest].
function decades(values) {
    return [10 ** Math.floor(Math.log10(Math.min(...values))), 10 ** Math.ceil(Math.log10(Math.max(...values)))];
}

// About how wide a text of the charts is, at their 11 pixels: figures are the widest, 7 pixels in DejaVu Sans.
function textWidth(text) {
    return 7 * text.length;
}

function powers(low, high) {
    const list = [];
    for (let power = Math.round(Math.log10(low)); power <= Math.round(Math.log10(high)); power++)
        list.push(10 ** power);
    return list;
}

class RooflineChart {
    constructor(roofline, width) {
        const { height, left, right, top, bottom } = roofSize;
        this.width = width;
        const slowest = roofline.memory.at(-1).gbps;
        const ridge = roofline.gflops / slowest;
        const intensities = roofline.points.map((one) => one.intensity);
        this.roofline = roofline;
        [this.lowX, this.highX] = decades([ridge / 8, ridge * 8, ...intensities]);
        [this.lowY, this.highY] = decades([
            this.lowX * slowest,
            roofline.gflops * 1.3,
            ...roofline.points.map((one) => one.gflops),
        ]);
        this.x = (value) =>
            left + (Math.log(value / this.lowX) / Math.log(this.highX / this.lowX)) * (width - left - right);
        this.y = (value) =>
            height -
            bottom -
            (Math.log(value / this.lowY) / Math.log(this.highY / this.lowY)) * (height - top - bottom);
    }

    axes() {
        const { height, left, right, top, bottom } = roofSize;
        const { width } = this;
        const line = (x1, y1, x2, y2) => draw("line", { class: "axis", x1, y1, x2, y2 });
        let free = 0; // of the row of figures: one without room beside the one before is left out
        const column = (value) => {
            const half = textWidth(String(value)) / 2;
            const x = Math.min(this.x(value), width - half); // the last one is at the edge
            if (x - half < free) return [];
            free = x + half + 3;
            return draw("text", { x, y: height - bottom + 16, "text-anchor": "middle" }, String(value));
        };
        const columns = powers(this.lowX, this.highX).map((value) => [
            line(this.x(value), top, this.x(value), height - bottom),
            column(value),
        ]);
        const rows = powers(this.lowY, this.highY).map((value) => [
            line(left, this.y(value), width - right, this.y(value)),
            draw("text", { x: left - 8, y: this.y(value) + 4, "text-anchor": "end" }, String(value)),
        ]);
        return [
            columns,
            rows,
            draw("text", { x: 0, y: 10 }, "GFLOP/s"),
            draw("text", { x: width - right, y: height - 4, "text-anchor": "end" }, "operations for each byte"),
        ];
    }

    // A memory's slope, up to the roof of arithmetic, with its name along it: alternately above and below, because the
    // slopes of two caches may be close to each other. A slope that is shorter than its name has no name.
    slope({ name, gbps }, index) {
        const { gflops } = this.roofline;
        const start = Math.max(this.lowX, this.lowY / gbps);
        const ridge = gflops / gbps;
        if (ridge <= start) return [];
        const near = start * (ridge / start) ** 0.02;
        const angle =
            (Math.atan2(this.y(gflops) - this.y(start * gbps), this.x(ridge) - this.x(start)) * 180) / Math.PI;
        const aside = index % 2 ? 15 : -6;
        const at = `translate(${this.x(near)} ${this.y(near * gbps) + aside}) rotate(${angle})`;
        const isShort = this.x(ridge) - this.x(start) < 100;
        const { points, memory } = this.roofline;
        const isRoof = points.some((one) => (one.level ?? memory.at(-1).name) === name);
        return [
            draw("path", {
                class: isRoof ? "roof" : "roof faster",
                d: `M${this.x(start)},${this.y(start * gbps)} L${this.x(ridge)},${this.y(gflops)}`,
            }),
            isShort ? [] : draw("text", { transform: at }, `${name} ${significant(gbps)} GB/s`),
        ];
    }

    point(one) {
        const roof = roofAt(this.roofline, one);
        const x = this.x(one.intensity),
            y = this.y(one.gflops);
        const part = share(one.gflops / roof, 0);
        const bound = roof < this.roofline.gflops ? (one.level ?? "memory") : "arithmetic";
        const label = this.besidePoint(`${one.name}, ${part} of the roof${one.level ? ` of ${bound}` : ""}`, x, y);
        const dot = draw("circle", {
            class: "point",
            cx: x,
            cy: y,
            r: 6,
            tabindex: 0,
            role: "img",
            "aria-label": `${one.name}: ${significant(one.gflops)} GFLOP/s, ${part} of the roof, which is ${bound}`,
        });
        tip(dot, () => [
            make("strong", {}, one.name),
            make("p", {}, `${significant(one.gflops)} GFLOP/s at ${significant(one.intensity)} operations a byte${one.level ? ` of ${one.level}` : ""}`),
            make("p", {}, `${part} of the roof above it, which is ${bound}`),
        ]);
        return [
            draw("line", { class: "drop", x1: x, x2: x, y1: y, y2: this.y(roof) }),
            dot,
            label,
        ];
    }

    // A point's name to its right, or its left, or below it: where there is room.
    besidePoint(text, x, y) {
        const wide = 6.5 * text.length; // about, at the charts' 11 pixels
        const half = wide / 2;
        const [anchor, at, below] =
            x + 10 + wide < this.width
                ? ["start", x + 10, 4]
                : x - 10 - wide > roofSize.left
                  ? ["end", x - 10, 4]
                  : ["middle", Math.min(this.width - half, Math.max(roofSize.left + half, x)), 22];
        return draw("text", { class: "name", x: at, y: y + below, "text-anchor": anchor }, text);
    }

    svg() {
        const { height, right } = roofSize;
        const { width } = this;
        const { gflops, memory, points } = this.roofline;
        const fastest = Math.max(...memory.map((one) => one.gbps));
        const flat = this.y(gflops),
            from = Math.max(this.x(this.lowX), this.x(gflops / fastest));
        return draw(
            "svg",
            { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": roofsText(this.roofline) },
            this.axes(),
            memory.map((one, index) => this.slope(one, index)),
            draw("path", { class: "roof", d: `M${from},${flat} H${width - right}` }),
            draw(
                "text",
                { x: width - right, y: flat - 7, "text-anchor": "end" },
                `arithmetic ${significant(gflops)} GFLOP/s`,
            ),
            points.map((one) => this.point(one)),
        );
    }
}

// All roofs in words: a slope that is too short for its name has it here.
function roofsText({ gflops, memory }) {
    const slopes = memory.map((one) => `${one.name} ${significant(one.gbps)} GB/s`);
    return `Arithmetic ${significant(gflops)} GFLOP/s, ${slopes.join(", ")}`;
}

function rooflineOf(roofline, heading, kind) {
    const points = roofline?.points.filter((one) => one.intensity > 0 && one.gflops > 0 && isFinite(one.intensity));
    if (!points?.length) return [];
    return [
        make("h3", {}, heading, " ", kindMark(kind)),
        make(
            "div",
            { class: "panel chart" },
            fluid((width) => new RooflineChart({ ...roofline, points }, width).svg()),
            make("p", { class: "muted" }, `${roofsText(roofline)}.`),
        ),
    ];
}

function rooflineView({ report }) {
    const device = report.kernels.find((kernel) => kernel.model)?.model.gpu;
    const content = [
        ...rooflineOf(hostRoofline(report), "This machine", "measured"),
        ...rooflineOf(modelRoofline(report), `The GPU that is modelled, ${device}`, "model"),
    ];
    return content.length ? { content } : null;
}
