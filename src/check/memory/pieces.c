/* Accesses that one access of the source became.
 *
 * Takes an instruction, leaves those that load or store the bytes beside its own: with the same place in the
 * source, from one register on that does not change between them, one behind the other. A thread reaches all
 * of them or none. */
#include "check/memory/pieces.h"

#include "base/memory.h"
#include "exec/kernel.h"
#include "program/program.h"

#include <pthread.h>
#include <string.h>

#define PIECES_MOST 4096u /* of more, each stands alone */

struct pieces_cache {
    hx_checks *checks;
    pthread_mutex_t lock;
    struct pieces **of; /* of each instruction; NULL: not looked for yet */
    LIST(struct pieces *) made;
};

static void release(const struct pieces_cache *cache, struct pieces *pieces)
{
    const hx_allocator *const allocator = check_allocator(cache->checks);
    memory_free(allocator, pieces->instructions);
    memory_free(allocator, pieces->offsets);
    memory_free(allocator, pieces);
}

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

/* From where to where, both included, all that a thread does is one after the other, and `reg` stays. */
static void find_run(const struct check_line *lines, const struct kernel *code, uint32_t of, uint8_t reg,
                     uint32_t *ret_first, uint32_t *ret_last)
{
    uint32_t first = of, last = of;
    while (first > 0 && !program_find_label(code, first) && is_beside(lines, code, first - 1, of) &&
           !writes_register(&code->code[first - 1], reg))
        first--;
    while (last + 1 < code->code_count && !writes_register(&code->code[last], reg) &&
           is_beside(lines, code, last + 1, of) && !program_find_label(code, last + 1))
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

/* One piece, the instruction, with room for `count`. NULL: no memory. */
static struct pieces *make(const hx_allocator *allocator, const struct kernel *code, uint32_t instruction,
                           uint32_t count)
{
    struct pieces *const pieces = memory_allocate(allocator, 1, sizeof *pieces);
    if (!pieces)
        return NULL;
    pieces->instructions = memory_allocate(allocator, count, sizeof *pieces->instructions);
    pieces->offsets = memory_allocate(allocator, count, sizeof *pieces->offsets);
    pieces->count = 1;
    pieces->bytes = kernel_access_bytes(&code->code[instruction]);
    if (pieces->instructions && pieces->offsets) {
        pieces->instructions[0] = instruction;
        return pieces;
    }
    memory_free(allocator, pieces->instructions);
    memory_free(allocator, pieces->offsets);
    memory_free(allocator, pieces);
    return NULL;
}

static struct pieces *find(const struct pieces_cache *cache, uint32_t instruction)
{
    const hx_allocator *const allocator = check_allocator(cache->checks);
    const struct kernel *const code = check_kernel_now(cache->checks);
    const struct check_line *const lines = check_launch_now(cache->checks)->code->lines;
    const struct instruction *const of = &code->code[instruction];
    const struct operand *const address = address_of(of);
    uint32_t first, last, count = 0;
    if (!address || of->guard >= 0 || kernel_access_bytes(of) == 0 || !code->is_imported ||
        (of->opcode->shape != SHAPE_LOAD && of->opcode->shape != SHAPE_STORE))
        return make(allocator, code, instruction, 1);
    find_run(lines, code, instruction, address->reg, &first, &last);
    for (uint32_t i = first; i <= last; i++)
        count += i == instruction || is_alike(of, &code->code[i]);
    if (count > PIECES_MOST)
        return make(allocator, code, instruction, 1);
    struct pieces *const pieces = make(allocator, code, instruction, count);
    if (!pieces)
        return NULL;
    pieces->count = 0;
    for (uint32_t i = first; i <= last; i++)
        if (i == instruction || is_alike(of, &code->code[i])) {
            pieces->instructions[pieces->count] = i;
            pieces->offsets[pieces->count++] = address_of(&code->code[i])->offset;
        }
    keep_row(pieces, address->offset);
    return pieces;
}

const struct pieces *pieces_of(struct pieces_cache *cache, uint32_t instruction)
{
    pthread_mutex_lock(&cache->lock);
    struct pieces *found = cache->of[instruction];
    if (!found && (found = find(cache, instruction))) {
        if (LIST_PUSH(check_allocator(cache->checks), &cache->made, found))
            for (uint32_t i = 0; i < found->count; i++) /* what one is a piece of, the others are, too */
                cache->of[found->instructions[i]] = found;
        else {
            release(cache, found);
            found = NULL;
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

struct pieces_cache *pieces_new(hx_checks *checks)
{
    const hx_allocator *const allocator = check_allocator(checks);
    struct pieces_cache *const cache = memory_allocate(allocator, 1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->checks = checks;
    cache->of = memory_allocate(allocator, check_kernel_now(checks)->code_count + 1, sizeof *cache->of);
    if (!cache->of) {
        memory_free(allocator, cache);
        return NULL;
    }
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void pieces_free(struct pieces_cache *cache)
{
    if (!cache)
        return;
    const hx_allocator *const allocator = check_allocator(cache->checks);
    for (size_t i = 0; i < cache->made.count; i++)
        release(cache, cache->made.items[i]);
    LIST_DONE(allocator, &cache->made);
    pthread_mutex_destroy(&cache->lock);
    memory_free(allocator, cache->of);
    memory_free(allocator, cache);
}
