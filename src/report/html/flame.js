// The flame graph, roots at the top: program, kernel, function, line, opcode. The width is the selected figure: time,
// issues, bytes. A click zooms into a frame. Keys move the focus: down and up between levels, left and right among
// siblings; Escape zooms out.

const rowHeight = 22;
const flameChoices = ["time_ns", "issues", "lanes", "bytes_loaded", "bytes_stored", "sectors", "flops"];

// Frames that only contain others have no colour of their own.
function flameNode(name, above, detail, isCode = false) {
    return { name, above, detail: detail ?? name, isCode, value: 0, parts: new Map() };
}

function flamePart(node, key, name, detail, isCode) {
    if (!node.parts.has(key)) node.parts.set(key, flameNode(name, node, detail, isCode));
    return node.parts.get(key);
}

function flameTree(report, metric) {
    const root = flameNode(report.program, null);
    for (const kernel of report.kernels) {
        const functions = kernel.functions ?? [];
        for (const one of kernel.instructions) {
            const value = amount(one, metric);
            if (!(value > 0)) continue;
            let node = flamePart(root, kernel.name, kernel.name, `kernel ${kernel.name}`);
            if (functions.length > 1 && one.function > 0)
                node = flamePart(node, `function ${one.function}`, functions[one.function].name);
            const text = lineText(report, kernel, one.line);
            node = flamePart(
                node,
                one.line,
                text ? `${one.line}  ${text}` : `line ${one.line}`,
                `line ${one.line}: ${text || one.text}`,
                true,
            );
            flamePart(node, one.form, one.form, one.form, true).value += value;
        }
    }
    const sum = (node) => {
        for (const part of node.parts.values()) node.value += sum(part);
        return node.value;
    };
    sum(root);
    return root;
}

function hottest(node) {
    const parts = [...node.parts.values()].map(hottest);
    return Math.max(node.isCode ? node.value : 0, ...parts);
}

class Flame {
    constructor(root, metric) {
        this.root = root;
        this.metric = metric;
        this.most = hottest(root);
        this.holder = make("div", {
            class: "flame",
            role: "tree",
            "aria-label": `Flame graph of ${title(metric.name)}`,
        });
        this.trail = make("p", { class: "trail" });
        this.buttons = new Map();
        this.holder.addEventListener("keydown", (event) => this.key(event));
        this.zoom(root);
    }

    zoom(node) {
        this.top = node;
        this.buttons.clear();
        const bars = [];
        let depth = 0;
        const above = [];
        for (let one = node.above; one; one = one.above) above.unshift(one);
        for (const one of above) bars.push(this.bar(one, depth++, 0, 1, "above"));
        this.levels = depth;
        this.place(node, depth, 0, 1, bars);
        this.holder.replaceChildren(...bars);
        this.holder.style.height = `${this.levels * rowHeight}px`;
        this.trail.textContent =
            node === this.root
                ? ""
                : `Shown: ${node.detail}, ${share(node.value / this.root.value)} of all. Escape, or a press on a bar above, goes back.`;
    }

    // Frames that would be too thin to see are omitted.
    place(node, depth, left, width, bars) {
        this.levels = Math.max(this.levels, depth + 1);
        bars.push(this.bar(node, depth, left, width, ""));
        for (const part of [...node.parts.values()].sort((a, b) => b.value - a.value)) {
            const own = (width * part.value) / node.value;
            if (own > 0.0008) this.place(part, depth + 1, left, own, bars);
            left += own;
        }
    }

    bar(node, depth, left, width, kind) {
        const part = node.value / this.root.value;
        const button = make(
            "button",
            {
                type: "button",
                class: kind,
                role: "treeitem",
                tabindex: node === this.top ? 0 : -1,
                "aria-label": `${node.detail}, ${share(part)}`,
                onclick: () => this.press(node),
                style: {
                    left: `${100 * left}%`,
                    width: `${100 * width}%`,
                    top: `${depth * rowHeight}px`,
                    ...(node.isCode && { "--heat": heat(node.value / this.most) }),
                },
            },
            width > 0.015 ? node.name : "",
        );
        this.buttons.set(node, button);
        return tip(button, () => [
            make("strong", {}, node.detail),
            make("p", {}, `${write(node.value, this.metric.unit)}, ${share(part)} of all `, kindMark(this.metric.kind)),
        ]);
    }

    press(node) {
        this.zoom(node === this.top && node.above ? node.above : node);
        this.buttons.get(node)?.focus();
    }

    key(event) {
        const node = [...this.buttons].find(([, button]) => button === document.activeElement)?.[0];
        if (!node) return;
        const siblings = node.above ? [...node.above.parts.values()].sort((a, b) => b.value - a.value) : [node];
        const at = siblings.indexOf(node);
        const next = {
            ArrowDown: [...node.parts.values()].sort((a, b) => b.value - a.value)[0],
            ArrowUp: node.above,
            ArrowLeft: siblings[at - 1],
            ArrowRight: siblings[at + 1],
        }[event.key];
        if (event.key === "Escape") this.press(this.root);
        else if (!event.key.startsWith("Arrow")) return;
        else this.buttons.get(next)?.focus();
        event.preventDefault();
    }
}

function flameView({ report }) {
    const all = report.kernels.flatMap((kernel) => kernel.instructions);
    const metrics = flameChoices
        .map((name) => report.metrics.find((one) => one.name === name))
        .filter((metric) => metric && isBusy(all, metric));
    if (!metrics.length) return null;
    const holder = make("div", { class: "panel" });
    const show = (name) => {
        const flame = new Flame(
            flameTree(report, name),
            metrics.find((one) => one.name === name),
        );
        holder.replaceChildren(flame.holder, flame.trail);
    };
    show(metrics[0].name);
    return {
        intro: report.kernels.length > 1 ? "All kernels: kernel, line, opcode." : "Kernel, line, opcode.",
        tools: choice(
            "Width",
            metrics.map((metric) => [metric.name, title(metric.name)]),
            metrics[0].name,
            show,
        ),
        content: holder,
    };
}
