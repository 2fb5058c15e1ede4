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

static void read_memory(struct evaluation *evaluation, struct value *value)
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

static const struct array *find_array(const struct array_list *list, struct slice name, size_t *ret_index)
{
    for (*ret_index = 0; *ret_index < list->count; ++*ret_index)
        if (slice_equal(name, list->items[*ret_index].name))
            return &list->items[*ret_index];
    return NULL;
}

/* "y", or "arg3" for the buffer that `--arg` has made for argument 3. */
static const struct array *find_buffer(const struct array_list *buffers, struct slice name, size_t *ret_index)
{
    const struct array *found = find_array(buffers, name, ret_index);
    if (!found && slice_starts_with(name, "arg")) {
        found = find_array(buffers, (struct slice){name.at + 3, name.length - 3}, ret_index);
        if (found && !state_name_prefix(found)[0])
            found = NULL;
    }
    return found;
}

/* An array of the kernel that runs; of any, where only the grammar is checked. */
static const struct array *find_kernel_array(const struct evaluation *evaluation, struct slice name,
                                             enum hx_space space)
{
    const hx_program *program = hx_context_program(evaluation->asker->engine->context);
    const struct kernel *running = evaluation->asker->engine->kernel;
    const struct array *array = NULL;
    size_t index;
    for (size_t k = 0; k < program->kernel_count && !array; k++) {
        const struct kernel *kernel = &program->kernels[k];
        if (kernel == running || (evaluation->is_check && !running))
            array = find_array(space == SPACE_SHARED ? &kernel->shared : &kernel->local, name, &index);
    }
    return array;
}

/* An array or buffer: all of its elements; as a number it is the first. */
static struct value array_value(struct evaluation *evaluation, const struct array *array, int space,
                                uint64_t address)
{
    struct value value = {.type = array->type,
                          .space = space,
                          .address = address,
                          .count = state_array_count(evaluation->asker->engine, array),
                          .array = array};
    if (array->is_dynamic && eval_dynamic(evaluation, array, &value))
        return value;
    read_memory(evaluation, &value);
    return value;
}

static struct value named(struct evaluation *evaluation, struct slice name)
{
    const struct engine *engine = evaluation->asker->engine;
    const hx_program *program = hx_context_program(engine->context);
    const struct launch *launch = state_launch(engine);
    const struct array *array;
    size_t index, count;
    hx_buffer *const *buffers = context_buffers(engine->context, &count);
    if ((array = find_kernel_array(evaluation, name, SPACE_SHARED)))
        return array_value(evaluation, array, SPACE_SHARED, array->offset);
    if ((array = find_kernel_array(evaluation, name, SPACE_LOCAL)))
        return array_value(evaluation, array, SPACE_LOCAL, array->offset);
    if ((array = find_array(&program->constants, name, &index)))
        return array_value(evaluation, array, SPACE_CONSTANT, array->offset);
    if ((array = find_buffer(&program->buffers, name, &index)) && (index < count || evaluation->is_check))
        return array_value(evaluation, array, SPACE_GLOBAL,
                           index < count ? hx_buffer_address(buffers[index]) : 0);
    for (size_t i = 0; (launch || evaluation->is_check) && i < program->param_count; i++)
        if (slice_equal(name, program->params[i].name))
            return (struct value){
                .type = program->params[i].type,
                .bits = launch ? value_extend(launch->parameters[i], program->params[i].type) : 0};
    if (slice_equal(name, "nullptr") || slice_equal(name, "NULL"))
        return eval_null(evaluation);
    if (slice_equal(name, "true") || slice_equal(name, "false"))
        return (struct value){.type = HX_TYPE_PRED, .bits = slice_equal(name, "true")};
    eval_fail(evaluation, "there is no register, parameter, buffer or array '" SLICE_FORMAT "'",
              SLICE_ARGS(name));
    return (struct value){0};
}

static void fail_for_block(struct evaluation *evaluation)
{
    eval_fail(evaluation, evaluation->asker->engine->state == RUN_ENDED
                              ? "the program has ended: only its buffers are left"
                              : "the block in focus is not running");
}

