/* Variables of the source for clients: those of a call, members, elements, and what pointers lead to.
 *
 * Takes values whose type the source declares. What a client opens is read from the value that it belongs to;
 * its expression is made from the name of that, for watches. */
#include "debug/dap/dap.h"
#include "debug/expression.h"

#define ELEMENTS_MOST 10000 /* that are sent when the client does not say how many it wants */
#define MEMBERS_MOST  1000

static const struct dwarf *dwarf_of(const struct dap *dap)
{
    return &dap->debugger->engine.dwarf;
}

/* What a pointer leads to, if that has a value; DWARF_NONE: it does not, or the type is none of a pointer. */
static uint32_t target_of(const struct dwarf *dwarf, uint32_t type)
{
    const uint32_t target = dwarf_type_is_pointer(dwarf, type) ? dwarf_type_target(dwarf, type) : DWARF_NONE;
    return dwarf_type_size(dwarf, target) ? target : DWARF_NONE;
}

static bool is_structure(const struct dwarf *dwarf, uint32_t type)
{
    return dwarf_type_is_aggregate(dwarf, type) && !dwarf_type_is_array(dwarf, type);
}

/* ---- Expressions --------------------------------------------------------------------------------------- */

/* Names, members and elements, behind which more of them may stand. */
static bool is_postfix(const char *expression)
{
    for (const char *at = expression; *at; at++) {
        const bool is_arrow = at[0] == '-' && at[1] == '>';
        if (!is_arrow && !text_is_word(*at) && !strchr(".[]$", *at))
            return false;
        at += is_arrow;
    }
    return true;
}

void dap_source_expression(const struct dap *dap, const struct dap_reference *parent, const char *name,
                           char text[DAP_EXPRESSION])
{
    const bool is_plain = is_postfix(parent->name);
    const uint32_t type = parent->array.declared - 1;
    int length;
    if (parent->kind != DAP_PARTS)
        length = snprintf(text, DAP_EXPRESSION, "%s", name);
    else if (name[0] == '*')
        length = snprintf(text, DAP_EXPRESSION, is_plain ? "*%s" : "*(%s)", parent->name);
    else
        length = snprintf(text, DAP_EXPRESSION, is_plain ? "%s%s%s" : "(%s)%s%s", parent->name,
                          name[0] == '['                               ? ""
                          : dwarf_type_is_pointer(dwarf_of(dap), type) ? "->"
                                                                       : ".",
                          name);
    if (length >= DAP_EXPRESSION || (parent->kind == DAP_PARTS && !parent->name[0]))
        text[0] = 0;
}

/* ---- Values -------------------------------------------------------------------------------------------- */

/* A number for the parts of a value; 0: it has none. */
static hx_status refer(struct dap *dap, const struct value *value, const char *expression,
                       int64_t *ret_number, uint64_t *ret_count)
{
    const struct engine *engine = &dap->debugger->engine;
    const uint32_t type = value->declared - 1;
    struct dwarf_type_elements elements;
    struct dap_reference reference = {.kind = DAP_PARTS,
                                      .block = engine->focus_block,
                                      .thread = engine->focus_thread,
                                      .level = engine->focus_level,
                                      .array = *value};
    const bool is_array = dwarf_type_elements(&engine->dwarf, type, value->dimension, &elements);
    *ret_number = 0;
    *ret_count = is_array ? elements.count : 0;
    if (value->space == DEBUG_SPACE_MADE) /* it is gone with the next expression */
        return HX_OK;
    if (is_array ? elements.count == 0
                 : !is_structure(&engine->dwarf, type) &&
                       (value->bits == 0 || target_of(&engine->dwarf, type) == DWARF_NONE))
        return HX_OK;
    if (strlen(expression) < sizeof reference.name)
        text_put(reference.name, sizeof reference.name, expression);
    *ret_number = dap_new_reference(dap, &reference);
    return *ret_number ? HX_OK : HX_NO_MEMORY;
}

