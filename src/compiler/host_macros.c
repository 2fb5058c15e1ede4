/* What of a program's host code is the device's after all: words and macros that say so.
 *
 * Takes the macros that clang defines while it reads the program, leaves the names of those that stand for
 * words of device code, and of those that may declare something whose name is not in sight. */
#include "compiler/host_code.h"

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
        for (size_t k = 0; k < macros->device.count; k++)
            if (slice_same(word, macros->device.items[k]))
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

static void add_macro(struct compiling *compiling, struct host_macros *macros, struct slice name,
                      bool declares)
{
    const hx_allocator *allocator = compiling->allocator;
    const char *kept = arena_copy(&compiling->arena, name.at, name.length);
    const struct slice copy = {kept, name.length};
    const bool is_kept = kept && (declares ? LIST_PUSH(allocator, &macros->declaring, copy)
                                           : LIST_PUSH(allocator, &macros->device, copy));
    macros->has_failed |= !is_kept;
}

/* Is a macro's text none that only does something: (...), {...}, do, if, f(...)? */
static bool may_declare(const struct cpp_words *words, size_t first)
{
    static const char *const others[] = {"(", "{", "do", "if", "while", "for", "switch", "return", "#", NULL};
    for (size_t i = 0; others[i]; i++)
        if (cpp_is(words, first, others[i]))
            return false;
    return first < words->list.count && words->list.items[first].kind == CPP_WORD &&
           !cpp_is(words, first + 1, "(");
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

/* A macro whose text has a word of device code, or another such macro. */
static void note_macro(struct compiling *compiling, struct host_macros *macros, struct slice definition)
{
    struct cpp_words words;
    size_t length = 0;
    while (length < definition.length && text_is_word(definition.at[length]))
        length++;
    const struct slice name = {definition.at, length};
    if (length == 0 || slice_starts_with(name, "__HEXEC"))
        return;
    if (cpp_words_read((struct slice){definition.at + length, definition.length - length},
                       compiling->allocator, &words) != HX_OK) {
        macros->has_failed = true;
        return;
    }
    const bool has_parameters = length < definition.length && definition.at[length] == '(';
    if (host_is_device(macros, &words, 0, words.list.count) || host_is_fixed(&words, 0, words.list.count))
        add_macro(compiling, macros, name, false);
    if (may_declare(&words, has_parameters ? cpp_behind(&words, 0, words.list.count) : 0))
        add_macro(compiling, macros, name, true);
    cpp_words_done(&words, compiling->allocator);
}

bool host_hides_names(const struct host_macros *macros, const struct cpp_words *words, size_t first,
                      size_t end)
{
    for (size_t i = first; i < end; i++) {
        const bool is_alone = i == first && i + 1 < end && cpp_is(words, i + 1, ";");
        for (size_t k = 0; k < macros->declaring.count && (is_alone || cpp_is(words, i + 1, "(")); k++)
            if (slice_same(cpp_word_text(words, i), macros->declaring.items[k]))
                return true;
        if (cpp_is(words, i, "(") || cpp_is(words, i, "{") || cpp_is(words, i, "["))
            i = cpp_behind(words, i, end) - 1;
    }
    return false;
}

/* Of all that there is at some place. Twice, as a macro may be made of one that is defined behind it. */
hx_status host_find_macros(struct compiling *compiling, struct host_macros *macros)
{
    static const char *const last[] = {"-E", "-dD", "-o-", "-", NULL};
    struct process_result result HX_AUTO(process_result_done) = {0};
    const hx_status status = compiler_run_clang(
        compiling, (struct slice){compiling->input.at, compiling->input.length}, last, &result);
    for (int pass = 0; pass < 2 && status == HX_OK; pass++) {
        struct slice text = {result.output.at ? result.output.at : "", result.output.length};
        struct slice definition;
        while (compiler_take_to(&text, "\n", &definition))
            if (compiler_take(&definition, "#define "))
                note_macro(compiling, macros, definition);
    }
    return macros->has_failed ? HX_NO_MEMORY : status;
}

void host_macros_done(struct host_macros *macros, const hx_allocator *allocator)
{
    LIST_DONE(allocator, &macros->device);
    LIST_DONE(allocator, &macros->declaring);
}
