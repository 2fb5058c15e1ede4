/* One instruction of a random program.
 *
 * Takes the opcode table, leaves a line of code (and lines that make its address). Opcodes, types, modifiers
 * and operands are chosen from what the table allows, by form and shape and never by name, so that an opcode
 * that is added to the instruction set is tried at once. */
#include "generator.h"
#include "verify/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The instruction as it is put together. */
struct draft {
    struct instruction instruction; /* opcode, types, modifiers: operands are text only */
    char text[256];
    bool has_literal;
    unsigned used[4], used_count; /* destinations, which must differ */
};

static void add(struct draft *draft, const char *format, ...) HX_PRINTF(2, 3);
static void add(struct draft *draft, const char *format, ...)
{
    const size_t length = strlen(draft->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(draft->text + length, sizeof draft->text - length, format, arguments);
    va_end(arguments);
}

static bool is_float(hx_type type)
{
    return type == HX_TYPE_F16 || type == HX_TYPE_BF16 || type == HX_TYPE_F32 || type == HX_TYPE_F64;
}

/* ---- Opcode, types, modifiers -----------------------------------------------------------------------------
 */

/* Control flow has its own generator. */
static bool is_operation(const struct isa_opcode *opcode)
{
    if (opcode->expansion_count > 0)
        return false; /* macros are assembled from other opcodes, which are tried themselves */
    if (opcode->shape == SHAPE_FLOW)
        return strcmp(opcode->semantics_name, "nop") == 0 || strcmp(opcode->semantics_name, "fence") == 0 ||
               strcmp(opcode->semantics_name, "warp_sync") == 0 ||
               strcmp(opcode->semantics_name, "yield") == 0 || strcmp(opcode->semantics_name, "note") == 0;
    /* clocks and active lanes depend on how a program is run */
    return opcode->shape != SHAPE_SPECIAL && opcode->shape != SHAPE_MEMBERS &&
           !shape_is_print(opcode->shape) && opcode->shape != SHAPE_CHECK && !shape_is_stack(opcode->shape);
}

static bool is_of_block(const struct isa_opcode *opcode)
{
    return opcode->space == SPACE_SHARED || opcode->space == SPACE_GENERIC ||
           shape_is_collective(opcode->shape) || shape_is_print(opcode->shape) ||
           strncmp(opcode->semantics_name, "barrier", 7) == 0;
}

bool does_without(const struct generator *generator, const struct isa_opcode *opcode)
{
    const uint32_t *block = generator->out->block;
    const bool is_warp = shape_is_warp(opcode->shape) || opcode->semantic == SEM_warp_sync;
    return generator->is_apart &&
           (is_of_block(opcode) || (is_warp && block[0] * block[1] * block[2] % 32 != 0));
}

bool list_operations(struct generator *generator)
{
    const hx_isa *isa = generator->isa;
    generator->operations = calloc(4 * isa->opcode_count, sizeof *generator->operations);
    for (size_t i = 0; generator->operations && i < isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &isa->opcodes[i];
        const int times = opcode->space != SPACE_NONE                                       ? 3
                          : opcode->shape == SHAPE_CONVERT || opcode->shape == SHAPE_MATRIX ? 4
                                                                                            : 1;
        if (!is_operation(opcode) || does_without(generator, opcode))
            continue;
        for (int n = 0; n < times; n++)
            generator->operations[generator->operation_count++] = opcode;
    }
    return generator->operations != NULL;
}

static uint8_t pick_type(struct generator *generator, uint32_t types)
{
    if (types == 0)
        return HX_TYPE_NONE;
    for (;;) {
        const uint32_t type = below(generator, HX_TYPE_COUNT);
        if (types >> type & 1)
            return (uint8_t)type;
    }
}

static uint8_t pick_modifier(struct generator *generator, uint64_t allowed)
{
    if (allowed == 0 || chance(generator, 40))
        return 0;
    for (;;) {
        const uint32_t value = below(generator, 64);
        if (allowed >> value & 1)
            return (uint8_t)value;
    }
}

/* Has the instruction a meaning that the description of the set gives it? */
static bool is_defined(const struct instruction *instruction)
{
    const uint8_t rounding = instruction->modifiers[GROUP_ROUNDING];
    const bool to_float = is_float((hx_type)instruction->type),
               from_float = is_float((hx_type)instruction->source_type);
    if (instruction->opcode->shape == SHAPE_CONVERT) {
        const bool to_integral = rounding >= ROUNDING_RNI;
        if ((to_integral && !from_float) || (rounding != ROUNDING_NONE && !to_integral && !to_float))
            return false;
    }
    return instruction_semantic(instruction) != SEMANTIC_NONE;
}

static void pick_meaning(struct generator *generator, struct instruction *instruction)
{
    const struct isa_opcode *opcode = instruction->opcode;
    instruction->type = pick_type(generator, opcode->types);
    instruction->source_type = pick_type(generator, opcode->source_types);
    for (int group = 0; group < GROUP_COUNT; group++)
        instruction->modifiers[group] = pick_modifier(generator, opcode->modifiers[group]);
}

/* Are there as many as its longest operand takes? */
static bool has_registers(const struct generator *generator, const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction_registers(instruction, i) > generator->pool.count)
            return false;
    return true;
}

