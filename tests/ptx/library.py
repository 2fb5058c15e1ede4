#!/usr/bin/env python3
"""The device library's functions: library.py HEXEC. Each one of libdevice can be called; those that are exact give what
Python computes with fractions. How near the others are, tools/accuracy --library measures."""
import fractions
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HEXEC = sys.argv[1]
HERE = pathlib.Path(__file__).resolve().parent
FORMATS = {"f32": "f", "f64": "d", "s32": "i", "u32": "I", "s64": "q", "u64": "Q"}
COUNT = 256
draw = random.Random(11)


def bits_of(kind, value):
    return struct.pack("<" + FORMATS[kind], value)


def round_to(kind, mode, exact):
    """A fraction as a float, in a direction: the nearest of double precision, then steps in the right one."""
    if exact == 0:
        return 0.0
    step = {"f32": 24, "f64": 53}[kind]
    exponent = math.floor(math.log2(abs(exact.numerator)) - math.log2(exact.denominator)) - step - 1
    while abs(exact) >= fractions.Fraction(2) ** (exponent + step):
        exponent += 1
    scaled = exact / fractions.Fraction(2) ** exponent
    whole = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}[mode](scaled)
    return math.ldexp(whole, exponent)


def to_integer(mode, low, high):
    def convert(x):
        whole = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}[mode](fractions.Fraction(x))
        return min(max(whole, low), high)
    return convert


def wrap(kind, value):
    bits = int(kind[1:])
    value %= 1 << bits
    return value - (1 << bits) if kind[0] == "s" and value >> (bits - 1) else value


