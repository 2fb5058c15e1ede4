#!/usr/bin/env python3
"""The HTML report in a browser: every program's opens without a complaint and fetches nothing; tables sort by pointer and
keyboard, themes switch, tips explain, the flame graph and the timeline zoom, it prints. A page that is broken is noticed.

HEXEC_SCREENSHOTS=FOLDER keeps pictures of it, light, dark and as on paper."""
import base64
import gzip
import json
import os
import pathlib
import re

import browser
from clients import HEXEC, ROOT, expect, folder, run, skip

VIEWS = ["summary", "hints", "source", "opcodes", "lines", "launches", "flame", "timeline", "divergence", "memory", "metrics"]
LARGEST = 1 << 20  # bytes of the report of a kernel of 1,000 lines
PICTURES = os.environ.get("HEXEC_SCREENSHOTS")


def report(program, path, *options):
    run(HEXEC, "profile", program, "--quiet", "--runs", "1", "--report", path, *options)
    return path


def is_clean(page, path):
    expect(not page.errors, f"{path.name}: the console says: {'; '.join(page.errors)}")
    fetched = [url for url in page.requests if url != path.as_uri() and not url.startswith(("data:", "blob:"))]
    expect(not fetched, f"{path.name}: fetches {fetched}")


def opens(page, path, views=()):
    page.requests.clear()
    page.open(path)
    is_clean(page, path)
    shown = page.evaluate("[...document.querySelectorAll('main > section')].map((one) => one.id)")
    expect(set(views) <= set(shown), f"{path.name}: shows {shown}, not all of {views}")
    expect(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path.name}: wider than its window")
    expect(not page.evaluate("/undefined|NaN|\\[object|Infinity/.test(document.body.innerText)"), f"{path.name}: shows a value without a figure")


def order(page, view):
    """What a view's table is sorted by, and the figures of that column as the page writes them."""
    return page.evaluate(f"""(() => {{
        const table = document.querySelector("#{view} table"), heads = [...table.tHead.rows[0].cells];
        const at = heads.findIndex((one) => one.ariaSort !== "none");
        return [heads[at].dataset.name, heads[at].ariaSort, [...table.tBodies[0].rows].map((row) => row.cells[at].textContent)]; }})()""")


def sorts(page):
    name, direction, _ = order(page, "opcodes")
    expect((name, direction) == ("time_share", "descending"), f"opcodes are first sorted by {name}, {direction}")
    issues = '#opcodes th[data-name="issues"] button'
    page.click(issues)
    name, direction, values = order(page, "opcodes")
    numbers = [int(value.replace(",", "")) for value in values]
    expect((name, direction) == ("issues", "descending") and numbers == sorted(numbers, reverse=True), f"a press sorts by {name}, {direction}: {values}")
    expect(len(set(numbers)) > 1, "all opcodes have the same issues, so the order says nothing")
    expect(page.evaluate(f"document.activeElement === document.querySelector('{issues}')"), "the focus is lost when a table is sorted")
    page.press("Enter")
    name, direction, values = order(page, "opcodes")
    expect((name, direction) == ("issues", "ascending"), f"Enter sorts by {name}, {direction}")
    expect([int(value.replace(",", "")) for value in values] == numbers[::-1] or sorted(numbers) == [int(value.replace(",", "")) for value in values], "ascending is not")
    page.click('#opcodes th[data-name="opcode"] button')
    name, direction, values = order(page, "opcodes")
    expect((name, direction) == ("opcode", "ascending") and values[0] <= values[-1], f"names sort by {name}, {direction}: {values}")
    page.evaluate("document.querySelector('#opcodes details').open = true")
    before = page.evaluate("document.querySelector('#opcodes table').tHead.rows[0].cells.length")
    page.click("#opcodes details input:not(:checked)")
    expect(page.evaluate("document.querySelector('#opcodes table').tHead.rows[0].cells.length") == before + 1, "a chosen column does not show")
    page.press("Escape")
    expect(not page.evaluate("document.querySelector('#opcodes details').open"), "Escape does not close the columns")