static bool draft_head(struct generator *generator, struct draft *draft)
{
    const struct isa_opcode *opcode =
        generator->operations[below(generator, (uint32_t)generator->operation_count)];
    struct instruction *instruction = &draft->instruction;
    *draft = (struct draft){.instruction = {.opcode = opcode, .guard = -1}};
    pick_meaning(generator, instruction);
    while (opcode->shape == SHAPE_MATRIX && !is_defined(instruction)) /* few of its modifiers go together */
        pick_meaning(generator, instruction);
    if (!is_defined(instruction) || !has_registers(generator, instruction))
        return false;
    const char *name = opcode->mnemonic;
    if (opcode->alias_count > 0 && chance(generator, 20))
        name = opcode->aliases[below(generator, (uint32_t)opcode->alias_count)];
    add(draft, "%s", name);
    for (int group = 0; group < GROUP_COUNT; group++)
        if (instruction->modifiers[group])
            add(draft, ".%s", modifier_text((enum modifier_group)group, instruction->modifiers[group]));
    if (instruction->type != HX_TYPE_NONE)
        add(draft, ".%s", hx_type_name((hx_type)instruction->type));
    if (instruction->source_type != HX_TYPE_NONE)
        add(draft, ".%s", hx_type_name((hx_type)instruction->source_type));
    return true;
}

/* ---- Registers and literals -------------------------------------------------------------------------------
 */

unsigned data_register(struct generator *generator, hx_type type)
{
    const bool wide = hx_type_bytes(type) == 8;
    unsigned number = 0;
    for (int tries = 0; tries < 5; tries++) {
        number = below(generator, generator->pool.count);
        if ((generator->pool.wide >> number & 1) == wide)
            break;
    }
    return generator->pool.first + number;
}

unsigned any_predicate(struct generator *generator)
{
    return generator->pool.first_predicate + below(generator, generator->pool.predicates);
}

/* The first of several registers that follow each other. */
static unsigned vector_register(struct generator *generator, unsigned count)
{
    return generator->pool.first + below(generator, generator->pool.count - count + 1);
}

static const char *const half_numbers[] = {"0",      "-0",   "1",    "-1",    "0.5",   "2",
                                           "-3.75",  "inf",  "-inf", "nan",   "65504", "-1000",
                                           "0.0001", "6e-8", "3e-5", "0.333", "1e-39"};
static const uint32_t f32_numbers[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                       0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000,
                                       0x7f7fffff, 0x4f000000, 0xcf000000, 0x5f000000, 0x33800000,
                                       0x3f000000, 0x40490fdb, 0xffc12345};
static const uint64_t f64_numbers[] = {0,
                                       UINT64_C(0x8000000000000000),
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0xfff0000000000000),
                                       UINT64_C(0x7ff8000000000001),
                                       1,
                                       UINT64_C(0x000fffffffffffff),
                                       UINT64_C(0x47efffffe0000000),
                                       UINT64_C(0x36a0000000000000),
                                       UINT64_C(0x43e0000000000000),
                                       UINT64_C(0xc1e0000000000000),
                                       UINT64_C(0x3fe0000000000000),
                                       UINT64_C(0x400921fb54442d18)};

static uint64_t integer_bits(struct generator *generator, unsigned bits)
{
    const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    switch (below(generator, 4)) {
    case 0:
        return below(generator, 80) & all;
    case 1:
        return (0 - (uint64_t)below(generator, 9)) & all;
    case 2:
        return ((UINT64_C(1) << (bits - 1)) - below(generator, 2)) & all;
    default:
        return random_bits(generator) & all;
    }
}

