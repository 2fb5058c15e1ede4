/* The kernels around a subject.
 *
 * Takes a subject, leaves a kernel that runs it again and again, and the same kernel without it: the
 * difference of their times is the subject's. Operands are loaded before the loop, one element a thread, so
 * that nothing knows their values while the kernel is lowered.
 *
 * The frame is written for the instruction set that is built in, whatever set is measured: that one may lack
 * what a frame takes, or call it otherwise. In the place of the subject stand nops, which become what the
 * measured set made of it; what comes after reads instructions and never their instruction set. */
#include "base/random.h"
#include "bench/bench.h"

#include <math.h>
#include <string.h>

#define SLOT_BYTES     16384u /* of FRAME_DATA, for each type: an element for each operand and thread */
#define ZERO_SLOT      ((unsigned)HX_TYPE_COUNT)
#define MEMORY_BYTES   (1u << 20)
#define ARRAY_BYTES    32768u /* of shared and constant memory: SUBJECT_BLOCK * STRIDE */
#define LOCAL_BYTES    256u
#define STRIDE         128u
#define WIDE_LINKS     4096u /* where FRAME_LINKS has those of 8 bytes */
#define PLACES_MAX     (2 * SUBJECT_COPIES)
#define MIDDLE_OF_DATA 32 /* integers are 1 to 63 */

const char *const frame_buffer_names[FRAME_BUFFERS] = {"control", "data", "memory", "links", "places"};

/* A kernel as it is written. */
struct writing {
    const struct subject *subject;
    enum frame_kind kind;
    bool has_subject;
    struct text text;
    uint32_t count;                           /* instructions so far */
    uint32_t places[PLACES_MAX], place_count; /* where the subject goes */
    uint32_t subroutine, table;               /* where these begin */
};

/* ---- What buffers hold --------------------------------------------------------------------------------- */

uint64_t frame_buffer_bytes(enum frame_buffer buffer)
{
    static const uint64_t bytes[FRAME_BUFFERS] = {[FRAME_CONTROL] = CONTROL_WORDS * sizeof(uint32_t),
                                                  [FRAME_DATA] = (uint64_t)SLOT_BYTES * (HX_TYPE_COUNT + 1),
                                                  [FRAME_MEMORY] = MEMORY_BYTES,
                                                  [FRAME_LINKS] = WIDE_LINKS + SUBJECT_BLOCK * 8,
                                                  [FRAME_PLACES] = SUBJECT_BLOCK * sizeof(uint32_t)};
    return bytes[buffer];
}

/* Integers from 1 to 63 divide and shift well; floats from 1 to 2 neither overflow nor become subnormal soon.
 */
static uint64_t element_bits(enum hx_type type, uint64_t random)
{
    static const struct {
        uint64_t one;
        unsigned fraction;
    } floats[HX_TYPE_COUNT] = {[HX_TYPE_F16] = {0x3c00, 10},
                               [HX_TYPE_BF16] = {0x3f80, 7},
                               [HX_TYPE_F32] = {0x3f800000, 23},
                               [HX_TYPE_F64] = {UINT64_C(0x3ff0000000000000), 52}};
    if (type_is_float(type))
        return floats[type].one | (random >> (64 - floats[type].fraction));
    return 1 + random % 63;
}

static void fill_data(uint8_t *bytes)
{
    uint64_t state = 1;
    for (unsigned type = 0; type < HX_TYPE_COUNT; type++) {
        const size_t element = hx_type_bytes((hx_type)type);
        for (size_t at = 0; element > 0 && at + element <= SLOT_BYTES; at += element) {
            const uint64_t bits = element_bits(type_half((enum hx_type)type), random_next(&state));
            memcpy(bytes + type * SLOT_BYTES + at, &bits, element);
        }
    }
}

