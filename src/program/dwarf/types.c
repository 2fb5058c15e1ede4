/* Types of the source.
 *
 * Takes entries of DWARF, leaves what a debugger or a checker asks of a type. Entries may lead in circles,
 * because they come from a file: every walk has a bound. */
#include "program/dwarf/types.h"

#include "semantics/semantics.h"

#include <string.h>

#define STEPS_MOST  64    /* from name to name of a type */
#define DEPTH_MOST  16    /* of values in each other */
#define SEARCH_MOST 10000 /* members that are compared with a name */

static const struct dwarf_entry *entry_of(const struct dwarf *dwarf, uint32_t index)
{
    return index < dwarf->entries.count ? &dwarf->entries.items[index] : NULL;
}

uint32_t dwarf_type_strip(const struct dwarf *dwarf, uint32_t type)
{
    for (unsigned i = 0; i < STEPS_MOST; i++) {
        const struct dwarf_entry *entry = entry_of(dwarf, type);
        if (!entry)
            return DWARF_NONE;
        if (entry->tag != DWARF_TYPEDEF && entry->tag != DWARF_CONST && entry->tag != DWARF_VOLATILE &&
            entry->tag != DWARF_RESTRICT)
            return type;
        type = entry->type;
    }
    return DWARF_NONE;
}

static const struct dwarf_entry *stripped(const struct dwarf *dwarf, uint32_t type)
{
    return entry_of(dwarf, dwarf_type_strip(dwarf, type));
}

static uint16_t tag_of(const struct dwarf *dwarf, uint32_t type)
{
    const struct dwarf_entry *entry = stripped(dwarf, type);
    return entry ? entry->tag : 0;
}

bool dwarf_type_is_reference(const struct dwarf *dwarf, uint32_t type)
{
    const uint16_t tag = tag_of(dwarf, type);
    return tag == DWARF_REFERENCE || tag == DWARF_RVALUE_REFERENCE;
}

bool dwarf_type_is_pointer(const struct dwarf *dwarf, uint32_t type)
{
    return tag_of(dwarf, type) == DWARF_POINTER || dwarf_type_is_reference(dwarf, type);
}

bool dwarf_type_is_array(const struct dwarf *dwarf, uint32_t type)
{
    return tag_of(dwarf, type) == DWARF_ARRAY;
}

static bool is_structure(uint16_t tag)
{
    return tag == DWARF_STRUCTURE || tag == DWARF_CLASS || tag == DWARF_UNION;
}

bool dwarf_type_is_boolean(const struct dwarf *dwarf, uint32_t type)
{
    const struct dwarf_entry *entry = stripped(dwarf, type);
    return entry && entry->tag == DWARF_BASE && entry->encoding == DWARF_BOOLEAN;
}

/* CUDA C's numbers of 16 bits are structures of its headers. NONE: the type is none of them. */
static enum hx_type half_type(const struct dwarf_entry *entry)
{
    if (!entry || entry->bytes != 2 || !is_structure(entry->tag))
        return HX_TYPE_NONE;
    return slice_equal(entry->name, "__half")          ? HX_TYPE_F16
           : slice_equal(entry->name, "__nv_bfloat16") ? HX_TYPE_BF16
                                                       : HX_TYPE_NONE;
}

bool dwarf_type_is_aggregate(const struct dwarf *dwarf, uint32_t type)
{
    const struct dwarf_entry *entry = stripped(dwarf, type);
    return (is_structure(tag_of(dwarf, type)) && half_type(entry) == HX_TYPE_NONE) ||
           dwarf_type_is_array(dwarf, type);
}

uint32_t dwarf_type_target(const struct dwarf *dwarf, uint32_t type)
{
    const struct dwarf_entry *entry = stripped(dwarf, type);
    return entry ? entry->type : DWARF_NONE;
}

/* Numbers of the spaces as LLVM's back end for PTX writes them (NVPTXDwarfDebug, "ADDR_global_space"). */
int dwarf_type_space(const struct dwarf *dwarf, uint32_t type)
{
    const struct dwarf_entry *entry = stripped(dwarf, type);
    switch (entry ? entry->address_class : 0) {
    case 5:
        return SPACE_GLOBAL;
    case 6:
        return SPACE_LOCAL;
    case 8:
        return SPACE_SHARED;
    default:
        return SPACE_GENERIC;
    }
}

/* ---- Sizes --------------------------------------------------------------------------------------------- */

