/* isa_table FILE.yaml: an instruction set as a constant table in C, on standard output.
 *
 * The build makes the built-in instruction set with it, from isa/hexec.yaml: reading and checking the YAML
 * takes more than ten milliseconds, which every start of hexec would pay. The table comes from the loader
 * that reads other instruction sets, so the two cannot mean different things;
 * tests/unit/isa/test_isa_default.c compares them. */
#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

/* What the isa module asks the build for; here it is being made. */
const hx_isa isa_default = {0};

static void print_string(const char *text)
{
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c >= ' ' && *c <= '~' && *c != '?') /* no trigraphs */
            putchar(*c);
        else
            printf("\\%03o", (unsigned)(unsigned char)*c);
    }
    putchar('"');
}

static void print_strings(const char *name, size_t index, const char *const *texts, size_t count)
{
    if (count == 0)
        return;
    printf("static const char *const %s_%zu[] = {", name, index);
    for (size_t i = 0; i < count; i++) {
        print_string(texts[i]);
        printf("%s", i + 1 < count ? ", " : "};\n");
    }
}

static void print_variants(const struct isa_opcode *opcode)
{
    if (opcode->variant_count == 0)
        return;
    printf("static const struct isa_variant variants_%u[] = {", opcode->index);
    for (size_t i = 0; i < opcode->variant_count; i++) {
        const struct isa_variant *variant = &opcode->variants[i];
        printf("{%u, %u, %d},", variant->group, variant->value, variant->semantic);
    }
    printf("};\n");
}

static void print_member(const char *member, const char *text)
{
    printf("     .%s = ", member);
    print_string(text);
    printf(",\n");
}

static void print_list(const char *member, const char *name, const struct isa_opcode *opcode, size_t count)
{
    if (count > 0)
        printf("     .%s = %s_%u,\n", member, name, opcode->index);
}

static void print_forms(const struct isa_opcode *opcode)
{
    printf("     .form_count = %u, .forms = {", opcode->form_count);
    for (size_t i = 0; i < FORM_COUNT_MAX; i++) {
        const struct form *form = &opcode->forms[i];
        printf("{%d, %d, %u, %d, %d, %d, %u},", form->kind, form->letter, form->extra, form->optional,
               form->may_sink, form->register_only, form->maximum);
    }
    printf("},\n     .modifiers = {");
    for (size_t i = 0; i < GROUP_COUNT; i++)
        printf("%llu,", (unsigned long long)opcode->modifiers[i]);
    printf("},\n");
}

static void print_opcode(const struct isa_opcode *opcode)
{
    printf("    {.index = %u, .may_literal = %u, .code = %d,\n", opcode->index, opcode->may_literal,
           opcode->code);
    print_member("mnemonic", opcode->mnemonic);
    print_list("aliases", "aliases", opcode, opcode->alias_count);
    print_member("class_name", opcode->class_name);
    print_member("summary", opcode->summary);
    print_member("detail", opcode->detail);
    print_member("see", opcode->see);
    print_member("semantics_name", opcode->semantics_name);
    print_member("span", opcode->span);
    print_list("variants", "variants", opcode, opcode->variant_count);
    print_list("expansion", "expansion", opcode, opcode->expansion_count);
    print_list("fidelity", "fidelity", opcode, opcode->fidelity_count);
    print_forms(opcode);
    printf("     .fidelity_count = %zu,\n", opcode->fidelity_count);
    printf("     .alias_count = %zu, .variant_count = %zu, .expansion_count = %zu,\n", opcode->alias_count,
           opcode->variant_count, opcode->expansion_count);
    printf("     .semantic = %d, .shape = %d, .space = %d, .has_directed = %d,\n", opcode->semantic,
           opcode->shape, opcode->space, opcode->has_directed);
    printf("     .types = %uu, .source_types = %uu, .metrics = %u,\n", opcode->types, opcode->source_types,
           opcode->metrics);
    printf("     .flops = %a, .issue_cycles = %a, .latency_cycles = %a,\n", opcode->flops,
           opcode->issue_cycles, opcode->latency_cycles);
    printf("     .place = {NULL, %d, %d, %d}},\n", opcode->place.line, opcode->place.column,
           opcode->place.length);
}

