/* Matrices of a warp: mma, ldmatrix, stmatrix, movmatrix.
 *
 * Takes statements over fragments, leaves mma of hexec with its operands in consecutive registers; what moves
 * fragments becomes shuffles of addresses or values, loads and stores. Lane 4 g + t of a warp has elements of
 * row g, from column 2 t on where there are two in a register (PTX ISA, Matrix Fragments for mma). */
#include "ptx/emit.h"

#include <stdio.h>

/* ---- mma -------------------------------------------------------------------------------------------------
 */

bool ptx_read_product(const struct ptx_statement *statement, struct ptx_product *ret_product)
{
    static const char *const numbers[] = {"f16", "bf16", "tf32", "f64", "s8", "u8",
                                          "s4",  "u4",   "b1",   "f32", "s32"};
    struct slice part, types[4] = {{0}}, all = statement->opcode;
    unsigned count = 0;
    *ret_product = (struct ptx_product){.saturates = ptx_has_part(statement, "satfinite")};
    for (size_t at = 0; ptx_next_part(all, &at, &part);) {
        bool is_type = false;
        for (size_t i = 0; i < HX_COUNT_OF(numbers); i++)
            is_type |= slice_equal(part, numbers[i]);
        if (is_type && count < 4)
            types[count++] = part;
        else if (part.length > 1 && part.at[0] == 'm' && text_is_digit(part.at[1]))
            ret_product->shape = part;
    }
    if (count == 2) { /* wmma of f16 gives d and c alone */
        types[3] = types[1];
        types[1] = types[2] = slice_of("f16");
    }
    if (count != 2 && count != 4)
        return false;
    ret_product->d = types[0];
    ret_product->a = types[1];
    ret_product->b = types[2];
    ret_product->c = types[3];
    ret_product->combine = ptx_has_part(statement, "and") ? "and" : slice_equal(types[1], "b1") ? "xor" : "x";
    return true;
}

bool ptx_begin_product(struct ptx_importer *importer, const struct ptx_product *product, const char *shape,
                       struct slice sum_type, struct ptx_op *ret_op)
{
    return ptx_begin(importer, ret_op, "mma.%s." SLICE_FORMAT "%s" SLICE_FORMAT "%s." SLICE_FORMAT, shape,
                     SLICE_ARGS(product->a), product->combine, SLICE_ARGS(product->b),
                     product->saturates ? ".sat" : "", SLICE_ARGS(sum_type));
}

void ptx_import_mma(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_product product;
    struct ptx_op op;
    char shape[16];
    if (!ptx_read_product(statement, &product) || statement->operand_count != 4 ||
        ptx_has_part(statement, "sp") || !slice_same(product.d, product.c)) {
        ptx_lacks_opcode(importer);
        return;
    }
    snprintf(shape, sizeof shape, SLICE_FORMAT, SLICE_ARGS(product.shape));
    if (!ptx_begin_product(importer, &product, shape, product.d, &op))
        return;
    for (unsigned i = 0; i < 4; i++)
        if (ptx_count(&statement->operands[i]) != instruction_registers(&op.instruction, i)) {
            ptx_lacks(importer, "a matrix has another number of registers than its shape says");
            return;
        }
    for (unsigned i = 0; i < 4; i++) {
        const unsigned count = instruction_registers(&op.instruction, i);
        const enum hx_type type = instruction_operand_type(&op.instruction, i);
        ptx_op_register(&op, i,
                        i == 0 ? ptx_code_register(&importer->code, false, (uint8_t)count)
                               : ptx_gather(importer, ptx_items(&statement->operands[i]), count, type));
    }
    ptx_op_push(&importer->code, &op);
    ptx_scatter(importer, ptx_items(&statement->operands[0]), op.regs[0],
                instruction_registers(&op.instruction, 0), instruction_operand_type(&op.instruction, 0));
}

/* ---- ldmatrix, stmatrix, movmatrix
 * ------------------------------------------------------------------------- */

struct lane_place {
    uint32_t row, pair; /* of the lane: g and t */
};

static struct lane_place find_place(struct ptx_importer *importer)
{
    const uint32_t lane = ptx_emit_special(importer, SPECIAL_LANEID);
    return (struct lane_place){ptx_emit_number(importer, "shr.u32", lane, 2),
                               ptx_emit_number(importer, "and.u32", lane, 3)};
}

