// The roofline of the host (Williams, Waterman and Patterson, Roofline: an insightful visual performance model,
// Communications of the ACM 52, 2009): what the machine can do at most for each arithmetic intensity, and where the
// kernels are.

const roofSize = { width: 1180, height: 360, left: 56, right: 16, top: 16, bottom: 40 };

function powers(low, high) {
    const list = [];
    for (let power = Math.ceil(Math.log10(low)); power <= Math.floor(Math.log10(high)); power++) list.push(10 ** power);
    return list;
}

function rooflinePeaks(report) {
    const peaks = report.peaks ?? report.machine.peaks;
    return peaks?.gflops > 0 && peaks?.bandwidth_gbps > 0 ? peaks : null;
}

function rooflineChart(peaks, points) {
    const { width, height, left, right, top, bottom } = roofSize;
    const ridge = peaks.gflops / peaks.bandwidth_gbps;
    const lowX = 10 ** Math.floor(Math.log10(Math.min(ridge / 10, ...points.map((one) => one.intensity)))),
        highX = 10 ** Math.ceil(Math.log10(Math.max(ridge * 10, ...points.map((one) => one.intensity))));
    const highY = 10 ** Math.ceil(Math.log10(peaks.gflops * 1.2)),
        lowY = 10 ** Math.floor(Math.log10(Math.min(lowX * peaks.bandwidth_gbps, ...points.map((one) => one.gflops))));
    const x = (value) => left + (Math.log(value / lowX) / Math.log(highX / lowX)) * (width - left - right);
    const y = (value) => height - bottom - (Math.log(value / lowY) / Math.log(highY / lowY)) * (height - top - bottom);
    const line = (x1, y1, x2, y2) => draw("line", { class: "axis", x1, y1, x2, y2 });
    const floorX = Math.max(lowX, lowY / peaks.bandwidth_gbps);
    const marks = points.map((one) => {
        const roof = Math.min(peaks.gflops, one.intensity * peaks.bandwidth_gbps);
        const dot = draw("circle", {
            class: "point",
            cx: x(one.intensity),
            cy: y(one.gflops),
            r: 6,
            tabindex: 0,
            "aria-label": `${one.name}: ${significant(one.gflops)} GFLOP/s, ${share(one.gflops / roof)} of the roof`,
        });
        tip(dot, () => [
            make("strong", {}, one.name),
            make("p", {}, `${significant(one.gflops)} GFLOP/s at ${significant(one.intensity)} operations a byte`),
            make(
                "p",
                {},
                `${share(one.gflops / roof)} of the roof above it, which is ${one.intensity < ridge ? "memory" : "arithmetic"}`,
            ),
        ]);
        const isRight = x(one.intensity) > width - 200;
        return [
            draw("line", {
                class: "axis",
                x1: x(one.intensity),
                x2: x(one.intensity),
                y1: y(one.gflops),
                y2: y(roof),
                "stroke-dasharray": "3 3",
            }),
            dot,
            draw(
                "text",
                {
                    class: "name",
                    x: x(one.intensity) + (isRight ? -10 : 10),
                    y: y(one.gflops) + 4,
                    "text-anchor": isRight ? "end" : "start",
                },
                `${one.name}, ${share(one.gflops / roof, 0)} of the roof`,
            ),
        ];
    });
    return draw(
        "svg",
        {
            viewBox: `0 0 ${width} ${height}`,
            role: "img",
            "aria-label": `Roofline: ${significant(peaks.gflops)} GFLOP/s, ${significant(peaks.bandwidth_gbps)} GB/s`,
        },
        powers(lowX, highX).map((value) => [
            line(x(value), top, x(value), height - bottom),
            draw("text", { x: x(value), y: height - bottom + 16, "text-anchor": "middle" }, String(value)),
        ]),
        powers(lowY, highY).map((value) => [
            line(left, y(value), width - right, y(value)),
            draw("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, String(value)),
        ]),
        draw("path", {
            class: "roof",
            d: `M${x(floorX)},${y(floorX * peaks.bandwidth_gbps)} L${x(ridge)},${y(peaks.gflops)} H${width - right}`,
        }),
        draw("text", { x: x(ridge) + 8, y: y(peaks.gflops) - 7 }, `arithmetic: ${significant(peaks.gflops)} GFLOP/s`),
        draw(
            "text",
            { x: x(ridge) - 12, y: y(peaks.gflops) - 7, "text-anchor": "end" },
            `memory: ${significant(peaks.bandwidth_gbps)} GB/s`,
        ),
        draw("text", { x: left, y: top - 4 }, "GFLOP/s"),
        draw(
            "text",
            { x: width - right, y: height - 4, "text-anchor": "end" },
            "floating-point operations for each byte of global memory",
        ),
        marks,
    );
}

function rooflineView({ report }) {
    const peaks = rooflinePeaks(report);
    const points = report.kernels
        .map((kernel) => ({
            name: kernel.name,
            intensity: amount(kernel, "arithmetic_intensity"),
            gflops: amount(kernel, "gflops"),
        }))
        .filter((one) => one.intensity > 0 && one.gflops > 0);
    if (!peaks || !points.length) return null;
    return {
        intro: "The peaks of this machine, measured, and where the kernels are under them.",
        content: make("div", { class: "panel chart" }, rooflineChart(peaks, points)),
    };
}
