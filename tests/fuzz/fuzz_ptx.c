/* Any text as a module of PTX: tokens, parser, importer, and behind them the verifier and lowering. The
 * inputs are changed by statements and words of PTX (ptx_mutator.h), because bytes that are changed anywhere
 * hardly ever pass the parser. */
#include "program_target.h"
#include "ptx/ptx.h"
#include "ptx_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (ptx_is_text(data, size))
        fuzz_load(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutation_apply(data, size, most, seed);
}
