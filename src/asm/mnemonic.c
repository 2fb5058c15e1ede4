/* Mnemonics: "setp.lt.and.f32" to an opcode, its modifiers and types.
 *
 * The longest dotted beginning that the instruction set knows is the mnemonic; of what follows, in any order,
 * each part is a type or a modifier. Which types there are, and which modifiers, the entries of the mnemonic
 * say, so every complaint can list what would be right. */
#include "asm/assembly.h"

#include <string.h>

/* ---- Cutting ------------------------------------------------------------------------------------------- */

static struct slice cut_last(struct slice name)
{
    do
        name.length--;
    while (name.length > 0 && name.at[name.length] != '.');
    return name;
}

static bool cut(struct assembly *assembly, struct piece word, struct slice name, struct mnemonic *mnemonic)
{
    struct piece part;
    *mnemonic = (struct mnemonic){.whole = word, .name = piece_part(word, 0, name.length)};
    size_t at = name.length + 1;
    while (piece_next_dotted(word, &at, &part)) {
        if (mnemonic->type_count < 2 && isa_type_of(part.text) != HX_TYPE_NONE) {
            mnemonic->types[mnemonic->type_count++] = part;
        } else if (mnemonic->modifier_count < MNEMONIC_PARTS_MAX) {
            mnemonic->modifiers[mnemonic->modifier_count++] = part;
        } else {
            assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_MODIFIER, part.place, NULL,
                                                "no opcode has so many modifiers"));
            return false;
        }
    }
    return true;
}

/* ---- Unknown opcodes ----------------------------------------------------------------------------------- */

#define DOTS_MAX 4 /* of mnemonics that are looked through for what was meant */

struct dotted {
    const hx_isa *isa;
    unsigned dots;
};

static unsigned count_dots(struct slice text)
{
    unsigned dots = 0;
    for (size_t i = 0; i < text.length; i++)
        dots += text.at[i] == '.';
    return dots;
}

/* The names that have as many dots as the word; text_suggest gets them by number. */
static const char *next_dotted(void *user, size_t index)
{
    const struct dotted *dotted = user;
    const char *name;
    for (size_t i = 0; (name = isa_name_at((void *)(uintptr_t)dotted->isa, i)) != NULL; i++)
        if (count_dots(slice_of(name)) == dotted->dots && index-- == 0)
            return name;
    return NULL;
}

static void report_opcode(struct assembly *assembly, struct piece word)
{
    const char *near = NULL;
    struct slice name = {word.text.at, 0};
    for (unsigned dots = 0; name.length < word.text.length; name.length++)
        if (word.text.at[name.length] == '.' && ++dots == DOTS_MAX)
            break;
    for (; name.length > 0 && !diag_is_full(assembly->diag); name = cut_last(name)) {
        struct dotted dotted = {assembly->program->isa, count_dots(name)};
        near = text_suggest(name, next_dotted, &dotted);
        if (near)
            break;
    }
    struct text hint HX_AUTO(text_done) = assembly_text(assembly);
    text_print(&hint, "did you mean '%s" SLICE_FORMAT "'?", near ? near : "",
               (int)(word.text.length - name.length), word.text.at + name.length);
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPCODE, word.place, near ? hint.at : NULL,
                                        "unknown opcode '" SLICE_FORMAT "'", SLICE_ARGS(word.text)));
}

/* ---- What a mnemonic may have -------------------------------------------------------------------------- */

/* Of all entries of a mnemonic. */
struct choices {
    uint32_t types, source_types;
    uint64_t modifiers[GROUP_COUNT];
};

static bool is_called(const struct isa_opcode *opcode, struct slice name)
{
    bool called = slice_equal_nocase(name, opcode->mnemonic);
    for (size_t i = 0; i < opcode->alias_count; i++)
        called |= slice_equal_nocase(name, opcode->aliases[i]);
    return called;
}

static void add_choices(const struct isa_opcode *opcode, struct choices *choices)
{
    choices->types |= opcode->types;
    choices->source_types |= opcode->source_types;
    for (int group = 0; group < GROUP_COUNT; group++)
        choices->modifiers[group] |= opcode->modifiers[group];
}

/* The words that may follow, types first, by number: for suggestions and lists. */
static const char *next_choice(void *user, size_t index)
{
    const struct choices *choices = user;
    for (int type = 0; type < HX_TYPE_COUNT; type++)
        if (((choices->types | choices->source_types) & TYPE_BIT(type)) && index-- == 0)
            return hx_type_name((enum hx_type)type);
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 1; modifier_text(group, value); value++)
            if ((choices->modifiers[group] >> value & 1) && index-- == 0)
                return modifier_text(group, value);
    return NULL;
}

