"""The CUDA runtime API by ctypes, and a program's modules as nvcc puts them there: the library is their first argument."""
import ctypes
import struct
import sys
from ctypes import byref, c_char, c_int, c_int64, c_size_t, c_uint, c_uint32, c_void_p

cudart = ctypes.CDLL(sys.argv[1])
TO_DEVICE, TO_HOST, ON_DEVICE, DEFAULT = 1, 2, 3, 4  # cudaMemcpyKind
INVALID_VALUE, INVALID_CONFIGURATION, INVALID_SYMBOL, INVALID_DIRECTION, INVALID_FUNCTION = 1, 9, 13, 21, 98  # cudaError
INVALID_DEVICE, NO_IMAGE, INVALID_HANDLE, NOT_READY, ILLEGAL_ADDRESS, NOT_SUPPORTED = 101, 209, 400, 600, 700, 801
HEAD = b".version 7.5\n.target sm_75\n.address_size 64\n"


class Dim3(ctypes.Structure):
    _fields_ = [("x", c_uint), ("y", c_uint), ("z", c_uint)]

    def __init__(self, x=1, y=1, z=1):
        super().__init__(x, y, z)


class Extent(ctypes.Structure):
    _fields_ = [("width", c_size_t), ("height", c_size_t), ("depth", c_size_t)]


class Pitched(ctypes.Structure):
    """cudaPitchedPtr"""
    _fields_ = [("address", c_void_p), ("pitch", c_size_t), ("width", c_size_t), ("height", c_size_t)]


class Config(ctypes.Structure):
    """cudaLaunchConfig_t"""
    _fields_ = [("grid", Dim3), ("block", Dim3), ("shared", c_size_t), ("stream", c_void_p), ("attributes", c_void_p), ("count", c_uint)]


def call(name, *arguments, want=0):
    """A number is passed so that it is right for an int as well as for a size_t."""
    got = getattr(cudart, name)(*[c_int64(argument) if isinstance(argument, int) else argument for argument in arguments])
    assert got == want, f"{name} returns {got}, not {want}"


def out(kind, name, *arguments):
    """What the function leaves where its first argument points."""
    value = kind()
    call(name, byref(value), *arguments)
    return value


def last(want):
    """The thread's last error, which is forgotten then."""
    call("cudaPeekAtLastError", want=want)
    call("cudaGetLastError", want=want)
    call("cudaGetLastError")


def values(*arguments):
    """A list for a launch, which holds what it points to."""
    made = (c_void_p * len(arguments))(*[ctypes.addressof(argument) for argument in arguments])
    made.kept = arguments
    return made


def numbers(*values_of):
    return (c_uint32 * len(values_of))(*values_of)


def put(address, *values_of):
    call("cudaMemcpy", address, numbers(*values_of), 4 * len(values_of), TO_DEVICE)


def read(address, count):
    host = (c_uint32 * count)()
    call("cudaMemcpy", host, address, 4 * count, TO_HOST)
    return list(host)


def fat_binary(*texts, kind=1):
    """A head, and an entry for each text of PTX; kind 2: of machine code."""
    entries = b""
    for text in texts:
        text += b"\0" * (8 - len(text) % 8)
        entries += struct.pack("<HHIQIIIIIIQQQ", kind, 0x101, 64, len(text), 0, 0, 0x50007, 75, 0, 0, 0, 0, 0) + text
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


class Wrapper(ctypes.Structure):
    """What a program has for a fat binary; parts: of a program whose modules are still to be linked."""
    _fields_ = [("magic", c_uint32), ("version", c_uint32), ("data", c_void_p), ("parts", c_void_p)]


class Program:
    """Its kernels and variables have addresses of the host, by which it names them: self["name"]."""

    def __init__(self, *texts, kernels=(), variables=(), managed=(), is_linked=False, kind=1):
        self.binaries = [ctypes.create_string_buffer(fat_binary(text, kind=kind)) for text in texts]
        self.parts = (c_void_p * (len(texts) + 1))(*[ctypes.addressof(binary) for binary in self.binaries])
        self.wrapper = Wrapper(0x466243B1, 2 if is_linked else 1, self.parts[0], ctypes.addressof(self.parts) if is_linked else None)
        self.handle, self.kept = c_void_p(self.function("__cudaRegisterFatBinary", c_void_p)(byref(self.wrapper))), {}
        for name in kernels:
            self.function("__cudaRegisterFunction")(self.handle, *self.key(name), c_int(-1), None, None, None, None, None)
        for function, list_of in (("__cudaRegisterVar", variables), ("__cudaRegisterManagedVar", managed)):
            for name, size in list_of:
                self.function(function)(self.handle, *self.key(name), c_int(0), c_size_t(size), c_int(0), c_int(0))
        self.function("__cudaRegisterFatBinaryEnd")(self.handle)

    @staticmethod
    def function(name, result=None):
        found = getattr(cudart, name)
        found.restype = result
        return found

    def key(self, name):
        """The variable or stub of the host's, and the name twice; all of it stays."""
        self.kept[name] = (c_char * 8)(), ctypes.create_string_buffer(name.encode())
        return self[name], self.kept[name][1], self.kept[name][1]

    def __getitem__(self, name):
        return c_void_p(ctypes.addressof(self.kept[name][0]))

    def managed(self, name):
        """The address that the library has put into the program's pointer."""
        assert self.function("__cudaInitModule", c_char)(self.handle) == b"\1"
        return c_void_p.from_buffer(self.kept[name][0])

    def launch(self, name, *arguments, block=32, stream=None, want=0):
        call("cudaLaunchKernel", self[name], Dim3(1), Dim3(block), values(*arguments), 0, stream, want=want)

    def end(self):
        self.function("__cudaUnregisterFatBinary")(self.handle)


def kernel(name, params, body):
    """PTX of a kernel: `out` is its first parameter, of which %a0 is the number of the thread, whose place in the block is %t."""
    return b"""
.visible .entry %s(.param .u64 out%s) {
    .reg .u64 %%a<6>; .reg .u32 %%r<6>, %%t; .reg .f32 %%f<6>;
    ld.param.u64 %%a0, [out]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%a1, %%t, 4; add.u64 %%a0, %%a0, %%a1;
    %s ret;
}
""" % (name.encode(), params.encode(), body.encode())


ADD = kernel("add", ", .param .u32 value", "ld.param.u32 %r0, [value]; ld.global.u32 %r1, [%a0]; add.u32 %r1, %r1, %r0; st.global.u32 [%a0], %r1;")
