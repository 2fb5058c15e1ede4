/* Patterns in the code that hints are about.
 *
 * Takes a kernel, leaves for each instruction which loop it only counts, which run of guarded instructions it
 * is in, and whether its value goes through shared memory. Code is read in its order, without following
 * branches: what is found is found in the usual forms alone, and a hint that is missed does no harm. */
#include "profile/patterns.h"

#include "semantics/semantics.h"
#include "verify/flow.h"

static bool writes(const struct instruction *instruction, bool predicate, unsigned number)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes && accesses[i].predicate == predicate && number >= accesses[i].first &&
            number < (unsigned)accesses[i].first + accesses[i].registers)
            return true;
    return false;
}

static bool is_label(const struct kernel *code, uint32_t pc)
{
    for (size_t i = 0; i < code->label_count; i++)
        if (code->labels[i].target == pc)
            return true;
    return false;
}

/* ---- Loops --------------------------------------------------------------------------------------------- */

/* The instruction that a branch or loop goes to; FLOW_NONE for any other. */
static uint32_t target_of(const struct kernel *code, uint32_t pc)
{
    const int semantic = verify_flow_semantic(&code->code[pc]);
    return semantic == SEM_branch || semantic == SEM_loop ? verify_flow_target(code, &code->code[pc])
                                                          : FLOW_NONE;
}

static void claim(struct profile_pattern *patterns, uint32_t pc, uint32_t loop)
{
    if (!patterns[pc].loop)
        patterns[pc].loop = loop + 1;
}

/* A loop: its instructions from `first` to the branch that jumps back. */
struct loop {
    const struct kernel *code;
    uint32_t first, last;
    struct profile_pattern *patterns;
};

/* Does an instruction of the loop but `pc` write the register? */
static bool is_written(const struct loop *loop, uint32_t pc, uint8_t reg)
{
    for (uint32_t i = loop->first; i <= loop->last; i++)
        if (i != pc && writes(&loop->code->code[i], false, reg))
            return true;
    return false;
}

/* d := d + step, the one write of d in the loop, and a step that stays the same. */
static bool is_count(const struct loop *loop, uint32_t pc)
{
    const struct instruction *one = &loop->code->code[pc];
    const int semantic = instruction_semantic(one);
    const struct operand *d = &one->operands[0], *a = &one->operands[1], *b = &one->operands[2];
    return (semantic == SEM_add || semantic == SEM_sub) && one->guard < 0 && d->kind == OPERAND_REGISTER &&
           a->kind == OPERAND_REGISTER && a->reg == d->reg && !is_written(loop, pc, d->reg) &&
           (b->kind != OPERAND_REGISTER || (b->reg != d->reg && !is_written(loop, UINT32_MAX, b->reg)));
}

/* Does the comparison read what the loop counts? */
static bool compares_count(const struct loop *loop, const struct instruction *comparison)
{
    for (uint32_t pc = loop->first; pc < loop->last; pc++)
        for (unsigned i = 0; i < FORM_COUNT_MAX && is_count(loop, pc); i++)
            if (comparison->operands[i].kind == OPERAND_REGISTER &&
                comparison->operands[i].reg == loop->code->code[pc].operands[0].reg)
                return true;
    return false;
}

/* A branch that is decided by what the loop counts, and the comparison that decides it. */
static bool claim_branch(const struct loop *loop, uint32_t branch)
{
    const struct instruction *code = loop->code->code;
    for (uint32_t pc = branch; code[branch].guard >= 0 && pc > loop->first; pc--) {
        if (!writes(&code[pc - 1], true, (unsigned)code[branch].guard))
            continue;
        if (code[pc - 1].opcode->shape != SHAPE_COMPARE || !compares_count(loop, &code[pc - 1]))
            return false;
        claim(loop->patterns, pc - 1, loop->last);
        claim(loop->patterns, branch, loop->last);
        return true;
    }
    return false;
}

