/* The binary form against damage: whatever is changed or cut off, the file is refused with a reason, and
 * nothing is read beyond it. Words of code: what decodes is a word that encodes to the same bytes. */
#include "program_unit.h"

static const char *const text =
    "program: whole\n"
    "description: \"of everything something\"\n"
    "run:\n"
    "  - {kernel: first, grid: [2, 1], block: [32], repeat: 2}\n"
    "  - {kernel: second, grid: [1], block: [4, 4, 2], dynamic_shared: 64}\n"
    "  - repeat: n / 2\n"
    "    counter: n\n"
    "    until: {buffer: y, index: n + 1}\n"
    "    run:\n"
    "      - {kernel: first, params: {scale: 0.5, n: n * 2, where: $x - n}}\n"
    "      - {kernel: second, repeat: n, until: {buffer: x}}\n"
    "params:\n"
    "  - {name: n, type: u32, value: 64}\n"
    "  - {name: scale, type: f64, value: -2.5}\n"
    "  - {name: where, type: u64, value: generic(first.tile) - 8}\n"
    "buffers:\n"
    "  - {name: x, type: f32, count: n * 2, fill: random, seed: 3, min: -1, max: 1, access: read}\n"
    "  - {name: y, type: u64, count: 8, values: [1, 2, 3, 4, 5, 6, 7, 8]}\n"
    "constants:\n"
    "  - {name: lut, type: i16, values: [-1, 2, 3]}\n"
    "  - {name: table, type: u64, values: [5, $y + 16, lut]}\n"
    "expect:\n"
    "  - {buffer: y, values: [1, 2, 3, 4, 5, 6, 7, 8]}\n"
    "kernels:\n"
    "  - name: first\n"
    "    shared: [{name: tile, type: u8, count: 3}]\n"
    "    code: |\n"
    "      mov.u32 r0, %tid.x\n"
    "      loop_head:\n"
    "      ldg.f32 r1, [$x + r0*4 - 4]\n"
    "      setp.gtu.f32 p3, r1, 0.5\n"
    "      @!p3 bra loop_head\n"
    "      exit\n"
    "  - name: second\n"
    "    code: |\n"
    "      mov.f64 r2, $scale\n"
    "      fma.rz.f64 r2, r2, 3.25, r2\n"
    "      exit\n";

static unsigned char *whole; /* the binary form of the text */
static size_t whole_size;

static void set_up(void)
{
    void *bytes;
    fixture_set_up();
    ck_assert_ok(hx_program_to_binary(program_of(text), NULL, &bytes, &whole_size));
    whole = bytes;
}

static void tear_down(void)
{
    hx_program_free_bytes(fixture.program, whole);
    fixture_tear_down();
}

/* A copy that ends where the file ends, so that a sanitizer sees a read beyond it. */
static hx_status load(const unsigned char *bytes, size_t size, hx_program **ret_program)
{
    unsigned char *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    hx_diag_clear(fixture.diag);
    const hx_status status =
        hx_program_load_bytes("t.hxb", NULL, exact, size, fixture.isa, NULL, fixture.diag, ret_program);
    free(exact);
    return status;
}

static void check_refused(const unsigned char *bytes, size_t size, const char *what, size_t at)
{
    hx_program *program = NULL;
    const hx_status status = load(bytes, size, &program);
    ck_assert_msg(status == HX_INVALID, "%s %zu: status %d", what, at, (int)status);
    ck_assert_uint_ge(hx_diag_count_of(fixture.diag, HX_ERROR), 1);
    ck_assert_str_eq(hx_diag_at(fixture.diag, 0)->file, "t.hxb");
}

static void check_addresses(const hx_program *program)
{
    const struct program_param *where = &program->params[2];
    const struct fill *table = &program->constants.items[1].fill;
    ck_assert_int_eq(where->target.kind, TARGET_SHARED);
    ck_assert(where->target.is_generic && where->target.kernel == 0 && where->target.index == 0);
    ck_assert_uint_eq(where->bits, UINT64_C(0) - 8);
    ck_assert_uint_eq(table->relocation_count, 2);
    ck_assert_uint_eq(table->relocations[0].element, 1);
    ck_assert_int_eq(table->relocations[0].address.target.kind, TARGET_BUFFER);
    ck_assert_uint_eq(table->relocations[0].address.target.index, 1);
    ck_assert_int_eq(table->relocations[0].address.addend, 16);
    ck_assert_int_eq(table->relocations[1].address.target.kind, TARGET_CONSTANT);
    ck_assert(!table->relocations[1].address.target.is_generic);
}