/* The address of row `row` of matrix `matrix`, which lane 8 matrix + row says, and `column` bytes. */
static uint32_t row_address(struct ptx_importer *importer, uint32_t address, unsigned matrix, uint32_t row,
                            uint32_t column)
{
    const uint32_t lane = matrix > 0 ? ptx_emit_number(importer, "add.u32", row, 8 * matrix) : row;
    const uint32_t at = ptx_emit_shuffle(importer, address, lane);
    return ptx_emit_two(importer, "add.u32", at, column);
}

/* Two rows, 2 t and 2 t + 1, and the column of the lane, for a matrix that is transposed. */
struct transposed {
    uint32_t rows[2], column;
};

static struct transposed transpose(struct ptx_importer *importer, struct lane_place place)
{
    const uint32_t even = ptx_emit_number(importer, "shl.u32", place.pair, 1);
    return (struct transposed){{even, ptx_emit_number(importer, "or.u32", even, 1)},
                               ptx_emit_number(importer, "shl.u32", place.row, 1)};
}

static bool is_matrix_access(struct ptx_importer *importer, const struct ptx_operand *vector)
{
    const struct ptx_statement *statement = importer->statement;
    const unsigned count = ptx_has_part(statement, "x4") ? 4 : ptx_has_part(statement, "x2") ? 2 : 1;
    if (ptx_has_part(statement, "m8n8") && ptx_has_part(statement, "b16") && ptx_count(vector) == count)
        return true;
    ptx_lacks_opcode(importer);
    return false;
}

/* Generic addresses become those of shared memory, of which the low 32 bits are passed between lanes. */
static uint32_t shared_address(struct ptx_importer *importer, const struct ptx_operand *operand)
{
    const bool is_shared =
        ptx_has_part(importer->statement, "shared") || ptx_has_part(importer->statement, "shared::cta");
    uint32_t address = ptx_address_register(importer, operand, is_shared ? PTX_SPACE_SHARED : PTX_SPACE_NONE);
    if (!is_shared)
        address = ptx_emit_one(importer, "cvta.to.shared.u64", address);
    return ptx_emit_one(importer, "cvt.u32.u64", address);
}

/* A note for checkers, when there are some (check/notes.h): the row that each lane gives the address of is
 * at a multiple of its 16 bytes (PTX ISA, ldmatrix). The other lanes, from `rows` on, give none: 0. */
static void note_rows(struct ptx_importer *importer, uint32_t address, unsigned rows)
{
    if (!importer->program->for_checks)
        return;
    if (rows < 32) {
        const uint32_t behind =
            ptx_emit_number(importer, "sub.u32", ptx_emit_special(importer, SPECIAL_LANEID), rows);
        address =
            ptx_emit_two(importer, "and.u32", address, ptx_emit_number(importer, "shr.i32", behind, 31));
    }
    const uint32_t alignment = ptx_emit_constant(importer, "mov.u32", 16);
    const uint32_t upper = ptx_emit_constant(importer, "mov.u32", 0);
    ptx_emit_note(importer, 16, alignment, PTX_NO_REGISTER);
    ptx_emit_note(importer, 25, address, upper);
}

/* ---- matrices of bytes: lane 4 g + t has elements of rows or columns g, 4 t to 4 t + 3 --------------------
 */

/* Bits of an element in memory, from the lowest of a row of 16 bytes on. In a register it has a byte. */
static unsigned element_bits(const struct ptx_statement *statement)
{
    return ptx_has_part(statement, "b6x16_p32") ? 6 : ptx_has_part(statement, "b4x16_p64") ? 4 : 8;
}

static uint32_t join_bytes(struct ptx_importer *importer, const uint32_t *bytes, unsigned count,
                           unsigned bits)
{
    uint32_t all = bytes[0];
    for (unsigned i = 1; i < count; i++)
        all = ptx_emit_two(importer, "or.u32", all, ptx_emit_number(importer, "shl.u32", bytes[i], bits * i));
    return all;
}

