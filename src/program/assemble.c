/* The assembler: lines of text to decoded instructions, and then to words.
 *
 * Takes a kernel's text, leaves its code, lines and labels. It is driven by forms: nothing here knows an
 * opcode. Each line is read on its own and its problems reported, then the next; labels are looked up when
 * all lines are read, so that one run tells everything that is wrong. */
#include "program/operands.h"

#include <ctype.h>
#include <string.h>

#define INSTRUCTIONS_MAX 1000000
#define MACRO_DEPTH_MAX  16
#define OPERANDS_MAX     8

hx_status assembly_note(struct assembly *assembly, hx_status status)
{
    if (assembly->status == HX_OK)
        assembly->status = status;
    return status;
}

static void no_memory(struct assembly *assembly)
{
    assembly_note(assembly, diag_no_memory(assembly->diag));
}

/* ---- Cutting a line ------------------------------------------------------------------------------------ */

/* A line of the text, or of a macro's expansion, whose pieces all stand where the macro stands. */
struct line {
    struct slice text; /* without comment */
    int number;        /* 0-based, in the text */
    const struct place *fixed;
};

static struct piece piece_of(const struct assembly *assembly, const struct line *line, struct slice part)
{
    part = slice_trim(part);
    if (line->fixed)
        return (struct piece){part, *line->fixed};
    int column = (int)(part.at - line->text.at), length = part.length ? (int)part.length : 1;
    return (struct piece){part, assembly->places->at(assembly->places->user, line->number, column, length)};
}

static struct slice without_comment(struct slice text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] == '#' || (text.at[i] == '/' && i + 1 < text.length && text.at[i + 1] == '/')) {
            /* "#15" never stands in code: a small number is written without the sign */
            text.length = i;
            break;
        }
    return text;
}

static size_t word_length(struct slice text)
{
    size_t length = 0;
    while (length < text.length && !isspace((unsigned char)text.at[length]))
        length++;
    return length;
}

static struct slice rest_of(struct slice text, size_t skip)
{
    return slice_trim((struct slice){text.at + skip, text.length - skip});
}

/* ---- Mnemonics ----------------------------------------------------------------------------------------- */

struct mnemonic {
    struct slice name;
    enum hx_type types[2];
    struct piece type_pieces[2];
    unsigned type_count;
    struct piece modifiers[8];
    unsigned modifier_count;
    struct place place;
};

static void suggest_opcode(struct assembly *assembly, struct piece word)
{
    struct slice name = word.text;
    const char *dot = memchr(name.at, '.', name.length);
    struct slice bare = {name.at, dot ? (size_t)(dot - name.at) : name.length};
    const char *near = text_suggest(bare, isa_name_at, (void *)(uintptr_t)assembly->program->isa);
    struct text hint = {0};
    text_print(&hint, "did you mean '%s" SLICE_FORMAT "'?", near ? near : "",
               (int)(name.length - bare.length), name.at + bare.length);
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPCODE, word.place, near ? hint.at : NULL,
                                        "unknown opcode '" SLICE_FORMAT "'", SLICE_ARGS(name)));
    text_done(&hint);
}

/* The longest run of dotted parts that is a mnemonic; what follows are types and modifiers. */
static bool split_mnemonic(struct assembly *assembly, const struct line *line, struct piece word,
                           struct mnemonic *mnemonic)
{
    struct slice name = word.text;
    while (name.length > 0 && !isa_has_mnemonic(assembly->program->isa, name)) {
        do
            name.length--;
        while (name.length > 0 && name.at[name.length] != '.');
    }
    if (name.length == 0) {
        suggest_opcode(assembly, word);
        return false;
    }
    *mnemonic = (struct mnemonic){.name = name, .place = word.place};
    for (size_t at = name.length + 1; at <= word.text.length;) {
        size_t end = at;
        while (end < word.text.length && word.text.at[end] != '.')
            end++;
        struct piece part = piece_of(assembly, line, (struct slice){word.text.at + at, end - at});
        char type_text[8] = "";
        if (part.text.length < sizeof type_text)
            memcpy(type_text, part.text.at, part.text.length);
        enum hx_type type = hx_type_find(type_text);
        if (type != HX_TYPE_NONE && mnemonic->type_count < 2) {
            mnemonic->types[mnemonic->type_count] = type;
            mnemonic->type_pieces[mnemonic->type_count++] = part;
        } else if (mnemonic->modifier_count < HX_COUNT_OF(mnemonic->modifiers)) {
            mnemonic->modifiers[mnemonic->modifier_count++] = part;
        }
        at = end + 1;
    }
    return true;
}

