/* Breakpoints, watchpoints, and stops where the mask splits: does the run stop here?
 *
 * A condition is an expression that is evaluated for each thread at the breakpoint; it holds if it does for
 * one of them, and the first such thread is the one that the stop is about. A watchpoint is noticed before
 * the access, and stops before the next step, when the access is done. */
#include "debug/debug.h"

struct point *points_find(const struct engine *engine, uint64_t number)
{
    for (size_t i = 0; i < engine->points.count; i++)
        if (engine->points.items[i]->number == number)
            return engine->points.items[i];
    return NULL;
}

void point_free(struct engine *engine, struct point *point)
{
    memory_free(engine->allocator, point->place);
    memory_free(engine->allocator, point->condition);
    memory_free(engine->allocator, point->message);
    memory_free(engine->allocator, point->commands);
    memory_free(engine->allocator, point->places);
    expression_free(point->test);
    for (size_t i = 0; i < point->inserted_count; i++)
        expression_free(point->inserted[i]);
    memory_free(engine->allocator, point->inserted);
    memory_free(engine->allocator, point);
}

bool points_match(const struct point *point, const struct kernel *kernel, uint32_t instruction)
{
    if (point->kind != POINT_BREAK || !point->is_enabled || (point->kernel && point->kernel != kernel))
        return false;
    for (size_t i = 0; i < point->place_count; i++)
        if (point->places[i].kernel == kernel && point->places[i].instruction == instruction)
            return true;
    return !point->line && !point->place_count && instruction == point->instruction;
}

/* Is a thread's stop wanted by a command that is about one thread, warp or block? */
static bool is_wanted(const struct engine *engine, const struct point *point, uint64_t block, uint32_t thread)
{
    const struct stepping *step = &engine->goal.step;
    const uint32_t width = state_warp_lanes(engine);
    if (!engine->goal.is_limited || step->scope == SCOPE_ANY || point->message)
        return true;
    return block == step->block && (step->scope == SCOPE_BLOCK || thread == step->thread ||
                                    (step->scope == SCOPE_WARP && thread / width == step->thread / width));
}

/* The first thread of `lanes` for which the condition holds, and that the point is about. */
static bool holds(const struct engine *engine, const struct point *point, const struct moment *at,
                  uint64_t lanes, uint32_t *ret_thread)
{
    struct asker asker = {.engine = engine, .block = state_block(engine, at->block)};
    if (point->block != ANY_BLOCK && point->block != at->block)
        return false;
    for (; lanes; lanes &= lanes - 1) {
        char wrong[128];
        struct value value;
        asker.thread = at->first_thread + (uint32_t)__builtin_ctzll(lanes);
        if ((point->thread != ANY_THREAD && point->thread != asker.thread) ||
            !is_wanted(engine, point, at->block, asker.thread))
            continue;
        /* where it has no value (a register that is not written yet) it does not hold; a vector is no
         * condition, and stops rather than never */
        if (point->test && (expression_evaluate(point->test, &asker, &value, wrong, sizeof wrong) != HX_OK ||
                            !(value.type == HX_TYPE_NONE || value_is_true(&value))))
            continue;
        *ret_thread = asker.thread;
        return true;
    }
    return false;
}

/* What a point prints in place of a stop: {EXPRESSION} is its value. */
static void print_message(struct engine *engine, const struct point *point, uint32_t thread,
                          const struct moment *at)
{
    const struct asker asker = {.engine = engine, .block = state_block(engine, at->block), .thread = thread};
    const char *text = point->message;
    for (size_t number = 0; *text; number++) {
        const size_t plain = strcspn(text, "{"), inside = text[plain] ? strcspn(text + plain + 1, "}") : 0;
        struct value value;
        char wrong[128];
        text_append(&engine->printed, text, plain);
        text += plain;
        if (!*text)
            break;
        struct expression_tree *read = point->inserted[number];
        if ((read ? expression_evaluate(read, &asker, &value, wrong, sizeof wrong)
                  : expression_value(&asker, (struct slice){text + 1, inside}, &value, wrong,
                                     sizeof wrong)) == HX_OK)
            value_show(&asker, &value, 0, &engine->printed);
        else
            text_print(&engine->printed, "<%s>", wrong);
        text += 1 + inside;
        text += *text == '}';
    }
    text_append(&engine->printed, "\n", 1);
}

