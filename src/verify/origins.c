/* From which array an address in a register is made.
 *
 * Takes the webs of a kernel, leaves for each access the one array that the register of its address was made
 * from. An address goes on through moves, changes of its space, and sums of it and a number. What is loaded
 * counts as a number: an index, mostly. Everything else that is made of an address, the difference of two
 * too, and what is one array's address on one way and another's on the next, is unknown, and stays so.
 *
 * Values only ever go from "not seen" to an array or a number, and from these to unknown, so the passes end.
 */
#include "verify/origins.h"

/* What a web is made from; else ARRAYS and more: an array and its space. */
enum { NOT_SEEN, NUMBER, UNKNOWN, ARRAYS };
#define SPACES 8u /* more than there are */

struct origins {
    const struct web_list *webs;
    const struct kernel *kernel;
    uint32_t *of_web;
};

static uint32_t of_array(int space, unsigned array)
{
    return ARRAYS + array * SPACES + (uint32_t)space;
}

/* On one way the first, on another the second. */
static uint32_t either(uint32_t a, uint32_t b)
{
    return a == NOT_SEEN ? b : b == NOT_SEEN || a == b ? a : UNKNOWN;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    if (a == NOT_SEEN || b == NOT_SEEN)
        return NOT_SEEN;
    return a == NUMBER ? b : b == NUMBER ? a : UNKNOWN;
}

static uint32_t difference(uint32_t a, uint32_t b)
{
    if (a == NOT_SEEN || b == NOT_SEEN)
        return NOT_SEEN;
    return b == NUMBER ? a : UNKNOWN;
}

/* Of any other operation. */
static uint32_t mixed(uint32_t a, uint32_t b)
{
    if (a == NOT_SEEN || b == NOT_SEEN)
        return NOT_SEEN;
    return a == NUMBER && b == NUMBER ? NUMBER : UNKNOWN;
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static uint32_t of_register(const struct origins *origins, uint32_t at, uint32_t member)
{
    const uint32_t web = web_of(origins->webs, at, member, false);
    return web == WEB_NONE ? NUMBER : origins->of_web[web];
}

static uint32_t of_address(const struct origins *origins, uint32_t at, const struct operand *address)
{
    uint32_t origin = address->base_kind == BASE_REGISTER   ? of_register(origins, at, address->reg)
                      : address->base_kind == BASE_SHARED   ? of_array(SPACE_SHARED, address->symbol)
                      : address->base_kind == BASE_LOCAL    ? of_array(SPACE_LOCAL, address->symbol)
                      : address->base_kind == BASE_CONSTANT ? of_array(SPACE_CONSTANT, address->symbol)
                                                            : (uint32_t)NUMBER;
    return address->index_kind == INDEX_NONE ? origin
                                             : sum(origin, of_register(origins, at, address->index_reg));
}

static uint32_t of_operand(const struct origins *origins, uint32_t at, unsigned index)
{
    const struct instruction *const instruction = &origins->kernel->code[at];
    const struct operand *const operand = &instruction->operands[index];
    if (index >= instruction->opcode->form_count)
        return NUMBER;
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return of_register(origins, at, operand->reg);
    case OPERAND_ARRAY:
        return of_array(operand->space, operand->symbol);
    case OPERAND_ADDRESS:
        return of_address(origins, at, operand);
    default:
        return NUMBER;
    }
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

static uint32_t of_others(const struct origins *origins, uint32_t at)
{
    const struct instruction *const instruction = &origins->kernel->code[at];
    uint32_t all = NUMBER;
    for (unsigned i = 1; i < instruction->opcode->form_count; i++)
        all = mixed(all, of_operand(origins, at, i));
    return all;
}

/* What the instruction's result is made from; its operands are d, a, b, c. */
static uint32_t made_from(const struct origins *origins, uint32_t at)
{
    const struct instruction *const instruction = &origins->kernel->code[at];
    const uint32_t a = of_operand(origins, at, 1), b = of_operand(origins, at, 2);
    if (shape_is_memory(instruction->opcode->shape))
        return NUMBER;
    switch (instruction_semantic(instruction)) {
    case SEM_mov:
    case SEM_cvt:
    case SEM_cvta_shared:
    case SEM_cvta_local:
    case SEM_cvta_const:
    case SEM_cvta_to_shared:
    case SEM_cvta_to_local:
    case SEM_cvta_to_const:
    case SEM_address:
        return a;
    case SEM_add:
    case SEM_or: /* compilers write so what has no carries */
        return sum(a, b);
    case SEM_sub:
        return difference(a, b);
    case SEM_mad:
    case SEM_madw:
        return sum(mixed(a, b), of_operand(origins, at, 3));
    case SEM_sel:
        return either(a, b);
    default:
        return of_others(origins, at);
    }
}

static bool pass(struct origins *origins)
{
    const struct web_list *const webs = origins->webs;
    bool changed = false;
    for (uint32_t at = 0; at < origins->kernel->code_count; at++) {
        const uint32_t made = made_from(origins, at);
        for (uint32_t i = webs->first[at]; i < webs->first[at + 1]; i++) {
            const struct web_reference *const reference = &webs->references[i];
            if (!reference->writes || reference->web == WEB_NONE)
                continue;
            uint32_t *const of_web = &origins->of_web[reference->web];
            const uint32_t now = either(*of_web, made);
            changed |= now != *of_web;
            *of_web = now;
        }
    }
    return changed;
}

static struct array_origin origin_of(const struct origins *origins, uint32_t at)
{
    const struct instruction *const instruction = &origins->kernel->code[at];
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const uint32_t made = instruction->operands[i].kind == OPERAND_ADDRESS
                                  ? of_address(origins, at, &instruction->operands[i])
                                  : (uint32_t)NUMBER;
        if (made >= ARRAYS)
            return (struct array_origin){(uint8_t)((made - ARRAYS) % SPACES),
                                         (uint16_t)((made - ARRAYS) / SPACES)};
    }
    return (struct array_origin){SPACE_NONE, 0};
}

hx_status origins_find(const struct web_list *webs, struct arena *arena, hx_diag *diag,
                       struct array_origin **ret_origins)
{
    struct origins origins = {.webs = webs, .kernel = webs->verified->kernel};
    struct array_origin *const found =
        ARENA_ARRAY(arena, struct array_origin, (size_t)origins.kernel->code_count + 1);
    origins.of_web = ARENA_ARRAY(arena, uint32_t, (size_t)webs->web_count + 1);
    if (!found || !origins.of_web)
        return diag_no_memory(diag);
    while (pass(&origins))
        ;
    for (uint32_t at = 0; at < origins.kernel->code_count; at++)
        if (shape_is_memory(origins.kernel->code[at].opcode->shape))
            found[at] = origin_of(&origins, at);
    *ret_origins = found;
    return HX_OK;
}
