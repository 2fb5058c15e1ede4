/* A program with a workload's parameters. */
#include "program_side.h"

#include <inttypes.h>
#include <string.h>

static hx_status append(void *user, const char *text, size_t bytes)
{
    struct side *side = user;
    const size_t length = strlen(side->error), room = sizeof side->error - 1 - length;
    strncat(side->error, text, bytes < room ? bytes : room);
    return HX_OK;
}

bool loaded_program_good(const struct loaded_program *loaded, struct side *side, hx_status status)
{
    const size_t count = hx_diag_count(loaded->diag);
    if (status == HX_OK)
        return true;
    side->error[0] = '\0';
    if (count > 0)
        hx_diagnostic_render(hx_diag_at(loaded->diag, count - 1), NULL, append, side);
    else
        strcpy(side->error, "no memory");
    return false;
}

static bool set_params(struct loaded_program *loaded, struct side *side)
{
    const struct workload *workload = &side->workload;
    for (size_t i = 0; i < workload->param_count; i++) {
        const struct workload_param *param = &workload->params[i];
        char value[32];
        if (param->type == ELEMENT_F32)
            snprintf(value, sizeof value, "%.9g", (double)param->value.f32);
        else
            snprintf(value, sizeof value, "%" PRIu64,
                     param->type == ELEMENT_U32 ? param->value.u32 : param->value.u64);
        if (!loaded_program_good(loaded, side,
                                 hx_program_set_param(loaded->program, param->name, value, loaded->diag)))
            return false;
    }
    return true;
}

/* The workload's buffers must be the program's, in its order: a program that has changed must not be measured
 * with the wrong data. */
static bool has_buffers(struct loaded_program *loaded, struct side *side)
{
    const struct workload *workload = &side->workload;
    for (size_t i = 0; i <= workload->buffer_count; i++) {
        const char *expected = i < workload->buffer_count ? workload->buffers[i].name : NULL;
        const char *found = hx_context_buffer_at(loaded->context, i).name;
        if ((expected != NULL) != (found != NULL) || (found && strcmp(expected, found) != 0)) {
            snprintf(side->error, sizeof side->error, "buffer %zu of the program is %s, not %s", i,
                     found ? found : "none", expected ? expected : "none");
            return false;
        }
    }
    return true;
}

bool loaded_program_init(struct loaded_program *loaded, struct side *side, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.yaml", folder, side->workload.name);
    if (hx_diag_new(NULL, &loaded->diag) != HX_OK) {
        strcpy(side->error, "no memory");
        return false;
    }
    const uint64_t start = side_now_ns();
    if (!loaded_program_good(loaded, side, hx_context_new(NULL, loaded->diag, &loaded->context)) ||
        !loaded_program_good(loaded, side, hx_context_load(loaded->context, path, loaded->diag)))
        return false;
    loaded->load_ns = side_now_ns() - start;
    loaded->program = hx_context_program(loaded->context);
    return set_params(loaded, side) && has_buffers(loaded, side);
}

void loaded_program_done(struct loaded_program *loaded)
{
    hx_context_free(loaded->context);
    hx_diag_free(loaded->diag);
}
