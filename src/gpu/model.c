/* The models together.
 *
 * Takes the events of a launch, leaves what the models say of it. What an instruction's accesses are
 * to the caches is looked up once, before the launch; the launch's own counts are separated from those of
 * launches before it, which share the profile, by a copy taken then. */
#include "gpu/model.h"

#include "exec/kernel.h"
#include "gpu/pointers.h"
#include "program/limits.h"

#include <string.h>

struct model {
    struct model_options options;
    const hx_allocator *allocator;
    struct hierarchy *hierarchy;
    struct arena arena;                   /* of one launch */
    uint8_t *kinds;                       /* for each instruction: enum hierarchy_kind */
    const hx_instruction_profile *counts; /* of this launch and those before it; NULL: there are none */
    hx_instruction_profile *before;
    struct model_launch launch;
    const struct kernel *counted; /* the kernel that `registers` and `pointers` are of */
    uint32_t registers;
    uint16_t *pointers; /* for each instruction */
    hx_status status;   /* of the launch; HX_INVALID: it did not begin */
};

hx_status model_new(const struct model_options *options, const hx_allocator *allocator, hx_diag *diag,
                    struct model **ret_model)
{
    struct model *model = memory_allocate(allocator, 1, sizeof *model);
    if (!model)
        return diag_no_memory(diag);
    model->options = *options;
    model->allocator = allocator;
    model->status = HX_INVALID;
    arena_init(&model->arena, allocator);
    if (hierarchy_new(options->gpu, allocator, &model->hierarchy) != HX_OK) {
        model_free(model);
        return diag_no_memory(diag);
    }
    *ret_model = model;
    return HX_OK;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    hierarchy_free(model->hierarchy);
    arena_done(&model->arena);
    memory_free(model->allocator, model->pointers);
    memory_free(model->allocator, model);
}

hx_status model_set_buffers(struct model *model, hx_buffer *const *buffers, size_t count, hx_diag *diag)
{
    struct hierarchy_range *ranges = memory_allocate(model->allocator, count + 1, sizeof *ranges);
    if (!ranges)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++)
        ranges[i] = (struct hierarchy_range){hx_buffer_address(buffers[i]), hx_buffer_bytes(buffers[i])};
    const hx_status status = hierarchy_set_buffers(model->hierarchy, ranges, count);
    memory_free(model->allocator, ranges);
    return status == HX_OK ? HX_OK : diag_no_memory(diag);
}

/* Loads that L1 does not serve: those that must see what other SMs wrote, and those whose modifier says so
 * (PTX ISA, Cache Operators, and ld). */
