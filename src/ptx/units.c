/* The kernel and the functions that it calls, as one code.
 *
 * Takes units whose registers are virtual, leaves one list of ops with real registers and places to jump to.
 * A unit's values need not survive what it calls: around each call those that live are stored in its frame,
 * or for the kernel in an array of local memory, and loaded again. A frame is an array of local memory, too
 * (static_frames.c). Where that cannot be, a function that keeps something in local memory takes a frame from
 * the thread's stack at its start; hexec gives it back on return. */
#include "ptx/importer.h"

#include <string.h>

/* --- importing ------------------------------------------------------------------------------------------ */

static void import_kernel_body(struct ptx_importer *importer)
{
    struct ptx_frame frame = {
        .function = importer->function, .carry = PTX_NO_REGISTER, .return_label = PTX_NO_LABEL};
    frame.first_register = ptx_add_registers(importer, importer->function);
    ptx_bind_variables(importer, importer->function);
    ptx_import_body(importer, &frame);
}

static bool jumps_to(const struct ptx_importer *importer, const struct instruction *instruction,
                     size_t target)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind == OPERAND_TARGET && operand->bits < importer->code.labels.count &&
            importer->code.labels.items[operand->bits] == target)
            return true;
    }
    return false;
}

/* Execution must not run past the last instruction, where labels may be. */
static void end_kernel(struct ptx_importer *importer)
{
    const size_t count = importer->code.ops.count;
    const struct ptx_op *last = count ? &importer->code.ops.items[count - 1] : NULL;
    bool is_open =
        !last || last->guard != PTX_NO_REGISTER || instruction_semantic(&last->instruction) != SEM_exit;
    for (size_t i = 0; i < count && !is_open; i++)
        is_open = jumps_to(importer, &importer->code.ops.items[i].instruction, count);
    struct ptx_op op;
    if (is_open && ptx_op_make(&importer->code, "exit", importer->statement, &op))
        ptx_op_push(&importer->code, &op);
}

/* Importing a unit may add others behind it. */
void ptx_import_units(struct ptx_importer *importer)
{
    const struct ptx_code empty = importer->code;
    if (!LIST_PUSH(empty.arena->allocator, &importer->units,
                   ((struct ptx_unit){.function = importer->function}))) {
        importer->code.status = HX_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < importer->units.count; i++) {
        const hx_status status = importer->code.status;
        importer->code = empty;
        importer->code.status = status;
        importer->unit = (uint32_t)i;
        if (i == 0) {
            import_kernel_body(importer);
            end_kernel(importer);
        } else if (status == HX_OK) {
            ptx_import_called(importer, importer->units.items[i].function);
        }
        importer->units.items[i].code = importer->code;
    }
    const hx_status status = importer->code.status;
    importer->code = empty;
    importer->code.status = status;
}

/* --- registers ------------------------------------------------------------------------------------------ */

/* Each register that lives across a call has one place in local memory: 1 + its number. */
static bool give_slots(struct ptx_code *code, uint32_t *slots)
{
    for (size_t i = 0; i < code->crossings.count; i++) {
        uint32_t *slot = &slots[code->crossings.items[i].reg];
        if (*slot == 0)
            *slot = (uint32_t)++code->spill_slots;
    }
    return code->status == HX_OK;
}

struct joining {
    struct ptx_importer *importer;
    struct ptx_unit *unit;
    uint32_t *slots; /* of its registers */
    uint32_t *moved; /* of its ops their new place */
    size_t
        next_crossing; /* of the unit's list, which has the last call first: crossings before it are left */
};

/* The register of frames points to the unit's array up to the next op. */
static void push_array_address(struct joining *joining, const struct ptx_op *beside)
{
    struct ptx_op op;
    struct ptx_code *whole = &joining->importer->code;
    if (!ptx_op_make(whole, "mov.u64", beside->from, &op))
        return;
    ptx_op_register(&op, 0, PTX_FRAME_REGISTER);
    op.instruction.operands[1] = (struct operand){
        .kind = OPERAND_ARRAY, .space = SPACE_LOCAL, .symbol = (uint16_t)joining->unit->array};
    ptx_op_push(whole, &op);
}

/* An op of a unit with the numbers of real registers. */
static void join_op(struct joining *joining, const struct ptx_op *from)
{
    const struct ptx_register *registers = joining->unit->code.registers.items;
    struct ptx_op op = *from;
    if (joining->unit->has_array && ptx_put_array(joining->unit, &op))
        push_array_address(joining, from);
    for (unsigned i = 0; i < op.instruction.opcode->form_count; i++) {
        const struct operand *operand = &op.instruction.operands[i];
        if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PREDICATE ||
            (operand->kind == OPERAND_ADDRESS && operand->base_kind == BASE_REGISTER))
            op.regs[i] = registers[from->regs[i]].real;
    }
    if (op.guard != PTX_NO_REGISTER)
        op.guard = registers[op.guard].real;
    ptx_op_push(&joining->importer->code, &op);
}

