/* Changes to a text of PTX that leave most of it right, so that what is tried reaches the importer behind the
 * parser: statements are dropped, doubled and exchanged, and words are replaced by others of their kind. A
 * change is a function of the text and the seed alone. */
#pragma once

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mutation {
    uint8_t *text;
    size_t length, most; /* bytes of the text, and room for them */
    uint64_t state;      /* of the random numbers */
};

/* Bytes of the text, from `at` on. */
struct span {
    size_t at, length;
};

static inline size_t mutation_below(struct mutation *mutation, size_t count)
{
    return count ? (size_t)(random_next(&mutation->state) % count) : 0;
}

/* Puts bytes, which may lie in the text itself, in the place of a span. */
static inline void mutation_replace(struct mutation *mutation, struct span span, const void *bytes,
                                    size_t count)
{
    uint8_t copy[512];
    count = count < sizeof copy ? count : sizeof copy;
    if (mutation->length - span.length + count > mutation->most)
        return;
    memcpy(copy, bytes, count);
    memmove(mutation->text + span.at + count, mutation->text + span.at + span.length,
            mutation->length - span.at - span.length);
    memcpy(mutation->text + span.at, copy, count);
    mutation->length += count - span.length;
}

static inline void mutation_replace_text(struct mutation *mutation, struct span span, const char *text)
{
    mutation_replace(mutation, span, text, strlen(text));
}

/* --- statements ----------------------------------------------------------------------------------------- */

static inline bool mutation_ends_statement(uint8_t byte)
{
    return byte == ';' || byte == '{' || byte == '}' || byte == '\n';
}

/* A statement, a brace or a line that is chosen by chance; empty when the text is. */
static inline struct span mutation_statement(struct mutation *mutation)
{
    const size_t inside = mutation_below(mutation, mutation->length);
    size_t start = inside, end = inside;
    while (start > 0 && !mutation_ends_statement(mutation->text[start - 1]))
        start--;
    while (end < mutation->length && !mutation_ends_statement(mutation->text[end]))
        end++;
    return (struct span){start, end - start + (end < mutation->length)};
}

static inline void mutation_exchange(struct mutation *mutation)
{
    const struct span a = mutation_statement(mutation), b = mutation_statement(mutation);
    uint8_t copy[256];
    const struct span first = a.at < b.at ? a : b, second = a.at < b.at ? b : a;
    if (first.at + first.length > second.at || first.length > sizeof copy)
        return;
    memcpy(copy, mutation->text + first.at, first.length);
    const size_t before = mutation->length;
    mutation_replace(mutation, first, mutation->text + second.at, second.length);
    mutation_replace(mutation, (struct span){second.at + mutation->length - before, second.length}, copy,
                     first.length);
}

/* --- words ---------------------------------------------------------------------------------------------- */

enum mutation_kind { MUTATION_NAME, MUTATION_REGISTER, MUTATION_PART, MUTATION_NUMBER, MUTATION_SIGN };

static inline bool mutation_is_word(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '_' || byte == '$';
}

/* A word that is chosen by chance, with the sign before it that tells its kind. */
static inline struct span mutation_word(struct mutation *mutation, enum mutation_kind *ret_kind)
{
    const size_t inside = mutation_below(mutation, mutation->length);
    size_t start = inside, end = inside;
    while (start > 0 && mutation_is_word(mutation->text[start - 1]))
        start--;
    while (end < mutation->length && mutation_is_word(mutation->text[end]))
        end++;
    if (start == end) {
        *ret_kind = MUTATION_SIGN;
        return (struct span){start, end < mutation->length};
    }
    const uint8_t before = start > 0 ? mutation->text[start - 1] : ' ', first = mutation->text[start];
    *ret_kind = before == '%'                  ? MUTATION_REGISTER
                : before == '.'                ? MUTATION_PART
                : first >= '0' && first <= '9' ? MUTATION_NUMBER
                                               : MUTATION_NAME;
    return (struct span){start, end - start};
}

