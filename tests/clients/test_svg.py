#!/usr/bin/env python3
"""The SVG flame graph in a browser: it is well-formed, reads without its script, and zooms and searches with it."""
from clients import HEXEC, chromium, expect, folder, node, npm, run

npm()
browser = chromium()
with folder() as work:
    good, broken = work / "call_ret.svg", work / "broken.svg"
    run(HEXEC, "run", "programs/call_ret.yaml", "--quiet", f"--flamegraph=lanes:{good}")
    node("svg.js", browser, good.as_uri())
    broken.write_text(good.read_text().replace("</title>", "", 1))
    expect(node("svg.js", browser, broken.as_uri(), check=False).returncode != 0, "a browser accepts a tag that is not closed")
