/* What exploring found, in words: decisions, outcomes, counts, as text and as JSON. */
#include "api/explore.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void hx_exploration_free(hx_exploration *exploration)
{
    if (!exploration)
        return;
    const hx_allocator *allocator = exploration->allocator;
    memory_free(allocator, exploration->decisions);
    LIST_DONE(allocator, &exploration->results);
    arena_done(&exploration->arena);
    memory_free(allocator, exploration);
}

const char *hx_exploration_token(const hx_exploration *exploration)
{
    return exploration ? exploration->token : "";
}

uint64_t hx_exploration_runs(const hx_exploration *exploration, uint64_t *ret_results)
{
    if (ret_results)
        *ret_results = exploration ? exploration->results.count : 0;
    return exploration ? exploration->runs : 0;
}

const hx_decision *hx_exploration_decision(const hx_exploration *exploration, size_t index)
{
    return exploration && index < exploration->decision_count ? &exploration->decisions[index] : NULL;
}

hx_outcome_count hx_exploration_outcome(const hx_exploration *exploration, size_t index)
{
    return exploration && index < exploration->outcome_count ? exploration->outcomes[index]
                                                             : (hx_outcome_count){0};
}

const hx_run_result *hx_exploration_result(const hx_exploration *exploration)
{
    return exploration ? &exploration->result : NULL;
}

/* "thread 3 stops", "threads 0 to 31 stop", "7 of threads 0 to 31 stop". */
static void print_threads(struct text *text, const uint32_t *threads, uint32_t count, const char *one,
                          const char *many)
{
    if (count == 1)
        text_print(text, "thread %u%s", threads[0], one);
    else if (count == threads[1] - threads[0] + 1)
        text_print(text, "threads %u to %u%s", threads[0], threads[1], many);
    else
        text_print(text, "%u of threads %u to %u%s", count, threads[0], threads[1], many);
}

static int line_of(const hx_program *program, const hx_decision *decision, uint32_t instruction)
{
    const struct kernel *kernel = &program->kernels[decision->kernel];
    return instruction < kernel->code_count ? kernel->lines[instruction].place.line : 0;
}

static void print_what(const hx_program *program, const hx_decision *decision, struct text *text)
{
    static const struct {
        const char *one, *many;
    } words[] = {[HX_DECISION_PICK] = {" goes on first, from line", " go on first, from line"},
                 [HX_DECISION_CUT] = {" stops before line", " stop before line"},
                 [HX_DECISION_PART] = {" stays behind before line", " stay behind before line"}};
    if (decision->kind >= HX_DECISION_GANGS)
        text_print(text, "block %" PRIu64, decision->block);
    if (decision->kind >= HX_DECISION_PICK) {
        text_print(text, ": ");
        print_threads(text, decision->threads, decision->thread_count, words[decision->kind].one,
                      words[decision->kind].many);
        text_print(text, " %d", line_of(program, decision, decision->instruction));
        return;
    }
    text_print(text, "%s",
               decision->kind == HX_DECISION_BLOCKS  ? "blocks start in another order"
               : decision->kind == HX_DECISION_WIDTH ? "threads are executed in groups of another width"
               : decision->kind == HX_DECISION_GANGS ? ": its warps take turns in another order"
                                                     : " waits while other blocks go on");
}

void explore_print_decision(const hx_program *program, const hx_decision *decision, char *to, size_t bytes)
{
    HX_AUTO(text_done) struct text text = {0};
    print_what(program, decision, &text);
    if (decision->has_next && (decision->kind == HX_DECISION_CUT || decision->kind == HX_DECISION_PART)) {
        text_print(&text, "; then block %" PRIu64 ", ", decision->next_block);
        print_threads(&text, decision->next_threads, decision->next_thread_count, " goes on", " go on");
        text_print(&text, " from line %d", line_of(program, decision, decision->next_instruction));
    }
    snprintf(to, bytes, "%s", text.at ? text.at : "");
}