START_TEST(test_the_same_again)
{
    hx_program *program = NULL;
    void *again;
    size_t size;
    ck_assert_ok(load(whole, whole_size, &program));
    ck_assert_str_eq(hx_program_name(program), "whole");
    ck_assert_str_eq(program->description, "of everything something");
    ck_assert_uint_eq(program->kernel_count, 2);
    ck_assert_str_eq(hx_program_kernel_name(program, 1), "second");
    ck_assert_uint_eq(hx_program_instruction_count(program, 0), 5);
    ck_assert_uint_eq(program->buffers.items[0].count, 128);
    ck_assert_uint_eq(program->params[1].bits, UINT64_C(0xc004000000000000));
    ck_assert_uint_eq(program->steps[0].repeat, 2);
    ck_assert_uint_eq(program->steps[1].block[2], 2);
    ck_assert_uint_eq(program->steps[1].dynamic_shared, 64);
    ck_assert_uint_eq(program->kernels[0].labels[0].target, 1);
    ck_assert_int_eq(program->kernels[0].lines[1].place.line, 30);
    ck_assert_uint_eq(program->loop_count, 2);
    ck_assert_uint_eq(program->loops[0].first, 2);
    ck_assert_uint_eq(program->loops[0].end, 4);
    ck_assert_str_eq(program->loops[0].repeat_text, "n / 2");
    ck_assert_uint_eq(program->loops[0].counter, 0);
    ck_assert_uint_eq(program->loops[0].until_buffer, 1);
    ck_assert_str_eq(program->loops[0].index_text, "n + 1");
    ck_assert_uint_eq(program->loops[1].first, 3);
    ck_assert(program->loops[1].counter == LOOP_NO_COUNTER && !program->loops[1].index_text);
    ck_assert_uint_eq(program->steps[2].setting_count, 3);
    ck_assert_uint_eq(program->steps[2].settings[0].bits, UINT64_C(0x3fe0000000000000));
    ck_assert_str_eq(program->steps[2].settings[1].text, "n * 2");
    ck_assert_str_eq(program->steps[2].settings[2].text, "0 - n");
    ck_assert_int_eq(program->steps[2].settings[2].target.kind, TARGET_BUFFER);
    check_addresses(program);
    ck_assert_ok(hx_program_to_binary(program, NULL, &again, &size));
    ck_assert_uint_eq(size, whole_size);
    ck_assert_mem_eq(again, whole, size);
    hx_program_free_bytes(program, again);
    hx_program_free(program);
}
END_TEST

/* A program without what version 2 added has the same bytes as before. */
START_TEST(test_versions)
{
    void *bytes;
    size_t size;
    ck_assert_int_eq(whole[4], 2);
    hx_program *plain = program_of("program: t\ncode: exit\n");
    hx_program_free_bytes(plain, whole);
    ck_assert_ok(hx_program_to_binary(plain, NULL, &bytes, &size));
    whole = bytes;
    whole_size = size;
    ck_assert_int_eq(whole[4], 1);
}
END_TEST

START_TEST(test_every_flipped_bit_is_found)
{
    for (size_t bit = 0; bit < 8 * whole_size; bit++) {
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (bit >= 8 * 4) /* else it is no binary any more, but a document */
            check_refused(whole, whole_size, "bit", bit);
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}
END_TEST

START_TEST(test_every_cut_is_found)
{
    for (size_t size = 4; size < whole_size; size++)
        check_refused(whole, size, "cut at", size);
    unsigned char *longer = calloc(1, whole_size + 1);
    memcpy(longer, whole, whole_size);
    check_refused(longer, whole_size + 1, "longer than", whole_size);
    free(longer);
}
END_TEST

START_TEST(test_words)
{
    for (size_t k = 0; k < fixture.program->kernel_count; k++) {
        const struct kernel *kernel = &fixture.program->kernels[k];
        for (uint32_t i = 0; i < kernel->code_count; i++)
            for (unsigned bit = 0; bit <= 128; bit++) { /* 128: as it is */
                struct word word = kernel->words[i];
                struct instruction instruction;
                const char *why = NULL;
                if (bit < 128)
                    word.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
                const bool good = instruction_decode(fixture.isa, &word, &instruction, &why);
                ck_assert(good || (bit < 128 && why));
                if (!good)
                    continue;
                const struct word again = instruction_encode(fixture.isa, &instruction);
                ck_assert_msg(memcmp(&again, &word, sizeof word) == 0, "instruction %u, bit %u", i, bit);
            }
    }
}
END_TEST

START_TEST(test_another_instruction_set)
{
    FILE *file = fopen(HX_SOURCE_DIR "/isa/hexec.yaml", "rb");
    char *yaml = calloc(1, 1 << 20);
    hx_isa *other = NULL;
    hx_program *program = NULL;
    ck_assert_ptr_nonnull(file);
    size_t size = fread(yaml, 1, (1 << 20) - 2, file);
    fclose(file);
    yaml[size++] = '\n';
    ck_assert_ok(hx_isa_load_text("other.yaml", yaml, size, NULL, NULL, &other));
    hx_diag_clear(fixture.diag);
    ck_assert_int_eq(
        hx_program_load_bytes("t.hxb", NULL, whole, whole_size, other, NULL, fixture.diag, &program),
        HX_INVALID);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 0)->code, DIAG_BINARY_ISA);
    hx_isa_free(other);
    free(yaml);
}
END_TEST

START_TEST(test_memory_that_runs_out)
{
    bool loaded = false;
    for (size_t at = 1; !loaded; at++) {
        struct failing_allocator failing;
        hx_program *program = NULL;
        failing_allocator_init(&failing, at);
        const hx_status status = hx_program_load_bytes("t.hxb", NULL, whole, whole_size, fixture.isa,
                                                       &failing.hook, NULL, &program);
        loaded = status == HX_OK;
        ck_assert(loaded || status == HX_NO_MEMORY);
        hx_program_free(program);
        ck_assert_uint_eq(failing.live, 0);
    }
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "program_binary", test_the_same_again, test_versions,
               test_every_flipped_bit_is_found, test_every_cut_is_found, test_words,
               test_another_instruction_set, test_memory_that_runs_out)
