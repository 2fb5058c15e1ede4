/* Expressions of the debugger: `r3 > 100 && %tid.x == 7`, `y[r0] + 1`, `r4.f32`.
 *
 * Takes a text and a thread, leaves a value with its type. The operators are those of C with their
 * precedence (value.c). A register has the type at which it was written last; `.f32` behind a value reads its
 * bits as another type. Names of the source go before those of hexec; `$r3` is the register in any case. */
#include "debug/reader.h"
#include "device/window.h"
#include "program/parts.h"

#define DEPTH_MAX    100 /* of parentheses and prefix operators */
#define PREFIX_LEVEL 12  /* of the operand of a prefix operator */

void reader_fail(struct reader *reader, const char *format, ...)
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
        reader_fail(reader, "there are no %u bytes at 0x%llx", bytes, (unsigned long long)value->address);
        return;
    }
    memcpy(&value->bits, host, bytes);
    value->bits = value_extend(value->bits, value->type);
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
            reader_fail(reader, "a ']' is missing");
        if (!reader->failed && !reader->is_check && (type_is_float(index.type) || index.bits >= array->count))
            reader_fail(reader, "'%s%s' has the elements 0 to %llu", state_name_prefix(array), array->name,
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

/* "y", or "arg3" for the buffer that `--arg` has made for argument 3. */
static const struct array *find_buffer(const struct array_list *buffers, struct slice name, size_t *ret_index)
{
    const struct array *found = find_array(buffers, name, ret_index);
    if (!found && slice_starts_with(name, "arg")) {
        found = find_array(buffers, (struct slice){name.at + 3, name.length - 3}, ret_index);
        if (found && !state_name_prefix(found)[0])
            found = NULL;
    }
    return found;
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
    if ((array = find_buffer(&program->buffers, name, &index)) && (index < count || reader->is_check))
        return element(reader, array, SPACE_GLOBAL, index < count ? hx_buffer_address(buffers[index]) : 0);
    for (size_t i = 0; (launch || reader->is_check) && i < program->param_count; i++)
        if (slice_equal(name, program->params[i].name))
            return (struct value){
                .type = program->params[i].type,
                .bits = launch ? value_extend(launch->parameters[i], program->params[i].type) : 0};
    if (slice_equal(name, "true") || slice_equal(name, "false"))
        return (struct value){.type = HX_TYPE_PRED, .bits = slice_equal(name, "true")};
    reader_fail(reader, "there is no register, parameter, buffer or array '" SLICE_FORMAT "'",
                SLICE_ARGS(name));
    return (struct value){0};
}

static void fail_for_block(struct reader *reader)
{
    reader_fail(reader, reader->asker->engine->state == RUN_ENDED
                            ? "the program has ended: only its buffers are left"
                            : "the block in focus is not running");
}

static struct value special(struct reader *reader)
{
    const struct slice name = take_name(reader, true);
    const int number = special_find(name);
    const struct asker *asker = reader->asker;
    if (number < 0 || special_is_clock((enum special_register)number))
        reader_fail(reader,
                    number < 0 ? "there is no special register '%%" SLICE_FORMAT "'"
                               : "'%%" SLICE_FORMAT
                                 "' is a clock, and has no value while the program is stopped",
                    SLICE_ARGS(name));
    else if (!asker->block && !reader->is_check)
        fail_for_block(reader);
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
    const uint32_t at = number + (is_register ? 0u : REGISTER_COUNT);
    ret_value->member = at + 1;
    if (!asker->block)
        fail_for_block(reader);
    else if (!state_member(asker->engine, asker->block, asker->thread, at, &ret_value->bits,
                           &ret_value->type))
        ret_value->is_unwritten = true;
    if (ret_value->is_unwritten && !asker->takes_unwritten)
        reader_fail(reader, "thread %u has written nothing to " SLICE_FORMAT, asker->thread,
                    SLICE_ARGS(name));
    ret_value->bits = value_extend(ret_value->bits, ret_value->type);
    return true;
}

/* ---- Operators ----------------------------------------------------------------------------------------- */

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
    const struct value address = expression(reader, PREFIX_LEVEL);
    if (reader->at != before && type == HX_TYPE_NONE && !reader->failed &&
        reader_has_elements(reader, &address))
        return reader_target(reader, &address);
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
        const struct value value = expression(reader, PREFIX_LEVEL);
        return reader->failed ? value : value_converted(&value, type);
    }
    reader->at = before;
    const char *close = memchr(before, ')', (size_t)(reader->end - before));
    const uint32_t declared =
        close ? reader_type(reader, (struct slice){before, (size_t)(close - before)}) : DWARF_NONE;
    if (declared != DWARF_NONE) {
        reader->at = close + 1;
        const struct value value = expression(reader, PREFIX_LEVEL);
        return reader->failed     ? value
               : reader->is_check ? reader_unknown()
                                  : reader_converted(reader, &value, declared);
    }
    const struct value value = expression(reader, 0);
    if (!reader->failed && !take(reader, ")"))
        reader_fail(reader, "a ')' is missing");
    return value;
}

