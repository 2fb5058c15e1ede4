/* Which thread commands are about: focus, thread, block, cuda.
 *
 * Takes words with numbers or coordinates, "block (1,0,0) thread 5", leaves the focus on that thread. */
#include "debug/table.h"

enum word_kind { WORD_BLOCK, WORD_THREAD, WORD_WARP, WORD_LANE, WORD_OTHER, WORD_KINDS };

/* What the words name; `has` says which of them there are. */
struct wanted {
    bool has[WORD_KINDS];
    uint64_t numbers[WORD_KINDS];
};

/* 5; (1,2,3) or 1,2,3 along the axes of a shape, of which those at the end may be missing. */
bool debug_read_index(struct slice text, const uint32_t *shape, uint64_t *ret_number)
{
    const bool has_parentheses = text.length > 1 && text.at[0] == '(' && text.at[text.length - 1] == ')';
    uint64_t scale = 1;
    if (has_parentheses)
        text = (struct slice){text.at + 1, text.length - 2};
    if (!has_parentheses && number_parse_u64(text, ret_number) == NUMBER_OK)
        return true;
    *ret_number = 0;
    for (int axis = 0; axis < 3; axis++) {
        const char *const comma = text.length ? memchr(text.at, ',', text.length) : NULL;
        const size_t length = comma ? (size_t)(comma - text.at) : text.length;
        uint64_t number;
        if (number_parse_u64(slice_trim((struct slice){text.at, length}), &number) != NUMBER_OK ||
            number >= shape[axis])
            return false;
        *ret_number += number * scale;
        scale *= shape[axis];
        if (!comma)
            return true;
        text = (struct slice){comma + 1, text.length - length - 1};
    }
    return false;
}

/* A number, or what stands in parentheses, blanks among it. */
struct slice debug_take_index(struct slice *rest)
{
    const char *const close = rest->length && rest->at[0] == '(' ? memchr(rest->at, ')', rest->length) : NULL;
    if (!close)
        return debug_word(rest);
    const struct slice text = {rest->at, (size_t)(close + 1 - rest->at)};
    *rest = slice_trim((struct slice){close + 1, rest->length - text.length});
    return text;
}

static enum word_kind find_kind(struct slice word)
{
    static const char *const words[] = {"block", "thread", "warp", "lane", "kernel", "grid", "device", "sm"};
    size_t i = 0;
    while (i < HX_COUNT_OF(words) && !slice_equal(word, words[i]))
        i++;
    return i == HX_COUNT_OF(words) ? WORD_KINDS : i < WORD_OTHER ? (enum word_kind)i : WORD_OTHER;
}

/* "block 1 thread (5,0,0)". A word without a number is a question, as cuda-gdb has it: `cuda block thread`.
 */
static hx_status read_words(struct hx_debugger *debugger, struct slice rest, struct wanted *wanted)
{
    static const uint32_t endless[] = {UINT32_MAX, 1, 1};
    const hx_launch_options *launch = &debugger->engine.options.launch;
    while (rest.length > 0) {
        struct slice word = debug_word(&rest);
        const char *const open = memchr(word.at, '(', word.length); /* block(1,0,0) */
        if (open && open > word.at) {
            rest = (struct slice){open, (size_t)(rest.at + rest.length - open)};
            word.length = (size_t)(open - word.at);
        }
        const enum word_kind kind = find_kind(word);
        if (kind == WORD_KINDS)
            return debug_wrong(debugger, "write block N thread N, or block (X,Y,Z) thread (X,Y,Z)",
                               "'" SLICE_FORMAT "' is neither block nor thread", SLICE_ARGS(word));
        const bool is_question = rest.length == 0 || !(text_is_digit(rest.at[0]) || rest.at[0] == '(');
        if (is_question)
            continue;
        const struct slice text = debug_take_index(&rest);
        const uint32_t *shape = kind == WORD_BLOCK    ? launch->grid
                                : kind == WORD_THREAD ? launch->block
                                                      : endless;
        if (!debug_read_index(text, shape, &wanted->numbers[kind]) ||
            (kind == WORD_OTHER && wanted->numbers[kind] > 0)) /* one launch goes on, on one device */
            return debug_wrong(debugger, "info launch shows how many there are",
                               "there is no " SLICE_FORMAT " " SLICE_FORMAT, SLICE_ARGS(word),
                               SLICE_ARGS(text));
        wanted->has[kind] = true;
    }
    return HX_OK;
}

