/* Operands of PTX instructions.
 *
 * Takes tokens, leaves operands with their names looked up. A name that nothing has yet is a label: it is
 * looked up again when its braces close. */
#include "ptx/parser.h"

/* --- operands ------------------------------------------------------------------------------------------- */

static void read_items(struct ptx_parser *parser, const char *end, struct ptx_operand *operand)
{
    LIST(struct ptx_operand) items = {0};
    if (!ptx_enter(parser))
        return;
    while (parser->status == HX_OK && !ptx_is(parser, end)) {
        struct ptx_operand item;
        if (!ptx_read_operand(parser, &item))
            break;
        const bool is_flat =
            parser->is_call && item.kind == PTX_OPERAND_VECTOR; /* each lane is a parameter */
        for (uint32_t i = 0; i < (is_flat ? item.count : 1); i++)
            if (!LIST_PUSH(parser->arena->allocator, &items, is_flat ? item.items[i] : item))
                ptx_no_memory(parser);
        if (!ptx_accept(parser, ","))
            break;
    }
    ptx_expect(parser, end, "");
    operand->count = (uint32_t)items.count;
    operand->items = ARENA_ARRAY(parser->arena, struct ptx_operand, items.count + 1);
    if (!operand->items)
        ptx_no_memory(parser);
    else if (items.count > 0)
        memcpy(operand->items, items.items, items.count * sizeof *items.items);
    LIST_DONE(parser->arena->allocator, &items);
    ptx_leave(parser);
}

static void read_offset(struct ptx_parser *parser, int64_t *offset)
{
    enum ptx_number_kind kind;
    uint64_t bits = 0;
    if (!ptx_is(parser, "+") && !ptx_is(parser, "-"))
        return;
    const struct place place = parser->token.place;
    if (ptx_read_number(parser, &kind, &bits) && kind != PTX_NUMBER_INTEGER)
        ptx_error(parser, DIAG_PTX_NUMBER, place, "an offset is an integer");
    *offset = (int64_t)bits;
}

/* The lanes of a vector register, as the operand {%r0, %r1, ...}. */
static void list_lanes(struct ptx_parser *parser, uint32_t first, uint32_t lanes, struct ptx_operand *operand)
{
    operand->kind = PTX_OPERAND_VECTOR;
    operand->items = ARENA_ARRAY(parser->arena, struct ptx_operand, lanes);
    if (!operand->items) {
        ptx_no_memory(parser);
        return;
    }
    operand->count = lanes;
    for (uint32_t i = 0; i < lanes; i++)
        operand->items[i] = (struct ptx_operand){
            .kind = PTX_OPERAND_REGISTER, .reg = first + i, .text = operand->text, .place = operand->place};
}

/* A register, a vector of registers, one of them (v.x), or a part of a register (%r1.h0). */
static void read_register(struct ptx_parser *parser, const struct ptx_symbol *symbol, uint32_t number,
                          struct ptx_operand *operand)
{
    static const char letters[] = "xyzwrgba";
    const uint32_t lanes = symbol->lanes > 1 ? symbol->lanes : 1;
    const uint32_t first = symbol->number + (number - symbol->number) * lanes;
    operand->kind = PTX_OPERAND_REGISTER;
    operand->reg = first;
    if (parser->token.kind == PTX_TOKEN_DIRECTIVE && parser->token.follows) {
        const struct ptx_token part = ptx_take(parser);
        operand->selector = (struct slice){part.text.at + 1, part.text.length - 1};
        const char *letter =
            part.text.length == 2 ? memchr(letters, part.text.at[1], sizeof letters - 1) : NULL;
        if (lanes > 1 && letter && (uint32_t)(letter - letters) % 4 < lanes) {
            operand->reg = first + (uint32_t)(letter - letters) % 4;
            operand->selector = (struct slice){0};
        } else if (lanes > 1) {
            ptx_error(parser, DIAG_PTX_SYNTAX, part.place, "the vector has no element '" SLICE_FORMAT "'",
                      SLICE_ARGS(operand->selector));
        }
    } else if (lanes > 1) {
        list_lanes(parser, first, lanes, operand);
    }
}

/* "array[3]": the address of an element, whose bytes are those of the type, also in an array of vectors or of
 * several dimensions (ptxas does the same). */
static void read_index(struct ptx_parser *parser, struct ptx_operand *operand)
{
    enum ptx_number_kind kind;
    uint64_t index = 0;
    const struct place place = parser->token.place;
    if (!ptx_accept(parser, "[") || !ptx_read_number(parser, &kind, &index))
        return;
    if (kind != PTX_NUMBER_INTEGER || index > INT32_MAX)
        ptx_error(parser, DIAG_PTX_NUMBER, place, "an index is an integer from 0 to %d", INT32_MAX);
    operand->offset = (int64_t)(index * type_bytes(operand->variable->type));
    ptx_expect(parser, "]", " behind the index");
}

