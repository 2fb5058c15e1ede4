/* The body of a function: declarations, labels and instructions.
 *
 * Takes the tokens between two braces, leaves the function's statements in the order of the text. Inner
 * braces are scopes for names, also for those of labels. `.loc` gives the statements behind it their line in
 * the compiler's source. */
#include "ptx/parser.h"

static bool push_failed(struct ptx_parser *parser, bool pushed)
{
    if (!pushed)
        ptx_no_memory(parser);
    return !pushed;
}

uint32_t ptx_add_register(struct ptx_parser *parser, enum hx_type type, bool is_untyped)
{
    push_failed(parser, LIST_PUSH(parser->arena->allocator, &parser->registers, type));
    push_failed(parser, LIST_PUSH(parser->arena->allocator, &parser->untyped, is_untyped));
    return (uint32_t)parser->registers.count - 1;
}

/* --- directives ----------------------------------------------------------------------------------------- */

/* .file may stand behind all that refers to it. */
struct ptx_file *ptx_find_file(struct ptx_parser *parser, uint64_t number)
{
    for (size_t i = 0; i < parser->files.count; i++)
        if (parser->files.items[i]->number == number &&
            parser->files.items[i]->module == parser->linking.modules)
            return parser->files.items[i];
    struct ptx_file *file = ARENA_NEW(parser->arena, struct ptx_file);
    if (!file || push_failed(parser, LIST_PUSH(parser->arena->allocator, &parser->files, file))) {
        ptx_no_memory(parser);
        return NULL;
    }
    file->number = number;
    file->module = parser->linking.modules;
    file->source = (struct source){.name = "?", .text = ""};
    return file;
}

/* Of the next token in the text; UINT64_MAX: it is of another text. */
static uint64_t position_of(const struct ptx_parser *parser)
{
    const struct source *source = parser->module->source;
    return parser->token.place.source == source ? (uint64_t)(parser->token.text.at - source->text)
                                                : UINT64_MAX;
}

static struct ptx_loc_place read_place(struct ptx_parser *parser)
{
    const uint64_t file = ptx_expect_count(parser, UINT32_MAX, "the number of the file");
    const uint64_t line = ptx_expect_count(parser, INT32_MAX, "the line");
    const uint64_t column = ptx_expect_count(parser, INT32_MAX, "the column");
    return (struct ptx_loc_place){file, (uint32_t)line, (uint32_t)column};
}

static void go_to_place(struct ptx_parser *parser, const struct ptx_loc_place *place)
{
    struct ptx_file *found = ptx_find_file(parser, place->file);
    if (place->line == 0 && parser->origin.source) /* of no line of its own: it goes with what is before it */
        return;
    parser->origin = (struct place){found ? &found->source : NULL, (int)place->line,
                                    (int)(place->column ? place->column : 1), 1};
}

/* .loc file line column[, function_name LABEL[+n][, inlined_at file line column]]: what was inlined has the
 * place of its call, but for a debugger, which shows the calls. */
static void read_loc(struct ptx_parser *parser, uint64_t at)
{
    struct ptx_loc loc = {.at = at, .place = read_place(parser)};
    go_to_place(parser, &loc.place);
    while (ptx_accept(parser, ",")) {
        const struct ptx_token word = ptx_expect_name(parser, "function_name or inlined_at");
        if (slice_equal(word.text, "inlined_at")) {
            loc.is_inlined = true;
            loc.call = read_place(parser);
            if (!parser->module->program->for_debugging)
                go_to_place(parser, &loc.call);
            continue;
        }
        loc.label = ptx_expect_name(parser, "a label").text;
        if (ptx_accept(parser, "+"))
            loc.distance = ptx_expect_count(parser, UINT32_MAX, "the distance from the label");
    }
    ptx_accept(parser, ";");
    ptx_note_loc(parser, loc);
}

static void read_targets(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    symbol->kind = ptx_is(parser, ".callprototype") ? PTX_SYMBOL_PROTOTYPE : PTX_SYMBOL_TARGETS;
    ptx_take(parser);
    if (symbol->kind == PTX_SYMBOL_PROTOTYPE) {
        ptx_skip_to_semicolon(parser);
        ptx_declare(parser, symbol);
        return;
    }
    LIST(struct ptx_operand) items = {0};
    do {
        struct ptx_operand item;
        if (!ptx_read_operand(parser, &item) ||
            push_failed(parser, LIST_PUSH(parser->arena->allocator, &items, item)))
            break;
    } while (ptx_accept(parser, ","));
    ptx_expect(parser, ";", " behind the list of targets");
    struct ptx_operand *list = ARENA_NEW(parser->arena, struct ptx_operand);
    struct ptx_operand *kept = ARENA_ARRAY(parser->arena, struct ptx_operand, items.count + 1);
    if (!list || !kept) {
        ptx_no_memory(parser);
    } else if (items.count > 0) {
        memcpy(kept, items.items, items.count * sizeof *kept);
        *list = (struct ptx_operand){.kind = PTX_OPERAND_TARGETS,
                                     .items = kept,
                                     .count = (uint32_t)items.count,
                                     .place = symbol->place};
        symbol->targets = list;
        for (size_t i = 0; i < items.count; i++)
            if (kept[i].kind == PTX_OPERAND_LABEL)
                push_failed(parser, LIST_PUSH(parser->arena->allocator, &parser->scope->pending,
                                              (struct ptx_pending){&kept[i]}));
        ptx_declare(parser, symbol);
    }
    LIST_DONE(parser->arena->allocator, &items);
}