static void print_types(struct text *text, uint32_t types)
{
    const char *between = "";
    for (int type = 0; type < HX_TYPE_COUNT; type++)
        if (types & TYPE_BIT(type)) {
            text_print(text, "%s%s", between, hx_type_name(type));
            between = " ";
        }
}

static const struct isa_opcode *find_opcode(struct assembly *assembly, const struct mnemonic *mnemonic)
{
    enum hx_type type = mnemonic->type_count > 0 ? mnemonic->types[0] : HX_TYPE_NONE;
    enum hx_type source = mnemonic->type_count > 1 ? mnemonic->types[1] : HX_TYPE_NONE;
    const struct isa_opcode *any,
        *opcode = isa_find(assembly->program->isa, mnemonic->name, type, source, &any);
    if (opcode)
        return opcode;
    struct text hint = {0};
    if (any->types == 0)
        text_print(&hint, "write it without a type");
    else {
        text_print(&hint, "types are ");
        print_types(&hint, any->types);
        if (any->source_types) {
            text_print(&hint, ", then the source's: ");
            print_types(&hint, any->source_types);
        }
    }
    struct place place = mnemonic->type_count ? mnemonic->type_pieces[0].place : mnemonic->place;
    const char *what = mnemonic->type_count == 0                       ? "needs a type"
                       : any->types == 0                               ? "has no type"
                       : any->source_types && mnemonic->type_count < 2 ? "needs two types"
                                                                       : "has no such type";
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_TYPE, place, hint.at,
                                        "'" SLICE_FORMAT "' %s", SLICE_ARGS(mnemonic->name), what));
    text_done(&hint);
    return NULL;
}

static bool apply_modifier(const struct isa_opcode *opcode, struct slice word, uint8_t *modifiers,
                           bool *ret_twice)
{
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 1; modifier_text(group, value); value++)
            if ((opcode->modifiers[group] >> value & 1) &&
                slice_equal_nocase(word, modifier_text(group, value))) {
                *ret_twice = modifiers[group] != 0;
                modifiers[group] = (uint8_t)value;
                return true;
            }
    return false;
}

static void report_modifier(struct assembly *assembly, const struct isa_opcode *opcode, struct piece word)
{
    struct text hint = {0};
    text_print(&hint, "modifiers of '%s':", opcode->mnemonic);
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 1; modifier_text(group, value); value++)
            if (opcode->modifiers[group] >> value & 1)
                text_print(&hint, " %s", modifier_text(group, value));
    text_print(&hint, "; types: ");
    print_types(&hint, opcode->types);
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_MODIFIER, word.place, hint.at,
                                        "'" SLICE_FORMAT "' is no modifier or type of '%s'",
                                        SLICE_ARGS(word.text), opcode->mnemonic));
    text_done(&hint);
}