static bool has_modifier(const uint64_t *modifiers, struct slice word)
{
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 1; modifier_text(group, value); value++)
            if ((modifiers[group] >> value & 1) && slice_equal_nocase(word, modifier_text(group, value)))
                return true;
    return false;
}

/* What may follow, or nothing at all; a beginning of a longer mnemonic may have been meant as that. */
static void print_choices(const struct assembly *assembly, const struct choices *choices, struct slice name,
                          struct slice word, struct text *hint)
{
    void *user = (void *)(uintptr_t)choices;
    const struct slice whole = {name.at, (size_t)(word.at + word.length - name.at)};
    struct dotted dotted = {assembly->program->isa, count_dots(whole)};
    const char *near = text_suggest(word, next_choice, user), *choice;
    const char *longer = near ? NULL : text_suggest(whole, next_dotted, &dotted);
    if (near || longer) {
        text_print(hint, "did you mean '%s'?", near ? near : longer);
        return;
    }
    text_print(hint, "'" SLICE_FORMAT "' %s", SLICE_ARGS(name),
               next_choice(user, 0) ? "may have:" : "has neither types nor modifiers");
    for (size_t i = 0; (choice = next_choice(user, i)) != NULL; i++)
        text_print(hint, " %s", choice);
}

static void report_modifier(struct assembly *assembly, const struct choices *choices, struct slice name,
                            struct piece word)
{
    struct text hint HX_AUTO(text_done) = assembly_text(assembly);
    if (!diag_is_full(assembly->diag))
        print_choices(assembly, choices, name, word.text, &hint);
    if (word.text.length == 0)
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_MODIFIER, word.place, hint.at,
                                            "a type or modifier is missing behind the dot"));
    else
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_MODIFIER, word.place, hint.at,
                                            "'" SLICE_FORMAT "' is no type or modifier of '" SLICE_FORMAT "'",
                                            SLICE_ARGS(word.text), SLICE_ARGS(name)));
}

static void print_types(struct text *text, const char *lead, uint32_t types)
{
    text_print(text, "%s", lead);
    for (int type = 0; type < HX_TYPE_COUNT; type++)
        if (types & TYPE_BIT(type))
            text_print(text, " %s", hx_type_name((enum hx_type)type));
}

/* No entry of the mnemonic has these types: says which is wrong, and which there are. */
static void report_types(struct assembly *assembly, const struct choices *choices,
                         const struct mnemonic *mnemonic)
{
    const unsigned count = mnemonic->type_count;
    const struct slice name = mnemonic->name.text;
    const enum hx_type first = count > 0 ? isa_type_of(mnemonic->types[0].text) : HX_TYPE_NONE,
                       second = count > 1 ? isa_type_of(mnemonic->types[1].text) : HX_TYPE_NONE;
    struct text hint HX_AUTO(text_done) = assembly_text(assembly);
    print_types(&hint, "types are", choices->types);
    if (choices->source_types)
        print_types(&hint, ", then the source's:", choices->source_types);
    const char *what = "with this first type does not take";
    struct piece wrong = count > 0 ? mnemonic->types[count - 1] : mnemonic->name;
    if (count == 0) {
        what = "needs a type";
    } else if (choices->types == 0) {
        wrong = mnemonic->types[0];
        what = "has no type";
    } else if (!(choices->types & TYPE_BIT(first))) {
        wrong = mnemonic->types[0];
        what = "is not there for";
    } else if (count == 1) {
        what = "needs the source's type behind";
    } else if (choices->source_types == 0) {
        what = "has one type; there is no place for";
    } else if (!(choices->source_types & TYPE_BIT(second))) {
        what = "does not convert from";
    }
    if (count == 0)
        wrong.text.length = 0;
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_TYPE, wrong.place,
                                        choices->types == 0 ? "write it without" : hint.at,
                                        "'" SLICE_FORMAT "' %s%s" SLICE_FORMAT, SLICE_ARGS(name), what,
                                        count ? " " : "", SLICE_ARGS(wrong.text)));
}

