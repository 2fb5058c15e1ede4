/* Findings of races.
 *
 * Takes a pair of accesses, leaves a finding with both places, what they access, and what would order them.
 * Which of them came first hangs on the schedule, so the order of places does not: it is that of the code. */
#include "check/race/objects.h"
#include "check/race/race.h"
#include "check/race/updates.h"

#include "check/notes.h"
#include "program/program.h"

#include <inttypes.h>
#include <string.h>

/* A pair in the order of its places. */
struct race_words {
    hx_checks *checks;
    const struct race_pair *pair;
    struct race_side sides[2];
    const char *roles[2];
    bool arrives; /* one is a copy in bulk, at its wait */
    struct race_object object;
};

/* ---- Words --------------------------------------------------------------------------------------------- */

static const char *role_of(const struct race_words *words, const struct race_side *side)
{
    const struct instruction *const code = &check_kernel_now(words->checks)->code[side->instruction];
    if (shape_is_atomic(code->opcode->shape))
        return "atomic";
    if (note_is(code, NOTE_HEAP_FREE))
        return "free";
    return side->is_store ? side->is_strong ? "strong store" : "store"
                          : (side->is_strong ? "strong load" : "load");
}

static int line_of(const struct race_words *words, int side)
{
    return check_launch_now(words->checks)->code->lines[words->sides[side].instruction].line;
}

static bool same_warp(const struct race_words *words)
{
    const uint32_t warp = check_launch_now(words->checks)->warp_size;
    return words->sides[0].block == words->sides[1].block &&
           words->sides[0].thread / warp == words->sides[1].thread / warp;
}

static bool block_is_warp(const struct race_words *words)
{
    const struct check_launch *const launch = check_launch_now(words->checks);
    return (uint64_t)launch->block[0] * launch->block[1] * launch->block[2] <= launch->warp_size;
}

/* "between lines 12 and 15" */
static void print_between(struct text *text, const struct race_words *words)
{
    const int a = line_of(words, 0), b = line_of(words, 1);
    if (a == b)
        text_print(text, "between one time and the next of line %d", a);
    else
        text_print(text, "between lines %d and %d", a < b ? a : b, a < b ? b : a);
}

static void print_message(struct text *text, const struct race_words *words, const struct check_words *to)
{
    const char *const a = words->roles[0], *const b = words->roles[1];
    const bool same = words->sides[0].instruction == words->sides[1].instruction;
    if (words->pair->kind == RACE_SAME_VALUE)
        text_print(text, "two threads store the same value, in any order, to ");
    else if (same)
        text_print(text, "%s by two threads that nothing orders, of ", a);
    else
        text_print(text, "%s and %s that nothing orders, of ", a, b);
    race_object_print(text, &words->object, to);
    if (words->pair->kind == RACE_SCOPE)
        text_print(text, ": the threads are in different blocks, and a scope is one block");
    if (words->pair->kind == RACE_OVERLAP)
        text_print(text, ": their bytes overlap, but are not the same");
}

static bool is_update(const struct race_words *words)
{
    const struct check_line *const lines = check_launch_now(words->checks)->code->lines;
    const int store = words->sides[1].is_store;
    return words->sides[0].is_store != words->sides[1].is_store &&
           race_is_update(&lines[words->sides[!store].instruction], &lines[words->sides[store].instruction]);
}

static bool is_free(const struct race_words *words, int side)
{
    return note_is(&check_kernel_now(words->checks)->code[words->sides[side].instruction], NOTE_HEAP_FREE);
}

/* ---- What would order them ----------------------------------------------------------------------------- */

/* What orders threads, as the program's language has it. */
struct cures {
    const char *block, *warp, *add, *lanes;
};

