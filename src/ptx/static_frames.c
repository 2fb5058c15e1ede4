/* Frames that need no stack.
 *
 * A function that cannot be called while it runs has one frame at a time: it may be an array of the kernel's
 * local memory, as a variable of the kernel itself is. Then no stack is kept at calls and returns, and
 * compiled code makes the calls itself. For checkers and debuggers functions keep their stack: there the
 * memory is unwritten at each call, and gone behind it.
 *
 * Takes a unit whose registers are chosen, when all units are imported, leaves its array, and its ops with
 * the array's places. */
#include "ptx/importer.h"

/* A block's local memory is renewed when the block begins, the stack only where it was used: what all arrays
 * of functions take, at most. */
#define ARRAYS_MOST 4096u

/* --- which units ---------------------------------------------------------------------------------------- */

static void add_unit(struct ptx_importer *importer, size_t unit, uint32_t *waiting, size_t *count)
{
    if (importer->units.items[unit].is_seen)
        return;
    importer->units.items[unit].is_seen = true;
    waiting[(*count)++] = (uint32_t)unit;
}

/* What the unit's code calls: units by their number, or all that a pointer may mean. */
static void add_called(struct ptx_importer *importer, const struct ptx_code *code, uint32_t *waiting,
                       size_t *count)
{
    for (size_t i = 0; i < code->ops.count; i++) {
        const struct ptx_op *op = &code->ops.items[i];
        if (!ptx_op_calls(op))
            continue;
        if (instruction_semantic(&op->instruction) != SEM_call_table)
            add_unit(importer, op->instruction.operands[0].bits & ~(uint64_t)PTX_TARGET_UNIT, waiting, count);
        for (size_t unit = 1; unit < importer->units.count; unit++)
            if (instruction_semantic(&op->instruction) == SEM_call_table &&
                importer->units.items[unit].function->pointer > 0)
                add_unit(importer, unit, waiting, count);
    }
}

/* True, too, when there is no memory to find out. */
static bool calls_itself(struct ptx_importer *importer, const struct ptx_unit *unit)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = importer->code.arena->allocator};
    uint32_t *waiting = ARENA_ARRAY(&scratch, uint32_t, importer->units.count + 1);
    size_t count = 0;
    if (!waiting) {
        importer->code.status = HX_NO_MEMORY;
        return true;
    }
    for (size_t i = 0; i < importer->units.count; i++)
        importer->units.items[i].is_seen = false;
    add_called(importer, &unit->code, waiting, &count);
    while (count > 0 && !unit->is_seen)
        add_called(importer, &importer->units.items[waiting[--count]].code, waiting, &count);
    return unit->is_seen;
}

/* --- their arrays --------------------------------------------------------------------------------------- */

void ptx_give_array(struct ptx_importer *importer, struct ptx_unit *unit)
{
    const struct ptx_code *code = &unit->code;
    const uint64_t bytes = code->frame_bytes + 8 * code->spill_slots;
    const struct ptx_variable variable = {.name = unit->function->name,
                                          .place = unit->function->place,
                                          .space = PTX_SPACE_LOCAL,
                                          .type = HX_TYPE_U64,
                                          .align = code->frame_align,
                                          .bytes = bytes,
                                          .is_array = true};
    if (importer->program->for_checks || importer->module->debug || importer->local.count > UINT16_MAX ||
        bytes > ARRAYS_MOST - importer->array_bytes || calls_itself(importer, unit))
        return;
    unit->array = (uint32_t)importer->local.count;
    unit->has_array = true;
    importer->array_bytes += (uint32_t)bytes;
    if (!LIST_PUSH(importer->code.arena->allocator, &importer->local,
                   ptx_make_array(importer->loading, &variable)))
        importer->code.status = HX_NO_MEMORY;
}

/* --- ops that use the frame ----------------------------------------------------------------------------- */

static bool is_frame(const struct ptx_unit *unit, uint32_t reg)
{
    const struct ptx_register *is = &unit->code.registers.items[reg];
    return is->is_fixed && is->real == PTX_FRAME_REGISTER;
}

bool ptx_put_array(const struct ptx_unit *unit, struct ptx_op *op)
{
    bool needs_address = false;
    for (unsigned i = 0; i < op->instruction.opcode->form_count; i++) {
        const struct operand operand = op->instruction.operands[i];
        if (operand.kind == OPERAND_REGISTER)
            needs_address |= is_frame(unit, op->regs[i]);
        if (operand.kind == OPERAND_ADDRESS && operand.base_kind == BASE_REGISTER &&
            is_frame(unit, op->regs[i]))
            ptx_op_array(op, i, BASE_LOCAL, (uint16_t)unit->array, operand.offset);
    }
    return needs_address;
}
