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
import time

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


def expect(is_true, what):
    if not is_true:
        sys.exit(f"dap.py: {what}")


TWO = """int f(int s) {
  int v = s * 2;
  v += 1;
  return v;
}
kernel void k(global int *o) {
  int v = 5;
  v = f(v) + v;
  o[0] = v;
}
"""


def wait(server, event):
    while (message := server.receive()).get("event") != event:
        pass
    return message["body"]


def ask_body(server, command, **arguments):
    answer = server.ask(command, **arguments)
    expect(answer["success"], f"{command} failed: {answer}")
    return answer.get("body", {})


def calls(folder):
    """Of two calls with a variable `v` each the one that was asked about is watched; all points of a stop are in its event; URIs."""
    path = folder / "two calls.cl"
    path.write_text(TWO)
    uri = path.as_uri()
    server = Server()
    server.ask("initialize", adapterID="hexec", pathFormat="uri")
    ask_body(server, "launch", program=uri, args=["--block", "1", "--arg", "i32:1"], stopAtEnd=True)
    points = ask_body(server, "setBreakpoints", source={"path": uri}, breakpoints=[{"line": 2}, {"line": 2, "condition": "s == 5"}])
    expect(all(point["verified"] and point["source"]["path"] == uri for point in points["breakpoints"]), points)
    server.ask("configurationDone")
    stop = wait(server, "stopped")
    expect(stop["hitBreakpointIds"] == [1, 2], stop)
    frames = ask_body(server, "stackTrace", threadId=stop["threadId"])["stackFrames"]
    expect([(frame["line"], frame["source"]["path"]) for frame in frames] == [(2, uri), (8, uri)], frames)
    scopes = [ask_body(server, "scopes", frameId=frame["id"])["scopes"] for frame in frames]
    outer = next(scope["variablesReference"] for scope in scopes[1] if scope["name"] == "Locals")
    by_scope = ask_body(server, "dataBreakpointInfo", variablesReference=outer, name="v")["dataId"]
    by_frame = ask_body(server, "dataBreakpointInfo", frameId=frames[1]["id"], name="v")["dataId"]
    inner = ask_body(server, "dataBreakpointInfo", frameId=frames[0]["id"], name="v")["dataId"]
    ask_body(server, "evaluate", frameId=frames[1]["id"], expression="v", context="watch")
    expect(by_scope == by_frame != inner, (by_scope, by_frame, inner))
    # a step out is one of the thread, whatever frame was asked about
    server.ask("stepOut", threadId=stop["threadId"])
    stop = wait(server, "stopped")
    frames = ask_body(server, "stackTrace", threadId=stop["threadId"])["stackFrames"]
    expect(stop["reason"] == "step" and [frame["line"] for frame in frames] == [8], (stop, frames))
    ask_body(server, "setBreakpoints", source={"path": uri}, breakpoints=[])
    points = ask_body(server, "setDataBreakpoints", breakpoints=[{"dataId": by_scope, "accessType": "write"}])["breakpoints"]
    expect(points[0]["verified"], points)
    server.ask("continue", threadId=1)
    stop = wait(server, "stopped")
    frames = ask_body(server, "stackTrace", threadId=stop["threadId"])["stackFrames"]
    expect(stop["reason"] == "data breakpoint" and [frame["line"] for frame in frames] == [9], (stop, frames))
    # the name of a variable is not the short form of a command, and print/x is one
    expect(ask_body(server, "evaluate", expression="v", context="repl")["result"] == "16", "v is not the variable")
    expect(ask_body(server, "evaluate", expression="p/x v", context="repl")["result"] == "0x10", "p/x is no command")
    expect("time" in ask_body(server, "evaluate", expression="rs", context="repl")["result"], "rs is no command")
    server.ask("disconnect")
    server.end()


