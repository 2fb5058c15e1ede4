/* Kernels for the tests of lower: code, verified and lowered. */
#pragma once

#include "kernel_unit.h"
#include "lower/micro_op.h"

struct lowered {
    struct loaded_kernel loaded;
    struct verified_kernel *verified;
    struct lowered_kernel *kernel;
};

static inline struct lowered lower(const char *code)
{
    struct lowered lowered = {.loaded = kernel_load("", code)};
    ck_assert_int_eq(verify_kernel(lowered.loaded.program, lowered.loaded.kernel, NULL, lowered.loaded.diag,
                                   &lowered.verified),
                     HX_OK);
    ck_assert_int_eq(
        lower_kernel(lowered.loaded.program, lowered.verified, NULL, lowered.loaded.diag, &lowered.kernel),
        HX_OK);
    return lowered;
}

static inline void done(struct lowered *lowered)
{
    lower_free(lowered->kernel);
    verify_free(lowered->verified);
    kernel_unload(&lowered->loaded);
}

static inline bool is_same(struct row row)
{
    return row.kind >= ROW_SAME_4 && row.kind <= ROW_SAME_PREDICATE;
}

/* A writer whose user is a struct text. */
static inline hx_status append_text(void *user, const char *text, size_t bytes)
{
    text_append(user, text, bytes);
    return HX_OK;
}
