#!/usr/bin/env python3
"""Usage: ctest --show-only=json-v1 ... | needed_targets.py BUILD_FOLDER

The targets of a build folder that the listed tests run, as ninja names them."""
import json
import os
import subprocess
import sys

root = os.path.realpath(sys.argv[1])
lines = subprocess.run(["ninja", "-C", root, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
known = {line.rsplit(": ", 1)[0] for line in lines.splitlines()}
words = [word for test in json.load(sys.stdin)["tests"] for word in test.get("command", [])]
print(*sorted({os.path.relpath(word, root) for word in words if word.startswith(root + os.sep)} & known))
