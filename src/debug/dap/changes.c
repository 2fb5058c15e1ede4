/* Events for what a command at the console has changed: breakpoints, and values that the client shows.
 *
 * Takes what there was before the command, leaves events for what is another now. */
#include "debug/dap/dap.h"

void dap_note_before(const struct dap *dap, struct dap_before *ret_before)
{
    const struct engine *engine = &dap->debugger->engine;
    *ret_before = (struct dap_before){.changes = engine->change_commands};
    for (size_t i = 0; i < engine->points.count; i++) {
        const struct point *point = engine->points.items[i];
        const struct dap_known_point known = {point->number, point->is_enabled, point->condition};
        if (!LIST_PUSH(dap->allocator, &ret_before->points, known))
            return; /* the command is done, and the client shows what was before */
    }
}

static void send_point(struct dap *dap, const char *reason, const struct point *point, uint32_t number)
{
    struct text text;
    struct json json;
    dap_begin_event(dap, &text, &json, "breakpoint");
    json_member_str(&json, "reason", reason);
    json_member_object(&json, "breakpoint");
    if (point) {
        dap_write_point(dap, &json, point, point->is_enabled, NULL);
    } else {
        json_key(&json, "verified");
        json_bool(&json, false);
        json_member_u64(&json, "id", number);
    }
    json_close_object(&json);
    dap_end_event(dap, &text, &json);
}

/* A client sends all breakpoints of a file again when one of them changes, by their lines: one that has more
 * to it is the console's alone. */
static void tell_new(struct dap *dap, const struct point *point)
{
    const bool is_plain = point->kind == POINT_BREAK && point->line > 0 && point->source &&
                          !point->condition && !point->message && !point->is_temporary &&
                          point->block == ANY_BLOCK && point->thread == ANY_THREAD;
    const struct dap_point own = {.number = point->number, .group = DAP_LINES, .source = point->source};
    if (is_plain && LIST_PUSH(dap->allocator, &dap->points, own))
        send_point(dap, "new", point, point->number);
}

static void forget_point(struct dap *dap, uint32_t number)
{
    size_t kept = 0;
    bool is_own = false;
    for (size_t i = 0; i < dap->points.count; i++)
        if (dap->points.items[i].number == number)
            is_own = true;
        else
            dap->points.items[kept++] = dap->points.items[i];
    dap->points.count = kept;
    if (is_own)
        send_point(dap, "removed", NULL, number);
}

static void tell_points(struct dap *dap, const struct dap_before *before)
{
    const struct engine *engine = &dap->debugger->engine;
    uint32_t last = 0;
    for (size_t i = 0; i < before->points.count; i++) {
        const struct dap_known_point *known = &before->points.items[i];
        const struct point *point = points_find(engine, known->number);
        last = known->number > last ? known->number : last;
        if (!point)
            forget_point(dap, known->number);
        else if ((point->is_enabled != known->is_enabled || point->condition != known->condition) &&
                 dap_is_own_point(dap, point->number, NULL))
            send_point(dap, "changed", point, point->number);
    }
    for (size_t i = 0; i < engine->points.count; i++)
        if (engine->points.items[i]->number > last)
            tell_new(dap, engine->points.items[i]);
}

void dap_tell_changes(struct dap *dap, struct dap_before *before)
{
    const struct engine *engine = &dap->debugger->engine;
    tell_points(dap, before);
    if (dap->takes_invalidated && engine->change_commands != before->changes) {
        struct text text;
        struct json json;
        dap_begin_event(dap, &text, &json, "invalidated");
        json_member_array(&json, "areas");
        json_str(&json, "variables");
        json_close_array(&json);
        dap_end_event(dap, &text, &json);
    }
    LIST_DONE(dap->allocator, &before->points);
}
