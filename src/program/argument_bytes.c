/* Structures, vectors and arrays as arguments: their bytes, laid out as C does. */
#include "program/address.h"
#include "program/argument.h"
#include "program/parts.h"

#include <string.h>

struct layout {
    const struct argument *argument;
    struct text bytes;
    LIST(struct relocation) relocations; /* .element: bytes from the start */
    uint32_t align;                      /* of what was laid out so far */
    hx_status status;
};

static void fail(struct layout *layout, struct place place, const char *hint, const char *what)
{
    struct argument argument = *layout->argument;
    argument.place = place;
    if (layout->status == HX_OK)
        layout->status = argument_complain(&argument, hint, what);
}

static void align_to(struct layout *layout, uint32_t align)
{
    while (layout->bytes.length % align != 0 && !layout->bytes.failed)
        text_append(&layout->bytes, "", 1);
    layout->align = align > layout->align ? align : layout->align;
}

static void add_address(struct layout *layout, const struct yaml_node *node, enum hx_type type)
{
    struct address_names names;
    struct relocation relocation = {.element = layout->bytes.length};
    layout->status = address_names_make(layout->argument->program, layout->argument->diag, &names);
    if (layout->status != HX_OK)
        return;
    layout->status = address_read(&names, piece_of_scalar(node->text, node->place), type,
                                  layout->argument->diag, &relocation.address);
    address_names_done(&names);
    if (layout->status == HX_OK && !LIST_PUSH(layout->bytes.allocator, &layout->relocations, relocation))
        layout->bytes.failed = true;
}

static void add_number(struct layout *layout, const struct yaml_node *node, enum hx_type type)
{
    uint64_t bits = 0;
    align_to(layout, (uint32_t)type_bytes(type));
    if (node->kind != YAML_SCALAR) {
        fail(layout, node->place, NULL, "a number is wanted here");
        return;
    }
    if (address_is(node->text, type))
        add_address(layout, node, type);
    else
        layout->status = program_number_bits(node->text, type, node->place, layout->argument->diag, &bits);
    text_append(&layout->bytes, (const char *)&bits, type_bytes(type));
}

static void add_values(struct layout *layout, const struct yaml_node *values, enum hx_type type)
{
    if (values->kind == YAML_SEQUENCE)
        for (const struct yaml_node *node = values->first; node && layout->status == HX_OK; node = node->next)
            add_number(layout, node, type);
    else
        add_number(layout, values, type);
}

#define DEPTH_MAX 16
static void add_struct(struct layout *layout, const struct yaml_node *members, unsigned depth)
{
    const uint32_t outer = layout->align;
    if (members->kind != YAML_SEQUENCE || depth == DEPTH_MAX) {
        fail(layout, members->place, "give a list of members: [{f32: 1.5}, {i64: 7}]",
             depth == DEPTH_MAX ? "structures are too deep" : "this is no list of members");
        return;
    }
    size_t start = layout->bytes.length;
    struct layout inner = {
        .argument = layout->argument, .bytes.allocator = layout->bytes.allocator, .align = 1};
    for (const struct yaml_node *member = members->first; member && inner.status == HX_OK;
         member = member->next) {
        const struct yaml_node *value = member->first;
        if (member->kind != YAML_MAPPING || member->count != 1) {
            fail(&inner, member->place, "such as {f32: 1.5}, {u8: [1, 2, 3]} or {struct: [...]}",
                 "a member has a type and a value");
            break;
        }
        char type_name[8] = "";
        if (value->key.length < sizeof type_name)
            memcpy(type_name, value->key.at, value->key.length);
        const enum hx_type type = hx_type_find(type_name);
        if (slice_equal(value->key, "struct"))
            add_struct(&inner, value, depth + 1);
        else if (type_is_element(type))
            add_values(&inner, value, type);
        else
            fail(&inner, value->key_place, "i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64 struct",
                 "this is no type of a member");
    }
    align_to(&inner, inner.align);
    align_to(layout, inner.align);
    start = layout->bytes.length;
    text_append(&layout->bytes, inner.bytes.at ? inner.bytes.at : "", inner.bytes.length);
    for (size_t i = 0; i < inner.relocations.count; i++) {
        inner.relocations.items[i].element += start;
        if (!LIST_PUSH(layout->bytes.allocator, &layout->relocations, inner.relocations.items[i]))
            layout->bytes.failed = true;
    }
    layout->bytes.failed |= inner.bytes.failed;
    layout->status = layout->status == HX_OK ? inner.status : layout->status;
    layout->align = outer > inner.align ? outer : inner.align;
    LIST_DONE(layout->bytes.allocator, &inner.relocations);
    text_done(&inner.bytes);
}

/* --- into the parameter --------------------------------------------------------------------------------- */

