"""What hexec wants to reach, and whether a run did. All are ratios within one run, but for the start-up and the log."""
import spans
import stats

OF_POCL = {"vector_add": 0.95, "saxpy": 0.95, "spmv_csr": 0.75}  # that wait for memory, or go row by row; others 1
COMPUTE_BOUND = ("nbody", "matmul_tiled", "mandelbrot", "black_scholes", "collatz", "monte_carlo", "bitonic_sort")
PROFILED = ("matmul_tiled", "vector_add")
CHECKED = ("matmul_tiled", "reduce_sum")


class Target:
    """`value` None: this run did not measure it."""

    def __init__(self, what, value, limit, is_most):
        self.what, self.value, self.limit, self.is_most = what, value, limit, is_most

    def verdict(self):
        if self.value is None:
            return "not measured"
        return "met" if (self.value <= self.limit if self.is_most else self.value >= self.limit) else "missed"


def mean(found, above, below):
    return stats.geometric_mean(found.ratios(above, below).values())


def peers(found):
    yield Target("PoCL's time over hexec's, geometric mean", mean(found, "pocl", "hexec/1"), 4, False)
    for kernel, value in found.ratios("pocl", "hexec/1").items():
        yield Target(f"PoCL's time over hexec's, {kernel}", value, OF_POCL.get(kernel, 1), False)
    yield Target("Oclgrind's time over hexec's, geometric mean", mean(found, "oclgrind", "hexec/small"), 1000, False)
    slowest = mean(found, "reference", "hexec/small")
    yield Target("the reference's time over hexec's, geometric mean", slowest, 25, False)
    yield Target("hexec's time over plain C's, geometric mean", mean(found, "hexec/1", "native"), 1.1, True)


def variants(found):
    workers = stats.geometric_mean(value for value in map(found.workers, COMPUTE_BOUND) if value)
    yield Target("one worker's time over two's, geometric mean of kernels that compute", workers, 1.9, False)
    level = mean(found, "hexec/x86-64-v3", "hexec/x86-64-v4")
    yield Target("x86-64-v3's time over v4's, geometric mean", level, 1.6, True)
    modes = (("counts", "exact counts", 1.1), ("sampled", "sampled times", 1.2), ("spans", "all spans", 3))
    for mode, what, limit in modes:
        cost = mean(found, f"hexec/{mode}", "hexec/interpreter")
        yield Target(f"time with {what}, over none, geometric mean", cost, limit, True)
    for mode, what, limit in (("counts", "exact counts", 1.05), ("sampled", "sampled times", 2)):
        for kernel in PROFILED:
            cost = found.ratio(kernel, f"hexec/{mode}", "hexec/interpreter")
            yield Target(f"time with {what}, over none, {kernel}", cost, limit, True)


def checks(found):
    for name, limit in (("memory", 1.5), ("init", 6), ("race", 15)):
        for kernel in CHECKED:
            cost = found.ratio(kernel, f"hexec/{name}", "hexec/interpreter")
            yield Target(f"time with --check {name}, over none, {kernel}", cost, limit, True)
    for kernel in CHECKED:
        ratio = found.ratio(kernel, "oclgrind/checks", "hexec/small-checks")
        yield Target(f"Oclgrind's time over hexec's, races and unwritten values, {kernel}", ratio, 20, False)


def start(found):
    startup = found.data.get("startup")
    if not startup:
        return
    nothing, whole = stats.median(startup["true_ns"]) / 1e6, stats.median(startup["hexec_ns"]) / 1e6
    yield Target("start-up: vector_add.yaml, ms", whole, 3 * nothing + 10, True)
    loaded = [load + prepare for load, prepare in zip(startup["load_ns"], startup["prepare_ns"])]
    yield Target(f"start-up: {startup['instructions']:,} instructions, ms", stats.median(loaded) / 1e6, 50, True)


def log(found):
    """CPU time of all threads, by whichever clock the rest is."""
    measured = found.data.get("spans") or {}
    for kind, what in spans.KINDS.items():
        cost = stats.median(measured[kind]["line_ns"]) / 1e3 if kind in measured else None
        yield Target(f"{what} with the JSON log to a file, µs", cost, 1, True)


def all_of(found):
    return [*peers(found), *variants(found), *checks(found), *start(found), *log(found)]


def rows(found):
    """(what, measured, limit, verdict) as text."""
    return [(target.what, "-" if target.value is None else f"{target.value:,.2f}",
             f"{'at most' if target.is_most else 'at least'} {target.limit:,.4g}", target.verdict())
            for target in all_of(found)]
