/* Functions that a module declares and does not have: the runtime's.
 *
 * Takes a call, leaves ops in its place. externs.def lists the functions; one that it does not list may be in
 * the library (library.c), whose text is read with the module. Others are lacks. */
#include "ptx/emit.h"
#include "ptx/join.h"

#include <string.h>

struct row {
    const char *name, *mnemonic;
    void (*import)(struct ptx_importer *importer, const struct ptx_call *call);
    bool is_swapped, is_rounded, is_test;
};

static void import_vprintf(struct ptx_importer *importer, const struct ptx_call *call);
static void import_printf(struct ptx_importer *importer, const struct ptx_call *call);
static void import_assertfail(struct ptx_importer *importer, const struct ptx_call *call);
static void import_out_of_bounds(struct ptx_importer *importer, const struct ptx_call *call);
static void import_type_mismatch(struct ptx_importer *importer, const struct ptx_call *call);
static void import_copied(struct ptx_importer *importer, const struct ptx_call *call);

#define EXTERN(name, function)         {#name, NULL, function, false, false, false},
#define EXTERN_OP(name, mnemonic)      {#name, mnemonic, NULL, false, false, false},
#define EXTERN_SWAPPED(name, mnemonic) {#name, mnemonic, NULL, true, false, false},
#define EXTERN_ROUNDED(name, mnemonic) {#name, mnemonic, NULL, false, true, false},
#define EXTERN_TEST(name, mnemonic)    {#name, mnemonic, NULL, false, false, true},
static const struct row rows[] = {
#include "ptx/externs.def"
};

/* How PTX calls the rounding that a name of libdevice ends with. */
static const char *rounding_of(struct slice tail)
{
    static const char *const names[][2] = {{"_rn", "rn"}, {"_rz", "rz"}, {"_ru", "rp"}, {"_rd", "rm"}};
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        if (slice_equal(tail, names[i][0]))
            return names[i][1];
    return NULL;
}

static const struct row *find_row(struct slice name, const char **ret_rounding)
{
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        const size_t length = strlen(rows[i].name);
        *ret_rounding = NULL;
        if (!rows[i].is_rounded && slice_equal(name, rows[i].name))
            return &rows[i];
        if (rows[i].is_rounded && slice_starts_with(name, rows[i].name))
            *ret_rounding = rounding_of((struct slice){name.at + length, name.length - length});
        if (*ret_rounding)
            return &rows[i];
    }
    return NULL;
}

bool ptx_is_extern(struct slice name)
{
    const char *rounding;
    return find_row(name, &rounding) != NULL;
}

/* --- one instruction ------------------------------------------------------------------------------------ */

static void push_number(struct ptx_importer *importer, uint32_t to, uint64_t number)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "mov.u32"))
        return;
    ptx_op_register(&op, 0, to);
    ptx_op_number(&op, 1, number);
    ptx_op_push(&importer->code, &op);
}

/* 1 where the predicate is true. */
static void push_truth(struct ptx_importer *importer, uint32_t to, uint32_t predicate)
{
    struct ptx_op op;
    push_number(importer, to, 0);
    if (!ptx_begin(importer, &op, "mov.u32"))
        return;
    ptx_op_register(&op, 0, to);
    ptx_op_number(&op, 1, 1);
    op.guard = predicate;
    ptx_op_push(&importer->code, &op);
}

static void import_op(struct ptx_importer *importer, const struct ptx_call *call, const struct row *row,
                      const char *rounding)
{
    struct ptx_op op;
    const unsigned sources = call->params->count;
    if (!(rounding ? ptx_begin(importer, &op, row->mnemonic, rounding)
                   : ptx_begin(importer, &op, "%s", row->mnemonic)))
        return;
    if (call->results->count != 1 || sources + 1 != op.instruction.opcode->form_count) {
        ptx_lacks(importer, "the call has another number of parameters or results than the function");
        return;
    }
    const uint32_t result = ptx_call_result(importer, &call->results->items[0]);
    for (unsigned i = 0; i < sources; i++) {
        const unsigned form = row->is_swapped ? sources - i : 1 + i;
        const enum hx_type type = instruction_operand_type(&op.instruction, form);
        ptx_op_register(&op, form,
                        ptx_call_value(importer, &call->params->items[i], type_bits(type) == 64 ? 64 : 32));
    }
    if (row->is_test) {
        const uint32_t predicate = ptx_code_register(&importer->code, true, 1);
        ptx_op_predicate(&op, 0, predicate, false);
        ptx_op_push(&importer->code, &op);
        push_truth(importer, result, predicate);
    } else {
        ptx_op_register(&op, 0, result);
        ptx_op_push(&importer->code, &op);
    }
}

/* --- text ----------------------------------------------------------------------------------------------- */

/* Values one behind the other, as C's variable arguments lie in memory. */
struct block {
    struct ptx_binding place;
    uint64_t at, bytes;
};

static uint64_t align_up(uint64_t at, unsigned bytes)
{
    return (at + bytes - 1) & ~(uint64_t)(bytes - 1);
}

