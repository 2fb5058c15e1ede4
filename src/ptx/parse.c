/* Reading a module of PTX (PTX ISA, "Directives").
 *
 * Takes the text, leaves variables, functions and files. It reads the PTX of compilers for the versions 1.0
 * to 9.0 and what people write by hand; directives that say nothing about what a kernel computes are passed
 * over. */
#include "base/file.h"
#include "ptx/importer.h"
#include "ptx/join.h"
#include "ptx/library.h"
#include "ptx/parser.h"

/* --- headers -------------------------------------------------------------------------------------------- */

static void read_address_size(struct ptx_parser *parser)
{
    const struct place place = parser->token.place;
    const uint64_t bits = ptx_expect_count(parser, 64, "the address size");
    if (parser->status == HX_OK && bits != 32 && bits != 64)
        ptx_error(parser, DIAG_PTX_NUMBER, place, "an address has 32 or 64 bits");
    parser->module->address_bits = (unsigned)bits;
    parser->module->says_address_bits = true;
}

static void read_target(struct ptx_parser *parser)
{
    do {
        parser->module->target = ptx_expect_name(parser, "a target such as sm_90").text;
        parser->module->is_opencl |= slice_equal(parser->module->target, "texmode_independent");
    } while (ptx_accept(parser, ","));
}

static void read_version(struct ptx_parser *parser)
{
    ptx_begin_module(parser);
    if (parser->token.kind == PTX_TOKEN_NUMBER)
        parser->module->version = ptx_take(parser).text;
    else
        ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place,
                  "a version such as 8.5 is expected behind .version");
}

/* The text that was read already: the module's own, or what it was compiled from. */
/* clang puts its working folder before names that are relative to the user's. */
static bool is_name_of(const struct source *source, struct slice name)
{
    const size_t length = source->name ? strlen(source->name) : 0;
    if (length == 0 || name.length < length)
        return false;
    const struct slice end = {name.at + name.length - length, length};
    const bool is_whole = name.length == length,
               is_below = !is_whole && end.at[-1] == '/' && name.at[0] == '/';
    return slice_equal(end, source->name) && (is_whole || is_below);
}

static const struct source *find_text(const hx_program *program, struct slice name)
{
    if (is_name_of(&program->source, name))
        return &program->source;
    return is_name_of(&program->origin, name) ? &program->origin : NULL;
}

/* Without its text a file still has a name, which messages show with the line. */
static void load_source(struct ptx_parser *parser, struct ptx_file *file)
{
    const hx_program *program = parser->module->program;
    struct arena *arena = parser->arena;
    const struct source *own = find_text(program, file->name);
    if (own) {
        file->source = *own;
        return;
    }
    const bool is_absolute = file->name.length > 0 && file->name.at[0] == '/';
    char *path = is_absolute
                     ? arena_copy(arena, file->name.at, file->name.length)
                     : arena_format(arena, "%s/" SLICE_FORMAT, program->directory, SLICE_ARGS(file->name));
    char *name = arena_copy(arena, file->name.at, file->name.length);
    char *bytes = NULL;
    size_t size = 0;
    if (!path || !name) {
        ptx_no_memory(parser);
        return;
    }
    file->source = (struct source){.name = name, .text = ""};
    if (file_read(path, FILE_TEXT_LIMIT_BYTES, arena->allocator, NULL, (struct place){0}, &bytes, &size) !=
        HX_OK)
        return;
    const char *text = arena_copy(arena, bytes, size);
    memory_free(arena->allocator, bytes);
    if (text)
        file->source = (struct source){name, text, size};
    else
        ptx_no_memory(parser);
}

/* What a backslash and the letters behind it stand for, as assemblers have it. How many those are; 0:
 * nothing, and the backslash is one, as of a path that nvcc writes as it is. */
static size_t read_escape(struct slice behind, char *ret_byte)
{
    static const char letters[] = "\"\\bfnrt", bytes[] = "\"\\\b\f\n\r\t";
    const char *letter = behind.length ? memchr(letters, behind.at[0], sizeof letters - 1) : NULL;
    size_t digits = 0;
    unsigned value = 0;
    for (; digits < 3 && digits < behind.length && behind.at[digits] >= '0' && behind.at[digits] <= '7';
         digits++)
        value = 8 * value + (unsigned)(behind.at[digits] - '0');
    *ret_byte = letter ? bytes[letter - letters] : (char)value;
    return letter ? 1 : digits == 3 && value > 0 && value < 256 ? 3 : 0;
}

