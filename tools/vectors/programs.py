"""Programs for what vectors cannot say: instructions between the lanes of a warp and the threads of a block, and those
that decide what runs. Each is a program of hexec with the results of a model of its own, lane by lane."""
import exact
import model_float
import samples
from exact import cut, is_float, number

THREADS, WARP = 64, 32
WIDE = {"i64", "u64", "f64"}


def covers(entry):
    return entry.get("class") in ("control", "sync", "warp", "matrix", "block", "special")


def carrier(kind):
    """The type that moves the bits of another to and from memory."""
    return "u64" if kind in WIDE else "u32"


class Program:
    """Kernels of 64 threads, each with an output of its own and what it should hold."""

    def __init__(self, name, description):
        self.name, self.description = name, description
        self.buffers, self.kernels, self.expects = [], [], []

    def add_input(self, name, kind, values):
        self.buffers.append(f"  - {{name: {name}, type: {carrier(kind)}, access: read, values: {values}}}")

    def add(self, name, code, outputs, block=THREADS, grid=1, extra=""):
        """outputs: name -> (type, values)."""
        for output, (kind, values) in outputs.items():
            self.buffers.append(f"  - {{name: {output}, type: {carrier(kind)}, count: {len(values)}}}")
            self.expects.append(f"  - {{buffer: {output}, values: {values}}}")
        lines = "\n".join(f"        {line}" if not line.endswith(":") else f"      {line}" for line in code.strip().splitlines())
        self.kernels.append((name, grid, block, extra, lines))

    def text(self):
        parts = [f"program: {self.name}", f'description: "{self.description}"', "buffers:", *self.buffers]
        parts.append("kernels:")
        for name, _, _, extra, lines in self.kernels:
            parts += [f"  - name: {name}", *([extra] if extra else []), "    code: |2", lines]
        parts.append("run:")
        parts += [f"  - {{kernel: {name}, grid: [{grid}], block: [{block}]}}" for name, grid, block, _, _ in self.kernels]
        if self.expects:
            parts += ["expect:", *self.expects]
        return "\n".join(parts) + "\n"


HEAD = """mov.u32 r0, %tid.x
mov.u32 r1, %laneid
mov.u32 r9, 0"""


def load(kind, name):
    return f"{HEAD}\nldg.{carrier(kind)} r10, [${name} + r0*{8 if kind in WIDE else 4}]"


def store(kind, name, reg):
    return f"stg.{carrier(kind)} [${name} + r0*{8 if kind in WIDE else 4}], {reg}"


def store_predicate(name, predicate):
    return f"sel.u32 r20, 1, r9, {predicate}\nstg.u32 [${name} + r0*4], r20"


def odd_lanes(code):
    """Only odd lanes reach the code."""
    return f"and.u32 r8, r1, 1\nsetp.eq.u32 p7, r8, r9\n@p7 bra together\n{code}\ntogether:"


def inputs(kind, few=False):
    """Values of which several are the same, with floats that can be added."""
    rng = samples.generator("lanes", kind, few)
    pool = [samples.drawn(rng, kind) for _ in range(3 if few else THREADS)]
    pool = [value if not is_float(kind) or not (model_float.decode(value, kind).nan or model_float.decode(value, kind).infinite) else 0
            for value in pool]
    return [rng.choice(pool) for _ in range(THREADS)] if few else pool


def members(lane, active, mask):
    """The active lanes of a thread's warp that its mask names, ascending, as thread numbers."""
    base = lane // WARP * WARP
    return [base + i for i in range(WARP) if base + i in active and mask >> i & 1]


# ---- Shuffles (PTX ISA, shfl.sync)

def shuffled(mode, values, active, b, c, mask):
    results, truths = [0] * THREADS, [0] * THREADS
    for thread in active:
        lane, base = thread % WARP, thread // WARP * WARP
        step, bound, segments = b(lane) & 31, c & 31, c >> 8 & 31
        last, first = (lane & segments) | (bound & ~segments & 31), lane & segments
        source = {"up": lane - step, "down": lane + step, "bfly": lane ^ step, "idx": first | (step & ~segments & 31)}[mode]
        reads = source >= last if mode == "up" else source <= last
        reads = reads and base + source in members(thread, active, mask(lane))
        results[thread] = values[base + source if reads else thread]
        truths[thread] = int(reads)
    return results, truths


