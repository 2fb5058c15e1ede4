/* Words: packing instructions and unpacking them.
 *
 * Instructions are drawn at random for every entry, type and modifier of the embedded set, by what a form may
 * hold; each must come back from its word as it was. Then single bits of their words are turned over, which
 * must be refused or mean something else, and a few words are written down by hand from the places in
 * isa/hexec.yaml. */
#include "isa/isa.h"
#include "unit.h"

#include <string.h>

#define DRAWS_MAX 4000 /* until the modifiers drawn fit each other */

static uint64_t random_state = 1;

static uint64_t draw64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

static unsigned draw(unsigned below)
{
    return (unsigned)((draw64() >> 32) % below);
}

static hx_isa *load(void)
{
    hx_isa *isa = NULL;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &isa));
    return isa;
}

static struct operand draw_address(void)
{
    struct operand operand = {.kind = OPERAND_ADDRESS, .scale = 1, .offset = (int32_t)draw64()};
    operand.base_kind = (uint8_t)draw(BASE_NONE + 1);
    operand.index_kind = (uint8_t)draw(INDEX_I32 + 1);
    if (operand.base_kind == BASE_REGISTER)
        operand.reg = (uint8_t)draw(REGISTER_COUNT);
    else if (operand.base_kind != BASE_NONE)
        operand.symbol = (uint16_t)draw(65536);
    if (operand.index_kind != INDEX_NONE) {
        operand.index_reg = (uint8_t)draw(REGISTER_COUNT);
        operand.scale = (uint8_t)(1u << draw(5));
    }
    return operand;
}

static struct operand draw_literal(const struct instruction *instruction, unsigned index)
{
    static const uint8_t spaces[] = {SPACE_SHARED, SPACE_CONSTANT, SPACE_LOCAL};
    const struct isa_opcode *opcode = instruction->opcode;
    size_t bits = 8 * hx_type_bytes(instruction_operand_type(instruction, index));
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].letter == OPERAND_F && bits > 32)
            bits = 32;
    switch (draw(opcode->forms[index].kind == FORM_ANY_SOURCE ? 4 : 2)) {
    case 0:
        ck_assert_uint_gt(bits, 0);
        return (struct operand){.kind = OPERAND_IMMEDIATE, .bits = draw64() >> (64 - bits)};
    case 1:
        return (struct operand){.kind = OPERAND_PARAMETER, .symbol = (uint16_t)draw(65536)};
    case 2:
        return (struct operand){.kind = OPERAND_SPECIAL, .symbol = (uint16_t)draw(SPECIAL_COUNT)};
    default:
        return (struct operand){
            .kind = OPERAND_ARRAY, .space = spaces[draw(3)], .symbol = (uint16_t)draw(65536)};
    }
}

static struct operand draw_register(const struct instruction *instruction, unsigned index)
{
    /* a vector's last register exists too */
    return (struct operand){
        .kind = OPERAND_REGISTER,
        .reg = (uint8_t)draw(REGISTER_COUNT + 1 - instruction_registers(instruction, index))};
}

/* `*literals` is how many literals an instruction may still have: the word has room for one. */
static struct operand draw_operand(const struct instruction *instruction, unsigned index, unsigned *literals)
{
    const struct form *form = &instruction->opcode->forms[index];
    const bool source = form->kind == FORM_SOURCE || form->kind == FORM_ANY_SOURCE;
    switch (form->kind) {
    case FORM_ADDRESS:
        return draw_address();
    case FORM_LABEL:
        return (struct operand){.kind = OPERAND_TARGET, .bits = (uint32_t)draw64()};
    case FORM_IMM8:
        return (struct operand){.kind = OPERAND_IMMEDIATE, .bits = draw(256)};
    case FORM_SMALL:
        return (struct operand){.kind = OPERAND_IMMEDIATE, .bits = draw(form->maximum + 1)};
    case FORM_PREDICATE_SOURCE:
        if (form->optional && instruction->modifiers[GROUP_COMBINE] == COMBINE_NONE)
            return (struct operand){.kind = OPERAND_ABSENT};
        return (struct operand){
            .kind = OPERAND_PREDICATE, .reg = (uint8_t)draw(PREDICATE_COUNT), .negated = draw(2)};
    case FORM_PREDICATE_DESTINATION:
        if (form->may_sink && draw(3) == 0)
            return (struct operand){.kind = OPERAND_SINK};
        return (struct operand){.kind = OPERAND_PREDICATE, .reg = (uint8_t)draw(PREDICATE_COUNT)};
    default:
        break;
    }
    if (form->may_sink && draw(3) == 0)
        return (struct operand){.kind = OPERAND_SINK};
    if (form->optional && draw(3) == 0)
        return (struct operand){.kind = OPERAND_ABSENT};
    if (source && *literals > 0 && (instruction->opcode->may_literal >> form->letter & 1) && draw(2)) {
        --*literals;
        return draw_literal(instruction, index);
    }
    return draw_register(instruction, index);
}

