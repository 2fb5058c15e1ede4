#!/usr/bin/env python3
"""usage: hexec app --check memory -- cuda_no_image.py libcuda.so.1

Reads a texture, destroys it, and reads it again; then what memory is in its place, and a reference that nothing is bound to."""
import ctypes
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

from cuda_calls import call, out, start

PTX = b""".version 7.5
.target sm_75
.address_size 64
.global .texref named;
.visible .entry read(.param .u64 to_, .param .u64 texture_) {
    .reg .b64 to, t; .reg .b32 n; .reg .f32 r<4>; ld.param.u64 to, [to_]; ld.param.u64 t, [texture_]; mov.u32 n, 1;
    tex.1d.v4.f32.s32 {r0, r1, r2, r3}, [t, {n}];
    st.global.f32 [to], r0; ret;
}
.visible .entry read_named(.param .u64 to_) {
    .reg .b64 to; .reg .b32 n; .reg .f32 r<4>; ld.param.u64 to, [to_]; mov.u32 n, 1;
    tex.1d.v4.f32.s32 {r0, r1, r2, r3}, [named, {n}];
    st.global.f32 [to], r0; ret;
}
"""
FLOAT, LINEAR = 32, 2


class Resource(ctypes.Structure):
    """CUDA_RESOURCE_DESC of linear memory"""
    _fields_ = [("type", c_int), ("address", c_uint64), ("format", c_int), ("channels", c_uint), ("bytes", c_size_t), ("reserved", c_int * 26), ("flags", c_uint)]


class Texture(ctypes.Structure):
    """CUDA_TEXTURE_DESC"""
    _fields_ = [("address", c_int * 3), ("filter", c_int), ("flags", c_uint), ("anisotropy", c_uint), ("mipmap", c_int), ("bias", c_float),
                ("least", c_float), ("most", c_float), ("border", c_float * 4), ("reserved", c_int * 12)]


def launch(name, *values):
    function = out(c_void_p, "cuModuleGetFunction", module, name)
    call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, (c_void_p * len(values))(*[ctypes.addressof(v) for v in values]), None)
    call("cuCtxSynchronize")


start()
module = out(c_void_p, "cuModuleLoadData", PTX + b"\0")
memory = out(c_uint64, "cuMemAlloc_v2", c_size_t(256))
texture = out(c_uint64, "cuTexObjectCreate", byref(Resource(LINEAR, memory.value, FLOAT, 1, 256)), byref(Texture()), None)
launch(b"read", memory, texture)
call("cuTexObjectDestroy", texture)
launch(b"read", memory, texture)
launch(b"read", memory, memory)
launch(b"read_named", memory)