/* The counts of an array's dimensions from `dimension` on, multiplied; 0: there are none, or too many. */
static uint64_t product(const struct dwarf *dwarf, uint32_t array, uint32_t dimension, uint64_t *ret_first)
{
    const struct dwarf_entry *entry = &dwarf->entries.items[array];
    uint64_t all = 0;
    uint32_t number = 0;
    *ret_first = 0;
    for (uint32_t i = array + 1; i < entry->end; i = dwarf->entries.items[i].end) {
        const struct dwarf_entry *child = &dwarf->entries.items[i];
        if (child->tag != DWARF_SUBRANGE || number++ < dimension)
            continue;
        if (number == dimension + 1)
            *ret_first = all = child->count;
        else if (__builtin_mul_overflow(all, child->count, &all))
            return 0;
    }
    return all;
}

static uint64_t size_within(const struct dwarf *dwarf, uint32_t type, unsigned depth)
{
    const uint32_t index = dwarf_type_strip(dwarf, type);
    const struct dwarf_entry *entry = entry_of(dwarf, index);
    uint64_t first, bytes = 0;
    if (!entry || depth > DEPTH_MOST)
        return 0;
    if (dwarf_type_is_pointer(dwarf, index))
        return entry->bytes ? entry->bytes : 8;
    if (entry->tag != DWARF_ARRAY || entry->bytes)
        return entry->bytes;
    if (__builtin_mul_overflow(product(dwarf, index, 0, &first), size_within(dwarf, entry->type, depth + 1),
                               &bytes))
        return 0;
    return bytes;
}

uint64_t dwarf_type_size(const struct dwarf *dwarf, uint32_t type)
{
    return size_within(dwarf, type, 0);
}

bool dwarf_type_elements(const struct dwarf *dwarf, uint32_t type, uint32_t dimension,
                         struct dwarf_type_elements *ret_elements)
{
    const uint32_t index = dwarf_type_strip(dwarf, type);
    const struct dwarf_entry *entry = entry_of(dwarf, index);
    uint64_t first, ignored;
    if (!entry || entry->tag != DWARF_ARRAY)
        return false;
    (void)product(dwarf, index, dimension, &first);
    const uint64_t inner = product(dwarf, index, dimension + 1, &ignored);
    *ret_elements = (struct dwarf_type_elements){
        .count = first, .type = inner ? index : entry->type, .dimension = inner ? dimension + 1 : 0};
    const uint64_t one = dwarf_type_size(dwarf, entry->type);
    return !__builtin_mul_overflow(inner ? inner : 1, one, &ret_elements->bytes) && ret_elements->bytes > 0;
}

enum hx_type dwarf_type_of_number(const struct dwarf *dwarf, uint32_t type)
{
    static const enum hx_type floats[] = {[2] = HX_TYPE_F16, [4] = HX_TYPE_F32, [8] = HX_TYPE_F64};
    static const enum hx_type with_sign[] = {
        [1] = HX_TYPE_I8, [2] = HX_TYPE_I16, [4] = HX_TYPE_I32, [8] = HX_TYPE_I64};
    static const enum hx_type without[] = {
        [1] = HX_TYPE_U8, [2] = HX_TYPE_U16, [4] = HX_TYPE_U32, [8] = HX_TYPE_U64};
    const struct dwarf_entry *entry = stripped(dwarf, type);
    const uint64_t bytes = dwarf_type_size(dwarf, type);
    if (!entry || bytes > 8)
        return HX_TYPE_NONE;
    if (dwarf_type_is_pointer(dwarf, type))
        return without[bytes];
    if (entry->tag == DWARF_ENUMERATION)
        return with_sign[bytes];
    if (entry->tag != DWARF_BASE)
        return half_type(entry);
    return entry->encoding == DWARF_FLOAT                                            ? floats[bytes]
           : entry->encoding == DWARF_SIGNED || entry->encoding == DWARF_SIGNED_CHAR ? with_sign[bytes]
                                                                                     : without[bytes];
}

/* ---- Bit-fields ---------------------------------------------------------------------------------------- */

unsigned bit_range_bytes(struct bit_range range)
{
    return (range.first + range.count + 7u) / 8;
}

uint64_t bit_range_take(struct bit_range range, const char *bytes)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < range.count; i++) {
        const unsigned at = range.first + i;
        bits |= (uint64_t)((uint8_t)bytes[at / 8] >> (at % 8) & 1) << i;
    }
    return bits;
}

void bit_range_put(struct bit_range range, uint64_t bits, char *bytes)
{
    for (unsigned i = 0; i < range.count; i++) {
        const unsigned at = range.first + i, mask = 1u << (at % 8);
        bytes[at / 8] = (char)(((uint8_t)bytes[at / 8] & ~mask) | (bits >> i & 1 ? mask : 0));
    }
}

uint64_t dwarf_type_extend_bits(const struct dwarf *dwarf, uint32_t type, struct bit_range range,
                                uint64_t bits)
{
    const bool is_signed = type_is_signed(dwarf_type_of_number(dwarf, type));
    if (!is_signed || range.count == 0 || range.count >= 64 || !(bits >> (range.count - 1) & 1))
        return bits;
    return bits | ~UINT64_C(0) << range.count;
}

