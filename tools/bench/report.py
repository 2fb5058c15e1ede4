"""What a run prints: tables, the start-up, targets, what was left out, changes since a baseline."""
import io
import pathlib

import spans
import stats
import table
import targets

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
VERDICTS = {"met": 32, "missed": 31, "not measured": 2}


def milliseconds(samples):
    low, high = stats.bootstrap(stats.median, samples)
    return f"{stats.median(samples) / 1e6:.1f} ms ({low / 1e6:.1f} to {high / 1e6:.1f})"


def startup_lines(found):
    startup = found.data.get("startup")
    if not startup:
        return []
    loaded = [load + prepare for load, prepare in zip(startup["load_ns"], startup["prepare_ns"])]
    return [f"`hexec programs/vector_add.yaml` as a process: {milliseconds(startup['hexec_ns'])}; "
            f"`true`: {milliseconds(startup['true_ns'])}",
            f"loading, verifying and lowering a kernel of {startup['instructions']:,} instructions: "
            f"{milliseconds(loaded)}"]


def span_lines(found):
    """CPU time, with its interval."""
    lines = []
    for kind, samples in (found.data.get("spans") or {}).items():
        low, high = stats.bootstrap(stats.median, samples["line_ns"])
        lines.append(f"{spans.KINDS[kind]} with the JSON log to a file: {stats.median(samples['line_ns']):.0f} ns "
                     f"({low:.0f} to {high:.0f}) of CPU time, {stats.median(samples['thread_ns']):.0f} of them on the "
                     "thread that records it, the rest in the writer")
    return lines


def left_out_lines(found):
    """One line for each side and reason, with the kernels it is true of."""
    reasons = {}
    for one in found.data["left_out"]:
        reasons.setdefault((one["side"], one["why"]), []).append(one["kernel"])
    lines = []
    for (side, why), kernels in reasons.items():
        which = "" if "all" in kernels or len(kernels) == len(found.kernels()) else f" for {', '.join(kernels)}"
        lines.append(f"left out: {side}{which}: {why}")
    return lines + dropped_lines(found)


def dropped_lines(found):
    """Spans that were not recorded cost less: a time with many of them is too good."""
    dropped = {}
    for kernel in found.kernels():
        about, samples = found.about(kernel, "hexec/spans"), found.samples(kernel, "hexec/spans")
        if samples and about.get("dropped_spans"):
            dropped[kernel] = 100 * about["dropped_spans"] / ((len(samples) + 1) * about["issues"])
    if not dropped:
        return []
    parts = ", ".join(f"{kernel} {part:.0f} %" for kernel, part in dropped.items())
    return [f"spans that found the ring full: {parts}"]


def text(found, with_targets, is_coloured):
    data = found.data
    parts = [f"{data['machine'].get('processor', 'a machine')}; medians of {data['runs']} runs, {data['clock']} time"]
    for title, columns in table.sections(found):
        parts.append((title + "\n" if title else "") + table.as_text(found, columns, is_coloured))
        parts.append(table.legend(columns))
    parts.append("\n".join([*startup_lines(found), *span_lines(found)]).replace("`", ""))
    if with_targets:
        parts.append(target_text(found, is_coloured))
    parts.append("\n".join(left_out_lines(found)))
    return "\n\n".join(part for part in parts if part)


def target_text(found, is_coloured):
    rows = targets.rows(found)
    width = max(len(row[0]) for row in rows)
    lines = [f"{what.ljust(width)}  {measured.rjust(9)}  {limit.ljust(14)}  "
             f"{table.paint(verdict, VERDICTS[verdict], is_coloured)}" for what, measured, limit, verdict in rows]
    count = sum(row[3] == "met" for row in rows)
    return "\n".join([*lines, f"{count} of {len(rows)} targets met"])


def markdown(found, with_targets):
    about = "\n".join(f"- {what}: {how}" for what, how in found.data["machine"].items())
    clock = {"wall": "time that passed", "cpu": "CPU time of the process"}[found.data["clock"]]
    parts = [f"{about}\n\nMedians of {found.data['runs']} runs; {clock}."]
    for title, columns in table.sections(found):
        parts.append((f"**{title}**\n\n" if title else "") + table.as_markdown(found, columns))
    parts.append("\n".join(f"- {line}" for line in
                           [*startup_lines(found), *span_lines(found), *left_out_lines(found)]))
    if with_targets:
        parts.append("| target | measured | limit | |\n| --- | ---: | --- | --- |\n" +
                     "\n".join("| " + " | ".join(row) + " |" for row in targets.rows(found)))
    return "\n\n".join(part for part in parts if part)


def around_markers(path):
    """What stands before and behind the tables of a file."""
    before, begin, rest = pathlib.Path(path).read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} has no lines {BEGIN} and {END}")
    return before, after


def put_between_markers(path, tables):
    """Into a file that has the markers; "-" prints."""
    if path == "-":
        print(tables)
        return
    before, after = around_markers(path)
    pathlib.Path(path).write_text(f"{before}{BEGIN}\n{tables}\n{END}{after}", encoding="utf-8")


def as_csv(found):
    out = io.StringIO()
    table.write_csv(found, out)
    return out.getvalue().rstrip("\n") + "\n"


def equal(found):
    """For --quick: how the sides agree with plain C."""
    lines = []
    for kernel in found.kernels():
        sides = found.data["kernels"][kernel]
        others = [name for name in sides if name != "native"]
        exact = [name for name in others if sides[name]["check"]["identical"]]
        near = [f"{name} within {sides[name]['check']['worst']:.1g}" for name in others if name not in exact]
        parts = ([f"equal bits: {', '.join(exact)}"] if exact else []) + near
        lines.append(f"{kernel}: {'; '.join(parts) or 'nothing to compare'}")
    return "\n".join([*lines, *left_out_lines(found)])


def changes(found_changes, now, then, is_coloured):
    """Since a baseline; those that count have a colour."""
    lines = ["", "compared with the baseline:"]
    for what in ("processor", "cores", "compiler"):
        if now.data["machine"].get(what) != then.data["machine"].get(what):
            lines.append(f"note: another {what} than then: {then.data['machine'].get(what)}")
    for change in found_changes:
        code = 0 if not change.is_beyond else 31 if change.is_regression() else 32
        lines.append(f"{change.kernel:15} {change.side:16} {table.paint(change.text(), code, is_coloured)}")
    if not found_changes:
        lines.append("nothing that both runs have")
    return "\n".join(lines)