def explains(page):
    page.evaluate("document.querySelector('.figures > div').focus()")
    page.press("Tab")
    tip = page.evaluate("document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText")
    expect(re.search(r"exact|measured|model", tip), f"a figure in focus is not explained: '{tip}'")
    expect(page.evaluate("!!document.querySelector('#tip code')"), "the tip has no formula")
    expect(page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "tip", "the tip does not describe what is in focus")
    page.evaluate("scrollBy(0, 5)")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(not page.evaluate("document.getElementById('tip').hidden"), "the tip of what is in focus goes away when the page scrolls")
    page.press("Escape")
    expect(page.evaluate("document.getElementById('tip').hidden"), "Escape does not hide the tip")
    kinds = page.evaluate("[...new Set([...document.querySelectorAll('.kind')].map((one) => one.textContent))]")
    expect({"exact", "measured"} <= set(kinds), f"the kinds of figures that show are {kinds}")


def themes(page):
    background = "getComputedStyle(document.body).backgroundColor"

    def system_is(scheme):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    light = page.evaluate(background)
    page.click("#theme input[value=dark] + span")
    expect(page.becomes(f"{background} !== '{light}'"), "the dark theme is as light as the other")
    dark = page.evaluate(background)
    page.click("#theme input[value=auto] + span")
    expect(page.becomes(f"{background} === '{light}'"), "auto is not what the system has")
    system_is("dark")
    expect(page.becomes(f"{background} === '{dark}'"), "auto does not follow the system")
    system_is("light")
    expect(page.becomes(f"{background} === '{light}'"), "auto does not follow the system back")


def zooms(page):
    bars = "document.querySelectorAll('.flame button').length"
    whole = page.evaluate(bars)
    page.click(".flame button:nth-child(3)")
    expect("Shown:" in page.evaluate("document.querySelector('.trail').textContent"), "the flame graph does not zoom")
    page.press("Escape")
    expect(page.evaluate(bars) == whole, "Escape does not show all of the flame graph")
    page.press("ArrowDown")
    page.press("ArrowDown")
    expect(page.evaluate("document.activeElement.ariaLabel").startswith("line "), "arrows do not walk the flame graph")
    page.evaluate("document.querySelector('svg.lanes').focus()")
    before = page.evaluate("document.querySelectorAll('svg.lanes .block').length")
    for _ in range(6):
        page.press("+")
    expect(page.evaluate("document.querySelectorAll('svg.lanes .block').length") < before, "plus does not zoom the timeline")
    page.press("0")
    expect(page.evaluate("document.querySelectorAll('svg.lanes .block').length") == before, "0 does not show all of the timeline")
    expect(before > 1, "the timeline has no blocks")


def fits(chrome, path, widths=(360, 500, 768, 1440)):
    """Phones, tablets and screens, light and dark: text can be read, and what is cut off says so."""
    for width in widths:
        for scheme in ("light", "dark"):
            page = chrome.page(width, 900, scheme)
            opens(page, path)
            page.evaluate("new Promise((done) => setTimeout(done, 100))")
            small = page.evaluate("""[...document.querySelectorAll("svg text")].filter((one) =>
                one.getBoundingClientRect().width > 0 && parseFloat(getComputedStyle(one).fontSize) * one.ownerSVGElement.getBoundingClientRect().width
                / one.ownerSVGElement.viewBox.baseVal.width < 10).map((one) => one.textContent)""")
            expect(not small, f"{width} pixels: text of less than 10 pixels: {small}")
            unsaid = page.evaluate("""[...document.querySelectorAll(".scroll, .listing")].filter((one) =>
                (one.scrollWidth > one.clientWidth + 1) !== one.parentElement.dataset.more.includes("right")
                || (one.scrollHeight > one.clientHeight + 1) !== one.parentElement.dataset.more.includes("below")).map((one) => one.ariaLabel)""")
            expect(not unsaid, f"{width} pixels: cut off without a sign: {unsaid}")
            loose = page.evaluate("""[...document.querySelectorAll("table")].filter((one) => !one.closest(".scroll, .listing")
                || getComputedStyle(one.closest(".scroll, .listing")).overflowX === "visible").length""")
            expect(loose == 0, f"{width} pixels: {loose} tables cannot be scrolled")
            beyond = page.evaluate("""[...document.querySelectorAll("svg.lanes text, .chart svg text, .within, .hints span")].filter((one) => {
                const own = one.getBoundingClientRect(), cell = (one.closest("td, dd, svg, li") ?? document.body).getBoundingClientRect();
                return own.width > 0 && (own.left < cell.left - 1 || own.right > cell.right + 1); }).map((one) => one.textContent)""")
            expect(not beyond, f"{width} pixels: text is cut off: {beyond}")
            crowded = page.evaluate("""[...document.querySelectorAll(".chart svg")].flatMap((svg) => {
                const figures = [...svg.querySelectorAll("text")].filter((one) => /^[0-9.e-]+$/.test(one.textContent)).map((one) => [one, one.getBoundingClientRect()]);
                return figures.filter(([one, at], index) => figures.slice(0, index).some(([, other]) => at.left < other.right && other.left < at.right
                    && at.top < other.bottom - 2 && other.top < at.bottom - 2)).map(([one]) => one.textContent); })""")
            expect(not crowded, f"{width} pixels: figures stand on others: {crowded}")
            over = page.evaluate("""[...document.querySelectorAll("td.heat")].filter((one) => {
                const bar = parseFloat(getComputedStyle(one).backgroundSize), text = document.createRange();
                text.selectNodeContents(one);
                return one.getBoundingClientRect().width > 0 && text.getBoundingClientRect().left < one.getBoundingClientRect().left + bar; }).length""")
            expect(over == 0, f"{width} pixels: {over} bars stand behind numbers")


