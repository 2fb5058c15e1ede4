/* Launches that were taken out of a program with its host code: a kernel that is a template is made by them.
 *
 * Takes files with their pieces, leaves a line for each launch of a kernel that is out; and of those a
 * warning where the code has no such kernel. */
#include "compiler/host_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256

static int compare(const void *a, const void *b)
{
    const struct slice *left = a, *right = b;
    const size_t length = left->length < right->length ? left->length : right->length;
    const int order = memcmp(left->at, right->at, length);
    return order != 0 ? order : (left->length > right->length) - (left->length < right->length);
}

/* In the order of their names; each name before parameters, in a declaration that says it is the device's. */
static void find_device_functions(struct leaving_out *leaving_out, struct host_file *file)
{
    const struct cpp_words *words = &file->words;
    bool is_device = false;
    file->knows_device_functions = true;
    for (size_t i = 0; i + 1 < words->list.count && !leaving_out->has_failed; i++) {
        if (cpp_is(words, i, ";") || cpp_is(words, i, "{") || cpp_is(words, i, "}"))
            is_device = false;
        else if (is_device && words->list.items[i].kind == CPP_WORD && cpp_is(words, i + 1, "("))
            leaving_out->has_failed |= !LIST_PUSH(leaving_out->compiling->allocator, &file->device_functions,
                                                  cpp_word_text(words, i));
        is_device = is_device || host_is_device(&leaving_out->macros, words, i, i + 1);
    }
    if (file->device_functions.count > 1)
        qsort(file->device_functions.items, file->device_functions.count,
              sizeof *file->device_functions.items, compare);
}

bool host_is_declared_for_device(struct leaving_out *leaving_out, struct slice name)
{
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        struct host_file *file = &leaving_out->files.items[i];
        if (!file->knows_device_functions)
            find_device_functions(leaving_out, file);
        if (file->device_functions.count > 0 &&
            bsearch(&name, file->device_functions.items, file->device_functions.count,
                    sizeof *file->device_functions.items, compare))
            return true;
    }
    return false;
}

/* The kernel's name, before "<...><<<"; CPP_NONE. */
static size_t name_before(const struct cpp_words *words, size_t first, size_t launch)
{
    size_t depth = 0;
    for (size_t i = launch; i-- > first;) {
        depth += cpp_is(words, i, ">");
        if (depth == 0)
            return words->list.items[i].kind == CPP_WORD ? i : CPP_NONE;
        depth -= cpp_is(words, i, "<");
    }
    return CPP_NONE;
}

static void print_launches_of(struct leaving_out *leaving_out, const struct host_file *file,
                              const struct cpp_piece *piece, struct text *lines)
{
    const struct cpp_words *words = &file->words;
    for (size_t i = piece->first + 1; i + 2 < piece->end; i++) {
        if (!cpp_is(words, i, "<") || !cpp_is(words, i + 1, "<") || !cpp_is(words, i + 2, "<"))
            continue;
        const size_t name = name_before(words, piece->first, i);
        i += 2;
        if (name == CPP_NONE || !host_is_declared_for_device(leaving_out, cpp_word_text(words, name)))
            continue;
        const size_t at = words->list.items[name].at, line = cpp_line_of(words, at);
        text_print(lines, SLICE_FORMAT " %s:%zu:%zu\n", SLICE_ARGS(cpp_word_text(words, name)), file->name,
                   line, at - words->lines.items[line - 1] + 1);
    }
}

void host_print_launches(struct leaving_out *leaving_out, struct text *lines)
{
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        const struct host_file *file = &leaving_out->files.items[i];
        for (size_t k = 0; k < file->pieces.list.count; k++) {
            const struct cpp_piece *piece = &file->pieces.list.items[k];
            if (piece->kind != CPP_INCLUDE && piece->kind != CPP_DEFINE && host_outermost_out(file, k) == k)
                print_launches_of(leaving_out, file, piece, lines);
        }
    }
}

/* Does the line have the name as C++ mangles it: its length before it, which is no end of a longer number? */
static bool has_mangled(struct slice line, const char *mangled)
{
    const size_t length = strlen(mangled);
    const char *at = line.at;
    while ((at = memmem(at, (size_t)(line.at + line.length - at), mangled, length))) {
        if (at == line.at || !text_is_digit(at[-1]))
            return true;
        at++;
    }
    return false;
}

/* Is there a kernel of the name, or of a template of it, in the code? */
static bool has_kernel(const struct process_result *result, struct slice name)
{
    char mangled[NAME_BYTES], plain[NAME_BYTES];
    struct slice code = {result->output.at ? result->output.at : "", result->output.length}, line;
    if (name.length + 8 > sizeof mangled)
        return true;
    snprintf(mangled, sizeof mangled, "%zu" SLICE_FORMAT, name.length, SLICE_ARGS(name));
    snprintf(plain, sizeof plain, ".entry " SLICE_FORMAT "(", SLICE_ARGS(name));
    while (compiler_take_to(&code, "\n", &line))
        if (memmem(line.at, line.length, ".entry ", 7) &&
            (has_mangled(line, mangled) || memmem(line.at, line.length, plain, strlen(plain))))
            return true;
    return false;
}

/* A kernel that is a template is made by its launches: without them it is not there, and another one would
 * seem to be the only one. */
void compiler_warn_of_launches(struct process_result *result, struct slice launches)
{
    struct slice name, place;
    while (compiler_take_to(&launches, " ", &name) && compiler_take_to(&launches, "\n", &place))
        if (!has_kernel(result, name))
            text_print(&result->errors,
                       SLICE_FORMAT ": warning: no launch of '" SLICE_FORMAT
                                    "' compiles: it is a template, and the program has no such kernel\n",
                       SLICE_ARGS(place), SLICE_ARGS(name));
}
