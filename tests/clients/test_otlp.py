#!/usr/bin/env python3
"""OpenTelemetry's own messages decode what --otlp writes, to the last value; a receiver gets the same over HTTP; and one that
is down, slow, busy or broken leaves the run as it was, with a warning that says why."""
import json
import os
import time

from clients import HEXEC, Handler, expect, folder, node, npm, run, server

npm()
QUIET = ("run", "programs/matmul_tiled.yaml", "--quiet")
requests = []


def values(attributes):
    return {one["key"]: next(iter(one["value"].values())) for one in attributes}


def points(decoded):
    """name -> sum over the points of a metric"""
    return {metric["name"]: sum(int(point["asInt"]) for point in metric["sum"]["dataPoints"])
            for request in decoded for resource in request["resourceMetrics"] for scope in resource["scopeMetrics"]
            for metric in scope["metrics"]}


def receiver(answer, wait=0.0, headers=(), body=b"{}"):
    class Receiver(Handler):
        def do_POST(self):
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            requests.append((self.path, dict(self.headers), sent))
            time.sleep(wait)
            try:
                self.send_response(answer)
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body(self.path) if callable(body) else body)
            except OSError: # hexec did not wait for it
                pass

    return Receiver


def run_against(url, **variables):
    requests.clear()
    began = time.monotonic()
    result = run(HEXEC, *QUIET, f"--otlp={url}", env={**os.environ, **variables}, check=False)
    expect(result.returncode == 0 and not result.stdout, f"{result.returncode}: {result.stdout}{result.stderr}")
    return result.stderr, time.monotonic() - began


def of_signal(signal):
    return [(headers, body) for path, headers, body in requests if path == f"/v1/{signal}"]


def check_metrics(path, work):
    decoded = json.loads(node("otlp.js", "metrics", path).stdout)
    sums = points(decoded)
    counted = json.loads(run(HEXEC, "run", "programs/matmul_tiled.yaml", "--json").stdout)
    expect(sums["hexec.thread.instructions"] == counted["thread_instructions"], f"{sums}")
    expect(sums["hexec.loaded"] == sum(counted["loaded_bytes"].values()), f"{sums}")
    resource = values(decoded[0]["resourceMetrics"][0]["resource"]["attributes"])
    expect(resource["service.name"] == "gpu tests" and resource["team"] == "a,b", f"{resource}")
    broken = work / "broken.jsonl"
    for what, changed in {"a number where a string is wanted": ('"asInt":"', '"asInt":1,"x":"'),
                          "a key that there is not": ('"dataPoints"', '"dataPoint"')}.items():
        broken.write_text(path.read_text().replace(*changed))
        expect(node("otlp.js", "metrics", broken, check=False).returncode != 0, f"accepted: {what}")


def check_traces(work):
    """The process is a span below that of TRACEPARENT; what it did is below that; ids are of this trace and differ."""
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    run(HEXEC, "run", "programs/multi_kernel.yaml", "--quiet", f"--otlp={work}/spans.jsonl",
        env={**os.environ, "TRACEPARENT": f"00-{trace}-{parent}-01"})
    decoded = json.loads(node("otlp.js", "traces", work / "spans.traces.jsonl").stdout)
    spans = [span for request in decoded for resource in request["resourceSpans"] for scope in resource["scopeSpans"]
             for span in scope["spans"]]
    root = [span for span in spans if span["parentSpanId"] == parent]
    expect(len(root) == 1 and root[0]["name"] == "hexec multi_kernel", f"{root}")
    expect({span["traceId"] for span in spans} == {trace}, "spans of another trace")
    ids = {span["spanId"] for span in spans}
    expect(len(ids) == len(spans), "two spans have one id")
    expect(all(span["parentSpanId"] in ids for span in spans if span is not root[0]), "a span below none")
    launches = [values(span["attributes"])["kernel.name"] for span in spans if span["name"] == "launch"]
    expect(launches == ["double"] * 3 + ["add_parts", "add_all"], f"{launches}")
    events = [event["name"] for span in spans if span["name"] == "launch" for event in span["events"]]
    expect(events.count("execution") == 5, f"{events}")
    for span in spans:
        expect(int(root[0]["startTimeUnixNano"]) <= int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
               <= int(root[0]["endTimeUnixNano"]), f"{span['name']} is not within the process")
    broken = work / "broken.traces.jsonl"
    broken.write_text((work / "spans.traces.jsonl").read_text().replace(f'"{trace}"', f'"{trace[:-1]}"', 1))
    expect(node("otlp.js", "traces", broken, check=False).returncode != 0, "accepted: an id that is too short")
    # spans of instructions, on request, as many as were issued
    run(HEXEC, "run", "programs/saxpy.yaml", "--quiet", f"--trace=otlp:{work}/all.jsonl")
    decoded = json.loads(node("otlp.js", "traces", work / "all.traces.jsonl").stdout)
    issues = [span for request in decoded for resource in request["resourceSpans"] for scope in resource["scopeSpans"]
              for span in scope["spans"] if span["name"] == "cpu_ldg"]
    expect(sum(int(values(span["attributes"])["bytes"]) for span in issues) == 8000, f"{len(issues)} loads")


