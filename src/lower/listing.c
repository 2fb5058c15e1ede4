/* The listing of `hexec disasm --lowered`: each instruction as it was written, under it its micro-ops.
 *
 * Takes a lowered kernel, leaves text. A star marks the micro-op that the instruction is about, a bar those
 * that run under the guard's mask alone, a plus those that are done with the one in front of them. Rows of 4
 * bytes are w0, w1, ..., of 8 bytes d0, ..., predicates q0,
 * ...; what is the same for all lanes stands as what it is: a number, $parameter, %special, array. */
#include "lower/converged/converged.h"

struct listing {
    const struct lowered_kernel *lowered;
    const struct micro_code *code;
    struct text *text;
    uint32_t fused_end; /* behind the last micro-op that is fused with one before it */
};

static void print_array(const struct listing *listing, const struct uniform *uniform)
{
    const struct array_list *arrays = uniform->space == SPACE_SHARED  ? &listing->lowered->kernel->shared
                                      : uniform->space == SPACE_LOCAL ? &listing->lowered->kernel->local
                                                                      : &listing->lowered->program->constants;
    text_print(listing->text, "&%s", arrays->items[uniform->symbol].name);
    if (uniform->bits)
        text_print(listing->text, "+%llu", (unsigned long long)uniform->bits);
}

static void print_uniform(const struct listing *listing, const struct uniform *uniform)
{
    switch ((enum uniform_kind)uniform->kind) {
    case UNIFORM_IMMEDIATE:
        text_print(listing->text, uniform->bits < 1024 ? "%llu" : "0x%llx",
                   (unsigned long long)uniform->bits);
        break;
    case UNIFORM_PARAMETER:
        text_print(listing->text, "$%s", program_symbol_name(listing->lowered->program, uniform->symbol));
        break;
    case UNIFORM_ARRAY:
        print_array(listing, uniform);
        break;
    case UNIFORM_SPECIAL:
        text_print(listing->text, "%%%s", special_name((enum special_register)uniform->symbol));
        break;
    }
}

/* The multiples of a thread's place: {$width tid.y + tid.x} */
static void print_affine(const struct listing *listing, const struct lane_sum *sum)
{
    static const char *const names[] = {"tid.x", "tid.y", "tid.z", "tid", "block"};
    const char *before = "{";
    for (uint8_t i = 0; i < sum->count; i++) {
        const struct lane_term *term = &sum->terms[i];
        text_print(listing->text, "%s", before);
        if (term->by != 1)
            text_print(listing->text, "%d ", (int32_t)term->by);
        if (term->factor) {
            print_uniform(listing, &listing->lowered->factors[term->factor - 1]);
            text_print(listing->text, " ");
        }
        text_print(listing->text, "%s", names[term->basis]);
        before = " + ";
    }
    text_print(listing->text, "}");
}

static void print_row(const struct listing *listing, struct row row)
{
    switch ((enum row_kind)row.kind) {
    case ROW_NONE:
        break;
    case ROW_4:
        text_print(listing->text, "w%u", row.index);
        break;
    case ROW_8:
        text_print(listing->text, "d%u", row.index);
        break;
    case ROW_PREDICATE:
        text_print(listing->text, "q%u", row.index);
        break;
    case ROW_SAME_4:
        text_print(listing->text, "uw%u", row.index);
        break;
    case ROW_SAME_8:
        text_print(listing->text, "ud%u", row.index);
        break;
    case ROW_SAME_PREDICATE:
        text_print(listing->text, "uq%u", row.index);
        break;
    case ROW_AFFINE:
        print_affine(listing, &listing->lowered->affine_parts[row.index - 1]);
        break;
    case ROW_UNIFORM_4:
    case ROW_UNIFORM_8:
        print_uniform(listing, &listing->lowered->uniforms[row.index]);
        break;
    case ROW_SPECIAL_4:
    case ROW_SPECIAL_8:
        text_print(listing->text, "%%%s", special_name((enum special_register)row.index));
        break;
    }
}

