/* The commands whatis and ptype: types of values, and what structures have in them.
 *
 * Takes an expression or the name of a type, leaves the type as the source has it, or hexec's. */
#include "debug/expression.h"
#include "debug/table.h"

#define MEMBERS_MOST 256
#define DEPTH_MOST   4 /* of structures without a name in each other */

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

static bool is_structure(const struct dwarf *dwarf, uint32_t type)
{
    const uint32_t is = dwarf_type_strip(dwarf, type);
    return is != DWARF_NONE && dwarf_type_is_aggregate(dwarf, is) && !dwarf_type_is_array(dwarf, is);
}

static bool has_name(const struct dwarf *dwarf, uint32_t type)
{
    return type >= dwarf->entries.count || dwarf->entries.items[type].name.length > 0;
}

/* " : Base": members without a name whose types have one. */
static void print_bases(const struct dwarf *dwarf, uint32_t type, struct text *out)
{
    struct dwarf_type_member member;
    unsigned number = 0;
    for (uint32_t cursor = 0; number < MEMBERS_MOST && dwarf_type_next_member(dwarf, type, &cursor, &member);)
        if (member.name.length == 0 && has_name(dwarf, member.type)) {
            text_print(out, number++ ? ", " : " : ");
            dwarf_type_print(dwarf, member.type, out);
        }
}

/* " {...}", with what structures without a name have in them. */
static void print_members(const struct dwarf *dwarf, uint32_t type, unsigned depth, struct text *out)
{
    struct dwarf_type_member member;
    unsigned number = 0;
    text_print(out, " {");
    for (uint32_t cursor = 0;
         number < MEMBERS_MOST && dwarf_type_next_member(dwarf, type, &cursor, &member);) {
        const bool is_opened = !has_name(dwarf, member.type) && is_structure(dwarf, member.type) &&
                               dwarf_type_strip(dwarf, member.type) == member.type && depth < DEPTH_MOST;
        if (member.name.length == 0 && has_name(dwarf, member.type))
            continue;
        text_print(out, "\n%*s", (int)(4 * depth), "");
        number++;
        if (is_opened) {
            text_print(out, dwarf->entries.items[member.type].tag == DWARF_UNION ? "union" : "struct");
            print_members(dwarf, member.type, depth + 1, out);
        } else {
            dwarf_type_print(dwarf, member.type, out);
        }
        if (member.name.length > 0)
            text_print(out, " " SLICE_FORMAT, SLICE_ARGS(member.name));
        if (member.bits.count)
            text_print(out, " : %u", member.bits.count);
        text_append(out, ";", 1);
    }
    if (number > 0)
        text_print(out, "\n%*s", (int)(4 * (depth - 1)), "");
    text_append(out, "}", 1);
}

/* " {RED, GREEN = 5, BLUE}" */
static void print_enumerators(const struct dwarf *dwarf, uint32_t enumeration, struct text *out)
{
    const struct dwarf_entry *items = dwarf->entries.items;
    uint64_t next = 0;
    unsigned number = 0;
    text_print(out, " {");
    for (uint32_t i = enumeration + 1; i < items[enumeration].end && number < MEMBERS_MOST;
         i = items[i].end) {
        if (items[i].tag != DWARF_ENUMERATOR)
            continue;
        text_print(out, "%s" SLICE_FORMAT, number++ ? ", " : "", SLICE_ARGS(items[i].name));
        if (items[i].constant != next)
            text_print(out, " = %lld", (long long)items[i].constant);
        next = items[i].constant + 1;
    }
    text_append(out, "}", 1);
}

hx_status command_ptype(struct hx_debugger *debugger, struct slice rest)
{
    const struct dwarf *dwarf = &debugger->engine.dwarf;
    struct text *out = debugger->out;
    struct value value;
    const hx_status status = read_type(debugger, rest, &value);
    if (status != HX_OK)
        return status;
    const uint32_t type = value.declared ? dwarf_type_strip(dwarf, value.declared - 1) : DWARF_NONE;
    const bool is_opened = type != DWARF_NONE && !value.dimension && is_structure(dwarf, type);
    if (is_opened && !has_name(dwarf, value.declared - 1))
        text_print(out, dwarf->entries.items[type].tag == DWARF_UNION ? "union" : "struct");
    else
        print_type(debugger, &value);
    if (is_opened) {
        print_bases(dwarf, type, out);
        print_members(dwarf, type, 1, out);
    } else if (type != DWARF_NONE && dwarf->entries.items[type].tag == DWARF_ENUMERATION) {
        print_enumerators(dwarf, type, out);
    }
    if (type != DWARF_NONE && dwarf_type_size(dwarf, type) > 0 && !value.range.count)
        text_print(out, ", %llu bytes", (unsigned long long)dwarf_type_size(dwarf, type));
    text_append(out, "\n", 1);
    return HX_OK;
}
