/* Calls of functions that have code of their own.
 *
 * Takes calls and functions, leaves moves and `call`. Parameters go to registers that no other value has
 * (PTX_SLOT_REGISTER), one each; scalar results come back in them. Of structures the address goes: they are
 * in the caller's memory, which is local memory of the same thread. What has no register left goes through a
 * local array, which nobody else uses between the caller's last store and the callee's first load. A value
 * that is needed behind a call is stored by the caller (units.c). */
#include "ptx/importer.h"

bool ptx_is_memory(const struct ptx_variable *variable)
{
    return variable->space != PTX_SPACE_REG && (variable->is_array || !type_is_element(variable->type) ||
                                                variable->bytes != type_bytes(variable->type));
}

static unsigned bits_of(const struct ptx_variable *variable)
{
    return ptx_is_memory(variable) || type_bits(variable->type) == 64 ? 64 : 32;
}

static uint32_t new_register(struct ptx_importer *importer, unsigned bits)
{
    const uint32_t reg = ptx_code_register(&importer->code, false, 1);
    if (importer->code.status == HX_OK)
        importer->code.registers.items[reg].bits = (uint8_t)bits;
    return reg;
}

/* Without the guard of the statement. */
static void push_move(struct ptx_importer *importer, uint32_t to, uint32_t from, unsigned bits)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, bits == 64 ? "mov.u64" : "mov.u32"))
        return;
    ptx_op_register(&op, 0, to);
    ptx_op_register(&op, 1, from);
    ptx_op_push(&importer->code, &op);
}

/* --- local memory --------------------------------------------------------------------------------------- */

struct ptx_binding ptx_take_local(struct ptx_importer *importer, const struct ptx_variable *variable)
{
    struct ptx_code *code = &importer->code;
    struct ptx_binding binding = {.kind = PTX_BINDING_POINTER};
    if (code->is_function) {
        const uint64_t begin = (code->frame_bytes + variable->align - 1) & ~(uint64_t)(variable->align - 1);
        binding.reg = ptx_code_fixed(code, PTX_FRAME_REGISTER);
        binding.offset = (int32_t)begin;
        if (variable->align > code->frame_align)
            code->frame_align = variable->align;
        if (begin + variable->bytes > INT32_MAX / 2)
            ptx_lacks(importer, "the function has more local variables than fit into memory");
        else
            code->frame_bytes = begin + variable->bytes;
        return binding;
    }
    binding = (struct ptx_binding){
        .kind = PTX_BINDING_ARRAY, .base = BASE_LOCAL, .symbol = (uint16_t)importer->local.count};
    if (!LIST_PUSH(code->arena->allocator, &importer->local, ptx_make_array(importer->loading, variable)))
        code->status = HX_NO_MEMORY;
    return binding;
}

uint32_t ptx_address_of(struct ptx_importer *importer, const struct ptx_binding *binding)
{
    static const uint8_t spaces[] = {
        [BASE_SHARED] = SPACE_SHARED, [BASE_CONSTANT] = SPACE_CONSTANT, [BASE_LOCAL] = SPACE_LOCAL};
    const bool is_pointer = binding->kind == PTX_BINDING_POINTER;
    struct ptx_op op;
    if (is_pointer && binding->offset == 0)
        return binding->reg;
    const uint32_t reg = new_register(importer, 64);
    if (!ptx_begin(importer, &op, is_pointer ? "add.u64" : "mov.u64"))
        return reg;
    ptx_op_register(&op, 0, reg);
    if (is_pointer) {
        ptx_op_register(&op, 1, binding->reg);
        ptx_op_number(&op, 2, (uint64_t)binding->offset);
    } else {
        op.instruction.operands[1] = (struct operand){
            .kind = OPERAND_ARRAY, .space = spaces[binding->base], .symbol = binding->symbol};
    }
    ptx_op_push(&importer->code, &op);
    return reg;
}

void ptx_put_local(struct ptx_op *op, unsigned form, const struct ptx_binding *binding, int32_t offset)
{
    if (binding->kind == PTX_BINDING_ARRAY) {
        ptx_op_array(op, form, BASE_LOCAL, binding->symbol, offset);
        return;
    }
    op->instruction.operands[form] = (struct operand){
        .kind = OPERAND_ADDRESS, .base_kind = BASE_REGISTER, .scale = 1, .offset = binding->offset + offset};
    op->regs[form] = binding->reg;
}

