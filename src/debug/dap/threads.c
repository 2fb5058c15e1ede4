/* Who is where: threads of the protocol, their calls, and the sources of these. */
#include "debug/dap/dap.h"
#include "exec/flow/calls.h"

#include <limits.h>
#include <stdlib.h>

/* The numbers of a block's threads: itself, then warps, then lanes. They are below 2^31, as clients want
 * them, for the first half a million blocks, and begin anew then: only few blocks run at a time. */
#define IDS_PER_BLOCK   4096
#define FIRST_WARP      1
#define FIRST_THREAD    2048
#define BLOCKS_TOGETHER 500000
_Static_assert(FIRST_THREAD + 1024 <= IDS_PER_BLOCK, "a block has at most 1024 threads");

int64_t dap_thread_id(const struct dap *dap, enum scope scope, uint64_t block, uint32_t thread)
{
    const uint32_t within = scope == SCOPE_THREAD ? FIRST_THREAD + thread
                            : scope == SCOPE_WARP
                                ? FIRST_WARP + thread / state_warp_lanes(&dap->debugger->engine)
                                : 0;
    return (int64_t)(block % BLOCKS_TOGETHER) * IDS_PER_BLOCK + within + 1;
}

/* A thread of the block, or of one warp of it, that stands for it: that of the present step, or else the
 * first that has not exited. */
static uint32_t representative(const struct engine *engine, const struct shadow_block *block, uint32_t first,
                               uint32_t count)
{
    struct thread_place place;
    const uint32_t lane = (uint32_t)__builtin_ctzll(engine->at.standing | UINT64_C(1) << 63);
    const uint32_t present = engine->at.first_thread + lane;
    if (engine->focus_block == block->block->number && engine->focus_thread - first < count &&
        state_place(engine, block, engine->focus_thread, &place) && place.is_at_step)
        return engine->focus_thread;
    if (engine->at.block == block->block->number && present - first < count &&
        state_place(engine, block, present, &place))
        return present;
    for (uint32_t i = 0; i < count; i++)
        if (state_place(engine, block, first + i, &place))
            return first + i;
    return first;
}

static uint32_t thread_count(const struct engine *engine)
{
    const uint32_t *shape = engine->options.launch.block;
    return shape[0] * shape[1] * shape[2];
}

