/* Moves of PTX: mov in all its forms, and cvta.
 *
 * Takes statements, leaves ops. A vector of registers of PTX may be any registers: what is packed into one
 * register or moved from one vector to another goes element by element. */
#include "ptx/emit.h"

#include <stdio.h>

/* mov.b32 {%b1, %b2, %b3, %b4}, %r1 */
static void unpack_bytes(struct ptx_importer *importer, const struct ptx_operand *to,
                         const struct ptx_operand *from)
{
    const uint32_t word = ptx_in_register(importer, from, HX_TYPE_U32);
    struct ptx_op op;
    for (unsigned i = 0; i < to->count; i++) {
        if (to->items[i].kind == PTX_OPERAND_SINK || !ptx_begin(importer, &op, "bfe.u32"))
            continue;
        ptx_put(importer, &op, 0, &to->items[i]);
        ptx_op_register(&op, 1, word);
        ptx_op_number(&op, 2, 8 * i);
        ptx_op_number(&op, 3, 8);
        ptx_end(importer, &op);
    }
}

/* mov.b32 %r1, {%b1, %b2, %b3, %b4} */
static void pack_bytes(struct ptx_importer *importer, const struct ptx_operand *to,
                       const struct ptx_operand *from)
{
    const uint32_t word = ptx_code_register(&importer->code, false, 1);
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "mov.u32"))
        return;
    ptx_op_register(&op, 0, word);
    ptx_op_number(&op, 1, 0);
    ptx_end_free(importer, &op);
    for (unsigned i = 0; i < from->count; i++) {
        if (!ptx_begin(importer, &op, "bfi.u32"))
            return;
        ptx_op_register(&op, 0, word);
        ptx_op_register(&op, 1, ptx_in_register(importer, &from->items[i], HX_TYPE_U32));
        ptx_op_register(&op, 2, word);
        ptx_op_number(&op, 3, 8 * i);
        ptx_op_number(&op, 4, 8);
        ptx_end_free(importer, &op);
    }
    if (!ptx_begin(importer, &op, "mov.u32"))
        return;
    ptx_put(importer, &op, 0, to);
    ptx_op_register(&op, 1, word);
    ptx_end(importer, &op);
}

/* mov.b64 {%r1, %r2}, %rd1 and the other way. */
static void import_packing(struct ptx_importer *importer, unsigned bits)
{
    const struct ptx_statement *statement = importer->statement;
    const bool unpacks = statement->operands[0].kind == PTX_OPERAND_VECTOR;
    const struct ptx_operand *vector = &statement->operands[unpacks ? 0 : 1];
    const unsigned width = vector->count ? bits / vector->count : 0;
    struct ptx_op op;
    if (width == 8 && bits <= 32 && vector->count * 8 == bits) {
        if (unpacks)
            unpack_bytes(importer, vector, &statement->operands[1]);
        else
            pack_bytes(importer, &statement->operands[0], vector);
        return;
    }
    const bool begun = unpacks ? ptx_begin(importer, &op, "unpack.u%u.u%u", width, bits)
                               : ptx_begin(importer, &op, "pack.u%u.u%u", bits, width);
    if (!begun)
        return;
    if (unpacks) {
        for (unsigned i = 0; i < vector->count; i++)
            ptx_put(importer, &op, i, &vector->items[i]);
        ptx_op_register(
            &op, vector->count,
            ptx_in_register(importer, &statement->operands[1], bits == 64 ? HX_TYPE_U64 : HX_TYPE_U32));
    } else {
        ptx_put(importer, &op, 0, &statement->operands[0]);
        for (unsigned i = 0; i < vector->count; i++)
            ptx_put(importer, &op, 1 + i, &vector->items[i]);
    }
    ptx_end(importer, &op);
}

