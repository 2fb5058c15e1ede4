/* Changes of memory: `set PLACE = VALUE`.
 *
 * Takes a place and a value at a step, leaves the memory changed, and the change in a list. A run that is
 * done again makes it at the same step, so that the way back and forth leads through the same past. What came
 * behind that step is another future: snapshots and changes of the old one are forgotten. */
#include "debug/debug.h"

#include <stdio.h>

static bool apply(const struct engine *engine, const struct change *change)
{
    const struct shadow_block *block = state_block(engine, change->block);
    char *host =
        (char *)state_memory(engine, block, change->thread, change->space, change->address, change->bytes);
    if (host)
        memcpy(host, &change->bits, change->bytes);
    return host != NULL;
}

void change_step(const struct engine *engine)
{
    for (size_t i = 0; i < engine->changes.count; i++)
        if (engine->changes.items[i].time == engine->now)
            (void)apply(engine, &engine->changes.items[i]);
}

/* What was done, and printed, from a time on is no more. */
static void forget_from(struct engine *engine, uint64_t time)
{
    snapshots_forget(&engine->snapshots, time - 1);
    if (engine->printed_until >= time)
        engine->printed_until = time - 1;
    if (engine->logged_until >= time)
        engine->logged_until = time - 1;
}

void change_forget_all(struct engine *engine)
{
    if (engine->changes.count > 0)
        forget_from(engine, engine->changes.items[0].time);
    engine->changes.count = 0;
}

/* The first '=' that is no comparison. */
static size_t find_equals(struct slice text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] != '=')
            continue;
        if (i + 1 < text.length && text.at[i + 1] == '=')
            i++;
        else if (i == 0 || !strchr("<>!", text.at[i - 1]))
            return i;
    }
    return text.length;
}

static hx_status read_change(struct hx_debugger *debugger, struct slice rest, struct change *ret_change)
{
    const struct asker asker = debug_asker(debugger);
    const size_t equals = find_equals(rest);
    struct value place, value;
    char wrong[160], text[512];
    if (equals == rest.length)
        return debug_wrong(debugger, "write set y[3] = 5", "no '=' tells what the place is to be");
    const struct slice left = slice_trim((struct slice){rest.at, equals}),
                       right = slice_trim((struct slice){rest.at + equals + 1, rest.length - equals - 1});
    if (expression_value(&asker, left, &place, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    if (!place.has_address || place.count != 1 || place.type == HX_TYPE_NONE || place.space == SPACE_CONSTANT)
        return debug_wrong(debugger, "elements and variables can be set: y[3], tile[0], item.x, *f32 ADDRESS",
                           "'" SLICE_FORMAT "' is no element of memory that can be written",
                           SLICE_ARGS(left));
    const int length = snprintf(text, sizeof text, "(%s) (" SLICE_FORMAT ")",
                                hx_type_name((hx_type)place.type), SLICE_ARGS(right));
    if (length < 0 || (size_t)length >= sizeof text)
        return debug_wrong(debugger, NULL, "the value is too long");
    if (expression_value(&asker, slice_of(text), &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    *ret_change = (struct change){.time = debugger->engine.now,
                                  .block = debugger->engine.focus_block,
                                  .thread = debugger->engine.focus_thread,
                                  .space = place.space,
                                  .address = place.address,
                                  .bytes = type_bytes(place.type),
                                  .bits = value.bits};
    return HX_OK;
}

hx_status command_set(struct hx_debugger *debugger, struct slice rest)
{
    struct engine *engine = &debugger->engine;
    struct change change;
    hx_status status = debug_need_live(debugger);
    if (status == HX_OK)
        status = read_change(debugger, rest, &change);
    if (status != HX_OK)
        return status;
    if (!LIST_RESERVE(engine->allocator, &engine->changes, 1))
        return diag_no_memory(debugger->diag);
    if (!apply(engine, &change))
        return debug_wrong(debugger, NULL, "there is no memory at this place");
    forget_from(engine, change.time);
    while (engine->changes.count > 0 && engine->changes.items[engine->changes.count - 1].time > change.time)
        engine->changes.count--;
    engine->changes.items[engine->changes.count++] = change;
    return HX_OK;
}