void ptx_copy_structure(struct ptx_importer *importer, const struct ptx_binding *from,
                        const struct ptx_variable *variable, const struct ptx_binding *to, int32_t offset)
{
    const uint32_t value = new_register(importer, 64);
    uint64_t step = 1;
    for (uint64_t at = 0; at < variable->bytes; at += step) {
        struct ptx_op load, store;
        step = variable->align >= 8 && variable->bytes - at >= 8 ? 8 : 1;
        if (!ptx_begin(importer, &load, step == 8 ? "ldl.u64" : "ldl.u8") ||
            !ptx_begin(importer, &store, step == 8 ? "stl.u64" : "stl.u8"))
            break;
        ptx_op_register(&load, 0, value);
        ptx_put_local(&load, 1, from, (int32_t)at);
        ptx_op_push(&importer->code, &load);
        ptx_put_local(&store, 0, to, offset + (int32_t)at);
        ptx_op_register(&store, 1, value);
        ptx_op_push(&importer->code, &store);
    }
}

/* A structure in memory of its own. */
static struct ptx_binding copy_memory(struct ptx_importer *importer, const struct ptx_binding *from,
                                      const struct ptx_variable *variable)
{
    const struct ptx_binding to = ptx_take_local(importer, variable);
    ptx_copy_structure(importer, from, variable, &to, 0);
    return to;
}

bool ptx_is_overwritten(const struct ptx_operand *actual, const struct ptx_operand *results)
{
    for (uint32_t i = 0; i < results->count; i++) {
        const struct ptx_operand *result = &results->items[i];
        if (result->kind == actual->kind &&
            ((actual->kind == PTX_OPERAND_REGISTER && result->reg == actual->reg) ||
             (actual->kind == PTX_OPERAND_VARIABLE && result->variable == actual->variable)))
            return true;
    }
    return false;
}

struct ptx_binding ptx_param_memory(struct ptx_importer *importer, const struct ptx_operand *actual,
                                    const struct ptx_operand *results)
{
    const struct ptx_binding binding = importer->bindings[actual->variable->number];
    const bool is_local = binding.kind == PTX_BINDING_POINTER ||
                          (binding.kind == PTX_BINDING_ARRAY && binding.base == BASE_LOCAL);
    return is_local && ptx_is_overwritten(actual, results) ? copy_memory(importer, &binding, actual->variable)
                                                           : binding;
}

/* --- slots ---------------------------------------------------------------------------------------------- */

static void push_memory_slot(struct ptx_importer *importer, unsigned slot, uint32_t reg, unsigned bits,
                             bool is_load)
{
    static const struct ptx_variable array = {
        .name = {"arguments", 9}, .space = PTX_SPACE_LOCAL, .type = HX_TYPE_U64, .align = 8};
    struct ptx_op op;
    if (importer->more_slots == 0) {
        importer->slot_array = (uint16_t)importer->local.count;
        if (!LIST_PUSH(importer->code.arena->allocator, &importer->local,
                       ptx_make_array(importer->loading, &array)))
            importer->code.status = HX_NO_MEMORY;
    }
    const uint64_t number = slot - PTX_SLOT_COUNT;
    if (number >= importer->more_slots)
        importer->more_slots = number + 1;
    if (!ptx_begin(importer, &op, "%s.u%u", is_load ? "ldl" : "stl", bits))
        return;
    ptx_op_register(&op, is_load ? 0 : 1, reg);
    ptx_op_array(&op, is_load ? 1 : 0, BASE_LOCAL, importer->slot_array, (int32_t)(8 * number));
    ptx_op_push(&importer->code, &op);
}

static void put_slot(struct ptx_importer *importer, unsigned slot, uint32_t from, unsigned bits)
{
    if (slot < PTX_SLOT_COUNT)
        push_move(importer, ptx_code_fixed(&importer->code, PTX_SLOT_REGISTER + slot), from, bits);
    else
        push_memory_slot(importer, slot, from, bits, false);
}

static void take_slot(struct ptx_importer *importer, unsigned slot, uint32_t to, unsigned bits)
{
    if (slot < PTX_SLOT_COUNT)
        push_move(importer, to, ptx_code_fixed(&importer->code, PTX_SLOT_REGISTER + slot), bits);
    else
        push_memory_slot(importer, slot, to, bits, true);
}

