/* What names in an expression of the debugger lead to that are hexec's: buffers, arrays, parameters,
 * registers.
 *
 * Takes a name and a thread, leaves a value; expression.c tries names of the source first. */
#include "debug/expression.h"
#include "debug/written.h"
#include "program/parts.h"

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
    eval_read_memory(evaluation, &value);
    return value;
}

struct value eval_named(struct evaluation *evaluation, struct slice name)
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
bool eval_written(struct evaluation *evaluation, struct slice name, struct value *ret_value)
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

struct value eval_special(struct evaluation *evaluation, const struct node *node)
{
    const struct slice name = node->name;
    const int number = node->special;
    const struct asker *asker = evaluation->asker;
    struct value value = {0};
    /* the tree has the text, with the sign before the name */
    if (number < 0 && eval_written(evaluation, (struct slice){name.at - 1, name.length + 1}, &value))
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
bool eval_register(struct evaluation *evaluation, struct slice name, struct value *ret_value)
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
