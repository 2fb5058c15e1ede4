/* CUDA C's dynamic shared memory: `extern __shared__ float tile[];`.
 *
 * Takes an array without a size, leaves its elements. How many there are the launch says. The compiler says
 * nothing of the type, for the array is only declared: the text of the declaration has it. Where that is no
 * type that the program's functions tell of, as the parameter of a template, the array is one of bytes. */
#include "debug/expression.h"

#include <stdio.h>
#include <string.h>

#define TYPE_MOST       100 /* bytes of a type's name */
#define DIMENSIONS_MOST 8

/* What is declared: "float", and what stands in brackets behind the name. */
struct declaration {
    char type[TYPE_MOST];
    uint64_t counts[DIMENSIONS_MOST]; /* the first is that of the launch */
    size_t dimensions;
};

/* ---- Texts --------------------------------------------------------------------------------------------- */

/* A word, or a sign; empty at the end. */
static struct slice take(struct slice *rest)
{
    *rest = slice_trim(*rest);
    struct slice word = {rest->at, rest->length > 0};
    while (word.length < rest->length && text_is_word(word.at[0]) && text_is_word(word.at[word.length]))
        word.length++;
    *rest = (struct slice){rest->at + word.length, rest->length - word.length};
    return word;
}

/* Behind what stands in parentheses, if those come next. */
static void pass_parentheses(struct slice *rest)
{
    struct slice behind = *rest;
    unsigned depth = 0;
    do {
        const struct slice word = take(&behind);
        if (word.length == 0 || (depth == 0 && word.at[0] != '('))
            return;
        depth += word.at[0] == '(';
        depth -= word.at[0] == ')';
    } while (depth > 0);
    *rest = behind;
}

static bool is_word(struct slice word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_equal(word, words[i]))
            return true;
    return false;
}

/* "extern __shared__ __align__(16) unsigned char": the type. False: it is not that of such an array. */
static bool read_type(struct slice before, struct declaration *declaration)
{
    static const char *const others[] = {"volatile", "const", "static", "__device__"}, *const with_more[] = {
                                                                                           "__align__",
                                                                                           "alignas",
                                                                                           "__attribute__",
                                                                                           "__declspec"};
    bool is_extern = false, is_shared = false;
    size_t length = 0;
    for (struct slice word; (word = take(&before)).length > 0;) {
        const bool is_more = is_word(word, with_more, HX_COUNT_OF(with_more));
        const bool begins = slice_equal(word, "extern") || slice_equal(word, "__shared__");
        if (is_more)
            pass_parentheses(&before);
        if (begins && !is_extern && !is_shared)
            length = 0; /* what stands before is no part of it: a directive */
        is_extern |= slice_equal(word, "extern");
        is_shared |= slice_equal(word, "__shared__");
        if (is_more || begins || is_word(word, others, HX_COUNT_OF(others)))
            continue;
        if (slice_equal(word, ":")) /* of ns::item the last part is the type's name */
            length = 0;
        else if (length + word.length + 2 < sizeof declaration->type)
            length += (size_t)snprintf(declaration->type + length, sizeof declaration->type - length,
                                       "%s" SLICE_FORMAT, length ? " " : "", SLICE_ARGS(word));
    }
    declaration->type[length] = 0;
    return is_extern && is_shared && length > 0;
}

/* "[]", "[][32]", with a sign behind them. */
static bool read_counts(struct slice behind, struct declaration *declaration)
{
    declaration->dimensions = 0;
    for (;;) {
        struct slice word = take(&behind);
        if (!slice_equal(word, "["))
            return declaration->dimensions > 0 && (slice_equal(word, ";") || slice_equal(word, ","));
        if (declaration->dimensions == DIMENSIONS_MOST)
            return false;
        uint64_t *count = &declaration->counts[declaration->dimensions++];
        *count = 0;
        word = take(&behind);
        if (slice_equal(word, "]") && declaration->dimensions == 1)
            continue;
        if (number_parse_u64(word, count) != NUMBER_OK || *count == 0 || !slice_equal(take(&behind), "]"))
            return false;
    }
}