static void report_no_entry(struct assembly *assembly, const struct mnemonic *mnemonic)
{
    struct choices choices = {0};
    const hx_isa *isa = assembly->program->isa;
    for (size_t i = 0; i < isa->opcode_count; i++)
        if (is_called(&isa->opcodes[i], mnemonic->name.text))
            add_choices(&isa->opcodes[i], &choices);
    bool is_explained = false; /* a word that is nothing may have been meant as the type */
    for (unsigned i = 0; i < mnemonic->modifier_count; i++)
        if (!has_modifier(choices.modifiers, mnemonic->modifiers[i].text)) {
            report_modifier(assembly, &choices, mnemonic->name.text, mnemonic->modifiers[i]);
            is_explained = true;
        }
    if (!is_explained)
        report_types(assembly, &choices, mnemonic);
}

/* ---- Modifiers ----------------------------------------------------------------------------------------- */

/* The opcode is there, but no row of the semantics for it with these modifiers and types. */
static void check_meaning(struct assembly *assembly, const struct mnemonic *mnemonic,
                          const struct instruction *instruction)
{
    const struct isa_opcode *opcode = instruction->opcode;
    if (opcode->expansion_count > 0 || instruction_semantic(instruction) != SEMANTIC_NONE)
        return;
    const unsigned group = opcode->variant_count > 0 ? opcode->variants[0].group : GROUP_COUNT;
    struct text hint HX_AUTO(text_done) = assembly_text(assembly);
    text_print(&hint, "one of:");
    for (unsigned value = 1; group < GROUP_COUNT && modifier_text(group, value); value++)
        if (opcode->modifiers[group] >> value & 1)
            text_print(&hint, " .%s", modifier_text(group, value));
    const bool is_missing = group < GROUP_COUNT && instruction->modifiers[group] == 0;
    assembly_note(assembly,
                  diag_report(assembly->diag, DIAG_ASM_MODIFIER, mnemonic->whole.place,
                              is_missing ? hint.at : NULL, "'" SLICE_FORMAT "' %s",
                              SLICE_ARGS(mnemonic->name.text),
                              is_missing ? "needs a modifier" : "means nothing with this type and modifier"));
}

static void read_modifiers(struct assembly *assembly, const struct mnemonic *mnemonic,
                           struct instruction *instruction)
{
    const size_t errors = assembly->errors;
    struct choices choices = {0};
    add_choices(instruction->opcode, &choices);
    for (unsigned i = 0; i < mnemonic->modifier_count; i++) {
        const struct piece word = mnemonic->modifiers[i];
        const int applied = isa_apply_modifier(instruction->opcode, word.text, instruction->modifiers);
        if (applied == 0)
            report_modifier(assembly, &choices, mnemonic->name.text, word);
        else if (applied < 0)
            assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_MODIFIER, word.place, NULL,
                                                "'" SLICE_FORMAT "' is one modifier too many of its kind",
                                                SLICE_ARGS(word.text)));
    }
    if (assembly->errors == errors)
        check_meaning(assembly, mnemonic, instruction);
}

bool mnemonic_read(struct assembly *assembly, struct piece word, struct mnemonic *ret_mnemonic,
                   struct instruction *instruction)
{
    const hx_isa *isa = assembly->program->isa;
    const struct slice name = isa_cut_mnemonic(isa, word.text);
    if (name.length == 0) {
        report_opcode(assembly, word);
        return false;
    }
    if (!cut(assembly, word, name, ret_mnemonic))
        return false;
    const enum hx_type type = ret_mnemonic->type_count > 0 ? isa_type_of(ret_mnemonic->types[0].text)
                                                           : HX_TYPE_NONE,
                       source = ret_mnemonic->type_count > 1 ? isa_type_of(ret_mnemonic->types[1].text)
                                                             : HX_TYPE_NONE;
    const struct isa_opcode *any;
    instruction->opcode = isa_find(isa, name, type, source, &any);
    if (!instruction->opcode) {
        report_no_entry(assembly, ret_mnemonic);
        return false;
    }
    instruction->type = (uint8_t)type;
    instruction->source_type = (uint8_t)source;
    read_modifiers(assembly, ret_mnemonic, instruction);
    return true;
}

hx_status mnemonic_parse(const hx_isa *isa, const hx_allocator *allocator, struct slice word,
                         struct place place, hx_diag *diag, struct instruction *ret_instruction)
{
    hx_program program = {.isa = isa};
    struct assembly assembly = {.program = &program, .diag = diag};
    struct instruction instruction = {.guard = -1};
    struct mnemonic mnemonic;
    arena_init(&program.arena, allocator);
    if (mnemonic_read(&assembly, (struct piece){word, place, true}, &mnemonic, &instruction) &&
        assembly.status == HX_OK)
        *ret_instruction = instruction;
    arena_done(&program.arena);
    return assembly.status;
}
