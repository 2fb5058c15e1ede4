/* A module of PTX as a program.
 *
 * Takes the parsed module, leaves the program's parameters, buffers, constants and kernels. Scalars among a
 * kernel's parameters become parameters of the program; those that are arrays, or whose address the kernel
 * takes, are constants. */
#include "program/limits.h"
#include "program/parts.h"
#include "ptx/importer.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <string.h>

bool ptx_is_text(const void *bytes, size_t size)
{
    const struct source source = {.name = "", .text = bytes, .bytes = size};
    struct ptx_text text = ptx_text_of(&source);
    const struct ptx_token token = ptx_token_next(&text);
    static const char *const first[] = {".version", ".target", ".address_size", ".visible", ".extern",
                                        ".weak",    ".entry",  ".func",         ".global"};
    for (size_t i = 0; i < HX_COUNT_OF(first); i++)
        if (token.kind == PTX_TOKEN_DIRECTIVE && slice_equal(token.text, first[i]))
            return true;
    return false;
}

static void no_memory(struct ptx_loading *loading)
{
    if (loading->status != HX_NO_MEMORY)
        loading->status = diag_no_memory(loading->diag);
}

/* A name that programs may have, which no other parameter, buffer or array has: that of PTX with '$' and '%'
 * replaced, cut where it is too long, and with a number where it is taken. */
static const char *make_name(struct ptx_loading *loading, struct slice from)
{
    char name[64];
    const size_t most = 52;
    size_t length = from.length < most ? from.length : most;
    for (size_t i = 0; i < length; i++)
        name[i] = text_is_word(from.at[i]) ? from.at[i] : '_';
    if (length == 0 || text_is_digit(name[0]))
        name[0] = '_';
    length += length == 0;
    for (unsigned number = 1;; number++) {
        const int tail = number > 1 ? snprintf(name + length, sizeof name - length, "_%u", number) : 0;
        const struct slice made = {name, length + (size_t)tail};
        bool is_taken = program_is_reserved(made);
        for (size_t i = 0; i < loading->names.list.count && !is_taken; i++)
            is_taken = loading->names.list.items[i].text.length == made.length &&
                       memcmp(loading->names.list.items[i].text.at, made.at, made.length) == 0;
        if (is_taken)
            continue;
        const char *kept = arena_copy(loading->arena, made.at, made.length);
        if (!kept || !names_add(&loading->names, (struct slice){kept, made.length}, 0))
            no_memory(loading);
        return kept;
    }
}

/* There is room for one more symbol of a kind, or it is reported that there is none. */
static bool has_room(struct ptx_loading *loading, size_t count, const char *what, struct place place)
{
    if (count < LIMIT_LIST)
        return loading->status == HX_OK;
    if (loading->status == HX_OK)
        loading->status =
            diag_report(loading->diag, DIAG_PTX_TOO_LARGE, place, "make one array or structure of several",
                        "a module has at most %d %s", LIMIT_LIST, what);
    return false;
}

/* --- arrays --------------------------------------------------------------------------------------------- */

/* What compilers name themselves ($str, _$_str, __const_$_f_$_x, switch_$_table_$_f) are literals: no
 * results, no more than the names of functions that assert shows. Other names with a `$` in them are those of
 * variables in functions. */
static bool is_literal(const struct ptx_variable *variable)
{
    static const char *const heads[] = {
        "$", "_$_", "__const$", "__const_$_", "switch_$_", "__func__", "__PRETTY_FUNCTION__", "__FUNCTION__"};
    bool is_one = false;
    for (size_t i = 0; i < HX_COUNT_OF(heads) && variable->values; i++)
        is_one |= slice_starts_with(variable->name, heads[i]);
    return is_one;
}

/* threadIdx and others, which clang's header declares and nothing reads. */
static bool is_coordinate(const struct ptx_variable *variable)
{
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    bool is_one = false;
    for (size_t i = 0; i < HX_COUNT_OF(names) && !variable->values; i++)
        is_one |= slice_equal(variable->name, names[i]);
    return is_one;
}

