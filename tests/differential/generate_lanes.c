/* Parts of random programs for what the executor does once for all lanes: values that are the same in all
 * threads, indices that are sums of multiples of tid, branches whose sides are straight code, loops over
 * tables.
 *
 * Nothing here promises that a value is the same everywhere: registers for such values are written by any
 * instruction now and then, under guards and in sides of branches that some threads take. Affine indices are
 * made anew for each access, so that they are inside the table whatever happened before; what they are made
 * of may wrap on the way. */
#include "generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned any_uniform(struct generator *generator)
{
    return REG_UNIFORM + 2 * below(generator, UNIFORM_COUNT / 2);
}

static const char *pick(struct generator *generator, const char *const *texts, size_t count)
{
    return texts[below(generator, (uint32_t)count)];
}
#define PICK(texts) pick(generator, texts, HX_COUNT_OF(texts))

static void generate_uniform_value(struct generator *generator, unsigned reg, bool wide);

/* Multiples of tid by numbers: the block's extents at first. In a smaller block places still differ. */
static void generate_places(struct generator *generator)
{
    const struct generated *out = generator->out;
    const unsigned place = REG_PLACE, help = REG_AFFINE;
    const uint32_t threads = out->block[0] * out->block[1] * out->block[2];
    emit(generator, LINE_FRAME, "mov.u32 r%u, %%tid.z", place);
    emit(generator, LINE_FRAME, "mul.u32 r%u, r%u, %u", place, place, out->block[1]);
    emit(generator, LINE_FRAME, "mov.u32 r%u, %%tid.y", help);
    emit(generator, LINE_FRAME, "add.u32 r%u, r%u, r%u", place, place, help);
    emit(generator, LINE_FRAME, "mov.u32 r%u, %%tid.x", help);
    emit(generator, LINE_FRAME, "mad.u32 r%u, r%u, %u, r%u", place, place, out->block[0], help);
    emit(generator, LINE_FRAME, "mul.u32 r%u, r%u, %u", place + 1, place, CELL_BYTES);
    emit(generator, LINE_FRAME, "mov.u32 r%u, %%ctaid.z", place + 3);
    for (int axis = 1; axis >= 0; axis--) {
        emit(generator, LINE_FRAME, "mov.u32 r%u, %%nctaid.%c", help, "xy"[axis]);
        emit(generator, LINE_FRAME, "mov.u32 r%u, %%ctaid.%c", help + 1, "xy"[axis]);
        emit(generator, LINE_FRAME, "mad.u32 r%u, r%u, r%u, r%u", place + 3, place + 3, help, help + 1);
    }
    emit(generator, LINE_FRAME, "mul.u32 r%u, r%u, %u", help, place + 3, threads * SCRATCH_BYTES);
    emit(generator, LINE_FRAME, "mad.u32 r%u, r%u, %u, r%u", place + 2, place, SCRATCH_BYTES, help);
}

void generate_lane_places(struct generator *generator)
{
    const int start = new_label(generator), end = new_label(generator);
    const unsigned index = REG_AFFINE;
    generate_places(generator);
    emit(generator, LINE_FRAME, "mov.u32 r%u, r%d", index, REG_THREAD);
    emit(generator, LINE_FRAME, "L%d:", start);
    emit(generator, LINE_FRAME, "setp.ge.u32 p0, r%u, %u", index, COMMON_BYTES / 8);
    emit(generator, LINE_FRAME, "@p0 bra L%d", end);
    emit(generator, LINE_FRAME, "ldg.u64 r%d, [$plane + r%u*8]", REG_BASE, index);
    emit(generator, LINE_FRAME, "sts.u64 [common + r%u*8], r%d", index, REG_BASE);
    emit(generator, LINE_FRAME, "add.u32 r%u, r%u, r%d", index, index, REG_THREADS);
    emit(generator, LINE_FRAME, "bra L%d", start);
    emit(generator, LINE_FRAME, "L%d:", end);
    emit(generator, LINE_FRAME, "bar.sync 0");
    for (unsigned i = 0; i < UNIFORM_COUNT; i++)
        generate_uniform_value(generator, REG_UNIFORM + i, uniform_pool.wide >> i & 1);
}

