/* What a random program computes with: parameters, buffers and constants, as YAML. */
#include "generator.h"

#include <stdio.h>
#include <stdlib.h>

/* 64 bits that hold special numbers of one width. */
static uint64_t special_bits(struct generator *generator)
{
    static const uint16_t halves[] = {0x7c00, 0xfc00, 0x7e01, 0x0001, 0x03ff, 0x0400, 0x7bff, 0x8000,
                                      0x3c00, 0x7f80, 0xff80, 0x7fc1, 0x007f, 0x0080, 0x7f7f, 0x3f80};
    static const uint32_t words[] = {0x7f800000, 0xff800000, 0x7fc00001, 0x00000001, 0x007fffff, 0x00800000,
                                     0x7f7fffff, 0x80000000, 0x3f800000, 0x4f000000, 0xdf000000, 0x7fffffff,
                                     0xffffffff, 0x477fefff, 0x33000000, 0x38800000};
    static const uint64_t longs[] = {
        UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000), UINT64_C(0x7ff0000000000001),
        UINT64_C(0x0000000000000001), UINT64_C(0x000fffffffffffff), UINT64_C(0x0010000000000000),
        UINT64_C(0x7fefffffffffffff), UINT64_C(0x8000000000000000), UINT64_C(0x47efffffefffffff),
        UINT64_C(0x36a0000000000000), UINT64_C(0xffffffffffffffff), UINT64_C(0x7fffffffffffffff),
        UINT64_C(0x43e0000000000000), UINT64_C(0x40effdffffffffff), UINT64_C(0x3f10000000000000),
        UINT64_C(0xbff0000000000000)};
    uint64_t bits = 0;
    switch (below(generator, 3)) {
    case 0:
        for (int i = 0; i < 4; i++)
            bits = bits << 16 | halves[below(generator, HX_COUNT_OF(halves))];
        return bits;
    case 1:
        bits = words[below(generator, HX_COUNT_OF(words))];
        return bits << 32 | words[below(generator, HX_COUNT_OF(words))];
    default:
        return longs[below(generator, HX_COUNT_OF(longs))];
    }
}

static void write_values(struct generator *generator, FILE *file, bool special)
{
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        const uint32_t zeros = below(generator, 64);
        const uint64_t bits = special ? special_bits(generator) : random_bits(generator) >> zeros;
        fprintf(file, "%s%llu", i == 0 ? "[" : i % 8 == 0 ? ",\n      " : ", ", (unsigned long long)bits);
    }
    fprintf(file, "]}\n");
}

char *generate_data(struct generator *generator)
{
    static const char *const types[] = {"u32", "i32", "i64", "u64", "f32", "f64", "f16", "i8", "i16"};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fprintf(file, "params:\n");
    for (size_t i = 0; i < HX_COUNT_OF(types); i++) {
        char number[32];
        write_number(generator, hx_type_find(types[i]), false, number, sizeof number);
        fprintf(file, "  - {name: p_%s, type: %s, value: \"%s\"}\n", types[i], types[i], number);
    }
    fprintf(file,
            "buffers:\n  - {name: input, type: u32, count: %u, fill: random, seed: %llu, min: 0, max: "
            "4294967295}\n",
            2 * TABLE_COUNT, (unsigned long long)(generator->out->seed & 0xffff));
    fprintf(file, "  - {name: special, type: u64, access: read, values: ");
    write_values(generator, file, true);
    fprintf(file, "  - {name: scratch, type: u64, count: %u}\n", generator->out->threads * SCRATCH_BYTES / 8);
    fprintf(file, "  - {name: output, type: u64, count: %u}\n",
            generator->out->threads * generator->out->slots);
    fprintf(file, "  - {name: totals, type: u64, count: 10, fill: random, seed: 9, min: 0, max: "
                  "18446744073709551615}\n");
    fprintf(file,
            "  - {name: plane, type: u64, access: read, count: %u, fill: random, seed: 5, min: 0, max: "
            "18446744073709551615}\n",
            PLANE_BYTES / 8);
    fprintf(file,
            "constants:\n  - {name: board, type: u64, count: %u, fill: random, seed: 7, min: 0, max: "
            "18446744073709551615}\n",
            BOARD_BYTES / 8);
    fprintf(file, "  - {name: table, type: u64, values: ");
    write_values(generator, file, false);
    return fclose(file) == 0 ? text : NULL;
}
