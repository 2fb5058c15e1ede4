/* wmma: matrices of a warp that are loaded, multiplied and stored as a whole.
 *
 * Takes the statements, leaves mma of hexec and loads and stores of single registers. Where a fragment's
 * elements are, PTX does not say; here they are where mma has them: A in tiles of 16 rows (or 8), B and C in
 * tiles of 8 columns, one behind the other. When A has fewer rows than B has columns, the transposed matrices
 * are multiplied. Registers of a fragment that have no element are zeros. */
#include "ptx/emit.h"

#include <stdio.h>

/* How a fragment lies in mma's tiles. */
struct wmma {
    unsigned rows, columns, depth; /* of the shape */
    bool turned;                   /* D^T = B^T A^T */
    unsigned tile_rows;            /* of A in mma: 16, or 8 */
    unsigned row_tiles, tiles;     /* of A, of B */
    unsigned bits, step, steps;    /* of an element; positions that a register of four lanes has; registers */
};

static bool read_shape(struct slice shape, struct wmma *wmma)
{
    char text[16];
    snprintf(text, sizeof text, SLICE_FORMAT, SLICE_ARGS(shape));
    return sscanf(text, "m%un%uk%u", &wmma->rows, &wmma->columns, &wmma->depth) == 3;
}

static unsigned bits_of(struct slice type)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f64", 64}, {"s8", 8},  {"u8", 8},
                 {"s4", 4},   {"u4", 4},    {"b1", 1},    {"f32", 32}, {"s32", 32}};
    for (size_t i = 0; i < HX_COUNT_OF(types); i++)
        if (slice_equal(type, types[i].name))
            return types[i].bits;
    return 0;
}

/* `type` is that of A and B. False when there is no such shape. */
static bool lay_out(struct slice shape, struct slice type, struct wmma *ret_wmma)
{
    struct wmma wmma = {.bits = bits_of(type)};
    if (!read_shape(shape, &wmma) || wmma.bits == 0 || wmma.rows * wmma.columns > 256)
        return false;
    const bool is_small = wmma.rows == 8 && wmma.columns == 8;
    wmma.turned = wmma.rows == 8 && !is_small;
    wmma.tile_rows = is_small ? 8 : 16;
    wmma.row_tiles = (wmma.turned ? wmma.columns : wmma.rows) / wmma.tile_rows;
    wmma.tiles = (wmma.turned ? wmma.rows : wmma.columns) / 8;
    wmma.step = wmma.bits == 64 ? 4 : 128 / wmma.bits;
    wmma.steps = wmma.depth / wmma.step;
    *ret_wmma = wmma;
    return wmma.steps > 0 && wmma.row_tiles > 0;
}

/* ---- Loads and stores
 * -------------------------------------------------------------------------------------- */

/* An element's place is base + outer * outer_step + inner * inner_step, in elements, of which one is the
 * stride and the other 1. Of A and B inner runs along the products, of C and D along the columns of mma. */
struct wmma_access {
    struct wmma wmma;
    char space;    /* 'g', 's', 0 for generic */
    unsigned bits; /* of an element */
    bool inner_is_contiguous;
    uint32_t base, stride; /* registers: the lane's first element; the stride in bytes, 64 bits */
};

/* The address of the element that lies `outer` and `inner` behind the lane's first: a register and an offset.
 */
static uint32_t place_of(struct ptx_importer *importer, const struct wmma_access *access, unsigned outer,
                         unsigned inner, int32_t *ret_offset)
{
    const unsigned strides = access->inner_is_contiguous ? outer : inner;
    *ret_offset = (int32_t)((access->inner_is_contiguous ? inner : outer) * access->bits / 8);
    if (strides == 0)
        return access->base;
    return ptx_emit_two(importer, "add.u64", access->base,
                        ptx_emit_number(importer, "mul.u64", access->stride, strides));
}

static void name_access(const struct wmma_access *access, bool is_load, unsigned bits, char *ret_name,
                        size_t room)
{
    const char space[] = {access->space, 0};
    snprintf(ret_name, room, "%s%s.u%u", is_load ? "ld" : "st", space, bits);
}

/* A register of 32 or 64 bits from `parts` elements along inner. */
static uint32_t load_register(struct ptx_importer *importer, const struct wmma_access *access, unsigned outer,
                              unsigned inner, unsigned parts)
{
    char name[16];
    int32_t offset;
    if (access->inner_is_contiguous || parts == 1) {
        name_access(access, true, access->bits * parts, name, sizeof name);
        const uint32_t at = place_of(importer, access, outer, inner, &offset);
        return ptx_emit_load(importer, name, at, offset);
    }
    uint32_t made = PTX_NO_REGISTER;
    name_access(access, true, access->bits, name, sizeof name);
    for (unsigned i = 0; i < parts; i++) {
        const uint32_t at = place_of(importer, access, outer, inner + i, &offset);
        uint32_t part = ptx_emit_load(importer, name, at, offset);
        if (i > 0)
            part = ptx_emit_number(importer, "shl.u32", part, access->bits * i);
        made = i > 0 ? ptx_emit_two(importer, "or.u32", made, part) : part;
    }
    return made;
}

