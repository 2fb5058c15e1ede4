/* The built-in instruction set: what the build made of isa/hexec.yaml, against the file as it is loaded. */
#include "isa/isa.h"
#include "unit.h"

#include <string.h>

static void same_texts(const char *const *x, size_t x_count, const char *const *y, size_t y_count)
{
    ck_assert_uint_eq(x_count, y_count);
    for (size_t i = 0; i < x_count; i++)
        ck_assert_str_eq(x[i], y[i]);
}

static void same_forms(const struct isa_opcode *x, const struct isa_opcode *y)
{
    ck_assert_uint_eq(x->form_count, y->form_count);
    for (size_t i = 0; i < FORM_COUNT_MAX; i++) {
        const struct form *a = &x->forms[i], *b = &y->forms[i];
        ck_assert_int_eq(a->kind, b->kind);
        ck_assert_int_eq(a->letter, b->letter);
        ck_assert_uint_eq(a->extra, b->extra);
        ck_assert_int_eq(a->optional, b->optional);
        ck_assert_int_eq(a->may_sink, b->may_sink);
        ck_assert_int_eq(a->register_only, b->register_only);
        ck_assert_uint_eq(a->maximum, b->maximum);
    }
}

static void same_meaning(const struct isa_opcode *x, const struct isa_opcode *y)
{
    ck_assert_str_eq(x->semantics_name, y->semantics_name);
    ck_assert_int_eq(x->semantic, y->semantic);
    ck_assert_int_eq(x->shape, y->shape);
    ck_assert_int_eq(x->space, y->space);
    ck_assert_int_eq(x->has_directed, y->has_directed);
    ck_assert_uint_eq(x->types, y->types);
    ck_assert_uint_eq(x->source_types, y->source_types);
    ck_assert_int_eq(memcmp(x->modifiers, y->modifiers, sizeof x->modifiers), 0);
    ck_assert_uint_eq(x->variant_count, y->variant_count);
    for (size_t i = 0; i < x->variant_count; i++) {
        ck_assert_uint_eq(x->variants[i].group, y->variants[i].group);
        ck_assert_uint_eq(x->variants[i].value, y->variants[i].value);
        ck_assert_int_eq(x->variants[i].semantic, y->variants[i].semantic);
    }
}

static void same_fidelity(const struct isa_opcode *x, const struct isa_opcode *y)
{
    ck_assert_uint_eq(x->fidelity_count, y->fidelity_count);
    for (size_t i = 0; i < x->fidelity_count; i++) {
        ck_assert_int_eq(x->fidelity[i].result, y->fidelity[i].result);
        ck_assert_uint_eq(x->fidelity[i].types, y->fidelity[i].types);
        ck_assert_str_eq(x->fidelity[i].modifier, y->fidelity[i].modifier);
        ck_assert_str_eq(x->fidelity[i].error, y->fidelity[i].error);
        ck_assert_str_eq(x->fidelity[i].why, y->fidelity[i].why);
    }
}

static void same_opcode(const struct isa_opcode *x, const struct isa_opcode *y)
{
    ck_assert_str_eq(x->mnemonic, y->mnemonic);
    ck_assert_uint_eq(x->index, y->index);
    ck_assert_uint_eq(x->may_literal, y->may_literal);
    ck_assert_int_eq(x->code, y->code);
    same_texts(x->aliases, x->alias_count, y->aliases, y->alias_count);
    same_texts(x->expansion, x->expansion_count, y->expansion, y->expansion_count);
    ck_assert_str_eq(x->class_name, y->class_name);
    ck_assert_str_eq(x->summary, y->summary);
    ck_assert_str_eq(x->detail, y->detail);
    ck_assert_str_eq(x->see, y->see);
    ck_assert_str_eq(x->span, y->span);
    same_fidelity(x, y);
    ck_assert_uint_eq(x->metrics, y->metrics);
    ck_assert_double_eq(x->flops, y->flops);
    ck_assert_double_eq(x->issue_cycles, y->issue_cycles);
    ck_assert_double_eq(x->latency_cycles, y->latency_cycles);
    ck_assert_int_eq(x->place.line, y->place.line);
    ck_assert_int_eq(x->place.column, y->place.column);
    ck_assert_int_eq(x->place.length, y->place.length);
    same_forms(x, y);
    same_meaning(x, y);
}

