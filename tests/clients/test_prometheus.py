#!/usr/bin/env python3
"""promtool finds nothing to say about --metrics=prometheus:FILE, and a real Prometheus scrapes it and the OpenMetrics form;
what it then answers are the figures of the file."""
import json
import re
import subprocess
import time
import urllib.parse
import urllib.request

from clients import HEXEC, Handler, expect, folder, must_refuse, run, server, tool

promtool = tool("promtool", "prometheus")
prometheus = tool("prometheus", "prometheus")
TYPES = {"/prom": "text/plain; version=0.0.4; charset=utf-8",
         "/open": "application/openmetrics-text; version=1.0.0; charset=utf-8", "/broken": "text/plain; version=0.0.4"}


def query(address, expression):
    with urllib.request.urlopen(f"{address}/api/v1/query?query={urllib.parse.quote(expression)}", timeout=10) as answer:
        return {item["metric"].get("job"): float(item["value"][1]) for item in json.load(answer)["data"]["result"]}


def free_port():
    with server(Handler) as address:
        return int(address.rpartition(":")[2])


def wait_for(address, ready):
    for _ in range(240):
        time.sleep(0.25)
        try:
            if ready(query(address, "up")):
                return query(address, "up")
        except OSError:
            pass
    raise SystemExit("Prometheus did not scrape within a minute")


with folder() as work:
    files = {"/prom": work / "hexec.prom", "/open": work / "hexec.txt", "/broken": work / "broken.prom"}
    run(HEXEC, "run", "programs/multi_kernel.yaml", "--quiet", f"--metrics=prometheus:{files['/prom']}",
        f"--metrics=openmetrics:{files['/open']}")
    text = files["/prom"].read_text()
    for name in ("prom", "open"):
        expect(not list(work.glob(f"*{name}*.tmp*")), "a temporary file is left")
    checked = run(promtool, "check", "metrics", input=text)
    expect(not checked.stdout.strip() and not checked.stderr.strip(), checked.stdout + checked.stderr)
    must_refuse("a counter without _total and HELP", promtool, "check", "metrics",
                input="# TYPE hexec_things counter\nhexec_things 1\n")
    files["/broken"].write_text(text.replace('"} ', '" '))
    must_refuse("a label that is not closed", promtool, "check", "metrics", input=files["/broken"].read_text())
    expect(files["/open"].read_text().endswith("\n# EOF\n"), "OpenMetrics ends with # EOF")

    class Targets(Handler):
        def do_GET(self):
            path = self.path.split("?")[0]
            self.send_response(200)
            self.send_header("Content-Type", TYPES[path])
            self.end_headers()
            self.wfile.write(files[path].read_bytes())

    with server(Targets) as targets:
        config = work / "prometheus.yml"
        jobs = "".join(f"  - job_name: {path[1:]}\n    metrics_path: {path}\n    static_configs:\n"
                       f"      - targets: ['{targets.removeprefix('http://')}']\n" for path in files)
        config.write_text(f"global: {{scrape_interval: 1s, scrape_timeout: 1s}}\nscrape_configs:\n{jobs}")
        port = free_port()
        with open(work / "prometheus.log", "w", encoding="utf-8") as log:
            process = subprocess.Popen([prometheus, f"--config.file={config}", f"--storage.tsdb.path={work / 'data'}",
                                        f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            up = wait_for(address, lambda up: len(up) == 3 and up.get("prom") == 1 and up.get("open") == 1)
            expect(up["broken"] == 0, "Prometheus accepts a label that is not closed")
            for metric in ("hexec_warp_instructions_total", "hexec_thread_instructions_total", "hexec_loaded_bytes_total"):
                written = sum(int(value) for value in re.findall(rf"^{metric}{{.*}} (\d+)$", text, re.MULTILINE))
                scraped = query(address, f"sum by (job) ({metric})")
                expect(written > 0 and scraped == {"prom": written, "open": written}, f"{metric}: {scraped}, written {written}")
        finally:
            process.terminate()
            process.wait(timeout=60)