def shuffle_program(mode, kinds):
    program = Program(f"shfl_{mode}", f"shfl.{mode} over its types: whole warps, segments, lanes that are apart, masks")
    everyone, odd = set(range(THREADS)), set(range(1, THREADS, 2))
    bound = 0 if mode == "up" else 31
    half = lambda lane: 0xffff if lane < 16 else 0xffff0000  # noqa: E731
    full = lambda lane: 0xffffffff  # noqa: E731
    for kind in kinds:
        values = inputs(kind)
        program.add_input(f"in_{kind}", kind, values)
        variants = {
            "whole": (f"shfl.{mode}.{kind} r11|p1, r10, 3", everyone, lambda lane: 3, bound, full),
            "segments": (f"rem.u32 r2, r1, 5\nmov.u32 r3, {24 << 8 | bound}\nshfl.{mode}.{kind} r11|p1, r10, r2, r3", everyone,
                         lambda lane: lane % 5, 24 << 8 | bound, full),
            "apart": (f"shfl.{mode}.{kind} r11|p1, r10, 2", odd, lambda lane: 2, bound, full),
            "masked": (f"mov.u32 r3, {bound}\nand.u32 r2, r1, 16\nmov.u32 r4, 0xffff\nshl.u32 r4, r4, r2\n"
                       f"shfl.{mode}.{kind} r11|p1, r10, 7, r3, r4", everyone, lambda lane: 7, bound, half)}
        for variant, (code, active, b, c, mask) in variants.items():
            results, truths = shuffled(mode, values, active, b, c, mask)
            outputs = {f"out_{kind}_{variant}": (kind, results), f"ok_{kind}_{variant}": ("u32", truths)}
            body = f"{code}\n" + store(kind, f"out_{kind}_{variant}", "r11") + "\n" + store_predicate(f"ok_{kind}_{variant}", "p1")
            body = odd_lanes(body) if variant == "apart" else body
            program.add(f"{variant}_{kind}", f"{load(kind, f'in_{kind}')}\n{body}\nexit", outputs)
    return program


# ---- Votes, matches, redux

def warp_results(function, active, mask):
    results = [0] * THREADS
    for thread in active:
        results[thread] = function(thread, members(thread, active, mask(thread % WARP)))
    return results


