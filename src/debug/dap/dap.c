/* The server of the Debug Adapter Protocol: reads requests, answers them, sends events.
 *
 * It takes the requests of one client and a function that opens programs, and leaves answers. Each request is
 * a row of the table below. A request that lets the program run is answered first; dap_go does it then. */
#include "debug/dap/dap.h"
#include "base/thread.h"

#include <unistd.h>

static hx_status dap_initialize(struct dap *dap, const json_t *arguments, struct json *body);
static hx_status dap_launch(struct dap *dap, const json_t *arguments, struct json *body);
static hx_status dap_attach(struct dap *dap, const json_t *arguments, struct json *body);
static hx_status dap_disconnect(struct dap *dap, const json_t *arguments, struct json *body);

static const struct request {
    const char *command;
    dap_function function;
    bool early; /* may come before launch */
} requests[] = {
    {"initialize", dap_initialize, true},
    {"launch", dap_launch, true},
    {"attach", dap_attach, true},
    {"disconnect", dap_disconnect, true},
    {"terminate", dap_terminate, true},
    {"configurationDone", dap_configuration_done, false},
    {"setBreakpoints", dap_set_breakpoints, false},
    {"setFunctionBreakpoints", dap_set_function_breakpoints, false},
    {"setInstructionBreakpoints", dap_set_instruction_breakpoints, false},
    {"setDataBreakpoints", dap_set_data_breakpoints, false},
    {"dataBreakpointInfo", dap_data_breakpoint_info, false},
    {"setExceptionBreakpoints", dap_set_exception_breakpoints, false},
    {"breakpointLocations", dap_breakpoint_locations, false},
    {"continue", dap_continue, false},
    {"next", dap_next_step, false},
    {"stepIn", dap_step_in, false},
    {"stepOut", dap_step_out, false},
    {"stepBack", dap_step_back, false},
    {"reverseContinue", dap_reverse_continue, false},
    {"pause", dap_pause, false},
    {"restart", dap_restart, false},
    {"exceptionInfo", dap_exception_info, false},
    {"threads", dap_threads, false},
    {"stackTrace", dap_stack_trace, false},
    {"source", dap_source, false},
    {"scopes", dap_scopes, false},
    {"variables", dap_variables, false},
    {"evaluate", dap_evaluate, false},
    {"setVariable", dap_set_variable, false},
    {"setExpression", dap_set_expression, false},
    {"completions", dap_completions, false},
    {"disassemble", dap_disassemble, false},
    {"readMemory", dap_read_memory, false},
};

hx_status dap_wrong(struct dap *dap, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const hx_status status = debug_report(dap->diag, hint, format, arguments);
    va_end(arguments);
    return status;
}

hx_status dap_need_stop(struct dap *dap)
{
    if (dap->is_running)
        return dap_wrong(dap, "pause stops it", "the program is running");
    dap->debugger->diag = dap->diag;
    return debug_need_live(dap->debugger);
}

bool dap_has_ended(const struct dap *dap)
{
    return !dap->is_running && dap->debugger->engine.state == RUN_ENDED;
}