/* --- the caller ----------------------------------------------------------------------------------------- */

static bool is_memory_operand(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VARIABLE && ptx_is_memory(operand->variable);
}

static unsigned operand_bits(const struct ptx_importer *importer, const struct ptx_operand *operand,
                             const struct ptx_variable *formal)
{
    if (formal)
        return bits_of(formal);
    if (operand->kind == PTX_OPERAND_VARIABLE)
        return bits_of(operand->variable);
    if (operand->kind == PTX_OPERAND_REGISTER)
        return type_bits(ptx_type_of_register(importer, operand->reg)) == 64 ? 64 : 32;
    return operand->bits > UINT32_MAX ? 64 : 32;
}

uint32_t ptx_call_value(struct ptx_importer *importer, const struct ptx_operand *operand, unsigned bits)
{
    if (operand->kind == PTX_OPERAND_VARIABLE) {
        const struct ptx_binding *binding = &importer->bindings[operand->variable->number];
        if (binding->kind == PTX_BINDING_REGISTER)
            return binding->reg;
        if (is_memory_operand(operand) &&
            (binding->kind == PTX_BINDING_POINTER || binding->kind == PTX_BINDING_ARRAY))
            return ptx_address_of(importer, binding);
        ptx_lacks(importer, "a parameter of a call is a variable of .param space in the function");
        return 0;
    }
    return ptx_in_register(importer, operand, bits == 64 ? HX_TYPE_U64 : HX_TYPE_U32);
}

uint32_t ptx_call_result(struct ptx_importer *importer, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        return ptx_register_of(importer, operand->reg);
    if (operand->kind == PTX_OPERAND_VARIABLE &&
        importer->bindings[operand->variable->number].kind == PTX_BINDING_REGISTER)
        return importer->bindings[operand->variable->number].reg;
    if (operand->kind != PTX_OPERAND_SINK)
        ptx_lacks(importer, "a result goes to a register or a variable of .param space");
    return ptx_code_register(&importer->code, false, 1);
}

static void note_pointer_call(struct ptx_importer *importer)
{
    const struct ptx_module *module = importer->module;
    const struct ptx_binding text = ptx_constant_text(
        importer->loading, "the function pointer means a function with other parameters than the call");
    if (ptx_pointer_entries(module) > PTX_TABLES_MOST * PTX_TABLE_ENTRIES)
        ptx_lacks(importer, "at most 32640 functions of a module may have their addresses taken where one is "
                            "called by a pointer; call some by their names");
    if (!importer->has_pointers)
        importer->pointer_call = importer->statement;
    importer->has_pointers = true;
    importer->pointer_text = text.symbol;
}

static void push_number_op(struct ptx_importer *importer, const char *mnemonic, uint32_t to, uint32_t from,
                           uint64_t number)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "%s", mnemonic))
        return;
    ptx_op_register(&op, 0, to);
    ptx_op_register(&op, 1, from);
    ptx_op_number(&op, 2, number);
    ptx_op_push(&importer->code, &op);
}

/* Where one table does not have all functions, the first one is of tables: the entry in the second one is in
 * a register that is free until the function begins (units.c). */
static uint32_t table_of_pointer(struct ptx_importer *importer, uint32_t pointer)
{
    if (ptx_pointer_entries(importer->module) <= PTX_ENTRIES_MOST)
        return pointer;
    const uint32_t table = new_register(importer, 32);
    push_number_op(importer, "and.b32", ptx_code_fixed(&importer->code, PTX_FRAME_TAKEN), pointer,
                   PTX_TABLE_ENTRIES - 1);
    push_number_op(importer, "shr.u32", table, pointer, PTX_TABLE_BITS);
    return table;
}

