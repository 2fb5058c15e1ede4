/* What a client may open: registers of a thread and over the lanes of a warp, parameters, buffers, arrays. */
#include "debug/dap/dap.h"
#include "program/parts.h"

#define ELEMENTS_MOST 10000 /* that are sent when the client does not say how many it wants */

int64_t dap_new_reference(struct dap *dap, const struct dap_reference *reference)
{
    return LIST_PUSH(dap->allocator, &dap->references, *reference) ? (int64_t)dap->references.count : 0;
}

/* What a request for variables is answered from. */
struct asked {
    struct dap *dap;
    struct dap_reference from;
    struct asker asker;
    char format;
    uint64_t start, count;
    struct json *body;
};

/* A variable that has nothing to open. */
static void write_plain(const struct asked *asked, const char *name, const struct value *value,
                        const char *expression)
{
    struct text text HX_AUTO(text_done) = {.allocator = asked->dap->allocator};
    value_print(value, asked->format, &text);
    json_open_object(asked->body);
    json_member_str(asked->body, "name", name);
    json_member_str(asked->body, "value", text.at ? text.at : "");
    json_member_str(asked->body, "type", hx_type_name(value->type));
    if (expression)
        json_member_str(asked->body, "evaluateName", expression);
    json_member_u64(asked->body, "variablesReference", 0);
    json_close_object(asked->body);
}

hx_status dap_write_value(struct dap *dap, const struct value *value, const char *expression,
                          const char *text_key, char format, struct json *json)
{
    struct text text HX_AUTO(text_done) = {.allocator = dap->allocator};
    const bool is_array = value->has_address && value->count > 1;
    int64_t number = 0;
    char place[40];
    if (value->declared)
        return dap_write_source_value(dap, value, expression, text_key, format, json);
    if (is_array) {
        struct dap_reference reference = {.kind = DAP_ELEMENTS,
                                          .block = dap->debugger->engine.focus_block,
                                          .thread = dap->debugger->engine.focus_thread,
                                          .array = *value};
        text_put(reference.name, sizeof reference.name, expression);
        if ((number = dap_new_reference(dap, &reference)) == 0)
            return HX_NO_MEMORY;
        text_print(&text, "%s[%llu]", hx_type_name(value->type), (unsigned long long)value->count);
    } else
        value_print(value, format, &text);
    if (text.failed)
        return HX_NO_MEMORY;
    json_member_str(json, text_key, text.at ? text.at : "");
    json_member_str(json, "type", hx_type_name(value->type));
    json_key(json, "variablesReference");
    json_i64(json, number);
    if (is_array)
        json_member_u64(json, "indexedVariables", value->count);
    if (value->has_address) {
        dap_print_place(value->space, value->address, place);
        json_member_str(json, "memoryReference", place);
    }
    return HX_OK;
}

/* ---- Registers ----------------------------------------------------------------------------------------- */

static void print_member(uint32_t member, char name[8])
{
    snprintf(name, 8, "%c%u", member < REGISTER_COUNT ? 'r' : 'p', member % REGISTER_COUNT);
}

static hx_status write_registers(const struct asked *asked)
{
    for (uint32_t member = 0; member < DEBUG_MEMBERS; member++) {
        struct value value = {0};
        char name[8];
        if (!state_member(asked->asker.engine, asked->asker.block, asked->asker.thread, member, &value.bits,
                          &value.type))
            continue;
        print_member(member, name);
        write_plain(asked, name, &value, name);
    }
    return HX_OK;
}

/* The lanes of the thread's warp. */
static uint32_t lanes_of(const struct asked *asked, uint32_t *ret_first)
{
    const struct gang_state *gang = state_gang(asked->asker.block, asked->asker.thread);
    *ret_first = gang ? gang->first_thread : 0;
    return gang ? gang->gang.lanes : 0;
}