static void generate_uniform_load(struct generator *generator, unsigned reg, const char *type)
{
    static const char *const loads[] = {"ldg", "ldg", "lds", "ldc"};
    static const char *const tables[] = {"$input", "$special", "common", "table"};
    const unsigned bytes = (unsigned)hx_type_bytes(hx_type_find(type));
    const unsigned offset = bytes * below(generator, 32 / bytes), which = below(generator, 4);
    emit(generator, LINE_FREE, "and.u32 r%d, r%u, 60", REG_INDEX, any_uniform(generator));
    emit(generator, LINE_FREE, "%s.%s r%u, [%s + r%d*8 + %u]", loads[which], type, reg, tables[which],
         REG_INDEX, offset);
}

static void generate_uniform_value(struct generator *generator, unsigned reg, bool wide)
{
    static const char *const narrow_types[] = {"u32", "i32", "f32", "i16", "u8"};
    static const char *const wide_types[] = {"u64", "i64", "f64"};
    static const char *const specials[] = {"ctaid.x", "ctaid.y", "ctaid.z",  "ntid.x",
                                           "ntid.y",  "ntid.z",  "nctaid.x", "nwarpid"};
    static const char *const parameters[] = {"p_u32", "p_i32", "p_i64", "p_u64", "p_i8", "p_i16"};
    const char *type = wide ? PICK(wide_types) : PICK(narrow_types);
    char number[32];
    switch (below(generator, 4)) {
    case 0:
        write_number(generator, hx_type_find(type), false, number, sizeof number);
        emit(generator, LINE_FREE, "mov.%s r%u, %s", type, reg, number);
        break;
    case 1:
        emit(generator, LINE_FREE, "mov.%s r%u, %%%s", wide ? "u64" : "u32", reg, PICK(specials));
        break;
    case 2:
        emit(generator, LINE_FREE, "mov.%s r%u, $%s", type, reg, PICK(parameters));
        break;
    default:
        generate_uniform_load(generator, reg, type);
    }
}

/* Operations that lanes do not wait in, over the registers of a pool. */
static void generate_straight(struct generator *generator, const struct pool *pool, unsigned count)
{
    const struct pool before = generator->pool;
    const bool was_straight = generator->straight;
    generator->pool = *pool;
    generator->straight = true;
    for (; count > 0; count--)
        generate_operation(generator);
    generator->straight = was_straight;
    generator->pool = before;
}

void generate_uniform(struct generator *generator)
{
    for (unsigned n = 1 + below(generator, 4); n > 0; n--) {
        const unsigned which = below(generator, UNIFORM_COUNT);
        if (chance(generator, 35))
            generate_uniform_value(generator, REG_UNIFORM + which, uniform_pool.wide >> which & 1);
        else
            generate_straight(generator, &uniform_pool, 1);
    }
}

/* Instructions that are made of several operations, over the registers and predicates of a chain. */
static void generate_composed(struct generator *generator)
{
    static const char *const lines[] = {
        "setp.lt.and.u32 p14, r65, r67, p15",   "setp.ne.or.i32 p15, r67, r69, !p14",
        "set.lt.u32.i32 r69, r65, r67",         "set.ne.f32.u32 r65, r69, r67",
        "pack.u64.u16 r66, r65, r67, r69, r65", "unpack.u16.u64 r65, r67, r69, r66, r68",
        "sel.u32 r67, r65, r69, p14",           "add.u64 r68, r65, r67"};
    for (unsigned n = 1 + below(generator, 3); n > 0; n--)
        emit(generator, LINE_FREE, "%s", PICK(lines));
}

