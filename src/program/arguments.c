/* Arguments of kernels that were imported: `--arg`.
 *
 * Takes a word for each formal parameter, in order, leaves values of parameters, and buffers where the word
 * is one. A buffer is named by the number of its argument, from 0. */
#include "base/demangle.h"
#include "base/machine.h"
#include "program/argument.h"
#include "program/parts.h"
#include "program/regions.h"

#include <stdio.h>
#include <string.h>

hx_status argument_complain(const struct argument *argument, const char *hint, const char *what)
{
    struct text kernel HX_AUTO(text_done) = {.allocator = argument->program->arena.allocator};
    demangle(&kernel, argument->kernel->name);
    return kernel.failed ? diag_no_memory(argument->diag)
                         : diag_report(argument->diag, DIAG_PROGRAM_ARGUMENT, argument->place, hint,
                                       "argument %zu of kernel '%s', '" SLICE_FORMAT "': %s", argument->index,
                                       kernel.at, SLICE_ARGS(argument->text), what);
}

struct program_param *argument_scalar(const struct argument *argument)
{
    const struct kernel_param *formal = &argument->kernel->formals[argument->index];
    return formal->is_constant ? NULL : &argument->program->params[formal->index];
}

bool argument_is_pointer(const struct kernel_param *formal, const struct program_param *param)
{
    return !type_is_float(param->type) && type_bytes(param->type) == (formal->is_narrow ? 4 : 8);
}

struct address_target argument_buffer_target(const struct program_param *param, size_t buffer)
{
    return (struct address_target){
        .kind = TARGET_BUFFER, .is_narrow = type_bytes(param->type) == 4, .index = (uint32_t)buffer};
}

/* --- buffers -------------------------------------------------------------------------------------------- */

hx_status argument_add_buffer(const struct argument *argument, const struct array *array, uint32_t *ret_index)
{
    hx_program *program = argument->program;
    struct array *grown = ARENA_ARRAY(&program->arena, struct array, program->buffers.count + 1);
    if (!grown)
        return diag_no_memory(argument->diag);
    memcpy(grown, program->buffers.items, program->buffers.count * sizeof *grown);
    grown[program->buffers.count] = *array;
    program->buffers.items = grown;
    *ret_index = (uint32_t)program->buffers.count++;
    return HX_OK;
}

hx_status argument_point_to(const struct argument *argument, uint32_t buffer)
{
    struct program_param *param = argument_scalar(argument);
    if (!param || !argument_is_pointer(&argument->kernel->formals[argument->index], param))
        return argument_complain(argument, "give it a number", "the parameter is no pointer");
    param->target = argument_buffer_target(param, buffer);
    param->shared_bytes = 0;
    param->bits = 0;
    param->has_value = true;
    return program_layout(argument->program, argument->diag);
}

static hx_status add_buffer(const struct argument *argument, const struct array *array)
{
    uint32_t index;
    const hx_status status = argument_add_buffer(argument, array, &index);
    return status == HX_OK ? argument_point_to(argument, index) : status;
}

static struct array empty_buffer(const struct argument *argument)
{
    return (struct array){.name = arena_format(&argument->program->arena, "%zu", argument->index),
                          .access = ACCESS_READWRITE,
                          .is_counted = true,
                          .fill = {.kind = FILL_ZERO}};
}

/* "f32:1000", "f32:1000:iota" */
static hx_status read_buffer(const struct argument *argument, enum hx_type type, const char *colon)
{
    struct array array = empty_buffer(argument);
    const char *end = argument->text.at + argument->text.length, *count = colon + 1;
    const char *second = memchr(count, ':', (size_t)(end - count));
    const struct slice number = {count, (size_t)((second ? second : end) - count)};
    hx_status status = HX_OK;
    array.type = type;
    if (!type_is_element(type) || number_parse_u64(number, &array.count) != NUMBER_OK || array.count == 0)
        return argument_complain(argument, "TYPE:COUNT or TYPE:COUNT:FILL, such as f32:1000:iota",
                                 "this is no type and number of elements");
    array.count_text = arena_copy(&argument->program->arena, number.at, number.length);
    if (second)
        status = program_read_fill(argument->program, (struct slice){second + 1, (size_t)(end - second - 1)},
                                   type, &array.fill, argument->diag);
    if (!array.name || !array.count_text)
        status = diag_no_memory(argument->diag);
    return status == HX_OK ? add_buffer(argument, &array) : status;
}