static void read_label(struct ptx_parser *parser, const struct ptx_token *name)
{
    struct ptx_symbol symbol = {.name = name->text,
                                .kind = PTX_SYMBOL_LABEL,
                                .number = (uint32_t)parser->labels.count,
                                .place = name->place};
    if (ptx_is(parser, ".branchtargets") || ptx_is(parser, ".calltargets") ||
        ptx_is(parser, ".callprototype")) {
        read_targets(parser, &symbol);
        return;
    }
    const struct ptx_label label = {name->text, (uint32_t)parser->statements.count, name->place};
    ptx_note_label(parser, name);
    if (!push_failed(parser, LIST_PUSH(parser->arena->allocator, &parser->labels, label)))
        ptx_declare(parser, &symbol);
}

/* --- instructions --------------------------------------------------------------------------------------- */

/* At a name: a label when a colon follows. */
static bool is_label(const struct ptx_parser *parser)
{
    struct ptx_text ahead = parser->text;
    if (parser->token.kind != PTX_TOKEN_WORD)
        return false;
    const struct ptx_token next = ptx_token_next(&ahead);
    return next.kind == PTX_TOKEN_SIGN && slice_equal(next.text, ":");
}

static void read_label_here(struct ptx_parser *parser)
{
    const struct ptx_token name = ptx_take(parser);
    ptx_take(parser);
    read_label(parser, &name);
}

/* Labels among the operands, which the scopes resolve when they close. */
static void note_labels(struct ptx_parser *parser, struct ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (operands[i].kind == PTX_OPERAND_LABEL)
            push_failed(parser, LIST_PUSH(parser->arena->allocator, &parser->scope->pending,
                                          (struct ptx_pending){&operands[i]}));
        else
            note_labels(parser, operands[i].items, operands[i].count);
}

static void read_guard(struct ptx_parser *parser, struct ptx_statement *statement)
{
    statement->guard = PTX_NO_GUARD;
    if (!ptx_accept(parser, "@"))
        return;
    struct ptx_operand guard;
    if (!ptx_read_operand(parser, &guard))
        return;
    if (guard.kind != PTX_OPERAND_REGISTER || parser->registers.items[guard.reg] != HX_TYPE_PRED)
        ptx_error_cured(parser, DIAG_PTX_SYNTAX, guard.place,
                        "compare with setp, and guard by the predicate that it sets",
                        "a guard is a predicate, @%%p1 or @!%%p1");
    statement->guard = guard.reg;
    statement->guard_negated = guard.negated;
}

/* The parts of an opcode stand without blanks between them, except that some write "bra .uni". */
static void read_opcode(struct ptx_parser *parser, struct ptx_statement *statement, struct ptx_token first)
{
    statement->opcode = first.text;
    while (parser->token.kind == PTX_TOKEN_DIRECTIVE && parser->token.follows) {
        const struct slice part = ptx_take(parser).text;
        statement->opcode.length = (size_t)(part.at + part.length - first.text.at);
    }
}

static void read_operands(struct ptx_parser *parser, struct ptx_statement *statement)
{
    LIST(struct ptx_operand) operands = {0};
    for (bool more = !ptx_is(parser, ";"); parser->status == HX_OK && more; more = ptx_accept(parser, ",")) {
        struct ptx_operand operand;
        while (is_label(parser)) /* which clang puts between the operands of a call, for debuggers */
            read_label_here(parser);
        if (!ptx_read_operand(parser, &operand) ||
            push_failed(parser, LIST_PUSH(parser->arena->allocator, &operands, operand)))
            break;
    }
    statement->text.length = (size_t)(parser->end - statement->text.at);
    ptx_expect(parser, ";", " behind the instruction");
    statement->operands = ARENA_ARRAY(parser->arena, struct ptx_operand, operands.count + 1);
    if (!statement->operands) {
        ptx_no_memory(parser);
    } else if (operands.count > 0) {
        memcpy(statement->operands, operands.items, operands.count * sizeof *operands.items);
        statement->operand_count = (uint32_t)operands.count;
        note_labels(parser, statement->operands, statement->operand_count);
    }
    LIST_DONE(parser->arena->allocator, &operands);
}

