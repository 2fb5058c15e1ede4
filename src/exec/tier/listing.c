/* What the compiled tier makes of a kernel, as text for people.
 *
 * Takes a kernel and the shape of its blocks, leaves LLVM IR or assembly. Of the assembly that LLVM prints
 * instructions and labels are kept; in place of `.loc` directives stand the kernel's instructions. */
#include "base/machine.h"
#include "exec/kernel.h"
#include "exec/tier/run.h"
#include "program/limits.h"

#include <stdlib.h>

#define INDENT "        "

struct listing {
    const struct kernel *kernel;
    struct text *text;
    uint32_t near; /* instruction of the last `.loc`: the next one is mostly not far behind */
    bool is_function;
};

/* "12 7" of `.loc 1 12 7 is_stmt 0 # ...`: line and column. */
static bool read_place(struct slice line, int *ret_line, int *ret_column)
{
    char *end;
    const char *at = line.at + strlen(".loc");
    (void)strtol(at, &end, 10); /* the file */
    *ret_line = (int)strtol(end, &end, 10);
    *ret_column = (int)strtol(end, &end, 10);
    return *ret_line > 0;
}

/* The instruction with that place; several may have it, when one line of a source was made into many. */
static bool find_instruction(struct listing *listing, int line, int column)
{
    const uint32_t count = listing->kernel->code_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = (listing->near + i) % count;
        const struct place *place = &listing->kernel->lines[at].place;
        if (place->line == line && place->column == column) {
            listing->near = at;
            return true;
        }
    }
    return false;
}

static void print_place(struct listing *listing, struct slice directive)
{
    int line, column;
    if (!read_place(directive, &line, &column) || !find_instruction(listing, line, column))
        return;
    const struct code_line *code = &listing->kernel->lines[listing->near];
    const struct slice written = slice_trim(source_line(code->place.source, line));
    if (listing->kernel->is_imported && written.length > 0) /* many instructions: what they are made from */
        text_print(listing->text, "%d: " SLICE_FORMAT "\n", line, SLICE_ARGS(written));
    else
        text_print(listing->text, "%d: %s\n", line, code->text);
}

/* What is behind a `#` are LLVM's own notes. */
static struct slice without_note(struct slice line)
{
    const char *note = memchr(line.at, '#', line.length);
    return slice_trim((struct slice){line.at, note ? (size_t)(note - line.at) : line.length});
}

static void print_line(struct listing *listing, struct slice whole)
{
    const struct slice line = slice_trim(whole), code = without_note(line);
    const bool is_label = code.length > 0 && code.at[code.length - 1] == ':';
    if (slice_starts_with(line, ".type"))
        listing->is_function = true; /* constants stand before the first */
    else if (slice_starts_with(line, ".loc"))
        print_place(listing, line);
    else if (code.length == 0 || !listing->is_function)
        return;
    else if (is_label && !slice_starts_with(code, ".Ltmp") && !slice_starts_with(code, ".Lfunc"))
        text_print(listing->text, SLICE_FORMAT "\n", SLICE_ARGS(code));
    else if (code.at[0] != '.' && !is_label)
        text_print(listing->text, INDENT SLICE_FORMAT "\n", SLICE_ARGS(code));
}

static void print_assembly(const struct kernel *kernel, const struct text *assembly, struct text *ret_text)
{
    struct listing listing = {.kernel = kernel, .text = ret_text};
    const char *at = assembly->at, *end = at + assembly->length;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const struct slice line = {at, (size_t)((stop ? stop : end) - at)};
        if (slice_starts_with(slice_trim(line), ".section\t.debug"))
            break;
        print_line(&listing, line);
        at = stop ? stop + 1 : end;
    }
}

/* The block that the kernel requires, or that of the program's first launch of it: what was written in
 * another language has no launch, and stands there with one thread. */
static void find_block(const hx_kernel *kernel, uint32_t *ret_block)
{
    static const uint32_t otherwise[3] = {256, 1, 1};
    memcpy(ret_block, otherwise, sizeof otherwise);
    if (kernel->code->required_block[0] > 0) {
        memcpy(ret_block, kernel->code->required_block, sizeof otherwise);
        return;
    }
    for (size_t i = 0; i < kernel->program->step_count; i++) {
        const struct launch_step *step = &kernel->program->steps[i];
        const bool is_written = !kernel->code->is_imported || (uint64_t)step->block[0] * step->block[1] > 1;
        if (step->kernel == kernel->code && is_written) {
            memcpy(ret_block, step->block, sizeof otherwise);
            return;
        }
    }
}

/* The best level whose handlers this build has. */
static int built_level(void)
{
    int level = (int)machine_cpu_level();
    while (level > CPU_LEVEL_PLAIN && !handlers_at(level))
        level--;
    return level;
}

static hx_status list(const hx_kernel *kernel, enum tier_listing what, struct text *ret_text, hx_diag *diag)
{
    HX_AUTO(arena_done) struct arena arena = {.allocator = kernel->allocator};
    HX_AUTO(text_done) struct text raw = {.allocator = kernel->allocator};
    struct tier_request request = {.allocator = kernel->allocator,
                                   .counts = true,
                                   .warp_lanes = limits_warp_size(0),
                                   .cpu_level = (int)machine_cpu_level()};
    uint32_t block[3];
    find_block(kernel, block);
    const uint32_t threads = block[0] * block[1] * block[2];
    tier_shape(block, request.block);
    char why[TIER_WHY_BYTES] = "";
    const struct bound_kernel *bound = NULL;
    hx_status status = tier_bind(kernel, 0, threads, built_level(), request.warp_lanes, &arena, diag, &bound);
    if (status != HX_OK)
        return status;
    request.bound = bound;
    if (!tier_list(&request, what, &raw, why))
        return diag_report(diag, DIAG_NOT_COMPILED, program_kernel_place(kernel->code), NULL,
                           "kernel '%s' cannot be compiled: %s", kernel->code->name, why);
    text_print(ret_text, "%s %s, for blocks of %u threads\n", what == TIER_LISTING_IR ? ";" : "kernel",
               kernel->code->name, threads);
    if (what == TIER_LISTING_IR)
        text_append(ret_text, raw.at, raw.length);
    else
        print_assembly(kernel->code, &raw, ret_text);
    return raw.failed || ret_text->failed ? diag_no_memory(diag) : HX_OK;
}

hx_status hx_kernel_print_compiled(const hx_kernel *kernel, hx_compiled_text what, hx_write_function write,
                                   void *user, hx_diag *diag)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, kernel);
    DIAG_REQUIRE(diag, write);
    HX_AUTO(text_done) struct text text = {.allocator = kernel->allocator};
    const hx_status status =
        list(kernel, what == HX_COMPILED_IR ? TIER_LISTING_IR : TIER_LISTING_ASSEMBLY, &text, diag);
    return status == HX_OK ? write(user, text.at, text.length) : status;
}