void frame_fill(enum frame_buffer buffer, void *bytes)
{
    uint64_t state = 2;
    if (buffer == FRAME_DATA)
        fill_data(bytes);
    for (uint32_t i = 0; i < SUBJECT_BLOCK; i++) {
        const uint32_t place = (uint32_t)random_next(&state);
        const uint64_t link = i;
        if (buffer == FRAME_LINKS) {
            memcpy((char *)bytes + i * sizeof i, &i, sizeof i);
            memcpy((char *)bytes + WIDE_LINKS + i * sizeof link, &link, sizeof link);
        } else if (buffer == FRAME_PLACES) {
            memcpy((char *)bytes + i * sizeof place, &place, sizeof place);
        }
    }
}

uint32_t frame_mask(const struct subject *subject)
{
    static const uint32_t bytes[SPACE_COUNT] = {
        [SPACE_NONE] = MEMORY_BYTES,    [SPACE_GLOBAL] = MEMORY_BYTES, [SPACE_SHARED] = ARRAY_BYTES,
        [SPACE_CONSTANT] = ARRAY_BYTES, [SPACE_LOCAL] = LOCAL_BYTES,   [SPACE_GENERIC] = MEMORY_BYTES};
    return bytes[subject->space] / subject_access_bytes(&subject->instruction) - 1;
}

/* ---- Which kernels there are --------------------------------------------------------------------------- */

static bool has_register_source(const struct subject *subject)
{
    const struct isa_opcode *opcode = subject->instruction.opcode;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const enum form_kind kind = opcode->forms[i].kind;
        if ((kind == FORM_SOURCE || kind == FORM_ANY_SOURCE || kind == FORM_PREDICATE_SOURCE) &&
            !opcode->forms[i].optional)
            return true;
    }
    return false;
}

static bool chain_fits(const struct subject *subject)
{
    if (subject->chain_from < 0)
        return false;
    return subject->instruction.opcode->shape != SHAPE_LOAD || subject->space == SPACE_GLOBAL ||
           subject->space == SPACE_GENERIC || subject->space == SPACE_SHARED;
}

bool frame_fits(const struct subject *subject, enum frame_kind kind)
{
    const enum semantic_shape shape = subject->instruction.opcode->shape;
    const bool meets = shape_gathers_warp(shape) || subject->semantic == SEM_warp_sync;
    switch (kind) {
    case FRAME_PLAIN:
        return subject->way != WAY_NEVER;
    case FRAME_GUARDED: /* what comes back must, for nothing stands behind it */
        return subject_may_be_guarded(subject) && subject->way != WAY_RETURN;
    case FRAME_DIVERGED:
        return subject_may_be_guarded(subject) && !meets && subject->way != WAY_NEVER &&
               subject->way != WAY_RETURN;
    case FRAME_SAME:
        return subject->way == WAY_PLAIN &&
               (shape == SHAPE_LOAD || (subject->space == SPACE_NONE && has_register_source(subject) &&
                                        !shape_is_print(shape) && shape != SHAPE_FLOW));
    case FRAME_CHAIN:
        return chain_fits(subject);
    case FRAME_STRIDED:
        return subject->space != SPACE_NONE && subject->space != SPACE_LOCAL;
    default:
        return subject->space != SPACE_NONE;
    }
}

/* ---- Declarations -------------------------------------------------------------------------------------- */

void frame_declare(const struct subject *subject, struct text *text)
{
    text_print(text, "buffers:\n");
    for (int i = 0; i < FRAME_BUFFERS; i++)
        text_print(text, "  - {name: %s, type: u8, count: %llu}\n", frame_buffer_names[i],
                   (unsigned long long)frame_buffer_bytes((enum frame_buffer)i));
    if (subject->space == SPACE_SHARED)
        text_print(text, "shared:\n  - {name: tile, type: u64, count: %u}\n", ARRAY_BYTES / 8);
    if (subject->space == SPACE_LOCAL)
        text_print(text, "local:\n  - {name: mine, type: u64, count: %u}\n", LOCAL_BYTES / 8);
    if (subject->space == SPACE_CONSTANT)
        text_print(text, "constants:\n  - {name: table, type: u64, count: %u, fill: zero}\n",
                   ARRAY_BYTES / 8);
    if (shape_is_print(subject->instruction.opcode->shape))
        text_print(text, "constants:\n  - {name: words, type: u8, text: \"x\"}\n");
}

