"""What a span costs when it becomes a line of JSON in a file: CPU time, of its own thread and of all threads."""
import json
import subprocess

import sides

ROUNDS = 40
KINDS = {"span": "a span of one field", "instruction": "an instruction's span"}


def measure():
    """{kind: {"thread_ns": [...], "line_ns": [...]}}, nanoseconds a span in each round; None without tracing."""
    program = sides.PROGRAMS / "bench_spans"
    if not program.exists():
        return None
    shown = subprocess.run([program, "--json", str(ROUNDS)], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(shown.stdout)
