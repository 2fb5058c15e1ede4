/* Accesses that one access of the source became.
 *
 * Takes an instruction, leaves those that load or store the bytes beside its own: with the same place in the
 * source, from one register on that does not change between them, one behind the other. A thread reaches all
 * of them or none. */
#include "check/memory/pieces.h"

#include "exec/kernel.h"
#include "program/program.h"

#include <string.h>

/* The operand that is an address with a register and a distance alone; NULL: there is none. */
static const struct operand *address_of(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *const operand = &instruction->operands[i];
        if (operand->kind == OPERAND_ADDRESS)
            return operand->base_kind == BASE_REGISTER && operand->index_kind == INDEX_NONE ? operand : NULL;
    }
    return NULL;
}

static bool writes_register(const struct instruction *instruction, uint8_t reg)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const enum form_kind kind = instruction->opcode->forms[i].kind;
        const struct operand *const operand = &instruction->operands[i];
        const bool is_written = kind == FORM_DESTINATION || kind == FORM_READ_WRITE;
        if (is_written && operand->kind == OPERAND_REGISTER && reg >= operand->reg &&
            (unsigned)(reg - operand->reg) < instruction_registers(instruction, i))
            return true;
    }
    return false;
}

static bool is_alike(const struct instruction *a, const struct instruction *b)
{
    return a->opcode == b->opcode && a->type == b->type && b->guard < 0 &&
           memcmp(a->modifiers, b->modifiers, sizeof a->modifiers) == 0 && address_of(b) &&
           address_of(a)->reg == address_of(b)->reg;
}

static bool is_beside(const struct check_line *lines, const struct kernel *code, uint32_t at, uint32_t of)
{
    return lines[at].line == lines[of].line && lines[at].column == lines[of].column &&
           code->code[at].opcode->shape != SHAPE_FLOW;
}

static bool is_target(const struct kernel *code, uint32_t instruction)
{
    for (size_t i = 0; i < code->label_count && code->labels[i].target <= instruction; i++)
        if (code->labels[i].target == instruction)
            return true;
    return false;
}

/* From where to where, both included, all that a thread does is one after the other, and `reg` stays. */
static void find_run(const struct check_line *lines, const struct kernel *code, uint32_t of, uint8_t reg,
                     uint32_t *ret_first, uint32_t *ret_last)
{
    uint32_t first = of, last = of;
    while (first > 0 && !is_target(code, first) && is_beside(lines, code, first - 1, of) &&
           !writes_register(&code->code[first - 1], reg))
        first--;
    while (last + 1 < code->code_count && !writes_register(&code->code[last], reg) &&
           is_beside(lines, code, last + 1, of) && !is_target(code, last + 1))
        last++;
    *ret_first = first;
    *ret_last = last;
}

/* Leaves those that are in one row with the one at `of`. */
static void keep_row(struct pieces *pieces, int64_t of)
{
    const int64_t bytes = (int64_t)pieces->bytes;
    int64_t low = of, high = of;
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (uint32_t i = 0; i < pieces->count; i++) {
            has_grown |= pieces->offsets[i] == low - bytes || pieces->offsets[i] == high + bytes;
            low -= pieces->offsets[i] == low - bytes ? bytes : 0;
            high += pieces->offsets[i] == high + bytes ? bytes : 0;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pieces->count; i++)
        if (pieces->offsets[i] >= low && pieces->offsets[i] <= high &&
            (pieces->offsets[i] - low) % bytes == 0) {
            pieces->instructions[kept] = pieces->instructions[i];
            pieces->offsets[kept++] = pieces->offsets[i] - low;
        }
    pieces->count = kept;
}

void pieces_find(const hx_checks *checks, uint32_t instruction, struct pieces *ret_pieces)
{
    const struct kernel *const code = check_kernel_now(checks);
    const struct check_line *const lines = check_launch_now(checks)->code->lines;
    const struct instruction *const of = &code->code[instruction];
    const struct operand *const address = address_of(of);
    uint32_t first, last;
    *ret_pieces =
        (struct pieces){.count = 1, .instructions = {instruction}, .bytes = kernel_access_bytes(of)};
    if (!address || of->guard >= 0 || ret_pieces->bytes == 0 || !code->is_imported ||
        (of->opcode->shape != SHAPE_LOAD && of->opcode->shape != SHAPE_STORE))
        return;
    find_run(lines, code, instruction, address->reg, &first, &last);
    ret_pieces->count = 0;
    for (uint32_t i = first; i <= last && ret_pieces->count < PIECES_MOST; i++)
        if (i == instruction || is_alike(of, &code->code[i])) {
            ret_pieces->instructions[ret_pieces->count] = i;
            ret_pieces->offsets[ret_pieces->count++] = address_of(&code->code[i])->offset;
        }
    keep_row(ret_pieces, address->offset);
}