const char *frame_base(const struct subject *subject)
{
    static const char *const bases[SPACE_COUNT] = {
        [SPACE_NONE] = "$memory", [SPACE_GLOBAL] = "$memory", [SPACE_GENERIC] = "$memory",
        [SPACE_SHARED] = "tile",  [SPACE_CONSTANT] = "table", [SPACE_LOCAL] = "mine"};
    return bases[subject->space];
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static void line(struct writing *writing, const char *format, ...) HX_PRINTF(2, 3);
static void line(struct writing *writing, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_print(&writing->text, "  ");
    text_print_list(&writing->text, format, arguments);
    text_print(&writing->text, "\n");
    va_end(arguments);
    writing->count++;
}

static void fixed_line(struct writing *writing, const char *text)
{
    text_append(&writing->text, text, strlen(text));
    writing->count++;
}

static void place(struct writing *writing)
{
    writing->places[writing->place_count++] = writing->count;
    for (uint32_t i = 0; i < writing->subject->count; i++)
        fixed_line(writing, "  nop\n");
}

/* One element of the data for each thread, or of SAME kernels for all. */
static void write_element(struct writing *writing, unsigned reg, enum hx_type type, unsigned slot,
                          unsigned form)
{
    const unsigned bytes = (unsigned)hx_type_bytes(type),
                   at = slot * SLOT_BYTES + form * SUBJECT_BLOCK * bytes;
    const char *name = hx_type_name(type_is_packed(type) ? HX_TYPE_U32 : type);
    if (writing->kind == FRAME_SAME) {
        line(writing, "ldg.%s r%u, [$data + %u]", name, reg, at);
        return;
    }
    line(writing, "ldg.%s r%u, [$data + r%d*%u + %u]", name, reg, REG_TID, bytes, at);
}

static void write_source(struct writing *writing, unsigned form)
{
    const struct subject *subject = writing->subject;
    const enum semantic_shape shape = subject->instruction.opcode->shape;
    const unsigned reg = REG_SOURCE + REG_STEP * form;
    enum hx_type type = instruction_operand_type(&subject->instruction, form);
    if (subject->semantic == SEMANTIC_NONE && type != HX_TYPE_PRED)
        type = (enum hx_type)subject->instruction.type;
    if (subject->way == WAY_TABLE || subject->way == WAY_CALL_TABLE || shape == SHAPE_STACK_TAKE)
        write_element(writing, reg, HX_TYPE_U32, ZERO_SLOT, form);
    else if (subject->semantic == SEM_barrier_arrive)
        line(writing, "mov.u32 r%u, %%ntid.x", reg);
    else if (shape == SHAPE_STACK_RESTORE)
        line(writing, "stacksave.%s r%u", hx_type_name(type), reg);
    else if (shape_is_print(shape))
        line(writing, "mov.u64 r%u, %s", reg, form == 0 ? "words" : "$memory");
    else if (type == HX_TYPE_PRED) {
        write_element(writing, REG_PLACE, HX_TYPE_U32, HX_TYPE_U32, form);
        line(writing, "setp.ge.u32 p%u, r%d, %d", P_SOURCE + form, REG_PLACE,
             shape == SHAPE_CHECK ? 1 : MIDDLE_OF_DATA); /* what is checked holds */
    } else
        write_element(writing, reg, type == HX_TYPE_NONE ? HX_TYPE_U32 : type,
                      type == HX_TYPE_NONE ? HX_TYPE_U32 : type, form);
}

static void write_sources(struct writing *writing)
{
    const struct isa_opcode *opcode = writing->subject->instruction.opcode;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const enum form_kind kind = opcode->forms[i].kind;
        if ((kind == FORM_SOURCE || kind == FORM_ANY_SOURCE || kind == FORM_PREDICATE_SOURCE) &&
            !opcode->forms[i].optional)
            write_source(writing, i);
    }
}

