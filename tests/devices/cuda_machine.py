"""A module of PTX with two kernels, and memory for them: what tests of the CUDA driver launch."""
import ctypes
from ctypes import c_uint, c_uint32, c_uint64, c_void_p

from cuda_calls import KernelParams, PTX_ADD, call, out

PTX = PTX_ADD + b""".visible .entry double(.param .u64 out) .reqntid 32 {
    .reg .u64 %a<3>; .reg .u32 %r<3>; .shared .b8 room[4096];
    ld.param.u64 %a0, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %a1, %r1, 4; add.u64 %a0, %a0, %a1;
    ld.global.u32 %r2, [%a0]; shl.b32 %r2, %r2, 1; st.global.u32 [%a0], %r2; ret;
}
\0"""


def read(address, count):
    host = (c_uint32 * count)()
    call("cuMemcpyDtoH_v2", host, address, 4 * count)
    return list(host)


class Machine:
    """A module, its functions, and memory for 32 numbers."""

    def __init__(self, image=PTX):
        self.module = out(c_void_p, "cuModuleLoadData", image)
        self.add = out(c_void_p, "cuModuleGetFunction", self.module, b"add")
        self.double = out(c_void_p, "cuModuleGetFunction", self.module, b"double")
        self.memory = out(c_uint64, "cuMemAlloc_v2", 128)
        self.kept = []

    def values(self, *values):
        """A list for kernelParams; it stays."""
        self.kept.append(values)
        self.kept.append((c_void_p * len(values))(*[ctypes.addressof(value) for value in values]))
        return self.kept[-1]

    def launch(self, function, stream, *values):
        call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, stream, self.values(*values), None)

    def params(self, function, *values):
        return KernelParams(function, (c_uint * 3)(1, 1, 1), (c_uint * 3)(32, 1, 1), 0, ctypes.cast(self.values(*values), c_void_p), None)

    def free(self):
        call("cuMemFree_v2", self.memory)
        call("cuModuleUnload", self.module)
