"""What the samples say: medians and ratios, by kernel.

Results are one mapping, as --json writes it: "kernels" has for each kernel its sides by name, each with the samples of
both clocks. The names of sides:

    hexec/1 hexec/2       with one worker, with two        native pocl       at real sizes
    hexec/interpreter     one worker, nothing is compiled
    hexec/opencl          one worker, PoCL's source and host program by hexec's OpenCL driver
    hexec/v3 ...          the interpreter's code for a CPU level
    hexec/counts ...      the interpreter with a kind of instrumentation
    hexec/memory ...      one worker, with a checker
    hexec/small oclgrind reference                          at sizes that a simulator can bear
    hexec/small-checks oclgrind/checks                      the same with --check init,race and their like
"""
import stats

LEVELS = ("x86-64-v3", "x86-64-v4")
MODES = ("counts", "sampled", "spans")
CHECKS = ("memory", "init", "race")


class Results:
    """The results of one run of the benchmark, and which clock the numbers are from."""

    def __init__(self, data):
        self.data = data
        self.clock = data["clock"] + "_ns"

    def kernels(self):
        return list(self.data["kernels"])

    def sides(self):
        """The names of all that took part, in the order of the first kernel that has them."""
        return list(dict.fromkeys(side for sides in self.data["kernels"].values() for side in sides))

    def samples(self, kernel, side, clock=None):
        found = self.data["kernels"].get(kernel, {}).get(side)
        return found[clock or self.clock] if found else None

    def about(self, kernel, side):
        found = self.data["kernels"].get(kernel, {}).get(side)
        return found["about"] | {"peak_rss_kib": found["peak_rss_kib"]} if found else {}

    def median(self, kernel, side, clock=None):
        samples = self.samples(kernel, side, clock)
        return stats.median(samples) if samples else None

    def ratio(self, kernel, above, below, clock=None):
        """Of the medians of two sides; None when one of them was left out."""
        first, second = self.median(kernel, above, clock), self.median(kernel, below, clock)
        return first / second if first and second else None

    def ratios(self, above, below, kernels=None, clock=None):
        """{kernel: ratio} where there is one."""
        found = {kernel: self.ratio(kernel, above, below, clock) for kernel in kernels or self.kernels()}
        return {kernel: value for kernel, value in found.items() if value}

    def workers(self, kernel):
        """How much faster two workers are: by the clock on the wall, as CPU time only grows with workers."""
        return self.ratio(kernel, "hexec/1", "hexec/2", "wall_ns")
