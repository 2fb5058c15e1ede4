/* The reference: the table printed for people, for docs/isa.md, and as JSON. */
#include "isa/isa.h"

#include "base/machine.h"

#include <string.h>
#include <strings.h>

static void print_types(struct text *text, uint32_t types)
{
    const char *between = "";
    for (int type = 0; type < HX_TYPE_COUNT; type++)
        if (types >> type & 1) {
            text_print(text, "%s%s", between, hx_type_name((hx_type)type));
            between = " ";
        }
}

static void print_form(struct text *text, const struct isa_opcode *opcode)
{
    text_print(text, "%s", opcode->mnemonic);
    if (opcode->types)
        text_print(text, ".T");
    if (opcode->source_types)
        text_print(text, ".S");
    for (unsigned i = 0; i < opcode->form_count; i++) {
        char form[16];
        form_print(&opcode->forms[i], form);
        text_print(text, "%s%s", i ? ", " : " ", form);
    }
}

static void print_modifiers(struct text *text, const struct isa_opcode *opcode)
{
    const char *between = "";
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 1; modifier_text(group, value); value++)
            if (opcode->modifiers[group] >> value & 1) {
                text_print(text, "%s%s", between, modifier_text(group, value));
                between = " ";
            }
}

static bool has_modifiers(const struct isa_opcode *opcode)
{
    for (int group = 0; group < GROUP_COUNT; group++)
        if (opcode->modifiers[group])
            return true;
    return false;
}

/* "f32 with approx: within 2 ulp" */
static void print_rule(struct text *text, const hx_fidelity_rule *rule, bool has_why)
{
    if (rule->types)
        print_types(text, rule->types);
    if (rule->modifier[0])
        text_print(text, "%swith %s", rule->types ? " " : "", rule->modifier);
    text_print(text, "%s%s%s%s", rule->types || rule->modifier[0] ? ": " : "", hx_fidelity_name(rule->result),
               rule->error[0] ? " " : "", rule->error);
    if (has_why && rule->why[0])
        text_print(text, " (%s)", rule->why);
}

static void print_fidelity(struct text *text, const struct isa_opcode *opcode)
{
    for (size_t i = 0; i < opcode->fidelity_count; i++) {
        text_print(text, "%s", i ? "                " : "    fidelity:   ");
        print_rule(text, &opcode->fidelity[i], true);
        text_print(text, "\n");
    }
}

static void print_entry(struct text *text, const hx_isa *isa, const struct isa_opcode *opcode)
{
    const struct semantic *row = semantic_at(opcode->semantic);
    (void)isa;
    print_form(text, opcode);
    text_print(text, "\n    %s\n    %s\n", opcode->summary, opcode->detail);
    if (opcode->types) {
        text_print(text, "    types T:    ");
        print_types(text, opcode->types);
        text_print(text, "\n");
    }
    if (opcode->source_types) {
        text_print(text, "    types S:    ");
        print_types(text, opcode->source_types);
        text_print(text, "\n");
    }
    if (has_modifiers(opcode)) {
        text_print(text, "    modifiers:  ");
        print_modifiers(text, opcode);
        text_print(text, "\n");
    }
    if (row && *row->expression)
        text_print(text, "    a lane:     %s := %s\n", opcode->shape == SHAPE_FLOW ? "flow" : "d",
                   row->expression);
    for (size_t i = 0; i < opcode->variant_count; i++)
        text_print(text, "      .%-9s d := %s\n",
                   modifier_text(opcode->variants[i].group, opcode->variants[i].value),
                   semantic_at(opcode->variants[i].semantic)->expression);
    for (size_t i = 0; i < opcode->expansion_count; i++)
        text_print(text, "    expands to: %s\n", opcode->expansion[i]);
    if (opcode->alias_count > 0) {
        text_print(text, "    aliases:   ");
        for (size_t i = 0; i < opcode->alias_count; i++)
            text_print(text, " %s", opcode->aliases[i]);
        text_print(text, "\n");
    }
    print_fidelity(text, opcode);
    text_print(text, "    class %s, code %d, span %s, cost: issue %g, latency %g cycles\n",
               opcode->class_name, opcode->code, opcode->span, opcode->issue_cycles, opcode->latency_cycles);
    if (opcode->see[0])
        text_print(text, "    see %s\n", opcode->see);
}

