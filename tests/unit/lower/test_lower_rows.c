/* Random programs, lowered, and walked along random ways with tokens for values: what an instruction reads
 * from rows must be what it would read from registers. What was made by an instruction that is dropped is in
 * no row: who reads it all the same, and is not dropped, takes it from a uniform row. The walk knows nothing
 * of webs, liveness or colours: a register or row holds the number of the step that wrote it, NOTHING when it
 * was not written and is not cleared. */
#include "lower/micro_op.h"
#include "random_unit.h"

#define PROGRAMS 2000
#define WALKS    4
#define STEPS    250
#define ZERO     0u
#define NOTHING  UINT32_MAX
#define ROWS_MAX 512
#define MEMBERS  (REGISTER_COUNT + PREDICATE_COUNT)

/* As ck_assert_msg, but cheap while it holds: Check writes each of its assertions to a file. */
#define REQUIRE(condition, ...)                                                                              \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg(__VA_ARGS__);                                                                       \
    } while (0)

struct walk {
    const struct lowered_kernel *lowered;
    const struct kernel *kernel;
    uint32_t registers[MEMBERS];
    uint32_t rows[3][ROWS_MAX]; /* by kind, from ROW_4 on */
    uint32_t step;
    uint32_t mask_token; /* of the predicate that the last GUARD_BEGIN read */
    bool written[3][ROWS_MAX];
    uint32_t reads[64]; /* tokens that the instruction took from rows */
    unsigned read_count, uniform_reads;
    bool dropped[STEPS + 1]; /* tokens of instructions that did nothing */
    const char *code;
};

static bool is_vector(struct row row)
{
    return row.kind == ROW_4 || row.kind == ROW_8 || row.kind == ROW_PREDICATE;
}

static void check_row(const struct walk *walk, struct row row)
{
    const struct lowered_kernel *lowered = walk->lowered;
    const uint32_t counts[] = {[ROW_4] = lowered->rows_4,
                               [ROW_8] = lowered->rows_8,
                               [ROW_PREDICATE] = lowered->rows_predicate,
                               [ROW_UNIFORM_4] = lowered->uniform_count,
                               [ROW_UNIFORM_8] = lowered->uniform_count,
                               [ROW_SPECIAL_4] = SPECIAL_COUNT,
                               [ROW_SPECIAL_8] = SPECIAL_COUNT};
    REQUIRE(row.kind < HX_COUNT_OF(counts), "a row of kind %u", row.kind);
    if (row.kind != ROW_NONE)
        REQUIRE(row.index < counts[row.kind], "row %u of kind %u, of %u", row.index, row.kind,
                counts[row.kind]);
    if (row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8)
        REQUIRE(lowered->uniforms[row.index].width == (row.kind == ROW_UNIFORM_8 ? 8 : 4),
                "width of uniform %u", row.index);
}

static void read_row(struct walk *walk, struct row row)
{
    check_row(walk, row);
    walk->uniform_reads += row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8;
    if (is_vector(row) && !walk->written[row.kind - ROW_4][row.index])
        walk->reads[walk->read_count++] = walk->rows[row.kind - ROW_4][row.index];
}

static void walk_op(struct walk *walk, const struct micro_op *op, bool takes_effect)
{
    const struct row sources[] = {op->a, op->b, op->c, op->f}, results[] = {op->d, op->e};
    for (size_t i = 0; i < HX_COUNT_OF(sources); i++)
        read_row(walk, sources[i]);
    if (op->semantic == SEM_loop)
        read_row(walk, op->d);
    if (op->semantic == MICRO_GUARD_BEGIN)
        walk->mask_token = walk->rows[ROW_PREDICATE - ROW_4][op->c.index];
    for (size_t i = 0; i < HX_COUNT_OF(results); i++) {
        check_row(walk, results[i]);
        if (!is_vector(results[i]))
            continue;
        walk->written[results[i].kind - ROW_4][results[i].index] = true;
        if (takes_effect)
            walk->rows[results[i].kind - ROW_4][results[i].index] = walk->step;
    }
}

static bool has(const uint32_t *tokens, unsigned count, uint32_t token)
{
    for (unsigned i = 0; i < count; i++)
        if (tokens[i] == token)
            return true;
    return false;
}