static bool has_address(const struct isa_opcode *opcode)
{
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].kind == FORM_ADDRESS)
            return true;
    return false;
}

/* For chains of loads each element holds its own number. */
static void write_links(struct writing *writing, unsigned bytes)
{
    const bool is_shared = writing->subject->space == SPACE_SHARED;
    line(writing, "mov.u64 r%d, %s", REG_BASE, is_shared ? "tile" : "$links");
    if (bytes == 8 && !is_shared)
        line(writing, "add.u64 r%d, r%d, %u", REG_BASE, REG_BASE, WIDE_LINKS);
    if (bytes == 8)
        line(writing, "cvt.u64.u32 r%d, r%d", REG_AT, REG_TID);
    else
        line(writing, "mov.u32 r%d, r%d", REG_AT, REG_TID);
    if (is_shared)
        line(writing, "sts.u%u [r%d + r%d*%u], r%d", 8 * bytes, REG_BASE, REG_AT, bytes, REG_AT);
}

/* The number of the element that each thread goes to. */
static void write_index(struct writing *writing)
{
    const struct subject *subject = writing->subject;
    const unsigned bytes = subject_access_bytes(&subject->instruction);
    if (writing->kind == FRAME_SAME || (subject->space == SPACE_LOCAL && writing->kind != FRAME_SCATTERED)) {
        line(writing, "mov.u32 r%d, 0", REG_AT); /* threads have their local arrays at one place */
    } else if (writing->kind == FRAME_SCATTERED) {
        line(writing, "ldg.u32 r%d, [$places + r%d*4]", REG_AT, REG_TID);
        line(writing, "ldg.u32 r%d, [$control + %d]", REG_WORK, CONTROL_MASK * 4);
        line(writing, "and.u32 r%d, r%d, r%d", REG_AT, REG_AT, REG_WORK);
    } else if (writing->kind == FRAME_CHAIN && subject->instruction.opcode->shape == SHAPE_LOAD) {
        write_links(writing, bytes);
    } else if (writing->kind == FRAME_STRIDED) {
        line(writing, "mul.u32 r%d, r%d, %u", REG_AT, REG_TID, STRIDE / bytes);
    } else {
        line(writing, "mov.u32 r%d, r%d", REG_AT, REG_TID);
    }
}

static void write_prologue(struct writing *writing)
{
    line(writing, "mov.u32 r%d, %%tid.x", REG_TID);
    line(writing, "mov.u32 r%d, 0", REG_ZERO);
    line(writing, "ldg.u32 r%d, [$control + %d]", REG_LOOPS, CONTROL_LOOPS * 4);
    write_sources(writing);
    if (has_address(writing->subject->instruction.opcode))
        write_index(writing);
    if (writing->kind == FRAME_GUARDED) {
        line(writing, "ldg.u32 r%d, [$control + %d]", REG_ACTIVE, CONTROL_ACTIVE * 4);
        line(writing, "setp.lt.u32 p%d, r%d, r%d", P_GUARD, REG_TID, REG_ACTIVE);
    }
}

/* One round: all copies. */
static void write_copies(struct writing *writing)
{
    const struct subject *subject = writing->subject;
    if (subject->way == WAY_LOOP) {
        line(writing, "mov.%s r%d, %u", hx_type_name((hx_type)subject->instruction.type), REG_SOURCE,
             SUBJECT_COPIES);
        if (writing->has_subject)
            place(writing);
        return;
    }
    for (unsigned i = 0; i < SUBJECT_COPIES; i++) {
        if (writing->has_subject && subject->way == WAY_RETURN)
            line(writing, "call subroutine");
        else if (writing->has_subject)
            place(writing);
        if (subject->way != WAY_TABLE)
            continue;
        line(writing, "bra behind_%u", writing->count);
        text_print(&writing->text, "  behind_%u:\n", writing->count - 1);
    }
}