struct array ptx_make_array(struct ptx_loading *loading, const struct ptx_variable *variable)
{
    const bool is_buffer = variable->space == PTX_SPACE_GLOBAL;
    struct array array = {.name = make_name(loading, ptx_written_name(variable->name)),
                          .type = type_is_element(variable->type) ? variable->type : HX_TYPE_U8,
                          .align = is_buffer ? 0 : variable->align,
                          .is_dynamic = variable->space == PTX_SPACE_SHARED && variable->bytes == 0,
                          .is_made = is_literal(variable) || is_coordinate(variable),
                          .is_managed = variable->is_managed,
                          .access = is_buffer && is_literal(variable) ? ACCESS_READ : ACCESS_READWRITE,
                          .fill = {.kind = FILL_ZERO, .place = variable->place},
                          .place = variable->place,
                          .count_place = variable->place,
                          .is_counted = true};
    array.count = variable->bytes / type_bytes(array.type);
    if (variable->values) {
        array.fill.kind = FILL_VALUES;
        array.fill.values = variable->values;
        array.fill.value_count = array.count;
    } else if (!array.is_dynamic) {
        array.count_text = arena_format(loading->arena, "%llu", (unsigned long long)array.count);
        if (!array.count_text)
            no_memory(loading);
    }
    return array;
}

struct ptx_binding ptx_constant_text(struct ptx_loading *loading, const char *text)
{
    const struct ptx_variable variable = {.name = slice_of("text"),
                                          .space = PTX_SPACE_CONST,
                                          .type = HX_TYPE_U8,
                                          .align = 1,
                                          .bytes = strlen(text) + 1,
                                          .values = (const uint8_t *)text};
    size_t at = 0;
    while (at < loading->constants.count && loading->constants.items[at].fill.values != (const void *)text)
        at++;
    if (at == loading->constants.count &&
        !LIST_PUSH(loading->arena->allocator, &loading->constants, ptx_make_array(loading, &variable)))
        no_memory(loading);
    return (struct ptx_binding){.kind = PTX_BINDING_ARRAY, .base = BASE_CONSTANT, .symbol = (uint16_t)at};
}

static void add_global(struct ptx_loading *loading, const struct ptx_variable *variable)
{
    struct ptx_binding *binding = &loading->bindings[variable->number];
    if (!has_room(loading, loading->constants.count, "constants", variable->place) ||
        !has_room(loading, loading->buffers.count, "global variables", variable->place))
        return;
    const struct array array = ptx_make_array(loading, variable);
    const hx_allocator *allocator = loading->arena->allocator;
    if (variable->space == PTX_SPACE_CONST) {
        *binding = (struct ptx_binding){
            .kind = PTX_BINDING_ARRAY, .base = BASE_CONSTANT, .symbol = (uint16_t)loading->constants.count};
        if (!LIST_PUSH(allocator, &loading->constants, array))
            no_memory(loading);
    } else { /* its symbol is made final when all parameters are known */
        *binding =
            (struct ptx_binding){.kind = PTX_BINDING_PARAMETER, .symbol = (uint16_t)loading->buffers.count};
        if (!LIST_PUSH(allocator, &loading->buffers, array))
            no_memory(loading);
    }
}

/* What an address among initial values leads to, when all variables have their buffers and arrays. */
static struct address address_of(const struct ptx_loading *loading, const struct ptx_relocation *relocation)
{
    const bool is_constant = relocation->variable->space == PTX_SPACE_CONST;
    const struct ptx_binding *binding = &loading->bindings[relocation->variable->number];
    const bool is_generic = is_constant && (relocation->is_generic || loading->module.has_constant_arguments);
    return (struct address){.target = {.kind = is_constant ? TARGET_CONSTANT : TARGET_BUFFER,
                                       .is_generic = is_generic,
                                       .is_narrow = loading->module.address_bits == 32 &&
                                                    relocation->bytes < 8 && (is_generic || !is_constant),
                                       .index = binding->symbol},
                            .addend = relocation->addend,
                            .byte = (uint8_t)(relocation->shift / 8)};
}

static void add_addresses(struct ptx_loading *loading, const struct ptx_variable *variable)
{
    const size_t count = variable->relocation_count;
    struct relocation *relocations = ARENA_ARRAY(loading->arena, struct relocation, count + 1);
    struct array *arrays =
        variable->space == PTX_SPACE_CONST ? loading->constants.items : loading->buffers.items;
    if (!relocations) {
        no_memory(loading);
        return;
    }
    struct array *array = &arrays[loading->bindings[variable->number].symbol];
    for (size_t i = 0; i < count; i++)
        relocations[i] = (struct relocation){variable->relocations[i].at / type_bytes(array->type),
                                             address_of(loading, &variable->relocations[i])};
    array->fill.relocations = relocations;
    array->fill.relocation_count = count;
}

static bool is_global(const struct ptx_variable *variable)
{
    return variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST;
}

/* A pointer of OpenCL C to constant memory is NULL as 0, and no variable may be there. printf shows what is.
 */