static void read_modifiers(struct assembly *assembly, const struct mnemonic *mnemonic,
                           struct instruction *instruction)
{
    for (unsigned i = 0; i < mnemonic->modifier_count; i++) {
        struct piece word = mnemonic->modifiers[i];
        bool twice = false;
        if (!apply_modifier(instruction->opcode, word.text, instruction->modifiers, &twice))
            report_modifier(assembly, instruction->opcode, word);
        else if (twice)
            assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_MODIFIER, word.place, NULL,
                                                "'" SLICE_FORMAT "' is one modifier too many of its kind",
                                                SLICE_ARGS(word.text)));
    }
    if (assembly->status == HX_OK && instruction->opcode->expansion_count == 0 &&
        instruction_semantic(instruction) == SEMANTIC_NONE)
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_MODIFIER, mnemonic->place,
                                  "`hexec isa` shows the modifiers and types of an opcode",
                                  "'" SLICE_FORMAT "' means nothing with this type and these modifiers",
                                  SLICE_ARGS(mnemonic->name)));
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static unsigned split_operands(const struct assembly *assembly, const struct line *line, struct slice text,
                               struct piece *pieces)
{
    unsigned count = 0;
    int depth = 0;
    size_t start = 0;
    text = slice_trim(text);
    if (text.length == 0)
        return 0;
    for (size_t i = 0; i <= text.length; i++) {
        char c = i < text.length ? text.at[i] : ',';
        depth += c == '[';
        depth -= c == ']';
        if (c != ',' || (depth > 0 && i < text.length))
            continue;
        if (count < OPERANDS_MAX)
            pieces[count] = piece_of(assembly, line, (struct slice){text.at + start, i - start});
        count++;
        start = i + 1;
    }
    return count;
}

static void report_count(struct assembly *assembly, const struct isa_opcode *opcode, unsigned count,
                         struct place place)
{
    struct text hint = {0};
    text_print(&hint, "the form is: %s", opcode->mnemonic);
    for (unsigned i = 0; i < opcode->form_count; i++) {
        char form[16];
        form_print(&opcode->forms[i], form);
        text_print(&hint, "%s %s", i ? "," : "", form);
    }
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPERAND_COUNT, place, hint.at,
                                        "'%s' does not have %u operand%s", opcode->mnemonic, count,
                                        count == 1 ? "" : "s"));
    text_done(&hint);
}

/* An optional operand that belongs to a modifier (combine) is there exactly when the modifier is. */
static bool count_fits(const struct instruction *instruction, unsigned count)
{
    const struct isa_opcode *opcode = instruction->opcode;
    bool optional = opcode->form_count > 0 && opcode->forms[opcode->form_count - 1].optional;
    bool combines = opcode->modifiers[GROUP_COMBINE] != 0;
    if (optional && combines)
        return count + (instruction->modifiers[GROUP_COMBINE] == 0) == opcode->form_count;
    return count == opcode->form_count || (optional && count + 1 == opcode->form_count);
}

static void check_literals(struct assembly *assembly, const struct instruction *instruction,
                           struct place place)
{
    unsigned literals = 0;
    bool has_fourth = false, large = false;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        enum form_kind kind = instruction->opcode->forms[i].kind;
        bool source = kind == FORM_SOURCE || kind == FORM_ANY_SOURCE;
        literals += source && operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_ABSENT;
        has_fourth |= instruction->opcode->forms[i].letter == OPERAND_F;
        large |= source && operand->kind == OPERAND_IMMEDIATE && operand->bits > UINT32_MAX;
    }
    if (literals > 1)
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_LITERALS, place,
                                  "move one of them to a register first (mov)",
                                  "at most one source may be a number or parameter, here are %u", literals));
    else if (has_fourth && large)
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_NUMBER, place, "move it to a register first (mov)",
                                  "a number in an instruction with four sources must fit 32 bits"));
}

static void check_vector(struct assembly *assembly, const struct instruction *instruction,
                         const struct piece *pieces)
{
    unsigned vector = instruction_vector(instruction);
    for (unsigned i = 0; vector > 1 && i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind == OPERAND_REGISTER && operand->reg + vector > REGISTER_COUNT)
            assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_REGISTER, pieces[i].place, NULL,
                                                "a vector of %u registers from r%u on goes beyond r255",
                                                vector, operand->reg));
    }
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static void read_statement(struct assembly *assembly, const struct line *line, struct slice text,
                           struct piece shown);