static void write_subroutine(struct writing *writing)
{
    const enum subject_way way = writing->subject->way;
    if (!writing->has_subject || (way != WAY_CALL && way != WAY_CALL_TABLE && way != WAY_RETURN))
        return;
    writing->table = writing->count;
    if (way == WAY_CALL_TABLE)
        fixed_line(writing, "  bra subroutine\n");
    writing->subroutine = writing->count;
    text_print(&writing->text, "  subroutine:\n");
    if (way == WAY_RETURN)
        place(writing);
    else
        fixed_line(writing, "  ret\n");
}

/* Registers from `from` on become those from `to` on. */
static void rename_registers(struct operand *operand, enum operand_kind kind, unsigned from, unsigned count,
                             unsigned to)
{
    if (operand->kind == kind && operand->reg >= from && operand->reg < from + count)
        operand->reg = (uint8_t)(operand->reg - from + to);
}

static void rename_result(const struct writing *writing, unsigned copy, struct operand *operand)
{
    const struct subject *subject = writing->subject;
    if (writing->kind != FRAME_CHAIN) {
        rename_registers(operand, OPERAND_REGISTER, REG_RESULT, REG_RESULT_STEP,
                         REG_RESULT + REG_RESULT_STEP * copy);
        if (operand->kind == OPERAND_PREDICATE && operand->reg >= P_RESULT)
            operand->reg = (uint8_t)(P_RESULT + copy);
        return;
    }
    const unsigned from = (unsigned)subject->chain_from, to = (unsigned)subject->chain_to;
    const bool is_place = subject->instruction.opcode->forms[to].kind == FORM_ADDRESS;
    rename_registers(operand, OPERAND_REGISTER, REG_RESULT + from, 1,
                     is_place ? REG_AT : REG_SOURCE + REG_STEP * to);
    if (operand->kind == OPERAND_ADDRESS && is_place) { /* at the links */
        operand->base_kind = BASE_REGISTER;
        operand->reg = REG_BASE;
    }
    rename_registers(operand, OPERAND_PREDICATE, P_RESULT + from, 1, P_SOURCE + to);
}

/* Behind the loop: a value that is written to memory counts as read. */
static void write_use(struct writing *writing, const struct operand *operand, enum hx_type type)
{
    unsigned reg = operand->reg;
    if (operand->kind == OPERAND_PREDICATE) {
        reg = REG_WORK;
        line(writing, "sel.u32 r%u, 1, r%d, p%u", reg, REG_ZERO, operand->reg);
    }
    if (operand->kind == OPERAND_PREDICATE || operand->kind == OPERAND_REGISTER)
        line(writing, "stg.u%u [$memory + r%d*8], r%u", type_bits(type) == 64 ? 64 : 32, REG_TID, reg);
}

static void write_uses(struct writing *writing)
{
    const struct subject *subject = writing->subject;
    const struct isa_opcode *opcode = subject->instruction.opcode;
    const unsigned copies = writing->kind == FRAME_CHAIN ? 1 : SUBJECT_COPIES;
    if (!writing->has_subject)
        return;
    for (unsigned copy = 0; copy < copies; copy++)
        for (unsigned i = 0; i < opcode->form_count; i++) {
            struct operand operand = subject->instruction.operands[i];
            enum hx_type type = instruction_operand_type(&subject->instruction, i);
            if (opcode->expansion_count > 0 && type != HX_TYPE_PRED)
                type = HX_TYPE_U32;
            if (opcode->forms[i].kind != FORM_DESTINATION &&
                opcode->forms[i].kind != FORM_PREDICATE_DESTINATION)
                continue;
            rename_result(writing, copy, &operand);
            write_use(writing, &operand, type);
        }
}

