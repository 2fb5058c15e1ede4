/* Extended precision: add.cc, addc, madc and their kin.
 *
 * Takes statements that give or take the carry CC.CF, leaves ops with a predicate in its place. Such an op of
 * hexec always takes one and gives one. */
#include "ptx/importer.h"

/* The borrow of hexec's subtraction becomes the carry, or the other way. */
static void invert_carry(struct ptx_importer *importer)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "pnot"))
        return;
    ptx_op_predicate(&op, 0, importer->frame->carry, false);
    ptx_op_predicate(&op, 1, importer->frame->carry, false);
    ptx_end(importer, &op);
}

/* addc, subc and madc of 16 bits, which take the carry and give none: the sum of 32 bits, cut off. The high
 * half of a product is made before. */
static void import_narrow_carry(struct ptx_importer *importer, bool is_difference, struct slice type)
{
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_operand none = {.kind = PTX_OPERAND_SINK};
    const bool is_product = slice_starts_with(statement->opcode, "madc");
    const uint32_t sum = ptx_code_register(&importer->code, false, 1),
                   product = ptx_code_register(&importer->code, false, 1);
    struct ptx_op op;
    if (statement->operand_count != (is_product ? 4 : 3)) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    if (is_product && ptx_begin(importer, &op, "mul%s." SLICE_FORMAT,
                                ptx_has_part(statement, "hi") ? "hi" : "", SLICE_ARGS(type))) {
        ptx_op_register(&op, 0, product);
        ptx_put(importer, &op, 1, &statement->operands[1]);
        ptx_put(importer, &op, 2, &statement->operands[2]);
        ptx_end_free(importer, &op);
    }
    if (!ptx_begin(importer, &op, is_difference ? "subc.u32" : "addc.u32"))
        return;
    ptx_op_register(&op, 0, sum);
    ptx_put(importer, &op, 1, &none);
    if (is_product)
        ptx_op_register(&op, 2, product);
    else
        ptx_put(importer, &op, 2, &statement->operands[1]);
    ptx_put(importer, &op, 3, &statement->operands[is_product ? 3 : 2]);
    ptx_op_predicate(&op, 4, importer->frame->carry, is_difference);
    ptx_end_free(importer, &op);
    if (!ptx_begin(importer, &op, "cvt." SLICE_FORMAT ".u32", SLICE_ARGS(type)))
        return;
    ptx_put(importer, &op, 0, &statement->operands[0]);
    ptx_op_register(&op, 1, sum);
    ptx_end(importer, &op);
}

/* add.cc, addc, madc.lo.cc: the carry is a predicate; hexec's always take one and leave one. A subtraction
 * adds the complement, so that its carry is that there is no borrow: an addition that takes it sees that. */
void ptx_import_carry(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const struct slice opcode = statement->opcode;
    const bool is_product = slice_starts_with(opcode, "mad"), has_in = slice_starts_with(opcode, "addc") ||
                                                                       slice_starts_with(opcode, "subc") ||
                                                                       slice_starts_with(opcode, "madc");
    const struct ptx_operand none = {.kind = PTX_OPERAND_SINK}, no = {.kind = PTX_OPERAND_IMMEDIATE};
    const bool is_difference = slice_starts_with(opcode, "sub");
    const char *name = is_difference                   ? "subc"
                       : !is_product                   ? "addc"
                       : ptx_has_part(statement, "lo") ? "madc.lo"
                                                       : "madc.hi";
    struct slice part, type = {0};
    for (size_t at = 0; ptx_next_part(opcode, &at, &part);)
        type = part;
    struct ptx_op op;
    if (importer->frame->carry == PTX_NO_REGISTER)
        importer->frame->carry = ptx_code_register(&importer->code, true, 1);
    if (has_in && type_bits(isa_type_of(type)) == 16 && !ptx_has_part(statement, "cc")) {
        import_narrow_carry(importer, is_difference, type);
        return;
    }
    if (!ptx_begin(importer, &op, "%s." SLICE_FORMAT, name, SLICE_ARGS(type)))
        return;
    const unsigned sources = is_product ? 3 : 2;
    if (statement->operand_count != sources + 1) {
        ptx_lacks(importer, "operands are missing");
        return;
    }
    ptx_put(importer, &op, 0, &statement->operands[0]);
    if (ptx_has_part(statement, "cc"))
        ptx_op_predicate(&op, 1, importer->frame->carry, false);
    else
        ptx_put(importer, &op, 1, &none);
    for (unsigned i = 0; i < sources; i++)
        ptx_put(importer, &op, 2 + i, &statement->operands[1 + i]);
    if (has_in)
        ptx_op_predicate(&op, 2 + sources, importer->frame->carry, is_difference);
    else
        ptx_put(importer, &op, 2 + sources, &no);
    ptx_end(importer, &op);
    if (is_difference && ptx_has_part(statement, "cc"))
        invert_carry(importer);
}
