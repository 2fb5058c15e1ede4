/* How far the result of a GPU may be from that of hexec.
 *
 * Takes the rules of an entry, leaves the one that holds for an instruction. The instruction set says what is
 * true of an opcode whatever it computes; only what a `mov` reads of the machine is known here. */
#include "isa/load.h"

#include <string.h>

#define TEXT(key, flags, member)                                                                             \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), struct yaml_fidelity, member, 0,               \
                           CYAML_UNLIMITED)
static const cyaml_schema_value_t word_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t fidelity_fields[] = {
    TEXT("result", 0, result),
    TEXT("error", CYAML_FLAG_OPTIONAL, error),
    CYAML_FIELD_SEQUENCE_COUNT("types", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct yaml_fidelity,
                               types.items, types.count, &word_schema, 0, CYAML_UNLIMITED),
    TEXT("with", CYAML_FLAG_OPTIONAL, with),
    TEXT("why", CYAML_FLAG_OPTIONAL, why),
    CYAML_FIELD_END};
const cyaml_schema_value_t isa_fidelity_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_fidelity, fidelity_fields)};

static const char *const names[] = {"", "exact", "within", "open"};

const char *hx_fidelity_name(hx_fidelity fidelity)
{
    return (unsigned)fidelity < HX_COUNT_OF(names) ? names[fidelity] : "";
}

/* ---- Loading ------------------------------------------------------------------------------------------- */

static const char *text_at(struct isa_loading *loading, const struct yaml_node *node, const char *key)
{
    const struct yaml_node *const found = yaml_get(node, key);
    const char *const copy =
        found ? arena_copy(&loading->isa->arena, found->text.at, found->text.length) : "";
    if (!copy)
        isa_note(loading, diag_no_memory(loading->diag));
    return copy ? copy : "";
}

/* Is there a value of a group of modifiers with this name that the opcode may have? */
static bool may_have(const struct isa_opcode *opcode, const char *modifier)
{
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 1; modifier_text((enum modifier_group)group, value); value++)
            if ((opcode->modifiers[group] >> value & 1) &&
                strcmp(modifier_text((enum modifier_group)group, value), modifier) == 0)
                return true;
    return false;
}

static void wrong(struct isa_loading *loading, const struct yaml_node *node, const char *what)
{
    isa_note(loading, diag_report(loading->diag, DIAG_ISA_FIDELITY, node->place, NULL, "%s", what));
}

static void load_rule(struct isa_loading *loading, const struct yaml_node *node,
                      const struct isa_opcode *opcode, hx_fidelity_rule *rule)
{
    const char *const result = text_at(loading, node, "result");
    *rule = (hx_fidelity_rule){.types = isa_load_types(loading, yaml_get(node, "types")),
                               .modifier = text_at(loading, node, "with"),
                               .error = text_at(loading, node, "error"),
                               .why = text_at(loading, node, "why")};
    for (size_t i = 1; i < HX_COUNT_OF(names); i++)
        if (strcmp(names[i], result) == 0)
            rule->result = (hx_fidelity)i;
    if (rule->result == HX_FIDELITY_UNSTATED)
        wrong(loading, node, "`result` is none of exact, within and open");
    else if ((rule->result == HX_FIDELITY_WITHIN) != (rule->error[0] != 0))
        wrong(loading, node, "`within` needs `error`, and others have none");
    else if (rule->result == HX_FIDELITY_OPEN && !rule->why[0])
        wrong(loading, node, "`open` needs `why`");
    else if (rule->types & ~opcode->types)
        wrong(loading, node, "`types` has one that the opcode lacks");
    else if (rule->modifier[0] && !may_have(opcode, rule->modifier))
        wrong(loading, node, "`with` names no modifier of the opcode");
}