static void print_list(struct text *text, const hx_isa *isa)
{
    text_print(text, "Instruction set %s: %zu opcodes. `hexec isa OPCODE` explains one.\n", isa->name,
               isa->opcode_count);
    const char *last = "";
    for (size_t i = 0; i < isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &isa->opcodes[i];
        if (strcmp(opcode->class_name, last) != 0)
            text_print(text, "\n%s\n", opcode->class_name);
        last = opcode->class_name;
        struct text form = {.allocator = text->allocator};
        print_form(&form, opcode);
        text_print(text, "  %-32s %.44s\n", form.failed ? "" : form.at, opcode->summary);
        text->failed |= form.failed;
        text_done(&form);
    }
}

static void print_cell(struct text *text, const char *string)
{
    for (; *string; string++) /* a bar would end the cell */
        text_print(text, *string == '|' ? "\\|" : "%c", *string);
}

static void print_rules_cell(struct text *text, const struct isa_opcode *opcode)
{
    struct text rules = {.allocator = text->allocator};
    for (size_t i = 0; i < opcode->fidelity_count; i++) {
        text_print(&rules, "%s", i ? "; " : "");
        print_rule(&rules, &opcode->fidelity[i], opcode->fidelity[i].result == HX_FIDELITY_OPEN);
    }
    print_cell(text, rules.at && !rules.failed ? rules.at : "");
    text->failed |= rules.failed;
    text_done(&rules);
}

static void print_markdown(struct text *text, const hx_isa *isa)
{
    text_print(
        text,
        "# Instruction set %s\n\nMade from the instruction set's YAML by `hexec isa --markdown`; do "
        "not edit.\n\nFidelity says how far the result of a GPU may be from hexec's: *exact* where each bit "
        "is fixed, *within* an error, *open* where PTX or the order of threads decides. The first rule that "
        "fits an instruction counts. `hexec isa OPCODE` says more.\n",
        isa->name);
    const char *last = "";
    for (size_t i = 0; i < isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &isa->opcodes[i];
        if (strcmp(opcode->class_name, last) != 0)
            text_print(
                text,
                "\n## %s\n\n| form | types | modifiers | meaning | fidelity |\n| --- | --- | --- | --- | --- "
                "|\n",
                opcode->class_name);
        last = opcode->class_name;
        text_print(text, "| `");
        print_form(text, opcode);
        text_print(text, "` | ");
        print_types(text, opcode->types);
        if (opcode->source_types) {
            text_print(text, "; from ");
            print_types(text, opcode->source_types);
        }
        text_print(text, " | ");
        print_modifiers(text, opcode);
        text_print(text, " | ");
        print_cell(text, opcode->summary);
        text_print(text, ": ");
        print_cell(text, opcode->detail);
        text_print(text, " | ");
        print_rules_cell(text, opcode);
        text_print(text, " |\n");
    }
}

static void print_member(struct text *text, const char *name, const char *value)
{
    text_print(text, ",\"%s\":", name);
    text_print_json_string(text, value, strlen(value));
}

/* The words of a list between blanks, as a JSON array. */
static void print_words(struct text *text, const char *name, void (*print)(struct text *, uint32_t),
                        uint32_t types, const struct isa_opcode *opcode)
{
    struct text words = {.allocator = text->allocator};
    if (print)
        print(&words, types);
    else
        print_modifiers(&words, opcode);
    text_print(text, ",\"%s\":[", name);
    const char *between = "";
    for (const char *at = words.at; at && *at && !words.failed;) {
        size_t length = strcspn(at, " ");
        text_print(text, "%s\"%.*s\"", between, (int)length, at);
        between = ",";
        at += length + (at[length] == ' ');
    }
    text_print(text, "]");
    text->failed |= words.failed;
    text_done(&words);
}