/* Ops that the unit's code makes are taken off its end again: they belong at this place. */
static void join_made(struct joining *joining, size_t from)
{
    struct ptx_code *code = &joining->unit->code;
    for (size_t i = from; i < code->ops.count; i++) {
        const struct ptx_op op = code->ops.items[i];
        join_op(joining, &op);
    }
    code->ops.count = from;
}

static void keep_values(struct joining *joining, size_t first, size_t end, bool is_load,
                        const struct ptx_op *call)
{
    struct ptx_code *code = &joining->unit->code;
    const size_t made = code->ops.count;
    for (size_t i = first; i < end; i++) {
        const uint32_t reg = code->crossings.items[i].reg;
        ptx_code_push_slot(code, is_load, joining->slots[reg] - 1, reg, call);
    }
    join_made(joining, made);
}

static void join_call(struct joining *joining, uint32_t at)
{
    const struct ptx_code *code = &joining->unit->code;
    const struct ptx_op call = code->ops.items[at];
    const size_t end = joining->next_crossing;
    size_t first = end;
    while (first > 0 && code->crossings.items[first - 1].call == at)
        first--;
    joining->next_crossing = first;
    keep_values(joining, first, end, false, &call);
    join_op(joining, &call);
    keep_values(joining, first, end, true, &call);
}

/* --- frames --------------------------------------------------------------------------------------------- */

/* Does it keep something in local memory? */
static bool needs_frame(const struct ptx_code *code)
{
    return code->is_function && (code->frame_bytes > 8 || code->spill_slots > 0);
}

static void push_frame_access(struct ptx_code *code, bool is_load, uint32_t base, const struct ptx_op *beside)
{
    struct ptx_op op;
    if (!ptx_op_make(code, is_load ? "ldl.u64" : "stl.u64", beside->from, &op))
        return;
    ptx_op_register(&op, is_load ? 0 : 1, ptx_code_fixed(code, PTX_FRAME_REGISTER));
    op.instruction.operands[is_load ? 1 : 0] =
        (struct operand){.kind = OPERAND_ADDRESS, .base_kind = BASE_REGISTER, .scale = 1};
    op.regs[is_load ? 1 : 0] = base;
    ptx_op_push(code, &op);
}

static void push_number(struct ptx_code *code, uint32_t to, uint64_t number, const struct ptx_op *beside)
{
    struct ptx_op op;
    if (!ptx_op_make(code, "mov.u64", beside->from, &op))
        return;
    ptx_op_register(&op, 0, to);
    ptx_op_number(&op, 1, number);
    ptx_op_push(code, &op);
}

/* Takes a frame and keeps the caller's in its first place. */
static void open_frame(struct joining *joining, const struct ptx_op *beside)
{
    struct ptx_code *code = &joining->unit->code;
    const size_t made = code->ops.count;
    const uint32_t taken = ptx_code_fixed(code, PTX_FRAME_TAKEN),
                   frame = ptx_code_fixed(code, PTX_FRAME_REGISTER);
    struct ptx_op op;
    push_number(code, taken, code->frame_bytes + 8 * code->spill_slots, beside);
    if (ptx_op_make(code, "alloca.u64", beside->from, &op)) {
        ptx_op_register(&op, 0, taken);
        ptx_op_register(&op, 1, taken);
        ptx_op_number(&op, 2, code->frame_align);
        ptx_op_push(code, &op);
    }
    push_frame_access(code, false, taken, beside);
    if (ptx_op_make(code, "mov.u64", beside->from, &op)) {
        ptx_op_register(&op, 0, frame);
        ptx_op_register(&op, 1, taken);
        ptx_op_push(code, &op);
    }
    join_made(joining, made);
}

static void close_function(struct joining *joining, const struct ptx_op *beside)
{
    struct ptx_code *code = &joining->unit->code;
    const size_t made = code->ops.count;
    struct ptx_op op;
    if (joining->unit->has_frame)
        push_frame_access(code, true, ptx_code_fixed(code, PTX_FRAME_REGISTER), beside);
    if (ptx_op_make(code, "ret", beside->from, &op))
        ptx_op_push(code, &op);
    join_made(joining, made);
}

/* --- joining -------------------------------------------------------------------------------------------- */

