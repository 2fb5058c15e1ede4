/* Declarations of variables and parameters (PTX ISA, "Variables").
 *
 * Takes the tokens from the space on, leaves variables with type, size, alignment and initial bytes. Of a
 * `.v4 .f32` an element is four floats; sizes are in bytes throughout, so that a vector is no case of its
 * own. */
#include "program/image.h"
#include "program/limits.h"
#include "ptx/parser.h"

#define BYTES_MAX      (1ull << 32)
#define DIMENSIONS_MAX 16
#define VALUES_MAX     (1ull << 28) /* bytes of a variable that has initial values */
#define REGISTERS_MAX  (1u << 22)   /* of a function */

struct declaration {
    enum ptx_space space;
    enum hx_type type;
    struct slice type_name;
    uint32_t lanes; /* of .v2, .v4 */
    uint32_t align;
    uint64_t sizes[DIMENSIONS_MAX]; /* elements of each dimension; the first is 0 when it was left out */
    unsigned dimensions;
    bool is_managed; /* .attribute(.managed) */
    bool is_pointer; /* .ptr */
    bool is_shared;  /* .ptr .shared */
};

static enum ptx_space space_of(const struct ptx_parser *parser)
{
    static const char *const names[] = {".global", ".shared", ".const", ".local", ".param", ".reg"};
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        if (ptx_is(parser, names[i]))
            return (enum ptx_space)(i + 1);
    return PTX_SPACE_NONE;
}

static uint32_t read_align(struct ptx_parser *parser)
{
    const struct place place = parser->token.place;
    const uint64_t align = ptx_expect_count(parser, LIMIT_ALIGN, "the alignment");
    if (parser->status == HX_OK && (align == 0 || (align & (align - 1))))
        ptx_error_cured(parser, DIAG_PTX_NUMBER, place, "write 1, 2, 4, 8 and so on",
                        "an alignment is a power of two");
    return (uint32_t)align;
}

static void read_type(struct ptx_parser *parser, struct declaration *declaration)
{
    const struct slice word = parser->token.text;
    char name[12] = "";
    if (word.length - 1 < sizeof name)
        memcpy(name, word.at + 1, word.length - 1);
    declaration->type_name = word;
    declaration->type = strcmp(name, "pred") == 0 ? HX_TYPE_PRED : hx_type_find(name);
    if (declaration->type == HX_TYPE_NONE && !slice_equal(word, ".texref") &&
        !slice_equal(word, ".samplerref") && !slice_equal(word, ".surfref") && !slice_equal(word, ".b128"))
        ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place, "'" SLICE_FORMAT "' is no type of a variable",
                  SLICE_ARGS(word));
    ptx_take(parser);
}

/* What stands between the space and the name, in any order. */
static void read_attributes(struct ptx_parser *parser, struct declaration *declaration)
{
    const bool is_texture = ptx_is(parser, ".tex"); /* before PTX 1.5; the type is that of an address */
    declaration->space = is_texture ? PTX_SPACE_GLOBAL : space_of(parser);
    declaration->lanes = 1;
    declaration->type = HX_TYPE_NONE;
    ptx_take(parser);
    while (parser->token.kind == PTX_TOKEN_DIRECTIVE) {
        if (ptx_accept(parser, ".align"))
            declaration->align = read_align(parser);
        else if (ptx_accept(parser, ".v2"))
            declaration->lanes = 2;
        else if (ptx_accept(parser, ".v4"))
            declaration->lanes = 4;
        else if (ptx_accept(parser, ".attribute"))
            declaration->is_managed |= ptx_skip_group_with(parser, ".managed");
        else if (ptx_accept(parser, ".ptr"))
            declaration->is_pointer = true;
        else if (space_of(parser) != PTX_SPACE_NONE) { /* what a pointer points to */
            parser->module->has_constant_arguments |=
                declaration->is_pointer && space_of(parser) == PTX_SPACE_CONST;
            declaration->is_shared |= declaration->is_pointer && space_of(parser) == PTX_SPACE_SHARED;
            ptx_take(parser);
        } else
            read_type(parser, declaration);
    }
    if (is_texture) {
        declaration->type = HX_TYPE_NONE;
        declaration->type_name = slice_of(".texref");
    }
    if (declaration->type_name.length == 0)
        ptx_error_cured(parser, DIAG_PTX_SYNTAX, parser->token.place,
                        "write it before the name: .global .u32 x", "the type of the variable is missing");
}

