/* Values with types of the source: variables, members, elements, what pointers lead to.
 *
 * Takes values whose `declared` says their type, leaves others. A number or pointer has its bits, as other
 * values do; a structure or array has its place alone, and hexec's type NONE. */
#include "debug/reader.h"
#include "device/window.h"

#define TEXT_SHOWN 200 /* characters behind a pointer */

static const struct dwarf *dwarf_of(const struct reader *reader)
{
    return &reader->asker->engine->dwarf;
}

static uint32_t type_of(const struct value *value)
{
    return value->declared ? value->declared - 1 : DWARF_NONE;
}

struct value reader_unknown(void)
{
    return (struct value){.type = HX_TYPE_I32, .is_unknown = true, .has_address = true, .count = 1};
}

uint64_t value_bytes(const struct engine *engine, const struct value *value)
{
    struct dwarf_type_elements elements;
    if (value->range.count)
        return bit_range_bytes(value->range);
    if (!value->declared)
        return value->count * type_bytes(value->type);
    if (value->dimension == 0)
        return dwarf_type_size(&engine->dwarf, type_of(value));
    uint64_t bytes;
    return dwarf_type_elements(&engine->dwarf, type_of(value), value->dimension, &elements) &&
                   !__builtin_mul_overflow(elements.count, elements.bytes, &bytes)
               ? bytes
               : 0;
}

/* ---- Loading ------------------------------------------------------------------------------------------- */

static const char *host_of(struct reader *reader, const struct value *value, uint64_t bytes)
{
    const struct asker *asker = reader->asker;
    const char *host =
        state_memory(asker->engine, asker->block, asker->thread, value->space, value->address, bytes);
    if (!host)
        reader_fail(reader, "there are no %llu bytes at 0x%llx", (unsigned long long)bytes,
                    (unsigned long long)value->address);
    return host;
}

/* What is at the value's place. */
static struct value loaded(struct reader *reader, struct value value)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    const uint64_t bytes = value_bytes(reader->asker->engine, &value);
    value.has_address = true;
    value.count = 1;
    value.type = value.dimension ? HX_TYPE_NONE : dwarf_type_of_number(dwarf, type_of(&value));
    if (value.space == SPACE_GENERIC)
        value.space = window_resolve(&value.address);
    if (bytes == 0) {
        reader_fail(reader, "the size of the value is not known");
        return value;
    }
    const char *host = host_of(reader, &value, bytes);
    if (!host || value.type == HX_TYPE_NONE)
        return value;
    value.bits = 0;
    memcpy(&value.bits, host, type_bytes(value.type));
    value.bits = value_extend(value.bits, value.type);
    return value;
}

static struct value at_address(struct reader *reader, uint32_t type, int space, uint64_t address)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    struct value value =
        loaded(reader, (struct value){.declared = type + 1, .space = space, .address = address});
    if (reader->failed || !dwarf_type_is_reference(dwarf, type))
        return value;
    return loaded(reader, (struct value){.declared = dwarf_type_target(dwarf, type) + 1,
                                         .space = dwarf_type_space(dwarf, type),
                                         .address = value.bits});
}

bool reader_entry(struct reader *reader, uint32_t variable, struct slice name, struct value *ret_value)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    struct variable_home home;
    struct stand stand;
    if (!stand_find(reader->asker, &stand))
        return false;
    const uint32_t type = variable_type(dwarf, variable);
    const char *wrong = variable_home(reader->asker, &stand, variable, &home);
    if (!wrong && home.is_constant && dwarf_type_of_number(dwarf, type) == HX_TYPE_NONE)
        wrong = "is optimized out";
    if (wrong)
        reader_fail(reader, "'" SLICE_FORMAT "' %s", SLICE_ARGS(name), wrong);
    else if (home.is_constant)
        *ret_value = (struct value){.declared = type + 1,
                                    .type = dwarf_type_of_number(dwarf, type),
                                    .bits = value_extend(home.address, dwarf_type_of_number(dwarf, type))};
    else
        *ret_value = at_address(reader, type, home.space, home.address);
    return true;
}

