/* What the targets that load programs share: one instruction set for all inputs, and what must hold of a
 * program that loads: its kernels can be prepared, or are refused with an error; disassembled and assembled
 * again it is the same binary. */
#pragma once

#include "program/program.h"

#include "hexec/launch.h"

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

static inline const hx_isa *fuzz_isa(void)
{
    static hx_isa *isa; /* for the life of the process, as libFuzzer's targets do */
    if (!isa)
        REQUIRE(hx_isa_load(NULL, NULL, NULL, &isa) == HX_OK);
    return isa;
}

static inline hx_status fuzz_collect(void *user, const char *text, size_t bytes)
{
    text_append(user, text, bytes);
    return HX_OK;
}

static inline void fuzz_round_trip(const hx_program *program, hx_diag *diag)
{
    void *bytes = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    struct text text;
    hx_program *second = NULL;
    text_init(&text, NULL);
    REQUIRE(hx_program_to_binary(program, diag, &bytes, &size) == HX_OK);
    REQUIRE(hx_program_disassemble(program, fuzz_collect, &text) == HX_OK && !text.failed);
    REQUIRE(hx_program_load_bytes("again.yaml", NULL, text.at, text.length, program->isa, NULL, diag,
                                  &second) == HX_OK);
    REQUIRE(hx_program_to_binary(second, diag, &again, &again_size) == HX_OK);
    REQUIRE(size == again_size && memcmp(bytes, again, size) == 0);
    hx_program_free_bytes(second, again);
    hx_program_free(second);
    text_done(&text);
    hx_program_free_bytes(program, bytes);
}

static inline void fuzz_prepare(const hx_program *program, hx_diag *diag)
{
    for (size_t i = 0; i < hx_program_kernel_count(program); i++) {
        hx_kernel *kernel = NULL;
        hx_diag_clear(diag);
        const hx_status status = hx_kernel_new(program, i, NULL, diag, &kernel);
        REQUIRE((status == HX_OK) == (hx_diag_count_of(diag, HX_ERROR) == 0));
        hx_kernel_free(kernel);
    }
}

/* Loads the bytes; what loads must hold. */
static inline void fuzz_load(const void *data, size_t size)
{
    hx_diag *diag;
    hx_program *program = NULL;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return;
    const hx_status status =
        hx_program_load_bytes("fuzz", NULL, data, size, fuzz_isa(), NULL, diag, &program);
    REQUIRE((status == HX_OK) == (hx_diag_count_of(diag, HX_ERROR) == 0));
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        REQUIRE(hx_diag_at(diag, i)->file || hx_diag_at(diag, i)->code == DIAG_LEFT_OUT);
    if (status == HX_OK) {
        fuzz_round_trip(program, diag);
        fuzz_prepare(program, diag);
    }
    hx_program_free(program);
    hx_diag_free(diag);
}