static void print_name(const struct listing *listing, const struct micro_op *op)
{
    const struct semantic *semantic = semantic_at(op->semantic);
    const char *name = semantic                            ? semantic->name
                       : op->semantic == MICRO_GUARD_BEGIN ? "guard_begin"
                       : op->semantic == MICRO_GUARD_END   ? "guard_end"
                       : op->semantic == MICRO_ARM_BEGIN   ? "arm_begin"
                       : op->semantic == MICRO_ARM_OTHER   ? "arm_other"
                       : op->semantic == MICRO_ARM_END     ? "arm_end"
                       : op->semantic == MICRO_WARP_WAIT   ? "warp_wait"
                       : op->semantic == MICRO_COLLECTIVE  ? "wait_for_block"
                                                           : "end";
    text_print(listing->text, "%s", name);
    if (semantic && op->type < HX_TYPE_NONE)
        text_print(listing->text, ".%s", hx_type_name((hx_type)op->type));
    if (semantic && semantic->shape == SHAPE_CONVERT)
        text_print(listing->text, ".%s", hx_type_name((hx_type)op->source_type));
    if (op->rounding)
        text_print(listing->text, ".%s", modifier_text(GROUP_ROUNDING, op->rounding));
}

static void print_rows(const struct listing *listing, const struct row *rows, size_t count,
                       const char *before)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].kind == ROW_NONE)
            continue;
        text_print(listing->text, "%s", before);
        print_row(listing, rows[i]);
        before = ", ";
    }
}

static void print_same_and_affine(const struct listing *listing, struct row same, struct row affine_part)
{
    text_print(listing->text, "(");
    print_row(listing, same);
    text_print(listing->text, " + ");
    print_row(listing, affine_part);
    text_print(listing->text, ")");
}

/* How the lanes' elements lie, as far as is known before the kernel runs. */
static const char *access_text(const struct listing *listing, const struct micro_op *op)
{
    const bool is_one =
        (op->a.kind >= ROW_SAME_4 && op->a.kind <= ROW_SAME_PREDICATE) || op->a.kind == ROW_UNIFORM_8;
    const uint8_t index = op->c.kind;
    if (op->affine_part) {
        const struct lane_sum *sum = &listing->lowered->affine_parts[op->affine_part - 1];
        const uint32_t bytes = (uint32_t)hx_type_bytes(op->type);
        uint32_t rise;
        if (!converged_rise(sum, &rise))
            return "strided";
        rise <<= op->scale_log2;
        return rise == bytes ? "contiguous along x" : rise == 0 ? "one element along x" : "strided";
    }
    if (is_one &&
        (index == ROW_NONE || (index >= ROW_SAME_4 && index <= ROW_SAME_PREDICATE) || index == ROW_UNIFORM_4))
        return "one element";
    return "gather";
}

/* [base + index * scale + offset], what is stored, and how many bytes are checked */
static void print_access(const struct listing *listing, const struct micro_op *op)
{
    print_rows(listing, &op->a, 1, " [");
    if (op->affine_part) {
        text_print(listing->text, " + ");
        print_same_and_affine(listing, op->f, op->e);
    } else {
        print_rows(listing, &op->c, 1, " + ");
    }
    if (op->source_type != HX_TYPE_NONE)
        text_print(listing->text, "%s * %u", op->source_type == HX_TYPE_I32 ? ".i32" : "",
                   1u << op->scale_log2);
    if (op->immediate)
        text_print(listing->text, " %c %lld", op->immediate < 0 ? '-' : '+',
                   op->immediate < 0 ? -(long long)op->immediate : (long long)op->immediate);
    text_print(listing->text, "]");
    print_rows(listing, (const struct row[]){op->b, op->affine_part ? (struct row){ROW_NONE, 0} : op->f}, 2,
               ", ");
    text_print(listing->text, "  checks %u, %s", op->access_bytes, access_text(listing, op));
}

