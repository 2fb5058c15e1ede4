/* Programs built by calls.
 *
 * Takes parameters, arrays and instructions one by one, leaves a program. What is built is the text of a
 * program file, which the assembler reads in the end: so a built program is what its text is, the rules are
 * those of the assembler, and what is wrong has a line that can be shown. Names and texts are checked when
 * they come, so that none can be read as something else. */
#include "hexec/builder.h"

#include "asm/lexer.h"
#include "program/limits.h"
#include "program/parts.h"
#include "program/program.h"

#include <inttypes.h>
#include <math.h>

struct hx_builder {
    const hx_allocator *allocator;
    const hx_isa *isa;
    struct text name, first;                          /* of the program, and of its first kernel */
    struct text params, buffers, constants, launches; /* entries of the lists */
    struct text kernels;                              /* those that are complete */
    struct text kernel, shared, local, code;          /* of the one that was begun last; kernel: its name */
    uint32_t registers, predicates;                   /* that were handed out in it */
};

#define BUILDER_TEXTS 11
/* All of its texts. */
static void list_texts(hx_builder *builder, struct text *ret_texts[BUILDER_TEXTS])
{
    struct text *const texts[BUILDER_TEXTS] = {&builder->name,      &builder->params,   &builder->buffers,
                                               &builder->constants, &builder->launches, &builder->kernels,
                                               &builder->kernel,    &builder->shared,   &builder->local,
                                               &builder->code,      &builder->first};
    memcpy(ret_texts, texts, sizeof texts);
}

/* ---- What is taken ------------------------------------------------------------------------------------- */

static hx_status check_name(const char *name, hx_diag *diag)
{
    return program_is_name(slice_of(name))
               ? HX_OK
               : diag_report(diag, DIAG_PROGRAM_NAME, (struct place){0},
                             "a letter or _, then at most 62 letters, digits and _", "'%s' is no name", name);
}

static hx_status check_text(const char *text, hx_diag *diag)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == '"' || *at == '\\' || *at == 0x7f)
            return diag_report(diag, DIAG_ASM_SYNTAX, (struct place){0}, NULL,
                               "character 0x%02x cannot stand in '%s'", (unsigned)(unsigned char)*at, text);
    return HX_OK;
}

/* Mnemonics and special registers: words with dots. */
static hx_status check_word(const char *word, hx_diag *diag)
{
    const char *at = word;
    while (text_is_word(*at) || *at == '.')
        at++;
    return *at == 0 && at > word ? HX_OK
                                 : diag_report(diag, DIAG_ASM_SYNTAX, (struct place){0},
                                               "letters, digits, _ and dots", "'%s' is no word", word);
}

static hx_status check_type(hx_type type, hx_diag *diag)
{
    return type_is_element(type) ? HX_OK
                                 : diag_report(diag, DIAG_PROGRAM_TYPE, (struct place){0},
                                               "i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64",
                                               "%d is no type of elements", (int)type);
}

static hx_status check_declared(const char *name, hx_type type, const char *text, hx_diag *diag)
{
    hx_status status = check_name(name, diag);
    if (status == HX_OK)
        status = check_type(type, diag);
    return status == HX_OK && text ? check_text(text, diag) : status;
}

static hx_status check_begun(const hx_builder *builder, hx_diag *diag)
{
    return builder->kernel.length > 0
               ? HX_OK
               : diag_report(diag, DIAG_ASM_EMPTY, (struct place){0}, "call hx_builder_begin_kernel first",
                             "there is no kernel");
}

static hx_status given(const struct text *text, hx_diag *diag)
{
    return text->failed ? diag_no_memory(diag) : HX_OK;
}

/* ---- The builder --------------------------------------------------------------------------------------- */

hx_status hx_builder_new(const char *name, const hx_isa *isa, const hx_allocator *allocator, hx_diag *diag,
                         hx_builder **ret_builder)
{
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, isa);
    DIAG_REQUIRE(diag, ret_builder);
    hx_status status = check_name(name, diag);
    if (status != HX_OK)
        return status;
    hx_builder *builder = memory_allocate(allocator, 1, sizeof *builder);
    if (!builder)
        return diag_no_memory(diag);
    struct text *texts[BUILDER_TEXTS];
    list_texts(builder, texts);
    for (size_t i = 0; i < BUILDER_TEXTS; i++)
        text_init(texts[i], allocator);
    builder->allocator = allocator;
    builder->isa = isa;
    text_print(&builder->name, "%s", name);
    status = given(&builder->name, diag);
    if (status != HX_OK)
        hx_builder_free(builder);
    else
        *ret_builder = builder;
    return status;
}

