/* Random programs: their control flow.
 *
 * Takes an instruction set and a seed, leaves lines of code and the data they need. What makes the results
 * determined: a thread writes only to its own parts of `scratch`, `output` and `cells`, and reads other
 * threads' cells only between two barriers of a pair, which all threads reach. What makes
 * programs end: loops count to at most 4 (one that is not in another, to 63), and the only recursion counts
 * down from at most 7. At the end each thread writes its registers and predicates out. */
#include "generator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where in a program code is made. */
struct context {
    bool uniform;    /* all threads that have not exited come by together */
    unsigned depth;  /* of ifs and loops */
    unsigned loops;  /* around it */
    unsigned weight; /* how often it runs for one run of what it belongs to, roughly */
    int leave;       /* label to break out to; -1 for none */
    int subroutine;  /* -1: the kernel itself */
};
#define DEPTH_MAX     4
#define WEIGHT_MAX    64
#define LONG_TRIPS    64 /* a power of two */
#define CALL_COST_MAX 1500

static void generate_body(struct generator *generator, struct context context, unsigned statements);

/* ---- Choices and lines ------------------------------------------------------------------------------------
 */

/* SplitMix64, written here once more: the generator shares no code with the executor that it tests. */
uint64_t random_bits(struct generator *generator)
{
    uint64_t z = generator->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t below(struct generator *generator, uint32_t limit)
{
    return (uint32_t)((random_bits(generator) >> 32) * limit >> 32);
}

bool chance(struct generator *generator, unsigned percent)
{
    return below(generator, 100) < percent;
}

static void add_line(struct generated *out, enum line_role role, char *text)
{
    if (out->count == out->room && text) {
        const size_t room = out->room ? 2 * out->room : 256;
        struct generated_line *lines = realloc(out->lines, room * sizeof *lines);
        if (lines) {
            out->lines = lines;
            out->room = room;
        }
    }
    if (!text || out->count == out->room) {
        free(text);
        out->failed = true;
        return;
    }
    out->lines[out->count++] = (struct generated_line){text, role};
}

/* Does the line, behind its guard, begin with a mnemonic of such an opcode? */
static bool line_is_left_out(const struct generator *generator, const char *text)
{
    if (*text == '@')
        text += strcspn(text, " ") + 1;
    for (size_t i = 0; i < generator->isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &generator->isa->opcodes[i];
        const size_t length = strlen(opcode->mnemonic);
        if (does_without(generator, opcode) && strncmp(text, opcode->mnemonic, length) == 0 &&
            (text[length] == '.' || text[length] == ' '))
            return true;
    }
    return false;
}

void emit(struct generator *generator, enum line_role role, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    if (text && line_is_left_out(generator, text))
        free(text);
    else
        add_line(generator->out, role, text);
}

int new_label(struct generator *generator)
{
    return (int)generator->labels++;
}

/* A condition that depends on data: a predicate as it is, or one that is made for it. */
unsigned generate_condition(struct generator *generator)
{
    const struct pool before = generator->pool;
    static const char *const types[] = {"u32", "i32", "f32", "u64", "f64"};
    static const char *const compares[] = {"lt", "ne", "gt", "ge"};
    if (chance(generator, 20))
        generator->pool = uniform_pool;
    const unsigned predicate = any_predicate(generator);
    const char *type = types[below(generator, HX_COUNT_OF(types))];
    const char *compare = compares[below(generator, HX_COUNT_OF(compares))];
    const unsigned a = data_register(generator, hx_type_find(type));
    const unsigned b = data_register(generator, hx_type_find(type));
    if (chance(generator, 60))
        emit(generator, LINE_FREE, "setp.%s.%s p%u, r%u, r%u", compare, type, predicate, a, b);
    generator->pool = before;
    return predicate;
}

/* ---- Statements -------------------------------------------------------------------------------------------
 */

static struct context inside(struct context context)
{
    context.depth++;
    context.uniform = false;
    return context;
}

static void generate_if(struct generator *generator, struct context context)
{
    const int other = new_label(generator), end = new_label(generator);
    const bool has_else = chance(generator, 50);
    const char *sense = chance(generator, 30) ? "!" : "";
    const unsigned predicate = generate_condition(generator);
    emit(generator, LINE_FREE, "@%sp%u bra L%d", sense, predicate, has_else ? other : end);
    generate_body(generator, inside(context), 1 + below(generator, 4));
    if (has_else) {
        emit(generator, LINE_FREE, "bra L%d", end);
        emit(generator, LINE_FRAME, "L%d:", other);
        generate_body(generator, inside(context), 1 + below(generator, 4));
    }
    emit(generator, LINE_FRAME, "L%d:", end);
}

/* A jump table of two or four cases. */
static void generate_switch(struct generator *generator, struct context context)
{
    const unsigned cases = chance(generator, 50) ? 2 : 4;
    const int table = new_label(generator), end = new_label(generator);
    int labels[4];
    const char *guard = chance(generator, 30) ? "@p0 " : "";
    emit(generator, LINE_FREE, "and.u32 r%d, r%u, %u", REG_INDEX, data_register(generator, HX_TYPE_U32),
         cases - 1);
    emit(generator, LINE_FREE, "%sbrx r%d, L%d, %u", guard, REG_INDEX, table, cases);
    emit(generator, LINE_FRAME, "L%d:", table);
    for (unsigned i = 0; i < cases; i++) {
        labels[i] = chance(generator, 20) ? end : new_label(generator);
        emit(generator, LINE_FREE, "bra L%d", labels[i]);
    }
    for (unsigned i = 0; i < cases; i++) {
        if (labels[i] == end)
            continue;
        emit(generator, LINE_FRAME, "L%d:", labels[i]);
        generate_body(generator, inside(context), 1 + below(generator, 3));
        if (chance(generator, 80))
            emit(generator, LINE_FREE, "bra L%d", end);
    }
    emit(generator, LINE_FRAME, "L%d:", end);
}

/* All threads of the grid at one place; the operations of a place can come in any order. */
static void generate_reduction(struct generator *generator)
{
    static const char *const operations[] = {"add.u32", "add.u64", "min.i32", "max.u64", "and.u32",
                                             "or.u64",  "xor.u32", "sub.i64", "add.i32", "min.u64"};
    const uint32_t which = below(generator, HX_COUNT_OF(operations));
    const char *text = operations[which];
    const unsigned value = data_register(generator, hx_type_find(strchr(text, '.') + 1));
    const char *guard = chance(generator, 40) ? "@p1 " : "";
    emit(generator, LINE_FREE, "%sredg.%s [$totals + %u], r%u", guard, text, 8 * which, value);
}

static unsigned counter_of(const struct context *context)
{
    return context->subroutine < 0 ? REG_COUNTER + context->loops
                                   : REG_COUNTER + 3u + (unsigned)context->subroutine;
}

/* Sets the counter to 0 to `number` (all bits of which are 1) in a loop whose length differs between threads,
 * else to `number`. */
static void start_counter(struct generator *generator, bool uniform, unsigned counter, const char *type,
                          unsigned number)
{
    if (uniform)
        emit(generator, LINE_MEETING, "mov.%s r%u, %u", type, counter, number);
    else
        emit(generator, LINE_FREE, "and.%s r%u, r%u, %u", type, counter,
             chance(generator, 40) ? any_uniform(generator) : data_register(generator, hx_type_find(type)),
             number);
}

static void generate_loop(struct generator *generator, struct context context)
{
    static const char *const types[] = {"u32", "i32", "u64", "i64"};
    const unsigned trips = 1 + below(generator, 4), counter = counter_of(&context);
    const int start = new_label(generator), end = new_label(generator);
    const uint32_t kind = below(generator, 3);
    const unsigned predicate = any_predicate(generator);
    struct context body = context;
    body.depth++;
    body.loops++;
    body.weight *= 4;
    body.uniform = context.uniform && chance(generator, 60);
    body.leave = body.uniform ? -1 : end;
    const enum line_role role = body.uniform ? LINE_MEETING : LINE_FREE;
    /* some threads go on alone for long */
    const bool is_long = generator->is_alone && !body.uniform && context.weight == 1 && chance(generator, 40);
    if (is_long)
        body.weight = LONG_TRIPS;
    if (kind == 0 || is_long) { /* counts down */
        const char *type = types[below(generator, HX_COUNT_OF(types))];
        start_counter(generator, body.uniform, counter, type,
                      body.uniform ? trips
                      : is_long    ? LONG_TRIPS - 1
                                   : 3);
        emit(generator, LINE_FRAME, "L%d:", start);
        generate_body(generator, body, 1 + below(generator, 4));
        emit(generator, role, "loop.%s r%u, L%d", type, counter, start);
    } else { /* counts up; tested behind the body, or before it */
        start_counter(generator, body.uniform, counter, "u32", body.uniform ? 0 : 3);
        emit(generator, LINE_FRAME, "L%d:", start);
        if (kind == 2) {
            emit(generator, role, "setp.ge.u32 p%u, r%u, %u", predicate, counter, trips);
            emit(generator, role, "@p%u bra L%d", predicate, end);
        }
        generate_body(generator, body, 1 + below(generator, 4));
        emit(generator, role, "add.u32 r%u, r%u, 1", counter, counter);
        if (kind == 1) {
            emit(generator, role, "setp.lt.u32 p%u, r%u, %u", predicate, counter, trips);
            emit(generator, role, "@p%u bra L%d", predicate, start);
        } else {
            emit(generator, role, "bra L%d", start);
        }
    }
    emit(generator, LINE_FRAME, "L%d:", end);
}

/* Subroutines call those with higher numbers only; the last one is recursive. */
static void generate_call(struct generator *generator, const struct context *context)
{
    const unsigned first = (unsigned)(context->subroutine + 1);
    if (first >= generator->subroutines)
        return;
    const unsigned which = first + below(generator, generator->subroutines - first);
    if (context->weight * generator->cost[which] > CALL_COST_MAX ||
        (generator->uniform[which] && !context->uniform))
        return;
    if (which == SUBROUTINES - 1)
        emit(generator, LINE_FREE, "and.u32 r%d, r%u, 7", REG_DEPTH, data_register(generator, HX_TYPE_U32));
    const char *sense = chance(generator, 30) ? "!" : "";
    const unsigned predicate = any_predicate(generator);
    if (generator->uniform[which] || chance(generator, 60))
        emit(generator, LINE_FREE, "call S%u", which);
    else
        emit(generator, LINE_FREE, "@%sp%u call S%u", sense, predicate, which);
}

/* Calls one of several subroutines, by a number from data. */
static void generate_table_call(struct generator *generator, const struct context *context)
{
    const unsigned cases = 1u << below(generator, 3);
    const int table = new_label(generator), end = new_label(generator);
    unsigned callable[SUBROUTINES], count = 0;
    for (unsigned which = (unsigned)(context->subroutine + 1); which < generator->subroutines; which++)
        if (context->weight * generator->cost[which] <= CALL_COST_MAX && !generator->uniform[which])
            callable[count++] = which;
    if (count == 0)
        return;
    emit(generator, LINE_FREE, "and.u32 r%d, r%u, 7", REG_DEPTH, data_register(generator, HX_TYPE_U32));
    emit(generator, LINE_FREE, "and.u32 r%d, r%u, %u", REG_INDEX, data_register(generator, HX_TYPE_U32),
         cases - 1);
    emit(generator, LINE_FREE, "%scallx r%d, L%d, %u", chance(generator, 30) ? "@!p2 " : "", REG_INDEX, table,
         cases);
    emit(generator, LINE_FREE, "bra L%d", end);
    emit(generator, LINE_FRAME, "L%d:", table);
    for (unsigned i = 0; i < cases; i++)
        emit(generator, LINE_FREE, "bra S%u", callable[below(generator, count)]);
    emit(generator, LINE_FRAME, "L%d:", end);
}

static void generate_barrier(struct generator *generator)
{
    const unsigned id = chance(generator, 60) ? 0 : below(generator, BARRIER_COUNT);
    const unsigned result = data_register(generator, HX_TYPE_U32), p = any_predicate(generator);
    if (chance(generator, 10))
        emit(generator, LINE_MEETING, "bar.red.popc.u32 r%u, %u, %sp%u", result, id, id % 3 ? "" : "!", p);
    else if (chance(generator, 15))
        emit(generator, LINE_MEETING, "bar.red.%s p%u, %u, p%u", id % 2 ? "and" : "or",
             any_predicate(generator), id, p);
    else if (!generator->has_exits && chance(generator, 20))
        emit(generator, LINE_MEETING, "bar.sync %u, r%d", id, REG_THREADS);
    else
        emit(generator, LINE_MEETING, "bar.sync %u", id);
}

/* Reads another thread's cells, between two barriers. */
static void generate_exchange(struct generator *generator)
{
    static const char *const types[] = {"u32", "u64", "f32", "i16", "u8", "f64"};
    generate_barrier(generator);
    emit(generator, LINE_FREE, "add.u32 r%d, r%d, %u", REG_NEIGHBOUR, REG_THREAD, below(generator, 300));
    emit(generator, LINE_FREE, "rem.u32 r%d, r%d, r%d", REG_NEIGHBOUR, REG_NEIGHBOUR, REG_THREADS);
    emit(generator, LINE_FREE, "shl.u32 r%d, r%d, 5", REG_NEIGHBOUR, REG_NEIGHBOUR);
    for (unsigned n = 1 + below(generator, 3); n > 0; n--) {
        const char *type = types[below(generator, HX_COUNT_OF(types))];
        const unsigned bytes = (unsigned)hx_type_bytes(hx_type_find(type));
        const unsigned offset = bytes * below(generator, CELL_BYTES / bytes);
        emit(generator, LINE_FREE, "lds.%s r%u, [cells + r%d*1 + %u]", type,
             data_register(generator, hx_type_find(type)), REG_NEIGHBOUR, offset);
    }
    generate_barrier(generator);
}

/* Leaves a loop, a subroutine or the kernel, in some threads. */
static void generate_way_out(struct generator *generator, const struct context *context)
{
    const bool in_plain_subroutine = context->subroutine >= 0 && !generator->uniform[context->subroutine];
    const unsigned predicate = generate_condition(generator);
    if (context->leave >= 0)
        emit(generator, LINE_FREE, "@p%u bra L%d", predicate, context->leave);
    else if (in_plain_subroutine)
        emit(generator, LINE_FREE, "@p%u ret", predicate);
    else if (generator->has_exits && chance(generator, 40))
        emit(generator, LINE_FREE, "@p%u %s", predicate,
             context->subroutine < 0 && chance(generator, 50) ? "ret" : "exit");
}

bool generated_reads_others(const char *line)
{
    char cell[24];
    snprintf(cell, sizeof cell, "[cells + r%d*", REG_NEIGHBOUR);
    return strstr(line, cell) != NULL;
}

/* Memory from the thread's stack, of a size and alignment from data: written, read, and given back, by hand
 * or by the return from a subroutine. */
static void generate_stack(struct generator *generator, const struct context *context)
{
    const bool keeps = context->subroutine >= 0 && context->loops == 0 && chance(generator, 30);
    const bool wide = chance(generator, 70);
    const char *type = wide ? "u64" : "u32", *guard = chance(generator, 30) ? "@p3 " : "";
    const unsigned value = data_register(generator, HX_TYPE_U64);
    if (!keeps)
        emit(generator, LINE_FRAME, "stacksave.%s r%d", type, REG_NEIGHBOUR);
    emit(generator, LINE_FRAME, "and.%s r%d, r%u, 63", type, REG_INDEX,
         data_register(generator, HX_TYPE_U64));
    if (chance(generator, 50))
        emit(generator, LINE_FRAME, "%salloca.%s r%d, r%d", guard, type, REG_BASE, REG_INDEX);
    emit(generator, LINE_FRAME, "add.%s r%d, r%d, 8", type, REG_INDEX, REG_INDEX);
    emit(generator, LINE_FRAME, "alloca.%s r%d, r%d, %u", type, REG_BASE, REG_INDEX,
         8u << below(generator, 4));
    if (!wide)
        emit(generator, LINE_FRAME, "cvt.u64.u32 r%d, r%d", REG_BASE, REG_BASE);
    emit(generator, LINE_FREE, "%sstl.u64 [r%d], r%u", guard, REG_BASE, value);
    emit(generator, LINE_FREE, "%sldl.u32 r%u, [r%d + 4]", guard, value, REG_BASE);
    emit(generator, LINE_FREE, "add.u32 r%u, r%u, r%d", value, value, REG_BASE);
    if (!keeps)
        emit(generator, LINE_FRAME, "stackrestore.%s r%d", type, REG_NEIGHBOUR);
}

static void generate_body(struct generator *generator, struct context context, unsigned statements)
{
    const unsigned loops_max = context.subroutine < 0 ? 3 : context.subroutine == SUBROUTINES - 1 ? 0 : 1;
    for (; statements > 0; statements--) {
        const uint32_t choice = below(generator, 100);
        const bool may_nest = context.depth < DEPTH_MAX;
        if (choice < 14 && may_nest)
            generate_if(generator, context);
        else if (choice < 24 && may_nest && context.loops < loops_max && context.weight * 4 <= WEIGHT_MAX)
            generate_loop(generator, context);
        else if (choice < 26 && may_nest)
            generate_switch(generator, context);
        else if (choice < 30)
            generate_call(generator, &context);
        else if (choice < 31)
            generate_table_call(generator, &context);
        else if (choice < 36 && context.uniform)
            generate_exchange(generator);
        else if (choice < 38)
            generate_reduction(generator);
        else if (choice < 41)
            generate_way_out(generator, &context);
        else if (choice < 43)
            generate_stack(generator, &context);
        else if (choice < 50 && may_nest)
            generate_straight_sides(generator);
        else if (choice < 54)
            generate_uniform(generator);
        else if (choice < 60)
            generate_chain(generator);
        else if (choice < 64)
            generate_known(generator);
        else if (choice < 69 && context.weight * 4 <= WEIGHT_MAX)
            generate_walk(generator);
        else if (choice < 72)
            generate_products(generator);
        else {
            generator->meets = context.uniform;
            generate_operation(generator);
        }
    }
}

/* ---- Subroutines ------------------------------------------------------------------------------------------
 */

static void generate_subroutine(struct generator *generator, unsigned which)
{
    const bool recursive = which == SUBROUTINES - 1;
    const size_t first = generator->out->count;
    struct context context = {.weight = 1, .leave = -1, .subroutine = (int)which};
    context.uniform = generator->uniform[which] = !recursive && chance(generator, 40);
    emit(generator, LINE_FRAME, "S%u:", which);
    generate_body(generator, context, 2 + below(generator, 5));
    if (recursive) {
        const unsigned predicate = any_predicate(generator);
        emit(generator, LINE_FREE, "setp.eq.u32 p%u, r%d, 0", predicate, REG_DEPTH);
        emit(generator, LINE_FREE, "@p%u ret", predicate);
        emit(generator, LINE_FREE, "sub.u32 r%d, r%d, 1", REG_DEPTH, REG_DEPTH);
        emit(generator, LINE_FREE, "call S%u", which);
        generate_body(generator, context, 1 + below(generator, 3));
    }
    emit(generator, LINE_MEETING, "ret");
    generator->cost[which] = (unsigned)(generator->out->count - first) * 4;
}

/* From the last to the first, so that the cost of what they call is known. */
static void generate_subroutines(struct generator *generator)
{
    generator->subroutines = chance(generator, 25) ? 0 : SUBROUTINES;
    for (unsigned which = generator->subroutines; which-- > 0;)
        generate_subroutine(generator, which);
}

/* ---- Shapes and data --------------------------------------------------------------------------------------
 */

/* 1 to 300 threads, rather few than many, in one to three dimensions; 1 to 6 blocks. */
static void choose_shape(struct generator *generator)
{
    static const uint32_t sizes[] = {1, 2, 7, 31, 32, 33, 40, 64, 65, 96, 100, 128, 200, 255, 256, 257, 300};
    struct generated *out = generator->out;
    uint32_t block = sizes[below(generator, HX_COUNT_OF(sizes))];
    block = chance(generator, 30) ? 1 + below(generator, 80) : block;
    if (generator->is_apart && chance(generator, 80))
        block = sizes[below(generator, 12)];
    for (int i = 0; i < 3; i++)
        out->grid[i] = out->block[i] = 1;
    for (uint32_t y = 2; y <= 5 && chance(generator, 60); y++)
        if (block % y == 0 && out->block[1] == 1) {
            out->block[1] = y;
            block /= y;
        }
    if (block % 2 == 0 && chance(generator, 20)) {
        out->block[2] = 2;
        block /= 2;
    }
    out->block[0] = block;
    out->grid[0] = 1 + below(generator, generator->is_apart ? 9 : 3);
    const uint32_t axis = below(generator, 3);
    out->grid[axis] *= 1 + below(generator, 2);
    out->threads = out->grid[0] * out->grid[1] * out->grid[2] * out->block[0] * out->block[1] * out->block[2];
}

char *generated_text(const struct generated *generated, const char *comment)
{
    const uint32_t *grid = generated->grid, *block = generated->block;
    const uint32_t threads = block[0] * block[1] * block[2];
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fprintf(file, "# %s\nprogram: random_%llu\n", comment, (unsigned long long)generated->seed);
    fprintf(file, "launch: {grid: [%u, %u, %u], block: [%u, %u, %u]}\n%s", grid[0], grid[1], grid[2],
            block[0], block[1], block[2], generated->data);
    fprintf(file, "shared:\n  - {name: common, type: u64, count: %u}\n", COMMON_BYTES / 8);
    fprintf(file, "  - {name: cells, type: u64, count: %u}\n  - {name: gap, type: u8, count: 3}\n",
            threads * CELL_BYTES / 8);
    fprintf(file, "  - {name: narrow, type: u16, count: %u}\n", threads);
    fprintf(file,
            "local:\n  - {name: mine, type: u64, count: %u}\n  - {name: rest, type: u8, count: 5}\ncode: |\n",
            LOCAL_BYTES / 8);
    for (size_t i = 0; i < generated->count; i++) {
        const char *line = generated->lines[i].text;
        const bool is_label = line[strlen(line) - 1] == ':';
        fprintf(file, "  %s%s\n", is_label || line[0] == '@' ? "" : "    ", line);
    }
    return fclose(file) == 0 ? text : NULL;
}

/* ---- All of it --------------------------------------------------------------------------------------------
 */

static void choose_registers(struct generator *generator)
{
    static const uint64_t widths[] = {0, UINT64_MAX, UINT64_C(0x5555555555555555)};
    const uint32_t kind = below(generator, 4);
    generator->data.count = 5 + below(generator, 20);
    generator->data.first = chance(generator, 20) ? REGISTER_COUNT - generator->data.count : REG_DATA;
    generator->data.wide = kind < 3 ? widths[kind] : random_bits(generator);
    generator->has_exits = chance(generator, 25);
    generator->data.predicates = PREDICATE_PASSING;
    generator->pool = generator->data;
    generator->out->slots = UNIFORM_COUNT + generator->data.count + (REG_DEPTH - REG_COUNTER + 1) + 1;
}

void generated_init(struct generated *generated, const hx_isa *isa, uint64_t seed)
{
    struct generator generator = {.isa = isa, .out = generated, .state = seed * UINT64_C(0xd1342543de82ef95)};
    const struct context kernel = {.uniform = true, .weight = 1, .leave = -1, .subroutine = -1};
    struct generated subroutines = {0};
    *generated = (struct generated){.seed = seed};
    generator.is_apart = chance(&generator, 40);
    generator.is_alone = generator.straight = seed % 5 < 2;
    choose_shape(&generator);
    choose_registers(&generator);
    generated->data = generate_data(&generator);
    generated->failed = !generated->data || !list_operations(&generator);
    if (generated->failed)
        return;
    memcpy(subroutines.block, generated->block, sizeof subroutines.block);
    generator.out = &subroutines;
    generate_subroutines(&generator);
    generator.out = generated;
    generate_start(&generator);
    fill_registers(&generator);
    const bool is_short = seed >= GENERATE_SHORT_SEEDS;
    generate_body(&generator, kernel, is_short ? 2 + below(&generator, 4) : 8 + below(&generator, 25));
    generate_end(&generator);
    for (size_t i = 0; i < subroutines.count; i++)
        add_line(generated, subroutines.lines[i].role, subroutines.lines[i].text);
    generated->failed |= subroutines.failed;
    free(subroutines.lines);
    free(generator.operations);
}

void generated_done(struct generated *generated)
{
    for (size_t i = 0; i < generated->count; i++)
        free(generated->lines[i].text);
    free(generated->lines);
    free(generated->data);
    *generated = (struct generated){0};
}
