/* Any bytes as a program: document, values, expressions, assembler, and behind them the disassembler,
 * verifier and lowering. */
#include "program_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_load(data, size);
    return 0;
}