/* Every name leads to the entry that it leads to in the file's. */
static void same_names(const hx_isa *built_in, const hx_isa *file)
{
    ck_assert_uint_eq(built_in->index->count, file->index->count);
    for (size_t i = 0; i < file->index->count; i++) {
        const struct slice name = slice_of(file->index->names[i].name);
        ck_assert(isa_has_mnemonic(built_in, name));
        for (int type = 0; type <= HX_TYPE_NONE; type++) {
            const struct isa_opcode *any;
            const struct isa_opcode *const x = isa_find(built_in, name, type, HX_TYPE_NONE, &any);
            const struct isa_opcode *const y = isa_find(file, name, type, HX_TYPE_NONE, &any);
            ck_assert_int_eq(x ? x->index : -1, y ? y->index : -1);
        }
    }
}

START_TEST(same_as_the_file)
{
    hx_isa *built_in, *file;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &built_in));
    ck_assert_ok(hx_isa_load(HX_SOURCE_DIR "/isa/hexec.yaml", NULL, NULL, &file));
    ck_assert_str_eq(built_in->name, file->name);
    ck_assert_str_eq(built_in->version, file->version);
    ck_assert_str_eq(built_in->source_name, "hexec.yaml");
    ck_assert_uint_eq(built_in->crc, file->crc);
    ck_assert_uint_gt(file->opcode_count, 100);
    ck_assert_uint_eq(built_in->opcode_count, file->opcode_count);
    for (size_t i = 0; i < file->opcode_count; i++)
        same_opcode(&built_in->opcodes[i], &file->opcodes[i]);
    for (size_t i = 0; i < HX_COUNT_OF(file->by_code); i++) {
        ck_assert_int_eq(!built_in->by_code[i], !file->by_code[i]);
        if (file->by_code[i])
            ck_assert_uint_eq(built_in->by_code[i]->index, file->by_code[i]->index);
    }
    ck_assert_int_eq(memcmp(&built_in->fields, &file->fields, sizeof file->fields), 0);
    ck_assert_int_eq(memcmp(built_in->group_fields, file->group_fields, sizeof file->group_fields), 0);
    same_names(built_in, file);
    hx_isa_free(built_in);
    hx_isa_free(file);
}
END_TEST

/* It is a table: a load costs one allocation, and says so when there is none. */
START_TEST(costs_one_allocation)
{
    struct failing_allocator failing;
    hx_isa *isa = NULL;
    failing_allocator_init(&failing, 1);
    ck_assert_int_eq(hx_isa_load(NULL, &failing.hook, NULL, &isa), HX_NO_MEMORY);
    failing_allocator_init(&failing, 2);
    ck_assert_ok(hx_isa_load(NULL, &failing.hook, NULL, &isa));
    hx_isa_free(isa);
    ck_assert_uint_eq(failing.live, 0);
}
END_TEST

START_TEST(opcodes_are_listed)
{
    hx_isa *isa = NULL;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &isa));
    size_t adds = 0, macros = 0;
    hx_opcode_info info = {.size = sizeof info};
    for (size_t i = 0; i < hx_isa_opcode_count(isa); i++) {
        ck_assert_ok(hx_isa_opcode(isa, i, &info));
        ck_assert(*info.mnemonic && *info.class_name && *info.summary);
        ck_assert(info.code >= -1 && info.code < 256);
        adds += strcmp(info.mnemonic, "add") == 0 && strcmp(info.span, "cpu_add") == 0;
        macros += info.code < 0;
    }
    ck_assert_uint_gt(adds, 0);
    ck_assert_uint_lt(macros, hx_isa_opcode_count(isa));
    ck_assert_int_eq(hx_isa_opcode(isa, hx_isa_opcode_count(isa), &info), HX_INVALID);
    hx_isa_free(isa);
}
END_TEST

UNIT_MAIN("isa default", same_as_the_file, costs_one_allocation, opcodes_are_listed)
