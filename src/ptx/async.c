/* Copies that PTX makes asynchronously, and barriers in shared memory.
 *
 * Takes cp.async and mbarrier, leaves loads, stores and atomics. A copy is done where it is issued, so that
 * waiting for it is nothing. A barrier's word is that of atoms.arrive: pending arrivals in bits 0 to 19,
 * those of the next phase from bit 20 on, bytes that are still expected from bit 40 on, the phase in the two
 * highest bits. */
#include "ptx/emit.h"

#include <stdio.h>

/* ---- cp.async
 * ---------------------------------------------------------------------------------------------- */

struct copy {
    uint32_t to, from; /* addresses */
    unsigned bytes;
    bool is_generic; /* the place that it goes to */
};

static void put_place(struct ptx_op *op, unsigned form, uint32_t address, int32_t offset)
{
    op->instruction.operands[form] =
        (struct operand){.kind = OPERAND_ADDRESS, .base_kind = BASE_REGISTER, .scale = 1, .offset = offset};
    op->regs[form] = address;
}

/* Loads `words` words, as a vector where there are 2 or 4. The guard is another predicate. */
static void load_words(struct ptx_importer *importer, const char *type, unsigned words, uint32_t to,
                       uint32_t from, int32_t offset, uint32_t guard)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "ldg%s.%s", words == 4 ? ".v4" : words == 2 ? ".v2" : "", type))
        return;
    ptx_op_register(&op, 0, to);
    put_place(&op, 1, from, offset);
    op.guard = guard;
    ptx_op_push(&importer->code, &op);
}

static void store_words(struct ptx_importer *importer, const struct copy *copy, uint32_t words)
{
    char name[16];
    snprintf(name, sizeof name, "st%s%s.u32", copy->is_generic ? "" : "s",
             copy->bytes == 16  ? ".v4"
             : copy->bytes == 8 ? ".v2"
                                : "");
    ptx_emit_store(importer, name, copy->to, 0, words);
}

/* A predicate: the statement's guard and a condition on a number. */
static uint32_t test(struct ptx_importer *importer, const char *comparison, uint32_t value, uint64_t number)
{
    const struct ptx_statement *statement = importer->statement;
    const uint32_t predicate = ptx_code_register(&importer->code, true, 1);
    struct ptx_op op;
    const bool is_guarded = statement->guard != PTX_NO_GUARD;
    if (!ptx_begin(importer, &op, "setp.%s%s.u32", comparison, is_guarded ? ".and" : ""))
        return predicate;
    ptx_op_predicate(&op, 0, predicate, false);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, value);
    ptx_op_number(&op, 3, number);
    if (is_guarded)
        ptx_op_predicate(&op, 4, ptx_register_of(importer, statement->guard), statement->guard_negated);
    ptx_op_push(&importer->code, &op);
    return predicate;
}

static uint32_t zeros(struct ptx_importer *importer, unsigned count)
{
    const uint32_t first = ptx_code_register(&importer->code, false, (uint8_t)count);
    for (unsigned i = 0; i < count; i++) {
        struct ptx_op op;
        if (!ptx_begin(importer, &op, "mov.u32"))
            return first;
        ptx_op_register(&op, 0, first + i);
        ptx_op_number(&op, 1, 0);
        ptx_op_push(&importer->code, &op);
    }
    return first;
}

/* The bytes of a word behind the whole ones, `rest` of them, as the low bytes of a word. */
static uint32_t load_rest(struct ptx_importer *importer, uint32_t from, uint32_t rest)
{
    uint32_t all = PTX_NO_REGISTER;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t byte = zeros(importer, 1);
        load_words(importer, "u8", 1, byte, from, (int32_t)i, test(importer, "gt", rest, i));
        if (i > 0)
            byte = ptx_emit_number(importer, "shl.u32", byte, 8 * i);
        all = i > 0 ? ptx_emit_two(importer, "or.u32", all, byte) : byte;
    }
    return all;
}

/* `size` bytes, and zeros behind them. */
static uint32_t load_part(struct ptx_importer *importer, const struct copy *copy, uint32_t size)
{
    const unsigned words = copy->bytes / 4;
    const uint32_t first = zeros(importer, words);
    const uint32_t whole = ptx_emit_number(importer, "and.u32", size, ~UINT32_C(3) & UINT32_MAX);
    const uint32_t wide = ptx_emit_one(importer, "cvt.u64.u32", whole);
    const uint32_t rest = load_rest(importer, ptx_emit_two(importer, "add.u64", copy->from, wide),
                                    ptx_emit_number(importer, "and.u32", size, 3));
    for (unsigned i = 0; i < words; i++) {
        struct ptx_op op;
        load_words(importer, "u32", 1, first + i, copy->from, (int32_t)(4 * i),
                   test(importer, "ge", size, 4 * i + 4));
        if (!ptx_begin(importer, &op, "mov.u32"))
            break;
        ptx_op_register(&op, 0, first + i);
        ptx_op_register(&op, 1, rest);
        op.guard = test(importer, "eq", whole, 4 * i);
        ptx_op_push(&importer->code, &op);
    }
    return first;
}

