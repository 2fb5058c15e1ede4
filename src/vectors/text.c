/* Kernels for vectors.
 *
 * Takes a batch of vectors of one instruction, leaves a program in which each thread reads the operands of
 * one vector, runs the instruction and writes its results to a slot of its own. How threads share the warp is
 * the mode: all lanes have a vector (full), one lane of a warp has one and the others have exited (lone),
 * even and odd lanes reach two copies of the instruction separately (diverged).
 *
 * What is around the instruction is written for the instruction set that is built in, whatever set is tested:
 * that one may lack what it takes, or call it otherwise. In the place of the instruction stand nops, which
 * run.c replaces by what the tested set made of it. */
#include "vectors/vectors.h"

const char *const vector_mode_names[MODE_COUNT] = {"full warps", "a lone lane", "a diverged warp",
                                                   "a run that should fault"};

/* Registers of these kernels; operands have room for vector forms. */
enum {
    REG_IN = 16,
    REG_OUT = 96,
    REG_STEP = 4,
    REG_BASE = 230,
    REG_AT = 231,
    REG_FROM = 232,
    REG_SLOT = 240,
    REG_VECTOR = 241,
    REG_WORK = 242,
    REG_WORK_2 = 243,
    REG_INDEX = 244,
    REG_ZERO = 245,
    P_IN = 0,
    P_OUT = 8,
    P_SIDE = 14
};

uint32_t batch_slots(const struct vector_batch *batch, enum vector_mode mode)
{
    const uint32_t wanted = mode == MODE_DIVERGED ? 2 * batch->count : batch->count;
    if (mode == MODE_LONE)
        return batch->count;
    return mode == MODE_FAULT ? VECTOR_BLOCK : (wanted + VECTOR_BLOCK - 1) / VECTOR_BLOCK * VECTOR_BLOCK;
}

uint32_t batch_vector(const struct vector_batch *batch, enum vector_mode mode, uint32_t slot)
{
    return (mode == MODE_DIVERGED ? slot / 2 : slot) % batch->count;
}

static enum hx_space space_of(const struct vector_batch *batch)
{
    return batch->test->has_address ? batch->test->instruction.opcode->space : SPACE_NONE;
}

/* ---- Which vector, which slot -------------------------------------------------------------------------- */

