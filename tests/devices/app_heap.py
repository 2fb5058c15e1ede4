#!/usr/bin/env python3
"""usage: app_heap.py HEXEC [CASE]

Memory that threads have from malloc in programs that run by `hexec app --check memory`: each case is such a program, and what must be found, as
(kind, message, lines of its places). With CASE it is that program."""
import ctypes
import sys
from ctypes import byref, c_size_t, c_uint64, c_void_p

import app_cases

PTX = b""".version 7.5
.target sm_75
.address_size 64
.extern .func (.param .b64 out) malloc (.param .b64 bytes);
.extern .func free (.param .b64 what);
.visible .entry take(.param .u64 to) {
    .reg .b64 to, got;
    ld.param.u64 to, [to_];
    { .param .b64 bytes; .param .b64 out; st.param.b64 [bytes], 40; call (out), malloc, (bytes); ld.param.b64 got, [out]; }
    st.global.u64 [to], got; ret;
}
.visible .entry give(.param .u64 from_) {
    .reg .b64 from, got;
    ld.param.u64 from, [from_]; ld.global.u64 got, [from];
    { .param .b64 what; st.param.b64 [what], got; call free, (what); }
    ret;
}
\0""".replace(b".u64 to)", b".u64 to_)")
LEAK = ("memory.heap_leak", "40 bytes of malloc that nobody freed", [9])


class Program:
    """Modules with a heap each, and memory for an address."""

    def __init__(self, modules=1):
        self.api = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.call("cuCtxSetCurrent", self.out(c_void_p, "cuDevicePrimaryCtxRetain", 0))
        self.modules = [self.out(c_void_p, "cuModuleLoadData", PTX) for _ in range(modules)]
        self.places = [self.out(c_uint64, "cuMemAlloc_v2", c_size_t(8)) for _ in range(modules)]

    def call(self, name, *arguments, want=0):
        got = getattr(self.api, name)(*arguments)
        assert got == want, f"{name} returns {got}"

    def out(self, kind, name, *arguments):
        value = kind()
        self.call(name, byref(value), *arguments)
        return value

    def launch(self, name, module=0, place=None):
        function = self.out(c_void_p, "cuModuleGetFunction", self.modules[module], name)
        address = self.places[module if place is None else place]
        self.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, (c_void_p * 1)(ctypes.addressof(address)), None)
        self.call("cuCtxSynchronize")


def leak():
    Program().launch(b"take")


def unloaded():
    program = Program()
    program.launch(b"take")
    program.call("cuModuleUnload", program.modules[0])


def freed():
    program = Program()
    program.launch(b"take")
    program.launch(b"give")


def two_heaps():
    program = Program(2)
    for module in (0, 1):
        program.launch(b"take", module)
    for module in (1, 0):
        program.launch(b"give", module)


def leak_of_second():
    program = Program(2)
    program.launch(b"take", 0)
    program.launch(b"take", 1)
    program.launch(b"give", 0)


def twice_in_second():
    program = Program(2)
    program.launch(b"take", 1)
    program.launch(b"give", 1)
    program.launch(b"give", 1)


EXPECTED = {leak: LEAK, unloaded: LEAK, freed: None, two_heaps: None, leak_of_second: LEAK,
            twice_in_second: ("memory.bad_free", "free is given memory of malloc that was freed before", None)}


def check(hexec, case, expected):
    code, found, wrong = app_cases.find("memory", hexec, case)
    if wrong:
        return wrong
    if expected is None:
        return f"{case.__name__}: found {found}" if found or code else ""
    kind, message, lines = expected
    is_found = len(found) == 1 and found[0]["kind"] == kind and found[0]["message"].startswith(message)
    if is_found and lines:
        is_found = [place["line"] for place in found[0]["places"]] == lines
    return "" if is_found and code == 1 else f"{case.__name__}: exit code {code}, found {found}"


if __name__ == "__main__":
    sys.exit(app_cases.main(EXPECTED, check))
