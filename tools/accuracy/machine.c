/* Runs opcodes. Takes an opcode and a type, leaves a kernel that was loaded from text as any other: load,
 * opcode, store, one thread an element. The library is used through its public API alone. */
#include "machine.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 256 };

hx_status machine_open(struct machine *machine, const char *level)
{
    const hx_device_options options = {.size = sizeof options, .workers = 1, .cpu_level = level};
    *machine = (struct machine){0};
    hx_status status = hx_diag_new(NULL, &machine->diag);
    if (status == HX_OK)
        status = hx_isa_load(NULL, NULL, machine->diag, &machine->isa);
    if (status == HX_OK)
        status = hx_device_new(&options, machine->diag, &machine->device);
    return status;
}

static void drop_kernel(struct machine *machine)
{
    for (int i = 0; i < 3; i++)
        if (machine->buffers[i])
            hx_buffer_free(machine->device, machine->buffers[i]);
    hx_kernel_free(machine->kernel);
    hx_program_free(machine->program);
    memset(machine->buffers, 0, sizeof machine->buffers);
    machine->kernel = NULL;
    machine->program = NULL;
}

void machine_close(struct machine *machine)
{
    drop_kernel(machine);
    hx_device_free(machine->device);
    hx_isa_free(machine->isa);
    hx_diag_free(machine->diag);
}

/* The program's text; its length. */
static size_t write_program(const struct opcode *opcode, const struct format *format, char *text, size_t room)
{
    const char *type = hx_type_name(format->type);
    const int step = (int)format->bytes;
    const bool two = opcode->sources == 2;
    char third[96] = "", second_load[64] = "";
    if (two) {
        snprintf(third, sizeof third, "  - {name: b, type: %s, count: %d, access: read}\n", type,
                 MACHINE_RESULTS);
        snprintf(second_load, sizeof second_load, "  ldg.%s r4, [$b + r0*%d]\n", type, step);
    }
    const int length =
        snprintf(text, room,
                 "program: accuracy\n"
                 "launch: {grid: [%d], block: [%d]}\n"
                 "buffers:\n"
                 "  - {name: a, type: %s, count: %d, access: read}\n"
                 "  - {name: d, type: %s, count: %d, access: write}\n"
                 "%s"
                 "code: |\n"
                 "  mov.u32 r0, %%ctaid.x\n"
                 "  mov.u32 r1, %%ntid.x\n"
                 "  mov.u32 r2, %%tid.x\n"
                 "  mad.u32 r0, r0, r1, r2\n"
                 "  ldg.%s r3, [$a + r0*%d]\n"
                 "%s"
                 "  %s.%s r5, r3%s\n"
                 "  stg.%s [$d + r0*%d], r5\n"
                 "  exit\n",
                 MACHINE_RESULTS / THREADS, THREADS, type, MACHINE_RESULTS, type, MACHINE_RESULTS, third,
                 type, step, second_load, opcode->name, type, two ? ", r4" : "", type, step);
    return length > 0 && (size_t)length < room ? (size_t)length : 0;
}

hx_status machine_prepare(struct machine *machine, const struct opcode *opcode, const struct format *format)
{
    static const struct {
        const char *name;
        hx_buffer_access access;
    } buffers[] = {{"a", HX_ACCESS_READ}, {"d", HX_ACCESS_WRITE}, {"b", HX_ACCESS_READ}};
    char text[1024];
    drop_kernel(machine);
    hx_status status =
        hx_program_load_bytes("accuracy", NULL, text, write_program(opcode, format, text, sizeof text),
                              machine->isa, NULL, machine->diag, &machine->program);
    if (status == HX_OK)
        status = hx_kernel_new(machine->program, 0, NULL, machine->diag, &machine->kernel);
    for (unsigned i = 0; status == HX_OK && i < 1 + opcode->sources; i++)
        status = hx_buffer_new(machine->device, buffers[i].name, MACHINE_RESULTS * format->bytes,
                               buffers[i].access, machine->diag, &machine->buffers[i]);
    return status;
}

void *machine_a(struct machine *machine)
{
    return hx_buffer_data(machine->buffers[0]);
}

void *machine_b(struct machine *machine)
{
    return machine->buffers[2] ? hx_buffer_data(machine->buffers[2]) : NULL;
}

void *machine_results(struct machine *machine)
{
    return hx_buffer_data(machine->buffers[1]);
}

hx_status machine_run(struct machine *machine)
{
    const hx_launch_options options = {.size = sizeof options,
                                       .grid = {MACHINE_RESULTS / THREADS, 1, 1},
                                       .block = {THREADS, 1, 1},
                                       .workers = 1};
    hx_launch_result result = {.size = sizeof result};
    return hx_launch(machine->device, machine->kernel, &options, machine->buffers, machine->diag, &result);
}