static void store_register(struct ptx_importer *importer, const struct wmma_access *access, unsigned outer,
                           unsigned inner, unsigned parts, uint32_t value)
{
    char name[16];
    int32_t offset;
    const bool is_whole = access->inner_is_contiguous || parts == 1;
    name_access(access, false, is_whole ? access->bits * parts : access->bits, name, sizeof name);
    for (unsigned i = 0; i < (is_whole ? 1 : parts); i++) {
        const uint32_t at = place_of(importer, access, outer, inner + i, &offset);
        ptx_emit_store(importer, name, at, offset,
                       i > 0 ? ptx_emit_number(importer, "shr.u32", value, access->bits * i) : value);
    }
}

/* What all accesses need: `positions` is how far apart along inner the first elements of lanes t and t + 1
 * are. */
static bool begin_access(struct ptx_importer *importer, const struct ptx_operand *address,
                         const struct ptx_operand *stride, unsigned leading, unsigned positions,
                         struct wmma_access *access)
{
    const struct ptx_statement *statement = importer->statement;
    access->space = ptx_has_part(statement, "global")                                             ? 'g'
                    : ptx_has_part(statement, "shared") || ptx_has_part(statement, "shared::cta") ? 's'
                                                                                                  : 0;
    const uint32_t lane = ptx_emit_special(importer, SPECIAL_LANEID);
    const uint32_t outer = ptx_emit_number(importer, "shr.u32", lane, 2);
    const uint32_t inner =
        ptx_emit_number(importer, "mul.u32", ptx_emit_number(importer, "and.u32", lane, 3), positions);
    const uint32_t elements = stride ? ptx_in_register(importer, stride, HX_TYPE_U32)
                                     : ptx_emit_constant(importer, "mov.u32", leading);
    const uint32_t wide = ptx_emit_one(importer, "cvt.u64.u32", elements);
    access->stride = access->bits >= 8 ? ptx_emit_number(importer, "mul.u64", wide, access->bits / 8)
                                       : ptx_emit_number(importer, "div.u64", wide, 8 / access->bits);
    const uint32_t along = access->inner_is_contiguous ? inner : outer;
    const uint32_t across = access->inner_is_contiguous ? outer : inner;
    const uint32_t bits =
        ptx_emit_one(importer, "cvt.u64.u32", ptx_emit_number(importer, "mul.u32", along, access->bits));
    const uint32_t bytes = ptx_emit_number(importer, "shr.u64", bits, 3);
    const uint32_t rows =
        ptx_emit_two(importer, "mul.u64", ptx_emit_one(importer, "cvt.u64.u32", across), access->stride);
    const enum ptx_space space = ptx_has_part(importer->statement, "global")   ? PTX_SPACE_GLOBAL
                                 : ptx_has_part(importer->statement, "shared") ? PTX_SPACE_SHARED
                                                                               : PTX_SPACE_NONE;
    const uint32_t base =
        ptx_emit_two(importer, "add.u64", ptx_address_register(importer, address, space), bytes);
    access->base = ptx_emit_two(importer, "add.u64", base, rows);
    return access->inner_is_contiguous || access->bits >= 8;
}

static const struct ptx_operand *optional_operand(const struct ptx_statement *statement, unsigned index)
{
    return index < statement->operand_count ? &statement->operands[index] : NULL;
}

/* Of the whole opcode the shape and the element's type, which stands last. */
static void read_access(const struct ptx_statement *statement, struct slice *ret_shape,
                        struct slice *ret_type)
{
    struct slice part;
    for (size_t at = 0; ptx_next_part(statement->opcode, &at, &part); *ret_type = part)
        if (part.length > 1 && part.at[0] == 'm' && text_is_digit(part.at[1]))
            *ret_shape = part;
}

