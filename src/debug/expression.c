/* The value of an expression of the debugger for a thread.
 *
 * Takes a tree (parse.c) and a thread, leaves a value with its type. Operators do what C's do (value.c). A
 * register has the type at which it was written last. Names of the source go before those of hexec; `$r3` is
 * the register in any case. */
#include "debug/expression.h"
#include "debug/written.h"
#include "device/window.h"
#include "program/parts.h"

void eval_fail(struct evaluation *evaluation, const char *format, ...)
{
    va_list arguments;
    if (evaluation->failed)
        return;
    evaluation->failed = true;
    va_start(arguments, format);
    text_format(evaluation->wrong, evaluation->room, format, arguments);
    va_end(arguments);
}

const struct stand *eval_stand(struct evaluation *evaluation)
{
    if (!evaluation->has_stand && !evaluation->has_no_stand) {
        evaluation->has_stand = stand_find(evaluation->asker, &evaluation->stand);
        evaluation->has_no_stand = !evaluation->has_stand;
    }
    return evaluation->has_stand ? &evaluation->stand : NULL;
}

static struct value evaluate(struct evaluation *evaluation, uint32_t number);

static struct node *node_at(const struct evaluation *evaluation, uint32_t number)
{
    return &evaluation->expression->nodes.items[number];
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static struct value evaluate_reading(struct evaluation *evaluation, uint32_t number, int wanted)
{
    const int reads = (int)evaluation->reads;
    evaluation->reads = wanted;
    const struct value value = evaluate(evaluation, number);
    evaluation->reads = reads;
    return value;
}

/* A value of its own, as an index is. */
static struct value evaluate_all(struct evaluation *evaluation, uint32_t number)
{
    return evaluate_reading(evaluation, number, READS_ALL);
}

/* What a place is below: where only the place is wanted pointers are read nevertheless. */
static struct value evaluate_below(struct evaluation *evaluation, uint32_t number)
{
    return evaluate_reading(evaluation, number, evaluation->reads == READS_ALL ? READS_ALL : READS_NUMBERS);
}

/* Only where it is, and its type. */
static struct value evaluate_place(struct evaluation *evaluation, uint32_t number)
{
    return evaluate_reading(evaluation, number, READS_NOTHING);
}

void eval_read_memory(struct evaluation *evaluation, struct value *value)
{
    const unsigned bytes = type_bytes(value->type);
    value->has_address = true;
    value->bits = 0;
    if (evaluation->is_check)
        return;
    const char *host = state_memory(evaluation->asker->engine, evaluation->asker->block,
                                    evaluation->asker->thread, value->space, value->address, bytes);
    if (!host) {
        eval_fail(evaluation, "there are no %u bytes at 0x%llx", bytes, (unsigned long long)value->address);
        return;
    }
    memcpy(&value->bits, host, bytes);
    value->bits = value_extend(value->bits, value->type);
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static struct value name_value(struct evaluation *evaluation, struct node *node)
{
    struct value value = {.type = HX_TYPE_I64};
    if (!evaluation->asker->has_own_names && eval_source_name(evaluation, node, &value))
        return value;
    if (eval_register(evaluation, node->name, &value) || evaluation->failed)
        return value;
    if (eval_written(evaluation, node->name, &value))
        return value;
    value = eval_named(evaluation, node->name);
    if (evaluation->failed && variable_is_known(&evaluation->asker->engine->dwarf, node->name)) {
        evaluation->failed = false;
        eval_fail(evaluation, "'" SLICE_FORMAT "' " WRONG_ELSEWHERE, SLICE_ARGS(node->name));
    }
    return value;
}

/* $pc: the number of the instruction that the thread does next; in a call that called another one the call.
 */
static struct value next_instruction(struct evaluation *evaluation)
{
    const struct stand *stand = evaluation->is_check ? NULL : eval_stand(evaluation);
    if (!stand && !evaluation->is_check)
        eval_fail(evaluation, "thread %u is not there", evaluation->asker->thread);
    return value_integer(stand ? stand->instruction : 0, true);
}

/* $y, $r3: names of hexec. */
static struct value own_value(struct evaluation *evaluation, struct slice name)
{
    struct value value = {.type = HX_TYPE_I64};
    if (eval_register(evaluation, name, &value))
        return value;
    if (slice_equal(name, "pc"))
        return next_instruction(evaluation);
    if (name.length == 0 || text_is_digit(name.at[0])) {
        eval_fail(evaluation,
                  "values that were printed are not kept: $r3 is a register, $y the address of a buffer");
        return value;
    }
    value = eval_named(evaluation, name);
    return value.has_address ? value_integer(value.address, true) : value;
}

static struct value dereferenced(struct evaluation *evaluation, const struct node *node)
{
    const struct value address = evaluate_below(evaluation, node->a);
    struct value value = {.type = node->type, .space = SPACE_GENERIC, .count = 1};
    if (evaluation->failed || (node->type == HX_TYPE_NONE && eval_has_elements(evaluation, &address)))
        return evaluation->failed ? address : eval_target(evaluation, &address);
    if (address.type == HX_TYPE_NONE && !address.is_unknown)
        eval_fail(evaluation, "'*' wants an address");
    value.type = node->type == HX_TYPE_NONE ? HX_TYPE_U32 : node->type;
    value.address = address.bits;
    if (!evaluation->failed)
        eval_read_memory(evaluation, &value);
    if (!evaluation->failed && value.space == SPACE_GENERIC)
        value.space = window_resolve(&value.address);
    return value;
}

/* As a generic address, which a pointer of the source is; of what is not the source's, that of its space. */
static struct value address_of(struct evaluation *evaluation, const struct node *node)
{
    const struct value value = evaluate_place(evaluation, node->a);
    if (!value.has_address || value.space == DEBUG_SPACE_MADE)
        eval_fail(evaluation, "what stands behind '&' has no address");
    else if (value.range.count)
        eval_fail(evaluation, "a bit-field has no address");
    if (evaluation->failed || !value.declared)
        return value_integer(value.address, true);
    return eval_address(evaluation, &value);
}

/* What stands there is not evaluated in C, and here as far as its type needs it. */
static struct value size_of(struct evaluation *evaluation, const struct node *node)
{
    const struct value value = evaluate_place(evaluation, node->a);
    if (value.range.count)
        eval_fail(evaluation, "a bit-field has no size");
    const uint64_t bytes = evaluation->failed || evaluation->is_check ? 1
                           : value.declared ? value_bytes(evaluation->asker->engine, &value)
                           : value.triple   ? 3 * type_bytes(HX_TYPE_U32)
                                            : (value.count ? value.count : 1) * type_bytes(value.type);
    return value_integer(bytes, true);
}

static struct value cast(struct evaluation *evaluation, const struct node *node)
{
    const struct value value = evaluate(evaluation, node->a);
    if (evaluation->failed)
        return value;
    if (!node->declared)
        return value_converted(&value, node->type);
    return evaluation->is_check ? eval_unknown() : eval_converted(evaluation, &value, node->declared - 1);
}

/* (float4) (1, v.xyz) */
static struct value made_vector(struct evaluation *evaluation, const struct node *node)
{
    struct value items[VECTOR_LANES_MOST];
    size_t count = 0;
    for (uint32_t list = node->a; list != NO_NODE && count < VECTOR_LANES_MOST && !evaluation->failed;
         list = node_at(evaluation, list)->b)
        items[count++] = evaluate(evaluation, node_at(evaluation, list)->a);
    if (evaluation->failed || evaluation->is_check)
        return eval_unknown();
    return eval_made_vector(evaluation, node->declared - 1, items, count);
}

/* -a, +a, !a, ~a */
static struct value of_one(struct evaluation *evaluation, const struct node *node)
{
    const char *wrong = NULL,
               letter = node->kind == NODE_SIGN ? node->operator[0] : node->kind == NODE_NOT ? '!' : '~';
    const struct value value = evaluate(evaluation, node->a);
    if (evaluation->failed || value.is_unknown)
        return value;
    if (eval_is_vector(evaluation, &value) && !evaluation->is_check)
        return eval_vector(evaluation, letter, &value);
    if (value.type == HX_TYPE_NONE) {
        eval_fail(evaluation, "'%c' wants a number, not a structure or array", letter);
        return value;
    }
    const struct value result = value_of_one(letter, &value, &wrong);
    if (wrong && !evaluation->is_check)
        eval_fail(evaluation, wrong, (char[]){letter, 0});
    return result;
}

/* a[b]: of the source, or of an array or buffer of hexec. */
static struct value element(struct evaluation *evaluation, const struct node *node)
{
    struct value value = evaluate_below(evaluation, node->a);
    const struct value index = evaluation->failed ? value : evaluate_all(evaluation, node->b);
    const struct array *array = value.array;
    if (evaluation->failed || eval_has_elements(evaluation, &value))
        return evaluation->failed ? value : eval_element(evaluation, &value, &index);
    if (!array) {
        eval_fail(evaluation, "'[' wants an array or a pointer before it");
        return value;
    }
    if (!evaluation->is_check &&
        (type_is_float(index.type) || index.type == HX_TYPE_NONE || index.bits >= value.count))
        eval_fail(evaluation, "'%s%s' has the elements 0 to %llu", state_name_prefix(array), array->name,
                  (unsigned long long)(value.count ? value.count - 1 : 0));
    value.address += index.bits * type_bytes(array->type);
    value.count = 1;
    value.array = NULL;
    if (!evaluation->failed)
        eval_read_memory(evaluation, &value);
    return value;
}

/* The bits of a value as those of another type. */
static struct value as_type(struct evaluation *evaluation, struct value value, struct slice name)
{
    const enum hx_type type = debug_type(name);
    if (type == HX_TYPE_NONE)
        eval_fail(evaluation, "'" SLICE_FORMAT "' is not a type", SLICE_ARGS(name));
    value.type = type;
    value.declared = 0;
    value.array = NULL;
    value.range.count = 0;
    value.is_unwritten = false;
    if (value.has_address && !evaluation->failed)
        eval_read_memory(evaluation, &value);
    value.bits = evaluation->failed ? 0 : value_extend(value.bits, type);
    return value;
}

static struct value dotted(struct evaluation *evaluation, const struct node *node)
{
    struct value value = evaluate_below(evaluation, node->a);
    if (node->kind == NODE_ARROW && !evaluation->failed) {
        const int reads = (int)evaluation->reads;
        evaluation->reads = reads == READS_ALL ? READS_ALL : READS_NUMBERS;
        if (!eval_has_elements(evaluation, &value))
            eval_fail(evaluation, "'->' wants a pointer before it");
        else
            value = eval_target(evaluation, &value);
        evaluation->reads = reads;
    }
    if (evaluation->failed)
        return value;
    if (value.triple)
        return eval_coordinate(evaluation, &value, node->name);
    return node->kind == NODE_ARROW || eval_has_members(evaluation, &value)
               ? eval_member(evaluation, &value, node->name)
               : as_type(evaluation, value, node->name);
}

/* ---- Operators between two ----------------------------------------------------------------------------- */

/* What C does not evaluate is only checked. */
static struct value operand(struct evaluation *evaluation, uint32_t number, bool is_evaluated)
{
    const bool kept = evaluation->is_check;
    evaluation->is_check |= !is_evaluated;
    const struct value value = evaluate(evaluation, number);
    evaluation->is_check = kept;
    return value;
}

static struct value combined(struct evaluation *evaluation, const struct node *node)
{
    const char *operator= node->operator, * wrong = NULL;
    const struct value a = evaluate(evaluation, node->a);
    const bool is_logical = !strcmp(operator, "||") || !strcmp(operator, "&&");
    const bool is_decided =
        is_logical && !a.is_unknown && a.type != HX_TYPE_NONE && value_is_true(&a) == (operator[0] == '|');
    const struct value b = evaluation->failed ? a : operand(evaluation, node->b, !is_decided);
    if (is_decided && !evaluation->failed) /* whatever b is, which was not evaluated */
        return (struct value){.type = HX_TYPE_I32, .bits = operator[0] == '|' };
    struct value value = {.type = HX_TYPE_I32, .is_unknown = a.is_unknown || b.is_unknown};
    if (evaluation->failed || value.is_unknown)
        return operator[0] == '@' ? eval_unknown() : value;
    if (operator[0] == '@')
        return eval_repeated(evaluation, &a, &b);
    if (eval_moves_pointer(evaluation, operator, & a, &b, &value))
        return value;
    if (!evaluation->is_check && (eval_is_vector(evaluation, &a) || eval_is_vector(evaluation, &b)))
        return eval_vectors(evaluation, operator, & a, &b);
    if (a.type == HX_TYPE_NONE || b.type == HX_TYPE_NONE)
        eval_fail(evaluation, "'%s' wants numbers, not a structure or array", operator);
    else
        value = value_combined(operator, & a, &b, &wrong);
    if (wrong && !evaluation->is_check)
        eval_fail(evaluation, wrong, operator);
    return value;
}

/* What ?: does not choose: only its type counts, which its value has. Where it has none, as p->x of a null
 * pointer, it is only checked. */
static struct value not_chosen(struct evaluation *evaluation, uint32_t number)
{
    struct evaluation attempt = *evaluation;
    char wrong[160];
    attempt.wrong = wrong;
    attempt.room = sizeof wrong;
    if (!evaluation->is_check) {
        const struct value value = evaluate(&attempt, number);
        if (!attempt.failed)
            return value;
    }
    return operand(evaluation, number, false);
}

static struct value chosen(struct evaluation *evaluation, const struct node *node)
{
    const struct value condition = evaluate_all(evaluation, node->a);
    const bool is_first = value_is_true(&condition);
    if (!evaluation->is_check && condition.type == HX_TYPE_NONE)
        eval_fail(evaluation, "'?' wants a number before it");
    const uint32_t number = is_first ? node->b : node->c, other_number = is_first ? node->c : node->b;
    const struct value value = evaluation->failed ? condition : evaluate(evaluation, number);
    const struct value other = evaluation->failed ? condition : not_chosen(evaluation, other_number);
    if (evaluation->failed || value.is_unknown || other.is_unknown ||
        eval_keeps_type(evaluation, &value, &other))
        return value;
    return value_common(&value, &other);
}

static struct value work_item(struct evaluation *evaluation, const struct node *node)
{
    const struct value dimension =
        node->a == NO_NODE ? value_integer(0, false) : evaluate(evaluation, node->a);
    return eval_work_item(evaluation, node->special, &dimension);
}

static struct value evaluate(struct evaluation *evaluation, uint32_t number)
{
    struct node *node = node_at(evaluation, number);
    switch (node->kind) {
    case NODE_NUMBER:
        return node->value;
    case NODE_NAME:
        return name_value(evaluation, node);
    case NODE_OWN:
        return own_value(evaluation, node->name);
    case NODE_SPECIAL:
        return eval_special(evaluation, node);
    case NODE_SIGN:
    case NODE_NOT:
    case NODE_COMPLEMENT:
        return of_one(evaluation, node);
    case NODE_DEREFERENCE:
        return dereferenced(evaluation, node);
    case NODE_ADDRESS:
        return address_of(evaluation, node);
    case NODE_SIZE:
        return size_of(evaluation, node);
    case NODE_CAST:
        return cast(evaluation, node);
    case NODE_VECTOR:
        return made_vector(evaluation, node);
    case NODE_LIST: /* of one of these */
        break;
    case NODE_ELEMENT:
        return element(evaluation, node);
    case NODE_ARROW:
    case NODE_DOT:
        return dotted(evaluation, node);
    case NODE_WORK_ITEM:
        return work_item(evaluation, node);
    case NODE_BINARY:
        return combined(evaluation, node);
    case NODE_CHOICE:
        return chosen(evaluation, node);
    }
    return (struct value){0};
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

hx_status expression_evaluate(struct expression_tree *expression, const struct asker *asker,
                              struct value *ret_value, char *ret_wrong, size_t room)
{
    const struct engine *engine = asker->engine;
    struct evaluation evaluation = {
        .asker = asker, .expression = expression, .wrong = ret_wrong, .room = room};
    const bool has_run = engine->kernel || engine->state == RUN_ENDED;
    const struct value value = evaluate(&evaluation, expression->root);
    /* before the program begins numbers alone have a value */
    if (!has_run && (engine->state != RUN_NONE || evaluation.failed || value.has_address)) {
        evaluation.failed = false;
        eval_fail(&evaluation, engine->state == RUN_NONE ? "the program has not begun: run it first"
                                                         : "no kernel is running");
    }
    if (evaluation.failed)
        return HX_INVALID;
    *ret_value = value;
    ret_value->has_address &= value.space != DEBUG_SPACE_MADE; /* of the program's memory */
    return HX_OK;
}

hx_status expression_value(const struct asker *asker, struct slice text, struct value *ret_value,
                           char *ret_wrong, size_t room)
{
    struct expression_tree *expression = expression_new(asker->engine, text, ret_wrong, room);
    const hx_status status =
        expression ? expression_evaluate(expression, asker, ret_value, ret_wrong, room) : HX_INVALID;
    expression_free(expression);
    return status;
}

hx_status expression_check(const struct engine *engine, struct slice text, char *ret_wrong, size_t room)
{
    const struct asker asker = {.engine = engine};
    struct expression_tree *expression = expression_new(engine, text, ret_wrong, room);
    struct evaluation evaluation = {
        .asker = &asker, .expression = expression, .wrong = ret_wrong, .room = room, .is_check = true};
    if (expression)
        (void)evaluate(&evaluation, expression->root);
    expression_free(expression);
    return expression && !evaluation.failed ? HX_OK : HX_INVALID;
}
