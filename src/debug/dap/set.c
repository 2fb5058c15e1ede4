/* What users change: values of variables and registers, and of whatever else an expression names.
 *
 * Takes a place and the text of a value, leaves the place changed as the command `set` does, and answers with
 * the value that it has then. */
#include "debug/dap/dap.h"

#include <stdio.h>
#include <string.h>

/* The new value: of the place, as the thread has it now. */
static hx_status write_value(struct dap *dap, const struct asker *asker, const char *place, char format,
                             struct json *body)
{
    struct value value;
    char wrong[160];
    if (expression_value(asker, slice_of(place), &value, wrong, sizeof wrong) != HX_OK)
        return dap_wrong(dap, NULL, "%s", wrong);
    return dap_write_value(dap, &value, place, "value", format, body);
}

static hx_status set(struct dap *dap, const struct asker *asker, const char *place, const json_t *arguments,
                     struct json *body)
{
    const char *const value = dap_string(arguments, "value");
    const bool is_hex = dap_boolean(json_object_get(arguments, "format"), "hex", false);
    if (!value)
        return dap_wrong(dap, NULL, "the value is missing");
    dap->debugger->diag = dap->diag;
    const hx_status status = change_set(dap->debugger, asker, slice_of(place), slice_of(value));
    return status == HX_OK ? write_value(dap, asker, place, is_hex ? 'x' : 0, body) : status;
}

/* The expression of a variable of a reference, by the name that `variables` gave it; false: it has none that
 * can be set. A lane's register is that of another thread. */
static bool find_place(const struct dap *dap, const struct dap_reference *from, const char *name,
                       char place[DAP_EXPRESSION], struct asker *asker)
{
    unsigned lane, thread;
    int length = 0;
    switch (from->kind) {
    case DAP_REGISTERS:
        length = snprintf(place, DAP_EXPRESSION, "$%s", name);
        break;
    case DAP_LANE_VALUES:
        if (sscanf(name, "lane %u (thread %u)", &lane, &thread) != 2)
            return false;
        asker->thread = thread;
        length = snprintf(place, DAP_EXPRESSION, "$%c%u", from->member < REGISTER_COUNT ? 'r' : 'p',
                          from->member % REGISTER_COUNT);
        break;
    case DAP_ELEMENTS:
        length = snprintf(place, DAP_EXPRESSION, "%s%s", from->name, name);
        break;
    case DAP_ARGUMENTS:
    case DAP_LOCALS:
    case DAP_PARTS:
        dap_source_expression(dap, from, name, place);
        return place[0] != 0;
    case DAP_LANES:
        return false;
    default:
        asker->has_own_names = true;
        length = snprintf(place, DAP_EXPRESSION, "%s", name);
        break;
    }
    return length > 0 && length < DAP_EXPRESSION;
}

hx_status dap_set_variable(struct dap *dap, const json_t *arguments, struct json *body)
{
    struct engine *const engine = &dap->debugger->engine;
    const int64_t number = dap_integer(arguments, "variablesReference", 0);
    const char *const name = dap_string(arguments, "name");
    char place[DAP_EXPRESSION];
    const hx_status status = dap_need_stop(dap);
    if (status != HX_OK)
        return status;
    if (number < 1 || (size_t)number > dap->references.count || !name)
        return dap_wrong(dap, "scopes and variables give them", "there is no variable '%s' in reference %lld",
                         name ? name : "", (long long)number);
    const struct dap_reference from = dap->references.items[number - 1];
    struct asker asker = {.engine = engine,
                          .block = state_block(engine, from.block),
                          .thread = from.thread,
                          .level = from.level};
    if (!asker.block)
        return dap_wrong(dap, NULL, "block %llu does not run", (unsigned long long)from.block);
    if (!find_place(dap, &from, name, place, &asker))
        return dap_wrong(dap, "open it, and set one of its lanes", "'%s' cannot be set as a whole", name);
    engine->focus_block = from.block;
    engine->focus_thread = asker.thread;
    engine->focus_level = from.level;
    return set(dap, &asker, place, arguments, body);
}

hx_status dap_set_expression(struct dap *dap, const json_t *arguments, struct json *body)
{
    const char *const expression = dap_string(arguments, "expression");
    const hx_status status = dap_need_stop(dap);
    if (status != HX_OK)
        return status;
    if (!expression)
        return dap_wrong(dap, NULL, "the expression is missing");
    dap_focus_on_frame(dap, arguments);
    const struct asker asker = debug_asker(dap->debugger);
    return set(dap, &asker, expression, arguments, body);
}
