/* Reading entries of DWARF.
 *
 * Takes the sections of a program, leaves a list of entries with the attributes that matter for variables.
 * Every size comes from the input and is checked against what is left; attributes that are not needed are
 * passed over by their form. Section numbers are those of DWARF 4. */
#include "program/dwarf/dwarf.h"

#define ENTRIES_MOST (1u << 22)
#define WORK_MOST    (1u << 26) /* attributes of entries and abbreviations, over all units */

enum attribute {
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_BYTE_SIZE = 0x0b,
    AT_BIT_OFFSET = 0x0c,
    AT_BIT_SIZE = 0x0d,
    AT_LOW_PC = 0x11,
    AT_HIGH_PC = 0x12,
    AT_CONST_VALUE = 0x1c,
    AT_UPPER_BOUND = 0x2f,
    AT_ABSTRACT_ORIGIN = 0x31,
    AT_ADDRESS_CLASS = 0x33,
    AT_ARTIFICIAL = 0x34,
    AT_COUNT = 0x37,
    AT_MEMBER_LOCATION = 0x38,
    AT_DECLARATION = 0x3c,
    AT_ENCODING = 0x3e,
    AT_DECL_FILE = 0x3a,
    AT_DECL_LINE = 0x3b,
    AT_SPECIFICATION = 0x47,
    AT_TYPE = 0x49,
    AT_CALL_FILE = 0x58,
    AT_CALL_LINE = 0x59,
    AT_DATA_BIT_OFFSET = 0x6b,
    AT_LINKAGE_NAME = 0x6e,
    AT_MIPS_LINKAGE_NAME = 0x2007,
    AT_VECTOR = 0x2107
};

/* ---- Bytes --------------------------------------------------------------------------------------------- */

uint64_t dwarf_take(struct dwarf_bytes *bytes, unsigned count)
{
    uint64_t value = 0;
    if (count > 8 || (size_t)(bytes->end - bytes->at) < count) {
        bytes->failed = true;
        bytes->at = bytes->end;
        return 0;
    }
    memcpy(&value, bytes->at, count);
    bytes->at += count;
    return value;
}

uint64_t dwarf_take_unsigned(struct dwarf_bytes *bytes)
{
    uint64_t value = 0, part = 0x80;
    for (unsigned shift = 0; (part & 0x80) && !bytes->failed; shift += 7) {
        part = dwarf_take(bytes, 1);
        if (shift < 64)
            value |= (part & 0x7f) << shift;
    }
    return value;
}

