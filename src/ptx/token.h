/* The words of PTX text (PTX ISA, "Syntax"). */
#pragma once

#include "base/diag.h"

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,      /* an identifier: name, %r1, $L__BB0_2 */
    PTX_TOKEN_DIRECTIVE, /* .reg, .f32, .shared::cta: with the dot */
    PTX_TOKEN_NUMBER,    /* as written, without a sign */
    PTX_TOKEN_STRING,    /* without the quotes; escapes are not replaced */
    PTX_TOKEN_SIGN,      /* one character of punctuation */
    PTX_TOKEN_BAD        /* a character that begins nothing, or a comment or string without an end */
};

struct ptx_token {
    enum ptx_token_kind kind;
    struct slice text;
    struct place place;
    bool follows; /* it stands directly behind the token before it: of an opcode such as `ld.global` */
};

/* What is left of a text. */
struct ptx_text {
    const struct source *source;
    const char *at, *end, *line_start;
    int line;
};

struct ptx_text ptx_text_of(const struct source *source);
/* Takes the next token. Behind the end there are only PTX_TOKEN_END. */
struct ptx_token ptx_token_next(struct ptx_text *text);