bool dap_find_thread(const struct dap *dap, int64_t id, enum scope *ret_scope, uint64_t *ret_block,
                     uint32_t *ret_thread)
{
    const struct engine *engine = &dap->debugger->engine;
    const uint32_t within = (uint32_t)((id - 1) % IDS_PER_BLOCK), lanes = state_warp_lanes(engine),
                   threads = thread_count(engine);
    for (size_t i = 0; id > 0 && i < engine->blocks.count; i++) {
        const struct shadow_block *block = &engine->blocks.items[i];
        if ((int64_t)(block->block->number % BLOCKS_TOGETHER) != (id - 1) / IDS_PER_BLOCK)
            continue;
        const uint32_t first = within >= FIRST_THREAD ? within - FIRST_THREAD
                               : within >= FIRST_WARP ? (within - FIRST_WARP) * lanes
                                                      : 0;
        if (first >= threads)
            return false;
        *ret_scope = within >= FIRST_THREAD ? SCOPE_THREAD : within >= FIRST_WARP ? SCOPE_WARP : SCOPE_BLOCK;
        *ret_block = block->block->number;
        *ret_thread =
            *ret_scope == SCOPE_THREAD ? first
            : *ret_scope == SCOPE_WARP
                ? representative(engine, block, first, threads - first < lanes ? threads - first : lanes)
                : representative(engine, block, 0, threads);
        return true;
    }
    return false;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

HX_PRINTF(4, 5)
static void write_thread(struct dap *dap, struct json *body, int64_t id, const char *format, ...)
{
    char name[128];
    va_list arguments;
    (void)dap;
    va_start(arguments, format);
    text_format(name, sizeof name, format, arguments);
    va_end(arguments);
    json_open_object(body);
    json_key(body, "id");
    json_i64(body, id);
    json_member_str(body, "name", name);
    json_close_object(body);
}

/* How many paths threads are on, from one on; 0: all have exited. */
static unsigned count_paths(const struct shadow_block *block, uint32_t first, uint32_t lanes)
{
    const struct path *paths[LANES_PER_CHUNK];
    unsigned count = 0;
    for (uint32_t thread = first; thread < first + lanes; thread++) {
        const struct gang_state *gang = state_gang(block, thread);
        const struct path *path = gang ? state_path(gang, thread - gang->first_thread) : NULL;
        unsigned known = 0;
        while (known < count && paths[known] != path)
            known++;
        if (path && known == count && count < LANES_PER_CHUNK)
            paths[count++] = path;
    }
    return count;
}

/* A warp and, where it is in focus, its threads. A gang may be wider or narrower, where an order is run. */
static void write_warp(struct dap *dap, const struct shadow_block *block, uint32_t first, struct json *body)
{
    const struct engine *engine = &dap->debugger->engine;
    const uint64_t number = block->block->number;
    const uint32_t width = state_warp_lanes(engine), left = thread_count(engine) - first,
                   lanes = left < width ? left : width;
    const unsigned path_count = count_paths(block, first, lanes);
    struct thread_place place;
    char paths[32] = "";
    if (path_count == 0)
        return; /* all of it has exited */
    if (path_count > 1)
        snprintf(paths, sizeof paths, ", %u paths", path_count);
    write_thread(dap, body, dap_thread_id(dap, SCOPE_WARP, number, first),
                 "block %llu, warp %u (threads %u to %u%s)", (unsigned long long)number, first / width, first,
                 first + lanes - 1, paths);
    if (number != engine->focus_block || engine->focus_thread - first >= lanes)
        return;
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (state_place(engine, block, first + lane, &place))
            write_thread(dap, body, dap_thread_id(dap, SCOPE_THREAD, number, first + lane),
                         "block %llu, thread %u (lane %u)", (unsigned long long)number, first + lane, lane);
}

hx_status dap_threads(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    const struct engine *engine = &dap->debugger->engine;
    json_member_array(body, "threads");
    if (!engine_is_live(engine)) /* clients want one */
        write_thread(dap, body, dap_thread_id(dap, SCOPE_BLOCK, 0, 0),
                     dap_has_ended(dap) ? "no thread" : "block 0");
    for (size_t i = 0; engine_is_live(engine) && i < engine->blocks.count; i++) {
        const struct shadow_block *block = &engine->blocks.items[i];
        write_thread(dap, body, dap_thread_id(dap, SCOPE_BLOCK, block->block->number, 0),
                     "block %llu, %u threads", (unsigned long long)block->block->number, block->block->live);
        for (uint32_t first = 0; first < thread_count(engine); first += state_warp_lanes(engine))
            write_warp(dap, block, first, body);
    }
    json_close_array(body);
    return HX_OK;
}

/* ---- Sources ------------------------------------------------------------------------------------------- */

static int64_t source_reference(struct dap *dap, const struct source *source)
{
    for (size_t i = 0; i < dap->sources.count; i++)
        if (state_same_source(dap->sources.items[i], source))
            return (int64_t)i + 1;
    return LIST_PUSH(dap->allocator, &dap->sources, source) ? (int64_t)dap->sources.count : 0;
}

void dap_write_source(struct dap *dap, struct json *json, const struct source *source)
{
    char path[PATH_MAX];
    if (!source || !source->name)
        return;
    const char *slash = strrchr(source->name, '/');
    json_member_object(json, "source");
    json_member_str(json, "name", slash ? slash + 1 : source->name);
    if (dap_source_path(source, path))
        dap_write_path(dap, path, json);
    else {
        json_key(json, "sourceReference");
        json_i64(json, source_reference(dap, source));
    }
    json_close_object(json);
}

hx_status dap_source(struct dap *dap, const json_t *arguments, struct json *body)
{
    int64_t reference = dap_integer(arguments, "sourceReference", 0);
    if (reference == 0)
        reference = dap_integer(json_object_get(arguments, "source"), "sourceReference", 0);
    const struct source *source =
        reference > 0 && (size_t)reference <= dap->sources.count ? dap->sources.items[reference - 1] : NULL;
    if (!source || !source->text)
        return dap_wrong(dap, NULL, "there is no text of source %lld", (long long)reference);
    json_key(body, "content");
    text_print_json_string(body->out, source->text, source->bytes);
    return HX_OK;
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

/* As the client counts; 0: there is none. */
static void write_position(const struct dap *dap, int line, int column, struct json *body)
{
    json_key(body, "line");
    json_i64(body, line ? line - (dap->lines_from_1 ? 0 : 1) : 0);
    json_key(body, "column");
    json_i64(body, column ? column - (dap->columns_from_1 ? 0 : 1) : 0);
}

static hx_status write_frame(struct dap *dap, const struct dap_frame *frame, const struct stand *stand,
                             struct json *body)
{
    const struct engine *engine = &dap->debugger->engine;
    const int line = stand->place.line;
    char address[24];
    if (!LIST_PUSH(dap->allocator, &dap->frames, *frame))
        return HX_NO_MEMORY;
    const int column = line ? stand->place.column : 0;
    snprintf(address, sizeof address, "0x%llx",
             (unsigned long long)dap_code_address(dap, engine->kernel, stand->instruction));
    struct text name HX_AUTO(text_done) = {.allocator = dap->allocator};
    stand_print_function(engine, stand, &name);
    json_open_object(body);
    json_member_u64(body, "id", dap->frames.count);
    json_member_str(body, "name", name.failed || !name.at ? "" : name.at);
    write_position(dap, line, column, body);
    json_member_str(body, "instructionPointerReference", address);
    dap_write_source(dap, body, stand->place.source);
    json_close_object(body);
    return HX_OK;
}

/* Editors show buffers from a frame, and choose only one that has a place: the end of the last kernel. */
static hx_status write_end(struct dap *dap, bool is_asked, struct json *body)
{
    const struct kernel *kernel = dap->debugger->engine.last_kernel;
    const struct dap_frame frame = {0};
    json_member_array(body, "stackFrames");
    if (is_asked) {
        const uint32_t last = kernel && kernel->code_count ? kernel->code_count - 1 : 0;
        const int line = kernel ? state_line(kernel, last) : 0;
        if (!LIST_PUSH(dap->allocator, &dap->frames, frame))
            return HX_NO_MEMORY;
        json_open_object(body);
        json_member_u64(body, "id", dap->frames.count);
        json_member_str(body, "name", "the program has ended");
        write_position(dap, line, line ? 1 : 0, body);
        if (kernel)
            dap_write_source(dap, body, state_source(kernel, last));
        json_close_object(body);
    }
    json_close_array(body);
    json_member_u64(body, "totalFrames", 1);
    return HX_OK;
}

hx_status dap_stack_trace(struct dap *dap, const json_t *arguments, struct json *body)
{
    const struct engine *engine = &dap->debugger->engine;
    const int64_t id = dap_integer(arguments, "threadId", 0), start = dap_integer(arguments, "startFrame", 0),
                  levels = dap_integer(arguments, "levels", 0);
    struct dap_frame frame = {0};
    struct stand stand;
    enum scope scope;
    if (dap_has_ended(dap))
        return write_end(dap, start == 0, body);
    hx_status status = dap_need_stop(dap);
    if (status != HX_OK)
        return status;
    if (!dap_find_thread(dap, id, &scope, &frame.block, &frame.thread))
        return dap_wrong(dap, "threads lists them", "there is no thread %lld", (long long)id);
    struct asker asker = {
        .engine = engine, .block = state_block(engine, frame.block), .thread = frame.thread};
    json_member_array(body, "stackFrames");
    for (; status == HX_OK && stand_find(&asker, &stand); asker.level++) {
        if (asker.level < start || (levels > 0 && asker.level >= start + levels))
            continue;
        frame.level = asker.level;
        status = write_frame(dap, &frame, &stand, body);
    }
    json_close_array(body);
    json_member_u64(body, "totalFrames", asker.level);
    return status;
}

/* ---- Scopes -------------------------------------------------------------------------------------------- */

static hx_status write_scope(struct dap *dap, const struct dap_frame *frame, enum dap_kind kind,
                             const char *name, bool is_expensive, struct json *body)
{
    const struct dap_reference reference = {
        .kind = kind, .block = frame->block, .thread = frame->thread, .level = frame->level};
    const int64_t number = dap_new_reference(dap, &reference);
    json_open_object(body);
    json_member_str(body, "name", name);
    if (kind == DAP_REGISTERS || kind == DAP_ARGUMENTS || kind == DAP_LOCALS)
        json_member_str(body, "presentationHint",
                        kind == DAP_REGISTERS ? "registers"
                        : kind == DAP_LOCALS  ? "locals"
                                              : "arguments");
    json_key(body, "variablesReference");
    json_i64(body, number);
    json_key(body, "expensive");
    json_bool(body, is_expensive);
    json_close_object(body);
    return number ? HX_OK : HX_NO_MEMORY;
}

hx_status dap_scopes(struct dap *dap, const json_t *arguments, struct json *body)
{
    const struct engine *engine = &dap->debugger->engine;
    const int64_t id = dap_integer(arguments, "frameId", 0);
    hx_status status = dap_need_buffers(dap);
    if (status != HX_OK)
        return status;
    if (id < 1 || (size_t)id > dap->frames.count)
        return dap_wrong(dap, "stackTrace gives them", "there is no frame %lld", (long long)id);
    const struct dap_frame frame = dap->frames.items[id - 1];
    const bool is_live = !dap_has_ended(dap);
    const hx_program *program = hx_context_program(dap->context);
    const struct asker asker = {.engine = engine,
                                .block = is_live ? state_block(engine, frame.block) : NULL,
                                .thread = frame.thread,
                                .level = frame.level};
    const struct {
        enum dap_kind kind;
        const char *name;
        bool is_there, is_expensive;
    } scopes[] = {{DAP_ARGUMENTS, "Arguments", is_live && dap_has_variables(&asker, true), false},
                  {DAP_LOCALS, "Locals", is_live && dap_has_variables(&asker, false), false},
                  {DAP_REGISTERS, "Registers", is_live, false},
                  {DAP_LANES, "Registers by lane", is_live, true},
                  {DAP_PARAMETERS, "Parameters", is_live && program->param_count > 0, false},
                  {DAP_BUFFERS, "Buffers", program->buffers.count > 0, true},
                  {DAP_SHARED, "Shared memory", is_live && engine->kernel->shared.count > 0, true},
                  {DAP_LOCAL, "Local memory", is_live && engine->kernel->local.count > 0, true},
                  {DAP_CONSTANTS, "Constants", is_live && program->constants.count > 0, true},
                  {DAP_SPECIALS, "Special registers", is_live, true}};
    json_member_array(body, "scopes");
    for (size_t i = 0; i < HX_COUNT_OF(scopes) && status == HX_OK; i++)
        if (scopes[i].is_there)
            status = write_scope(dap, &frame, scopes[i].kind, scopes[i].name, scopes[i].is_expensive, body);
    json_close_array(body);
    return status;
}
