/* Count expressions: integers and integer parameters with + - * / and parentheses, computed in 64 bits with
 * every overflow an error. Recursive descent, one function a level; depth is bounded. */
#include "program/parts.h"

#include <ctype.h>

#define COUNT_MAX (UINT64_C(1) << 40)
#define DEPTH_MAX 64

struct expression {
    const hx_program *program;
    struct slice text;
    size_t at;
    int depth;
    struct place place;
    hx_diag *diag;
    hx_status status;
};

static uint64_t sum(struct expression *expression);

static uint64_t fail(struct expression *expression, const char *why)
{
    if (expression->status == HX_OK)
        expression->status = diag_report(expression->diag, DIAG_PROGRAM_COUNT, expression->place, NULL,
                                         "count '" SLICE_FORMAT "': %s", SLICE_ARGS(expression->text), why);
    return 0;
}

static char peek(struct expression *expression)
{
    while (expression->at < expression->text.length &&
           isspace((unsigned char)expression->text.at[expression->at]))
        expression->at++;
    return expression->at < expression->text.length ? expression->text.at[expression->at] : 0;
}

static uint64_t parameter(struct expression *expression, struct slice name)
{
    for (size_t i = 0; i < expression->program->param_count; i++) {
        const struct program_param *param = &expression->program->params[i];
        if (!slice_equal(name, param->name))
            continue;
        if (type_is_float(param->type))
            return fail(expression, "only integer parameters can be counted with");
        unsigned shift = 64 - type_bits(param->type);
        if (type_is_signed(param->type) && (int64_t)(param->bits << shift) < 0)
            return fail(expression, "a parameter is negative");
        return param->bits;
    }
    return fail(expression, "it names something that is no parameter");
}

static uint64_t factor(struct expression *expression)
{
    char c = peek(expression);
    if (c == '(') {
        expression->at++;
        if (++expression->depth > DEPTH_MAX)
            return fail(expression, "its parentheses are too deep");
        uint64_t value = sum(expression);
        expression->depth--;
        if (peek(expression) != ')')
            return fail(expression, "a parenthesis is not closed");
        expression->at++;
        return value;
    }
    size_t start = expression->at;
    while (expression->at < expression->text.length &&
           (isalnum((unsigned char)expression->text.at[expression->at]) ||
            expression->text.at[expression->at] == '_'))
        expression->at++;
    struct slice word = {expression->text.at + start, expression->at - start};
    if (word.length == 0)
        return fail(expression, "a number or parameter is missing");
    if (!isdigit((unsigned char)word.at[0]))
        return parameter(expression, word);
    uint64_t value = 0;
    switch (number_parse_u64(word, &value)) {
    case NUMBER_OK:
        return value;
    case NUMBER_LEADING_ZERO:
        return fail(expression, "a number begins with 0");
    default:
        return fail(expression, "a number is malformed or too large");
    }
}

static uint64_t product(struct expression *expression)
{
    uint64_t value = factor(expression);
    for (char c = peek(expression); expression->status == HX_OK && (c == '*' || c == '/');
         c = peek(expression)) {
        expression->at++;
        uint64_t right = factor(expression);
        if (expression->status != HX_OK)
            return 0;
        if (c == '/' && right == 0)
            return fail(expression, "it divides by zero");
        if (c == '/')
            value /= right;
        else if (__builtin_mul_overflow(value, right, &value))
            return fail(expression, "it is too large");
    }
    return value;
}

static uint64_t sum(struct expression *expression)
{
    uint64_t value = product(expression);
    for (char c = peek(expression); expression->status == HX_OK && (c == '+' || c == '-');
         c = peek(expression)) {
        expression->at++;
        uint64_t right = product(expression);
        if (expression->status != HX_OK)
            return 0;
        if (c == '-' && right > value)
            return fail(expression, "it becomes negative");
        if (c == '-')
            value -= right;
        else if (__builtin_add_overflow(value, right, &value))
            return fail(expression, "it is too large");
    }
    return value;
}

hx_status program_evaluate_count(const hx_program *program, struct slice text, struct place place,
                                 hx_diag *diag, uint64_t *ret_count)
{
    struct expression expression = {.program = program, .text = text, .place = place, .diag = diag};
    uint64_t value = sum(&expression);
    if (expression.status == HX_OK && peek(&expression))
        fail(&expression, "something stands behind its end");
    if (expression.status == HX_OK && value > COUNT_MAX)
        fail(&expression, "it is more than 2^40 elements");
    if (expression.status == HX_OK)
        *ret_count = value;
    return expression.status;
}
