// The annotated source: each line with its cost. Lines far from code are collapsed. A line with several instructions
// can be opened to show them.

const foldedAtLeast = 8; // consecutive lines without figures that are collapsed
const keptAround = 2;

function commentSplit(text) {
    const found = /(^|\s)(#|\/\/).*$/.exec(text);
    return found ? [text.slice(0, found.index), make("span", { class: "comment" }, text.slice(found.index))] : [text];
}

// Runs of lines far from any with figures: [first, last], 1-based.
function foldedRanges(count, isBusyLine) {
    const ranges = [];
    let first = null;
    const isNear = (line) => {
        for (let near = line - keptAround; near <= line + keptAround; near++) if (isBusyLine(near)) return true;
        return false;
    };
    for (let line = 1; line <= count + 1; line++) {
        const isKept = line > count || isNear(line);
        if (!isKept) first ??= line;
        else if (first !== null) {
            if (line - first >= foldedAtLeast) ranges.push([first, line - 1]);
            first = null;
        }
    }
    return ranges;
}

class Listing {
    constructor(report, kernel, metric) {
        this.report = report;
        this.source = sourceOf(report, kernel);
        this.metric = metric;
        this.lines = new Map(kernel.lines.map((line) => [line.line, line]));
        this.instructions = Listing.group(kernel.instructions);
        this.most = Math.max(...kernel.lines.map((line) => amount(line, metric.name)), 0);
        this.side = ["issues", "active_share"]
            .map((name) => report.metrics.find((one) => one.name === name))
            .filter((one) => one && one !== metric);
    }

    static group(instructions) {
        const groups = new Map();
        for (const one of instructions) groups.set(one.line, [...(groups.get(one.line) ?? []), one]);
        return groups;
    }

    figures(owner) {
        if (!owner) return [make("td"), ...this.side.map(() => make("td", { class: "side" }))];
        return [
            metricCell(this.metric, figure(owner, this.metric.name), this.most),
            ...this.side.map((metric) => {
                const cell = metricCell(metric, figure(owner, metric.name), 0);
                cell.classList.add("side");
                return cell;
            }),
        ];
    }

    // A line, followed by its instructions, which are visible when the line is open.
    rows(number, text) {
        const line = this.lines.get(number);
        const own = this.instructions.get(number) ?? [];
        const hidden = own.map((one) =>
            make(
                "tr",
                { class: "instruction", hidden: true },
                this.figures(one),
                make("td", { class: "number" }, `${one.pc}`),
                make("td", { class: "code" }, one.text),
            ),
        );
        // A single instruction would only repeat its line.
        const opens = own.length > 1;
        const toggle = () => {
            const open = opener.getAttribute("aria-expanded") !== "true";
            opener.setAttribute("aria-expanded", String(open));
            for (const row of hidden) row.hidden = !open;
        };
        const opener = make(
            "button",
            {
                type: "button",
                "aria-expanded": "false",
                "aria-label": `Line ${number}, ${own.length} instructions`,
                onclick: toggle,
            },
            String(number),
        );
        const place = make("td", { class: opens ? "number" : "number alone" }, opens ? opener : String(number));
        const row = make(
            "tr",
            { id: line && `line-${number}`, tabindex: line && -1 },
            this.figures(line),
            place,
            make("td", { class: "code" }, commentSplit(text)),
        );
        const found = findingsAt(this.source.file, number).map((one) =>
            make(
                "tr",
                { class: `finding ${one.finding.severity}` },
                make("td", { colspan: 2 + this.side.length }),
                make("td", { class: "text" }, findingText(one)),
            ),
        );
        return opens ? [row, ...hidden, ...found] : [row, ...found];
    }

    folded(first, last, rows) {
        const columns = 3 + this.side.length;
        const open = () => {
            holder.replaceWith(...rows);
        };
        const holder = make(
            "tr",
            { class: "folded" },
            make(
                "td",
                { colspan: columns },
                make(
                    "button",
                    { type: "button", onclick: open },
                    `${last - first + 1} lines without instructions (${first} to ${last})`,
                ),
            ),
        );
        return holder;
    }

    table() {
        const texts = this.source.lines;
        const isBusyLine = (line) => this.lines.has(line) || findingsAt(this.source.file, line).length > 0;
        const ranges = foldedRanges(texts.length, isBusyLine);
        const body = [];
        for (let number = 1; number <= texts.length; number++) {
            const range = ranges.find(([first]) => first === number);
            if (range) {
                const rows = [];
                for (; number <= range[1]; number++) rows.push(...this.rows(number, texts[number - 1]));
                number = range[1];
                body.push(this.folded(range[0], range[1], rows));
            } else body.push(...this.rows(number, texts[number - 1]));
        }
        const head = (metric) =>
            tip(
                make(
                    "th",
                    { scope: "col", tabindex: 0, class: metric !== this.metric && "side" },
                    title(metric.name),
                    kindMark(metric.kind),
                ),
                () => metricTip(metric),
            );
        const heads = [
            head(this.metric),
            ...this.side.map(head),
            make("th", { scope: "col" }, "line"),
            make("th", { scope: "col", class: "text" }, this.source.file),
        ];
        return make(
            "table",
            {},
            make("caption", { class: "unseen" }, "Annotated source"),
            make("thead", {}, make("tr", {}, heads)),
            make("tbody", {}, body),
        );
    }
}

// Metrics that can colour the source: sums, of which each line has a share.
const heatChoices = [
    "time_share",
    "time_ns",
    "issues",
    "lanes",
    "bytes_loaded",
    "bytes_stored",
    "sectors",
    "bank_conflicts",
    "flops",
];

function sourceView({ report, kernel }) {
    if (!sourceOf(report, kernel)?.lines?.length) return null;
    const metrics = heatChoices
        .map((name) => report.metrics.find((one) => one.name === name))
        .filter((metric) => metric && isBusy(kernel.lines, metric));
    if (!metrics.length) return null;
    const holder = make("div", {
        class: "panel listing",
        tabindex: 0,
        role: "region",
        "aria-label": "Annotated source",
    });
    const show = (name) =>
        holder.replaceChildren(
            new Listing(
                report,
                kernel,
                metrics.find((one) => one.name === name),
            ).table(),
        );
    show(metrics[0].name);
    return {
        tools: choice(
            "Heat",
            metrics.map((metric) => [metric.name, title(metric.name)]),
            metrics[0].name,
            show,
        ),
        content: markCut(make("div", { class: "frame" }, holder), holder),
    };
}

// A link to a line scrolls within the listing and marks the line.
function startLineLinks() {
    const go = () => {
        const row = /^#line-\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
        for (const old of document.querySelectorAll("tr.target")) old.classList.remove("target");
        if (!row) return;
        row.classList.add("target");
        row.scrollIntoView({ block: "center" });
        row.focus({ preventScroll: true });
    };
    addEventListener("hashchange", go);
    document.addEventListener("click", (event) => {
        const link = event.target.closest?.("a[href^='#line-']");
        if (link && link.hash === location.hash) go();
    });
}