static void draw_modifiers(struct instruction *instruction)
{
    for (int group = 0; group < GROUP_COUNT; group++) {
        unsigned count = 0;
        while (modifier_text((enum modifier_group)group, count + 1))
            count++;
        const unsigned value = draw(2) ? draw(count + 1) : 0;
        instruction->modifiers[group] =
            instruction->opcode->modifiers[group] >> value & 1 ? (uint8_t)value : 0;
    }
}

/* An instruction of this entry and these types. */
static struct instruction draw_instruction(const struct isa_opcode *opcode, enum hx_type type,
                                           enum hx_type source_type)
{
    struct instruction instruction = {
        .opcode = opcode, .type = (uint8_t)type, .source_type = (uint8_t)source_type, .guard = -1};
    unsigned tries = 0, literals = 1;
    do {
        draw_modifiers(&instruction);
        ck_assert_msg(++tries < DRAWS_MAX, "'%s' means nothing with any modifiers", opcode->mnemonic);
    } while (instruction_semantic(&instruction) == SEMANTIC_NONE);
    if (draw(2)) {
        instruction.guard = (int8_t)draw(PREDICATE_COUNT);
        instruction.guard_negated = draw(2);
    }
    for (unsigned i = 0; i < opcode->form_count; i++)
        instruction.operands[i] = draw_operand(&instruction, i, &literals);
    for (unsigned i = 1; i < opcode->form_count; i++) /* behind one that is left out nothing follows */
        if (instruction.operands[i - 1].kind == OPERAND_ABSENT && opcode->forms[i].kind == FORM_SOURCE)
            instruction.operands[i] = (struct operand){.kind = OPERAND_ABSENT};
    return instruction;
}

static bool operands_equal(const struct operand *a, const struct operand *b)
{
    return a->kind == b->kind && a->reg == b->reg && a->negated == b->negated && a->space == b->space &&
           a->symbol == b->symbol && a->base_kind == b->base_kind && a->index_kind == b->index_kind &&
           a->index_reg == b->index_reg && a->scale == b->scale && a->offset == b->offset &&
           a->bits == b->bits;
}

static bool instructions_equal(const struct instruction *a, const struct instruction *b)
{
    if (a->opcode != b->opcode || a->type != b->type || a->source_type != b->source_type ||
        a->guard != b->guard || a->guard_negated != b->guard_negated ||
        memcmp(a->modifiers, b->modifiers, sizeof a->modifiers) != 0)
        return false;
    for (unsigned i = 0; i < a->opcode->form_count; i++)
        if (!operands_equal(&a->operands[i], &b->operands[i]))
            return false;
    return true;
}

/* Calls `check` for `draws` instructions of every entry, type and source type. */
static void for_each_draw(const hx_isa *isa, int draws,
                          void (*check)(const hx_isa *, const struct instruction *))
{
    for (size_t i = 0; i < isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &isa->opcodes[i];
        for (int pair = 0; pair < (HX_TYPE_COUNT + 1) * (HX_TYPE_COUNT + 1); pair++) {
            const int type = pair / (HX_TYPE_COUNT + 1), source_type = pair % (HX_TYPE_COUNT + 1);
            /* bit HX_TYPE_NONE stands for an entry without types */
            const uint32_t types = opcode->types ? opcode->types : 1u << HX_TYPE_NONE;
            const uint32_t sources = opcode->source_types ? opcode->source_types : 1u << HX_TYPE_NONE;
            if (opcode->code < 0 || !(types >> type & 1) || !(sources >> source_type & 1))
                continue;
            for (int n = 0; n < draws; n++) {
                const struct instruction drawn =
                    draw_instruction(opcode, (enum hx_type)type, (enum hx_type)source_type);
                check(isa, &drawn);
            }
        }
    }
}

static bool modifier_seen[256][GROUP_COUNT][64];