/* All bytes, or zeros where the predicate is true. */
static uint32_t load_unless(struct ptx_importer *importer, const struct copy *copy,
                            const struct ptx_operand *predicate)
{
    const uint32_t first = zeros(importer, copy->bytes / 4);
    struct ptx_op op;
    const uint32_t flag = ptx_new_register(importer);
    if (!ptx_begin(importer, &op, "sel.u32"))
        return first;
    ptx_op_register(&op, 0, flag);
    ptx_op_number(&op, 1, 1);
    ptx_op_register(&op, 2, zeros(importer, 1));
    ptx_put(importer, &op, 3, predicate);
    ptx_op_push(&importer->code, &op);
    load_words(importer, "u32", copy->bytes / 4, first, copy->from, 0, test(importer, "eq", flag, 0));
    return first;
}

static uint32_t load_all(struct ptx_importer *importer, const struct copy *copy)
{
    const unsigned words = copy->bytes / 4;
    const uint32_t first = ptx_code_register(&importer->code, false, (uint8_t)words);
    ptx_emit_load_to(importer,
                     words == 4   ? "ldg.v4.u32"
                     : words == 2 ? "ldg.v2.u32"
                                  : "ldg.u32",
                     first, copy->from, 0);
    return first;
}

/* Notes: what --check race knows of a copy, and of waiting for it (check/notes.h). */

static void note_copy(struct ptx_importer *importer, const struct copy *copy, bool reads_all)
{
    const uint32_t offset =
        copy->is_generic ? ptx_emit_one(importer, "cvta.to.shared.u64", copy->to) : copy->to;
    if (reads_all) {
        const uint32_t high = ptx_emit_number(importer, "shr.u64", copy->from, 32);
        ptx_emit_note(importer, 24, ptx_emit_one(importer, "cvt.u32.u64", copy->from),
                      ptx_emit_one(importer, "cvt.u32.u64", high));
    }
    ptx_emit_note(importer, 9, ptx_emit_one(importer, "cvt.u32.u64", offset),
                  ptx_emit_constant(importer, "mov.u32", copy->bytes));
}

void ptx_import_copy_commit(struct ptx_importer *importer)
{
    ptx_emit_note(importer, ptx_has_part(importer->statement, "bulk") ? 32 : 10, PTX_NO_REGISTER,
                  PTX_NO_REGISTER);
}

void ptx_import_copy_wait(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count != 1 || statement->operands[0].kind != PTX_OPERAND_IMMEDIATE) {
        ptx_lacks(importer, "a number of groups is missing");
        return;
    }
    const bool is_bulk = ptx_has_part(statement, "bulk");
    const uint32_t left = ptx_emit_constant(importer, "mov.u32", statement->operands[0].bits);
    ptx_emit_note(importer, is_bulk ? 33 : 11, left, PTX_NO_REGISTER);
    if (is_bulk && !ptx_has_part(statement, "read"))
        ptx_emit_note(importer, 37, left, PTX_NO_REGISTER);
}

void ptx_import_copy_wait_all(struct ptx_importer *importer)
{
    ptx_emit_note(importer, 12, PTX_NO_REGISTER, PTX_NO_REGISTER);
}

void ptx_import_copy(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const uint32_t count = statement->operand_count - ptx_has_part(statement, "L2::cache_hint");
    if (statement->operand_count < 3 || count < 3 || count > 4 ||
        statement->operands[2].kind != PTX_OPERAND_IMMEDIATE) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    struct copy copy = {.bytes = (unsigned)statement->operands[2].bits,
                        .is_generic =
                            !ptx_has_part(statement, "shared") && !ptx_has_part(statement, "shared::cta")};
    if (copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16) {
        ptx_lacks(importer, "a copy has 4, 8 or 16 bytes");
        return;
    }
    copy.to = ptx_address_register(importer, &statement->operands[0],
                                   copy.is_generic ? PTX_SPACE_NONE : PTX_SPACE_SHARED);
    copy.from = ptx_address_register(importer, &statement->operands[1], PTX_SPACE_GLOBAL);
    const struct ptx_operand *last = count == 4 ? &statement->operands[3] : NULL;
    const bool is_predicate = last && last->kind == PTX_OPERAND_REGISTER &&
                              ptx_type_of_register(importer, last->reg) == HX_TYPE_PRED;
    store_words(importer, &copy,
                !last          ? load_all(importer, &copy)
                : is_predicate ? load_unless(importer, &copy, last)
                               : load_part(importer, &copy, ptx_in_register(importer, last, HX_TYPE_U32)));
    note_copy(importer, &copy, !last);
}

