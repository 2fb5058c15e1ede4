#!/usr/bin/env python3
"""usage: cuda_textures.py LIBCUDA.so.1

Arrays, textures and surfaces of the driver API: copies between arrays and other memory, what kernels read of all kinds of memory with all
modes, compared with the formulas of the CUDA C++ Programming Guide, what they write, references of modules, and errors."""
import ctypes
import itertools
import math
import struct
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

from cuda_calls import Copy2D, Copy3D, call, out, start

U8, U16, U32, S8, S16, S32, HALF, FLOAT, UNORM8X4, SNORM16X2 = 1, 2, 3, 8, 9, 10, 16, 32, 0xc2, 0xca
LAYERED, SURFACE, CUBEMAP, GATHER = 1, 2, 4, 8
WRAP, CLAMP, MIRROR, BORDER = range(4)
AS_INTEGER, NORMALIZED, SRGB, SEAMLESS = 1, 2, 0x10, 0x40
INVALID_VALUE, NOT_SUPPORTED, NOT_FOUND, INVALID_HANDLE = 1, 801, 500, 400

# geometry: (how coordinates stand in the instruction, which of them is an integer in any case)
GEOMETRIES = {"1d": "{a}", "2d": "{a, b}", "3d": "{a, b, c, c}", "a1d": "{i, b}", "a2d": "{i, b, c, c}", "cube": "{a, b, c, c}",
              "acube": "{i, b, c, d}"}


def fetch(geometry, result, coordinate):
    """An entry that reads as many texels as there are threads; each has four words of `from`, which are its coordinates."""
    places = GEOMETRIES[geometry]
    if coordinate == "s32":
        places = places.translate(str.maketrans("abcd", "ijkl")) if "i" not in places else places.translate(str.maketrans("bcd", "jkl"))
    return f""".visible .entry fetch_{geometry}_{result}_{coordinate}(.param .u64 to_, .param .u64 from_, .param .u64 texture_) {{
    .reg .b64 to, from, texture, at; .reg .b32 n, i, j, k, l; .reg .f32 a, b, c, d; .reg .b32 r<4>;
    ld.param.u64 to, [to_]; ld.param.u64 from, [from_]; ld.param.u64 texture, [texture_];
    mov.u32 n, %tid.x; mul.wide.u32 at, n, 16; add.u64 to, to, at; add.u64 from, from, at;
    ld.global.v4.u32 {{i, j, k, l}}, [from]; mov.b32 a, i; mov.b32 b, j; mov.b32 c, k; mov.b32 d, l;
    tex.{geometry}.v4.{result}.{coordinate} {{r0, r1, r2, r3}}, [texture, {places}];
    st.global.v4.u32 [to], {{r0, r1, r2, r3}}; ret;
}}
"""


PTX = """.version 7.5
.target sm_75
.address_size 64
.global .texref named;
.global .surfref painted;
.global .u32 other;
.visible .entry fetch_named(.param .u64 to_, .param .u64 from_) {
    .reg .b64 to, from, at; .reg .b32 n; .reg .f32 a, b; .reg .f32 r<4>;
    ld.param.u64 to, [to_]; ld.param.u64 from, [from_];
    mov.u32 n, %tid.x; mul.wide.u32 at, n, 16; add.u64 to, to, at; add.u64 from, from, at; ld.global.v2.f32 {a, b}, [from];
    tex.2d.v4.f32.f32 {r0, r1, r2, r3}, [named, {a, b}]; st.global.v4.f32 [to], {r0, r1, r2, r3}; ret;
}
.visible .entry fetch_named_line(.param .u64 to_, .param .u64 from_) {
    .reg .b64 to, from, at; .reg .b32 n, a; .reg .f32 r<4>;
    ld.param.u64 to, [to_]; ld.param.u64 from, [from_];
    mov.u32 n, %tid.x; mul.wide.u32 at, n, 16; add.u64 to, to, at; add.u64 from, from, at; ld.global.u32 a, [from];
    tex.1d.v4.f32.s32 {r0, r1, r2, r3}, [named, {a}]; st.global.v4.f32 [to], {r0, r1, r2, r3}; ret;
}
.visible .entry paint(.param .u64 surface_, .param .u32 width_) {
    .reg .b64 s; .reg .b32 x, y, w, v; ld.param.u64 s, [surface_]; ld.param.u32 w, [width_];
    mov.u32 x, %tid.x; mov.u32 y, %ctaid.x; mad.lo.u32 v, y, w, x; shl.b32 x, x, 2;
    sust.b.2d.b32.trap [s, {x, y}], {v}; ret;
}
.visible .entry paint_named(.param .u32 value_) {
    .reg .b32 x, y, v, w; ld.param.u32 v, [value_]; mov.u32 x, %tid.x; mov.u32 y, %ctaid.x; shl.b32 x, x, 2;
    suld.b.2d.b32.zero {w}, [painted, {x, y}]; add.u32 v, v, w; sust.b.2d.b32.zero [painted, {x, y}], {v}; ret;
}
.visible .entry gather(.param .u64 to_, .param .u64 texture_) {
    .reg .b64 to, t; .reg .f32 r<4>; ld.param.u64 to, [to_]; ld.param.u64 t, [texture_];
    tld4.r.2d.v4.f32.f32 {r0, r1, r2, r3}, [t, {0f40000000, 0f40000000}]; st.global.v4.f32 [to], {r0, r1, r2, r3}; ret;
}
""" + "".join(fetch(*kind) for kind in itertools.product(GEOMETRIES, ("f32", "u32", "s32"), ("f32", "s32")) if "cube" not in kind[0] or kind[2] == "f32")