/* Has the instruction results, and is a nop all the same? */
static bool is_dropped(const struct lowered_kernel *lowered, uint32_t at)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(&lowered->kernel->code[at], accesses);
    const uint32_t first = lowered->general.first_op[at];
    bool writes = false;
    for (size_t i = 0; i < count; i++)
        writes |= accesses[i].writes;
    return writes && lowered->general.first_op[at + 1] == first + 1 &&
           lowered->general.ops[first].semantic == SEM_nop;
}

/* The values that an instruction must find in rows. */
static unsigned list_expected(const struct walk *walk, uint32_t at, bool in_run, bool takes_effect,
                              uint32_t *ret_expected)
{
    const struct instruction *instruction = &walk->kernel->code[at];
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    unsigned expected = 0;
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].reads && r < accesses[i].registers; r++) {
            const bool is_guard = accesses[i].predicate && instruction->guard == accesses[i].first && i == 0;
            const uint32_t token = walk->registers[flow_member(&accesses[i], r)];
            if (is_guard && in_run)
                REQUIRE(walk->mask_token == token, "another mask at %u of\n%s", at, walk->code);
            else if (walk->dropped[token])
                REQUIRE(walk->uniform_reads > 0 || !takes_effect,
                        "instruction %u reads step %u nowhere in\n%s", at, token, walk->code);
            else
                ret_expected[expected++] = token;
        }
    return expected;
}

/* One instruction, with a guard that is true or not. */
static void walk_instruction(struct walk *walk, uint32_t at, bool guard)
{
    const struct lowered_kernel *lowered = walk->lowered;
    const struct instruction *instruction = &walk->kernel->code[at];
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    const bool takes_effect = guard || instruction->guard < 0;
    uint32_t expected[64];
    const uint32_t first = lowered->general.first_op[at], end = lowered->general.first_op[at + 1];
    const bool in_run = (lowered->general.ops[first].flags & MICRO_MASKED) != 0;
    walk->step++;
    walk->read_count = walk->uniform_reads = 0;
    memset(walk->written, 0, sizeof walk->written);
    for (uint32_t i = first; i < end; i++)
        walk_op(walk, &lowered->general.ops[i], guard);
    walk->dropped[walk->step] = is_dropped(lowered, at);
    const unsigned expected_count =
        walk->dropped[walk->step] ? 0 : list_expected(walk, at, in_run, takes_effect, expected);
    for (unsigned i = 0; i < walk->read_count && takes_effect; i++)
        REQUIRE(has(expected, expected_count, walk->reads[i]), "instruction %u reads step %d of\n%s", at,
                (int)walk->reads[i], walk->code);
    for (unsigned i = 0; i < expected_count && takes_effect; i++)
        REQUIRE(has(walk->reads, walk->read_count, expected[i]),
                "instruction %u does not read step %d of\n%s", at, (int)expected[i], walk->code);
    for (size_t i = 0; i < count && guard; i++)
        for (unsigned r = 0; accesses[i].writes && r < accesses[i].registers; r++)
            walk->registers[flow_member(&accesses[i], r)] = walk->step;
}

static void walk_start(struct walk *walk, const struct lowered_kernel *lowered, const char *code)
{
    *walk = (struct walk){.lowered = lowered, .kernel = lowered->kernel, .code = code};
    REQUIRE(lowered->rows_4 <= ROWS_MAX && lowered->rows_8 <= ROWS_MAX && lowered->rows_predicate <= ROWS_MAX,
            "more rows than small programs need");
    memset(walk->rows, 0xff, sizeof walk->rows);
    for (uint32_t i = 0; i < lowered->zero_row_count; i++) {
        check_row(walk, lowered->zero_rows[i]);
        walk->rows[lowered->zero_rows[i].kind - ROW_4][lowered->zero_rows[i].index] = ZERO;
    }
}

static void walk_way(const struct lowered_kernel *lowered, const char *code)
{
    struct walk walk;
    walk_start(&walk, lowered, code);
    struct way way = {.kernel = lowered->kernel};
    bool guard = true;
    do {
        guard = way_guard(&way, walk.registers + REGISTER_COUNT);
        walk_instruction(&walk, way.at, guard);
    } while (walk.step < STEPS && way_next(&way, guard));
}