hx_status dap_need_buffers(struct dap *dap)
{
    return dap_has_ended(dap) ? HX_OK : dap_need_stop(dap);
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

/* Sends what was written. The session ends when the client does not read any more. */
static void send(struct dap *dap, struct text *text)
{
    const hx_status status = wire_write(&dap->wire, text);
    text_done(text);
    if (status != HX_OK && dap->status == HX_OK)
        dap->status = status;
    dap->is_done |= status != HX_OK;
}

static void begin_message(struct dap *dap, struct text *text, struct json *json, const char *type)
{
    text_init(text, dap->allocator);
    json_init(json, text);
    json_open_object(json);
    json_member_u64(json, "seq", ++dap->sequence);
    json_member_str(json, "type", type);
}

void dap_begin_event(struct dap *dap, struct text *text, struct json *json, const char *event)
{
    begin_message(dap, text, json, "event");
    json_member_str(json, "event", event);
    json_member_object(json, "body");
}

void dap_end_event(struct dap *dap, struct text *text, struct json *json)
{
    json_close_object(json);
    json_close_object(json);
    send(dap, text);
}

void dap_send_output(struct dap *dap, const char *category, const char *text, size_t length)
{
    struct text out;
    struct json json;
    if (length == 0)
        return;
    dap_begin_event(dap, &out, &json, "output");
    json_member_str(&json, "category", category);
    json_key(&json, "output");
    text_print_json_string(&out, text, length);
    dap_end_event(dap, &out, &json);
}

/* Why a request failed: what its diagnostics say, and the cure. */
static void write_failure(struct dap *dap, struct json *json, hx_status status)
{
    char message[640];
    const hx_diagnostic *first = NULL;
    for (size_t i = 0; i < hx_diag_count(dap->diag) && !first; i++)
        if (hx_diag_at(dap->diag, i)->severity == HX_ERROR)
            first = hx_diag_at(dap->diag, i);
    if (!first)
        text_put(message, sizeof message, hx_status_sentence(status));
    else if (first->file && first->line > 0)
        snprintf(message, sizeof message, "%s:%d: %s%s%s", first->file, first->line, first->message,
                 first->hint ? "; " : "", first->hint ? first->hint : "");
    else
        snprintf(message, sizeof message, "%s%s%s", first->message, first->hint ? "; " : "",
                 first->hint ? first->hint : "");
    json_member_str(json, "message", message);
    json_member_object(json, "body");
    json_member_object(json, "error");
    json_member_u64(json, "id", ++dap->error_count);
    json_member_str(json, "format", "{text}");
    json_member_object(json, "variables");
    json_member_str(json, "text", message);
    json_close_object(json);
    json_key(json, "showUser");
    json_bool(json, true);
    json_close_object(json);
    json_close_object(json);
}

static void answer(struct dap *dap, const json_t *request, const char *command, hx_status status,
                   const struct text *body)
{
    struct text text;
    struct json json;
    begin_message(dap, &text, &json, "response");
    json_key(&json, "request_seq");
    json_i64(&json, dap_integer(request, "seq", 0));
    json_key(&json, "success");
    json_bool(&json, status == HX_OK);
    json_member_str(&json, "command", command);
    if (status != HX_OK)
        write_failure(dap, &json, status);
    else if (body->length > 2) {
        json_key(&json, "body"); /* which writes its colon; the value is there as text */
        text_append(&text, body->at, body->length);
    }
    json_close_object(&json);
    send(dap, &text);
}

static const struct request *find_request(const char *command)
{
    for (size_t i = 0; command && i < HX_COUNT_OF(requests); i++)
        if (strcmp(requests[i].command, command) == 0)
            return &requests[i];
    return NULL;
}

/* What comes is not understood, which the client may have no other way to see. */
static void say_wrong_input(struct dap *dap, const char *wrong)
{
    struct text text HX_AUTO(text_done) = {.allocator = dap->allocator};
    text_print(&text, "hexec: %s\n", wrong);
    dap_send_output(dap, "important", text.at ? text.at : "", text.length);
}

static void handle(struct dap *dap, const json_t *message)
{
    const char *type = dap_string(message, "type"), *command = dap_string(message, "command");
    const struct request *request = find_request(command);
    struct text body HX_AUTO(text_done) = {.allocator = dap->allocator};
    struct json json;
    hx_status status;
    if (json_is_string(message)) {
        say_wrong_input(dap, json_string_value(message));
        pthread_mutex_lock(&dap->lock);
        dap->wrong_input = "a message was not an object of JSON";
        pthread_mutex_unlock(&dap->lock);
        return;
    }
    if (!type || strcmp(type, "request") != 0)
        return; /* an answer: the server asks nothing */
    hx_diag_clear(dap->diag);
    dap->next = DAP_STAY;
    if (dap->debugger)
        dap->debugger->diag = dap->diag;
    json_init(&json, &body);
    json_open_object(&json);
    if (!request)
        status = dap_wrong(dap, NULL, "there is no request '%s'", command ? command : "");
    else if (!request->early && !dap->debugger)
        status = dap_wrong(dap, NULL, "'%s' comes before launch", command);
    else
        status = request->function(dap, json_object_get(message, "arguments"), &json);
    json_close_object(&json);
    answer(dap, message, command ? command : "", body.failed ? HX_NO_MEMORY : status, &body);
    if (status != HX_OK)
        dap->next = DAP_STAY;
    else if (request->function == dap_launch) { /* which the client's breakpoints wait for */
        struct text text;
        begin_message(dap, &text, &json, "event");
        json_member_str(&json, "event", "initialized");
        json_close_object(&json);
        send(dap, &text);
    }
}

/* ---- The session --------------------------------------------------------------------------------------- */

static const char *const capabilities[] = {"supportsConfigurationDoneRequest",
                                           "supportsFunctionBreakpoints",
                                           "supportsConditionalBreakpoints",
                                           "supportsHitConditionalBreakpoints",
                                           "supportsLogPoints",
                                           "supportsDataBreakpoints",
                                           "supportsInstructionBreakpoints",
                                           "supportsEvaluateForHovers",
                                           "supportsStepBack",
                                           "supportsSteppingGranularity",
                                           "supportsExceptionInfoRequest",
                                           "supportsDisassembleRequest",
                                           "supportsReadMemoryRequest",
                                           "supportsSetVariable",
                                           "supportsSetExpression",
                                           "supportsCompletionsRequest",
                                           "supportsTerminateRequest",
                                           "supportsRestartRequest",
                                           "supportsBreakpointLocationsRequest",
                                           "supportsValueFormattingOptions",
                                           "supportsDelayedStackTraceLoading"};

static void write_filter(struct json *json, const char *filter, const char *label, const char *description,
                         bool is_default)
{
    json_open_object(json);
    json_member_str(json, "filter", filter);
    json_member_str(json, "label", label);
    json_member_str(json, "description", description);
    json_key(json, "default");
    json_bool(json, is_default);
    json_close_object(json);
}

static hx_status dap_initialize(struct dap *dap, const json_t *arguments, struct json *body)
{
    const char *format = dap_string(arguments, "pathFormat");
    dap->lines_from_1 = dap_boolean(arguments, "linesStartAt1", true);
    dap->columns_from_1 = dap_boolean(arguments, "columnsStartAt1", true);
    dap->has_uris = format && strcmp(format, "uri") == 0;
    dap->takes_invalidated = dap_boolean(arguments, "supportsInvalidatedEvent", false);
    if (format && !dap->has_uris && strcmp(format, "path") != 0)
        return dap_wrong(dap, "path and uri are understood", "paths are not read as '%s'", format);
    for (size_t i = 0; i < HX_COUNT_OF(capabilities); i++) {
        json_key(body, capabilities[i]);
        json_bool(body, true);
    }
    json_member_array(body, "exceptionBreakpointFilters");
    write_filter(body, "fault", "Faults", "Stops where an instruction cannot be done", true);
    write_filter(body, "finding", "Findings", "Stops behind what --check finds wrong", true);
    write_filter(body, "diverge", "Branches that split a warp",
                 "Stops at a branch that some lanes of a warp take and some do not", false);
    json_close_array(body);
    return HX_OK;
}

/* The reader interrupts no debugger that is freed. */
static void set_interruptible(struct dap *dap, hx_debugger *debugger)
{
    pthread_mutex_lock(&dap->lock);
    dap->interruptible = debugger;
    pthread_mutex_unlock(&dap->lock);
}

static void close_program(struct dap *dap)
{
    set_interruptible(dap, NULL);
    hx_debugger_free(dap->debugger);
    dap->debugger = NULL;
    if (dap->context)
        dap->server->close(dap->server->user, dap->context);
    dap->context = NULL;
}

/* What opening the program has to say: warnings and notes, and of a failure all errors with their lines. One
 * error without a line is in the answer as a whole. */
static void say_diagnostics(struct dap *dap, hx_status status)
{
    static const hx_render_options plain = {0};
    if (status != HX_OK && hx_diag_count(dap->diag) == 1 && !hx_diag_at(dap->diag, 0)->file)
        return;
    struct text text HX_AUTO(text_done) = {.allocator = dap->allocator};
    for (size_t i = 0; i < hx_diag_count(dap->diag); i++)
        (void)hx_diagnostic_render(hx_diag_at(dap->diag, i), &plain, text_write, &text);
    dap_send_output(dap, "stderr", text.at ? text.at : "", text.length);
}

static hx_status dap_launch(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)body;
    const char *program = dap_string(arguments, "program");
    char path[PATH_MAX];
    if (program && dap_read_path(program, path)) {
        program = path;
        dap_note_path(dap, program);
    }
    const json_t *list = json_object_get(arguments, "args");
    const size_t count = json_is_array(list) ? json_array_size(list) : 0;
    hx_run_options run = {.size = sizeof run};
    if (dap->debugger)
        return dap_wrong(dap, "restart begins it again", "the program was launched already");
    const char **words = memory_allocate(dap->allocator, count + 1, sizeof *words);
    if (!words)
        return diag_no_memory(dap->diag);
    hx_status status = list && !json_is_array(list) ? dap_wrong(dap, NULL, "'args' is not a list") : HX_OK;
    for (size_t i = 0; i < count && status == HX_OK; i++)
        if (!(words[i] = json_string_value(json_array_get(list, i))))
            status = dap_wrong(dap, NULL, "item %zu of 'args' is not a text", i);
    if (status == HX_OK)
        status = dap->server->open(dap->server->user, program, words, count, dap->diag, &dap->context, &run);
    memory_free(dap->allocator, (void *)words);
    const hx_debug_options options = {.size = sizeof options, .run = &run};
    if (status == HX_OK)
        status = hx_debugger_new(dap->context, &options, dap->diag, &dap->debugger);
    say_diagnostics(dap, status);
    if (status != HX_OK) {
        close_program(dap);
        return status;
    }
    set_interruptible(dap, dap->debugger);
    dap->no_debug = dap_boolean(arguments, "noDebug", false);
    dap->stops_on_entry = !dap->no_debug && dap_boolean(arguments, "stopOnEntry", false);
    dap->stops_at_end = !dap->no_debug && dap_boolean(arguments, "stopAtEnd", false);
    return HX_OK;
}

