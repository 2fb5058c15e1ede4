/* A kernel by what a user calls it, and where its author finds it.
 *
 * Takes a name, leaves a kernel. Compilers of C++ mangle names (Itanium C++ ABI, 5.1):
 * `_ZN4math5saxpyIfEEvPT_` is math::saxpy<float>(float *). A user who types saxpy or math::saxpy means it, if
 * no other kernel is called so; saxpy<float> and saxpy(float *) say which of several it is. */
#include "base/demangle.h"
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

/* --- names as sources have them --------------------------------------------------------------------------
 */

static size_t word_length(struct slice text)
{
    size_t length = 0;
    while (length < text.length && text_is_word(text.at[length]))
        length++;
    return length;
}

static bool begins_with_word(struct slice text, const char *word)
{
    return slice_equal((struct slice){text.at, word_length(text)}, word);
}

static bool begins_with_size(struct slice text)
{
    static const char *const sizes[] = {"int", "char", "short", "long"};
    for (size_t i = 0; i < HX_COUNT_OF(sizes); i++)
        if (begins_with_word(text, sizes[i]))
            return true;
    return false;
}

static struct slice without(struct slice text, size_t length)
{
    return (struct slice){text.at + length, text.length - length};
}

/* One way to write a name: blanks between words alone, numbers without suffixes, "unsigned int", and const
 * behind the type, as the readable forms of mangled names have it. */
static void write_name(struct slice text, struct text *to)
{
    bool begins = true, is_const = false;
    for (text = slice_trim(text); text.length > 0; text = slice_trim(text)) {
        const size_t length = word_length(text);
        const struct slice word = {text.at, length};
        size_t kept = length;
        text = without(text, length > 0 ? length : 1);
        if (is_const && memchr("*&,<>()", word.at[0], 7)) {
            text_print(to, " const");
            is_const = false;
        }
        if (begins && slice_equal(word, "const")) {
            is_const = true;
            continue;
        }
        begins = length == 0 && memchr("<(,", word.at[0], 3);
        while (length > 0 && text_is_digit(word.at[0]) && kept > 1 && memchr("uUlL", word.at[kept - 1], 4))
            kept--;
        if (length > 0 && to->length > 0 &&
            (text_is_word(to->at[to->length - 1]) || to->at[to->length - 1] == '>'))
            text_append(to, " ", 1);
        text_append(to, word.at, length > 0 ? kept : 1);
        if (slice_equal(word, "unsigned") && !begins_with_size(slice_trim(text)))
            text_print(to, " int");
    }
    if (is_const)
        text_print(to, " const");
}

/* a::name<...>(...); the latter two may be empty. */
struct written {
    struct slice name, arguments, parameters;
};

/* Cuts off what is in brackets at the end. */
static struct slice cut_brackets(struct slice *text, char open, char close)
{
    size_t depth = 0;
    if (text->length == 0 || text->at[text->length - 1] != close)
        return (struct slice){text->at + text->length, 0};
    for (size_t i = text->length; i-- > 0;) {
        depth += text->at[i] == close;
        if (text->at[i] == open && --depth == 0) {
            const struct slice cut = {text->at + i, text->length - i};
            text->length = i;
            return cut;
        }
    }
    return (struct slice){text->at + text->length, 0};
}

static struct written read_written(const struct text *text)
{
    struct written written = {.name = {text->at ? text->at : "", text->length}};
    written.parameters = cut_brackets(&written.name, '(', ')');
    written.arguments = cut_brackets(&written.name, '<', '>');
    return written;
}

static bool is_same(struct slice wanted, struct slice has)
{
    return wanted.length == 0 || (wanted.length == has.length && memcmp(wanted.at, has.at, has.length) == 0);
}

static bool is_end_of(struct slice wanted, struct slice has)
{
    if (wanted.length == 0 || wanted.length > has.length)
        return false;
    const struct slice before = {has.at, has.length - wanted.length};
    return memcmp(has.at + before.length, wanted.at, wanted.length) == 0 &&
           (before.length == 0 || (before.length > 2 && memcmp(before.at + before.length - 2, "::", 2) == 0));
}

