"""Loads, stores, atomics and special registers of PTX. Each thread has 64 bytes in global memory, at [place], and in shared
memory, at [spot]."""
from numbers_ptx import add, decode, encode, halves, integer, joined, mask, size

TYPES = ("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64")
SPACES = (("global", "place"), ("shared", "spot"))


def wider(kind):
    return [bits for bits in (16, 32, 64) if bits >= size(kind)]


def loads():
    """A register wider than the type holds the number extended; a store takes the low bits."""
    for kind in TYPES:
        for space, at in SPACES:
            for bits in wider(kind) if kind[0] != "f" else [size(kind)]:
                yield (f"st.{space}.b64 [{at}], a; ld.{space}.{kind} d, [{at}]", f"d:u{bits}", "a:b64",
                       lambda a, kind=kind: integer(kind, a))
                yield (f"st.{space}.b64 [{at}], b; st.{space}.{kind} [{at}], a; ld.{space}.b64 d, [{at}]", "d:u64", f"a:u{bits} b:b64",
                       lambda a, b, kind=kind: b & ~mask(kind) | a & mask(kind))
        register = max(16, size(kind))
        yield (f"st.b64 [place], a; ld.{kind} d, [place]", f"d:u{register}", "a:b64", lambda a, kind=kind: integer(kind, a))
        yield (f"st.global.b64 [place], a; ldu.global.{kind} d, [place]", f"d:u{register}", "a:b64", lambda a, kind=kind: integer(kind, a))
        yield (f"st.global.b64 [place+8], a; st.global.b64 [place], b; ld.volatile.global.v2.{kind} {{d, e}}, [place]",
               f"d:u{register} e:u{register}", "a:b64 b:b64",
               lambda a, b, kind=kind: tuple(integer(kind, (a << 64 | b) >> i * size(kind)) for i in range(2)))
        if kind[0] == "s" and size(kind) < 64:
            yield (f"st.shared.b64 [spot], a; ld.shared.v2.{kind} {{d, e}}, [spot]", "d:u64 e:u64", "a:b64",
                   lambda a, kind=kind: tuple(integer(kind, a >> i * size(kind)) for i in range(2)))


def vectors():
    yield ("st.global.v8.b32 [place], {a, b, a, c, b, b, c, a}; ld.global.v8.b32 {d, e, f, g, h, i, j, k}, [place]",
           " ".join(f"{name}:u32" for name in "defghijk"), "a:u32 b:u32 c:u32", lambda a, b, c: (a, b, a, c, b, b, c, a))
    yield ("st.global.v4.b64 [place+32], {a, b, b, a}; ld.global.v4.b64 {d, e, f, g}, [place+32]",
           " ".join(f"{name}:u64" for name in "defg"), "a:u64 b:u64", lambda a, b: (a, b, b, a))
    yield ("st.shared.v4.b16 [spot], {a, b, 7, a}; ld.shared.v4.u16 {d, _, e, f}, [spot]", "d:u16 e:u16 f:u16", "a:u16 b:u16",
           lambda a, b: (a, 7, a))


def total(kind, a, b):
    return encode(kind, add(decode(kind, a), decode(kind, b)))


