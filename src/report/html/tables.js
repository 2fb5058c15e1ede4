// Tables that sort by any column, with pointer and keyboard, and whose metric columns can be selected.
//
// A column is {name, head, kind, isText or isBar, value(row), cell(row), tip()}: rows are sorted by `value` and show
// `cell`.

function metricColumn(metric, { most, isHeat } = {}) {
    const held = (row) => figure(row, metric.name);
    return {
        name: metric.name,
        head: title(metric.name),
        kind: metric.kind,
        value: (row) => held(row)?.value ?? -Infinity,
        tip: () => metricTip(metric),
        cell: (row) => metricCell(metric, held(row), isHeat ? most : 0),
    };
}

function metricCell(metric, held, most) {
    if (!held || held.why) return tip(make("td", { class: "none" }, "–"), () => metricTip(metric, held));
    const within = uncertainty(held);
    const cell = make(
        "td",
        {},
        write(held.value, metric.unit),
        metric.kind === "measured" && make("span", { class: "within" }, within),
    );
    if (most > 0 && held.value > 0) {
        cell.className = "heat";
        cell.style.setProperty("--share", `${(100 * held.value) / most}%`);
        cell.style.setProperty("--heat", heat(held.value / most));
    }
    return tip(cell, () => metricTip(metric, held));
}

function textColumn(name, value, cell) {
    return {
        name,
        head: name,
        isText: true,
        value,
        cell: cell ?? ((row) => make("td", { class: "text code" }, String(value(row)))),
    };
}

function countColumn(name, value, unit = "count") {
    return { name, head: name, value, cell: (row) => make("td", {}, write(value(row), unit)) };
}

function ordered(rows, column, direction) {
    const sign = direction === "descending" ? -1 : 1;
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
    return rows
        .map((row, index) => [row, column.value(row), index])
        .sort((a, b) => sign * (a[1] === b[1] ? 0 : compare(a[1], b[1])) || a[2] - b[2])
        .map(([row]) => row);
}

// `sort` is [column's name, direction]; `caption` is for screen readers.
function sortable({ caption, columns, rows, sort }) {
    const table = make("table", {}, make("caption", { class: "unseen" }, caption));
    // where the wanted column is not shown, the rows are in the order of the first
    let [by, direction] = columns.some((one) => one.name === sort[0]) ? sort : [columns[0].name, "ascending"];

    const render = () => {
        const column = columns.find((one) => one.name === by) ?? columns[0];
        const heads = columns.map((one) => {
            const press = () => {
                direction =
                    one.name === by
                        ? direction === "descending"
                            ? "ascending"
                            : "descending"
                        : one.isText
                          ? "ascending"
                          : "descending";
                by = one.name;
                render();
                table.querySelector(`th[data-name="${by}"] button`).focus();
            };
            const button = make(
                "button",
                { type: "button", onclick: press },
                make("span", { class: "head" }, one.head),
                one.kind && kindMark(one.kind),
            );
            if (one.tip) tip(button, one.tip);
            const state = one === column ? direction : "none";
            return make(
                "th",
                { scope: "col", "data-name": one.name, class: (one.isText || one.isBar) && "text", "aria-sort": state },
                button,
            );
        });
        const body = ordered(rows, column, direction).map((row) =>
            make(
                "tr",
                {},
                columns.map((one) => one.cell(row)),
            ),
        );
        table.replaceChildren(table.caption, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, body));
    };
    render();
    return table;
}

// Where `scrolled` has more than it shows is said by `frame`, whose style draws it: data-more is of left, right, above,
// below.
function markCut(frame, scrolled) {
    const mark = () => {
        const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = scrolled;
        const more = [
            ["left", scrollLeft > 1],
            ["right", scrollLeft + clientWidth < scrollWidth - 1],
            ["above", scrollTop > 1],
            ["below", scrollTop + clientHeight < scrollHeight - 1],
        ];
        frame.dataset.more = more
            .filter(([, is]) => is)
            .map(([side]) => side)
            .join(" ");
    };
    scrolled.addEventListener("scroll", mark, { passive: true });
    new ResizeObserver(() => requestAnimationFrame(mark)).observe(scrolled);
    new MutationObserver(() => requestAnimationFrame(mark)).observe(scrolled, { childList: true, subtree: true });
    return frame;
}

// The frame of a table that may be larger than its place: it scrolls, also with the keyboard, and shows where there is
// more of it.
function region(caption, table, more = "") {
    const scrolled = make(
        "div",
        { class: `panel scroll ${more}`, tabindex: 0, role: "region", "aria-label": `Table: ${caption}` },
        table,
    );
    return markCut(make("div", { class: "frame" }, scrolled), scrolled);
}

// The metrics that rows have, in the order of the document's table.
function metricsOf(report, rows) {
    const names = new Set(rows.flatMap((row) => Object.keys(row.metrics ?? {})));
    return report.metrics.filter((metric) => names.has(metric.name));
}

function isBusy(rows, metric) {
    return rows.some((row) => figure(row, metric.name)?.value);
}

// A table of rows with metrics and a control to select the columns. `first`: columns that are always there; `usual`:
// names of the metrics that are initially selected, if they have values.
function metricTable({ report, caption, rows, first, last = [], usual, sort }) {
    const metrics = metricsOf(report, rows);
    const shown = new Set(
        metrics.filter((metric) => usual.includes(metric.name) && isBusy(rows, metric)).map((metric) => metric.name),
    );
    const holder = region(caption, make("table"));
    const render = () => {
        const chosen = metrics.filter((metric) => shown.has(metric.name)).sort((a, b) => rank(a) - rank(b));
        const columns = chosen.map((metric) => {
            const most = Math.max(...rows.map((row) => amount(row, metric.name)));
            return metricColumn(metric, { most, isHeat: metric.name === "time_share" });
        });
        holder.firstChild.replaceChildren(sortable({ caption, columns: [...first, ...columns, ...last], rows, sort }));
    };
    const rank = (metric) =>
        usual.includes(metric.name) ? usual.indexOf(metric.name) : usual.length + metrics.indexOf(metric);
    const toggle = (metric) => {
        const box = make("input", {
            type: "checkbox",
            checked: shown.has(metric.name),
            onchange: () => {
                if (box.checked) shown.add(metric.name);
                else shown.delete(metric.name);
                render();
            },
        });
        return tip(make("label", {}, box, " ", title(metric.name)), () => metricTip(metric));
    };
    const picker = make(
        "details",
        { class: "columns" },
        make("summary", {}, "Columns"),
        make("div", {}, metrics.map(toggle)),
    );
    picker.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !picker.open) return;
        picker.open = false;
        picker.querySelector("summary").focus();
    });
    document.addEventListener("pointerdown", (event) => {
        if (!picker.contains(event.target)) picker.open = false;
    });
    render();
    return { holder, picker };
}