void generate_chain(struct generator *generator)
{
    static const char *const compares[] = {"lt", "ne", "gt", "eq"};
    const bool uniform = chance(generator, 65);
    const struct pool chain = {REG_CHAIN, CHAIN_COUNT, 0xaa, PREDICATE_PASSING, 2, uniform};
    for (unsigned i = 0; i < CHAIN_COUNT; i++) {
        const bool wide = chain.wide >> i & 1;
        const unsigned from = uniform && chance(generator, 85)
                                  ? any_uniform(generator) + wide
                                  : data_register(generator, wide ? HX_TYPE_U64 : HX_TYPE_U32);
        if (uniform && chance(generator, 40))
            generate_uniform_value(generator, REG_CHAIN + i, wide);
        else
            emit(generator, LINE_FREE, "mov.%s r%u, r%u", wide ? "u64" : "u32", REG_CHAIN + i, from);
    }
    for (unsigned p = 0; p < chain.predicates; p++)
        emit(generator, LINE_FREE, "setp.%s.u32 p%u, r%u, r%u", PICK(compares), chain.first_predicate + p,
             REG_CHAIN + 2 * p, REG_CHAIN + 4 - 2 * p);
    if (chance(generator, 40))
        generate_composed(generator);
    generate_straight(generator, &chain, 1 + below(generator, 5));
    for (unsigned n = 1 + below(generator, 3); n > 0; n--) {
        const unsigned which = below(generator, CHAIN_COUNT);
        const bool wide = chain.wide >> which & 1;
        const unsigned to = data_register(generator, wide ? HX_TYPE_U64 : HX_TYPE_U32);
        if (chance(generator, 70))
            emit(generator, LINE_FREE, "add.%s r%u, r%u, r%u", wide ? "u64" : "u32", to, to,
                 REG_CHAIN + which);
        else
            emit(generator, LINE_FREE, "@p%u mov.%s r%u, r%u", chain.first_predicate + below(generator, 2),
                 wide ? "u64" : "u32", to, REG_CHAIN + which);
    }
}

/* ---- What is known, or never read ------------------------------------------------------------------------
 */

/* A register of a chain, or a number. */
static void write_known(struct generator *generator, const char *type, bool may_number, char *text,
                        size_t room)
{
    if (may_number && chance(generator, 35))
        write_number(generator, hx_type_find(type), true, text, room);
    else
        snprintf(text, room, "r%u", REG_CHAIN + below(generator, CHAIN_COUNT));
}

static void generate_known_step(struct generator *generator)
{
    static const char *const types[] = {"u32", "i32", "u64", "i64"};
    static const char *const unary[] = {"mov", "neg", "not"};
    static const char *const binary[] = {"add", "sub", "mul", "and", "or", "xor"};
    static const char *const shifts[] = {"shl", "shr"};
    static const unsigned amounts[] = {0, 1, 31, 32, 33, 63, 64, 65, 255};
    const char *type = PICK(types), *guard = chance(generator, 5) ? "@p14 " : "";
    const unsigned d = REG_CHAIN + below(generator, CHAIN_COUNT), choice = below(generator, 100);
    char a[40], b[40], c[40];
    write_known(generator, type, false, a, sizeof a);
    write_known(generator, type, true, b, sizeof b);
    write_known(generator, type, false, c, sizeof c);
    if (choice < 20)
        emit(generator, LINE_FREE, "%s%s.%s r%u, %s", guard, PICK(unary), type, d, a);
    else if (choice < 60)
        emit(generator, LINE_FREE, "%s%s.%s r%u, %s, %s", guard, PICK(binary), type, d, a, b);
    else if (choice < 75)
        emit(generator, LINE_FREE, "%smad.%s r%u, %s, %s, %s", guard, type, d, a, b, c);
    else if (chance(generator, 70))
        emit(generator, LINE_FREE, "%s%s.%s r%u, %s, %u", guard, PICK(shifts), type, d, a,
             amounts[below(generator, HX_COUNT_OF(amounts))]);
    else
        emit(generator, LINE_FREE, "%s%s.%s r%u, %s, %s", guard, PICK(shifts), type, d, a, c);
}

