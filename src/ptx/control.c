/* Jumps, calls and the bodies of functions.
 *
 * Takes a function's statements, leaves ops and labels. A call is inlined: the body of what is called is
 * imported in its place, with registers of its own, and its parameters are those of the call. */
#include "ptx/importer.h"

static uint32_t new_label(struct ptx_importer *importer)
{
    if (!LIST_PUSH(importer->code.arena->allocator, &importer->code.labels, 0))
        importer->code.status = HX_NO_MEMORY;
    return (uint32_t)importer->code.labels.count - 1;
}

static void place_label(struct ptx_importer *importer, uint32_t label)
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
    const uint32_t label = new_label(importer);
    if (!ptx_begin(importer, &op, "brx"))
        return;
    ptx_op_register(&op, 0, ptx_in_register(importer, &statement->operands[0], HX_TYPE_U32));
    op.instruction.operands[1] = (struct operand){.kind = OPERAND_TARGET, .bits = label};
    ptx_op_number(&op, 2, targets->count);
    if (targets->count > 255)
        ptx_lacks(importer, "a table of jumps has at most 255 entries");
    ptx_end(importer, &op);
    place_label(importer, label);
    for (uint32_t i = 0; i < targets->count; i++)
        if (begin_jump(importer, importer->frame->first_label + targets->items[i].label, &op))
            ptx_op_push(&importer->code, &op);
}

void ptx_import_return(struct ptx_importer *importer)
{
    struct ptx_op op;
    const bool begun = importer->frame->caller ? begin_jump(importer, importer->frame->return_label, &op)
                                               : ptx_begin(importer, &op, "exit");
    if (begun)
        ptx_end(importer, &op);
}

/* --- calls ---------------------------------------------------------------------------------------------- */

static bool is_open(const struct ptx_importer *importer, const struct ptx_function *function)
{
    for (const struct ptx_frame *frame = importer->frame; frame; frame = frame->caller)
        if (frame->function == function)
            return true;
    return false;
}

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

static void pass_param(struct ptx_importer *importer, const struct ptx_frame *frame,
                       const struct ptx_variable *formal, const struct ptx_operand *actual)
{
    bind_formal(importer, frame, formal, actual);
    if (formal->space == PTX_SPACE_REG)
        ptx_move(importer, importer->bindings[formal->number].reg,
                 ptx_in_register(importer, actual, formal->type), type_bits(formal->type));
}

static uint32_t add_registers(struct ptx_importer *importer, const struct ptx_function *function)
{
    const uint32_t first = (uint32_t)importer->code.registers.count;
    for (uint32_t i = 0; i < function->register_count && importer->code.status == HX_OK; i++)
        ptx_code_register(&importer->code, function->registers[i] == HX_TYPE_PRED, 1);
    return first;
}

static void inline_call(struct ptx_importer *importer, const struct ptx_function *function,
                        const struct ptx_operand *results, const struct ptx_operand *params)
{
    const struct ptx_statement *call = importer->statement;
    struct ptx_frame frame = {.function = function, .caller = importer->frame, .carry = PTX_NO_REGISTER};
    const uint32_t skip = new_label(importer);
    struct ptx_op op;
    frame.first_register = add_registers(importer, function);
    frame.return_label = new_label(importer);
    if (call->guard != PTX_NO_GUARD && begin_jump(importer, skip, &op)) {
        op.guard = ptx_register_of(importer, call->guard);
        op.instruction.guard_negated = !call->guard_negated;
        ptx_op_push(&importer->code, &op);
    }
    for (uint32_t i = 0; i < function->param_count; i++)
        pass_param(importer, &frame, function->params[i], &params->items[i]);
    for (uint32_t i = 0; i < function->result_count; i++)
        bind_formal(importer, &frame, function->results[i], &results->items[i]);
    ptx_bind_variables(importer, function);
    ptx_import_body(importer, &frame);
    importer->statement = call;
    place_label(importer, frame.return_label);
    for (uint32_t i = 0; i < function->result_count; i++)
        if (function->results[i]->space == PTX_SPACE_REG && results->items[i].kind == PTX_OPERAND_REGISTER)
            ptx_move(importer, ptx_register_of(importer, results->items[i].reg),
                     importer->bindings[function->results[i]->number].reg,
                     type_bits(function->results[i]->type));
    place_label(importer, skip);
}

void ptx_import_call(struct ptx_importer *importer)
{
    static const struct ptx_operand none = {.kind = PTX_OPERAND_LIST};
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_operand *results = &none, *params = &none, *function = NULL;
    for (uint32_t i = 0; i < statement->operand_count; i++) {
        const struct ptx_operand *operand = &statement->operands[i];
        if (operand->kind == PTX_OPERAND_FUNCTION)
            function = operand;
        else if (operand->kind == PTX_OPERAND_LIST && !function)
            results = operand;
        else if (operand->kind == PTX_OPERAND_LIST)
            params = operand;
    }
    if (!function)
        ptx_lacks(importer, "calls of function pointers are not available");
    else if (!function->function->has_body)
        ptx_lacks(importer, "the function is not in this module");
    else if (is_open(importer, function->function))
        ptx_lacks(importer, "recursive calls are not available");
    else if (function->function->param_count != params->count ||
             function->function->result_count != results->count)
        ptx_lacks(importer, "the call has another number of parameters or results than the function");
    else
        inline_call(importer, function->function, results, params);
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
        new_label(importer);
    for (uint32_t i = 0; i <= function->statement_count && importer->code.status == HX_OK; i++) {
        for (; next < function->label_count && function->labels[next].target == i; next++)
            place_label(importer, frame->first_label + next);
        if (i < function->statement_count)
            ptx_import_statement(importer, &function->statements[i]);
    }
    importer->frame = caller;
}