/* As bytes from the begin of the structure on, and bits of these. */
static void place_bits(const struct dwarf *dwarf, const struct dwarf_entry *entry,
                       struct dwarf_type_member *member)
{
    int64_t first = entry->bit_at;
    if (entry->has_bit_offset) {
        const uint64_t unit = entry->bytes ? entry->bytes : dwarf_type_size(dwarf, entry->type);
        first = 8 * ((int64_t)entry->member_at + (int64_t)unit) - entry->bit_at - entry->bits;
    } else if (first == 0) {
        first = 8 * (int64_t)entry->member_at;
    }
    member->at = first > 0 ? (uint64_t)first / 8 : 0;
    member->bits = (struct bit_range){(uint8_t)(first > 0 ? first % 8 : 0), (uint8_t)entry->bits};
}

/* ---- Members ------------------------------------------------------------------------------------------- */

bool dwarf_type_next_member(const struct dwarf *dwarf, uint32_t type, uint32_t *cursor,
                            struct dwarf_type_member *ret_member)
{
    const uint32_t index = dwarf_type_strip(dwarf, type);
    const struct dwarf_entry *entry = entry_of(dwarf, index);
    if (!entry || !is_structure(entry->tag))
        return false;
    for (uint32_t i = *cursor ? *cursor : index + 1; i < entry->end;) {
        const struct dwarf_entry *child = &dwarf->entries.items[i];
        i = *cursor = child->end;
        if ((child->tag != DWARF_MEMBER && child->tag != DWARF_INHERITANCE) || child->is_declaration)
            continue;
        *ret_member = (struct dwarf_type_member){child->name, child->type, child->member_at, {0, 0}};
        if (child->bits)
            place_bits(dwarf, child, ret_member);
        return true;
    }
    return false;
}

/* "xyz", "s01", "lo": the first of the lanes that are meant, and how many; 0: it means none, or lanes that do
 * not follow each other. */
static uint64_t read_lanes(struct slice name, uint64_t lanes, uint64_t *ret_first)
{
    static const char names[] = "xyzw", digits[] = "0123456789abcdef";
    const bool is_number = name.length > 1 && (name.at[0] == 's' || name.at[0] == 'S');
    const uint64_t half = (lanes + 1) / 2;
    if (slice_equal(name, "lo") || slice_equal(name, "hi")) {
        *ret_first = name.at[0] == 'l' ? 0 : half;
        return lanes < 2 ? 0 : half; /* of three lanes as of four, the last of which has any value */
    }
    for (size_t i = is_number; i < name.length; i++) {
        const char letter =
            is_number ? (char)(name.at[i] >= 'A' ? name.at[i] | 0x20 : name.at[i]) : name.at[i];
        const char *found = strchr(is_number ? digits : names, letter);
        const uint64_t lane = found && letter ? (uint64_t)(found - (is_number ? digits : names)) : lanes;
        const size_t before = i - is_number;
        *ret_first = before ? *ret_first : lane;
        if (lane >= lanes || lane != *ret_first + before)
            return 0;
    }
    return name.length - is_number;
}

static bool find_lane(const struct dwarf *dwarf, uint32_t type, struct slice name,
                      struct dwarf_type_member *ret_member)
{
    const struct dwarf_entry *entry = stripped(dwarf, type);
    struct dwarf_type_elements elements;
    uint64_t first = 0;
    if (!entry || !entry->is_vector || !dwarf_type_elements(dwarf, type, 0, &elements))
        return false;
    const uint64_t count = read_lanes(name, elements.count, &first);
    *ret_member = (struct dwarf_type_member){name, elements.type, first * elements.bytes, {0, 0}};
    if (count > 1)
        ret_member->type = dwarf_made_array((struct dwarf *)dwarf, elements.type, true, &count, 1);
    return count > 0 && ret_member->type != DWARF_NONE;
}

static bool find_within(const struct dwarf *dwarf, uint32_t type, struct slice name, unsigned depth,
                        uint32_t *looked, struct dwarf_type_member *ret_member)
{
    struct dwarf_type_member member;
    for (uint32_t cursor = 0;
         ++*looked < SEARCH_MOST && dwarf_type_next_member(dwarf, type, &cursor, &member);) {
        if (member.name.length == name.length && name.length > 0 &&
            memcmp(member.name.at, name.at, name.length) == 0) {
            *ret_member = member;
            return true;
        }
        if (member.name.length > 0 || depth == 0 ||
            !find_within(dwarf, member.type, name, depth - 1, looked, ret_member))
            continue;
        ret_member->at += member.at;
        return true;
    }
    return false;
}

