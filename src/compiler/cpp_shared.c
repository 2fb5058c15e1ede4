/* Variables that nvcc takes and clang does not, in a text that keeps its length; strings, comments and longer
 * names that have these words in them stay.
 *
 * `__device__ __shared__ int a[4];` is a shared variable to nvcc, in any order and also in a function, where
 * clang allows no __device__: blanks stand for that word where it is in one row of words with __shared__.
 *
 * `__shared__ alignas(16) int a[4];`: to clang __shared__ is an attribute of GNU C, behind which none of C++
 * may stand. It may at the head of the declaration, so alignas changes places with such words before it. */
#include "compiler/cpp.h"

#include <string.h>

static const char device[] = "__device__", shared[] = "__shared__", align[] = "alignas";
static const char *const spaces[] = {device, shared, "__constant__", "__managed__"};

/* Is the word of the same row as the one before it? A directive, which is no word, ends a row. */
static bool goes_on(const struct cpp_words *words, size_t index)
{
    const struct cpp_word *before = &words->list.items[index - 1], *word = &words->list.items[index];
    const size_t from = before->at + before->length;
    return before->kind == CPP_WORD && word->kind == CPP_WORD &&
           !memchr(words->text.at + from, '#', word->at - from);
}

/* A word that says where a variable lies, or the blanks that were __device__. */
static bool is_space(const struct cpp_words *words, size_t index, const char *bytes)
{
    bool is_one = bytes[words->list.items[index].at] == ' ';
    for (size_t i = 0; i < HX_COUNT_OF(spaces); i++)
        is_one |= cpp_is(words, index, spaces[i]);
    return is_one;
}

static void reverse(char *bytes, size_t length)
{
    for (size_t i = 0; i < length / 2; i++) {
        const char byte = bytes[i];
        bytes[i] = bytes[length - 1 - i];
        bytes[length - 1 - i] = byte;
    }
}

/* Puts the alignas at the end of a row, which begins at `begin`, before the words that belong to its
 * variable. */
static void move_align(const struct cpp_words *words, size_t begin, size_t at, char *bytes)
{
    size_t first = at;
    while (first > begin && is_space(words, first - 1, bytes))
        first--;
    const size_t end = cpp_behind(words, at + 1, words->list.count);
    if (first == at || !cpp_is(words, at + 1, "(") || !cpp_is(words, end - 1, ")"))
        return;
    const struct cpp_word *last = &words->list.items[end - 1];
    const size_t from = words->list.items[first].at, before = words->list.items[at].at - from;
    const size_t length = last->at + last->length - from;
    reverse(bytes + from, before);
    reverse(bytes + from + before, length - before);
    reverse(bytes + from, length);
}

/* Rows from `first` on. */
static void correct_words(const struct cpp_words *words, size_t first, char *bytes)
{
    for (size_t begin = first, end; begin < words->list.count; begin = end) {
        bool is_shared = cpp_is(words, begin, shared);
        for (end = begin + 1; end < words->list.count && goes_on(words, end); end++)
            is_shared |= cpp_is(words, end, shared);
        for (size_t i = begin; i < end && is_shared; i++)
            if (cpp_is(words, i, device))
                memset(bytes + words->list.items[i].at, ' ', sizeof device - 1);
        if (cpp_is(words, end - 1, align))
            move_align(words, begin, end - 1, bytes);
    }
}

/* The text of a macro, behind its name. */
static bool correct_define(const struct cpp_words *words, const struct cpp_word *directive, char *bytes,
                           const hx_allocator *allocator)
{
    struct cpp_words inner;
    struct slice rest;
    if (!cpp_directive_is(words, directive, "define", &rest))
        return true;
    if (cpp_words_read(rest, allocator, &inner) != HX_OK)
        return false;
    correct_words(&inner, 1, bytes + (rest.at - words->text.at));
    cpp_words_done(&inner, allocator);
    return true;
}

static bool has(struct slice text, const char *word)
{
    return memmem(text.at, text.length, word, strlen(word)) != NULL;
}

static bool may_have_any(struct slice text)
{
    bool has_space = false;
    for (size_t i = 0; i < HX_COUNT_OF(spaces); i++)
        has_space |= has(text, spaces[i]);
    return (has(text, device) && has(text, shared)) || (has_space && has(text, align));
}

bool cpp_correct_variables(char *bytes, size_t length, const hx_allocator *allocator)
{
    const struct slice text = {bytes, length};
    struct cpp_words words;
    if (length == 0 || !may_have_any(text))
        return true;
    if (cpp_words_read(text, allocator, &words) != HX_OK)
        return false;
    bool is_whole = true;
    for (size_t i = 0; i < words.directives.count && is_whole; i++)
        is_whole = correct_define(&words, &words.directives.items[i], bytes, allocator);
    correct_words(&words, 0, bytes);
    cpp_words_done(&words, allocator);
    return is_whole;
}
