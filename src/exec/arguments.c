/* Arguments of a launch that the host gives as bytes.
 *
 * Takes hx_launch_options.arguments, leaves values of the kernel's parameters that belong to the launch
 * alone. What PTX reads in place, such as a structure, is in constant memory: the launch gets a copy of it.
 */
#include "exec/arguments.h"

#include "program/argument.h"
#include "program/limits.h"
#include "program/regions.h"

#include <string.h>

static const struct array *constant_of(const hx_kernel *kernel, const struct kernel_param *formal)
{
    return &kernel->program->constants.items[formal->index];
}

static size_t bytes_of(const hx_kernel *kernel, const struct kernel_param *formal)
{
    return (size_t)program_formal_bytes(kernel->program, formal);
}

static size_t words_of(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

size_t exec_arguments_words(const hx_kernel *kernel, const hx_launch_options *options)
{
    size_t words = 0;
    for (size_t i = 0; options->arguments && i < kernel->code->formal_count; i++)
        if (kernel->code->formals[i].is_constant)
            words += words_of(bytes_of(kernel, &kernel->code->formals[i]));
    return words;
}

static hx_status complain(const hx_kernel *kernel, size_t index, size_t bytes, size_t wanted, hx_diag *diag)
{
    return diag_report(diag, DIAG_LAUNCH_ARGUMENT, kernel->code->place, NULL,
                       "argument %zu of kernel '%s' has %zu bytes, and its parameter '%s' has %zu", index,
                       kernel->code->name, bytes, kernel->code->formals[index].name, wanted);
}

/* A pointer to dynamic shared memory behind what the launch has of it. */
static hx_status take_shared(const hx_kernel *kernel, hx_launch_options *options, size_t index, hx_diag *diag,
                             uint64_t *ret_address)
{
    const struct kernel *code = kernel->code;
    const struct kernel_param *formal = &code->formals[index];
    const uint64_t own = code->shared.bytes, bytes = options->arguments[index].bytes;
    if (bytes_of(kernel, formal) != 8)
        return complain(kernel, index, 0, bytes_of(kernel, formal), diag);
    if (bytes > LIMIT_SHARED_BYTES || options->dynamic_shared_bytes > LIMIT_SHARED_BYTES)
        return diag_report(diag, DIAG_LAUNCH_ARGUMENT, code->place, NULL,
                           "argument %zu of kernel '%s' wants %llu bytes of shared memory, %u are the most",
                           index, code->name, (unsigned long long)bytes, LIMIT_SHARED_BYTES);
    const uint64_t start = program_shared_argument(code, options->dynamic_shared_bytes);
    options->dynamic_shared_bytes = start + bytes - own;
    *ret_address = start;
    return HX_OK;
}

hx_status exec_arguments_take(const hx_kernel *kernel, hx_launch_options *options, hx_diag *diag,
                              uint64_t *params, uint64_t *words)
{
    const struct kernel *code = kernel->code;
    if (!options->arguments)
        return HX_OK;
    if (options->argument_count != code->formal_count)
        return diag_report(diag, DIAG_LAUNCH_ARGUMENT, code->place,
                           code->is_imported ? NULL : "hx_program_set_param sets what a program names",
                           "kernel '%s' has %zu parameters, and the launch %zu arguments", code->name,
                           code->formal_count, options->argument_count);
    for (size_t i = 0; i < code->formal_count; i++) {
        const struct kernel_param *formal = &code->formals[i];
        const hx_argument *argument = &options->arguments[i];
        const size_t bytes = bytes_of(kernel, formal);
        uint64_t *to = formal->is_constant ? words : &params[formal->index];
        const size_t taken = formal->is_constant ? words_of(bytes) : 1;
        hx_status status = HX_OK;
        if (!argument->value)
            status = take_shared(kernel, options, i, diag, to);
        else if (argument->bytes != bytes)
            status = complain(kernel, i, argument->bytes, bytes, diag);
        if (status != HX_OK)
            return status;
        if (argument->value) {
            memset(to, 0, taken * sizeof *to);
            memcpy(to, argument->value, bytes);
        }
        words += formal->is_constant ? taken : 0;
    }
    return HX_OK;
}

void exec_arguments_place(const hx_kernel *kernel, const uint64_t *words, char *constants)
{
    for (size_t i = 0; i < kernel->code->formal_count; i++) {
        const struct kernel_param *formal = &kernel->code->formals[i];
        if (!formal->is_constant)
            continue;
        const size_t bytes = bytes_of(kernel, formal);
        memcpy(constants + constant_of(kernel, formal)->offset, words, bytes);
        words += words_of(bytes);
    }
}
