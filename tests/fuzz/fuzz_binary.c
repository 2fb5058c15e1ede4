/* Any bytes as a binary program. The header's checksums, version and size are put right first: against damage
 * they are a guard, here they would keep the fuzzer out. A document is made a binary first, so that each
 * program is a seed. */
#include "base/crc32.h"
#include "program_target.h"

#define HEADER_BYTES 24u /* "HXB\x1a", version, checksum, instruction set, size, strings */

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static void load_mended(const void *data, size_t size)
{
    unsigned char *file = malloc(size);
    REQUIRE(file != NULL);
    memcpy(file, data, size);
    memcpy(file, "HXB\x1a", 4);
    put_u32(file + 4, file[4] == 2 ? 2 : 1);
    put_u32(file + 12, fuzz_isa()->crc);
    put_u32(file + 16, (uint32_t)size);
    put_u32(file + 8, crc32_of(file + 12, size - 12));
    fuzz_load(file, size);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hx_program *program = NULL;
    void *bytes = NULL;
    size_t binary_size = 0;
    if (size < HEADER_BYTES)
        return 0;
    if (memcmp(data, "HXB", 3) == 0) {
        load_mended(data, size);
        return 0;
    }
    if (hx_program_load_bytes("fuzz", NULL, data, size, fuzz_isa(), NULL, NULL, &program) != HX_OK)
        return 0;
    REQUIRE(hx_program_to_binary(program, NULL, &bytes, &binary_size) == HX_OK);
    load_mended(bytes, binary_size);
    for (size_t length = HEADER_BYTES; length < binary_size; length += 1 + length / 16) /* cut off */
        load_mended(bytes, length);
    hx_program_free_bytes(program, bytes);
    hx_program_free(program);
    return 0;
}
