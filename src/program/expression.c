/* Expressions: integers and integer parameters with + - * / and parentheses.
 *
 * Computed in signed 64 bits with every overflow an error; division drops the remainder. Recursive descent,
 * one function a level; the depth is bounded. What is wrong is shown where it stands in the text. */
#include "program/parts.h"
#include "program/piece.h"

#define DEPTH_MAX 64

struct evaluation {
    const struct expression *asked;
    const hx_program *program;
    struct piece text;
    size_t at;
    int depth;
    bool is_open; /* a parameter has no value yet */
    hx_diag *diag;
    hx_status status;
};

static int64_t sum(struct evaluation *expression);

static int64_t fail(struct evaluation *expression, size_t start, size_t length, const char *why)
{
    if (expression->status == HX_OK)
        expression->status = diag_report(expression->diag, DIAG_PROGRAM_COUNT,
                                         piece_part(expression->text, start, length).place,
                                         expression->asked->hint, "%s '" SLICE_FORMAT "': %s",
                                         expression->asked->what, SLICE_ARGS(expression->text.text), why);
    return 0;
}

static char peek(struct evaluation *expression)
{
    const struct slice text = expression->text.text;
    while (expression->at < text.length && text_is_blank(text.at[expression->at]))
        expression->at++;
    return expression->at < text.length ? text.at[expression->at] : 0;
}

static const char *param_at(void *user, size_t index)
{
    const hx_program *program = user;
    return index < program->param_count ? program->params[index].name : NULL;
}

static int64_t unknown(struct evaluation *expression, size_t start, struct slice name)
{
    struct text why;
    text_init(&why, expression->program->arena.allocator);
    const char *near = text_suggest(name, param_at, (void *)(uintptr_t)expression->program);
    text_print(&why, "'" SLICE_FORMAT "' is no parameter", SLICE_ARGS(name));
    if (near)
        text_print(&why, "; did you mean '%s'?", near);
    fail(expression, start, name.length, why.failed ? "it names no parameter" : why.at);
    text_done(&why);
    return 0;
}

static int64_t parameter(struct evaluation *expression, size_t start, struct slice name)
{
    for (size_t i = 0; i < expression->program->param_count; i++) {
        const struct program_param *param = &expression->program->params[i];
        if (!slice_equal(name, param->name))
            continue;
        if (type_is_float(param->type) || param->type == HX_TYPE_NONE)
            return fail(expression, start, name.length, "only integer parameters can be counted with");
        const uint64_t *values = expression->asked->values, bits = values ? values[i] : param->bits;
        expression->is_open |= expression->asked->is_check || (!values && !param->has_value);
        const unsigned shift = 64 - type_bits(param->type);
        if (!type_is_signed(param->type) && bits > INT64_MAX)
            return fail(expression, start, name.length, "the parameter is too large");
        return type_is_signed(param->type) ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
    }
    return unknown(expression, start, name);
}

static int64_t number(struct evaluation *expression, size_t start, struct slice word)
{
    uint64_t value = 0;
    switch (number_parse_u64(word, &value)) {
    case NUMBER_OK:
        return value <= INT64_MAX ? (int64_t)value
                                  : fail(expression, start, word.length, "the number is too large");
    case NUMBER_LEADING_ZERO:
        return fail(expression, start, word.length, "a number begins with 0");
    case NUMBER_OUT_OF_RANGE:
        return fail(expression, start, word.length, "the number is too large");
    default:
        return fail(expression, start, word.length, "this is no integer");
    }
}

static int64_t factor(struct evaluation *expression)
{
    const char c = peek(expression);
    const size_t start = expression->at;
    const struct slice text = expression->text.text;
    if (c == '(') {
        expression->at++;
        if (++expression->depth > DEPTH_MAX)
            return fail(expression, start, 1, "its parentheses are too deep");
        int64_t value = sum(expression);
        expression->depth--;
        if (expression->status == HX_OK && peek(expression) != ')')
            return fail(expression, start, 1, "the parenthesis is not closed");
        expression->at++;
        return value;
    }
    while (expression->at < text.length && text_is_word(text.at[expression->at]))
        expression->at++;
    const struct slice word = {text.at + start, expression->at - start};
    if (word.length == 0)
        return fail(expression, start < text.length ? start : 0, start < text.length ? 1 : text.length,
                    "a number or parameter is missing");
    return text_is_digit(word.at[0]) ? number(expression, start, word) : parameter(expression, start, word);
}

static int64_t product(struct evaluation *expression)
{
    int64_t value = factor(expression);
    for (char c = peek(expression); expression->status == HX_OK && (c == '*' || c == '/');
         c = peek(expression)) {
        const size_t sign = expression->at++;
        const int64_t right = factor(expression);
        if (expression->status != HX_OK)
            return 0;
        if (c == '/' && right == 0 && !expression->is_open)
            return fail(expression, sign, 1, "it divides by zero");
        /* dividing by -1 is multiplying with it, overflow and all */
        if (c == '/' && right != 0 && right != -1)
            value /= right;
        else if (__builtin_mul_overflow(value, right, &value))
            return fail(expression, sign, 1, "the product is too large");
    }
    return value;
}

static int64_t sum(struct evaluation *expression)
{
    int64_t value = product(expression);
    for (char c = peek(expression); expression->status == HX_OK && (c == '+' || c == '-');
         c = peek(expression)) {
        const size_t sign = expression->at++;
        const int64_t right = product(expression);
        if (expression->status != HX_OK)
            return 0;
        if (c == '-' ? __builtin_sub_overflow(value, right, &value)
                     : __builtin_add_overflow(value, right, &value))
            return fail(expression, sign, 1, "the sum is too large");
    }
    return value;
}

static struct evaluation begin(const struct expression *asked, hx_diag *diag)
{
    const struct slice text = slice_of(asked->text);
    struct place place = asked->place;
    /* the place is that of the scalar: with two more bytes than its text it is in quotes, with any other
     * number escapes or line ends are in it, and its parts have no known place */
    const bool is_quoted = place.length == (int)text.length + 2;
    if (is_quoted)
        place.column++;
    const bool is_fixed = !is_quoted && place.length != (int)text.length;
    if (!is_fixed)
        place.length = (int)text.length;
    return (struct evaluation){
        .asked = asked, .program = asked->program, .text = {text, place, is_fixed}, .diag = diag};
}

static int64_t evaluate(struct evaluation *expression)
{
    const int64_t value = sum(expression);
    if (expression->status == HX_OK && peek(expression))
        fail(expression, expression->at, expression->text.text.length - expression->at,
             "something stands behind its end");
    return value;
}

hx_status program_evaluate(const struct expression *asked, int64_t least, int64_t most, const char *range,
                           hx_diag *diag, int64_t *ret_value, bool *ret_is_known)
{
    struct evaluation expression = begin(asked, diag);
    const int64_t value = evaluate(&expression);
    const bool is_known = expression.status == HX_OK && !expression.is_open;
    const size_t length = expression.text.text.length;
    if (is_known && value < least)
        fail(&expression, 0, length, least == 0 ? "it is negative" : range);
    else if (is_known && value > most)
        fail(&expression, 0, length, range);
    if (expression.status == HX_OK) {
        *ret_value = is_known ? value : 0;
        *ret_is_known = is_known;
    }
    return expression.status;
}