static void write_choice(const struct vector_batch *batch, enum vector_mode mode, struct text *text)
{
    if (mode == MODE_LONE) {
        text_print(text, "  mov.u32 r%d, %%ctaid.x\n  cvt.u64.u32 r%d, r%d\n", REG_VECTOR, REG_SLOT,
                   REG_VECTOR);
        text_print(text, "  mul.u32 r%d, r%d, 7\n  and.u32 r%d, r%d, 31\n", REG_WORK, REG_VECTOR, REG_WORK,
                   REG_WORK);
        text_print(text, "  mov.u32 r%d, %%tid.x\n  setp.ne.u32 p15, r%d, r%d\n  @p15 exit\n", REG_WORK_2,
                   REG_WORK_2, REG_WORK);
        return;
    }
    text_print(text, "  mov.u64 r%d, %%gtid\n  cvt.u32.u64 r%d, r%d\n", REG_SLOT, REG_VECTOR, REG_SLOT);
    if (mode == MODE_DIVERGED)
        text_print(text, "  shr.u32 r%d, r%d, 1\n", REG_VECTOR, REG_VECTOR);
    text_print(text, "  rem.u32 r%d, r%d, %u\n", REG_VECTOR, REG_VECTOR, batch->count);
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static unsigned in_register(const struct vector_operand *operand)
{
    return REG_IN + REG_STEP * operand->form + operand->element;
}

static void write_inputs(const struct vector_batch *batch, struct text *text)
{
    const struct vector_case *test = batch->test;
    const unsigned elements = test->in_count + test->has_address;
    text_print(text, "  mov.u32 r%d, 0\n  mul.u32 r%d, r%d, %u\n", REG_ZERO, REG_INDEX, REG_VECTOR,
               elements * 8);
    for (unsigned i = 0; i < test->in_count; i++) {
        const struct vector_operand *operand = &test->in[i];
        if (operand->is_immediate)
            continue;
        if (operand->type == HX_TYPE_PRED)
            text_print(text, "  ldg.u32 r%d, [$in + r%d + %u]\n  setp.ne.u32 p%d, r%d, r%d\n", REG_WORK,
                       REG_INDEX, i * 8, P_IN + operand->form, REG_WORK, REG_ZERO);
        else
            text_print(text, "  ldg.%s r%u, [$in + r%d + %u]\n",
                       hx_type_name(type_is_packed(operand->type) ? HX_TYPE_U32 : operand->type),
                       in_register(operand), REG_INDEX, i * 8);
    }
    if (test->has_address)
        text_print(text, "  ldg.i64 r%d, [$in + r%d + %u]\n", REG_AT, REG_INDEX, test->in_count * 8);
}

static void write_operand(const struct vector_batch *batch, unsigned form, struct text *text)
{
    const struct vector_case *test = batch->test;
    for (unsigned i = 0; i < test->out_count; i++)
        if (test->out[i].form == form) {
            text_print(text, test->out[i].type == HX_TYPE_PRED ? "p%d" : "r%d",
                       test->out[i].type == HX_TYPE_PRED ? P_OUT + (int)form
                                                         : REG_OUT + REG_STEP * (int)form);
            return;
        }
    for (unsigned i = 0; i < test->in_count; i++)
        if (test->in[i].form == form) {
            if (test->in[i].is_immediate)
                text_print(text, "%u", (unsigned)batch->vectors[0]->in[i]);
            else if (test->in[i].type == HX_TYPE_PRED)
                text_print(text, "p%d", P_IN + (int)form);
            else
                text_print(text, "r%u", in_register(&test->in[i]));
            return;
        }
    text_print(text, "[r%d + r%d]", REG_BASE, REG_AT);
}

static bool has_result(const struct vector_case *test, unsigned form)
{
    for (unsigned i = 0; i < test->out_count; i++)
        if (test->out[i].form == form)
            return true;
    return false;
}

void batch_instruction(const struct vector_batch *batch, struct text *text)
{
    const struct vector_case *test = batch->test;
    const struct isa_opcode *opcode = test->instruction.opcode;
    const unsigned last = test->in_count ? test->in[test->in_count - 1].form : 0;
    text_print(text, "program: instruction\ncode: |\n  %s", test->op);
    for (unsigned i = 0; i < opcode->form_count; i++) {
        if (i > last && opcode->forms[i].optional)
            break;
        if (opcode->forms[i].optional && opcode->forms[i].kind == FORM_PREDICATE_DESTINATION &&
            !has_result(test, i))
            continue;
        text_print(text, i ? ", " : " ");
        write_operand(batch, i, text);
    }
    text_append(text, "\n", 1);
}

static void write_instruction(const struct vector_batch *batch, struct text *text)
{
    for (uint32_t i = 0; i < batch->instructions; i++)
        text_print(text, "  nop\n");
}

static void write_results(const struct vector_batch *batch, struct text *text)
{
    const struct vector_case *test = batch->test;
    text_print(text, "  cvt.u32.u64 r%d, r%d\n  mul.u32 r%d, r%d, %u\n", REG_INDEX, REG_SLOT, REG_INDEX,
               REG_INDEX, test->out_count * 8);
    for (unsigned i = 0; i < test->out_count; i++) {
        const struct vector_operand *operand = &test->out[i];
        unsigned reg = REG_OUT + REG_STEP * operand->form + operand->element;
        if (operand->type == HX_TYPE_PRED) {
            text_print(text, "  sel.u32 r%d, 1, r%d, p%d\n", REG_WORK, REG_ZERO, P_OUT + operand->form);
            reg = REG_WORK;
        }
        /* narrow results are compared with their extension */
        text_print(text, "  stg.%s [$out + r%d + %u], r%u\n", type_bits(operand->type) == 64 ? "u64" : "u32",
                   REG_INDEX, i * 8, reg);
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

static void write_copy(const struct vector_batch *batch, const char *load, const char *store, int from,
                       int to, struct text *text)
{
    for (uint32_t at = 0; at < batch->copy_bytes; at += 8)
        text_print(text, "  %s.u64 r%d, [r%d + %u]\n  %s.u64 [r%d + %u], r%d\n", load, REG_WORK, from, at,
                   store, to, at, REG_WORK);
}

/* Each slot has a copy of its own; of a fault there is one for all, and no byte behind it. */
static void write_memory(const struct vector_batch *batch, enum vector_mode mode, struct text *text)
{
    const enum hx_space space = space_of(batch);
    const bool is_own = mode != MODE_FAULT;
    text_print(text, "  mov.u64 r%d, $mem\n", REG_FROM);
    if (is_own)
        text_print(text, "  mad.u64 r%d, r%d, %u, r%d\n", REG_FROM, REG_SLOT, batch->copy_bytes, REG_FROM);
    if (space == SPACE_SHARED) {
        text_print(text, "  mov.u64 r%d, space\n", REG_BASE);
        if (is_own) {
            text_print(text, "  mov.u32 r%d, %%tid.x\n  mul.u32 r%d, r%d, %u\n  cvt.u64.u32 r%d, r%d\n",
                       REG_WORK_2, REG_WORK_2, REG_WORK_2, batch->copy_bytes, REG_WORK_2, REG_WORK_2);
            text_print(text, "  add.u64 r%d, r%d, r%d\n", REG_BASE, REG_BASE, REG_WORK_2);
            write_copy(batch, "ldg", "sts", REG_FROM, REG_BASE, text);
        }
    } else if (space == SPACE_LOCAL) {
        text_print(text, "  mov.u64 r%d, space\n", REG_BASE);
        if (is_own)
            write_copy(batch, "ldg", "stl", REG_FROM, REG_BASE, text);
    } else if (space == SPACE_CONSTANT) {
        text_print(text, "  mov.u64 r%d, space\n", REG_BASE);
    } else {
        text_print(text, "  mov.u64 r%d, r%d\n", REG_BASE, REG_FROM);
    }
}

static void write_memory_back(const struct vector_batch *batch, struct text *text)
{
    if (space_of(batch) == SPACE_SHARED)
        write_copy(batch, "lds", "stg", REG_BASE, REG_FROM, text);
    else if (space_of(batch) == SPACE_LOCAL)
        write_copy(batch, "ldl", "stg", REG_BASE, REG_FROM, text);
}

static void write_space(const struct vector_batch *batch, enum vector_mode mode, struct text *text)
{
    const struct vector *first = batch->vectors[0];
    const size_t own = mode == MODE_FAULT ? first->memory_bytes : batch->copy_bytes;
    switch (space_of(batch)) {
    case SPACE_SHARED:
        text_print(text, "shared:\n  - {name: space, type: u8, count: %zu}\n",
                   mode == MODE_FAULT ? own : own * VECTOR_BLOCK);
        break;
    case SPACE_LOCAL:
        text_print(text, "local:\n  - {name: space, type: u8, count: %zu}\n", own);
        break;
    case SPACE_CONSTANT:
        text_print(text, "constants:\n  - {name: space, type: u8, values: [");
        for (size_t i = 0; i < first->memory_bytes; i++)
            text_print(text, i ? ", %u" : "%u", first->memory[i]);
        text_print(text, "]}\n");
        break;
    default:
        break;
    }
}

/* ---- What buffers hold --------------------------------------------------------------------------------- */

static void write_input_values(const struct vector_batch *batch, struct text *text)
{
    const struct vector_case *test = batch->test;
    text_print(text, "  - {name: in, type: u64, values: [");
    for (uint32_t v = 0; v < batch->count; v++) {
        for (unsigned i = 0; i < test->in_count; i++)
            text_print(text, "%s%llu", v + i ? ", " : "", (unsigned long long)batch->vectors[v]->in[i]);
        if (test->has_address)
            text_print(text, "%s%llu", v + test->in_count ? ", " : "",
                       (unsigned long long)batch->vectors[v]->at);
    }
    text_print(text, test->in_count || test->has_address ? "]}\n" : "0]}\n");
}

static void write_memory_values(const struct vector_batch *batch, enum vector_mode mode, struct text *text)
{
    const uint32_t slots = mode == MODE_FAULT ? 1 : batch_slots(batch, mode);
    text_print(text, "  - {name: mem, type: u8, values: [");
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct vector *vector = batch->vectors[batch_vector(batch, mode, slot)];
        const size_t bytes = mode == MODE_FAULT ? vector->memory_bytes : batch->copy_bytes;
        for (size_t i = 0; i < bytes; i++)
            text_print(text, slot + i ? ", %u" : "%u", i < vector->memory_bytes ? vector->memory[i] : 0u);
    }
    text_print(text, "]}\n");
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

void batch_text(const struct vector_batch *batch, enum vector_mode mode, struct text *text)
{
    const struct vector_case *test = batch->test;
    const uint32_t slots = batch_slots(batch, mode), block = mode == MODE_LONE ? 32 : VECTOR_BLOCK;
    text_print(text, "program: vectors\nlaunch: {grid: [%u], block: [%u]}\nbuffers:\n",
               mode == MODE_LONE ? slots : slots / block, block);
    write_input_values(batch, text);
    text_print(text, "  - {name: out, type: u64, count: %u}\n",
               slots * (test->out_count ? test->out_count : 1));
    if (test->has_address)
        write_memory_values(batch, mode, text);
    write_space(batch, mode, text);
    text_print(text, "code: |\n");
    write_choice(batch, mode, text);
    write_inputs(batch, text);
    if (test->has_address)
        write_memory(batch, mode, text);
    if (mode == MODE_DIVERGED) {
        text_print(text, "  mov.u32 r%d, %%tid.x\n  and.u32 r%d, r%d, 1\n", REG_WORK, REG_WORK, REG_WORK);
        text_print(text, "  setp.eq.u32 p%d, r%d, r%d\n  @p%d bra even\n", P_SIDE, REG_WORK, REG_ZERO,
                   P_SIDE);
        write_instruction(batch, text);
        text_print(text, "  bra together\n  even:\n");
    }
    write_instruction(batch, text);
    text_print(text, mode == MODE_DIVERGED ? "  together:\n" : "");
    write_results(batch, text);
    if (mode != MODE_FAULT)
        write_memory_back(batch, text);
    text_print(text, "  exit\n");
}
