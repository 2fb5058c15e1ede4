/* Shuffles from lanes that their own guard leaves out.
 *
 * Takes the webs of a kernel, leaves warnings. Where the guard compares something that is known for each lane
 * of the first warp (its number, a literal, arithmetic on them), and so are the lanes that are read, each
 * lane is checked. Values are followed back to the instruction that wrote them as long as there is only one.
 * A distance that changes from turn to turn, as in a tree of sums, is tried as each power of two, if the
 * guard compares with it as well. Nothing is reported of what is not known. */
#include "verify/checks.h"
#include "verify/webs.h"

/* `--warp-size` is not known here, and GPUs have no other. */
#define WARP_LANES 32u
/* Instructions that a value is followed back over, one behind the other. */
#define STEPS_MOST 6

struct shuffles {
    const struct verified_kernel *verified;
    const struct kernel *kernel;
    struct web_list webs;
    uint32_t *writer; /* of each web; FLOW_NONE or MANY */
    struct guess {
        uint32_t first, last, reg, value;
    } guess; /* in instructions first to last the register holds the value; first > last: there is none */
    struct arena arena;
    hx_diag *diag;
};
#define MANY (FLOW_NONE - 1)

struct lanes {
    uint32_t of[WARP_LANES];
};

static void shuffles_done(struct shuffles *shuffles)
{
    arena_done(&shuffles->arena);
}

static bool is_guarded_shuffle(const struct instruction *instruction)
{
    return instruction->opcode->shape == SHAPE_SHUFFLE && instruction->guard >= 0;
}

static bool has_any(const struct kernel *kernel)
{
    for (uint32_t at = 0; at < kernel->code_count; at++)
        if (is_guarded_shuffle(&kernel->code[at]))
            return true;
    return false;
}

/* ---- What each lane's value is ------------------------------------------------------------------------- */

static void find_writers(struct shuffles *shuffles)
{
    const struct web_list *list = &shuffles->webs;
    for (uint32_t w = 0; w < list->web_count; w++)
        shuffles->writer[w] = FLOW_NONE;
    for (uint32_t at = 0; at < shuffles->kernel->code_count; at++)
        for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
            if (list->references[i].writes && list->references[i].web != WEB_NONE) {
                uint32_t *writer = &shuffles->writer[list->references[i].web];
                *writer = *writer == FLOW_NONE ? at : MANY;
            }
}

/* The only instruction that writes what instruction `at` reads of `member`, and always writes it; FLOW_NONE.
 */
static uint32_t find_writer(const struct shuffles *shuffles, uint32_t at, uint32_t member)
{
    const uint32_t web = web_of(&shuffles->webs, at, member, false);
    if (web == WEB_NONE || shuffles->webs.webs[web].zeroed || shuffles->writer[web] >= MANY ||
        shuffles->kernel->code[shuffles->writer[web]].guard >= 0)
        return FLOW_NONE;
    return shuffles->writer[web];
}

/* NULL where the instruction has no operand of this letter. */
static const struct operand *find_operand(const struct instruction *instruction, enum semantic_operand letter)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->opcode->forms[i].letter == letter && instruction->operands[i].kind != OPERAND_ABSENT)
            return &instruction->operands[i];
    return NULL;
}

/* Is %tid.x of the first warp the lane's number in every launch? */
static bool has_rows_of_warps(const struct shuffles *shuffles)
{
    const hx_program *program = shuffles->verified->program;
    for (size_t i = 0; i < program->step_count; i++) {
        const struct launch_step *step = &program->steps[i];
        if (step->kernel == shuffles->kernel && step->block[0] < WARP_LANES &&
            (step->block[1] > 1 || step->block[2] > 1))
            return false;
    }
    return true;
}