static void keep_null_free(struct ptx_loading *loading)
{
    const struct ptx_module *module = &loading->module;
    for (uint32_t i = 0; module->is_opencl && i < module->variable_count; i++)
        if (module->variables[i]->space == PTX_SPACE_CONST) {
            (void)ptx_constant_text(loading, "(null)");
            return;
        }
}

static void add_globals(struct ptx_loading *loading)
{
    const struct ptx_module *module = &loading->module;
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (is_global(module->variables[i]))
            add_global(loading, module->variables[i]);
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f]->variable_count; i++)
            if (is_global(module->functions[f]->variables[i]))
                add_global(loading, module->functions[f]->variables[i]);
}

/* What nvcc's cooperative groups expect of the driver: its size, and a number that the grid's barrier counts
 * in, which is as it was once all blocks have come. */
static void add_grid_memory(struct ptx_loading *loading)
{
    const struct ptx_variable memory = {.name = slice_of("grid_memory"),
                                        .space = PTX_SPACE_GLOBAL,
                                        .type = HX_TYPE_U32,
                                        .align = 8,
                                        .bytes = 8};
    if (!loading->module.has_grid_memory || !has_room(loading, loading->buffers.count, "global variables",
                                                      (struct place){loading->module.source, 1, 1, 1}))
        return;
    if (!LIST_PUSH(loading->arena->allocator, &loading->buffers, ptx_make_array(loading, &memory)))
        no_memory(loading);
    loading->grid_memory = loading->buffers.count;
}

static void add_addresses_of(struct ptx_loading *loading, struct ptx_variable *const *variables,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count && loading->status == HX_OK; i++)
        if (is_global(variables[i]) && variables[i]->relocation_count > 0)
            add_addresses(loading, variables[i]);
}

static void add_all_addresses(struct ptx_loading *loading)
{
    const struct ptx_module *module = &loading->module;
    add_addresses_of(loading, module->variables, module->variable_count);
    for (uint32_t f = 0; f < module->function_count; f++)
        add_addresses_of(loading, module->functions[f]->variables, module->functions[f]->variable_count);
}

/* --- parameters of kernels ------------------------------------------------------------------------------ */

/* Does an operand name the variable in another way than as the whole of a load's address? */
static bool is_used_as_memory(const struct ptx_statement *statement, const struct ptx_variable *variable)
{
    for (uint32_t i = 0; i < statement->operand_count; i++) {
        const struct ptx_operand *operand = &statement->operands[i];
        const struct ptx_operand *base = operand->kind == PTX_OPERAND_ADDRESS ? &operand->items[0] : operand;
        if (base->kind != PTX_OPERAND_VARIABLE || base->variable != variable)
            continue;
        struct slice part, type = {0};
        for (size_t at = 0; ptx_next_part(statement->opcode, &at, &part);)
            type = part;
        if (operand->kind != PTX_OPERAND_ADDRESS || operand->offset != 0 ||
            statement->operands[0].kind == PTX_OPERAND_VECTOR ||
            type_bytes(isa_type_of(type)) != type_bytes(variable->type))
            return true;
    }
    return false;
}

bool ptx_is_whole(const struct ptx_function *function, const struct ptx_variable *variable)
{
    for (uint32_t i = 0; i < function->statement_count; i++)
        if (is_used_as_memory(&function->statements[i], variable))
            return false;
    return true;
}

/* A module that does not say how wide its addresses are has 64-bit ones where a parameter is so wide. */
static bool has_narrow_pointers(const struct ptx_module *module, const struct ptx_function *function)
{
    bool is_narrow = module->address_bits == 32;
    for (uint32_t i = 0; i < function->param_count && !module->says_address_bits; i++)
        is_narrow &= type_bits(function->params[i]->type) != 64;
    return is_narrow;
}