/* The memory that a value shows: of a pointer what it leads to. */
static bool find_memory(const struct asker *asker, const struct value *value, struct value *ret_shown)
{
    char wrong[160] = "";
    struct evaluation evaluation = {.asker = asker, .wrong = wrong, .room = sizeof wrong};
    if (value->dimension || !dwarf_type_is_pointer(&asker->engine->dwarf, value->declared - 1)) {
        *ret_shown = *value;
        return value->has_address;
    }
    const struct value target = eval_target(&evaluation, value);
    *ret_shown = target;
    if (evaluation.failed || !target.has_address)
        *ret_shown = (struct value){.space = SPACE_GENERIC, .address = value->bits};
    return value->bits != 0;
}

hx_status dap_write_source_value(struct dap *dap, const struct value *value, const char *expression,
                                 const char *text_key, char format, struct json *json)
{
    const struct asker asker = debug_asker(dap->debugger);
    struct text text HX_AUTO(text_done) = {.allocator = dap->allocator};
    struct text type HX_AUTO(text_done) = {.allocator = dap->allocator};
    char place[40];
    int64_t number;
    uint64_t count;
    value_show(&asker, value, format, &text);
    dwarf_type_print(dwarf_of(dap), value->declared - 1, &type);
    if (text.failed || type.failed || refer(dap, value, expression, &number, &count) != HX_OK)
        return HX_NO_MEMORY;
    json_member_str(json, text_key, text.at ? text.at : "");
    json_member_str(json, "type", type.at ? type.at : "");
    json_key(json, "variablesReference");
    json_i64(json, number);
    if (count > 0)
        json_member_u64(json, "indexedVariables", count);
    struct value shown = *value;
    if (find_memory(&asker, value, &shown)) {
        dap_print_place(shown.space, shown.address, place);
        json_member_str(json, "memoryReference", place);
    }
    return HX_OK;
}

/* ---- What is opened ------------------------------------------------------------------------------------ */

struct opening {
    struct dap *dap;
    const struct dap_reference *from;
    struct asker asker;
    char format;
    struct json *body;
};

/* A base class, or a structure without a name: its members are those of what it is in, and their expressions
 * begin as those of other members. */
static hx_status write_nameless(const struct opening *opening, const struct value *value)
{
    char expression[DAP_EXPRESSION];
    struct text name HX_AUTO(text_done) = {.allocator = opening->dap->allocator};
    const bool is_pointer = dwarf_type_is_pointer(dwarf_of(opening->dap), opening->from->array.declared - 1);
    const int length =
        snprintf(expression, sizeof expression, is_pointer ? "*%s" : "%s", opening->from->name);
    if (length >= DAP_EXPRESSION || !opening->from->name[0])
        expression[0] = 0;
    dwarf_type_print(dwarf_of(opening->dap), value->declared - 1, &name);
    if (name.failed)
        return HX_NO_MEMORY;
    json_open_object(opening->body);
    json_member_str(opening->body, "name", name.at ? name.at : "(no name)");
    const hx_status status =
        dap_write_source_value(opening->dap, value, expression, "value", opening->format, opening->body);
    json_close_object(opening->body);
    return status;
}

/* `wrong`: why it has no value; NULL: it has one. */
static hx_status write_one(const struct opening *opening, const char *name, const struct value *value,
                           const char *wrong)
{
    hx_status status = HX_OK;
    char expression[DAP_EXPRESSION];
    struct json *body = opening->body;
    if (!name[0] && !wrong && value->declared)
        return write_nameless(opening, value);
    dap_source_expression(opening->dap, opening->from, name, expression);
    json_open_object(body);
    json_member_str(body, "name", name);
    if (wrong) {
        json_member_str(body, "value", wrong);
        json_member_u64(body, "variablesReference", 0);
    } else {
        if (expression[0])
            json_member_str(body, "evaluateName", expression);
        status = dap_write_source_value(opening->dap, value, expression, "value", opening->format, body);
    }
    json_close_object(body);
    return status;
}