static void expand(struct assembly *assembly, const struct isa_opcode *opcode,
                   const struct mnemonic *mnemonic, struct slice guard, const struct piece *pieces,
                   struct piece shown)
{
    struct slice operands[OPERANDS_MAX] = {{0}};
    if (++assembly->macro_depth > MACRO_DEPTH_MAX) {
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_MACRO, mnemonic->place, NULL,
                                            "macro-opcode '%s' expands too deep", opcode->mnemonic));
        return;
    }
    for (unsigned i = 0; i < opcode->form_count; i++)
        operands[i] = pieces[i].text;
    for (size_t i = 0; i < opcode->expansion_count; i++) {
        struct text text;
        text_init(&text, assembly->program->arena.allocator);
        text_print(&text, SLICE_FORMAT " ", SLICE_ARGS(guard));
        isa_expand_line(opcode, i, operands,
                        mnemonic->type_count > 0 ? mnemonic->type_pieces[0].text : slice_of(""),
                        mnemonic->type_count > 1 ? mnemonic->type_pieces[1].text : slice_of(""), &text);
        /* kept: label operands of the expansion point into it until labels are looked up */
        char *kept = text.failed ? NULL : arena_copy(&assembly->program->arena, text.at, text.length);
        size_t length = text.length;
        text_done(&text);
        if (!kept) {
            no_memory(assembly);
            return;
        }
        struct line line = {{kept, length}, 0, &mnemonic->place};
        read_statement(assembly, &line, line.text, shown);
    }
    assembly->macro_depth--;
}

static bool read_guard(struct assembly *assembly, const struct line *line, struct slice *text,
                       struct instruction *instruction, struct slice *ret_guard)
{
    instruction->guard = -1;
    *ret_guard = (struct slice){"", 0};
    if (text->at[0] != '@')
        return true;
    size_t length = word_length(*text);
    struct piece word = piece_of(assembly, line, (struct slice){text->at, length});
    bool negated = length > 1 && text->at[1] == '!';
    uint8_t number = 0;
    *ret_guard = word.text;
    if (!operand_register((struct slice){text->at + 1 + negated, length - 1 - negated}, 'p', PREDICATE_COUNT,
                          &number)) {
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPERAND_KIND, word.place, NULL,
                                            "'" SLICE_FORMAT "' is no guard: @p0 to @p15, @!p0 to @!p15",
                                            SLICE_ARGS(word.text)));
        return false;
    }
    instruction->guard = (int8_t)number;
    instruction->guard_negated = negated;
    *text = rest_of(*text, length);
    if (text->length == 0)
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_SYNTAX, word.place, NULL,
                                            "an instruction is missing behind the guard"));
    return text->length > 0;
}

static void keep(struct assembly *assembly, const struct instruction *instruction, struct piece shown)
{
    const hx_allocator *allocator = assembly->program->arena.allocator;
    struct code_line line = {shown.place,
                             arena_copy(&assembly->program->arena, shown.text.at, shown.text.length)};
    if (!line.text || !LIST_PUSH(allocator, &assembly->code, *instruction) ||
        !LIST_PUSH(allocator, &assembly->lines, line))
        no_memory(assembly);
}

