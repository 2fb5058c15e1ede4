// Shared by all views: the document, elements, figures and their formats.

async function readDocument() {
    const holder = document.getElementById("document");
    const text = holder.textContent;
    if (holder.dataset.encoding !== "gzip") return JSON.parse(text);
    // Documents of large kernels are compressed; the browser decompresses them.
    const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
}

// ---- Elements

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "style")
            for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(
        ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
    );
    return element;
}

// make("div", {class: "panel", onclick: act}, "text", child, [children])
function make(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function choice(label, options, selected, act) {
    const select = make(
        "select",
        { onchange: () => act(select.value) },
        options.map(([value, text]) => make("option", { value, selected: value === selected }, text)),
    );
    return make("label", {}, `${label} `, select);
}

// A holder whose content is drawn for its width in pixels, again when that changes: text in a chart keeps its size.
function fluid(render) {
    const holder = make("div", { class: "fluid" });
    let drawn = Math.max(240, Math.min(1180, document.documentElement.clientWidth - 70));
    const show = () => holder.replaceChildren(render(drawn));
    const observer = new ResizeObserver(([entry]) => {
        const width = Math.round(entry.contentRect.width);
        if (width === drawn || width < 1) return;
        drawn = width;
        requestAnimationFrame(show);
    });
    show();
    observer.observe(holder);
    return holder;
}

// ---- Figures

// {value, low, high} of a known figure, {why} of a missing one, undefined if there is no such metric.
function figure(owner, name) {
    const held = owner?.metrics?.[name];
    if (held === undefined) return undefined;
    if (held === null) return { why: owner.why?.[name] ?? "not known" };
    return typeof held === "number" ? { value: held } : held;
}

function amount(owner, name, otherwise = 0) {
    return figure(owner, name)?.value ?? otherwise;
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

function significant(value, digits = 3) {
    if (value === 0) return "0";
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
    return decimals > 9
        ? value.toExponential(digits - 1)
        : Number(value.toFixed(decimals)).toLocaleString("en-US", {
              minimumFractionDigits: Math.min(decimals, 3),
              maximumFractionDigits: decimals,
          });
}

function scaled(value, step, units) {
    let unit = 0;
    while (unit + 1 < units.length && Math.abs(value) >= step) {
        value /= step;
        unit++;
    }
    return `${significant(value)} ${units[unit]}`;
}

function time(ns) {
    return scaled(ns, 1000, ["ns", "µs", "ms", "s"]);
}

function share(value, digits = 1) {
    return `${(100 * value).toFixed(digits)} %`;
}

// A value in the format of its unit: "" is a share.
function write(value, unit) {
    if (unit === "") return share(value);
    if (unit === "ns") return time(value);
    if (unit === "bytes")
        return value < 10240 ? `${grouped.format(value)} B` : scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
    if (Number.isInteger(value)) return grouped.format(value);
    return significant(value);
}

// Half of the interval in percent of the value, if it is large enough to show. An interval wider than its value is mostly
// asymmetric, and one number would be misleading: the tip has both ends.
function uncertainty(held) {
    if (held?.low === undefined || held.low === held.high || !held.value) return null;
    const half = (50 * (held.high - held.low)) / Math.abs(held.value);
    if (half < 0.05) return null;
    return half > 100 ? "±>100 %" : `±${half < 10 ? half.toFixed(1) : half.toFixed(0)} %`;
}

// "sectors_per_request" is "sectors per request"; units are printed with the values.
function title(name) {
    const words = name.replace(/_(ns|gbps)$/, "").replaceAll("_", " ");
    const said = { wall: "wall time", gflops: "GFLOP/s", flops: "FLOPs", p50: "median", p99: "99th percentile" };
    return said[words] ?? words.replace(/\bl(?=[12]\b)/, "L").replace(/\bdram\b/, "DRAM");
}

function kindMark(kind) {
    return make("span", { class: `kind kind-${kind}` }, kind);
}

// ---- Lines of the source

// The source that a kernel is of: a profile of several programs has several.
function sourceOf(report, kernel) {
    return report.source?.find((one) => one.file === kernel.file) ?? report.source?.[0];
}

function lineText(report, kernel, line) {
    return sourceOf(report, kernel)?.lines?.[line - 1]?.trim() ?? "";
}

function lineLink(line) {
    return make("a", { href: `#line-${line}`, class: "code" }, `line ${line}`);
}

// ---- Heat: a colour for 0 to 1. The square root spreads small values; the colours are mixed from the theme's.

function heat(part) {
    const percent = Math.round(1000 * Math.sqrt(Math.min(1, Math.max(0, part)))) / 10;
    return `color-mix(in oklch, var(--heat-high) ${percent}%, var(--heat-low))`;
}
