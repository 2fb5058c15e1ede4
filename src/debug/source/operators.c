/* Values with types of the source: variables, members, elements, what pointers lead to.
 *
 * Takes values whose `declared` says their type, leaves others. A number or pointer has its bits, as other
 * values do; a structure or array has its place alone, and hexec's type NONE. */
#include "debug/expression.h"
#include "device/window.h"

#define TEXT_SHOWN        200                 /* characters behind a pointer */
#define TEXT_PRINTED      65536               /* ... by printf */
#define ELEMENTS_SHOWN    64                  /* of an array or buffer of hexec */
#define ELEMENTS_COMPARED (UINT64_C(1) << 20) /* with the first of them that are the same */

static const struct dwarf *dwarf_of(const struct evaluation *evaluation)
{
    return &evaluation->asker->engine->dwarf;
}

static uint32_t type_of(const struct value *value)
{
    return value->declared ? value->declared - 1 : DWARF_NONE;
}

struct value eval_unknown(void)
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

static const char *host_of(struct evaluation *evaluation, const struct value *value, uint64_t bytes)
{
    const struct asker *asker = evaluation->asker;
    const char *host =
        state_memory(asker->engine, asker->block, asker->thread, value->space, value->address, bytes);
    if (!host)
        eval_fail(evaluation, "there are no %llu bytes at 0x%llx", (unsigned long long)bytes,
                  (unsigned long long)value->address);
    return host;
}

/* What is at the value's place. */
static struct value loaded(struct evaluation *evaluation, struct value value)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    const uint64_t bytes = value_bytes(evaluation->asker->engine, &value);
    value.has_address = true;
    value.count = 1;
    value.type = value.dimension ? HX_TYPE_NONE : dwarf_type_of_number(dwarf, type_of(&value));
    if (value.space == SPACE_GENERIC)
        value.space = window_resolve(&value.address);
    if (bytes == 0) {
        eval_fail(evaluation, "the size of the value is not known");
        return value;
    }
    value.bits = 0;
    if (evaluation->reads == READS_NOTHING ||
        (evaluation->reads == READS_NUMBERS && value.type == HX_TYPE_NONE))
        return value;
    const char *host = host_of(evaluation, &value, bytes);
    if (!host || value.type == HX_TYPE_NONE)
        return value;
    memcpy(&value.bits, host, type_bytes(value.type));
    value.bits = value_extend(value.bits, value.type);
    return value;
}

struct value eval_at(struct evaluation *evaluation, uint32_t type, int space, uint64_t address)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    const bool is_reference = dwarf_type_is_reference(dwarf, type);
    const int reads = (int)evaluation->reads;
    if (is_reference) /* whatever is wanted of what it leads to */
        evaluation->reads = READS_ALL;
    struct value value =
        loaded(evaluation, (struct value){.declared = type + 1, .space = space, .address = address});
    evaluation->reads = reads;
    if (evaluation->failed || !is_reference)
        return value;
    return loaded(evaluation, (struct value){.declared = dwarf_type_target(dwarf, type) + 1,
                                             .space = dwarf_type_space(dwarf, type),
                                             .address = value.bits});
}

bool eval_entry(struct evaluation *evaluation, uint32_t variable, struct slice name,
                struct variable_place *place, struct value *ret_value)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    const struct stand *stand = eval_stand(evaluation);
    struct variable_home home;
    if (!stand)
        return false;
    if (!place->is_known)
        variable_find_place(evaluation->asker->engine, stand, variable, place);
    const uint32_t type = variable_type(dwarf, variable);
    const char *wrong = variable_home(evaluation->asker, stand, place, &home);
    if (!wrong && home.is_constant && dwarf_type_of_number(dwarf, type) == HX_TYPE_NONE)
        wrong = "is optimized out";
    if (wrong)
        eval_fail(evaluation, "'" SLICE_FORMAT "' %s", SLICE_ARGS(name), wrong);
    else if (home.is_constant)
        *ret_value = (struct value){.declared = type + 1,
                                    .type = dwarf_type_of_number(dwarf, type),
                                    .bits = value_extend(home.address, dwarf_type_of_number(dwarf, type))};
    else
        *ret_value = eval_at(evaluation, type, home.space, home.address);
    return true;
}

/* ---- Operators ----------------------------------------------------------------------------------------- */

bool eval_has_members(const struct evaluation *evaluation, const struct value *value)
{
    return value->is_unknown ||
           (value->declared && dwarf_type_is_aggregate(dwarf_of(evaluation), type_of(value)));
}