void explore_describe(const hx_program *program, hx_exploration *exploration)
{
    exploration->lines = ARENA_ARRAY(&exploration->arena, const char *, exploration->decision_count + 1);
    for (size_t i = 0; exploration->lines && i < exploration->decision_count; i++) {
        char line[240];
        explore_print_decision(program, &exploration->decisions[i], line, sizeof line);
        exploration->lines[i] = arena_copy(&exploration->arena, line, strlen(line));
    }
}

static const char *words_of(const hx_exploration *exploration, size_t decision)
{
    return exploration->lines && exploration->lines[decision] ? exploration->lines[decision] : "";
}

static void print_text(const hx_exploration *exploration, struct text *out)
{
    text_print(out, "explore  %" PRIu64 " orders, %zu result%s", exploration->runs,
               exploration->results.count, exploration->results.count == 1 ? "" : "s");
    if (exploration->at_fault > 0)
        text_print(out, ", %" PRIu64 " at fault", exploration->at_fault);
    text_print(out, "\n");
    for (size_t i = 0; i < exploration->outcome_count; i++) {
        const hx_outcome_count *outcome = &exploration->outcomes[i];
        text_print(out, "outcome  %s: %" PRIu64 " order%s, %s\n", outcome->name, outcome->runs,
                   outcome->runs == 1 ? "" : "s", outcome->is);
    }
    for (size_t i = 0; i < exploration->decision_count; i++)
        text_print(out, "%s  %s\n", i == 0 ? "order  " : "       ", words_of(exploration, i));
    if (exploration->token[0])
        text_print(out, "replay   %s\n", exploration->token);
}

static void print_decision(struct json *json, const hx_decision *decision, const char *words)
{
    static const char *const kinds[] = {
        [HX_DECISION_BLOCKS] = "blocks", [HX_DECISION_WIDTH] = "width", [HX_DECISION_GANGS] = "gangs",
        [HX_DECISION_YIELD] = "yield",   [HX_DECISION_PICK] = "pick",   [HX_DECISION_CUT] = "cut",
        [HX_DECISION_PART] = "part"};
    json_open_object(json);
    json_member_str(json, "kind", kinds[decision->kind]);
    json_member_u64(json, "launch", (uint64_t)decision->launch + 1);
    json_member_u64(json, "block", decision->block);
    json_member_array(json, "threads");
    json_u64(json, decision->threads[0]);
    json_u64(json, decision->threads[1]);
    json_close_array(json);
    json_member_u64(json, "instruction", decision->instruction);
    json_member_str(json, "text", words);
    json_close_object(json);
}

static void print_json(const hx_exploration *exploration, struct text *out)
{
    struct json json;
    json_init(&json, out);
    json_open_object(&json);
    json_member_u64(&json, "orders", exploration->runs);
    json_member_u64(&json, "results", exploration->results.count);
    json_member_u64(&json, "at_fault", exploration->at_fault);
    json_member_array(&json, "outcomes");
    for (size_t i = 0; i < exploration->outcome_count; i++) {
        json_open_object(&json);
        json_member_str(&json, "name", exploration->outcomes[i].name);
        json_member_str(&json, "is", exploration->outcomes[i].is);
        json_member_u64(&json, "orders", exploration->outcomes[i].runs);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_member_array(&json, "decisions");
    for (size_t i = 0; i < exploration->decision_count; i++)
        print_decision(&json, &exploration->decisions[i], words_of(exploration, i));
    json_close_array(&json);
    json_member_str(&json, "replay", exploration->token);
    json_close_object(&json);
}

hx_status hx_exploration_print(const hx_exploration *exploration, int json, hx_write_function write,
                               void *user)
{
    DIAG_REQUIRE(NULL, exploration);
    DIAG_REQUIRE(NULL, write);
    HX_AUTO(text_done) struct text out = {.allocator = exploration->allocator};
    if (json)
        print_json(exploration, &out);
    else
        print_text(exploration, &out);
    return out.failed ? HX_NO_MEMORY : write(user, out.at, out.length);
}
