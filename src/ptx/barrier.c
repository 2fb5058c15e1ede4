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

/* bar.sync and bar.arrive a{, b}: the number of a barrier, how many threads. */
void ptx_import_barrier(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const bool arrives = ptx_has_part(statement, "arrive");
    const char *name = arrives ? "bar.arrive" : "bar.sync";
    const uint32_t count = statement->operand_count;
    struct ptx_op op;
    if (count < (arrives ? 2 : 1) || count > 2) {
        ptx_lacks(importer, "operands are missing");
    } else if (statement->operands[0].kind != PTX_OPERAND_REGISTER) {
        ptx_import_as(importer, name);
    } else {
        const uint32_t number = ptx_in_register(importer, &statement->operands[0], HX_TYPE_U32);
        for (unsigned i = 0; i < BARRIERS; i++) {
            const uint32_t guard = make_guard(importer, number, i);
            if (!ptx_begin(importer, &op, "%s", name))
                return;
            ptx_op_number(&op, 0, i);
            if (count > 1)
                ptx_op_register(&op, 1, ptx_in_register(importer, &statement->operands[1], HX_TYPE_U32));
            op.guard = guard;
            ptx_op_push(&importer->code, &op);
        }
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
    if (!ptx_begin(importer, &op, "%s", name))
        return;
    if (count < 3 || count > 4) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    ptx_put(importer, &op, 0, &statement->operands[0]);
    ptx_put(importer, &op, 1, &statement->operands[1]);
    ptx_put(importer, &op, 2, &statement->operands[count - 1]);
    if (count == 4)
        ptx_put(importer, &op, 3, &statement->operands[2]);
    ptx_end(importer, &op);
}