static void print_fidelity(const struct isa_opcode *opcode)
{
    if (opcode->fidelity_count == 0)
        return;
    printf("static const hx_fidelity_rule fidelity_%u[] = {", opcode->index);
    for (size_t i = 0; i < opcode->fidelity_count; i++) {
        const hx_fidelity_rule *rule = &opcode->fidelity[i];
        printf("{%d, %uu, ", (int)rule->result, rule->types);
        print_string(rule->modifier);
        printf(", ");
        print_string(rule->error);
        printf(", ");
        print_string(rule->why);
        printf("},");
    }
    printf("};\n");
}

static void print_tables(const hx_isa *isa)
{
    for (size_t i = 0; i < isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &isa->opcodes[i];
        print_strings("aliases", i, opcode->aliases, opcode->alias_count);
        print_strings("expansion", i, opcode->expansion, opcode->expansion_count);
        print_variants(opcode);
        print_fidelity(opcode);
    }
    printf("static const struct isa_opcode opcodes[] = {\n");
    for (size_t i = 0; i < isa->opcode_count; i++)
        print_opcode(&isa->opcodes[i]);
    printf("};\nstatic const struct isa_name names[] = {\n");
    for (size_t i = 0; i < isa->index->count; i++) {
        const struct isa_name *name = &isa->index->names[i];
        printf("    {");
        print_string(name->name);
        printf(", &opcodes[%u]},\n", name->opcode->index);
    }
    printf("};\nstatic const struct isa_index index_of_names = {names, %zu};\n", isa->index->count);
}

static void print_isa(const hx_isa *isa, const char *source_name)
{
    printf("const hx_isa isa_default = {\n");
    print_member("name", isa->name);
    print_member("version", isa->version);
    print_member("source_name", source_name);
    printf("     .crc = %uu, .opcodes = opcodes, .opcode_count = %zu, .index = &index_of_names,\n", isa->crc,
           isa->opcode_count);
    printf("     .by_code = {");
    for (size_t i = 0; i < HX_COUNT_OF(isa->by_code); i++)
        if (isa->by_code[i])
            printf("[%zu] = &opcodes[%u], ", i, isa->by_code[i]->index);
    printf("},\n     .fields = {");
#define PRINT_FIELD(name) printf("." #name " = {%u, %u}, ", isa->fields.name.at, isa->fields.name.bits);
    ISA_FIELDS(PRINT_FIELD)
#undef PRINT_FIELD
    printf("},\n     .group_fields = {");
    for (size_t i = 0; i < GROUP_COUNT; i++)
        printf("{%u, %u}, ", isa->group_fields[i].at, isa->group_fields[i].bits);
    printf("}};\n");
}

static hx_status write_error(void *file, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, file) == count ? HX_OK : HX_IO;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: isa_table FILE.yaml\n");
        return 1;
    }
    hx_diag *diag = NULL;
    hx_isa *isa = NULL;
    hx_status status = hx_diag_new(NULL, &diag);
    if (status == HX_OK)
        status = hx_isa_load(arguments[1], NULL, diag, &isa);
    if (status == HX_OK) {
        const char *name = strrchr(arguments[1], '/');
        printf("/* Made by tools/isa_table. */\n#include \"isa/isa.h\"\n\n");
        print_tables(isa);
        print_isa(isa, name ? name + 1 : arguments[1]);
    }
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        if (hx_diagnostic_render(hx_diag_at(diag, i), NULL, write_error, stderr) != HX_OK)
            break;
    hx_isa_free(isa);
    hx_diag_free(diag);
    return status != HX_OK || fflush(stdout) != 0;
}