/* A sum of multiples of tid is compared with what is the same for all, near its bounds or where it wraps. */
static void generate_place_comparison(struct generator *generator)
{
    static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "hs"};
    static const char *const places[] = {"tid.x", "tid.x", "tid.y", "tid.z"};
    static const char *const types[] = {"u32", "i32"};
    const unsigned to = data_register(generator, HX_TYPE_U32), place = REG_AFFINE, help = REG_AFFINE + 1;
    const char *compare = PICK(compares);
    const bool is_unsigned = strcmp(compare, "lo") == 0 || strcmp(compare, "hs") == 0;
    const char *type = is_unsigned ? "u32" : PICK(types);
    char factor[40], offset[40], bound[40];
    write_known(generator, "u32", true, factor, sizeof factor);
    write_known(generator, "u32", true, offset, sizeof offset);
    write_known(generator, type, true, bound, sizeof bound);
    emit(generator, LINE_FREE, "mov.u32 r%u, %%%s", place, PICK(places));
    if (chance(generator, 40))
        emit(generator, LINE_FREE, "mul.u32 r%u, r%u, %s", place, place, factor);
    if (chance(generator, 60))
        emit(generator, LINE_FREE, "%s.u32 r%u, r%u, %s", chance(generator, 60) ? "add" : "sub", place, place,
             offset);
    if (chance(generator, 60))
        snprintf(bound, sizeof bound, "%u", below(generator, 300));
    if (chance(generator, 50)) {
        emit(generator, LINE_FREE, "set.%s.u32.%s r%u, r%u, %s", compare, type, help, place, bound);
        emit(generator, LINE_FREE, "sub.u32 r%u, r%u, r%u", to, to, help);
    } else {
        emit(generator, LINE_FREE, "setp.%s.%s p14|p15, r%u, %s", compare, type, place, bound);
        emit(generator, LINE_FREE, "@p%u add.u32 r%u, r%u, 1", 14 + below(generator, 2), to, to);
    }
}

void generate_known(struct generator *generator)
{
    for (unsigned i = 0; i < CHAIN_COUNT; i++)
        if (chance(generator, 80))
            generate_uniform_value(generator, REG_CHAIN + i, i % 2 != 0);
    for (unsigned n = 2 + below(generator, 8); n > 0; n--)
        generate_known_step(generator);
    for (unsigned n = below(generator, 3); n > 0; n--)
        generate_place_comparison(generator);
    for (unsigned n = below(generator, 4); n > 0; n--) { /* none: all of it was for nothing */
        const bool wide = chance(generator, 50);
        const unsigned to = data_register(generator, wide ? HX_TYPE_U64 : HX_TYPE_U32);
        emit(generator, LINE_FREE, "xor.%s r%u, r%u, r%u", wide ? "u64" : "u32", to, to,
             REG_CHAIN + below(generator, CHAIN_COUNT));
    }
}

/* Values that one arm alone reads, made before the branch. */
static void generate_carried(struct generator *generator, bool here)
{
    for (unsigned i = 0; i < CHAIN_COUNT; i++) {
        const char *type = i % 2 == 0 ? "u32" : "u64";
        const unsigned to = data_register(generator, hx_type_find(type)),
                       from = any_uniform(generator) + (i % 2 != 0 && chance(generator, 50));
        if (here)
            emit(generator, LINE_FREE, "mov.%s r%u, r%u", type, REG_CHAIN + i, from);
        else
            emit(generator, LINE_FREE, "add.%s r%u, r%u, r%u", type, to, to, REG_CHAIN + i);
    }
}

static void generate_side(struct generator *generator)
{
    for (unsigned n = 1 + below(generator, 3); n > 0; n--) {
        const uint32_t choice = below(generator, 100);
        if (choice < 30)
            generate_chain(generator);
        else if (choice < 45)
            generate_known(generator);
        else
            generate_straight(generator, choice < 75 ? &generator->data : &uniform_pool,
                              1 + below(generator, 3));
    }
}

/* Of some threads of a row, or of some blocks. */
static unsigned generate_place_condition(struct generator *generator)
{
    const unsigned predicate = any_predicate(generator);
    const uint32_t extent = 1 + generator->out->block[0] * generator->out->block[1];
    emit(generator, LINE_FREE, "setp.%s.u32 p%u, r%u, %u", chance(generator, 70) ? "lt" : "ne", predicate,
         chance(generator, 80) ? (unsigned)REG_THREAD : any_uniform(generator), below(generator, extent));
    return predicate;
}