static bool compute(const struct instruction *instruction, uint32_t a, uint32_t b, uint32_t *ret_value)
{
    switch (instruction_semantic(instruction)) {
    case SEM_add:
        *ret_value = a + b;
        return true;
    case SEM_sub:
        *ret_value = a - b;
        return true;
    case SEM_mul:
        *ret_value = a * b;
        return true;
    case SEM_and:
        *ret_value = a & b;
        return true;
    case SEM_or:
        *ret_value = a | b;
        return true;
    case SEM_xor:
        *ret_value = a ^ b;
        return true;
    case SEM_shl:
        *ret_value = b < 32 ? a << b : 0;
        return true;
    case SEM_shr:
        *ret_value = b < 32 ? a >> b : 0;
        return instruction->type == HX_TYPE_U32;
    default:
        return false;
    }
}

static bool find_lanes(const struct shuffles *shuffles, uint32_t at, const struct operand *operand, int steps,
                       struct lanes *ret_lanes);

static bool compute_lanes(const struct shuffles *shuffles, uint32_t at, int steps, struct lanes *ret_lanes)
{
    const struct instruction *instruction = &shuffles->kernel->code[at];
    const struct operand *a = find_operand(instruction, OPERAND_A), *b = find_operand(instruction, OPERAND_B);
    if (type_bits(instruction->type) != 32 || !a || steps == 0)
        return false;
    if (instruction_semantic(instruction) == SEM_mov)
        return find_lanes(shuffles, at, a, steps - 1, ret_lanes);
    struct lanes left, right;
    if (instruction->opcode->shape > SHAPE_SHIFT || !b || !find_lanes(shuffles, at, a, steps - 1, &left) ||
        !find_lanes(shuffles, at, b, steps - 1, &right))
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        if (!compute(instruction, left.of[lane], right.of[lane], &ret_lanes->of[lane]))
            return false;
    return true;
}

/* What an operand of instruction `at` is in each lane of the first warp. */
static bool find_lanes(const struct shuffles *shuffles, uint32_t at, const struct operand *operand, int steps,
                       struct lanes *ret_lanes)
{
    const bool is_lane = operand->kind == OPERAND_SPECIAL &&
                         (operand->symbol == SPECIAL_LANEID ||
                          (operand->symbol == SPECIAL_TID_X && has_rows_of_warps(shuffles)));
    const struct guess *guess = &shuffles->guess;
    const bool is_guessed = operand->kind == OPERAND_REGISTER && operand->reg == guess->reg &&
                            at >= guess->first && at <= guess->last;
    if (operand->kind == OPERAND_REGISTER && !is_guessed) {
        const uint32_t writer = find_writer(shuffles, at, operand->reg);
        return writer != FLOW_NONE && compute_lanes(shuffles, writer, steps, ret_lanes);
    }
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        ret_lanes->of[lane] = is_lane ? lane : is_guessed ? guess->value : (uint32_t)operand->bits;
    return is_lane || is_guessed || operand->kind == OPERAND_IMMEDIATE;
}

/* ---- Which lanes the guard lets through ---------------------------------------------------------------- */

/* False where it is no comparison of numbers. */
static bool compare(int semantic, int64_t a, int64_t b, bool *ret_holds)
{
    switch (semantic) {
    case SEM_setp_eq:
        *ret_holds = a == b;
        return true;
    case SEM_setp_ne:
        *ret_holds = a != b;
        return true;
    case SEM_setp_lt:
        *ret_holds = a < b;
        return true;
    case SEM_setp_le:
        *ret_holds = a <= b;
        return true;
    case SEM_setp_gt:
        *ret_holds = a > b;
        return true;
    case SEM_setp_ge:
        *ret_holds = a >= b;
        return true;
    default:
        return false;
    }
}

/* Does it write one predicate, and read none? */
static bool is_plain_comparison(const struct instruction *instruction)
{
    unsigned predicates = 0;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        predicates += instruction->operands[i].kind == OPERAND_PREDICATE;
    return instruction->opcode->shape == SHAPE_COMPARE && predicates == 1 &&
           (instruction->type == HX_TYPE_U32 || instruction->type == HX_TYPE_I32);
}