static void read_dimensions(struct ptx_parser *parser, struct declaration *declaration)
{
    declaration->dimensions = 0;
    while (ptx_accept(parser, "[")) {
        if (declaration->dimensions == DIMENSIONS_MAX) {
            ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place, "an array has at most %d dimensions",
                      DIMENSIONS_MAX);
            return;
        }
        declaration->sizes[declaration->dimensions++] =
            ptx_is(parser, "]") ? 0 : ptx_expect_count(parser, BYTES_MAX, "the number of elements");
        ptx_expect(parser, "]", " behind the number of elements");
    }
}

/* --- initial values ------------------------------------------------------------------------------------- */

struct filling {
    struct ptx_parser *parser;
    const struct declaration *declaration;
    struct ptx_variable *variable;
    LIST(uint8_t) bytes;
    LIST(struct ptx_relocation) relocations;
};

static uint64_t number_bits(enum ptx_number_kind kind, uint64_t bits, enum hx_type type)
{
    double wide;
    float narrow;
    if (kind == PTX_NUMBER_F64 && type == HX_TYPE_F32) {
        memcpy(&wide, &bits, sizeof wide);
        narrow = (float)wide;
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
    } else if (kind == PTX_NUMBER_INTEGER && type == HX_TYPE_F64) {
        wide = (double)(int64_t)bits;
        memcpy(&bits, &wide, sizeof wide);
    } else if (kind == PTX_NUMBER_INTEGER && type == HX_TYPE_F32) {
        narrow = (float)(int64_t)bits;
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
    }
    return bits;
}

static void put_bytes(struct filling *filling, uint64_t bits, unsigned count)
{
    if (filling->bytes.count + count > VALUES_MAX)
        ptx_error(filling->parser, DIAG_PTX_NUMBER, filling->variable->place,
                  "a variable with initial values has at most %llu bytes", VALUES_MAX);
    for (unsigned i = 0; i < count; i++)
        if (!LIST_PUSH(filling->parser->arena->allocator, &filling->bytes,
                       (uint8_t)(i < 8 ? bits >> (8 * i) : 0))) {
            ptx_no_memory(filling->parser);
            return;
        }
}

/* Sums of numbers, which masks take and distances are. */
static int64_t read_sum(struct ptx_parser *parser)
{
    enum ptx_number_kind kind = PTX_NUMBER_INTEGER;
    uint64_t bits = 0;
    const struct place place = parser->token.place;
    if (!ptx_read_number(parser, &kind, &bits) || kind != PTX_NUMBER_INTEGER)
        ptx_error(parser, DIAG_PTX_NUMBER, place, "an integer is expected here");
    return (int64_t)bits;
}

/* What an address may lead to: PTX has no other initial values that are addresses. */
static void take_symbol(struct ptx_parser *parser, const struct ptx_operand *operand,
                        struct ptx_relocation *relocation)
{
    const struct ptx_variable *variable = operand->variable;
    if (operand->kind == PTX_OPERAND_FUNCTION)
        relocation->function = operand->function;
    else if (operand->kind != PTX_OPERAND_VARIABLE)
        ptx_error(parser, DIAG_PTX_NAME, relocation->place,
                  "an initial value is a number, a variable or a function");
    else if (variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST)
        ptx_error(parser, DIAG_PTX_NAME, relocation->place,
                  "'" SLICE_FORMAT "' is not in global or constant memory, as the variable of an initial "
                  "value must be",
                  SLICE_ARGS(variable->name));
    else
        relocation->variable = variable;
    relocation->addend = operand->offset;
}

/* name, name+8, generic(name)+8; in masks numbers, too. */
static void read_expression(struct ptx_parser *parser, struct ptx_relocation *relocation)
{
    struct ptx_operand operand;
    relocation->place = parser->token.place;
    if (parser->token.kind == PTX_TOKEN_WORD) {
        relocation->is_generic = slice_equal(parser->token.text, "generic");
        if (relocation->is_generic) {
            ptx_take(parser);
            ptx_expect(parser, "(", " behind generic");
        }
        if (!ptx_read_operand(parser, &operand))
            return;
        take_symbol(parser, &operand, relocation);
        if (relocation->is_generic)
            ptx_expect(parser, ")", " behind the name");
        if (!ptx_is(parser, "+") && !ptx_is(parser, "-"))
            return;
    }
    relocation->addend = (int64_t)((uint64_t)relocation->addend + (uint64_t)read_sum(parser));
}