static void add_parameters(struct ptx_loading *loading, struct ptx_function *function)
{
    const hx_allocator *allocator = loading->arena->allocator;
    struct kernel_param *formals =
        ARENA_ARRAY(loading->arena, struct kernel_param, function->param_count + 1);
    if (!formals)
        no_memory(loading);
    function->formals = formals;
    const bool is_narrow = has_narrow_pointers(&loading->module, function);
    for (uint32_t i = 0; formals && i < function->param_count; i++) {
        const struct ptx_variable *variable = function->params[i];
        struct ptx_binding *binding = &loading->bindings[variable->number];
        const bool is_constant = ptx_is_memory(variable) || !ptx_is_whole(function, variable);
        if (!has_room(loading, loading->constants.count, "constants", variable->place) ||
            !has_room(loading, loading->params.count, "scalar parameters", variable->place))
            return;
        formals[i] = (struct kernel_param){
            .is_constant = is_constant,
            .is_pointer = variable->is_pointer,
            .is_shared = variable->is_shared,
            .is_narrow = is_narrow,
            .index = (uint32_t)(is_constant ? loading->constants.count : loading->params.count),
            .name = arena_copy(loading->arena, variable->name.at, variable->name.length)};
        if (!formals[i].name)
            no_memory(loading);
        if (is_constant) {
            struct array array = ptx_make_array(loading, variable);
            array.is_formal = true;
            *binding = (struct ptx_binding){.kind = PTX_BINDING_ARRAY,
                                            .base = BASE_CONSTANT,
                                            .symbol = (uint16_t)loading->constants.count};
            if (!LIST_PUSH(allocator, &loading->constants, array))
                no_memory(loading);
            continue;
        }
        *binding =
            (struct ptx_binding){.kind = PTX_BINDING_PARAMETER, .symbol = (uint16_t)loading->params.count};
        if (!LIST_PUSH(allocator, &loading->params,
                       (struct program_param){.name = make_name(loading, variable->name),
                                              .type = variable->type,
                                              .is_formal = true,
                                              .place = variable->place}))
            no_memory(loading);
    }
}

/* Buffers are symbols behind the parameters. */
static void number_buffers(struct ptx_loading *loading)
{
    const struct ptx_module *module = &loading->module;
    const uint16_t params = (uint16_t)loading->params.count;
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i]->space == PTX_SPACE_GLOBAL)
            loading->bindings[module->variables[i]->number].symbol += params;
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f]->variable_count; i++)
            if (module->functions[f]->variables[i]->space == PTX_SPACE_GLOBAL)
                loading->bindings[module->functions[f]->variables[i]->number].symbol += params;
}

/* --- the program ---------------------------------------------------------------------------------------- */

static void *take(struct ptx_loading *loading, const void *items, size_t count, size_t size)
{
    void *kept = arena_allocate(loading->arena, count + 1, size);
    if (!kept)
        no_memory(loading);
    else if (count > 0)
        memcpy(kept, items, count * size);
    return kept;
}

static void complain_of_count(struct ptx_loading *loading, size_t count)
{
    const bool is_compiled = loading->program->source.text != loading->module.source->text;
    const struct source *const source = is_compiled ? &loading->program->source : loading->module.source;
    loading->status = diag_report(
        loading->diag, count ? DIAG_PTX_TOO_LARGE : DIAG_PTX_SYNTAX, (struct place){source, 1, 1, 1}, NULL,
        count         ? "the module has %zu kernels, and a program at most %d"
        : is_compiled ? "the file has no kernel: no function with __kernel or __global__"
                      : "the module has no kernel: no .entry with a body",
        count, LIMIT_KERNELS);
}

static void add_kernels(struct ptx_loading *loading)
{
    hx_program *program = loading->program;
    const struct ptx_module *module = &loading->module;
    size_t count = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        count += module->functions[f]->is_kernel && module->functions[f]->has_body;
    if ((count == 0 && !program->may_be_empty) || count > LIMIT_KERNELS) {
        complain_of_count(loading, count);
        return;
    }
    program->kernels = ARENA_ARRAY(loading->arena, struct kernel, count + 1);
    for (uint32_t f = 0; program->kernels && f < module->function_count && loading->status == HX_OK; f++) {
        const struct ptx_function *function = module->functions[f];
        if (!function->is_kernel || !function->has_body)
            continue;
        struct kernel *kernel = &program->kernels[program->kernel_count];
        kernel->index = (uint16_t)program->kernel_count++;
        kernel->name = program_is_name(function->name) && !program_is_reserved(function->name)
                           ? arena_copy(loading->arena, function->name.at, function->name.length)
                           : make_name(loading, function->name);
        kernel->symbol = arena_copy(loading->arena, function->name.at, function->name.length);
        kernel->place = function->place;
        if (!kernel->symbol)
            no_memory(loading);
        kernel->formals = function->formals;
        kernel->formal_count = function->param_count;
        memcpy(kernel->required_block, function->block_limits, sizeof kernel->required_block);
        for (uint32_t i = 0; i < function->param_count; i++)
            kernel->says_pointers |= function->params[i]->is_pointer;
        ptx_import_kernel(loading, function, kernel);
    }
    if (!program->kernels)
        no_memory(loading);
}