bool eval_has_elements(const struct evaluation *evaluation, const struct value *value)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    return value->is_unknown || (value->declared && (dwarf_type_is_array(dwarf, type_of(value)) ||
                                                     dwarf_type_is_pointer(dwarf, type_of(value))));
}

struct value eval_member(struct evaluation *evaluation, const struct value *value, struct slice name)
{
    struct dwarf_type_member member;
    if (value->is_unknown)
        return eval_unknown();
    struct value made;
    if (!dwarf_type_find_member(dwarf_of(evaluation), type_of(value), name, &member)) {
        if (eval_components(evaluation, value, name, &made))
            return made;
        eval_fail(evaluation, "there is no member '" SLICE_FORMAT "'", SLICE_ARGS(name));
        return *value;
    }
    return eval_part(evaluation, value, &member);
}

/* A bit-field has the type of its declaration, and the place of the bytes that have its bits. */
static struct value bit_field(struct evaluation *evaluation, const struct value *value,
                              const struct dwarf_type_member *member)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    struct value field = {.declared = member->type + 1,
                          .type = dwarf_type_of_number(dwarf, member->type),
                          .has_address = true,
                          .count = 1,
                          .range = member->bits,
                          .space = value->space,
                          .address = value->address + member->at};
    const char *host = host_of(evaluation, &field, bit_range_bytes(field.range));
    if (host)
        field.bits =
            dwarf_type_extend_bits(dwarf, member->type, field.range, bit_range_take(field.range, host));
    return field;
}

struct value eval_part(struct evaluation *evaluation, const struct value *value,
                       const struct dwarf_type_member *member)
{
    if (member->bits.count)
        return bit_field(evaluation, value, member);
    return eval_at(evaluation, member->type, value->space, value->address + member->at);
}

struct value eval_target(struct evaluation *evaluation, const struct value *value)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    const uint32_t type = type_of(value), target = dwarf_type_target(dwarf, type);
    struct dwarf_type_elements elements;
    if (value->is_unknown)
        return eval_unknown();
    if (dwarf_type_elements(dwarf, type, value->dimension, &elements)) {
        const struct value first = value_integer(0, false);
        return eval_element(evaluation, value, &first);
    }
    if (target == DWARF_NONE) {
        eval_fail(evaluation, "a pointer to void leads to nothing: *f32 ADDRESS says what is there");
        return *value;
    }
    return eval_at(evaluation, target, dwarf_type_space(dwarf, type), value->bits);
}

struct value eval_element(struct evaluation *evaluation, const struct value *value, const struct value *index)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    struct dwarf_type_elements elements;
    if (value->is_unknown)
        return eval_unknown();
    if (type_is_float(index->type) || index->type == HX_TYPE_NONE) {
        eval_fail(evaluation, "an index is an integer");
        return *value;
    }
    if (!dwarf_type_elements(dwarf, type_of(value), value->dimension, &elements)) {
        const uint32_t target = dwarf_type_target(dwarf, type_of(value));
        struct value moved = *value;
        moved.bits += index->bits * dwarf_type_size(dwarf, target);
        return eval_target(evaluation, &moved);
    }
    if (index->bits >= elements.count && elements.count > 0) {
        eval_fail(evaluation, "there are the elements 0 to %llu", (unsigned long long)(elements.count - 1));
        return *value;
    }
    const uint64_t address = value->address + index->bits * elements.bytes;
    if (!elements.dimension)
        return eval_at(evaluation, elements.type, value->space, address);
    return loaded(evaluation, (struct value){.declared = elements.type + 1,
                                             .dimension = elements.dimension,
                                             .space = value->space,
                                             .address = address});
}

/* The address that an array, or a pointer into a space of its own, is as a pointer to anywhere. */
static struct value decayed(const struct evaluation *evaluation, const struct value *value)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    const bool is_array = value->declared ? dwarf_type_is_array(dwarf, type_of(value)) : value->array != NULL;
    if (is_array && value->has_address)
        return value_integer(window_address(value->space, value->address), true);
    if (value->declared && dwarf_type_is_pointer(dwarf, type_of(value)))
        return value_integer(window_address(dwarf_type_space(dwarf, type_of(value)), value->bits), true);
    return *value;
}

/* A pointer, or an array as a pointer to its first element: false, it is neither. *ret_bytes: of what it
 * leads to. */