void write_number(struct generator *generator, hx_type type, bool fits_32_bits, char *text, size_t room)
{
    const unsigned bits = (unsigned)hx_type_bytes(type) * 8;
    if (type == HX_TYPE_F16 || type == HX_TYPE_BF16) {
        snprintf(text, room, "%s", half_numbers[below(generator, HX_COUNT_OF(half_numbers))]);
    } else if (type == HX_TYPE_F32) {
        const uint32_t number = chance(generator, 60)
                                    ? f32_numbers[below(generator, HX_COUNT_OF(f32_numbers))]
                                    : (uint32_t)random_bits(generator);
        snprintf(text, room, "0f%08x", number);
    } else if (type == HX_TYPE_F64 && fits_32_bits) {
        snprintf(text, room, "0");
    } else if (type == HX_TYPE_F64) {
        const uint64_t number = chance(generator, 60)
                                    ? f64_numbers[below(generator, HX_COUNT_OF(f64_numbers))]
                                    : random_bits(generator);
        snprintf(text, room, "0d%016llx", (unsigned long long)number);
    } else {
        uint64_t number = integer_bits(generator, bits);
        number = fits_32_bits ? number & UINT32_MAX : number;
        const bool is_signed =
            type == HX_TYPE_I8 || type == HX_TYPE_I16 || type == HX_TYPE_I32 || type == HX_TYPE_I64;
        if (is_signed && !fits_32_bits)
            snprintf(text, room, "%lld", (long long)((int64_t)(number << (64 - bits)) >> (64 - bits)));
        else
            snprintf(text, room, is_signed || chance(generator, 50) ? "0x%llx" : "%llu",
                     (unsigned long long)number);
    }
}

/* A number that stands in code: without a sign's type it may have one, too. */
static void write_immediate(struct generator *generator, hx_type type, bool fits_32_bits, char *text,
                            size_t room)
{
    static const hx_type unsigned_types[] = {HX_TYPE_U8, HX_TYPE_U16, HX_TYPE_U32, HX_TYPE_U64};
    bool has_no_sign = false;
    for (size_t i = 0; i < HX_COUNT_OF(unsigned_types); i++)
        has_no_sign |= type == unsigned_types[i];
    if (has_no_sign && !fits_32_bits && chance(generator, 20))
        snprintf(text, room, "-%llu",
                 1 + (unsigned long long)(random_bits(generator) >> (65 - 8 * hx_type_bytes(type))));
    else
        write_number(generator, type, fits_32_bits, text, room);
}

/* Those whose value does not depend on how a program is run. */
static const enum special_register specials[] = {SPECIAL_TID_X,
                                                 SPECIAL_TID_Y,
                                                 SPECIAL_TID_Z,
                                                 SPECIAL_NTID_X,
                                                 SPECIAL_NTID_Y,
                                                 SPECIAL_NTID_Z,
                                                 SPECIAL_CTAID_X,
                                                 SPECIAL_CTAID_Y,
                                                 SPECIAL_CTAID_Z,
                                                 SPECIAL_NCTAID_X,
                                                 SPECIAL_NCTAID_Y,
                                                 SPECIAL_NCTAID_Z,
                                                 SPECIAL_LANEID,
                                                 SPECIAL_WARPID,
                                                 SPECIAL_NWARPID,
                                                 SPECIAL_GTID,
                                                 SPECIAL_LANEMASK_EQ,
                                                 SPECIAL_LANEMASK_LT,
                                                 SPECIAL_LANEMASK_LE,
                                                 SPECIAL_LANEMASK_GT,
                                                 SPECIAL_LANEMASK_GE,
                                                 SPECIAL_WARPSIZE,
                                                 SPECIAL_DYNAMIC_SMEM_SIZE,
                                                 SPECIAL_TOTAL_SMEM_SIZE};
static const char *const parameters[] = {"$p_u32", "$p_i32", "$p_i64", "$p_u64", "$p_f32",
                                         "$p_f64", "$p_f16", "$p_i8",  "$p_i16"};

static size_t integer_bytes(hx_type type)
{
    return is_float(type) ? 0 : hx_type_bytes(type);
}

