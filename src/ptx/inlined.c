/* Calls that the compiler has inlined, as .loc tells them: function_name and inlined_at (PTX ISA, Debugging
 * Directives: .loc).
 *
 * Takes the .loc directives of a text in their order, leaves for a debugger which bytes of it are of which
 * inlined call, an outer one before those in it. A directive names one call, whose place is that of another
 * directive before it, which may be inlined itself. What stands between two directives has the calls of the
 * first; calls that both have go on. */
#include "ptx/parser.h"

#define DEPTH_MOST     64   /* of calls in each other */
#define LOOK_BACK_MOST 4096 /* directives in which that of a call is looked for */

static bool is_wanted(const struct ptx_parser *parser)
{
    return parser->module->program->for_debugging && parser->linking.modules < 2; /* as its sections are */
}

void ptx_note_loc(struct ptx_parser *parser, struct ptx_loc loc)
{
    loc.statement = parser->statements.count;
    if (is_wanted(parser) && loc.at != UINT64_MAX && !LIST_PUSH(parser->arena->allocator, &parser->locs, loc))
        ptx_no_memory(parser);
}

static bool is_same_place(const struct ptx_loc_place *a, const struct ptx_loc_place *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* The directive that has the place of a call, in the same function; NULL: there is none. */
static const struct ptx_loc *find_call(const struct ptx_loc *first, const struct ptx_loc *loc)
{
    for (unsigned i = 0; loc > first && i < LOOK_BACK_MOST && !loc->begins; i++) {
        const struct ptx_loc *before = loc - 1 - i;
        if (before < first || before->begins)
            break;
        if (is_same_place(&before->place, &loc->call))
            return before;
    }
    return NULL;
}

/* The text that a label of a section and a distance from it name. */
static struct slice name_of(const struct ptx_parser *parser, const struct program_debug *debug,
                            const struct ptx_loc *loc)
{
    const struct slice texts = debug->sections[DEBUG_STR];
    uint64_t address;
    if (!ptx_find_debug_label(parser, loc->label, &address) || address >= texts.length ||
        loc->distance >= texts.length - address)
        return (struct slice){"?", 1};
    const char *const from = texts.at + address + loc->distance;
    const size_t left = texts.length - address - loc->distance;
    const char *const end = memchr(from, 0, left);
    return (struct slice){from, end ? (size_t)(end - from) : left};
}

struct calls {
    struct debug_inlined items[DEPTH_MOST]; /* outer ones first */
    unsigned count;
};

static void read_calls(const struct ptx_parser *parser, const struct program_debug *debug,
                       const struct ptx_loc *loc, struct calls *calls)
{
    const struct ptx_loc *inner[DEPTH_MOST];
    unsigned count = 0;
    for (; loc && loc->is_inlined && count < DEPTH_MOST; loc = find_call(parser->locs.items, loc))
        inner[count++] = loc;
    for (calls->count = 0; calls->count < count; calls->count++) {
        const struct ptx_loc *call = inner[count - 1 - calls->count];
        calls->items[calls->count] = (struct debug_inlined){.name = name_of(parser, debug, call),
                                                            .file = call->call.file,
                                                            .line = call->call.line,
                                                            .column = call->call.column};
    }
}

static bool is_same_call(const struct debug_inlined *a, const struct debug_inlined *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column && slice_same(a->name, b->name);
}

/* The calls that are open at a byte of the text; others end there. */
static bool open_calls(struct program_debug *debug, size_t room, const struct calls *calls, uint64_t at,
                       size_t open[DEPTH_MOST], unsigned *open_count)
{
    unsigned same = 0;
    while (same < *open_count && same < calls->count &&
           is_same_call(&debug->inlined[open[same]], &calls->items[same]))
        same++;
    while (*open_count > same)
        debug->inlined[open[--*open_count]].high = at;
    for (; *open_count < calls->count && debug->inlined_count < room; ++*open_count) {
        struct debug_inlined *made = &debug->inlined[debug->inlined_count];
        *made = calls->items[*open_count];
        made->parent = *open_count ? (uint32_t)open[*open_count - 1] : DEBUG_NOT_INLINED;
        made->low = at;
        open[*open_count] = debug->inlined_count++;
    }
    return *open_count == calls->count;
}

/* So many are opened at most. */
static size_t count_calls(const struct ptx_parser *parser)
{
    size_t count = 0;
    for (size_t i = 0; i < parser->locs.count; i++) {
        const struct ptx_loc *loc = &parser->locs.items[i];
        for (unsigned depth = 0; loc && loc->is_inlined && depth < DEPTH_MOST; depth++) {
            count++;
            loc = find_call(parser->locs.items, loc);
        }
    }
    return count;
}

void ptx_keep_inlined(struct ptx_parser *parser, struct program_debug *debug)
{
    size_t open[DEPTH_MOST];
    unsigned open_count = 0;
    struct calls calls = {.count = 0};
    const size_t room = count_calls(parser);
    if (room == 0 || room >= UINT32_MAX)
        return;
    debug->inlined = ARENA_ARRAY(parser->arena, struct debug_inlined, room);
    if (!debug->inlined) {
        ptx_no_memory(parser);
        return;
    }
    for (size_t i = 0; i < parser->locs.count; i++) {
        const struct ptx_loc *loc = &parser->locs.items[i], *next = loc + 1;
        if (i + 1 < parser->locs.count && !next->begins && next->statement == loc->statement)
            continue; /* nothing stands behind it */
        read_calls(parser, debug, loc, &calls);
        if (!open_calls(debug, room, &calls, loc->at, open, &open_count))
            break;
    }
    calls.count = 0;
    (void)open_calls(debug, room, &calls, parser->module->source->bytes, open, &open_count);
}