/* A bit for each lane of the first warp that does instruction `at`. */
static bool find_active(const struct shuffles *shuffles, uint32_t at, uint32_t *ret_active)
{
    const struct instruction *guarded = &shuffles->kernel->code[at];
    const uint32_t writer = find_writer(shuffles, at, REGISTER_COUNT + (uint32_t)guarded->guard);
    if (writer == FLOW_NONE || !is_plain_comparison(&shuffles->kernel->code[writer]))
        return false;
    const struct instruction *comparison = &shuffles->kernel->code[writer];
    const struct operand *a = find_operand(comparison, OPERAND_A), *b = find_operand(comparison, OPERAND_B);
    const bool is_signed = comparison->type == HX_TYPE_I32;
    struct lanes left, right;
    if (!a || !b || !find_lanes(shuffles, writer, a, STEPS_MOST, &left) ||
        !find_lanes(shuffles, writer, b, STEPS_MOST, &right))
        return false;
    uint32_t holding = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        const uint32_t x = left.of[lane], y = right.of[lane];
        bool holds;
        if (!compare(instruction_semantic(comparison), is_signed ? (int32_t)x : (int64_t)x,
                     is_signed ? (int32_t)y : (int64_t)y, &holds))
            return false;
        holding |= (uint32_t)holds << lane;
    }
    *ret_active = guarded->guard_negated ? ~holding : holding;
    return true;
}

/* ---- Which lane each lane reads ------------------------------------------------------------------------ */

/* PTX ISA, shfl.sync: c holds a bound and, from bit 8 on, the bits of a lane's number that say its segment. A
 * lane whose source is out of range reads itself. */
static uint32_t source_of(int semantic, uint32_t lane, uint32_t b, uint32_t c)
{
    const uint32_t distance = b % WARP_LANES, segment = c >> 8 & (WARP_LANES - 1);
    const uint32_t first = lane & segment, last = first | (c & (WARP_LANES - 1) & ~segment);
    if (semantic == SEM_shfl_up)
        return lane >= distance && lane - distance >= last ? lane - distance : lane;
    const uint32_t from = semantic == SEM_shfl_down   ? lane + distance
                          : semantic == SEM_shfl_bfly ? lane ^ distance
                                                      : first | (distance & ~segment);
    return from <= last ? from : lane;
}

static bool find_sources(const struct shuffles *shuffles, uint32_t at, struct lanes *ret_sources)
{
    const struct instruction *instruction = &shuffles->kernel->code[at];
    const int semantic = instruction_semantic(instruction);
    const struct operand *b = find_operand(instruction, OPERAND_B), *c = find_operand(instruction, OPERAND_C);
    struct lanes distances, bounds;
    if (!b || !find_lanes(shuffles, at, b, STEPS_MOST, &distances) ||
        (c && !find_lanes(shuffles, at, c, STEPS_MOST, &bounds)))
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        const uint32_t whole = semantic == SEM_shfl_up ? 0 : WARP_LANES - 1;
        ret_sources->of[lane] = source_of(semantic, lane, distances.of[lane], c ? bounds.of[lane] : whole);
    }
    return true;
}

/* ---- What is reported ---------------------------------------------------------------------------------- */

enum finding { UNKNOWN, FINE, LEFT_OUT };

/* LEFT_OUT: *ret_lane reads *ret_source, which the guard keeps from the shuffle. */
static enum finding examine(const struct shuffles *shuffles, uint32_t at, uint32_t *ret_lane,
                            uint32_t *ret_source)
{
    uint32_t active;
    struct lanes sources;
    if (!find_active(shuffles, at, &active) || !find_sources(shuffles, at, &sources))
        return UNKNOWN;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        *ret_lane = lane;
        *ret_source = sources.of[lane];
        if ((active >> lane & 1) && !(active >> sources.of[lane] & 1))
            return LEFT_OUT;
    }
    return FINE;
}