static struct cures cures_of(const struct race_words *words)
{
    static const struct cures assembly = {"a bar.sync", "a warpsync", "a red.add", "lanes of a warp"},
                              ptx = {"a bar.sync", "a bar.warp.sync", "a red.add", "lanes of a warp"},
                              cuda = {"__syncthreads()", "__syncwarp()", "atomicAdd", "lanes of a warp"},
                              of_local = {"barrier(CLK_LOCAL_MEM_FENCE)",
                                          "sub_group_barrier(CLK_LOCAL_MEM_FENCE)", "atomic_add",
                                          "work-items of a sub-group"},
                              of_global = {"barrier(CLK_GLOBAL_MEM_FENCE)",
                                           "sub_group_barrier(CLK_GLOBAL_MEM_FENCE)", "atomic_add",
                                           "work-items of a sub-group"};
    const struct source *const source =
        check_kernel_now(words->checks)->lines[words->sides[0].instruction].place.source;
    const char *const dot = source && source->name ? strrchr(source->name, '.') : NULL;
    switch (check_program_now(words->checks)->language) {
    case LANGUAGE_OPENCL:
        return words->pair->is_shared ? of_local : of_global;
    case LANGUAGE_CUDA:
        return cuda;
    case LANGUAGE_PTX: /* nvcc says which lines of CUDA C it is from */
        return dot && strncmp(dot, ".cu", 3) == 0 ? cuda : ptx;
    default:
        return assembly;
    }
}

