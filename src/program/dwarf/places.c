/* From places in memory back to variables of the source.
 *
 * Takes the name of a variable of the PTX and a byte of it, leaves the entry of the source's variable that
 * has this byte, and what member the byte is of. A compiler lays variables out behind each other in one
 * variable of the PTX for each function. */
#include "program/dwarf/places.h"

#include <string.h>

#define DEPTH_MOST   16    /* of values in each other */
#define MEMBERS_MOST 10000 /* of one structure that are compared */

/* What a copy, or a definition apart from its declaration, does not say its origin does. */
static const struct dwarf_entry *origin_of(const struct dwarf *dwarf, uint32_t index)
{
    const struct dwarf_entry *const entry = &dwarf->entries.items[index];
    return entry->origin < dwarf->entries.count ? &dwarf->entries.items[entry->origin] : entry;
}

struct slice dwarf_variable_name(const struct dwarf *dwarf, uint32_t variable)
{
    const struct slice own = dwarf->entries.items[variable].name;
    return own.length ? own : origin_of(dwarf, variable)->name;
}

uint32_t dwarf_variable_type(const struct dwarf *dwarf, uint32_t variable)
{
    const uint32_t own = dwarf->entries.items[variable].type;
    return own != DWARF_NONE ? own : origin_of(dwarf, variable)->type;
}

bool dwarf_variable_symbol(const struct dwarf *dwarf, uint32_t variable, uint64_t *ret_symbol)
{
    const struct slice own = dwarf->entries.items[variable].location;
    const struct slice location = own.length ? own : origin_of(dwarf, variable)->location;
    if (!location.length)
        return false;
    struct dwarf_bytes bytes = {(const uint8_t *)location.at, (const uint8_t *)location.at + location.length,
                                false};
    if (dwarf_take(&bytes, 1) != DWARF_OP_ADDR)
        return false;
    uint64_t address = dwarf_take(&bytes, 8);
    while (bytes.at < bytes.end && !bytes.failed) {
        if (dwarf_take(&bytes, 1) != DWARF_OP_PLUS)
            return false;
        address = DEBUG_SYMBOL_MOVED(address, dwarf_take_unsigned(&bytes));
    }
    *ret_symbol = address;
    return !bytes.failed && (address & DEBUG_SYMBOL);
}

bool dwarf_symbol_is(struct slice symbol, struct slice name)
{
    size_t at = 0;
    for (size_t i = 0; i < symbol.length; i++) {
        const bool is_dot = symbol.at[i] == '.';
        const size_t width = is_dot ? 3 : 1;
        if (name.length - at < width || memcmp(name.at + at, is_dot ? "_$_" : symbol.at + i, width) != 0)
            return false;
        at += width;
    }
    return at == name.length;
}

uint32_t dwarf_variable_at(const struct dwarf *dwarf, const struct program_debug *debug, struct slice name,
                           uint64_t offset, uint64_t *ret_offset)
{
    uint32_t found = DWARF_NONE;
    for (uint32_t i = 0; i < dwarf->entries.count; i++) {
        const uint16_t tag = dwarf->entries.items[i].tag;
        uint64_t symbol;
        if ((tag != DWARF_VARIABLE && tag != DWARF_PARAMETER) || !dwarf_variable_symbol(dwarf, i, &symbol) ||
            DEBUG_SYMBOL_INDEX(symbol) >= debug->symbol_count ||
            !dwarf_symbol_is(debug->symbols[DEBUG_SYMBOL_INDEX(symbol)], name))
            continue;
        const uint64_t within = offset - (uint64_t)(int64_t)DEBUG_SYMBOL_OFFSET(symbol);
        if (within >= dwarf_type_size(dwarf, dwarf_variable_type(dwarf, i)) ||
            dwarf_variable_name(dwarf, i).length == 0)
            continue;
        if (found != DWARF_NONE)
            return DWARF_NONE;
        found = i;
        *ret_offset = within;
    }
    return found;
}