/* Labels stand in the text behind jumps to them; what an operand lies in moves until it is in the arena, so
 * the copy that is kept is registered by body.c. */
static void read_name(struct ptx_parser *parser, struct ptx_operand *operand)
{
    const struct ptx_token token = ptx_take(parser);
    uint32_t number = 0;
    const struct ptx_symbol *symbol = ptx_find(parser, token.text, &number);
    operand->text = token.text;
    if (slice_equal(token.text, "_")) {
        operand->kind = PTX_OPERAND_SINK;
    } else if (symbol && (symbol->kind == PTX_SYMBOL_REGISTER || symbol->kind == PTX_SYMBOL_RANGE)) {
        read_register(parser, symbol, number, operand);
    } else if (symbol && symbol->kind == PTX_SYMBOL_VARIABLE) {
        operand->kind =
            symbol->variable->space == PTX_SPACE_REG ? PTX_OPERAND_REGISTER : PTX_OPERAND_VARIABLE;
        operand->variable = symbol->variable;
        operand->reg = symbol->variable->reg;
        if (operand->kind == PTX_OPERAND_VARIABLE && ptx_is(parser, "["))
            read_index(parser, operand);
        else
            read_offset(parser, &operand->offset);
    } else if (symbol && symbol->kind == PTX_SYMBOL_FUNCTION) {
        operand->kind = PTX_OPERAND_FUNCTION;
        operand->function = symbol->function;
    } else if (symbol && symbol->kind == PTX_SYMBOL_TARGETS) {
        *operand = *symbol->targets;
    } else if (symbol && symbol->kind == PTX_SYMBOL_PROTOTYPE) {
        operand->kind = PTX_OPERAND_PROTOTYPE;
    } else if (slice_equal(token.text, "WARP_SZ")) {
        operand->kind = PTX_OPERAND_SPECIAL;
        operand->text = slice_of("warpsize");
    } else if (token.text.at[0] == '%') {
        operand->kind = PTX_OPERAND_SPECIAL;
        operand->text = (struct slice){token.text.at + 1, token.text.length - 1};
        if (parser->token.kind == PTX_TOKEN_DIRECTIVE && parser->token.follows)
            operand->text.length += ptx_take(parser).text.length;
    } else {
        operand->kind = PTX_OPERAND_LABEL;
        operand->label = UINT32_MAX;
    }
}

static void read_address(struct ptx_parser *parser, struct ptx_operand *operand)
{
    operand->kind = PTX_OPERAND_ADDRESS;
    read_items(parser, "]", operand);
    if (parser->status != HX_OK)
        return;
    if (operand->count == 0)
        ptx_error(parser, DIAG_PTX_SYNTAX, operand->place, "the address is empty");
    else
        operand->offset = operand->items[0].offset;
}

/* "!%p1", or "-%r1" of vmad. */
static bool has_name_behind(const struct ptx_parser *parser, const char *sign)
{
    struct ptx_text ahead = parser->text;
    return ptx_is(parser, sign) && ptx_token_next(&ahead).kind == PTX_TOKEN_WORD;
}

static void read_plain(struct ptx_parser *parser, struct ptx_operand *operand)
{
    operand->place = parser->token.place;
    operand->negated = has_name_behind(parser, "!") && ptx_accept(parser, "!");
    operand->has_minus = has_name_behind(parser, "-") && ptx_accept(parser, "-");
    if (ptx_accept(parser, "{")) {
        operand->kind = PTX_OPERAND_VECTOR;
        read_items(parser, "}", operand);
    } else if (parser->is_call && ptx_accept(parser, "(")) {
        operand->kind = PTX_OPERAND_LIST;
        read_items(parser, ")", operand);
    } else if (ptx_accept(parser, "[")) {
        read_address(parser, operand);
    } else if (parser->token.kind == PTX_TOKEN_WORD) {
        read_name(parser, operand);
        if (operand->kind == PTX_OPERAND_REGISTER)
            read_offset(parser, &operand->offset);
    } else {
        operand->kind = PTX_OPERAND_IMMEDIATE;
        if (!ptx_read_number(parser, &operand->number, &operand->bits))
            ptx_error_cured(parser, DIAG_PTX_SYNTAX, operand->place,
                            "write a register, a number, a name, an [address] or a {vector}; end each "
                            "instruction with ';'",
                            "an operand is expected here");
    }
}

bool ptx_read_operand(struct ptx_parser *parser, struct ptx_operand *ret_operand)
{
    *ret_operand = (struct ptx_operand){.kind = PTX_OPERAND_SINK};
    read_plain(parser, ret_operand);
    if (ptx_accept(parser, "|")) {
        ret_operand->second = ARENA_NEW(parser->arena, struct ptx_operand);
        if (ret_operand->second)
            read_plain(parser, ret_operand->second);
        else
            ptx_no_memory(parser);
    }
    return parser->status == HX_OK;
}
