/* Replay tokens.
 *
 * A token is four hexadecimal numbers, "PROGRAM-ISA-INPUT-SEED": checksums of the program's file and of the
 * code that a compiler made of it, of the instruction set, and of everything that a run's options give it
 * (parameters, shape, the buffers' first contents), and the seed that its order was drawn from. Who has the
 * token and the files can run the same again, and learns which of them is another one if not.
 *
 * Behind the seed may stand which of the decisions that it draws are taken, which exploring finds: "/N" for
 * one in N of them, or "+K.K.K" for those with these keys; "+" alone is the natural order. */
#include "api/replay.h"

#include "base/crc32.h"
#include "program/limits.h"
#include "program/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct token {
    uint32_t checksums[3];
    uint64_t seed;
    const char *decisions; /* the rest, with its first character; "" */
};

static bool read_token(const char *text, struct token *ret_token)
{
    int length = 0;
    struct token token;
    if (strspn(text, "0123456789abcdefABCDEF-+./") != strlen(text) ||
        sscanf(text, "%8" SCNx32 "-%8" SCNx32 "-%8" SCNx32 "-%16" SCNx64 "%n", &token.checksums[0],
               &token.checksums[1], &token.checksums[2], &token.seed, &length) != 4 ||
        (text[length] && !strchr("+/", text[length])) || token.seed == 0)
        return false;
    token.decisions = text + length;
    *ret_token = token;
    return true;
}

static bool read_keys(const char *text, struct hx_schedule *schedule, uint64_t *keys)
{
    while (*text) {
        int length = 0;
        if (schedule->listed_count >= REPLAY_KEYS_MAX ||
            sscanf(text, "%8" SCNx64 "%n", &keys[schedule->listed_count], &length) != 1)
            return false;
        schedule->listed_count++;
        text += length + (text[length] == '.');
    }
    qsort(keys, schedule->listed_count, sizeof *keys, schedule_compare_keys);
    return true;
}

static bool read_decisions(const struct token *token, struct hx_schedule *schedule, uint64_t *keys)
{
    int length = 0;
    schedule->seed = token->seed;
    schedule->listed = keys;
    if (token->decisions[0] == '+') {
        schedule->rule = SCHEDULE_LISTED;
        return read_keys(token->decisions + 1, schedule, keys);
    }
    schedule->rule = SCHEDULE_SOME;
    return sscanf(token->decisions, "/%18" SCNu64 "%n", &schedule->one_in, &length) == 1 &&
           !token->decisions[length] && schedule->one_in > 0;
}

void replay_add_decisions(const struct hx_schedule *schedule, char token[HX_REPLAY_TOKEN_BYTES])
{
    size_t used = strlen(token);
    if (schedule->rule == SCHEDULE_SOME || schedule->listed_count > REPLAY_KEYS_MAX) {
        snprintf(token + used, HX_REPLAY_TOKEN_BYTES - used, "/%" PRIu64, schedule->one_in);
        return;
    }
    for (size_t i = 0; i < schedule->listed_count; i++)
        used += (size_t)snprintf(token + used, HX_REPLAY_TOKEN_BYTES - used, "%s%" PRIx64, i ? "." : "+",
                                 schedule->listed[i]);
    if (schedule->listed_count == 0)
        snprintf(token + used, HX_REPLAY_TOKEN_BYTES - used, "+");
}

hx_status replay_seed(const char *text, hx_diag *diag, uint64_t *ret_seed, struct replay_order *order)
{
    struct token token;
    order->has_schedule = false;
    const bool is_token = read_token(text, &token);
    if (is_token && token.decisions[0]) {
        order->schedule = (struct hx_schedule){0};
        order->has_schedule = read_decisions(&token, &order->schedule, order->keys);
    }
    if (!is_token || (token.decisions[0] && !order->has_schedule))
        return diag_report(diag, DIAG_REPLAY_TOKEN, (struct place){0},
                           "give the word that a run with --seed or --explore prints behind 'replay'",
                           "'%s' is not a replay token", text);
    *ret_seed = token.seed;
    return HX_OK;
}