bool reader_variable(struct reader *reader, struct slice name, struct value *ret_value)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    struct stand stand;
    if (reader->is_check) {
        *ret_value = reader_unknown();
        return variable_is_known(dwarf, name);
    }
    if (dwarf->entries.count == 0 || !stand_find(reader->asker, &stand))
        return false;
    const uint32_t found = variable_find(dwarf, stand.scope, name);
    if (found == DWARF_NONE)
        return false;
    return reader_entry(reader, found, name, ret_value);
}

/* ---- Operators ----------------------------------------------------------------------------------------- */

bool reader_has_members(const struct reader *reader, const struct value *value)
{
    return value->is_unknown ||
           (value->declared && dwarf_type_is_aggregate(dwarf_of(reader), type_of(value)));
}

bool reader_has_elements(const struct reader *reader, const struct value *value)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    return value->is_unknown || (value->declared && (dwarf_type_is_array(dwarf, type_of(value)) ||
                                                     dwarf_type_is_pointer(dwarf, type_of(value))));
}

struct value reader_member(struct reader *reader, const struct value *value, struct slice name)
{
    struct dwarf_type_member member;
    if (value->is_unknown)
        return reader_unknown();
    if (!dwarf_type_find_member(dwarf_of(reader), type_of(value), name, &member)) {
        reader_fail(reader, "there is no member '" SLICE_FORMAT "'", SLICE_ARGS(name));
        return *value;
    }
    return reader_part(reader, value, &member);
}

/* A bit-field has the type of its declaration, and the place of the bytes that have its bits. */
static struct value bit_field(struct reader *reader, const struct value *value,
                              const struct dwarf_type_member *member)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    struct value field = {.declared = member->type + 1,
                          .type = dwarf_type_of_number(dwarf, member->type),
                          .has_address = true,
                          .count = 1,
                          .range = member->bits,
                          .space = value->space,
                          .address = value->address + member->at};
    const char *host = host_of(reader, &field, bit_range_bytes(field.range));
    if (host)
        field.bits =
            dwarf_type_extend_bits(dwarf, member->type, field.range, bit_range_take(field.range, host));
    return field;
}

struct value reader_part(struct reader *reader, const struct value *value,
                         const struct dwarf_type_member *member)
{
    if (member->bits.count)
        return bit_field(reader, value, member);
    return at_address(reader, member->type, value->space, value->address + member->at);
}

struct value reader_target(struct reader *reader, const struct value *value)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    const uint32_t type = type_of(value), target = dwarf_type_target(dwarf, type);
    struct dwarf_type_elements elements;
    if (value->is_unknown)
        return reader_unknown();
    if (dwarf_type_elements(dwarf, type, value->dimension, &elements)) {
        const struct value first = value_integer(0, false);
        return reader_element(reader, value, &first);
    }
    if (target == DWARF_NONE) {
        reader_fail(reader, "a pointer to void leads to nothing: *f32 ADDRESS says what is there");
        return *value;
    }
    return at_address(reader, target, dwarf_type_space(dwarf, type), value->bits);
}

struct value reader_element(struct reader *reader, const struct value *value, const struct value *index)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    struct dwarf_type_elements elements;
    if (value->is_unknown)
        return reader_unknown();
    if (type_is_float(index->type)) {
        reader_fail(reader, "an index is an integer");
        return *value;
    }
    if (!dwarf_type_elements(dwarf, type_of(value), value->dimension, &elements)) {
        const uint32_t target = dwarf_type_target(dwarf, type_of(value));
        struct value moved = *value;
        moved.bits += index->bits * dwarf_type_size(dwarf, target);
        return reader_target(reader, &moved);
    }
    if (index->bits >= elements.count && elements.count > 0) {
        reader_fail(reader, "there are the elements 0 to %llu", (unsigned long long)(elements.count - 1));
        return *value;
    }
    const uint64_t address = value->address + index->bits * elements.bytes;
    if (!elements.dimension)
        return at_address(reader, elements.type, value->space, address);
    return loaded(reader, (struct value){.declared = elements.type + 1,
                                         .dimension = elements.dimension,
                                         .space = value->space,
                                         .address = address});
}