static unsigned value_bits(const struct ptx_importer *importer, const struct ptx_operand *operand)
{
    const enum hx_type type = operand->kind == PTX_OPERAND_VARIABLE ? operand->variable->type
                              : operand->kind == PTX_OPERAND_REGISTER
                                  ? ptx_type_of_register(importer, operand->reg)
                                  : HX_TYPE_U32;
    return type_bits(type) == 64 ? 64 : 32;
}

static bool is_structure(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VARIABLE && ptx_is_memory(operand->variable);
}

static struct block begin_block(struct ptx_importer *importer, uint64_t bytes, uint32_t align)
{
    const struct ptx_variable variable = {.name = slice_of("printed"),
                                          .space = PTX_SPACE_LOCAL,
                                          .type = HX_TYPE_U64,
                                          .align = align,
                                          .bytes = align_up(bytes ? bytes : 8, 8)};
    return (struct block){ptx_take_local(importer, &variable), 0, bytes};
}

static void push_value(struct ptx_importer *importer, struct block *block, const struct ptx_operand *operand,
                       unsigned bits)
{
    struct ptx_op op;
    const uint32_t value = ptx_call_value(importer, operand, bits);
    block->at = align_up(block->at, bits / 8);
    if (!ptx_begin(importer, &op, "stl.u%u", bits))
        return;
    ptx_put_local(&op, 0, &block->place, (int32_t)block->at);
    ptx_op_register(&op, 1, value);
    ptx_op_push(&importer->code, &op);
    block->at += bits / 8;
}

/* A register with the generic address of local memory. */
static uint32_t generic_address(struct ptx_importer *importer, uint32_t local)
{
    struct ptx_op op;
    const uint32_t reg = ptx_code_register(&importer->code, false, 1);
    if (!ptx_begin(importer, &op, "cvta.local.u64"))
        return reg;
    ptx_op_register(&op, 0, reg);
    ptx_op_register(&op, 1, local);
    ptx_op_push(&importer->code, &op);
    return reg;
}

/* A parameter that is a generic address. */
static uint32_t pointer_value(struct ptx_importer *importer, const struct ptx_operand *operand)
{
    const bool is_narrow =
        importer->module->address_bits == 32 && value_bits(importer, operand) == 32 && !is_structure(operand);
    return is_narrow ? ptx_widen(importer, ptx_call_value(importer, operand, 32), PTX_SPACE_NONE)
                     : ptx_call_value(importer, operand, 64);
}

/* hexec does not count what it prints: 0, which OpenCL gives for success, and CUDA for a text without values.
 */
static void push_print(struct ptx_importer *importer, const struct ptx_call *call, uint32_t values)
{
    struct ptx_op op;
    const uint32_t format = pointer_value(importer, &call->params->items[0]);
    if (!ptx_begin(importer, &op, "vprint"))
        return;
    ptx_op_register(&op, 0, format);
    ptx_op_register(&op, 1, values);
    ptx_op_push(&importer->code, &op);
    if (call->results->count > 0)
        push_number(importer, ptx_call_result(importer, &call->results->items[0]), 0);
}

/* vprintf(format, values) */
static void import_vprintf(struct ptx_importer *importer, const struct ptx_call *call)
{
    if (call->params->count != 2)
        ptx_lacks(importer, "vprintf takes a format and the address of values");
    else
        push_print(importer, call, pointer_value(importer, &call->params->items[1]));
}

/* clang 19 declares printf with two parameters, of which the second points to the values; others with a
 * structure of them. */
static bool has_all_in_one(const struct ptx_call *call)
{
    const struct ptx_function *function = call->target->function;
    return call->params->count == 2 && function && function->param_count == 2;
}

static bool takes_pointer_to_values(const struct ptx_call *call)
{
    return has_all_in_one(call) && type_bits(call->target->function->params[1]->type) == 64 &&
           !ptx_is_memory(call->target->function->params[1]);
}

/* A vector, behind the values before it, at a multiple of its size. */
static void push_vector(struct ptx_importer *importer, struct block *block, const struct ptx_operand *operand)
{
    const struct ptx_variable *variable = operand->variable;
    const struct ptx_binding *from = &importer->bindings[variable->number];
    block->at = align_up(block->at, variable->align);
    if (from->kind == PTX_BINDING_POINTER || from->kind == PTX_BINDING_ARRAY)
        ptx_copy_structure(importer, from, variable, &block->place, (int32_t)block->at);
    else
        (void)ptx_call_value(importer, operand, 64); /* says what is lacking */
    block->at += variable->bytes;
}

/* How many bytes the values of printf take, and to what they are aligned. */
static uint64_t measure(const struct ptx_importer *importer, const struct ptx_operand *params, uint32_t count,
                        uint32_t *ret_align)
{
    uint64_t bytes = 0;
    *ret_align = 8;
    for (uint32_t i = 1; i < count; i++) {
        const bool is_vector = is_structure(&params[i]);
        const unsigned scalar = value_bits(importer, &params[i]) / 8;
        const uint32_t align = is_vector ? params[i].variable->align : scalar;
        bytes = align_up(bytes, align) + (is_vector ? params[i].variable->bytes : scalar);
        *ret_align = align > *ret_align ? align : *ret_align;
    }
    return bytes;
}

