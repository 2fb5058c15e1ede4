"""What operands of PTX may be: expressions of constants, sums with a register, vectors of registers."""
from numbers_ptx import joined

# with the operators of C, which Python has under other names or at other places
EXPRESSIONS = {"3*4+1": 13, "(1<<3)|2": 10, "-(5)": -5, "-(-5)": 5, "5 == 5 ? 1 : 2": 1, "0 ? 1 : 2": 2, "(0xF0&0xCC)|0xAA": 0xEA, "10/3": 3,
               "-10/3": -3, "-10 % 3": -1, "~5&0xff": 250, "!0": 1, "!7+1": 1, "1+2*3-4": 3, "2*(3+4)": 14, "1|2^3&1": 3, "8>>1<<2": 16,
               "-8>>1": -4, "3<4": 1, "4<=3": 0, "3>=3&&2": 1, "0||0": 0, "5!=5": 0, "077": 63, "0b101": 5, "0x10U": 16, "0U": 0,
               "1-1-1": -1, "100/10/5": 2, "0xFFFFFFFFFFFFFFFF>>60": 15, "(.s64)0xFFFFFFFFFFFFFFFF>>60": -1, "0xFFFFFFFFFFFFFFFF > 1": 1,
               "(.s64)0xFFFFFFFFFFFFFFFF > 1": 0, "1<<40": 1 << 40, "((((3))))": 3, "1?2?3:4:5": 3}


def rows():
    for text, value in EXPRESSIONS.items():
        yield f"mov.u64 d, {text}", "d:u64", "", lambda value=value: value
        yield f"add.u32 d, a, {text}", "d:u32", "a:u32", lambda a, value=value: a + value
    yield "st.global.u64 [place+4*2], a; ld.global.u64 d, [place+(4+4)]", "d:u64", "a:u64", lambda a: a
    yield "mov.f32 d, .5", "d:f32", "", lambda: 0x3F000000
    yield "mov.f32 d, -1.5e1", "d:f32", "", lambda: 0xC1700000
    yield "mov.pred d, !0", "d:pred", "", lambda: 1
    yield "setp.eq.and.u32 d, a, a, !1", "d:pred", "a:u32", lambda a: 0
    for kind in ("u32", "u64"):
        yield f"add.{kind} d, a+1, b", f"d:{kind}", f"a:{kind} b:{kind}", lambda a, b: a + 1 + b
        yield f"mov.{kind} d, a+-3", f"d:{kind}", f"a:{kind}", lambda a: a - 3
        yield f"st.global.{kind} [place], a+7; ld.global.{kind} d, [place]", f"d:{kind}", f"a:{kind}", lambda a: a + 7
        yield f"add.{kind} a, a+1, a+2; mov.{kind} d, a; xor.b{kind[1:]} a, a, a", f"d:{kind}", f"a:{kind}", lambda a: 2 * a + 3
    for declared, index, offset in ((".b32 list[8]", 3, 12), (".v4 .b32 list[8]", 3, 12), (".b16 list[4][8]", 0x5, 10), (".b8 list[8]", 0, 0)):
        yield (f".shared .align 16 {declared}; .reg .u64 from; mov.u64 from, list; mov.u64 d, list[{index}]; sub.u64 d, d, from", "d:u64", "",
               lambda offset=offset: offset)
    yield from symbols()
    yield from vectors()


def symbols():
    """A variable's address with an offset, as an operand of arithmetic and stores."""
    for space in ("global", "shared", "const", "local"):
        begin = f".{space} .align 16 .b32 list[8]; .reg .u64 base; mov.u64 base, list; "
        for text, offset in (("mov.u64 d, list+8", 8), ("add.u64 d, list+4, 4", 8), ("add.u64 d, 4, list+8", 12), ("sub.u64 d, list+16, 4", 12),
                             ("mad.lo.u64 d, 3, 4, list+4", 16), ("and.b64 d, list+12, -1", 12), ("st.global.u64 [place], list+16; ld.global.u64 d, [place]", 16),
                             ("cvta.{0}.u64 d, list+12; cvta.to.{0}.u64 d, d", 12)):
            yield f"{begin}{text.format(space)}; sub.u64 d, d, base", "d:u64", "", lambda offset=offset: offset
        yield f".reg .pred equal; {begin}add.u64 base, base, 8; setp.eq.u64 equal, list+8, base; selp.u32 d, 1, 0, equal", "d:u32", "", lambda: 1
    yield (".local .align 16 .b32 list[8]; .reg .u64 base; st.local.b32 [list+12], a; add.u64 base, list+4, 8; ld.local.b32 d, [base]", "d:u32",
           "a:u32", lambda a: a)
    yield (".shared .align 16 .b32 list[8]; .reg .u32 base; mov.u32 base, list; mov.u32 d, list+8; add.u32 e, list+4, 8; sub.u32 d, d, base; "
           "sub.u32 e, e, base", "d:u32 e:u32", "", lambda: (8, 12))


def vectors():
    yield ("mov.v4.u32 {d, e, f, g}, {a, b, 7, a}; mov.v4.u32 {d, e, f, g}, {e, f, g, d}", "d:u32 e:u32 f:u32 g:u32", "a:u32 b:u32",
           lambda a, b: (b, 7, a, a))
    yield "mov.v4.u32 {_, d, e, f}, %ntid", "d:u32 e:u32 f:u32", "", lambda: (1, 1, 0)
    yield (".reg .v4 .u32 v; st.global.v4.u32 [place], {a, b, a, 3}; ld.global.v4.u32 v, [place]; add.u32 v.y, v.y, v.w; "
           "st.shared.v4.u32 [spot], v; ld.shared.v4.u32 {d, e, f, g}, [spot]; mov.u32 f, v.a", "d:u32 e:u32 f:u32 g:u32", "a:u32 b:u32",
           lambda a, b: (a, b + 3, 3, 3))
    yield (".reg .v2 .u32 %v<4>; mov.b64 %v2, a; mov.v2.u32 %v3, %v2; mov.b64 d, %v3; mov.u32 e, %v2.y", "d:u64 e:u32", "a:u64",
           lambda a: (a, a >> 32))
    yield (".reg .b128 q, r; mov.b128 q, {a, b}; st.global.b128 [place], q; ld.global.b128 r, [place]; mov.b128 {d, e}, r", "d:u64 e:u64",
           "a:u64 b:u64", lambda a, b: (a, b))
    yield (".reg .b128 q, r; mov.b128 q, {a, b, c, a}; mov.b128 r, q; mov.b128 {d, e}, q; mov.b128 {f, g, h, i}, r",
           "d:u64 e:u64 f:u32 g:u32 h:u32 i:u32", "a:u32 b:u32 c:u32", lambda a, b, c: (b << 32 | a, a << 32 | c, a, b, c, a))
    yield ".reg .b8 x, y, z, w; mov.b32 {x, y, z, w}, a; mov.b32 d, {w, y, x, z}", "d:u32", "a:u32", \
        lambda a: a >> 24 | a & 0xFF00 | (a & 255) << 16 | (a >> 16 & 255) << 24
    yield ".reg .b8 x, y; mov.b16 {x, y}, a; mov.b16 d, {y, x}", "d:u16", "a:u16", lambda a: a >> 8 | (a & 255) << 8
    yield ".reg .v2 .u16 v; mov.b32 v, a; mov.b32 d, {v.y, v.x}", "d:u32", "a:u32", lambda a: joined(a >> 16, a & 0xFFFF)