def ended_call(folder):
    """What is watched of a call is watched until that returns: the next call's variable at the same place is another."""
    path = folder / "ended.cl"
    path.write_text(TWO.replace("v = f(v) + v", "v = f(v) + f(v + 1)"))
    server = Server()
    server.begin(path, args=["--block", "1", "--arg", "i32:1"], stopAtEnd=True)
    ask_body(server, "setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 3}])
    server.ask("configurationDone")
    stop = wait(server, "stopped")
    frame = ask_body(server, "stackTrace", threadId=stop["threadId"])["stackFrames"][0]["id"]
    ask_body(server, "setBreakpoints", source={"path": str(path)}, breakpoints=[])
    place = ask_body(server, "dataBreakpointInfo", frameId=frame, name="v")["dataId"]
    point = ask_body(server, "setDataBreakpoints", breakpoints=[{"dataId": place, "accessType": "readWrite"}])["breakpoints"][0]
    for depth in (2, 2, 2):  # v += 1 reads and writes it, return v reads it
        server.ask("continue", threadId=1)
        stop = wait(server, "stopped")
        frames = ask_body(server, "stackTrace", threadId=stop["threadId"])["stackFrames"]
        expect(stop["reason"] == "data breakpoint" and len(frames) == depth, (stop, frames))
    server.ask("continue", threadId=1)
    gone = wait(server, "breakpoint")
    expect(gone["reason"] == "removed" and gone["breakpoint"]["id"] == point["id"], gone)
    said = wait(server, "output")
    expect("the call that has v is over" in said["output"], said)
    stop = wait(server, "stopped")
    frames = ask_body(server, "stackTrace", threadId=stop["threadId"])["stackFrames"]
    expect([frame["line"] for frame in frames] == [8], (stop, frames))
    server.ask("continue", threadId=1)
    expect(wait(server, "stopped").get("description") == "The program has ended", "the watchpoint is still there")
    server.ask("disconnect")
    server.end()


def arrays(folder):
    """Arrays have no named members; a scope of hexec's arrays shows them, not the variables that have their names."""
    path = folder / "arrays.cl"
    path.write_text("constant int table[2] = {7, 8};\nkernel void k(global int *o) {\n  int values[2] = {1, 2};\n"
                    "  {\n    int table = 3;\n    o[0] = table + values[0];\n  }\n  o[1] = table[o[0] & 1];\n}\n")
    server = Server()
    server.begin(path, args=["--block", "1", "--arg", "i32:2"])
    ask_body(server, "setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 6}])
    server.ask("configurationDone")
    frame = ask_body(server, "stackTrace", threadId=wait(server, "stopped")["threadId"])["stackFrames"][0]
    scopes = {scope["name"]: scope["variablesReference"] for scope in ask_body(server, "scopes", frameId=frame["id"])["scopes"]}
    values = next(variable for variable in ask_body(server, "variables", variablesReference=scopes["Locals"])["variables"]
                  if variable["name"] == "values")
    for words, count in (("named", 0), ("indexed", 2)):
        shown = ask_body(server, "variables", variablesReference=values["variablesReference"], filter=words)["variables"]
        expect(len(shown) == count, f"{words}: {shown}")
    for constant in ask_body(server, "variables", variablesReference=scopes["Constants"])["variables"]:
        expect(constant["value"] != "3" and constant["memoryReference"].startswith("constant:"), f"a local is in Constants: {constant}")
    server.ask("disconnect")
    server.end()


INLINED = """__device__ __forceinline__ int twice(int x) {
  int y = x * 2;
  return y;
}
__global__ void k(int *o) {
  int v = threadIdx.x;
  v += twice(v);
  o[v % 4] = v;
}
"""


def inlined(folder):
    """Inlined calls are frames: with names, lines and variables of their own; steps go over them and out of them."""
    path = folder / "inlined.cu"
    path.write_text(INLINED)
    server = Server()
    server.begin(path, args=["--block", "4", "--arg", "i32:4"])
    points = ask_body(server, "setFunctionBreakpoints", breakpoints=[{"name": "twice", "condition": "x == 3"}])["breakpoints"]
    expect(points[0]["verified"], points)
    server.ask("configurationDone")

    def frames_of(stop):
        return ask_body(server, "stackTrace", threadId=stop["threadId"])["stackFrames"]

    stop = wait(server, "stopped")
    frames = frames_of(stop)
    expect([(frame["name"], frame["line"]) for frame in frames] == [("twice(int)", 2), ("k(int*)", 7)], frames)
    part = ask_body(server, "stackTrace", threadId=stop["threadId"], startFrame=1, levels=1)
    expect([frame["line"] for frame in part["stackFrames"]] == [7] and part["totalFrames"] == 2, part)
    for frame, names in zip(frames, (["y"], ["v"])):
        scopes = ask_body(server, "scopes", frameId=frame["id"])["scopes"]
        reference = next(scope["variablesReference"] for scope in scopes if scope["name"] == "Locals")
        shown = ask_body(server, "variables", variablesReference=reference)["variables"]
        expect([variable["name"] for variable in shown] == names, shown)
    expect(ask_body(server, "evaluate", frameId=frames[1]["id"], expression="v", context="watch")["result"] == "3", "v of the caller")
    server.ask("stepOut", threadId=stop["threadId"])
    frames = frames_of(stop := wait(server, "stopped"))
    expect([frame["line"] for frame in frames] == [7], frames)
    server.ask("stepBack", threadId=stop["threadId"])
    frames = frames_of(stop := wait(server, "stopped"))
    expect(frames[-1]["line"] in (6, 7), frames)
    server.ask("disconnect")
    server.end()


def data_ids(program):
    """A wrong dataId makes no data breakpoint, and no watchpoint of a place that is cut to fit."""
    server = Server()
    server.begin(program, stopOnEntry=True)
    server.ask("configurationDone")
    wait(server, "stopped")
    for wrong in ("@", "@global:0x0 0 u32 0 0 0 - - y", "@global:0x0 4 u32 263 0 0 - - y", "@global:0x0 4 u32 0 256 0 - - y",
                  "@global:0x0 4 u32 0 0 0 - 8589934592 y", "@global:0xffffffffffffffff 18446744073709551615 u32 0 0 0 - - y"):
        points = ask_body(server, "setDataBreakpoints", breakpoints=[{"dataId": wrong, "accessType": "write"}])["breakpoints"]
        expect(not points[0]["verified"], f"{wrong}: {points}")
    server.ask("disconnect")
    server.end()


def commands_of_breakpoints(program):
    """They are done where a request has let the program run to the breakpoint, and may let it run on."""
    server = Server()
    server.begin(program, stopOnEntry=True)
    server.ask("configurationDone")
    wait(server, "stopped")
    for line in ("break 24", "commands", "printf \"r0 is %d\\n\", r0", "break 25", "continue", "end"):
        ask_body(server, "evaluate", expression=line, context="repl")
    server.send("continue", threadId=1)
    said = ""
    while (message := server.receive()).get("event") != "stopped":
        said += message["body"]["output"] if message.get("event") == "output" else ""
    expect("r0 is 0" in said, f"the commands are not done: {said}")
    expect(message["body"]["hitBreakpointIds"] == [2], "the commands did not let the program run")
    server.ask("disconnect")
    server.end()


def unreadable(program):
    """A message that is not JSON is reported, and the next one is answered."""
    server = Server()
    server.begin(program, noDebug=True, stopOnEntry=True)
    server.process.stdin.write(b"Content-Length: 5\r\n\r\nhello")
    server.process.stdin.flush()
    expect("not an object" in wait(server, "output")["output"], "nothing is said of a message that is not JSON")
    ask_body(server, "setFunctionBreakpoints", breakpoints=[{"name": "saxpy"}])
    server.ask("configurationDone")
    expect(wait(server, "exited")["exitCode"] == 0, "a breakpoint stopped a run without debugging")
    server.ask("disconnect")
    server.end(2, "not an object")


with tempfile.TemporaryDirectory(prefix="hexec-dap-") as name:
    calls(pathlib.Path(name))
    ended_call(pathlib.Path(name))
    arrays(pathlib.Path(name))
    inlined(pathlib.Path(name))
    data_ids(ROOT / "programs/saxpy.yaml")
    commands_of_breakpoints(ROOT / "programs/saxpy.yaml")
    unreadable(ROOT / "programs/saxpy.yaml")
    endless = pathlib.Path(name) / "endless.yaml"
    endless.write_text(ENDLESS)
    for seed, program in enumerate(("saxpy", "call_ret", "collatz", "reduce_sum")):
        random_requests(seed, ROOT / f"programs/{program}.yaml")
    server = Server()  # a command of many steps can be stopped
    server.begin(endless, stopOnEntry=True)
    server.ask("configurationDone")
    wait(server, "stopped")
    server.send("evaluate", expression="stepi 1000000000", context="repl")
    time.sleep(0.5)
    server.send("pause", threadId=1)
    expect(wait(server, "stopped")["reason"] == "pause", "pause did not stop a command of many steps")
    while server.receive().get("command") != "pause":
        pass
    server.ask("disconnect")
    server.end()
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
