/* What the threads of a stopped launch have: where they are, registers, memory. */
#include "debug/debug.h"
#include "device/device.h"
#include "exec/bind.h"
#include "exec/flow/calls.h"
#include "program/program.h"

struct shadow_block *state_block(const struct engine *engine, uint64_t number)
{
    struct engine *writable = (struct engine *)engine;
    if (engine->last_block && engine->last_block->block->number == number)
        return engine->last_block;
    for (size_t i = 0; i < engine->blocks.count; i++)
        if (engine->blocks.items[i].block->number == number)
            return writable->last_block = &engine->blocks.items[i];
    return NULL;
}

uint32_t state_warp_lanes(const struct engine *engine)
{
    const uint32_t asked = engine->options.launch.warp_size;
    return asked ? asked : 32;
}

uint32_t state_step_lanes(const struct engine *engine, const struct shadow_block *block)
{
    const uint32_t warp = state_warp_lanes(engine),
                   gang = block ? gang_launch(&block->block->gangs[0])->bound->gang_lanes : warp;
    if (!engine->options.launch.seed && !engine->options.replay)
        return warp;
    return gang < LANES_PER_CHUNK ? gang : LANES_PER_CHUNK;
}

uint64_t state_lanes_of_warp(const struct engine *engine, uint32_t thread, uint32_t first)
{
    const uint32_t width = state_warp_lanes(engine), begin = thread - thread % width, end = begin + width;
    const uint32_t low = begin > first ? begin - first : 0, high = end > first ? end - first : 0;
    if (low >= LANES_PER_CHUNK || high == 0)
        return 0;
    return UINT64_MAX << low & (high < LANES_PER_CHUNK ? (UINT64_C(1) << high) - 1 : UINT64_MAX);
}

const struct gang_state *state_gang(const struct shadow_block *block, uint32_t thread)
{
    const uint32_t lanes = gang_launch(&block->block->gangs[0])->bound->gang_lanes;
    const uint32_t number = thread / lanes;
    return number < block->block->gang_count ? &block->block->gangs[number] : NULL;
}

const struct path *state_path(const struct gang_state *gang, uint32_t lane)
{
    for (uint32_t i = 0; i < gang->path_count; i++)
        if (gang->paths[i].lanes[lane / LANES_PER_CHUNK] >> (lane % LANES_PER_CHUNK) & 1)
            return &gang->paths[i];
    return NULL;
}

bool state_place(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                 struct thread_place *ret_place)
{
    const struct gang_state *gang = state_gang(block, thread);
    const struct path *path = gang ? state_path(gang, thread - gang->first_thread) : NULL;
    const uint32_t lane = thread - engine->at.first_thread;
    if (!path)
        return false;
    const bool at_step = engine->at.block == block->block->number && thread >= engine->at.first_thread &&
                         lane < LANES_PER_CHUNK && (engine->at.standing >> lane & 1);
    *ret_place = (struct thread_place){
        .instruction = at_step ? engine->at.instruction : gang_launch(gang)->bound->ops[path->pc].instruction,
        .depth = path->depth,
        .is_at_step = at_step,
        .state = (enum path_state)path->state,
        .barrier = path->barrier};
    return true;
}

bool state_member(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                  uint32_t member, uint64_t *ret_bits, enum hx_type *ret_type)
{
    const uint32_t lanes = state_warp_lanes(engine), lane = thread % lanes,
                   index = engine->member_index[member];
    if (index == 0 || thread / lanes >= block->warp_count)
        return false;
    const struct shadow_member *shadow = &block->warps[thread / lanes].members[index - 1];
    if (!(shadow->written >> lane & 1))
        return false;
    *ret_bits = shadow->values[lane];
    *ret_type = (enum hx_type)shadow->type;
    return true;
}

static const char *in_window(const struct memory_window *window, uint64_t address, uint64_t bytes)
{
    const uint64_t offset = address - window->low;
    return offset <= window->size && bytes <= window->size - offset ? window->host + offset : NULL;
}

const char *state_memory(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                         int space, uint64_t address, uint64_t bytes)
{
    const struct gang_state *gang = block ? state_gang(block, thread) : NULL;
    if (space == SPACE_GENERIC)
        space = window_resolve(&address);
    if (space == DEBUG_SPACE_MADE)
        return bytes <= sizeof engine->made && address <= sizeof engine->made - bytes ? engine->made + address
                                                                                      : NULL;
    if (space == SPACE_GLOBAL) {
        if (!engine->device) /* the program has not begun */
            return NULL;
        const hx_buffer *buffer = device_memory_find(device_memory(engine->device), address);
        return buffer ? in_window(&buffer->window, address, bytes) : NULL;
    }
    if (!gang)
        return NULL;
    if (space == SPACE_SHARED)
        return in_window(&gang->gang.shared, address, bytes);
    if (space == SPACE_CONSTANT)
        return in_window(&gang->gang.constant, address, bytes);
    const struct memory_window local = gang_local(gang, thread - gang->first_thread);
    return in_window(&local, address, bytes);
}

