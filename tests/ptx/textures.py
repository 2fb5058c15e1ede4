#!/usr/bin/env python3
"""Textures and surfaces of PTX: textures.py HEXEC. Fetches of all shapes, filters, addresses and formats, and what surfaces load
and store, against a model of its own: the formulas of the CUDA C++ Programming Guide ("Texture Fetching"). Coordinates and
elements are such that floats hold all sums exactly."""
import itertools
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

HEXEC, THREADS = sys.argv[1], 64
HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n"
SIZES = {"1d": (8,), "2d": (8, 4), "3d": (4, 2, 8), "a1d": (8, 3), "a2d": (4, 8, 3)}
failures, checked = [], 0


def npy(path, kind, values):
    letter = {"<f4": "f", "<u4": "I", "<i4": "i", "|u1": "B", "<i2": "h", "<u8": "Q"}[kind]
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}{letter}", *values))


def run(folder, text, arguments, out):
    (folder / "kernel.ptx").write_text(HEAD + text, encoding="utf-8")
    options = [each for argument in arguments for each in ("--arg", argument)]
    done = subprocess.run([HEXEC, folder / "kernel.ptx", "--block", str(THREADS), *options, "--out", f"{out}={folder / 'out.bin'}", "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        failures.append(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return b""
    return (folder / "out.bin").read_bytes()


# --- the model ---------------------------------------------------------------------------------------------------------

def place(index, size, address):
    """An index brought into range; None: the border."""
    if address == "border":
        return index if 0 <= index < size else None
    return index % size if address == "wrap" else min(max(index, 0), size - 1)


def scaled(coordinate, size, address, normalized):
    if not normalized:
        return coordinate, "clamp" if address in ("wrap", "mirror") else address
    if address == "wrap":
        coordinate -= math.floor(coordinate)
    if address == "mirror":
        whole = math.floor(coordinate)
        coordinate = coordinate - whole if whole % 2 == 0 else 1 - (coordinate - whole)
    return coordinate * size, address


def texel(image, indices):
    if any(index is None for index in indices):
        return [0] * (len(image["sizes"]) and 3) + [int(image["channels"] < 4)]
    at = 0
    for index, size in zip(reversed(indices), reversed(image["sizes"])):
        at = at * size + index
    found = image["data"][at * image["channels"]:(at + 1) * image["channels"]]
    return list(found) + [0, 0, 0, 1][len(found):]


def sampled(image, coordinates, layer, linear, address, normalized):
    axes = [scaled(c, size, address, normalized) for c, size in zip(coordinates, image["sizes"])]
    tail = [min(max(layer, 0), image["sizes"][-1] - 1)] if layer is not None else []
    if not linear:
        return texel(image, [place(math.floor(at), size, mode) for (at, mode), size in zip(axes, image["sizes"])] + tail)
    total = [Fraction(0)] * 4
    for corner in itertools.product((0, 1), repeat=len(axes)):
        weight, indices = Fraction(1), []
        for (at, mode), size, side in zip(axes, image["sizes"], corner):
            first = math.floor(at - Fraction(1, 2))
            part = Fraction(round((at - Fraction(1, 2) - first) * 256), 256)
            weight *= part if side else 1 - part
            indices.append(place(first + side, size, mode))
        if weight:
            total = [t + weight * value for t, value in zip(total, texel(image, indices + tail))]
    return total


# --- textures ----------------------------------------------------------------------------------------------------------

def fetch_kernel(geometry, kind, opcode, tail=""):
    dimensions = int(geometry[-2])
    names = [f"%{'f' if kind == 'f32' else 'c'}{i}" for i in range(dimensions)]
    operands = (["%layer"] if geometry[0] == "a" else []) + names
    operands += [names[-1]] * ({2: 2, 3: 4}.get(len(operands), 1) - len(operands))
    is_asked = opcode == "tex"  # all of it is in memory
    loads = "".join(f"ld.global.{kind if kind == 'f32' else 'u32'} {name}, [%in+{4 * i}];" for i, name in enumerate(names))
    return f""".visible .entry k(.param .u64 t, .param .u64 in, .param .u64 out) {{
.reg .b64 %t, %in, %out; .reg .b32 %i, %layer, %r<4>, %c<4>; .reg .f32 %f<4>; .reg .pred %p, %q;
ld.param.u64 %t, [t]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x; setp.ne.u32 %q, %i, %i;
mad.wide.u32 %in, %i, 16, %in; mad.wide.u32 %out, %i, 16, %out; {loads} ld.global.u32 %layer, [%in+12];
setp.ne.u32 %p, %i, 63; mov.u32 %r0, 77; mov.u32 %r1, 77; mov.u32 %r2, 77; mov.u32 %r3, 77;
@%p {opcode}.{geometry}.v4.u32.{kind} {{%r0, %r1, %r2, %r3}}{'|%q' if is_asked else ''}, [%t, {{{', '.join(operands)}}}]{tail};
{'xor.pred %q, %q, %p; @%q mov.u32 %r0, 99;' if is_asked else ''} st.global.v4.u32 [%out], {{%r0, %r1, %r2, %r3}}; ret; }}"""


def check(name, out, expected):
    global checked
    for thread, want in enumerate(expected):
        got = struct.unpack_from("<4I", out, 16 * thread) if out else ()
        if out and list(got) != want:
            failures.append(f"{name}: thread {thread} has {[hex(x) for x in got]}, not {[hex(x) for x in want]}")
            return
    checked += 1


def bits(values):
    return [struct.unpack("<I", struct.pack("<f", float(value)))[0] for value in values]


def fetches(folder, source):
    for geometry, linear, address, normalized in itertools.product(SIZES, (False, True), ("clamp", "border", "wrap", "mirror"), (False, True)):
        sizes, channels = SIZES[geometry], source.choice((1, 2, 4))
        image = {"sizes": sizes, "channels": channels, "data": [source.randrange(64) for _ in range(math.prod(sizes) * channels)]}
        dimensions, has_layers = int(geometry[-2]), geometry[0] == "a"
        npy(folder / "data.npy", "<f4", image["data"])
        rows, expected = [], []
        for thread in range(THREADS):
            at = [Fraction(source.randrange(-128, 192), 64) * (1 if normalized else size) for size in sizes[:dimensions]]
            layer = source.randrange(-1, sizes[-1] + 1) if has_layers else None
            rows += bits([*at, *[0] * (3 - dimensions)]) + [(layer or 0) & 0xFFFFFFFF]
            value = sampled(image, at, layer, linear, address, normalized)
            expected.append([77] * 4 if thread == 63 else bits(value))
        npy(folder / "in.npy", "<u4", rows)
        words = ["linear" if linear else "nearest", address] + ["normalized"] * normalized + ["layers"] * has_layers
        shape = f"image:f32x{channels}:{'x'.join(map(str, sizes))},{','.join(words)}:@{folder / 'data.npy'}"
        for opcode, tail in (("tex", ""), ("tex.base", ""), ("tex.level", ", 0f00000000")):
            out = run(folder, fetch_kernel(geometry, "f32", opcode, tail), [shape, f"@{folder / 'in.npy'}", f"u32:{4 * THREADS}"], 2)
            check(f"{opcode}.{geometry} {','.join(words)}", out, expected)


def whole_fetches(folder, source):
    """Coordinates that are integers, and the formats."""
    formats = {"u8": ("|u1", int), "unorm8": ("|u1", lambda v: Fraction(v, 255)), "i16": ("<i2", int), "u32": ("<u4", int),
               "snorm16": ("<i2", lambda v: max(Fraction(v, 32767), Fraction(-1))), "f32": ("<f4", Fraction)}
    ranges = {"|u1": (0, 256), "<i2": (-32768, 32768), "<u4": (0, 1 << 32), "<f4": (-64, 64)}
    for geometry, (name, (kind, meaning)), address in itertools.product(SIZES, formats.items(), ("clamp", "border")):
        sizes, channels = SIZES[geometry], source.choice((1, 2, 4))
        dimensions, has_layers = int(geometry[-2]), geometry[0] == "a"
        image = {"sizes": sizes, "channels": channels, "data": [source.randrange(*ranges[kind]) for _ in range(math.prod(sizes) * channels)]}
        npy(folder / "data.npy", kind, image["data"])
        image["data"] = [meaning(value) for value in image["data"]]
        rows, expected = [], []
        for thread in range(THREADS):
            at = [source.randrange(-2, size + 2) for size in sizes[:dimensions]]
            layer = source.randrange(sizes[-1]) if has_layers else None
            rows += [value & 0xFFFFFFFF for value in (*at, *[0] * (3 - dimensions), layer or 0)]
            value = texel(image, [place(i, size, address) for i, size in zip(at, sizes)] + ([layer] if has_layers else []))
            is_float = name in ("unorm8", "snorm16", "f32")
            expected.append([77] * 4 if thread == 63 else bits(value) if is_float else [v & 0xFFFFFFFF for v in value])
        npy(folder / "in.npy", "<u4", rows)
        shape = f"image:{name}x{channels}:{'x'.join(map(str, sizes))},{address}{',layers' * has_layers}:@{folder / 'data.npy'}"
        out = run(folder, fetch_kernel(geometry, "s32", "tex"), [shape, f"@{folder / 'in.npy'}", f"u32:{4 * THREADS}"], 2)
        check(f"tex.{geometry}.s32 of {name} {address}", out, expected)


def gathers(folder, source):
    data = [source.randrange(64) for _ in range(8 * 4 * 4)]
    image = {"sizes": (8, 4), "channels": 4, "data": data}
    npy(folder / "data.npy", "<f4", data)
    for number, letter in enumerate("rgba"):
        rows, expected = [], []
        for thread in range(THREADS):
            x, y = Fraction(source.randrange(-64, 640), 64), Fraction(source.randrange(-64, 320), 64)
            rows += bits([x, y, 0]) + [0]
            left, low = math.floor(x - Fraction(1, 2)), math.floor(y - Fraction(1, 2))
            around = [(left, low + 1), (left + 1, low + 1), (left + 1, low), (left, low)]
            values = [texel(image, [place(i, 8, "clamp"), place(k, 4, "clamp")])[number] for i, k in around]
            expected.append([77] * 4 if thread == 63 else bits(values))
        npy(folder / "in.npy", "<u4", rows)
        out = run(folder, fetch_kernel("2d", "f32", f"tld4.{letter}"),
                  [f"image:f32x4:8x4:@{folder / 'data.npy'}", f"@{folder / 'in.npy'}", f"u32:{4 * THREADS}"], 2)
        check(f"tld4.{letter}", out, expected)


# the face of a direction, by its axis of most length and that one's sign, and which of x, y, z are s and t on it
FACES = {(0, 0): (0, ("z", -1), ("y", -1)), (0, 1): (1, ("z", 1), ("y", -1)), (1, 0): (2, ("x", 1), ("z", 1)), (1, 1): (3, ("x", 1), ("z", -1)),
         (2, 0): (4, ("x", 1), ("y", -1)), (2, 1): (5, ("x", -1), ("y", -1))}
CUBES = {"tex.cube.v4.u32.f32": None, "tex.base.acube.v4.u32.f32": None, "tex.level.acube.v4.u32.f32": None, "tex.cube.v4.f16.f32": None,
         "tex.grad.acube.v2.f16x2.f32": None, "tld4.g.cube.v4.u32.f32": 1, "tld4.a.acube.v4.u32.f32": 3, "tld4.b.a2d.v4.u32.f32": 2}


def half_bits(value):
    return struct.unpack("<H", struct.pack("<e", float(value)))[0]


def cube_kernel():
    """Each opcode of CUBES writes 4 words of a thread's 32."""
    lines = [""".visible .entry k(.param .u64 t, .param .u64 in, .param .u64 out) {
.reg .b64 %t, %in, %out; .reg .b32 %i, %layer, %r<4>; .reg .b16 %h<4>; .reg .f32 %x, %y, %z, %u, %v;
ld.param.u64 %t, [t]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x;
mad.wide.u32 %out, %i, 128, %out; mad.wide.u32 %in, %i, 24, %in; ld.global.u32 %layer, [%in];
ld.global.f32 %x, [%in+4]; ld.global.f32 %y, [%in+8]; ld.global.f32 %z, [%in+12]; ld.global.f32 %u, [%in+16]; ld.global.f32 %v, [%in+20];"""]
    for i, opcode in enumerate(CUBES):
        place = "{%layer, %u, %v, %v}" if ".a2d." in opcode else "{%layer, %x, %y, %z}" if ".acube." in opcode else "{%x, %y, %z, %z}"
        to = "{%h0, %h1, %h2, %h3}" if ".f16." in opcode else "{%r0, %r1}" if "f16x2" in opcode else "{%r0, %r1, %r2, %r3}"
        tail = ", 0f00000000" if "level" in opcode else ", {%x, %x, %x, %x}, {%x, %x, %x, %x}" if "grad" in opcode else ""
        lines.append(f"{opcode} {to}, [%t, {place}]{tail};")
        if ".f16." in opcode:
            lines.append("mov.b32 %r0, {%h0, %h1}; mov.b32 %r1, {%h2, %h3};")
        if "f16" in opcode:
            lines.append("mov.u32 %r2, 0; mov.u32 %r3, 0;")
        lines.append(f"st.global.v4.u32 [%out+{16 * i}], {{%r0, %r1, %r2, %r3}};")
    return "\n".join([*lines, "ret; }"])


def cubes(folder, source):
    """Directions into 2 cubes of 8 by 8 texels, whose longest coordinate is 1 or -1."""
    image = {"sizes": (8, 8, 12), "channels": 4, "data": [source.randrange(64) for _ in range(8 * 8 * 12 * 4)]}
    npy(folder / "data.npy", "<f4", image["data"])
    rows, expected = [], []
    for _ in range(THREADS):
        axis, negative, number = source.randrange(3), source.randrange(2), source.randrange(2)
        at = {name: Fraction(source.randrange(-31, 32), 32) for name in "xyz"}
        at["xyz"[axis]] = Fraction(-1 if negative else 1)
        face, *parts = FACES[axis, negative]
        place_on = [(at[name] * sign + 1) / 2 * 8 for name, sign in parts]
        flat = [Fraction(source.randrange(0, 512), 64) for _ in range(2)]
        rows += [number, *bits([at["x"], at["y"], at["z"], *[each / 8 for each in flat]])]
        words = []
        for opcode, channel in CUBES.items():
            layer = number if ".a2d." in opcode else face + (6 * number if ".acube." in opcode else 0)
            s, t = flat if ".a2d." in opcode else place_on
            if channel is None:
                value = texel(image, [place(math.floor(s), 8, "clamp"), place(math.floor(t), 8, "clamp"), layer])
                halves = [half_bits(each) for each in value]
                words += [halves[0] | halves[1] << 16, halves[2] | halves[3] << 16, 0, 0] if "f16" in opcode else bits(value)
                continue
            left, low = math.floor(s - Fraction(1, 2)), math.floor(t - Fraction(1, 2))
            around = [(left, low + 1), (left + 1, low + 1), (left + 1, low), (left, low)]
            words += bits([texel(image, [place(i, 8, "clamp"), place(k, 8, "clamp"), layer])[channel] for i, k in around])
        expected.append(words)
    npy(folder / "in.npy", "<u4", rows)
    out = run(folder, cube_kernel(), [f"image:f32x4:8x8x12,normalized,layers:@{folder / 'data.npy'}", f"@{folder / 'in.npy'}", f"u32:{32 * THREADS}"], 2)
    for thread in range(THREADS if out else 0):
        got = struct.unpack_from("<32I", out, 128 * thread)
        for i, opcode in enumerate(CUBES):
            if list(got[4 * i:4 * i + 4]) != expected[thread][4 * i:4 * i + 4]:
                failures.append(f"{opcode}: thread {thread} has {[hex(x) for x in got[4 * i:4 * i + 4]]}, "
                                f"not {[hex(x) for x in expected[thread][4 * i:4 * i + 4]]}")
                return


def reductions(folder):
    """sured.p: at the signs of the format, with x in texels, and in both orders of its words."""
    for kind, names in (("i32", "min max add"), ("u32", "min max and or")):
        for name in names.split():
            start, value = [-3, 5, 7, -9], [4, -6, 9, -1]
            wrap = 0 if kind == "i32" else 0xFFFFFFFF
            text = f""".visible .entry k(.param .u64 to) {{ .reg .b64 %d; .reg .b32 %v, %x; .reg .pred %p;
ld.param.u64 %d, [to]; mov.u32 %x, %tid.x; setp.lt.u32 %p, %x, 6;
{' '.join(f'setp.eq.u32 %p, %x, {i}; @%p mov.u32 %v, {each};' for i, each in enumerate(value))} setp.lt.u32 %p, %x, 6;
@%p sured.p.{name}.1d.b32.zero [%d, {{%x}}], %v; ret; }}"""
            npy(folder / "data.npy", "<i4" if kind == "i32" else "<u4", [each & wrap if wrap else each for each in start])
            out = run(folder, text, [f"image:{kind}:4:@{folder / 'data.npy'}"], 0)
            model = {"min": min, "max": max, "add": lambda a, b: a + b, "and": lambda a, b: a & b, "or": lambda a, b: a | b}[name]
            want = [model(a & wrap if wrap else a, b & wrap if wrap else b) & 0xFFFFFFFF for a, b in zip(start, value)]
            got = list(struct.unpack("<4I", out)) if out else want
            if got != want:
                failures.append(f"sured.p.{name} of {kind}: {got}, not {want}")


# --- surfaces ----------------------------------------------------------------------------------------------------------

def surfaces(folder):
    """Each thread copies a texel, beyond the ends, too, where .clamp takes the last one and .zero reads 0 and stores nothing."""
    data = list(range(1, 33))
    npy(folder / "data.npy", "<u4", data)
    for mode in ("clamp", "zero"):
        text = f""".visible .entry k(.param .u64 from, .param .u64 to, .param .u64 out) {{
.reg .b64 %s, %d, %out; .reg .b32 %i, %x, %y, %v, %a, %b;
ld.param.u64 %s, [from]; ld.param.u64 %d, [to]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x; mad.wide.u32 %out, %i, 16, %out;
and.b32 %x, %i, 15; sub.u32 %x, %x, 4; shl.b32 %x, %x, 2; shr.u32 %y, %i, 4;
suld.b.2d.b32.{mode} {{%v}}, [%s, {{%x, %y}}]; sust.b.2d.b32.{mode} [%d, {{%x, %y}}], {{%v}};
sured.b.add.2d.u32.{mode} [%d, {{%x, %y}}], 100; suq.width.b32 %a, [%s]; txq.height.b32 %b, [%s];
st.global.v4.u32 [%out], {{%v, %a, %b, %i}}; ret; }}"""
        out = run(folder, text, [f"image:u32:8x4:@{folder / 'data.npy'}", "image:u32:8x4", f"u32:{4 * THREADS}"], 2)
        expected = []
        for i in range(THREADS):
            x, y = i % 16 - 4, i // 16
            inside = 0 <= x < 8
            value = data[y * 8 + min(max(x, 0), 7)] if inside or mode == "clamp" else 0
            expected.append([value, 8, 4, i])
        check(f"suld .{mode}", out, expected)
        stored = run(folder, text, [f"image:u32:8x4:@{folder / 'data.npy'}", "image:u32:8x4", f"u32:{4 * THREADS}"], 1)
        # with .clamp four threads and the one at the end write, and add to, the places at the ends
        times = [5 if mode == "clamp" and x in (0, 7) else 1 for _ in range(4) for x in range(8)]
        want = [data[i] + 100 * times[i] for i in range(32)]
        got = list(struct.unpack("<32I", stored)) if stored else want
        if got != want:
            failures.append(f"sust .{mode}: {got}, not {want}")


def conversions(folder):
    """sust.p rounds to the format, and cuts off."""
    cases = {"unorm8": ([-1.0, 0.5, 1.0, 7.0], "B", [0, 128, 255, 255]), "snorm8": ([-2.0, -0.5, 0.5, 1.0], "b", [-128, -64, 64, 127]),
             "f16": ([0.5, 1.0, -2.0, 65504.0], "e", [0.5, 1.0, -2.0, 65504.0])}
    for name, (values, letter, want) in cases.items():
        operands = ", ".join(f"0f{bits([value])[0]:08X}" for value in values)
        moves = " ".join(f"mov.b32 %v{i}, {operand};" for i, operand in enumerate(operands.split(", ")))
        out = run(folder, f""".visible .entry k(.param .u64 to) {{ .reg .b64 %d; .reg .b32 %v<4>, %x; .reg .pred %p;
ld.param.u64 %d, [to]; mov.u32 %x, %tid.x; setp.lt.u32 %p, %x, 2; {moves}
@%p sust.p.1d.v4.b32.trap [%d, {{%x}}], {{%v0, %v1, %v2, %v3}}; ret; }}""", [f"image:{name}x4:4"], 0)
        got = list(struct.unpack(f"<16{letter}", out)) if out else []
        if out and got != want * 2 + [0] * 8:
            failures.append(f"sust.p of {name}: {got}, not {want} twice")


# --- OpenCL C and CUDA C -------------------------------------------------------------------------------------------------

OPENCL = """kernel void k(read_only image2d_t in, write_only image2d_t out, sampler_t given, global float *sums, read_only image2d_array_t deep) {
    const sampler_t fixed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = 1;
    float4 a = read_imagef(in, given, (float2)(x + 1.0f, 1.0f)), b = read_imagef(in, fixed, (int2)(x - 1, y)), c = read_imagef(in, (int2)(x, y));
    write_imagef(out, (int2)(x, y), a + b + c);
    sums[x] = get_image_width(in) * 100 + get_image_height(out) + get_image_dim(in).y * 10000 + read_imageui(deep, fixed, (int4)(x, 0, 1, 0)).x;
}"""
HALVES = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(read_only image2d_t in, read_only image1d_buffer_t line, write_only image2d_t out, global float *sums, sampler_t given) {
    int x = get_global_id(0);
    half4 a = read_imageh(in, (int2)(x, 1)), b = read_imageh(in, given, (float2)(x + 0.5f, 0.5f)), c = read_imageh(line, x);
    write_imageh(out, (int2)(x, 0), a + b);
    sums[x] = (float)a.x + 100 * (float)b.x + 10000 * (float)c.x;
}"""
CUDA = """extern "C" __global__ void k(cudaTextureObject_t t, float *o, cudaSurfaceObject_t s) {
    int x = threadIdx.x;
    float4 v = tex2D<float4>(t, x + 0.5f, 0.5f);
    surf2Dwrite(v, s, x * 16, 0);
    surf2Dwrite((unsigned char)(x + 1), s, 64 + x, 1);
    unsigned char byte;
    surf2Dread(&byte, s, 64 + x, 1);
    float4 r = surf2Dread<float4>(s, x * 16 - 16, 0, cudaBoundaryModeClamp);
    o[x] = r.x + 100 * byte + 1000 * tex2Dgather<float4>(t, x + 1.f, 1.f, 3).y + tex1Dfetch<float>(t, x);
}"""


def compiled(folder):
    """What clang makes of OpenCL's and CUDA's functions."""
    (folder / "k.cl").write_text(OPENCL, encoding="utf-8")
    (folder / "halves.cl").write_text(HALVES, encoding="utf-8")
    of_halves = ["image:f16:4x2:iota", "image:f16:4:iota", "image:f16:4x1", "f32:4", "0"]
    (folder / "k.cu").write_text(CUDA, encoding="utf-8")
    for name, arguments, out, want in (
            ("k.cl", ["image:f32:8x4:iota", "image:f32:8x4", "34", "f32:8", "image:u8:8x2x3,layers:iota"], 3,
             [40804 + 16 + x for x in range(8)]),
            ("k.cl", ["image:f32:8x4:iota", "image:f32:8x4", "34", "f32:8", "image:u8:8x2x3,layers:iota"], 1,
             [0] * 8 + [4.5 + x - (x == 7) / 2 + (x + 7 if x else 0) + x + 8 for x in range(8)] + [0] * 16),
            ("halves.cl", of_halves, 3, [4 + x + 100 * x + 10000 * x for x in range(4)]),
            ("k.cu", ["image:f32x4:8x2:iota", "f32:4", "image:f32x4:8x2"], 1,
             [4 * max(x - 1, 0) + 100 * (x + 1) + 1000 * (4 * (9 + x) + 3) + 4 * x for x in range(4)])):
        threads = "8" if name == "k.cl" else "4"
        options = [each for argument in arguments for each in ("--arg", argument)]
        done = subprocess.run([HEXEC, folder / name, "--block", threads, *options, "--out", f"{out}={folder / 'out.bin'}", "--quiet"],
                              capture_output=True, text=True, check=False)
        got = list(struct.unpack(f"<{len(want)}f", (folder / "out.bin").read_bytes())) if done.returncode == 0 else done.stderr
        if got != want:
            failures.append(f"{name}: argument {out} is {got}, not {want}")


with tempfile.TemporaryDirectory() as name_of_folder:
    scratch, generator = pathlib.Path(name_of_folder), random.Random(20)
    fetches(scratch, generator)
    whole_fetches(scratch, generator)
    gathers(scratch, generator)
    cubes(scratch, generator)
    reductions(scratch)
    surfaces(scratch)
    conversions(scratch)
    compiled(scratch)
print("\n".join(failures[:20]) or f"{checked} kernels agree")
sys.exit(bool(failures))
