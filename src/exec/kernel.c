/* Kernels.
 *
 * Takes a program and a kernel's number, leaves the kernel ready to run: verified, lowered, its constants in
 * memory. What depends on a launch is made when it is launched (bind.c). */
#include "exec/kernel.h"

#include "base/demangle.h"
#include "base/machine.h"
#include "exec/op.h"
#include "exec/tier/run.h"

#include "base/memory.h"

#include <string.h>

static hx_status fill_constants(hx_kernel *kernel, const struct file_wait *wait, hx_diag *diag)
{
    const struct array_list *list = &kernel->program->constants;
    kernel->constants = memory_allocate_aligned(kernel->allocator, list->bytes + CONSTANTS_PADDING);
    if (!kernel->constants)
        return diag_no_memory(diag);
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        hx_status status = program_fill(kernel->program, array, &array->fill,
                                        kernel->constants + array->offset, wait, kernel->allocator, diag);
        if (status != HX_OK)
            return status;
        kernel->has_addresses |= array->fill.relocation_count > 0;
    }
    return HX_OK;
}

hx_status hx_kernel_new(const hx_program *program, size_t index, const hx_allocator *allocator, hx_diag *diag,
                        hx_kernel **ret_kernel)
{
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, ret_kernel);
    return kernel_new(program, index, NULL, allocator, diag, ret_kernel);
}

/* A kernel that was imported may need what hexec does not have: the launch says so, not the load. */
static hx_status check_lacks(const struct kernel *kernel, const hx_allocator *allocator, hx_diag *diag)
{
    struct text name HX_AUTO(text_done) = {.allocator = allocator};
    demangle(&name, kernel->name);
    hx_status status = name.failed ? diag_no_memory(diag) : HX_OK;
    for (size_t i = 0; i < kernel->lack_count && !name.failed; i++)
        status = diag_report(diag, DIAG_PTX_MISSING, kernel->lacks[i].place,
                             i == 0 ? "replace it, or launch another kernel of the file with --kernel" : NULL,
                             "kernel '%s' cannot run: '%s': %s", name.at, kernel->lacks[i].text,
                             kernel->lacks[i].why);
    return status;
}

hx_status kernel_new(const hx_program *program, size_t index, const struct file_wait *wait,
                     const hx_allocator *allocator, hx_diag *diag, hx_kernel **ret_kernel)
{
    if (index >= program->kernel_count)
        return diag_report(diag, DIAG_LAUNCH_SHAPE, (struct place){0}, NULL, "program '%s' has no kernel %zu",
                           program->name, index);
    const hx_status lacks = check_lacks(&program->kernels[index], allocator, diag);
    if (lacks != HX_OK)
        return lacks;
    diag_step(diag, "while preparing kernel", program->kernels[index].name, 0, program->kernels[index].place);
    hx_kernel *kernel = memory_allocate(allocator, 1, sizeof *kernel);
    if (!kernel)
        return diag_no_memory(diag);
    *kernel = (hx_kernel){.allocator = allocator, .program = program, .code = &program->kernels[index]};
    pthread_mutex_init(&kernel->plain_lock, NULL);
    pthread_mutex_init(&kernel->bound_lock, NULL);
    arena_init(&kernel->bound_arena, allocator);
    hx_status status = verify_kernel(program, kernel->code, allocator, diag, &kernel->verified);
    if (status == HX_OK)
        status = lower_kernel(program, kernel->verified, allocator, diag, &kernel->lowered, &kernel->packed);
    if (status == HX_OK)
        status = fill_constants(kernel, wait, diag);
    if (status != HX_OK) {
        hx_kernel_free(kernel);
        return status;
    }
    *ret_kernel = kernel;
    return HX_OK;
}