/* ---- Bytes of values ----------------------------------------------------------------------------------- */

static void add_index(const struct dwarf *dwarf, uint32_t type, uint64_t index, struct text *path)
{
    const struct dwarf_entry *const entry = &dwarf->entries.items[dwarf_type_strip(dwarf, type)];
    if (!entry->is_vector)
        text_print(path, "[%llu]", (unsigned long long)index);
    else if (index < 4)
        text_print(path, ".%c", "xyzw"[index]);
    else
        text_print(path, ".s%llx", (unsigned long long)index);
}

static bool has_byte(const struct dwarf *dwarf, const struct dwarf_type_member *member, uint64_t offset)
{
    const uint64_t bytes =
        member->bits.count ? bit_range_bytes(member->bits) : dwarf_type_size(dwarf, member->type);
    return offset >= member->at && offset - member->at < bytes;
}

/* The member of a structure that has a byte. False: it is of several, or of one with less than a byte, and
 * *ret_byte is what is known of it; or of none. */
static bool find_member(const struct dwarf *dwarf, uint32_t type, uint64_t offset,
                        struct dwarf_type_member *ret_member, enum dwarf_byte *ret_byte)
{
    struct dwarf_type_member member;
    unsigned count = 0, looked = 0;
    bool is_shared = false;
    for (uint32_t cursor = 0;
         looked++ < MEMBERS_MOST && dwarf_type_next_member(dwarf, type, &cursor, &member);) {
        if (!has_byte(dwarf, &member, offset))
            continue;
        *ret_member = member;
        is_shared |= member.bits.count > 0;
        count++;
    }
    *ret_byte = count || looked > MEMBERS_MOST ? DWARF_BYTE_UNKNOWN : DWARF_BYTE_OF_PADDING;
    return count == 1 && !is_shared;
}

static enum dwarf_byte byte_of_union(const struct dwarf *dwarf, uint32_t type, uint64_t offset)
{
    struct dwarf_type_member member;
    unsigned looked = 0;
    for (uint32_t cursor = 0;
         looked++ < MEMBERS_MOST && dwarf_type_next_member(dwarf, type, &cursor, &member);)
        if (!has_byte(dwarf, &member, offset))
            return DWARF_BYTE_OF_SOME;
    return DWARF_BYTE_UNKNOWN;
}

enum dwarf_byte dwarf_type_byte(const struct dwarf *dwarf, uint32_t type, uint64_t offset, struct text *path)
{
    struct dwarf_type_elements elements;
    struct dwarf_type_member member = {0};
    enum dwarf_byte byte;
    uint32_t dimension = 0;
    for (unsigned depth = 0; depth < DEPTH_MOST; depth++) {
        const uint32_t stripped = dwarf_type_strip(dwarf, type);
        if (stripped == DWARF_NONE)
            return DWARF_BYTE_UNKNOWN;
        if (dwarf->entries.items[stripped].tag == DWARF_UNION)
            return byte_of_union(dwarf, stripped, offset);
        if (!dwarf_type_is_aggregate(dwarf, type))
            return DWARF_BYTE_OF_VALUE;
        if (dwarf_type_is_array(dwarf, type)) {
            if (!dwarf_type_elements(dwarf, type, dimension, &elements))
                return DWARF_BYTE_UNKNOWN;
            if (offset / elements.bytes >= elements.count)
                return DWARF_BYTE_OF_PADDING;
            if (path)
                add_index(dwarf, type, offset / elements.bytes, path);
            offset %= elements.bytes;
            type = elements.type;
            dimension = elements.dimension;
            continue;
        }
        if (!find_member(dwarf, type, offset, &member, &byte))
            return byte;
        if (path && member.name.length)
            text_print(path, "." SLICE_FORMAT, SLICE_ARGS(member.name));
        offset -= member.at;
        type = member.type;
        dimension = 0;
    }
    return DWARF_BYTE_UNKNOWN;
}
