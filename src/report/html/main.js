// The page: reads the document, draws the views, and redraws them for another kernel.

const views = [
    ["summary", "Summary", summaryView],
    ["hints", "Hints", hintsView],
    ["findings", "Findings", findingsView],
    ["source", "Source", sourceView],
    ["opcodes", "Opcodes", opcodesView],
    ["lines", "Lines", linesView],
    ["launches", "Launches", launchesView],
    ["flame", "Flame graph", flameView],
    ["timeline", "Timeline", timelineView],
    ["fidelity", "Fidelity", fidelityView],
    ["divergence", "Divergence", divergenceView],
    ["memory", "Memory", memoryView],
    ["model", "Modelled GPU", modelView],
    ["roofline", "Roofline", rooflineView],
    ["metrics", "Metrics", glossaryView],
];

function section(id, name, view) {
    const tools = [view.tools].flat().filter(Boolean);
    return make(
        "section",
        { id, "aria-labelledby": `${id}-name` },
        make(
            "header",
            {},
            make("h2", { id: `${id}-name` }, name),
            view.intro && make("p", {}, view.intro),
            tools.length > 0 && make("div", { class: "tools" }, tools),
        ),
        view.content,
    );
}

function showKernel(report, kernel) {
    const state = { report, kernel, show: (one) => chooseKernel(report, one) };
    const drawn = views.map(([id, name, view]) => [id, name, view(state)]).filter(([, , view]) => view);
    document.getElementById("main").replaceChildren(...drawn.map(([id, name, view]) => section(id, name, view)));
    document
        .getElementById("contents")
        .replaceChildren(...drawn.map(([id, name]) => make("a", { href: `#${id}` }, name)));
    followScroll();
}

function chooseKernel(report, kernel) {
    document.getElementById("kernel").value = String(report.kernels.indexOf(kernel));
    showKernel(report, kernel);
}

// The view that is visible now is marked in the contents.
let follower = null;
function followScroll() {
    follower?.disconnect();
    const links = new Map([...document.querySelectorAll("#contents a")].map((link) => [link.hash.slice(1), link]));
    follower = new IntersectionObserver(
        (entries) => {
            for (const { target, isIntersecting } of entries) {
                if (!isIntersecting) continue;
                for (const [id, link] of links) {
                    if (id === target.id) link.setAttribute("aria-current", "true");
                    else link.removeAttribute("aria-current");
                }
            }
        },
        { rootMargin: "-10% 0px -85% 0px" },
    );
    for (const one of document.querySelectorAll("main > section")) follower.observe(one);
}

// ---- Colours: those of the system, unless the reader selects others. The selection is stored if the browser permits a
// file to store anything.

function startTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const inputs = [...document.querySelectorAll("#theme input")];
    const chosen = () => inputs.find((input) => input.checked).value;
    const apply = () => {
        const wanted = chosen();
        document.documentElement.dataset.theme = wanted === "auto" ? (dark.matches ? "dark" : "light") : wanted;
    };
    const held = remembered("hexec-theme");
    for (const input of inputs) {
        if (input.value === held) input.checked = true;
        input.addEventListener("change", () => {
            remember("hexec-theme", input.value);
            apply();
        });
    }
    dark.addEventListener("change", apply);
    apply();
}

function remembered(key) {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

function remember(key, value) {
    try {
        localStorage.setItem(key, value);
    } catch {
        // Without storage the selection is lost when the page is closed.
    }
}

// ---- Head and foot

function about(report) {
    const { options, machine, build } = report;
    const workers = many(options.workers, "worker");
    return `${report.file} · ${machine.cpu}, ${machine.cores} cores, ${machine.cpu_level} · ${workers}, warps of ${options.warp_size}, gangs of ${options.gang} · ${build.compiler}, ${build.type}`;
}

function start(report) {
    document.title = `${report.program} · hexec profile`;
    document.getElementById("program").textContent = report.program;
    document.getElementById("about").textContent = about(report);
    document.getElementById("made").textContent =
        `Made by hexec ${report.hexec}; instruction set ${report.isa.name} ${report.isa.hash}, inputs ${report.inputs}. The document that this page shows is in it: a script of type application/json.`;
    const select = document.getElementById("kernel");
    select.append(...report.kernels.map((kernel, index) => make("option", { value: index }, kernel.name)));
    select.addEventListener("change", () => showKernel(report, report.kernels[select.value]));
    document.getElementById("kernel-choice").hidden = report.kernels.length < 2;
    if (!report.kernels.length) {
        document
            .getElementById("main")
            .replaceChildren(make("p", { class: "empty" }, "No kernel was launched, so there is nothing to show."));
        return;
    }
    const byTime = [...report.kernels].sort((a, b) => amount(b, "time_ns") - amount(a, "time_ns"));
    chooseKernel(report, byTime[0]);
}

startTheme();
startTips();
startLineLinks();
start(await readDocument());