static void check_form(const struct lowered_kernel *lowered)
{
    bool masked = false;
    for (uint32_t i = 0; i < lowered->kernel->code_count; i++) {
        const uint32_t first = lowered->general.first_op[i], end = lowered->general.first_op[i + 1];
        unsigned primaries = 0;
        REQUIRE(first < end, "instruction %u has no micro-ops", i);
        for (uint32_t o = first; o < end; o++) {
            const struct micro_op *op = &lowered->general.ops[o];
            REQUIRE(op->instruction == i, "op %u is not of instruction %u", o, i);
            REQUIRE(!(op->flags & MICRO_FIRST) == (o != first), "FIRST of op %u", o);
            REQUIRE(!(op->flags & MICRO_LAST) == (o + 1 != end), "LAST of op %u", o);
            primaries += !!(op->flags & MICRO_PRIMARY);
            if (op->semantic == MICRO_GUARD_END || op->semantic == MICRO_GUARD_BEGIN) {
                REQUIRE(masked == (op->semantic == MICRO_GUARD_END), "op %u begins or ends no run", o);
                masked = !masked;
            } else
                REQUIRE(!(op->flags & MICRO_MASKED) == !masked, "MASKED of op %u", o);
            if (op->semantic == SEM_branch || op->semantic == SEM_call || op->semantic == SEM_loop)
                REQUIRE(lowered->general.ops[op->target].flags & MICRO_FIRST,
                        "op %u jumps into an instruction", o);
        }
        REQUIRE(primaries == 1, "instruction %u has %u primaries", i, primaries);
    }
    const struct micro_op *last = &lowered->general.ops[lowered->general.op_count - 1];
    REQUIRE(!masked, "a mask is left");
    REQUIRE(last->semantic == MICRO_END, "the last op is %d", last->semantic);
    REQUIRE(lowered->general.first_op[lowered->kernel->code_count] == lowered->general.op_count - 1,
            "the end is not behind the last instruction");
}

/* No instruction is dropped, and nothing but chains is marked for exec to do in another way. */
static void check_plain(const struct lowered_kernel *lowered)
{
    REQUIRE(lowered->converged.op_count == 0, "plain code has converged code beside it");
    for (uint32_t i = 0; i < lowered->kernel->code_count; i++)
        REQUIRE(!is_dropped(lowered, i), "instruction %u is dropped", i);
    for (uint32_t i = 0; i < lowered->general.op_count; i++) {
        const struct micro_op *op = &lowered->general.ops[i];
        REQUIRE(!(op->flags & (MICRO_MASK_UNNEEDED | MICRO_DEFERRED_COMPARE)), "op %u is marked", i);
    }
}

START_TEST(test_random_programs)
{
    unsigned lowered_count = 0;
    hx_isa *isa = NULL;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &isa));
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        random_state = seed * 7919;
        struct text text;
        text_init(&text, NULL);
        print_program(&text);
        struct loaded_kernel loaded = kernel_load_with(isa, "", text.at);
        struct verified_kernel *verified = NULL;
        struct lowered_kernel *lowered[2] = {NULL, NULL};
        ck_assert_ok(verify_kernel(loaded.program, loaded.kernel, NULL, loaded.diag, &verified));
        ck_assert_ok(lower_kernel(loaded.program, verified, NULL, loaded.diag, &lowered[0], NULL));
        ck_assert_ok(lower_kernel_plain(loaded.program, verified, NULL, loaded.diag, &lowered[1]));
        check_plain(lowered[1]);
        for (int k = 0; k < 2; k++) {
            check_form(lowered[k]);
            for (int i = 0; i < WALKS; i++)
                walk_way(lowered[k], text.at);
            lower_free(lowered[k]);
        }
        lowered_count++;
        verify_free(verified);
        kernel_unload(&loaded);
        text_done(&text);
    }
    hx_isa_free(isa);
    ck_assert_uint_eq(lowered_count, PROGRAMS);
}
END_TEST

UNIT_MAIN("lower_rows", test_random_programs)
