/* Reads the text of an option's value as its kind says: numbers in their range, shapes, words, pairs. It
 * takes the text as it was typed and leaves a struct option_value, or a diagnostic that names the option or
 * variable, shows the text and says what would be right. Nothing is guessed: "12abc" and "010" are refused.
 */
#include "options.h"

#include <string.h>

/* The value at hand; `field` is what of it is wrong, when it has parts. */
struct reader {
    struct options *options;
    enum option_id id;
    const struct option_row *row;
    struct option_value value;
    hx_diag *diag;
};

static hx_status read_kind(struct reader *reader);
static hx_status read_switch(struct reader *reader);
static hx_status read_count(struct reader *reader, struct slice text, uint64_t *ret_number);
static hx_status read_bytes(struct reader *reader);
static hx_status read_seconds(struct reader *reader);
static hx_status read_percent(struct reader *reader);
static hx_status read_shape(struct reader *reader);
static hx_status read_word(struct reader *reader);
static hx_status read_pair(struct reader *reader);
static hx_status read_range(struct reader *reader);

hx_status value_parse(struct options *options, enum option_id id, const char *text, bool is_variable,
                      hx_diag *diag)
{
    struct reader reader = {.options = options,
                            .id = id,
                            .row = &option_table[id],
                            .value = {.text = text, .is_variable = is_variable},
                            .diag = diag};
    hx_status status = read_kind(&reader);
    if (status != HX_OK)
        return status;
    struct option_values *values = &options->values[id];
    if (values->count == values->capacity) {
        size_t capacity = values->capacity ? 2 * values->capacity : 4;
        struct option_value *items = ARENA_ARRAY(&options->arena, struct option_value, capacity);
        if (!items)
            return diag_no_memory(diag);
        if (values->count)
            memcpy(items, values->items, values->count * sizeof *items);
        values->items = items;
        values->capacity = capacity;
    }
    values->items[values->count++] = reader.value;
    return HX_OK;
}

/* Reports the value as wrong: `what` continues a sentence that starts with the value. */
static hx_status bad_value(struct reader *reader, struct slice part, const char *what, const char *hint)
{
    char title[64];
    return diag_report(reader->diag, DIAG_USAGE_BAD_VALUE, (struct place){0}, hint,
                       "%s: '" SLICE_FORMAT "' %s", option_title(reader->id, &reader->value, title),
                       SLICE_ARGS(part), what);
}

static hx_status read_kind(struct reader *reader)
{
    struct slice text = slice_of(reader->value.text);
    if (text.length == 0 && !reader->row->may_be_empty) {
        char title[64];
        return diag_report(
            reader->diag, DIAG_USAGE_MISSING_VALUE, (struct place){0},
            arena_format(&reader->options->arena, "write --%s %s", reader->row->name, reader->row->argument),
            "%s: the value is empty", option_title(reader->id, &reader->value, title));
    }
    switch (reader->row->kind) {
    case KIND_SWITCH:
        return read_switch(reader);
    case KIND_COUNT:
    case KIND_POWER:
        return read_count(reader, text, &reader->value.number);
    case KIND_BYTES:
        return read_bytes(reader);
    case KIND_SECONDS:
        return read_seconds(reader);
    case KIND_PERCENT:
        return read_percent(reader);
    case KIND_SHAPE:
        return read_shape(reader);
    case KIND_WORD:
        return read_word(reader);
    case KIND_PAIR:
        return read_pair(reader);
    case KIND_RANGE:
        return read_range(reader);
    case KIND_TEXT:
    case KIND_FILE:
        break;
    }
    return HX_OK;
}

static hx_status read_switch(struct reader *reader)
{
    struct slice text = slice_of(reader->value.text);
    bool on = false;
    if (!boolean_parse(text, &on))
        return bad_value(reader, text, "is neither true nor false", "write 1 or 0");
    reader->value.number = on;
    return HX_OK;
}

static hx_status read_count(struct reader *reader, struct slice text, uint64_t *ret_number)
{
    uint64_t number = 0;
    const struct option_row *row = reader->row;
    enum number_result result = number_parse_u64(text, &number);
    if (result == NUMBER_LEADING_ZERO)
        return bad_value(reader, text, "starts with 0, which could mean octal", "write it without the 0");
    if (result == NUMBER_OK && row->kind == KIND_POWER && (number & (number - 1)))
        return bad_value(reader, text, "is not a power of two", "write 1, 2, 4, 8, 16, 32 or 64");
    if (result == NUMBER_OK && number >= row->minimum && number <= row->maximum) {
        *ret_number = number;
        return HX_OK;
    }
    const char *range =
        arena_format(&reader->options->arena, "%s from %llu to %llu",
                     result == NUMBER_NOT_A_NUMBER ? "is not an integer" : "is not in the range",
                     (unsigned long long)row->minimum, (unsigned long long)row->maximum);
    return bad_value(reader, text, range, row->kind == KIND_SHAPE ? "write 4, or 4,1, or 4,1,1" : NULL);
}

