/* Address arithmetic.
 *
 * Takes a verified kernel, leaves a count for each instruction. An index is a web: all writes that reach the
 * access. Each different address that is made of it (base, scale) is computed once for each write, and shared
 * by all accesses that differ in their offset alone, as a compiler does it. */
#include "gpu/pointers.h"

#include "verify/webs.h"

#include <stdlib.h>

/* One address: what accesses share that differ in their offset alone. */
struct pointer {
    uint32_t web;  /* of the index */
    uint32_t base; /* the web of a base register, or the parameter's number */
    uint8_t base_kind, scale;
};

struct pointer_list {
    struct pointer *items;
    size_t count;
};

static int compare(uint64_t one, uint64_t other)
{
    return one < other ? -1 : one > other;
}

static int by_value(const void *a, const void *b)
{
    const struct pointer *one = a, *other = b;
    int order = compare(one->web, other->web);
    order = order ? order : compare(one->base, other->base);
    order = order ? order : compare(one->base_kind, other->base_kind);
    return order ? order : compare(one->scale, other->scale);
}

static bool is_of_global(const struct instruction *instruction, const struct operand *operand)
{
    return operand->kind == OPERAND_ADDRESS && operand->index_kind != INDEX_NONE &&
           (operand->base_kind == BASE_PARAMETER || operand->base_kind == BASE_REGISTER) &&
           (instruction->opcode->space == SPACE_GLOBAL || instruction->opcode->space == SPACE_GENERIC);
}

static void collect(const struct web_list *list, uint32_t at, struct pointer_list *pointers)
{
    const struct instruction *instruction = &list->verified->kernel->code[at];
    for (size_t i = 0; i < FORM_COUNT_MAX; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (!is_of_global(instruction, operand))
            continue;
        const uint32_t web = web_of(list, at, operand->index_reg, false);
        if (web != WEB_NONE)
            pointers->items[pointers->count++] = (struct pointer){
                .web = web,
                .base = operand->base_kind == BASE_REGISTER ? web_of(list, at, operand->reg, false)
                                                            : operand->symbol,
                .base_kind = operand->base_kind,
                .scale = operand->scale,
            };
    }
}

static void count(const struct web_list *list, struct pointer_list *pointers, uint16_t *of_web,
                  uint16_t *ret_counts)
{
    const uint32_t instructions = list->verified->kernel->code_count;
    if (pointers->count > 0)
        qsort(pointers->items, pointers->count, sizeof *pointers->items, by_value);
    for (size_t i = 0; i < pointers->count; i++)
        if (i == 0 || by_value(&pointers->items[i - 1], &pointers->items[i]) != 0)
            of_web[pointers->items[i].web] += of_web[pointers->items[i].web] < UINT16_MAX;
    for (uint32_t at = 0; at < instructions; at++) {
        ret_counts[at] = 0;
        for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
            if (list->references[i].writes)
                ret_counts[at] += of_web[list->references[i].web];
    }
}

hx_status pointers_count(const struct verified_kernel *verified, const hx_allocator *allocator, hx_diag *diag,
                         uint16_t *ret_counts)
{
    HX_AUTO(arena_done) struct arena arena = {.allocator = allocator};
    const struct kernel *kernel = verified->kernel;
    struct web_list list;
    const hx_status status = web_list_make(verified, &arena, diag, &list);
    if (status != HX_OK)
        return status;
    struct pointer_list pointers = {
        .items = arena_allocate(&arena, (size_t)kernel->code_count * FORM_COUNT_MAX, sizeof(struct pointer))};
    uint16_t *of_web = ARENA_ARRAY(&arena, uint16_t, list.web_count);
    if (!pointers.items || !of_web)
        return diag_no_memory(diag);
    for (uint32_t at = 0; at < kernel->code_count; at++)
        collect(&list, at, &pointers);
    count(&list, &pointers, of_web, ret_counts);
    return HX_OK;
}
