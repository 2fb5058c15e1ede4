"""Taking samples: all sides of a kernel run in turns, so that what disturbs the machine disturbs all alike."""
import tempfile

import sides


class Mismatch(Exception):
    """Two sides computed different results."""


def check(side, folder, kernel):
    found = side.ask(f"check {folder}")
    if found["different"]:
        raise Mismatch(f"{kernel}: {side.kind.name} differs from plain C in {found['different']:,} elements, the first "
                       f"is {found['buffer']}[{found['first']}], the largest relative distance {found['worst']:.3g}")
    return found


def start(kinds, kernel, left_out):
    """Starts what can be started; what can not is left out with its reason. Each has had its first run."""
    running = []
    for kind in kinds:
        try:
            side = kind.start(kernel)
            running.append(side)
            side.ask("run")
        except sides.SideError as error:
            left_out.append({"kernel": kernel, "side": kind.name, "why": str(error)})
            if running and running[-1].kind is kind:
                running.pop().close()
    return running


def expected_results(kernel, size, folder):
    side = sides.native(size).start(kernel)
    try:
        side.ask("run")
        side.ask(f"keep {folder}")
    finally:
        side.close()


def measure(kernel, kinds, runs, progress, left_out):
    """Samples of one kernel, one size: {name of the side: {"wall_ns": [...], "cpu_ns": [...], "about": {...}, ...}}."""
    with tempfile.TemporaryDirectory(prefix="hexec-bench-") as folder:
        expected_results(kernel, kinds[0].size, folder)
        running = start(kinds, kernel, left_out)
        try:
            found = {side.kind.name: {"wall_ns": [], "cpu_ns": [], "about": side.about} for side in running}
            for turn in range(runs):
                progress(kernel, turn, runs)
                first = turn % len(running) if running else 0
                for side in running[first:] + running[:first]:
                    sample = side.ask("run")
                    for clock in ("wall_ns", "cpu_ns"):
                        found[side.kind.name][clock].append(sample[clock])
            for side in running:
                found[side.kind.name]["check"] = check(side, folder, kernel)
                found[side.kind.name]["peak_rss_kib"] = side.ask("end")["peak_rss_kib"]
        finally:
            for side in running:
                side.close()
    return found