/* mov.v4.u32 {%r1, ...}, {%r2, ...}: all are read before one is written. Of %tid the fourth element is 0. */
static void move_vector(struct ptx_importer *importer, const struct ptx_access *access)
{
    static const char *const letters[] = {".x", ".y", ".z"};
    const struct ptx_operand *to = &importer->statement->operands[0],
                             *from = &importer->statement->operands[1];
    uint32_t regs[PTX_MOST_LANES];
    if (access->lanes > PTX_MOST_LANES || !ptx_check_lanes(importer, to, access) ||
        (from->kind != PTX_OPERAND_SPECIAL && !ptx_check_lanes(importer, from, access)))
        return;
    for (unsigned i = 0; i < access->lanes; i++) {
        struct ptx_operand item = {.kind = PTX_OPERAND_IMMEDIATE};
        char name[24];
        if (from->kind == PTX_OPERAND_VECTOR) {
            item = from->items[i];
        } else if (i < HX_COUNT_OF(letters)) {
            snprintf(name, sizeof name, SLICE_FORMAT "%s", SLICE_ARGS(from->text), letters[i]);
            item = (struct ptx_operand){.kind = PTX_OPERAND_SPECIAL, .text = slice_of(name)};
        }
        struct ptx_op op;
        regs[i] = ptx_code_register(&importer->code, false, 1);
        if (!ptx_begin(importer, &op, "mov.%s", hx_type_name(access->type)))
            return;
        ptx_op_register(&op, 0, regs[i]);
        ptx_put(importer, &op, 1, &item);
        ptx_end_free(importer, &op);
    }
    for (unsigned i = 0; i < access->lanes; i++)
        if (to->items[i].kind == PTX_OPERAND_REGISTER)
            ptx_move(importer, ptx_register_of(importer, to->items[i].reg), regs[i], type_bits(access->type));
}

/* mov.b128 {%r1, %r2, %r3, %r4}, %q1 and the other way: a register of 128 bits is two of 64. */
static void import_quarters(struct ptx_importer *importer)
{
    const struct ptx_operand *to = &importer->statement->operands[0],
                             *from = &importer->statement->operands[1];
    const bool unpacks = to->count == 4;
    uint32_t made[2] = {0};
    struct ptx_op op;
    for (unsigned i = 0; i < 2; i++) {
        if (!ptx_begin(importer, &op, unpacks ? "unpack.u32.u64" : "pack.u64.u32"))
            return;
        if (unpacks) {
            ptx_put(importer, &op, 0, &to->items[2 * i]);
            ptx_put(importer, &op, 1, &to->items[2 * i + 1]);
            ptx_put(importer, &op, 2, &from->items[i]);
            ptx_end(importer, &op);
            continue;
        }
        made[i] = ptx_code_register(&importer->code, false, 1);
        ptx_op_register(&op, 0, made[i]);
        ptx_put(importer, &op, 1, &from->items[2 * i]);
        ptx_put(importer, &op, 2, &from->items[2 * i + 1]);
        ptx_end_free(importer, &op);
    }
    for (unsigned i = 0; !unpacks && i < 2; i++)
        if (to->items[i].kind == PTX_OPERAND_REGISTER)
            ptx_move(importer, ptx_register_of(importer, to->items[i].reg), made[i], 64);
}

/* Is it a move between a register of 128 bits, which is a vector of two, and four of 32? */
static bool has_quarters(const struct ptx_statement *statement)
{
    const struct ptx_operand *to = &statement->operands[0], *from = &statement->operands[1];
    return ptx_has_part(statement, "b128") && to->kind == PTX_OPERAND_VECTOR &&
           from->kind == PTX_OPERAND_VECTOR && to->count + from->count == 6;
}

void ptx_import_mov(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_access access = ptx_read_access(statement->opcode);
    const enum hx_type type = access.type;
    struct ptx_op op;
    if (!ptx_has_operands(importer, 2))
        return;
    if (type == HX_TYPE_NONE) {
        ptx_lacks(importer, "values of this type are not available");
    } else if (ptx_has_part(statement, "b128") && statement->operands[0].kind == PTX_OPERAND_SINK) {
        return; /* of an atomic whose old value is not wanted */
    } else if (has_quarters(statement)) {
        import_quarters(importer);
    } else if (access.lanes > 1) {
        move_vector(importer, &access);
    } else if (statement->operands[0].kind == PTX_OPERAND_VECTOR ||
               statement->operands[1].kind == PTX_OPERAND_VECTOR) {
        import_packing(importer, type_bits(type));
    } else if (ptx_begin(importer, &op, "mov.%s", hx_type_name(type))) {
        ptx_put(importer, &op, 0, &statement->operands[0]);
        ptx_put(importer, &op, 1, &statement->operands[1]);
        ptx_end(importer, &op);
    }
}