void hx_builder_free(hx_builder *builder)
{
    if (!builder)
        return;
    struct text *texts[BUILDER_TEXTS];
    list_texts(builder, texts);
    for (size_t i = 0; i < BUILDER_TEXTS; i++)
        text_done(texts[i]);
    memory_free(builder->allocator, builder);
}

/* ---- Declarations -------------------------------------------------------------------------------------- */

hx_status hx_builder_add_param(hx_builder *builder, const char *name, hx_type type, const char *value,
                               hx_diag *diag)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, name);
    const hx_status status = check_declared(name, type, value, diag);
    if (status != HX_OK)
        return status;
    text_print(&builder->params, "  - {name: %s, type: %s", name, hx_type_name(type));
    if (value)
        text_print(&builder->params, ", value: \"%s\"", value);
    text_print(&builder->params, "}\n");
    return given(&builder->params, diag);
}

hx_status hx_builder_add_buffer(hx_builder *builder, const char *name, hx_type type, const char *count,
                                hx_buffer_access access, const char *fill, hx_diag *diag)
{
    static const char *const words[] = {
        [HX_ACCESS_READ] = "read", [HX_ACCESS_WRITE] = "write", [HX_ACCESS_READWRITE] = "readwrite"};
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, count);
    hx_status status = check_declared(name, type, count, diag);
    if (status == HX_OK && fill)
        status = check_text(fill, diag);
    if (status == HX_OK && (access < HX_ACCESS_READ || access > HX_ACCESS_READWRITE))
        status = diag_report(diag, DIAG_BUFFER_ACCESS, (struct place){0},
                             "it is HX_ACCESS_READ, HX_ACCESS_WRITE or HX_ACCESS_READWRITE",
                             "buffer '%s' has an access of %u", name, (unsigned)access);
    if (status != HX_OK)
        return status;
    text_print(&builder->buffers, "  - {name: %s, type: %s, count: \"%s\", access: %s", name,
               hx_type_name(type), count, words[access]);
    if (fill)
        text_print(&builder->buffers, ", fill: \"%s\"", fill);
    text_print(&builder->buffers, "}\n");
    return given(&builder->buffers, diag);
}

hx_status hx_builder_add_constant(hx_builder *builder, const char *name, hx_type type, const void *values,
                                  size_t count, hx_diag *diag)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, values);
    const hx_status status = check_declared(name, type, NULL, diag);
    if (status != HX_OK)
        return status;
    struct text *text = &builder->constants;
    text_print(text, "  - {name: %s, type: %s, values: [", name, hx_type_name(type));
    for (size_t i = 0; i < count && !text->failed; i++) {
        text_append(text, ", ", i > 0 ? 2 : 0);
        values_print(text, (const char *)values + i * hx_type_bytes(type), type);
    }
    text_print(text, "]}\n");
    return given(text, diag);
}

static void print_shape(struct text *text, const char *name, const uint32_t shape[3])
{
    text_print(text, ", %s: [", name);
    for (int i = 0; i < 3; i++)
        text_print(text, "%s%" PRIu32, i > 0 ? ", " : "", shape[i] ? shape[i] : 1);
    text_print(text, "]");
}

hx_status hx_builder_add_launch(hx_builder *builder, const char *kernel, const uint32_t grid[3],
                                const uint32_t block[3], hx_diag *diag)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, kernel);
    DIAG_REQUIRE(diag, grid);
    DIAG_REQUIRE(diag, block);
    const hx_status status = check_name(kernel, diag);
    if (status != HX_OK)
        return status;
    text_print(&builder->launches, "  - {kernel: %s", kernel);
    print_shape(&builder->launches, "grid", grid);
    print_shape(&builder->launches, "block", block);
    text_print(&builder->launches, "}\n");
    return given(&builder->launches, diag);
}

/* ---- A kernel ------------------------------------------------------------------------------------------ */

static void print_list(struct text *text, const char *key, const struct text *entries)
{
    if (entries->length > 0)
        text_print(text, "%s:\n%s", key, entries->at);
}

static void print_kernel(const hx_builder *builder, struct text *text)
{
    if (builder->kernel.length == 0)
        return;
    text_print(text, "  - name: %s\n", builder->kernel.at);
    print_list(text, "    shared", &builder->shared);
    print_list(text, "    local", &builder->local);
    text_print(text, "    code: |\n%s", builder->code.length > 0 ? builder->code.at : "\n");
}