int64_t dwarf_take_signed(struct dwarf_bytes *bytes)
{
    uint64_t value = 0, part = 0x80;
    unsigned shift = 0;
    for (; (part & 0x80) && !bytes->failed; shift += 7) {
        part = dwarf_take(bytes, 1);
        if (shift < 64)
            value |= (part & 0x7f) << shift;
    }
    if (shift < 64 && (part & 0x40))
        value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

static struct slice take_block(struct dwarf_bytes *bytes, uint64_t count)
{
    const struct slice block = {(const char *)bytes->at, (size_t)count};
    if (count > (uint64_t)(bytes->end - bytes->at)) {
        bytes->failed = true;
        bytes->at = bytes->end;
        return (struct slice){"", 0};
    }
    bytes->at += count;
    return block;
}

static struct slice take_string(struct dwarf_bytes *bytes)
{
    const size_t left = (size_t)(bytes->end - bytes->at), length = strnlen((const char *)bytes->at, left);
    const struct slice text = take_block(bytes, length);
    dwarf_take(bytes, 1);
    return text;
}

/* ---- Abbreviations (7.5.3) ----------------------------------------------------------------------------- */

struct abbreviation {
    uint64_t code;
    uint16_t tag;
    bool has_children;
    const uint8_t *attributes; /* pairs of name and form, to the pair of zeros */
};

struct reading {
    const struct program_debug *debug;
    struct dwarf *dwarf;
    LIST(struct abbreviation) abbreviations; /* of the unit */
    const uint8_t *abbreviations_end;
    /* of the unit */
    uint32_t unit; /* where it begins */
    unsigned version, address_bytes;
    bool no_memory;
    uint32_t work;
};

static struct dwarf_bytes section_from(const struct program_debug *debug, enum debug_section number,
                                       uint64_t offset)
{
    const struct slice section = debug->sections[number];
    const uint8_t *at = (const uint8_t *)section.at;
    if (offset > section.length)
        return (struct dwarf_bytes){at, at, true};
    return (struct dwarf_bytes){at + offset, at + section.length, false};
}

static bool read_abbreviations(struct reading *reading, uint64_t offset)
{
    struct dwarf_bytes bytes = section_from(reading->debug, DEBUG_ABBREV, offset);
    reading->abbreviations.count = 0;
    reading->abbreviations_end = bytes.end;
    for (;;) {
        struct abbreviation made = {.code = dwarf_take_unsigned(&bytes)};
        if (bytes.failed || made.code == 0)
            return !bytes.failed;
        made.tag = (uint16_t)dwarf_take_unsigned(&bytes);
        made.has_children = dwarf_take(&bytes, 1) != 0;
        made.attributes = bytes.at;
        uint64_t name, form;
        do {
            name = dwarf_take_unsigned(&bytes);
            form = dwarf_take_unsigned(&bytes);
        } while ((name || form) && !bytes.failed && ++reading->work < WORK_MOST);
        if (reading->work >= WORK_MOST)
            return false;
        if (!LIST_PUSH(reading->dwarf->allocator, &reading->abbreviations, made)) {
            reading->no_memory = true;
            return false;
        }
    }
}

/* Codes are the numbers from 1 on, as compilers write them; others are looked for. */
static const struct abbreviation *find_abbreviation(struct reading *reading, uint64_t code)
{
    const size_t count = reading->abbreviations.count;
    if (code <= count && reading->abbreviations.items[code - 1].code == code)
        return &reading->abbreviations.items[code - 1];
    for (size_t i = 0; i < count && ++reading->work < WORK_MOST; i++)
        if (reading->abbreviations.items[i].code == code)
            return &reading->abbreviations.items[i];
    return NULL;
}

/* ---- Attributes (7.5.4) -------------------------------------------------------------------------------- */

struct attribute_value {
    uint64_t number;
    struct slice block, text;
    bool is_block, is_address;
};

/* A form's value, false: the form is not known. References are from the begin of the section. */
static bool read_form(const struct reading *reading, struct dwarf_bytes *bytes, uint64_t form,
                      struct attribute_value *value)
{
    static const uint8_t fixed[] = {[0x05] = 2, [0x06] = 4, [0x07] = 8, [0x0b] = 1, [0x0c] = 1,
                                    [0x11] = 1, [0x12] = 2, [0x13] = 4, [0x14] = 8, [0x17] = 4};
    *value = (struct attribute_value){0};
    switch (form) {
    case 0x01: /* addr */
        value->number = dwarf_take(bytes, reading->address_bytes);
        value->is_address = true;
        return true;
    case 0x03: /* block2, block4, block1, block, exprloc */
    case 0x04:
    case 0x0a:
    case 0x09:
    case 0x18:
        value->is_block = true;
        value->block = take_block(bytes, form == 0x03   ? dwarf_take(bytes, 2)
                                         : form == 0x04 ? dwarf_take(bytes, 4)
                                         : form == 0x0a ? dwarf_take(bytes, 1)
                                                        : dwarf_take_unsigned(bytes));
        return true;
    case 0x08: /* string */
        value->text = take_string(bytes);
        return true;
    case 0x0d: /* sdata */
        value->number = (uint64_t)dwarf_take_signed(bytes);
        return true;
    case 0x0e: { /* strp */
        struct dwarf_bytes from = section_from(reading->debug, DEBUG_STR, dwarf_take(bytes, 4));
        value->text = take_string(&from);
        return true;
    }
    case 0x0f: /* udata, ref_udata */
    case 0x15:
        value->number = dwarf_take_unsigned(bytes) + (form == 0x15 ? reading->unit : 0);
        return true;
    case 0x10: /* ref_addr: in DWARF 2 of the size of an address */
        value->number = dwarf_take(bytes, reading->version == 2 ? reading->address_bytes : 4);
        return true;
    case 0x19: /* flag_present */
        value->number = 1;
        return true;
    case 0x20: /* ref_sig8 */
        dwarf_take(bytes, 8);
        return true;
    default:
        if (form >= HX_COUNT_OF(fixed) || !fixed[form])
            return false;
        value->number = dwarf_take(bytes, fixed[form]);
        if (form >= 0x11 && form <= 0x14)
            value->number += reading->unit;
        return true;
    }
}

/* A constant, or the expression that adds it to the address of the structure. */
static uint64_t member_location(const struct attribute_value *value)
{
    if (!value->is_block)
        return value->number;
    struct dwarf_bytes bytes = {(const uint8_t *)value->block.at,
                                (const uint8_t *)value->block.at + value->block.length, false};
    return dwarf_take(&bytes, 1) == DWARF_OP_PLUS ? dwarf_take_unsigned(&bytes) : 0;
}

/* Of a bit-field (5.5.6 of DWARF 3 and of DWARF 4). */
static void keep_bits(struct dwarf_entry *entry, uint64_t name, const struct attribute_value *value)
{
    if (name == AT_BIT_SIZE) {
        entry->bits = value->number <= 64 ? (uint16_t)value->number : 0;
    } else if (name == AT_BIT_OFFSET || name == AT_DATA_BIT_OFFSET) {
        entry->bit_at = (int32_t)value->number;
        entry->has_bit_offset = name == AT_BIT_OFFSET;
    }
}

static void keep_code(struct dwarf_entry *entry, uint64_t name, const struct attribute_value *value)
{
    if (name == AT_LOW_PC) {
        entry->low = value->number;
    } else {
        entry->high = value->number;
        entry->has_high_distance = !value->is_address;
    }
}

static void keep_declaration(struct dwarf_entry *entry, uint64_t name, const struct attribute_value *value)
{
    if (name == AT_DECL_LINE || name == AT_CALL_LINE)
        entry->line = (uint32_t)value->number;
    else if (name == AT_DECL_FILE || name == AT_CALL_FILE)
        entry->file = (uint32_t)value->number;
    else if (name == AT_LINKAGE_NAME || name == AT_MIPS_LINKAGE_NAME)
        entry->symbol = value->text;
}

static void keep_flag(struct dwarf_entry *entry, uint64_t name, bool is_set)
{
    entry->is_artificial |= name == AT_ARTIFICIAL && is_set;
    entry->is_declaration |= name == AT_DECLARATION && is_set;
    entry->is_vector |= name == AT_VECTOR && is_set;
}

/* References become indexes when all entries are there: offsets until then. */
static void keep_attribute(struct dwarf_entry *entry, uint64_t name, const struct attribute_value *value)
{
    const uint32_t reference = value->number < DWARF_NONE ? (uint32_t)value->number : DWARF_NONE;
    switch (name) {
    case AT_NAME:
        entry->name = value->text;
        break;
    case AT_LOCATION:
        entry->location = value->block;
        break;
    case AT_BYTE_SIZE:
        entry->bytes = value->number;
        break;
    case AT_LOW_PC:
    case AT_HIGH_PC:
        keep_code(entry, name, value);
        break;
    case AT_CONST_VALUE:
        entry->constant = value->number;
        entry->has_constant = !value->is_block;
        break;
    case AT_UPPER_BOUND:
        entry->count = value->number + 1;
        break;
    case AT_COUNT:
        entry->count = value->number;
        break;
    case AT_ABSTRACT_ORIGIN:
    case AT_SPECIFICATION:
        entry->origin = reference;
        break;
    case AT_TYPE:
        entry->type = reference;
        break;
    case AT_ADDRESS_CLASS:
        entry->address_class = (uint8_t)value->number;
        break;
    case AT_MEMBER_LOCATION:
        entry->member_at = member_location(value);
        break;
    case AT_ENCODING:
        entry->encoding = (uint8_t)value->number;
        break;
    default:
        keep_declaration(entry, name, value);
        keep_bits(entry, name, value);
        keep_flag(entry, name, value->number != 0);
        break;
    }
}

static bool read_attributes(struct reading *reading, const struct abbreviation *abbreviation,
                            struct dwarf_bytes *bytes, struct dwarf_entry *entry)
{
    struct dwarf_bytes pairs = {abbreviation->attributes, reading->abbreviations_end, false};
    for (;;) {
        const uint64_t name = dwarf_take_unsigned(&pairs);
        uint64_t form = dwarf_take_unsigned(&pairs);
        struct attribute_value value;
        if ((!name && !form) || pairs.failed)
            return !pairs.failed;
        if (form == 0x16) /* indirect */
            form = dwarf_take_unsigned(bytes);
        if (!read_form(reading, bytes, form, &value) || bytes->failed || ++reading->work >= WORK_MOST)
            return false;
        keep_attribute(entry, name, &value);
    }
}

/* ---- Units (7.5.1) ------------------------------------------------------------------------------------- */

static bool read_entries(struct reading *reading, struct dwarf_bytes *bytes, const uint8_t *begin)
{
    struct dwarf *dwarf = reading->dwarf;
    uint32_t parent = DWARF_NONE;
    while (bytes->at < bytes->end) {
        struct dwarf_entry entry = {.offset = (uint32_t)(bytes->at - begin),
                                    .parent = parent,
                                    .type = DWARF_NONE,
                                    .origin = DWARF_NONE};
        const uint64_t code = dwarf_take_unsigned(bytes);
        const uint32_t index = (uint32_t)dwarf->entries.count;
        if (code == 0) { /* the end of the children */
            if (parent == DWARF_NONE)
                continue;
            dwarf->entries.items[parent].end = index;
            parent = dwarf->entries.items[parent].parent;
            continue;
        }
        const struct abbreviation *abbreviation = find_abbreviation(reading, code);
        if (!abbreviation || index >= ENTRIES_MOST)
            return false;
        entry.tag = abbreviation->tag;
        entry.end = index + 1;
        if (!read_attributes(reading, abbreviation, bytes, &entry))
            return false;
        if (!LIST_PUSH(dwarf->allocator, &dwarf->entries, entry)) {
            reading->no_memory = true;
            return false;
        }
        if (abbreviation->has_children)
            parent = index;
    }
    for (; parent != DWARF_NONE; parent = dwarf->entries.items[parent].parent)
        dwarf->entries.items[parent].end = (uint32_t)dwarf->entries.count;
    return true;
}

static bool read_unit(struct reading *reading, struct dwarf_bytes *bytes, const uint8_t *begin)
{
    reading->unit = (uint32_t)(bytes->at - begin);
    const uint64_t length = dwarf_take(bytes, 4);
    if (bytes->failed || length > (uint64_t)(bytes->end - bytes->at))
        return false;
    struct dwarf_bytes unit = {bytes->at, bytes->at + length, false};
    bytes->at += length;
    reading->version = (unsigned)dwarf_take(&unit, 2);
    const uint64_t abbreviations = dwarf_take(&unit, 4);
    reading->address_bytes = (unsigned)dwarf_take(&unit, 1);
    if (unit.failed || reading->version < 2 || reading->version > 4 || reading->address_bytes > 8)
        return false;
    return read_abbreviations(reading, abbreviations) && read_entries(reading, &unit, begin);
}

/* ---- References ---------------------------------------------------------------------------------------- */

static uint32_t index_of(const struct dwarf *dwarf, uint32_t offset)
{
    size_t first = 0, end = dwarf->entries.count;
    while (offset != DWARF_NONE && first < end) {
        const size_t middle = first + (end - first) / 2;
        if (dwarf->entries.items[middle].offset == offset)
            return (uint32_t)middle;
        if (dwarf->entries.items[middle].offset < offset)
            first = middle + 1;
        else
            end = middle;
    }
    return DWARF_NONE;
}

static void resolve(struct dwarf *dwarf)
{
    for (size_t i = 0; i < dwarf->entries.count; i++) {
        struct dwarf_entry *entry = &dwarf->entries.items[i];
        entry->type = index_of(dwarf, entry->type);
        entry->origin = index_of(dwarf, entry->origin);
        if (entry->has_high_distance)
            entry->high += entry->low;
    }
}

hx_status dwarf_read(const struct program_debug *debug, const hx_allocator *allocator,
                     struct dwarf *ret_dwarf)
{
    struct dwarf dwarf = {.allocator = allocator};
    struct reading reading = {.debug = debug, .dwarf = &dwarf};
    struct dwarf_bytes bytes = section_from(debug, DEBUG_INFO, 0);
    const uint8_t *begin = bytes.at;
    bool is_right = debug->sections[DEBUG_INFO].length < DWARF_NONE;
    while (is_right && bytes.at < bytes.end)
        is_right = read_unit(&reading, &bytes, begin);
    LIST_DONE(allocator, &reading.abbreviations);
    if (!is_right) {
        dwarf_done(&dwarf);
        return reading.no_memory ? HX_NO_MEMORY : HX_INVALID;
    }
    resolve(&dwarf);
    *ret_dwarf = dwarf;
    return HX_OK;
}

void dwarf_done(struct dwarf *dwarf)
{
    LIST_DONE(dwarf->allocator, &dwarf->entries);
}
