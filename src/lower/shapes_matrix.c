/* The micro-ops of a product of matrices.
 *
 * Takes mma, leaves a row of matrix.def for each element of D that a lane has and each register of B: one row
 * adds the products of a register of A and one of B, and the next goes on with its sums. Sums of f16 are made
 * in f32 and rounded at the end; those that are clamped, in 64 bits. Results are written last where a
 * register of D is read by another element. */
#include "lower/lowering.h"

struct product {
    struct isa_tile tile;
    unsigned d, a, b, c; /* forms */
    enum hx_type type;   /* of the sums while they are made */
    bool is_half, is_clamped;
};

static unsigned form_of(const struct lowering *lowering, enum semantic_operand letter)
{
    unsigned index = 0;
    while (lowering->instruction->opcode->forms[index].letter != letter)
        index++;
    return index;
}

static struct row converted(struct lowering *lowering, int semantic, enum hx_type to, enum hx_type from,
                            struct row row)
{
    const struct row made = lower_temporary(lowering, row_kind_of(to));
    lower_emit(lowering, (struct micro_op){.semantic = (int16_t)semantic,
                                           .type = (uint8_t)to,
                                           .source_type = (uint8_t)from,
                                           .d = made,
                                           .a = row});
    return made;
}

/* Element `element` of C as the sum begins. */
static struct row first_sum(struct lowering *lowering, const struct product *product, unsigned element)
{
    const enum hx_type type = product->is_half ? HX_TYPE_U32 : (enum hx_type)lowering->instruction->type;
    const struct row cell =
        lower_source(lowering, product->c, type, product->is_half ? element / 2 : element);
    if (product->is_clamped)
        return converted(lowering, SEM_cvt, HX_TYPE_I64, HX_TYPE_I32, cell);
    if (!product->is_half)
        return cell;
    const struct row half = lower_temporary(lowering, ROW_4);
    lower_step(lowering, element % 2 ? SEM_unpack_high : SEM_unpack_low, HX_TYPE_U16, half, cell, ROW_ABSENT);
    return converted(lowering, SEM_cvt, HX_TYPE_F32, HX_TYPE_F16, half);
}

/* The sum of all products, in row `to`. */
static void add_products(struct lowering *lowering, const struct product *product, unsigned element,
                         struct row to)
{
    struct micro_op op = lower_primary(lowering);
    const enum hx_type type = instruction_operand_type(lowering->instruction, product->a);
    const unsigned halves = product->tile.rows / 8;
    op.type = (uint8_t)product->type;
    op.c = first_sum(lowering, product, element);
    op.d = to;
    op.immediate = element % 2;
    for (unsigned step = 0; step < product->tile.steps; step++) {
        const bool is_last = step + 1 == product->tile.steps && element + 1 == 2 * halves;
        op.a = lower_source(lowering, product->a, type, step * halves + element / 2);
        op.b = lower_source(lowering, product->b, type, step);
        op.flags = is_last ? MICRO_PRIMARY : 0;
        lower_emit(lowering, op);
        op.c = to;
    }
}

/* One of D's registers, from the sums that it has. */
static void write_result(struct lowering *lowering, const struct product *product, const struct row *sums,
                         const struct result *result)
{
    if (product->is_half) {
        const struct row low = converted(lowering, SEM_cvt, HX_TYPE_F16, HX_TYPE_F32, sums[0]);
        const struct row high = converted(lowering, SEM_cvt, HX_TYPE_F16, HX_TYPE_F32, sums[1]);
        lower_step(lowering, SEM_pack, HX_TYPE_U16, result->to, low, high);
    } else if (product->is_clamped) {
        lower_emit(lowering, (struct micro_op){.semantic = SEM_cvt_sat,
                                               .type = HX_TYPE_I32,
                                               .source_type = HX_TYPE_I64,
                                               .d = result->to,
                                               .a = sums[0]});
    } else if (!row_is_equal(sums[0], result->to)) {
        lower_step(lowering, SEM_mov, lowering->instruction->type == HX_TYPE_F64 ? HX_TYPE_U64 : HX_TYPE_U32,
                   result->to, sums[0], ROW_ABSENT);
    }
    lower_finish(lowering, result);
}

/* Does an operand read D's register `index` when its element is made? Its own element of C does no harm. */
static bool is_read(const struct lowering *lowering, const struct product *product, unsigned index)
{
    const struct instruction *instruction = lowering->instruction;
    const unsigned reg = instruction->operands[product->d].reg + index,
                   forms[] = {product->a, product->b, product->c};
    for (int i = 0; i < 3; i++) {
        const unsigned first = instruction->operands[forms[i]].reg;
        if (reg >= first && reg < first + instruction_registers(instruction, forms[i]) &&
            (forms[i] != product->c || reg != first + index))
            return true;
    }
    return false;
}

void lower_matrix(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    struct product product = {.d = form_of(lowering, OPERAND_D),
                              .a = form_of(lowering, OPERAND_A),
                              .b = form_of(lowering, OPERAND_B),
                              .c = form_of(lowering, OPERAND_C),
                              .is_half = instruction->type == HX_TYPE_F16,
                              .is_clamped = instruction->modifiers[GROUP_SATURATE] != 0};
    (void)instruction_tile(instruction, &product.tile);
    product.type = product.is_clamped ? HX_TYPE_I64 : instruction_sum_type(instruction);
    const unsigned elements = product.tile.rows / 4,
                   registers = instruction_registers(instruction, product.d);
    const unsigned in_register = elements / registers;
    struct row sums[4];
    struct result results[4];
    for (unsigned i = 0; i < registers; i++)
        results[i] = lower_result(lowering, product.d, instruction_operand_type(instruction, product.d), i);
    for (unsigned i = 0; i < elements; i++) {
        const struct result *result = &results[i / in_register];
        const bool is_direct = !product.is_half && !product.is_clamped && !is_read(lowering, &product, i);
        sums[i] = is_direct ? result->to : lower_temporary(lowering, row_kind_of(product.type));
        add_products(lowering, &product, i, sums[i]);
    }
    for (unsigned i = 0; i < registers; i++)
        write_result(lowering, &product, &sums[i * in_register], &results[i]);
}
