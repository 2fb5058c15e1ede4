"""Statistics of samples: medians, their spread, ratios with confidence intervals.

Times of a computer are not normally distributed: most lie close together, some far above. So everything here goes by
medians and by resampling (Efron and Tibshirani, An Introduction to the Bootstrap, 1993). Random numbers come from a
fixed seed: the same samples give the same numbers."""
import math
import random

RESAMPLES = 2000
CONFIDENCE = 0.95
SEED = 2026


def median(samples):
    ordered = sorted(samples)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def quantile(samples, part):
    """Of a sequence in order, with a straight line between neighbours."""
    place = part * (len(samples) - 1)
    below = math.floor(place)
    above = min(below + 1, len(samples) - 1)
    return samples[below] + (samples[above] - samples[below]) * (place - below)


def spread(samples):
    """The median absolute deviation, relative to the median: half of the samples are nearer than this."""
    middle = median(samples)
    return median([abs(sample - middle) for sample in samples]) / middle if middle else 0.0


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def bootstrap(statistic, *groups):
    """The confidence interval of a statistic of groups of samples: (low, high)."""
    generator = random.Random(SEED)
    found = sorted(statistic(*([generator.choice(group) for _ in group] for group in groups))
                   for _ in range(RESAMPLES))
    tail = (1 - CONFIDENCE) / 2
    return quantile(found, tail), quantile(found, 1 - tail)


def ratio(above, below):
    """The ratio of two medians and its confidence interval: (ratio, low, high)."""
    low, high = bootstrap(lambda a, b: median(a) / median(b), above, below)
    return median(above) / median(below), low, high
