/* Expressions: integers and integer parameters with + - * / and parentheses.
 *
 * Computed in signed 64 bits with every overflow an error; division drops the remainder. Open
 * parentheses are levels of an array of fixed size, so that a deep expression needs no more stack than a flat
 * one. What is wrong is shown where it stands in the text. */
#include "program/parts.h"
#include "program/piece.h"

#define DEPTH_MAX 64

struct evaluation {
    const struct expression *asked;
    const hx_program *program;
    struct piece text;
    size_t at;
    bool is_open; /* a parameter has no value yet */
    hx_diag *diag;
    hx_status status;
};

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
        if (param->follows)
            return fail(expression, start, name.length, "the parameter follows another: name that one");
        if (type_is_float(param->type) || param->type == HX_TYPE_NONE)
            return fail(expression, start, name.length, "only integer parameters can be counted with");
        if (param->target.kind != TARGET_NONE)
            return fail(expression, start, name.length, "the parameter is an address");
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

static int64_t operand(struct evaluation *expression)
{
    const size_t start = expression->at;
    const struct slice text = expression->text.text;
    while (expression->at < text.length && text_is_word(text.at[expression->at]))
        expression->at++;
    const struct slice word = {text.at + start, expression->at - start};
    if (word.length == 0)
        return fail(expression, start < text.length ? start : 0, start < text.length ? 1 : text.length,
                    "a number or parameter is missing");
    return text_is_digit(word.at[0]) ? number(expression, start, word) : parameter(expression, start, word);
}

/* What was computed of one pair of parentheses, or of the whole: sum + product * what comes next. */
struct level {
    int64_t sum, product;
    char sum_sign, product_sign; /* 0: there is no such part yet */
    size_t sum_at, product_at, opened_at;
};

static void multiply(struct evaluation *expression, struct level *level, int64_t right)
{
    const char sign = level->product_sign;
    level->product_sign = 0;
    if (!sign)
        level->product = right;
    else if (sign == '/' && right == 0 && !expression->is_open)
        fail(expression, level->product_at, 1, "it divides by zero");
    /* dividing by -1 is multiplying with it, overflow and all */
    else if (sign == '/' && right != 0 && right != -1)
        level->product /= right;
    else if (__builtin_mul_overflow(level->product, right, &level->product))
        fail(expression, level->product_at, 1, "the product is too large");
}

static void add(struct evaluation *expression, struct level *level)
{
    const char sign = level->sum_sign;
    level->sum_sign = 0;
    if (!sign)
        level->sum = level->product;
    else if (sign == '-' ? __builtin_sub_overflow(level->sum, level->product, &level->sum)
                         : __builtin_add_overflow(level->sum, level->product, &level->sum))
        fail(expression, level->sum_at, 1, "the sum is too large");
}

/* Takes a value into its level. True when an operand is next; otherwise the level is complete. */
static bool take(struct evaluation *expression, struct level *level, int64_t value)
{
    multiply(expression, level, value);
    const char c = expression->status == HX_OK ? peek(expression) : 0;
    if (c == '*' || c == '/') {
        level->product_sign = c;
        level->product_at = expression->at++;
        return true;
    }
    if (expression->status == HX_OK)
        add(expression, level);
    if (expression->status != HX_OK || (c != '+' && c != '-'))
        return false;
    level->sum_sign = c;
    level->sum_at = expression->at++;
    return true;
}

static int64_t compute(struct evaluation *expression)
{
    struct level levels[DEPTH_MAX + 1] = {0};
    size_t depth = 0;
    while (expression->status == HX_OK) {
        if (peek(expression) == '(') {
            const size_t start = expression->at++;
            if (depth == DEPTH_MAX)
                return fail(expression, start, 1, "its parentheses are too deep");
            levels[++depth] = (struct level){.opened_at = start};
            continue;
        }
        int64_t value = operand(expression);
        while (expression->status == HX_OK && !take(expression, &levels[depth], value)) {
            value = levels[depth].sum;
            if (expression->status != HX_OK || depth == 0)
                return value;
            if (peek(expression) != ')')
                return fail(expression, levels[depth].opened_at, 1, "the parenthesis is not closed");
            expression->at++;
            depth--;
        }
    }
    return 0;
}

static struct evaluation begin(const struct expression *asked, hx_diag *diag)
{
    const struct piece text = piece_of_scalar(slice_of(asked->text), asked->place);
    return (struct evaluation){.asked = asked, .program = asked->program, .text = text, .diag = diag};
}

static int64_t evaluate(struct evaluation *expression)
{
    const int64_t value = compute(expression);
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
