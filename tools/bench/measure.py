"""Taking samples: all sides of a kernel run in turns, so that what disturbs the machine disturbs all alike."""
import tempfile

import sides

CLOCKS = ("wall_ns", "cpu_ns")
WARM_UP_MOST_NS = 500_000_000  # the first run of sides that are warmed up takes less
WARM_UP_NS = 30_000_000  # they run at least so long before a sample: all cores are awake then, and at their speed


class Mismatch(Exception):
    """Two sides computed different results."""


def check(side, folder, kernel):
    found = side.ask(f"check {folder}")
    if found["different"]:
        raise Mismatch(f"{kernel}: {side.kind.name} differs from plain C in {found['different']:,} elements, the first "
                       f"is {found['buffer']}[{found['first']}], the largest relative distance {found['worst']:.3g}")
    return found


def start(kinds, kernel, left_out):
    """Starts what can be started; what cannot is left out with its reason. Each has had its first run."""
    running = []
    for kind in kinds:
        side = None
        try:
            side = kind.start(kernel)
            side.is_short = side.ask("run")["wall_ns"] < WARM_UP_MOST_NS
            running.append(side)
        except sides.SideError as error:
            left_out.append({"kernel": kernel, "side": kind.name, "why": str(error)})
            if side:
                side.close()
    return running


def keep_expected(kernel, size, folder):
    """What plain C computes is what all others are compared with."""
    side = sides.native(size).start(kernel)
    try:
        side.ask("run")
        side.ask(f"keep {folder}")
    finally:
        side.close()


def warm_up(side):
    """Runs that are not counted."""
    past = 0
    while side.is_short and past < WARM_UP_NS:
        past += side.ask("run")["wall_ns"]


def take_turns(running, kernel, runs, progress):
    """Another side begins in each turn: none always finds the caches as the same other one left them.

    While another side ran, cores slept: runs that are not counted wake them and fill their caches."""
    found = {side.kind.name: {"about": side.about, **{clock: [] for clock in CLOCKS}} for side in running}
    for turn in range(runs):
        progress(f"{kernel}: run {turn + 1} of {runs}")
        first = turn % len(running)
        for side in running[first:] + running[:first]:
            warm_up(side)
            for _ in range(side.kind.per_turn):
                sample = side.ask("run")
                for clock in CLOCKS:
                    found[side.kind.name][clock].append(sample[clock])
    return found


def measure(kernel, kinds, runs, progress, left_out):
    """Samples of one kernel at one size, by the names of the sides."""
    with tempfile.TemporaryDirectory(prefix="hexec-bench-") as folder:
        progress(f"{kernel}: starting")
        keep_expected(kernel, kinds[0].size, folder)
        running = start(kinds, kernel, left_out)
        try:
            found = take_turns(running, kernel, runs, progress) if running else {}
            for side in running:
                progress(f"{kernel}: comparing results")
                found[side.kind.name]["check"] = check(side, folder, kernel)
                ended = side.ask("end")
                found[side.kind.name]["peak_rss_kib"] = ended["peak_rss_kib"]
                found[side.kind.name]["about"] |= ended
                if ended.get("findings"):
                    raise Mismatch(f"{kernel}: {side.kind.name} has {ended['findings']:,} findings, and none is meant")
        finally:
            for side in running:
                side.close()
    return found
