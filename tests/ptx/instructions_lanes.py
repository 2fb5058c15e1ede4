"""Instructions of PTX that join the lanes of a warp, and those without effect. MASK stands for the lanes that execute the row. A model
is given a lane, a list of the lanes that execute it, and for each input the values of all 32 lanes."""
from numbers_ptx import mask, signed


class Anything:
    """What a lane gets from one that does not execute the instruction."""
    def __contains__(self, other):
        return True

    def __int__(self):
        return 0


def shuffled(mode, c):
    def model(lane, active, a, b):
        by, clamp, segment = b[lane] & 31, c & 31, c >> 8 & 31
        last, first = lane & segment | clamp & ~segment, lane & segment
        source = {"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": first | by & ~segment}[mode]
        is_inside = source >= last if mode == "up" else source <= last
        source = source if is_inside else lane
        return (a[source], is_inside) if source in active else (Anything(), Anything())
    return model


def bits_of(lanes):
    return sum(1 << lane for lane in lanes)


def shuffles():
    for mode, clamps in (("up", (0, 0x1800, 0x1E00)), ("down", (31, 0x181F, 0x1C1F)), ("bfly", (31, 0x181F)), ("idx", (31, 0x181F, 0x101F))):
        for c in clamps:
            yield f"shfl.sync.{mode}.b32 d|p, a, b, {c}, MASK", "d:u32 p:pred", "a:u32 b:u32@0..31", shuffled(mode, c)
        yield (f"shfl.sync.{mode}.b32 d, a, 3, {clamps[0]}, MASK", "d:u32", "a:u32",
               lambda lane, active, a, mode=mode, c=clamps[0]: shuffled(mode, c)(lane, active, a, [3] * 32)[0])


def votes():
    yield "vote.sync.all.pred d, a, MASK", "d:pred", "a:pred", lambda lane, active, a: all(a[i] for i in active)
    yield "vote.sync.all.pred d, a, MASK", "d:pred", "a:pred@1", lambda lane, active, a: 1
    yield "vote.sync.any.pred d, a, MASK", "d:pred", "a:pred", lambda lane, active, a: any(a[i] for i in active)
    yield "vote.sync.any.pred d, !a, MASK", "d:pred", "a:pred@1", lambda lane, active, a: 0
    yield "vote.sync.uni.pred d, a, MASK", "d:pred", "a:pred", lambda lane, active, a: len({a[i] for i in active}) == 1
    yield "vote.sync.ballot.b32 d, a, MASK", "d:u32", "a:pred", lambda lane, active, a: bits_of(i for i in active if a[i])
    yield "vote.sync.ballot.b32 d, !a, MASK", "d:u32", "a:pred", lambda lane, active, a: bits_of(i for i in active if not a[i])
    yield "activemask.b32 d", "d:u32", "", lambda lane, active: bits_of(active)
    yield "elect.sync d|p, MASK", "d:u32 p:pred", "", lambda lane, active: (min(active), lane == min(active))


def matches():
    for kind in ("b32", "b64"):
        yield (f"match.any.sync.{kind} d, a, MASK", "d:u32", f"a:{kind}@1,2,3", lambda lane, active, a: bits_of(i for i in active if a[i] == a[lane]))
        for pool in ("1,2,3", "5"):
            yield (f"match.all.sync.{kind} d|p, a, MASK", "d:u32 p:pred", f"a:{kind}@{pool}",
                   lambda lane, active, a: (bits_of(active), 1) if len({a[i] for i in active}) == 1 else (0, 0))


def reductions():
    for name, kinds in (("add", "u32 s32"), ("min", "u32 s32"), ("max", "u32 s32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")):
        for kind in kinds.split():
            def model(lane, active, a, name=name, kind=kind):
                values = [signed(a[i], 32) if kind == "s32" else a[i] for i in active]
                result = values[0]
                for value in values[1:]:
                    result = {"add": result + value, "min": min(result, value), "max": max(result, value), "and": result & value,
                              "or": result | value, "xor": result ^ value}[name]
                return result & mask("u32")
            yield f"redux.sync.{name}.{kind} d, a, MASK", "d:u32", f"a:{kind}", model


NOTHING = ("bar.warp.sync MASK", "fence.acq_rel.gpu", "fence.sc.cta", "membar.gl", "membar.cta", "membar.sys", "prefetch.global.L1 [place]",
           "prefetch.global.L2 [place]", "prefetchu.L1 [place]", "applypriority.global.L2::evict_normal [place], 128", "nanosleep.u32 5",
           "pmevent 3", "griddepcontrol.wait", "griddepcontrol.launch_dependents", "fence.proxy.async", "barrier.cluster.arrive",
           "createpolicy.fractional.L2::evict_last.b64 policy, 1.0", "discard.global.L2 [place], 128", "setmaxnreg.inc.sync.aligned.u32 64")


def without_effect():
    for text in NOTHING:
        extra = ".reg .b64 policy; " if "policy" in text else ""
        yield f"{extra}add.u32 d, a, 1; {text}; add.u32 d, d, 1", "d:u32", "a:u32", lambda lane, active, a: a[lane] + 2 & mask("u32")
    yield "mapa.u64 d, a, 0; mapa.shared::cluster.u32 e, b, 0", "d:u64 e:u32", "a:u64 b:u32", lambda lane, active, a, b: (a[lane], b[lane])
    yield "getctarank.u64 d, place", "d:u32", "", lambda lane, active: 0


def rows():
    for table in (shuffles, votes, matches, reductions, without_effect):
        yield from table()