def atomics():
    operations = {"add": lambda old, b: old + b, "min": min, "max": max, "exch": lambda old, b: b}
    for kind in ("u32", "s32", "u64", "s64"):
        for name, operate in operations.items():
            typed = f"b{kind[1:]}" if name == "exch" else "u64" if (name, kind) == ("add", "s64") else kind
            for space, at in (("", "place"), (".global", "place"), (".shared", "spot")):
                prepare = f"st{space or '.global'}.{typed} [{at}], a"
                yield (f"{prepare}; atom{space}.{name}.{typed} d, [{at}], b; ld{space or '.global'}.{typed} e, [{at}]",
                       f"d:{kind} e:{kind}", f"a:{typed} b:{typed}", lambda a, b, operate=operate: (a, operate(a, b)))
                if name != "exch":
                    yield (f"{prepare}; red{space}.{name}.{typed} [{at}], b; ld{space or '.global'}.{typed} e, [{at}]",
                           f"e:{kind}", f"a:{typed} b:{typed}", operate)
    for kind in ("b32", "b64"):
        for name, operate in (("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y)):
            yield (f"st.global.{kind} [place], a; atom.global.{name}.{kind} d, [place], b; ld.global.{kind} e, [place]",
                   f"d:{kind} e:{kind}", f"a:{kind} b:{kind}", lambda a, b, operate=operate: (a, operate(a, b)))
    for kind in ("b16", "b32", "b64"):
        yield (f"st.shared.{kind} [spot], a; atom.shared.cas.{kind} d, [spot], b, c; ld.shared.{kind} e, [spot]",
               f"d:{kind} e:{kind}", f"a:{kind}@1,2 b:{kind}@1,2 c:{kind}", lambda a, b, c: (a, c if a == b else a))
    for name, operate in (("inc", lambda old, b: 0 if old >= b else old + 1), ("dec", lambda old, b: b if old == 0 or old > b else old - 1)):
        yield (f"st.global.u32 [place], a; atom.global.{name}.u32 d, [place], b; ld.global.u32 e, [place]", "d:u32 e:u32",
               "a:u32@0,1,2,5,0xffffffff b:u32@0,1,2,5,0xffffffff", lambda a, b, operate=operate: (a, operate(a, b)))


def float_atomics():
    for kind in ("f32", "f64"):
        yield (f"st.global.{kind} [place], a; atom.global.add.{kind} d, [place], b; ld.global.{kind} e, [place]", f"d:{kind} e:{kind}",
               f"a:{kind} b:{kind}", lambda a, b, kind=kind: (a, total(kind, a, b)))
    for kind in ("f16", "bf16"):
        yield (f"st.global.b16 [place], a; atom.global.add.noftz.{kind} d, [place], b; ld.global.b16 e, [place]", f"d:{kind} e:{kind}",
               f"a:{kind} b:{kind}", lambda a, b, kind=kind: (a, total(kind, a, b)))
        yield (f"st.global.b32 [place], a; atom.global.add.noftz.{kind}x2 d, [place], b; ld.global.b32 e, [place]", "d:u32 e:u32",
               f"a:u32@{kind} b:u32@{kind}",
               lambda a, b, kind=kind: (a, joined(*(total(kind, p, q) for p, q in zip(halves(a), halves(b))))))
        yield (f"st.global.v2.b16 [place], {{a, b}}; red.global.add.noftz.v2.{kind} [place], {{b, b}}; ld.global.v2.b16 {{d, e}}, [place]",
               f"d:{kind} e:{kind}", f"a:{kind} b:{kind}", lambda a, b, kind=kind: (total(kind, a, b), total(kind, b, b)))
    yield ("st.global.v2.f32 [place], {a, b}; atom.global.add.v2.f32 {d, e}, [place], {b, c}; ld.global.v2.f32 {f, g}, [place]",
           "d:f32 e:f32 f:f32 g:f32", "a:f32 b:f32 c:f32", lambda a, b, c: (a, b, total("f32", a, b), total("f32", b, c)))
    yield ("st.global.v4.f32 [place], {a, b, a, b}; red.global.add.v4.f32 [place], {b, c, c, a}; ld.global.v4.f32 {d, e, f, g}, [place]",
           "d:f32 e:f32 f:f32 g:f32", "a:f32 b:f32 c:f32",
           lambda a, b, c: tuple(total("f32", p, q) for p, q in ((a, b), (b, c), (a, c), (b, a))))


def specials():
    values = {"%tid.y": 0, "%ntid.x": 64, "%ctaid.x": 0, "%nctaid.x": 1, "%clusterid.x": 0, "%nclusterid.x": 1, "%cluster_ctaid.x": 0,
              "%cluster_nctaid.x": 1, "%cluster_ctarank": 0, "%cluster_nctarank": 1, "%envreg0": 0, "%envreg31": 0, "WARP_SZ": 32,
              "%nwarpid": 2, "%dynamic_smem_size": 0}
    for name, value in values.items():
        yield f"mov.u32 d, {name}", "d:u32", "", lambda value=value: value
    for name in ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"):
        yield f"mov.u32 d, %{name}.w", "d:u32", "", lambda: 0
    yield "mov.pred d, %is_explicit_cluster", "d:pred", "", lambda: 0
    yield ("mov.u32 d, %lanemask_lt; mov.u32 e, %lanemask_le; sub.u32 e, e, d; mov.u32 d, %lanemask_eq; sub.u32 d, d, e; xor.b32 e, e, e",
           "d:u32 e:u32", "", lambda: (0, 0))
    yield ("mov.u32 d, %total_smem_size; mov.u32 e, %aggr_smem_size; sub.u32 d, d, e; sub.u32 e, e, e", "d:u32 e:u32", "",
           lambda: (0, 0))
    for whole, low, high in (("clock64", "clock", "clock_hi"), ("globaltimer", "globaltimer_lo", "globaltimer_hi")):
        # the clock goes on between the readings, by less than 2^32
        yield (f"mov.u64 g, %{whole}; mov.u32 d, %{high}; mov.u32 e, %{low}; mov.b64 h, {{e, d}}; sub.u64 h, h, g; shr.u64 h, h, 33; "
               "sub.u32 d, d, d; sub.u32 e, e, e; sub.u64 g, g, g", "d:u32 e:u32 g:u64 h:u64", "", lambda: (0, 0, 0, 0))


def addresses():
    """Which space a generic address is in."""
    spaces = "isspacep.global d, place; isspacep.shared e, place; isspacep.local f, place; isspacep.const g, place; isspacep.param h, place"
    yield spaces, "d:pred e:pred f:pred g:pred h:pred", "", lambda: (1, 0, 0, 0, 0)
    yield ("cvt.u64.u32 d, spot; cvta.shared.u64 d, d; isspacep.shared e, d; isspacep.shared::cta f, d; isspacep.global g, d; "
           "cvta.to.shared.u64 d, d; cvt.u32.u64 h, d; sub.u32 h, h, spot; xor.b64 d, d, d",
           "d:u64 e:pred f:pred g:pred h:u32", "", lambda: (0, 1, 1, 0, 0))


def multimem():
    """Of one device memory under one address is memory."""
    for kind in ("u32", "s32", "u64", "f32", "f64"):
        if kind != "f64":
            yield (f"multimem.st.release.sys.global.{kind} [place], a; multimem.ld_reduce.relaxed.gpu.global.add.{kind} d, [place]",
                   f"d:{kind}", f"a:{kind}", lambda a, kind=kind: a & mask(kind))
        yield (f"multimem.st.weak.global.{kind} [place+8], a; multimem.red.relaxed.gpu.global.add.{kind} [place+8], b; "
               f"ld.global.{kind} d, [place+8]", f"d:{kind}", f"a:{kind} b:{kind}",
               lambda a, b, kind=kind: total(kind, a, b) if kind[0] == "f" else a + b)
    for name, operate in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
        yield (f"multimem.st.b64 [place], a; multimem.red.release.sys.global.{name}.b64 [place], b; "
               f"multimem.ld_reduce.weak.{name}.b64 d, [place]", "d:u64", "a:u64 b:u64", operate)
    yield ("st.global.s32 [place], a; multimem.red.relaxed.sys.global.max.s32 [place], b; multimem.ld_reduce.acquire.gpu.global.min.s32 d, [place]",
           "d:s32", "a:s32 b:s32", max)
    for kind in ("f16", "bf16"):
        yield (f"multimem.st.relaxed.sys.global.v8.{kind} [place], {{a, b, a, b, b, b, a, a}}; "
               f"multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v8.{kind} {{d, e, f, g, h, i, j, k}}, [place]",
               " ".join(f"{name}:u16" for name in "defghijk"), "a:u16 b:u16", lambda a, b: (a, b, a, b, b, b, a, a))
        yield (f"multimem.st.relaxed.sys.global.v2.{kind} [place], {{a, b}}; multimem.red.relaxed.sys.global.add.v2.{kind} [place], {{b, b}}; "
               "ld.global.v2.b16 {d, e}, [place]", f"d:{kind} e:{kind}", f"a:{kind} b:{kind}",
               lambda a, b, kind=kind: (total(kind, a, b), total(kind, b, b)))
        yield (f"multimem.st.relaxed.sys.global.{kind}x2 [place], a; multimem.red.relaxed.sys.global.add.{kind}x2 [place], b; "
               f"multimem.ld_reduce.relaxed.sys.global.max.{kind}x2 e, [place]", "e:u32", f"a:u32@{kind} b:u32@{kind}",
               lambda a, b, kind=kind: joined(*(total(kind, p, q) for p, q in zip(halves(a), halves(b)))))
    for kind in ("f32", "e4m3x4", "e5m2x4", "bf16x2"):
        yield (f"multimem.st.relaxed.sys.global.v4.{kind} [place], {{a, b, b, a}}; "
               f"multimem.ld_reduce.relaxed.sys.global.add.v4.{kind} {{d, e, f, g}}, [place]",
               "d:u32 e:u32 f:u32 g:u32", "a:u32 b:u32", lambda a, b: (a, b, b, a))
    yield ("st.global.v4.f32 [place], {a, b, a, b}; multimem.red.relaxed.sys.global.add.v4.f32 [place], {b, c, c, a}; "
           "ld.global.v4.f32 {d, e, f, g}, [place]", "d:f32 e:f32 f:f32 g:f32", "a:f32 b:f32 c:f32",
           lambda a, b, c: tuple(total("f32", p, q) for p, q in ((a, b), (b, c), (a, c), (b, a))))


def rows():
    for table in (multimem, loads, vectors, atomics, float_atomics, specials, addresses):
        yield from table()