static void write_loop(struct writing *writing, const char *name)
{
    text_print(&writing->text, "  %s:\n", name);
    write_copies(writing);
    line(writing, "loop.u32 r%d, %s", REG_LOOPS, name);
    write_uses(writing);
    line(writing, "exit");
}

static void write_program(struct writing *writing)
{
    const enum subject_way way = writing->subject->way;
    struct text *text = &writing->text;
    text_print(text, "program: benchmark\n");
    frame_declare(writing->subject, text);
    text_print(text, "code: |\n");
    if (way == WAY_BLOCK) {
        place(writing);
        return;
    }
    write_prologue(writing);
    if (writing->kind == FRAME_DIVERGED) {
        line(writing, "and.u32 r%d, r%d, 1", REG_WORK, REG_TID);
        line(writing, "setp.eq.u32 p%d, r%d, 1", P_GUARD, REG_WORK);
        line(writing, "@p%d bra odd", P_GUARD);
        write_loop(writing, "even");
        write_loop(writing, "odd");
    } else {
        write_loop(writing, "again");
    }
    write_subroutine(writing);
}

/* ---- The subject in its place -------------------------------------------------------------------------- */

static uint64_t target_of(const struct writing *writing, uint32_t at)
{
    switch (writing->subject->way) {
    case WAY_LOOP:
        return at;
    case WAY_CALL:
        return writing->subroutine;
    case WAY_CALL_TABLE:
        return writing->table;
    default:
        return at + writing->subject->count;
    }
}

static void put_subject(const struct writing *writing, struct kernel *kernel, uint8_t *is_subject)
{
    const struct subject *subject = writing->subject;
    for (uint32_t copy = 0; copy < writing->place_count; copy++) {
        const uint32_t at = writing->places[copy];
        for (uint32_t i = 0; i < subject->count; i++) {
            struct instruction *instruction = &kernel->code[at + i];
            *instruction = subject->code[i];
            is_subject[at + i] = 1;
            if (writing->kind == FRAME_GUARDED)
                instruction->guard = P_GUARD;
            for (unsigned k = 0; k < instruction->opcode->form_count; k++) {
                rename_result(writing, copy % SUBJECT_COPIES, &instruction->operands[k]);
                if (instruction->operands[k].kind == OPERAND_TARGET)
                    instruction->operands[k].bits = target_of(writing, at);
            }
        }
    }
}

hx_status frame_init(struct frame *frame, const struct subject *subject, enum frame_kind kind,
                     bool has_subject, const hx_isa *isa, const hx_allocator *allocator, hx_diag *diag)
{
    struct writing writing = {
        .subject = subject, .kind = kind, .has_subject = has_subject, .text = {.allocator = allocator}};
    *frame = (struct frame){.issues = SUBJECT_COPIES * (kind == FRAME_DIVERGED ? 2 : 1)};
    if (subject->way == WAY_BLOCK)
        frame->issues = 1;
    write_program(&writing);
    hx_status status = writing.text.failed
                           ? diag_no_memory(diag)
                           : hx_program_load_bytes(subject->name, NULL, writing.text.at, writing.text.length,
                                                   isa, allocator, diag, &frame->program);
    text_done(&writing.text);
    if (status != HX_OK)
        return status;
    frame->is_subject = memory_allocate(allocator, writing.count, 1);
    if (!frame->is_subject)
        return diag_no_memory(diag);
    put_subject(&writing, &frame->program->kernels[0], frame->is_subject);
    return hx_kernel_new(frame->program, 0, allocator, diag, &frame->kernel);
}

void frame_done(struct frame *frame, const hx_allocator *allocator)
{
    hx_kernel_free(frame->kernel);
    hx_program_free(frame->program);
    memory_free(allocator, frame->is_subject);
    *frame = (struct frame){0};
}
