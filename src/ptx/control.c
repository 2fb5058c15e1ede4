/* Jumps, calls and the bodies of functions.
 *
 * Takes a function's statements, leaves ops and labels. A call of most functions is inlined: the body of what
 * is called is imported in its place, with registers of its own, and its parameters are those of the call.
 * Which functions are called instead plan.c says. */
#include "ptx/emit.h"
#include "ptx/library.h"

#include <string.h>

uint32_t ptx_new_label(struct ptx_importer *importer)
{
    if (!LIST_PUSH(importer->code.arena->allocator, &importer->code.labels, 0))
        importer->code.status = HX_NO_MEMORY;
    return (uint32_t)importer->code.labels.count - 1;
}

void ptx_place_label(struct ptx_importer *importer, uint32_t label)
{
    if (importer->code.status == HX_OK)
        importer->code.labels.items[label] = (uint32_t)importer->code.ops.count;
}

static bool begin_jump(struct ptx_importer *importer, uint32_t label, struct ptx_op *op)
{
    if (!ptx_begin(importer, op, "bra"))
        return false;
    op->instruction.operands[0] = (struct operand){.kind = OPERAND_TARGET, .bits = label};
    return true;
}

void ptx_import_jump(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_op op;
    if (statement->operand_count != 1 || statement->operands[0].kind != PTX_OPERAND_LABEL)
        ptx_lacks(importer, "a jump goes to a label");
    else if (begin_jump(importer, importer->frame->first_label + statement->operands[0].label, &op))
        ptx_end(importer, &op);
}

/* The table of hexec is a row of jumps behind the instruction. */
void ptx_import_jump_table(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_op op;
    if (statement->operand_count != 2 || statement->operands[1].kind != PTX_OPERAND_TARGETS ||
        statement->guard != PTX_NO_GUARD) {
        ptx_lacks(importer, "a jump through a table needs a list of labels, and takes no guard");
        return;
    }
    const struct ptx_operand *targets = &statement->operands[1];
    const uint32_t label = ptx_new_label(importer);
    if (!ptx_begin(importer, &op, "brx"))
        return;
    ptx_op_register(&op, 0, ptx_in_register(importer, &statement->operands[0], HX_TYPE_U32));
    op.instruction.operands[1] = (struct operand){.kind = OPERAND_TARGET, .bits = label};
    ptx_op_number(&op, 2, targets->count);
    if (targets->count > 255)
        ptx_lacks(importer, "a table of jumps has at most 255 entries");
    ptx_end(importer, &op);
    ptx_place_label(importer, label);
    for (uint32_t i = 0; i < targets->count; i++)
        if (begin_jump(importer, importer->frame->first_label + targets->items[i].label, &op))
            ptx_op_push(&importer->code, &op);
}

void ptx_import_return(struct ptx_importer *importer)
{
    struct ptx_op op;
    const uint32_t label = importer->frame->return_label;
    const bool begun =
        label == PTX_NO_LABEL ? ptx_begin(importer, &op, "exit") : begin_jump(importer, label, &op);
    if (begun)
        ptx_end(importer, &op);
}

/* --- calls ---------------------------------------------------------------------------------------------- */

/* A formal parameter or result in memory is the actual one; one that is a register has one of the callee's.
 */
static void bind_formal(struct ptx_importer *importer, const struct ptx_frame *frame,
                        const struct ptx_variable *formal, const struct ptx_operand *actual)
{
    struct ptx_binding *binding = &importer->bindings[formal->number];
    *binding = (struct ptx_binding){.kind = PTX_BINDING_REGISTER};
    if (formal->space == PTX_SPACE_REG)
        binding->reg = frame->first_register + formal->reg;
    else if (actual->kind == PTX_OPERAND_VARIABLE)
        *binding = importer->bindings[actual->variable->number];
    else if (actual->kind == PTX_OPERAND_SINK)
        binding->reg = ptx_code_register(&importer->code, false, 1);
    else
        binding->reg = ptx_in_register(importer, actual, formal->type);
}

/* A parameter that a result overwrites is copied: the function may read it behind its first result. */
static void pass_param(struct ptx_importer *importer, const struct ptx_frame *frame,
                       const struct ptx_variable *formal, const struct ptx_operand *actual,
                       const struct ptx_operand *results)
{
    struct ptx_binding *binding = &importer->bindings[formal->number];
    bind_formal(importer, frame, formal, actual);
    if (actual->kind == PTX_OPERAND_VARIABLE && ptx_is_memory(formal))
        *binding = ptx_param_memory(importer, actual, results);
    if (binding->kind == PTX_BINDING_REGISTER && formal->space != PTX_SPACE_REG &&
        ptx_is_overwritten(actual, results)) {
        const uint32_t copy = ptx_code_register(&importer->code, false, 1);
        ptx_move(importer, copy, binding->reg, type_bits(formal->type));
        binding->reg = copy;
    }
    if (formal->space == PTX_SPACE_REG)
        ptx_move(importer, binding->reg, ptx_in_register(importer, actual, formal->type),
                 type_bits(formal->type));
    ptx_store_param(importer, frame->function, formal);
}