static void add_source(struct generator *generator, struct draft *draft, unsigned index)
{
    const struct isa_opcode *opcode = draft->instruction.opcode;
    const struct form *form = &opcode->forms[index];
    const hx_type type = instruction_operand_type(&draft->instruction, index);
    const unsigned vector = instruction_registers(&draft->instruction, index);
    char number[32];
    const bool may_literal = !draft->has_literal && (opcode->may_literal >> form->letter & 1) && vector == 1;
    const uint32_t choice = may_literal ? below(generator, 100) : 100;
    draft->has_literal |= choice < 30;
    enum special_register special = specials[below(generator, HX_COUNT_OF(specials))];
    if (generator->pool.uniform && verify_special_varies(special))
        special = SPECIAL_CTAID_X;
    if (choice < 18) {
        write_immediate(generator, type, opcode->form_count > 4, number, sizeof number);
        add(draft, "%s", number);
    } else if (choice < 24 || (choice < 30 && form->kind != FORM_ANY_SOURCE)) {
        add(draft, "%s", parameters[below(generator, HX_COUNT_OF(parameters))]);
    } else if (choice < 29 && hx_type_bytes(special_type(special)) <= integer_bytes(type)) {
        add(draft, "%%%s", special_name(special));
    } else if (choice < 30 && integer_bytes(type) >= 4) {
        add(draft, "%s", chance(generator, 50) ? "cells" : "narrow");
    } else if (vector > 1) {
        add(draft, "r%u", vector_register(generator, vector));
    } else if (!generator->pool.uniform && chance(generator, 5)) {
        add(draft, "r%u", chance(generator, 50) ? REG_THREAD : REG_GLOBAL);
    } else if (!generator->pool.uniform && chance(generator, 15)) {
        add(draft, "r%u", chance(generator, 70) ? any_uniform(generator) : REG_PLACE + below(generator, 4));
    } else {
        add(draft, "r%u", data_register(generator, type));
    }
}

static void add_destination(struct generator *generator, struct draft *draft, unsigned index)
{
    const hx_type type = instruction_operand_type(&draft->instruction, index);
    const unsigned vector = instruction_registers(&draft->instruction, index);
    if (draft->instruction.opcode->forms[index].may_sink && chance(generator, 20)) {
        add(draft, "_");
        return;
    }
    for (;;) {
        const unsigned number =
            vector > 1 ? vector_register(generator, vector) : data_register(generator, type);
        bool taken = false;
        for (unsigned i = 0; i < draft->used_count; i++)
            taken |= draft->used[i] == number;
        if (taken)
            continue;
        draft->used[draft->used_count++] = number;
        add(draft, "r%u", number);
        return;
    }
}

/* ---- Addresses --------------------------------------------------------------------------------------------
 */

/* Somewhere in tables that everybody reads: an index from data, made small first. */
static void add_table_address(struct generator *generator, struct draft *draft, const char *table,
                              unsigned bytes)
{
    const unsigned offset = bytes * below(generator, 32 / bytes);
    static const char *const kinds[] = {"", ".u32", ".i32"};
    emit(generator, LINE_FREE, "and.u32 r%d, r%u, 60", REG_INDEX, data_register(generator, HX_TYPE_U32));
    if (chance(generator, 20)) { /* a negative index */
        emit(generator, LINE_FREE, "sub.i32 r%d, r%d, 60", REG_INDEX, REG_INDEX);
        add(draft, "[%s + r%d.i32*8 + %u]", table, REG_INDEX, 480 + offset);
    } else {
        add(draft, "[%s + r%d%s*8 + %u]", table, REG_INDEX, kinds[below(generator, 3)], offset);
    }
}

static void add_own_global(struct generator *generator, struct draft *draft, unsigned bytes)
{
    const unsigned offset = bytes * below(generator, SCRATCH_BYTES / bytes);
    switch (below(generator, 6)) {
    case 0:
        add(draft, "[$scratch + r%d + %u]", REG_SCRATCH, offset);
        break;
    case 4:
    case 5:
        add(draft, "[$scratch + r%d%s*1 + %u]", REG_PLACE + 2, chance(generator, 50) ? ".i32" : "", offset);
        break;
    case 1:
        add(draft, "[$scratch + r%d.u32*1 + %u]", REG_SCRATCH, offset);
        break;
    default:
        add(draft, "[r%d + %u]", REG_OWN, offset);
    }
}