bool reader_moves_pointer(struct reader *reader, const char *operator, const struct value * a,
                          const struct value *b, struct value *ret_value)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    const bool is_sum = strcmp(operator, "+") == 0;
    if (!a->declared || !dwarf_type_is_pointer(dwarf, type_of(a)) || type_is_float(b->type) || b->declared ||
        (!is_sum && strcmp(operator, "-") != 0))
        return false;
    const uint64_t bytes = dwarf_type_size(dwarf, dwarf_type_target(dwarf, type_of(a)));
    *ret_value = (struct value){.type = a->type, .declared = a->declared};
    ret_value->bits =
        is_sum ? a->bits + b->bits * (bytes ? bytes : 1) : a->bits - b->bits * (bytes ? bytes : 1);
    return true;
}

/* ---- Types --------------------------------------------------------------------------------------------- */

static bool is_named_type(uint16_t tag)
{
    return tag == DWARF_BASE || tag == DWARF_TYPEDEF || tag == DWARF_STRUCTURE || tag == DWARF_CLASS ||
           tag == DWARF_UNION || tag == DWARF_ENUMERATION;
}

static uint32_t find_type(struct dwarf *dwarf, struct slice name)
{
    static const char *const words[] = {"const ", "volatile ", "struct ", "union ", "enum ", "class "};
    for (size_t i = 0; i < HX_COUNT_OF(words); i++)
        if (slice_starts_with(name, words[i]))
            name = slice_trim((struct slice){name.at + strlen(words[i]), name.length - strlen(words[i])});
    if (slice_equal(name, "unsigned"))
        name = slice_of("unsigned int");
    for (size_t i = 0; i < dwarf->entries.count && name.length > 0; i++) {
        const struct dwarf_entry *entry = &dwarf->entries.items[i];
        if (is_named_type(entry->tag) && !entry->is_declaration && entry->name.length == name.length &&
            memcmp(entry->name.at, name.at, name.length) == 0)
            return (uint32_t)i;
    }
    return dwarf->entries.count > 0 ? dwarf_made_base(dwarf, name) : DWARF_NONE;
}

/* Types that expressions make are entries of their own. */
static struct dwarf *writable(const struct reader *reader)
{
    return (struct dwarf *)&reader->asker->engine->dwarf;
}

/* A pointer that the program does not have is made. */
uint32_t reader_type(struct reader *reader, struct slice text)
{
    size_t stars = 0;
    if (dwarf_of(reader)->entries.count == 0) /* a program in assembly has no types of a source */
        return DWARF_NONE;
    for (text = slice_trim(text); text.length > 0 && text.at[text.length - 1] == '*'; stars++)
        text = slice_trim((struct slice){text.at, text.length - 1});
    const bool is_void = slice_equal(text, "void") && stars > 0;
    uint32_t type = is_void ? DWARF_NONE : find_type(writable(reader), text);
    if (type == DWARF_NONE && !is_void)
        return type;
    for (; stars > 0; stars--)
        if ((type = dwarf_made_pointer(writable(reader), type)) == DWARF_NONE)
            break;
    return type;
}

struct value reader_address(struct reader *reader, const struct value *value)
{
    struct value pointer = value_integer(window_address(value->space, value->address), true);
    uint32_t type = type_of(value);
    if (value->dimension)
        type = dwarf_made_rest(writable(reader), type, value->dimension);
    const uint32_t made = type == DWARF_NONE ? type : dwarf_made_pointer(writable(reader), type);
    if (made != DWARF_NONE)
        pointer.declared = made + 1;
    return pointer;
}