class Flat(ctypes.Structure):
    _fields_ = [("width", c_size_t), ("height", c_size_t), ("format", c_int), ("channels", c_uint)]


class Deep(ctypes.Structure):
    _fields_ = [("width", c_size_t), ("height", c_size_t), ("depth", c_size_t), ("format", c_int), ("channels", c_uint), ("flags", c_uint)]


class Linear(ctypes.Structure):
    _fields_ = [("address", c_uint64), ("format", c_int), ("channels", c_uint), ("bytes", c_size_t)]


class Rows(ctypes.Structure):
    _fields_ = [("address", c_uint64), ("format", c_int), ("channels", c_uint), ("width", c_size_t), ("height", c_size_t), ("pitch", c_size_t)]


class Kinds(ctypes.Union):
    _fields_ = [("array", c_void_p), ("linear", Linear), ("rows", Rows), ("reserved", c_int * 32)]


class Resource(ctypes.Structure):
    _fields_ = [("type", c_int), ("of", Kinds), ("flags", c_uint)]


class Texture(ctypes.Structure):
    _fields_ = [("address", c_int * 3), ("filter", c_int), ("flags", c_uint), ("anisotropy", c_uint), ("mipmap", c_int), ("bias", c_float),
                ("least", c_float), ("most", c_float), ("border", c_float * 4), ("reserved", c_int * 12)]


class View(ctypes.Structure):
    _fields_ = [("format", c_int), ("width", c_size_t), ("height", c_size_t), ("depth", c_size_t), ("first_level", c_uint), ("last_level", c_uint),
                ("first_layer", c_uint), ("last_layer", c_uint), ("reserved", c_uint * 16)]


assert (ctypes.sizeof(Resource), ctypes.sizeof(Texture), ctypes.sizeof(View)) == (144, 104, 112)


