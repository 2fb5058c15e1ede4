/* What of a program's host code is the device's after all: words and macros that say so.
 *
 * Takes the macros that clang defines while it reads the program, leaves the names of those that stand for
 * words of device code, and of those that may declare something whose name is not in sight. */
#include "compiler/host_code.h"

#include <stdlib.h>
#include <string.h>

static const char *const device_words[] = {"__global__",  "__device__",        "__shared__", "__constant__",
                                           "__managed__", "__launch_bounds__", NULL};
static const char *const fixed_words[] = {"constexpr", "consteval", NULL};
static const char *const attributes[] = {"device", "global", "shared", "constant", NULL};

static bool is_one_of(struct slice word, const char *const *list)
{
    for (; *list; list++)
        if (slice_equal(word, *list))
            return true;
    return false;
}

static int compare_names(struct slice a, struct slice b)
{
    const int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare(const void *a, const void *b)
{
    const struct host_macro *left = a, *right = b;
    return compare_names(left->name, right->name);
}

/* The first definition of a name, if it has one. */
static size_t first_of(const struct host_macros *macros, struct slice name)
{
    size_t low = 0, high = macros->list.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_names(macros->list.items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_of(const struct host_macros *macros, size_t index, struct slice name)
{
    return index < macros->list.count && slice_same(macros->list.items[index].name, name);
}

bool host_is_macro(const struct host_macros *macros, struct slice word)
{
    return is_of(macros, first_of(macros, word), word);
}

size_t host_count_macros(const struct host_macros *macros, struct slice name)
{
    const size_t first = first_of(macros, name);
    size_t end = first;
    while (is_of(macros, end, name))
        end++;
    return end - first;
}

bool host_is_device(const struct host_macros *macros, const struct cpp_words *words, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (words->list.items[i].kind != CPP_WORD)
            continue;
        const struct slice word = cpp_word_text(words, i);
        if (is_one_of(word, device_words) ||
            (is_one_of(word, attributes) && i >= 2 && cpp_is(words, i - 1, "(") &&
             cpp_is(words, i + 1, ")") && cpp_is(words, i - 2, "(")))
            return true;
        for (size_t k = first_of(macros, word); is_of(macros, k, word); k++)
            if (macros->list.items[k].is_device)
                return true;
    }
    return false;
}

bool host_has_word(const struct cpp_words *words, size_t first, size_t end, const char *const *list)
{
    for (size_t i = first; i < end; i++)
        if (words->list.items[i].kind == CPP_WORD && is_one_of(cpp_word_text(words, i), list))
            return true;
    return false;
}

bool host_is_fixed(const struct cpp_words *words, size_t first, size_t end)
{
    return host_has_word(words, first, end, fixed_words);
}

/* Is code of the device in a function, or a lambda, which is called by a thread where a kernel is given it?
 */
bool host_has_inner_device(const struct host_macros *macros, const struct cpp_words *words,
                           const struct cpp_piece *function)
{
    for (size_t i = function->head_end + 1; i < function->end; i++)
        if (cpp_is(words, i, "[") && !cpp_is(words, i - 1, ")") && !cpp_is(words, i - 1, "]") &&
            (words->list.items[i - 1].kind == CPP_SIGN || cpp_is(words, i - 1, "return")))
            return true;
    return host_is_device(macros, words, function->head_end, function->end);
}

/* --- macros --------------------------------------------------------------------------------------------- */

static bool is_parameter(const struct host_macro *macro, struct slice word)
{
    for (size_t i = 0; i < macro->body; i++)
        if (slice_same(word, cpp_word_text(&macro->words, i)))
            return true;
    return false;
}

bool host_macro_mentions(const struct host_macro *macro, struct slice word, bool std_is_whole)
{
    const struct cpp_words *words = &macro->words;
    for (size_t i = macro->body; i < words->list.count; i++) {
        if (!slice_same(word, cpp_word_text(words, i)))
            continue;
        const bool is_part = cpp_is(words, i + 1, "#") || (i > macro->body && cpp_is(words, i - 1, "#"));
        const bool is_member = i >= macro->body + 3 && cpp_is(words, i - 1, ":") && cpp_is(words, i - 3, ">");
        const bool is_std = std_is_whole && i >= macro->body + 3 && cpp_is(words, i - 1, ":") &&
                            cpp_is(words, i - 2, ":") && cpp_is(words, i - 3, "std");
        if (!is_part && !is_member && !is_std) /* of another name, of a class, of C++'s own headers */
            return !is_parameter(macro, word);
    }
    return false;
}

/* Is a macro's text none that only does something: statements that declare nothing, or blocks? */
static bool may_declare(const struct host_macros *macros, const struct host_macro *macro)
{
    static const char *const heads[] = {"if", "while", "for", "switch", NULL};
    const struct cpp_words *words = &macro->words;
    const size_t end = words->list.count;
    for (size_t i = macro->body; i < end;) {
        size_t last = i;
        if (cpp_is(words, i, ";") || cpp_is(words, i, "do") || cpp_is(words, i, "else")) {
            i++;
            continue;
        }
        if (cpp_is(words, i, "{") ||
            (is_one_of(cpp_word_text(words, i), heads) && cpp_is(words, i + 1, "("))) {
            i = cpp_behind(words, cpp_is(words, i, "{") ? i : i + 1, end);
            continue;
        }
        while (last < end && !cpp_is(words, last, ";"))
            last = cpp_opens(words, last) ? cpp_behind(words, last, end) : last + 1;
        if (is_parameter(macro, cpp_word_text(words, i)) || !cpp_is_action(words, 0, i, last) ||
            host_hides_names(macros, words, i, last))
            return true;
        i = last;
    }
    return false;
}

/* const int, api::type, __attribute__((...)): no name behind a type. */
static bool is_type(const struct host_macro *macro)
{
    static const char *const others[] = {";", "=", "{", ",", "}", NULL};
    const struct cpp_words *words = &macro->words;
    size_t names = 0;
    for (size_t i = macro->body; i < words->list.count; i++) {
        if (is_one_of(cpp_word_text(words, i), others))
            return false;
        names += words->list.items[i].kind == CPP_WORD && !cpp_is_keyword(words, i) &&
                 !(i >= 1 && cpp_is(words, i - 1, ":"));
        if (cpp_is(words, i, "("))
            i = cpp_behind(words, i, words->list.count) - 1;
    }
    return macro->body == 0 && names <= 1;
}

bool host_hides_names(const struct host_macros *macros, const struct cpp_words *words, size_t first,
                      size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct slice word = cpp_word_text(words, i);
        const bool has_more = i + 1 < end && (words->list.items[i + 1].kind == CPP_WORD ||
                                              cpp_is(words, i + 1, "*") || cpp_is(words, i + 1, "&") ||
                                              cpp_is(words, i + 1, "<") || cpp_is(words, i + 1, ":"));
        for (size_t k = first_of(macros, word); is_of(macros, k, word); k++) {
            const struct host_macro *macro = &macros->list.items[k];
            if (macro->declares && (macro->body > 0   ? cpp_is(words, i + 1, "(")
                                    : !macro->is_type ? true
                                                      : i == first && !has_more))
                return true;
        }
        if (cpp_opens(words, i))
            i = cpp_behind(words, i, end) - 1;
    }
    return false;
}

/* --- names that may be declared ------------------------------------------------------------------------- */

struct gathering {
    const struct host_macros *macros;
    const hx_allocator *allocator;
    LIST(struct slice) names;
    bool has_failed, has_pasted;
};

static bool has_name(const struct gathering *gathering, struct slice name)
{
    for (size_t i = 0; i < gathering->names.count; i++)
        if (slice_same(name, gathering->names.items[i]))
            return true;
    return false;
}

/* Names, and those that are in the texts of macros. */
static void gather(struct gathering *gathering, const struct cpp_words *words, size_t first, size_t end)
{
    size_t next = gathering->names.count;
    for (size_t i = first; i < end; i++) {
        gathering->has_pasted |= cpp_is(words, i, "#") && cpp_is(words, i + 1, "#");
        if (words->list.items[i].kind != CPP_WORD || cpp_is_keyword(words, i) ||
            has_name(gathering, cpp_word_text(words, i)))
            continue;
        gathering->has_failed |= !LIST_PUSH(gathering->allocator, &gathering->names, cpp_word_text(words, i));
    }
    for (; next < gathering->names.count && !gathering->has_failed; next++) {
        const struct slice name = gathering->names.items[next];
        for (size_t k = first_of(gathering->macros, name); is_of(gathering->macros, k, name); k++) {
            const struct host_macro *macro = &gathering->macros->list.items[k];
            for (size_t i = macro->body; i < macro->words.list.count && !gathering->has_failed; i++) {
                const struct slice word = cpp_word_text(&macro->words, i);
                gathering->has_pasted |= cpp_is(&macro->words, i, "#") && cpp_is(&macro->words, i + 1, "#");
                if (macro->words.list.items[i].kind == CPP_WORD && !cpp_is_keyword(&macro->words, i) &&
                    !is_parameter(macro, word) && !has_name(gathering, word))
                    gathering->has_failed |= !LIST_PUSH(gathering->allocator, &gathering->names, word);
            }
        }
    }
}

/* Does a word stand there, or come there from a macro, that is one of the names, and no macro itself? */
static bool are_mentioned(struct gathering *names, const struct cpp_words *words, size_t first, size_t end)
{
    struct gathering of_macros = {.macros = names->macros, .allocator = names->allocator};
    bool is_mentioned = false;
    size_t kept = 0;
    for (size_t i = 0; i < names->names.count; i++)
        if (!host_is_macro(names->macros, names->names.items[i]))
            names->names.items[kept++] = names->names.items[i];
    names->names.count = kept;
    for (size_t i = first; i < end && !is_mentioned && kept > 0; i++) {
        if (words->list.items[i].kind != CPP_WORD)
            continue;
        is_mentioned = has_name(names, cpp_word_text(words, i));
        if (!is_mentioned && host_is_macro(names->macros, cpp_word_text(words, i)))
            gather(&of_macros, words, i, i + 1);
    }
    for (size_t i = 0; i < kept && !is_mentioned; i++)
        is_mentioned = has_name(&of_macros, names->names.items[i]);
    names->has_failed |= of_macros.has_failed;
    LIST_DONE(names->allocator, &of_macros.names);
    return is_mentioned;
}

hx_status host_names_are_used(const struct host_macros *macros, const struct cpp_words *words,
                              const struct cpp_piece *piece, size_t end, const hx_allocator *allocator,
                              bool *ret_are_used)
{
    struct gathering here = {.macros = macros, .allocator = allocator};
    gather(&here, words, piece->first, piece->end);
    *ret_are_used = here.has_pasted || are_mentioned(&here, words, piece->end, end);
    LIST_DONE(allocator, &here.names);
    return here.has_failed ? HX_NO_MEMORY : HX_OK;
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static void add_macro(struct compiling *compiling, struct host_macros *macros, struct slice definition)
{
    struct host_macro macro = {0};
    size_t length = 0;
    while (length < definition.length && text_is_word(definition.at[length]))
        length++;
    macro.name = (struct slice){definition.at, length};
    if (length == 0 || slice_starts_with(macro.name, "__HEXEC"))
        return;
    const bool has_parameters = length < definition.length && definition.at[length] == '(';
    if (cpp_words_read((struct slice){definition.at + length, definition.length - length},
                       compiling->allocator, &macro.words) != HX_OK) {
        macros->has_failed = true;
        return;
    }
    macro.body = has_parameters ? cpp_behind(&macro.words, 0, macro.words.list.count) : 0;
    macro.is_type = is_type(&macro);
    macro.is_device = host_is_fixed(&macro.words, macro.body, macro.words.list.count);
    if (LIST_PUSH(compiling->allocator, &macros->list, macro))
        return;
    cpp_words_done(&macro.words, compiling->allocator);
    macros->has_failed = true;
}

/* A macro may be made of others, those of others. */
static void mark_macros(struct host_macros *macros)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = 0; i < macros->list.count; i++) {
            struct host_macro *macro = &macros->list.items[i];
            const bool is_device = macro->is_device || host_is_device(macros, &macro->words, macro->body,
                                                                      macro->words.list.count);
            const bool declares = macro->declares || may_declare(macros, macro);
            has_changed |= is_device != macro->is_device || declares != macro->declares;
            macro->is_device = is_device;
            macro->declares = declares;
        }
    }
}