/* The string that the next token is. clang writes bytes that are no ASCII as three octal digits. */
static struct slice take_string(struct ptx_parser *parser)
{
    const struct slice written = ptx_take(parser).text;
    if (!memchr(written.at, '\\', written.length))
        return written;
    char *text = arena_copy(parser->arena, written.at, written.length), byte;
    size_t length = 0;
    if (!text) {
        ptx_no_memory(parser);
        return (struct slice){0};
    }
    for (size_t at = 0; at < written.length; at++) {
        const struct slice behind = {written.at + at + 1, written.length - at - 1};
        const size_t taken = written.at[at] == '\\' ? read_escape(behind, &byte) : 0;
        text[length++] = taken ? byte : written.at[at];
        at += taken;
    }
    text[length] = 0;
    return (struct slice){text, length};
}

/* .file number ["folder"] "name"[, timestamp, size] */
static void read_file(struct ptx_parser *parser)
{
    struct ptx_file *file =
        ptx_find_file(parser, ptx_expect_count(parser, UINT32_MAX, "the number of the file"));
    if (!file)
        return;
    if (parser->token.kind != PTX_TOKEN_STRING) {
        ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place, "the name of the file is expected in quotes");
        return;
    }
    const struct slice first = take_string(parser);
    file->name = first;
    if (parser->token.kind == PTX_TOKEN_STRING) { /* as DWARF 5 has it */
        file->name = take_string(parser);
        const bool is_whole = find_text(parser->module->program, file->name) ||
                              (file->name.length > 0 && file->name.at[0] == '/');
        const char *joined = is_whole ? NULL
                                      : arena_format(parser->arena, SLICE_FORMAT "/" SLICE_FORMAT,
                                                     SLICE_ARGS(first), SLICE_ARGS(file->name));
        if (!is_whole && !joined)
            ptx_no_memory(parser);
        else if (!is_whole)
            file->name = slice_of(joined);
    }
    while (ptx_accept(parser, ","))
        ptx_expect_count(parser, UINT64_MAX, "a number");
    if (parser->status == HX_OK)
        load_source(parser, file);
}

/* --- functions ------------------------------------------------------------------------------------------ */

static void read_parameters(struct ptx_parser *parser, struct ptx_variable ***ret_list, uint32_t *ret_count)
{
    LIST(struct ptx_variable *) list = {0};
    if (!ptx_accept(parser, "("))
        return;
    while (parser->status == HX_OK && !ptx_is(parser, ")")) {
        struct ptx_variable *variable = ptx_read_parameter(parser);
        if (!variable)
            break;
        for (uint32_t lane = 0; lane < variable->lanes; lane++) {
            struct ptx_variable *each = lane ? ptx_parameter_lane(parser, variable, lane) : variable;
            if (!each || !LIST_PUSH(parser->arena->allocator, &list, each))
                ptx_no_memory(parser);
        }
        if (!ptx_accept(parser, ","))
            break;
    }
    ptx_expect(parser, ")", " behind the parameters");
    *ret_list = ARENA_ARRAY(parser->arena, struct ptx_variable *, list.count + 1);
    *ret_count = (uint32_t)list.count;
    if (!*ret_list)
        ptx_no_memory(parser);
    else if (list.count > 0)
        memcpy(*ret_list, list.items, list.count * sizeof *list.items);
    LIST_DONE(parser->arena->allocator, &list);
}

/* Does something else of the module begin? */
static bool begins_another(const struct ptx_parser *parser)
{
    static const char *const begins[] = {".visible", ".extern", ".weak",    ".common", ".func",
                                         ".entry",   ".file",   ".section", ".global", ".shared",
                                         ".const",   ".local",  ".loc",     ".alias",  ".tex"};
    for (size_t i = 0; i < HX_COUNT_OF(begins); i++)
        if (ptx_is(parser, begins[i]))
            return true;
    return false;
}

