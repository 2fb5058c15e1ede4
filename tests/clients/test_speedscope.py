#!/usr/bin/env python3
"""speedscope's own JSON schema accepts --flamegraph=FILE.speedscope.json, and speedscope opens it, and the folded stacks, in
a browser."""
import json

from clients import HEXEC, chromium, expect, files_of, folder, node, npm, run, server

modules = npm()
browser = chromium()
schema = modules / "speedscope/dist/release/file-format-schema.json"
with folder() as work:
    good, folded, broken = work / "matmul.speedscope.json", work / "matmul.folded", work / "broken.speedscope.json"
    run(HEXEC, "run", "programs/matmul_tiled.yaml", "--quiet", f"--flamegraph={good}", f"--flamegraph=lanes:{folded}")
    node("schema.js", schema, good)
    document = json.loads(good.read_text())
    expect(document["profiles"][0]["name"].startswith("time"), "time is not the first profile")
    del document["profiles"][0]["weights"]
    broken.write_text(json.dumps(document))
    expect(node("schema.js", schema, broken, check=False).returncode != 0, "the schema accepts a profile without weights")
    with server(files_of(("app", modules / "speedscope/dist/release"), ("data", work))) as address:
        node("speedscope.js", browser, f"{address}/app/index.html#profileURL=/data/{good.name}", "matmul_tiled")
        node("speedscope.js", browser, f"{address}/app/index.html#profileURL=/data/{folded.name}", "matmul.folded")
        refused = node("speedscope.js", browser, f"{address}/app/index.html#profileURL=/data/{broken.name}", "matmul_tiled",
                       check=False)
        expect(refused.returncode != 0, "speedscope opens a profile without weights")