hx_status hx_builder_begin_kernel(hx_builder *builder, const char *name, hx_diag *diag)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, name);
    const hx_status status = check_name(name, diag);
    if (status != HX_OK)
        return status;
    print_kernel(builder, &builder->kernels);
    builder->shared.length = builder->local.length = builder->code.length = builder->kernel.length = 0;
    builder->registers = builder->predicates = 0;
    text_print(&builder->kernel, "%s", name);
    if (builder->first.length == 0)
        text_print(&builder->first, "%s", name);
    return builder->kernels.failed || builder->first.failed ? diag_no_memory(diag)
                                                            : given(&builder->kernel, diag);
}

static hx_status add_array(hx_builder *builder, struct text *to, const char *name, hx_type type,
                           const char *count, hx_diag *diag)
{
    hx_status status = check_begun(builder, diag);
    if (status == HX_OK)
        status = check_declared(name, type, count, diag);
    if (status != HX_OK)
        return status;
    text_print(to, "      - {name: %s, type: %s, count: \"%s\"}\n", name, hx_type_name(type), count);
    return given(to, diag);
}

hx_status hx_builder_add_shared(hx_builder *builder, const char *name, hx_type type, const char *count,
                                hx_diag *diag)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, count);
    return add_array(builder, &builder->shared, name, type, count, diag);
}

hx_status hx_builder_add_local(hx_builder *builder, const char *name, hx_type type, const char *count,
                               hx_diag *diag)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, count);
    return add_array(builder, &builder->local, name, type, count, diag);
}

static hx_status take(const hx_builder *builder, uint32_t *taken, uint32_t count, uint32_t most,
                      hx_diag *diag, uint32_t *ret_first)
{
    const hx_status status = check_begun(builder, diag);
    if (status != HX_OK)
        return status;
    if (count == 0 || count > most - *taken)
        return diag_report(diag, DIAG_ASM_REGISTER, (struct place){0},
                           most == REGISTER_COUNT ? "r0 to r255 are there" : "p0 to p15 are there",
                           "kernel '%s' has %u of %u in use, %u more are none or too many",
                           builder->kernel.at, *taken, most, count);
    *ret_first = *taken;
    *taken += count;
    return HX_OK;
}

hx_status hx_builder_new_register(hx_builder *builder, uint32_t count, hx_diag *diag, uint32_t *ret_register)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, ret_register);
    return take(builder, &builder->registers, count, REGISTER_COUNT, diag, ret_register);
}

hx_status hx_builder_new_predicate(hx_builder *builder, hx_diag *diag, uint32_t *ret_predicate)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, ret_predicate);
    return take(builder, &builder->predicates, 1, PREDICATE_COUNT, diag, ret_predicate);
}

hx_status hx_builder_add_label(hx_builder *builder, const char *name, hx_diag *diag)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, name);
    hx_status status = check_begun(builder, diag);
    if (status == HX_OK)
        status = check_name(name, diag);
    if (status != HX_OK)
        return status;
    text_print(&builder->code, "      %s:\n", name);
    return given(&builder->code, diag);
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

static bool has_name(const hx_operand *operand)
{
    return operand->kind == HX_OPERAND_PARAM || operand->kind == HX_OPERAND_SPECIAL ||
           operand->kind == HX_OPERAND_LABEL || operand->kind == HX_OPERAND_ARRAY ||
           (operand->kind == HX_OPERAND_ADDRESS &&
            (operand->base == HX_BASE_PARAM || operand->base == HX_BASE_ARRAY));
}

static hx_status check_operand(const hx_operand *operand, hx_diag *diag)
{
    if ((unsigned)operand->kind > HX_OPERAND_NOTHING || (unsigned)operand->base > HX_BASE_ARRAY)
        return diag_report(diag, DIAG_ASM_OPERAND_KIND, (struct place){0}, NULL,
                           "%d is no kind of operand, or %d of a base", (int)operand->kind,
                           (int)operand->base);
    if (!has_name(operand))
        return HX_OK;
    if (!operand->name)
        return diag_missing(diag, "hx_builder_add", "the name of an operand");
    return operand->kind == HX_OPERAND_SPECIAL ? check_word(operand->name, diag)
                                               : check_name(operand->name, diag);
}

static void print_address(struct text *text, const hx_operand *operand)
{
    const char *type = operand->index_type == HX_TYPE_I32   ? ".i32"
                       : operand->index_type == HX_TYPE_U32 ? ".u32"
                                                            : "";
    const char *between = operand->base == HX_BASE_NONE ? "" : " + ";
    text_print(text, "[");
    if (operand->base == HX_BASE_REGISTER)
        text_print(text, "r%" PRIu32, operand->number);
    else if (operand->base != HX_BASE_NONE)
        text_print(text, "%s%s", operand->base == HX_BASE_PARAM ? "$" : "", operand->name);
    if (operand->base == HX_BASE_NONE) /* a base would stand there */
        text_print(text, "%" PRId64, operand->integer);
    else if (operand->integer != 0)
        text_print(text, "%s%" PRId64, between, operand->integer);
    if (operand->has_index)
        text_print(text, " + r%" PRIu32 "%s*%" PRIu32, operand->index, type,
                   operand->scale ? operand->scale : 1);
    text_print(text, "]");
}

