/* Barriers of PTX.
 *
 * Takes statements, leaves ops. The number of a barrier is part of hexec's instruction: where it is in a
 * register, each of the numbers that it can be has a barrier of its own, for those threads whose register
 * holds it. */
#include "ptx/importer.h"

#define BARRIERS 16

/* The predicate that the register holds the number, and that the statement's guard lets the thread pass. */
static uint32_t make_guard(struct ptx_importer *importer, uint32_t reg, unsigned number)
{
    const struct ptx_statement *statement = importer->statement;
    const uint32_t predicate = ptx_code_register(&importer->code, true, 1);
    const bool is_guarded = statement->guard != PTX_NO_GUARD;
    struct ptx_op op;
    if (!ptx_begin(importer, &op, is_guarded ? "setp.eq.and.u32" : "setp.eq.u32"))
        return predicate;
    ptx_op_predicate(&op, 0, predicate, false);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, reg);
    ptx_op_number(&op, 3, number);
    if (is_guarded)
        ptx_op_predicate(&op, 4, ptx_register_of(importer, statement->guard), statement->guard_negated);
    ptx_end_free(importer, &op);
    return predicate;
}

/* Adds the op of the barrier `number`; its place in the statement is the op's operand `form`. A barrier whose
 * number is in a register is one for each number. */
static void push_numbered(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                          const struct ptx_operand *number)
{
    if (number->kind != PTX_OPERAND_REGISTER) {
        ptx_put(importer, op, form, number);
        ptx_end(importer, op);
        return;
    }
    const uint32_t reg = ptx_in_register(importer, number, HX_TYPE_U32);
    for (unsigned i = 0; i < BARRIERS; i++) {
        struct ptx_op each = *op;
        each.guard = make_guard(importer, reg, i);
        ptx_op_number(&each, form, i);
        ptx_op_push(&importer->code, &each);
    }
}

/* A number that no barrier has; the kernel then lacks it. */
static bool is_no_barrier(struct ptx_importer *importer, const struct ptx_operand *number)
{
    const bool is_wrong = number->kind == PTX_OPERAND_IMMEDIATE && number->bits >= BARRIERS;
    if (is_wrong)
        ptx_lacks(importer, "a barrier's number is 0 to 15");
    return is_wrong;
}

/* How many threads take part. With a number in a register the op is there several times, and takes no literal
 * beside it. */
static void put_count(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                      const struct ptx_operand *count, const struct ptx_operand *number)
{
    if (number->kind == PTX_OPERAND_REGISTER)
        ptx_op_register(op, form, ptx_in_register(importer, count, HX_TYPE_U32));
    else
        ptx_put(importer, op, form, count);
}

/* bar.sync and bar.arrive a{, b}: the number of a barrier, how many threads. */
void ptx_import_barrier(struct ptx_importer *importer)
{
    const struct ptx_operand *operands = importer->statement->operands;
    const bool arrives = ptx_has_part(importer->statement, "arrive");
    const uint32_t count = importer->statement->operand_count;
    struct ptx_op op;
    if (count < (arrives ? 2 : 1) || count > 2) {
        ptx_lacks(importer, "operands are missing");
    } else if (!is_no_barrier(importer, &operands[0]) &&
               ptx_begin(importer, &op, arrives ? "bar.arrive" : "bar.sync")) {
        if (count > 1)
            put_count(importer, &op, 1, &operands[1], &operands[0]);
        push_numbered(importer, &op, 0, &operands[0]);
    }
}

/* bar.red.popc.u32 d, a{, b}, p: hexec has the count of threads last. */
void ptx_import_barrier_reduction(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const char *name = ptx_has_part(statement, "popc")  ? "bar.red.popc.u32"
                       : ptx_has_part(statement, "and") ? "bar.red.and"
                                                        : "bar.red.or";
    struct ptx_op op;
    const uint32_t count = statement->operand_count;
    if (count < 3 || count > 4) {
        ptx_lacks(importer, "operands are missing");
    } else if (!is_no_barrier(importer, &statement->operands[1]) && ptx_begin(importer, &op, "%s", name)) {
        ptx_put(importer, &op, 0, &statement->operands[0]);
        ptx_put(importer, &op, 2, &statement->operands[count - 1]);
        if (count == 4)
            put_count(importer, &op, 3, &statement->operands[2], &statement->operands[1]);
        push_numbered(importer, &op, 1, &statement->operands[1]);
    }
}

/* A block is a cluster of its own: its threads wait for each other, and have all arrived when they do. */
void ptx_import_cluster_wait(struct ptx_importer *importer)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "bar.sync"))
        return;
    ptx_op_number(&op, 0, 0);
    ptx_end(importer, &op);
}
