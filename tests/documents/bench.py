#!/usr/bin/env python3
"""usage: test_commands.py HEXEC

hexec bench prints what it says it does: the structure of its text, JSON, CSV and cost file, and numbers that fit
together. How long anything takes is not tested.
"""
import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

hexec = sys.argv[1]
problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


def run(*arguments, code=0):
    done = subprocess.run([hexec, "bench", *arguments], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"{arguments}: exit code {done.returncode}, {done.stderr}")
    check(code or not done.stderr, f"{arguments}: standard error has {done.stderr!r}")
    return done.stdout


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


POINT = {"variant", "threads", "lanes", "masked", "sectors", "conflicts", "runs", "ns", "low_ns", "high_ns", "unstable",
         "lanes_per_second"}
MODEL = ("issue_ns", "lane_ns", "masked_ns", "sector_ns", "conflict_ns")


def model_time(model, point):
    return (model["issue_ns"] + model["lane_ns"] * point["lanes"] + model["masked_ns"] * point["masked"] +
            model["sector_ns"] * point["sectors"] + model["conflict_ns"] * point["conflicts"])


def check_form(form):
    name, model = form["form"], form["model"]
    check(name.split(".")[0] in form["text"], f"{name}: {form['text']}")
    fitted = 0
    for point in form["points"]:
        check(POINT <= set(point) <= POINT | {"model_ns"}, f"{name}: {sorted(point)}")
        check(point["low_ns"] <= point["ns"] <= point["high_ns"], f"{name}: interval of {point}")
        check(point["lanes"] + point["masked"] <= point["threads"], f"{name}: more lanes than threads in {point}")
        if point["ns"] > 0:
            check(close(point["lanes_per_second"], point["lanes"] / point["ns"] * 1e9), f"{name}: rate of {point}")
        if "model_ns" in point:
            fitted += 1
            check(close(point["model_ns"], model_time(model, point)), f"{name}: model of {point}")
    check(model["samples"] == fitted, f"{name}: fitted to {model['samples']} of {fitted} points")
    check(all(model[key] >= 0 for key in MODEL) and model["r2"] <= 1, f"{name}: {model}")
    if fitted:
        worst = max(abs(p["model_ns"] - p["ns"]) / p["ns"] for p in form["points"] if "model_ns" in p)
        check(abs(worst - model["largest_error"]) <= 0.001 + 0.01 * worst, f"{name}: off by {worst}, {model}")


QUICK = ["isa", "--quick", "--runs", "1"]
with tempfile.TemporaryDirectory() as folder:
    costs = pathlib.Path(folder) / "costs.yaml"
    report = json.loads(run(*QUICK, "--filter", "ldg.f32", "--json", "--write-costs", str(costs)))
    check((report["benchmark"], report["isa"], len(report["forms"])) == ("isa", "hexec", 1), f"{report}")
    check(report["machine"]["cores"] >= 1 and report["machine"]["gang"] == 256, f"{report['machine']}")
    for form in report["forms"]:
        check_form(form)
    variants = {point["variant"] for point in report["forms"][0]["points"]}
    check(variants == {"block", "guard", "diverged", "same", "strided", "random", "broadcast"}, f"{variants}")
    written = costs.read_text(encoding="utf-8")
    line = next(line for line in written.splitlines() if '"ldg.f32"' in line)
    for key in MODEL:
        value = float(re.search(rf"\b{key}: ([^,}}]+)", line)[1])
        check(value == report["forms"][0]["model"][key], f"{key} is {value} in the cost file")

rows = list(csv.DictReader(io.StringIO(run(*QUICK, "--filter", "add.f32", "--csv"))))
check({row["form"] for row in rows} == {"add.f32"}, f"forms of the table: {rows}")
check({row["variant"] for row in rows} == {"block", "guard", "diverged", "same", "chain"}, f"{rows}")
for row in rows:
    check(float(row["low_ns"]) <= float(row["ns"]) <= float(row["high_ns"]), f"{row}")
    check(close(float(row["model_ns"]), model_time({key: float(row[key]) for key in MODEL},
                                                    {key: float(row[key]) for key in
                                                     ("lanes", "masked", "sectors", "conflicts")})), f"{row}")