/* Another word of the same kind, from elsewhere in the text. */
static inline void mutation_copy_word(struct mutation *mutation)
{
    enum mutation_kind kind, other;
    const struct span to = mutation_word(mutation, &kind);
    for (unsigned tries = 0; tries < 64; tries++) {
        const struct span from = mutation_word(mutation, &other);
        if (kind == other) {
            mutation_replace(mutation, to, mutation->text + from.at, from.length);
            return;
        }
    }
}

/* Types, spaces, limits of numbers, signs and opcodes that a text need not have. */
static inline void mutation_new_word(struct mutation *mutation)
{
    static const char *const parts[] = {
        "u8",   "s16", "u32", "s64", "b128",   "f16",    "f16x2", "bf16", "f32",   "f64",   "pred",
        "b1",   "v2",  "v4",  "v8",  "global", "shared", "const", "reg",  "local", "param", "align",
        "wide", "sat", "cc",  "x",   "texref", "e4m3x2", "ptr",   "uni",  "sync",  "entry"};
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "31",
                                          "32",
                                          "256",
                                          "4096",
                                          "65536",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "0x",
                                          "0f7FC00000",
                                          "0d7FF0000000000000",
                                          "1e999",
                                          "0b2",
                                          "3",
                                          "1048576"};
    static const char *const signs[] = {"{", "}", "(", ")", "[", "]",  "<",  ">", ",", ";", ":",  "=",
                                        "|", "+", "-", "!", "@", "\"", "/*", "_", "%", ".", "\\", "\r\n"};
    static const char *const names[] = {"call", "ret",     "bra",  "brx.idx", "ld",   "st",  "mov",
                                        "vadd", "mma",     "wmma", "atom",    "red",  "tex", "bar",
                                        "shfl", "generic", "main", "cvta",    "exit", "prmt"};
    static const struct {
        const char *const *words;
        size_t count;
    } lists[] = {[MUTATION_NAME] = {names, sizeof names / sizeof *names},
                 [MUTATION_REGISTER] = {names, 1},
                 [MUTATION_PART] = {parts, sizeof parts / sizeof *parts},
                 [MUTATION_NUMBER] = {numbers, sizeof numbers / sizeof *numbers},
                 [MUTATION_SIGN] = {signs, sizeof signs / sizeof *signs}};
    enum mutation_kind kind;
    const struct span to = mutation_word(mutation, &kind);
    mutation_replace_text(mutation, to, lists[kind].words[mutation_below(mutation, lists[kind].count)]);
}

/* The same sign many times, for what nests. */
static inline void mutation_nest(struct mutation *mutation)
{
    static const char signs[] = "{[(-!~+";
    char many[400];
    memset(many, signs[mutation_below(mutation, sizeof signs - 1)], sizeof many);
    const struct span to = {mutation_below(mutation, mutation->length + 1), 0};
    for (size_t times = 1 + mutation_below(mutation, 64); times > 0; times--)
        mutation_replace(mutation, to, many, sizeof many);
}

/* --- one change ----------------------------------------------------------------------------------------- */

static inline void mutation_once(struct mutation *mutation)
{
    const size_t choice = mutation_below(mutation, 64);
    struct span span = mutation_statement(mutation);
    if (choice < 6)
        mutation_replace(mutation, span, "", 0);
    else if (choice < 12)
        mutation_replace(mutation, (struct span){span.at, 0}, mutation->text + span.at, span.length);
    else if (choice < 18)
        mutation_exchange(mutation);
    else if (choice < 42)
        mutation_copy_word(mutation);
    else if (choice < 62)
        mutation_new_word(mutation);
    else if (choice < 63)
        mutation_nest(mutation);
    else
        mutation->length = mutation_below(mutation, mutation->length + 1);
}

/* Changes a text of `length` bytes in the place of `most`; what it is long then. */
static inline size_t mutation_apply(uint8_t *text, size_t length, size_t most, uint64_t seed)
{
    struct mutation mutation = {text, length, most, seed};
    for (size_t times = 1 + mutation_below(&mutation, 6); times > 0; times--)
        mutation_once(&mutation);
    return mutation.length;
}