static void check_round_trip(const hx_isa *isa, const struct instruction *instruction)
{
    struct instruction again;
    const char *why = NULL;
    const struct word word = instruction_encode(isa, instruction);
    ck_assert_msg(instruction_decode(isa, &word, &again, &why), "%s.%s.%s: %s", instruction->opcode->mnemonic,
                  hx_type_name(instruction->type), hx_type_name(instruction->source_type), why);
    ck_assert_ptr_null(why);
    ck_assert_msg(instructions_equal(instruction, &again), "%s.%s came back as another",
                  instruction->opcode->mnemonic, hx_type_name(instruction->type));
    for (int group = 0; group < GROUP_COUNT; group++)
        modifier_seen[instruction->opcode->code][group][instruction->modifiers[group]] = true;
}

START_TEST(test_every_instruction_comes_back)
{
    hx_isa *isa = load();
    for_each_draw(isa, 200, check_round_trip);
    for (size_t i = 0; i < isa->opcode_count; i++)
        for (int group = 0; group < GROUP_COUNT; group++)
            for (unsigned value = 1; modifier_text((enum modifier_group)group, value); value++)
                if (isa->opcodes[i].code >= 0 && (isa->opcodes[i].modifiers[group] >> value & 1))
                    ck_assert_msg(modifier_seen[isa->opcodes[i].code][group][value],
                                  "no instruction had %s.%s", isa->opcodes[i].mnemonic,
                                  modifier_text((enum modifier_group)group, value));
    hx_isa_free(isa);
}
END_TEST

static void check_turned_bits(const hx_isa *isa, const struct instruction *instruction)
{
    const struct word word = instruction_encode(isa, instruction);
    for (unsigned bit = 0; bit < 128; bit++) {
        struct word turned = word;
        struct instruction other;
        const char *why = NULL;
        turned.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (!instruction_decode(isa, &turned, &other, &why)) {
            ck_assert_ptr_nonnull(why);
            continue;
        }
        const struct word again = instruction_encode(isa, &other);
        ck_assert_mem_eq(again.bytes, turned.bytes, sizeof again.bytes);
        ck_assert_msg(!instructions_equal(instruction, &other), "%s: bit %u means nothing",
                      instruction->opcode->mnemonic, bit);
    }
}

START_TEST(test_every_bit_means_something)
{
    hx_isa *isa = load();
    for_each_draw(isa, 6, check_turned_bits);
    hx_isa_free(isa);
}
END_TEST

START_TEST(test_random_words)
{
    hx_isa *isa = load();
    for (int n = 0; n < 150000; n++) {
        struct word word;
        struct instruction instruction;
        const char *why = NULL;
        for (size_t i = 0; i < sizeof word.bytes; i++) /* mostly zeros behind the head, or all are refused */
            word.bytes[i] = i < 6 || n % 3 == 0 ? (uint8_t)draw(256) : 0;
        if (instruction_decode(isa, &word, &instruction, &why)) {
            const struct word again = instruction_encode(isa, &instruction);
            ck_assert_mem_eq(again.bytes, word.bytes, sizeof word.bytes);
        } else {
            ck_assert_ptr_nonnull(why);
        }
    }
    hx_isa_free(isa);
}
END_TEST

/* By hand: opcode in byte 0; type, and source type or what stands there, in byte 1; guard 1 + 2 * predicate +
 * negated in 6 bits of byte 2, which operand is a literal (1 a, 2 b) above it; modifiers from bit 25 on; d a
 * b c in bytes 4 to 7. Types count from i8, 0: u32 is 7, f32 8. A comparison's second result is in the upper
 * half of byte 4, and bit 31 says that it is there. */
static const struct {
    const char *mnemonic;
    uint8_t type, a_kind;
    struct word word;
} known[] = {
    /* @!p2 add.u32 r1, r2, r3 */
    {"add", HX_TYPE_U32, OPERAND_REGISTER, {{16, 7, 6, 0, 1, 2, 3}}},
    /* add.sat.i32 r255, r2, r3: sat is bit 29 */
    {"add", HX_TYPE_I32, OPERAND_REGISTER, {{16, 6, 0, 0x20, 255, 2, 3}}},
    /* add.rz.f32 r1, r2, r3: the second rounding, from bit 25 on */
    {"add", HX_TYPE_F32, OPERAND_REGISTER, {{40, 8, 0, 0x04, 1, 2, 3}}},
    /* @p0 mov.u32 r4, 0x01020304: the literal is operand a */
    {"mov", HX_TYPE_U32, OPERAND_IMMEDIATE, {{1, 7, 0x41, 0, 4, 0, 0, 0, 4, 3, 2, 1}}},
    /* setp.lt.u32 p3, r1, r2, and p3|p5: lt is the third comparison, from bit 25 on */
    {"setp", HX_TYPE_U32, OPERAND_SINK, {{112, 7, 0, 0x06, 0x03, 1, 2}}},
    {"setp", HX_TYPE_U32, OPERAND_PREDICATE, {{112, 7, 0, 0x86, 0x53, 1, 2}}},
    /* exit: no type is 15 */
    {"exit", HX_TYPE_NONE, OPERAND_ABSENT, {{132, 15}}},
};