static hx_status set_scalar(const struct layout *layout, struct program_param *param)
{
    const size_t bytes = type_bytes(param->type);
    if (layout->bytes.length != bytes || layout->relocations.count > 1)
        return argument_complain(layout->argument, NULL, "its size is not that of the parameter");
    param->bits = 0;
    param->follows = 0;
    param->target = (struct address_target){0};
    param->shared_bytes = 0;
    memcpy(&param->bits, layout->bytes.at, bytes);
    if (layout->relocations.count > 0) {
        param->target = layout->relocations.items[0].address.target;
        param->bits = (uint64_t)layout->relocations.items[0].address.addend;
    }
    param->has_value = true;
    return HX_OK;
}

/* Addresses are elements of their array: whole ones, or bytes. */
static hx_status set_relocations(const struct layout *layout, struct array *array)
{
    const size_t element = type_bytes(array->type), each = element == 8 ? 1 : 8;
    const size_t count = layout->relocations.count * each;
    struct relocation *kept = ARENA_ARRAY(&layout->argument->program->arena, struct relocation, count + 1);
    if (!kept)
        return diag_no_memory(layout->argument->diag);
    if (count > 0 && element != 1 && element != 8)
        return argument_complain(layout->argument, NULL, "the parameter cannot hold addresses");
    for (size_t i = 0; i < count; i++) {
        kept[i] = layout->relocations.items[i / each];
        kept[i].element = kept[i].element / element + i % each;
        kept[i].address.byte = (uint8_t)(i % each);
    }
    array->fill.relocations = kept;
    array->fill.relocation_count = count;
    return HX_OK;
}

static hx_status set_array(struct layout *layout, struct array *array)
{
    const struct argument *argument = layout->argument;
    const size_t bytes = array->count * type_bytes(array->type);
    if (layout->bytes.length > bytes) {
        char *what = arena_format(&argument->program->arena, "it has %zu bytes, and the parameter %zu",
                                  layout->bytes.length, bytes);
        return what ? argument_complain(argument, NULL, what) : diag_no_memory(argument->diag);
    }
    while (layout->bytes.length < bytes && !layout->bytes.failed)
        text_append(&layout->bytes, "", 1);
    char *values = layout->bytes.failed
                       ? NULL
                       : arena_copy(&argument->program->arena, layout->bytes.at, layout->bytes.length);
    if (!values)
        return diag_no_memory(argument->diag);
    array->fill = (struct fill){
        .kind = FILL_VALUES, .values = values, .value_count = array->count, .place = argument->place};
    return set_relocations(layout, array);
}

static hx_status set_file(const struct argument *argument, const struct yaml_node *file)
{
    if (argument_scalar(argument))
        return argument_complain(argument, "give it a number", "only a structure can come from a file");
    struct array *array =
        &argument->program->constants.items[argument->kernel->formals[argument->index].index];
    const char *path = arena_copy(&argument->program->arena, file->text.at, file->text.length);
    if (!path)
        return diag_no_memory(argument->diag);
    array->fill = (struct fill){.kind = FILL_FILE, .path = path, .place = file->place};
    return HX_OK;
}

hx_status argument_set_bytes(const struct argument *argument, const struct yaml_node *node)
{
    const struct yaml_node *file = yaml_get(node, "file"), *members = yaml_get(node, "struct"),
                           *type = yaml_get(node, "type"), *values = yaml_get(node, "values");
    if (file && node->count == 1)
        return set_file(argument, file);
    struct layout layout = {
        .argument = argument, .bytes.allocator = argument->program->arena.allocator, .align = 1};
    if (members && node->count == 1) {
        add_struct(&layout, members, 0);
    } else if (type && values && node->count == 2) {
        char name[8] = "";
        if (type->text.length < sizeof name)
            memcpy(name, type->text.at, type->text.length);
        if (type_is_element(hx_type_find(name)))
            add_values(&layout, values, hx_type_find(name));
        else
            fail(&layout, type->place, "i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64", "this is no type");
    } else {
        fail(&layout, node->place,
             "{shared: BYTES}, {type: f32, values: [1, 2]}, {struct: [{f32: 1.5}]} or {file: x.bin}",
             "this is no argument");
    }
    struct program_param *scalar = argument_scalar(argument);
    if (layout.status == HX_OK && layout.bytes.failed)
        layout.status = diag_no_memory(argument->diag);
    if (layout.status == HX_OK)
        layout.status =
            scalar
                ? set_scalar(&layout, scalar)
                : set_array(
                      &layout,
                      &argument->program->constants.items[argument->kernel->formals[argument->index].index]);
    LIST_DONE(layout.bytes.allocator, &layout.relocations);
    text_done(&layout.bytes);
    return layout.status;
}