void state_print_thread(const struct engine *engine, uint64_t block, uint32_t thread, struct text *out)
{
    const uint32_t *grid = engine->options.launch.grid, *shape = engine->options.launch.block;
    text_print(out, "block %llu", (unsigned long long)block);
    if (grid[1] > 1 || grid[2] > 1)
        text_print(out, " (%llu,%llu,%llu)", (unsigned long long)(block % grid[0]),
                   (unsigned long long)(block / grid[0] % grid[1]),
                   (unsigned long long)(block / grid[0] / grid[1]));
    text_print(out, ", thread %u", thread);
    if (shape[1] > 1 || shape[2] > 1)
        text_print(out, " (%u,%u,%u)", thread % shape[0], thread / shape[0] % shape[1],
                   thread / shape[0] / shape[1]);
}

int state_line(const struct kernel *kernel, uint32_t instruction)
{
    return instruction < kernel->code_count ? kernel->lines[instruction].place.line : 0;
}

const struct source *state_source(const struct kernel *kernel, uint32_t instruction)
{
    return instruction < kernel->code_count ? kernel->lines[instruction].place.source : NULL;
}

struct slice state_line_text(const struct kernel *kernel, uint32_t instruction)
{
    const struct source *source = state_source(kernel, instruction);
    const struct slice text = kernel->debug && source && source->text
                                  ? slice_trim(source_line(source, kernel->lines[instruction].place.line))
                                  : (struct slice){0};
    if (text.length > 0)
        return text;
    return slice_of(instruction < kernel->code_count ? kernel->lines[instruction].text : "");
}

bool state_same_source(const struct source *a, const struct source *b)
{
    return a == b || (a && b && a->name && b->name && strcmp(a->name, b->name) == 0);
}

const char *state_file(const struct kernel *kernel, uint32_t instruction)
{
    const struct source *source = state_source(kernel, instruction);
    return source && source->name ? source->name : "";
}

const char *state_function(const struct kernel *kernel, uint32_t instruction)
{
    const char *label = kernel->name;
    for (size_t i = 0; kernel->debug && i < kernel->debug->unit_count; i++)
        if (instruction >= kernel->debug->units[i].first && instruction < kernel->debug->units[i].end)
            return i ? kernel->debug->units[i].symbol : kernel->name;
    for (size_t i = 0; i < kernel->label_count; i++)
        if (kernel->labels[i].target <= instruction)
            label = kernel->labels[i].name;
    return label;
}

uint32_t state_caller(const struct shadow_block *block, uint32_t thread, uint32_t depth)
{
    const struct gang_state *gang = state_gang(block, thread);
    const uint32_t lane = thread - gang->first_thread;
    const struct frames *frames = &gang->returns[depth];
    const bool is_shared = frames->lanes[lane / LANES_PER_CHUNK] >> (lane % LANES_PER_CHUNK) & 1;
    const uint32_t back = is_shared ? frames->instruction : frames->own[lane].instruction;
    return back ? back - 1 : 0;
}

const struct launch *state_launch(const struct engine *engine)
{
    return engine->blocks.count ? engine->blocks.items[0].block->worker->launch : NULL;
}

uint64_t state_array_count(const struct engine *engine, const struct array *array)
{
    const struct launch *launch = array->is_dynamic ? state_launch(engine) : NULL;
    const unsigned bytes = type_bytes(array->type);
    return launch && bytes ? launch->options.dynamic_shared_bytes / bytes : array->count;
}

const char *state_name_prefix(const struct array *array)
{
    return text_is_digit(array->name[0]) ? "arg" : "";
}

static bool print_array(const struct engine *engine, const struct array_list *list, uint64_t offset,
                        struct text *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        const unsigned bytes = type_bytes(array->type);
        if (offset < array->offset || bytes == 0 ||
            offset - array->offset >= state_array_count(engine, array) * bytes)
            continue;
        text_print(out, "%s[%llu]", array->name, (unsigned long long)((offset - array->offset) / bytes));
        return true;
    }
    return false;
}

void state_print_address(const struct engine *engine, int space, uint64_t address, struct text *out)
{
    const hx_program *program = hx_context_program(engine->context);
    size_t count;
    hx_buffer *const *buffers = context_buffers(engine->context, &count);
    if (space == SPACE_SHARED && print_array(engine, &engine->kernel->shared, address, out))
        return;
    if (space == SPACE_LOCAL && print_array(engine, &engine->kernel->local, address, out))
        return;
    for (size_t i = 0; space == SPACE_GLOBAL && i < count; i++) {
        const uint64_t offset = address - hx_buffer_address(buffers[i]);
        const unsigned bytes = type_bytes(program->buffers.items[i].type);
        if (!buffers[i] || offset >= buffers[i]->window.size || bytes == 0)
            continue;
        text_print(out, "%s%s[%llu]", state_name_prefix(&program->buffers.items[i]),
                   program->buffers.items[i].name, (unsigned long long)(offset / bytes));
        return;
    }
    text_print(out, "%s+0x%llx",
               space == SPACE_SHARED  ? "shared"
               : space == SPACE_LOCAL ? "local"
                                      : "",
               (unsigned long long)address);
}