static hx_status dap_attach(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    (void)body;
    return dap_wrong(dap, "launch starts one", "hexec cannot attach to a program that runs");
}

static hx_status dap_disconnect(struct dap *dap, const json_t *arguments, struct json *body)
{
    (void)arguments;
    (void)body;
    dap->is_done = true;
    return HX_OK;
}

/* Requests that stop the program whatever it does; others wait until it may be interrupted. */
static bool must_stop(const json_t *message)
{
    static const char *const commands[] = {"pause", "disconnect", "terminate"};
    const char *command = dap_string(message, "command");
    for (size_t i = 0; command && i < HX_COUNT_OF(commands); i++)
        if (strcmp(command, commands[i]) == 0)
            return true;
    return false;
}

static void *read_messages(void *user)
{
    struct dap *dap = user;
    json_t *message = NULL;
    const char *wrong = NULL;
    for (bool goes_on = true; goes_on;) {
        goes_on = wire_read(&dap->wire, &message, &wrong);
        pthread_mutex_lock(&dap->lock);
        if (goes_on && !LIST_PUSH(dap->allocator, &dap->queue, message)) {
            json_decref(message);
            goes_on = false;
            wrong = "memory has run out";
        }
        dap->input_has_ended = !goes_on;
        dap->wrong_input = wrong ? wrong : dap->wrong_input;
        if (!goes_on || atomic_load(&dap->runs) || must_stop(message))
            hx_debugger_interrupt(dap->interruptible);
        pthread_cond_broadcast(&dap->came);
        pthread_mutex_unlock(&dap->lock);
    }
    return NULL;
}

