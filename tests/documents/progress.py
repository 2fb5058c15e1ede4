#!/usr/bin/env python3
"""usage: progress.py HEXEC traced|untraced: the line of progress, on terminals of this test's own.

A run that does not end shows the line; it is waited for, however long the machine takes, and then the run is ended. A small
terminal is simulated, so that what stands there at last is known: the line must be gone, and nothing else."""
import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading

HEXEC = str(pathlib.Path(sys.argv[1]).resolve())
HAS_LOG = sys.argv[2] == "traced"  # a hexec without tracing has no log
FOLDER = tempfile.TemporaryDirectory()
SECONDS_AT_MOST = 100
SPIN = """program: spin
launch: {grid: [4], block: [64]}
buffers:
  - {name: gate, type: u32, count: 1}
expect:
  - {buffer: gate, values: [0]}
code: |
  mov.u32 r0, %tid.x
  setp.ne.u32 p0, r0, 0
  @p0 bra meet
  again:
  ldg.u32 r1, [$gate]
  setp.eq.u32 p1, r1, 0
  @p1 bra again
  meet:
  bar.sync 0
  exit
"""
# Each block prints a line; the first one ends, and its line comes out.
PRINTS = SPIN.replace("expect:", 'constants:\n  - {name: begun, type: u8, text: "begun %u\\n"}\nexpect:').replace(
    "  mov.u32 r0", "  mov.u32 r2, %ctaid.x\n  mov.u32 r3, %tid.x\n  setp.eq.u32 p2, r3, 0\n  @p2 print.u32 begun, r2\n"
    "  setp.eq.u32 p3, r2, 0\n  @p3 exit\n  mov.u32 r0", 1)
PIPED = """program: piped
launch: {grid: [1], block: [4]}
buffers:
  - {name: numbers, type: u32, count: 4, file: numbers.raw}
  - {name: y, type: u32, count: 4}
expect:
  - {buffer: y, values: [0, 0, 0, 0]}
code: |
  exit
"""
problems = []


def program(name, text):
    path = pathlib.Path(FOLDER.name) / f"{name}.yaml"
    path.write_text(text)
    return str(path)


class Terminal:
    """Rows of text, as a terminal of endless width shows what was written."""

    def __init__(self):
        self.rows, self.row, self.column, self.unknown = [""], 0, 0, []

    def write(self, text):
        for piece in re.finditer(r"\x1b\[([0-9;]*)([A-Za-z])|[\r\n]|[^\x1b\r\n]+", text):
            if piece[2] == "K":
                self.rows[self.row] = self.rows[self.row][:self.column]
            elif piece[2] == "A":
                self.row = max(0, self.row - 1)
            elif piece[2] not in (None, "m"):
                self.unknown.append(piece[0])
            elif piece[0] == "\r":
                self.column = 0
            elif piece[0] == "\n":
                self.row += 1
                self.rows += [""] * (self.row == len(self.rows))
            elif piece[2] is None:
                row = self.rows[self.row].ljust(self.column)
                self.rows[self.row] = row[:self.column] + piece[0] + row[self.column + len(piece[0]):]
                self.column += len(piece[0])

    def shows(self):
        return "\n".join(row.rstrip() for row in self.rows)


def on_terminal(arguments, wanted=None, end=None, columns=120, **variables):
    """What was written to a terminal until `wanted` was there and then `end` was called; without, until the end of the run."""
    child, terminal = pty.fork()
    if child == 0:
        keep = {name: value for name, value in os.environ.items() if not re.match("HEXEC_|NO_COLOR|TERM", name)}
        os.chdir(FOLDER.name)
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execve(HEXEC, [HEXEC, *arguments], keep | {"TERM": "xterm"} | variables)
    guard = threading.Timer(SECONDS_AT_MOST, os.kill, [child, signal.SIGKILL])
    guard.start()
    written, has_ended = "", False
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        written += read.decode(errors="replace")
        if not has_ended and wanted and re.search(wanted, written):
            has_ended = True
            (end or (lambda: os.kill(child, signal.SIGINT)))()
    guard.cancel()
    os.close(terminal)
    os.waitpid(child, 0)
    if wanted and not has_ended:
        problems.append(f"{arguments}: there was no line with {wanted}:\n{written!r}")
    return written


