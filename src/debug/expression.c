/* Expressions of the debugger: `r3 > 100 && %tid.x == 7`, `y[r0] + 1`, `r4.f32`.
 *
 * Takes a text and a thread, leaves a value with its type. The operators are those of C with their
 * precedence. A register has the type at which it was written last; `.f32` behind a value reads its bits as
 * another type. An operation is done in f64 if one operand is of floating point, else in 64 bits, without a
 * sign if one operand is an unsigned number of 64 bits. */
#include "debug/debug.h"
#include "program/parts.h"

#include <math.h>
#include <stdio.h>

#define DEPTH_MAX 100 /* of parentheses and prefix operators */

struct reader {
    const struct asker *asker;
    const char *at, *end;
    char *wrong;
    size_t room;
    bool failed;
    bool is_check; /* names and grammar only: values are not there yet */
    unsigned depth;
};

HX_PRINTF(2, 3)
static void fail(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    if (reader->failed)
        return;
    reader->failed = true;
    va_start(arguments, format);
    text_format(reader->wrong, reader->room, format, arguments);
    va_end(arguments);
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && text_is_blank(*reader->at))
        reader->at++;
}

static bool take(struct reader *reader, const char *text)
{
    const size_t length = strlen(text);
    skip_blanks(reader);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, text, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static struct slice take_name(struct reader *reader, bool with_dots)
{
    const char *from = reader->at;
    while (reader->at < reader->end &&
           (text_is_word(*reader->at) || (with_dots && *reader->at == '.') || *reader->at == '$'))
        reader->at++;
    return (struct slice){from, (size_t)(reader->at - from)};
}

static enum hx_type type_of_name(struct slice name)
{
    char text[16];
    if (name.length == 0 || name.length >= sizeof text)
        return HX_TYPE_NONE;
    memcpy(text, name.at, name.length);
    text[name.length] = 0;
    return hx_type_find(text);
}

/* ---- Numbers of values --------------------------------------------------------------------------------- */

static double as_double(const struct value *value)
{
    if (type_is_float(value->type))
        return values_to_f64(&value->bits, value->type);
    if (type_is_signed(value->type))
        return (double)(int64_t)value->bits;
    return (double)value->bits;
}

/* Bits as a value of the type has them: signed ones extended by their sign, others by zeros. */
static uint64_t extend(uint64_t bits, enum hx_type type)
{
    const unsigned width = type_bits(type);
    if (width == 0 || width >= 64)
        return bits;
    const uint64_t low = bits & ((UINT64_C(1) << width) - 1);
    return type_is_signed(type) && (low >> (width - 1) & 1) ? low | ~UINT64_C(0) << width : low;
}

static struct value integer(uint64_t bits, bool is_unsigned)
{
    return (struct value){.type = is_unsigned ? HX_TYPE_U64 : HX_TYPE_I64, .bits = bits};
}

static struct value real(double number)
{
    struct value value = {.type = HX_TYPE_F64};
    memcpy(&value.bits, &number, sizeof number);
    return value;
}

bool value_is_true(const struct value *value)
{
    return type_is_float(value->type) ? as_double(value) != 0 : value->bits != 0;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static void read_memory(struct reader *reader, struct value *value)
{
    const unsigned bytes = type_bytes(value->type);
    value->has_address = true;
    value->bits = 0;
    if (reader->is_check)
        return;
    const char *host = state_memory(reader->asker->engine, reader->asker->block, reader->asker->thread,
                                    value->space, value->address, bytes);
    if (!host) {
        fail(reader, "there are no %u bytes at 0x%llx", bytes, (unsigned long long)value->address);
        return;
    }
    memcpy(&value->bits, host, bytes);
    value->bits = extend(value->bits, value->type);
}

static struct value expression(struct reader *reader, int least);

/* Behind the name of an array or buffer: one element, or all of them. */
static struct value element(struct reader *reader, const struct array *array, int space, uint64_t address)
{
    struct value value = {.type = array->type, .space = space, .address = address, .count = array->count};
    const unsigned bytes = type_bytes(array->type);
    if (take(reader, "[")) {
        const struct value index = expression(reader, 0);
        if (!reader->failed && !take(reader, "]"))
            fail(reader, "a ']' is missing");
        if (!reader->failed && !reader->is_check && (type_is_float(index.type) || index.bits >= array->count))
            fail(reader, "'%s' has the elements 0 to %llu", array->name,
                 (unsigned long long)(array->count ? array->count - 1 : 0));
        value.address += index.bits * bytes;
        value.count = 1;
    }
    if (!reader->failed)
        read_memory(reader, &value);
    return value;
}

static const struct array *find_array(const struct array_list *list, struct slice name, size_t *ret_index)
{
    for (*ret_index = 0; *ret_index < list->count; ++*ret_index)
        if (slice_equal(name, list->items[*ret_index].name))
            return &list->items[*ret_index];
    return NULL;
}

/* An array of the kernel that runs; of any, where only the grammar is checked. */
static const struct array *find_kernel_array(const struct reader *reader, struct slice name,
                                             enum hx_space space)
{
    const hx_program *program = hx_context_program(reader->asker->engine->context);
    const struct kernel *running = reader->asker->engine->kernel;
    const struct array *array = NULL;
    size_t index;
    for (size_t k = 0; k < program->kernel_count && !array; k++) {
        const struct kernel *kernel = &program->kernels[k];
        if (kernel == running || (reader->is_check && !running))
            array = find_array(space == SPACE_SHARED ? &kernel->shared : &kernel->local, name, &index);
    }
    return array;
}

static const struct launch *launch_of(const struct engine *engine)
{
    return engine->blocks.count ? engine->blocks.items[0].block->worker->launch : NULL;
}

static struct value named(struct reader *reader, struct slice name)
{
    const struct engine *engine = reader->asker->engine;
    const hx_program *program = hx_context_program(engine->context);
    const struct launch *launch = launch_of(engine);
    const struct array *array;
    size_t index, count;
    hx_buffer *const *buffers = context_buffers(engine->context, &count);
    if ((array = find_kernel_array(reader, name, SPACE_SHARED)))
        return element(reader, array, SPACE_SHARED, array->offset);
    if ((array = find_kernel_array(reader, name, SPACE_LOCAL)))
        return element(reader, array, SPACE_LOCAL, array->offset);
    if ((array = find_array(&program->constants, name, &index)))
        return element(reader, array, SPACE_CONSTANT, array->offset);
    if ((array = find_array(&program->buffers, name, &index)) && (index < count || reader->is_check))
        return element(reader, array, SPACE_GLOBAL, index < count ? hx_buffer_address(buffers[index]) : 0);
    for (size_t i = 0; (launch || reader->is_check) && i < program->param_count; i++)
        if (slice_equal(name, program->params[i].name))
            return (struct value){.type = program->params[i].type,
                                  .bits =
                                      launch ? extend(launch->parameters[i], program->params[i].type) : 0};
    fail(reader, "there is no register, parameter, buffer or array '" SLICE_FORMAT "'", SLICE_ARGS(name));
    return (struct value){0};
}

static struct value special(struct reader *reader)
{
    const struct slice name = take_name(reader, true);
    const int number = special_find(name);
    const struct asker *asker = reader->asker;
    if (number < 0 || special_is_clock((enum special_register)number))
        fail(reader,
             number < 0 ? "there is no special register '%%" SLICE_FORMAT "'"
                        : "'%%" SLICE_FORMAT "' is a clock, and has no value while the program is stopped",
             SLICE_ARGS(name));
    else if (!asker->block && !reader->is_check)
        fail(reader, "the block in focus is not running");
    if (reader->failed || reader->is_check)
        return (struct value){.type = HX_TYPE_U32};
    return (struct value){
        .type = special_type((enum special_register)number),
        .bits = block_special(asker->block->block, (enum special_register)number, asker->thread)};
}

/* r3, p0: false when the name is none. */
static bool member(struct reader *reader, struct slice name, struct value *ret_value)
{
    uint8_t number;
    const struct asker *asker = reader->asker;
    const bool is_register = register_read(name, 'r', REGISTER_COUNT, &number);
    if (!is_register && !register_read(name, 'p', PREDICATE_COUNT, &number))
        return false;
    if (reader->is_check) {
        *ret_value = (struct value){.type = is_register ? HX_TYPE_U32 : HX_TYPE_PRED};
        return true;
    }
    if (!asker->block)
        fail(reader, "the block in focus is not running");
    else if (!state_member(asker->engine, asker->block, asker->thread,
                           number + (is_register ? 0u : REGISTER_COUNT), &ret_value->bits, &ret_value->type))
        fail(reader, "thread %u has written nothing to " SLICE_FORMAT, asker->thread, SLICE_ARGS(name));
    ret_value->bits = extend(ret_value->bits, ret_value->type);
    return true;
}

/* ---- Operators ----------------------------------------------------------------------------------------- */

static struct value number(struct reader *reader)
{
    const char *from = reader->at;
    while (reader->at < reader->end && (text_is_word(*reader->at) || *reader->at == '.' ||
                                        ((*reader->at == '-' || *reader->at == '+') &&
                                         (reader->at[-1] == 'e' || reader->at[-1] == 'E') && from[0] != '0')))
        reader->at++;
    const struct slice text = {from, (size_t)(reader->at - from)};
    uint64_t whole;
    double fraction;
    if (number_parse_u64(text, &whole) == NUMBER_OK)
        return integer(whole, whole > INT64_MAX);
    if (number_parse_f64(text, &fraction) == NUMBER_OK)
        return real(fraction);
    fail(reader, "'" SLICE_FORMAT "' is not a number", SLICE_ARGS(text));
    return (struct value){0};
}

static struct value converted(const struct value *value, enum hx_type type)
{
    if (type == HX_TYPE_F32) {
        const float narrow = (float)as_double(value);
        struct value result = {.type = type};
        memcpy(&result.bits, &narrow, sizeof narrow);
        return result;
    }
    if (type_is_float(type))
        return real(as_double(value));
    if (!type_is_float(value->type))
        return (struct value){.type = type, .bits = extend(value->bits, type)};
    const double number = as_double(value); /* saturates, as cvt does */
    const int64_t whole = isnan(number)       ? 0
                          : number >= 0x1p63  ? INT64_MAX
                          : number <= -0x1p63 ? INT64_MIN
                                              : (int64_t)number;
    return (struct value){.type = type, .bits = extend((uint64_t)whole, type)};
}

/* *ADDRESS, *f32 ADDRESS */
static struct value dereferenced(struct reader *reader)
{
    struct value value = {.type = HX_TYPE_U32, .space = SPACE_GENERIC, .count = 1};
    const char *before = reader->at;
    skip_blanks(reader);
    const enum hx_type type = type_of_name(take_name(reader, false));
    if (type == HX_TYPE_NONE || !type_is_element(type))
        reader->at = before;
    else
        value.type = type;
    const struct value address = expression(reader, 11);
    value.address = address.bits;
    if (!reader->failed)
        read_memory(reader, &value);
    if (!reader->failed && value.space == SPACE_GENERIC)
        value.space = window_resolve(&value.address);
    return value;
}

/* A parenthesis: a cast, or an expression. */
static struct value in_parentheses(struct reader *reader)
{
    const char *before = reader->at;
    skip_blanks(reader);
    const enum hx_type type = type_of_name(take_name(reader, false));
    if (type != HX_TYPE_NONE && take(reader, ")")) {
        const struct value value = expression(reader, 11);
        return reader->failed ? value : converted(&value, type);
    }
    reader->at = before;
    const struct value value = expression(reader, 0);
    if (!reader->failed && !take(reader, ")"))
        fail(reader, "a ')' is missing");
    return value;
}

static struct value address_of(struct reader *reader)
{
    const struct value value = named(reader, take_name(reader, false));
    return value.has_address ? integer(value.address, true) : value;
}

static struct value prefix(struct reader *reader)
{
    struct value value = {.type = HX_TYPE_I64};
    skip_blanks(reader);
    if (reader->at == reader->end) {
        fail(reader, "an expression is missing");
        return value;
    }
    if (text_is_digit(*reader->at) || *reader->at == '.')
        return number(reader);
    if (text_is_word(*reader->at)) {
        const struct slice name = take_name(reader, false);
        return member(reader, name, &value) ? value : named(reader, name);
    }
    switch (*reader->at++) {
    case '(':
        return in_parentheses(reader);
    case '%':
        return special(reader);
    case '$':
    case '&':
        return address_of(reader);
    case '*':
        return dereferenced(reader);
    case '-':
        value = expression(reader, 11);
        return type_is_float(value.type) ? real(-as_double(&value)) : integer(0 - value.bits, false);
    case '!':
        value = expression(reader, 11);
        return integer(!value_is_true(&value), false);
    case '~':
        value = expression(reader, 11);
        return integer(~value.bits, value.type == HX_TYPE_U64);
    default:
        fail(reader, "'%c' begins no expression", reader->at[-1]);
        return value;
    }
}

static struct value postfix(struct reader *reader)
{
    struct value value = prefix(reader);
    while (!reader->failed && reader->at < reader->end && *reader->at == '.') {
        reader->at++;
        const struct slice name = take_name(reader, false);
        const enum hx_type type = type_of_name(name);
        if (type == HX_TYPE_NONE)
            fail(reader, "'" SLICE_FORMAT "' is not a type", SLICE_ARGS(name));
        value.type = type;
        if (value.has_address && !reader->failed)
            read_memory(reader, &value);
        value.bits = reader->failed ? 0 : extend(value.bits, type);
    }
    return value;
}

static const struct binary {
    const char *text;
    int level;
} binaries[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static struct value of_reals(struct reader *reader, const char *operator, double a, double b)
{
    switch (operator[0]) {
    case '+':
        return real(a + b);
    case '-':
        return real(a - b);
    case '*':
        return real(a * b);
    case '/':
        return real(a / b);
    case '=':
        return integer(a == b, false);
    case '!':
        return integer(a != b, false);
    case '<':
        if (operator[1] != '<')
            return integer(operator[1] ? a <= b : a<b, false);
        break;
    case '>':
        if (operator[1] != '>')
            return integer(operator[1] ? a >= b : a> b, false);
    }
    fail(reader, "'%s' wants integers", operator);
    return (struct value){0};
}

static struct value divided(struct reader *reader, char operator, uint64_t a, uint64_t b, bool is_unsigned)
{
    if (b == 0 && !reader->is_check)
        fail(reader, "a division by 0");
    if (b == 0 || (!is_unsigned && (int64_t)b == -1)) /* INT64_MIN / -1 has no value in C */
        return integer(operator== '/' ? 0 - a : 0, is_unsigned);
    if (is_unsigned)
        return integer(operator== '/' ? a / b : a % b, true);
    return integer((uint64_t)(operator== '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b), false);
}

static struct value of_integers(struct reader *reader, const char *operator, uint64_t a, uint64_t b,
                                bool is_unsigned)
{
    const bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (operator[0]) {
    case '+':
        return integer(a + b, is_unsigned);
    case '-':
        return integer(a - b, is_unsigned);
    case '*':
        return integer(a * b, is_unsigned);
    case '/':
    case '%':
        return divided(reader, operator[0], a, b, is_unsigned);
    case '=':
        return integer(a == b, false);
    case '!':
        return integer(a != b, false);
    case '&':
        return integer(a & b, is_unsigned);
    case '|':
        return integer(a | b, is_unsigned);
    case '^':
        return integer(a ^ b, is_unsigned);
    case '<':
        if (operator[1] == '<')
            return integer(b < 64 ? a << b : 0, is_unsigned);
        return integer(operator[1] ? less || a == b : less, false);
    default:
        if (operator[1] == '>')
            return integer(is_unsigned ? (b < 64 ? a >> b : 0) : (uint64_t)((int64_t)a >> (b < 64 ? b : 63)),
                           is_unsigned);
        return integer(operator[1] ? !less : !less && a != b, false);
    }
}

static struct value combined(struct reader *reader, const char *operator, const struct value * a,
                             const struct value *b)
{
    if (!strcmp(operator, "&&"))
        return integer(value_is_true(a) && value_is_true(b), false);
    if (!strcmp(operator, "||"))
        return integer(value_is_true(a) || value_is_true(b), false);
    if (type_is_float(a->type) || type_is_float(b->type))
        return of_reals(reader, operator, as_double(a), as_double(b));
    return of_integers(reader, operator, a->bits, b->bits, a->type == HX_TYPE_U64 || b->type == HX_TYPE_U64);
}

/* An expression of operators of level `least` and more; 11: of a prefix operator's operand. */
static struct value expression(struct reader *reader, int least)
{
    struct value value = {0};
    if (++reader->depth > DEPTH_MAX)
        fail(reader, "the expression is nested too deep");
    else
        value = postfix(reader);
    while (!reader->failed) {
        const struct binary *found = NULL;
        const char *before = reader->at;
        for (size_t i = 0; i < HX_COUNT_OF(binaries) && !found; i++)
            if (take(reader, binaries[i].text))
                found = &binaries[i];
        if (!found || found->level < least || found->level == 0) {
            reader->at = before;
            break;
        }
        const struct value right = expression(reader, found->level + 1);
        if (!reader->failed)
            value = combined(reader, found->text, &value, &right);
    }
    reader->depth--;
    return value;
}

static hx_status read_all(struct reader *reader, struct value *ret_value)
{
    const struct value value = expression(reader, 0);
    skip_blanks(reader);
    if (!reader->failed && reader->at < reader->end)
        fail(reader, "'%.*s' is not part of an expression", (int)(reader->end - reader->at), reader->at);
    if (reader->failed)
        return HX_INVALID;
    *ret_value = value;
    return HX_OK;
}

hx_status expression_value(const struct asker *asker, struct slice text, struct value *ret_value,
                           char *ret_wrong, size_t room)
{
    struct reader reader = {
        .asker = asker, .at = text.at, .end = text.at + text.length, .wrong = ret_wrong, .room = room};
    if (!asker->engine->kernel) {
        fail(&reader, "no kernel is running");
        return HX_INVALID;
    }
    return read_all(&reader, ret_value);
}

hx_status expression_check(const struct engine *engine, struct slice text, char *ret_wrong, size_t room)
{
    const struct asker asker = {.engine = engine};
    struct reader reader = {.asker = &asker,
                            .at = text.at,
                            .end = text.at + text.length,
                            .wrong = ret_wrong,
                            .room = room,
                            .is_check = true};
    struct value value;
    return read_all(&reader, &value);
}

void value_print(const struct value *value, char format, struct text *out)
{
    const unsigned bits = type_bits(value->type);
    const uint64_t low = bits >= 64 ? value->bits : value->bits & ((UINT64_C(1) << bits) - 1);
    if (format == 'x')
        text_print(out, "0x%llx", (unsigned long long)low);
    else if (format == 'b') {
        text_append(out, "0b", 2);
        for (unsigned i = bits ? bits : 1; i-- > 0;)
            text_append(out, low >> i & 1 ? "1" : "0", 1);
    } else if (value->type == HX_TYPE_PRED)
        text_append(out, low ? "true" : "false", low ? 4 : 5);
    else if (type_is_packed(value->type)) {
        const uint16_t halves[] = {(uint16_t)low, (uint16_t)(low >> 16)};
        text_append(out, "{", 1);
        values_print(out, &halves[0], type_half(value->type));
        text_append(out, ", ", 2);
        values_print(out, &halves[1], type_half(value->type));
        text_append(out, "}", 1);
    } else
        values_print(out, &value->bits, value->type);
}