/* One line for a register of all lanes: its value where it is the same in all of them. */
static hx_status write_over_lanes(const struct asked *asked, uint32_t member)
{
    struct dap_reference reference = asked->from;
    struct text text HX_AUTO(text_done) = {.allocator = asked->dap->allocator};
    struct value one = {0}, value;
    uint32_t first, written = 0, same = 0;
    char name[8];
    const uint32_t lanes = lanes_of(asked, &first);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (!state_member(asked->asker.engine, asked->asker.block, first + lane, member, &value.bits,
                          &value.type))
            continue;
        one = written++ ? one : value;
        same += one.bits == value.bits;
    }
    if (written == 0)
        return HX_OK;
    if (same == lanes)
        value_print(&one, asked->format, &text);
    else
        text_print(&text, "%u lanes", written);
    reference.kind = DAP_LANE_VALUES;
    reference.member = member;
    const int64_t number = dap_new_reference(asked->dap, &reference);
    if (number == 0 || text.failed)
        return HX_NO_MEMORY;
    print_member(member, name);
    json_open_object(asked->body);
    json_member_str(asked->body, "name", name);
    json_member_str(asked->body, "value", text.at);
    json_member_str(asked->body, "type", hx_type_name(one.type));
    json_key(asked->body, "variablesReference");
    json_i64(asked->body, number);
    json_close_object(asked->body);
    return HX_OK;
}

static hx_status write_lanes(const struct asked *asked)
{
    hx_status status = HX_OK;
    for (uint32_t member = 0; member < DEBUG_MEMBERS && status == HX_OK; member++)
        if (asked->asker.engine->member_index[member])
            status = write_over_lanes(asked, member);
    return status;
}

static hx_status write_lane_values(const struct asked *asked)
{
    uint32_t first;
    const uint32_t lanes = lanes_of(asked, &first);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        struct value value = {0};
        char name[40];
        if (!state_member(asked->asker.engine, asked->asker.block, first + lane, asked->from.member,
                          &value.bits, &value.type))
            continue;
        snprintf(name, sizeof name, "lane %u (thread %u)", lane, first + lane);
        write_plain(asked, name, &value, NULL);
    }
    return HX_OK;
}

static hx_status write_specials(const struct asked *asked)
{
    for (int number = 0; number < SPECIAL_COUNT; number++) {
        const enum special_register special = (enum special_register)number;
        char name[64];
        if (special_is_clock(special))
            continue;
        const struct value value = {
            .type = special_type(special),
            .bits = block_special(asked->asker.block->block, special, asked->asker.thread)};
        snprintf(name, sizeof name, "%%%s", special_name(special));
        write_plain(asked, name, &value, name);
    }
    return HX_OK;
}

/* ---- Names of the program ------------------------------------------------------------------------------ */

static hx_status write_named(const struct asked *asked, const char *name)
{
    struct value value;
    char wrong[160];
    json_open_object(asked->body);
    json_member_str(asked->body, "name", name);
    struct asker asker = asked->asker;
    struct value shown;
    /* A variable of the source may have the name: it is shown here only if it is the same thing. */
    const bool has_shown = expression_value(&asker, slice_of(name), &shown, wrong, sizeof wrong) == HX_OK;
    asker.has_own_names = true;
    hx_status status = expression_value(&asker, slice_of(name), &value, wrong, sizeof wrong);
    const bool is_same = has_shown && shown.has_address == value.has_address && shown.space == value.space &&
                         shown.address == value.address;
    if (status == HX_OK && is_same)
        value = shown;
    if (status == HX_OK) {
        if (is_same)
            json_member_str(asked->body, "evaluateName", name);
        status = dap_write_value(asked->dap, &value, name, "value", asked->format, asked->body);
    } else {
        json_member_str(asked->body, "value", wrong);
        json_member_u64(asked->body, "variablesReference", 0);
        status = HX_OK;
    }
    json_close_object(asked->body);
    return status;
}

static hx_status write_parameters(const struct asked *asked)
{
    const hx_program *program = hx_context_program(asked->dap->context);
    hx_status status = HX_OK;
    for (size_t i = 0; i < program->param_count && status == HX_OK; i++)
        status = write_named(asked, program->params[i].name);
    return status;
}

static hx_status write_arrays(const struct asked *asked, const struct array_list *arrays)
{
    hx_status status = HX_OK;
    for (size_t i = 0; i < arrays->count && status == HX_OK; i++) {
        if (arrays->items[i].is_made)
            continue;
        struct text name HX_AUTO(text_done) = {.allocator = asked->dap->allocator};
        text_print(&name, "%s%s", state_name_prefix(&arrays->items[i]), arrays->items[i].name);
        status = name.failed ? HX_NO_MEMORY : write_named(asked, name.at);
    }
    return status;
}