void debug_print_focus(struct hx_debugger *debugger)
{
    const struct asker asker = debug_asker(debugger);
    struct thread_place place;
    state_print_thread(asker.engine, asker.engine->focus_block, asker.thread, debugger->out);
    if (!asker.block)
        text_print(debugger->out, ": the block is not running; break PLACE block %llu stops in it\n",
                   (unsigned long long)asker.engine->focus_block);
    else if (!state_place(asker.engine, asker.block, asker.thread, &place))
        text_print(debugger->out, ": has exited\n");
    else {
        text_append(debugger->out, "\n", 1);
        debug_print_line(debugger, place.instruction);
    }
}

/* The thread that is meant: of another block the first, of a warp the lane that the focus had. */
static uint64_t thread_of(const struct engine *engine, const struct wanted *wanted)
{
    const uint64_t width = state_warp_lanes(engine);
    uint64_t thread = wanted->has[WORD_BLOCK] ? 0 : engine->focus_thread;
    if (wanted->has[WORD_THREAD])
        return wanted->numbers[WORD_THREAD];
    if (wanted->has[WORD_WARP] && wanted->numbers[WORD_WARP] > UINT32_MAX)
        return UINT64_MAX; /* there are no such threads */
    if (wanted->has[WORD_WARP])
        thread = wanted->numbers[WORD_WARP] * width + thread % width;
    if (wanted->has[WORD_LANE])
        thread = thread - thread % width + wanted->numbers[WORD_LANE];
    return thread;
}

hx_status command_focus(struct hx_debugger *debugger, struct slice rest)
{
    struct engine *engine = &debugger->engine;
    const uint32_t *grid = engine->options.launch.grid, *shape = engine->options.launch.block;
    struct wanted wanted = {.has = {false}};
    hx_status status = debug_need_live(debugger);
    if (status == HX_OK)
        status = read_words(debugger, rest, &wanted);
    if (status != HX_OK)
        return status;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    const uint32_t threads = shape[0] * shape[1] * shape[2];
    const uint64_t block = wanted.has[WORD_BLOCK] ? wanted.numbers[WORD_BLOCK] : engine->focus_block,
                   thread = thread_of(engine, &wanted);
    const bool is_lane = !wanted.has[WORD_LANE] || wanted.numbers[WORD_LANE] < state_warp_lanes(engine);
    if (block >= blocks || thread >= threads || !is_lane)
        return debug_wrong(debugger, NULL, "there are blocks 0 to %llu and threads 0 to %u, in warps of %u",
                           (unsigned long long)(blocks - 1), threads - 1, state_warp_lanes(engine));
    if (block != engine->focus_block || thread != engine->focus_thread)
        engine->focus_level = 0;
    engine->focus_block = block;
    engine->focus_thread = (uint32_t)thread;
    debug_print_focus(debugger);
    return HX_OK;
}

/* block (1,0,0) thread 5, thread 3: as focus. */
static hx_status focus_with(struct hx_debugger *debugger, const char *word, struct slice rest)
{
    struct text words HX_AUTO(text_done) = {.allocator = debugger->engine.allocator};
    text_print(&words, "%s " SLICE_FORMAT, word, SLICE_ARGS(rest));
    return words.failed ? HX_NO_MEMORY : command_focus(debugger, slice_of(words.at));
}

hx_status command_thread(struct hx_debugger *debugger, struct slice rest)
{
    return focus_with(debugger, "thread", rest);
}

hx_status command_block(struct hx_debugger *debugger, struct slice rest)
{
    return focus_with(debugger, "block", rest);
}