static void print_json_entry(struct text *text, const struct isa_opcode *opcode)
{
    text_print(text, "{\"mnemonic\":\"%s\",\"code\":%d", opcode->mnemonic, opcode->code);
    print_member(text, "class", opcode->class_name);
    print_member(text, "semantics", opcode->semantics_name);
    text_print(text, ",\"operands\":[");
    for (unsigned i = 0; i < opcode->form_count; i++) {
        char form[16];
        form_print(&opcode->forms[i], form);
        text_print(text, "%s\"%s\"", i ? "," : "", form);
    }
    text_print(text, "]");
    print_words(text, "types", print_types, opcode->types, opcode);
    print_words(text, "source_types", print_types, opcode->source_types, opcode);
    print_words(text, "modifiers", NULL, 0, opcode);
    print_member(text, "span", opcode->span);
    text_print(text, ",\"flops\":%g,\"issue_cycles\":%g,\"latency_cycles\":%g", opcode->flops,
               opcode->issue_cycles, opcode->latency_cycles);
    print_member(text, "summary", opcode->summary);
    print_member(text, "detail", opcode->detail);
    print_member(text, "see", opcode->see);
    text_print(text, ",\"fidelity\":[");
    for (size_t i = 0; i < opcode->fidelity_count; i++) {
        const hx_fidelity_rule *rule = &opcode->fidelity[i];
        text_print(text, "%s{\"result\":\"%s\"", i ? "," : "", hx_fidelity_name(rule->result));
        print_words(text, "types", print_types, rule->types ? rule->types : opcode->types, opcode);
        print_member(text, "with", rule->modifier);
        print_member(text, "error", rule->error);
        print_member(text, "why", rule->why);
        text_print(text, "}");
    }
    text_print(text, "]}");
}

static void print_json(struct text *text, const hx_isa *isa, const char *mnemonic)
{
    text_print(text, "{\"isa\":");
    text_print_json_string(text, isa->name, strlen(isa->name));
    text_print(text, ",\"opcodes\":[");
    const char *between = "";
    for (size_t i = 0; i < isa->opcode_count; i++) {
        if (mnemonic && strcmp(isa->opcodes[i].mnemonic, mnemonic) != 0)
            continue;
        text_print(text, "%s\n", between);
        print_json_entry(text, &isa->opcodes[i]);
        between = ",";
    }
    text_print(text, "\n]}\n");
}

/* Opcodes of which `beginning` is all that stands before a point, such as atomg of atomg.add. */
static void list_family(const hx_isa *isa, struct slice beginning, struct text *text)
{
    const char *last = "";
    for (size_t i = 0; i < isa->opcode_count; i++) {
        const char *name = isa->opcodes[i].mnemonic;
        if (strncasecmp(name, beginning.at, beginning.length) != 0 || name[beginning.length] != '.' ||
            strcmp(name, last) == 0)
            continue;
        text_print(text, "%s%s", text->length ? ", " : "it is the beginning of ", name);
        last = name;
    }
}

static hx_status report_unknown(const hx_isa *isa, const char *mnemonic, hx_diag *diag)
{
    char space[TEXT_HINT_BYTES];
    HX_AUTO(text_done) struct text family = {.allocator = isa->arena.allocator};
    list_family(isa, slice_of(mnemonic), &family);
    const char *near = text_suggest(slice_of(mnemonic), isa_name_at, (void *)(uintptr_t)isa);
    const char *hint = text_did_you_mean(near, space);
    return diag_report(diag, DIAG_ISA_UNKNOWN, (struct place){0},
                       family.length && !family.failed ? family.at
                       : hint                          ? hint
                                                       : "hexec isa lists them all",
                       "instruction set '%s' has no opcode '%s'", isa->name, mnemonic);
}

hx_status hx_isa_reference(const hx_isa *isa, const char *mnemonic, hx_isa_format format, hx_diag *diag,
                           hx_write_function write, void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, isa);
    DIAG_REQUIRE(diag, write);
    struct text text = {.allocator = isa->arena.allocator};
    const struct isa_opcode *found = NULL;
    if (mnemonic) {
        (void)isa_find(isa, slice_of(mnemonic), HX_TYPE_NONE, HX_TYPE_NONE, &found);
        if (!found)
            return report_unknown(isa, mnemonic, diag);
        mnemonic = found->mnemonic;
    }
    if (format == HX_ISA_JSON)
        print_json(&text, isa, mnemonic);
    else if (format == HX_ISA_MARKDOWN)
        print_markdown(&text, isa);
    else if (!mnemonic)
        print_list(&text, isa);
    for (size_t i = 0; i < isa->opcode_count && mnemonic && format == HX_ISA_TEXT; i++)
        if (strcmp(isa->opcodes[i].mnemonic, mnemonic) == 0)
            print_entry(&text, isa, &isa->opcodes[i]);
    hx_status status = text.failed ? diag_no_memory(diag) : write(user, text.at, text.length);
    text_done(&text);
    return status;
}
