#!/usr/bin/python3
"""Usage: validate.py HEXEC ROOT

The schemas that `hexec schema` prints are JSON Schemas, the files of the repository are valid by them, and files with a
mistake are not. Needs python3-jsonschema and python3-yaml.
"""
import json
import pathlib
import subprocess
import sys

import jsonschema
import yaml

FILES = {
    "program": ["programs/*.yaml", "programs/*/*.yaml", "isa/tests/*.yaml", "isa/tiny/*.yaml"],
    "isa": ["isa/*.yaml"],
    "test": ["isa/tests/*.yaml", "isa/tiny/*.yaml"],
    "costs": ["tests/costs/*.yaml"],
    "device": ["src/gpu/devices/*.yaml"],
    "suppressions": ["tests/golden/run/*_list.yaml", "tests/golden/cli/*_known.yaml"],
}
MISTAKES = {
    "program": [{"description": "no name"}, {"program": "x", "launc": {}}, {"program": "x", "buffers": {"name": "y"}}],
    "isa": [{"isa": "x"}, {"isa": "x", "version": "1", "encoding": {}, "opcodes": []}],
    "test": [{"vectors": "add"}, {"vectors": "add", "cases": [{"op": "add.f32"}]}],
    "costs": [{"costs": "hexec"}, {"costs": "hexec", "machine": {}, "forms": [{"form": "add.f32"}]}],
    "device": [{"gpu": "x"}, {"gpu": "x", "sm": {}}],
    "suppressions": [{"suppressions": [{"kind": "race"}]}, {"suppress": []}],
}
# Runs whose findings are documents, and mistakes in them.
FOUND = [["tests/golden/run/check_known.yaml", "--suppressions", "tests/golden/run/check_known_list.yaml"],
         ["tests/golden/run/check_memory.yaml"], ["tests/golden/run/check_sync.yaml"], ["tests/golden/run/check_init.yaml"],
         ["programs/saxpy.yaml"], ["tests/check/fidelity/guard_diverged.yaml"]]
WRONG = [{"format": "hexec-findings"}, {"findings": [{"kind": "memory.nonsense"}]}, {"decisions": [{"decides": "branch"}]}]


def schema_of(kind):
    schema = json.loads(subprocess.run([hexec, "schema", kind], check=True, capture_output=True, text=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


hexec, root = sys.argv[1], pathlib.Path(sys.argv[2])
problems, checked = [], 0
for kind, patterns in FILES.items():
    validator = schema_of(kind)
    for path in sorted(path for pattern in patterns for path in root.glob(pattern)):
        if path.stat().st_size > 100_000:
            continue  # large files say nothing new and take long
        # a date is a text in JSON
        document = json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str))
        if kind in ("program", "test") and ("vectors" in document) != (kind == "test"):
            continue
        checked += 1
        problems += [f"{path}: {error.message[:200]}" for error in validator.iter_errors(document)]
    problems += [f"{kind}: {mistake} is valid" for mistake in MISTAKES[kind] if validator.is_valid(mistake)]
validator, found = schema_of("findings"), 0
for arguments in FOUND:
    run = subprocess.run([hexec, "run", *arguments, "--check", "all", "--json"], check=False, capture_output=True, text=True, cwd=root)
    document = json.loads(run.stdout)["check"]
    checked += 1
    found += document["total"] + document["suppressed"]
    problems += [f"{arguments[0]}: {error.message[:200]}" for error in validator.iter_errors(document)]
    problems += [f"findings: {mistake} is valid" for mistake in WRONG if validator.is_valid({**document, **mistake})
                 and document != {**document, **mistake}]
if found < 8:
    problems.append(f"{found} findings are too few to try the schema")
print("\n".join(problems) or f"{checked} files are valid")
sys.exit(1 if problems or checked < 30 else 0)