/* One that jumps back whatever happens is left by another branch. */
static bool claim_branches(const struct loop *loop)
{
    const struct instruction *back = &loop->code->code[loop->last];
    bool any = verify_flow_semantic(back) == SEM_loop;
    if (back->guard >= 0)
        return claim_branch(loop, loop->last) || any;
    for (uint32_t pc = loop->first; pc < loop->last; pc++) {
        const uint32_t target = target_of(loop->code, pc);
        if (target != FLOW_NONE && target > loop->last)
            any |= claim_branch(loop, pc);
    }
    return any;
}

static void claim_loop(const struct loop *loop)
{
    if (!claim_branches(loop))
        return;
    claim(loop->patterns, loop->last, loop->last);
    for (uint32_t pc = loop->first; pc < loop->last; pc++)
        if (is_count(loop, pc))
            claim(loop->patterns, pc, loop->last);
}

/* The innermost loops alone: what counts an outer one is seldom issued. */
static void find_loops(const struct kernel *code, struct profile_pattern *patterns)
{
    uint32_t behind = 0; /* the branch of the loop before */
    for (uint32_t pc = 0; pc < code->code_count; pc++) {
        const uint32_t target = target_of(code, pc);
        if (target == FLOW_NONE || target > pc)
            continue;
        if (target >= behind)
            claim_loop(&(struct loop){code, target, pc, patterns});
        behind = pc + 1;
    }
}

/* ---- Guards -------------------------------------------------------------------------------------------- */

/* Under the guard of the instruction before, and only behind it? */
static bool continues_run(const struct kernel *code, uint32_t pc)
{
    const struct instruction *one = &code->code[pc], *before = one - 1;
    return pc > 0 && one->guard == before->guard && one->guard_negated == before->guard_negated &&
           !writes(before, true, (unsigned)one->guard) && !is_label(code, pc);
}

static void find_runs(const struct kernel *code, struct profile_pattern *patterns)
{
    for (uint32_t pc = 0; pc < code->code_count; pc++)
        if (code->code[pc].guard >= 0 && verify_flow_semantic(&code->code[pc]) == SEMANTIC_NONE)
            patterns[pc].run =
                continues_run(code, pc) && patterns[pc - 1].run ? patterns[pc - 1].run : pc + 1;
}

/* ---- Shared memory ------------------------------------------------------------------------------------- */

static bool accesses(const struct instruction *instruction, enum semantic_shape shape, enum hx_space space)
{
    return instruction->opcode->shape == shape && instruction->opcode->space == space;
}

/* The register that a load fills or a store reads; -1: it stores a number. */
static int moved_register(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->operands[i].kind == OPERAND_REGISTER)
            return instruction->operands[i].reg;
    return -1;
}

static bool goes_to_shared(const struct kernel *code, uint32_t pc)
{
    const int moved = moved_register(&code->code[pc]);
    for (uint32_t i = pc + 1; moved >= 0 && i < code->code_count; i++) {
        const struct instruction *one = &code->code[i];
        if (accesses(one, SHAPE_STORE, SPACE_SHARED) && moved_register(one) == moved)
            return true;
        if (writes(one, false, (unsigned)moved))
            return false;
    }
    return false;
}

static bool comes_from_shared(const struct kernel *code, uint32_t pc)
{
    const int moved = moved_register(&code->code[pc]);
    for (uint32_t i = pc; moved >= 0 && i > 0; i--)
        if (writes(&code->code[i - 1], false, (unsigned)moved))
            return accesses(&code->code[i - 1], SHAPE_LOAD, SPACE_SHARED);
    return false;
}

void patterns_find(const struct kernel *code, struct profile_pattern *patterns)
{
    find_loops(code, patterns);
    find_runs(code, patterns);
    for (uint32_t pc = 0; pc < code->code_count; pc++)
        patterns[pc].through_shared =
            (accesses(&code->code[pc], SHAPE_LOAD, SPACE_GLOBAL) && goes_to_shared(code, pc)) ||
            (accesses(&code->code[pc], SHAPE_STORE, SPACE_GLOBAL) && comes_from_shared(code, pc));
}
