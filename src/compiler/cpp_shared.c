/* `__device__ __shared__ int a[4];` is a shared variable to nvcc, in any order and also in a function, where
 * clang allows no __device__. Takes a text, leaves blanks in the place of that word where it stands in one
 * row of words with __shared__; strings, comments and longer names that have these in them stay. */
#include "compiler/cpp.h"

#include <string.h>

static const char device[] = "__device__", shared[] = "__shared__";

/* Is the word of the same row as the one before it? A directive, which is no word, ends a row. */
static bool goes_on(const struct cpp_words *words, size_t index)
{
    const struct cpp_word *before = &words->list.items[index - 1], *word = &words->list.items[index];
    const size_t from = before->at + before->length;
    return before->kind == CPP_WORD && word->kind == CPP_WORD &&
           !memchr(words->text.at + from, '#', word->at - from);
}

/* Rows from `first` on. */
static void blank_words(const struct cpp_words *words, size_t first, char *bytes)
{
    for (size_t begin = first, end; begin < words->list.count; begin = end) {
        bool is_shared = cpp_is(words, begin, shared);
        for (end = begin + 1; end < words->list.count && goes_on(words, end); end++)
            is_shared |= cpp_is(words, end, shared);
        for (size_t i = begin; i < end && is_shared; i++)
            if (cpp_is(words, i, device))
                memset(bytes + words->list.items[i].at, ' ', sizeof device - 1);
    }
}

/* The text of a macro, behind its name. */
static bool blank_define(const struct cpp_words *words, const struct cpp_word *directive, char *bytes,
                         const hx_allocator *allocator)
{
    struct cpp_words inner;
    struct slice rest;
    if (!cpp_directive_is(words, directive, "define", &rest))
        return true;
    if (cpp_words_read(rest, allocator, &inner) != HX_OK)
        return false;
    blank_words(&inner, 1, bytes + (rest.at - words->text.at));
    cpp_words_done(&inner, allocator);
    return true;
}

bool cpp_blank_device(char *bytes, size_t length, const hx_allocator *allocator)
{
    const struct slice text = {bytes, length};
    struct cpp_words words;
    if (length == 0 || !memmem(bytes, length, device, sizeof device - 1) ||
        !memmem(bytes, length, shared, sizeof shared - 1))
        return true;
    if (cpp_words_read(text, allocator, &words) != HX_OK)
        return false;
    bool is_whole = true;
    for (size_t i = 0; i < words.directives.count && is_whole; i++)
        is_whole = blank_define(&words, &words.directives.items[i], bytes, allocator);
    blank_words(&words, 0, bytes);
    cpp_words_done(&words, allocator);
    return is_whole;
}