static hx_status write_elements(const struct asked *asked)
{
    const struct value *array = &asked->from.array;
    const uint64_t bytes = type_bytes(array->type);
    for (uint64_t i = asked->start; i < array->count && i - asked->start < asked->count; i++) {
        struct value one = {.type = array->type, .count = 1, .has_address = true, .space = array->space};
        char name[32], expression[DAP_EXPRESSION + sizeof name];
        one.address = array->address + i * bytes;
        const char *host = state_memory(asked->asker.engine, asked->asker.block, asked->asker.thread,
                                        array->space, one.address, bytes);
        if (!host)
            break;
        memcpy(&one.bits, host, bytes);
        snprintf(name, sizeof name, "[%llu]", (unsigned long long)i);
        snprintf(expression, sizeof expression, "%s%s", asked->from.name, name);
        json_open_object(asked->body);
        json_member_str(asked->body, "name", name);
        json_member_str(asked->body, "evaluateName", expression);
        const hx_status status =
            dap_write_value(asked->dap, &one, expression, "value", asked->format, asked->body);
        json_close_object(asked->body);
        if (status != HX_OK)
            return status;
    }
    return HX_OK;
}

/* ---- Requests ------------------------------------------------------------------------------------------ */

static hx_status write_all(const struct asked *asked)
{
    const struct kernel *kernel = asked->asker.engine->kernel;
    const hx_program *program = hx_context_program(asked->dap->context);
    switch (asked->from.kind) {
    case DAP_REGISTERS:
        return write_registers(asked);
    case DAP_LANES:
        return write_lanes(asked);
    case DAP_LANE_VALUES:
        return write_lane_values(asked);
    case DAP_SPECIALS:
        return write_specials(asked);
    case DAP_PARAMETERS:
        return write_parameters(asked);
    case DAP_BUFFERS:
        return write_arrays(asked, &program->buffers);
    case DAP_SHARED:
        return write_arrays(asked, &kernel->shared);
    case DAP_LOCAL:
        return write_arrays(asked, &kernel->local);
    case DAP_CONSTANTS:
        return write_arrays(asked, &program->constants);
    case DAP_ELEMENTS:
        return write_elements(asked);
    case DAP_ARGUMENTS:
    case DAP_LOCALS:
    case DAP_PARTS:
        return dap_write_opened(asked->dap, &asked->from, &asked->asker, asked->start, asked->count,
                                asked->format, asked->body);
    }
    return HX_OK;
}

/* Is what is open an array? It has no named variables, and all else has no indexed ones. */
static bool has_indexes(const struct asked *asked)
{
    struct dwarf_type_elements elements;
    const struct value *array = &asked->from.array;
    return asked->from.kind == DAP_ELEMENTS ||
           (asked->from.kind == DAP_PARTS &&
            dwarf_type_elements(&asked->asker.engine->dwarf, array->declared - 1, array->dimension,
                                &elements));
}

hx_status dap_variables(struct dap *dap, const json_t *arguments, struct json *body)
{
    struct engine *engine = &dap->debugger->engine;
    const int64_t number = dap_integer(arguments, "variablesReference", 0);
    const int64_t start = dap_integer(arguments, "start", 0), count = dap_integer(arguments, "count", 0);
    hx_status status = dap_need_buffers(dap);
    if (status != HX_OK)
        return status;
    if (number < 1 || (size_t)number > dap->references.count)
        return dap_wrong(dap, "scopes and variables give them", "there is no reference %lld",
                         (long long)number);
    struct asked asked = {.dap = dap,
                          .from = dap->references.items[number - 1],
                          .format = dap_boolean(json_object_get(arguments, "format"), "hex", false) ? 'x' : 0,
                          .start = start > 0 ? (uint64_t)start : 0,
                          .count = count > 0 ? (uint64_t)count : ELEMENTS_MOST,
                          .body = body};
    asked.asker = (struct asker){.engine = engine,
                                 .block = dap_has_ended(dap) ? NULL : state_block(engine, asked.from.block),
                                 .thread = asked.from.thread,
                                 .level = asked.from.level};
    if (!asked.asker.block && !dap_has_ended(dap))
        return dap_wrong(dap, NULL, "block %llu does not run", (unsigned long long)asked.from.block);
    if (asked.asker.block) { /* arrays below these are the thread's */
        engine->focus_block = asked.from.block;
        engine->focus_thread = asked.from.thread;
        engine->focus_level = asked.from.level;
    }
    const char *filter = dap_string(arguments, "filter");
    json_member_array(body, "variables");
    if (!filter || strcmp(filter, has_indexes(&asked) ? "indexed" : "named") == 0)
        status = write_all(&asked);
    json_close_array(body);
    return status;
}
