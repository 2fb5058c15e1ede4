/* Breakpoints on lines: the instructions before which they stop.
 *
 * Takes a line of a source, leaves its places in each kernel. Of code that is compiled without optimization
 * one in each function and in each of its inlined copies: the first of the line, so that a statement over
 * several lines stops once, and a loop's head where the loop begins. Optimized code has a line in pieces, of
 * which any may be the one that a loop repeats: each of them is a place. A line that closes a function and
 * has no code is the function's end. */
#include "debug/debug.h"

typedef LIST(struct code_place) place_list;

/* What has one place of a line: a function, or a copy of it that is inlined. */
struct owner {
    const struct debug_unit *unit;
    uint32_t function;
    uint32_t first; /* instruction of the line in it */
};
typedef LIST(struct owner) owner_list;

int points_next_line(const hx_program *program, const struct source *source, int line)
{
    int best = 0;
    for (size_t k = 0; k < program->kernel_count; k++)
        for (uint32_t i = 0; i < program->kernels[k].code_count; i++) {
            const int at = state_line(&program->kernels[k], i);
            if (at >= line && (best == 0 || at < best) &&
                state_same_source(state_source(&program->kernels[k], i), source))
                best = at;
        }
    return best;
}

static bool is_of_line(const struct kernel *kernel, uint32_t instruction, const struct point *point)
{
    return state_line(kernel, instruction) == point->line &&
           state_same_source(state_source(kernel, instruction), point->source);
}

