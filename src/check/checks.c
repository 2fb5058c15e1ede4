/* Checks: open, follow a device, close.
 *
 * Takes which checkers are wanted, leaves listeners on a device. The frame itself is the first of them: it
 * numbers launches, copies what reports will say of their kernels, and keeps the list of buffers, freed ones
 * too, which the checkers need. */
#include "base/crc32.h"
#include "base/source_lines.h"
#include "base/text.h"
#include "check/frame.h"
#include "device/device.h"
#include "exec/kernel.h"
#include "verify/flow.h"

#include <string.h>

#define FREED_KEPT 4096 /* freed buffers that are remembered, at least; never twice as many */

static const struct {
    const char *name;
    uint32_t kind;
    hx_status (*open)(hx_checks *checks, hx_diag *diag, struct checker **ret_checker);
} rows[] = {
#define CHECKER(name, KIND) {#name, HX_CHECK_##KIND, check_##name##_open},
#include "check/checkers.def"
#undef CHECKER
};

/* ---- Names --------------------------------------------------------------------------------------------- */

const char *hx_checks_name(size_t index, uint32_t *ret_kind)
{
    if (index < HX_COUNT_OF(rows) && ret_kind)
        *ret_kind = rows[index].kind;
    return index < HX_COUNT_OF(rows) ? rows[index].name : NULL;
}

uint32_t hx_checks_available(void)
{
    uint32_t kinds = 0;
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        kinds |= rows[i].kind;
    return kinds;
}

static const char *next_name(void *user, size_t index)
{
    (void)user;
    return index == HX_COUNT_OF(rows) ? "all" : hx_checks_name(index, NULL);
}

static hx_status report_name(struct slice name, hx_diag *diag)
{
    struct text hint HX_AUTO(text_done) = {0};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        text_print(&hint, "%s%s", i ? ", " : "there are: ", rows[i].name);
    text_print(&hint, " and all");
    const char *meant = text_suggest(name, next_name, NULL);
    if (meant)
        text_print(&hint, "; did you mean %s?", meant);
    return diag_report(diag, DIAG_CHECK_NAME, (struct place){0}, hint.at,
                       "there is no check '" SLICE_FORMAT "'", SLICE_ARGS(name));
}

static hx_status read_name(struct slice name, hx_diag *diag, hx_checks_options *options)
{
    if (slice_equal(name, "all")) {
        options->kinds |= hx_checks_available();
        return HX_OK;
    }
    const bool is_lockstep = slice_equal(name, "race:lockstep"),
               is_volatile = slice_equal(name, "race:volatile");
    options->lockstep |= is_lockstep;
    options->plain_volatile |= is_volatile;
    if (is_lockstep || is_volatile)
        name.length = strlen("race");
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        if (slice_equal(name, rows[i].name)) {
            options->kinds |= rows[i].kind;
            return HX_OK;
        }
    return report_name(name, diag);
}

hx_status hx_checks_parse(const char *text, hx_diag *diag, hx_checks_options *options)
{
    DIAG_REQUIRE(diag, text);
    DIAG_REQUIRE(diag, options);
    hx_checks_options read = *options;
    read.kinds = 0;
    for (struct slice rest = slice_of(text);;) {
        const char *comma = memchr(rest.at, ',', rest.length);
        const size_t length = comma ? (size_t)(comma - rest.at) : rest.length;
        const hx_status status = read_name(slice_trim((struct slice){rest.at, length}), diag, &read);
        if (status != HX_OK)
            return status;
        if (!comma)
            break;
        rest.at += length + 1;
        rest.length -= length + 1;
    }
    *options = read;
    return HX_OK;
}

/* ---- Buffers ------------------------------------------------------------------------------------------- */

