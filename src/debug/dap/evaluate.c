/* What users type: expressions, and commands of the debugger at the console of the editor. */
#include "debug/dap/dap.h"
#include "debug/script.h"
#include "debug/table.h"

void dap_focus_on_frame(struct dap *dap, const json_t *arguments)
{
    struct engine *engine = &dap->debugger->engine;
    const int64_t id = dap_integer(arguments, "frameId", 0);
    if (id < 1 || (size_t)id > dap->frames.count || dap_has_ended(dap))
        return;
    engine->focus_block = dap->frames.items[id - 1].block;
    engine->focus_thread = dap->frames.items[id - 1].thread;
    engine->focus_level = dap->frames.items[id - 1].level;
}

static hx_status write_expression(struct dap *dap, const char *expression, char format, struct json *body)
{
    const struct asker asker = debug_asker(dap->debugger);
    struct value value;
    char wrong[160];
    const hx_status status = dap_need_buffers(dap);
    if (status != HX_OK)
        return status;
    if (expression_value(&asker, slice_of(expression), &value, wrong, sizeof wrong) != HX_OK)
        return dap_wrong(dap, NULL, "%s", wrong);
    return dap_write_value(dap, &value, expression, "result", format, body);
}

/* A command of the debugger, and what it says. Where it has moved the run, the client gets an event. */
static hx_status do_command(struct dap *dap, const char *line, struct json *body)
{
    const struct engine *engine = &dap->debugger->engine;
    struct text out HX_AUTO(text_done) = {.allocator = dap->allocator};
    const uint64_t time = engine->now;
    const enum run_state state = engine->state;
    struct dap_before before;
    dap_note_before(dap, &before);
    const hx_status status = hx_debugger_command(dap->debugger, line, text_write, &out, dap->diag);
    dap->debugger->diag = dap->diag;
    dap_tell_changes(dap, &before);
    dap->is_done |= hx_debugger_is_done(dap->debugger) != 0;
    dap->scope = SCOPE_THREAD;
    if (engine->now != time || engine->state != state)
        dap->next = DAP_ANNOUNCE;
    if (status != HX_OK)
        return status;
    if (out.length > 0 && out.at[out.length - 1] == '\n')
        out.at[--out.length] = 0;
    json_member_str(body, "result", out.at ? out.at : "");
    json_member_u64(body, "variablesReference", 0);
    return HX_OK;
}

/* A variable that there is goes before the short form of a command. */
static bool is_value(const struct dap *dap, const char *text)
{
    const struct asker asker = debug_asker(dap->debugger);
    struct slice rest = slice_of(text);
    const struct slice word = debug_word(&rest);
    struct value value;
    char wrong[160];
    for (size_t i = 0; i < debug_command_count; i++)
        if (word.length > 1 && slice_equal(word, debug_commands[i].name))
            return false;
    return expression_value(&asker, slice_of(text), &value, wrong, sizeof wrong) == HX_OK;
}

hx_status dap_evaluate(struct dap *dap, const json_t *arguments, struct json *body)
{
    const char *expression = dap_string(arguments, "expression"), *context = dap_string(arguments, "context");
    const bool is_hex = dap_boolean(json_object_get(arguments, "format"), "hex", false);
    if (!expression)
        return dap_wrong(dap, NULL, "the expression is missing");
    if (dap->is_running)
        return dap_wrong(dap, "pause stops it", "the program is running");
    dap_focus_on_frame(dap, arguments);
    const bool is_typed = context && strcmp(context, "repl") == 0;
    if (is_typed && (script_is_reading(dap->debugger) ||
                     (debug_is_command(slice_of(expression)) && !is_value(dap, expression))))
        return do_command(dap, expression, body);
    return write_expression(dap, expression, is_hex ? 'x' : 0, body);
}

hx_status dap_completions(struct dap *dap, const json_t *arguments, struct json *body)
{
    const char *text = dap_string(arguments, "text");
    const int64_t column = dap_integer(arguments, "column", 1) - (dap->columns_from_1 ? 1 : 0);
    struct text line HX_AUTO(text_done) = {.allocator = dap->allocator};
    if (!text || column < 0)
        return dap_wrong(dap, NULL, "the text or its column is missing");
    text_append(&line, text, (uint64_t)column < strlen(text) ? (size_t)column : strlen(text));
    if (line.failed)
        return HX_NO_MEMORY;
    const char *blank = line.at ? strrchr(line.at, ' ') : NULL;
    const size_t start = blank ? (size_t)(blank + 1 - line.at) : 0;
    json_member_array(body, "targets");
    const char *word;
    for (size_t i = 0; (word = hx_debugger_complete(dap->debugger, line.at ? line.at : "", i)); i++) {
        json_open_object(body);
        json_member_str(body, "label", word);
        json_member_u64(body, "start", start);
        json_member_u64(body, "length", line.length - start);
        json_close_object(body);
    }
    json_close_array(body);
    return HX_OK;
}