/* Blanks stand for comments then. */
static void blank_comments(char *text, size_t bytes)
{
    char *const end = text + bytes;
    for (char *at = text; at < end; at++) {
        const bool is_line = at + 1 < end && at[0] == '/' && at[1] == '/',
                   is_block = at + 1 < end && at[0] == '/' && at[1] == '*';
        if (*at == '"' || *at == '\'') {
            const char quote = *at++;
            while (at < end && *at != quote && *at != '\n')
                at += *at == '\\' ? 2 : 1;
        } else if (is_line || is_block) {
            char *behind = memmem(at + 1, (size_t)(end - at - 1), is_line ? "\n" : "*/", is_line ? 1 : 2);
            behind = behind ? behind + (is_line ? 0 : 2) : end;
            memset(at, ' ', (size_t)(behind - at));
            at = behind - 1;
        }
    }
}

static bool find_in(const hx_allocator *allocator, const struct source *source, struct slice name,
                    struct declaration *declaration)
{
    char *const text = source->text ? memory_allocate(allocator, source->bytes + 1, 1) : NULL;
    bool is_found = false;
    if (!text)
        return false;
    memcpy(text, source->text, source->bytes);
    blank_comments(text, source->bytes);
    const char *const end = text + source->bytes;
    for (const char *at = text; !is_found && (at = memmem(at, (size_t)(end - at), name.at, name.length));
         at += name.length) {
        const char *const behind = at + name.length, *begin = at;
        if ((at > text && text_is_word(at[-1])) || (behind < end && text_is_word(*behind)))
            continue;
        while (begin > text && !strchr(";{}", begin[-1]))
            begin--;
        is_found = read_type((struct slice){begin, (size_t)(at - begin)}, declaration) &&
                   read_counts((struct slice){behind, (size_t)(end - behind)}, declaration);
    }
    memory_free(allocator, text);
    return is_found;
}

/* ---- Types --------------------------------------------------------------------------------------------- */

/* The array's type in the source; DWARF_NONE: it is not known. */
static uint32_t find_array_type(struct engine *engine, const struct array *array)
{
    const struct program_debug *debug = hx_context_program(engine->context)->debug;
    const uint64_t bytes = state_array_count(engine, array) * type_bytes(array->type);
    struct declaration declaration;
    bool is_found = false;
    for (size_t i = 0; debug && i < debug->file_count && !is_found; i++)
        is_found = !debug->files[i].is_hidden &&
                   find_in(engine->allocator, debug->files[i].source, slice_of(array->name), &declaration);
    const uint32_t type = is_found ? eval_type(engine, slice_of(declaration.type)) : DWARF_NONE;
    uint64_t one = type == DWARF_NONE ? 0 : dwarf_type_size(&engine->dwarf, type);
    for (size_t i = 1; is_found && i < declaration.dimensions; i++)
        if (__builtin_mul_overflow(one, declaration.counts[i], &one))
            return DWARF_NONE;
    if (one == 0 || bytes < one)
        return DWARF_NONE;
    declaration.counts[0] = bytes / one;
    return dwarf_made_array(&engine->dwarf, type, false, declaration.counts, declaration.dimensions);
}

bool eval_dynamic(struct evaluation *evaluation, const struct array *array, struct value *ret_value)
{
    /* types that are made are entries of their own, and where they are is kept: of const the rest holds */
    struct engine *engine = (struct engine *)evaluation->asker->engine;
    if (evaluation->is_check && engine->dwarf.entries.count > 0) {
        *ret_value = eval_unknown();
        return true;
    }
    if (engine->dynamic.array != array || engine->dynamic.launch != engine->launches) {
        engine->dynamic.array = array;
        engine->dynamic.launch = engine->launches;
        engine->dynamic.type = evaluation->is_check ? DWARF_NONE : find_array_type(engine, array);
    }
    if (engine->dynamic.type == DWARF_NONE)
        return false;
    *ret_value = eval_at(evaluation, engine->dynamic.type, SPACE_SHARED, array->offset);
    return true;
}