void generate_straight_sides(struct generator *generator)
{
    const int other = new_label(generator), end = new_label(generator);
    const bool has_else = chance(generator, 50);
    const char *sense = chance(generator, 50) ? "!" : "";
    const unsigned predicate =
        chance(generator, 50) ? generate_condition(generator) : generate_place_condition(generator);
    const bool carries = has_else && chance(generator, 40);
    if (carries)
        generate_carried(generator, true);
    emit(generator, LINE_FREE, "@%sp%u bra L%d", sense, predicate, has_else ? other : end);
    if (carries) /* the same width as what it reads, or not */
        emit(generator, LINE_FREE, "add.u64 r%u, r%u, r%u", data_register(generator, HX_TYPE_U64),
             any_uniform(generator), any_uniform(generator) + below(generator, 2));
    generate_side(generator);
    if (has_else) {
        emit(generator, LINE_FREE, "bra L%d", end);
        emit(generator, LINE_FRAME, "L%d:", other);
        if (carries)
            generate_carried(generator, false);
        generate_side(generator);
    }
    emit(generator, LINE_FRAME, "L%d:", end);
}

struct affine {
    unsigned reg, scale;
    unsigned step;      /* what the index may be raised by, as often as requested */
    int subtracted;     /* of the index, so that the address must add it */
    const char *suffix; /* of the register */
};

/* index += by * tid.axis */
static void add_multiple(struct generator *generator, unsigned index, int axis, int by)
{
    const unsigned help = REG_AFFINE + 1;
    const char *type = chance(generator, 50) ? "u32" : "i32";
    emit(generator, LINE_FREE, "mov.%s r%u, %%tid.%c", type, help, "xyz"[axis]);
    switch (below(generator, 4)) {
    case 0:
        emit(generator, LINE_FREE, "mul.i32 r%u, r%u, %d", help, help, by);
        emit(generator, LINE_FREE, "add.%s r%u, r%u, r%u", type, index, help, index);
        break;
    case 1:
        emit(generator, LINE_FREE, "mul.u32 r%u, r%u, %u", help, help, 0 - (unsigned)by);
        emit(generator, LINE_FREE, "sub.%s r%u, r%u, r%u", type, index, index, help);
        break;
    case 2:
        if (by > 0 && (by & (by - 1)) == 0) {
            emit(generator, LINE_FREE, "shl.%s r%u, r%u, %d", type, help, help, __builtin_ctz((unsigned)by));
            emit(generator, LINE_FREE, "add.%s r%u, r%u, r%u", type, index, index, help);
            break;
        } /* fall through */
    default:
        emit(generator, LINE_FREE, "mad.u32 r%u, r%u, %u, r%u", index, help, (unsigned)by, index);
    }
}

/* Multiples of tid whose sum is 0 to `most`, if something is added to it: the least sum, negated. */
static int choose_multiples(struct generator *generator, int most, int *ret_by, int *ret_range)
{
    const uint32_t *block = generator->out->block;
    const int choices[] = {0, 1, 1, 1, -1, 2, -2, 3, 4, (int)block[0], -(int)block[0]};
    for (int tries = 0; tries < 12; tries++) {
        int low = 0, range = 0;
        for (int axis = 0; axis < 3; axis++) {
            ret_by[axis] = tries < 11 ? choices[below(generator, HX_COUNT_OF(choices))] : 0;
            const int reach = ret_by[axis] * ((int)block[axis] - 1);
            low += reach < 0 ? reach : 0;
            range += reach < 0 ? -reach : reach;
        }
        *ret_range = range;
        if (range <= most)
            return -low;
    }
    return 0;
}

static unsigned any_scale(struct generator *generator)
{
    return 1u << below(generator, 4);
}

#define UNIFORM_PART 8 /* values of the part of an index that all threads share */