def check_erased(arguments, written):
    terminal = Terminal()
    terminal.write(written)
    if terminal.unknown:
        problems.append(f"{arguments}: sequences that erase nothing: {terminal.unknown}")
    if re.search(r"\d of [\d,]+ (blocks?|files?)|thread-instructions|pass \d|launch \d|fills buffer", terminal.shows()):
        problems.append(f"{arguments}: the line is still there:\n{terminal.shows()}")
    return terminal.shows()


def check_appears():
    spin = program("spin", SPIN)
    stuck = r"0 of 4 blocks, none for \d+ s(, [\d.]+ . thread-instructions)?\r?\n  block 0 runs line 12 'ldg.u32 r1, \[\$gate\]', " \
            "63 of 64 threads wait"
    for arguments, wanted in (
            (["run", spin], stuck),
            (["run", spin, "--repeat", "3"], "launch 1 of 3, kernel spin: " + stuck),
            (["profile", spin], "pass 1, kernel spin: " + stuck),
            (["run", program("short", SPIN.replace("[4]", "[1]").replace("  @p1 bra again\n", "")), "--repeat", "4000000000"],
             r"launch [\d,]+ of 4,000,000,000, \d+ %, [\d.]+( [kMG])? threads/s, \d+ (h \d+ min|min \d+ s) left")):
        written = on_terminal(arguments, wanted, NO_COLOR="1")
        if "\x1b[2m" in written:
            problems.append(f"{arguments}: coloured in spite of NO_COLOR")
        check_erased(arguments, written)
    written = on_terminal(["run", spin], "blocks, n", columns=30)
    if "\x1b[2m" not in written:
        problems.append("the line has no colour where colours are wanted")
    rows = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", written.split("program  spin")[0]))
    if max(map(len, rows)) != 29:
        problems.append(f"rows do not fit into 30 columns: {rows}")


def check_pipe():
    """A buffer that waits for its pipe; both commands end when somebody writes into it."""
    piped, pipe = program("piped", PIPED), pathlib.Path(FOLDER.name) / "numbers.raw"
    os.mkfifo(pipe)
    for arguments, wanted in ((["run", piped], "fills buffer numbers"), (["test", piped], "fills buffer numbers")):
        shown = check_erased(arguments, on_terminal(arguments, wanted, lambda: pipe.write_bytes(bytes(16))))
        if not re.search(r"^(program  piped|ok 1 - )", shown, re.MULTILINE):
            problems.append(f"{arguments}: the results are not there:\n{shown}")


def check_other_output():
    """What kernels print stands there in whole lines, above and below it the line came and went."""
    prints = program("prints", PRINTS)
    shown = check_erased(["prints"], on_terminal(["run", prints, "--workers", "1"], "1 of 4 blocks, none for"))
    if not re.match("begun 0\n", shown):
        problems.append(f"the kernel's own lines are not there:\n{shown}")


def check_absent():
    """A run of three seconds, which nothing is shown of."""
    arguments = [program("absent", SPIN), "--timeout", "3", "--workers", "1"]
    started = [subprocess.Popen([HEXEC, "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)]
    outputs = {}

    def watch(name, more, **variables):
        outputs[name] = on_terminal(["run", *arguments, *more], **variables)

    threads = [threading.Thread(target=watch, args=["--quiet", ["--quiet"]]),
               threading.Thread(target=watch, args=["TERM=dumb", []], kwargs={"TERM": "dumb"})]
    if HAS_LOG:
        threads.append(threading.Thread(target=watch, args=["HEXEC_LOG=info", []], kwargs={"HEXEC_LOG": "info"}))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    outputs["a pipe"] = started[0].communicate()[0]
    for name, written in outputs.items():
        if "HX1605" not in written and "ran longer than 3 s" not in written:
            problems.append(f"{name}: the run did not end by its timeout:\n{written}")
        if re.search(r"of \d+ blocks|\r\x1b\[K", written):
            problems.append(f"{name}: there is a line of progress:\n{written!r}")


check_appears()
check_pipe()
check_other_output()
check_absent()
for problem in problems:
    print(problem)
sys.exit(bool(problems))