static bool as_pointer(struct evaluation *evaluation, const struct value *value, struct value *ret_pointer,
                       uint64_t *ret_bytes)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    struct value pointer = *value;
    const struct dwarf_entry *entry =
        value->declared ? &dwarf->entries.items[dwarf_type_strip(dwarf, type_of(value))] : NULL;
    if (entry && entry->tag == DWARF_ARRAY && value->has_address && !entry->is_vector) {
        const struct value zero = {.type = HX_TYPE_I32};
        const int reads = (int)evaluation->reads;
        evaluation->reads = READS_NOTHING;
        const struct value first = eval_element(evaluation, value, &zero);
        evaluation->reads = reads;
        pointer = evaluation->failed ? first : eval_address(evaluation, &first);
    }
    if (!pointer.declared || !dwarf_type_is_pointer(dwarf_of(evaluation), type_of(&pointer)))
        return false;
    const uint64_t bytes =
        dwarf_type_size(dwarf_of(evaluation), dwarf_type_target(dwarf_of(evaluation), type_of(&pointer)));
    *ret_pointer = pointer;
    *ret_bytes = bytes ? bytes : 1;
    return true;
}

bool eval_moves_pointer(struct evaluation *evaluation, const char *operator, const struct value * a,
                        const struct value *b, struct value *ret_value)
{
    const bool is_sum = strcmp(operator, "+") == 0;
    struct value left, right;
    uint64_t left_bytes, right_bytes;
    if (!is_sum && strcmp(operator, "-") != 0)
        return false;
    const bool is_left = as_pointer(evaluation, a, &left, &left_bytes),
               is_right = as_pointer(evaluation, b, &right, &right_bytes);
    if (is_left && is_right && !is_sum) {
        const uint64_t from = decayed(evaluation, &right).bits, to = decayed(evaluation, &left).bits;
        *ret_value = value_integer((uint64_t)((int64_t)(to - from) / (int64_t)left_bytes), false);
        return true;
    }
    const struct value *number = is_left ? b : a, *pointer = is_left ? &left : &right;
    const uint64_t bytes = is_left ? left_bytes : right_bytes;
    if (is_left == is_right || (is_right && !is_sum) || type_is_float(number->type) ||
        number->type == HX_TYPE_NONE)
        return false;
    *ret_value = (struct value){.type = pointer->type, .declared = pointer->declared};
    ret_value->bits = is_sum ? pointer->bits + number->bits * bytes : pointer->bits - number->bits * bytes;
    return true;
}

/* ---- Types --------------------------------------------------------------------------------------------- */

/* A structure, an array, a pointer, and a value of the other one's type (C++17, 8.16). */
bool eval_keeps_type(const struct evaluation *evaluation, const struct value *value,
                     const struct value *other)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    if (!value->declared)
        return value->type == HX_TYPE_NONE;
    return value->type == HX_TYPE_NONE || dwarf_type_is_pointer(dwarf, type_of(value)) ||
           (other->declared &&
            dwarf_type_strip(dwarf, type_of(value)) == dwarf_type_strip(dwarf, type_of(other)));
}

static bool is_named_type(uint16_t tag)
{
    return tag == DWARF_BASE || tag == DWARF_TYPEDEF || tag == DWARF_STRUCTURE || tag == DWARF_CLASS ||
           tag == DWARF_UNION || tag == DWARF_ENUMERATION;
}

/* "long int unsigned": the name that C's other forms of an integer stand for; empty: it is none. */
static struct slice integer_name(struct slice text)
{
    static const char *const words[] = {"unsigned", "signed", "long", "short", "int", "char"};
    static const char *const names[2][5] = {
        {"int", "short", "long", "long long", "signed char"},
        {"unsigned int", "unsigned short", "unsigned long", "unsigned long long", "unsigned char"}};
    unsigned counts[HX_COUNT_OF(words)] = {0}, all = 0;
    while (text.length > 0) {
        const struct slice word = debug_word(&text);
        size_t i = 0;
        while (i < HX_COUNT_OF(words) && !slice_equal(word, words[i]))
            i++;
        if (i == HX_COUNT_OF(words))
            return (struct slice){0};
        counts[i]++;
        all++;
    }
    const unsigned longs = counts[2], shorts = counts[3], chars = counts[5];
    if (all == 0 || counts[0] + counts[1] > 1 || longs > 2 || shorts > 1 || counts[4] > 1 || chars > 1 ||
        (longs > 0) + shorts + chars > 1 || (chars && counts[4]))
        return (struct slice){0};
    if (chars && !counts[0] && !counts[1])
        return slice_of("char");
    return slice_of(names[counts[0]][chars ? 4 : shorts ? 1 : longs ? 1 + longs : 0]);
}

