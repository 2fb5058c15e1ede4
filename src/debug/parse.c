/* The grammar of the debugger's expressions: `r3 > 100 && %tid.x == 7`, `y[r0] + 1`, `p->next.f32`.
 *
 * Takes a text, leaves a tree. The operators are those of C with their precedence, and `value@count`; `.f32`
 * behind a value reads its bits as another type, `*f32 a` what is at an address. A parenthesis is a cast
 * where a type of hexec or of the source stands in it. */
#include "debug/expression.h"
#include "program/parts.h"

#include <string.h>

#define DEPTH_MAX    100 /* of parentheses and prefix operators */
#define TREE_MAX     200 /* of operators in each other, as of a + b + c + ... */
#define PREFIX_LEVEL 12  /* of the operand of a prefix operator */

void parse_fail(struct parser *parser, const char *format, ...)
{
    va_list arguments;
    if (parser->failed)
        return;
    parser->failed = true;
    va_start(arguments, format);
    text_format(parser->wrong, parser->room, format, arguments);
    va_end(arguments);
}

/* ---- Characters ---------------------------------------------------------------------------------------- */

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->end && text_is_blank(*parser->at))
        parser->at++;
}

static bool take(struct parser *parser, const char *text)
{
    const size_t length = strlen(text);
    skip_blanks(parser);
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, text, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static void expect(struct parser *parser, const char *text)
{
    if (!parser->failed && !take(parser, text))
        parse_fail(parser, "a '%s' is missing", text);
}

static struct slice take_name(struct parser *parser, bool with_dots)
{
    const char *from = parser->at;
    while (parser->at < parser->end &&
           (text_is_word(*parser->at) || (with_dots && *parser->at == '.') || *parser->at == '$'))
        parser->at++;
    return (struct slice){from, (size_t)(parser->at - from)};
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

static uint32_t depth_of(const struct parser *parser, uint32_t node)
{
    return node < parser->expression->nodes.count ? parser->expression->nodes.items[node].depth : 0;
}

static uint32_t add(struct parser *parser, struct node node)
{
    const uint32_t b = depth_of(parser, node.b), c = depth_of(parser, node.c);
    node.depth = depth_of(parser, node.a);
    node.depth = node.depth > b ? node.depth : b;
    node.depth = 1 + (node.depth > c ? node.depth : c);
    if (parser->failed)
        return NO_NODE;
    if (node.depth > TREE_MAX)
        parse_fail(parser, "the expression is nested too deep");
    else if (!LIST_PUSH(parser->expression->allocator, &parser->expression->nodes, node))
        parse_fail(parser, "there is no memory for the expression");
    return parser->failed ? NO_NODE : (uint32_t)parser->expression->nodes.count - 1;
}

#define NODE(parser, ...) add(parser, (struct node){__VA_ARGS__})

static uint32_t expression(struct parser *parser, int least);

/* *ADDRESS, *f32 ADDRESS */
static uint32_t dereference(struct parser *parser)
{
    const char *before = parser->at;
    skip_blanks(parser);
    enum hx_type type = debug_type(take_name(parser, false));
    if (type == HX_TYPE_NONE || !type_is_element(type)) {
        type = HX_TYPE_NONE;
        parser->at = before;
    }
    const uint32_t a = expression(parser, PREFIX_LEVEL);
    return NODE(parser, .kind = NODE_DEREFERENCE, .type = type, .a = a);
}

/* A type in parentheses, with the one that opens them before it: hexec's, or of the source. */
static bool take_type(struct parser *parser, enum hx_type *ret_type, uint32_t *ret_declared)
{
    const char *close = memchr(parser->at, ')', (size_t)(parser->end - parser->at));
    if (!close)
        return false;
    const struct slice text = slice_trim((struct slice){parser->at, (size_t)(close - parser->at)});
    *ret_declared = DWARF_NONE;
    *ret_type = debug_type(text);
    if (*ret_type == HX_TYPE_NONE && (*ret_declared = eval_type(parser->engine, text)) == DWARF_NONE)
        return false;
    parser->at = close + 1;
    return true;
}

static bool is_vector(const struct parser *parser, uint32_t declared)
{
    const struct dwarf *dwarf = &parser->engine->dwarf;
    const uint32_t type = dwarf_type_strip(dwarf, declared);
    return type < dwarf->entries.count && dwarf->entries.items[type].is_vector;
}

/* (float4) (a, b, ...): what stands in the second parentheses, the last first. */
static uint32_t lanes(struct parser *parser)
{
    uint32_t items[VECTOR_LANES_MOST], list = NO_NODE;
    size_t count = 0;
    do {
        if (count == VECTOR_LANES_MOST) {
            parse_fail(parser, "a vector has at most %d lanes", VECTOR_LANES_MOST);
            return NO_NODE;
        }
        items[count++] = expression(parser, 0);
    } while (!parser->failed && take(parser, ","));
    expect(parser, ")");
    while (count > 0) {
        list = NODE(parser, .kind = NODE_LIST, .a = items[count - 1], .b = list);
        count--;
    }
    return list;
}

/* A parenthesis: a cast, or an expression. */
static uint32_t in_parentheses(struct parser *parser)
{
    enum hx_type type;
    uint32_t declared;
    if (take_type(parser, &type, &declared)) {
        const bool is_list = declared != DWARF_NONE && is_vector(parser, declared) && take(parser, "(");
        const uint32_t a = is_list ? lanes(parser) : expression(parser, PREFIX_LEVEL);
        if (is_list)
            return NODE(parser, .kind = NODE_VECTOR, .declared = declared + 1, .a = a);
        return NODE(parser, .kind = NODE_CAST, .type = type, .declared = declared + 1, .a = a);
    }
    const uint32_t inner = expression(parser, 0);
    expect(parser, ")");
    return inner;
}

/* sizeof (TYPE), sizeof EXPRESSION */
static uint32_t size_of(struct parser *parser)
{
    const char *before = parser->at;
    enum hx_type type;
    uint32_t declared;
    if (take(parser, "(") && take_type(parser, &type, &declared)) {
        const uint64_t bytes =
            type != HX_TYPE_NONE ? type_bytes(type) : dwarf_type_size(&parser->engine->dwarf, declared);
        return NODE(parser, .kind = NODE_NUMBER, .value = value_integer(bytes, true));
    }
    parser->at = before;
    const uint32_t a = expression(parser, PREFIX_LEVEL);
    return NODE(parser, .kind = NODE_SIZE, .a = a);
}

/* get_global_id(0): what stands in the parentheses, which open next. */
static uint32_t work_item(struct parser *parser, int number, bool has_dimension)
{
    expect(parser, "(");
    const uint32_t a = has_dimension ? expression(parser, 0) : NO_NODE;
    expect(parser, ")");
    return NODE(parser, .kind = NODE_WORK_ITEM, .special = number, .a = a);
}

/* y, ns::Mode::On, ::count, get_global_id(0) */
static uint32_t name_or_size(struct parser *parser)
{
    const char *from = parser->at;
    (void)take_name(parser, false);
    while (parser->end - parser->at > 2 && memcmp(parser->at, "::", 2) == 0 && text_is_word(parser->at[2])) {
        parser->at += 2;
        (void)take_name(parser, false);
    }
    const struct slice name = {from, (size_t)(parser->at - from)};
    bool has_dimension = false;
    const int function = work_item_find(name, &has_dimension);
    skip_blanks(parser);
    if (function >= 0 && parser->at < parser->end && *parser->at == '(')
        return work_item(parser, function, has_dimension);
    return slice_equal(name, "sizeof") ? size_of(parser) : NODE(parser, .kind = NODE_NAME, .name = name);
}

static uint32_t prefix(struct parser *parser)
{
    skip_blanks(parser);
    if (parser->at == parser->end) {
        parse_fail(parser, "an expression is missing");
        return NO_NODE;
    }
    if (text_is_digit(*parser->at) || *parser->at == '.')
        return NODE(parser, .kind = NODE_NUMBER, .value = literal_number(parser));
    if (text_is_word(*parser->at) || (parser->end - parser->at > 2 && memcmp(parser->at, "::", 2) == 0))
        return name_or_size(parser);
    const char letter = *parser->at++;
    struct slice name;
    switch (letter) {
    case '(':
        return in_parentheses(parser);
    case '\'':
        return NODE(parser, .kind = NODE_NUMBER, .value = literal_character(parser));
    case '%':
        name = take_name(parser, true);
        return NODE(parser, .kind = NODE_SPECIAL, .name = name, .special = special_find(name));
    case '$':
        return NODE(parser, .kind = NODE_OWN, .name = take_name(parser, false));
    case '&':
        return NODE(parser, .kind = NODE_ADDRESS, .a = expression(parser, PREFIX_LEVEL));
    case '*':
        return dereference(parser);
    case '-':
    case '+':
        return NODE(parser, .kind = NODE_SIGN, .operator= letter == '-' ? "-" : "+",
                    .a = expression(parser, PREFIX_LEVEL));
    case '!':
        return NODE(parser, .kind = NODE_NOT, .a = expression(parser, PREFIX_LEVEL));
    case '~':
        return NODE(parser, .kind = NODE_COMPLEMENT, .a = expression(parser, PREFIX_LEVEL));
    default:
        parse_fail(parser, "'%c' begins no expression", letter);
        return NO_NODE;
    }
}

static uint32_t postfix(struct parser *parser)
{
    uint32_t a = prefix(parser);
    while (!parser->failed && parser->at < parser->end) {
        if (take(parser, "[")) {
            const uint32_t b = expression(parser, 0);
            expect(parser, "]");
            a = NODE(parser, .kind = NODE_ELEMENT, .a = a, .b = b);
        } else if (take(parser, "->")) {
            skip_blanks(parser);
            a = NODE(parser, .kind = NODE_ARROW, .a = a, .name = take_name(parser, false));
        } else if (parser->at < parser->end && *parser->at == '.') {
            parser->at++;
            a = NODE(parser, .kind = NODE_DOT, .a = a, .name = take_name(parser, false));
        } else {
            break;
        }
    }
    return a;
}

/* ---- Operators between two ----------------------------------------------------------------------------- */

static const struct binary {
    const char *text;
    int level;
} binaries[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8},
                {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"@", 9},
                {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

static const struct binary *take_operator(struct parser *parser, int least)
{
    const char *before = parser->at;
    for (size_t i = 0; i < HX_COUNT_OF(binaries); i++)
        if (take(parser, binaries[i].text)) {
            if (binaries[i].level >= least)
                return &binaries[i];
            break;
        }
    parser->at = before;
    return NULL;
}

/* An expression of operators of level `least` and more. */
static uint32_t expression(struct parser *parser, int least)
{
    const struct binary *found;
    uint32_t a = NO_NODE;
    if (++parser->depth > DEPTH_MAX)
        parse_fail(parser, "the expression is nested too deep");
    else
        a = postfix(parser);
    while (!parser->failed && (found = take_operator(parser, least))) {
        const uint32_t b = expression(parser, found->level + 1);
        a = NODE(parser, .kind = NODE_BINARY, .operator= found->text, .a = a, .b = b);
    }
    if (!parser->failed && least == 0 && take(parser, "?")) {
        const uint32_t b = expression(parser, 0);
        expect(parser, ":");
        const uint32_t c = expression(parser, 0);
        a = NODE(parser, .kind = NODE_CHOICE, .a = a, .b = b, .c = c);
    }
    parser->depth--;
    return a;
}

struct expression_tree *expression_new(const struct engine *engine, struct slice text, char *ret_wrong,
                                       size_t room)
{
    struct expression_tree *made = memory_allocate(engine->allocator, 1, sizeof *made);
    char *copy = memory_allocate(engine->allocator, text.length + 1, 1);
    struct parser parser = {.engine = (struct engine *)engine, /* types are added to those of the program */
                            .expression = made,
                            .wrong = ret_wrong,
                            .room = room};
    if (!made || !copy) {
        parse_fail(&parser, "there is no memory for the expression");
        memory_free(engine->allocator, made);
        memory_free(engine->allocator, copy);
        return NULL;
    }
    memcpy(copy, text.at, text.length);
    *made = (struct expression_tree){.allocator = engine->allocator, .text = copy};
    parser.at = copy;
    parser.end = copy + text.length;
    if (!LIST_PUSH(engine->allocator, &made->nodes, (struct node){.depth = 0}))
        parse_fail(&parser, "there is no memory for the expression");
    made->root = parser.failed ? NO_NODE : expression(&parser, 0);
    skip_blanks(&parser);
    if (!parser.failed && parser.at < parser.end)
        parse_fail(&parser, "'%.*s' is not part of an expression", (int)(parser.end - parser.at), parser.at);
    if (!parser.failed)
        return made;
    expression_free(made);
    return NULL;
}

void expression_free(struct expression_tree *expression)
{
    if (!expression)
        return;
    const hx_allocator *allocator = expression->allocator;
    LIST_DONE(allocator, &expression->nodes);
    memory_free(allocator, expression->text);
    memory_free(allocator, expression);
}