static void print_float(struct text *text, double real)
{
    if (isnan(real))
        text_print(text, "nan");
    else if (isinf(real))
        text_print(text, real < 0 ? "-inf" : "inf");
    else
        text_print_f64(text, real);
}

static void print_operand(struct text *text, const hx_operand *operand)
{
    switch (operand->kind) {
    case HX_OPERAND_REGISTER:
        text_print(text, "r%" PRIu32, operand->number);
        break;
    case HX_OPERAND_PREDICATE:
        text_print(text, "%sp%" PRIu32, operand->is_negated ? "!" : "", operand->number);
        break;
    case HX_OPERAND_INTEGER:
        text_print(text, "%" PRId64, operand->integer);
        break;
    case HX_OPERAND_FLOAT:
        print_float(text, operand->real);
        break;
    case HX_OPERAND_PARAM:
        text_print(text, "$%s", operand->name);
        break;
    case HX_OPERAND_SPECIAL:
        text_print(text, "%%%s", operand->name);
        break;
    case HX_OPERAND_LABEL:
    case HX_OPERAND_ARRAY:
        text_print(text, "%s", operand->name);
        break;
    case HX_OPERAND_ADDRESS:
        print_address(text, operand);
        break;
    case HX_OPERAND_NOTHING:
        text_print(text, "_");
        break;
    }
}

hx_status hx_builder_add(hx_builder *builder, const char *mnemonic, const hx_operand *guard,
                         const hx_operand *operands, size_t operand_count, hx_diag *diag)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, mnemonic);
    if (!operands && operand_count > 0)
        return diag_missing(diag, __func__, "operands");
    hx_status status = check_begun(builder, diag);
    if (status == HX_OK)
        status = check_word(mnemonic, diag);
    if (status == HX_OK && guard && guard->kind != HX_OPERAND_PREDICATE)
        status = diag_report(diag, DIAG_ASM_OPERAND_KIND, (struct place){0}, NULL,
                             "the guard of '%s' is no predicate", mnemonic);
    for (size_t i = 0; i < operand_count && status == HX_OK; i++)
        status = check_operand(&operands[i], diag);
    if (status != HX_OK)
        return status;
    struct text *code = &builder->code;
    text_print(code, "      ");
    if (guard) {
        text_print(code, "@");
        print_operand(code, guard);
        text_print(code, " ");
    }
    text_print(code, "%s", mnemonic);
    for (size_t i = 0; i < operand_count && !code->failed; i++) {
        text_print(code, "%s", i > 0 ? ", " : " ");
        print_operand(code, &operands[i]);
    }
    text_print(code, "\n");
    return given(code, diag);
}

/* ---- The program --------------------------------------------------------------------------------------- */

static void print_program(const hx_builder *builder, struct text *text)
{
    text_print(text, "program: %s\n", builder->name.at);
    print_list(text, "params", &builder->params);
    print_list(text, "buffers", &builder->buffers);
    print_list(text, "constants", &builder->constants);
    if (builder->kernel.length > 0)
        text_print(text, "kernels:\n%s", builder->kernels.length > 0 ? builder->kernels.at : "");
    print_kernel(builder, text);
    print_list(text, "run", &builder->launches);
    if (builder->first.length > 0 && builder->launches.length == 0)
        text_print(text, "run:\n  - {kernel: %s, grid: [1], block: [1]}\n", builder->first.at);
}

hx_status hx_builder_write(const hx_builder *builder, hx_write_function write, void *user)
{
    DIAG_REQUIRE(NULL, builder);
    DIAG_REQUIRE(NULL, write);
    struct text text HX_AUTO(text_done) = {.allocator = builder->allocator};
    print_program(builder, &text);
    return text.failed ? HX_NO_MEMORY : write(user, text.at, text.length);
}

hx_status hx_builder_finish(const hx_builder *builder, hx_diag *diag, hx_program **ret_program)
{
    DIAG_REQUIRE(diag, builder);
    DIAG_REQUIRE(diag, ret_program);
    const hx_status status = check_begun(builder, diag);
    if (status != HX_OK)
        return status;
    struct text text HX_AUTO(text_done) = {.allocator = builder->allocator};
    print_program(builder, &text);
    return text.failed ? diag_no_memory(diag)
                       : hx_program_load_bytes(builder->name.at, NULL, text.at, text.length, builder->isa,
                                               builder->allocator, diag, ret_program);
}