void hx_kernel_free(hx_kernel *kernel)
{
    if (!kernel)
        return;
    tier_free(kernel->tier);
    lower_free(kernel->plain);
    pthread_mutex_destroy(&kernel->plain_lock);
    arena_done(&kernel->bound_arena);
    pthread_mutex_destroy(&kernel->bound_lock);
    lower_free(kernel->packed);
    lower_free(kernel->lowered);
    verify_free(kernel->verified);
    memory_free_aligned(kernel->allocator, kernel->constants);
    memory_free(kernel->allocator, kernel);
}

/* A kernel is constant for its users; that it is lowered once more is nothing that they see. */
hx_status kernel_plain(const hx_kernel *kernel, hx_diag *diag, const struct lowered_kernel **ret_lowered)
{
    hx_kernel *self = (hx_kernel *)kernel;
    hx_status status = HX_OK;
    pthread_mutex_lock(&self->plain_lock);
    if (!self->plain)
        status = lower_kernel_plain(kernel->program, kernel->verified, kernel->allocator, diag, &self->plain);
    pthread_mutex_unlock(&self->plain_lock);
    *ret_lowered = self->plain;
    return status;
}

static bool is_same_request(const struct bind_request *a, const struct bind_request *b)
{
    return a->lowered == b->lowered && a->handlers == b->handlers && a->fusing == b->fusing &&
           a->gang_lanes == b->gang_lanes && a->threads == b->threads && a->warp_lanes == b->warp_lanes &&
           a->is_general == b->is_general;
}

/* With the lock held. */
static hx_status find_bound(hx_kernel *kernel, const struct bind_request *request, struct arena *arena,
                            hx_diag *diag, const struct bound_kernel **ret_bound)
{
    struct bound_kernel *bound = NULL;
    for (uint32_t i = 0; i < kernel->bound_count; i++)
        if (is_same_request(&kernel->bound[i].request, request)) {
            *ret_bound = kernel->bound[i].form;
            return HX_OK;
        }
    const bool is_kept = kernel->bound_count < KERNEL_BOUND_MOST;
    const hx_status status = bind_kernel(request, is_kept ? &kernel->bound_arena : arena, diag, &bound);
    *ret_bound = bound;
    if (status == HX_OK && is_kept) {
        kernel->bound[kernel->bound_count].request = *request;
        kernel->bound[kernel->bound_count++].form = bound;
    }
    return status;
}

hx_status kernel_bind(const hx_kernel *kernel, const struct bind_request *request, struct arena *arena,
                      hx_diag *diag, const struct bound_kernel **ret_bound)
{
    hx_kernel *self = (hx_kernel *)kernel; /* as above */
    pthread_mutex_lock(&self->bound_lock);
    const hx_status status = find_bound(self, request, arena, diag, ret_bound);
    pthread_mutex_unlock(&self->bound_lock);
    return status;
}

/* Does the program launch it in blocks of which a gang has room for several? */
static bool has_small_blocks(const hx_kernel *kernel)
{
    for (size_t i = 0; i < kernel->program->step_count; i++) {
        const struct launch_step *step = &kernel->program->steps[i];
        const uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
        if (step->kernel == kernel->code && threads <= GANG_LANES_MAX / 2)
            return true;
    }
    return false;
}

hx_status hx_kernel_print(const hx_kernel *kernel, hx_write_function write, void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(NULL, kernel);
    DIAG_REQUIRE(NULL, write);
    return lower_print(kernel->lowered, has_small_blocks(kernel) ? kernel->packed : NULL, write, user);
}

const struct lowered_kernel *kernel_lowered(const hx_kernel *kernel)
{
    return kernel->lowered;
}

uint32_t hx_kernel_instructions(const hx_kernel *kernel)
{
    if (!kernel)
        return 0;
    return kernel->code->code_count;
}

const struct kernel *kernel_code(const hx_kernel *kernel)
{
    return kernel->code;
}

uint32_t kernel_access_bytes(const struct instruction *instruction)
{
    const bool memory = shape_is_memory(instruction->opcode->shape);
    return memory ? (uint32_t)hx_type_bytes(instruction->type) * instruction_vector(instruction) : 0;
}
