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

/* A call of the device library: a module in PTX. Its variables are the buffers. */
static size_t write_module(const struct opcode *opcode, const struct format *format, char *text, size_t room)
{
    const char *type = hx_type_name(format->type), *tail = format->bytes == 4 ? "f" : "";
    const int bits = (int)format->bytes * 8, bytes = MACHINE_RESULTS * (int)format->bytes;
    char name[48], second[256] = "", third[64] = "";
    snprintf(name, sizeof name, "__nv_%s%s", opcode->name, tail);
    if (opcode->sources == 2) {
        snprintf(third, sizeof third, ".global .align 8 .b8 b[%d];\n", bytes);
        snprintf(second, sizeof second,
                 "mov.u64 %%rd2, b; add.u64 %%rd2, %%rd2, %%rd1; ld.global.%s %%x2, [%%rd2];\n", type);
    }
    const int length =
        snprintf(text, room,
                 ".version 7.0\n.target sm_70\n.address_size 64\n"
                 ".extern .func (.reg .b%d d) %s (.reg .b%d p%s%d%s);\n"
                 ".global .align 8 .b8 a[%d];\n.global .align 8 .b8 d[%d];\n%s"
                 ".entry accuracy() {\n"
                 ".reg .b32 %%r<4>; .reg .b64 %%rd<3>; .reg .%s %%x<4>;\n"
                 "mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%ntid.x; mov.u32 %%r2, %%tid.x;\n"
                 "mad.lo.u32 %%r3, %%r0, %%r1, %%r2; mul.wide.u32 %%rd1, %%r3, %d;\n"
                 "mov.u64 %%rd0, a; add.u64 %%rd0, %%rd0, %%rd1; ld.global.%s %%x1, [%%rd0];\n"
                 "%s"
                 "call (%%x3), %s, (%%x1%s);\n"
                 "mov.u64 %%rd0, d; add.u64 %%rd0, %%rd0, %%rd1; st.global.%s [%%rd0], %%x3; ret; }\n",
                 bits, name, bits, opcode->sources == 2 ? ", .reg .b" : "", opcode->sources == 2 ? bits : 0,
                 opcode->sources == 2 ? " q" : "", bytes, bytes, third, type, (int)format->bytes, type,
                 second, name, opcode->sources == 2 ? ", %x2" : "", type);
    return length > 0 && (size_t)length < room ? (size_t)length : 0;
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
    char text[2048];
    drop_kernel(machine);
    hx_status status = hx_program_load_bytes(
        "accuracy", NULL, text,
        (opcode->is_library ? write_module : write_program)(opcode, format, text, sizeof text), machine->isa,
        NULL, machine->diag, &machine->program);
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
