/* What the files of this module share. */
#pragma once

#include "base/process.h"
#include "compiler/compiler.h"

/* A list of words, NULL behind the last. */
struct compiler_words {
    struct arena *arena;
    LIST(const char *) list;
    bool failed;
};
void compiler_word(struct compiler_words *words, const char *format, ...) HX_PRINTF(2, 3);
/* Cuts options into words: blanks separate, '...' and "..." keep them, a backslash takes the next character
 * as it is. HX_INVALID for a quote that is not closed, and for options that
 * write files or load code. */
HX_MUST_CHECK hx_status compiler_options_split(const struct compiler_job *job, hx_diag *diag,
                                               struct compiler_words *words);
/* Reports what clang wrote on its standard error. Returns how many errors were among it. */
size_t compiler_messages_report(const struct compiler_job *job, struct slice text, hx_diag *diag);

/* PTX of clang: what its back end gets wrong. */
void compiler_correct(struct text *code);

/* Files of src/compiler that clang reads, put into the library by the build. */
struct compiler_file {
    const char *name; /* "cuda/cuda_runtime.h" */
    const char *text;
    const size_t *bytes;
};
extern const struct compiler_file compiler_files[]; /* name NULL behind the last */