uint32_t ptx_add_registers(struct ptx_importer *importer, const struct ptx_function *function)
{
    struct ptx_code *code = &importer->code;
    const uint32_t first = (uint32_t)code->registers.count;
    for (uint32_t i = 0; i < function->register_count && code->status == HX_OK; i++) {
        const uint32_t reg = ptx_code_register(code, function->registers[i] == HX_TYPE_PRED, 1);
        if (code->status == HX_OK)
            code->registers.items[reg].bits = (uint8_t)type_bits(function->registers[i]);
    }
    ptx_note_body(importer, function, first);
    return first;
}

static void inline_call(struct ptx_importer *importer, const struct ptx_function *function,
                        const struct ptx_operand *results, const struct ptx_operand *params)
{
    const struct ptx_statement *call = importer->statement;
    struct ptx_frame frame = {
        .function = function, .caller = importer->frame, .call = call, .carry = PTX_NO_REGISTER};
    frame.first_register = ptx_add_registers(importer, function);
    frame.return_label = ptx_new_label(importer);
    for (uint32_t i = 0; i < function->param_count; i++)
        pass_param(importer, &frame, function->params[i], &params->items[i], results);
    for (uint32_t i = 0; i < function->result_count; i++)
        bind_formal(importer, &frame, function->results[i], &results->items[i]);
    ptx_bind_variables(importer, function);
    ptx_import_body(importer, &frame);
    importer->statement = call;
    ptx_place_label(importer, frame.return_label);
    for (uint32_t i = 0; i < function->result_count; i++)
        if (function->results[i]->space == PTX_SPACE_REG && results->items[i].kind == PTX_OPERAND_REGISTER)
            ptx_move(importer, ptx_register_of(importer, results->items[i].reg),
                     importer->bindings[function->results[i]->number].reg,
                     type_bits(function->results[i]->type));
}

/* call (results), function or pointer, (params), targets or prototype. */
static struct ptx_call read_call(const struct ptx_statement *statement)
{
    static const struct ptx_operand none = {.kind = PTX_OPERAND_LIST};
    struct ptx_call call = {&none, NULL, &none};
    for (uint32_t i = 0; i < statement->operand_count; i++) {
        const struct ptx_operand *operand = &statement->operands[i];
        if (operand->kind == PTX_OPERAND_LIST && !call.target)
            call.results = operand;
        else if (operand->kind == PTX_OPERAND_LIST)
            call.params = operand;
        else if (!call.target)
            call.target = operand;
    }
    return call;
}

static void import_called(struct ptx_importer *importer, const struct ptx_function *function,
                          const struct ptx_call *call)
{
    if (function->param_count != call->params->count || function->result_count != call->results->count)
        ptx_lacks(importer, "the call has another number of parameters or results than the function");
    else if (function->is_apart)
        ptx_call_apart(importer, function, PTX_NO_REGISTER, call->results, call->params);
    else
        inline_call(importer, function, call->results, call->params);
}

/* Is it that of the library, and not one of the module with its name? */
static bool is_of_library(const struct ptx_function *function, const char *name)
{
    return slice_equal(function->name, name) && function->place.source &&
           strcmp(function->place.source->name, PTX_LIBRARY_SOURCE) == 0;
}

/* malloc and free of the library, with notes for checkers (check/notes.h) of what they are given and give. */
static void import_heap(struct ptx_importer *importer, const struct ptx_function *function,
                        const struct ptx_call *call)
{
    const bool is_free = is_of_library(function, "free");
    const uint32_t given = call->params->count ? ptx_call_value(importer, &call->params->items[0], 64) : 0;
    const uint32_t kept = ptx_emit_one(importer, "mov.u64", given); /* the result may overwrite it */
    if (is_free)
        ptx_emit_note(importer, 7, ptx_emit_one(importer, "cvt.u32.u64", kept),
                      ptx_emit_one(importer, "cvt.u32.u64", ptx_emit_number(importer, "shr.u64", kept, 32)));
    import_called(importer, function, call);
    if (!is_free && call->results->count)
        ptx_emit_note(
            importer, 8,
            ptx_emit_one(importer, "cvt.u32.u64", ptx_call_value(importer, &call->results->items[0], 64)),
            ptx_emit_one(importer, "cvt.u32.u64", ptx_emit_number(importer, "min.u64", kept, UINT32_MAX)));
}

/* Of the device library, and called by the program: its first parameter is a handle. */
static bool takes_image(const struct ptx_importer *importer, const struct ptx_function *function)
{
    static const char *const begins[] = {"__hx_tex_", "__hx_tld4_", "__hx_surface_"};
    if (!function->is_library || importer->frame->function->is_library || function->param_count == 0)
        return false;
    for (size_t i = 0; i < HX_COUNT_OF(begins); i++)
        if (slice_starts_with(function->name, begins[i]))
            return true;
    return memmem(function->name.at, function->name.length, "ocl_image", 9) != NULL;
}

