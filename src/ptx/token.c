/* Cutting PTX into tokens.
 *
 * Takes the text of a module, leaves one token a call, with its place. Blanks, comments and lines of the
 * preprocessor ("# 1 file.cu") are passed over. A directive and the parts of an opcode are tokens of their
 * own; `follows` tells the parser what belongs together. */
#include "ptx/token.h"

#include <string.h>

struct ptx_text ptx_text_of(const struct source *source)
{
    const struct slice text = source_behind_mark(source);
    return (struct ptx_text){source, text.at, text.at + text.length, text.at, 1};
}

static char peek(const struct ptx_text *text, size_t ahead)
{
    return (size_t)(text->end - text->at) > ahead ? text->at[ahead] : 0;
}

static void step(struct ptx_text *text)
{
    if (*text->at++ == '\n') {
        text->line++;
        text->line_start = text->at;
    }
}

static bool skip_comment(struct ptx_text *text)
{
    if (peek(text, 1) == '/') {
        while (text->at < text->end && *text->at != '\n')
            text->at++;
        return true;
    }
    const struct ptx_text start = *text;
    for (text->at += 2; text->at < text->end; step(text))
        if (*text->at == '*' && peek(text, 1) == '/') {
            text->at += 2;
            return true;
        }
    *text = start;
    return false;
}

/* False when a comment has no end. */
static bool skip_blanks(struct ptx_text *text)
{
    while (text->at < text->end) {
        const char c = *text->at;
        if (c == '/' && (peek(text, 1) == '/' || peek(text, 1) == '*')) {
            if (!skip_comment(text))
                return false;
        } else if (c == '#' && text->at == text->line_start) {
            while (text->at < text->end && *text->at != '\n')
                text->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f') {
            step(text);
        } else {
            break;
        }
    }
    return true;
}

static bool is_name(char c)
{
    return text_is_word(c) || c == '$';
}

static size_t word_length(const struct ptx_text *text, size_t from)
{
    size_t length = from;
    while (is_name(peek(text, length)))
        length++;
    return length;
}

/* .shared::cta, .L2::128B */
static size_t directive_length(const struct ptx_text *text)
{
    size_t length = word_length(text, 1);
    while (peek(text, length) == ':' && peek(text, length + 1) == ':' && is_name(peek(text, length + 2)))
        length = word_length(text, length + 2);
    return length;
}

/* 12, 0x1F, 0f3F800000, 1.5e-3; a name directly behind it belongs to it, so that 12abc is one bad number. */
static size_t number_length(const struct ptx_text *text)
{
    const bool has_digits_only =
        peek(text, 0) == '0' && memchr("xXfFdDbB", peek(text, 1) ? peek(text, 1) : ' ', 8);
    size_t length = 1;
    for (;; length++) {
        const char c = peek(text, length), before = peek(text, length - 1);
        const bool is_exponent =
            !has_digits_only && (before == 'e' || before == 'E') && (c == '+' || c == '-');
        if (!text_is_word(c) && !is_exponent && (has_digits_only || c != '.'))
            return length;
    }
}

static size_t string_length(const struct ptx_text *text)
{
    for (size_t length = 1; text->at + length < text->end && text->at[length] != '\n'; length++)
        if (text->at[length] == '\\')
            length++;
        else if (text->at[length] == '"')
            return length + 1;
    return 0;
}

static size_t measure(const struct ptx_text *text, enum ptx_token_kind *ret_kind)
{
    const char c = peek(text, 0), next = peek(text, 1);
    size_t length = 1;
    *ret_kind = PTX_TOKEN_BAD;
    if (text_is_digit(c)) {
        *ret_kind = PTX_TOKEN_NUMBER;
        length = number_length(text);
    } else if (is_name(c) || (c == '%' && is_name(next))) {
        *ret_kind = PTX_TOKEN_WORD;
        length = word_length(text, 1);
    } else if (c == '.' && is_name(next) && !text_is_digit(next)) {
        *ret_kind = PTX_TOKEN_DIRECTIVE;
        length = directive_length(text);
    } else if (c == '.' && text_is_digit(next)) { /* .5, or .1d of tex: the parser knows */
        *ret_kind = PTX_TOKEN_DIRECTIVE;
        length = word_length(text, 1);
    } else if (c == '"' && string_length(text) > 0) {
        *ret_kind = PTX_TOKEN_STRING;
        length = string_length(text);
    } else if (c != 0 && strchr("{}[]()<>,;:=|+-*/%!~&^?@.", c)) {
        *ret_kind = PTX_TOKEN_SIGN;
    }
    return length;
}

struct ptx_token ptx_token_next(struct ptx_text *text)
{
    const char *before = text->at;
    const bool is_closed = skip_blanks(text);
    struct ptx_token token = {.follows = text->at == before};
    token.place = (struct place){text->source, text->line, (int)(text->at - text->line_start) + 1, 1};
    if (text->at >= text->end)
        return token;
    size_t length = measure(text, &token.kind);
    if (!is_closed)
        token.kind = PTX_TOKEN_BAD;
    token.place.length = (int)length;
    token.text = token.kind == PTX_TOKEN_STRING ? (struct slice){text->at + 1, length - 2}
                                                : (struct slice){text->at, length};
    text->at += length;
    return token;
}
