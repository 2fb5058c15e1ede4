#!/usr/bin/env python3
"""hexec debug on a terminal: lines are edited and completed, an empty line does the last command again, a wrong command is
reported and the next one read, and Ctrl-C stops the program and not the debugger.

usage: tests/debug/terminal.py HEXEC FOLDER"""
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

HEXEC, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
LIMIT = 100  # seconds for one answer, generous for sanitizers on a busy machine
ENDLESS = """program: endless
code: |
  mov.u32 r0, 0
  again:
  add.u32 r0, r0, 1
  bra again
"""


class Terminal:
    def __init__(self, *arguments: str):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="dumb", NO_COLOR="1")
            os.execv(HEXEC, [HEXEC, "debug", *arguments])
        self.text = ""

    def wait(self, words: str) -> str:
        """What was written up to these words, and with them."""
        while words not in self.text:
            ready, _, _ = select.select([self.file], [], [], LIMIT)
            if not ready:
                sys.exit(f"terminal.py: {words!r} was not written, but {self.text!r}")
            try:
                more = os.read(self.file, 4096).decode(errors="replace")
            except OSError:
                more = ""
            if not more:
                sys.exit(f"terminal.py: the debugger ended before it wrote {words!r}: {self.text!r}")
            self.text += more
        end = self.text.index(words) + len(words)
        before, self.text = self.text[:end], self.text[end:]
        return before

    def send(self, keys: str):
        """Types at the next prompt: what is typed before it is dropped when the line editor begins."""
        self.wait("(hexec) ")
        os.write(self.file, keys.encode())

    def control_c(self, words: str):
        """Ctrl-C up to these words, again if it came before anybody listened."""
        for _ in range(LIMIT):
            os.write(self.file, b"\x03")
            end = time.monotonic() + 1
            while words not in self.text and (left := end - time.monotonic()) > 0:
                if select.select([self.file], [], [], left)[0]:
                    self.text += os.read(self.file, 4096).decode(errors="replace")
            if words in self.text:
                break
        self.wait(words)

    def end(self) -> int:
        while True:
            try:
                if not os.read(self.file, 4096):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


terminal = Terminal(str(ROOT / "programs/saxpy.yaml"))
terminal.send("brake 24\r")
terminal.wait("did you mean 'break'?")
terminal.send("break 24 if r0 == 40\r")
terminal.wait("breakpoint 1: 24")
terminal.send("run\r")
terminal.wait("block 0, thread 40")
terminal.send("print r0\r")
terminal.wait("\r\n40\r\n")
terminal.send("stepi\r")
terminal.wait("time 19")
terminal.send("\r")
terminal.wait("time 20")
terminal.send("reverse-stepi\r")
terminal.wait("time 19")
terminal.wait("(hexec) ")
terminal.control_c("\n")  # at the prompt, and within a line: a new prompt
terminal.send("print r0 +")
terminal.wait("r0 +")
terminal.control_c("\n")
terminal.send("print r0 + 1\r")
terminal.wait("\r\n41\r\n")
terminal.send("commands 1\r")
for line in ("silent", "echo it was hit", "end"):  # at a prompt of their own
    terminal.wait("> ")
    os.write(terminal.file, f"{line}\r".encode())
terminal.send("run\r")
terminal.wait("it was hit\r\n")
terminal.send("quit\r")
if terminal.end() != 0:
    sys.exit("terminal.py: quit did not end the debugger with exit code 0")

def interrupted(path: pathlib.Path, setup: str, command: str):
    """Ctrl-C stops a command that does many steps, too."""
    endless = Terminal(str(path))
    endless.send(setup + "\r")
    endless.send(command + "\r")
    endless.wait(command.rsplit(" ", 1)[1] + "\r\n")
    time.sleep(1)  # one that comes before the command begins is for nobody
    endless.control_c("interrupted")
    endless.send("quit\r")
    endless.end()


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "endless.yaml"
    path.write_text(ENDLESS, encoding="utf-8")
    for command in ("step 100000000", "stepi 100000000", "next 100000000"):
        interrupted(path, "goto 5", command)
    with subprocess.Popen([HEXEC, "debug", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        process.stdin.write("step\n")
        process.stdout.readline()
        process.stdin.write("continue\nprint r0 > 0\nquit\n")
        text = ""
        for _ in range(10 * LIMIT):  # one that comes before the program goes on is for nobody
            if select.select([process.stdout], [], [], 0.1)[0]:
                break
            process.send_signal(signal.SIGINT)
        else:
            process.kill()
        text = process.stdout.read()
    if "interrupted, endless, block 0, thread 0" not in text or not text.endswith("\n1\n") or process.returncode != 0:
        sys.exit(f"terminal.py: Ctrl-C did not stop the program: exit code {process.returncode}, {text!r}")

# A program at the other end of a pipe sees at once what is wrong, and all of it.
with subprocess.Popen([HEXEC, "debug", ROOT / "programs/saxpy.yaml"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True, bufsize=1) as process:
    for word in ("brake", "brook"):
        process.stdin.write(word + "\n")
        if not select.select([process.stderr], [], [], LIMIT)[0] or word not in (said := process.stderr.readline()):
            sys.exit(f"terminal.py: nothing is said of '{word}' before the input ends")
        process.stderr.readline()
    process.stdin.close()
    process.wait()
    if process.returncode != 2:
        sys.exit(f"terminal.py: wrong commands of a pipe end with exit code {process.returncode}, not 2")