/* Counts a hit; does it stop? A goal that records neither counts nor ignores, for its steps were counted when
 * the program first did them. */
static bool hit(struct engine *engine, struct point *point, uint32_t thread, const struct moment *at)
{
    const bool records = engine->goal.records;
    if (!records)
        point->hits++;
    if (!records && point->ignore > 0) {
        point->ignore--;
        return false;
    }
    if (!point->message)
        return true;
    if (!records)
        print_message(engine, point, thread, at);
    return false;
}

/* Has the stop this point already, first or beside others? */
static bool has_noted(const struct finding *found, uint32_t number)
{
    bool is_there = found->reason == REASON_POINT && found->point == number;
    for (uint32_t i = 0; i < found->also_count; i++)
        is_there |= found->also[i] == number;
    return is_there;
}

void points_note(struct finding *found, uint32_t number)
{
    if (!has_noted(found, number) && found->also_count < ALSO_MOST)
        found->also[found->also_count++] = number;
}

static bool stops(struct engine *engine, struct point *point, const struct moment *at, uint64_t lanes,
                  struct finding *ret_found)
{
    uint32_t thread;
    if (!holds(engine, point, at, lanes, &thread) || !hit(engine, point, thread, at))
        return false;
    if (ret_found->reason == REASON_NONE) { /* the first one says what the stop is about */
        ret_found->reason = REASON_POINT;
        ret_found->point = point->number;
        ret_found->thread = thread;
    } else {
        points_note(ret_found, point->number);
    }
    if (point->is_temporary && !engine->goal.records)
        point->is_enabled = false;
    return true;
}

bool points_at_step(struct engine *engine, const struct moment *at, struct finding *ret_found)
{
    bool any = false;
    for (size_t i = 0; i < engine->points.count; i++) {
        struct point *point = engine->points.items[i];
        if (points_match(point, engine->kernel, at->instruction))
            any |= stops(engine, point, at, at->standing, ret_found);
    }
    return any;
}

bool points_at_branch(struct engine *engine, const struct moment *at, struct finding *ret_found)
{
    bool any = false;
    for (size_t i = 0; i < engine->points.count; i++) {
        struct point *point = engine->points.items[i];
        if (point->kind == POINT_DIVERGE && point->is_enabled)
            any |= stops(engine, point, at, at->lanes, ret_found);
    }
    return any;
}

/* ---- Watchpoints --------------------------------------------------------------------------------------- */

/* The bytes that a point watches, up to 8 of them from `address` on, as a number. */
static uint64_t watched_bytes(const struct engine *engine, uint64_t block, uint32_t thread, int space,
                              uint64_t address, uint32_t bytes)
{
    uint64_t value = 0;
    const char *host = state_memory(engine, state_block(engine, block), thread, space, address, bytes);
    if (host)
        memcpy(&value, host, bytes < sizeof value ? bytes : sizeof value);
    return value;
}

bool points_bits_of(const struct point *point, uint64_t address, uint32_t bytes, uint64_t *bits)
{
    const struct bit_range range = point->range;
    const uint64_t first = 8 * (point->address - address) + range.first;
    if (range.count == 0 || address > point->address || first + range.count > 8 * (uint64_t)bytes)
        return false;
    *bits = *bits >> first;
    if (range.count < 64) {
        const uint64_t mask = (UINT64_C(1) << range.count) - 1;
        const bool is_negative = type_is_signed(point->type) && (*bits >> (range.count - 1) & 1);
        *bits = is_negative ? *bits | ~mask : *bits & mask;
    }
    return true;
}

/* Has a watched place another value than before? Of a bit-field what stands beside it in the bytes that were
 * written is not asked about. */