static void put_address(struct filling *filling, struct ptx_relocation *relocation)
{
    struct ptx_parser *parser = filling->parser;
    const struct ptx_variable *variable = relocation->variable;
    const enum hx_type type = filling->declaration->type;
    parser->module->has_constant_pointers |=
        variable && variable->space == PTX_SPACE_CONST && relocation->is_generic;
    relocation->at = filling->bytes.count;
    relocation->bytes = type_bytes(type);
    if (parser->status == HX_OK && (type_is_float(type) || !type_is_element(type)))
        ptx_error(parser, DIAG_PTX_SYNTAX, relocation->place, "an address is no initial value of this type");
    else if (parser->status == HX_OK && !relocation->is_masked && variable &&
             relocation->bytes < (parser->module->address_bits == 32 ||
                                          (variable->space == PTX_SPACE_CONST && !relocation->is_generic)
                                      ? 4
                                      : 8))
        ptx_error(parser, DIAG_PTX_NUMBER, relocation->place,
                  "the address of '" SLICE_FORMAT "' has more bits than the variable's type: addresses in "
                  "global memory and generic ones have 64",
                  SLICE_ARGS(variable->name));
    const uint64_t number = relocation->shift < 64 ? (uint64_t)relocation->addend >> relocation->shift : 0;
    const bool is_number = !variable && !relocation->function;
    put_bytes(filling, is_number ? number & 0xff : 0, relocation->bytes);
    if (!is_number && !LIST_PUSH(parser->arena->allocator, &filling->relocations, *relocation))
        ptx_no_memory(parser);
}

/* 0xff00(name+8): a byte of an address (PTX ISA, "Initializers", mask()). In a wider element it is the lowest
 * byte, as ptxas has it. */
static void put_masked(struct filling *filling, uint64_t mask, struct place place)
{
    struct ptx_parser *parser = filling->parser;
    struct ptx_relocation relocation = {.is_masked = true, .place = place};
    while (relocation.shift < 64 && mask != UINT64_C(0xff) << relocation.shift)
        relocation.shift += 8;
    if (relocation.shift == 64)
        ptx_error(parser, DIAG_PTX_NUMBER, place, "a mask is one byte: 0xFF, 0xFF00, 0xFF0000, ...");
    ptx_expect(parser, "(", " behind the mask");
    read_expression(parser, &relocation);
    ptx_expect(parser, ")", " behind what is masked");
    put_address(filling, &relocation);
}

static void put_element(struct filling *filling)
{
    struct ptx_parser *parser = filling->parser;
    enum ptx_number_kind kind;
    uint64_t bits;
    const enum hx_type type = filling->declaration->type;
    const struct place place = parser->token.place;
    struct ptx_relocation relocation = {0};
    if (parser->token.kind == PTX_TOKEN_WORD) {
        read_expression(parser, &relocation);
        put_address(filling, &relocation);
    } else if (!ptx_read_number(parser, &kind, &bits)) {
        ptx_error(parser, DIAG_PTX_SYNTAX, place, "an initial value is expected here");
    } else if (kind == PTX_NUMBER_INTEGER && ptx_is(parser, "(")) {
        put_masked(filling, bits, place);
    } else if (kind != PTX_NUMBER_INTEGER && memchr("us", filling->declaration->type_name.at[1], 2)) {
        ptx_error_cured(parser, DIAG_PTX_NUMBER, place, "write an integer, or declare .f32 or .f64",
                        "a float is no initial value of an integer");
    } else {
        put_bytes(filling, number_bits(kind, bits, type), type_bytes(type));
    }
}

/* Bytes of an element of dimension `level`; that of the last one may be a vector. */
static uint64_t bytes_of(const struct declaration *declaration, unsigned level)
{
    uint64_t bytes = (uint64_t)type_bytes(declaration->type) * declaration->lanes;
    for (unsigned i = level; i < declaration->dimensions; i++)
        if (__builtin_mul_overflow(bytes, declaration->sizes[i], &bytes) || bytes > BYTES_MAX)
            return UINT64_MAX;
    return bytes;
}

