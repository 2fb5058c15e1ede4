/* Shared arrays that are read and never stored.
 *
 * Takes the webs of a kernel, leaves warnings. For each web is known which arrays an address in it may be
 * made from: a set that grows along moves and arithmetic until nothing changes. A store, an atomic, or any
 * other access that is no load, counts for all arrays of its address, and for every array where that is not
 * known. A load counts where only one array can be meant. */
#include "verify/checks.h"
#include "verify/webs.h"

/* Sets of arrays: a bit each, and one for what is not known. */
#define ARRAYS_MOST 63u
#define UNKNOWN     (UINT64_C(1) << ARRAYS_MOST)
#define ALL         UINT64_MAX
/* Passes over the code; sets that grow for longer are left alone. */
#define PASSES_MOST 16

struct search {
    const struct verified_kernel *verified;
    const struct kernel *kernel;
    struct web_list webs;
    uint64_t *arrays; /* for each web */
    uint64_t stored, loaded;
    uint32_t reader[ARRAYS_MOST]; /* of each array that is loaded, the first load */
    struct arena arena;
};

static void search_done(struct search *search)
{
    arena_done(&search->arena);
}

/* All arrays of dynamic memory lie at one place. */
static uint64_t set_of(const struct search *search, unsigned array)
{
    const struct array_list *list = &search->kernel->shared;
    uint64_t set = UINT64_C(1) << array;
    for (size_t i = 0; list->items[array].is_dynamic && i < list->count; i++)
        if (list->items[i].is_dynamic)
            set |= UINT64_C(1) << i;
    return set;
}

/* Which arrays what instruction `at` writes may be the address of. */
static uint64_t made_from(const struct search *search, uint32_t at)
{
    const struct instruction *instruction = &search->kernel->code[at];
    const struct web_list *list = &search->webs;
    uint64_t arrays = instruction->opcode->shape <= SHAPE_ADDRESS ? 0 : UNKNOWN;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind == OPERAND_ARRAY && operand->space == SPACE_SHARED)
            arrays |= set_of(search, operand->symbol);
    }
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
        if (!list->references[i].writes && list->references[i].web != WEB_NONE)
            arrays |= search->arrays[list->references[i].web];
    return arrays;
}

static bool pass(struct search *search)
{
    const struct web_list *list = &search->webs;
    bool changed = false;
    for (uint32_t at = 0; at < search->kernel->code_count; at++) {
        const uint64_t arrays = made_from(search, at);
        for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++) {
            const struct web_reference *reference = &list->references[i];
            if (!reference->writes || reference->web == WEB_NONE)
                continue;
            changed |= (arrays & ~search->arrays[reference->web]) != 0;
            search->arrays[reference->web] |= arrays;
        }
    }
    return changed;
}

/* The arrays that an address may lie in. */
static uint64_t accessed(const struct search *search, uint32_t at, const struct operand *address)
{
    if (address->base_kind == BASE_SHARED)
        return set_of(search, address->symbol);
    if (address->base_kind == BASE_REGISTER) {
        const uint32_t web = web_of(&search->webs, at, address->reg, false);
        const uint64_t arrays = web == WEB_NONE ? 0 : search->arrays[web];
        return arrays == 0 || (arrays & UNKNOWN) ? ALL : arrays;
    }
    return address->base_kind == BASE_NONE || address->base_kind == BASE_PARAMETER ? ALL : 0;
}

static void note_access(struct search *search, uint32_t at, uint64_t arrays)
{
    const struct flow *flow = &search->verified->flow;
    if (search->kernel->code[at].opcode->shape != SHAPE_LOAD) {
        search->stored |= arrays;
        return;
    }
    const bool is_one = arrays != 0 && (arrays & (arrays - 1)) == 0;
    if (!is_one || (search->loaded & arrays) || !flow->nodes[flow->node_of[at]].reachable)
        return;
    search->reader[__builtin_ctzll(arrays)] = at;
    search->loaded |= arrays;
}

static void find_accesses(struct search *search)
{
    for (uint32_t at = 0; at < search->kernel->code_count; at++) {
        const struct instruction *instruction = &search->kernel->code[at];
        const struct semantic *semantic = semantic_at(instruction_semantic(instruction));
        const enum hx_space space = semantic ? semantic->space : SPACE_NONE;
        for (unsigned i = 0; i < instruction->opcode->form_count; i++)
            if (instruction->operands[i].kind == OPERAND_ADDRESS &&
                (space == SPACE_SHARED || space == SPACE_GENERIC || space == SPACE_NONE))
                note_access(search, at, accessed(search, at, &instruction->operands[i]));
    }
}

static hx_status report(const struct search *search, hx_diag *diag)
{
    hx_status status = HX_OK;
    for (uint64_t left = search->loaded & ~search->stored; left; left &= left - 1) {
        const unsigned index = (unsigned)__builtin_ctzll(left);
        const struct array *array = &search->kernel->shared.items[index];
        status = verify_graver(
            status,
            diag_report_noted(
                diag, DIAG_VERIFY_NEVER_STORED, search->kernel->lines[search->reader[index]].place,
                "store to it first; when a block begins, shared memory holds no values", array->place,
                "the array", "'%s' is read here, and nothing in this kernel stores to it", array->name));
    }
    return status;
}

hx_status verify_shared(struct verified_kernel *verified, hx_diag *diag)
{
    const struct array_list *list = &verified->kernel->shared;
    HX_AUTO(search_done) struct search search = {.verified = verified, .kernel = verified->kernel};
    arena_init(&search.arena, verified->arena.allocator);
    if (list->count == 0 || list->count > ARRAYS_MOST)
        return HX_OK;
    const hx_status status = web_list_make(verified, &search.arena, diag, &search.webs);
    if (status != HX_OK)
        return status;
    search.arrays = ARENA_ARRAY(&search.arena, uint64_t, search.webs.web_count);
    if (!search.arrays)
        return diag_no_memory(diag);
    int passes = 0;
    while (pass(&search))
        if (++passes == PASSES_MOST)
            return HX_OK;
    find_accesses(&search);
    return report(&search, diag);
}