for filters, words in ((["--filter", "add.f32"], ["add.f32: add.f32 r", "confl.", "cost: ", "1 form in"]),
                       (["--filter", "bar"], ["bar.sync", "chain", "forms in"]),
                       (["--filter", "trap"], ["its guard is false"])):
    text = run(*QUICK, *filters)
    check(all(len(line) <= 80 for line in text.splitlines()), f"a line of {filters} is too long:\n{text}")
    for word in words:
        check(word in text, f"{filters}: no {word!r} in:\n{text}")

host = json.loads(run("host", "--json"))
check(host["benchmark"] == "host" and host["machine"]["cpu_level"], f"{host}")
for rate in (host["f32_flops"], host["f64_flops"], *(host["memory"][level][way] for level in host["memory"]
                                                      for way in ("read", "write", "copy"))):
    check(rate["one"] > 0 and rate["all"] > 0, f"{rate}")
check(list(host["memory"])[0] == "L1" and list(host["memory"])[-1] == "DRAM", f"{list(host['memory'])}")

# What costs and peaks say of a program.
root = pathlib.Path(__file__).resolve().parents[2]
profile = subprocess.run([hexec, "profile", str(root / "programs/saxpy.yaml"), "--runs", "1", "--roofline", "--costs",
                          str(root / "tests/documents/costs.yaml")], capture_output=True, text=True, check=True)
check(re.search(r"^costs +predicted [\d.]+ \ws, measured [\d.]+ \ws, unexplained -?\d+ %$", profile.stdout, re.MULTILINE),
      f"no prediction in:\n{profile.stdout}")
check(re.search(r"without [\d]+ issues of forms that the file lacks, mad.u32 the first", profile.stdout),
      f"what the costs lack is not reported:\n{profile.stdout}")
check(re.search(r"roofline: [\d.e-]+ GFLOP/s are [\d.]+ % of [\d.]+, which (L1|L2|L3|DRAM) allows", profile.stdout),
      f"no roofline in:\n{profile.stdout}")
check("HX1933" in profile.stderr, f"costs of other code are not warned of:\n{profile.stderr}")

# The document has them too, and is as its schema says.
arguments = ["--roofline", "--costs", str(root / "tests/documents/costs.yaml")]
document = json.loads(subprocess.run([hexec, "profile", str(root / "programs/saxpy.yaml"), "--runs", "1", "--json",
                                      *arguments], capture_output=True, text=True, check=True).stdout)
prediction = document["prediction"]
check(close(prediction["ns"], sum(kernel["ns"] for kernel in prediction["kernels"])), f"{prediction}")
check(close(prediction["unexplained_share"], 1 - prediction["ns"] / prediction["measured_ns"]), f"{prediction}")
roofline = document["host"]["kernels"][0]
lowest = min(level["roof_flops_per_second"] for level in roofline["levels"])
check(roofline["roof_flops_per_second"] == min(lowest, document["host"]["f32_flops"]["all"]) or
      roofline["roof_flops_per_second"] == min(lowest, document["host"]["f32_flops"]["one"]), f"{roofline}")
check(roofline["levels"][0]["name"] == "L1" and roofline["bound"] in ("arithmetic", *(level["name"] for level in roofline["levels"])), f"{roofline}")
check(close(roofline["share_of_roof"], roofline["flops_per_second"] / roofline["roof_flops_per_second"]), f"{roofline}")
try:
    import jsonschema
except ImportError:
    print("# no jsonschema: the document is not held against its schema")
else:
    schema = json.loads(subprocess.run([hexec, "schema", "profile"], capture_output=True, check=True).stdout)
    problems += [error.message[:300] for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]

print("\n".join(problems) or "ok")
sys.exit(1 if problems else 0)
