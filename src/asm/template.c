/* A document to be filled in, for a program whose kernels are compiled: the parameters of a kernel with their
 * types, buffers for its pointers, a launch. */
#include "asm/asm.h"
#include "base/machine.h"

#include <string.h>

struct template
{
    const hx_program *program;
    const struct kernel *kernel;
    struct text *text;
};

static enum hx_type type_of(const struct template *template, const struct kernel_param *formal)
{
    return formal->is_constant ? HX_TYPE_NONE : template->program->params[formal->index].type;
}

static bool is_buffer(const struct template *template, const struct kernel_param *formal)
{
    return !formal->is_shared && type_bytes(type_of(template, formal)) == (formal->is_narrow ? 4 : 8) &&
           !type_is_float(type_of(template, formal)) &&
           (formal->is_pointer || !template->kernel->says_pointers);
}

/* The file as the new document, which is expected beside it, names it. */
static const char *file_of(const hx_program *program)
{
    const char *slash = strrchr(program->path, '/');
    return slash ? slash + 1 : program->path;
}

static void print_head(const struct template *template)
{
    const hx_program *program = template->program;
    text_print(template->text, "# Kernels of %s: ", file_of(program));
    for (size_t i = 0; i < program->kernel_count; i++)
        text_print(template->text, "%s%s", i ? ", " : "", program->kernels[i].name);
    text_print(template->text, "\n# Fill in what ends in `?`.\nprogram: %s\nsource: ", program->name);
    text_print_json_string(template->text, file_of(program), strlen(file_of(program)));
    text_print(template->text, "\nkernel: %s\n", template->kernel->name);
}

static void print_arguments(const struct template *template)
{
    text_print(template->text, "args:\n");
    for (size_t i = 0; i < template->kernel->formal_count; i++) {
        const struct kernel_param *formal = &template->kernel->formals[i];
        const struct array *bytes = &template->program->constants.items[formal->index];
        if (formal->is_constant)
            text_print(template->text, "  - {struct: [{u8: 0}]} # the members of its %llu bytes?\n",
                       (unsigned long long)(bytes->count * type_bytes(bytes->type)));
        else if (formal->is_shared)
            text_print(template->text, "  - {shared: 1024} # bytes?\n");
        else
            text_print(template->text, "  - %s\n", template->program->params[formal->index].name);
    }
}

static void print_lists(const struct template *template, bool buffers)
{
    bool is_first = true;
    for (size_t i = 0; i < template->kernel->formal_count; i++) {
        const struct kernel_param *formal = &template->kernel->formals[i];
        if (formal->is_constant || formal->is_shared || is_buffer(template, formal) != buffers)
            continue;
        if (is_first)
            text_print(template->text, buffers ? "buffers:\n" : "params:\n");
        is_first = false;
        const char *name = template->program->params[formal->index].name;
        if (buffers)
            text_print(template->text, "  - {name: %s, type: f32, count: 1024} # type, count, fill?\n", name);
        else
            text_print(template->text, "  - {name: %s, type: %s, value: 0} # value?\n", name,
                       hx_type_name(type_of(template, formal)));
    }
}

hx_status hx_program_template(const hx_program *program, size_t kernel, hx_write_function write, void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(NULL, program);
    DIAG_REQUIRE(NULL, write);
    if (kernel >= program->kernel_count || !program->kernels[kernel].formals || program->source_path)
        return HX_INVALID;
    struct text text HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    const struct template template = {program, &program->kernels[kernel], &text};
    print_head(&template);
    if (template.kernel->formal_count > 0)
        print_arguments(&template);
    print_lists(&template, false);
    print_lists(&template, true);
    text_print(&text, "launch: {grid: [1], block: [256]} # blocks, threads of a block?\n");
    return text.failed ? HX_NO_MEMORY : write(user, text.at, text.length);
}