void isa_load_fidelity(struct isa_loading *loading, const struct yaml_node *list, struct isa_opcode *opcode)
{
    hx_fidelity_rule *const rules =
        list && list->count ? ARENA_ARRAY(&loading->isa->arena, hx_fidelity_rule, list->count) : NULL;
    if (!rules && list && list->count)
        isa_note(loading, diag_no_memory(loading->diag));
    if (!rules)
        return;
    opcode->fidelity = rules;
    for (const struct yaml_node *node = list->first; node; node = node->next)
        load_rule(loading, node, opcode, &rules[opcode->fidelity_count++]);
}

/* ---- Of an instruction --------------------------------------------------------------------------------- */

static bool has_modifier(const struct instruction *instruction, const char *modifier)
{
    for (int group = 0; group < GROUP_COUNT; group++) {
        const unsigned value = instruction->modifiers[group];
        const char *const text = value ? modifier_text((enum modifier_group)group, value) : NULL;
        if (text && strcmp(text, modifier) == 0)
            return true;
    }
    return false;
}

/* What differs from machine to machine, or from run to run. */
static bool is_of_machine(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *const operand = &instruction->operands[i];
        const enum special_register special = (enum special_register)operand->symbol;
        if (operand->kind == OPERAND_SPECIAL &&
            (special_is_clock(special) || special == SPECIAL_WARPID || special == SPECIAL_NWARPID ||
             special == SPECIAL_SMID || special == SPECIAL_NSMID || special == SPECIAL_GRIDID))
            return true;
    }
    return false;
}

const hx_fidelity_rule *instruction_fidelity(const struct instruction *instruction)
{
    static const hx_fidelity_rule of_machine = {.result = HX_FIDELITY_OPEN,
                                                .modifier = "",
                                                .error = "",
                                                .why = "a special register that is the machine's own"};
    static const hx_fidelity_rule unstated = {.modifier = "", .error = "", .why = ""};
    const struct isa_opcode *const opcode = instruction->opcode;
    if (is_of_machine(instruction))
        return &of_machine;
    for (size_t i = 0; i < opcode->fidelity_count; i++) {
        const hx_fidelity_rule *const rule = &opcode->fidelity[i];
        const bool has_type = !rule->types || (rule->types >> instruction->type & 1);
        if (has_type && (!rule->modifier[0] || has_modifier(instruction, rule->modifier)))
            return rule;
    }
    return &unstated;
}

bool instruction_is_open_at_zero(const struct instruction *instruction)
{
    const int semantic = instruction_semantic(instruction);
    return (semantic == SEM_div || semantic == SEM_rem) &&
           instruction_fidelity(instruction)->result != HX_FIDELITY_UNSTATED;
}

bool instruction_may_differ(const struct instruction *instruction)
{
    const hx_fidelity result = instruction_fidelity(instruction)->result;
    return result == HX_FIDELITY_WITHIN || result == HX_FIDELITY_OPEN ||
           instruction_is_open_at_zero(instruction);
}

/* ---- The public view of an entry ----------------------------------------------------------------------- */

hx_status hx_isa_opcode(const hx_isa *isa, size_t index, hx_opcode_info *ret_info)
{
    if (!isa || !ret_info || index >= isa->opcode_count)
        return HX_INVALID;
    const struct isa_opcode *opcode = &isa->opcodes[index];
    const size_t size = ret_info->size;
    const hx_opcode_info info = {.size = size,
                                 .mnemonic = opcode->mnemonic,
                                 .class_name = opcode->class_name,
                                 .semantics = opcode->semantics_name ? opcode->semantics_name : "",
                                 .span = opcode->span ? opcode->span : "",
                                 .summary = opcode->summary,
                                 .detail = opcode->detail ? opcode->detail : "",
                                 .code = opcode->code,
                                 .issue_cycles = opcode->issue_cycles,
                                 .latency_cycles = opcode->latency_cycles,
                                 .fidelity = opcode->fidelity,
                                 .fidelity_count = opcode->fidelity_count};
    memcpy(ret_info, &info, size && size < sizeof info ? size : sizeof info);
    return HX_OK;
}
