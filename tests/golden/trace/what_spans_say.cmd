hexec one.yaml -q --trace=chrome:run.json
python3 -c '
import json
document = json.load(open("run.json"))
for event in document["traceEvents"]:
    if event["ph"] == "X" and (event["name"].startswith("launch") or "source" in event["args"]):
        args = event["args"]
        print(event["name"], args.get("kernel.name"), args.get("type"), args.get("line"), args.get("source"))
about = document["otherData"]
whole = [event["args"]["tracing_share"] for event in document["traceEvents"] if event["name"] == "cpu_execute_program"]
print(len(whole), 0 < about["tracing_share"] < 1, abs(about["tracing_share"] - whole[0]) < 0.01)'
# what is shorter than a quarter of an hour is not in the file, and the frame of the rest is
HEXEC_PERF_THRESHOLD_US=1e9 hexec one.yaml -q --trace=chrome:run.json
python3 -c '
import json
print(sorted({event["name"] for event in json.load(open("run.json"))["traceEvents"] if event.get("cat") == "hexec::performance"}))'