/* A note for checkers (check/notes.h) of the handle. */
static void note_image(struct ptx_importer *importer, const struct ptx_call *call)
{
    const uint32_t handle = ptx_call_value(importer, &call->params->items[0], 64);
    ptx_emit_note(importer, 26, ptx_emit_one(importer, "cvt.u32.u64", handle),
                  ptx_emit_one(importer, "cvt.u32.u64", ptx_emit_number(importer, "shr.u64", handle, 32)));
}

/* Is it a call that all work-items of a sub-group make together (OpenCL C)? *ret_has_id: a broadcast. */
static bool is_of_sub_group(const struct ptx_importer *importer, const struct ptx_function *function,
                            bool *ret_has_id)
{
    static const char *const whole[] = {"sub_group_barrier", "sub_group_all", "sub_group_any",
                                        "sub_group_broadcast"};
    struct slice rest = function->name, name;
    uint64_t length = 0;
    if (!function->is_library || importer->frame->function->is_library || !slice_starts_with(rest, "_Z"))
        return false;
    for (rest.at += 2, rest.length -= 2; rest.length > 0 && text_is_digit(rest.at[0]) && length < 64;
         rest.at++, rest.length--)
        length = length * 10 + (uint64_t)(rest.at[0] - '0');
    name = (struct slice){rest.at, rest.length < length ? rest.length : length};
    *ret_has_id = slice_equal(name, "sub_group_broadcast");
    for (size_t i = 0; i < HX_COUNT_OF(whole); i++)
        if (slice_equal(name, whole[i]))
            return true;
    return slice_starts_with(name, "sub_group_reduce_") || slice_starts_with(name, "sub_group_scan_");
}

/* Notes for checkers before calls of the device library. */
static void note_call(struct ptx_importer *importer, const struct ptx_function *function,
                      const struct ptx_call *call)
{
    bool has_id = false;
    if (!importer->program->for_checks || call->params->count == 0)
        return;
    if (takes_image(importer, function))
        note_image(importer, call);
    else if (is_of_sub_group(importer, function, &has_id))
        ptx_emit_note(importer, 27,
                      has_id && call->params->count > 1
                          ? ptx_call_value(importer, &call->params->items[1], 32)
                          : PTX_NO_REGISTER,
                      PTX_NO_REGISTER);
}

static void import_target(struct ptx_importer *importer, const struct ptx_call *call)
{
    const struct ptx_function *function =
        call->target->kind == PTX_OPERAND_FUNCTION ? ptx_function_meant(call->target->function) : NULL;
    if (!function)
        ptx_call_apart(importer, NULL, ptx_register_of(importer, call->target->reg), call->results,
                       call->params);
    else if (function->is_kernel &&
             (function->is_apart || !function->has_body)) /* of OpenCL C they are inlined */
        ptx_lacks(importer, "a kernel that is called has a body, does not call itself and is not large; "
                            "declare what is called with .func");
    else if (!function->has_body)
        ptx_call_extern(importer, function, call);
    else if (is_of_library(function, "malloc") || is_of_library(function, "free"))
        import_heap(importer, function, call);
    else {
        note_call(importer, function, call);
        import_called(importer, function, call);
    }
}

/* Threads that the guard keeps from the call jump over all of it. */
void ptx_import_call(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_call call = read_call(statement);
    const uint32_t skip = ptx_new_label(importer);
    struct ptx_op op;
    if (!call.target ||
        (call.target->kind != PTX_OPERAND_FUNCTION && call.target->kind != PTX_OPERAND_REGISTER)) {
        ptx_lacks(importer, "a call is one of a function or of a pointer in a register");
        return;
    }
    if (statement->guard != PTX_NO_GUARD && begin_jump(importer, skip, &op)) {
        op.guard = ptx_register_of(importer, statement->guard);
        op.instruction.guard_negated = !statement->guard_negated;
        ptx_op_push(&importer->code, &op);
    }
    import_target(importer, &call);
    ptx_place_label(importer, skip);
}

/* --- bodies --------------------------------------------------------------------------------------------- */

void ptx_import_body(struct ptx_importer *importer, struct ptx_frame *frame)
{
    const struct ptx_function *function = frame->function;
    struct ptx_frame *caller = importer->frame;
    uint32_t next = 0;
    importer->frame = frame;
    frame->first_label = (uint32_t)importer->code.labels.count;
    for (uint32_t i = 0; i < function->label_count; i++)
        ptx_new_label(importer);
    for (uint32_t i = 0; i <= function->statement_count && importer->code.status == HX_OK; i++) {
        for (; next < function->label_count && function->labels[next].target == i; next++)
            ptx_place_label(importer, frame->first_label + next);
        if (i < function->statement_count)
            ptx_import_statement(importer, &function->statements[i]);
    }
    importer->frame = caller;
}
