/* Nodes: finding them, their places, and the numbers in them.
 *
 * Takes the tree that the places pass made, changes nothing. A value that a person typed is read here from
 * the node itself, so that what is wrong with it can be shown where it stands. */
#include "yaml/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != YAML_MAPPING)
        return NULL;
    for (const struct yaml_node *child = mapping->first; child; child = child->next)
        if (slice_equal(child->key, key))
            return child;
    return NULL;
}

const struct yaml_node *yaml_at(const struct yaml_node *node, size_t index)
{
    const struct yaml_node *child = node ? node->first : NULL;
    while (child && index-- > 0)
        child = child->next;
    return child;
}

const struct yaml_node *yaml_find(const struct yaml_document *document, const char *path_format, ...)
{
    char path[512];
    va_list arguments;
    va_start(arguments, path_format);
    int length = vsnprintf(path, sizeof path, path_format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof path || (length > 0 && path[0] != '/'))
        return NULL;
    const struct yaml_node *node = document->root;
    char *rest = NULL;
    for (const char *step = strtok_r(path, "/", &rest); step && node; step = strtok_r(NULL, "/", &rest)) {
        uint64_t index;
        if (node->kind == YAML_SEQUENCE)
            node = number_parse_u64(slice_of(step), &index) == NUMBER_OK ? yaml_at(node, index) : NULL;
        else
            node = yaml_get(node, step);
    }
    return node;
}

struct place yaml_place(const struct yaml_node *node)
{
    return node ? node->place : (struct place){0};
}

struct place yaml_place_key(const struct yaml_node *node)
{
    return node && node->key_place.source ? node->key_place : yaml_place(node);
}

struct place yaml_place_in_scalar(const struct yaml_node *node, int line, int column, int length)
{
    struct place place = node->place;
    if (node->is_literal) {
        place.line = node->literal_line + line;
        place.column = node->literal_column + column;
        place.length = length > 0 ? length : 1;
        return place;
    }
    if (node->kind != YAML_SCALAR || line != 0 || place.column < 1)
        return place;
    /* exact when the text stands in the file as it is, perhaps in quotes */
    struct slice shown = source_line(place.source, place.line);
    size_t first = (size_t)place.column - 1;
    first += first < shown.length && !node->is_plain;
    if (first > shown.length || node->text.length > shown.length - first ||
        memcmp(shown.at + first, node->text.at, node->text.length) != 0)
        return place;
    return (struct place){place.source, place.line, (int)first + 1 + column, length > 0 ? length : 1};
}

/* What "010" may have meant: 10, or 8 in the octal notation of C. */
static void suggest_without_zero(struct slice text, char *hint, size_t bytes)
{
    const char *sign = text.length > 0 && text.at[0] == '-' ? "-" : "";
    struct slice digits = text;
    uint64_t octal = 0;
    bool is_octal = true;
    while (digits.length > 1 && (digits.at[0] == '0' || strchr("-+_", digits.at[0]))) {
        digits.at++;
        digits.length--;
    }
    for (size_t i = 0; i < digits.length && is_octal; i++) {
        is_octal = digits.at[i] >= '0' && digits.at[i] <= '7' && octal >> 61 == 0;
        octal = octal << 3 | ((unsigned char)digits.at[i] & 7);
    }
    if (is_octal && octal > 7)
        snprintf(hint, bytes, "write %s" SLICE_FORMAT ", or %s0x%" PRIx64 " if octal was meant", sign,
                 SLICE_ARGS(digits), sign, octal);
    else
        snprintf(hint, bytes, "write %s" SLICE_FORMAT, sign, SLICE_ARGS(digits));
}

hx_status yaml_number_problem(hx_diag *diag, struct place place, struct slice text, enum number_result result,
                              const char *wanted)
{
    char hint[128];
    switch (result) {
    case NUMBER_LEADING_ZERO:
        suggest_without_zero(text, hint, sizeof hint);
        return diag_report(diag, DIAG_YAML_NUMBER, place, hint, "'" SLICE_FORMAT "' begins with 0",
                           SLICE_ARGS(text));
    case NUMBER_OUT_OF_RANGE:
        return diag_report(diag, DIAG_YAML_RANGE, place, NULL,
                           "'" SLICE_FORMAT "' is out of range: %s is wanted", SLICE_ARGS(text), wanted);
    default:
        if (text.length == 0)
            return diag_report(diag, DIAG_YAML_NUMBER, place, NULL, "%s is wanted here", wanted);
        return diag_report(diag, DIAG_YAML_NUMBER, place, NULL, "'" SLICE_FORMAT "' is not %s",
                           SLICE_ARGS(text), wanted);
    }
}

static hx_status finish_number(const struct yaml_node *node, hx_diag *diag, enum number_result result,
                               const char *wanted)
{
    if (result == NUMBER_OK)
        return HX_OK;
    struct place place = node->text.length > 0 ? node->place : yaml_place_key(node);
    return yaml_number_problem(diag, place, node->text, result, wanted);
}

hx_status yaml_number_u64(const struct yaml_node *node, hx_diag *diag, uint64_t minimum, uint64_t maximum,
                          uint64_t *ret_value)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "an integer from %" PRIu64 " to %" PRIu64, minimum, maximum);
    uint64_t value = 0;
    enum number_result result = number_parse_u64(node->text, &value);
    if (result == NUMBER_OK && (value < minimum || value > maximum))
        result = NUMBER_OUT_OF_RANGE;
    if (result == NUMBER_OK)
        *ret_value = value;
    return finish_number(node, diag, result, wanted);
}

hx_status yaml_number_i64(const struct yaml_node *node, hx_diag *diag, int64_t minimum, int64_t maximum,
                          int64_t *ret_value)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "an integer from %" PRId64 " to %" PRId64, minimum, maximum);
    bool negative = false;
    uint64_t magnitude = 0;
    enum number_result result = number_parse_integer(node->text, &negative, &magnitude);
    int64_t value = (int64_t)(negative ? 0 - magnitude : magnitude);
    bool fits = magnitude <= (negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX);
    if (result == NUMBER_OK && (!fits || value < minimum || value > maximum))
        result = NUMBER_OUT_OF_RANGE;
    if (result == NUMBER_OK)
        *ret_value = value;
    return finish_number(node, diag, result, wanted);
}

hx_status yaml_number_f64(const struct yaml_node *node, hx_diag *diag, double *ret_value)
{
    enum number_result result = number_parse_f64(node->text, ret_value);
    return finish_number(node, diag, result,
                         result == NUMBER_OUT_OF_RANGE ? "a number of magnitude below 1.8e308" : "a number");
}