/* From the guard's comparison to shuffle `at` the register of its distance must hold one value. */
static bool may_guess(const struct shuffles *shuffles, uint32_t at, struct guess *ret_guess)
{
    const struct instruction *shuffle = &shuffles->kernel->code[at];
    const struct flow *flow = &shuffles->verified->flow;
    const struct operand *b = find_operand(shuffle, OPERAND_B);
    const uint32_t compared = find_writer(shuffles, at, REGISTER_COUNT + (uint32_t)shuffle->guard);
    if (!b || b->kind != OPERAND_REGISTER || compared == FLOW_NONE || compared > at ||
        flow->node_of[compared] != flow->node_of[at])
        return false;
    for (uint32_t i = compared; i < at; i++)
        if (web_of(&shuffles->webs, i, b->reg, true) != WEB_NONE)
            return false;
    *ret_guess = (struct guess){.first = compared, .last = at, .reg = b->reg};
    return web_of(&shuffles->webs, compared, b->reg, false) != WEB_NONE;
}

static enum finding examine_guesses(struct shuffles *shuffles, uint32_t at, uint32_t *ret_lane,
                                    uint32_t *ret_source)
{
    enum finding finding = UNKNOWN;
    struct guess guess;
    if (!may_guess(shuffles, at, &guess))
        return UNKNOWN;
    for (guess.value = WARP_LANES / 2; guess.value > 0; guess.value /= 2) {
        shuffles->guess = guess;
        finding = examine(shuffles, at, ret_lane, ret_source);
        if (finding != LEFT_OUT)
            break;
    }
    shuffles->guess = (struct guess){.first = 1};
    return finding;
}

static hx_status check_shuffle(struct shuffles *shuffles, uint32_t at)
{
    const struct instruction *shuffle = &shuffles->kernel->code[at];
    const struct place place = shuffles->kernel->lines[at].place;
    const char *cure = "shuffle without the guard, and put the guard on what uses the result";
    uint32_t lane, source;
    const enum finding finding = examine(shuffles, at, &lane, &source);
    if (finding == LEFT_OUT)
        return diag_report(shuffles->diag, DIAG_VERIFY_SHUFFLE, place, cure,
                           "lane %u reads lane %u, which guard p%d keeps from this shuffle", lane, source,
                           shuffle->guard);
    if (finding == FINE || examine_guesses(shuffles, at, &lane, &source) != LEFT_OUT)
        return HX_OK;
    return diag_report(
        shuffles->diag, DIAG_VERIFY_SHUFFLE, place, cure,
        "lane %u reads lane %u when the distance is 1, and guard p%d keeps that lane from this "
        "shuffle; it is so at every distance",
        lane, source, shuffle->guard);
}

hx_status verify_shuffles(struct verified_kernel *verified, hx_diag *diag)
{
    const struct flow *flow = &verified->flow;
    const struct kernel *kernel = verified->kernel;
    HX_AUTO(shuffles_done)
    struct shuffles shuffles = {.verified = verified, .kernel = kernel, .guess = {.first = 1}, .diag = diag};
    arena_init(&shuffles.arena, verified->arena.allocator);
    if (!has_any(kernel))
        return HX_OK;
    hx_status status = web_list_make(verified, &shuffles.arena, diag, &shuffles.webs);
    if (status != HX_OK)
        return status;
    shuffles.writer = ARENA_ARRAY(&shuffles.arena, uint32_t, shuffles.webs.web_count);
    if (!shuffles.writer)
        return diag_no_memory(diag);
    find_writers(&shuffles);
    for (uint32_t at = 0; at < kernel->code_count && status != HX_NO_MEMORY; at++)
        if (is_guarded_shuffle(&kernel->code[at]) && flow->nodes[flow->node_of[at]].reachable)
            status = verify_graver(status, check_shuffle(&shuffles, at));
    return status;
}