static void print_op(struct listing *listing, uint32_t index)
{
    const struct micro_op *op = &listing->code->ops[index];
    const struct semantic *semantic = semantic_at(op->semantic);
    const enum semantic_shape shape = semantic ? semantic->shape : SHAPE_FLOW;
    const bool guards = (op->flags & MICRO_GUARDED) || op->semantic == MICRO_GUARD_BEGIN;
    text_print(listing->text, "    %5u %c%s", index, op->flags & MICRO_PRIMARY ? '*' : ' ',
               op->flags & MICRO_MASKED     ? "| "
               : index < listing->fused_end ? "+ "
                                            : "  ");
    if (op->flags & MICRO_GUARDED) {
        text_print(listing->text, "@%s", op->flags & MICRO_GUARD_NEGATED ? "!" : "");
        print_row(listing, op->c);
        text_print(listing->text, " ");
    }
    print_name(listing, op);
    print_rows(listing, (const struct row[]){op->d, op->affine_part ? (struct row){ROW_NONE, 0} : op->e}, 2,
               "  ");
    if (op->d.kind != ROW_NONE && (op->a.kind != ROW_NONE || op->b.kind != ROW_NONE))
        text_print(listing->text, " :=");
    if (shape_is_memory(shape)) {
        print_access(listing, op);
    } else if (op->affine_part) {
        text_print(listing->text, " ");
        print_same_and_affine(listing, op->a, op->e);
        print_rows(listing, &op->b, 1, ", ");
    } else {
        print_rows(listing,
                   (const struct row[]){op->a, op->b, guards ? (struct row){ROW_NONE, 0} : op->c, op->f}, 4,
                   " ");
    }
    if (op->semantic == MICRO_GUARD_BEGIN) {
        text_print(listing->text, "  %s", op->flags & MICRO_GUARD_NEGATED ? "!" : "");
        print_row(listing, op->c);
    }
    if (shape == SHAPE_ADDRESS)
        text_print(listing->text, " * %lld", (long long)op->immediate);
    else if (!shape_is_memory(shape) && (op->immediate != 0 || op->semantic == SEM_barrier_sync))
        text_print(listing->text, "  #%lld", (long long)op->immediate);
    if (op->semantic == SEM_branch || op->semantic == SEM_call || op->semantic == SEM_loop ||
        op->semantic == SEM_jump_table || op->semantic == SEM_call_table || op->semantic == MICRO_ARM_BEGIN ||
        op->semantic == MICRO_ARM_OTHER)
        text_print(listing->text, "  -> %u", op->target);
    if ((op->flags & MICRO_DEFERRED_COMPARE) && shape == SHAPE_COMPARE)
        text_print(listing->text, "  deferred to the branch behind it");
    if (op->links && index >= listing->fused_end) {
        text_print(listing->text, "  fused with the next %u", op->links * op->link_ops - 1u);
        listing->fused_end = index + op->links * op->link_ops;
    }
    text_print(listing->text, "\n");
}

static void print_head(const struct listing *listing)
{
    const struct lowered_kernel *lowered = listing->lowered;
    text_print(listing->text,
               "kernel %s: %u instructions, %u micro-ops; rows: %u of 4 bytes, %u of 8 bytes, %u predicates, "
               "%u uniform\n",
               lowered->kernel->name, lowered->kernel->code_count, lowered->general.op_count, lowered->rows_4,
               lowered->rows_8, lowered->rows_predicate, lowered->uniform_count);
    if (lowered->zero_row_count > 0) {
        text_print(listing->text, "cleared at the start:");
        print_rows(listing, lowered->zero_rows, lowered->zero_row_count, " ");
        text_print(listing->text, "\n");
    }
}

static void print_code(struct listing *listing)
{
    const struct lowered_kernel *lowered = listing->lowered;
    listing->fused_end = 0;
    for (uint32_t i = 0; i < listing->code->op_count; i++) {
        const struct micro_op *op = &listing->code->ops[i];
        if ((op->flags & MICRO_FIRST) && op->semantic != MICRO_END)
            text_print(listing->text, "%4d  %s\n", lowered->kernel->lines[op->instruction].place.line,
                       lowered->kernel->lines[op->instruction].text);
        print_op(listing, i);
    }
}

static void print_converged(const struct lowered_kernel *lowered, const char *while_what, struct text *text)
{
    struct listing listing = {.lowered = lowered, .code = &lowered->converged, .text = text};
    if (lowered->converged.op_count == 0)
        return;
    text_print(
        text,
        "%s: %u micro-ops; one value for all lanes: %u of 4 bytes (uw), %u of 8 (ud), %u predicates (uq)\n",
        while_what, lowered->converged.op_count, lowered->same_4, lowered->same_8, lowered->same_predicate);
    print_code(&listing);
}

/* Without it the code is the same for gangs of several blocks. */
static bool reads_ctaid_x(const struct kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->code_count; i++)
        for (unsigned o = 0; o < kernel->code[i].opcode->form_count; o++) {
            const struct operand *operand = &kernel->code[i].operands[o];
            if (operand->kind == OPERAND_SPECIAL && operand->symbol == SPECIAL_CTAID_X)
                return true;
        }
    return false;
}

hx_status lower_print(const struct lowered_kernel *lowered, const struct lowered_kernel *packed,
                      hx_write_function write, void *user)
{
    struct text text;
    text_init(&text, lowered->arena.allocator);
    struct listing listing = {.lowered = lowered, .code = &lowered->general, .text = &text};
    print_head(&listing);
    print_code(&listing);
    print_converged(lowered, "converged code", &text);
    if (packed && reads_ctaid_x(lowered->kernel))
        print_converged(packed, "converged code of packed blocks", &text);
    hx_status status = text.failed ? HX_NO_MEMORY : write(user, text.at, text.length);
    text_done(&text);
    return status;
}