/* Have statements their instructions in one piece for each function? */
static bool is_plain(const hx_program *program, const struct kernel *kernel)
{
    return kernel->debug && program->for_debugging == 1 && program->debug &&
           program->debug->sections[DEBUG_INFO].length > 0;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

/* Where a function begins that stores its parameters at an instruction, behind that. */
static uint32_t behind_head(const hx_program *program, const struct kernel *kernel,
                            const struct debug_unit *unit, uint32_t instruction)
{
    const uint32_t begin = unit ? points_begin(program, kernel, unit) : 0;
    return instruction < begin ? begin : instruction;
}

static bool add(const struct engine *engine, const struct kernel *kernel, uint32_t instruction,
                place_list *places)
{
    const struct code_place place = {kernel, instruction};
    for (size_t i = 0; i < places->count; i++)
        if (places->items[i].kernel == kernel && places->items[i].instruction == instruction)
            return true;
    return LIST_PUSH(engine->allocator, places, place);
}

/* Is the instruction a place of its function, of which there may be one before? A kernel that a kernel calls
 * is copied: each copy has the same statements. */
static bool take(const struct engine *engine, const struct kernel *kernel, uint32_t instruction,
                 owner_list *owners, bool *ret_is_place)
{
    const uint32_t *positions = kernel->debug->positions;
    const struct owner own = {unit_of(kernel, instruction),
                              scope_function(&engine->dwarf, scope_at(engine, kernel, instruction)),
                              instruction};
    for (size_t i = 0; i < owners->count; i++) {
        const struct owner *other = &owners->items[i];
        if (other->unit != own.unit || other->function != own.function)
            continue;
        *ret_is_place = instruction > other->first && positions[instruction] == positions[other->first] &&
                        positions[instruction] != positions[instruction - 1];
        return true;
    }
    *ret_is_place = true;
    return LIST_PUSH(engine->allocator, owners, own);
}

/* Does it make an address, or copy what is none of the thread's coordinates? */
static bool makes_address(const struct instruction *instruction)
{
    switch (instruction_semantic(instruction)) {
    case SEM_mov:
        return instruction->operands[1].kind != OPERAND_SPECIAL;
    case SEM_cvta_global:
    case SEM_cvta_shared:
    case SEM_cvta_local:
    case SEM_cvta_const:
    case SEM_cvta_to_global:
    case SEM_cvta_to_shared:
    case SEM_cvta_to_local:
    case SEM_cvta_to_const:
        return true;
    default:
        return false;
    }
}

/* Of a run of instructions of the line, in the middle of another line: the compiler makes an address once,
 * where it is wanted first, with the place at which it is wanted last. */
static bool is_address_alone(const struct kernel *kernel, uint32_t first, const struct point *point)
{
    uint32_t end = first;
    for (; end < kernel->code_count && is_of_line(kernel, end, point); end++)
        if (!makes_address(&kernel->code[end]))
            return false;
    return first > 0 && end < kernel->code_count &&
           state_line(kernel, first - 1) == state_line(kernel, end) &&
           state_same_source(state_source(kernel, first - 1), state_source(kernel, end));
}

/* `last`: what the first pass has left out, where a function has nothing else of the line. */
static bool add_of_pass(const struct engine *engine, const struct kernel *kernel, const struct point *point,
                        bool last, owner_list *owners, place_list *places)
{
    const hx_program *program = hx_context_program(engine->context);
    bool good = true, is_alone = false;
    for (uint32_t i = 0; good && i < kernel->code_count; i++) {
        bool is_place = false;
        if (!is_of_line(kernel, i, point))
            continue;
        if (i == 0 || !is_of_line(kernel, i - 1, point))
            is_alone = is_address_alone(kernel, i, point);
        if (is_alone && !last)
            continue;
        good =
            take(engine, kernel, i, owners, &is_place) &&
            (!is_place || add(engine, kernel, behind_head(program, kernel, unit_of(kernel, i), i), places));
    }
    return good;
}

static bool add_plain(const struct engine *engine, const struct kernel *kernel, const struct point *point,
                      place_list *places)
{
    owner_list owners = {0};
    const bool good = add_of_pass(engine, kernel, point, false, &owners, places) &&
                      add_of_pass(engine, kernel, point, true, &owners, places);
    LIST_DONE(engine->allocator, &owners);
    return good;
}

/* The first of each run of instructions with the line; and not where the line goes on behind a call in it
 * that is inlined. */
static bool add_pieces(const struct engine *engine, const struct kernel *kernel, const struct point *point,
                       place_list *places)
{
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (is_of_line(kernel, i, point) &&
            (i == 0 ||
             (!is_of_line(kernel, i - 1, point) && !scope_returns_to(engine, kernel, i, point->line))) &&
            !add(engine, kernel, i, places))
            return false;
    return true;
}

/* ---- The end of a function ----------------------------------------------------------------------------- */

/* The last line before this one that has code; 0: there is none. */
static int last_line(const hx_program *program, const struct source *source, int line)
{
    int best = 0;
    for (size_t k = 0; k < program->kernel_count; k++)
        for (uint32_t i = 0; i < program->kernels[k].code_count; i++) {
            const int at = state_line(&program->kernels[k], i);
            if (at < line && at > best && state_same_source(state_source(&program->kernels[k], i), source))
                best = at;
        }
    return best;
}

/* The unit in which the line before has code, and no line behind it: the brace there is the function's end,
 * since all that returns has been done in the line before. */
static bool ends_unit(const struct kernel *kernel, const struct debug_unit *unit, const struct point *before,
                      int line)
{
    bool has_before = false;
    for (uint32_t i = unit->first; i < unit->end && i < kernel->code_count; i++) {
        if (!state_same_source(state_source(kernel, i), before->source))
            continue;
        if (state_line(kernel, i) > line)
            return false;
        has_before |= is_of_line(kernel, i, before);
    }
    return has_before;
}

/* The last instruction that has the frame. */
static uint32_t close_of(const struct kernel *kernel, const struct debug_unit *unit)
{
    return unit->close < unit->end && unit->close < kernel->code_count ? unit->close : unit->end - 1;
}

/* The functions that end in the line, which has no code; places may be NULL: it asks whether there are any.
 */
static bool add_ends(const struct engine *engine, const hx_program *program, const struct point *point,
                     place_list *places, bool *ret_is_end)
{
    struct point before = *point;
    before.line = last_line(program, point->source, point->line);
    *ret_is_end = false;
    for (size_t k = 0; before.line > 0 && k < program->kernel_count; k++) {
        const struct kernel *const kernel = &program->kernels[k];
        for (size_t u = 0; kernel->debug && u < kernel->debug->unit_count; u++) {
            const struct debug_unit *const unit = &kernel->debug->units[u];
            if (unit->end <= unit->first || !ends_unit(kernel, unit, &before, point->line))
                continue;
            *ret_is_end = true;
            if (places && !add(engine, kernel, close_of(kernel, unit), places))
                return false;
        }
    }
    return true;
}

/* A brace without code. */
static bool is_end_of_function(const hx_program *program, const struct source *source, int line)
{
    const struct slice text = slice_trim(source_line(source, line));
    const struct point point = {.source = source, .line = line};
    bool is_end = false;
    if (program->debug && program->for_debugging == 1 && program->level == HX_SOURCE_WRITTEN &&
        slice_starts_with(text, "}") && !slice_starts_with(text, "};"))
        (void)add_ends(NULL, program, &point, NULL, &is_end);
    return is_end;
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

bool points_aim_at_line(const hx_program *program, const struct source *source, int64_t line,
                        struct point *point)
{
    point->source = source;
    point->line = line > 0 && line <= INT32_MAX ? points_next_line(program, source, (int)line) : 0;
    if (line > 0 && line <= INT32_MAX && point->line != line &&
        is_end_of_function(program, source, (int)line))
        point->line = (int)line;
    return point->line != 0;
}

bool points_find_line(const struct engine *engine, struct point *point)
{
    const hx_program *program = hx_context_program(engine->context);
    const bool has_code = points_next_line(program, point->source, point->line) == point->line;
    place_list places = {0};
    bool is_end, good = has_code || add_ends(engine, program, point, &places, &is_end);
    for (size_t k = 0; has_code && good && k < program->kernel_count; k++) {
        const struct kernel *kernel = &program->kernels[k];
        good = is_plain(program, kernel) ? add_plain(engine, kernel, point, &places)
                                         : add_pieces(engine, kernel, point, &places);
    }
    if (!good) {
        LIST_DONE(engine->allocator, &places);
        return false;
    }
    point->places = places.items;
    point->place_count = places.count;
    return true;
}