/* printf(format, ...) as clang calls it: with the values as parameters, in one structure, or with their
 * address. */
static void import_printf(struct ptx_importer *importer, const struct ptx_call *call)
{
    const struct ptx_operand *params = call->params->items;
    const uint32_t count = call->params->count;
    uint32_t align = 8;
    if (takes_pointer_to_values(call)) {
        import_vprintf(importer, call);
        return;
    }
    if (has_all_in_one(call) && is_structure(&params[1]) && params[1].variable->align >= 8) {
        push_print(importer, call, generic_address(importer, ptx_call_value(importer, &params[1], 64)));
        return;
    }
    if (count == 0 || importer->lacks.count > 0)
        return;
    const uint64_t bytes = measure(importer, params, count, &align);
    struct block block = begin_block(importer, bytes, align);
    for (uint32_t i = 1; i < count; i++)
        if (is_structure(&params[i]))
            push_vector(importer, &block, &params[i]);
        else
            push_value(importer, &block, &params[i], value_bits(importer, &params[i]));
    push_print(importer, call, generic_address(importer, ptx_address_of(importer, &block.place)));
}

/* __assertfail(message, file, line, function, size of a character) */
static void import_assertfail(struct ptx_importer *importer, const struct ptx_call *call)
{
    static const unsigned order[] = {1, 2, 3, 0};
    const struct ptx_operand never = {.kind = PTX_OPERAND_IMMEDIATE};
    struct ptx_op op;
    if (call->params->count < HX_COUNT_OF(order)) {
        ptx_lacks(importer, "an assertion has a message, a file, a line and a function");
        return;
    }
    struct block block = begin_block(importer, 32, 8);
    for (size_t i = 0; i < HX_COUNT_OF(order); i++)
        push_value(importer, &block, &call->params->items[order[i]], order[i] == 2 ? 32 : 64);
    const uint32_t values = generic_address(importer, ptx_address_of(importer, &block.place));
    const struct ptx_binding text = ptx_constant_text(importer->loading, "%s:%u: %s: assertion '%s' failed");
    const uint32_t format = ptx_address_of(importer, &text);
    if (!ptx_begin(importer, &op, "assert"))
        return;
    ptx_put(importer, &op, 0, &never);
    ptx_op_register(&op, 1, format);
    ptx_op_register(&op, 2, values);
    ptx_op_push(&importer->code, &op);
}

/* Notes for checkers (check/notes.h) of an address or index, and of what is to be known of it. */
static void push_notes(struct ptx_importer *importer, const struct ptx_operand *about,
                       const struct ptx_operand *value, unsigned number)
{
    const uint32_t known = ptx_call_value(importer, about, 64), noted = ptx_call_value(importer, value, 64);
    const uint32_t low = ptx_emit_one(importer, "cvt.u32.u64", noted);
    const uint32_t high =
        ptx_emit_one(importer, "cvt.u32.u64", ptx_emit_number(importer, "shr.u64", noted, 32));
    ptx_emit_note(importer, 16, ptx_emit_one(importer, "cvt.u32.u64", known), PTX_NO_REGISTER);
    ptx_emit_note(importer, number, low, high);
}

static bool has_two(struct ptx_importer *importer, const struct ptx_call *call)
{
    if (call->params->count != 2)
        ptx_lacks(importer, "the call has another number of parameters than the function");
    return call->params->count == 2;
}

/* A check of clang's has failed (hx_source_options.check_indexes). The parameters are the address of what
 * clang says of the type, and the index or pointer. */
static void import_out_of_bounds(struct ptx_importer *importer, const struct ptx_call *call)
{
    if (has_two(importer, call))
        push_notes(importer, &call->params->items[0], &call->params->items[1], 6);
}

static void import_type_mismatch(struct ptx_importer *importer, const struct ptx_call *call)
{
    if (has_two(importer, call))
        push_notes(importer, &call->params->items[0], &call->params->items[1], 17);
}

/* A structure will be copied from or to a pointer, which comes first; then its alignment
 * (src/compiler/copied.c). */
static void import_copied(struct ptx_importer *importer, const struct ptx_call *call)
{
    if (has_two(importer, call))
        push_notes(importer, &call->params->items[1], &call->params->items[0], 20);
}

/* --- calls ---------------------------------------------------------------------------------------------- */

void ptx_call_extern(struct ptx_importer *importer, const struct ptx_function *function,
                     const struct ptx_call *call)
{
    const char *rounding;
    const struct row *row = find_row(function->name, &rounding);
    if (!row)
        ptx_lacks(importer, ptx_join_lack(function->name));
    else if (row->import)
        row->import(importer, call);
    else
        import_op(importer, call, row, rounding);
}