static void fill_level(struct filling *filling, unsigned level)
{
    struct ptx_parser *parser = filling->parser;
    const struct declaration *declaration = filling->declaration;
    const size_t start = filling->bytes.count;
    const unsigned levels =
        (declaration->dimensions ? declaration->dimensions : 1) + (declaration->lanes > 1);
    if (ptx_is(parser, "{") && level >= levels)
        ptx_error_cured(parser, DIAG_PTX_SYNTAX, parser->token.place, "write one pair for each dimension",
                        "the initial values have more braces than the variable has dimensions");
    if (!ptx_accept(parser, "{")) {
        put_element(filling);
        return;
    }
    while (parser->status == HX_OK && !ptx_is(parser, "}")) {
        fill_level(filling, level + 1);
        if (!ptx_accept(parser, ","))
            break;
    }
    ptx_expect(parser, "}", " behind the initial values");
    const bool is_sized = level > 0 || declaration->dimensions == 0 || declaration->sizes[0] > 0;
    const uint64_t wanted = is_sized ? bytes_of(declaration, level) : filling->bytes.count - start;
    if (filling->bytes.count - start > wanted)
        ptx_error(parser, DIAG_PTX_NUMBER, filling->variable->place,
                  "'" SLICE_FORMAT "' has more initial values than elements",
                  SLICE_ARGS(filling->variable->name));
    while (parser->status == HX_OK && level > 0 && filling->bytes.count - start < wanted)
        put_bytes(filling, 0, 1);
}

/* clang leaves the fourth element of a vector of three away and loads all four: they have their room. */
static uint64_t whole_bytes(const struct ptx_variable *variable)
{
    const bool is_short = variable->bytes > 0 && variable->bytes * 4 == (uint64_t)variable->align * 3 &&
                          type_bytes(variable->type) == 1 && variable->space != PTX_SPACE_PARAM;
    return is_short ? variable->align : variable->bytes;
}

/* A variable that has a byte of an address in a wider element becomes one of bytes, and each address in it
 * its bytes. */
static void split_into_bytes(struct filling *filling)
{
    struct ptx_parser *parser = filling->parser;
    const hx_allocator *allocator = parser->arena->allocator;
    LIST(struct ptx_relocation) bytes = {0};
    bool is_split = false;
    for (size_t i = 0; i < filling->relocations.count; i++)
        is_split |= filling->relocations.items[i].is_masked && filling->relocations.items[i].bytes > 1;
    for (size_t i = 0; is_split && i < filling->relocations.count; i++) {
        struct ptx_relocation relocation = filling->relocations.items[i];
        const uint32_t count = relocation.is_masked ? 1 : relocation.bytes;
        relocation.bytes = 1;
        relocation.is_masked = true;
        for (uint32_t k = 0; k < count; k++, relocation.at++, relocation.shift += 8)
            if (!LIST_PUSH(allocator, &bytes, relocation))
                ptx_no_memory(parser);
    }
    if (!is_split)
        return;
    filling->variable->type = HX_TYPE_U8;
    LIST_DONE(allocator, &filling->relocations);
    filling->relocations.items = bytes.items;
    filling->relocations.count = bytes.count;
    filling->relocations.capacity = bytes.capacity;
}

static void read_values(struct ptx_parser *parser, struct declaration *declaration,
                        struct ptx_variable *variable)
{
    struct filling filling = {.parser = parser, .declaration = declaration, .variable = variable};
    const hx_allocator *allocator = parser->arena->allocator;
    if (declaration->type == HX_TYPE_NONE)
        ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place,
                  "a variable of this type has no initial value");
    else if (declaration->space != PTX_SPACE_GLOBAL && declaration->space != PTX_SPACE_CONST)
        ptx_error_cured(parser, DIAG_PTX_SYNTAX, parser->token.place, "store the values in the kernel",
                        "only variables of .global and .const have initial values");
    else if (variable->bytes > VALUES_MAX)
        ptx_error(parser, DIAG_PTX_NUMBER, variable->place,
                  "a variable with initial values has at most %llu bytes", VALUES_MAX);
    else
        fill_level(&filling, 0);
    split_into_bytes(&filling);
    if (variable->bytes == 0)
        variable->bytes = filling.bytes.count;
    uint8_t *values =
        parser->status == HX_OK ? ARENA_ARRAY(parser->arena, uint8_t, variable->bytes + 1) : NULL;
    struct ptx_relocation *relocations =
        ARENA_ARRAY(parser->arena, struct ptx_relocation, filling.relocations.count + 1);
    if (parser->status == HX_OK && (!values || !relocations)) {
        ptx_no_memory(parser);
    } else if (parser->status == HX_OK) {
        if (filling.bytes.count > 0)
            memcpy(values, filling.bytes.items, filling.bytes.count);
        if (filling.relocations.count > 0)
            memcpy(relocations, filling.relocations.items, filling.relocations.count * sizeof *relocations);
        variable->values = values;
        variable->relocations = relocations;
        variable->relocation_count = filling.relocations.count;
    }
    LIST_DONE(allocator, &filling.bytes);
    LIST_DONE(allocator, &filling.relocations);
}