def rows():
    """name, type of the result, types of the arguments, what Python computes"""
    F = fractions.Fraction
    found = []
    for mode in ("rn", "rz", "ru", "rd"):
        for prefix, kind in (("f", "f32"), ("d", "f64")):
            for name, f in (("add", lambda x, y: F(x) + F(y)), ("sub", lambda x, y: F(x) - F(y)), ("mul", lambda x, y: F(x) * F(y)),
                            ("div", lambda x, y: F(x) / F(y))):
                found.append((f"{prefix}{name}_{mode}", kind, [kind] * 2, lambda x, y, f=f, k=kind, m=mode: round_to(k, m, f(x, y))))
            found.append((f"{prefix}rcp_{mode}", kind, [kind], lambda x, k=kind, m=mode: round_to(k, m, 1 / F(x))))
            fused = "fmaf" if kind == "f32" else "fma"
            found.append((f"{fused}_{mode}", kind, [kind] * 3, lambda x, y, z, k=kind, m=mode: round_to(k, m, F(x) * F(y) + F(z))))
            source = {"f32": "float", "f64": "double"}[kind]
            for target, to in (("int", "s32"), ("uint", "u32"), ("ll", "s64"), ("ull", "u64")):
                bits = int(to[1:])
                ends = (-1 << (bits - 1), (1 << (bits - 1)) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
                found.append((f"{source}2{target}_{mode}", to, [kind], to_integer(mode, *ends)))
                if bits == 64 or kind == "f32":
                    found.append((f"{target}2{source}_{mode}", kind, [to], lambda x, k=kind, m=mode: round_to(k, m, F(x))))
        found.append((f"double2float_{mode}", "f32", ["f64"], lambda x, m=mode: round_to("f32", m, F(x))))
    for s, bits in (("", 32), ("ll", 64)):
        signed = f"s{bits}"
        mask = (1 << bits) - 1
        found += [(f"clz{s}", "s32", [signed], lambda x, b=bits, m=mask: b - (x & m).bit_length()),
                  (f"popc{s}", "s32", [signed], lambda x, m=mask: bin(x & m).count("1")),
                  (f"ffs{s}", "s32", [signed], lambda x: (x & -x).bit_length()),
                  (f"brev{s}", signed, [signed], lambda x, b=bits, m=mask, k=signed: wrap(k, int(f"{x & m:0{b}b}"[::-1], 2)))]
    for name, kind in (("mulhi", "s32"), ("umulhi", "u32"), ("mul64hi", "s64"), ("umul64hi", "u64")):
        found.append((name, kind, [kind] * 2, lambda x, y, b=int(kind[1:]): (x * y) >> b))
    for u, kind in (("", "s32"), ("u", "u32")):
        found += [(f"{u}hadd", kind, [kind] * 2, lambda x, y: (x + y) >> 1), (f"{u}rhadd", kind, [kind] * 2, lambda x, y: (x + y + 1) >> 1),
                  (f"{u}sad", kind, [kind] * 3, lambda x, y, z, k=kind: wrap(k, abs(x - y) + z))]
    for f, kind in (("f", "f32"), ("", "f64")):
        found += [(f"floor{f}", kind, [kind], math.floor), (f"ceil{f}", kind, [kind], math.ceil), (f"trunc{f}", kind, [kind], math.trunc),
                  (f"rint{f}", kind, [kind], round), (f"llround{f}", "s64", [kind], lambda x: int(math.copysign(math.floor(abs(x) + F(1, 2)), x))),
                  (f"ilogb{f}", "s32", [kind], lambda x: math.frexp(x)[1] - 1), (f"copysign{f}", kind, [kind] * 2, math.copysign),
                  (f"ldexp{f}", kind, [kind, "s32"], lambda x, n, k=kind: round_to(k, "rn", F(x) * F(2) ** n))]
    return found


def argument(kind, name):
    if kind in ("f32", "f64"):
        value = math.ldexp(draw.uniform(-2, 2), draw.randint(-3, 20))
        return struct.unpack("<f", struct.pack("<f", value))[0] if kind == "f32" else value
    if name.startswith("ldexp"):
        return draw.randint(-20, 19)
    return wrap(kind, draw.getrandbits(int(kind[1:])) >> draw.randint(0, int(kind[1:]) - 1))


def width(kind):
    return int(kind[1:]) // 8


def kernel(name, result, sources):
    """One thread an element; arguments and results in cells of 8 bytes."""
    lines = [f".extern .func (.reg .b{width(result) * 8} d) __nv_{name} (" +
             ", ".join(f".reg .b{width(kind) * 8} p{i}" for i, kind in enumerate(sources)) + ");",
             f".entry k_{name}(.param .u64 in, .param .u64 out) {{",
             f".reg .b32 %r1; .reg .b64 %rd<4>; .reg .b{width(result) * 8} %d;",
             "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;",
             f"mul.wide.u32 %rd3, %r1, 24; add.u64 %rd1, %rd1, %rd3; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd2, %rd2, %rd3;"]
    for i, kind in enumerate(sources):
        lines += [f".reg .b{width(kind) * 8} %a{i}; ld.global.b{width(kind) * 8} %a{i}, [%rd1+{8 * i}];"]
    lines += [f"call (%d), __nv_{name}, (" + ", ".join(f"%a{i}" for i in range(len(sources))) + ");",
              f"st.global.b{width(result) * 8} [%rd2], %d; ret; }}"]
    return "\n".join(lines) + "\n"


def check(folder, module, row):
    name, result, sources, compute = row
    inputs = [[argument(kind, name) for kind in sources] for _ in range(COUNT)]
    cells = b"".join(bits_of(kind, value).ljust(8, b"\0") for values in inputs for kind, value in zip(sources, values))
    (folder / "in.npy").write_bytes(npy(cells.ljust(24 * COUNT, b"\0") if len(sources) == 3 else
                                        b"".join(cells[i:i + 8 * len(sources)].ljust(24, b"\0") for i in range(0, len(cells), 8 * len(sources)))))
    done = subprocess.run([HEXEC, module, "--kernel", f"k_{name}", "--block", str(COUNT), "--arg", f"@{folder / 'in.npy'}", "--arg",
                           f"u64:{COUNT}", "--out", f"1={folder / 'out.bin'}", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"{name}: {done.stdout}{done.stderr}"[:900]
    out = (folder / "out.bin").read_bytes()
    for i, values in enumerate(inputs):
        expected = compute(*values)
        if expected == 0 and result[0] == "f":
            continue # the sign of a zero is the opcode's affair
        if out[8 * i:8 * i + width(result)] != bits_of(result, float(expected) if result[0] == "f" else expected):
            return f"{name}{tuple(values)}: {out[8 * i:8 * i + width(result)].hex()}, not {expected}"
    return None


def npy(cells):
    head = b"{'descr': '<u8', 'fortran_order': False, 'shape': (%d,), }" % (len(cells) // 8)
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + cells


# n, x, J, Y: values of mpmath.besselj and mpmath.bessely with 30 digits
BESSEL = ((2, 0.125, 0.0019505831099296928869, -81.809297175412559406), (3, 2.5, 0.21660039103911352477, -0.75605549675367099684),
          (7, 30.5, 0.11461526638056736505, 0.091128885270387564297), (20, 5.0, 2.7703300521289416874e-11, -593396529.69143206921))


def check_bessel(folder):
    """Functions of an order and a number, which tools/accuracy does not measure."""
    text = ".version 7.0\n.target sm_70\n.address_size 64\n.global .f64 values[8];\n"
    text += "".join(f".extern .func (.param .b64 r) __nv_{name} (.param .b32 n, .param .b64 x);\n" for name in ("jn", "yn"))
    text += ".entry k() { .reg .f64 %d; .reg .b64 %x; .reg .b32 %n; .param .b32 n; .param .b64 x; .param .b64 r;\n"
    for i, (order, x, *_) in enumerate(BESSEL):
        for k, name in enumerate(("jn", "yn")):
            text += f"mov.b32 %n, {order}; mov.f64 %d, {x}; st.param.b32 [n], %n; st.param.f64 [x], %d; call (r), __nv_{name}, (n, x);\n"
            text += f"ld.param.f64 %d, [r]; st.global.f64 [values+{16 * i + 8 * k}], %d;\n"
    (folder / "bessel.ptx").write_text(text + "ret; }\n", encoding="utf-8")
    done = subprocess.run([HEXEC, folder / "bessel.ptx", "--out", f"values={folder / 'out.bin'}", "--quiet"], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return f"bessel: {done.stdout}{done.stderr}"[:900]
    found = struct.unpack("<8d", (folder / "out.bin").read_bytes())
    expected = [value for row in BESSEL for value in row[2:]]
    wrong = [f"{a!r}, not {b!r}" for a, b in zip(found, expected) if not abs(a - b) <= 3e-15 * abs(b)]
    return f"jn, yn: {wrong}" if wrong else None


def wrapped(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def zeros_of(value, bits):
    value &= (1 << bits) - 1
    return (value & -value).bit_length() - 1 if value else bits


def check_opencl(folder):
    """opencl.cl, whose sums are computed here again."""
    values = [i * 37 % 50 for i in range(64)]
    head = b"{'descr': '<i4', 'fortran_order': False, 'shape': (64,), }"
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    (folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<64i", *values))
    done = subprocess.run([HEXEC, HERE / "opencl-O2-sm_70.ptx", "--grid", "2", "--block", "32", "--arg", "i32:64", "--arg", f"@{folder / 'x.npy'}",
                           "--arg", "i32:4", "--out", f"0={folder / 'out.bin'}", "--out", f"2={folder / 'sum.bin'}", "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"OpenCL: {done.stdout}{done.stderr}"[:900]
    found = struct.unpack("<64i", (folder / "out.bin").read_bytes())
    expected = [wrapped((x * x >> 32) + 1 + ((wrapped(x << 20) ** 2 >> 32) + 3) * 10 + zeros_of(x, 32) + 1000 + 32 + 1 + zeros_of(x, 8) +
                        ((2**64 - 1) * x >> 64) + 5 + 5) for x in values]
    sums = struct.unpack("<4i", (folder / "sum.bin").read_bytes())
    if list(found) != expected or sums != (sum(values), 7, max(values), 5):
        return f"OpenCL: {found}, {sums}; not {expected}"
    return None


def check_all_names(folder):
    """A kernel that calls all of libdevice: names and types are those that its documentation lists."""
    text = (HERE / "libdevice.txt").read_text(encoding="utf-8").split()
    sizes = {"f": "b32", "i": "b32", "d": "b64", "l": "b64", "p": "b64", "h": "b16"}
    module = ".version 7.0\n.target sm_70\n.address_size 64\n"
    calls = ""
    for number, entry in enumerate(text):
        name, types = entry.split(":")
        result = "" if types[0] == "v" else f"(.param .{sizes[types[0]]} r) "
        module += f".extern .func {result}{name} (" + ", ".join(f".param .{sizes[t]} p{i}" for i, t in enumerate(types[1:])) + ");\n"
        calls += f".entry k{number}() {{ " + "".join(f".param .{sizes[t]} a{i}; " for i, t in enumerate(types[1:]))
        calls += f".param .{sizes[types[0]]} r; " if result else ""
        for i, t in enumerate(types[1:]):
            calls += f".reg .{sizes[t]} %x{i}; mov.{sizes[t]} %x{i}, 0; st.param.{sizes[t]} [a{i}], %x{i}; "
        calls += "call " + ("(r), " if result else "") + name + ", (" + ", ".join(f"a{i}" for i in range(len(types) - 1)) + "); ret; }\n"
    (folder / "all.ptx").write_text(module + calls, encoding="utf-8")
    done = subprocess.run([HEXEC, "check", folder / "all.ptx"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stdout + done.stderr)[:1500]


WIDE_COUNTER = """.version 8.4
.target sm_90
.address_size 64
.visible .entry count(.param .u64 place) {
.reg .b64 %p, %low, %high, %next_low, %next_high; .reg .b128 %old, %new, %seen; .reg .pred %ok, %also;
ld.param.u64 %p, [place]; ld.global.v2.b64 {%low, %high}, [%p];
AGAIN: add.cc.u64 %next_low, %low, 0x4000000000000001; addc.u64 %next_high, %high, 0;
mov.b128 %old, {%low, %high}; mov.b128 %new, {%next_low, %next_high}; atom.global.cas.b128 %seen, [%p], %old, %new;
mov.b128 {%next_low, %next_high}, %seen; setp.eq.u64 %ok, %next_low, %low; setp.eq.and.u64 %also, %next_high, %high, %ok;
mov.u64 %low, %next_low; mov.u64 %high, %next_high; @!%also bra AGAIN; ret; }
"""


def check_wide_counter(folder):
    """Threads of all blocks add to a number of 128 bits."""
    (folder / "wide.ptx").write_text(WIDE_COUNTER, encoding="utf-8")
    for options in ((), ("--plain", "--seed", "3"), ("--workers", "2")):
        done = subprocess.run([HEXEC, folder / "wide.ptx", "--grid", "8", "--block", "40", "--arg", "u64:2", "--out", f"0={folder / 'wide.bin'}", "--quiet",
                               *options], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"wide counter {options}: {done.stderr}"
        low, high = struct.unpack("<2Q", (folder / "wide.bin").read_bytes())
        if high << 64 | low != 320 * 0x4000000000000001:
            return f"wide counter {options}: {high:#x} {low:#x}"
    return None


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table = rows()
        module = folder / "exact.ptx"
        module.write_text(".version 7.0\n.target sm_70\n.address_size 64\n" + "".join(kernel(*row[:3]) for row in table), encoding="utf-8")
        failures = [check_all_names(folder), check_bessel(folder), check_opencl(folder), check_wide_counter(folder)] + [check(folder, module, row) for row in table]
    failures = [failure for failure in failures if failure]
    print("\n".join(failures) or f"{len(table)} functions are exact")
    sys.exit(len(failures) > 0)


main()