static void push_call(struct ptx_importer *importer, const struct ptx_function *function, uint32_t pointer)
{
    struct ptx_op op;
    const size_t count = importer->units.count;
    size_t unit = 0;
    if (!ptx_begin(importer, &op, function ? "call" : "callx"))
        return;
    importer->code.calls = true;
    if (function) {
        while (unit < count && importer->units.items[unit].function != function)
            unit++;
        if (unit == count && !LIST_PUSH(importer->code.arena->allocator, &importer->units,
                                        ((struct ptx_unit){.function = function})))
            importer->code.status = HX_NO_MEMORY;
        op.instruction.operands[0] =
            (struct operand){.kind = OPERAND_TARGET, .bits = PTX_TARGET_UNIT | (uint32_t)unit};
    } else {
        note_pointer_call(importer);
        ptx_op_register(&op, 0, table_of_pointer(importer, pointer));
        op.instruction.operands[1] = (struct operand){.kind = OPERAND_TARGET, .bits = PTX_TARGET_TABLE};
        ptx_op_number(&op, 2, 1);
    }
    ptx_op_push(&importer->code, &op);
}

/* Making a value uses none of the slots. */
static void pass_values(struct ptx_importer *importer, const struct ptx_function *function,
                        const struct ptx_operand *results, const struct ptx_operand *params)
{
    unsigned slot = 0;
    for (uint32_t i = 0; i < params->count; i++, slot++) {
        const struct ptx_variable *formal = function ? function->params[i] : NULL;
        const unsigned bits = operand_bits(importer, &params->items[i], formal);
        if (is_memory_operand(&params->items[i]) && ptx_is_overwritten(&params->items[i], results)) {
            const struct ptx_binding copy = ptx_param_memory(importer, &params->items[i], results);
            put_slot(importer, slot, ptx_address_of(importer, &copy), bits);
        } else {
            put_slot(importer, slot, ptx_call_value(importer, &params->items[i], bits), bits);
        }
    }
    for (uint32_t i = 0; i < results->count; i++)
        if (is_memory_operand(&results->items[i]))
            put_slot(importer, slot++, ptx_call_value(importer, &results->items[i], 64), 64);
        else if (function && ptx_is_memory(function->results[i]))
            ptx_lacks(importer, "a result that is a structure goes to a variable of .param space");
}

static void take_results(struct ptx_importer *importer, const struct ptx_function *function,
                         const struct ptx_operand *results)
{
    unsigned slot = 0;
    for (uint32_t i = 0; i < results->count; i++) {
        const struct ptx_operand *result = &results->items[i];
        if (!is_memory_operand(result))
            take_slot(importer, slot++, ptx_call_result(importer, result),
                      operand_bits(importer, result, function ? function->results[i] : NULL));
    }
}

/* All functions that such a call may mean, among those whose address is taken. */
static void add_possible_units(struct ptx_importer *importer, const struct ptx_operand *results,
                               const struct ptx_operand *params)
{
    const struct ptx_module *module = importer->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = module->functions[f];
        bool fits = function->pointer && function->has_body && function->param_count == params->count &&
                    function->result_count == results->count;
        for (uint32_t i = 0; fits && i < params->count; i++)
            fits = ptx_is_memory(function->params[i]) == is_memory_operand(&params->items[i]);
        for (uint32_t i = 0; fits && i < results->count; i++)
            fits = results->items[i].kind == PTX_OPERAND_SINK ||
                   ptx_is_memory(function->results[i]) == is_memory_operand(&results->items[i]);
        for (size_t unit = 0; fits && unit < importer->units.count; unit++)
            fits = importer->units.items[unit].function != function;
        if (fits && !LIST_PUSH(importer->code.arena->allocator, &importer->units,
                               ((struct ptx_unit){.function = function})))
            importer->code.status = HX_NO_MEMORY;
    }
}

/* A pointer of 64 bits beyond 2^32 is no function's. */
static uint32_t pointer_index(struct ptx_importer *importer, uint32_t pointer)
{
    struct ptx_op op;
    if (importer->module->address_bits == 32)
        return pointer;
    const uint32_t index = new_register(importer, 32);
    if (!ptx_begin(importer, &op, "cvt.sat.u32.u64"))
        return index;
    ptx_op_register(&op, 0, index);
    ptx_op_register(&op, 1, pointer);
    ptx_op_push(&importer->code, &op);
    return index;
}

static void push_null_check(struct ptx_importer *importer, uint32_t index)
{
    struct ptx_op op;
    const uint32_t predicate = ptx_code_register(&importer->code, true, 1);
    const struct ptx_binding text = ptx_constant_text(importer->loading, "the function pointer is NULL");
    if (!ptx_begin(importer, &op, "setp.ne.u32"))
        return;
    ptx_op_predicate(&op, 0, predicate, false);
    op.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&op, 2, index);
    ptx_op_number(&op, 3, 0);
    ptx_op_push(&importer->code, &op);
    if (!ptx_begin(importer, &op, "assert"))
        return;
    ptx_op_predicate(&op, 0, predicate, false);
    ptx_op_register(&op, 1, ptx_address_of(importer, &text));
    ptx_op_push(&importer->code, &op);
}