/* What stands between the parameters and the brace: sizes of blocks, hints for registers. */
static void read_limits(struct ptx_parser *parser, struct ptx_function *function)
{
    while (parser->token.kind == PTX_TOKEN_DIRECTIVE && !begins_another(parser)) {
        const bool is_shape = ptx_is(parser, ".reqntid");
        const bool has_string = ptx_is(parser, ".pragma");
        ptx_take(parser);
        for (unsigned i = 0; is_shape && i < 3; i++)
            function->block_limits[i] = 1; /* of dimensions that are left out */
        for (unsigned i = 0; parser->token.kind == PTX_TOKEN_NUMBER; i++) {
            const uint64_t number = ptx_expect_count(parser, UINT32_MAX, "the number");
            if (is_shape && i < 3)
                function->block_limits[i] = (uint32_t)number;
            if (!ptx_accept(parser, ","))
                break;
        }
        if (has_string && parser->token.kind == PTX_TOKEN_STRING)
            ptx_take(parser);
        if (has_string)
            ptx_accept(parser, ";");
    }
}

static struct ptx_function *make_function(struct ptx_parser *parser, const struct ptx_token *name)
{
    struct ptx_function *function = ARENA_NEW(parser->arena, struct ptx_function);
    if (function)
        *function = (struct ptx_function){.name = name->text, .place = name->place};
    else
        ptx_no_memory(parser);
    return function;
}

/* The function of this name that was declared before, or a new one. */
static struct ptx_function *find_function(struct ptx_parser *parser, const struct ptx_token *name)
{
    const struct ptx_symbol *known = ptx_find_declared(parser, name->text);
    if (known && known->kind == PTX_SYMBOL_FUNCTION)
        return known->function;
    struct ptx_function *function = make_function(parser, name);
    if (!function || !LIST_PUSH(parser->arena->allocator, &parser->functions, function)) {
        ptx_no_memory(parser);
        return NULL;
    }
    const struct ptx_symbol symbol = {
        .name = name->text, .kind = PTX_SYMBOL_FUNCTION, .function = function, .place = name->place};
    ptx_declare(parser, &symbol);
    return function;
}

void ptx_declare_function(struct ptx_parser *parser, struct slice name, struct place place)
{
    const struct ptx_token token = {.kind = PTX_TOKEN_WORD, .text = name, .place = place};
    struct ptx_scope *inner = parser->scope;
    const enum ptx_linkage linkage = parser->linkage;
    while (parser->scope->outer)
        parser->scope = parser->scope->outer;
    parser->linkage = PTX_LINK_EXTERN;
    find_function(parser, &token);
    parser->linkage = linkage;
    parser->scope = inner;
}

/* Of two bodies, or a body and an alias, the first one is for all, unless that one alone is weak. */
static void settle_bodies(struct ptx_parser *parser, struct ptx_function *first,
                          const struct ptx_function *second)
{
    if (first->is_weak && !second->is_weak)
        *first = *second;
    else if (!second->is_weak)
        ptx_error_cured(parser, DIAG_PTX_NAME, second->place, "remove one of them, or make one .weak",
                        "'" SLICE_FORMAT "' has a body already", SLICE_ARGS(second->name));
}

static void read_function(struct ptx_parser *parser, bool is_kernel)
{
    struct ptx_scope scope, *outer = parser->scope;
    struct ptx_variable **results = NULL;
    uint32_t result_count = 0;
    parser->registers.count = parser->untyped.count = parser->named_registers.count = 0;
    ptx_scope_open(parser, &scope);
    read_parameters(parser, &results, &result_count);
    const struct ptx_token name = ptx_expect_name(parser, "the function's name");
    parser->scope = outer; /* its own name is the module's */
    struct ptx_function *known = parser->status == HX_OK ? find_function(parser, &name) : NULL;
    struct ptx_function *function =
        known && (known->has_body || known->alias) ? make_function(parser, &name) : known;
    parser->scope = &scope;
    if (function && parser->status == HX_OK) {
        function->is_kernel = is_kernel;
        function->is_weak = parser->linkage == PTX_LINK_WEAK;
        function->place = name.place;
        function->results = results;
        function->result_count = result_count;
        read_parameters(parser, &function->params, &function->param_count);
        read_limits(parser, function);
        parser->function = function;
        if (ptx_accept(parser, "{"))
            ptx_read_body(parser);
        else if (!begins_another(parser)) /* before CUDA 4 declarations had no semicolon */
            ptx_expect(parser, ";", " behind the function's head, or a body in braces");
        parser->function = NULL;
        if (function != known && function->has_body)
            settle_bodies(parser, known, function);
    }
    ptx_scope_close(parser);
}