/* Targets that are labels become places; those of calls stay until all units have a place. */
static void set_targets(struct joining *joining, uint32_t first)
{
    struct ptx_code *whole = &joining->importer->code;
    const struct ptx_code *code = &joining->unit->code;
    for (size_t i = first; i < whole->ops.count; i++) {
        struct instruction *instruction = &whole->ops.items[i].instruction;
        for (unsigned k = 0; k < instruction->opcode->form_count; k++) {
            struct operand *operand = &instruction->operands[k];
            if (operand->kind == OPERAND_TARGET && !(operand->bits & PTX_TARGET_UNIT))
                operand->bits = joining->moved[code->labels.items[operand->bits]];
        }
    }
}

static void join_unit(struct joining *joining)
{
    struct ptx_code *whole = &joining->importer->code, *code = &joining->unit->code;
    const uint32_t count = (uint32_t)code->ops.count;
    const struct ptx_op none = {.from = joining->importer->statement},
                        first = count ? code->ops.items[0] : none,
                        last = count ? code->ops.items[count - 1] : none; /* of the line that returns */
    joining->unit->first = (uint32_t)whole->ops.count;
    joining->next_crossing = code->crossings.count;
    joining->unit->has_frame = needs_frame(code) && !joining->unit->has_array;
    if (joining->unit->has_frame)
        open_frame(joining, &first);
    joining->unit->body = (uint32_t)whole->ops.count;
    for (uint32_t i = 0; i < count && whole->status == HX_OK; i++) {
        joining->moved[i] = (uint32_t)whole->ops.count;
        if (ptx_op_calls(&code->ops.items[i])) {
            join_call(joining, i);
        } else {
            const struct ptx_op op = code->ops.items[i];
            join_op(joining, &op);
        }
    }
    joining->moved[count] = joining->unit->close = (uint32_t)whole->ops.count;
    if (code->is_function)
        close_function(joining, &last);
    joining->unit->end = (uint32_t)whole->ops.count;
    if (code->status != HX_OK)
        whole->status = code->status;
    if (whole->status == HX_OK)
        set_targets(joining, joining->unit->first);
}

static void choose_and_join(struct ptx_importer *importer, struct ptx_unit *unit)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = importer->code.arena->allocator};
    struct joining joining = {.importer = importer, .unit = unit};
    struct ptx_code *code = &unit->code;
    code->register_limit =
        importer->units.count > 1 || importer->has_pointers ? PTX_SLOT_REGISTER : REGISTER_COUNT;
    code->spill_array = importer->code.spill_array;
    code->keeps_values = ptx_keeps_values(importer);
    memcpy(code->kept, importer->kept, sizeof code->kept);
    importer->code.status = ptx_layout_blocks(code);
    if (importer->code.status == HX_OK)
        importer->code.status = ptx_registers_choose(code);
    if (importer->code.status != HX_OK)
        return;
    joining.slots = ARENA_ARRAY(&scratch, uint32_t, code->registers.count + 1);
    joining.moved = ARENA_ARRAY(&scratch, uint32_t, code->ops.count + 1);
    if (!joining.slots || !joining.moved || !give_slots(code, joining.slots)) {
        importer->code.status = HX_NO_MEMORY;
        return;
    }
    if (needs_frame(code))
        ptx_give_array(importer, unit);
    if (importer->code.status == HX_OK)
        join_unit(&joining);
    ptx_note_registers(importer, unit, joining.moved);
}

/* --- the table of functions ----------------------------------------------------------------------------- */

/* A fault with its reason: the pointer is of a function with other parameters. These registers are free
 * behind a call, before the function that is called begins. */
static void push_wrong_pointer(struct ptx_importer *importer)
{
    struct ptx_op op;
    struct ptx_code *code = &importer->code;
    const uint32_t text = PTX_FRAME_TAKEN, no = 0;
    if (!ptx_op_make(code, "mov.u64", importer->pointer_call, &op))
        return;
    ptx_op_register(&op, 0, text);
    op.instruction.operands[1] =
        (struct operand){.kind = OPERAND_ARRAY, .space = SPACE_CONSTANT, .symbol = importer->pointer_text};
    ptx_op_push(code, &op);
    if (!ptx_op_make(code, "setp.ne.u64", importer->pointer_call, &op))
        return;
    ptx_op_predicate(&op, 0, no, false);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, text);
    ptx_op_register(&op, 3, text);
    ptx_op_push(code, &op);
    if (!ptx_op_make(code, "assert", importer->pointer_call, &op))
        return;
    ptx_op_predicate(&op, 0, no, false);
    ptx_op_register(&op, 1, text);
    ptx_op_push(code, &op);
    if (ptx_op_make(code, "trap", importer->pointer_call, &op))
        ptx_op_push(code, &op);
}