static void add_shared_address(struct generator *generator, struct draft *draft, unsigned bytes, bool loads)
{
    const unsigned offset = bytes * below(generator, CELL_BYTES / bytes);
    char text[80];
    if (loads && chance(generator, 40)) {
        write_affine_address(generator, SPACE_SHARED, bytes, text, sizeof text);
        add(draft, "%s", text);
    } else if (loads && generator->pool.uniform && chance(generator, 80)) {
        add_table_address(generator, draft, "common", bytes);
    } else if (bytes == 2 && chance(generator, 40)) {
        add(draft, "[narrow + r%d*2]", chance(generator, 50) ? REG_THREAD : REG_PLACE);
    } else if (chance(generator, 30)) {
        add(draft, "[cells + r%d*1 + %u]", REG_PLACE + 1, offset);
    } else if (chance(generator, 60)) {
        add(draft, "[cells + r%d*1 + %u]", REG_CELL, offset);
    } else {
        /* a base in a register; of a load it may be one of the results */
        const bool own = loads && instruction_vector(&draft->instruction) > 1 && draft->used_count > 0;
        const unsigned base = own ? draft->used[0] + instruction_vector(&draft->instruction) - 1 : REG_BASE;
        emit(generator, LINE_FREE, "mov.u64 r%u, cells", base);
        add(draft, "[r%u + r%d + %u]", base, REG_CELL, offset);
    }
}

static void add_local_address(struct generator *generator, struct draft *draft, unsigned bytes)
{
    const unsigned offset = bytes * below(generator, LOCAL_BYTES / bytes);
    if (chance(generator, 50)) {
        add(draft, "[mine + %u]", offset);
        return;
    }
    emit(generator, LINE_FREE, "and.u32 r%d, r%u, %u", REG_INDEX, data_register(generator, HX_TYPE_U32),
         LOCAL_BYTES - bytes);
    emit(generator, LINE_FREE, "and.u32 r%d, r%d, %u", REG_INDEX, REG_INDEX, ~(bytes - 1));
    add(draft, "[mine + r%d]", REG_INDEX);
}

/* The same places, each by way of its window. */
static void add_generic_address(struct generator *generator, struct draft *draft, unsigned bytes, bool loads)
{
    const unsigned in_cells = bytes * below(generator, CELL_BYTES / bytes);
    const unsigned in_local = bytes * below(generator, LOCAL_BYTES / bytes);
    switch (below(generator, loads ? 5 : 3)) {
    case 0:
        add_own_global(generator, draft, bytes);
        break;
    case 1:
        emit(generator, LINE_FREE, "mov.u64 r%d, cells", REG_BASE);
        emit(generator, LINE_FREE, "cvta.shared.u64 r%d, r%d", REG_BASE, REG_BASE);
        add(draft, "[r%d + r%d + %u]", REG_BASE, REG_CELL, in_cells);
        break;
    case 2:
        emit(generator, LINE_FREE, "mov.u64 r%d, mine", REG_BASE);
        emit(generator, LINE_FREE, "cvta.local.u64 r%d, r%d", REG_BASE, REG_BASE);
        add(draft, "[r%d + %u]", REG_BASE, in_local);
        break;
    case 3:
        emit(generator, LINE_FREE, "mov.u64 r%d, table", REG_BASE);
        emit(generator, LINE_FREE, "cvta.const.u64 r%d, r%d", REG_BASE, REG_BASE);
        emit(generator, LINE_FREE, "and.u32 r%d, r%u, 60", REG_INDEX, data_register(generator, HX_TYPE_U32));
        add(draft, "[r%d + r%d*8 + %u]", REG_BASE, REG_INDEX, in_cells);
        break;
    default:
        add_table_address(generator, draft, chance(generator, 50) ? "$input" : "$special", bytes);
    }
}

static void add_address(struct generator *generator, struct draft *draft)
{
    const struct isa_opcode *opcode = draft->instruction.opcode;
    const unsigned bytes =
        (unsigned)hx_type_bytes((hx_type)draft->instruction.type) * instruction_vector(&draft->instruction);
    const bool loads = opcode->shape == SHAPE_LOAD;
    char text[80] = "";
    if (!shape_is_memory(opcode->shape)) { /* a hint: any address will do */
        add(draft, "[r%u + %u]", data_register(generator, HX_TYPE_U64), below(generator, 100));
        return;
    }
    switch (opcode->space) {
    case SPACE_SHARED:
        add_shared_address(generator, draft, bytes, loads);
        break;
    case SPACE_CONSTANT:
        if (chance(generator, 40))
            write_affine_address(generator, SPACE_CONSTANT, bytes, text, sizeof text);
        else
            add_table_address(generator, draft, "table", bytes);
        add(draft, "%s", text);
        break;
    case SPACE_LOCAL:
        add_local_address(generator, draft, bytes);
        break;
    case SPACE_GENERIC:
        add_generic_address(generator, draft, bytes, loads);
        break;
    default:
        if (loads && !generator->pool.uniform && chance(generator, 30)) {
            write_affine_address(generator, SPACE_GLOBAL, bytes, text, sizeof text);
            add(draft, "%s", text);
        } else if (loads && chance(generator, generator->pool.uniform ? 90 : 50))
            add_table_address(generator, draft, chance(generator, 50) ? "$input" : "$special", bytes);
        else
            add_own_global(generator, draft, bytes);
    }
}