/* "@x.npy": the file says the type, too. */
static hx_status read_file(const struct argument *argument)
{
    struct array array = empty_buffer(argument);
    array.fill.kind = FILL_FILE;
    array.fill.from_working_directory = true;
    array.fill.path = arena_copy(&argument->program->arena, argument->text.at + 1, argument->text.length - 1);
    if (!array.name || !array.fill.path)
        return diag_no_memory(argument->diag);
    for (int type = 0; type < HX_TYPE_COUNT; type++)
        if (type_is_element((enum hx_type)type) &&
            npy_count(argument->program, &array.fill, (enum hx_type)type, argument->program->arena.allocator,
                      NULL, &array.count) == HX_OK) {
            array.type = (enum hx_type)type;
            return add_buffer(argument, &array);
        }
    return npy_count(argument->program, &array.fill, HX_TYPE_U8, argument->program->arena.allocator,
                     argument->diag, &array.count);
}

/* --- other arguments ------------------------------------------------------------------------------------ */

/* "shared:1024": a pointer to dynamic shared memory, which the kernel's launches get more of. It begins at
 * one address in all of them, as the parameter has one value. */
static hx_status read_shared(const struct argument *argument)
{
    struct program_param *param = argument_scalar(argument);
    const struct slice number = {argument->text.at + 7, argument->text.length - 7};
    uint64_t bytes;
    if (!param || number_parse_u64(number, &bytes) != NUMBER_OK || bytes > LIMIT_SHARED_BYTES)
        return argument_complain(argument, "shared:BYTES, for a pointer to shared memory",
                                 "this is no size of shared memory");
    hx_program *program = argument->program;
    struct kernel *kernel = argument->kernel;
    /* a program's file gives arguments before anything else has laid out the kernel's own arrays */
    const hx_status status = program_layout_shared(program, kernel, argument->diag);
    if (status != HX_OK)
        return status;
    uint64_t before = kernel->dynamic_shared;
    for (size_t i = 0; i < program->step_count; i++)
        if (program->steps[i].kernel == kernel && program->steps[i].dynamic_shared > before)
            before = program->steps[i].dynamic_shared;
    const uint64_t start = program_shared_argument(kernel, before);
    kernel->dynamic_shared = start + bytes - kernel->shared.bytes;
    for (size_t i = 0; i < program->step_count; i++)
        if (program->steps[i].kernel == kernel)
            program->steps[i].dynamic_shared = kernel->dynamic_shared;
    param->bits = start;
    param->has_value = true;
    param->target = (struct address_target){0};
    param->shared_bytes = bytes;
    param->follows = 0;
    return program_layout(program, argument->diag);
}

/* PTX has no signed parameters: a number of either sign that fits the width is taken. Without a place the
 * message must say which argument it is about. */
static hx_status read_bits(const struct argument *argument, enum hx_type type, uint64_t *ret_bits)
{
    const bool is_pointer = argument->kernel->formals[argument->index].is_pointer;
    const enum number_result result = values_immediate_bits(argument->text, type, ret_bits);
    if (result == NUMBER_OK)
        return HX_OK;
    if (argument->place.source)
        return yaml_number_problem(argument->diag, argument->place, argument->text, result,
                                   values_immediate_range(type));
    const char *what =
        arena_format(&argument->program->arena, "this is not %s", values_immediate_range(type));
    return what ? argument_complain(
                      argument, is_pointer ? "give a buffer, f32:1000 or @FILE.npy, or shared:BYTES" : NULL,
                      what)
                : diag_no_memory(argument->diag);
}

