/* Values that are assigned to a vector, structure or array as a whole.
 *
 * Takes a place and a value, leaves the bytes that the place has then. As in C a structure has one of its own
 * type assigned; a vector one of its type, or a number, which is each of its lanes (OpenCL C, 6.2.2). Arrays
 * are copied, too, which C does not do. */
#include "debug/expression.h"

static bool is_same_type(const struct dwarf *dwarf, const struct value *place, const struct value *value)
{
    const uint32_t a = dwarf_type_strip(dwarf, place->declared - 1),
                   b = dwarf_type_strip(dwarf, value->declared - 1);
    if (a == DWARF_NONE || b == DWARF_NONE)
        return false;
    const struct dwarf_entry *to = &dwarf->entries.items[a], *from = &dwarf->entries.items[b];
    if (to->tag == DWARF_ARRAY &&
        from->tag == DWARF_ARRAY) /* their elements are as many, if their bytes are */
        return dwarf_type_strip(dwarf, to->type) == dwarf_type_strip(dwarf, from->type);
    return a == b || (to->tag == from->tag && to->name.length > 0 && slice_same(to->name, from->name));
}

/* A vector of three lanes may have room for a fourth, which is another component of the vector that it is of.
 */
uint64_t value_assigned_bytes(const struct asker *asker, const struct value *place)
{
    const struct evaluation evaluation = {.asker = asker};
    struct dwarf_type_elements elements;
    return eval_is_vector(&evaluation, place) &&
                   dwarf_type_elements(&asker->engine->dwarf, place->declared - 1, 0, &elements)
               ? elements.count * elements.bytes
               : value_bytes(asker->engine, place);
}

bool value_assigned(const struct asker *asker, const struct value *place, const struct value *value, char *to,
                    char *ret_wrong, size_t room)
{
    const struct dwarf *dwarf = &asker->engine->dwarf;
    const uint64_t bytes = value_assigned_bytes(asker, place);
    struct evaluation evaluation = {.asker = asker, .wrong = ret_wrong, .room = room};
    struct value from = *value;
    if (eval_is_vector(&evaluation, place) && value->type != HX_TYPE_NONE)
        from = eval_made_vector(&evaluation, place->declared - 1, value, 1);
    if (evaluation.failed)
        return false;
    struct text type = {.allocator = asker->engine->allocator};
    const bool is_fit = from.declared && from.type == HX_TYPE_NONE && is_same_type(dwarf, place, &from) &&
                        value_assigned_bytes(asker, &from) == bytes;
    const char *host =
        is_fit ? state_memory(asker->engine, asker->block, asker->thread, from.space, from.address, bytes)
               : NULL;
    if (host)
        memcpy(to, host, bytes);
    else if (!is_fit)
        dwarf_type_print(dwarf, place->declared - 1, &type);
    if (!host)
        eval_fail(&evaluation, is_fit ? "the value is not there" : "a value of the type '%s' is wanted",
                  type.at && !type.failed ? type.at : "?");
    text_done(&type);
    return host != NULL;
}
