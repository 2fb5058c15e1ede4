/* Short ways to add instructions, for what becomes several of them.
 *
 * Takes a mnemonic and virtual registers, leaves an op. Helping values are made whatever the statement's
 * guard is, so that their registers are free before and behind; what accesses memory has the guard. */
#include "ptx/emit.h"

uint32_t ptx_new_register(struct ptx_importer *importer)
{
    return ptx_code_register(&importer->code, false, 1);
}

static void push(struct ptx_importer *importer, struct ptx_op *op, bool is_guarded)
{
    if (is_guarded)
        ptx_end(importer, op);
    else
        ptx_op_push(&importer->code, op);
}

/* An op whose result goes to a new register. False, and the register all the same, when there is none. */
static bool begin_new(struct ptx_importer *importer, struct ptx_op *ret_op, uint32_t *ret_to,
                      const char *mnemonic)
{
    *ret_to = ptx_new_register(importer);
    if (!ptx_begin(importer, ret_op, "%s", mnemonic))
        return false;
    ptx_op_register(ret_op, 0, *ret_to);
    return true;
}

uint32_t ptx_emit_number(struct ptx_importer *importer, const char *mnemonic, uint32_t a, uint64_t number)
{
    struct ptx_op op;
    uint32_t to;
    if (!begin_new(importer, &op, &to, mnemonic))
        return to;
    ptx_op_register(&op, 1, a);
    ptx_op_number(&op, 2, number);
    push(importer, &op, false);
    return to;
}

uint32_t ptx_emit_two(struct ptx_importer *importer, const char *mnemonic, uint32_t a, uint32_t b)
{
    struct ptx_op op;
    uint32_t to;
    if (!begin_new(importer, &op, &to, mnemonic))
        return to;
    ptx_op_register(&op, 1, a);
    ptx_op_register(&op, 2, b);
    push(importer, &op, false);
    return to;
}

uint32_t ptx_emit_one(struct ptx_importer *importer, const char *mnemonic, uint32_t a)
{
    struct ptx_op op;
    uint32_t to;
    if (!begin_new(importer, &op, &to, mnemonic))
        return to;
    ptx_op_register(&op, 1, a);
    push(importer, &op, false);
    return to;
}

void ptx_emit_note(struct ptx_importer *importer, unsigned number, uint32_t a, uint32_t b)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "notice"))
        return;
    ptx_op_number(&op, 0, number);
    if (a != PTX_NO_REGISTER)
        ptx_op_register(&op, 1, a);
    if (b != PTX_NO_REGISTER)
        ptx_op_register(&op, 2, b);
    ptx_end(importer, &op);
}

uint32_t ptx_emit_constant(struct ptx_importer *importer, const char *mnemonic, uint64_t number)
{
    struct ptx_op op;
    uint32_t to;
    if (!begin_new(importer, &op, &to, mnemonic))
        return to;
    ptx_op_number(&op, 1, number);
    push(importer, &op, false);
    return to;
}

uint32_t ptx_emit_special(struct ptx_importer *importer, enum special_register special)
{
    struct ptx_op op;
    const uint32_t to = ptx_new_register(importer);
    if (!ptx_begin(importer, &op, "mov.%s", hx_type_name(special_type(special))))
        return to;
    ptx_op_register(&op, 0, to);
    op.instruction.operands[1] = (struct operand){.kind = OPERAND_SPECIAL, .symbol = (uint16_t)special};
    push(importer, &op, false);
    return to;
}

uint32_t ptx_emit_shuffle(struct ptx_importer *importer, uint32_t value, uint32_t lane)
{
    struct ptx_op op;
    const uint32_t to = ptx_new_register(importer);
    if (!ptx_begin(importer, &op, "shfl.idx.u32"))
        return to;
    static const struct ptx_operand none = {.kind = PTX_OPERAND_SINK};
    unsigned form = 0;
    ptx_op_register(&op, form++, to);
    if (op.instruction.opcode->forms[form].kind == FORM_PREDICATE_DESTINATION)
        ptx_put(importer, &op, form++, &none);
    ptx_op_register(&op, form++, value);
    ptx_op_register(&op, form, lane);
    push(importer, &op, false);
    return to;
}

static void put_address(struct ptx_op *op, unsigned form, uint32_t address, int32_t offset)
{
    op->instruction.operands[form] =
        (struct operand){.kind = OPERAND_ADDRESS, .base_kind = BASE_REGISTER, .scale = 1, .offset = offset};
    op->regs[form] = address;
}

uint32_t ptx_emit_load(struct ptx_importer *importer, const char *mnemonic, uint32_t address, int32_t offset)
{
    const uint32_t to = ptx_new_register(importer);
    ptx_emit_load_to(importer, mnemonic, to, address, offset);
    return to;
}