static hx_status read_number(const struct argument *argument)
{
    struct program_param *param = argument_scalar(argument);
    const struct kernel_param *formal = &argument->kernel->formals[argument->index];
    struct array *array = param ? NULL : &argument->program->constants.items[formal->index];
    if (!param && array->count != 1)
        return argument_complain(argument, "give its bytes: {struct: [...]}, {type: f32, values: [...]}",
                                 "the parameter is a structure");
    const enum hx_type type = param ? param->type : array->type;
    uint64_t bits = 0;
    const hx_status status = read_bits(argument, type, &bits);
    if (status != HX_OK)
        return status;
    if (param) {
        param->bits = bits;
        param->has_value = true;
        param->target = (struct address_target){0};
        param->shared_bytes = 0;
        param->follows = 0;
    } else {
        array->fill.kind = FILL_NUMBER;
        array->fill.number_bits = bits;
    }
    return HX_OK;
}

hx_status argument_set_text(const struct argument *argument)
{
    const struct slice text = argument->text;
    const char *colon = text.length > 0 ? memchr(text.at, ':', text.length) : NULL;
    char type[8] = "";
    if (colon && (size_t)(colon - text.at) < sizeof type)
        memcpy(type, text.at, (size_t)(colon - text.at));
    if (slice_starts_with(text, "shared:"))
        return read_shared(argument);
    if (slice_starts_with(text, "image:"))
        return argument_set_image(argument);
    if (slice_starts_with(text, "@"))
        return read_file(argument);
    return colon ? read_buffer(argument, hx_type_find(type), colon) : read_number(argument);
}

/* "{struct: [{f32: 1.5}]}": YAML in a word. */
static hx_status set_mapping(struct argument *argument)
{
    struct arena *arena = &argument->program->arena;
    struct source *source = ARENA_NEW(arena, struct source);
    char *text = arena_copy(arena, argument->text.at, argument->text.length);
    if (!source || !text)
        return diag_no_memory(argument->diag);
    *source = (struct source){"--arg", text, argument->text.length};
    struct yaml_document *document;
    const hx_status status = yaml_document_read(arena, argument->diag, source, NULL, &document);
    return status == HX_OK ? argument_set_node(argument, document->root) : status;
}

hx_status hx_program_set_argument(hx_program *program, const char *kernel, size_t index, const char *value,
                                  hx_diag *diag)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, value);
    size_t number = 0;
    const hx_status status = kernel || program->kernel_count == 0
                                 ? hx_program_find_kernel(program, kernel ? kernel : "", diag, &number)
                                 : HX_OK;
    if (status != HX_OK)
        return status;
    struct argument argument = {.program = program,
                                .kernel = &program->kernels[number],
                                .index = index,
                                .text = slice_of(value),
                                .diag = diag};
    if (index >= argument.kernel->formal_count)
        return diag_report(diag, DIAG_PROGRAM_ARGUMENT, (struct place){0},
                           argument.kernel->is_imported ? "give one for each parameter, in order"
                                                        : "--param and --buffer set what a program names",
                           "kernel '%s' has %zu parameters, and this is argument %zu, from 0",
                           argument.kernel->name, argument.kernel->formal_count, index);
    return value[0] == '{' || value[0] == '[' ? set_mapping(&argument) : argument_set_text(&argument);
}

hx_status argument_check_all(const hx_program *program, const struct kernel *kernel, hx_diag *diag)
{
    struct text missing HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    struct text name HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    demangle(&name, kernel->name);
    for (size_t i = 0; i < kernel->formal_count; i++) {
        const struct kernel_param *formal = &kernel->formals[i];
        const struct program_param *param = formal->is_constant ? NULL : &program->params[formal->index];
        if (param ? param->has_value : program->constants.items[formal->index].fill.kind != FILL_ZERO)
            continue;
        text_print(&missing, "%s%zu (%s)", missing.length ? ", " : "", i,
                   formal->is_constant  ? "structure"
                   : formal->is_shared  ? "pointer to shared memory"
                   : formal->is_pointer ? "pointer"
                                        : hx_type_name(param->type));
    }
    if (missing.failed || name.failed)
        return diag_no_memory(diag);
    return missing.length == 0
               ? HX_OK
               : diag_report(diag, DIAG_PROGRAM_ARGUMENT, program_kernel_place(kernel),
                             "add --arg once for each parameter, in order",
                             "kernel '%s' has %zu parameter%s, and no value for: %s", name.at,
                             kernel->formal_count, kernel->formal_count == 1 ? "" : "s", missing.at);
}
