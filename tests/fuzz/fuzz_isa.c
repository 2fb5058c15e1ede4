/* Any bytes as an instruction set. One that loads must be whole: its reference can be printed, and every word
 * that it decodes encodes to the same bytes. */
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

static hx_status count_bytes(void *user, const char *text, size_t bytes)
{
    *(size_t *)user += bytes + (text[0] == 0);
    return HX_OK;
}

static void try_words(const hx_isa *isa)
{
    uint64_t state = 1;
    for (int i = 0; i < 2000; i++) {
        struct word word;
        struct instruction instruction;
        const char *why = NULL;
        for (size_t b = 0; b < sizeof word.bytes; b++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            word.bytes[b] = b < 6 || state >> 63 ? (uint8_t)(state >> 48) : 0;
        }
        if (instruction_decode(isa, &word, &instruction, &why)) {
            const struct word again = instruction_encode(isa, &instruction);
            REQUIRE(memcmp(&again, &word, sizeof word) == 0);
        } else {
            REQUIRE(why != NULL);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hx_diag *diag;
    hx_isa *isa = NULL;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return 0;
    const hx_status status = hx_isa_load_text("fuzz.yaml", (const char *)data, size, NULL, diag, &isa);
    REQUIRE((status == HX_OK) == (hx_diag_count_of(diag, HX_ERROR) == 0));
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        REQUIRE(hx_diag_at(diag, i)->file || hx_diag_at(diag, i)->code == DIAG_LEFT_OUT);
    if (status == HX_OK) {
        size_t bytes = 0;
        REQUIRE(hx_isa_reference(isa, NULL, HX_ISA_MARKDOWN, diag, count_bytes, &bytes) == HX_OK);
        try_words(isa);
    }
    hx_isa_free(isa);
    hx_diag_free(diag);
    return 0;
}
