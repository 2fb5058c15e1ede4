"""Tables of results: as text for a terminal, as Markdown, as CSV.

A table is a list of columns; a column knows its head, how a kernel's number is found, how it is written, and whether
the geometric mean of it says something."""
import csv
import textwrap

import results as names
import stats


class Column:
    """`value` maps a kernel to a number or None; `note` is for the legend; `good` says of a number whether hexec is the
    faster one."""

    def __init__(self, head, value, digits=2, mean=False, good=None, note=""):
        self.head, self.value, self.digits = head, value, digits
        self.mean, self.good, self.note = mean, good, note

    def text(self, number):
        if number is None:
            return "-"
        places = max(0, self.digits - len(str(int(number))) + 1)  # what says something: 0.45, 3.39, 11.2, 254
        return f"{number:,.{places}f}"

    def tint(self, number):
        """32 green, 31 red; None for neither."""
        if number is None or self.good is None:
            return None
        return 32 if self.good(number) else 31


def per(above, below, factor=1.0):
    return above / below * factor if above and below else None


def main_columns(found):
    """Of hexec and what it is compared with; only of sides that took part."""
    def about(kernel, key):
        return found.about(kernel, "hexec/1").get(key)

    def median(kernel):
        return found.median(kernel, "hexec/1")

    def spread(kernel):
        samples = found.samples(kernel, "hexec/1")
        return 100 * stats.spread(samples) if samples else None

    def until_ready(kernel):
        return (about(kernel, "load_ns") or 0) + (about(kernel, "prepare_ns") or 0)

    def peer(head, above, below, good, note):
        return Column(head, lambda kernel: found.ratio(kernel, above, below), mean=True, good=good, note=note)

    def is_more(number):
        return number >= 1

    present = found.sides()
    if "hexec/1" not in present and "hexec/small" not in present:
        return [Column(f"{side} ms", lambda k, side=side: per(found.median(k, side), 1e6)) for side in present]
    columns = []
    if "hexec/1" in present:
        columns += [Column("ms", lambda k: per(median(k), 1e6), note="median, one worker"),
                    Column("±%", spread, 1, note="median deviation"),
                    Column("G/s", lambda k: per(about(k, "thread_instructions"), median(k)),
                           note="thread-instructions"),
                    Column("ns/issue", lambda k: per(median(k), about(k, "issues")), 1)]
    if "hexec/2" in present:
        columns.append(Column("2 work.", found.workers, mean=True, note="times as fast with two workers"))
    if "hexec/interpreter" in present:
        columns.append(peer("interp.", "hexec/interpreter", "hexec/1", is_more, "times as fast as interpreted"))
    if "native" in present:
        columns.append(peer("of C", "hexec/1", "native", lambda number: number <= 1, "time over plain C's"))
    peers = (("PoCL", "pocl", "hexec/1", "PoCL"), (".cl", "pocl", "hexec/opencl", "PoCL, by hexec's OpenCL driver"),
             ("Oclgrind", "oclgrind", "hexec/small", "Oclgrind"),
             ("ref.", "reference", "hexec/small", "the reference interpreter"))
    for head, side, own, what in peers:
        if side in present:
            columns.append(peer(head, side, own, is_more, f"times as fast as {what}"))
    if "hexec/1" in present:
        columns += [Column("MiB", lambda k: per(about(k, "peak_rss_kib"), 1024), 1, note="peak memory"),
                    Column("load ms", lambda k: per(until_ready(k), 1e6), 1, note="until the kernel is ready")]
    return columns


def variant_columns(found, variants, base):
    """Times of variants of hexec as multiples of one of them."""
    def times(side):
        return lambda kernel: found.ratio(kernel, side, f"hexec/{base}")

    return [Column(variant, times(f"hexec/{variant}"), mean=True)
            for variant in variants if found.ratios(f"hexec/{variant}", f"hexec/{base}")]


def cells(found, columns):
    """Rows of (text, tint): one a kernel, and the means."""
    rows = []
    for kernel in found.kernels():
        numbers = [column.value(kernel) for column in columns]
        rows.append([(kernel, None)] + [(column.text(number), column.tint(number))
                                        for column, number in zip(columns, numbers)])
    if len(rows) > 1 and any(column.mean for column in columns):
        means = [("geometric mean", None)]
        for column in columns:
            numbers = [column.value(kernel) for kernel in found.kernels()] if column.mean else []
            mean = stats.geometric_mean(number for number in numbers if number)
            means.append((column.text(mean) if mean else "", column.tint(mean)))
        rows.append(means)
    return rows


def paint(text, code, is_coloured):
    return f"\x1b[{code}m{text}\x1b[0m" if is_coloured and code else text


def as_text(found, columns, is_coloured):
    rows = cells(found, columns)
    heads = ["kernel"] + [column.head for column in columns]
    widths = [max(len(head), *(len(row[i][0]) for row in rows)) for i, head in enumerate(heads)]
    lines = [[(head, 1) for head in heads], *rows]
    return "\n".join("  ".join(paint(text.ljust(widths[i]) if i == 0 else text.rjust(widths[i]), code, is_coloured)
                               for i, (text, code) in enumerate(line)).rstrip() for line in lines)


def legend(columns):
    """What the heads mean, those that need it."""
    notes = "; ".join(f"{column.head}: {column.note}" for column in columns if column.note)
    return textwrap.fill(notes, 110)


def as_markdown(found, columns):
    lines = ["| kernel | " + " | ".join(column.head for column in columns) + " |",
             "| --- |" + " ---: |" * len(columns)]
    lines += ["| " + " | ".join(text for text, _ in row) + " |" for row in cells(found, columns)]
    return "\n".join(lines)


def write_csv(found, out):
    """One row for each kernel and side; times in nanoseconds."""
    writer = csv.writer(out)
    writer.writerow(["kernel", "side", "runs", "median_ns", "low_ns", "high_ns", "thread_instructions", "issues",
                     "peak_rss_kib"])
    for kernel in found.kernels():
        for side in found.data["kernels"][kernel]:
            samples, about = found.samples(kernel, side), found.about(kernel, side)
            low, high = stats.bootstrap(stats.median, samples)
            writer.writerow([kernel, side, len(samples), round(stats.median(samples)), round(low), round(high),
                             about.get("thread_instructions", ""), about.get("issues", ""), about["peak_rss_kib"]])


def check_columns(found):
    columns = variant_columns(found, names.CHECKS, "interpreter")
    if found.ratios("oclgrind/checks", "hexec/small-checks"):
        columns.append(Column("Oclgrind", lambda kernel: found.ratio(kernel, "oclgrind/checks", "hexec/small-checks"),
                              mean=True, note="its time with --data-races --uninitialized over --check init,race"))
    return columns


def sections(found):
    """(title, columns) of every table that there is something for."""
    best = names.LEVELS[-1]
    every = [("", main_columns(found)),
             (f"The interpreter's code for a CPU level: time as a multiple of {best}'s", variant_columns(found, names.LEVELS, best)),
             ("Instrumentation: interpreted time as a multiple of none",
              variant_columns(found, names.MODES, "interpreter")),
             ("Checkers: time as a multiple of none, interpreted", check_columns(found))]
    return [(title, columns) for title, columns in every if columns]
