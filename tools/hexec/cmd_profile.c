/* hexec profile: runs a program in passes, as the options of run say, and prints what they found. */
#include "run.h"

hx_status cmd_profile(struct command *command)
{
    struct run run HX_AUTO(run_done) = {.command = command, .wants_profile = true};
    hx_status printed = HX_OK;
    run_execute(&run);
    if (run.profile)
        printed = hx_profile_print_json(run.profile, console_write, command->console);
    return command_keep(run.status, printed);
}
