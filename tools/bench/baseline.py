"""Comparison with a saved run: which kernels are faster or slower now, beyond what chance and a threshold explain.

A change is the ratio of the medians, now to then, with its 95 % confidence interval. It counts when the whole interval
lies on one side of 1 and the ratio is off by more than the threshold. That alone would blame hexec when the machine as
a whole was slower; so where plain C took part in both runs, its own ratio is taken out."""
import stats

OWN = "hexec/"


class Change:
    def __init__(self, kernel, side, ratio, low, high, threshold):
        self.kernel, self.side, self.ratio, self.low, self.high = kernel, side, ratio, low, high
        self.is_beyond = (low > 1 or high < 1) and abs(ratio - 1) > threshold

    def is_regression(self):
        return self.is_beyond and self.ratio > 1

    def text(self):
        interval = f"{100 * (self.low - 1):+.1f} to {100 * (self.high - 1):+.1f} %"
        if not self.is_beyond:
            return f"within noise ({interval})"
        word = "slower" if self.ratio > 1 else "faster"
        return f"{word} by {100 * abs(self.ratio - 1):.1f} % ({interval})"


def change(now, then, kernel, side):
    """(ratio, low, high) of a side's medians, now to then, less what plain C changed."""
    groups = [now.samples(kernel, side), then.samples(kernel, side, now.clock)]
    native = [now.samples(kernel, "native"), then.samples(kernel, "native", now.clock)]
    if not all(native):
        return stats.ratio(*groups)

    def statistic(new, old, native_new, native_old):
        return stats.median(new) / stats.median(old) * stats.median(native_old) / stats.median(native_new)

    return (statistic(*groups, *native), *stats.bootstrap(statistic, *groups, *native))


def compare(now, then, threshold):
    """Changes of all of hexec's sides that both runs have."""
    return [Change(kernel, side, *change(now, then, kernel, side), threshold)
            for kernel in now.kernels() for side in now.data["kernels"][kernel]
            if side.startswith(OWN) and then.samples(kernel, side, now.clock)]