static void add_step(struct ptx_loading *loading)
{
    hx_program *program = loading->program;
    if (program->kernel_count == 0)
        return;
    program->steps = ARENA_NEW(loading->arena, struct launch_step);
    if (!program->steps) {
        no_memory(loading);
        return;
    }
    *program->steps = (struct launch_step){.kernel = program->kernels,
                                           .grid = {1, 1, 1},
                                           .block = {1, 1, 1},
                                           .repeat = 1,
                                           .place = program->kernels[0].place,
                                           .block_place = program->kernels[0].place};
    program->step_count = 1;
}

static void fill_program(struct ptx_loading *loading)
{
    hx_program *program = loading->program;
    if (!ptx_plan_calls(loading)) {
        no_memory(loading);
        return;
    }
    keep_null_free(loading);
    add_globals(loading);
    add_grid_memory(loading);
    if (loading->status == HX_OK)
        add_all_addresses(loading);
    for (uint32_t f = 0; f < loading->module.function_count && loading->status == HX_OK; f++)
        if (loading->module.functions[f]->is_kernel)
            add_parameters(loading, loading->module.functions[f]);
    number_buffers(loading);
    program->debug = loading->module.debug;
    program->params = take(loading, loading->params.items, loading->params.count, sizeof *program->params);
    program->param_count = loading->params.count;
    program->buffers.items =
        take(loading, loading->buffers.items, loading->buffers.count, sizeof(struct array));
    program->buffers.count = loading->buffers.count;
    if (loading->status == HX_OK)
        add_kernels(loading);
    program->constants.items =
        take(loading, loading->constants.items, loading->constants.count, sizeof(struct array));
    program->constants.count = loading->constants.count;
}

/* "saxpy" of "kernels/saxpy.ptx" */
static const char *name_of(struct ptx_loading *loading, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path, *dot = strchr(start, '.');
    return make_name(loading, (struct slice){start, dot ? (size_t)(dot - start) : strlen(start)});
}

/* What the program has already comes first, and its names are taken. */
static void begin(struct ptx_loading *loading)
{
    const hx_program *program = loading->program;
    const hx_allocator *allocator = loading->arena->allocator;
    const struct array_list *lists[] = {&program->buffers, &program->constants};
    for (size_t i = 0; i < program->param_count; i++)
        if (!LIST_PUSH(allocator, &loading->params, program->params[i]) ||
            !names_add(&loading->names, slice_of(program->params[i].name), 0))
            no_memory(loading);
    for (size_t k = 0; k < HX_COUNT_OF(lists); k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            if (!(k ? LIST_PUSH(allocator, &loading->constants, lists[k]->items[i])
                    : LIST_PUSH(allocator, &loading->buffers, lists[k]->items[i])) ||
                !names_add(&loading->names, slice_of(lists[k]->items[i].name), 0))
                no_memory(loading);
}

static void import(struct ptx_loading *loading, const struct source *text)
{
    begin(loading);
    if (loading->status == HX_OK)
        loading->status = ptx_parse(text, loading->program, loading->arena, loading->diag, &loading->module);
    if (loading->status == HX_OK)
        loading->bindings = ARENA_ARRAY(loading->arena, struct ptx_binding, loading->module.numbered + 1);
    if (loading->bindings)
        fill_program(loading);
    else if (loading->status == HX_OK)
        no_memory(loading);
}

static void end(struct ptx_loading *loading)
{
    const hx_allocator *allocator = loading->arena->allocator;
    LIST_DONE(allocator, &loading->params);
    LIST_DONE(allocator, &loading->buffers);
    LIST_DONE(allocator, &loading->constants);
    names_done(&loading->names);
}

static struct ptx_loading loading_of(hx_program *program, hx_diag *diag)
{
    return (struct ptx_loading){.program = program,
                                .diag = diag,
                                .arena = &program->arena,
                                .names.allocator = program->arena.allocator};
}

/* Where lines of the PTX are shown, it is the text that the code was made of. */
static void show_text(hx_program *program, const struct source *text)
{
    if (program->level == HX_SOURCE_PTX)
        program->origin = *text;
}

hx_status ptx_import(hx_program *program, const struct source *text, hx_diag *diag)
{
    struct ptx_loading loading = loading_of(program, diag);
    import(&loading, text);
    end(&loading);
    show_text(program, text);
    return loading.status;
}

hx_status ptx_load(hx_program *program, const struct source *text, hx_diag *diag)
{
    struct ptx_loading loading = loading_of(program, diag);
    program->origin = program->source;
    program->description = "";
    program->name = name_of(&loading, program->path);
    loading.names.list.count = 0; /* the program's name takes none away */
    import(&loading, text);
    if (loading.status == HX_OK)
        add_step(&loading);
    end(&loading);
    show_text(program, text);
    return loading.status;
}
