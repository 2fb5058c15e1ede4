/* Types that an expression needs and the program may not have: pointers to what it takes the address of, and
 * arrays of what it repeats.
 *
 * Takes the types of the source, leaves entries behind those that the compiler wrote. Each is made once, so
 * that their number is bounded by the types that expressions mean. */
#include "program/dwarf/types.h"

static uint32_t push(struct dwarf *dwarf, struct dwarf_entry entry)
{
    const uint32_t index = (uint32_t)dwarf->entries.count;
    entry.parent = entry.origin = DWARF_NONE;
    entry.end = index + 1;
    return LIST_PUSH(dwarf->allocator, &dwarf->entries, entry) ? index : DWARF_NONE;
}

uint32_t dwarf_made_pointer(struct dwarf *dwarf, uint32_t type)
{
    for (size_t i = 0; i < dwarf->entries.count; i++) {
        const struct dwarf_entry *entry = &dwarf->entries.items[i];
        if (entry->tag == DWARF_POINTER && entry->address_class == 0 && entry->type == type)
            return (uint32_t)i;
    }
    return push(dwarf, (struct dwarf_entry){.tag = DWARF_POINTER, .type = type, .bytes = 8});
}

/* Has an array these dimensions, and no others? */
static bool has_counts(const struct dwarf *dwarf, uint32_t array, const uint64_t *counts, size_t dimensions)
{
    const struct dwarf_entry *entry = &dwarf->entries.items[array];
    size_t number = 0;
    for (uint32_t i = array + 1; i < entry->end; i = dwarf->entries.items[i].end) {
        if (dwarf->entries.items[i].tag != DWARF_SUBRANGE)
            continue;
        if (number == dimensions || dwarf->entries.items[i].count != counts[number++])
            return false;
    }
    return number == dimensions;
}

uint32_t dwarf_made_array(struct dwarf *dwarf, uint32_t type, bool is_vector, const uint64_t *counts,
                          size_t dimensions)
{
    for (size_t i = 0; i < dwarf->entries.count; i++) {
        const struct dwarf_entry *entry = &dwarf->entries.items[i];
        if (entry->tag == DWARF_ARRAY && entry->type == type && entry->is_vector == is_vector &&
            has_counts(dwarf, (uint32_t)i, counts, dimensions))
            return (uint32_t)i;
    }
    const uint32_t array =
        push(dwarf, (struct dwarf_entry){.tag = DWARF_ARRAY, .type = type, .is_vector = is_vector});
    for (size_t i = 0; i < dimensions && array != DWARF_NONE; i++) {
        const uint32_t range =
            push(dwarf, (struct dwarf_entry){.tag = DWARF_SUBRANGE, .type = DWARF_NONE, .count = counts[i]});
        if (range == DWARF_NONE)
            return DWARF_NONE;
        dwarf->entries.items[array].end = range + 1;
    }
    return array;
}

uint32_t dwarf_made_rest(struct dwarf *dwarf, uint32_t type, uint32_t dimension)
{
    enum { DIMENSIONS_MOST = 16 };
    const uint32_t array = dwarf_type_strip(dwarf, type);
    uint64_t counts[DIMENSIONS_MOST];
    size_t dimensions = 0;
    uint32_t number = 0;
    if (array == DWARF_NONE || dwarf->entries.items[array].tag != DWARF_ARRAY)
        return DWARF_NONE;
    const struct dwarf_entry *entry = &dwarf->entries.items[array];
    for (uint32_t i = array + 1; i < entry->end; i = dwarf->entries.items[i].end) {
        if (dwarf->entries.items[i].tag != DWARF_SUBRANGE || number++ < dimension)
            continue;
        if (dimensions == DIMENSIONS_MOST)
            return DWARF_NONE;
        counts[dimensions++] = dwarf->entries.items[i].count;
    }
    return dimensions ? dwarf_made_array(dwarf, entry->type, false, counts, dimensions) : DWARF_NONE;
}

/* Those of C, OpenCL C and CUDA C, in which `long` has 8 bytes. */
uint32_t dwarf_made_base(struct dwarf *dwarf, struct slice name)
{
    static const struct {
        const char *name;
        uint8_t bytes, encoding;
    } bases[] = {{"bool", 1, DWARF_BOOLEAN},
                 {"char", 1, DWARF_SIGNED_CHAR},
                 {"signed char", 1, DWARF_SIGNED},
                 {"unsigned char", 1, DWARF_UNSIGNED},
                 {"uchar", 1, DWARF_UNSIGNED},
                 {"short", 2, DWARF_SIGNED},
                 {"unsigned short", 2, DWARF_UNSIGNED},
                 {"ushort", 2, DWARF_UNSIGNED},
                 {"int", 4, DWARF_SIGNED},
                 {"unsigned int", 4, DWARF_UNSIGNED},
                 {"uint", 4, DWARF_UNSIGNED},
                 {"long", 8, DWARF_SIGNED},
                 {"unsigned long", 8, DWARF_UNSIGNED},
                 {"ulong", 8, DWARF_UNSIGNED},
                 {"long long", 8, DWARF_SIGNED},
                 {"unsigned long long", 8, DWARF_UNSIGNED},
                 {"half", 2, DWARF_FLOAT},
                 {"float", 4, DWARF_FLOAT},
                 {"double", 8, DWARF_FLOAT}};
    for (size_t i = 0; i < HX_COUNT_OF(bases); i++)
        if (slice_equal(name, bases[i].name))
            return push(dwarf, (struct dwarf_entry){.tag = DWARF_BASE,
                                                    .type = DWARF_NONE,
                                                    .name = slice_of(bases[i].name),
                                                    .bytes = bases[i].bytes,
                                                    .encoding = bases[i].encoding});
    return DWARF_NONE;
}
