"""What it takes until something runs: the process as a whole, and a long kernel through the API."""
import json
import shutil
import subprocess
import time

import sides

INSTRUCTIONS = 10000


def process_ns(command):
    start = time.perf_counter_ns()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter_ns() - start


def measure(runs):
    """{"true_ns": [...], "hexec_ns": [...], "load_ns": [...], "prepare_ns": [...]}: in turns, the first not counted."""
    commands = {"true_ns": [shutil.which("true")],
                "hexec_ns": [str(sides.BUILD / "hexec"), str(sides.ROOT / "programs/vector_add.yaml")]}
    found = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            taken = process_ns(command)
            if turn > 0:
                found[name].append(taken)
    shown = subprocess.run([sides.PROGRAMS / "bench_load", str(INSTRUCTIONS), str(runs)], stdout=subprocess.PIPE,
                           check=False, text=True)
    loaded = json.loads(shown.stdout)
    if "error" in loaded:
        raise sides.SideError(f"bench_load: {loaded['error']}")
    found["instructions"] = loaded["instructions"]
    for name in ("load_ns", "prepare_ns"):
        found[name] = [run[name] for run in loaded["runs"]]
    return found