/* What would order two that are not strong, or of which one is not. */
static void print_cure(struct text *text, const struct race_words *words)
{
    const struct race_side *const a = &words->sides[0], *const b = &words->sides[1];
    const bool one_store = a->instruction == b->instruction && a->is_store;
    const struct cures cures = cures_of(words);
    if (is_free(words, 0) || is_free(words, 1)) {
        text_print(text, "free the memory where all threads are done with it: ");
        text_print(text, a->block != b->block ? "in a second launch" : "behind %s", cures.block);
        return;
    }
    if (a->block != b->block) {
        if (is_update(words))
            text_print(text, "if all threads change this element, use an atomic (%s); ", cures.add);
        text_print(text, "nothing orders the blocks of a launch: do one of them in a second launch, or use "
                         "atomics with scope gpu, or a flag: fence, atomic store of the flag; atomic load "
                         "of it, fence");
        return;
    }
    if (words->pair->is_passed) {
        text_print(text, "the barrier between them does not order %s memory: give it %s",
                   words->pair->is_shared ? "local" : "global",
                   words->pair->is_shared ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE");
        return;
    }
    if (one_store)
        text_print(text, "give each thread an element of its own, let one thread store, or use an atomic; "
                         "or ");
    else if (is_update(words))
        text_print(text, "if all threads change this element, use an atomic (%s); or ", cures.add);
    const bool are_of_warp = same_warp(words), is_warp = are_of_warp && block_is_warp(words);
    if (is_warp)
        text_print(text, "put %s or %s ", cures.warp, cures.block);
    else
        text_print(text, "put %s ", cures.block);
    print_between(text, words);
    if (is_warp)
        text_print(text, ": %s are ordered by nothing else", cures.lanes);
    else if (are_of_warp) /* other pairs of the finding may be of several */
        text_print(text, ", or %s if only %s share it", cures.warp, cures.lanes);
}

static void print_hint(struct text *text, const struct race_words *words)
{
    const int plain = words->sides[0].is_strong ? 1 : 0;
    const int narrow = words->sides[0].is_wide ? 1 : 0;
    switch (words->pair->kind) {
    case RACE_SAME_VALUE:
        text_print(text, "harmless on today's GPUs; let one thread store, or make it a relaxed store");
        break;
    case RACE_SCOPE:
        text_print(text, "give the %s in line %d the scope gpu", words->roles[narrow],
                   line_of(words, narrow));
        break;
    case RACE_OVERLAP:
        text_print(text, "access these bytes with one size");
        break;
    case RACE_ATOMIC:
        if (!is_free(words, plain))
            text_print(text, "make the %s in line %d an atomic or volatile access; or ", words->roles[plain],
                       line_of(words, plain));
        print_cure(text, words);
        break;
    default:
        print_cure(text, words);
    }
}

/* As the store has it: floats as numbers too, when they are whole. */
static void print_value(struct text *text, const struct race_words *words, uint32_t bits)
{
    const uint32_t at = words->pair->second.instruction;
    float number;
    memcpy(&number, &bits, sizeof number);
    if (check_kernel_now(words->checks)->code[at].type == HX_TYPE_F32 && words->pair->bytes == sizeof number)
        text_print(text, "%.9g (0x%08" PRIx32 ")", (double)number, bits);
    else
        text_print(text, "0x%" PRIx32, bits);
}

static void print_values(struct text *text, const struct race_words *words)
{
    print_value(text, words, words->pair->before);
    text_print(text, " was stored first, then ");
    print_value(text, words, words->pair->after);
}

static void describe(void *user, const struct check_finding *finding, struct check_words *to)
{
    const struct race_words *const words = user;
    (void)finding;
    race_object_fill(words->checks, &words->object, to);
    print_message(&to->message, words, to);
    print_hint(&to->hint, words);
    if (words->arrives)
        text_print(&to->note, "what a copy in bulk writes is there when its thread has waited for it "
                              "(cp.async.bulk.wait_group): what orders other blocks comes behind that");
    else if (words->pair->has_values)
        print_values(&to->note, words);
}

/* ---- Findings ------------------------------------------------------------------------------------------ */

static bool comes_before(const struct race_side *a, const struct race_side *b)
{
    if (a->instruction != b->instruction)
        return a->instruction < b->instruction;
    return a->block != b->block ? a->block < b->block : a->thread < b->thread;
}

void race_report(hx_checks *checks, const struct shared_regions *regions, const struct race_pair *pair,
                 bool arrives)
{
    static const enum check_kind kinds[] = {
        [RACE_SAME_VALUE] = CHECK_RACE_SAME_VALUE, [RACE_WRITE_WRITE] = CHECK_RACE_WRITE_WRITE,
        [RACE_READ_WRITE] = CHECK_RACE_READ_WRITE, [RACE_ATOMIC] = CHECK_RACE_ATOMIC,
        [RACE_SCOPE] = CHECK_RACE_SCOPE,           [RACE_OVERLAP] = CHECK_RACE_OVERLAP,
    };
    /* there is no memory where NULL is: the checker `memory` reports accesses there */
    if (pair->is_shared && pair->address < check_kernel_now(checks)->null_bytes)
        return;
    const bool swap = comes_before(&pair->second, &pair->first);
    struct race_words words = {
        .checks = checks,
        .pair = pair,
        .sides = {swap ? pair->second : pair->first, swap ? pair->first : pair->second},
        .arrives = arrives};
    words.object =
        (struct race_object){.is_shared = pair->is_shared, .address = pair->address, .bytes = pair->bytes};
    race_object_find(checks, regions, &words.object);
    struct check_finding finding = {.kind = kinds[pair->kind],
                                    .site_count = 2,
                                    .is_by_place = true,
                                    .subject = words.object.name[0] ? check_subject(words.object.name) : 0,
                                    .describe = describe,
                                    .user = &words,
                                    .space = pair->is_shared ? SPACE_SHARED : SPACE_GLOBAL,
                                    .address = pair->address,
                                    .bytes = pair->bytes,
                                    .has_values = pair->has_values,
                                    .before = pair->before,
                                    .after = pair->after};
    for (int i = 0; i < 2; i++) {
        words.roles[i] = role_of(&words, &words.sides[i]);
        finding.sites[i] = (struct check_site){.launch = check_launch_now(checks),
                                               .instruction = words.sides[i].instruction,
                                               .block = words.sides[i].block,
                                               .thread = words.sides[i].thread,
                                               .role = words.roles[i]};
    }
    check_found(checks, &finding);
}