/* An index such that `bytes` at index * scale, up to `bytes` more, and `steps` further on, are in `room`. */
static struct affine make_affine(struct generator *generator, unsigned index, unsigned bytes, unsigned scale,
                                 unsigned room, unsigned steps)
{
    static const char *const suffixes[] = {"", ".u32", ".i32"};
    const unsigned help = REG_AFFINE + 2;
    const unsigned unit = bytes > scale ? bytes / scale : 1;
    const int most = (int)((room - 2 * bytes) / (scale * unit)) - (int)steps - UNIFORM_PART;
    const uint32_t beyond = chance(generator, 40) ? (uint32_t)random_bits(generator) : 0; /* wraps */
    struct affine affine = {.reg = index, .scale = scale, .step = unit, .suffix = PICK(suffixes)};
    int by[3], range;
    const int least = choose_multiples(generator, most, by, &range);
    const int first = least + (int)below(generator, (uint32_t)(most - range + 1));
    emit(generator, LINE_FREE, "mov.u32 r%u, %u", index, (unsigned)first * unit + beyond);
    for (int axis = 0; axis < 3; axis++)
        if (by[axis] != 0)
            add_multiple(generator, index, axis, by[axis] * (int)unit);
    if (chance(generator, 70)) {
        emit(generator, LINE_FREE, "and.u32 r%u, r%u, %d", help,
             chance(generator, 90) ? any_uniform(generator) : data_register(generator, HX_TYPE_U32),
             UNIFORM_PART - 1);
        emit(generator, LINE_FREE, "mad.u32 r%u, r%u, %u, r%u", index, help, unit, index);
    }
    if (beyond)
        emit(generator, LINE_FREE, "sub.u32 r%u, r%u, %u", index, index, beyond);
    if (chance(generator, 25)) {
        affine.subtracted = (int)(below(generator, 200) * unit);
        affine.suffix = ".i32";
        emit(generator, LINE_FREE, "sub.i32 r%u, r%u, %d", index, index, affine.subtracted);
    }
    return affine;
}

static const char *table_of(enum hx_space space, unsigned *ret_bytes)
{
    *ret_bytes = space == SPACE_GLOBAL ? PLANE_BYTES : space == SPACE_SHARED ? COMMON_BYTES : BOARD_BYTES;
    return space == SPACE_GLOBAL ? "$plane" : space == SPACE_SHARED ? "common" : "board";
}

static void write_affine(struct generator *generator, enum hx_space space, const struct affine *affine,
                         unsigned bytes, char *text, size_t size)
{
    unsigned room;
    const char *table = table_of(space, &room);
    const unsigned offset = (unsigned)affine->subtracted * affine->scale + bytes * below(generator, 2);
    char base[16];
    snprintf(base, sizeof base, "%s", table);
    if (chance(generator, 25)) {
        emit(generator, LINE_FREE, "mov.u64 r%d, %s", REG_BASE, table);
        snprintf(base, sizeof base, "r%d", REG_BASE);
    }
    snprintf(text, size, "[%s + r%u%s*%u + %u]", base, affine->reg, affine->suffix, affine->scale, offset);
}

void write_affine_address(struct generator *generator, enum hx_space space, unsigned bytes, char *ret_text,
                          size_t room)
{
    unsigned table_bytes;
    (void)table_of(space, &table_bytes);
    const struct affine affine =
        make_affine(generator, REG_AFFINE, bytes, any_scale(generator), table_bytes, 0);
    write_affine(generator, space, &affine, bytes, ret_text, room);
}

#define WALK_STEPS 3

