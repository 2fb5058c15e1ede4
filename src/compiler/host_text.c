/* Texts of programs without the host code that was taken out.
 *
 * Takes a file and the levels of its pieces. A statement becomes a call of a function of the host
 * (cuda/cuda_left_out.h), so that device code which would reach it is an error; variables become references
 * that nobody can use, those outside of functions overloaded functions, of which there is not even a type;
 * other names of declarations are poisoned: nothing else may have the name from there on, in device code
 * above all. Directives stay. */
#include "compiler/host_code.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the text, and what stands in their place. */
struct edit {
    size_t begin, end;
    struct text replacement;
    bool needs_line; /* the replacement has lines of its own */
};
struct writing {
    struct host_file *file;
    const hx_allocator *allocator;
    LIST(struct edit) edits;
    bool has_failed;
};

static size_t begin_of(const struct host_file *file, size_t word)
{
    return file->words.list.items[word].at;
}

static size_t end_of(const struct host_file *file, size_t word)
{
    return begin_of(file, word) + file->words.list.items[word].length;
}

size_t host_outermost_out(const struct host_file *file, size_t piece)
{
    size_t found = CPP_NONE;
    for (; piece != CPP_NONE; piece = file->pieces.list.items[piece].parent)
        found = file->levels[piece] == HOST_OUT ? piece : found;
    return found;
}

/* --- parts ---------------------------------------------------------------------------------------------- */

bool host_count_name(void *user, struct slice name)
{
    (void)name;
    ++*(size_t *)user;
    return true;
}

struct naming {
    struct text *text;
    const char *between, *before, *behind;
    size_t count;
};

static bool write_name(void *user, struct slice name)
{
    struct naming *naming = user;
    text_print(naming->text, "%s%s" SLICE_FORMAT "%s", naming->count++ ? naming->between : "", naming->before,
               SLICE_ARGS(name), naming->behind);
    return !naming->text->failed;
}

/* auto &a = ..., &b = ...; or a call. False: it declares other things. */
static bool write_locals(const struct host_file *file, const struct cpp_piece *piece, struct text *to)
{
    struct naming naming = {.text = to, .between = ", ", .before = "&", .behind = " = ::__hexec_left_out()"};
    bool are_variables = false;
    size_t count = 0;
    if (!cpp_names_of(&file->words, piece, host_count_name, &count, &are_variables) ||
        (count > 0 && !are_variables))
        return false;
    text_print(to, count > 0 ? "auto " : "::__hexec_left_out()");
    (void)cpp_names_of(&file->words, piece, write_name, &naming, &are_variables);
    text_print(to, ";");
    return true;
}

/* if (value), for (what it declares;;): the names must not become those of another scope. */
static bool part_of_control(const struct host_file *file, const struct cpp_piece *piece, size_t *ret_first,
                            size_t *ret_end, struct text *ret_replacement)
{
    const struct cpp_words *words = &file->words;
    const bool is_for = cpp_is(words, piece->first, "for");
    bool are_variables;
    size_t count = 0;
    if (piece->head_end < piece->first + 3 || cpp_is(words, piece->first, "switch") ||
        !cpp_is(words, piece->head_end - 1, ")"))
        return false;
    *ret_first = piece->first + 2 + cpp_is(words, piece->first + 1, "constexpr");
    *ret_end = piece->head_end - 1;
    struct cpp_piece head = {.kind = CPP_STATEMENT, .first = *ret_first, .end = *ret_first};
    while (head.end < *ret_end && !cpp_is(words, head.end, ";"))
        head.end = cpp_is(words, head.end, "(") || cpp_is(words, head.end, "{")
                       ? cpp_behind(words, head.end, *ret_end)
                       : head.end + 1;
    if (is_for)
        return write_locals(file, &head, ret_replacement) && (text_print(ret_replacement, ";"), true);
    if (head.end < *ret_end || !cpp_names_of(words, &head, host_count_name, &count, &are_variables) ||
        count > 0)
        return false;
    text_print(ret_replacement, "::__hexec_value()");
    return *ret_first < *ret_end;
}

/* kernel<int><<<...>>>(...); not one in brackets, such as those of a macro, whose names are known there alone
 */
static bool part_of_launch(const struct host_file *file, const struct cpp_piece *piece, size_t *ret_first,
                           size_t *ret_end, struct text *ret_replacement)
{
    const struct cpp_words *words = &file->words;
    for (size_t i = piece->first + 1; i + 2 < piece->end; i++) {
        if (cpp_opens(words, i))
            i = cpp_behind(words, i, piece->end) - 1;
        if (!cpp_is(words, i, "<") || !cpp_is(words, i + 1, "<") || !cpp_is(words, i + 2, "<"))
            continue;
        if (!cpp_is(words, i - 1, ">"))
            return false;
        *ret_first = piece->first;
        *ret_end = piece->end;
        const size_t begin = begin_of(file, piece->first), end = end_of(file, i - 1);
        text_print(ret_replacement, "(void)&");
        for (size_t at = begin; at < end; at++) /* its place is that of the first line */
            text_append(ret_replacement, words->text.at[at] == '\n' ? " " : &words->text.at[at], 1);
        text_print(ret_replacement, ", ::__hexec_left_out();");
        return true;
    }
    return false;
}