uint32_t ptx_pointer_entries(const struct ptx_module *module)
{
    uint32_t entries = 1;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f]->pointer >= entries)
            entries = module->functions[f]->pointer + 1;
    return entries;
}

static void push_entry(struct ptx_importer *importer, uint32_t target)
{
    struct ptx_op op;
    if (!ptx_op_make(&importer->code, "bra", importer->statement, &op))
        return;
    op.instruction.operands[0] = (struct operand){.kind = OPERAND_TARGET, .bits = target};
    ptx_op_push(&importer->code, &op);
}

/* Where each pointer leads, one behind the other; the place of the first. */
static uint32_t push_entries(struct ptx_importer *importer, uint32_t entries, uint32_t wrong)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = importer->code.arena->allocator};
    const uint32_t first = (uint32_t)importer->code.ops.count;
    uint32_t *targets = ARENA_ARRAY(&scratch, uint32_t, entries);
    if (!targets) {
        importer->code.status = HX_NO_MEMORY;
        return first;
    }
    for (uint32_t i = 0; i < entries; i++)
        targets[i] = wrong;
    for (size_t unit = 1; unit < importer->units.count; unit++)
        if (importer->units.items[unit].function->pointer > 0)
            targets[importer->units.items[unit].function->pointer] = importer->units.items[unit].first;
    for (uint32_t i = 0; i < entries; i++)
        push_entry(importer, targets[i]);
    return first;
}

/* Goes on in one of the tables behind `first`, at the entry that the call left in a register. */
static void push_jump(struct ptx_importer *importer, uint32_t first, uint32_t entries)
{
    struct ptx_op op;
    if (!ptx_op_make(&importer->code, "brx", importer->pointer_call, &op))
        return;
    ptx_op_register(&op, 0, PTX_FRAME_TAKEN);
    op.instruction.operands[1] = (struct operand){.kind = OPERAND_TARGET, .bits = first};
    ptx_op_number(&op, 2, entries);
    ptx_op_push(&importer->code, &op);
}

/* The table that calls go through: of functions, or of tables of functions. How many entries it has. */
static uint32_t push_table(struct ptx_importer *importer, uint32_t *ret_first)
{
    const uint32_t entries = ptx_pointer_entries(importer->module);
    const uint32_t wrong = (uint32_t)importer->code.ops.count;
    push_wrong_pointer(importer);
    *ret_first = push_entries(importer, entries, wrong);
    if (entries <= PTX_ENTRIES_MOST)
        return entries;
    const uint32_t all = *ret_first, tables = (entries + PTX_TABLE_ENTRIES - 1) / PTX_TABLE_ENTRIES;
    const uint32_t jumps = (uint32_t)importer->code.ops.count;
    for (uint32_t i = 0; i < tables; i++) {
        const uint32_t left = entries - i * PTX_TABLE_ENTRIES;
        push_jump(importer, all + i * PTX_TABLE_ENTRIES, left < PTX_TABLE_ENTRIES ? left : PTX_TABLE_ENTRIES);
    }
    *ret_first = (uint32_t)importer->code.ops.count;
    for (uint32_t i = 0; i < tables; i++)
        push_entry(importer, jumps + i);
    return tables;
}

static void set_call_targets(struct ptx_importer *importer)
{
    uint32_t table = 0;
    const uint32_t entries = importer->has_pointers ? push_table(importer, &table) : 0;
    for (size_t i = 0; i < importer->code.ops.count; i++) {
        struct ptx_op *op = &importer->code.ops.items[i];
        if (!ptx_op_calls(op))
            continue;
        const bool is_table = instruction_semantic(&op->instruction) == SEM_call_table;
        struct operand *target = &op->instruction.operands[is_table ? 1 : 0];
        if (is_table) {
            target->bits = table;
            ptx_op_number(op, 2, entries);
        } else {
            target->bits = importer->units.items[target->bits & ~(uint64_t)PTX_TARGET_UNIT].first;
        }
    }
}

void ptx_join_units(struct ptx_importer *importer)
{
    for (size_t i = 0; i < importer->units.count && importer->code.status == HX_OK; i++) {
        choose_and_join(importer, &importer->units.items[i]);
        if (i == 0 && importer->code.status == HX_OK)
            ptx_add_spill_array(importer, importer->units.items[0].code.spill_slots);
    }
    if (importer->code.status == HX_OK)
        set_call_targets(importer);
}
