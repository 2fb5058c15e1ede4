#!/usr/bin/env python3
"""The Firefox Profiler's command line, the engine of Chrome's developer tools, speedscope and jq read what hexec writes, and
count what hexec counted; each refuses, or shows to be broken, what is."""
import contextlib
import json
import os
import re
import time

from clients import HEXEC, chromium, expect, files_of, folder, node, npm, run, server, tool
import traces


@contextlib.contextmanager
def profiler(path, work):
    """The profiler's daemon with a profile; asks it. It is slow to start on a busy machine."""
    program = npm() / "@firefox-devtools/profiler-cli/dist/profiler-cli.js"
    variables = {**os.environ, "PROFILER_CLI_SESSION_DIR": str(work / "sessions")}

    def ask(*words, check=True):
        return run("node", program, *words, check=check, env=variables)

    for _ in range(20):
        result = ask("load", path, check=False)
        late = re.search(r"running as pid (\d+)", result.stdout + result.stderr)
        if result.returncode == 0 or not late:
            break
        os.kill(int(late[1]), 15)
        time.sleep(1)
    try:
        yield result, ask
    finally:
        ask("stop", "--all", check=False)


def check_firefox(work, path, document):
    with profiler(path, work) as (result, ask):
        expect(result.returncode == 0, f"the profile is not loaded: {result.stdout}{result.stderr}")
        threads = ask("thread", "list").stdout
        expect(re.search(r"t-\d+ +main ", threads) and re.search(r"t-\d+ +worker 0 ", threads), f"threads: {threads}")
        handle = re.search(r"(t-\d+) +worker 0 ", threads)[1]
        markers = ask("thread", "markers", "--thread", handle).stdout
        for name in ("cpu_ldg", "cpu_setp"):
            count = traces.totals(document)[name]["count"]
            expect(re.search(rf"{name} +{count} markers", markers), f"not {count} of {name}: {markers}")
        tree = ask("thread", "samples-top-down", "--thread", handle).stdout
        expect(re.search(r"double.*\n.*block.*\n.*gang.*\n.*cpu_", tree), f"call tree: {tree}")
    profile = json.loads(path.read_text())
    expect(profile["meta"]["preprocessedProfileVersion"] == 46, "another version")
    names = {name: sum(thread["markers"]["name"].count(thread["stringArray"].index(name)) for thread in profile["threads"]
                       if name in thread["stringArray"]) for name in traces.totals(document)}
    for name, total in traces.totals(document).items():
        traces.check_same(name, names[name], total["count"])
    del profile["threads"][0]["stackTable"]
    broken = work / "broken.firefox.json"
    broken.write_text(json.dumps(profile))
    with profiler(broken, work) as (result, _):
        expect(result.returncode != 0, "the profiler loads a profile without stacks")


def check_devtools(work, path, document):
    threads = json.loads(node("trace_engine.mjs", path).stdout)
    entries = sum(thread["entries"] for thread in threads.values())
    traces.check_same("entries", entries, len(traces.spans(document)))
    traces.check_same("nesting", (threads["main"]["depth"], threads["worker 0"]["depth"]), (3, 4))
    broken = work / "broken.json"
    for event in traces.spans(document):
        del event["dur"]
    broken.write_text(json.dumps(document))
    refused = node("trace_engine.mjs", broken, check=False)
    expect(refused.returncode != 0 or json.loads(refused.stdout) != threads, "spans without durations are the same to the engine")


def check_speedscope(work, path):
    browser, app = chromium(), npm() / "speedscope/dist/release"
    broken = work / "cut.json"
    broken.write_text(path.read_text()[:-100])
    with server(files_of(("app", app), ("data", work))) as address:
        node("speedscope.js", browser, f"{address}/app/index.html#profileURL=/data/{path.name}", path.name)
        refused = node("speedscope.js", browser, f"{address}/app/index.html#profileURL=/data/{broken.name}", broken.name, check=False)
        expect(refused.returncode != 0, "speedscope opens half a trace")


def check_log(work):
    jq, log = tool("jq", "jq"), work / "log.jsonl"
    run(HEXEC, traces.PROGRAM, "--quiet", f"--log-file={log}", env={
        **os.environ, "HEXEC_TRACING_PROFILE": "performance", "HEXEC_LOG": "debug"})
    lines = len(log.read_text().splitlines())
    good = ".timestamp and .level and .target and .fields.event"
    traces.check_same("lines", run(jq, "-c", good, log).stdout, "true\n" * lines)
    for event in ("allocation", "transfer", "execution", "throughput", "performance_span_complete"):
        expect(run(jq, "-c", f'select(.fields.event == "{event}")', log).stdout, f"no record '{event}'")
    expect(run(jq, "-c", good, check=False, input='{"timestamp":"x","level":\n').returncode != 0, "jq takes half a line")


npm()
with folder() as work:
    files, document = traces.write(work, "--workers=1")
    check_log(work)
    check_firefox(work, files["firefox"], document)
    check_speedscope(work, files["chrome"])
    check_devtools(work, files["chrome"], document)