bool dap_serve_next(struct dap *dap, bool waits)
{
    json_t *message = NULL;
    pthread_mutex_lock(&dap->lock);
    while (waits && dap->queue.count == 0 && !dap->input_has_ended)
        pthread_cond_wait(&dap->came, &dap->lock);
    if (dap->queue.count > 0) {
        message = dap->queue.items[0];
        memmove(dap->queue.items, dap->queue.items + 1, --dap->queue.count * sizeof *dap->queue.items);
    } else
        dap->is_done |= dap->input_has_ended;
    pthread_mutex_unlock(&dap->lock);
    if (!message)
        return false;
    handle(dap, message);
    json_decref(message);
    return true;
}

static void close_session(struct dap *dap)
{
    close_program(dap);
    for (size_t i = 0; i < dap->queue.count; i++)
        json_decref(dap->queue.items[i]);
    LIST_DONE(dap->allocator, &dap->queue);
    LIST_DONE(dap->allocator, &dap->points);
    LIST_DONE(dap->allocator, &dap->frames);
    LIST_DONE(dap->allocator, &dap->references);
    LIST_DONE(dap->allocator, &dap->sources);
    dap_paths_done(dap);
    text_done(&dap->wire.in);
    hx_diag_free(dap->diag);
    pthread_cond_destroy(&dap->came);
    pthread_mutex_destroy(&dap->lock);
}