struct value reader_repeated(struct reader *reader, const struct value *value, uint64_t count)
{
    struct value many = *value;
    const uint64_t bytes = value_bytes(reader->asker->engine, value);
    if (value->range.count || !value->has_address || bytes == 0 || count == 0 || count > UINT32_MAX)
        reader_fail(reader, "'@' wants a place in memory, and how many elements");
    if (reader->failed)
        return many;
    if (!value->declared) {
        many.count = count;
        return many;
    }
    uint32_t type = type_of(value);
    if (value->dimension)
        type = dwarf_made_rest(writable(reader), type, value->dimension);
    const uint32_t made = dwarf_made_array(writable(reader), type, false, &count, 1);
    if (made == DWARF_NONE)
        reader_fail(reader, "there is no memory for the type");
    return loaded(reader,
                  (struct value){.declared = made + 1, .space = value->space, .address = value->address});
}

/* The address that an array, or a pointer into a space of its own, is as a pointer to anywhere. */
static struct value decayed(const struct reader *reader, const struct value *value)
{
    const struct dwarf *dwarf = dwarf_of(reader);
    if (value->declared && value->has_address && dwarf_type_is_array(dwarf, type_of(value)))
        return value_integer(window_address(value->space, value->address), true);
    if (value->declared && dwarf_type_is_pointer(dwarf, type_of(value)))
        return value_integer(window_address(dwarf_type_space(dwarf, type_of(value)), value->bits), true);
    return *value;
}

struct value reader_converted(struct reader *reader, const struct value *value, uint32_t type)
{
    const enum hx_type number = dwarf_type_of_number(dwarf_of(reader), type);
    const struct value from = dwarf_type_is_pointer(dwarf_of(reader), type) ? decayed(reader, value) : *value;
    if (number == HX_TYPE_NONE || from.type == HX_TYPE_NONE) {
        reader_fail(reader, "only numbers and pointers are converted");
        return *value;
    }
    struct value result = value_converted(&from, number);
    result.declared = type + 1;
    return result;
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

/* Of a pointer to char the text that it leads to, as far as its memory goes. */
static void show_text(const struct asker *asker, const struct value *value, struct text *out)
{
    const struct dwarf *dwarf = &asker->engine->dwarf;
    const uint32_t type = type_of(value);
    char text[TEXT_SHOWN];
    uint64_t count = 0;
    bool has_end = false;
    if (!dwarf_type_is_pointer(dwarf, type) || !dwarf_type_is_text(dwarf, dwarf_type_target(dwarf, type)) ||
        value->bits == 0)
        return;
    for (const char *host; count < sizeof text && !has_end; count++) {
        if (!(host = state_memory(asker->engine, asker->block, asker->thread, dwarf_type_space(dwarf, type),
                                  value->bits + count, 1)))
            break;
        text[count] = *host;
        has_end = *host == 0;
    }
    if (count == 0)
        return;
    text_append(out, " ", 1);
    value_print_text(text, count - has_end, !has_end, out);
}

void value_show(const struct asker *asker, const struct value *value, char format, struct text *out)
{
    const struct dwarf *dwarf = &asker->engine->dwarf;
    const uint32_t type = type_of(value);
    if (value->triple) {
        value_show_triple(asker, value, format, out);
    } else if (!value->declared) {
        value_print(value, format, out);
    } else if (value->type != HX_TYPE_NONE) {
        value_print_typed(dwarf, type, 0, (const char *)&value->bits, sizeof value->bits, format, out);
        if (!format)
            show_text(asker, value, out);
    } else {
        const uint64_t bytes = value_bytes(asker->engine, value);
        const char *host =
            state_memory(asker->engine, asker->block, asker->thread, value->space, value->address, bytes);
        if (host)
            value_print_typed(dwarf, type, value->dimension, host, bytes, format, out);
        else
            text_append(out, "?", 1);
    }
}
