/* Buffers in plain memory. Each has `fresh` contents, filled once, and `data` that runs change. */
#include "host_program.h"

#include "program/address.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS_STEP                                                                                         \
    (UINT64_C(1) << 40) /* between buffers: nothing reaches from one to the next by mistake */

static uint64_t *find_addresses(const struct host_program *host)
{
    uint64_t *addresses = calloc(host->program->buffers.count + 1, sizeof *addresses);
    for (size_t i = 0; addresses && i < host->program->buffers.count; i++)
        addresses[i] = host->views[i].address;
    return addresses;
}

static bool fill_addresses(struct host_program *host)
{
    const struct array_list *list = &host->program->buffers;
    uint64_t *addresses = find_addresses(host);
    for (size_t i = 0; addresses && i < list->count; i++)
        address_fill(host->program, &list->items[i], host->buffers[i].fresh, addresses);
    const bool is_there = addresses != NULL;
    free(addresses);
    return is_there;
}

bool host_program_init(struct host_program *host, hx_program *program, hx_diag *diag)
{
    const struct array_list *list = &program->buffers;
    *host = (struct host_program){.program = program};
    if (program_layout(program, diag) != HX_OK)
        return false;
    host->buffers = calloc(list->count + 1, sizeof *host->buffers);
    host->views = calloc(list->count + 1, sizeof *host->views);
    if (!host->buffers || !host->views)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        struct host_buffer *buffer = &host->buffers[i];
        buffer->bytes = list->items[i].count * hx_type_bytes(list->items[i].type);
        buffer->fresh = calloc(buffer->bytes + 1, 1);
        buffer->data = calloc(buffer->bytes + 1, 1);
        if (!buffer->fresh || !buffer->data ||
            program_fill(program, &list->items[i], &list->items[i].fill, buffer->fresh, NULL, NULL, diag) !=
                HX_OK)
            return false;
        host->views[i] = (struct reference_buffer){(i + 1) * ADDRESS_STEP, buffer->bytes, buffer->data};
    }
    if (!fill_addresses(host))
        return false;
    host_program_reset(host);
    return true;
}

void host_program_done(struct host_program *host)
{
    for (size_t i = 0; host->buffers && i < host->program->buffers.count; i++) {
        free(host->buffers[i].fresh);
        free(host->buffers[i].data);
    }
    free(host->buffers);
    free(host->views);
    *host = (struct host_program){0};
}

void host_program_reset(struct host_program *host)
{
    for (size_t i = 0; i < host->program->buffers.count; i++)
        memcpy(host->buffers[i].data, host->buffers[i].fresh, host->buffers[i].bytes);
}

static const void *data_of(void *user, size_t buffer)
{
    const struct host_program *host = user;
    return host->buffers[buffer].data;
}

bool host_program_sequence(struct host_program *host, struct sequence *ret_sequence)
{
    uint64_t *addresses = find_addresses(host);
    const bool is_made = addresses && sequence_init(ret_sequence, host->program, addresses, data_of, host,
                                                    NULL, NULL) == HX_OK;
    free(addresses);
    return is_made;
}

struct reference_launch host_program_launch(const struct host_program *host, const struct launch_step *step)
{
    struct reference_launch launch = {.program = host->program,
                                      .kernel = step->kernel,
                                      .dynamic_shared_bytes = step->dynamic_shared,
                                      .buffers = host->views};
    memcpy(launch.grid, step->grid, sizeof launch.grid);
    memcpy(launch.block, step->block, sizeof launch.block);
    return launch;
}