static hx_status serve(struct dap *dap)
{
    int wake[2];
    if (pipe(wake) != 0)
        return HX_SYSTEM;
    dap->wire.wake = wake[0];
    const bool reads = thread_start(&dap->reader, read_messages, dap);
    while (reads && !dap->is_done && dap_serve_next(dap, true))
        if (dap->next != DAP_STAY && !dap->is_done)
            dap_go(dap);
    pthread_mutex_lock(&dap->lock); /* the reader may go on */
    const char *const wrong = dap->input_has_ended ? dap->wrong_input : NULL;
    pthread_mutex_unlock(&dap->lock);
    if (wrong)
        say_wrong_input(dap, wrong);
    close(wake[1]); /* ends the reader */
    if (reads)
        pthread_join(dap->reader, NULL);
    close(wake[0]);
    return reads ? dap->status : HX_SYSTEM;
}

hx_status hx_debug_serve(const hx_debug_server *server, hx_diag *diag)
{
    DIAG_REQUIRE(diag, server);
    DIAG_REQUIRE(diag, server->open);
    DIAG_REQUIRE(diag, server->close);
    struct dap dap = {.server = server,
                      .wire = {.input = server->input, .output = server->output},
                      .lines_from_1 = true,
                      .columns_from_1 = true,
                      .stops_on_fault = true};
    hx_status status = hx_diag_new(NULL, &dap.diag);
    if (status != HX_OK)
        return diag_no_memory(diag);
    pthread_mutex_init(&dap.lock, NULL);
    pthread_cond_init(&dap.came, NULL);
    status = serve(&dap);
    if (status == HX_SYSTEM)
        (void)diag_report(diag, DIAG_DEBUG_COMMAND, (struct place){0}, NULL,
                          "the system refuses a thread or a pipe for the debugger");
    else if (status == HX_IO)
        (void)diag_report(diag, DIAG_FILE_WRITE, (struct place){0}, NULL, "the client reads no answers");
    else if (status == HX_OK && dap.wrong_input)
        status = diag_report(diag, DIAG_DEBUG_COMMAND, (struct place){0},
                             "the Debug Adapter Protocol is spoken here", "%s", dap.wrong_input);
    close_session(&dap);
    return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
}
