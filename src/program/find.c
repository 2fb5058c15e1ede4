/* A kernel by what a user calls it, and where its author finds it.
 *
 * Takes a name, leaves a kernel. Compilers of C++ mangle names (Itanium C++ ABI, 5.1):
 * `_ZN4math5saxpyIfEEvPT_` is math::saxpy<float>(float *). A user who types saxpy or math::saxpy means it, if
 * no other kernel is called so. */
#include "base/text.h"
#include "program/program.h"

#include <string.h>

#define PARTS_MAX 16

/* The identifiers that a mangled name begins with, outermost first; how many. */
static size_t read_parts(const char *symbol, struct slice *ret_parts)
{
    size_t count = 0;
    if (strncmp(symbol, "_Z", 2) != 0)
        return 0;
    const bool is_nested = symbol[2] == 'N'; /* otherwise the types of parameters follow the first */
    const char *at = symbol + 2 + is_nested;
    while (is_nested && *at && strchr("rVK", *at)) /* of member functions: const, volatile */
        at++;
    while (count < (is_nested ? PARTS_MAX : 1)) {
        size_t length = 0;
        at += *at == 'L'; /* of one file only */
        while (text_is_digit(*at) && length < 1000)
            length = 10 * length + (size_t)(*at++ - '0');
        if (length == 0 || strnlen(at, length) < length)
            return count;
        ret_parts[count++] = (struct slice){at, length};
        at += length;
    }
    return count;
}

struct slice program_identifier(const char *symbol)
{
    struct slice parts[PARTS_MAX];
    const size_t count = read_parts(symbol, parts);
    return count > 0 ? parts[count - 1] : slice_of(symbol);
}

/* Are these the last parts: saxpy, or math::saxpy? */
static bool ends_with(const struct slice *parts, size_t count, struct slice name)
{
    while (count-- > 0) {
        const struct slice part = parts[count];
        if (part.length > name.length ||
            memcmp(name.at + name.length - part.length, part.at, part.length) != 0)
            return false;
        name.length -= part.length;
        if (name.length == 0)
            return true;
        if (name.length < 2 || memcmp(name.at + name.length - 2, "::", 2) != 0)
            return false;
        name.length -= 2;
    }
    return false;
}

static const char *symbol_of(const struct kernel *kernel)
{
    return kernel->symbol ? kernel->symbol : kernel->name;
}

static const char *next_name(void *program, size_t index)
{
    return hx_program_kernel_name(program, index);
}

#define NAMES_MAX 8

static hx_status report_none(const hx_program *program, const char *name, hx_diag *diag)
{
    const char *meant = text_suggest(slice_of(name), next_name, (void *)(uintptr_t)program);
    struct text hint HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    if (meant)
        text_print(&hint, "did you mean %s?", meant);
    for (size_t i = 0; !meant && i < program->kernel_count && i < NAMES_MAX; i++)
        text_print(&hint, "%s%s", i ? ", " : "it has ", program->kernels[i].name);
    if (!meant && program->kernel_count > NAMES_MAX)
        text_print(&hint, " and %zu more", program->kernel_count - NAMES_MAX);
    return diag_report(diag, DIAG_USAGE_NO_KERNEL, (struct place){0}, hint.at,
                       "program '%s' has no kernel '%s'", program->name, name);
}

hx_status hx_program_find_kernel(const hx_program *program, const char *name, hx_diag *diag,
                                 size_t *ret_index)
{
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, ret_index);
    const char *second = NULL;
    size_t found = 0, index = 0;
    for (size_t i = 0; i < program->kernel_count; i++) {
        const struct kernel *kernel = &program->kernels[i];
        struct slice parts[PARTS_MAX];
        if (strcmp(kernel->name, name) == 0 || strcmp(symbol_of(kernel), name) == 0) {
            *ret_index = i;
            return HX_OK;
        }
        if (!ends_with(parts, read_parts(symbol_of(kernel), parts), slice_of(name)))
            continue;
        index = found++ == 0 ? i : index;
        second = symbol_of(kernel);
    }
    if (found == 0)
        return report_none(program, name, diag);
    if (found == 1) {
        *ret_index = index;
        return HX_OK;
    }
    struct text hint HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    text_print(&hint, "give the whole name: %s or %s", symbol_of(&program->kernels[index]), second);
    return diag_report(diag, DIAG_USAGE_NO_KERNEL, (struct place){0}, hint.at,
                       "%zu kernels of program '%s' are called '%s'", found, program->name, name);
}

struct place program_kernel_place(const struct kernel *kernel)
{
    return kernel->is_imported && kernel->code_count > 0 ? kernel->lines[0].place : kernel->place;
}