/* A register or predicate by its number. */
static void read_member(struct evaluation *evaluation, uint32_t at, struct slice name,
                        struct value *ret_value)
{
    const struct asker *asker = evaluation->asker;
    ret_value->member = at + 1;
    if (!asker->block)
        fail_for_block(evaluation);
    else if (!state_member(asker->engine, asker->block, asker->thread, at, &ret_value->bits,
                           &ret_value->type))
        ret_value->is_unwritten = true;
    if (ret_value->is_unwritten && !asker->takes_unwritten)
        eval_fail(evaluation, "thread %u has written nothing to " SLICE_FORMAT, asker->thread,
                  SLICE_ARGS(name));
    ret_value->bits = value_extend(ret_value->bits, ret_value->type);
}

/* A register of a file of PTX; false when there is none of the name. Its value has the declared type. */
static bool written(struct evaluation *evaluation, struct slice name, struct value *ret_value)
{
    const struct asker *asker = evaluation->asker;
    const struct debug_register *reg = written_find(asker, name);
    if (!reg && !written_is_known(hx_context_program(asker->engine->context), name))
        return false;
    if (evaluation->is_check) {
        *ret_value = eval_unknown();
        return true;
    }
    if (!reg && !asker->block)
        fail_for_block(evaluation);
    else if (!reg)
        eval_fail(evaluation,
                  asker->level > 0 ? "the registers of calls further out are not kept: '" SLICE_FORMAT "'"
                                   : "no register has '" SLICE_FORMAT
                                     "' here: it is not written yet, not used any more, or kept in memory",
                  SLICE_ARGS(name));
    else
        read_member(evaluation, written_member(reg), name, ret_value);
    if (reg && reg->type != HX_TYPE_NONE && type_bits(ret_value->type) == reg->bits && !evaluation->failed) {
        ret_value->type = reg->type;
        ret_value->bits = value_extend(ret_value->bits, reg->type);
    }
    return true;
}

static struct value special(struct evaluation *evaluation, const struct node *node)
{
    const struct slice name = node->name;
    const int number = node->special;
    const struct asker *asker = evaluation->asker;
    struct value value = {0};
    /* the tree has the text, with the sign before the name */
    if (number < 0 && written(evaluation, (struct slice){name.at - 1, name.length + 1}, &value))
        return value;
    if (number < 0 || special_is_clock((enum special_register)number))
        eval_fail(evaluation,
                  number < 0 ? "there is no special register '%%" SLICE_FORMAT "'"
                             : "'%%" SLICE_FORMAT
                               "' is a clock, and has no value while the program is stopped",
                  SLICE_ARGS(name));
    else if (!asker->block && !evaluation->is_check)
        fail_for_block(evaluation);
    if (evaluation->failed || evaluation->is_check)
        return (struct value){.type = HX_TYPE_U32};
    return (struct value){
        .type = special_type((enum special_register)number),
        .bits = block_special(asker->block->block, (enum special_register)number, asker->thread)};
}

/* r3, p0: false when the name is none. */
static bool member(struct evaluation *evaluation, struct slice name, struct value *ret_value)
{
    uint8_t number;
    const bool is_register = register_read(name, 'r', REGISTER_COUNT, &number);
    if (!is_register && !register_read(name, 'p', PREDICATE_COUNT, &number))
        return false;
    if (evaluation->is_check) {
        *ret_value = (struct value){.type = is_register ? HX_TYPE_U32 : HX_TYPE_PRED};
        return true;
    }
    read_member(evaluation, number + (is_register ? 0u : REGISTER_COUNT), name, ret_value);
    return true;
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static struct value name_value(struct evaluation *evaluation, struct node *node)
{
    struct value value = {.type = HX_TYPE_I64};
    if (!evaluation->asker->has_own_names && eval_source_name(evaluation, node, &value))
        return value;
    if (member(evaluation, node->name, &value) || evaluation->failed)
        return value;
    if (written(evaluation, node->name, &value))
        return value;
    value = named(evaluation, node->name);
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
    if (member(evaluation, name, &value))
        return value;
    if (slice_equal(name, "pc"))
        return next_instruction(evaluation);
    if (name.length == 0 || text_is_digit(name.at[0])) {
        eval_fail(evaluation,
                  "values that were printed are not kept: $r3 is a register, $y the address of a buffer");
        return value;
    }
    value = named(evaluation, name);
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
        read_memory(evaluation, &value);
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
        read_memory(evaluation, &value);
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
        read_memory(evaluation, &value);
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
        return special(evaluation, node);
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
