/* Kernels for the tests of lower: code, verified and lowered. */
#pragma once

#include "kernel_unit.h"
#include "lower/micro_op.h"

struct lowered {
    struct loaded_kernel loaded;
    struct verified_kernel *verified;
    struct lowered_kernel *kernel;
};

static inline struct lowered lower_loaded(struct loaded_kernel loaded)
{
    struct lowered lowered = {.loaded = loaded};
    ck_assert_ok(verify_kernel(lowered.loaded.program, lowered.loaded.kernel, NULL, lowered.loaded.diag,
                               &lowered.verified));
    ck_assert_ok(lower_kernel(lowered.loaded.program, lowered.verified, NULL, lowered.loaded.diag,
                              &lowered.kernel, NULL));
    return lowered;
}

static inline struct lowered lower(const char *code)
{
    return lower_loaded(kernel_load("", code));
}

/* The same of code that ends with the line `exit`, before which all that it writes is stored: so nothing of
 * it is dropped because nobody reads it. *ret_count: its instructions, without the last one and the stores.
 */
static inline struct lowered lower_kept(const char *code, uint32_t *ret_count)
{
    struct loaded_kernel loaded = kernel_load("", code);
    bool written[REGISTER_COUNT + PREDICATE_COUNT] = {false};
    struct text text;
    text_init(&text, NULL);
    text_print(&text, "%.*snop\n", (int)(strlen(code) - strlen("exit")), code);
    for (uint32_t i = 0; i < loaded.kernel->code_count; i++) {
        struct operand_access accesses[ACCESS_COUNT_MAX];
        const size_t count = instruction_accesses(&loaded.kernel->code[i], accesses);
        for (size_t a = 0; a < count; a++)
            for (unsigned r = 0; accesses[a].writes && r < accesses[a].registers; r++)
                written[flow_member(&accesses[a], r)] = true;
    }
    for (unsigned m = 0; m < HX_COUNT_OF(written); m++)
        if (written[m] && m < REGISTER_COUNT)
            text_print(&text, "stg.u64 [$x], r%u\n", m);
        else if (written[m])
            text_print(&text, "@p%u stg.u32 [$x], r0\n", m - REGISTER_COUNT);
    text_print(&text, "exit");
    struct lowered lowered = lower(text.at);
    *ret_count = loaded.kernel->code_count - 1;
    text_done(&text);
    kernel_unload(&loaded);
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
