/* What a function has returned, for finish.
 *
 * Takes the call that is left, leaves its value where the thread is back in what called it. A result that is
 * a number or a pointer is in a register then; others, as structures, are in memory that is not known. */
#include "debug/table.h"

#define RESULT_REGISTER 240 /* the first of those that parameters and results are in (ptx/code.h) */

uint32_t result_type(const struct engine *engine, const struct stand *stand)
{
    const struct dwarf *dwarf = &engine->dwarf;
    uint32_t scope = stand->scope;
    for (unsigned i = 0; i < SCOPES_MOST && scope < dwarf->entries.count; i++) {
        if (dwarf->entries.items[scope].tag == DWARF_FUNCTION)
            return variable_type(dwarf, scope);
        if (dwarf->entries.items[scope].tag == DWARF_INLINED) /* no register is its result's */
            break;
        scope = scope_parent(dwarf, scope);
    }
    return DWARF_NONE;
}

/* __half is one that counts as a number. */
static bool is_structure(const struct dwarf *dwarf, uint32_t type)
{
    const uint32_t plain = dwarf_type_strip(dwarf, type);
    return plain != DWARF_NONE && (dwarf->entries.items[plain].tag == DWARF_STRUCTURE ||
                                   dwarf->entries.items[plain].tag == DWARF_CLASS);
}

void result_print(struct hx_debugger *debugger, uint32_t type)
{
    const struct engine *engine = &debugger->engine;
    const struct asker asker = debug_asker(debugger);
    const enum hx_type number = type == DWARF_NONE || is_structure(&engine->dwarf, type)
                                    ? HX_TYPE_NONE
                                    : dwarf_type_of_number(&engine->dwarf, type);
    struct value value = {.type = number, .declared = type + 1, .count = 1};
    enum hx_type written;
    if (number == HX_TYPE_NONE || engine->found.reason != REASON_STEP || !asker.block ||
        !state_member(engine, asker.block, asker.thread, RESULT_REGISTER, &value.bits, &written) ||
        type_bits(written) < type_bits(number))
        return;
    value.bits = value_extend(value.bits, number);
    text_print(debugger->out, "it has returned ");
    value_show(&asker, &value, 0, debugger->out);
    text_append(debugger->out, "\n", 1);
}
