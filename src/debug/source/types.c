/* The commands whatis and ptype: types of values, and what structures have in them.
 *
 * Takes an expression or the name of a type, leaves the type as the source has it, or hexec's. */
#include "debug/expression.h"
#include "debug/table.h"

#define MEMBERS_MOST 256

/* An expression's type, or one that is named: *ret_value has it. */
static hx_status read_type(struct hx_debugger *debugger, struct slice rest, struct value *ret_value)
{
    const struct asker asker = debug_asker(debugger);
    char wrong[160];
    const uint32_t named = eval_type(&debugger->engine, rest);
    const enum hx_type own = debug_type(rest);
    if (rest.length == 0)
        return debug_wrong(debugger, "whatis y[3], whatis float4", "an expression or a type is missing");
    if (expression_value(&asker, rest, ret_value, wrong, sizeof wrong) == HX_OK)
        return HX_OK;
    *ret_value = (struct value){.type = own, .count = 1};
    if (named != DWARF_NONE)
        ret_value->declared = named + 1;
    return named != DWARF_NONE || own != HX_TYPE_NONE ? HX_OK : debug_wrong(debugger, NULL, "%s", wrong);
}

static void print_type(struct hx_debugger *debugger, const struct value *value)
{
    struct dwarf *dwarf = &debugger->engine.dwarf;
    struct text *out = debugger->out;
    if (value->triple)
        text_print(out, "uint3");
    else if (!value->declared)
        text_print(out, "%s", hx_type_name(value->type));
    else
        dwarf_type_print(dwarf,
                         value->dimension ? dwarf_made_rest(dwarf, value->declared - 1, value->dimension)
                                          : value->declared - 1,
                         out);
    if (!value->declared && value->count > 1)
        text_print(out, " [%llu]", (unsigned long long)value->count);
    else if (value->range.count)
        text_print(out, " : %u", value->range.count);
}

hx_status command_whatis(struct hx_debugger *debugger, struct slice rest)
{
    struct value value;
    const hx_status status = read_type(debugger, rest, &value);
    if (status != HX_OK)
        return status;
    print_type(debugger, &value);
    text_append(debugger->out, "\n", 1);
    return HX_OK;
}

hx_status command_ptype(struct hx_debugger *debugger, struct slice rest)
{
    const struct dwarf *dwarf = &debugger->engine.dwarf;
    struct text *out = debugger->out;
    struct dwarf_type_member member;
    struct value value;
    uint32_t cursor = 0, number = 0;
    const hx_status status = read_type(debugger, rest, &value);
    if (status != HX_OK)
        return status;
    print_type(debugger, &value);
    const uint32_t type = value.declared ? dwarf_type_strip(dwarf, value.declared - 1) : DWARF_NONE;
    const bool has_members = type != DWARF_NONE && !value.dimension && dwarf_type_is_aggregate(dwarf, type) &&
                             !dwarf_type_is_array(dwarf, type);
    while (has_members && number < MEMBERS_MOST && dwarf_type_next_member(dwarf, type, &cursor, &member)) {
        text_print(out, number++ ? "\n    " : " {\n    ");
        dwarf_type_print(dwarf, member.type, out);
        text_print(out, " " SLICE_FORMAT, SLICE_ARGS(member.name));
        if (member.bits.count)
            text_print(out, " : %u", member.bits.count);
        text_append(out, ";", 1);
    }
    text_print(out, number ? "\n}" : has_members ? " {}" : "");
    if (type != DWARF_NONE && dwarf_type_size(dwarf, type) > 0 && !value.range.count)
        text_print(out, ", %llu bytes", (unsigned long long)dwarf_type_size(dwarf, type));
    text_append(out, "\n", 1);
    return HX_OK;
}