/* --- the module ----------------------------------------------------------------------------------------- */

static bool read_linkage(struct ptx_parser *parser)
{
    static const char *const words[] = {".visible", ".extern", ".weak", ".common"};
    for (size_t i = 0; i < HX_COUNT_OF(words); i++)
        if (ptx_accept(parser, words[i])) {
            parser->linkage = (enum ptx_linkage)(i + 1);
            return true;
        }
    return false;
}

static void read_declaration(struct ptx_parser *parser)
{
    parser->linkage = parser->linking.is_library ? PTX_LINK_WEAK : PTX_LINK_OWN;
    while (read_linkage(parser))
        continue;
    if (ptx_is(parser, ".attribute")) {
        ptx_take(parser);
        ptx_skip_group(parser);
    }
    if (ptx_is(parser, ".entry") && parser->linkage == PTX_LINK_OWN)
        parser->linkage = PTX_LINK_VISIBLE; /* a host finds each by its name */
    if (ptx_accept(parser, ".entry"))
        read_function(parser, true);
    else if (ptx_accept(parser, ".func")) {
        if (ptx_accept(parser, ".attribute"))
            ptx_skip_group(parser);
        read_function(parser, false);
    } else if (ptx_is(parser, ".global") || ptx_is(parser, ".const") || ptx_is(parser, ".shared") ||
               ptx_is(parser, ".local") || ptx_is(parser, ".param") || ptx_is(parser, ".tex"))
        ptx_read_variables(parser, parser->linkage == PTX_LINK_EXTERN);
    else if (ptx_is(parser, ".reg")) { /* of calls in PTX 1: functions declare those that they have again */
        while (parser->status == HX_OK && parser->token.kind != PTX_TOKEN_END && !ptx_is(parser, ";"))
            ptx_take(parser);
        ptx_expect(parser, ";", " behind the registers");
    } else if (parser->token.kind == PTX_TOKEN_END)
        ptx_expect(parser, ".entry", ", or another declaration");
    else
        ptx_error_cured(
            parser, DIAG_PTX_SYNTAX, parser->token.place,
            "begin with .entry, .func, .global, .const or .shared; look for a '}' too many before it",
            "'" SLICE_FORMAT "' does not begin a declaration", SLICE_ARGS(parser->token.text));
}

/* .alias name, function; */
static void read_alias(struct ptx_parser *parser)
{
    struct ptx_function *functions[2] = {NULL, NULL};
    for (int i = 0; i < 2 && parser->status == HX_OK; i++) {
        const struct ptx_token name = ptx_expect_name(parser, "a function's name");
        uint32_t number;
        const struct ptx_symbol *symbol = ptx_find(parser, name.text, &number);
        if (symbol && symbol->kind == PTX_SYMBOL_FUNCTION)
            functions[i] = symbol->function;
        else
            ptx_error(parser, DIAG_PTX_NAME, name.place, "'" SLICE_FORMAT "' is no function",
                      SLICE_ARGS(name.text));
        if (i == 0)
            ptx_expect(parser, ",", " behind the other name");
    }
    ptx_expect(parser, ";", " behind the function");
    if (parser->status == HX_OK && !functions[0]->has_body) /* a body of another module goes first */
        functions[0]->alias = functions[1];
}