/* [@p] mnemonic operands: `text` begins with the guard or the mnemonic. */
static void read_statement(struct assembly *assembly, const struct line *line, struct slice text,
                           struct piece shown)
{
    struct instruction instruction = {0};
    struct mnemonic mnemonic;
    struct slice guard;
    text = slice_trim(text);
    if (!read_guard(assembly, line, &text, &instruction, &guard))
        return;
    size_t length = word_length(text);
    struct piece word = piece_of(assembly, line, (struct slice){text.at, length});
    if (!split_mnemonic(assembly, line, word, &mnemonic) ||
        !(instruction.opcode = find_opcode(assembly, &mnemonic)))
        return;
    instruction.type = instruction.opcode->types ? (uint8_t)mnemonic.types[0] : HX_TYPE_NONE;
    instruction.source_type = instruction.opcode->source_types ? (uint8_t)mnemonic.types[1] : HX_TYPE_NONE;
    hx_status before = assembly->status;
    assembly->status = HX_OK; /* of this line alone, for a while */
    read_modifiers(assembly, &mnemonic, &instruction);
    struct piece pieces[OPERANDS_MAX];
    unsigned count = split_operands(assembly, line, rest_of(text, length), pieces);
    if (!count_fits(&instruction, count))
        report_count(assembly, instruction.opcode, count, word.place);
    else if (instruction.opcode->expansion_count > 0)
        expand(assembly, instruction.opcode, &mnemonic, guard, pieces, shown);
    else {
        for (unsigned i = 0; i < count; i++)
            operand_read(assembly, &instruction, i, pieces[i]);
        check_literals(assembly, &instruction, word.place);
        check_vector(assembly, &instruction, pieces);
        keep(assembly, &instruction, shown);
    }
    if (before != HX_OK)
        assembly->status = before;
}

static void add_label(struct assembly *assembly, struct piece name)
{
    uint8_t number;
    bool taken = operand_register(name.text, 'r', REGISTER_COUNT, &number) ||
                 operand_register(name.text, 'p', PREDICATE_COUNT, &number);
    if (!program_is_name(name.text) || taken) {
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_SYNTAX, name.place, NULL,
                                  "'" SLICE_FORMAT "' is no name for a label", SLICE_ARGS(name.text)));
        return;
    }
    for (size_t i = 0; i < assembly->labels.count; i++) {
        const struct label *other = &assembly->labels.items[i];
        if (other->name.length == name.text.length &&
            memcmp(other->name.at, name.text.at, name.text.length) == 0) {
            assembly_note(assembly, diag_report_noted(assembly->diag, DIAG_ASM_LABEL_TWICE, name.place, NULL,
                                                      other->place, "the first one is here",
                                                      "label '" SLICE_FORMAT "' is given twice",
                                                      SLICE_ARGS(name.text)));
            return;
        }
    }
    struct label label = {name.text, (uint32_t)assembly->code.count, name.place};
    if (!LIST_PUSH(assembly->program->arena.allocator, &assembly->labels, label))
        no_memory(assembly);
}

static void read_line(struct assembly *assembly, struct slice text, int number)
{
    struct line line = {without_comment(text), number, NULL};
    struct slice rest = slice_trim(line.text);
    for (;;) { /* labels */
        size_t length = 0;
        while (length < rest.length && (isalnum((unsigned char)rest.at[length]) || rest.at[length] == '_'))
            length++;
        size_t colon = length;
        while (colon < rest.length && isspace((unsigned char)rest.at[colon]))
            colon++;
        if (length == 0 || colon >= rest.length || rest.at[colon] != ':')
            break;
        add_label(assembly, piece_of(assembly, &line, (struct slice){rest.at, length}));
        rest = rest_of(rest, colon + 1);
    }
    if (rest.length > 0)
        read_statement(assembly, &line, rest, piece_of(assembly, &line, rest));
}

/* ---- Labels, and the end ------------------------------------------------------------------------------- */

static const char *label_at(void *user, size_t index)
{
    const struct kernel *kernel = user;
    return index < kernel->label_count ? kernel->labels[index].name : NULL;
}