/* Sets of registers of A or B: a tile, its steps, and of A the halves of 8 rows. */
static void load_factor(struct ptx_importer *importer, bool is_a, struct slice shape, struct slice type)
{
    const struct ptx_statement *statement = importer->statement;
    struct wmma_access access = {0};
    if (!lay_out(shape, type, &access.wmma)) {
        ptx_lacks(importer, "matrices of this shape and type are not available");
        return;
    }
    const struct wmma *wmma = &access.wmma;
    const bool is_first = is_a != wmma->turned; /* it is mma's A */
    const bool is_row = ptx_has_part(statement, "row");
    const unsigned parts = wmma->bits < 32 ? 32 / wmma->bits : 1, halves = is_first ? wmma->tile_rows / 8 : 1;
    const unsigned tiles = is_first ? wmma->row_tiles : wmma->tiles, used = tiles * wmma->steps * halves;
    const unsigned leading = is_a     ? (is_row ? wmma->depth : wmma->rows)
                             : is_row ? wmma->columns
                                      : wmma->depth;
    access.bits = wmma->bits;
    access.inner_is_contiguous = is_row == is_a;
    const struct ptx_operand *to = &statement->operands[0];
    if (ptx_count(to) < used || !begin_access(importer, &statement->operands[1],
                                              optional_operand(statement, 2), leading, parts, &access)) {
        ptx_lacks(importer, "matrices of this shape and type are not available");
        return;
    }
    uint32_t made[16];
    for (unsigned i = 0; i < used; i++) {
        const unsigned tile = i / (wmma->steps * halves), step = i / halves % wmma->steps, half = i % halves;
        made[i] = load_register(importer, &access, 8 * (tile * halves + half), step * wmma->step, parts);
    }
    const uint32_t zero = ptx_count(to) > used ? ptx_emit_constant(importer, "mov.u32", 0) : 0;
    for (unsigned i = 0; i < ptx_count(to); i++)
        ptx_scatter(importer, ptx_items(to) + i, i < used ? made[i] : zero, 1,
                    wmma->bits == 64 ? HX_TYPE_U64 : HX_TYPE_U32);
}

/* C or D: a row of tiles and a column of tiles; in each halves of 8 rows with two elements. */
static void access_sums(struct ptx_importer *importer, bool is_load, struct slice shape, struct slice type)
{
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_operand *vector = &statement->operands[is_load ? 0 : 1];
    struct wmma_access access = {0};
    struct wmma *wmma = &access.wmma;
    const bool is_half = slice_equal(type, "f16"), is_wide = slice_equal(type, "f64");
    if (!lay_out(shape, type, wmma) || !(is_half || is_wide || bits_of(type) == 32)) {
        ptx_lacks(importer, "matrices of this shape and type are not available");
        return;
    }
    const bool is_row = ptx_has_part(statement, "row");
    const unsigned in_register = is_half ? 2 : 1, halves = wmma->tile_rows / 8;
    const unsigned in_tile = 2 * halves / in_register, used = wmma->row_tiles * wmma->tiles * in_tile;
    access.bits = bits_of(type);
    access.inner_is_contiguous = is_row != wmma->turned;
    if (ptx_count(vector) != used ||
        !begin_access(importer, &statement->operands[is_load ? 1 : 0], optional_operand(statement, 2),
                      is_row ? wmma->columns : wmma->rows, 2, &access)) {
        ptx_lacks(importer, "a matrix has another number of registers than its shape says");
        return;
    }
    const enum hx_type bits = is_wide ? HX_TYPE_U64 : HX_TYPE_U32;
    uint32_t made[16];
    for (unsigned i = 0; i < used; i++) {
        const unsigned tile = i / in_tile, at = i % in_tile * in_register;
        const unsigned outer = tile / wmma->tiles * wmma->tile_rows + 8 * (at / 2);
        const unsigned inner = tile % wmma->tiles * 8 + at % 2;
        if (is_load)
            made[i] = load_register(importer, &access, outer, inner, in_register);
        else
            store_register(importer, &access, outer, inner, in_register,
                           ptx_in_register(importer, ptx_items(vector) + i, bits));
    }
    for (unsigned i = 0; is_load && i < used; i++)
        ptx_scatter(importer, ptx_items(vector) + i, made[i], 1, bits);
}

void ptx_import_wmma_access(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct slice shape = {0}, type = {0};
    read_access(statement, &shape, &type);
    if (statement->operand_count < 2)
        ptx_lacks(importer, "operands are missing");
    else if (ptx_has_part(statement, "a") || ptx_has_part(statement, "b"))
        load_factor(importer, ptx_has_part(statement, "a"), shape, type);
    else
        access_sums(importer, ptx_has_part(statement, "load"), shape, type);
}

/* ---- Products
 * ---------------------------------------------------------------------------------------------- */

/* Of `registers` registers of f16 two of f32 each. */
static uint32_t widened(struct ptx_importer *importer, const struct ptx_operand *items, unsigned registers)
{
    const uint32_t first = ptx_code_register(&importer->code, false, (uint8_t)(2 * registers));
    for (unsigned i = 0; i < 2 * registers; i++) {
        const uint32_t pair = ptx_in_register(importer, &items[i / 2], HX_TYPE_U32);
        const uint32_t half = i % 2 ? ptx_emit_number(importer, "shr.u32", pair, 16) : pair;
        struct ptx_op op;
        if (!ptx_begin(importer, &op, "cvt.f32.f16"))
            return first;
        ptx_op_register(&op, 0, first + i);
        ptx_op_register(&op, 1, half);
        ptx_op_push(&importer->code, &op);
    }
    return first;
}