/* Is the kernel what the source calls `wanted`? What that leaves out may be anything. */
static bool is_written(const struct kernel *kernel, const struct written *wanted,
                       const hx_allocator *allocator)
{
    struct text readable HX_AUTO(text_done) = {.allocator = allocator};
    struct text name HX_AUTO(text_done) = {.allocator = allocator};
    demangle(&readable, symbol_of(kernel));
    if (readable.failed)
        return false;
    write_name((struct slice){readable.at, readable.length}, &name);
    const struct written has = read_written(&name);
    return !name.failed && is_end_of(wanted->name, has.name) && is_same(wanted->arguments, has.arguments) &&
           is_same(wanted->parameters, has.parameters);
}

/* --- finding ---------------------------------------------------------------------------------------------
 */

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
    for (size_t i = 0; !meant && i < program->kernel_count && i < NAMES_MAX; i++) {
        text_print(&hint, "%s", i ? ", " : "it has ");
        demangle(&hint, symbol_of(&program->kernels[i]));
    }
    if (!meant && program->kernel_count > NAMES_MAX)
        text_print(&hint, " and %zu more", program->kernel_count - NAMES_MAX);
    return diag_report(diag, DIAG_USAGE_NO_KERNEL, (struct place){0}, hint.at,
                       "program '%s' has no kernel '%s'", program->name, name);
}

/* As it is in the file's symbols, or in its source. */
static bool is_called(const struct kernel *kernel, const char *name, const struct written *wanted,
                      const hx_allocator *allocator)
{
    struct slice parts[PARTS_MAX];
    const bool is_plain = wanted->arguments.length == 0 && wanted->parameters.length == 0;
    return (is_plain && ends_with(parts, read_parts(symbol_of(kernel), parts), slice_of(name))) ||
           is_written(kernel, wanted, allocator);
}

/* Names that tell the kernels apart from which there is to choose. */
static hx_status report_several(const hx_program *program, const char *name, const struct written *wanted,
                                size_t found, hx_diag *diag)
{
    struct text hint HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    size_t shown = 0;
    for (size_t i = 0; i < program->kernel_count && shown < NAMES_MAX; i++) {
        if (!is_called(&program->kernels[i], name, wanted, program->arena.allocator))
            continue;
        text_print(&hint, "%s", shown++ ? ", " : "give the whole name: ");
        demangle(&hint, symbol_of(&program->kernels[i]));
    }
    if (found > shown)
        text_print(&hint, " and %zu more", found - shown);
    return diag_report(diag, DIAG_USAGE_NO_KERNEL, (struct place){0}, hint.at,
                       "%zu kernels of program '%s' are called '%s'", found, program->name, name);
}

hx_status hx_program_find_kernel(const hx_program *program, const char *name, hx_diag *diag,
                                 size_t *ret_index)
{
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, ret_index);
    size_t found = 0, index = 0;
    for (size_t i = 0; i < program->kernel_count; i++) {
        const struct kernel *kernel = &program->kernels[i];
        if (strcmp(kernel->name, name) == 0 || strcmp(symbol_of(kernel), name) == 0) {
            *ret_index = i;
            return HX_OK;
        }
    }
    struct text text HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    write_name(slice_of(name), &text);
    if (text.failed)
        return diag_no_memory(diag);
    const struct written wanted = read_written(&text);
    for (size_t i = 0; i < program->kernel_count; i++)
        if (is_called(&program->kernels[i], name, &wanted, program->arena.allocator))
            index = found++ == 0 ? i : index;
    if (found > 1)
        return report_several(program, name, &wanted, found, diag);
    if (found == 0)
        return report_none(program, name, diag);
    *ret_index = index;
    return HX_OK;
}

struct place program_kernel_place(const struct kernel *kernel)
{
    return kernel->is_imported && kernel->code_count > 0 ? kernel->lines[0].place : kernel->place;
}
