/* Arithmetic of OpenCL C's vectors: v * 2, v + w, v < w, -v, and components in any order, v.wzyx.
 *
 * Takes vectors of the source, and numbers that stand for all lanes, leaves a vector. It is no place of the
 * program: its bytes are in memory of the debugger's own, as long as the expression is not evaluated anew
 * (OpenCL C, 6.3). */
#include "debug/expression.h"
#include "program/parts.h"

#define COMPONENTS_MOST 16

static struct dwarf *dwarf_of(const struct evaluation *evaluation)
{
    return (struct dwarf *)&evaluation->asker->engine->dwarf; /* types are added to those of the program */
}

/* One operand: a vector, or a number that is each of its lanes. */
struct vector_operand {
    struct value value;
    bool is_vector;
    struct dwarf_type_elements elements;
    enum hx_type type; /* of a lane */
    const char *host;
};

bool eval_is_vector(const struct evaluation *evaluation, const struct value *value)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    const uint32_t type = value->declared ? dwarf_type_strip(dwarf, value->declared - 1) : DWARF_NONE;
    return type < dwarf->entries.count && value->dimension == 0 && dwarf->entries.items[type].is_vector;
}

static bool read_operand(struct evaluation *evaluation, const struct value *value,
                         struct vector_operand *operand)
{
    const struct dwarf *dwarf = dwarf_of(evaluation);
    const struct asker *asker = evaluation->asker;
    *operand = (struct vector_operand){.value = *value, .type = value->type};
    if (!(operand->is_vector = eval_is_vector(evaluation, value))) {
        if (value->type == HX_TYPE_NONE)
            eval_fail(evaluation, "a vector is combined with vectors and numbers");
        return !evaluation->failed;
    }
    if (!dwarf_type_elements(dwarf, value->declared - 1, 0, &operand->elements))
        return false;
    operand->type = dwarf_type_of_number(dwarf, operand->elements.type);
    const uint64_t bytes = operand->elements.count * operand->elements.bytes;
    operand->host = bytes <= MADE_BYTES ? state_memory(asker->engine, asker->block, asker->thread,
                                                       value->space, value->address, bytes)
                                        : NULL;
    if (!operand->host || operand->type == HX_TYPE_NONE)
        eval_fail(evaluation, "the vector has no value");
    return !evaluation->failed;
}

static struct value lane_of(const struct vector_operand *operand, uint64_t lane)
{
    struct value value = {.type = operand->type, .count = 1};
    if (!operand->is_vector)
        return operand->value;
    memcpy(&value.bits, operand->host + lane * operand->elements.bytes, type_bytes(operand->type));
    value.bits = value_extend(value.bits, operand->type);
    return value;
}

/* Memory for a vector; NULL: too many are in one expression. */
static char *make(struct evaluation *evaluation, uint32_t type, struct value *ret_value)
{
    struct engine *engine = (struct engine *)evaluation->asker->engine; /* its memory for values */
    if (type == DWARF_NONE)
        eval_fail(evaluation, "there is no memory for the type");
    else if (evaluation->made == MADE_MOST)
        eval_fail(evaluation, "the expression makes more than %d vectors", MADE_MOST);
    if (evaluation->failed)
        return NULL;
    const uint64_t address = (uint64_t)evaluation->made++ * MADE_BYTES;
    memset(engine->made + address, 0, MADE_BYTES);
    *ret_value = (struct value){.type = HX_TYPE_NONE,
                                .declared = type + 1,
                                .has_address = true,
                                .count = 1,
                                .space = DEBUG_SPACE_MADE,
                                .address = address};
    return engine->made + address;
}

/* What comparisons give: of each lane -1 or 0, as an integer of its width. */
static uint32_t truth_type(struct evaluation *evaluation, unsigned bytes)
{
    struct engine *engine = (struct engine *)evaluation->asker->engine;
    return eval_type(engine, slice_of(bytes == 1   ? "signed char" /* a number, not a letter */
                                      : bytes == 2 ? "short"
                                      : bytes == 4 ? "int"
                                                   : "long"));
}

static bool is_truth(const char *operator)
{
    return strchr("<>", operator[0]) ? operator[1] != operator[0] : operator[1] == '=' || operator[0] == '!';
}

/* The type of the result: `like` has its lanes. */
static uint32_t result_type(struct evaluation *evaluation, const char *operator,
                            const struct vector_operand * like, enum hx_type *ret_number)
{
    *ret_number = like->type;
    if (!is_truth(operator))
        return like->value.declared - 1;
    const uint64_t count = like->elements.count;
    const uint32_t element = truth_type(evaluation, type_bytes(like->type));
    if (element == DWARF_NONE)
        return element;
    *ret_number = dwarf_type_of_number(dwarf_of(evaluation), element);
    return dwarf_made_array(dwarf_of(evaluation), element, true, &count, 1);
}

static void put_lane(const struct value *value, enum hx_type type, bool truth, char *to)
{
    struct value lane = truth ? value_integer(value_is_true(value) ? UINT64_MAX : 0, false) : *value;
    lane = value_converted(&lane, type);
    memcpy(to, &lane.bits, type_bytes(type));
}

