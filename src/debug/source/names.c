/* Names of the source that are no variables of the call: enumerators, variables of namespaces and classes,
 * members of the object that a method is called for, and the built-in variables of CUDA C.
 *
 * Takes a name as C++ writes it, `Mode::On`, leaves a value. */
#include "debug/reader.h"
#include "device/window.h"
#include "program/parts.h"

#include <stdio.h>

static bool same(struct slice a, struct slice b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* "ns::Mode::On": `inner` is On, `outer` is Mode; without a qualifier it is empty. */
static void split(struct slice name, struct slice *inner, struct slice *outer)
{
    size_t at = name.length;
    *inner = name;
    *outer = (struct slice){0};
    while (at >= 2 && memcmp(name.at + at - 2, "::", 2) != 0)
        at--;
    if (at < 2)
        return;
    *inner = (struct slice){name.at + at, name.length - at};
    size_t from = at - 2;
    while (from > 0 && name.at[from - 1] != ':')
        from--;
    *outer = (struct slice){name.at + from, at - 2 - from};
}

/* Is it in a scope of this name, or is an enumeration that it is of? */
static bool is_within(const struct dwarf *dwarf, uint32_t entry, struct slice outer)
{
    if (outer.length == 0)
        return true;
    for (unsigned i = 0; i < 2; i++) {
        entry = dwarf->entries.items[entry].parent;
        if (entry == DWARF_NONE)
            return false;
        if (same(dwarf->entries.items[entry].name, outer))
            return true;
        if (dwarf->entries.items[entry].tag != DWARF_ENUMERATION)
            return false;
    }
    return false;
}

/* The first entry with this name that is of one of two kinds. */
static uint32_t find(const struct dwarf *dwarf, struct slice name, uint16_t tag, uint16_t other)
{
    struct slice inner, outer;
    split(name, &inner, &outer);
    for (size_t i = 0; i < dwarf->entries.count; i++) {
        const struct dwarf_entry *entry = &dwarf->entries.items[i];
        const uint32_t declared = entry->origin < dwarf->entries.count ? entry->origin : (uint32_t)i;
        if ((entry->tag == tag || entry->tag == other) && same(variable_name(dwarf, (uint32_t)i), inner) &&
            is_within(dwarf, declared, outer))
            return (uint32_t)i;
    }
    return DWARF_NONE;
}

static bool enumerator(const struct reader *reader, struct slice name, struct value *ret_value)
{
    const struct dwarf *dwarf = &reader->asker->engine->dwarf;
    const uint32_t found = find(dwarf, name, DWARF_ENUMERATOR, DWARF_ENUMERATOR);
    if (found == DWARF_NONE)
        return false;
    const uint32_t type = dwarf->entries.items[found].parent;
    *ret_value = (struct value){.declared = type + 1,
                                .type = dwarf_type_of_number(dwarf, type),
                                .bits = dwarf->entries.items[found].constant};
    ret_value->bits = value_extend(ret_value->bits, ret_value->type);
    return true;
}

/* A member of what `this` leads to. */
static bool own_member(struct reader *reader, struct slice name, struct value *ret_value)
{
    const struct dwarf *dwarf = &reader->asker->engine->dwarf;
    struct dwarf_type_member member;
    struct value self;
    struct stand stand;
    if (!stand_find(reader->asker, &stand) ||
        variable_find(dwarf, stand.scope, slice_of("this")) == DWARF_NONE ||
        !reader_variable(reader, slice_of("this"), &self) || reader->failed)
        return false;
    const uint32_t structure = dwarf_type_target(dwarf, self.declared - 1);
    if (!dwarf_type_find_member(dwarf, structure, name, &member))
        return false;
    const struct value object = reader_target(reader, &self);
    *ret_value = reader->failed ? object : reader_part(reader, &object, &member);
    return true;
}

/* ---- Built-in variables -------------------------------------------------------------------------------- */

static const struct triple {
    const char *name, *special;
} triples[] = {{"threadIdx", "tid."}, {"blockIdx", "ctaid."}, {"blockDim", "ntid."}, {"gridDim", "nctaid."}};

static uint64_t coordinate(const struct asker *asker, uint8_t triple, char letter, enum hx_type *ret_type)
{
    char name[16];
    const int length = snprintf(name, sizeof name, "%s%c", triples[triple - 1].special, letter);
    const int special = special_find((struct slice){name, (size_t)length});
    if (special < 0 || !asker->block)
        return 0;
    *ret_type = special_type((enum special_register)special);
    return block_special(asker->block->block, (enum special_register)special, asker->thread);
}

static bool built_in(const struct reader *reader, struct slice name, struct value *ret_value)
{
    if (!reader->asker->block)
        return false;
    for (size_t i = 0; i < HX_COUNT_OF(triples); i++)
        if (slice_equal(name, triples[i].name)) {
            *ret_value = (struct value){.type = HX_TYPE_NONE, .triple = (uint8_t)(i + 1), .count = 1};
            return true;
        }
    if (!slice_equal(name, "warpSize"))
        return false;
    *ret_value = value_integer(state_warp_lanes(reader->asker->engine), false);
    return true;
}

struct value reader_coordinate(struct reader *reader, const struct value *triple, struct slice name)
{
    struct value value = {.type = HX_TYPE_U32, .count = 1};
    if (name.length != 1 || name.at[0] < 'x' || name.at[0] > 'z')
        reader_fail(reader, "there is no member '" SLICE_FORMAT "'", SLICE_ARGS(name));
    else
        value.bits = coordinate(reader->asker, triple->triple, name.at[0], &value.type);
    return value;
}

void value_show_triple(const struct asker *asker, const struct value *value, char format, struct text *out)
{
    for (char letter = 'x'; letter <= 'z'; letter++) {
        struct value one = {.type = HX_TYPE_U32};
        one.bits = coordinate(asker, value->triple, letter, &one.type);
        text_print(out, "%s%c = ", letter == 'x' ? "{" : ", ", letter);
        value_print(&one, format, out);
    }
    text_append(out, "}", 1);
}

/* ---- All of them --------------------------------------------------------------------------------------- */

static bool is_known(const struct dwarf *dwarf, struct slice name)
{
    for (size_t i = 0; i < HX_COUNT_OF(triples); i++)
        if (slice_equal(name, triples[i].name))
            return true;
    return slice_equal(name, "warpSize") || find(dwarf, name, DWARF_ENUMERATOR, DWARF_MEMBER) != DWARF_NONE ||
           find(dwarf, name, DWARF_VARIABLE, DWARF_VARIABLE) != DWARF_NONE;
}

bool reader_source_name(struct reader *reader, struct slice name, struct value *ret_value)
{
    const struct dwarf *dwarf = &reader->asker->engine->dwarf;
    struct slice inner, outer;
    if (dwarf->entries.count == 0)
        return false;
    if (reader->is_check) {
        *ret_value = reader_unknown();
        return is_known(dwarf, name);
    }
    if (own_member(reader, name, ret_value) || enumerator(reader, name, ret_value) ||
        built_in(reader, name, ret_value))
        return true;
    split(name, &inner, &outer);
    const uint32_t variable = outer.length ? find(dwarf, name, DWARF_VARIABLE, DWARF_VARIABLE) : DWARF_NONE;
    return variable != DWARF_NONE && reader_entry(reader, variable, name, ret_value);
}
