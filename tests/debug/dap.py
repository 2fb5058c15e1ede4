#!/usr/bin/env python3
"""hexec debug --dap whatever a client sends: each request has one answer, whether it makes sense or not, and the server ends
when the client is gone, also in the middle of a run.

usage: tests/debug/dap.py HEXEC FOLDER"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

HEXEC, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
LIMIT = 100  # seconds for one session, generous for sanitizers on a busy machine
ENDLESS = "program: endless\ncode: |\n  again:\n  mov.u32 r0, 0\n  bra again\n"


class Server:
    def __init__(self):
        self.process = subprocess.Popen([HEXEC, "debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.sent = 0

    def send(self, command, **arguments):
        self.sent += 1
        message = {"seq": self.sent, "type": "request", "command": command, "arguments": arguments}
        text = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()
        return self.sent

    def receive(self):
        length = None
        while line := self.process.stdout.readline().strip():
            length = int(line.removeprefix(b"Content-Length: "))
        if length is None:
            sys.exit(f"dap.py: the server has ended: {self.process.stderr.read().decode()}")
        return json.loads(self.process.stdout.read(length))

    def ask(self, command, **arguments):
        """The answer to a request; events before it are dropped."""
        number = self.send(command, **arguments)
        while True:
            message = self.receive()
            if message["type"] == "response":
                if message["request_seq"] != number or message["command"] != command:
                    sys.exit(f"dap.py: the answer to {command} {number} is {message}")
                return message

    def begin(self, program, **launch):
        self.ask("initialize", adapterID="hexec")
        if not (answer := self.ask("launch", program=str(program), **launch))["success"]:
            sys.exit(f"dap.py: {answer}")

    def end(self, wanted=0, words=""):
        self.process.stdin.close()
        self.process.stdout.read()
        said = self.process.stderr.read().decode()
        if (code := self.process.wait(timeout=LIMIT)) != wanted or words not in said:
            sys.exit(f"dap.py: exit code {code}, not {wanted}: {said}")


def random_requests(seed, program):
    """Requests in any order, with numbers that are right, wrong or of another type."""
    draw = random.Random(seed)
    numbers = [-1, 0, 1, 2, 3, 17, 2049, 2055, 1 << 40, "x", None]
    texts = ["y", "y[3]", "r0", "r0 > 3", "p0 &&", "global:0x100000000", "0x100000002", "info warps", "step 2", "list", "goto 7", ""]
    commands = ["threads", "stackTrace", "scopes", "variables", "evaluate", "completions", "readMemory", "disassemble", "source", "next",
                "stepIn", "stepOut", "stepBack", "continue", "reverseContinue", "pause", "restart", "setBreakpoints", "setDataBreakpoints",
                "setFunctionBreakpoints", "setInstructionBreakpoints", "dataBreakpointInfo", "breakpointLocations", "exceptionInfo",
                "setExceptionBreakpoints", "configurationDone"]
    keys = ["threadId", "frameId", "variablesReference", "start", "count", "line", "endLine", "offset", "instructionOffset",
            "instructionCount", "sourceReference", "column"]
    server = Server()
    server.begin(program, args=["--grid", "1"], stopOnEntry=True, stopAtEnd=True)
    server.ask("configurationDone")
    for _ in range(120):
        arguments = {key: draw.choice(numbers) for key in draw.sample(keys, 6)}
        arguments |= {key: draw.choice(texts) for key in ("expression", "text", "name", "memoryReference")}
        arguments |= {"context": draw.choice(["repl", "watch"]), "granularity": draw.choice(["instruction", "line"]),
                      "source": draw.choice([{"path": str(program)}, {"path": "/nowhere"}, {"sourceReference": 1}, 3]),
                      "filters": ["fault", draw.choice(["diverge", "else"])],
                      "breakpoints": [{"line": draw.choice(numbers), "condition": draw.choice(texts), "name": draw.choice(texts),
                                       "dataId": draw.choice(texts), "instructionReference": draw.choice(texts),
                                       "hitCondition": draw.choice(["2", ">= 1", "x"])}, draw.choice([{}, 7])]}
        command = draw.choice(commands)
        if command == "evaluate" and arguments["context"] == "repl" and arguments["expression"] == "":
            arguments["expression"] = "info time"
        server.ask(command, **arguments)
    server.ask("disconnect")
    server.end()


with tempfile.TemporaryDirectory(prefix="hexec-dap-") as name:
    endless = pathlib.Path(name) / "endless.yaml"
    endless.write_text(ENDLESS)
    for seed, program in enumerate(("saxpy", "call_ret", "collatz", "reduce_sum")):
        random_requests(seed, ROOT / f"programs/{program}.yaml")
    for last in ("disconnect", None):  # in the middle of a run
        server = Server()
        server.begin(endless)
        server.ask("configurationDone")
        server.ask("threads")
        if last:
            server.ask(last)
        server.end()
    for bytes_sent, words in ((b"Content-Length: 9\r\n\r\n{}", "within a message"), (b"Hello\r\n\r\n", "no Content-Length"),
                              (b"Content-Length: 2\r\n\r\n[]", "not an object"), (b"x" * 5000, "longer than 4096")):
        server = Server()
        server.process.stdin.write(bytes_sent)
        server.end(2, words)
