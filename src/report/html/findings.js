// What --check has found, and which results a GPU may give otherwise.

// The document of findings; null where nothing was checked.
const findingsHeld = (() => {
    const holder = document.getElementById("findings-document");
    return holder ? JSON.parse(holder.textContent) : null;
})();

// The findings with a place in a line of a file.
function findingsAt(file, line) {
    return (findingsHeld?.findings ?? []).flatMap((finding) =>
        finding.places
            .map((place, index) => ({ finding, place, index }))
            .filter(({ place }) => place.file === file && place.line === line),
    );
}

function severityMark(finding) {
    return make("span", { class: `severity ${finding.severity}` }, finding.severity);
}

function timesText(count) {
    return count > 1 ? ` (${grouped.format(count)} times)` : "";
}

// What stands under a line: the finding at its first place, its role at the others.
function findingText({ finding, place, index }) {
    return index === 0
        ? [severityMark(finding), " ", make("strong", {}, finding.kind), ` ${finding.message}${timesText(finding.count)}`]
        : [severityMark(finding), ` ${place.role}, of ${finding.kind} in line ${finding.places[0].line}`];
}

function findingPlace(place, isShown) {
    return make(
        "p",
        {},
        `${place.role} in `,
        isShown(place) ? lineLink(place.line) : make("span", { class: "code" }, `${place.file}:${place.line}`),
        make("span", { class: "muted" }, `, block (${place.block}), thread (${place.thread})`),
    );
}

function findingsView({ report, kernel }) {
    if (!findingsHeld) return null;
    const file = sourceOf(report, kernel)?.file;
    const isShown = (place) => place.file === file && kernel.lines.some((one) => one.line === place.line);
    const intro = `Found by a run of its own, with the checkers ${findingsHeld.checked.join(", ")}; the figures of this page are of runs that were not checked.`;
    if (!findingsHeld.findings.length)
        return { intro, content: make("p", { class: "empty" }, "Nothing was found.") };
    const row = (finding) =>
        make(
            "tr",
            {},
            make(
                "td",
                {},
                make("p", {}, severityMark(finding), " ", make("span", { class: "found" }, finding.kind), make("span", { class: "muted" }, ` ${finding.code}`)),
                make("p", {}, finding.message),
                finding.note && make("p", { class: "muted" }, `note: ${finding.note}`),
                finding.help && make("p", { class: "muted" }, `help: ${finding.help}`),
            ),
            make("td", {}, finding.places.map((place) => findingPlace(place, isShown))),
            make("td", { "data-name": "times" }, grouped.format(finding.count)),
        );
    const heads = ["Finding", "Where", "Times"].map((text) => make("th", { scope: "col" }, text));
    return {
        intro,
        content: region(
            "Findings",
            make(
                "table",
                {},
                make("caption", { class: "unseen" }, "Findings"),
                make("thead", {}, make("tr", {}, heads)),
                make("tbody", {}, findingsHeld.findings.map(row)),
            ),
            "findings",
        ),
    };
}

// What --check init noted: such results that decide a branch, an address or a barrier of the kernel.
function decisionsTable(kernel) {
    const rows = (findingsHeld?.decisions ?? []).filter((one) => one.at.kernel === kernel.name);
    if (!rows.length) return null;
    const place = (line) => (kernel.lines.some((one) => one.line === line) ? lineLink(line) : `${line}`);
    const lineColumn = (name, of) => textColumn(name, (row) => row[of].line, (row) => make("td", {}, place(row[of].line)));
    return region(
        "Decisions",
        sortable({
            caption: "What they decide",
            columns: [
                textColumn("result of", (row) => row.form),
                lineColumn("in line", "from"),
                textColumn("decides", (row) => row.decides),
                lineColumn("at line", "at"),
                countColumn("times", (row) => row.count),
            ],
            rows,
            sort: ["times", "descending"],
        }),
    );
}

// Instructions that ran and whose result is not fixed bit by bit, by form.
function fidelityView({ kernel }) {
    const forms = new Map();
    for (const one of kernel.instructions) {
        if (!/^(within|open)/.test(one.fidelity ?? "") || !amount(one, "lanes")) continue;
        const held = forms.get(one.form) ?? { form: one.form, fidelity: one.fidelity, lanes: 0, lines: new Set() };
        held.lanes += amount(one, "lanes");
        held.lines.add(one.line);
        forms.set(one.form, held);
    }
    if (!forms.size) return null;
    const table = region(
        "Fidelity",
        sortable({
            caption: "Instructions whose results a GPU may give otherwise",
            columns: [
                textColumn("form", (row) => row.form),
                textColumn("result", (row) => row.fidelity, (row) => make("td", { class: "text" }, row.fidelity)),
                countColumn("lanes", (row) => row.lanes),
                textColumn(
                    "lines",
                    (row) => Math.min(...row.lines),
                    (row) => make("td", { class: "text" }, [...row.lines].flatMap((line, i) => [i ? ", " : "", lineLink(line)])),
                ),
            ],
            rows: [...forms.values()],
            sort: ["lanes", "descending"],
        }),
    );
    return {
        intro: "Results that a GPU may give otherwise: PTX fixes them within an error, or leaves them open. All others are the same bit by bit.",
        content: make("div", {}, table, decisionsTable(kernel)),
    };
}