/* $y, $r3: names of hexec. */
static struct value own_name(struct reader *reader)
{
    struct value value = {.type = HX_TYPE_I64};
    const struct slice name = take_name(reader, false);
    if (member(reader, name, &value))
        return value;
    value = named(reader, name);
    return value.has_address ? value_integer(value.address, true) : value;
}

static struct value postfix(struct reader *reader);

/* As a generic address, which a pointer of the source is; of what is not the source's, that of its space. */
static struct value address_of(struct reader *reader)
{
    const struct value value = postfix(reader);
    if (!reader->failed && !value.has_address)
        reader_fail(reader, "what stands behind '&' has no address");
    else if (value.range.count)
        reader_fail(reader, "a bit-field has no address");
    if (reader->failed || !value.declared)
        return value_integer(value.address, true);
    return reader_address(reader, &value);
}

/* sizeof (TYPE), sizeof EXPRESSION: what stands there is not evaluated in C, and here as far as its type
 * needs it. */
static struct value size_of(struct reader *reader)
{
    skip_blanks(reader);
    const char *close = reader->at < reader->end && *reader->at == '('
                            ? memchr(reader->at, ')', (size_t)(reader->end - reader->at))
                            : NULL;
    const struct slice text =
        close ? slice_trim((struct slice){reader->at + 1, (size_t)(close - reader->at - 1)})
              : (struct slice){0};
    const enum hx_type type = type_of_name(text);
    const uint32_t declared = close && type == HX_TYPE_NONE ? reader_type(reader, text) : DWARF_NONE;
    if (type != HX_TYPE_NONE || declared != DWARF_NONE) {
        reader->at = close + 1;
        return value_integer(type != HX_TYPE_NONE ? type_bytes(type)
                                                  : dwarf_type_size(&reader->asker->engine->dwarf, declared),
                             true);
    }
    const struct value value = expression(reader, PREFIX_LEVEL);
    const uint64_t bytes = reader->failed || reader->is_check ? 1
                           : value.declared                   ? value_bytes(reader->asker->engine, &value)
                                            : (value.count ? value.count : 1) * type_bytes(value.type);
    return value_integer(bytes, true);
}

/* A name of the source, which goes before those of hexec, or one of these. */
static struct value name_or_qualified(struct reader *reader)
{
    struct value value = {.type = HX_TYPE_I64};
    const char *from = reader->at;
    (void)take_name(reader, false);
    while (reader->end - reader->at > 2 && memcmp(reader->at, "::", 2) == 0 && text_is_word(reader->at[2])) {
        reader->at += 2;
        (void)take_name(reader, false);
    }
    const struct slice name = {from, (size_t)(reader->at - from)};
    if (slice_equal(name, "sizeof"))
        return size_of(reader);
    if (!reader->asker->has_own_names &&
        (reader_variable(reader, name, &value) || reader_source_name(reader, name, &value)))
        return value;
    return member(reader, name, &value) ? value : named(reader, name);
}

static struct value prefix(struct reader *reader)
{
    struct value value = {.type = HX_TYPE_I64};
    skip_blanks(reader);
    if (reader->at == reader->end) {
        reader_fail(reader, "an expression is missing");
        return value;
    }
    if (text_is_digit(*reader->at) || *reader->at == '.')
        return reader_number(reader);
    if (text_is_word(*reader->at))
        return name_or_qualified(reader);
    switch (*reader->at++) {
    case '(':
        return in_parentheses(reader);
    case '\'':
        return reader_character(reader);
    case '%':
        return special(reader);
    case '$':
        return own_name(reader);
    case '&':
        return address_of(reader);
    case '*':
        return dereferenced(reader);
    case '-':
        value = expression(reader, PREFIX_LEVEL);
        return type_is_float(value.type) ? value_real(-value_number(&value))
                                         : value_integer(0 - value.bits, false);
    case '!':
        value = expression(reader, PREFIX_LEVEL);
        return value_integer(!value_is_true(&value), false);
    case '~':
        value = expression(reader, PREFIX_LEVEL);
        return value_integer(~value.bits, value.type == HX_TYPE_U64);
    default:
        reader_fail(reader, "'%c' begins no expression", reader->at[-1]);
        return value;
    }
}

/* The bits of a value as those of another type. */
static struct value as_type(struct reader *reader, struct value value, struct slice name)
{
    const enum hx_type type = type_of_name(name);
    if (type == HX_TYPE_NONE)
        reader_fail(reader, "'" SLICE_FORMAT "' is not a type", SLICE_ARGS(name));
    value.type = type;
    value.declared = 0;
    value.range.count = 0;
    value.is_unwritten = false;
    if (value.has_address && !reader->failed)
        read_memory(reader, &value);
    value.bits = reader->failed ? 0 : value_extend(value.bits, type);
    return value;
}

