/* Kernels for the tests of verify and lower: code in a fixed document, loaded with the embedded instruction
 * set. */
#pragma once

#include "program/program.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* What stands before the code; the code's first line is the next one. */
#define KERNEL_HEAD                                                                                          \
    "program: t\n"                                                                                           \
    "params:\n"                                                                                              \
    "  - {name: n, type: u32, value: 7}\n"                                                                   \
    "  - {name: tiny, type: i8, value: -3}\n"                                                                \
    "buffers:\n"                                                                                             \
    "  - {name: x, type: u32, count: 64}\n"                                                                  \
    "shared:\n"                                                                                              \
    "  - {name: tile, type: f32, count: 4}\n"                                                                \
    "  - {name: bytes, type: u8, count: 6}\n"                                                                \
    "constants:\n"                                                                                           \
    "  - {name: lut, type: u32, values: [1, 2, 3]}\n"
#define KERNEL_HEAD_LINES 11

struct loaded_kernel {
    hx_isa *isa; /* NULL when it is the caller's */
    hx_diag *diag;
    hx_program *program;
    const struct kernel *kernel;
};

/* `code` has one instruction a line; `launch` is a line of the document, "" for none. */
static inline struct loaded_kernel kernel_load_with(const hx_isa *isa, const char *launch, const char *code)
{
    struct loaded_kernel loaded = {0};
    struct text text;
    text_init(&text, NULL);
    text_print(&text, "%s%s\ncode: |\n", KERNEL_HEAD, launch);
    for (const char *at = code; *at;) {
        size_t length = strcspn(at, "\n");
        text_print(&text, "  %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    ck_assert_ok(hx_diag_new(NULL, &loaded.diag));
    hx_status status =
        hx_program_load_bytes("t.yaml", NULL, text.at, text.length, isa, NULL, loaded.diag, &loaded.program);
    for (size_t i = 0; i < hx_diag_count(loaded.diag); i++)
        fprintf(stderr, "line %d: %s\n", hx_diag_at(loaded.diag, i)->line,
                hx_diag_at(loaded.diag, i)->message);
    ck_assert_ok(status);
    loaded.kernel = &loaded.program->kernels[0];
    text_done(&text);
    return loaded;
}

static inline struct loaded_kernel kernel_load(const char *launch, const char *code)
{
    hx_isa *isa = NULL;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &isa));
    struct loaded_kernel loaded = kernel_load_with(isa, launch, code);
    loaded.isa = isa;
    return loaded;
}

static inline void kernel_unload(struct loaded_kernel *loaded)
{
    hx_program_free(loaded->program);
    hx_isa_free(loaded->isa);
    hx_diag_free(loaded->diag);
}

/* The line of the document where line `line` of the code (from 1) stands. */
static inline int kernel_line(int line)
{
    return KERNEL_HEAD_LINES + 2 + line;
}