/* ---- All of it --------------------------------------------------------------------------------------------
 */

static bool is_member_mask(const struct isa_opcode *opcode, unsigned index)
{
    return shape_is_warp(opcode->shape) && index + 1u == opcode->form_count && opcode->forms[index].optional;
}

/* All lanes, or the half of the warp that the lane is in. */
static void add_member_mask(struct generator *generator, struct draft *draft)
{
    emit(generator, LINE_FRAME, "mov.u32 r%d, 0xffffffff", REG_INDEX);
    if (chance(generator, 40)) {
        emit(generator, LINE_FRAME, "mov.u32 r%d, %%laneid", REG_NEIGHBOUR);
        emit(generator, LINE_FRAME, "and.u32 r%d, r%d, 16", REG_NEIGHBOUR, REG_NEIGHBOUR);
        emit(generator, LINE_FRAME, "shr.u32 r%d, r%d, 16", REG_INDEX, REG_INDEX);
        emit(generator, LINE_FRAME, "shl.u32 r%d, r%d, r%d", REG_INDEX, REG_INDEX, REG_NEIGHBOUR);
    }
    add(draft, "r%d", REG_INDEX);
}

static void add_operand(struct generator *generator, struct draft *draft, unsigned index)
{
    switch (draft->instruction.opcode->forms[index].kind) {
    case FORM_DESTINATION:
        add_destination(generator, draft, index);
        break;
    case FORM_PREDICATE_DESTINATION:
        if (draft->instruction.opcode->forms[index].may_sink && chance(generator, 10))
            add(draft, "_");
        else
            add(draft, "p%u", any_predicate(generator));
        break;
    case FORM_PREDICATE_SOURCE:
        add(draft, "%s", chance(generator, 30) ? "!" : "");
        add(draft, "p%u", any_predicate(generator));
        break;
    case FORM_ADDRESS:
        add_address(generator, draft);
        break;
    case FORM_SMALL:
        add(draft, "%u", below(generator, draft->instruction.opcode->forms[index].maximum + 1));
        break;
    case FORM_IMM8:
        add(draft, "%u", below(generator, 256));
        break;
    default:
        if (is_member_mask(draft->instruction.opcode, index))
            add_member_mask(generator, draft);
        else
            add_source(generator, draft, index);
    }
}

/* A mask of members names lanes that must come, so it stands only where all do; a bound may be left out. */
static bool is_left_out(struct generator *generator, const struct draft *draft, unsigned index, bool has_mask)
{
    const struct isa_opcode *opcode = draft->instruction.opcode;
    const struct form *form = &opcode->forms[index];
    if (!form->optional)
        return false;
    if (form->kind == FORM_PREDICATE_DESTINATION || opcode->shape == SHAPE_POLICY)
        return chance(generator, 40);
    if (!shape_is_warp(opcode->shape))
        return draft->instruction.modifiers[GROUP_COMBINE] == 0;
    return !has_mask && (index + 1u == opcode->form_count || chance(generator, 50));
}

void generate_operation(struct generator *generator)
{
    struct draft draft;
    /* threads of the whole block meet in a reduction or scan */
    while (!draft_head(generator, &draft) ||
           (!generator->meets && shape_is_collective(draft.instruction.opcode->shape)) ||
           (generator->straight && draft.instruction.opcode->shape > SHAPE_CAS)) {
    }
    const struct isa_opcode *opcode = draft.instruction.opcode;
    const bool has_mask = generator->meets && chance(generator, 40);
    for (unsigned i = 0; i < opcode->form_count; i++) {
        if (is_left_out(generator, &draft, i, has_mask))
            continue;
        add(&draft, "%s ", i > 0 ? "," : "");
        add_operand(generator, &draft, i);
    }
    const bool must_come = shape_is_collective(opcode->shape) || (shape_is_warp(opcode->shape) && has_mask);
    const bool is_guarded =
                   chance(generator, generator->pool.first == generator->data.first ? 25 : 8) && !must_come,
               is_negated = chance(generator, 30);
    if (is_guarded)
        emit(generator, LINE_FREE, "@%sp%u %s", is_negated ? "!" : "", any_predicate(generator), draft.text);
    else
        emit(generator, LINE_FREE, "%s", draft.text);
}
