#!/usr/bin/env python3
"""The page of findings in a browser: it opens without a complaint and fetches nothing, in both colours and down to 360 pixels;
each finding has its places with the lines as they are written; a page that lacks one is noticed.

HEXEC_SCREENSHOTS=FOLDER keeps pictures of it."""
import os
import pathlib

import browser
from clients import HEXEC, ROOT, expect, folder, run, skip

PICTURES = os.environ.get("HEXEC_SCREENSHOTS")
HERE = ROOT / "tests" / "golden" / "run"
SIZES = [(1360, 900, "light"), (1360, 900, "dark"), (360, 800, "light")]


def make(work):
    """Two findings that count and two that are suppressed; a line has what HTML would take for its own."""
    program, path = work / "known.yaml", work / "known.html"
    text = (HERE / "check_known.yaml").read_text()
    program.write_text(text.replace("# all store the same value", '# <b>all</b> & "same" </script>'))
    known = work / "list.yaml"
    known.write_text((HERE / "check_known_list.yaml").read_text().replace("file: check_known.yaml", "file: known.yaml").replace("kernel: known", 'kernel: "*"'))
    done = run(HEXEC, "run", program, "--check", "memory,race", "--quiet", "--suppressions", known, "--report", path, check=False)
    expect(done.returncode == 1 and path.is_file(), f"no page: exit code {done.returncode}, {done.stderr}")
    return path


def problems(page):
    """What is wrong with the page that is open."""
    found = [f"the console says {one}" for one in page.errors]
    if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
        found.append(f"wider than its window: {page.evaluate('document.documentElement.scrollWidth')}")
    rows = page.evaluate("[...document.querySelectorAll('tbody')].map((one) => one.rows.length)")
    if rows != [1, 2]:
        found.append(f"rows of findings and of suppressed ones: {rows}")
    lines = page.evaluate("[...document.querySelectorAll('pre')].map((one) => one.innerText)")
    if len(lines) != 4 or sum('# <b>all</b> & "same" </script>' in one for one in lines) != 2:
        found.append(f"lines: {lines}")
    if "stg.u32      [$found], r3" not in page.evaluate("[...document.querySelectorAll('mark')].map((one) => one.innerText)"):
        found.append("no place is marked")
    if page.evaluate("document.querySelector('h1').innerText") != "known":
        found.append("the program has another name")
    return found


def make_profile(work):
    """The page of a profile with findings: the lines of a race, which a run that is not checked survives."""
    program, path = work / "race.yaml", work / "profile.html"
    program.write_text((ROOT / "tests" / "check" / "race" / "write_write.yaml").read_text())
    done = run(HEXEC, "profile", program, "--check", "race", "--quiet", "--report", path, check=False)
    expect(path.is_file(), f"no page: exit code {done.returncode}, {done.stderr}")
    return path


def profile_problems(page):
    found = [f"the console says {one}" for one in page.errors]
    rows = page.evaluate("document.querySelectorAll('#findings tbody tr').length")
    lines = page.evaluate("[...document.querySelectorAll('#source tr.finding')].map((one) => one.innerText)")
    if rows < 1 or len(lines) < 2 or not any("race." in one for one in lines):
        found.append(f"{rows} findings; in the source {lines}")
    if "found" not in page.evaluate("document.querySelector('#findings .found')?.className ?? ''"):
        found.append("no kind is named")
    return found


def make_decisions(work):
    """The page of a profile with two decisions by results that a GPU may give otherwise."""
    program, path = work / "decides.yaml", work / "decides.html"
    program.write_text((ROOT / "tests" / "check" / "fidelity" / "guard_diverged.yaml").read_text())
    run(HEXEC, "profile", program, "--check", "init", "--quiet", "--report", path)
    return path


def decision_problems(page):
    found = [f"the console says {one}" for one in page.errors]
    rows = page.evaluate("[...document.querySelectorAll('#fidelity tbody')].map((one) => [...one.rows].map((row) => row.innerText))")
    if len(rows) != 2 or len(rows[1]) != 2 or not all("branch" in one and "approx.f32" in one for one in rows[1]):
        found.append(f"decisions: {rows}")
    return found


def main():
    if not browser.find():
        skip("no browser is installed (Debian: chromium)")
    with folder() as work, browser.Browser() as chrome:
        path = make(work)
        for width, height, scheme in SIZES:
            page = chrome.page(width, height, scheme)
            page.open(path)
            expect(not problems(page), f"{width} pixels, {scheme}: {'; '.join(problems(page))}")
            fetched = [url for url in page.requests if url != path.as_uri() and not url.startswith("data:")]
            expect(not fetched, f"fetches {fetched}")
            expect(page.evaluate("document.documentElement.dataset.theme") == scheme, f"the colours are not those of the system, {scheme}")
            if PICTURES:
                page.screenshot(pathlib.Path(PICTURES) / f"findings-{scheme}-{width}.png")
        path = make_profile(work)
        for width, height, scheme in SIZES:
            page = chrome.page(width, height, scheme)
            page.open(path)
            expect(not profile_problems(page), f"profile, {width} pixels, {scheme}: {'; '.join(profile_problems(page))}")
            if PICTURES:
                page.screenshot(pathlib.Path(PICTURES) / f"findings-profile-{scheme}-{width}.png")
        broken = work / "broken.html"
        broken.write_text(path.read_text().replace("tr.finding", "tr.missing").replace("class: `finding ", "class: `missing "))
        page = chrome.page(800, 600)
        page.open(broken)
        expect(profile_problems(page), "a profile whose source lacks its findings is not noticed")
        page = chrome.page(1360, 900)
        page.open(make_decisions(work))
        expect(not decision_problems(page), "; ".join(decision_problems(page)))
        path = make(work)
        broken = work / "broken.html"
        broken.write_text(path.read_text().replace("<pre", "<div", 1).replace("</pre>", "</div>", 1))
        page = chrome.page(800, 600)
        page.open(broken)
        expect(problems(page), "a page that lacks a line is not noticed")


main()