SITES = {"whole": (set(range(THREADS)), lambda lane: 0xffffffff), "apart": (set(range(1, THREADS, 2)), lambda lane: 0xffffffff),
         "masked": (set(range(THREADS)), lambda lane: 0xff << lane // 8 * 8)}
MASK = "shr.u32 r2, r1, 3\nshl.u32 r2, r2, 3\nmov.u32 r3, 0xff\nshl.u32 r3, r3, r2"


def site_code(site, code):
    """The instruction with a mask where the site has one."""
    if site == "masked":
        return f"{MASK}\n{code}, r3"
    return code


def bits_of(lanes):
    return sum(1 << lane % WARP for lane in lanes)


def vote_program():
    program = Program("vote", "votes and the set of active lanes: whole warps, lanes that are apart, masks")
    values = inputs("u32", few=True)
    truth = {thread: values[thread] % 5 > 1 for thread in range(THREADS)}
    program.add_input("in", "u32", values)
    test = "rem.u32 r5, r10, 5\nsetp.gt.u32 p0, r5, 1"
    votes = {"all": lambda them: all(truth[i] for i in them), "any": lambda them: any(truth[i] for i in them),
             "uni": lambda them: len({truth[i] for i in them}) == 1}
    for site, (active, mask) in SITES.items():
        for mode, function in votes.items():
            name = f"{mode}_{site}"
            expected = warp_results(lambda thread, them: int(function(them)), active, mask)
            body = site_code(site, f"vote.{mode} p1, p0") + "\n" + store_predicate(name, "p1")
            body = odd_lanes(body) if site == "apart" else body
            program.add(f"do_{name}", f"{load('u32', 'in')}\n{test}\n{body}\nexit", {name: ("u32", expected)})
        for kind in ("u32", "u64"):
            name = f"ballot_{kind}_{site}"
            expected = warp_results(lambda thread, them: bits_of(i for i in them if truth[i]), active, mask)
            body = site_code(site, f"vote.ballot.{kind} r11, p0") + "\n" + store(kind, name, "r11")
            body = odd_lanes(body) if site == "apart" else body
            program.add(f"do_{name}", f"{load('u32', 'in')}\n{test}\n{body}\nexit", {name: (kind, expected)})
            if site != "masked":
                name = f"active_{kind}_{site}"
                body = f"activemask.{kind} r11\n" + store(kind, name, "r11")
                body = odd_lanes(body) if site == "apart" else body
                expected = warp_results(lambda thread, them: bits_of(them), active, mask)
                program.add(f"do_{name}", f"{HEAD}\n{body}\nexit", {name: (kind, expected)})
    return program


def match_program(kinds):
    program = Program("match", "which lanes have the same value: whole warps, lanes that are apart, masks")
    for kind in kinds:
        values = inputs(kind, few=True)
        values[WARP:WARP + 8] = [values[WARP]] * 8  # eight of which all agree
        program.add_input(f"in_{kind}", kind, values)
        for site, (active, mask) in SITES.items():
            same = lambda thread, them: bits_of(i for i in them if values[i] == values[thread])  # noqa: E731
            name = f"any_{kind}_{site}"
            body = site_code(site, f"match.any.{kind} r11, r10") + "\n" + store("u32", name, "r11")
            body = odd_lanes(body) if site == "apart" else body
            program.add(f"do_{name}", f"{load(kind, f'in_{kind}')}\n{body}\nexit", {name: ("u32", warp_results(same, active, mask))})
            agree = lambda thread, them: all(values[i] == values[thread] for i in them)  # noqa: E731
            name = f"all_{kind}_{site}"
            body = site_code(site, f"match.all.{kind} r11|p1, r10") + "\n" + store("u32", name, "r11")
            body += "\n" + store_predicate(f"{name}_ok", "p1")
            body = odd_lanes(body) if site == "apart" else body
            program.add(f"do_{name}", f"{load(kind, f'in_{kind}')}\n{body}\nexit", {
                name: ("u32", warp_results(lambda thread, them: bits_of(them) if agree(thread, them) else 0, active, mask)),
                f"{name}_ok": ("u32", warp_results(lambda thread, them: int(agree(thread, them)), active, mask))})
    return program


def combine(operation, kind, a, b):
    if is_float(kind):
        return model_float.CASES[{"add": "fadd", "mul": "fmul", "min": "fmin", "max": "fmax"}[operation]](kind, [], a, b)
    x, y = number(a, kind), number(b, kind)
    return cut({"add": x + y, "mul": x * y, "min": min(x, y), "max": max(x, y), "and": x & y, "or": x | y, "xor": x ^ y}[operation], kind)


def folded(operation, kind, values):
    total = values[0]
    for value in values[1:]:
        total = combine(operation, kind, total, value)
    return total


def redux_program(operations):
    program = Program("redux", "combinations over the lanes of a warp, from the lowest on")
    for kind in sorted({kind for kinds in operations.values() for kind in kinds}):
        program.add_input(f"in_{kind}", kind, inputs(kind))
    for operation, kinds in operations.items():
        for kind in kinds:
            values = inputs(kind)
            for site, (active, mask) in SITES.items():
                name = f"{operation}_{kind}_{site}"
                body = site_code(site, f"redux.{operation}.{kind} r11, r10") + "\n" + store(kind, name, "r11")
                body = odd_lanes(body) if site == "apart" else body
                expected = warp_results(lambda thread, them: folded(operation, kind, [values[i] for i in them]), active, mask)
                program.add(f"do_{name}", f"{load(kind, f'in_{kind}')}\n{body}\nexit", {name: (kind, expected)})
    return program


# ---- Blocks

def neutral(operation, kind):
    if operation == "add":
        return 0
    if is_float(kind):
        return exact.infinity(kind, operation == "max")
    return cut(exact.highest(kind) if operation == "min" else exact.lowest(kind), kind)


def reduce_program(operations):
    program = Program("reduce", "combinations over the threads of a block, in their order; threads that have exited do not count")
    for kind in sorted({kind for kinds in operations.values() for kind in kinds}):
        program.add_input(f"in_{kind}", kind, inputs(kind))
    for operation, kinds in operations.items():
        for kind in kinds:
            values, name = inputs(kind), f"{operation}_{kind}"
            code = f"{load(kind, f'in_{kind}')}\nsetp.ge.u32 p0, r0, 61\n@p0 exit\nreduce.{operation}.{kind} r11, r10\n" + store(kind, name, "r11")
            program.add(f"do_{name}", f"{code}\nexit", {name: (kind, [folded(operation, kind, values[:61])] * 61 + [0] * 3)})
    return program


def scan_program(operations):
    program = Program("scan", "running combinations over the threads of a block")
    for kind in sorted({kind for kinds in operations.values() for kind in kinds}):
        program.add_input(f"in_{kind}", kind, inputs(kind))
    for mnemonic, kinds in operations.items():
        operation, which = mnemonic.split(".")
        for kind in kinds:
            values, name = inputs(kind), f"{operation}_{which}_{kind}"
            running = [folded(operation, kind, values[:i + 1]) for i in range(THREADS)]
            expected = running if which == "incl" else [neutral(operation, kind)] + running[:-1]
            code = f"{load(kind, f'in_{kind}')}\nscan.{mnemonic}.{kind} r11, r10\n" + store(kind, name, "r11")
            program.add(f"do_{name}", f"{code}\nexit", {name: (kind, expected)})
    return program


def barrier_program():
    program = Program("bar", "barriers with a result, and one where some threads only arrive")
    truth = [thread % 3 != 1 for thread in range(THREADS)]
    test = f"{HEAD}\nrem.u32 r2, r0, 3\nsetp.ne.u32 p0, r2, 1"
    program.add("popc", f"{test}\nbar.red.popc.u32 r3, 1, p0\nstg.u32 [$popc + r0*4], r3\nexit", {"popc": ("u32", [sum(truth)] * THREADS)})
    program.add("all", f"{test}\nbar.red.and p1, 2, p0\n" + store_predicate("all", "p1") + "\nexit", {"all": ("u32", [0] * THREADS)})
    program.add("none", f"{test}\nbar.red.or p1, 2, !p0\n" + store_predicate("none", "p1") + "\nexit", {"none": ("u32", [1] * THREADS)})
    # the first warp fills, and waits for nobody; the second waits for it
    produce = f"{HEAD}\nsetp.ge.u32 p0, r0, 32\nmov.u32 r4, {THREADS}\n@p0 bra consumer\nmul.u32 r3, r0, r0\nsts.u32 [tile + r0*4], r3\n" \
              "bar.arrive 1, r4\nexit\nconsumer:\nbar.sync 1, r4\nsub.u32 r5, r0, 32\nlds.u32 r3, [tile + r5*4]\nstg.u32 [$made + r0*4], r3\nexit"
    program.add("hand_over", produce, {"made": ("u32", [0] * 32 + [i * i for i in range(32)])},
                extra="    shared:\n      - {name: tile, type: u32, count: 32}")
    meet = f"{HEAD}\nsts.u32 [tile + r0*4], r0\nwarpsync\nmemfence.block\nxor.u32 r2, r0, 1\nlds.u32 r3, [tile + r2*4]\nmov.u32 r4, 0xffffffff\n" \
           "warpsync r4\nnop\nnanosleep\npmevent 3\nnotice 3\nnotice 2, r4\nnotice 7, r4, r3\nstg.u32 [$pairs + r0*4], r3\nexit"
    program.add("meet", meet, {"pairs": ("u32", [i ^ 1 for i in range(THREADS)])}, extra="    shared:\n      - {name: tile, type: u32, count: 64}")
    return program


# ---- Fences

def passed_on(name, fence, shared):
    """Code that gives numbers to others and says so behind a fence, and of threads that wait for it: the second block, or, through
    shared memory, the second warp of a block; everybody reads what another thread wrote."""
    half = WARP if shared else THREADS
    load, store, add = ("lds", "sts", "reds") if shared else ("ldg", "stg", "redg")
    data, flag = ("data", "flag") if shared else (f"$data_{name}", f"$flag_{name}")
    begin = f"sts.u32 [flag], r9\nbar.sync 0\nshr.u32 r2, r0, {WARP.bit_length() - 1}" if shared else "mov.u32 r2, %ctaid.x"
    seen = f"and.u32 r0, r0, {half - 1}\nstg.u32 [$seen_{name} + r0*4], r3"
    return f"{HEAD}\nmov.u32 r4, 1\nmov.u32 r6, {half}\n{begin}\nsetp.ne.u32 p0, r2, r9\n@p0 bra others\n" \
           f"mad.u32 r3, r0, r0, {len(fence)}\n{store}.u32 [{data} + r0*4], r3\n{fence}\n{add}.add.u32 [{flag}], r4\nexit\n" \
           f"others:\n{load}.volatile.u32 r5, [{flag}]\nsetp.lt.u32 p1, r5, r6\n@p1 bra others\n{fence}\n" \
           f"xor.u32 r7, r0, {THREADS - 1}\n{load}.u32 r3, [{data} + r7*4]\n{seen}\nexit"


def fence_program(modifiers):
    program = Program("memfence", "numbers passed on behind a fence: from block to block, and from warp to warp of a block")
    orders = ("acquire", "release", "acq_rel", "sc")
    spellings = {"plain": "memfence", "cta": "membar.cta", "gl": "membar.gl", "sys": "membar.sys"}
    for modifier in ("plain", *modifiers):
        fence = f"fence.{modifier}.gpu" if modifier in orders else spellings.get(modifier, f"memfence.{modifier}")
        shared = modifier in ("block", "cta")
        half = WARP if shared else THREADS
        sent = [i * i + len(fence) for i in range(half)]
        outputs = {f"seen_{modifier}": ("u32", sent[::-1])}
        if not shared:
            outputs |= {f"data_{modifier}": ("u32", sent), f"flag_{modifier}": ("u32", [half])}
        program.add(f"behind_{modifier}", passed_on(modifier, fence, shared), outputs, grid=1 if shared else 2,
                    extra=f"    shared:\n      - {{name: data, type: u32, count: {half}}}\n      - {{name: flag, type: u32, count: 1}}" if shared else "")
    return program


# ---- Stacks

def stack_program(kinds):
    program = Program("stack", "memory from threads' stacks: sizes and alignments, what returns and restores give back, guards")
    local = "    local:\n      - {name: fixed, type: u8, count: 20}"

    def taken(end, size, align=8):
        begin = -(-end // align) * align
        return begin, begin + size

    for kind in kinds:
        wide = f"cvt.{kind}.u32 r2, r0" if kind != "u32" else "mov.u32 r2, r0"
        code = f"{HEAD}\n{wide}\nadd.{kind} r2, r2, 8\nstacksave.{kind} r3\nalloca.{kind} r4, r2\nalloca.{kind} r5, r2, 32\nstacksave.{kind} r6\n" \
               f"stackrestore.{kind} r5\nalloca.{kind} r7, 16\nstackrestore.{kind} r3\nalloca.{kind} r8, r9, 1\n"
        names = {"start": "r3", "first": "r4", "second": "r5", "end": "r6", "again": "r7", "none": "r8"}
        rows = []
        for size in range(8, 8 + THREADS):
            first, end = taken(20, size)
            second, end = taken(end, size, 32)
            rows.append({"start": 20, "first": first, "second": second, "end": end, "again": second, "none": 20})
        code += "\n".join(store(kind, f"{name}_{kind}", reg) for name, reg in names.items())
        program.add(f"places_{kind}", f"{code}\nexit", {f"{name}_{kind}": (kind, [row[name] for row in rows]) for name in names}, extra=local)
    # each call adds what it has on its stack to the sum of those it called: threads go to depths of their own
    down = f"{HEAD}\nand.u32 r2, r0, 15\nmov.u64 r10, 0\ncall sum\nstacksave.u64 r8\nstg.u32 [$sum + r0*4], r3\nstg.u64 [$left + r0*8], r8\nexit\n" \
           "sum:\nalloca.u64 r4, 24\nmov.u32 r3, 0\nsetp.eq.u32 p0, r2, r9\n@p0 ret\nmul.u32 r5, r2, r2\nstl.u32 [r4 + 16], r5\nstl.u64 [r4 + 8], r10\n" \
           "mov.u64 r10, r4\nsub.u32 r2, r2, 1\ncall sum\nmov.u64 r4, r10\nldl.u64 r10, [r4 + 8]\nldl.u32 r5, [r4 + 16]\nadd.u32 r3, r3, r5\nret"
    program.add("recursion", down, {"sum": ("u32", [sum(n * n for n in range((i & 15) + 1)) for i in range(THREADS)]), "left": ("u64", [20] * THREADS)},
                extra=local)
    guarded = f"{HEAD}\nand.u32 r2, r0, 1\nsetp.ne.u32 p0, r2, r9\nmov.u64 r3, 5\n@p0 alloca.u64 r3, 40\n@!p0 alloca.u64 r4, 8\n@p0 alloca.u64 r4, 8\n" \
              "cvta.local.u64 r5, r4\nst.u32 [r5], r0\nldl.u32 r6, [r4]\nstg.u64 [$guarded + r0*8], r3\nstg.u64 [$behind + r0*8], r4\nstg.u32 [$kept + r0*4], r6\nexit"
    program.add("guarded", guarded, {"guarded": ("u64", [0 if i & 1 else 5 for i in range(THREADS)]), "kept": ("u32", list(range(THREADS))),
                                     "behind": ("u64", [40 if i & 1 else 0 for i in range(THREADS)])})
    # half of the stack, taken and given back more often than it would last
    loop = f"{HEAD}\nmov.u32 r2, 9\nagain:\nstacksave.u64 r3\nalloca.u64 r4, 8192\nstl.u32 [r4 + 8188], r2\nldl.u32 r5, [r4 + 8188]\nadd.u32 r9, r9, r5\n" \
           "stackrestore.u64 r3\nloop.u32 r2, again\nalloca.u64 r4, 16384\nstg.u32 [$rounds + r0*4], r9\nexit"
    program.add("loop", loop, {"rounds": ("u32", [45] * THREADS)})
    return program


# ---- Comparisons

def compare_program():
    program = Program("compare", "both results of a comparison, in the registers of what they are combined with and of the guard")
    combine = {"and": lambda t, c: t and c, "or": lambda t, c: t or c, "xor": lambda t, c: t != c}
    begin = f"{HEAD}\nand.u32 r2, r0, 1\nsetp.ne.u32 p1, r2, r9\nrem.u32 r3, r0, 3\nsetp.ne.u32 p4, r3, r9\n" \
            "pxor p2, p1, p4\nmov.u32 r5, 20"

    def add(name, line, of_thread, first=begin):
        """of_thread(t, c, g): p1 and p2 of a thread, of what the comparison with 20 says, p1 and p4; p2 was p1 xor p4."""
        found = [of_thread(i < 20, bool(i & 1), i % 3 != 0) for i in range(THREADS)]
        code = f"{first}\n{line}\n{store_predicate(name + '_p', 'p1')}\n{store_predicate(name + '_q', 'p2')}\nexit"
        program.add(name, code, {f"{name}_p": ("u32", [int(p) for p, _ in found]), f"{name}_q": ("u32", [int(q) for _, q in found])})

    add("plain", "setp.lt.u32 p1|p2, r0, r5", lambda t, c, g: (t, not t))
    add("guard", "@p1 setp.lt.u32 p1|p2, r0, r5", lambda t, c, g: (t, not t) if c else (c, c != g))
    add("one", "setp.lt.u32 p1|p1, r0, r5", lambda t, c, g: (not t, c != g))
    for op, of in combine.items():
        add(f"{op}_p", f"@p4 setp.lt.{op}.u32 p1|p2, r0, r5, p1", lambda t, c, g: (of(t, c), of(not t, c)) if g else (c, c != g))
        add(f"{op}_q", f"@p4 setp.lt.{op}.u32 p2|p1, r0, r5, p1", lambda t, c, g: (of(not t, c), of(t, c)) if g else (c, c != g))
        add(f"{op}_one", f"setp.lt.{op}.u32 p1|p1, r0, r5, !p1", lambda t, c, g: (of(not t, not c), c != g))
        # what is the same in all threads is computed once
        same = f"{HEAD}\nmov.u32 r3, %ctaid.x\nmov.u32 r5, 20\nsetp.eq.u32 p1, r3, r9\nsetp.ne.u32 p2, r3, r9"
        add(f"{op}_same", f"setp.lt.{op}.u32 p1|p2, r3, r5, p1\nsetp.gt.{op}.u32 p2|p1, r3, r5, p1",
            lambda t, c, g: (of(True, of(True, True)), of(False, of(True, True))), same)
    return program


# ---- Control

def policy_kernels(program, priorities):
    """Policies of caches are all that of an ordinary access: of a range, which need not be one, and without a fraction."""
    forms = [f"createpolicy.range{modifier}.u64 r4, [r2 + 8], r0, r3" for modifier in ("", *(f".{word}" for word in priorities))]
    forms += ["createpolicy.range.global.evict_last.rest_evict_unchanged.b64 r4, [$policy_1], r3, r0",
              "createpolicy.fractional.evict_first.b64 r4", "createpolicy.fractional.evict_first.rest_evict_unchanged.b64 r4, 0.5"]
    for n, form in enumerate(forms):
        code = f"{HEAD}\nmov.u64 r2, 0xdeadbeef00000001\nmov.u32 r3, 4096\nmov.u64 r4, 7\nsetp.ne.u32 p0, r0, 5\n@p0 {form}\n" + \
            store("u64", f"policy_{n}", "r4")
        program.add(f"policy_{n}", f"{code}\nexit", {f"policy_{n}": ("u64", [7 if i == 5 else 1 << 60 for i in range(THREADS)])})


def control_program(loops, priorities):
    program = Program("control", "branches, jump tables, calls, loops")
    collatz = f"{HEAD}\nadd.u32 r2, r0, 1\nmov.u32 r3, 0\nagain:\nsetp.le.u32 p0, r2, 1\n@p0 bra done\nand.u32 r4, r2, 1\nsetp.eq.u32 p1, r4, r9\n" \
              "add.u32 r3, r3, 1\n@!p1 bra odd\nshr.u32 r2, r2, 1\nbra again\nodd:\nmad.u32 r2, r2, 3, r4\nbra again\ndone:\n" \
              "stg.u32 [$steps + r0*4], r3\nexit"

    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)
    program.add("collatz", collatz, {"steps": ("u32", [steps(i + 1) for i in range(THREADS)])})
    table = f"{HEAD}\nrem.u32 r2, r0, 3\nbrx r2, table, 3\ntable:\nbra zero\nbra one\nbra two\nzero:\nmov.u32 r3, 100\nbra end\none:\nmov.u32 r3, 200\n" \
            "bra end\ntwo:\nmov.u32 r3, 300\nend:\nstg.u32 [$case + r0*4], r3\nexit"
    program.add("table", table, {"case": ("u32", [(i % 3 + 1) * 100 for i in range(THREADS)])})
    calls = f"{HEAD}\nmov.u32 r2, r0\nand.u32 r3, r0, 7\ncall power\nstg.u32 [$powers + r0*4], r2\nexit\npower:\nsetp.eq.u32 p0, r3, r9\n@p0 ret\n" \
            "sub.u32 r3, r3, 1\nmul.u32 r2, r2, 3\ncall power\nret"
    program.add("calls", calls, {"powers": ("u32", [i * 3 ** (i & 7) % 2**32 for i in range(THREADS)])})
    by_table = f"{HEAD}\nrem.u32 r2, r0, 3\nsetp.ne.u32 p0, r0, 7\nmov.u32 r3, 0\n@p0 callx r2, table, 3\ncall.idx r9, table, 1\n" \
               "stg.u32 [$called + r0*4], r3\nexit\ntable:\nbra zero\nbra one\nbra two\nzero:\nadd.u32 r3, r3, 100\nret\none:\n" \
               "callx r9, table, 3\nadd.u32 r3, r3, 200\nret\ntwo:\nmad.u32 r3, r3, 7, r0\nret"
    program.add("by_table", by_table, {"called": ("u32", [100 + (0 if i == 7 else [100, 300, i][i % 3]) for i in range(THREADS)])})
    hints = f"{HEAD}\nmov.u64 r2, 0xdeadbeef00000001\nprefetch [r2]\nprefetch.global.L2 [$hints + r0*4 - 4096]\nprefetchu.L1 [r2 + 8]\n" \
            "discard.global.L2 [$hints], 128\ngriddepcontrol.wait\ngriddepcontrol.launch_dependents\nstg.u32 [$hints + r0*4], r0\nexit"
    program.add("hint", hints, {"hints": ("u32", list(range(THREADS)))})
    policy_kernels(program, priorities)
    for kind in loops:
        move = "cvt.u64.u32 r2, r2\n" if kind in WIDE else ""
        sign = f"sub.{kind} r2, r2, 4\n" if kind.startswith("i") else ""
        body = f"{HEAD}\nand.u32 r2, r0, 15\n{move}{sign}mov.u32 r3, 0\nagain:\nadd.u32 r3, r3, 1\nloop.{kind} r2, again\n" \
               f"stg.u32 [$runs_{kind} + r0*4], r3\nexit"
        begins = [(i & 15) - (4 if sign else 0) for i in range(THREADS)]
        program.add(f"loop_{kind}", body, {f"runs_{kind}": ("u32", [max(1, n) for n in begins])})
    for kind in ("u32", "u64"):
        body = f"{HEAD}\nclock.{kind} r2\nclock.{kind} r3\nsub.{kind} r4, r3, r2\nmov.{kind} r5, 1000000000\nsetp.lt.{kind} p0, r4, r5\n" + \
            store_predicate(f"clock_{kind}", "p0")
        program.add(f"reads_clock_{kind}", f"{body}\nexit", {f"clock_{kind}": ("u32", [1] * THREADS)})
    return program


def print_program(kinds):
    program = Program("print", "every type of number goes out; an assertion that holds")
    code = [HEAD, "setp.eq.u32 p0, r0, 0", "setp.lt.u32 p1, r0, 64", "assert p1, text"]
    for kind in kinds:
        code.append(f"cvt.{kind}.u32 r2, r0" if kind != "u32" else "mov.u32 r2, r0")
        code.append(f"@p0 print.{kind} text, r2, r2, r2")
    code += ["mov.u64 r2, text", "cvta.const.u64 r2, r2", "@p0 vprint text, r2", "assert p1, text, r2", "stg.u32 [$done + r0*4], r0", "exit"]
    program.add("say", "\n".join(code), {"done": ("u32", list(range(THREADS)))})
    return program.text().replace("kernels:", 'constants:\n  - {name: text, type: u8, text: "%d %5.1f %x\\n"}\nkernels:')


FAULTS = {
    "trap": ("trap", f"{HEAD}\nsetp.eq.u32 p0, r0, 5\n@p0 trap\nexit"),
    "assert": ("assert", f"{HEAD}\nsetp.ne.u32 p0, r0, 5\nassert p0\nexit"),
    "brx": ("jump_table", f"{HEAD}\nbrx r0, table, 2\ntable:\nbra end\nbra end\nend:\nexit"),
    "callx": ("jump_table", f"{HEAD}\ncallx r0, table, 2\nexit\ntable:\nbra end\nbra end\nend:\nret"),
    "callx_depth": ("call_depth", f"{HEAD}\ncallx r9, table, 1\nexit\ntable:\nbra deeper\ndeeper:\ncallx r9, table, 1\nret"),
    "call": ("call_depth", f"{HEAD}\ncall deeper\nexit\ndeeper:\ncall deeper\nret"),
    "warpsync": ("member_mask", f"{HEAD}\nmov.u32 r2, 0xfffe\nwarpsync r2\nexit"),
    "bar": ("barrier_deadlock", f"{HEAD}\nsetp.lt.u32 p0, r0, 3\n@p0 bra other\nbar.sync 0\nexit\nother:\nbar.sync 1\nexit"),
    "stack_overflow": ("stack", f"{HEAD}\nmul.u32 r2, r0, 512\nalloca.u32 r3, r2\nexit"),
    "stack_recursion": ("stack", f"{HEAD}\ncall deeper\nexit\ndeeper:\nalloca.u64 r2, 1024\ncall deeper\nret"),
    "stack_alignment": ("stack", f"{HEAD}\nmov.u64 r2, 8\nalloca.u64 r3, r2, 24\nexit"),
    "stack_restore": ("stack", f"{HEAD}\nmov.u64 r2, 8\nstackrestore.u64 r2\nexit"),
    "stack_given_back": ("out_of_range", f"{HEAD}\nstacksave.u64 r2\nalloca.u64 r3, 16\nstl.u32 [r3 + 12], r0\nstackrestore.u64 r2\nldl.u32 r4, [r3 + 12]\nexit"),
    "stack_returned": ("out_of_range", f"{HEAD}\ncall gives\nldl.u32 r4, [r3]\nexit\ngives:\nalloca.u64 r3, 16\nstl.u32 [r3], r0\nret"),
    "barrier_count": ("barrier_count", f"{HEAD}\nmov.u32 r2, 65\nbar.sync 0, r2\nexit"),
}


def fault_programs():
    for name, (fault, code) in FAULTS.items():
        program = Program(f"fault_{name}", f"ends in a fault: {fault}")
        program.buffers.append("  - {name: unused, type: u32, count: 1}")
        program.add("run", code, {})
        yield f"fault_{name}.yaml", program.text() + f"expect:\n  - {{fault: {fault}}}\n"


# ---- All of them

def types_of(isa, prefix):
    """The entries whose mnemonics begin with that, without it, and their types."""
    return {entry["mnemonic"][len(prefix):]: entry.get("types", []) for entry in isa["opcodes"] if entry["mnemonic"].startswith(prefix)}


def modifiers_of(isa, mnemonic):
    return next((entry.get("modifiers", []) for entry in isa["opcodes"] if entry["mnemonic"] == mnemonic), [])


def make(isa):
    shuffles = types_of(isa, "shfl.")
    if not shuffles:
        return
    for mode, kinds in shuffles.items():
        yield f"shfl_{mode}.yaml", shuffle_program(mode, kinds).text()
    yield "vote.yaml", vote_program().text()
    yield "match.yaml", match_program(types_of(isa, "match.")["any"]).text()
    yield "redux.yaml", redux_program(types_of(isa, "redux.")).text()
    yield "reduce.yaml", reduce_program(types_of(isa, "reduce.")).text()
    yield "scan.yaml", scan_program(types_of(isa, "scan.")).text()
    yield "bar.yaml", barrier_program().text()
    yield "compare.yaml", compare_program().text()
    yield "control.yaml", control_program(types_of(isa, "loop")[""], modifiers_of(isa, "createpolicy.range")).text()
    yield "stack.yaml", stack_program(types_of(isa, "alloca")[""]).text()
    yield "memfence.yaml", fence_program(modifiers_of(isa, "memfence")).text()
    yield "print.yaml", print_program(types_of(isa, "print")[""])
    yield from fault_programs()