static uint32_t find_type(struct dwarf *dwarf, struct slice name);

/* "uchar4": OpenCL C's vectors, which programs need not have. */
static uint32_t make_vector(struct dwarf *dwarf, struct slice name)
{
    static const uint64_t counts[] = {2, 3, 4, 8, 16};
    struct slice element = name;
    uint64_t count = 0;
    while (element.length > 0 && text_is_digit(element.at[element.length - 1]))
        element.length--;
    const struct slice digits = {element.at + element.length, name.length - element.length};
    if (digits.length == 0 || element.length == 0 || number_parse_u64(digits, &count) != NUMBER_OK)
        return DWARF_NONE;
    for (size_t i = 0; i < HX_COUNT_OF(counts); i++) {
        const uint32_t type = counts[i] == count ? find_type(dwarf, element) : DWARF_NONE;
        if (type != DWARF_NONE && dwarf_type_of_number(dwarf, type) != HX_TYPE_NONE)
            return dwarf_made_array(dwarf, type, true, &count, 1);
    }
    return DWARF_NONE;
}

static uint32_t find_type(struct dwarf *dwarf, struct slice name)
{
    static const char *const words[] = {"const ", "volatile ", "struct ", "union ", "enum ", "class "};
    for (size_t i = 0; i < HX_COUNT_OF(words); i++)
        if (slice_starts_with(name, words[i]))
            name = slice_trim((struct slice){name.at + strlen(words[i]), name.length - strlen(words[i])});
    const struct slice integer = integer_name(name);
    name = integer.length ? integer : name;
    for (size_t i = 0; i < dwarf->entries.count && name.length > 0; i++) {
        const struct dwarf_entry *entry = &dwarf->entries.items[i];
        if (is_named_type(entry->tag) && !entry->is_declaration && slice_same(entry->name, name))
            return (uint32_t)i;
    }
    const char *const colon = memrchr(name.at, ':', name.length);
    if (colon && colon > name.at &&
        !memchr(name.at, '<', name.length)) /* ns::item: entries have the last part */
        return find_type(dwarf, (struct slice){colon + 1, (size_t)(name.at + name.length - colon - 1)});
    const uint32_t made = dwarf->entries.count > 0 ? dwarf_made_base(dwarf, name) : DWARF_NONE;
    return made == DWARF_NONE ? make_vector(dwarf, name) : made;
}

/* Types that expressions make are entries of their own. */
static struct dwarf *writable(const struct evaluation *evaluation)
{
    return (struct dwarf *)&evaluation->asker->engine->dwarf;
}

/* A pointer that the program does not have is made. */
uint32_t eval_type(struct engine *engine, struct slice text)
{
    struct dwarf *dwarf = &engine->dwarf;
    size_t stars = 0;
    if (dwarf->entries.count == 0) /* a program in assembly has no types of a source */
        return DWARF_NONE;
    for (text = slice_trim(text); text.length > 0 && text.at[text.length - 1] == '*'; stars++)
        text = slice_trim((struct slice){text.at, text.length - 1});
    const bool is_void = slice_equal(text, "void") && stars > 0;
    uint32_t type = is_void ? DWARF_NONE : find_type(dwarf, text);
    if (type == DWARF_NONE && !is_void)
        return type;
    for (; stars > 0; stars--)
        if ((type = dwarf_made_pointer(dwarf, type)) == DWARF_NONE)
            break;
    return type;
}

struct value eval_null(const struct evaluation *evaluation)
{
    struct dwarf *const dwarf = writable(evaluation);
    struct value null = value_integer(0, true);
    const uint32_t type = dwarf->entries.count > 0 ? dwarf_made_pointer(dwarf, DWARF_NONE) : DWARF_NONE;
    if (type != DWARF_NONE)
        null.declared = type + 1;
    return null;
}

struct value eval_address(struct evaluation *evaluation, const struct value *value)
{
    struct value pointer = value_integer(window_address(value->space, value->address), true);
    uint32_t type = type_of(value);
    if (value->dimension)
        type = dwarf_made_rest(writable(evaluation), type, value->dimension);
    const uint32_t made = type == DWARF_NONE ? type : dwarf_made_pointer(writable(evaluation), type);
    if (made != DWARF_NONE)
        pointer.declared = made + 1;
    return pointer;
}