void ptx_call_apart(struct ptx_importer *importer, const struct ptx_function *function, uint32_t pointer,
                    const struct ptx_operand *results, const struct ptx_operand *params)
{
    if (!function) {
        add_possible_units(importer, results, params);
        pointer = pointer_index(importer, pointer);
        push_null_check(importer, pointer);
    }
    pass_values(importer, function, results, params);
    push_call(importer, function, pointer);
    take_results(importer, function, results);
}

/* --- the callee ----------------------------------------------------------------------------------------- */

void ptx_store_param(struct ptx_importer *importer, const struct ptx_function *function,
                     const struct ptx_variable *formal)
{
    struct ptx_binding *binding = &importer->bindings[formal->number];
    struct ptx_variable place = *formal;
    const uint32_t value = binding->reg;
    struct ptx_op op;
    if (binding->kind != PTX_BINDING_REGISTER || formal->space == PTX_SPACE_REG ||
        ptx_is_whole(function, formal))
        return;
    place.bytes = place.align = 8;
    *binding = ptx_take_local(importer, &place);
    if (!ptx_begin(importer, &op, "stl.u%u", bits_of(formal)))
        return;
    ptx_put_local(&op, 0, binding, 0);
    ptx_op_register(&op, 1, value);
    ptx_op_push(&importer->code, &op);
}

static void bind_param(struct ptx_importer *importer, const struct ptx_frame *frame,
                       const struct ptx_variable *formal, unsigned slot)
{
    struct ptx_binding *binding = &importer->bindings[formal->number];
    const unsigned bits = bits_of(formal);
    *binding =
        (struct ptx_binding){.kind = ptx_is_memory(formal) ? PTX_BINDING_POINTER : PTX_BINDING_REGISTER};
    binding->reg =
        formal->space == PTX_SPACE_REG ? frame->first_register + formal->reg : new_register(importer, bits);
    take_slot(importer, slot, binding->reg, bits);
    ptx_store_param(importer, frame->function, formal);
}

static void bind_result(struct ptx_importer *importer, const struct ptx_frame *frame,
                        const struct ptx_variable *formal, unsigned *slot)
{
    struct ptx_binding *binding = &importer->bindings[formal->number];
    const bool is_memory = ptx_is_memory(formal);
    *binding = (struct ptx_binding){.kind = is_memory ? PTX_BINDING_POINTER : PTX_BINDING_REGISTER};
    binding->reg = formal->space == PTX_SPACE_REG ? frame->first_register + formal->reg
                                                  : new_register(importer, bits_of(formal));
    if (is_memory)
        take_slot(importer, (*slot)++, binding->reg, 64);
}

void ptx_import_called(struct ptx_importer *importer, const struct ptx_function *function)
{
    struct ptx_frame frame = {.function = function, .carry = PTX_NO_REGISTER};
    unsigned slot = 0;
    importer->code.is_function = true;
    importer->code.frame_bytes = importer->code.frame_align = 8; /* the caller's frame comes first */
    frame.return_label = ptx_new_label(importer);
    if (function->statement_count > 0)
        importer->statement = &function->statements[0];
    frame.first_register = ptx_add_registers(importer, function);
    for (uint32_t i = 0; i < function->param_count; i++)
        bind_param(importer, &frame, function->params[i], slot++);
    for (uint32_t i = 0; i < function->result_count; i++)
        bind_result(importer, &frame, function->results[i], &slot);
    ptx_bind_variables(importer, function);
    ptx_import_body(importer, &frame);
    ptx_place_label(importer, frame.return_label);
    slot = 0;
    for (uint32_t i = 0; i < function->result_count; i++)
        if (!ptx_is_memory(function->results[i]))
            put_slot(importer, slot++, importer->bindings[function->results[i]->number].reg,
                     bits_of(function->results[i]));
    importer->code.frame_bytes =
        (importer->code.frame_bytes + 7) & ~UINT64_C(7); /* spilled registers follow */
}