/* ---- mbarrier
 * ------------------------------------------------------------------------------------------------ */

#define COUNT_BITS 20
#define BYTES_AT   40
#define PHASE_AT   62

static uint32_t barrier_address(struct ptx_importer *importer, const struct ptx_operand *operand)
{
    const struct ptx_statement *statement = importer->statement;
    const bool is_shared = ptx_has_part(statement, "shared") || ptx_has_part(statement, "shared::cta") ||
                           ptx_has_part(statement, "shared::cluster");
    const uint32_t address =
        ptx_address_register(importer, operand, is_shared ? PTX_SPACE_SHARED : PTX_SPACE_NONE);
    return is_shared ? address : ptx_emit_one(importer, "cvta.to.shared.u64", address);
}

/* The address of a barrier, and what comes, which checkers note (check/notes.h). */
enum use { INIT = 21, INVAL = 22, USE = 23, ARRIVE = 30, PHASE = 34 };
static uint32_t noted_barrier(struct ptx_importer *importer, const struct ptx_operand *operand, enum use use)
{
    const uint32_t address = barrier_address(importer, operand);
    ptx_emit_note(importer, use, ptx_emit_one(importer, "cvt.u32.u64", address), PTX_NO_REGISTER);
    return address;
}

/* The barrier, and the phase that its word says. */
static void note_phase(struct ptx_importer *importer, enum use use, uint32_t address, uint32_t word)
{
    const uint32_t phase = ptx_emit_number(importer, "shr.u64", word, PHASE_AT);
    ptx_emit_note(importer, use, ptx_emit_one(importer, "cvt.u32.u64", address),
                  ptx_emit_one(importer, "cvt.u32.u64", phase));
}

static uint32_t wide(struct ptx_importer *importer, const struct ptx_operand *operand)
{
    return ptx_emit_one(importer, "cvt.u64.u32", ptx_in_register(importer, operand, HX_TYPE_U32));
}

/* atoms.arrive: what arrives, leaves and is expected, as its word says. */
static uint32_t arrive(struct ptx_importer *importer, uint32_t address, uint32_t by)
{
    struct ptx_op op;
    const uint32_t state = ptx_new_register(importer);
    if (!ptx_begin(importer, &op, "atoms.arrive.u64"))
        return state;
    ptx_op_register(&op, 0, state);
    put_place(&op, 1, address, 0);
    ptx_op_register(&op, 2, by);
    ptx_end(importer, &op);
    if (importer->program->for_checks)
        note_phase(importer, PHASE, address, state);
    return state;
}

static void give(struct ptx_importer *importer, const struct ptx_operand *to, uint32_t value,
                 enum hx_type type)
{
    if (to->kind == PTX_OPERAND_REGISTER)
        ptx_scatter(importer, to, value, 1, type);
}

void ptx_import_mbarrier_init(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count != 2) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    const uint32_t count = wide(importer, &statement->operands[1]);
    const uint32_t state = ptx_emit_number(importer, "mul.u64", count, (UINT64_C(1) << COUNT_BITS) + 1);
    ptx_emit_store(importer, "sts.u64", noted_barrier(importer, &statement->operands[0], INIT), 0, state);
}

/* Nothing else: the word is any memory again. */
void ptx_import_mbarrier_inval(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count != 1)
        ptx_lacks(importer, "operands are missing");
    else
        (void)noted_barrier(importer, &statement->operands[0], INVAL);
}