def of_speed(path, arithmetic, memory):
    """The report at `path` as another machine makes it: the host's peaks are so many times those of this one."""
    kept = path.read_text()
    place = re.search(r'(<script type="application/json" id="document" data-encoding="gzip">)([^<]*)', kept)
    document = json.loads(gzip.decompress(base64.b64decode(place[2])))
    host = document["host"]
    for part in host["f32_flops"]:
        host["f32_flops"][part] *= arithmetic
    for ways in host["memory"].values():
        for parts in ways.values():
            for part in parts:
                parts[part] *= memory
    other = path.with_name(f"{path.stem}_{arithmetic}_{memory}.html")
    other.write_text(kept[:place.start(2)] + base64.b64encode(gzip.compress(json.dumps(document).encode())).decode() + kept[place.end(2):])
    return other


def tells_shares(page):
    """A share is written as one in its tip, too."""
    page.evaluate("[...document.querySelectorAll('.figures > div')].find((one) => one.innerText.startsWith('active share')).focus()")
    page.press("Shift")
    page.press("ArrowLeft")
    text = page.evaluate("(() => { const one = [...document.querySelectorAll('.figures > div')].find((one) => one.innerText.startsWith('active share'));"
                         " const at = one.getBoundingClientRect(); return [at.x + 5, at.y + 5]; })()")
    page.move(*text)
    expect(page.becomes("/\\d %/.test(document.querySelector('#tip p')?.textContent)"), "the tip of a share is no share")
    page.press("Escape")


def launches(page):
    rows = page.evaluate("[...document.querySelectorAll('#launches tbody tr')].map((row) => row.cells[1].textContent)")
    expect(rows == ["double"] * 3 + ["add_parts", "add_all"], f"the launches are {rows}")


def finds_blocks(page):
    """However far one zooms, there is a block to see."""
    page.evaluate("document.querySelector('svg.lanes').focus()")
    for _ in range(12):
        page.press("+")
        expect(page.evaluate("document.querySelectorAll('svg.lanes .block').length") > 0, "plus zooms to where no block is")
    page.press("0")


def links(page):
    page.click("#lines td a")
    expect(page.becomes("document.querySelector('tr.target')?.id === location.hash.slice(1)"), "a line is not marked in the source")


def prints(page):
    page.call("Emulation.setEmulatedMedia", media="print")
    page.call("Emulation.setDeviceMetricsOverride", width=720, height=1000, deviceScaleFactor=1, mobile=False)
    hidden = page.evaluate("['#contents', '#theme', '#opcodes .tools'].filter((one) => getComputedStyle(document.querySelector(one)).display !== 'none')")
    expect(not hidden, f"on paper there is {hidden} to press")
    cut = page.evaluate("[...document.querySelectorAll('.scroll, .listing')].filter((one) => one.scrollHeight > one.clientHeight + 2 && getComputedStyle(one).overflow !== 'visible').length")
    expect(cut == 0, f"{cut} tables are cut off on paper")
    expect(page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "paper is not white")
    data = page.pdf()
    expect(data.startswith(b"%PDF-") and len(re.findall(rb"/Type\s*/Page\b", data)) >= 2, "printing gives no pages")
    if PICTURES:
        pathlib.Path(PICTURES, "report.pdf").write_bytes(data)
    page.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "light"}])
    page.call("Emulation.setDeviceMetricsOverride", width=1360, height=900, deviceScaleFactor=1, mobile=False)