/* The label is the last operand in the line's text. */
static void resolve(struct assembly *assembly, uint32_t index)
{
    struct instruction *instruction = &assembly->code.items[index];
    const struct code_line *line = &assembly->lines.items[index];
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        struct operand *operand = &instruction->operands[i];
        if (operand->kind != OPERAND_TARGET)
            continue;
        struct slice text = slice_of(line->text);
        size_t start = text.length;
        while (start > 0 && !isspace((unsigned char)text.at[start - 1]) && text.at[start - 1] != ',')
            start--;
        struct slice name = {text.at + start, text.length - start};
        struct place place = line->place;
        place.column += (int)start;
        place.length = (int)name.length;
        operand->bits = UINT64_MAX;
        for (size_t k = 0; k < assembly->labels.count; k++)
            if (assembly->labels.items[k].name.length == name.length &&
                memcmp(assembly->labels.items[k].name.at, name.at, name.length) == 0)
                operand->bits = assembly->labels.items[k].target;
        if (operand->bits != UINT64_MAX)
            continue;
        const char *near = text_suggest(name, label_at, assembly->kernel);
        struct text hint = {0};
        text_print(&hint, "did you mean '%s'?", near ? near : "");
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_NAME, place, near ? hint.at : NULL,
                                            "there is no label '" SLICE_FORMAT "'", SLICE_ARGS(name)));
        text_done(&hint);
    }
}

static void finish(struct assembly *assembly, struct place place)
{
    struct kernel *kernel = assembly->kernel;
    struct arena *arena = &assembly->program->arena;
    uint32_t count = (uint32_t)assembly->code.count;
    if (count == 0 && assembly->status == HX_OK)
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_EMPTY, place, NULL,
                                            "kernel '%s' has no instructions", kernel->name));
    kernel->labels = ARENA_ARRAY(arena, struct code_label, assembly->labels.count);
    kernel->words = ARENA_ARRAY(arena, struct word, count);
    kernel->code = ARENA_ARRAY(arena, struct instruction, count);
    kernel->lines = ARENA_ARRAY(arena, struct code_line, count);
    if (!kernel->labels || !kernel->words || !kernel->code || !kernel->lines) {
        no_memory(assembly);
        return;
    }
    for (size_t i = 0; i < assembly->labels.count; i++) {
        const struct label *label = &assembly->labels.items[i];
        struct code_label *kept = &kernel->labels[kernel->label_count++];
        kept->target = label->target;
        kept->name = arena_copy(arena, label->name.at, label->name.length);
        if (!kept->name)
            no_memory(assembly);
        if (label->target >= count && count > 0)
            assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_LABEL_END, label->place,
                                                "put an exit behind it",
                                                "no instruction follows label '" SLICE_FORMAT "'",
                                                SLICE_ARGS(label->name)));
    }
    for (uint32_t i = 0; i < count && assembly->status != HX_NO_MEMORY; i++)
        resolve(assembly, i);
    if (assembly->status != HX_OK)
        return;
    kernel->code_count = count;
    for (uint32_t i = 0; i < count; i++) {
        kernel->code[i] = assembly->code.items[i];
        kernel->lines[i] = assembly->lines.items[i];
        kernel->words[i] = instruction_encode(assembly->program->isa, &kernel->code[i]);
    }
}

hx_status assemble_kernel(hx_program *program, struct kernel *kernel, struct slice text,
                          const struct code_places *places, hx_diag *diag)
{
    struct assembly assembly = {.program = program, .kernel = kernel, .diag = diag, .places = places};
    int number = 0;
    for (size_t start = 0; start <= text.length && assembly.status != HX_NO_MEMORY; number++) {
        const char *newline = start < text.length ? memchr(text.at + start, '\n', text.length - start) : NULL;
        size_t end = newline ? (size_t)(newline - text.at) : text.length;
        read_line(&assembly, (struct slice){text.at + start, end - start}, number);
        start = end + 1;
        if (assembly.code.count > INSTRUCTIONS_MAX) {
            assembly_note(&assembly, diag_report(diag, DIAG_ASM_TOO_LONG, kernel->place, NULL,
                                                 "kernel '%s' has more than %d instructions", kernel->name,
                                                 INSTRUCTIONS_MAX));
            break;
        }
    }
    if (assembly.status != HX_NO_MEMORY)
        finish(&assembly, places->at(places->user, 0, 0, 1));
    LIST_DONE(program->arena.allocator, &assembly.code);
    LIST_DONE(program->arena.allocator, &assembly.lines);
    LIST_DONE(program->arena.allocator, &assembly.labels);
    return assembly.status;
}
