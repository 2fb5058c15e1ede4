/* Arguments of imported kernels in a document.
 *
 * Takes a node for each formal parameter: a name, a text as --arg has it, or a mapping that says the bytes.
 * Leaves values of parameters, which follow the document's own, and values of constants. */
#include "program/address.h"
#include "program/argument.h"
#include "program/parts.h"

#include <string.h>

static size_t find_param(const hx_program *program, struct slice name)
{
    for (size_t i = 0; i < program->param_count; i++)
        if (!program->params[i].is_formal && slice_equal(name, program->params[i].name))
            return i;
    return SIZE_MAX;
}

static size_t find_buffer(const hx_program *program, struct slice name)
{
    for (size_t i = 0; i < program->buffers.count; i++)
        if (slice_equal(name, program->buffers.items[i].name))
            return i;
    return SIZE_MAX;
}

static void follow(struct program_param *param, size_t followed)
{
    param->follows = (uint32_t)followed + 1;
    param->target = (struct address_target){0};
    param->shared_bytes = 0;
    param->bits = 0;
    param->has_value = true;
}

static void point_to(struct program_param *param, size_t buffer)
{
    param->follows = 0;
    param->target = argument_buffer_target(param, buffer);
    param->bits = 0;
    param->has_value = true;
}

static hx_status set_name(const struct argument *argument, size_t param, size_t buffer)
{
    const hx_program *program = argument->program;
    struct program_param *scalar = argument_scalar(argument);
    const bool is_param = param != SIZE_MAX;
    if (!scalar)
        return argument_complain(argument, "give its bytes: {struct: [...]}, {type: f32, values: [...]}",
                                 "the parameter is a structure or an array");
    if (is_param && type_bytes(program->params[param].type) != type_bytes(scalar->type))
        return argument_complain(argument, "give the parameter of the program a type as wide",
                                 "the two have different sizes");
    if (!is_param && !argument_is_pointer(&argument->kernel->formals[argument->index], scalar))
        return argument_complain(argument, "give it a number or a parameter", "the parameter is no pointer");
    if (is_param)
        follow(scalar, param);
    else
        point_to(scalar, buffer);
    return HX_OK;
}

static hx_status set_shared(struct argument *argument, const struct yaml_node *bytes)
{
    struct arena *arena = &argument->program->arena;
    const char *text = arena_format(arena, "shared:" SLICE_FORMAT, SLICE_ARGS(bytes->text));
    if (!text)
        return diag_no_memory(argument->diag);
    argument->text = slice_of(text);
    argument->place = bytes->place;
    return argument_set_text(argument);
}

hx_status argument_set_node(struct argument *argument, const struct yaml_node *node)
{
    const hx_program *program = argument->program;
    argument->place = node->place;
    argument->text =
        node->kind == YAML_SCALAR ? node->text : slice_of(node->kind == YAML_MAPPING ? "{...}" : "[...]");
    const struct yaml_node *shared = yaml_get(node, "shared");
    if (node->kind == YAML_MAPPING)
        return shared ? set_shared(argument, shared) : argument_set_bytes(argument, node);
    if (node->kind == YAML_SEQUENCE)
        return argument_complain(argument, "say the type, too: {type: f32, values: [1, 2, 3, 4]}",
                                 "a list alone does not say how wide its elements are");
    const size_t param = find_param(program, node->text), buffer = find_buffer(program, node->text);
    return param != SIZE_MAX || buffer != SIZE_MAX ? set_name(argument, param, buffer)
                                                   : argument_set_text(argument);
}

/* --- without arguments ---------------------------------------------------------------------------------- */

struct binding {
    hx_program *program;
    size_t params, buffers;         /* of the document: the first ones of the lists */
    size_t next_param, next_buffer; /* that no formal has yet */
};

static bool bind_name(const struct binding *binding, struct program_param *formal,
                      const struct kernel_param *of_kernel)
{
    const char *name = of_kernel->name;
    const hx_program *program = binding->program;
    for (size_t i = 0; i < binding->params; i++)
        if (strcmp(program->params[i].name, name) == 0 &&
            type_bytes(program->params[i].type) == type_bytes(formal->type)) {
            follow(formal, i);
            return true;
        }
    for (size_t i = 0; i < binding->buffers && argument_is_pointer(of_kernel, formal); i++)
        if (strcmp(program->buffers.items[i].name, name) == 0) {
            point_to(formal, i);
            return true;
        }
    return false;
}

static void bind_next(struct binding *binding, struct program_param *formal,
                      const struct kernel_param *of_kernel)
{
    const hx_program *program = binding->program;
    const size_t next = binding->next_param;
    const bool fits =
        next < binding->params && type_bytes(program->params[next].type) == type_bytes(formal->type);
    if (argument_is_pointer(of_kernel, formal) && (of_kernel->is_pointer || !fits)) {
        if (binding->next_buffer < binding->buffers)
            point_to(formal, binding->next_buffer++);
    } else if (fits) {
        follow(formal, binding->next_param++);
    }
}

void argument_bind(hx_program *program, struct kernel *kernel, size_t params, size_t buffers)
{
    struct binding binding = {.program = program, .params = params, .buffers = buffers};
    for (size_t i = 0; i < kernel->formal_count; i++) {
        const struct kernel_param *formal = &kernel->formals[i];
        struct program_param *param = formal->is_constant ? NULL : &program->params[formal->index];
        if (param && !bind_name(&binding, param, formal))
            bind_next(&binding, param, formal);
    }
}
