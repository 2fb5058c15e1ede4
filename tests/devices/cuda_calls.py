"""The CUDA driver API by ctypes, for the tests beside it: the library is their first argument."""
import ctypes
import sys
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p

cuda = ctypes.CDLL(sys.argv[1])
# adds `value` to a number of each thread
PTX_ADD = b""".version 7.5
.target sm_75
.address_size 64
.visible .entry add(.param .u64 out, .param .u32 value) {
    .reg .u64 %a<3>; .reg .u32 %r<3>;
    ld.param.u64 %a0, [out]; ld.param.u32 %r0, [value]; mov.u32 %r1, %tid.x; mul.wide.u32 %a1, %r1, 4; add.u64 %a0, %a0, %a1;
    ld.global.u32 %r2, [%a0]; add.u32 %r2, %r2, %r0; st.global.u32 [%a0], %r2; ret;
}
"""


class KernelParams(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS"""
    _fields_ = [("function", c_void_p), ("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("params", c_void_p), ("extra", c_void_p)]


class Fill(ctypes.Structure):
    """CUDA_MEMSET_NODE_PARAMS"""
    _fields_ = [("to", c_uint64), ("pitch", c_size_t), ("value", c_uint), ("element", c_uint), ("width", c_size_t), ("height", c_size_t)]


class Copy2D(ctypes.Structure):
    """CUDA_MEMCPY2D"""
    _fields_ = [(end + name, kind) for end in ("src", "dst")
                for name, kind in (("X", c_size_t), ("Y", c_size_t), ("Type", c_int), ("Host", c_void_p), ("Device", c_uint64), ("Array", c_void_p),
                                   ("Pitch", c_size_t))] + [("Width", c_size_t), ("Height", c_size_t)]


class Copy3D(ctypes.Structure):
    """CUDA_MEMCPY3D"""
    _fields_ = [(end + name, kind) for end in ("src", "dst")
                for name, kind in (("X", c_size_t), ("Y", c_size_t), ("Z", c_size_t), ("LOD", c_size_t), ("Type", c_int), ("Host", c_void_p),
                                   ("Device", c_uint64), ("Array", c_void_p), ("Reserved", c_void_p), ("Pitch", c_size_t), ("Rows", c_size_t))
                ] + [("Width", c_size_t), ("Height", c_size_t), ("Depth", c_size_t)]


def call(name, *arguments, want=0):
    got = getattr(cuda, name)(*arguments)
    assert got == want, f"{name} returns {got}, not {want}"


def out(kind, name, *arguments):
    """What the function leaves where its first argument points."""
    value = kind()
    call(name, byref(value), *arguments)
    return value


def start():
    call("cuInit", 0)
    call("cuCtxSetCurrent", out(c_void_p, "cuDevicePrimaryCtxRetain", 0))