static bool goes_past_l1(const struct instruction *instruction)
{
    static const char *const words[] = {"cg", "cv", "volatile", "relaxed", "acquire", "acq_rel", "sc"};
    const char *word = instruction->modifiers[GROUP_CACHE]
                           ? modifier_text(GROUP_CACHE, instruction->modifiers[GROUP_CACHE])
                           : NULL;
    for (size_t i = 0; word && i < HX_COUNT_OF(words); i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static enum hierarchy_kind kind_of(const struct instruction *instruction)
{
    if (shape_is_atomic(instruction->opcode->shape))
        return HIERARCHY_ATOMIC;
    if (instruction->opcode->shape == SHAPE_STORE)
        return HIERARCHY_STORE;
    return goes_past_l1(instruction) ? HIERARCHY_LOAD_PAST_L1 : HIERARCHY_LOAD;
}

/* What a compiler would make of the kernel: its registers and its address arithmetic. */
static hx_status analyse(struct model *model, const hx_program *program, const struct kernel *kernel)
{
    if (model->counted == kernel)
        return HX_OK;
    struct verified_kernel *verified = NULL;
    model->counted = NULL;
    memory_free(model->allocator, model->pointers);
    model->pointers =
        memory_allocate(model->allocator, (size_t)kernel->code_count + 1, sizeof *model->pointers);
    hx_status status =
        model->pointers ? verify_kernel(program, kernel, model->allocator, NULL, &verified) : HX_NO_MEMORY;
    if (status == HX_OK)
        status = pointers_count(verified, model->allocator, NULL, model->pointers);
    if (status == HX_OK)
        status = occupancy_registers(verified, model->allocator, NULL, &model->registers);
    if (model->options.registers != 0)
        model->registers = model->options.registers;
    verify_free(verified);
    model->counted = status == HX_OK ? kernel : NULL;
    return status;
}

static uint64_t product(const uint32_t shape[3])
{
    uint64_t result = 1;
    for (int i = 0; i < 3; i++)
        result *= shape[i] ? shape[i] : 1;
    return result;
}

static hx_status prepare_tables(struct model *model, const struct kernel *kernel)
{
    arena_done(&model->arena);
    model->kinds = ARENA_ARRAY(&model->arena, uint8_t, kernel->code_count);
    model->before = ARENA_ARRAY(&model->arena, hx_instruction_profile, kernel->code_count);
    if (!model->kinds || !model->before)
        return HX_NO_MEMORY;
    if (model->counts)
        memcpy(model->before, model->counts, kernel->code_count * sizeof *model->before);
    for (uint32_t i = 0; i < kernel->code_count; i++)
        model->kinds[i] = (uint8_t)kind_of(&kernel->code[i]);
    return HX_OK;
}

/* Local memory of a thread: arrays, and room for a stack when it has one. */
static uint64_t local_bytes(const struct kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (shape_is_stack(kernel->code[i].opcode->shape))
            return kernel->local.bytes + STACK_BYTES;
    return kernel->local.bytes;
}

static hx_status prepare_caches(struct model *model)
{
    const struct model_launch *launch = &model->launch;
    const struct hierarchy_launch caches = {
        .blocks = launch->blocks,
        .block_warps = (launch->block_threads + launch->warp_size - 1) / launch->warp_size,
        .warp_size = launch->warp_size,
        .resident_blocks = launch->occupancy.blocks ? launch->occupancy.blocks : 1,
        .l1_bytes = launch->occupancy.l1_bytes,
        .local_bytes = local_bytes(launch->kernel),
        .instructions = launch->kernel->code_count,
        .keep_l2 = model->options.keep_l2,
    };
    return hierarchy_begin(model->hierarchy, &caches);
}

static hx_status prepare(struct model *model, const hx_program *program, const struct kernel *kernel,
                         const hx_launch_options *options)
{
    if (options->workers != 1 || options->seed != 0)
        return HX_INVALID;
    hx_status status = analyse(model, program, kernel);
    if (status == HX_OK)
        status = prepare_tables(model, kernel);
    if (status != HX_OK)
        return status;
    model->launch = (struct model_launch){
        .kernel = kernel,
        .blocks = product(options->grid),
        .block_threads = (uint32_t)product(options->block),
        .warp_size = limits_warp_size(options->warp_size),
        .registers = model->registers,
        .shared_bytes = kernel->shared.bytes + options->dynamic_shared_bytes,
    };
    const struct occupancy_need need = {model->launch.block_threads, model->launch.warp_size,
                                        model->launch.registers, model->launch.shared_bytes};
    occupancy_of(model->options.gpu, &need, &model->launch.occupancy);
    occupancy_achieve(model->options.gpu, &need, model->launch.blocks, &model->launch.occupancy);
    return prepare_caches(model);
}

static hx_status begin(void *user, const hx_launch_begin *event)
{
    struct model *model = user;
    const struct kernel *code = kernel_code(event->kernel);
    return model->status = prepare(model, event->kernel->program, code, event->options);
}

static int access(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    struct model *model = user;
    (void)refusal;
    if (event->space == SPACE_GLOBAL || event->space == SPACE_LOCAL)
        hierarchy_access(model->hierarchy, (enum hierarchy_kind)model->kinds[event->at.instruction], event);
    return 0;
}

static void block(void *user, const hx_interval_event *event)
{
    struct model *model = user;
    (void)event;
    hierarchy_block_done(model->hierarchy);
}

/* The launch's own counts: what was there before is taken off. */
static void take_off(struct model *model)
{
    for (uint32_t i = 0; i < model->launch.kernel->code_count; i++) {
        hx_instruction_profile *counts = &model->before[i];
        const hx_instruction_profile *now = &model->counts[i];
        counts->warps = now->warps - counts->warps;
        counts->requests = now->requests - counts->requests;
        counts->wavefronts = now->wavefronts - counts->wavefronts;
    }
}

static void end(void *user, const hx_launch_end *event)
{
    struct model *model = user;
    (void)event;
    model->status = hierarchy_end(model->hierarchy);
    if (model->status != HX_OK)
        return;
    struct model_launch *launch = &model->launch;
    launch->total = *hierarchy_total(model->hierarchy);
    launch->dirty_sectors = hierarchy_dirty(model->hierarchy);
    if (!model->counts)
        return;
    take_off(model);
    const struct timing_launch timed = {
        .gpu = model->options.gpu,
        .kernel = launch->kernel,
        .occupancy = &launch->occupancy,
        .hierarchy = model->hierarchy,
        .counts = model->before,
        .pointers = model->pointers,
        .blocks = launch->blocks,
        .block_threads = launch->block_threads,
        .warp_size = launch->warp_size,
    };
    model->status = timing_of(&timed, model->allocator, &launch->timing);
}

struct exec_listener model_listener(struct model *model, const hx_instruction_profile *counts,
                                    hx_launch_options *options)
{
    model->counts = counts;
    options->workers = 1;
    options->gang_lanes = HX_GANG_OF_WARP;
    options->turns = HX_TURNS_ACCESS;
    return (struct exec_listener){.calls = {.size = sizeof(hx_listener),
                                            .events = HX_EVENT_LAUNCH | HX_EVENT_ACCESS | HX_EVENT_BLOCK,
                                            .user = model,
                                            .begin = begin,
                                            .end = end,
                                            .access = access,
                                            .block = block}};
}

hx_status model_finish(struct model *model, hx_diag *diag, const struct model_launch **ret_launch)
{
    if (model->status == HX_INVALID)
        return diag_report(diag, DIAG_MODEL_WORKERS, (struct place){0}, "one worker, no seed",
                           "the caches of a GPU cannot be modelled for this launch");
    if (model->status != HX_OK)
        return diag_no_memory(diag);
    *ret_launch = &model->launch;
    return HX_OK;
}

const struct hierarchy_counts *model_instruction(const struct model *model, uint32_t pc)
{
    return hierarchy_of_instruction(model->hierarchy, pc);
}

const struct hierarchy_counts *model_buffer(const struct model *model, size_t buffer)
{
    return hierarchy_of_buffer(model->hierarchy, buffer);
}
