/* What of launches may come out otherwise on a GPU.
 *
 * Takes how often each instruction was executed, leaves an entry for each kernel and form of an opcode whose
 * result PTX does not fix bit by bit. */
#include "asm/asm.h"
#include "exec/kernel.h"
#include "hexec/launch.h"
#include "hexec/listener.h"
#include "program/program.h"

#include <string.h>

struct entry {
    hx_fidelity_use use;
    uint32_t last; /* 1 + the last instruction that was counted in `instructions` */
};
struct hx_fidelity_log {
    const hx_allocator *allocator;
    hx_listener listener;
    const struct kernel *code; /* of the launch that runs */
    struct arena arena;        /* texts */
    LIST(struct entry) entries;
    bool has_lost;
};

static struct entry *find(struct hx_fidelity_log *log, const char *kernel, const char *form)
{
    for (size_t i = 0; i < log->entries.count; i++)
        if (strcmp(log->entries.items[i].use.kernel, kernel) == 0 &&
            strcmp(log->entries.items[i].use.form, form) == 0)
            return &log->entries.items[i];
    return NULL;
}

static const char *keep(struct hx_fidelity_log *log, const char *text)
{
    return arena_copy(&log->arena, text, strlen(text));
}

/* NULL: no memory. */
static struct entry *add(struct hx_fidelity_log *log, uint32_t index, const char *form)
{
    const hx_fidelity_rule *const rule = instruction_fidelity(&log->code->code[index]);
    const struct place place = log->code->lines[index].place;
    const char *const file = place.source && place.source->name ? keep(log, place.source->name) : NULL;
    const struct entry made = {.use = {.size = sizeof made.use,
                                       .kernel = keep(log, log->code->name),
                                       .form = keep(log, form),
                                       .fidelity = rule->result,
                                       .error = keep(log, rule->error),
                                       .why = keep(log, rule->why),
                                       .file = file,
                                       .line = place.line > 0 ? (uint32_t)place.line : 0}};
    const bool has_texts = made.use.kernel && made.use.form && made.use.error && made.use.why;
    return has_texts && LIST_PUSH(log->allocator, &log->entries, made)
               ? &log->entries.items[log->entries.count - 1]
               : NULL;
}

static void count(struct hx_fidelity_log *log, uint32_t index, uint64_t lanes)
{
    struct text form HX_AUTO(text_done) = {.allocator = log->allocator};
    disassemble_form(&log->code->code[index], &form);
    struct entry *entry = form.failed ? NULL : find(log, log->code->name, form.at);
    if (!entry && (form.failed || !(entry = add(log, index, form.at)))) {
        log->has_lost = true;
        return;
    }
    if (index >= entry->last) { /* another launch begins with the first again */
        entry->use.instructions++;
        entry->last = index + 1;
    }
    entry->use.lanes += lanes;
}

static hx_status begin(void *user, const hx_launch_begin *event)
{
    struct hx_fidelity_log *const log = user;
    log->code = kernel_code(event->kernel);
    return HX_OK;
}

static void end(void *user, const hx_launch_end *event)
{
    struct hx_fidelity_log *const log = user;
    for (uint32_t i = 0; event->counts && i < event->instructions && i < log->code->code_count; i++) {
        const hx_fidelity fidelity = instruction_fidelity(&log->code->code[i])->result;
        if (event->counts[i].lanes && (fidelity == HX_FIDELITY_WITHIN || fidelity == HX_FIDELITY_OPEN))
            count(log, i, event->counts[i].lanes);
    }
    log->code = NULL;
}

hx_status hx_fidelity_log_new(const hx_allocator *allocator, hx_diag *diag, hx_fidelity_log **ret_log)
{
    DIAG_REQUIRE(diag, ret_log);
    struct hx_fidelity_log *const log = memory_allocate(allocator, 1, sizeof *log);
    if (!log)
        return diag_no_memory(diag);
    log->allocator = allocator;
    arena_init(&log->arena, allocator);
    log->listener = (hx_listener){.size = sizeof log->listener,
                                  .events = HX_EVENT_LAUNCH | HX_EVENT_COUNTS,
                                  .user = log,
                                  .begin = begin,
                                  .end = end};
    *ret_log = log;
    return HX_OK;
}

void hx_fidelity_log_free(hx_fidelity_log *log)
{
    if (!log)
        return;
    LIST_DONE(log->allocator, &log->entries);
    arena_done(&log->arena);
    memory_free(log->allocator, log);
}

const hx_listener *hx_fidelity_log_listener(const hx_fidelity_log *log)
{
    return log ? &log->listener : NULL;
}

hx_status hx_fidelity_log_at(const hx_fidelity_log *log, size_t index, hx_fidelity_use *ret_use)
{
    if (!log || !ret_use)
        return HX_INVALID;
    if (log->has_lost)
        return HX_NO_MEMORY;
    if (index >= log->entries.count)
        return HX_INVALID;
    const size_t size = ret_use->size;
    memcpy(ret_use, &log->entries.items[index].use, size && size < sizeof *ret_use ? size : sizeof *ret_use);
    return HX_OK;
}