/* Index of the first that begins behind `address`. */
static size_t upper_bound(const hx_checks *checks, uint64_t address)
{
    size_t low = 0, high = checks->buffers.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (checks->buffers.items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* On a unified device addresses come again: what was freed there is forgotten. */
static void forget_freed(hx_checks *checks, uint64_t low, uint64_t size)
{
    struct check_buffer *items = checks->buffers.items;
    size_t kept = 0;
    for (size_t i = 0; i < checks->buffers.count; i++)
        if (!items[i].is_freed || items[i].low >= low + size || items[i].low + items[i].size <= low)
            items[kept++] = items[i];
    checks->freed_count -= checks->buffers.count - kept;
    checks->buffers.count = kept;
}

static void add_buffer(hx_checks *checks, const hx_buffer *buffer)
{
    const struct memory_window *window = &buffer->window;
    forget_freed(checks, window->low, window->size ? window->size : 1);
    if (!LIST_RESERVE(checks->allocator, &checks->buffers, 1)) {
        checks->lacks_memory = true;
        return;
    }
    struct check_buffer added = {
        .low = window->low, .size = window->size, .access = buffer->access, .data = window->host};
    memcpy(added.name, buffer->name, sizeof added.name);
    const size_t at = upper_bound(checks, window->low);
    struct check_buffer *items = checks->buffers.items;
    memmove(&items[at + 1], &items[at], (checks->buffers.count - at) * sizeof *items);
    items[at] = added;
    checks->buffers.count++;
}

/* The older half, once there are twice as many as are kept. */
static void forget_old(hx_checks *checks)
{
    struct check_buffer *items = checks->buffers.items;
    size_t kept = 0;
    if (++checks->freed_count < 2 * FREED_KEPT)
        return;
    for (size_t i = 0; i < checks->buffers.count; i++)
        if (!items[i].is_freed || items[i].freed_number + FREED_KEPT > checks->freed_total)
            items[kept++] = items[i];
    checks->freed_count -= checks->buffers.count - kept;
    checks->buffers.count = kept;
}

static void buffer_changed(void *user, const hx_buffer_event *event)
{
    hx_checks *checks = user;
    if (event->change == HX_BUFFER_MADE)
        add_buffer(checks, event->buffer);
    if (event->change != HX_BUFFER_FREED)
        return;
    const size_t above = upper_bound(checks, event->buffer->window.low);
    struct check_buffer *freed = above > 0 ? &checks->buffers.items[above - 1] : NULL;
    if (freed && freed->low == event->buffer->window.low && !freed->is_freed) {
        freed->is_freed = true;
        freed->freed_number = ++checks->freed_total;
        freed->freed_behind = checks->launches;
        freed->data = NULL;
        forget_old(checks);
    }
}

const struct check_buffer *check_find_buffer(const hx_checks *checks, uint64_t address)
{
    const size_t above = upper_bound(checks, address);
    return above > 0 ? &checks->buffers.items[above - 1] : NULL;
}

const struct check_buffer *check_buffer_above(const hx_checks *checks, uint64_t address)
{
    for (size_t i = upper_bound(checks, address); i < checks->buffers.count; i++)
        if (!checks->buffers.items[i].is_freed)
            return &checks->buffers.items[i];
    return NULL;
}

const struct check_buffer *check_buffer_at(const hx_checks *checks, size_t index)
{
    for (size_t i = 0; i < checks->buffers.count; i++)
        if (!checks->buffers.items[i].is_freed && index-- == 0)
            return &checks->buffers.items[i];
    return NULL;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

const hx_allocator *check_allocator(const hx_checks *checks)
{
    return checks->allocator;
}

const hx_checks_options *check_options(const hx_checks *checks)
{
    return &checks->options;
}

const struct check_launch *check_launch_now(const hx_checks *checks)
{
    return checks->launch;
}

const struct kernel *check_kernel_now(const hx_checks *checks)
{
    return kernel_code(checks->kernel);
}

const hx_program *check_program_now(const hx_checks *checks)
{
    return checks->kernel->program;
}

/* Compilers declare arrays as bytes, whatever their elements are. */
static uint32_t bytes_in(const struct array_list *list, const char *name, bool is_imported)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0) {
            const uint32_t bytes = (uint32_t)hx_type_bytes(list->items[i].type);
            return is_imported && bytes == 1 ? 0 : bytes;
        }
    return 0;
}

void check_print_buffer(struct text *text, const char *name)
{
    const bool is_argument = text_is_digit(name[0]);
    const bool is_whole = slice_starts_with(slice_of(name), "buffer ");
    text_print(text, is_argument ? "the buffer of argument %s" : is_whole ? "%s" : "buffer '%s'", name);
}

uint32_t check_element_bytes(const hx_checks *checks, int space, const char *name)
{
    const hx_program *program = check_program_now(checks);
    const struct kernel *code = check_kernel_now(checks);
    return bytes_in(space == SPACE_SHARED     ? &code->shared
                    : space == SPACE_LOCAL    ? &code->local
                    : space == SPACE_CONSTANT ? &program->constants
                                              : &program->buffers,
                    name, code->is_imported);
}

static bool copy_line(struct arena *arena, struct source_lines *texts, const struct code_line *from,
                      const struct check_line *before, struct check_line *to)
{
    const struct place place = from->place;
    to->line = place.line;
    to->column = place.column;
    to->length = place.length;
    to->text = arena_copy(arena, from->text, strlen(from->text));
    if (!place.source || !place.source->name || !to->text)
        return to->text != NULL;
    if (before && before->file && before->line == place.line &&
        strcmp(before->file, place.source->name) == 0) {
        to->file = before->file;
        to->source_line = before->source_line;
        return true;
    }
    const struct slice line = source_lines_at(texts, place.source, place.line);
    to->file = before && before->file && strcmp(before->file, place.source->name) == 0
                   ? before->file
                   : arena_copy(arena, place.source->name, strlen(place.source->name));
    to->source_line = line.length > 0 ? arena_copy(arena, line.at, line.length) : NULL;
    return to->file && (to->source_line || line.length == 0);
}

static bool copy_lines(hx_checks *checks, const struct kernel *code, struct check_line *lines)
{
    struct source_lines texts = {.allocator = checks->allocator};
    bool good = true;
    for (uint32_t i = 0; i < code->code_count && good; i++)
        good = copy_line(&checks->arena, &texts, &code->lines[i], i > 0 ? &lines[i - 1] : NULL, &lines[i]);
    source_lines_done(&texts);
    return good;
}

static const char *label_at(const struct kernel *code, uint32_t target)
{
    for (size_t i = 0; i < code->label_count; i++)
        if (code->labels[i].target == target)
            return code->labels[i].name;
    return NULL;
}

/* Functions are what `call` names; each goes on to the next one. */
static bool name_functions(struct arena *arena, const struct kernel *code, struct check_line *lines)
{
    for (uint32_t i = 0; i < code->code_count; i++) {
        const struct instruction *call = &code->code[i];
        if (!verify_flow_calls(call) || verify_flow_table(call))
            continue;
        const uint32_t entry = verify_flow_target(code, call);
        const char *name = entry < code->code_count ? label_at(code, entry) : NULL;
        if (name && !lines[entry].function &&
            !(lines[entry].function = arena_copy(arena, name, strlen(name))))
            return false;
    }
    for (uint32_t i = 1; i < code->code_count; i++)
        lines[i].function = lines[i].function ? lines[i].function : lines[i - 1].function;
    return true;
}

static uint32_t hash_of_place(const struct check_line *line, uint32_t shape)
{
    return ((uint32_t)line->line * 2654435761u + (uint32_t)line->column * 40503u + shape) * 2654435761u;
}

static bool is_alike(const struct kernel *code, const struct check_line *lines, uint32_t a, uint32_t b)
{
    return lines[a].line == lines[b].line && lines[a].column == lines[b].column && lines[a].file &&
           lines[b].file && strcmp(lines[a].file, lines[b].file) == 0 &&
           code->code[a].opcode->shape == code->code[b].opcode->shape;
}

/* NULL: no memory. */
static const uint32_t *find_alike(hx_checks *checks, const struct kernel *code,
                                  const struct check_line *lines)
{
    size_t size = 16;
    while (size < 2 * (size_t)code->code_count)
        size *= 2;
    uint32_t *const alike = ARENA_ARRAY(&checks->arena, uint32_t, code->code_count + 1);
    uint32_t *const table = memory_allocate(checks->allocator, size, sizeof *table); /* 1 + instructions */
    for (uint32_t i = 0; alike && table && i < code->code_count; i++) {
        size_t at = hash_of_place(&lines[i], code->code[i].opcode->shape) & (size - 1);
        while (table[at] && !is_alike(code, lines, table[at] - 1, i))
            at = (at + 1) & (size - 1);
        table[at] = table[at] ? table[at] : i + 1;
        alike[i] = table[at] - 1;
    }
    memory_free(checks->allocator, table);
    return table ? alike : NULL;
}

const struct check_code *check_copy_code(hx_checks *checks, const hx_kernel *kernel)
{
    const struct kernel *code = kernel_code(kernel);
    const uint32_t crc = crc32_of(code->words, code->code_count * sizeof *code->words);
    for (size_t i = 0; i < checks->codes.count; i++) {
        const struct check_code *known = checks->codes.items[i];
        if (known->count == code->code_count && known->crc == crc && strcmp(known->kernel, code->name) == 0 &&
            strcmp(known->program, kernel->program->name) == 0)
            return known;
    }
    struct check_code *copy = ARENA_NEW(&checks->arena, struct check_code);
    struct check_line *lines = ARENA_ARRAY(&checks->arena, struct check_line, code->code_count);
    const char *name = arena_copy(&checks->arena, code->name, strlen(code->name));
    const char *program = kernel->program->name;
    program = arena_copy(&checks->arena, program, strlen(program));
    if (!copy || !lines || !name || !program)
        return NULL;
    if (!copy_lines(checks, code, lines))
        return NULL;
    const uint32_t *alike = find_alike(checks, code, lines);
    if (!alike || !name_functions(&checks->arena, code, lines))
        return NULL;
    *copy = (struct check_code){.kernel = name,
                                .program = program,
                                .lines = lines,
                                .alike = alike,
                                .count = code->code_count,
                                .crc = crc,
                                .of = kernel};
    return LIST_PUSH(checks->allocator, &checks->codes, copy) ? copy : NULL;
}

static hx_status begin(void *user, const hx_launch_begin *event)
{
    hx_checks *checks = user;
    struct check_launch *launch = ARENA_NEW(&checks->arena, struct check_launch);
    const struct check_code *code = launch ? check_copy_code(checks, event->kernel) : NULL;
    if (!code)
        return HX_NO_MEMORY;
    *launch = (struct check_launch){.number = ++checks->launches,
                                    .code = code,
                                    .warp_size = event->options->warp_size,
                                    .dynamic_shared = event->options->dynamic_shared_bytes};
    memcpy(launch->grid, event->options->grid, sizeof launch->grid);
    memcpy(launch->block, event->options->block, sizeof launch->block);
    checks->kernel = event->kernel;
    checks->launch = launch;
    return HX_OK;
}

/* What a fault was, and of which thread. */
static void note_fault(hx_checks *checks, const hx_fault *fault, struct check_failure *failure)
{
    const struct check_launch *launch = checks->launch;
    const uint32_t *grid = launch->grid, *block = launch->block;
    const struct check_site site = {
        .launch = launch,
        .instruction = fault->instruction,
        .block = ((uint64_t)fault->block[2] * grid[1] + fault->block[1]) * grid[0] + fault->block[0],
        .thread = (fault->thread[2] * block[1] + fault->thread[1]) * block[0] + fault->thread[0],
        .role = "fault"};
    struct text what HX_AUTO(text_done) = {.allocator = checks->allocator};
    text_print(&what, "%s in block (%u,%u,%u), thread (%u,%u,%u)%s%s", hx_fault_text(fault->kind),
               fault->block[0], fault->block[1], fault->block[2], fault->thread[0], fault->thread[1],
               fault->thread[2], fault->detail[0] ? ": " : "", fault->detail);
    const char *copy = what.failed ? NULL : arena_copy(&checks->arena, what.at, what.length);
    failure->what = copy ? copy : hx_fault_text(fault->kind);
    if (fault->instruction < launch->code->count) {
        check_place_of(&site, &failure->place);
        failure->has_place = true;
    }
}

/* A run without findings is none without mistakes if it ended early: reports say so. A debugger, which takes
 * reports while the kernel runs, ends runs in order to go back in time. The one fault that ends a launch and
 * is a finding is that nothing goes on. */
static void end(void *user, const hx_launch_end *event)
{
    hx_checks *checks = user;
    struct check_failure *failure = &checks->failure;
    const hx_launch_result *result = event->result;
    const hx_fault *fault = &result->fault;
    const bool is_fault = fault->kind != HX_FAULT_NONE;
    if (failure->status != HX_OK || checks->reported || fault->kind == HX_FAULT_NO_PROGRESS ||
        (!is_fault && result->blocks_done >= result->blocks))
        return;
    failure->status = is_fault ? HX_FAULT : HX_LIMIT;
    if (is_fault)
        note_fault(checks, fault, failure);
    else
        failure->what = "the run was stopped before its end, at a bound or by the user";
}

/* ---- Open, follow, close ------------------------------------------------------------------------------- */

static hx_status open_checkers(hx_checks *checks, hx_diag *diag)
{
    hx_status status = HX_OK;
    for (size_t i = 0; status == HX_OK && i < HX_COUNT_OF(rows); i++)
        if (checks->options.kinds & rows[i].kind) {
            status = rows[i].open(checks, diag, &checks->checkers[checks->checker_count]);
            checks->checker_count += status == HX_OK;
        }
    return status;
}

hx_status hx_checks_open(const hx_checks_options *options, hx_diag *diag, hx_checks **ret_checks)
{
    DIAG_REQUIRE(diag, options);
    DIAG_REQUIRE(diag, ret_checks);
    hx_checks_options asked = {0};
    memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    if (!asked.kinds || (asked.kinds & ~hx_checks_available()))
        return diag_report(diag, DIAG_CHECK_NAME, (struct place){0},
                           "hx_checks_available tells which there are",
                           "there are no checks of the kinds 0x%x", asked.kinds & ~hx_checks_available());
    asked.error_limit = asked.error_limit ? asked.error_limit : 1000;
    hx_checks *checks = memory_allocate(asked.allocator, 1, sizeof *checks);
    if (!checks)
        return diag_no_memory(diag);
    checks->allocator = asked.allocator;
    checks->options = asked;
    arena_init(&checks->arena, asked.allocator);
    pthread_mutex_init(&checks->lock, NULL);
    checks->frame = (hx_listener){.size = sizeof checks->frame,
                                  .events = HX_EVENT_LAUNCH | HX_EVENT_BUFFER,
                                  .user = checks,
                                  .begin = begin,
                                  .end = end,
                                  .buffer = buffer_changed};
    hx_status status = HX_OK;
    if (asked.kinds & HX_CHECK_RACE && !(checks->commands = check_commands_new(asked.allocator)))
        status = diag_no_memory(diag);
    status = status == HX_OK ? open_checkers(checks, diag) : status;
    if (status != HX_OK) {
        hx_checks_close(checks);
        return status;
    }
    *ret_checks = checks;
    return HX_OK;
}

hx_status hx_checks_follow(hx_checks *checks, hx_device *device, hx_diag *diag)
{
    DIAG_REQUIRE(diag, checks);
    DIAG_REQUIRE(diag, device);
    if (checks->device)
        return diag_report(diag, DIAG_CHECK_DEVICE, (struct place){0}, "call hx_checks_leave first",
                           "the checks follow a device already");
    checks->device = device;
    device_lock(device);
    checks->buffers.count = 0;
    checks->freed_count = 0;
    const struct device_memory *memory = device_memory(device);
    for (size_t i = 0; i < memory->buffers.count; i++)
        add_buffer(checks, memory->buffers.items[i]);
    device_unlock(device);
    for (size_t i = 0; i < checks->checker_count; i++)
        if (checks->checkers[i]->follow)
            checks->checkers[i]->follow(checks->checkers[i]);
    hx_status status = hx_device_listen(device, &checks->frame, diag);
    for (size_t i = 0; status == HX_OK && i < checks->checker_count; i++)
        status = hx_device_listen(device, &checks->checkers[i]->listener, diag);
    if (status != HX_OK)
        hx_checks_leave(checks, 0);
    return status;
}

void hx_checks_leave(hx_checks *checks, int leaks)
{
    if (!checks || !checks->device)
        return;
    for (size_t i = 0; i < checks->checker_count; i++) {
        hx_device_unlisten(checks->device, &checks->checkers[i]->listener);
        if (checks->checkers[i]->leave)
            checks->checkers[i]->leave(checks->checkers[i], leaks != 0);
    }
    hx_device_unlisten(checks->device, &checks->frame);
    checks->device = NULL;
}

uint32_t hx_checks_kinds(const hx_checks *checks)
{
    return checks ? checks->options.kinds : 0;
}

void hx_checks_close(hx_checks *checks)
{
    if (!checks)
        return;
    const hx_allocator *allocator = checks->allocator;
    hx_checks_leave(checks, 0);
    for (size_t i = 0; i < checks->checker_count; i++)
        checks->checkers[i]->close(checks->checkers[i]);
    check_records_done(checks);
    check_commands_free(checks->commands);
    LIST_DONE(allocator, &checks->codes);
    LIST_DONE(allocator, &checks->buffers);
    pthread_mutex_destroy(&checks->lock);
    arena_done(&checks->arena);
    memory_free(allocator, checks);
}
