#!/usr/bin/env python3
"""usage: app_strays.py HEXEC [run]

A CUDA program that loads the element behind an allocation, and once more behind another one: it runs to its end with one warning, and
the element is 0; with the checker `memory` both loads are one finding. A store there fails. With `run` it is that program."""
import ctypes
import subprocess
import sys
from ctypes import byref, c_size_t, c_uint32, c_uint64, c_void_p

PTX = b""".version 7.5
.target sm_75
.address_size 64
.visible .entry load(.param .u64 from) {
    .reg .u64 %a; .reg .u32 %r;
    ld.param.u64 %a, [from]; ld.global.u32 %r, [%a+128]; add.u32 %r, %r, 7; st.global.u32 [%a], %r; ret;
}
.visible .entry store(.param .u64 from) {
    .reg .u64 %a; .reg .u32 %r;
    ld.param.u64 %a, [from]; mov.u32 %r, 1; st.global.u32 [%a+128], %r; ret;
}
\0"""
ILLEGAL_ADDRESS = 700


def run():
    api = ctypes.CDLL("libcuda.so.1")

    def call(name, *arguments):
        got = getattr(api, name)(*arguments)
        assert got == 0, f"{name} returns {got}"

    def out(kind, name, *arguments):
        call(name, byref(value := kind()), *arguments)
        return value

    call("cuInit", 0)
    call("cuCtxSetCurrent", out(c_void_p, "cuDevicePrimaryCtxRetain", 0))
    module, got = out(c_void_p, "cuModuleLoadData", PTX), c_uint32()
    for name in (b"load", b"load", b"store"):
        place = out(c_uint64, "cuMemAlloc_v2", c_size_t(128))
        arguments = (c_void_p * 1)(ctypes.addressof(place))
        call("cuLaunchKernel", out(c_void_p, "cuModuleGetFunction", module, name), 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
        ended = api.cuCtxSynchronize()
        if name == b"load":
            assert ended == 0, f"a load ends with {ended}"
            call("cuMemcpyDtoH_v2", byref(got), place, c_size_t(4))
            assert got.value == 7, f"{got.value} - 7 is behind the end"
    print(f"the store ends with {ended}")


def main():
    failures = []
    for words, wanted in (((), {"HX1610": 1, "'load' loads from beside a buffer": 1, "HX1650": 1, f"ends with {ILLEGAL_ADDRESS}": 1}),
                          (("--check", "memory"), {"HX1610": 0, "memory.out_of_range: load": 1,
                                                   "load of 4 bytes right behind the end of buffer 'allocation 1', element 32 of 32 (2 times)": 1,
                                                   "memory.out_of_range: store of 4 bytes right behind the end": 1})):
        done = subprocess.run([sys.argv[1], "app", *words, "--", sys.executable, __file__, sys.argv[1], "run"], capture_output=True, text=True,
                              timeout=300, check=False)
        text = done.stdout + done.stderr
        failures += [f"{count} of {word!r} are looked for in\n{text}" for word, count in wanted.items() if text.count(word) != count]
    print("\n".join(failures) if failures else "all as it should be")
    return len(failures) > 0


sys.exit(run() if len(sys.argv) > 2 else main())
