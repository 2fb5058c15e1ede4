// Tips: one box for the whole page, shown at the pointer or the keyboard's focus. The content of a tip is made when it
// is shown.

const tips = new WeakMap();

// `content` returns an array of what the tip contains.
function tip(element, content) {
    tips.set(element, content);
    return element;
}

function metricTip(metric, held) {
    const lines = [make("div", {}, make("strong", {}, title(metric.name)), " ", kindMark(metric.kind))];
    if (held?.why) lines.push(make("p", {}, `No value: ${held.why}.`));
    else if (held) {
        const exact =
            metric.unit === ""
                ? share(held.value, 2)
                : Number.isInteger(held.value)
                  ? grouped.format(held.value)
                  : String(held.value);
        const range = held.low !== undefined && held.low !== held.high;
        lines.push(make("p", {}, `${exact}${metric.unit ? ` ${metric.unit}` : ""}`));
        if (range)
            lines.push(
                make(
                    "p",
                    { class: "muted" },
                    `95 % interval ${write(held.low, metric.unit)} to ${write(held.high, metric.unit)}`,
                ),
            );
    }
    if (metric.help) lines.push(make("p", {}, metric.help));
    if (metric.formula) lines.push(make("p", {}, make("code", {}, metric.formula)));
    if (metric.ncu) lines.push(make("p", { class: "muted" }, `Nsight Compute: ${metric.ncu}`));
    return lines;
}

function startTips() {
    const box = document.getElementById("tip");
    let shown = null;

    const find = (element) => {
        while (element && !tips.has(element)) element = element.parentElement;
        return element;
    };
    const hide = () => {
        box.hidden = true;
        shown?.removeAttribute("aria-describedby");
        shown = null;
    };
    const place = (x, y, below) => {
        const { width, height } = box.getBoundingClientRect();
        const top = y + below + height > innerHeight ? y - height - 10 : y + below;
        box.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
        box.style.top = `${Math.max(8, top)}px`;
    };
    const show = (element, x, y, below) => {
        if (element !== shown) {
            hide();
            box.replaceChildren(...tips.get(element)());
            box.hidden = false;
            shown = element;
            element.setAttribute("aria-describedby", "tip");
        }
        place(x, y, below);
    };

    const showBelow = (element) => {
        const around = element.getBoundingClientRect();
        show(element, around.left, around.bottom, 6);
    };
    // Browsers send the pointer's place again when the page scrolls under it; the pointer has not moved then.
    let last = [];

    document.addEventListener("pointermove", (event) => {
        if (event.clientX === last[0] && event.clientY === last[1]) return;
        last = [event.clientX, event.clientY];
        const element = find(event.target);
        if (element) show(element, event.clientX + 12, event.clientY, 18);
        else if (shown && !shown.matches(":focus-visible")) hide();
    });
    document.addEventListener("focusin", (event) => {
        const element = find(event.target);
        if (element && event.target.matches(":focus-visible")) showBelow(element);
        else hide();
    });
    document.addEventListener("focusout", hide);
    const follow = () => (shown?.matches(":focus-visible") ? showBelow(shown) : hide());
    document.addEventListener("scroll", follow, true);
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") hide();
    });
}