void ptx_emit_load_to(struct ptx_importer *importer, const char *mnemonic, uint32_t to, uint32_t address,
                      int32_t offset)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "%s", mnemonic))
        return;
    ptx_op_register(&op, 0, to);
    put_address(&op, 1, address, offset);
    push(importer, &op, true);
}

void ptx_emit_store(struct ptx_importer *importer, const char *mnemonic, uint32_t address, int32_t offset,
                    uint32_t value)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "%s", mnemonic))
        return;
    put_address(&op, 0, address, offset);
    ptx_op_register(&op, 1, value);
    push(importer, &op, true);
}

/* NARROW_WINDOWS and what follows have the number of their space's window in the four highest bits, plus 3.
 */
static uint32_t widen_window(struct ptx_importer *importer, uint32_t address)
{
    const uint32_t high = ptx_emit_number(importer, "shr.u32", address, 28);
    const uint32_t wide =
        ptx_emit_one(importer, "cvt.u64.u32", ptx_emit_number(importer, "sub.u32", high, 3));
    const uint32_t low = ptx_emit_number(importer, "and.u32", address, NARROW_WINDOW_BYTES - 1);
    return ptx_emit_two(importer, "or.u64", ptx_emit_number(importer, "shl.u64", wide, 44),
                        ptx_emit_one(importer, "cvt.u64.u32", low));
}

uint32_t ptx_widen(struct ptx_importer *importer, uint32_t address, enum ptx_space space)
{
    const uint32_t wide = ptx_emit_one(importer, "cvt.u64.u32", address);
    if (space != PTX_SPACE_NONE && space != PTX_SPACE_GLOBAL)
        return wide;
    const uint32_t global = ptx_emit_number(importer, "add.u64", wide, NARROW_BASE);
    if (space == PTX_SPACE_GLOBAL)
        return global;
    const uint32_t generic = ptx_new_register(importer),
                   predicate = ptx_code_register(&importer->code, true, 1);
    const uint32_t window = widen_window(importer, address);
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "setp.ge.u32"))
        return generic;
    ptx_op_predicate(&op, 0, predicate, false);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, address);
    ptx_op_number(&op, 3, NARROW_WINDOWS);
    push(importer, &op, false);
    if (!ptx_begin(importer, &op, "sel.u64"))
        return generic;
    ptx_op_register(&op, 0, generic);
    ptx_op_register(&op, 1, window);
    ptx_op_register(&op, 2, global);
    ptx_op_predicate(&op, 3, predicate, false);
    push(importer, &op, false);
    return generic;
}

uint32_t ptx_address_register(struct ptx_importer *importer, const struct ptx_operand *address,
                              enum ptx_space space)
{
    const struct ptx_operand *base = address->kind == PTX_OPERAND_ADDRESS ? &address->items[0] : address;
    if (address->kind == PTX_OPERAND_ADDRESS && address->count > 1) {
        ptx_lacks(importer, "an address of this kind is not available");
        return ptx_new_register(importer);
    }
    struct ptx_operand whole = *base;
    whole.offset = 0; /* it is the address's, too */
    uint32_t reg = base->kind == PTX_OPERAND_REGISTER ? ptx_register_of(importer, base->reg)
                                                      : ptx_in_register(importer, &whole, HX_TYPE_U64);
    if (base->kind == PTX_OPERAND_REGISTER && type_bits(ptx_type_of_register(importer, base->reg)) < 64)
        reg = ptx_widen(importer, reg, importer->module->address_bits == 32 ? space : PTX_SPACE_SHARED);
    return address->offset ? ptx_emit_number(importer, "add.u64", reg, (uint64_t)address->offset) : reg;
}

uint32_t ptx_gather(struct ptx_importer *importer, const struct ptx_operand *items, unsigned members,
                    enum hx_type type)
{
    const uint32_t first = ptx_code_register(&importer->code, false, (uint8_t)members);
    for (unsigned i = 0; i < members; i++) {
        struct ptx_op op;
        if (!ptx_begin(importer, &op, "mov.%s", type_bits(type) == 64 ? "u64" : "u32"))
            return first;
        ptx_op_register(&op, 0, first + i);
        ptx_put(importer, &op, 1, &items[i]);
        push(importer, &op, false);
    }
    return first;
}

void ptx_scatter(struct ptx_importer *importer, const struct ptx_operand *items, uint32_t first,
                 unsigned members, enum hx_type type)
{
    for (unsigned i = 0; i < members; i++)
        if (items[i].kind == PTX_OPERAND_REGISTER)
            ptx_move(importer, ptx_register_of(importer, items[i].reg), first + i, type_bits(type));
}

const struct ptx_operand *ptx_items(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VECTOR ? operand->items : operand;
}

unsigned ptx_count(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VECTOR ? operand->count : 1;
}