struct value eval_repeated(struct evaluation *evaluation, const struct value *value,
                           const struct value *number)
{
    struct value many = *value;
    const uint64_t count = number->bits;
    const uint64_t bytes = value_bytes(evaluation->asker->engine, value);
    if (value->range.count || !value->has_address || value->space == DEBUG_SPACE_MADE || bytes == 0 ||
        count == 0 || count > UINT32_MAX || type_is_float(number->type) || number->type == HX_TYPE_NONE)
        eval_fail(evaluation, "'@' wants a place in memory, and how many elements");
    if (evaluation->failed)
        return many;
    if (!value->declared) {
        many.count = count;
        many.array = NULL;
        return many;
    }
    uint32_t type = type_of(value);
    if (value->dimension)
        type = dwarf_made_rest(writable(evaluation), type, value->dimension);
    const uint32_t made = dwarf_made_array(writable(evaluation), type, false, &count, 1);
    if (made == DWARF_NONE)
        eval_fail(evaluation, "there is no memory for the type");
    return loaded(evaluation,
                  (struct value){.declared = made + 1, .space = value->space, .address = value->address});
}

struct value eval_converted(struct evaluation *evaluation, const struct value *value, uint32_t type)
{
    const enum hx_type number = dwarf_type_of_number(dwarf_of(evaluation), type);
    const struct value from =
        dwarf_type_is_pointer(dwarf_of(evaluation), type) ? decayed(evaluation, value) : *value;
    const struct value like = {.declared = type + 1};
    if (eval_is_vector(evaluation, &like))
        return eval_made_vector(evaluation, type, value, 1);
    if (number == HX_TYPE_NONE || from.type == HX_TYPE_NONE) {
        eval_fail(evaluation, "only numbers and pointers are converted");
        return *value;
    }
    struct value result = value_converted(&from, number);
    if (dwarf_type_is_boolean(dwarf_of(evaluation), type)) /* whether it is another number than 0 */
        result.bits = value_is_true(&from);
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

bool value_append_text(const struct asker *asker, const struct value *value, struct text *out)
{
    const struct dwarf *dwarf = &asker->engine->dwarf;
    const uint32_t type = type_of(value);
    struct dwarf_type_elements elements;
    const bool is_pointer = value->declared && dwarf_type_is_pointer(dwarf, type);
    const bool is_array = value->declared && value->has_address &&
                          dwarf_type_elements(dwarf, type, value->dimension, &elements) &&
                          !elements.dimension && dwarf_type_is_text(dwarf, elements.type);
    if (!is_array && (!is_pointer || !dwarf_type_is_text(dwarf, dwarf_type_target(dwarf, type))))
        return false;
    const int space = is_array ? value->space : dwarf_type_space(dwarf, type);
    const uint64_t begin = is_array ? value->address : value->bits,
                   most = is_array ? elements.count : TEXT_PRINTED;
    const char *host;
    for (uint64_t i = 0;
         i < most && (host = state_memory(asker->engine, asker->block, asker->thread, space, begin + i, 1)) &&
         *host;
         i++)
        text_append(out, host, 1);
    return true;
}

/* Of an array or buffer of hexec. */
static void show_elements(const struct asker *asker, const struct value *value, char format, struct text *out)
{
    const uint64_t bytes = type_bytes(value->type);
    const char *host;
    uint64_t at = 0, same;
    text_append(out, "{", 1);
    for (uint64_t shown = 0; at < value->count && shown < ELEMENTS_SHOWN; at += same, shown++) {
        struct value one = {.type = value->type};
        const uint64_t there = value->count - at < ELEMENTS_COMPARED ? value->count - at : ELEMENTS_COMPARED;
        uint64_t left = there; /* buffers of addresses may end before the array does */
        while (left > 0 && !(host = state_memory(asker->engine, asker->block, asker->thread, value->space,
                                                 value->address + at * bytes, left * bytes)))
            left = left > 1 ? left / 2 : 0;
        if (left == 0)
            break;
        memcpy(&one.bits, host, bytes);
        text_print(out, "%s", shown ? ", " : "");
        value_print(&one, format, out);
        same = value_print_repeats(host, bytes, left, out);
    }
    if (at < value->count)
        text_print(out, ", ... %llu elements", (unsigned long long)value->count);
    text_append(out, "}", 1);
}

void value_show(const struct asker *asker, const struct value *value, char format, struct text *out)
{
    const struct dwarf *dwarf = &asker->engine->dwarf;
    const uint32_t type = type_of(value);
    if (value->triple) {
        value_show_triple(asker, value, format, out);
    } else if (!value->declared && value->count > 1) {
        show_elements(asker, value, format, out);
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