static hx_status read_bytes(struct reader *reader)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {{"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}};
    struct slice all = slice_of(reader->value.text), digits = all;
    uint64_t unit = 1;
    for (size_t i = 0; i < HX_COUNT_OF(units); i++)
        if (all.length > 3 && strcmp(all.at + all.length - 3, units[i].name) == 0) {
            unit = units[i].bytes;
            digits.length -= 3;
        }
    uint64_t number = 0;
    if (number_parse_u64(digits, &number) != NUMBER_OK)
        return bad_value(reader, all, "is not a number of bytes", "write 65536, 64KiB, 64MiB or 2GiB");
    if (__builtin_mul_overflow(number, unit, &number) || number < reader->row->minimum ||
        number > reader->row->maximum)
        return bad_value(reader, all,
                         arena_format(&reader->options->arena, "is not in the range from %llu to %llu bytes",
                                      (unsigned long long)reader->row->minimum,
                                      (unsigned long long)reader->row->maximum),
                         "write 65536, 64KiB, 64MiB or 2GiB");
    reader->value.number = number;
    return HX_OK;
}

static hx_status read_seconds(struct reader *reader)
{
    struct slice text = slice_of(reader->value.text);
    double seconds = 0;
    /* The first comparison is false for NaN too. */
    if (number_parse_f64(text, &seconds) != NUMBER_OK || !(seconds > 0) ||
        seconds > (double)reader->row->maximum)
        return bad_value(reader, text, "is not a number of seconds above 0",
                         "write 10, or 0.5 for half a second");
    reader->value.number = (uint64_t)(seconds * 1e9);
    if (reader->value.number < reader->row->minimum)
        reader->value.number = reader->row->minimum;
    return HX_OK;
}

static hx_status read_percent(struct reader *reader)
{
    struct slice text = slice_of(reader->value.text);
    double percent = 0;
    if (number_parse_f64(text, &percent) != NUMBER_OK || !(percent > 0) ||
        percent > (double)reader->row->maximum)
        return bad_value(reader, text, "is not a number of percent above 0",
                         "write 5, or 0.5 for half a percent");
    reader->value.decimal = percent;
    return HX_OK;
}

/* The bounds of all three numbers together, and of y and z. */
static hx_status check_shape(struct reader *reader)
{
    const uint32_t *shape = reader->value.shape;
    const struct option_row *row = reader->row;
    struct slice text = slice_of(reader->value.text);
    if (row->product && (uint64_t)shape[0] * shape[1] * shape[2] > row->product)
        return bad_value(reader, text,
                         arena_format(&reader->options->arena, "is %llu together, at most %llu are possible",
                                      (unsigned long long)shape[0] * shape[1] * shape[2],
                                      (unsigned long long)row->product),
                         NULL);
    if (row->maximum_yz && (shape[1] > row->maximum_yz || shape[2] > row->maximum_yz))
        return bad_value(reader, text,
                         arena_format(&reader->options->arena, "has more than %llu in y or z",
                                      (unsigned long long)row->maximum_yz),
                         "put the large number first");
    return HX_OK;
}

static hx_status read_shape(struct reader *reader)
{
    const char *at = reader->value.text;
    uint32_t *shape = reader->value.shape;
    shape[0] = shape[1] = shape[2] = 1;
    for (int axis = 0; axis < 3; axis++) {
        size_t length = strcspn(at, ",");
        uint64_t number = 0;
        if (length == 0)
            break;
        hx_status status = read_count(reader, (struct slice){at, length}, &number);
        if (status != HX_OK)
            return status;
        shape[axis] = (uint32_t)number;
        at += length;
        if (*at == 0)
            return check_shape(reader);
        at++;
    }
    return bad_value(reader, slice_of(reader->value.text),
                     "is not one to three numbers with commas between them", "write 4, or 4,1, or 4,1,1");
}

static hx_status read_word(struct reader *reader)
{
    struct slice text = slice_of(reader->value.text);
    const char *words[8];
    size_t count = 0;
    for (const char *at = reader->row->words; *at; count++) {
        size_t length = strcspn(at, " ");
        if (length == text.length && memcmp(at, text.at, length) == 0) {
            reader->value.number = count;
            return HX_OK;
        }
        words[count] = arena_copy(&reader->options->arena, at, length);
        if (!words[count])
            return diag_no_memory(reader->diag);
        at += length + (at[length] == ' ');
    }
    /* In words as short as v2 every other one is near. */
    const char *meant = text.length > 3 ? text_suggest_from(text, words, count) : NULL;
    const char *one_of = arena_format(&reader->options->arena, "is not one of: %s", reader->row->words);
    const char *hint = meant ? arena_format(&reader->options->arena, "did you mean %s?", meant) : NULL;
    return bad_value(reader, text, one_of, hint);
}

static hx_status read_pair(struct reader *reader)
{
    const char *text = reader->value.text, *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return bad_value(
            reader, slice_of(text),
            arena_format(&reader->options->arena, "is not of the form %s", reader->row->argument),
            arena_format(&reader->options->arena, "write --%s %s", reader->row->name, reader->row->argument));
    reader->value.name = arena_copy(&reader->options->arena, text, (size_t)(equals - text));
    reader->value.rest = equals + 1;
    return reader->value.name ? HX_OK : diag_no_memory(reader->diag);
}

static hx_status read_range(struct reader *reader)
{
    const char *text = reader->value.text;
    size_t name = strcspn(text, ":");
    struct slice first = {0}, count = {0};
    if (text[name] == ':') {
        first = slice_of(text + name + 1);
        const char *colon = memchr(first.at, ':', first.length);
        if (colon) {
            count = slice_of(colon + 1);
            first.length = (size_t)(colon - first.at);
        }
    }
    reader->value.count = UINT64_MAX;
    if (name == 0 || (first.at && number_parse_u64(first, &reader->value.number) != NUMBER_OK) ||
        (count.at && number_parse_u64(count, &reader->value.count) != NUMBER_OK))
        return bad_value(reader, slice_of(text), "is not a buffer's name, or NAME:FIRST, or NAME:FIRST:COUNT",
                         "write y, or y:0:8 for the first eight elements");
    reader->value.name = arena_copy(&reader->options->arena, text, name);
    return reader->value.name ? HX_OK : diag_no_memory(reader->diag);
}
