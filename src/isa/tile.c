/* What mma says of its matrices: sizes, and how many registers of a lane they take.
 *
 * Takes the modifiers `tile` (m16n8k16) and `product` (f16xf16), leaves numbers. The elements of a row of A
 * and of a column of B are in four lanes, as many in each as fit into a register: these are what one step
 * multiplies. */
#include "isa/isa.h"

#define LANES_OF_ROW 4u

static const struct {
    uint16_t rows, depth;
} tiles[] = {{0, 0},  {8, 4},   {8, 16},  {8, 32},  {8, 128},  {16, 4},
             {16, 8}, {16, 16}, {16, 32}, {16, 64}, {16, 128}, {16, 256}};

/* Of an element of A and B, by product. */
static const uint8_t element_bits[] = {0, 16, 16, 32, 64, 8, 8, 8, 8, 4, 4, 4, 4, 1, 1};

bool instruction_tile(const struct instruction *instruction, struct isa_tile *ret_tile)
{
    if (instruction->opcode->shape != SHAPE_MATRIX)
        return false;
    const unsigned tile = instruction->modifiers[GROUP_TILE],
                   bits = element_bits[instruction->modifiers[GROUP_PRODUCT]];
    const unsigned step = bits == 64 ? LANES_OF_ROW : bits ? LANES_OF_ROW * 32 / bits : 1;
    *ret_tile = (struct isa_tile){tiles[tile].rows, tiles[tile].depth, tiles[tile].depth / step};
    const unsigned most = bits == 64 ? 4 : 2;
    return bits > 0 && tile > 0 && ret_tile->steps * step == ret_tile->depth && ret_tile->steps >= 1 &&
           ret_tile->steps <= most;
}

enum hx_type instruction_sum_type(const struct instruction *instruction)
{
    return instruction->type == HX_TYPE_F16 ? HX_TYPE_F32 : (enum hx_type)instruction->type;
}

unsigned instruction_registers(const struct instruction *instruction, unsigned operand)
{
    const struct isa_opcode *opcode = instruction->opcode;
    struct isa_tile tile;
    if (shape_is_memory(opcode->shape))
        return instruction_vector(instruction);
    if (!instruction_tile(instruction, &tile))
        return 1;
    switch (opcode->forms[operand].letter) {
    case OPERAND_A:
        return tile.steps * (tile.rows / 8);
    case OPERAND_B:
        return tile.steps;
    default:
        return tile.rows / 8 * (instruction->type == HX_TYPE_F16 ? 1 : 2);
    }
}
