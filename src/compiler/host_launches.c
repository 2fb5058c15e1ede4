/* Launches that were taken out of a program with its host code: a kernel that is a template is made by them.
 *
 * Takes files with their pieces, leaves a line for each launch of a kernel that is out, or other mention of
 * an instance of one; and of those a warning where the code has no such kernel. */
#include "compiler/host_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256

static int compare(const void *a, const void *b)
{
    const struct slice left = ((const struct host_function *)a)->name,
                       right = ((const struct host_function *)b)->name;
    const size_t length = left.length < right.length ? left.length : right.length;
    const int order = memcmp(left.at, right.at, length);
    return order != 0 ? order : (left.length > right.length) - (left.length < right.length);
}

/* In the order of their names. */
static void find_device_functions(struct leaving_out *leaving_out, struct host_file *file)
{
    const struct cpp_words *words = &file->words;
    bool is_device = false, is_kernel = false;
    file->knows_device_functions = true;
    for (size_t i = 0; i + 1 < words->list.count && !leaving_out->has_failed; i++) {
        if (cpp_is(words, i, ";") || cpp_is(words, i, "{") || cpp_is(words, i, "}"))
            is_device = is_kernel = false;
        else if (is_device && words->list.items[i].kind == CPP_WORD && cpp_is(words, i + 1, "("))
            leaving_out->has_failed |=
                !LIST_PUSH(leaving_out->compiling->allocator, &file->device_functions,
                           ((struct host_function){cpp_word_text(words, i), is_kernel}));
        is_device = is_device || host_is_device(&leaving_out->macros, words, i, i + 1);
        is_kernel = is_kernel || cpp_is(words, i, "__global__");
    }
    if (file->device_functions.count > 1)
        qsort(file->device_functions.items, file->device_functions.count,
              sizeof *file->device_functions.items, compare);
}

static const struct host_function *find_declared(struct leaving_out *leaving_out, struct slice name)
{
    const struct host_function wanted = {.name = name};
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        struct host_file *file = &leaving_out->files.items[i];
        if (!file->knows_device_functions)
            find_device_functions(leaving_out, file);
        const struct host_function *found =
            file->device_functions.count > 0 ? bsearch(&wanted, file->device_functions.items,
                                                       file->device_functions.count, sizeof wanted, compare)
                                             : NULL;
        if (found)
            return found;
    }
    return NULL;
}

bool host_is_declared_for_device(struct leaving_out *leaving_out, struct slice name)
{
    return find_declared(leaving_out, name) != NULL;
}

/* --- what is out ---------------------------------------------------------------------------------------- */

/* Is the word in a piece that is out, or in a part of one for which a text without it stands? */
static bool is_out(struct leaving_out *leaving_out, const struct host_file *file, size_t word)
{
    const size_t piece = cpp_piece_at(&file->words, &file->pieces, file->words.list.items[word].at);
    struct text instead HX_AUTO(text_done) = {.allocator = leaving_out->compiling->allocator};
    const struct slice name = cpp_word_text(&file->words, word);
    size_t first, end;
    if (piece == CPP_NONE || host_outermost_out(file, piece) != CPP_NONE)
        return piece != CPP_NONE;
    const bool is_part =
        file->levels[piece] == HOST_PART && host_part_of(file, piece, &first, &end, &instead);
    leaving_out->has_failed |= instead.failed;
    return is_part && word >= first && word < end &&
           (instead.length == 0 || !memmem(instead.at, instead.length, name.at, name.length));
}

static bool is_launch(const struct cpp_words *words, size_t at)
{
    return cpp_is(words, at, "<") && cpp_is(words, at + 1, "<") && cpp_is(words, at + 2, "<");
}

/* The same words as those from `first` to `end` - 1 of another file. */
static bool are_same(const struct cpp_words *words, size_t at, const struct cpp_words *others, size_t first,
                     size_t end)
{
    for (; first < end; first++, at++)
        if (at >= words->list.count || !slice_same(cpp_word_text(words, at), cpp_word_text(others, first)))
            return false;
    return true;
}

/* Does code that stays name this instance of a template, too? */
static bool is_made_elsewhere(struct leaving_out *leaving_out, const struct host_file *of, size_t first,
                              size_t end)
{
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        const struct host_file *file = &leaving_out->files.items[i];
        for (size_t word = 0; word < file->words.list.count; word++)
            if (are_same(&file->words, word, &of->words, first, end) && !is_out(leaving_out, file, word))
                return true;
    }
    return false;
}

/* `name<int, 4>` as one word, or the name alone. */
static void print_launch(const struct host_file *file, size_t first, size_t end, struct text *lines)
{
    const struct cpp_words *words = &file->words;
    const size_t at = words->list.items[first].at, line = cpp_line_of(words, at);
    for (size_t i = first; i < end; i++)
        text_print(lines, SLICE_FORMAT "%s", SLICE_ARGS(cpp_word_text(words, i)),
                   words->list.items[i].kind == CPP_WORD && i + 1 < end &&
                           words->list.items[i + 1].kind == CPP_WORD
                       ? " "
                       : "");
    text_print(lines, "\t%s:%zu:%zu\n", file->name, line, at - words->lines.items[line - 1] + 1);
}

static void print_launches_of(struct leaving_out *leaving_out, const struct host_file *file,
                              struct text *lines)
{
    const struct cpp_words *words = &file->words;
    for (size_t i = 0; i < words->list.count && !leaving_out->has_failed; i++) {
        if (words->list.items[i].kind != CPP_WORD || !cpp_is(words, i + 1, "<"))
            continue;
        const struct host_function *function = find_declared(leaving_out, cpp_word_text(words, i));
        const size_t behind =
            is_launch(words, i + 1) ? i + 1 : cpp_behind_angles(words, i + 1, words->list.count);
        const bool makes = is_launch(words, behind) || (function && function->is_kernel && behind > i + 1);
        if (!function || !makes || !is_out(leaving_out, file, i))
            continue;
        if (behind == i + 1 || !is_made_elsewhere(leaving_out, file, i, behind))
            print_launch(file, i, behind, lines);
    }
}

void host_print_launches(struct leaving_out *leaving_out, struct text *lines)
{
    for (size_t i = 0; i < leaving_out->files.count; i++)
        print_launches_of(leaving_out, &leaving_out->files.items[i], lines);
}

/* --- what is missing ------------------------------------------------------------------------------------ */

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

/* A kernel that is a template is made by its launches: without them it is not there, and another one, also of
 * the same template, would seem to be the only one. */
void compiler_warn_of_launches(struct process_result *result, struct slice launches)
{
    struct slice name, place;
    while (compiler_take_to(&launches, "\t", &name) && compiler_take_to(&launches, "\n", &place))
        if (memchr(name.at, '<', name.length) || !has_kernel(result, name))
            text_print(&result->errors,
                       SLICE_FORMAT ": warning: no launch of '" SLICE_FORMAT
                                    "' compiles: it is a template, and the program has no such kernel\n",
                       SLICE_ARGS(place), SLICE_ARGS(name));
}
