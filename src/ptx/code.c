/* Virtual registers and how instructions use them. Takes ops, leaves what liveness and the choice of
 * registers need to know of each. */
#include "ptx/code.h"

uint32_t ptx_code_register(struct ptx_code *code, bool is_predicate, uint8_t members)
{
    const uint32_t first = (uint32_t)code->registers.count;
    for (uint8_t i = 0; i < members; i++) {
        const struct ptx_register made = {.is_predicate = is_predicate, .members = i == 0 ? members : 0};
        if (!LIST_PUSH(code->arena->allocator, &code->registers, made)) {
            code->status = HX_NO_MEMORY;
            return 0;
        }
    }
    return first;
}

uint32_t ptx_code_fixed(struct ptx_code *code, unsigned real)
{
    uint32_t *kept = &code->fixed[real - PTX_SLOT_REGISTER];
    if (*kept == 0) {
        const uint32_t made = ptx_code_register(code, false, 1);
        if (code->status != HX_OK)
            return 0;
        code->registers.items[made].is_fixed = true;
        code->registers.items[made].real = (uint8_t)real;
        *kept = made + 1;
    }
    return *kept - 1;
}

void ptx_code_done(struct ptx_code *code)
{
    const hx_allocator *allocator = code->arena->allocator;
    LIST_DONE(allocator, &code->ops);
    LIST_DONE(allocator, &code->labels);
    LIST_DONE(allocator, &code->registers);
    LIST_DONE(allocator, &code->crossings);
}

bool ptx_op_calls(const struct ptx_op *op)
{
    if (op->instruction.opcode->shape != SHAPE_FLOW)
        return false;
    const int semantic = instruction_semantic(&op->instruction);
    return semantic == SEM_call || semantic == SEM_call_table;
}

unsigned ptx_code_uses(const struct ptx_op *op, struct ptx_use *ret_uses)
{
    const struct isa_opcode *opcode = op->instruction.opcode;
    unsigned count = 0;
    if (op->guard != PTX_NO_REGISTER)
        ret_uses[count++] = (struct ptx_use){op->guard, 1, true, false};
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct operand *operand = &op->instruction.operands[i];
        const enum form_kind kind = opcode->forms[i].kind;
        const bool is_address = operand->kind == OPERAND_ADDRESS && operand->base_kind == BASE_REGISTER;
        if (operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_PREDICATE && !is_address)
            continue;
        const bool writes =
            kind == FORM_DESTINATION || kind == FORM_PREDICATE_DESTINATION || kind == FORM_READ_WRITE;
        ret_uses[count++] = (struct ptx_use){
            op->regs[i], is_address ? 1 : (uint8_t)instruction_registers(&op->instruction, i),
            !writes || kind == FORM_READ_WRITE || op->guard != PTX_NO_REGISTER, writes && !is_address};
    }
    return count;
}

bool ptx_op_make(struct ptx_code *code, const char *mnemonic, const struct ptx_statement *from,
                 struct ptx_op *ret_op)
{
    *ret_op = (struct ptx_op){.guard = PTX_NO_REGISTER, .from = from};
    if (isa_read_mnemonic(code->isa, slice_of(mnemonic), &ret_op->instruction))
        return true;
    if (code->status == HX_OK)
        code->status = HX_INVALID;
    return false;
}

void ptx_op_register(struct ptx_op *op, unsigned form, uint32_t reg)
{
    op->instruction.operands[form] = (struct operand){.kind = OPERAND_REGISTER};
    op->regs[form] = reg;
}

void ptx_op_predicate(struct ptx_op *op, unsigned form, uint32_t reg, bool negated)
{
    op->instruction.operands[form] = (struct operand){.kind = OPERAND_PREDICATE, .negated = negated};
    op->regs[form] = reg;
}

void ptx_op_number(struct ptx_op *op, unsigned form, uint64_t bits)
{
    op->instruction.operands[form] = (struct operand){.kind = OPERAND_IMMEDIATE, .bits = bits};
}

void ptx_op_array(struct ptx_op *op, unsigned form, enum address_base base, uint16_t symbol, int32_t offset)
{
    op->instruction.operands[form] = (struct operand){
        .kind = OPERAND_ADDRESS, .base_kind = (uint8_t)base, .symbol = symbol, .scale = 1, .offset = offset};
}

void ptx_op_push(struct ptx_code *code, const struct ptx_op *op)
{
    if (!LIST_PUSH(code->arena->allocator, &code->ops, *op))
        code->status = HX_NO_MEMORY;
}

int ptx_op_flow(const struct ptx_op *op)
{
    return op->instruction.opcode->shape == SHAPE_FLOW ? instruction_semantic(&op->instruction)
                                                       : SEMANTIC_NONE;
}

bool ptx_op_ends_block(const struct ptx_op *op)
{
    const int flow = ptx_op_flow(op);
    return flow == SEM_branch || flow == SEM_jump_table || flow == SEM_exit || flow == SEM_trap ||
           flow == SEM_return || flow == SEM_loop;
}

bool ptx_op_falls_through(const struct ptx_op *op)
{
    return !ptx_op_ends_block(op) || op->guard != PTX_NO_REGISTER || ptx_op_flow(op) == SEM_loop;
}

uint32_t ptx_op_target(const struct ptx_code *code, const struct ptx_op *op)
{
    for (unsigned i = 0; !ptx_op_calls(op) && i < op->instruction.opcode->form_count; i++)
        if (op->instruction.operands[i].kind == OPERAND_TARGET)
            return code->labels.items[op->instruction.operands[i].bits];
    return PTX_NO_TARGET;
}