/* Register `matrix` of m8n16: a row of the matrix for each g. */
static uint32_t load_row(struct ptx_importer *importer, uint32_t address, unsigned matrix,
                         struct lane_place place, unsigned bits)
{
    uint32_t bytes[4];
    const uint32_t column = ptx_emit_number(importer, "mul.u32", place.pair, bits / 2);
    const uint32_t at = row_address(importer, address, matrix, place.row, column);
    for (unsigned i = 0; i < bits / 2; i++)
        bytes[i] = ptx_emit_load(importer, "lds.u8", at, (int32_t)i);
    const uint32_t all = join_bytes(importer, bytes, bits / 2, 8);
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = ptx_emit_number(importer, "and.u32", ptx_emit_number(importer, "shr.u32", all, bits * i),
                                   (1u << bits) - 1);
    return join_bytes(importer, bytes, 4, 8);
}

/* Register `half` of a matrix m16n16, which is transposed: bytes 0 and 1 are in column g, the others in
 * column g + 8, of rows 4 t + 2 half and the next. */
static uint32_t load_column(struct ptx_importer *importer, uint32_t address, unsigned matrix, unsigned half,
                            struct lane_place place, unsigned bits)
{
    uint32_t bytes[4];
    const uint32_t first = ptx_emit_number(importer, "mul.u32", place.row, bits);
    const uint32_t column = ptx_emit_number(importer, "shr.u32", first, 3);
    const uint32_t shift = ptx_emit_number(importer, "and.u32", first, 7);
    const uint32_t rows = ptx_emit_number(importer, "shl.u32", place.pair, 2);
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t row = ptx_emit_number(importer, "add.u32", rows, 2 * half + (i & 1));
        const uint32_t at = row_address(importer, address, 2 * matrix, row, column);
        const int32_t offset = (int32_t)(bits * (i >> 1));
        const uint32_t two[2] = {ptx_emit_load(importer, "lds.u8", at, offset),
                                 bits == 6 ? ptx_emit_load(importer, "lds.u8", at, offset + 1) : 0};
        const uint32_t all = bits == 6 ? join_bytes(importer, two, 2, 8) : two[0];
        bytes[i] = ptx_emit_number(importer, "and.u32", ptx_emit_two(importer, "shr.u32", all, shift),
                                   (1u << bits) - 1);
    }
    return join_bytes(importer, bytes, 4, 8);
}

static unsigned matrix_count(const struct ptx_statement *statement)
{
    return ptx_has_part(statement, "x4") ? 4 : ptx_has_part(statement, "x2") ? 2 : 1;
}

/* False: it is no load of bytes. */
static bool import_byte_load(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_operand *to = &statement->operands[0];
    const bool is_square = ptx_has_part(statement, "m16n16"),
               is_transposed = ptx_has_part(statement, "trans");
    const unsigned count = ptx_count(to), bits = element_bits(statement);
    const bool has_type = is_square ? bits < 8 || ptx_has_part(statement, "b8") : bits < 8;
    uint32_t made[4];
    if ((!is_square && !ptx_has_part(statement, "m8n16")) || is_square != is_transposed || !has_type ||
        count != matrix_count(statement) * (is_square ? 2 : 1) || count > HX_COUNT_OF(made))
        return false;
    const uint32_t address = shared_address(importer, &statement->operands[1]);
    const struct lane_place place = find_place(importer);
    for (unsigned i = 0; i < count; i++)
        made[i] = is_square ? load_column(importer, address, i / 2, i % 2, place, bits)
                            : load_row(importer, address, i, place, bits);
    for (unsigned i = 0; i < count; i++)
        ptx_scatter(importer, ptx_items(to) + i, made[i], 1, HX_TYPE_U32);
    return true;
}

/* stmatrix of m16n8, transposed: byte i of a register goes to row 2 t + i % 2, column g + 8 (i / 2). */
static bool import_byte_store(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_operand *from = &statement->operands[1];
    if (!ptx_has_part(statement, "m16n8") || !ptx_has_part(statement, "b8") ||
        !ptx_has_part(statement, "trans") || ptx_count(from) != matrix_count(statement))
        return false;
    const uint32_t address = shared_address(importer, &statement->operands[0]);
    const struct lane_place place = find_place(importer);
    const uint32_t even = ptx_emit_number(importer, "shl.u32", place.pair, 1);
    const uint32_t rows[2] = {even, ptx_emit_number(importer, "or.u32", even, 1)};
    for (unsigned k = 0; k < ptx_count(from); k++) {
        const uint32_t value = ptx_in_register(importer, ptx_items(from) + k, HX_TYPE_U32);
        for (unsigned i = 0; i < 4; i++)
            ptx_emit_store(importer, "sts.u8", row_address(importer, address, k, rows[i & 1], place.row),
                           (int32_t)(8 * (i >> 1)),
                           i ? ptx_emit_number(importer, "shr.u32", value, 8 * i) : value);
    }
    return true;
}