/* [index] behind a value of the source. */
static struct value indexed(struct reader *reader, const struct value *value)
{
    const struct value index = expression(reader, 0);
    if (!reader->failed && !take(reader, "]"))
        reader_fail(reader, "a ']' is missing");
    return reader->failed ? *value : reader_element(reader, value, &index);
}

static struct value postfix(struct reader *reader)
{
    struct value value = prefix(reader);
    while (!reader->failed && reader->at < reader->end) {
        if (reader_has_elements(reader, &value) && take(reader, "[")) {
            value = indexed(reader, &value);
        } else if (reader_has_elements(reader, &value) && take(reader, "->")) {
            value = reader_target(reader, &value);
            skip_blanks(reader);
            if (!reader->failed)
                value = reader_member(reader, &value, take_name(reader, false));
        } else if (*reader->at == '.') {
            reader->at++;
            const struct slice name = take_name(reader, false);
            value = value.triple                         ? reader_coordinate(reader, &value, name)
                    : reader_has_members(reader, &value) ? reader_member(reader, &value, name)
                                                         : as_type(reader, value, name);
        } else {
            break;
        }
    }
    return value;
}

static const struct binary {
    const char *text;
    int level;
} binaries[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8},
                {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"@", 9},
                {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

static struct value combined(struct reader *reader, const char *operator, const struct value * a,
                             const struct value *b)
{
    const char *wrong = NULL;
    struct value value = {0};
    if (operator[0] == '@')
        return reader->is_check ? reader_unknown() : reader_repeated(reader, a, b->bits);
    if (!reader->is_check && (a->type == HX_TYPE_NONE || b->type == HX_TYPE_NONE))
        reader_fail(reader, "'%s' wants numbers, not a structure or array", operator);
    else if (!reader_moves_pointer(reader, operator, a, b, &value))
        value = value_combined(operator, a, b, &wrong);
    if (wrong && !reader->is_check)
        reader_fail(reader, wrong, operator);
    return value;
}

/* What C does not evaluate is only checked. */
static struct value operand(struct reader *reader, int least, bool is_evaluated)
{
    const bool kept = reader->is_check;
    reader->is_check |= !is_evaluated;
    const struct value value = expression(reader, least);
    reader->is_check = kept;
    return value;
}

/* Behind the '?'. */
static struct value chosen(struct reader *reader, const struct value *condition)
{
    const bool is_first = value_is_true(condition);
    if (!reader->is_check && condition->type == HX_TYPE_NONE)
        reader_fail(reader, "'?' wants a number before it");
    const struct value first = operand(reader, 0, is_first);
    if (!reader->failed && !take(reader, ":"))
        reader_fail(reader, "a ':' is missing");
    if (reader->failed)
        return first;
    const struct value second = operand(reader, 0, !is_first);
    return is_first ? first : second;
}

static const struct binary *take_operator(struct reader *reader, int least)
{
    const char *before = reader->at;
    skip_blanks(reader);
    if (reader->at == reader->end) /* soon: conditions are evaluated for each thread */
        return NULL;
    for (size_t i = 0; i < HX_COUNT_OF(binaries); i++)
        if (take(reader, binaries[i].text)) {
            if (binaries[i].level >= least)
                return &binaries[i];
            break;
        }
    reader->at = before;
    return NULL;
}

/* An expression of operators of level `least` and more. */
static struct value expression(struct reader *reader, int least)
{
    struct value value = {0};
    const struct binary *found;
    if (++reader->depth > DEPTH_MAX)
        reader_fail(reader, "the expression is nested too deep");
    else
        value = postfix(reader);
    while (!reader->failed && (found = take_operator(reader, least))) {
        const bool is_decided =
            (found->level == 1 && value_is_true(&value)) || (found->level == 2 && !value_is_true(&value));
        const struct value right = operand(reader, found->level + 1, !is_decided);
        if (!reader->failed)
            value = combined(reader, found->text, &value, &right);
    }
    if (!reader->failed && least == 0 && reader->at < reader->end && take(reader, "?"))
        value = chosen(reader, &value);
    reader->depth--;
    return value;
}

static hx_status read_all(struct reader *reader, struct value *ret_value)
{
    const struct value value = expression(reader, 0);
    skip_blanks(reader);
    if (!reader->failed && reader->at < reader->end)
        reader_fail(reader, "'%.*s' is not part of an expression", (int)(reader->end - reader->at),
                    reader->at);
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
    if (!asker->engine->kernel && asker->engine->state != RUN_ENDED) {
        if (asker->engine->state == RUN_NONE && read_all(&reader, ret_value) == HX_OK &&
            !ret_value->has_address) /* numbers alone */
            return HX_OK;
        reader.failed = false;
        reader_fail(&reader, asker->engine->state == RUN_NONE ? "the program has not begun: run it first"
                                                              : "no kernel is running");
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