/* Of all that there is at some place. */
hx_status host_find_macros(struct compiling *compiling, struct host_macros *macros)
{
    static const char *const last[] = {"-E", "-dD", "-o-", "-", NULL};
    struct process_result result HX_AUTO(process_result_done) = {0};
    const hx_status status = compiler_run_clang(
        compiling, (struct slice){compiling->input.at, compiling->input.length}, last, &result);
    if (status != HX_OK || !result.output.at)
        return status;
    const char *kept = arena_copy(&compiling->arena, result.output.at, result.output.length);
    struct slice text = {kept, result.output.length}, definition;
    macros->has_failed |= !kept;
    while (!macros->has_failed && compiler_take_to(&text, "\n", &definition))
        if (compiler_take(&definition, "#define "))
            add_macro(compiling, macros, definition);
    if (macros->has_failed)
        return HX_NO_MEMORY;
    if (macros->list.count > 1)
        qsort(macros->list.items, macros->list.count, sizeof *macros->list.items, compare);
    mark_macros(macros);
    return HX_OK;
}

void host_macros_done(struct host_macros *macros, const hx_allocator *allocator)
{
    for (size_t i = 0; i < macros->list.count; i++)
        cpp_words_done(&macros->list.items[i].words, allocator);
    LIST_DONE(allocator, &macros->list);
}