START_TEST(test_known_words)
{
    hx_isa *isa = load();
    struct instruction at;
    const char *why;
    for (size_t i = 0; i < HX_COUNT_OF(known); i++) {
        ck_assert_msg(instruction_decode(isa, &known[i].word, &at, &why), "word %zu: %s", i, why);
        ck_assert_str_eq(at.opcode->mnemonic, known[i].mnemonic);
        ck_assert_uint_eq(at.type, known[i].type);
        if (at.opcode->form_count > 1)
            ck_assert_uint_eq(at.operands[1].kind, known[i].a_kind);
    }
    ck_assert(instruction_decode(isa, &known[0].word, &at, &why));
    ck_assert_int_eq(at.guard, 2);
    ck_assert(at.guard_negated);
    ck_assert_uint_eq(at.operands[0].reg, 1);
    ck_assert_uint_eq(at.operands[2].reg, 3);
    ck_assert(instruction_decode(isa, &known[1].word, &at, &why));
    ck_assert_uint_eq(at.modifiers[GROUP_SATURATE], 1);
    ck_assert_uint_eq(at.operands[0].reg, 255);
    ck_assert(instruction_decode(isa, &known[2].word, &at, &why));
    ck_assert_uint_eq(at.modifiers[GROUP_ROUNDING], ROUNDING_RZ);
    ck_assert(instruction_decode(isa, &known[3].word, &at, &why));
    ck_assert_int_eq(at.guard, 0);
    ck_assert_uint_eq(at.operands[1].bits, 0x01020304);
    ck_assert(instruction_decode(isa, &known[5].word, &at, &why));
    ck_assert_uint_eq(at.operands[0].reg, 3);
    ck_assert_uint_eq(at.operands[1].reg, 5);
    hx_isa_free(isa);
}
END_TEST

static const struct {
    struct word word;
    const char *part;
} refused[] = {
    {{{0}}, "no opcode"},
    {{{255, 7}}, "no opcode"},
    {{{16, 8}}, "no such type"},                           /* the integer sum of f32 */
    {{{16, 15}}, "no such type"},                          /* and of none */
    {{{132, 7}}, "no such type"},                          /* exit.u32 */
    {{{2, 0xF7}}, "no such type"},                         /* cvt from none */
    {{{16, 7, 33}}, "no such guard"},                      /* @p16 */
    {{{40, 8, 0, 0x0A}}, "no such modifier"},              /* add.rni.f32 */
    {{{16, 7, 0, 0x40}}, "mean nothing"},                  /* ftz of integers */
    {{{16, 7, 0, 0, 1, 2, 3, 4}}, "mean nothing"},         /* a c that is not there */
    {{{16, 7, 0, 0, 1, 2, 3, 0, 1}}, "mean nothing"},      /* an immediate that is not there */
    {{{16, 0x17}}, "mean nothing"},                        /* a source type that is not there */
    {{{1, 7, 0x40, 0, 4, 6}}, "out of range"},             /* mov of a seventh kind of literal */
    {{{1, 7, 0x40, 0, 4, 2, 0, 0, 255}}, "out of range"},  /* mov of special register 255 */
    {{{1, 1, 0x40, 0, 4, 0, 0, 0, 0, 1}}, "out of range"}, /* mov.u8 of 256 */
    {{{64, 7, 0, 2, 255}}, "out of range"},                /* ldg.v2 into r255 and one more */
    {{{144, 15, 0xC0, 1, 16}}, "out of range"},            /* bar.sync 16 */
    {{{112, 7}}, "no row"},                                /* setp without a comparison */
    {{{112, 7, 0, 6, 0x53, 1, 2}}, "mean nothing"},        /* setp with a q that is not there */
};

START_TEST(test_words_that_are_refused)
{
    hx_isa *isa = load();
    for (size_t i = 0; i < HX_COUNT_OF(refused); i++) {
        struct instruction at;
        const char *why = NULL;
        ck_assert_msg(!instruction_decode(isa, &refused[i].word, &at, &why), "word %zu", i);
        ck_assert_msg(strstr(why, refused[i].part), "word %zu: %s", i, why);
    }
    hx_isa_free(isa);
}
END_TEST

UNIT_MAIN("isa_words", test_every_instruction_comes_back, test_every_bit_means_something, test_random_words,
          test_known_words, test_words_that_are_refused)
