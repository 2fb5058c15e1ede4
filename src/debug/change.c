/* Changes of memory and registers: `set PLACE = VALUE`, `set lanes 0-7 PLACE = VALUE`.
 *
 * Takes a place and a value at a step, leaves the place changed, and the change in a list. A run that is
 * done again makes it at the same step, so that the way back and forth leads through the same past. What came
 * behind that step is another future: snapshots and changes of the old one are forgotten. */
#include "debug/expression.h"
#include "debug/table.h"
#include "program/parts.h"

#define WHOLE_MOST 65536 /* bytes of a structure or array */

typedef LIST(struct change) change_list;

static bool apply(const struct engine *engine, const struct change *change)
{
    const struct shadow_block *block = state_block(engine, change->block);
    if (change->is_register)
        return member_set(engine, block, change->thread, change->write, (enum hx_type)change->type,
                          change->bits);
    char *host =
        (char *)state_memory(engine, block, change->thread, change->space, change->address, change->bytes);
    if (host && change->range.count)
        bit_range_put(change->range, change->bits, host);
    else if (host)
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
}

void change_forget_all(struct engine *engine)
{
    if (engine->changes.count > 0)
        forget_from(engine, engine->changes.items[0].time);
    engine->changes.count = 0;
    for (size_t i = 0; i < engine->points.count; i++) /* those of calls are of the run that has been */
        engine->points.items[i]->call.has_ended |= engine->points.items[i]->call.depth > 0;
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

/* ---- Places and values --------------------------------------------------------------------------------- */

/* The bits of a value as an element or register of a type has them. */
static uint64_t bits_as(const struct value *value, enum hx_type type)
{
    if (type == HX_TYPE_PRED)
        return value_is_true(value);
    if (type_is_float(type) && type != HX_TYPE_F64 && !type_is_packed(type))
        return values_float_bits(value_number(value), type);
    return value_converted(value, type).bits;
}

static hx_status no_place(struct hx_debugger *debugger, struct slice left, enum member_place why)
{
    if (why == MEMBER_NO_MEMORY)
        return diag_no_memory(debugger->diag);
    if (why == MEMBER_EXITED)
        return debug_wrong(debugger, NULL, "the thread has exited");
    if (why == MEMBER_READ_ALREADY)
        return debug_wrong(debugger, "go back with reverse-stepi, and set it there",
                           "the next instruction has read '" SLICE_FORMAT "' already", SLICE_ARGS(left));
    return debug_wrong(debugger, "set it where an instruction behind will read it",
                       "nothing reads the value of '" SLICE_FORMAT "' from here on", SLICE_ARGS(left));
}

/* A register: its type is the one at which it was written last, unless the place says another. */
static hx_status aim_at_member(struct hx_debugger *debugger, const struct asker *asker, struct slice left,
                               const struct value *place, struct change *change)
{
    const enum member_place found =
        member_find(asker->engine, asker->block, asker->thread, place->member - 1, &change->write);
    if (found != MEMBER_FOUND)
        return no_place(debugger, left, found);
    change->is_register = true;
    change->type = (uint8_t)(place->is_unwritten ? asker->engine->write_types[change->write] : place->type);
    return HX_OK;
}

static hx_status aim(struct hx_debugger *debugger, const struct asker *asker, struct slice left,
                     struct change *change, struct value *ret_place)
{
    struct asker reading = *asker;
    struct value place;
    char wrong[160];
    reading.takes_unwritten = true;
    if (expression_value(&reading, left, &place, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    *ret_place = place;
    if (place.member)
        return aim_at_member(debugger, asker, left, &place, change);
    if (!place.has_address || place.count != 1 || place.space == SPACE_CONSTANT ||
        (place.type == HX_TYPE_NONE && !place.declared))
        return debug_wrong(
            debugger,
            "registers, elements and variables can be set: r3, p0, y[3], tile[0], item.x, *f32 ADDRESS",
            "'" SLICE_FORMAT "' is nothing that can be written", SLICE_ARGS(left));
    change->space = place.space;
    change->address = place.address;
    change->bytes = place.range.count ? bit_range_bytes(place.range) : type_bytes(place.type);
    change->range = place.range;
    change->type = (uint8_t)place.type;
    if (place.declared && dwarf_type_is_boolean(&asker->engine->dwarf, place.declared - 1))
        change->type = HX_TYPE_PRED; /* its bytes are 0 or 1 */
    return HX_OK;
}

/* Changes of bytes that lie behind each other, in pieces that a number has room for. */
static hx_status add_bytes(struct hx_debugger *debugger, struct change change, const char *bytes,
                           uint64_t count, change_list *list)
{
    for (uint64_t at = 0; at < count; at += change.bytes, change.address += change.bytes) {
        change.bytes = count - at < sizeof change.bits ? (uint32_t)(count - at) : sizeof change.bits;
        change.bits = 0;
        memcpy(&change.bits, bytes + at, change.bytes);
        if (!LIST_PUSH(debugger->engine.allocator, list, change))
            return diag_no_memory(debugger->diag);
    }
    return HX_OK;
}

/* A vector, structure or array: all of it. Its value is read before anything is written. */
static hx_status add_whole(struct hx_debugger *debugger, const struct asker *asker,
                           const struct change *change, const struct value *place, const struct value *value,
                           change_list *list)
{
    const hx_allocator *allocator = debugger->engine.allocator;
    const uint64_t bytes = value_assigned_bytes(asker, place);
    char *const copy = bytes <= WHOLE_MOST ? memory_allocate(allocator, bytes + 1, 1) : NULL;
    char wrong[160];
    hx_status status = copy || bytes > WHOLE_MOST ? HX_OK : diag_no_memory(debugger->diag);
    if (status == HX_OK && !copy)
        status = debug_wrong(debugger, NULL, "at most %d bytes are set at once", WHOLE_MOST);
    else if (status == HX_OK && !value_assigned(asker, place, value, copy, wrong, sizeof wrong))
        status = debug_wrong(debugger, NULL, "%s", wrong);
    if (status == HX_OK)
        status = add_bytes(debugger, *change, copy, bytes, list);
    memory_free(allocator, copy);
    return status;
}

static hx_status read_change(struct hx_debugger *debugger, const struct asker *asker, struct slice left,
                             struct slice right, change_list *list)
{
    struct change change = {
        .time = asker->engine->now, .block = asker->engine->focus_block, .thread = asker->thread};
    struct value place, value;
    char wrong[160];
    const hx_status status = aim(debugger, asker, left, &change, &place);
    if (status != HX_OK)
        return status;
    if (expression_value(asker, right, &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    if (!change.is_register && place.type == HX_TYPE_NONE)
        return add_whole(debugger, asker, &change, &place, &value, list);
    if (value.type == HX_TYPE_NONE)
        return debug_wrong(debugger, NULL, "'" SLICE_FORMAT "' is no number", SLICE_ARGS(right));
    change.bits = bits_as(&value, (enum hx_type)change.type);
    return LIST_PUSH(debugger->engine.allocator, list, change) ? HX_OK : diag_no_memory(debugger->diag);
}

/* ---- Setting ------------------------------------------------------------------------------------------- */

/* Makes changes that are all of one step, and keeps them. */
static hx_status make_changes(struct hx_debugger *debugger, const struct change *changes, size_t count)
{
    struct engine *const engine = &debugger->engine;
    if (!LIST_RESERVE(engine->allocator, &engine->changes, count))
        return diag_no_memory(debugger->diag);
    for (size_t i = 0; i < count; i++)
        if (!apply(engine, &changes[i]))
            return debug_wrong(debugger, NULL, "there is no memory at this place");
    forget_from(engine, engine->now);
    points_change_past(engine, engine->now);
    while (engine->changes.count > 0 && engine->changes.items[engine->changes.count - 1].time > engine->now)
        engine->changes.count--;
    for (size_t i = 0; i < count; i++)
        engine->changes.items[engine->changes.count++] = changes[i];
    engine->change_commands++;
    return HX_OK;
}

hx_status change_set(struct hx_debugger *debugger, const struct asker *asker, struct slice place,
                     struct slice value)
{
    change_list list = {0};
    hx_status status = read_change(debugger, asker, place, value, &list);
    if (status == HX_OK)
        status = make_changes(debugger, list.items, list.count);
    LIST_DONE(debugger->engine.allocator, &list);
    return status;
}

/* "0-3,8", "all": bits of the warp's lanes; 0: it is something else. */
static uint64_t read_lanes(struct slice word)
{
    uint64_t lanes = 0;
    if (slice_equal(word, "all"))
        return UINT64_MAX;
    while (word.length > 0) {
        const char *const comma = memchr(word.at, ',', word.length);
        const size_t length = comma ? (size_t)(comma - word.at) : word.length;
        const char *const dash = memchr(word.at, '-', length);
        const size_t first_length = dash ? (size_t)(dash - word.at) : length;
        uint64_t first, last;
        if (number_parse_u64((struct slice){word.at, first_length}, &first) != NUMBER_OK)
            return 0;
        last = first;
        if (dash && number_parse_u64((struct slice){dash + 1, length - first_length - 1}, &last) != NUMBER_OK)
            return 0;
        if (first > last || last >= LANES_PER_CHUNK)
            return 0;
        lanes |= (UINT64_MAX >> (63 - (last - first))) << first;
        word.at += length + (comma != NULL);
        word.length -= length + (comma != NULL);
    }
    return lanes;
}

/* Each lane's value is that of the expression for its own thread. Lanes that have exited have none. */
static hx_status set_lanes(struct hx_debugger *debugger, uint64_t lanes, struct slice place,
                           struct slice value)
{
    const struct engine *const engine = &debugger->engine;
    struct asker asker = debug_asker(debugger);
    change_list list = {0};
    struct thread_place at;
    hx_status status = HX_OK;
    const uint32_t width = state_warp_lanes(engine), first = asker.thread - asker.thread % width;
    for (uint32_t lane = 0; lane < width && status == HX_OK; lane++) {
        asker.thread = first + lane;
        if (!(lanes >> lane & 1) || !asker.block || !state_gang(asker.block, asker.thread) ||
            !state_place(engine, asker.block, asker.thread, &at))
            continue;
        status = read_change(debugger, &asker, place, value, &list);
    }
    if (status == HX_OK && list.count == 0)
        status = debug_wrong(debugger, NULL, "none of these lanes is there, or all of them have exited");
    if (status == HX_OK)
        status = make_changes(debugger, list.items, list.count);
    LIST_DONE(debugger->engine.allocator, &list);
    return status;
}

/* What scripts for gdb set first, and has no meaning here: the lines go on. */
static bool is_setting(struct slice rest)
{
    static const char *const names[] = {"pagination",
                                        "confirm",
                                        "print",
                                        "width",
                                        "height",
                                        "verbose",
                                        "history",
                                        "logging",
                                        "listsize",
                                        "style",
                                        "cuda",
                                        "non-stop",
                                        "scheduler-locking",
                                        "breakpoint",
                                        "disassemble-next-line"};
    const bool has_equals = find_equals(rest) < rest.length;
    const struct slice first = debug_word(&rest);
    bool is_one = false;
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        is_one |= slice_equal(first, names[i]);
    return is_one && !has_equals && rest.length > 0;
}

hx_status command_set(struct hx_debugger *debugger, struct slice rest)
{
    if (is_setting(rest))
        return HX_OK;
    const hx_status status = debug_need_live(debugger);
    struct slice more = rest;
    const bool has_lanes = slice_equal(debug_word(&more), "lanes");
    struct slice behind = rest;
    const struct slice first = debug_word(&behind); /* set var x = 3, as other debuggers have it */
    if ((slice_equal(first, "var") || slice_equal(first, "variable")) && behind.length > 0 &&
        behind.at[0] != '=')
        rest = behind;
    const struct slice word = has_lanes ? debug_word(&more) : more;
    const uint64_t lanes = has_lanes ? read_lanes(word) : 0;
    if (status != HX_OK)
        return status;
    if (has_lanes && !lanes)
        return debug_wrong(debugger, "write set lanes 0-7 r3 = 5, or set lanes all r3 = 5",
                           "'" SLICE_FORMAT "' are no lanes of a warp", SLICE_ARGS(word));
    const struct slice whole = has_lanes ? more : rest;
    const size_t equals = find_equals(whole);
    if (equals == whole.length)
        return debug_wrong(debugger, "write set y[3] = 5", "no '=' tells what the place is to be");
    const struct slice place = slice_trim((struct slice){whole.at, equals});
    const struct slice value = slice_trim((struct slice){whole.at + equals + 1, whole.length - equals - 1});
    const struct asker asker = debug_asker(debugger);
    const hx_status set =
        has_lanes ? set_lanes(debugger, lanes, place, value) : change_set(debugger, &asker, place, value);
    points_remove_ended(&debugger->engine, debugger->out);
    return set;
}