/* --- variables ------------------------------------------------------------------------------------------ */

static bool is_descriptor(const struct declaration *declaration)
{
    return declaration->space == PTX_SPACE_GLOBAL && (slice_equal(declaration->type_name, ".texref") ||
                                                      slice_equal(declaration->type_name, ".surfref"));
}

/* A texture or surface of the module is the descriptor itself (docs/ptx.md, "Textures"). */
static void become_descriptor(struct declaration *declaration)
{
    declaration->type = HX_TYPE_U64;
    declaration->sizes[0] = IMAGE_DESCRIPTOR_WORDS;
    declaration->dimensions = 1;
}

static struct ptx_variable *read_one(struct ptx_parser *parser, struct declaration *declaration,
                                     bool is_extern)
{
    const struct ptx_token name = ptx_expect_name(parser, "a name");
    struct ptx_variable *variable = ARENA_NEW(parser->arena, struct ptx_variable);
    if (!variable) {
        ptx_no_memory(parser);
        return NULL;
    }
    read_dimensions(parser, declaration);
    if (is_descriptor(declaration))
        become_descriptor(declaration);
    const uint32_t own = (uint32_t)(type_bytes(declaration->type) * declaration->lanes);
    *variable = (struct ptx_variable){.name = name.text,
                                      .space = declaration->space,
                                      .type = declaration->type,
                                      .align = declaration->align > own ? declaration->align
                                               : own                    ? own
                                                                        : 1,
                                      .bytes = bytes_of(declaration, 0),
                                      .is_array = declaration->dimensions > 0,
                                      .is_managed = declaration->is_managed,
                                      .is_pointer = declaration->is_pointer,
                                      .is_shared = declaration->is_shared,
                                      .is_extern = is_extern,
                                      .place = name.place,
                                      .number = parser->module->numbered++};
    variable->bytes = whole_bytes(variable);
    if (variable->bytes == UINT64_MAX)
        ptx_error(parser, DIAG_PTX_NUMBER, name.place, "'" SLICE_FORMAT "' has more than %llu bytes",
                  SLICE_ARGS(name.text), (unsigned long long)BYTES_MAX);
    return variable;
}

/* A variable of the outermost level may be declared by .extern and defined, before or behind that, and by
 * several modules: there is one variable then. Returns whether `variable` is such a second one. */
static bool is_declared_again(struct ptx_parser *parser, const struct ptx_variable *variable)
{
    struct ptx_symbol *known = parser->function ? NULL : ptx_find_declared(parser, variable->name);
    return known && ptx_merge_variables(parser, known, variable);
}

static void declare_variable(struct ptx_parser *parser, struct ptx_variable *variable)
{
    const struct ptx_symbol symbol = {
        .name = variable->name, .kind = PTX_SYMBOL_VARIABLE, .variable = variable, .place = variable->place};
    ptx_declare(parser, &symbol);
}

/* .b32 and its like: values of any type of as many bits. */
static bool is_untyped(const struct declaration *declaration)
{
    return slice_starts_with(declaration->type_name, ".b") && declaration->type != HX_TYPE_BF16 &&
           declaration->type != HX_TYPE_BF16X2;
}

/* For a debugger. */
static void keep_name(struct ptx_parser *parser, const struct ptx_symbol *symbol)
{
    const struct ptx_named_register named = {symbol->name, symbol->number, symbol->count,
                                             symbol->kind == PTX_SYMBOL_RANGE};
    if (!LIST_PUSH(parser->arena->allocator, &parser->named_registers, named))
        ptx_no_memory(parser);
}