/* cvta.shared.u32 d, a; cvta.to.shared.u32 d, a: the window's number is in the highest bits. */
static void convert_narrow(struct ptx_importer *importer, enum ptx_space space)
{
    const struct ptx_statement *statement = importer->statement;
    const bool is_to = ptx_has_part(statement, "to");
    const uint64_t window = NARROW_WINDOWS + NARROW_WINDOW_BYTES * (space == PTX_SPACE_SHARED  ? 0
                                                                    : space == PTX_SPACE_LOCAL ? 1
                                                                                               : 2);
    struct ptx_op op;
    if (!ptx_begin(importer, &op, is_to ? "and.u32" : "add.u32"))
        return;
    ptx_put(importer, &op, 0, &statement->operands[0]);
    ptx_op_register(&op, 1, ptx_in_register(importer, &statement->operands[1], HX_TYPE_U32));
    ptx_op_number(&op, 2, is_to ? NARROW_WINDOW_BYTES - 1 : window);
    ptx_end(importer, &op);
}

/* isspacep.shared p, a: parameters of kernels lie in constant memory. */
void ptx_import_isspacep(struct ptx_importer *importer)
{
    static const char *const names[] = {[PTX_SPACE_GLOBAL] = "global",
                                        [PTX_SPACE_SHARED] = "shared",
                                        [PTX_SPACE_CONST] = "const",
                                        [PTX_SPACE_LOCAL] = "local",
                                        [PTX_SPACE_PARAM] = "const"};
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_access access = ptx_read_access(statement->opcode);
    struct ptx_op op;
    if (!ptx_has_operands(importer, 2))
        return;
    const struct ptx_operand *address = &statement->operands[1];
    const bool is_narrow = importer->module->address_bits == 32 && address->kind == PTX_OPERAND_REGISTER &&
                           type_bits(ptx_type_of_register(importer, address->reg)) == 32;
    if (access.space == PTX_SPACE_NONE) {
        ptx_lacks_opcode(importer);
    } else if (ptx_begin(importer, &op, "isspacep.%s.u64", names[access.space])) {
        ptx_put(importer, &op, 0, &statement->operands[0]);
        if (is_narrow)
            ptx_op_register(
                &op, 1, ptx_widen(importer, ptx_in_register(importer, address, HX_TYPE_U32), PTX_SPACE_NONE));
        else
            ptx_put(importer, &op, 1, address);
        ptx_end(importer, &op);
    }
}

static bool writes_register(const struct ptx_statement *statement, uint32_t reg)
{
    const struct ptx_operand *to = statement->operands;
    if (statement->operand_count == 0)
        return false;
    if (to->kind == PTX_OPERAND_REGISTER)
        return to->reg == reg;
    if (to->kind != PTX_OPERAND_VECTOR && to->kind != PTX_OPERAND_LIST)
        return false;
    for (uint32_t i = 0; i < to->count; i++)
        if (to->items[i].kind == PTX_OPERAND_REGISTER && to->items[i].reg == reg)
            return true;
    return false;
}

static bool is_zero(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_IMMEDIATE && operand->number == PTX_NUMBER_INTEGER &&
           operand->bits == 0;
}

static bool is_variable(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VARIABLE;
}

