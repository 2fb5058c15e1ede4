/* OpenCL C's functions of work-items: get_global_id(0) and others.
 *
 * Takes a name and a dimension, leaves what the function gives the thread (OpenCL C, 6.15.1). A dimension
 * that there is not gives 0 of an index, and 1 of a size. */
#include "debug/expression.h"

enum parts {
    OF_THREAD = 1,
    OF_BLOCK,
    OF_BLOCK_SIZE,
    OF_GRID_SIZE,
    OF_ALL,
    OF_ALL_SIZE,
    OF_NOTHING,
    OF_LINEAR
};

static const struct work_item {
    const char *name;
    enum parts parts; /* the first four are those of threadIdx, blockIdx, blockDim and gridDim */
    bool is_size, has_dimension;
} functions[] = {
    {"get_global_id", OF_ALL, false, true},          {"get_global_size", OF_ALL_SIZE, true, true},
    {"get_global_offset", OF_NOTHING, false, true},  {"get_local_id", OF_THREAD, false, true},
    {"get_local_size", OF_BLOCK_SIZE, true, true},   {"get_enqueued_local_size", OF_BLOCK_SIZE, true, true},
    {"get_group_id", OF_BLOCK, false, true},         {"get_num_groups", OF_GRID_SIZE, true, true},
    {"get_local_linear_id", OF_LINEAR, false, false}};

int work_item_find(struct slice name, bool *ret_has_dimension)
{
    for (size_t i = 0; i < HX_COUNT_OF(functions); i++)
        if (slice_equal(name, functions[i].name)) {
            *ret_has_dimension = functions[i].has_dimension;
            return (int)i;
        }
    return -1;
}

static uint64_t part(struct evaluation *evaluation, enum parts parts, char letter)
{
    const struct value triple = {.triple = (uint8_t)parts};
    return eval_coordinate(evaluation, &triple, (struct slice){&letter, 1}).bits;
}

struct value eval_work_item(struct evaluation *evaluation, int number, const struct value *dimension)
{
    const struct work_item *function = &functions[number];
    uint64_t value = function->is_size;
    if (evaluation->is_check || evaluation->failed)
        return value_integer(0, true);
    if (!evaluation->asker->block)
        eval_fail(evaluation, "the block in focus is not running");
    else if (type_is_float(dimension->type) || dimension->type == HX_TYPE_NONE)
        eval_fail(evaluation, "a dimension is 0, 1 or 2");
    if (evaluation->failed || dimension->bits > 2)
        return value_integer(value, true);
    const char letter = (char)('x' + dimension->bits);
    switch (function->parts) {
    case OF_ALL:
        value = part(evaluation, OF_BLOCK, letter) * part(evaluation, OF_BLOCK_SIZE, letter) +
                part(evaluation, OF_THREAD, letter);
        break;
    case OF_ALL_SIZE:
        value = part(evaluation, OF_BLOCK_SIZE, letter) * part(evaluation, OF_GRID_SIZE, letter);
        break;
    case OF_LINEAR:
        value = evaluation->asker->thread;
        break;
    case OF_NOTHING:
        value = 0;
        break;
    default:
        value = part(evaluation, function->parts, letter);
    }
    return value_integer(value, true);
}
