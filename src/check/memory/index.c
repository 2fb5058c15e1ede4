/* Indexes beyond an array's end.
 *
 * Takes notes, leaves findings. Where a member of a structure is an array, an index beyond it reaches another
 * member, or bytes that no access of its own names: only the compiler knows. An access of the same line that
 * leaves its array anyway says more, so a line's indexes are reported when the launch has ended without one.
 */
#include "check/memory/index.h"

#include "base/memory.h"
#include "check/notes.h"
#include "program/program.h"

struct noted {
    uint64_t count, block;
    uint32_t thread; /* the first one in `block`, which is the first */
    bool is_dropped;
};
struct index_notes {
    uint32_t workers, instructions;
    struct noted *items; /* of each worker and instruction */
};

static bool is_index_note(const struct instruction *instruction)
{
    return instruction_semantic(instruction) == SEM_note && instruction->operands[0].bits == NOTE_INDEX;
}

hx_status index_notes_new(hx_checks *checks, uint32_t workers, struct index_notes **ret_notes)
{
    const struct kernel *const code = check_kernel_now(checks);
    const hx_allocator *const allocator = check_allocator(checks);
    bool has_notes = false;
    *ret_notes = NULL;
    for (uint32_t i = 0; i < code->code_count; i++)
        has_notes = has_notes || is_index_note(&code->code[i]);
    if (!has_notes)
        return HX_OK;
    struct index_notes *const notes = memory_allocate(allocator, 1, sizeof *notes);
    if (!notes)
        return HX_NO_MEMORY;
    *notes = (struct index_notes){.workers = workers, .instructions = code->code_count};
    notes->items = memory_allocate(allocator, (size_t)workers * code->code_count, sizeof *notes->items);
    *ret_notes = notes;
    return notes->items ? HX_OK : HX_NO_MEMORY;
}

void index_notes_free(hx_checks *checks, struct index_notes *notes)
{
    if (notes)
        memory_free(check_allocator(checks), notes->items);
    memory_free(check_allocator(checks), notes);
}

static struct noted *noted_at(const struct index_notes *notes, uint32_t worker, uint32_t instruction)
{
    return &notes->items[(size_t)worker * notes->instructions + instruction];
}

/* Keeps the count, and the first place. */
static void add(struct noted *to, uint64_t count, uint64_t block, uint32_t thread)
{
    if (to->count == 0 || block < to->block || (block == to->block && thread < to->thread)) {
        to->block = block;
        to->thread = thread;
    }
    to->count += count;
}

void index_note(struct index_notes *notes, const hx_lanes_event *event)
{
    if (notes && event->value == NOTE_INDEX && event->lanes)
        add(noted_at(notes, event->at.worker, event->at.instruction),
            (uint64_t)__builtin_popcountll(event->lanes), event->at.block,
            event->at.first_thread + (uint32_t)__builtin_ctzll(event->lanes));
}

void index_notes_drop(struct index_notes *notes, uint32_t worker, uint32_t instruction)
{
    if (notes)
        noted_at(notes, worker, instruction)->is_dropped = true;
}

static void describe(void *user, const struct check_finding *finding, struct check_words *words)
{
    (void)user;
    (void)finding;
    text_print(&words->message, "an index is beyond the end of an array");
    text_print(&words->hint,
               "the array has fewer elements, as its declaration says; what lies behind them is "
               "another member or variable, or nobody's");
}

static bool is_dropped(const struct index_notes *notes, const struct check_code *code, uint32_t instruction)
{
    for (uint32_t i = 0; i < notes->instructions; i++)
        for (uint32_t worker = 0; worker < notes->workers; worker++)
            if (noted_at(notes, worker, i)->is_dropped &&
                code->lines[i].line == code->lines[instruction].line)
                return true;
    return false;
}

void index_notes_report(hx_checks *checks, const struct index_notes *notes)
{
    const struct check_launch *const launch = check_launch_now(checks);
    for (uint32_t i = 0; notes && i < notes->instructions; i++) {
        struct noted all = {0};
        for (uint32_t worker = 0; worker < notes->workers; worker++) {
            const struct noted *const one = noted_at(notes, worker, i);
            if (one->count)
                add(&all, one->count, one->block, one->thread);
        }
        if (all.count == 0 || is_dropped(notes, launch->code, i))
            continue;
        const struct check_finding finding = {.kind = CHECK_MEMORY_LEAVES_ARRAY,
                                              .sites = {{.launch = launch,
                                                         .instruction = i,
                                                         .thread = all.thread,
                                                         .block = all.block,
                                                         .role = "index"}},
                                              .site_count = 1,
                                              .count = all.count,
                                              .describe = describe};
        check_found(checks, &finding);
    }
}