class Module:
    def __init__(self):
        self.handle = out(c_void_p, "cuModuleLoadData", PTX.encode() + b"\0")
        self.to, self.places = (out(c_uint64, "cuMemAlloc_v2", c_size_t(16 * 1024)) for _ in range(2))

    def launch(self, name, grid, block, *values):
        function = out(c_void_p, "cuModuleGetFunction", self.handle, name.encode())
        call("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None, (c_void_p * len(values))(*[ctypes.addressof(v) for v in values]), None)

    def fetch(self, name, kind, places, *texture):
        """What the kernel reads at places of up to four words, each a float or an int: four values of this kind for each."""
        words = b"".join(struct.pack("<f" if isinstance(word, float) else "<i", word) for place in places for word in (place + (0, ) * 4)[:4])
        call("cuMemcpyHtoD_v2", self.places, words, c_size_t(len(words)))
        self.launch(name, 1, len(places), self.to, self.places, *texture)
        got = ctypes.create_string_buffer(len(words))
        call("cuMemcpyDtoH_v2", got, self.to, c_size_t(len(words)))
        return list(struct.iter_unpack("<4" + kind, got.raw))


def array_of(width, height, depth, form, channels, flags, content=None):
    wanted = Deep(width, height, depth, form, channels, flags)
    array = out(c_void_p, "cuArray3DCreate_v2", byref(wanted))
    if content is not None:
        rows, planes = max(height, 1), max(depth, 1)
        pitch = len(content) // rows // planes
        copy = Copy3D(srcType=1, srcHost=ctypes.cast(ctypes.c_char_p(content), c_void_p), srcPitch=pitch, srcRows=rows, dstType=3, dstArray=array,
                      Width=pitch, Height=rows, Depth=planes)
        call("cuMemcpy3D_v2", byref(copy))
    return array


def texture_of(resource, address=(CLAMP, ) * 3, linear=False, flags=0, border=(0, 0, 0, 0), view=None, want=0):
    texture = Texture(address=(c_int * 3)(*address), filter=linear, flags=flags, border=(c_float * 4)(*border))
    made = c_uint64()
    call("cuTexObjectCreate", byref(made), byref(resource), byref(texture), byref(view) if view else None, want=want)
    return made


def of_array(array):
    return Resource(0, Kinds(array=array))


# ---- the formulas of the CUDA C++ Programming Guide, "Texture Fetching"


def index_of(index, size, mode, normalized):
    """The texel, or None for the border."""
    if mode in (WRAP, MIRROR) and not normalized:
        mode = CLAMP
    if mode == WRAP:
        return index % size
    if mode == MIRROR:
        index %= 2 * size
        return index if index < size else 2 * size - 1 - index
    if mode == BORDER and not 0 <= index < size:
        return None
    return min(max(index, 0), size - 1)


def model(texels, sizes, place, modes, linear, normalized, border):
    """texels: a function of as many indices as there are sizes."""
    scaled = [at * size if normalized else at for at, size in zip(place, sizes)]

    def texel(indices):
        found = [index_of(index, size, mode, normalized) for index, size, mode in zip(indices, sizes, modes)]
        return border if None in found else texels(*found)
    if not linear:
        return texel([math.floor(at) for at in scaled])
    first = [math.floor(at - 0.5) for at in scaled]
    part = [round((at - 0.5 - low) * 256) / 256 for at, low in zip(scaled, first)]
    total = [0.0] * len(border)
    for corner in itertools.product((0, 1), repeat=len(sizes)):
        weight = math.prod(p if c else 1 - p for c, p in zip(corner, part))
        for i, value in enumerate(texel([low + c for low, c in zip(first, corner)])):
            total[i] += weight * value
    return tuple(total)


def check_close(got, want, what):
    assert len(got) == len(want)
    for one, other in zip(got, want):
        assert all(abs(a - b) <= 1e-5 * max(1, abs(b)) for a, b in zip(one, other)), (what, one, other)


# ---- tests


def test_arrays(module):
    """Copies in all directions, with corners, pitches and planes."""
    width, height, depth = 8, 4, 3
    content = bytes(range(2 * width * height * depth))
    array = array_of(width, height, depth, U16, 1, 0, content)
    found = Deep()
    call("cuArray3DGetDescriptor_v2", byref(found), array)
    assert (found.width, found.height, found.depth, found.format, found.channels, found.flags) == (8, 4, 3, U16, 1, 0)
    other, memory = array_of(width, height, depth, U16, 1, 0), out(c_uint64, "cuMemAlloc_v2", c_size_t(2048))
    box = {"srcX": 4, "srcY": 1, "srcZ": 1, "dstX": 2, "dstY": 2, "dstZ": 0, "Width": 6, "Height": 2, "Depth": 2}
    call("cuMemcpy3D_v2", byref(Copy3D(srcType=3, srcArray=array, dstType=3, dstArray=other, **box)))
    call("cuMemcpy3DAsync_v2", byref(Copy3D(srcType=3, srcArray=other, dstType=2, dstDevice=memory, dstPitch=32, dstRows=8, Width=16, Height=4, Depth=3)),
         None)
    host = ctypes.create_string_buffer(2048)
    call("cuMemcpyDtoH_v2", host, memory, c_size_t(32 * 8 * 3))
    for z, y in itertools.product(range(2), range(2)):
        row, source = host.raw[(8 * z + y + 2) * 32:][:16], ((z + 1) * height + y + 1) * 16 + 4
        assert row == bytes(2) + content[source:source + 6] + bytes(8), (z, y, row)
    flat = out(c_void_p, "cuArrayCreate_v2", byref(Flat(16, 2, U8, 1)))
    rows = ctypes.create_string_buffer(bytes(range(100, 180)), 80)
    call("cuMemcpy2D_v2", byref(Copy2D(srcType=1, srcHost=ctypes.addressof(rows), srcPitch=40, dstType=3, dstArray=flat, Width=16, Height=2)))
    call("cuMemcpy2DUnaligned_v2", byref(Copy2D(srcType=3, srcArray=flat, srcX=3, srcY=1, dstType=1, dstHost=ctypes.addressof(host), Width=5, Height=1)))
    assert host.raw[:5] == bytes(range(143, 148)), host.raw[:5]
    call("cuMemcpy2D_v2", byref(Copy2D(srcType=3, srcArray=flat, dstType=1, dstHost=ctypes.addressof(host), Width=17, Height=2)), want=INVALID_VALUE)
    call("cuMemcpy2D_v2", byref(Copy2D(srcType=3, srcArray=flat, srcY=1, dstType=1, dstHost=ctypes.addressof(host), Width=4, Height=2)),
         want=INVALID_VALUE)
    copy_lines(memory, host)
    for thing in (array, other, flat):
        call("cuArrayDestroy", thing)
    call("cuMemFree_v2", memory)


def copy_lines(memory, host):
    line, more = (out(c_void_p, "cuArrayCreate_v2", byref(Flat(64, 0, U8, 1))) for _ in range(2))
    stream = out(c_void_p, "cuStreamCreate", 0)
    call("cuMemcpyHtoA_v2", line, c_size_t(0), bytes(range(64)), c_size_t(64))
    call("cuMemcpyAtoA_v2", more, c_size_t(8), line, c_size_t(16), c_size_t(8))
    call("cuMemcpyAtoD_v2", memory, more, c_size_t(8), c_size_t(8))
    call("cuMemcpyDtoA_v2", more, c_size_t(40), memory, c_size_t(4))
    call("cuMemcpyHtoAAsync_v2", more, c_size_t(0), b"abcd", c_size_t(4), stream)
    call("cuMemcpyAtoHAsync_v2", host, more, c_size_t(0), c_size_t(64), stream)
    call("cuStreamSynchronize", stream)
    assert host.raw[:64] == b"abcd" + bytes(4) + bytes(range(16, 24)) + bytes(24) + bytes(range(16, 20)) + bytes(20), host.raw[:64]
    call("cuMemcpyAtoH_v2", host, line, c_size_t(60), c_size_t(4))
    assert host.raw[:4] == bytes(range(60, 64))
    for name, *arguments in (("cuMemcpyAtoH_v2", host, line, c_size_t(60), c_size_t(5)), ("cuMemcpyHtoA_v2", line, c_size_t(65), host, c_size_t(0)),
                             ("cuMemcpyHtoA_v2", None, c_size_t(0), host, c_size_t(4)), ("cuMemcpyAtoA_v2", line, c_size_t(61), more, c_size_t(0), c_size_t(4))):
        call(name, *arguments, want=INVALID_VALUE)
    for thing in (line, more):
        call("cuArrayDestroy", thing)
    call("cuStreamDestroy_v2", stream)


def test_modes(module):
    """Each mode of one dimension with each of the other, with and without filters, in two dimensions and three."""
    width, height, depth = 5, 4, 3
    values = [struct.unpack("<f", struct.pack("<f", math.sin(i)))[0] for i in range(width * height * depth * 2)]
    content = struct.pack(f"<{len(values)}f", *values)
    arrays = {2: array_of(width, height, 0, FLOAT, 2, 0, content[:8 * width * height]), 3: array_of(width, height, depth, FLOAT, 2, 0, content)}
    border = (2.5, -1.5, 0.25, 4.0)

    def texels(x, y, z=0):
        return tuple(values[2 * ((z * height + y) * width + x):][:2])
    for dimensions, array in arrays.items():
        sizes = (width, height, depth)[:dimensions]
        for modes, linear, normalized in itertools.product(itertools.product(range(4), repeat=dimensions), (False, True), (False, True)):
            if dimensions == 3 and len(set(modes)) == 2 and modes[0] != modes[1]:
                continue  # enough of them
            steps = [(-1.3, 0.2, 0.47, 0.81, 1.6)[:4 if dimensions == 3 else 5] for _ in sizes]
            places = [tuple(at * (1 if normalized else size) for at, size in zip(place, sizes)) for place in itertools.product(*steps)]
            texture = texture_of(of_array(array), modes + (CLAMP, ) * (3 - dimensions), linear, NORMALIZED if normalized else 0, border)
            got = module.fetch(f"fetch_{dimensions}d_f32_f32", "f", places, texture)
            singles = [struct.unpack(f"<{dimensions}f", struct.pack(f"<{dimensions}f", *place)) for place in places]
            want = [model(texels, sizes, place, modes, linear, normalized, border[:2]) for place in singles]
            check_close([one[:2] for one in got], want, (modes, linear, normalized))
            call("cuTexObjectDestroy", texture)
    call("cuTexObjectDestroy", c_uint64(4096), want=INVALID_VALUE)
    for array in arrays.values():
        call("cuArrayDestroy", array)


def test_formats(module):
    """Texels of all formats: integers as they are and as fractions, halves, formats that are fractions; missing channels are 0, and the last 1."""
    bits = bytes((7 * i + 129) % 256 for i in range(4 * 16))
    forms = {U8: ("B", 255), U16: ("H", 65535), U32: ("I", 0), S8: ("b", 127), S16: ("h", 32767), S32: ("i", 0)}
    for form, channels, fraction in itertools.product(forms, (1, 2, 4), (False, True)):
        letter, most = forms[form]
        size = struct.calcsize(letter) * channels
        texture = texture_of(of_array(array_of(4, 0, 0, form, channels, 0, bits[:4 * size])), flags=0 if fraction else AS_INTEGER)
        reads = fraction and most
        kind = "f" if reads else "i" if letter.islower() else "I"
        got = module.fetch(f"fetch_1d_{dict(f='f32', i='s32', I='u32')[kind]}_s32", kind, [(i, ) for i in range(4)], texture)
        for i, one in enumerate(got):
            raw = struct.unpack_from(f"<{channels}{letter}", bits, i * size)
            want = [max(value / most, -1.0) if reads else value for value in raw] + [0, 0, 0, 1][channels:]
            assert all(abs(a - b) < 1e-6 if reads else a == b for a, b in zip(one, want)), (form, channels, fraction, one, want)
    for form, channels, content, want in ((HALF, 4, struct.pack("<4e", 1.5, -2, 0.25, 9), (1.5, -2, 0.25, 9)), (UNORM8X4, 4, bytes((255, 0, 51, 102)),
                                                                                                                   (1, 0, 0.2, 0.4)),
                                          (SNORM16X2, 2, struct.pack("<2h", 32767, -32768), (1, -1, 0, 1))):
        texture = texture_of(of_array(array_of(1, 1, 0, form, channels, 0, content)))
        check_close(module.fetch("fetch_2d_f32_f32", "f", [(0.5, 0.5)], texture), [want], form)
    call("cuArrayCreate_v2", byref(c_void_p()), byref(Flat(4, 4, UNORM8X4, 1)), want=INVALID_VALUE)


def test_layers(module):
    """Layers, faces of cubes, and views of some of the layers and in another format."""
    numbers = [float(i) for i in range(2 * 2 * 12)]
    content = struct.pack(f"<{len(numbers)}f", *numbers)
    lines = texture_of(of_array(array_of(4, 0, 3, FLOAT, 1, LAYERED, content[:48])))
    got = module.fetch("fetch_a1d_f32_f32", "f", [(layer, 2.5) for layer in (0, 1, 2, 9)], lines)
    assert [one[0] for one in got] == [2, 6, 10, 10], got
    layers = array_of(2, 2, 12, FLOAT, 1, LAYERED, content)
    got = module.fetch("fetch_a2d_f32_f32", "f", [(layer, 1.5, 0.5) for layer in (0, 5, 11, 99)], texture_of(of_array(layers)))
    assert [one[0] for one in got] == [1, 21, 45, 45], got
    view = View(22, 2, 2, 12, 0, 0, 3, 4)  # one float
    got = module.fetch("fetch_a2d_f32_f32", "f", [(layer, 1.5, 0.5) for layer in (0, 1, 2)], texture_of(of_array(layers), view=view))
    assert [one[0] for one in got] == [13, 17, 17], got
    view = View(13, 2, 2, 12, 0, 0, 0, 11)  # one unsigned number
    got = module.fetch("fetch_a2d_u32_f32", "I", [(1, 0.5, 0.5)], texture_of(of_array(layers), view=view))
    assert got[0][0] == struct.unpack("<I", struct.pack("<f", 4))[0], got
    call("cuTexObjectGetResourceViewDesc", byref(View()), texture_of(of_array(layers)), want=INVALID_VALUE)
    kept = View()
    call("cuTexObjectGetResourceViewDesc", byref(kept), texture_of(of_array(layers), view=view))
    assert (kept.format, kept.last_layer) == (13, 11)
    for bad in (View(22, 3, 2, 12, 0, 0, 0, 11), View(22, 2, 2, 12, 0, 0, 3, 12), View(22, 2, 2, 12, 0, 0, 4, 3), View(1, 2, 2, 12, 0, 0, 0, 11),
                View(99, 2, 2, 12, 0, 0, 0, 11)):
        texture_of(of_array(layers), view=bad, want=INVALID_VALUE)
    texture_of(of_array(layers), view=View(25, 2, 2, 12, 0, 0, 0, 11), want=NOT_SUPPORTED)
    faces = [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    content = struct.pack("<12f", *range(12))
    cube, cubes = array_of(1, 1, 6, FLOAT, 1, CUBEMAP, content[:24]), array_of(1, 1, 12, FLOAT, 1, CUBEMAP | LAYERED, content)
    assert [one[0] for one in module.fetch("fetch_cube_f32_f32", "f", faces, texture_of(of_array(cube)))] == list(range(6))
    got = module.fetch("fetch_acube_f32_f32", "f", [(1, ) + face for face in faces], texture_of(of_array(cubes)))
    assert [one[0] for one in got] == list(range(6, 12)), got
    texture_of(of_array(cube), flags=SEAMLESS, linear=True, want=NOT_SUPPORTED)
    square = texture_of(of_array(array_of(4, 4, 0, FLOAT, 1, GATHER, struct.pack("<16f", *range(16)))))
    module.launch("gather", 1, 1, module.to, square)
    got = (c_float * 4)()
    call("cuMemcpyDtoH_v2", got, module.to, c_size_t(16))
    assert list(got) == [9, 10, 6, 5], list(got)


def test_memory(module):
    """Textures of memory that is no array: a line, and rows with a pitch."""
    values = [1.5 * i for i in range(32)]
    memory, content = out(c_uint64, "cuMemAlloc_v2", c_size_t(1024)), struct.pack("<32f", *values)
    call("cuMemcpyHtoD_v2", memory, content, c_size_t(128))
    line = Resource(2, Kinds(linear=Linear(memory.value, FLOAT, 1, 128)))
    got = module.fetch("fetch_1d_f32_s32", "f", [(i, ) for i in (0, 7, 31, 32, -1)], texture_of(line, (CLAMP, ) * 3, True, NORMALIZED))
    assert [one[0] for one in got] == [0, 10.5, 46.5, 0, 0], got
    pairs = Resource(2, Kinds(linear=Linear(memory.value, S16, 2, 128)))
    got = module.fetch("fetch_1d_s32_s32", "i", [(3, )], texture_of(pairs, flags=AS_INTEGER))
    assert got[0][:2] == struct.unpack_from("<2h", content, 12), got
    rows = Resource(3, Kinds(rows=Rows(memory.value, FLOAT, 1, 6, 3, 32)))
    got = module.fetch("fetch_2d_f32_f32", "f", [(2.5, 1.5), (3.0, 2.0), (99.0, -5.0)], texture_of(rows, (CLAMP, BORDER, CLAMP), True, 0, (7, 7, 7, 7)))
    assert [one[0] for one in got] == [15.0, 1.5 * (8 * 1.5 + 2.5), 7.0], got  # the middle of four texels; beyond the rows
    kept = Resource()
    call("cuTexObjectGetResourceDesc", byref(kept), texture_of(rows))
    assert (kept.type, kept.of.rows.width, kept.of.rows.pitch) == (3, 6, 32)
    for bad in (Resource(2, Kinds(linear=Linear(memory.value + 4, FLOAT, 1, 128))), Resource(2, Kinds(linear=Linear(0, FLOAT, 1, 128))),
                Resource(2, Kinds(linear=Linear(memory.value, FLOAT, 3, 128))), Resource(3, Kinds(rows=Rows(memory.value, FLOAT, 1, 6, 3, 20))),
                Resource(3, Kinds(rows=Rows(memory.value, FLOAT, 1, 9, 3, 32))), Resource(7, Kinds()), Resource(0, Kinds())):
        texture_of(bad, want=INVALID_VALUE)
    texture_of(line, (5, 0, 0), want=INVALID_VALUE)
    texture_of(line, flags=SRGB, want=NOT_SUPPORTED)
    texture_of(line, flags=0x1000, want=INVALID_VALUE)
    call("cuMemFree_v2", memory)


def test_surfaces(module):
    array = array_of(8, 4, 0, U32, 1, SURFACE)
    surface = out(c_uint64, "cuSurfObjectCreate", byref(of_array(array)))
    module.launch("paint", 4, 8, surface, c_uint32(8))
    host = (c_uint32 * 32)()
    call("cuMemcpyAtoH_v2", host, array, c_size_t(0), c_size_t(128))
    assert list(host) == list(range(32)), list(host)
    got = module.fetch("fetch_2d_u32_s32", "I", [(3, 2)], texture_of(of_array(array), flags=AS_INTEGER))
    assert got[0][0] == 19, got
    named = out(c_void_p, "cuModuleGetSurfRef", module.handle, b"painted")
    call("cuSurfRefGetArray", byref(c_void_p()), named, want=INVALID_VALUE)
    call("cuSurfRefSetArray", named, array, 0)
    module.launch("paint_named", 5, 9, c_uint32(100))  # one row and one column too many
    call("cuMemcpyAtoH_v2", host, array, c_size_t(0), c_size_t(128))
    assert list(host) == list(range(100, 132)), list(host)
    kept = Resource()
    call("cuSurfObjectGetResourceDesc", byref(kept), surface)
    assert kept.of.array == array.value and out(c_void_p, "cuSurfRefGetArray", named).value == array.value
    plain = array_of(8, 4, 0, U32, 1, 0)
    call("cuSurfObjectCreate", byref(c_uint64()), byref(of_array(plain)), want=INVALID_VALUE)
    call("cuSurfRefSetArray", named, plain, 0, want=INVALID_VALUE)
    call("cuTexObjectDestroy", surface, want=INVALID_VALUE)
    call("cuSurfObjectDestroy", surface)
    call("cuSurfObjectDestroy", surface, want=INVALID_VALUE)


def test_references(module):
    """Textures that a module declares by name."""
    call("cuModuleGetTexRef", byref(c_void_p()), module.handle, b"nowhere", want=NOT_FOUND)
    call("cuModuleGetTexRef", byref(c_void_p()), module.handle, b"other", want=NOT_FOUND)
    texture = out(c_void_p, "cuModuleGetTexRef", module.handle, b"named")
    assert out(c_void_p, "cuModuleGetTexRef", module.handle, b"named").value == texture.value
    call("cuTexRefGetArray", byref(c_void_p()), texture, want=INVALID_VALUE)
    array = array_of(4, 2, 0, U8, 1, 0, bytes((0, 51, 102, 153, 204, 255, 1, 2)))
    call("cuTexRefSetArray", texture, array, 1)
    check_close(module.fetch("fetch_named", "f", [(1.5, 0.5), (1.5, 1.5), (-9.0, 0.5)]), [(0.2, 0, 0, 1), (1, 0, 0, 1), (0, 0, 0, 1)], "named")
    call("cuTexRefSetFilterMode", texture, 1)
    call("cuTexRefSetFlags", texture, NORMALIZED)
    call("cuTexRefSetAddressMode", texture, 0, WRAP)
    check_close(module.fetch("fetch_named", "f", [(0.5, 0.25), (1.25, 0.25)]), [(0.3, 0, 0, 1), (0.1, 0, 0, 1)], "filtered")
    call("cuTexRefSetAddressMode", texture, 0, BORDER)
    call("cuTexRefSetBorderColor", texture, (c_float * 4)(0.5, 0.5, 0.5, 0.5))
    check_close(module.fetch("fetch_named", "f", [(3.0, 0.25)]), [(0.5, ) * 4], "border")
    mode = c_int()
    call("cuTexRefGetAddressMode", byref(mode), texture, 0)
    assert mode.value == BORDER and out(c_uint, "cuTexRefGetFlags", texture).value == NORMALIZED
    assert out(c_int, "cuTexRefGetFilterMode", texture).value == 1 and out(c_void_p, "cuTexRefGetArray", texture).value == array.value
    references_of_memory(module, texture)
    call("cuTexRefSetFlags", texture, SRGB, want=NOT_SUPPORTED)
    call("cuTexRefSetFilterMode", texture, 2, want=INVALID_VALUE)
    call("cuTexRefSetAddressMode", texture, 3, CLAMP, want=INVALID_VALUE)
    call("cuTexRefSetArray", texture, array, 0, want=INVALID_VALUE)


def references_of_memory(module, texture):
    memory = out(c_uint64, "cuMemAlloc_v2", c_size_t(1024))
    call("cuMemcpyHtoD_v2", memory, struct.pack("<256f", *range(256)), c_size_t(1024))
    call("cuTexRefSetFormat", texture, FLOAT, 1)
    offset = c_size_t(9)
    call("cuTexRefSetAddress_v2", byref(offset), texture, memory, c_size_t(256))
    assert offset.value == 0 and out(c_uint64, "cuTexRefGetAddress_v2", texture).value == memory.value
    assert [one[0] for one in module.fetch("fetch_named_line", "f", [(5, ), (63, ), (64, )])] == [5, 63, 0]
    call("cuTexRefSetAddress_v2", None, texture, c_uint64(memory.value + 16), c_size_t(64), want=INVALID_VALUE)
    call("cuTexRefSetAddress_v2", byref(offset), texture, c_uint64(memory.value + 16), c_size_t(64))
    assert offset.value == 16 and module.fetch("fetch_named_line", "f", [(4 + 5, )])[0][0] == 9
    call("cuTexRefSetFlags", texture, 0)
    call("cuTexRefSetFilterMode", texture, 0)
    call("cuTexRefSetAddress2D_v3", texture, byref(Flat(6, 3, FLOAT, 1)), memory, c_size_t(64))
    assert module.fetch("fetch_named", "f", [(2.5, 2.5)])[0][0] == 34
    call("cuMemFree_v2", memory)


def test_levels(module):
    mipmap = out(c_void_p, "cuMipmappedArrayCreate", byref(Deep(8, 4, 0, FLOAT, 1, 0)), 9)
    sizes = []
    for level in range(4):
        array, found = out(c_void_p, "cuMipmappedArrayGetLevel", mipmap, level), Flat()
        call("cuArrayGetDescriptor_v2", byref(found), array)
        sizes.append((found.width, found.height))
        content = struct.pack("<f", 10.0 + level) * (found.width * found.height)
        call("cuMemcpyHtoA_v2", array, c_size_t(0), content, c_size_t(len(content)))
        call("cuArrayDestroy", array, want=INVALID_HANDLE)
    assert sizes == [(8, 4), (4, 2), (2, 1), (1, 1)], sizes
    call("cuMipmappedArrayGetLevel", byref(c_void_p()), mipmap, 4, want=INVALID_VALUE)
    resource = Resource(1, Kinds(array=mipmap))
    texture_of(resource, want=NOT_SUPPORTED)
    texture = texture_of(resource, view=View(0, 4, 2, 0, 1, 1, 0, 0))
    assert module.fetch("fetch_2d_f32_f32", "f", [(0.5, 0.5)], texture)[0][0] == 11
    call("cuMipmappedArrayDestroy", mipmap)


def test_errors(module):
    for wanted in (Deep(0, 4, 0, U8, 1, 0), Deep(4, 0, 4, U8, 1, 0), Deep(4, 4, 0, U8, 3, 0), Deep(4, 4, 0, 5, 1, 0), Deep(200000, 1, 0, U8, 1, 0),
                   Deep(4, 4, 0, U8, 1, LAYERED), Deep(4, 4, 7, U8, 1, CUBEMAP), Deep(4, 2, 6, U8, 1, CUBEMAP), Deep(4, 4, 12, U8, 1, CUBEMAP),
                   Deep(4, 4, 4, U8, 1, GATHER)):
        call("cuArray3DCreate_v2", byref(c_void_p()), byref(wanted), want=INVALID_VALUE)
    call("cuArray3DCreate_v2", byref(c_void_p()), byref(Deep(4, 4, 0, U8, 1, 0x40)), want=NOT_SUPPORTED)
    call("cuArrayDestroy", None, want=INVALID_HANDLE)
    width = c_size_t()
    call("cuDeviceGetTexture1DLinearMaxWidth", byref(width), FLOAT, 1, 0)
    assert width.value == 1 << 28 == out(c_int, "cuDeviceGetAttribute", 69, 0).value


start()
used = Module()
for test in (test_arrays, test_modes, test_formats, test_layers, test_memory, test_surfaces, test_references, test_levels, test_errors):
    test(used)
print("cuda_textures: ok")
