/* hexec schema: prints the JSON Schema of a kind of file. */
#include "command.h"

#include <string.h>

hx_status cmd_schema(struct command *command)
{
    static const char *const kinds[] = {
        [HX_SCHEMA_PROGRAM] = "program", [HX_SCHEMA_ISA] = "isa",       [HX_SCHEMA_TEST] = "test",
        [HX_SCHEMA_PROFILE] = "profile", [HX_SCHEMA_DEVICE] = "device", [HX_SCHEMA_COSTS] = "costs"};
    const char *wanted = command->options->arguments[0];
    for (size_t i = 0; i < HX_COUNT_OF(kinds); i++)
        if (strcmp(wanted, kinds[i]) == 0)
            return hx_schema_print((hx_schema_kind)i, console_write, command->console);
    return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                       "program, isa, test, profile, device or costs",
                       "schema: there is no kind of file '%s'", wanted);
}