struct value eval_vectors(struct evaluation *evaluation, const char *operator, const struct value * a,
                          const struct value *b)
{
    struct vector_operand left, right;
    struct value result = *a;
    enum hx_type number;
    const char *wrong = NULL;
    if (!read_operand(evaluation, a, &left) || !read_operand(evaluation, b, &right))
        return result;
    const struct vector_operand *like = left.is_vector ? &left : &right;
    if (left.is_vector && right.is_vector &&
        (left.elements.count != right.elements.count || left.type != right.type))
        eval_fail(evaluation, "'%s' wants vectors of one type", operator);
    if (operator[0] == '&' && operator[1] == '&')
        eval_fail(evaluation, "'&&' wants numbers: & combines the lanes of vectors");
    if (operator[0] == '|' && operator[1] == '|')
        eval_fail(evaluation, "'||' wants numbers: | combines the lanes of vectors");
    if (evaluation->failed)
        return result;
    char *const to = make(evaluation, result_type(evaluation, operator, like, &number), &result);
    for (uint64_t i = 0; to && i < like->elements.count && !evaluation->failed; i++) {
        const struct value one = lane_of(&left, i), other = lane_of(&right, i),
                           lane = value_combined(operator, & one, &other, &wrong);
        if (wrong)
            eval_fail(evaluation, wrong, operator);
        put_lane(&lane, number, is_truth(operator), to + i * type_bytes(number));
    }
    return result;
}

struct value eval_vector(struct evaluation *evaluation, char letter, const struct value *a)
{
    const char operator[] = {letter, 0};
    struct vector_operand operand;
    struct value result = *a;
    enum hx_type number;
    const char *wrong = NULL;
    if (!read_operand(evaluation, a, &operand))
        return result;
    char *const to = make(evaluation, result_type(evaluation, operator, & operand, &number), &result);
    for (uint64_t i = 0; to && i < operand.elements.count && !evaluation->failed; i++) {
        const struct value one = lane_of(&operand, i), lane = value_of_one(letter, &one, &wrong);
        if (wrong)
            eval_fail(evaluation, wrong, operator);
        put_lane(&lane, number, letter == '!', to + i * type_bytes(number));
    }
    return result;
}

struct value eval_made_vector(struct evaluation *evaluation, uint32_t type, const struct value *items,
                              size_t count)
{
    struct vector_operand operand;
    struct dwarf_type_elements elements;
    struct value result = {.type = HX_TYPE_NONE};
    uint64_t lanes = 0;
    if (!dwarf_type_elements(dwarf_of(evaluation), type, 0, &elements) ||
        elements.count * elements.bytes > MADE_BYTES)
        return result;
    const enum hx_type number = dwarf_type_of_number(dwarf_of(evaluation), elements.type);
    char *const to = make(evaluation, type, &result);
    for (size_t i = 0; to && i < count && read_operand(evaluation, &items[i], &operand); i++) {
        const uint64_t all = count == 1 && !operand.is_vector ? elements.count
                             : operand.is_vector              ? operand.elements.count
                                                              : 1;
        for (uint64_t lane = 0; lane < all; lane++, lanes++) {
            const struct value one = lane_of(&operand, lane);
            if (lanes < elements.count)
                put_lane(&one, number, false, to + lanes * elements.bytes);
        }
    }
    if (lanes != elements.count)
        eval_fail(evaluation, "the vector has %llu lanes, and these are %llu",
                  (unsigned long long)elements.count, (unsigned long long)lanes);
    return result;
}

/* ---- Components ---------------------------------------------------------------------------------------- */

/* The lanes that "wzyx", "s3210", "even" and "odd" name; their count, 0: it is no such name. */
static uint64_t read_components(struct slice name, uint64_t lanes, uint8_t *ret_lanes)
{
    static const char *const sets[] = {"xyzw", "rgba"};
    uint64_t count = 0;
    const bool is_even = slice_equal(name, "even"), is_odd = slice_equal(name, "odd");
    for (uint64_t i = is_odd; (is_even || is_odd) && i < lanes && count < COMPONENTS_MOST; i += 2)
        ret_lanes[count++] = (uint8_t)i;
    if (count > 0 || name.length == 0 || name.length > 1 + COMPONENTS_MOST)
        return count;
    const bool has_digits = name.at[0] == 's' || name.at[0] == 'S';
    const char *const set = strchr(sets[0], name.at[0]) ? sets[0] : sets[1];
    for (size_t i = has_digits; i < name.length; i++) {
        const char letter = name.at[i], *const found = strchr(set, letter);
        const int digit = text_is_digit(letter)            ? letter - '0'
                          : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                          : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                                           : -1;
        const int lane = has_digits ? digit : found ? (int)(found - set) : -1;
        if (lane < 0 || (uint64_t)lane >= lanes)
            return 0;
        ret_lanes[count++] = (uint8_t)lane;
    }
    return count;
}

bool eval_components(struct evaluation *evaluation, const struct value *value, struct slice name,
                     struct value *ret_value)
{
    struct vector_operand operand;
    uint8_t lanes[COMPONENTS_MOST + 1];
    if (!eval_is_vector(evaluation, value) || !read_operand(evaluation, value, &operand))
        return false;
    const uint64_t count = read_components(name, operand.elements.count, lanes);
    if (count < 2)
        return false;
    char *const to =
        make(evaluation, dwarf_made_array(dwarf_of(evaluation), operand.elements.type, true, &count, 1),
             ret_value);
    for (uint64_t i = 0; to && i < count; i++)
        memcpy(to + i * operand.elements.bytes, operand.host + lanes[i] * operand.elements.bytes,
               operand.elements.bytes);
    return true;
}
