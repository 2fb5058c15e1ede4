/* hexec schema: prints the JSON Schema of a kind of file, or lists the kinds. */
#include "command.h"

#include <string.h>

static const struct {
    const char *name, *what;
} kinds[] = {
    [HX_SCHEMA_PROGRAM] = {"program", "a program: kernels, buffers, launches"},
    [HX_SCHEMA_ISA] = {"isa", "an instruction set, for --isa"},
    [HX_SCHEMA_TEST] = {"test", "a vector file, for hexec test"},
    [HX_SCHEMA_PROFILE] = {"profile", "what hexec profile --json prints"},
    [HX_SCHEMA_DEVICE] = {"device", "a GPU that profiles model, for --device"},
    [HX_SCHEMA_COSTS] = {"costs", "what hexec bench isa --write-costs writes"},
    [HX_SCHEMA_FINDINGS] = {"findings", "what --check found, in what hexec run --json prints"},
    [HX_SCHEMA_SUPPRESSIONS] = {"suppressions", "findings that are known, for --suppressions"},
};

static hx_status list_kinds(struct console *console)
{
    hx_status status = HX_OK;
    for (size_t i = 0; i < HX_COUNT_OF(kinds) && status == HX_OK; i++)
        status = console_print(console, "%-12s  %s\n", kinds[i].name, kinds[i].what);
    return status;
}

hx_status cmd_schema(struct command *command)
{
    if (command->options->argument_count == 0)
        return list_kinds(command->console);
    const char *wanted = command->options->arguments[0];
    for (size_t i = 0; i < HX_COUNT_OF(kinds); i++)
        if (strcmp(wanted, kinds[i].name) == 0)
            return hx_schema_print((hx_schema_kind)i, console_write, command->console);
    return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                       "program, isa, test, profile, device, costs, findings or suppressions",
                       "schema: there is no kind of file '%s'", wanted);
}