/* Two of f32 as one register of f16. */
static uint32_t narrowed(struct ptx_importer *importer, uint32_t first)
{
    const uint32_t low = ptx_emit_one(importer, "cvt.rn.f16.f32", first);
    const uint32_t high = ptx_emit_one(importer, "cvt.rn.f16.f32", first + 1);
    return ptx_emit_two(importer, "pack.u32.u16", low, high);
}

/* The product as mma has it: A is B^T when it is turned. */
struct tiling {
    struct wmma wmma;
    struct ptx_product product;
    const struct ptx_operand *a, *b, *c, *d;
    bool widens, narrows; /* C or D alone is of f16 */
};

/* One mma, of tile `row` of A and `column` of B; its registers of D, as many as *ret_count. */
static void multiply_tile(struct ptx_importer *importer, const struct tiling *tiling, unsigned row,
                          unsigned column, uint32_t *ret_made, unsigned *ret_count)
{
    const struct wmma *wmma = &tiling->wmma;
    const struct ptx_product *product = &tiling->product;
    char shape[24];
    struct ptx_op op;
    *ret_count = 0;
    snprintf(shape, sizeof shape, "m%un8k%u", wmma->tile_rows, wmma->depth);
    if (!ptx_begin_product(importer, product, shape, tiling->narrows ? product->c : product->d, &op))
        return;
    const unsigned in_d = instruction_registers(&op.instruction, 0),
                   in_a = instruction_registers(&op.instruction, 1);
    const unsigned in_b = instruction_registers(&op.instruction, 2), in_c = tiling->widens ? in_d / 2 : in_d;
    const unsigned tile = row * wmma->tiles + column, kept = tiling->narrows ? in_d / 2 : in_d;
    const enum hx_type factor = instruction_operand_type(&op.instruction, 1);
    const enum hx_type sum = instruction_operand_type(&op.instruction, 0);
    if (ptx_count(tiling->a) < (row + 1) * in_a || ptx_count(tiling->b) < (column + 1) * in_b ||
        ptx_count(tiling->c) < (tile + 1) * in_c || ptx_count(tiling->d) < (tile + 1) * kept) {
        ptx_lacks(importer, "a matrix has another number of registers than its shape says");
        return;
    }
    const struct ptx_operand *c = ptx_items(tiling->c) + tile * in_c;
    ptx_op_register(&op, 1, ptx_gather(importer, ptx_items(tiling->a) + row * in_a, in_a, factor));
    ptx_op_register(&op, 2, ptx_gather(importer, ptx_items(tiling->b) + column * in_b, in_b, factor));
    ptx_op_register(&op, 3, tiling->widens ? widened(importer, c, in_c) : ptx_gather(importer, c, in_c, sum));
    ptx_op_register(&op, 0, ptx_code_register(&importer->code, false, (uint8_t)in_d));
    const uint32_t made = op.regs[0];
    ptx_op_push(&importer->code, &op);
    for (unsigned i = 0; i < kept; i++)
        ret_made[i] = tiling->narrows ? narrowed(importer, made + 2 * i) : made + i;
    *ret_count = kept;
}

/* All tiles are made before registers of D are written, which may be registers of another matrix. */
void ptx_import_wmma(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct tiling tiling = {0};
    if (statement->operand_count != 4 || !ptx_read_product(statement, &tiling.product) ||
        !lay_out(tiling.product.shape, tiling.product.a, &tiling.wmma)) {
        ptx_lacks(importer, "products of matrices of this kind are not available");
        return;
    }
    const bool turned = tiling.wmma.turned;
    const struct slice a = tiling.product.a, b = tiling.product.b;
    const bool is_half_c = slice_equal(tiling.product.c, "f16"),
               is_half_d = slice_equal(tiling.product.d, "f16");
    tiling.product.a = turned ? b : a;
    tiling.product.b = turned ? a : b;
    tiling.d = &statement->operands[0];
    tiling.a = &statement->operands[turned ? 2 : 1];
    tiling.b = &statement->operands[turned ? 1 : 2];
    tiling.c = &statement->operands[3];
    tiling.widens = is_half_c && !is_half_d;
    tiling.narrows = is_half_d && !is_half_c;
    uint32_t made[32];
    unsigned count = 0, added;
    for (unsigned row = 0; row < tiling.wmma.row_tiles; row++)
        for (unsigned column = 0; column < tiling.wmma.tiles; column++, count += added)
            multiply_tile(importer, &tiling, row, column, made + count, &added);
    const enum hx_type type = slice_equal(tiling.product.d, "f64") ? HX_TYPE_U64 : HX_TYPE_U32;
    for (unsigned i = 0; i < count; i++)
        ptx_scatter(importer, ptx_items(tiling.d) + i, made[i], 1, type);
}
