/* Values with types of the source in text, as C would initialize them. */
#include "debug/debug.h"
#include "debug/source/variables.h"

#define DEPTH_MOST      16    /* of values in each other */
#define ELEMENTS_MOST   64    /* of an array that are printed */
#define TEXT_MOST       65536 /* of a value */
#define CHARACTERS_MOST 200   /* of a text that are printed */
#define REPEATS_LEAST   10    /* equal elements that are printed once */

static const struct dwarf_entry *entry_of(const struct dwarf *dwarf, uint32_t index)
{
    return index < dwarf->entries.count ? &dwarf->entries.items[index] : NULL;
}

static const struct dwarf_entry *stripped(const struct dwarf *dwarf, uint32_t type)
{
    return entry_of(dwarf, dwarf_type_strip(dwarf, type));
}

static bool print_enumerator(const struct dwarf *dwarf, uint32_t type, uint64_t bits, struct text *out)
{
    const uint32_t index = dwarf_type_strip(dwarf, type);
    const struct dwarf_entry *entry = entry_of(dwarf, index);
    if (!entry || entry->tag != DWARF_ENUMERATION)
        return false;
    const unsigned width = (unsigned)(entry->bytes < 8 ? 8 * entry->bytes : 64);
    const uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : ~UINT64_C(0);
    for (uint32_t i = index + 1; i < entry->end; i = dwarf->entries.items[i].end) {
        const struct dwarf_entry *child = &dwarf->entries.items[i];
        if (child->tag != DWARF_ENUMERATOR || (child->constant & mask) != (bits & mask))
            continue;
        text_print(out, SLICE_FORMAT, SLICE_ARGS(child->name));
        return true;
    }
    return false;
}

static void print_number(const struct dwarf *dwarf, uint32_t type, const char *bytes, uint64_t count,
                         char format, struct text *out)
{
    struct value value = {.type = dwarf_type_of_number(dwarf, type)};
    if (value.type == HX_TYPE_NONE || type_bytes(value.type) > count) {
        text_append(out, "?", 1);
        return;
    }
    memcpy(&value.bits, bytes, type_bytes(value.type));
    if (!format && print_enumerator(dwarf, type, value.bits, out))
        return;
    if (!format && dwarf_type_is_boolean(dwarf, type))
        value.type = HX_TYPE_PRED;
    value_print(&value, dwarf_type_is_pointer(dwarf, type) && !format ? 'x' : format, out);
    if (format || !dwarf_type_is_text(dwarf, type))
        return;
    text_append(out, " '", 2);
    value_print_character((unsigned char)bytes[0], '\'', out);
    text_append(out, "'", 1);
}

static void print_bits(const struct dwarf *dwarf, const struct dwarf_type_member *member, const char *bytes,
                       uint64_t count, char format, struct text *out)
{
    if (bit_range_bytes(member->bits) > count) {
        text_append(out, "?", 1);
        return;
    }
    const uint64_t bits =
        dwarf_type_extend_bits(dwarf, member->type, member->bits, bit_range_take(member->bits, bytes));
    print_number(dwarf, member->type, (const char *)&bits, sizeof bits, format, out);
}

/* Is there room for another value in a value? */
static bool goes_on(const struct text *out, size_t most, unsigned depth)
{
    return depth < DEPTH_MOST && !out->failed && out->length < most;
}

void value_print_text(const char *bytes, uint64_t count, bool is_cut, struct text *out)
{
    while (count > 0 && !is_cut && bytes[count - 1] == 0)
        count--;
    text_append(out, "\"", 1);
    for (uint64_t i = 0; i < count && i < CHARACTERS_MOST; i++)
        value_print_character((unsigned char)bytes[i], '"', out);
    text_print(out, "\"%s", is_cut || count > CHARACTERS_MOST ? "..." : "");
}

uint64_t value_print_repeats(const char *first, uint64_t bytes, uint64_t count, struct text *out)
{
    uint64_t same = 1;
    while (same < count && memcmp(first, first + same * bytes, bytes) == 0)
        same++;
    if (same < REPEATS_LEAST)
        return 1;
    text_print(out, " <%llu times>", (unsigned long long)same);
    return same;
}

/* `most`: the length of *out at which the value's text ends with what it has. */
static void print_within(const struct dwarf *dwarf, uint32_t type, uint32_t dimension, const char *bytes,
                         uint64_t count, char format, unsigned depth, size_t most, struct text *out)
{
    struct dwarf_type_elements elements;
    struct dwarf_type_member member;
    uint64_t number = 0;
    if (!dwarf_type_is_aggregate(dwarf, type)) {
        print_number(dwarf, type, bytes, count, format, out);
        return;
    }
    const bool is_array = dwarf_type_elements(dwarf, type, dimension, &elements);
    const uint64_t there = is_array ? count / elements.bytes : 0;
    if (is_array && !format && !elements.dimension && !stripped(dwarf, type)->is_vector &&
        dwarf_type_is_text(dwarf, elements.type)) {
        value_print_text(bytes, there < elements.count ? there : elements.count, false, out);
        return;
    }
    text_append(out, "{", 1);
    const uint64_t last = there < elements.count ? there : elements.count;
    for (uint64_t shown = 0; is_array && goes_on(out, most, depth) && number < last && shown < ELEMENTS_MOST;
         shown++) {
        const char *const one = bytes + number * elements.bytes;
        text_print(out, "%s", number ? ", " : "");
        print_within(dwarf, elements.type, elements.dimension, one, elements.bytes, format, depth + 1, most,
                     out);
        number += value_print_repeats(one, elements.bytes, last - number, out);
    }
    if (is_array && number < elements.count)
        text_print(out, "%s... %llu elements", number ? ", " : "", (unsigned long long)elements.count);
    for (uint32_t cursor = 0;
         !is_array && goes_on(out, most, depth) && dwarf_type_next_member(dwarf, type, &cursor, &member);) {
        text_print(out, "%s", number++ ? ", " : "");
        if (member.name.length > 0)
            text_print(out, SLICE_FORMAT " = ", SLICE_ARGS(member.name));
        if (member.at > count)
            continue;
        if (member.bits.count)
            print_bits(dwarf, &member, bytes + member.at, count - member.at, format, out);
        else
            print_within(dwarf, member.type, 0, bytes + member.at, count - member.at, format, depth + 1, most,
                         out);
    }
    text_append(out, "}", 1);
}

void value_print_typed(const struct dwarf *dwarf, uint32_t type, uint32_t dimension, const char *bytes,
                       uint64_t count, char format, struct text *out)
{
    print_within(dwarf, type, dimension, bytes, count, format, 0, out->length + TEXT_MOST, out);
}