static void add(uint32_t *checksum, uint64_t value)
{
    const uint64_t pair[] = {*checksum, value};
    *checksum = crc32_of(pair, sizeof pair);
}

uint32_t replay_inputs(hx_context *context, const hx_run_options *options)
{
    const hx_program *program = hx_context_program(context);
    const hx_launch_options *launch = &options->launch;
    uint32_t checksum = 0;
    add(&checksum, options->repeat > 1 ? options->repeat : 1);
    add(&checksum, options->kernel ? crc32_of(options->kernel, strlen(options->kernel)) : 0);
    add(&checksum, limits_warp_size(launch->warp_size));
    add(&checksum, options->has_dynamic_shared ? launch->dynamic_shared_bytes + 1 : 0);
    for (int i = 0; i < 3; i++) {
        add(&checksum, options->has_grid ? launch->grid[i] : 0);
        add(&checksum, options->has_block ? launch->block[i] : 0);
    }
    for (size_t i = 0; i < program->param_count; i++)
        add(&checksum, program->params[i].bits);
    hx_array_view view;
    for (size_t i = 0; (view = hx_context_buffer_at(context, i)).name; i++)
        add(&checksum, crc32_of(view.data, view.count * hx_type_bytes(view.type)));
    return checksum;
}

static bool is_compiled(const hx_program *program)
{
    for (size_t i = 0; i < program->kernel_count; i++)
        if (program->kernels[i].is_imported)
            return true;
    return false;
}

/* Orders are of instructions: of what is compiled in another way they mean nothing. */
static uint32_t program_checksum(const hx_program *program)
{
    uint32_t checksum = program->crc;
    for (size_t i = 0; is_compiled(program) && i < program->kernel_count; i++) {
        const struct kernel *kernel = &program->kernels[i];
        add(&checksum, crc32_of(kernel->words, kernel->code_count * sizeof *kernel->words));
    }
    return checksum;
}

void replay_token(hx_context *context, const hx_run_options *options, uint64_t seed,
                  char token[HX_REPLAY_TOKEN_BYTES])
{
    const hx_program *program = hx_context_program(context);
    snprintf(token, HX_REPLAY_TOKEN_BYTES, "%08" PRIx32 "-%08" PRIx32 "-%08" PRIx32 "-%" PRIx64,
             program_checksum(program), program->isa->crc, replay_inputs(context, options), seed);
}

int hx_context_fits_replay(hx_context *context, const char *token)
{
    const hx_program *program = context ? hx_context_program(context) : NULL;
    struct token read;
    return program && token && read_token(token, &read) && read.checksums[0] == program_checksum(program);
}

hx_status replay_compare(const hx_program *program, const char *asked, const char *now, hx_diag *diag)
{
    const char *const parts[] = {is_compiled(program) ? "the program's file or the code compiled of it"
                                                      : "the program's file",
                                 "the instruction set", "the parameters, the shape or a buffer's contents"};
    const char *const hints[] = {
        "give the same files and options as the run that printed the token",
        "give the same files and options as the run that printed the token; --optimized compiles as "
        "hexec run does",
        "give the same files and options as the run that printed the token; without --optimized the debugger "
        "finds out how its code was compiled"};
    const size_t hint = is_compiled(program) && program->for_debugging >= 0 && program->for_debugging < 3
                            ? (size_t)program->for_debugging
                            : 0;
    struct token then = {0}, here = {0};
    hx_status status = HX_OK;
    if (!read_token(asked, &then) || !read_token(now, &here))
        return HX_INVALID;
    for (size_t i = 0; i < HX_COUNT_OF(parts); i++)
        if (then.checksums[i] != here.checksums[i])
            status = diag_report(diag, DIAG_REPLAY_DIFFERS, (struct place){0}, hints[i == 0 ? hint : 0],
                                 "this is not the run of the token: %s is another", parts[i]);
    return status;
}