bool dwarf_type_find_member(const struct dwarf *dwarf, uint32_t type, struct slice name,
                            struct dwarf_type_member *ret_member)
{
    uint32_t looked = 0;
    return find_within(dwarf, type, name, 4, &looked, ret_member) || find_lane(dwarf, type, name, ret_member);
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

/* As OpenCL C has it, uint4. */
static bool print_vector(const struct dwarf *dwarf, uint32_t type, struct text *out)
{
    static const char *const names[][2] = {{"unsigned char", "uchar"},
                                           {"unsigned short", "ushort"},
                                           {"unsigned int", "uint"},
                                           {"unsigned long", "ulong"},
                                           {"signed char", "char"}};
    struct dwarf_type_elements elements;
    const struct dwarf_entry *element =
        dwarf_type_elements(dwarf, type, 0, &elements) ? stripped(dwarf, elements.type) : NULL;
    if (!element || element->tag != DWARF_BASE)
        return false;
    struct slice name = element->name;
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        if (slice_equal(name, names[i][0]))
            name = slice_of(names[i][1]);
    text_print(out, SLICE_FORMAT "%llu", SLICE_ARGS(name), (unsigned long long)elements.count);
    return true;
}

/* A pointer under no name, but const and volatile. */
static bool is_pointer_alone(const struct dwarf *dwarf, uint32_t type)
{
    for (unsigned i = 0; i < STEPS_MOST; i++) {
        const struct dwarf_entry *entry = entry_of(dwarf, type);
        if (!entry ||
            (entry->tag != DWARF_CONST && entry->tag != DWARF_VOLATILE && entry->tag != DWARF_RESTRICT))
            return entry && entry->tag == DWARF_POINTER;
        type = entry->type;
    }
    return false;
}

static void print_name(const struct dwarf *dwarf, uint32_t type, unsigned depth, struct text *out)
{
    const struct dwarf_entry *entry = entry_of(dwarf, type);
    if (!entry || depth > DEPTH_MOST) {
        text_append(out, "void", 4);
    } else if (entry->tag == DWARF_POINTER || entry->tag == DWARF_REFERENCE ||
               entry->tag == DWARF_RVALUE_REFERENCE) {
        print_name(dwarf, entry->type, depth + 1, out);
        text_print(out, "%s",
                   entry->tag == DWARF_POINTER     ? " *"
                   : entry->tag == DWARF_REFERENCE ? " &"
                                                   : " &&");
    } else if (entry->tag == DWARF_CONST || entry->tag == DWARF_VOLATILE || entry->tag == DWARF_RESTRICT) {
        const char *const word = entry->tag == DWARF_CONST      ? "const"
                                 : entry->tag == DWARF_VOLATILE ? "volatile"
                                                                : "";
        const bool is_behind =
            is_pointer_alone(dwarf, entry->type); /* int *const: the pointer is what is const */
        text_print(out, "%s%s", is_behind ? "" : word, word[0] && !is_behind ? " " : "");
        print_name(dwarf, entry->type, depth + 1, out);
        text_print(out, "%s%s", word[0] && is_behind ? " " : "", is_behind ? word : "");
    } else if (entry->tag == DWARF_ARRAY && entry->is_vector && print_vector(dwarf, type, out)) {
        return;
    } else if (entry->tag == DWARF_ARRAY) {
        print_name(dwarf, entry->type, depth + 1, out);
        text_append(out, " ", 1);
        for (uint32_t i = type + 1; i < entry->end; i = dwarf->entries.items[i].end)
            if (dwarf->entries.items[i].tag == DWARF_SUBRANGE)
                text_print(out, "[%llu]", (unsigned long long)dwarf->entries.items[i].count);
    } else if (entry->tag == DWARF_FUNCTION_TYPE) {
        text_append(out, "function", 8);
    } else if (entry->name.length == 0) {
        text_print(out, "%s {...}",
                   entry->tag == DWARF_UNION         ? "union"
                   : entry->tag == DWARF_ENUMERATION ? "enum"
                                                     : "struct");
    } else {
        text_print(out, SLICE_FORMAT, SLICE_ARGS(entry->name));
    }
}

void dwarf_type_print(const struct dwarf *dwarf, uint32_t type, struct text *out)
{
    print_name(dwarf, type, 0, out);
}

bool dwarf_type_is_text(const struct dwarf *dwarf, uint32_t type)
{
    const struct dwarf_entry *entry = stripped(dwarf, type);
    return entry && entry->tag == DWARF_BASE && entry->encoding == DWARF_SIGNED_CHAR &&
           (slice_equal(entry->name, "char") || slice_equal(entry->name, "signed char"));
}