/* "%r<100>" or "a": registers. */
static void declare_registers(struct ptx_parser *parser, const struct declaration *declaration)
{
    const struct ptx_token name = ptx_expect_name(parser, "a name");
    struct ptx_symbol symbol = {.name = name.text,
                                .kind = PTX_SYMBOL_REGISTER,
                                .number = (uint32_t)parser->registers.count,
                                .count = 1,
                                .place = name.place};
    if (ptx_accept(parser, "<")) {
        symbol.kind = PTX_SYMBOL_RANGE;
        symbol.count = (uint32_t)ptx_expect_count(parser, 1 << 22, "the number of registers");
        ptx_expect(parser, ">", " behind the number of registers");
    }
    const bool is_wide = slice_equal(declaration->type_name, ".b128"); /* two of 64 bits */
    symbol.lanes = declaration->lanes * (is_wide ? 2 : 1);
    if (parser->registers.count + (uint64_t)symbol.count * symbol.lanes > REGISTERS_MAX)
        ptx_error(parser, DIAG_PTX_TOO_LARGE, name.place, "a function has at most %u registers",
                  REGISTERS_MAX);
    for (uint32_t i = 0; i < symbol.count * symbol.lanes && parser->status == HX_OK; i++)
        ptx_add_register(parser, is_wide ? HX_TYPE_U64 : declaration->type, is_untyped(declaration));
    if (symbol.lanes == 1)
        keep_name(parser, &symbol);
    ptx_declare(parser, &symbol);
}

void ptx_read_variables(struct ptx_parser *parser, bool is_extern)
{
    struct declaration declaration = {0};
    read_attributes(parser, &declaration);
    do {
        if (declaration.space == PTX_SPACE_REG) {
            declare_registers(parser, &declaration);
            continue;
        }
        struct ptx_variable *variable = read_one(parser, &declaration, is_extern);
        if (!variable || parser->status != HX_OK)
            return;
        if (ptx_accept(parser, "="))
            read_values(parser, &declaration, variable);
        if (variable->is_array && variable->bytes == 0 && !is_extern && declaration.type != HX_TYPE_NONE)
            ptx_error_cured(parser, DIAG_PTX_NUMBER, variable->place,
                            "write the number of elements; dynamic shared memory is .extern",
                            "the array '" SLICE_FORMAT "' has no elements", SLICE_ARGS(variable->name));
        if (is_declared_again(parser, variable))
            continue;
        declare_variable(parser, variable);
        const bool kept = parser->function
                              ? LIST_PUSH(parser->arena->allocator, &parser->locals, variable)
                              : LIST_PUSH(parser->arena->allocator, &parser->variables, variable);
        if (!kept)
            ptx_no_memory(parser);
    } while (parser->status == HX_OK && ptx_accept(parser, ","));
    ptx_expect(parser, ";", " behind the declaration");
}

struct ptx_variable *ptx_read_parameter(struct ptx_parser *parser)
{
    struct declaration declaration = {0};
    if (space_of(parser) != PTX_SPACE_PARAM && space_of(parser) != PTX_SPACE_REG) {
        ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place, "a parameter begins with .param or .reg");
        return NULL;
    }
    read_attributes(parser, &declaration);
    struct ptx_variable *variable = read_one(parser, &declaration, false);
    if (!variable || parser->status != HX_OK)
        return NULL;
    variable->lanes = 1;
    if (declaration.space == PTX_SPACE_REG) {
        variable->lanes = declaration.lanes;
        variable->reg = ptx_add_register(parser, declaration.type, is_untyped(&declaration));
        for (uint32_t lane = 1; lane < declaration.lanes; lane++)
            ptx_add_register(parser, declaration.type, is_untyped(&declaration));
        if (declaration.lanes == 1)
            keep_name(parser, &(const struct ptx_symbol){
                                  .name = variable->name, .number = variable->reg, .count = 1});
    }
    if (variable->lanes > 1) {
        const struct ptx_symbol symbol = {.name = variable->name,
                                          .kind = PTX_SYMBOL_REGISTER,
                                          .number = variable->reg,
                                          .count = 1,
                                          .lanes = variable->lanes,
                                          .place = variable->place};
        ptx_declare(parser, &symbol);
    } else if (!slice_equal(variable->name, "_")) /* prototypes leave names out */
        declare_variable(parser, variable);
    return variable;
}

struct ptx_variable *ptx_parameter_lane(struct ptx_parser *parser, const struct ptx_variable *parameter,
                                        uint32_t lane)
{
    struct ptx_variable *made = ARENA_NEW(parser->arena, struct ptx_variable);
    if (!made)
        return NULL;
    *made = *parameter;
    made->reg += lane;
    made->number = parser->module->numbered++;
    return made;
}