/* Pointers of OpenCL C have 64 bits, as have others of its numbers. */
static bool may_ask_for_null(const struct ptx_statement *statement)
{
    const struct slice opcode = statement->opcode;
    return slice_starts_with(opcode, "setp.") && opcode.at[opcode.length - 3] != 'f' &&
           memcmp(opcode.at + opcode.length - 2, "64", 2) == 0;
}

static void read_instruction(struct ptx_parser *parser)
{
    struct ptx_statement statement = {.place = parser->token.place, .text.at = parser->token.text.at};
    read_guard(parser, &statement);
    const struct ptx_token first = ptx_expect_name(parser, "an instruction");
    if (parser->status != HX_OK)
        return;
    read_opcode(parser, &statement, first);
    parser->is_call = slice_starts_with(first.text, "call");
    parser->module->has_constant_pointers |= slice_starts_with(statement.opcode, "cvta.const");
    parser->module->compares_addresses |= may_ask_for_null(&statement);
    read_operands(parser, &statement);
    parser->module->has_grid_memory |= statement.operand_count == 2 &&
                                       statement.operands[1].kind == PTX_OPERAND_SPECIAL &&
                                       ptx_is_of_grid_memory(statement.operands[1].text);
    const bool is_one_line = !memchr(statement.text.at, '\n', statement.text.length);
    statement.place.length = is_one_line ? (int)statement.text.length : 1;
    const bool is_compiled = parser->origin.source && parser->module->program->level == HX_SOURCE_WRITTEN;
    statement.origin = is_compiled ? parser->origin : statement.place;
    if (parser->status == HX_OK && !ptx_rewrite(parser, &statement))
        push_failed(parser, LIST_PUSH(parser->arena->allocator, &parser->statements, statement));
}

static void read_directive(struct ptx_parser *parser)
{
    const uint64_t at = position_of(parser);
    if (ptx_accept(parser, ".loc")) {
        read_loc(parser, at);
    } else if (ptx_is(parser, ".pragma")) {
        ptx_skip_to_semicolon(parser);
    } else if (ptx_is(parser, ".reg") || ptx_is(parser, ".local") || ptx_is(parser, ".shared") ||
               ptx_is(parser, ".param") || ptx_is(parser, ".global") || ptx_is(parser, ".const")) {
        ptx_read_variables(parser, false);
    } else if (ptx_accept(parser, ".extern")) {
        ptx_read_variables(parser, true);
    } else {
        ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place,
                  "'" SLICE_FORMAT "' is not known in a function", SLICE_ARGS(parser->token.text));
    }
}

static void read_statements(struct ptx_parser *parser)
{
    struct ptx_scope scope;
    if (!ptx_enter(parser))
        return;
    ptx_scope_open(parser, &scope);
    while (parser->status == HX_OK && parser->token.kind != PTX_TOKEN_END && !ptx_is(parser, "}")) {
        if (ptx_accept(parser, "{")) {
            read_statements(parser);
        } else if (parser->token.kind == PTX_TOKEN_DIRECTIVE) {
            read_directive(parser);
        } else if (is_label(parser)) {
            read_label_here(parser);
        } else if (!ptx_accept(parser, ";")) {
            read_instruction(parser);
        }
    }
    ptx_expect(parser, "}", " behind the last instruction");
    ptx_scope_close(parser);
    ptx_leave(parser);
}

void ptx_read_scope(struct ptx_parser *parser)
{
    if (ptx_expect(parser, "{", " before instructions"))
        read_statements(parser);
}

static void *copy_list(struct ptx_parser *parser, const void *items, size_t count, size_t size)
{
    void *copy = arena_allocate(parser->arena, count + 1, size);
    if (!copy)
        ptx_no_memory(parser);
    else if (count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

void ptx_read_body(struct ptx_parser *parser)
{
    struct ptx_function *function = parser->function;
    parser->locals.count = parser->statements.count = parser->labels.count = 0;
    parser->origin = (struct place){0};
    ptx_note_loc(parser, (struct ptx_loc){.begins = true, .at = position_of(parser)});
    read_statements(parser);
    function->has_body = true;
#define KEEP(to, to_count, from)                                                                             \
    (function->to = copy_list(parser, parser->from.items, parser->from.count, sizeof *parser->from.items),   \
     function->to_count = (uint32_t)parser->from.count)
    KEEP(registers, register_count, registers);
    KEEP(named_registers, named_register_count, named_registers);
    KEEP(variables, variable_count, locals);
    KEEP(statements, statement_count, statements);
    KEEP(labels, label_count, labels);
#undef KEEP
    function->untyped = copy_list(parser, parser->untyped.items, parser->untyped.count, sizeof(bool));
}