static bool has_changed(const struct point *point, const struct finding *found)
{
    uint64_t before = found->before, after = found->after;
    (void)points_bits_of(point, found->address, found->bytes, &before);
    (void)points_bits_of(point, found->address, found->bytes, &after);
    return before != after;
}

static bool overlaps(const struct point *point, const hx_access_event *event, uint64_t address)
{
    const bool wanted = (event->is_load && (point->access & WATCH_READ)) ||
                        (event->is_store && (point->access & (WATCH_CHANGE | WATCH_WRITE)));
    return wanted && address < point->address + point->bytes && point->address < address + event->lane_bytes;
}

/* Keeps an access; of several lanes that write one place the last one's value is what stays. */
static void keep(struct engine *engine, const struct finding *access)
{
    for (size_t i = 0; i < engine->pending.count; i++)
        if (engine->pending.items[i].point == access->point &&
            engine->pending.items[i].address == access->address) {
            engine->pending.items[i] = *access;
            return;
        }
    if (!LIST_PUSH(engine->allocator, &engine->pending, *access))
        engine->failed = true;
}

/* What of one lane's access is watched, in pieces that a number has room for: what stands beside it in the
 * bytes of the access is not asked about. */
static void keep_access(struct engine *engine, const struct point *point, const hx_access_event *event,
                        uint32_t lane)
{
    const uint32_t thread = event->at.first_thread + lane, room = sizeof(uint64_t);
    const uint64_t begin = event->addresses[lane], end = begin + event->lane_bytes;
    uint64_t address = point->address < begin ? begin : point->address;
    const uint64_t last = point->bytes > end - point->address ? end : point->address + point->bytes;
    for (uint32_t bytes; overlaps(point, event, begin) && address < last; address += bytes) {
        bytes = last - address < room ? (uint32_t)(last - address) : room;
        const struct finding access = {
            .reason = REASON_POINT,
            .at = engine->at,
            .point = point->number,
            .thread = thread,
            .is_access = true,
            .is_store = event->is_store != 0,
            .instruction = event->at.instruction,
            .address = address,
            .bytes = bytes,
            .before = watched_bytes(engine, event->at.block, thread, event->space, address, bytes)};
        keep(engine, &access);
    }
}

static void keep_accesses(struct engine *engine, const struct point *point, const hx_access_event *event)
{
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), thread = event->at.first_thread + lane;
        /* Addresses of local memory are those of each thread. */
        if (point->thread == ANY_THREAD || point->thread == thread)
            keep_access(engine, point, event, lane);
    }
}

void points_at_access(struct engine *engine, const hx_access_event *event)
{
    for (size_t i = 0; i < engine->points.count; i++) {
        const struct point *point = engine->points.items[i];
        if (point->kind == POINT_WATCH && point->is_enabled && point->space == event->space &&
            points_is_in_call(engine, point) &&
            (point->block == ANY_BLOCK || point->block == event->at.block))
            keep_accesses(engine, point, event);
    }
}

static bool stops_after(struct engine *engine, struct finding *found)
{
    struct point *point = points_find(engine, found->point);
    uint32_t thread;
    if (!point)
        return false;
    found->after =
        watched_bytes(engine, found->at.block, found->thread, point->space, found->address, found->bytes);
    if (point->access == WATCH_CHANGE && !has_changed(point, found))
        return false;
    const struct moment at = {.block = found->at.block,
                              .first_thread = found->thread - found->thread % state_warp_lanes(engine)};
    return holds(engine, point, &at, UINT64_C(1) << (found->thread - at.first_thread), &thread) &&
           hit(engine, point, thread, &found->at);
}

bool points_after_access(struct engine *engine, struct finding *ret_found)
{
    bool any = false;
    for (size_t i = 0; i < engine->pending.count; i++) {
        struct finding *found = &engine->pending.items[i];
        if ((any && has_noted(ret_found, found->point)) || !stops_after(engine, found))
            continue;
        if (any) {
            points_note(ret_found, found->point);
            continue;
        }
        any = true;
        *ret_found = *found;
        ret_found->at.time = engine->now; /* behind the access, and that is where the run is */
    }
    engine->pending.count = 0;
    return any;
}