/* Is it such an operand, as 0, or a register that the function sets to these and to nothing else? */
static bool is_always(const struct ptx_importer *importer, const struct ptx_operand *operand,
                      bool (*is)(const struct ptx_operand *operand))
{
    const struct ptx_function *function = importer->frame->function;
    if (operand->kind != PTX_OPERAND_REGISTER)
        return is(operand);
    bool is_set = false;
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const struct ptx_statement *statement = &function->statements[i];
        if (!writes_register(statement, operand->reg))
            continue;
        if (!slice_starts_with(statement->opcode, "mov.") || statement->operand_count != 2 ||
            !is(&statement->operands[1]))
            return false;
        is_set = true;
    }
    return is_set;
}

/* OpenCL's NULL is NULL in all spaces, and clang leaves the 0 of a space that it makes generic as it is, and
 * the other way around. CUDA's __cvta_shared_to_generic(0) is where the window begins. */
static bool makes_null(const struct ptx_importer *importer)
{
    return importer->module->is_opencl && is_always(importer, &importer->statement->operands[1], is_zero);
}

/* So does a pointer that is NULL while the program runs. No variable is at 0 of shared memory (bind_null). */
static bool may_make_null(const struct ptx_importer *importer, const struct ptx_access *access)
{
    const struct ptx_module *module = importer->module;
    return module->is_opencl && module->compares_addresses && access->space == PTX_SPACE_SHARED &&
           !is_always(importer, &importer->statement->operands[1], is_variable);
}

static void convert_or_null(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const uint32_t from = ptx_in_register(importer, &statement->operands[1], HX_TYPE_U64),
                   made = ptx_new_register(importer), predicate = ptx_code_register(&importer->code, true, 1);
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "cvta%s.shared.u64", ptx_has_part(statement, "to") ? ".to" : ""))
        return;
    ptx_op_register(&op, 0, made);
    ptx_op_register(&op, 1, from);
    ptx_op_push(&importer->code, &op);
    if (!ptx_begin(importer, &op, "setp.ne.u64"))
        return;
    ptx_op_predicate(&op, 0, predicate, false);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, from);
    ptx_op_number(&op, 3, 0);
    ptx_op_push(&importer->code, &op);
    if (!ptx_begin(importer, &op, "sel.u64"))
        return;
    ptx_put(importer, &op, 0, &statement->operands[0]);
    ptx_op_register(&op, 1, made);
    ptx_op_number(&op, 2, 0);
    ptx_op_predicate(&op, 3, predicate, false);
    ptx_end(importer, &op);
}

/* cvta.to.global.u64 d, a; of a parameter of a kernel the address in constant memory. */
void ptx_import_cvta(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_access access = ptx_read_access(statement->opcode);
    static const char *const names[] = {[PTX_SPACE_GLOBAL] = "global",
                                        [PTX_SPACE_SHARED] = "shared",
                                        [PTX_SPACE_CONST] = "const",
                                        [PTX_SPACE_LOCAL] = "local",
                                        [PTX_SPACE_PARAM] = "const"};
    struct ptx_op op;
    if (!ptx_has_operands(importer, 2))
        return;
    const bool is_narrow = type_bits(access.type) == 32;
    if (access.space == PTX_SPACE_NONE || (is_narrow && importer->module->address_bits != 32)) {
        ptx_lacks(importer, "a generic address has 64 bits, and 32 in a module of .address_size 32");
    } else if ((access.space == PTX_SPACE_CONST && importer->module->has_constant_arguments) ||
               (is_narrow && access.space == PTX_SPACE_GLOBAL) || makes_null(importer)) {
        ptx_import_as(importer, is_narrow ? "mov.u32" : "mov.u64"); /* such an address is generic */
    } else if (is_narrow) {
        convert_narrow(importer, access.space);
    } else if (may_make_null(importer, &access)) {
        convert_or_null(importer);
    } else if (ptx_begin(importer, &op, "cvta%s.%s.u64", ptx_has_part(statement, "to") ? ".to" : "",
                         names[access.space])) {
        ptx_put(importer, &op, 0, &statement->operands[0]);
        ptx_op_register(&op, 1, ptx_in_register(importer, &statement->operands[1], HX_TYPE_U64));
        ptx_end(importer, &op);
    }
}