def pictures(chrome, path):
    for scheme in ("light", "dark"):
        page = chrome.page(1360, 900, scheme)
        page.open(path)
        page.screenshot(pathlib.Path(PICTURES, f"{path.stem}-{scheme}.png"), whole=True)


def large(work):
    """A kernel of 1,000 lines."""
    program = work / "large.yaml"
    body = "\n".join(f"      {('add.u32 r1, r1, 3', 'mul.u32 r2, r1, r1', 'ldg.u32 r3, [$x + r0*4]', 'xor.u32 r1, r3, r2')[i % 4]}" for i in range(997))
    program.write_text("program: large # </script><b>\nbuffers: [{name: x, type: u32, count: 1024}]\nkernels:\n  - name: large\n    code: |\n"
                       f"      mov.u32 r0, %tid.x\n{body}\n      stg.u32 [$x + r0*4], r1\n      exit\nrun: [{{kernel: large, grid: [4], block: [256]}}]\n")
    path = report(program, work / "large.html")
    expect(path.stat().st_size < LARGEST, f"the report of 1,000 lines has {path.stat().st_size} bytes")
    return path


def stopped(work):
    """A program that stores where there is no buffer."""
    program, path = work / "faulty.yaml", work / "faulty.html"
    program.write_text("program: faulty\nbuffers: [{name: x, type: u32, count: 16}]\nkernels:\n  - name: faulty\n    code: |\n"
                       "      mov.u32 r0, %tid.x\n      stg.u32 [$x + r0*4], r0\n      exit\n"
                       "run: [{kernel: faulty, grid: [1], block: [64]}]\n")
    result = run(HEXEC, "profile", program, "--quiet", "--runs", "1", "--report", path, check=False)
    expect(result.returncode == 3, f"the program does not fault: {result.returncode}")
    return path


def main():
    if not browser.find():
        skip("no browser is installed (Debian: chromium)")
    with folder() as work, browser.Browser() as chrome:
        page = chrome.page(1360, 900)
        for program in sorted((ROOT / "programs").glob("*.yaml")):
            opens(page, report(program, work / f"{program.stem}.html"))
        opens(page, stopped(work))
        expect("stopped by a fault" in page.evaluate("document.getElementById('summary').innerText"), "nothing says that the program was stopped")
        opens(page, large(work))
        expect(page.evaluate("document.querySelectorAll('#source tr[id]').length") == 1000, "not every line of a large kernel shows")
        opens(page, work / "multi_kernel.html")
        other = page.evaluate("(() => { const s = document.getElementById('kernel'); s.selectedIndex = s.selectedIndex ? 0 : 1; s.dispatchEvent(new Event('change')); return s.selectedOptions[0].text; })()")
        expect(f"Kernel {other}:" in page.evaluate("document.getElementById('summary').innerText"), "another kernel does not show")
        launches(page)
        finds_blocks(page)
        opens(page, work / "reduce_sum.html", VIEWS)
        for check in (sorts, explains, tells_shares, themes, zooms, finds_blocks, links, prints):
            check(page)
        is_clean(page, work / "reduce_sum.html")
        # a new page is in front of the others, which then draw no frames: this is behind what waits for a frame
        fits(chrome, work / "multi_kernel.html")
        roofline = report(ROOT / "programs" / "matmul_tiled.yaml", work / "roofline.html", "--roofline")
        fits(chrome, roofline)
        for arithmetic, memory in ((1, 1e-2), (1e-3, 1), (1e3, 1), (1, 1e3)):
            fits(chrome, of_speed(roofline, arithmetic, memory), (360,))
        broken = work / "broken.html"
        broken.write_text((work / "reduce_sum.html").read_text().replace('"kernels":', '"kernel":', 1))
        try:
            chrome.page(800, 600).open(broken)
        except RuntimeError:
            pass
        else:
            expect(False, "a document without kernels is not noticed")
        if PICTURES:
            pictures(chrome, work / "reduce_sum.html")


main()