with folder() as work:
    check_traces(work)
    run(HEXEC, *QUIET, f"--otlp={work}/run.jsonl",
        env={**os.environ, "OTEL_SERVICE_NAME": "gpu tests", "OTEL_RESOURCE_ATTRIBUTES": "team=a%2Cb,service.name=other"})
    check_metrics(work / "run.metrics.jsonl", work)

    with server(receiver(200)) as url:
        said, _ = run_against("env", OTEL_EXPORTER_OTLP_ENDPOINT=url, OTEL_EXPORTER_OTLP_HEADERS="x-key=a%20b,x-other=1")
        expect(said == "", said)
        (headers, body), = of_signal("metrics")
        expect(headers["Content-Type"] == "application/json" and headers["x-key"] == "a b" and headers["x-other"] == "1", headers)
        sent = work / "sent.jsonl"
        sent.write_bytes(body)
        (headers, body), = of_signal("traces")
        expect(headers["Content-Type"] == "application/json" and b'"name":"launch"' in body, headers)
        expect(points(json.loads(node("otlp.js", "metrics", sent).stdout))["hexec.thread.instructions"] > 0, "nothing was sent")

    # taken, but not all of it: reported once for each signal, and not sent again; success is not reported
    def partly(path):
        name = "rejectedSpans" if path == "/v1/traces" else "rejectedDataPoints"
        return json.dumps({"partialSuccess": {name: "3", "errorMessage": "older than \u00e4 \"day\""}}).encode()

    with server(receiver(200, body=partly)) as url:
        said, _ = run_against(url)
        expect(said.count("HX1982") == 2 and f'3 spans were rejected by {url}: older than ä "day"' in said, said)
        expect("3 points of metrics were rejected by" in said and len(requests) == 2, said)
    with server(receiver(200, body=b'{"partialSuccess":{"errorMessage":"use gzip"}}')) as url:
        said, _ = run_against(url)
        expect(said.count(f"were taken by {url}, which says: use gzip") == 2, said)
    for silent in (b"", b'{"partialSuccess":{}}', b'{"partialSuccess":{"rejectedSpans":"0"}}', b"\x0a\x02\x08\x03",
                   b'{"x":' + b"[" * 100000, b"\xff" * 300000, b'{"partialSuccess":{"rejectedSpans":"3"'):
        with server(receiver(200, body=silent)) as url:
            said, _ = run_against(url)
            expect(said == "", f"{silent[:40]}: {said}")

    with server(receiver(500)) as url:
        said, _ = run_against(url)
        expect(said.count("HX1982") == 2 and "it answered 500" in said and len(of_signal("metrics")) == 1, said)
        expect(len(of_signal("traces")) == 1 and " spans could not be sent" in said, said)
    with server(receiver(429)) as url: # tried three times, and not in a hurry
        said, took = run_against(url)
        expect("it answered 429" in said and len(of_signal("metrics")) == 3 and took > 0.25, f"{said} {took}")
    with server(receiver(503, headers=[("Retry-After", "60")])) as url: # longer than there is time
        said, took = run_against(url, OTEL_EXPORTER_OTLP_TIMEOUT="2000")
        expect("it answered 503" in said and len(of_signal("metrics")) == 1 and took < 30, f"{said} {took}")
    with server(receiver(200, wait=5.0)) as url:
        said, took = run_against(url, OTEL_EXPORTER_OTLP_TIMEOUT="300")
        expect("HX1982" in said and "imeout" in said and took < 5, f"{said} {took}")
    said, _ = run_against(url) # nobody listens there any more
    expect("HX1982" in said and "onnect" in said, said)
    said, _ = run_against("http://no such host/")
    expect("HX1982" in said, said)