/* ---- and of elements of 16 bits
 * ---------------------------------------------------------------------------- */

void ptx_import_ldmatrix(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count == 2 && import_byte_load(importer))
        return;
    if (statement->operand_count != 2 || !is_matrix_access(importer, &statement->operands[0]))
        return;
    const struct ptx_operand *to = &statement->operands[0];
    const unsigned count = ptx_count(to);
    const bool is_transposed = ptx_has_part(statement, "trans");
    const uint32_t address = shared_address(importer, &statement->operands[1]);
    note_rows(importer, address, 8 * count);
    const struct lane_place place = find_place(importer);
    const struct transposed other = transpose(importer, place);
    const uint32_t column = ptx_emit_number(importer, "shl.u32", place.pair, 2);
    uint32_t made[4];
    for (unsigned i = 0; i < count; i++) {
        if (!is_transposed) {
            made[i] =
                ptx_emit_load(importer, "lds.u32", row_address(importer, address, i, place.row, column), 0);
            continue;
        }
        uint32_t halves[2];
        for (int k = 0; k < 2; k++)
            halves[k] = ptx_emit_load(importer, "lds.u16",
                                      row_address(importer, address, i, other.rows[k], other.column), 0);
        made[i] = ptx_emit_two(importer, "pack.u32.u16", halves[0], halves[1]);
    }
    for (unsigned i = 0; i < count; i++)
        ptx_scatter(importer, ptx_items(to) + i, made[i], 1, HX_TYPE_U32);
}

void ptx_import_stmatrix(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count == 2 && import_byte_store(importer))
        return;
    if (statement->operand_count != 2 || !is_matrix_access(importer, &statement->operands[1]))
        return;
    const struct ptx_operand *from = &statement->operands[1];
    const bool is_transposed = ptx_has_part(statement, "trans");
    const uint32_t address = shared_address(importer, &statement->operands[0]);
    note_rows(importer, address, 8 * ptx_count(from));
    const struct lane_place place = find_place(importer);
    const struct transposed other = transpose(importer, place);
    const uint32_t column = ptx_emit_number(importer, "shl.u32", place.pair, 2);
    for (unsigned i = 0; i < ptx_count(from); i++) {
        const uint32_t value = ptx_in_register(importer, ptx_items(from) + i, HX_TYPE_U32);
        if (!is_transposed) {
            ptx_emit_store(importer, "sts.u32", row_address(importer, address, i, place.row, column), 0,
                           value);
            continue;
        }
        for (int k = 0; k < 2; k++)
            ptx_emit_store(importer, "sts.u16",
                           row_address(importer, address, i, other.rows[k], other.column), 0,
                           k ? ptx_emit_number(importer, "shr.u32", value, 16) : value);
    }
}

/* Row 2 t + k, column g of the matrix are in lane 4 (2 t + k) + g / 2, in its half g % 2. */
void ptx_import_movmatrix(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    if (statement->operand_count != 2 || !is_matrix_access(importer, &statement->operands[0]) ||
        !ptx_has_part(statement, "trans")) {
        ptx_lacks(importer, "matrices of this shape and type are not available");
        return;
    }
    const uint32_t value = ptx_in_register(importer, &statement->operands[1], HX_TYPE_U32);
    const struct lane_place place = find_place(importer);
    const uint32_t first = ptx_emit_number(importer, "shl.u32", place.pair, 3);
    const uint32_t pair = ptx_emit_number(importer, "shr.u32", place.row, 1);
    const uint32_t lane = ptx_emit_two(importer, "add.u32", first, pair);
    const uint32_t odd = ptx_emit_number(importer, "and.u32", place.row, 1);
    const uint32_t shift = ptx_emit_number(importer, "shl.u32", odd, 4);
    uint32_t halves[2];
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t from = k ? ptx_emit_number(importer, "add.u32", lane, 4) : lane;
        halves[k] = ptx_emit_two(importer, "shr.u32", ptx_emit_shuffle(importer, value, from), shift);
    }
    const uint32_t made = ptx_emit_two(importer, "pack.u32.u16", halves[0], halves[1]);
    ptx_scatter(importer, ptx_items(&statement->operands[0]), made, 1, HX_TYPE_U32);
}