/* arrive, arrive_drop, with expect_tx and noComplete: state, [address], a count or bytes. */
void ptx_import_mbarrier_arrive(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const bool expects = ptx_has_part(statement, "expect_tx"), drops = ptx_has_part(statement, "arrive_drop");
    const uint64_t one = drops ? (UINT64_C(1) << COUNT_BITS) + 1 : 1;
    if (statement->operand_count < 2 || statement->operand_count > 3 ||
        (expects && statement->operand_count < 3)) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    uint32_t by = ptx_emit_constant(importer, "mov.u64", one);
    if (statement->operand_count == 3) {
        const uint32_t number = wide(importer, &statement->operands[2]);
        by = expects ? ptx_emit_two(importer, "add.u64", by,
                                    ptx_emit_number(importer, "shl.u64", number, BYTES_AT))
                     : ptx_emit_number(importer, "mul.u64", number, one);
    }
    const uint32_t state = arrive(importer, noted_barrier(importer, &statement->operands[1], USE), by);
    give(importer, &statement->operands[0], state, HX_TYPE_U64);
}

/* expect_tx and complete_tx: [address], bytes. */
void ptx_import_mbarrier_bytes(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count != 2) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    uint32_t bytes = wide(importer, &statement->operands[1]);
    if (ptx_has_part(statement, "complete_tx"))
        bytes = ptx_emit_one(importer, "neg.i64", bytes);
    arrive(importer, noted_barrier(importer, &statement->operands[0], USE),
           ptx_emit_number(importer, "shl.u64", bytes, BYTES_AT));
}

/* test_wait and try_wait: is the phase over that a state or a parity means? Who goes round in a loop until it
 * is lets others run. */
void ptx_import_mbarrier_wait(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_op op;
    if (statement->operand_count < 3 || statement->operand_count > 4) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    const uint32_t address = barrier_address(importer, &statement->operands[1]);
    const uint32_t now = ptx_emit_load(importer, "lds.acquire.cta.u64", address, 0);
    uint32_t changed;
    if (importer->program->for_checks)
        note_phase(importer, USE, address, now);
    if (ptx_has_part(statement, "parity")) {
        const uint32_t phase = ptx_emit_number(importer, "shr.u64", now, PHASE_AT);
        const uint32_t differs =
            ptx_emit_two(importer, "xor.b64", phase, wide(importer, &statement->operands[2]));
        changed = ptx_emit_number(importer, "and.b64", differs, 1);
    } else {
        const uint32_t state = ptx_in_register(importer, &statement->operands[2], HX_TYPE_U64);
        changed =
            ptx_emit_number(importer, "shr.u64", ptx_emit_two(importer, "xor.b64", now, state), PHASE_AT);
    }
    if (!ptx_begin(importer, &op, "setp.ne.u64"))
        return;
    ptx_put(importer, &op, 0, &statement->operands[0]);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, changed);
    ptx_op_number(&op, 3, 0);
    ptx_end(importer, &op);
    if (ptx_begin(importer, &op, "nanosleep"))
        ptx_end(importer, &op);
}

void ptx_import_mbarrier_count(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count != 2) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    const uint32_t state = ptx_in_register(importer, &statement->operands[1], HX_TYPE_U64);
    const uint32_t count = ptx_emit_number(importer, "and.b64", state, (1u << COUNT_BITS) - 1);
    give(importer, &statement->operands[0], ptx_emit_one(importer, "cvt.u32.u64", count), HX_TYPE_U32);
}

/* The thread's copies are done, and who waits for the barrier waits for them. Without noinc its arrival was
 * added to the pending ones before. */
void ptx_import_copy_arrival(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count != 1) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    const uint32_t address = noted_barrier(importer, &statement->operands[0], USE);
    if (importer->program->for_checks)
        note_phase(importer, ARRIVE, address, ptx_emit_load(importer, "lds.relaxed.cta.u64", address, 0));
    if (ptx_has_part(statement, "noinc"))
        arrive(importer, address, ptx_emit_constant(importer, "mov.u64", 1));
}

/* ---- elect.sync
 * ------------------------------------------------------------------------------------------------ */

/* d|p, mask: the lowest lane that the mask names. */
void ptx_import_elect(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_op op;
    if (statement->operand_count != 2 || !statement->operands[0].second) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    const uint32_t mask = ptx_in_register(importer, &statement->operands[1], HX_TYPE_U32);
    const uint32_t leader = ptx_emit_one(importer, "clz.u32", ptx_emit_one(importer, "brev.u32", mask));
    if (!ptx_begin(importer, &op, "warpsync"))
        return;
    ptx_op_register(&op, 0, mask);
    ptx_end(importer, &op);
    if (!ptx_begin(importer, &op, "setp.eq.u32"))
        return;
    ptx_put(importer, &op, 0, statement->operands[0].second);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, ptx_emit_special(importer, SPECIAL_LANEID));
    ptx_op_register(&op, 3, leader);
    ptx_end(importer, &op);
    give(importer, &statement->operands[0], leader, HX_TYPE_U32);
}