static hx_status write_variables(const struct opening *opening)
{
    const struct dwarf *dwarf = dwarf_of(opening->dap);
    const bool parameters = opening->from->kind == DAP_ARGUMENTS;
    struct variable_cursor cursor = {0};
    struct stand stand;
    hx_status status = HX_OK;
    if (!stand_find(&opening->asker, &stand))
        return HX_OK;
    for (uint32_t i; status == HX_OK && (i = variable_next(dwarf, &stand, false, &cursor)) != DWARF_NONE;) {
        const struct slice name = variable_name(dwarf, i);
        struct value value = {0};
        char wrong[160] = "has no value", shown[DAP_EXPRESSION];
        if (variable_is_parameter(dwarf, i) != parameters)
            continue;
        snprintf(shown, sizeof shown, SLICE_FORMAT, SLICE_ARGS(name));
        const bool is_there =
            expression_value(&opening->asker, name, &value, wrong, sizeof wrong) == HX_OK && value.declared;
        const char *behind = strstr(wrong, "' "); /* the name stands there already */
        status = write_one(opening, shown, &value, is_there ? NULL : behind ? behind + 2 : wrong);
    }
    return status;
}

static hx_status write_elements(const struct opening *opening, uint64_t start, uint64_t count,
                                uint64_t element_count)
{
    hx_status status = HX_OK;
    count = count && count < ELEMENTS_MOST ? count : ELEMENTS_MOST;
    for (uint64_t i = start; status == HX_OK && i < element_count && i - start < count; i++) {
        char wrong[160] = "", name[32];
        struct evaluation evaluation = {.asker = &opening->asker, .wrong = wrong, .room = sizeof wrong};
        const struct value index = value_integer(i, true);
        const struct value value = eval_element(&evaluation, &opening->from->array, &index);
        snprintf(name, sizeof name, "[%llu]", (unsigned long long)i);
        status = write_one(opening, name, &value, evaluation.failed ? wrong : NULL);
    }
    return status;
}

/* Those of a base class, and of a structure without a name, are opened there. */
static hx_status write_members(const struct opening *opening, const struct value *structure)
{
    const struct dwarf *dwarf = dwarf_of(opening->dap);
    struct dwarf_type_member member;
    hx_status status = HX_OK;
    uint32_t cursor = 0;
    for (unsigned i = 0; status == HX_OK && i < MEMBERS_MOST &&
                         dwarf_type_next_member(dwarf, structure->declared - 1, &cursor, &member);
         i++) {
        char wrong[160] = "", name[DAP_EXPRESSION];
        struct evaluation evaluation = {.asker = &opening->asker, .wrong = wrong, .room = sizeof wrong};
        const struct value value = eval_part(&evaluation, structure, &member);
        snprintf(name, sizeof name, SLICE_FORMAT, SLICE_ARGS(member.name));
        status = write_one(opening, name, &value, evaluation.failed ? wrong : NULL);
    }
    return status;
}

static hx_status write_target(const struct opening *opening)
{
    char wrong[160] = "", name[DAP_EXPRESSION];
    struct evaluation evaluation = {.asker = &opening->asker, .wrong = wrong, .room = sizeof wrong};
    const struct value value = eval_target(&evaluation, &opening->from->array);
    if (!evaluation.failed && value.declared && is_structure(dwarf_of(opening->dap), value.declared - 1))
        return write_members(opening, &value);
    dap_source_expression(opening->dap, opening->from, "*", name);
    if (!name[0])
        text_put(name, sizeof name, "*");
    return write_one(opening, name, &value, evaluation.failed ? wrong : NULL);
}

hx_status dap_write_opened(struct dap *dap, const struct dap_reference *from, const struct asker *asker,
                           uint64_t start, uint64_t count, char format, struct json *body)
{
    const struct opening opening = {dap, from, *asker, format, body};
    const struct dwarf *dwarf = dwarf_of(dap);
    const uint32_t type = from->array.declared - 1;
    struct dwarf_type_elements elements;
    if (from->kind != DAP_PARTS)
        return write_variables(&opening);
    if (dwarf_type_elements(dwarf, type, from->array.dimension, &elements))
        return write_elements(&opening, start, count, elements.count);
    return is_structure(dwarf, type) ? write_members(&opening, &from->array) : write_target(&opening);
}

bool dap_has_variables(const struct asker *asker, bool parameters)
{
    const struct dwarf *dwarf = &asker->engine->dwarf;
    struct variable_cursor cursor = {0};
    struct stand stand;
    if (dwarf->entries.count == 0 || !stand_find(asker, &stand))
        return false;
    for (uint32_t i; (i = variable_next(dwarf, &stand, false, &cursor)) != DWARF_NONE;)
        if (variable_is_parameter(dwarf, i) == parameters)
            return true;
    return false;
}
