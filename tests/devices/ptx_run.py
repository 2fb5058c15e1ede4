#!/usr/bin/env python3
"""usage: ptx_run.py LIBGPUOCELOT.so

A Python program that runs PTX by ptx_run, through ctypes, as a framework's tests do."""
import ctypes
import os
import shutil
import subprocess
import sys
import threading

LIBRARY = sys.argv[1]
KERNEL = """.version 7.5
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 out, .param .u64 in, .param .s32 factor, .param .u16 small) {
    .reg .u64 %a<6>; .reg .u32 %r<8>; .reg .u16 %h; .reg .pred %p;
    ld.param.u64 %a0, [out]; ld.param.u64 %a1, [in]; ld.param.u32 %r0, [factor]; ld.param.u16 %h, [small];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
    mul.wide.u32 %a2, %r1, 4; add.u64 %a3, %a1, %a2; ld.global.u32 %r4, [%a3];
    cvt.u32.u16 %r5, %h; mad.lo.u32 %r4, %r4, %r0, %r5;
    add.u64 %a3, %a0, %a2; st.global.u32 [%a3], %r4; ret;
}
"""
run = ctypes.CDLL(LIBRARY).ptx_run


def test_found():
    """Programs find it by ctypes, whose search reads the name that the library gives itself."""
    if not shutil.which("ld") or not shutil.which("objdump"):
        return
    code = "import ctypes.util; print(ctypes.util.find_library('gpuocelot'))"
    found = subprocess.run([sys.executable, "-c", code], env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(LIBRARY)},
                           capture_output=True, text=True, check=True).stdout
    assert found == "libgpuocelot.so\n", found


def scale(out, values, factor, small, blocks=4):
    arguments = (ctypes.c_void_p * 4)(ctypes.addressof(out), ctypes.addressof(values), factor & 0xFFFFFFFF, small)
    run(KERNEL.encode(), 4, arguments, len(values) // blocks, 1, 1, blocks, 1, 1, 0)


def check(factor, small):
    values, out = (ctypes.c_int32 * 256)(*range(256)), (ctypes.c_int32 * 256)()
    for _ in range(20):
        scale(out, values, factor, small)
        assert list(out) == [i * factor + small for i in range(256)], (factor, small, list(out)[:8])


def test_values():
    check(3, 7)
    check(-2, 65535)


def test_threads():
    failed = []

    def call(number):
        try:
            check(number, number + 1)
        except AssertionError as error:
            failed.append(error)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed


def run_again(what, **variables):
    return subprocess.run([sys.executable, __file__, LIBRARY, what], capture_output=True, text=True, check=False,
                          env={**os.environ, **variables})


def test_failures():
    for what, message in (("bad-ptx", "module.ptx:"), ("stray", "access outside every buffer"), ("few", "has 4 parameters")):
        ended = run_again(what)
        assert ended.returncode == -6 and message in ended.stderr, (what, ended.returncode, ended.stderr)


def test_report():
    ended = run_again("values", HEXEC_APP_REPORT="text")
    assert ended.returncode == 0 and "hexec: 40 launches of 1 kernel," in ended.stderr, ended.stderr
    assert "\nscale " in ended.stderr, ended.stderr


def do(what):
    if what == "bad-ptx":
        run(b".version 7.5\n.target sm_75\n.entry f() { nonsense; }", 0, None, 1, 1, 1, 1, 1, 1, 0)
    elif what == "stray":
        run(KERNEL.encode(), 4, (ctypes.c_void_p * 4)(64, 64, 1, 1), 1, 1, 1, 1, 1, 1, 0)
    elif what == "few":
        run(KERNEL.encode(), 1, (ctypes.c_void_p * 1)(64), 1, 1, 1, 1, 1, 1, 0)
    else:
        test_values()


if len(sys.argv) > 2:
    do(sys.argv[2])
else:
    for test in (test_values, test_found, test_threads, test_failures, test_report):
        test()
    print("ptx_run: ok")