void ptx_read_declarations(struct ptx_parser *parser)
{
    while (parser->status == HX_OK && parser->token.kind != PTX_TOKEN_END) {
        if (ptx_accept(parser, ".version")) {
            read_version(parser);
        } else if (ptx_accept(parser, ".target")) {
            read_target(parser);
        } else if (ptx_accept(parser, ".address_size")) {
            read_address_size(parser);
        } else if (ptx_accept(parser, ".file")) {
            read_file(parser);
        } else if (ptx_accept(parser, ".section")) {
            ptx_read_section(parser);
        } else if (ptx_accept(parser, ".alias")) {
            read_alias(parser);
        } else if (ptx_is(parser, ".pragma")) {
            ptx_skip_to_semicolon(parser);
        } else if (!ptx_accept(parser, ";")) {
            read_declaration(parser);
        }
    }
}

/* Functions that are declared only, and that the library has. Those may declare others. */
static void read_library(struct ptx_parser *parser)
{
    for (size_t i = 0; i < parser->functions.count && parser->status == HX_OK; i++) {
        const struct ptx_function *function = parser->functions.items[i];
        const bool is_wanted = !function->has_body && !function->alias && !ptx_is_extern(function->name);
        const char *text = is_wanted ? ptx_library_text(function->name) : NULL;
        struct source *source = text ? ARENA_NEW(parser->arena, struct source) : NULL;
        if (text && !source)
            ptx_no_memory(parser);
        if (!source)
            continue;
        *source = (struct source){.name = PTX_LIBRARY_SOURCE, .text = text, .bytes = strlen(text)};
        parser->text = ptx_text_of(source);
        ptx_take(parser);
        ptx_read_declarations(parser);
    }
}

static void read_module(struct ptx_parser *parser)
{
    ptx_read_declarations(parser);
    const bool has_head = parser->module->version.length > 0 && parser->module->target.length > 0;
    if (parser->status == HX_OK && !has_head)
        ptx_error_cured(parser, DIAG_PTX_SYNTAX, (struct place){parser->module->source, 1, 1, 1},
                        "write .version 8.0 and .target sm_80 before the first declaration",
                        "the module has no %s", parser->module->version.length ? ".target" : ".version");
    if (parser->status == HX_OK)
        ptx_begin_library(parser);
    if (parser->status == HX_OK)
        read_library(parser);
    if (parser->status == HX_OK)
        ptx_join_library(parser);
    if (parser->status == HX_OK)
        ptx_link(parser);
    if (parser->status == HX_OK)
        ptx_finish_sections(parser);
}

static void keep_lists(struct ptx_parser *parser)
{
    struct ptx_module *module = parser->module;
    const hx_allocator *allocator = parser->arena->allocator;
    module->variables = ARENA_ARRAY(parser->arena, struct ptx_variable *, parser->variables.count + 1);
    module->functions = ARENA_ARRAY(parser->arena, struct ptx_function *, parser->functions.count + 1);
    if (!module->variables || !module->functions) {
        ptx_no_memory(parser);
    } else {
        for (; module->variable_count < parser->variables.count; module->variable_count++)
            module->variables[module->variable_count] = parser->variables.items[module->variable_count];
        for (; module->function_count < parser->functions.count; module->function_count++)
            module->functions[module->function_count] = parser->functions.items[module->function_count];
    }
    LIST_DONE(allocator, &parser->variables);
    LIST_DONE(allocator, &parser->functions);
    LIST_DONE(allocator, &parser->files);
    LIST_DONE(allocator, &parser->registers);
    LIST_DONE(allocator, &parser->untyped);
    LIST_DONE(allocator, &parser->named_registers);
    LIST_DONE(allocator, &parser->locals);
    LIST_DONE(allocator, &parser->statements);
    LIST_DONE(allocator, &parser->labels);
    ptx_linking_done(parser);
    ptx_sections_done(parser);
}

hx_status ptx_parse(const struct source *source, const hx_program *program, struct arena *arena,
                    hx_diag *diag, struct ptx_module *ret_module)
{
    struct ptx_scope scope;
    struct ptx_parser parser = {
        .module = ret_module, .arena = arena, .diag = diag, .text = ptx_text_of(source)};
    *ret_module =
        (struct ptx_module){.arena = arena, .source = source, .program = program, .address_bits = 32};
    ptx_scope_open(&parser, &scope);
    ptx_take(&parser);
    read_module(&parser);
    ptx_scope_close(&parser);
    keep_lists(&parser);
    return parser.status;
}