/* TYPE NAME = VALUE; with a type that is known. */
static bool part_of_variable(const struct host_file *file, const struct cpp_piece *piece, size_t *ret_first,
                             size_t *ret_end, struct text *ret_replacement)
{
    const struct cpp_words *words = &file->words;
    size_t count = 0, value = piece->first;
    bool are_variables;
    if (!cpp_names_of(words, piece, host_count_name, &count, &are_variables) || !are_variables || count != 1)
        return false;
    for (; value < piece->end && !cpp_is(words, value, "="); value++)
        if (cpp_is(words, value, "auto") || cpp_is(words, value, "[") || cpp_is(words, value, "&"))
            return false;
    *ret_first = value + 1;
    *ret_end = piece->end - 1;
    text_print(ret_replacement, "::__hexec_value()");
    return *ret_first < *ret_end;
}

bool host_part_of(const struct host_file *file, size_t index, size_t *ret_first, size_t *ret_end,
                  struct text *ret_replacement)
{
    const struct cpp_piece *piece = &file->pieces.list.items[index];
    if (piece->kind == CPP_CONTROL)
        return part_of_control(file, piece, ret_first, ret_end, ret_replacement);
    if (piece->kind != CPP_STATEMENT)
        return false;
    return part_of_launch(file, piece, ret_first, ret_end, ret_replacement) ||
           part_of_variable(file, piece, ret_first, ret_end, ret_replacement);
}

/* --- replacements --------------------------------------------------------------------------------------- */

static bool write_variable(void *user, struct slice name)
{
    struct naming *naming = user;
    text_print(naming->text, "%s" SLICE_FORMAT "(::__hexec_gone *), " SLICE_FORMAT "(::__hexec_gone **)",
               naming->count++ ? ", " : "static void ", SLICE_ARGS(name), SLICE_ARGS(name));
    return !naming->text->failed;
}

/* Stands only outside of functions: should the brackets of the file be others than they seem, this is an
 * error, and no code of a function is lost. */
static const char outside[] = "namespace {} ";

/* The rest of the line is where it was. */
static void go_on_at(const struct host_file *file, size_t at, struct text *to)
{
    const size_t line = cpp_line_of(&file->words, at);
    text_print(to, "\n#line %zu\n%*s", line, (int)(at - file->words.lines.items[line - 1]), "");
}

static void write_poison(const struct host_file *file, const struct cpp_piece *piece, struct edit *edit)
{
    struct naming naming = {.text = &edit->replacement, .between = " ", .before = "", .behind = ""};
    bool are_variables;
    const char *before = piece->kind == CPP_STATEMENT ? "" : outside;
    text_print(&edit->replacement, "%s\n#pragma GCC poison ", before);
    if (cpp_names_of(&file->words, piece, write_name, &naming, &are_variables) && naming.count > 0) {
        edit->needs_line = true;
        return;
    }
    edit->replacement.length = 0;
    text_print(&edit->replacement, "%s", before);
}

/* Should the header be there some day, all is decided anew. */
static void write_include(const struct host_file *file, const struct cpp_piece *piece, struct edit *edit)
{
    struct slice rest = {0};
    (void)cpp_directive_is(&file->words, &file->words.directives.items[piece->first], "include", &rest);
    const char *end = memchr(rest.at, '>', rest.length);
    const size_t length = end ? (size_t)(end - rest.at) + 1 : rest.length;
    text_print(&edit->replacement, "\n#if __has_include(%.*s)\n#error a header that was left out\n#endif\n%s",
               (int)length, rest.at, outside);
    edit->needs_line = true;
}

static void write_define(const struct host_file *file, const struct cpp_piece *piece, struct edit *edit)
{
    struct slice rest = {0};
    size_t length = 0;
    (void)cpp_directive_is(&file->words, &file->words.directives.items[piece->first], "define", &rest);
    while (length < rest.length && text_is_word(rest.at[length]))
        length++;
    text_print(&edit->replacement, "\n#pragma GCC poison %.*s", (int)length, rest.at);
    edit->needs_line = true;
}

static void write_statement(const struct host_file *file, const struct cpp_piece *piece, struct edit *edit)
{
    if (!write_locals(file, piece, &edit->replacement))
        write_poison(file, piece, edit);
}

static void write_declaration(const struct host_file *file, const struct cpp_piece *piece, struct edit *edit)
{
    struct naming naming = {.text = &edit->replacement};
    bool are_variables = false;
    size_t count = 0;
    (void)cpp_names_of(&file->words, piece, host_count_name, &count, &are_variables);
    if (!are_variables) {
        write_poison(file, piece, edit);
        return;
    }
    text_print(&edit->replacement, "%s", outside);
    (void)cpp_names_of(&file->words, piece, write_variable, &naming, &are_variables);
    text_print(&edit->replacement, ";");
}