void generate_walk(struct generator *generator)
{
    static const char *const types[] = {"u32", "f32", "u64", "f64", "i16", "u8", "i32"};
    static const enum hx_space spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_CONSTANT};
    const enum hx_space space = spaces[below(generator, HX_COUNT_OF(spaces))];
    const char *type = PICK(types);
    const int start = new_label(generator);
    const unsigned bytes = (unsigned)hx_type_bytes(hx_type_find(type)), index = REG_AFFINE + 3;
    unsigned table_bytes;
    char text[80];
    (void)table_of(space, &table_bytes);
    const struct affine affine =
        make_affine(generator, index, bytes, any_scale(generator), table_bytes, WALK_STEPS);
    const uint32_t kind = below(generator, 3); /* steps: a number, the same for all threads, or not */
    if (kind == 0)
        emit(generator, LINE_FREE, "mov.u32 r%d, %u", REG_WALK, 1 + below(generator, WALK_STEPS));
    else
        emit(generator, LINE_FREE, "and.u32 r%d, r%u, %d", REG_WALK,
             kind == 1 ? any_uniform(generator) : data_register(generator, HX_TYPE_U32), WALK_STEPS);
    emit(generator, LINE_FRAME, "L%d:", start);
    write_affine(generator, space, &affine, bytes, text, sizeof text);
    emit(generator, LINE_FREE, "ld%c.%s r%u, %s", "?gsc"[space], type,
         data_register(generator, hx_type_find(type)), text);
    if (chance(generator, 60))
        generate_straight(generator, chance(generator, 60) ? &generator->data : &uniform_pool,
                          1 + below(generator, 2));
    if (chance(generator, 30))
        generate_straight_sides(generator);
    if (chance(generator, 30)) {
        const unsigned sum = data_register(generator, HX_TYPE_U32);
        emit(generator, LINE_FREE, "add.u32 r%u, r%u, r%u", sum, sum, index);
    }
    emit(generator, LINE_FREE, "add.u32 r%u, r%u, %u", index, index, affine.step);
    emit(generator, LINE_FREE, "loop.u32 r%d, L%d", REG_WALK, start);
}

#define PRODUCTS 4

/* A factor of several products, that is loaded for each from a place further on. */
struct factor {
    enum hx_space space;
    struct affine affine;
    unsigned offset; /* of the first one */
    bool is_one;     /* the same place for all threads */
};

static struct factor make_factor(struct generator *generator, unsigned index)
{
    static const enum hx_space spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_CONSTANT};
    struct factor factor = {.space = spaces[below(generator, HX_COUNT_OF(spaces))],
                            .is_one = chance(generator, 15)};
    unsigned table_bytes;
    (void)table_of(factor.space, &table_bytes);
    factor.affine = make_affine(generator, index, 4, chance(generator, 85) ? 4 : any_scale(generator),
                                table_bytes, PRODUCTS);
    factor.offset = (unsigned)factor.affine.subtracted * factor.affine.scale;
    return factor;
}

static void generate_factor(struct generator *generator, const struct factor *factor, unsigned to, unsigned n)
{
    unsigned table_bytes;
    const char *table = table_of(factor->space, &table_bytes);
    const struct affine *affine = &factor->affine;
    if (factor->is_one)
        emit(generator, LINE_FREE, "ld%c.f32 r%u, [%s + %u]", "?gsc"[factor->space], to, table, 4 * n);
    else
        emit(generator, LINE_FREE, "ld%c.f32 r%u, [%s + r%u%s*%u + %u]", "?gsc"[factor->space], to, table,
             affine -> reg, affine -> suffix, affine -> scale,
             factor -> offset + n * affine -> step * affine -> scale);
}

void generate_products(struct generator *generator)
{
    const unsigned x = REG_CHAIN, y = REG_CHAIN + 2, sum = REG_CHAIN + 4;
    const struct factor first = make_factor(generator, REG_AFFINE),
                        second = make_factor(generator, REG_AFFINE + 3);
    const bool has_two = chance(generator, 70), turns = chance(generator, 30);
    const unsigned row = data_register(generator, HX_TYPE_F32), count = 1 + below(generator, PRODUCTS);
    emit(generator, LINE_FREE, "mov.f32 r%u, r%u", sum, data_register(generator, HX_TYPE_F32));
    for (unsigned n = 0; n < count; n++) {
        generate_factor(generator, &first, x, n);
        if (has_two)
            generate_factor(generator, &second, y, n);
        emit(generator, LINE_FREE, "fma.f32 r%u, r%u, r%u, r%u", sum, turns && has_two ? y : x,
             turns     ? x
             : has_two ? y
                       : row,
             sum);
        if (chance(generator, 10)) /* what was loaded, or the sum so far, is wanted */
            emit(generator, LINE_FREE, "mov.f32 r%u, r%u", data_register(generator, HX_TYPE_F32),
                 REG_CHAIN + 2 * below(generator, 3));
    }
    emit(generator, LINE_FREE, "mov.f32 r%u, r%u", data_register(generator, HX_TYPE_F32), sum);
}