static bool edit_of(const struct host_file *file, size_t index, struct edit *edit)
{
    const struct cpp_piece *piece = &file->pieces.list.items[index];
    size_t first, end;
    edit->begin = piece->begin_at;
    edit->end = piece->end_at;
    if (file->levels[index] == HOST_PART) {
        if (!host_part_of(file, index, &first, &end, &edit->replacement))
            return false;
        edit->begin = begin_of(file, first);
        edit->end = end_of(file, end - 1);
    } else if (piece->kind == CPP_INCLUDE) {
        write_include(file, piece, edit);
    } else if (piece->kind == CPP_DEFINE) {
        write_define(file, piece, edit);
    } else if (piece->kind == CPP_STATEMENT || piece->kind == CPP_CONTROL) {
        write_statement(file, piece, edit);
    } else if (piece->kind == CPP_DECLARATION) {
        write_declaration(file, piece, edit);
    } else {
        write_poison(file, piece, edit);
    }
    return true;
}

/* --- the text ------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct edit *left = a, *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return left->end > right->end ? -1 : left->end < right->end;
}

static void append(struct writing *writing, size_t begin, size_t end)
{
    text_append(&writing->file->made, writing->file->words.text.at + begin, end - begin);
}

/* Lines and directives of what was taken out; `next` is the edit behind it, which may be one of a directive.
 */
static void append_lines(struct writing *writing, const struct edit *edit, size_t *next)
{
    struct text *made = &writing->file->made;
    const struct slice text = writing->file->words.text;
    for (size_t at = edit->begin; at < edit->end; at++) {
        const struct cpp_word *directive =
            text.at[at] == '#' && at > edit->begin ? cpp_directive_at(&writing->file->words, at) : NULL;
        directive = directive && directive->at == at ? directive : NULL;
        while (*next < writing->edits.count && writing->edits.items[*next].begin < at)
            ++*next;
        const struct edit *inner = *next < writing->edits.count ? &writing->edits.items[*next] : NULL;
        if (directive && inner && inner->begin == at) {
            text_append(made, inner->replacement.at, inner->replacement.length);
            go_on_at(writing->file, inner->end, made);
            at = inner->end - 1;
        } else if (directive) {
            append(writing, at, at + directive->length);
            at += directive->length - 1;
        } else if (text.at[at] == '\n') {
            text_append(made, "\n", 1);
        }
    }
}

static void append_edit(struct writing *writing, const struct edit *edit, size_t *next)
{
    struct text *made = &writing->file->made;
    const struct slice text = writing->file->words.text;
    const size_t bytes = edit->end - edit->begin;
    const bool has_lines = memchr(text.at + edit->begin, '\n', bytes) != NULL;
    text_append(made, edit->replacement.at ? edit->replacement.at : "", edit->replacement.length);
    if (edit->needs_line)
        go_on_at(writing->file, edit->begin, made);
    if (has_lines) {
        append_lines(writing, edit, next);
        const size_t line = cpp_line_of(&writing->file->words, edit->end);
        text_print(made, "%*s", (int)(edit->end - writing->file->words.lines.items[line - 1]), "");
    } else if (edit->needs_line || edit->replacement.length <= bytes) {
        text_print(made, "%*s", (int)(bytes - (edit->needs_line ? 0 : edit->replacement.length)), "");
    } else {
        go_on_at(writing->file, edit->end, made);
    }
}

static void find_edits(struct writing *writing)
{
    const struct host_file *file = writing->file;
    for (size_t i = 0; i < file->pieces.list.count; i++) {
        struct edit edit = {.replacement.allocator = writing->allocator};
        const size_t out = host_outermost_out(file, i);
        if (file->levels[i] == HOST_WHOLE || (out != CPP_NONE && out != i) || !edit_of(file, i, &edit))
            continue;
        const bool is_kept = LIST_PUSH(writing->allocator, &writing->edits, edit);
        writing->has_failed |= edit.replacement.failed || !is_kept;
        if (!is_kept)
            text_done(&edit.replacement);
    }
    if (writing->edits.count > 1)
        qsort(writing->edits.items, writing->edits.count, sizeof *writing->edits.items, compare);
}

hx_status host_file_write(struct host_file *file, const hx_allocator *allocator)
{
    struct writing writing = {.file = file, .allocator = allocator};
    size_t at = 0;
    file->made.length = 0;
    find_edits(&writing);
    for (size_t i = 0; i < writing.edits.count && !writing.has_failed;) {
        const struct edit *edit = &writing.edits.items[i++];
        if (edit->begin < at)
            continue;
        append(&writing, at, edit->begin);
        append_edit(&writing, edit, &i);
        at = edit->end;
    }
    append(&writing, at, file->words.text.length);
    for (size_t i = 0; i < writing.edits.count; i++)
        text_done(&writing.edits.items[i].replacement);
    LIST_DONE(allocator, &writing.edits);
    return writing.has_failed || file->made.failed ? HX_NO_MEMORY : HX_OK;
}
