/* The assembler: the text of a kernel to decoded instructions, and then to words.
 *
 * Takes a block of text, leaves the kernel's code, lines and labels. It is driven by forms: nothing here
 * knows an opcode. Each line is read on its own and its problems reported, then the next; labels are looked
 * up when all lines are read. So one run reports everything that is wrong. */
#include "asm/assembly.h"
#include "hexec/trace.h"

#include <string.h>

#define MACRO_DEPTH_MAX 16

hx_status assembly_note(struct assembly *assembly, hx_status status)
{
    if (status != HX_OK)
        assembly->errors++;
    if (assembly->status == HX_OK || status == HX_NO_MEMORY)
        assembly->status = status;
    return status;
}

bool assembly_is_over(const struct assembly *assembly)
{
    return assembly->status == HX_NO_MEMORY || diag_is_full(assembly->diag) ||
           assembly->code.count > LIMIT_CODE;
}

struct text assembly_text(const struct assembly *assembly)
{
    return (struct text){.allocator = assembly->program->arena.allocator};
}

static const hx_allocator *allocator_of(const struct assembly *assembly)
{
    return assembly->program->arena.allocator;
}

static void no_memory(struct assembly *assembly)
{
    assembly_note(assembly, diag_no_memory(assembly->diag));
}

/* ---- Operands of an instruction together --------------------------------------------------------------- */

/* How many operands at the end may be left out. */
static unsigned optional_count(const struct isa_opcode *opcode)
{
    unsigned count = 0;
    while (count < opcode->form_count && opcode->forms[opcode->form_count - 1 - count].optional)
        count++;
    return count;
}

static bool is_predicate_result(struct slice text)
{
    uint8_t number;
    return slice_equal(text, "_") || register_read(text, 'p', REGISTER_COUNT, &number); /* p16 is a mistake */
}

/* A second result that is a predicate may be left out: then it is dropped. */
static void add_sink(const struct isa_opcode *opcode, struct statement *statement)
{
    for (unsigned i = 0; i < opcode->form_count && i < statement->operand_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (form->kind != FORM_PREDICATE_DESTINATION || !form->optional ||
            is_predicate_result(statement->operands[i].text) ||
            statement->operand_count >= STATEMENT_OPERANDS_MAX)
            continue;
        for (unsigned k = statement->operand_count++; k > i; k--)
            statement->operands[k] = statement->operands[k - 1];
        statement->operands[i].text = slice_of("_");
    }
}

/* The predicate of a combining modifier is there exactly when the modifier is. */
static bool count_fits(const struct instruction *instruction, unsigned count)
{
    const struct isa_opcode *opcode = instruction->opcode;
    if (optional_count(opcode) && opcode->modifiers[GROUP_COMBINE])
        return count + (instruction->modifiers[GROUP_COMBINE] == 0) == opcode->form_count;
    return count <= opcode->form_count && count + optional_count(opcode) >= opcode->form_count;
}

/* `dropped`: how many of the operands that are counted stand for results that were left out. */
static void report_count(struct assembly *assembly, const struct instruction *instruction, unsigned count,
                         unsigned dropped, struct place place)
{
    const struct isa_opcode *opcode = instruction->opcode;
    const unsigned forms = opcode->form_count, most = forms - dropped;
    const bool combines = optional_count(opcode) && opcode->modifiers[GROUP_COMBINE];
    struct text hint HX_AUTO(text_done) = assembly_text(assembly);
    text_print(&hint, "the form is: %s", opcode->mnemonic);
    for (unsigned i = 0; i < forms; i++) {
        char form[16];
        form_print(&opcode->forms[i], form);
        text_print(&hint, "%s %s", i ? "," : "", form);
    }
    if (combines)
        text_print(&hint, " (the last with .and, .or, .xor)");
    struct text wanted HX_AUTO(text_done) = assembly_text(assembly);
    for (unsigned less = optional_count(opcode); less > 0 && !combines; less--)
        text_print(&wanted, less > 1 ? "%u, " : "%u or ", most - less);
    const unsigned takes = combines && !instruction->modifiers[GROUP_COMBINE] ? most - 1 : most;
    text_print(&wanted, "%u operand%s", takes, takes == 1 ? "" : "s");
    if (hint.failed || wanted.failed)
        no_memory(assembly);
    else
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPERAND_COUNT, place, hint.at,
                                            "'%s' takes %s, here %s %u", opcode->mnemonic, wanted.at,
                                            count == 1 ? "is" : "are", count));
}

/* One immediate field: one literal, which a fourth source leaves 32 bits. */
static void check_literals(struct assembly *assembly, const struct instruction *instruction,
                           const struct statement *statement)
{
    unsigned literals = 0, last = 0;
    bool has_fourth = false;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        const enum form_kind kind = instruction->opcode->forms[i].kind;
        has_fourth |= instruction->opcode->forms[i].letter == OPERAND_F;
        if ((kind != FORM_SOURCE && kind != FORM_ANY_SOURCE) || operand->kind == OPERAND_REGISTER ||
            operand->kind == OPERAND_ABSENT)
            continue;
        literals++;
        last = i;
    }
    const struct place place = statement->operands[last].place;
    if (literals > 1)
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_LITERALS, place,
                                  "move it to a register first (mov)",
                                  "one source may be a number or a parameter, here are %u", literals));
    else if (literals == 1 && has_fourth && instruction->operands[last].kind == OPERAND_IMMEDIATE &&
             instruction->operands[last].bits > UINT32_MAX)
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_NUMBER, place, "move it to a register first (mov)",
                                  "beside four sources there is room for a number of 32 bits only"));
}

static void check_vector(struct assembly *assembly, const struct instruction *instruction,
                         const struct statement *statement)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        const unsigned vector = instruction_registers(instruction, i);
        if (operand->kind == OPERAND_REGISTER && operand->reg + vector > REGISTER_COUNT)
            assembly_note(assembly,
                          diag_report(assembly->diag, DIAG_ASM_REGISTER, statement->operands[i].place, NULL,
                                      "a vector of %u registers from r%u on goes beyond r255", vector,
                                      operand->reg));
    }
}

/* ---- Statements ---------------------------------------------------------------------------------------- */

static void read_statement(struct assembly *assembly, const struct statement *statement, struct piece shown);

/* Each line of a macro-opcode's expansion is read like one that was written, guarded as the macro-opcode is.
 */
static void expand(struct assembly *assembly, const struct isa_opcode *opcode,
                   const struct mnemonic *mnemonic, const struct statement *statement, struct piece shown)
{
    struct slice operands[STATEMENT_OPERANDS_MAX] = {{0}}, types[2] = {{"", 0}, {"", 0}};
    for (unsigned i = 0; i < opcode->form_count; i++)
        operands[i] = i < statement->operand_count ? statement->operands[i].text : slice_of("");
    for (unsigned i = 0; i < mnemonic->type_count; i++)
        types[i] = mnemonic->types[i].text;
    for (size_t i = 0; i < opcode->expansion_count && !assembly_is_over(assembly); i++) {
        struct text text HX_AUTO(text_done) = assembly_text(assembly);
        text_print(&text, SLICE_FORMAT " ", SLICE_ARGS(statement->guard.text));
        isa_expand_line(opcode, i, operands, types[0], types[1], &text);
        /* kept: the names of labels are looked up later */
        const char *kept = text.failed ? NULL : arena_copy(&assembly->program->arena, text.at, text.length);
        if (!kept) {
            no_memory(assembly);
            return;
        }
        const struct line line = line_of_macro((struct slice){kept, text.length}, &statement->mnemonic.place);
        struct statement expanded;
        if (line_cut(&line, &expanded))
            read_statement(assembly, &expanded, shown);
    }
}

static void keep(struct assembly *assembly, const struct instruction *instruction, struct piece shown)
{
    const struct assembled assembled = {
        .instruction = *instruction,
        .line = {.place = shown.place,
                 .text = arena_copy(&assembly->program->arena, shown.text.at, shown.text.length)}};
    if (!assembled.line.text || !LIST_PUSH(allocator_of(assembly), &assembly->code, assembled))
        no_memory(assembly);
}

static bool read_guard(struct assembly *assembly, const struct statement *statement,
                       struct instruction *instruction)
{
    const struct piece guard = statement->guard;
    instruction->guard = -1;
    if (guard.text.length > 0 && !operand_guard(guard.text, instruction))
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPERAND_KIND, guard.place,
                                            "@p0 to @p15, @!p0 to @!p15", "'" SLICE_FORMAT "' is no guard",
                                            SLICE_ARGS(guard.text)));
    else if (statement->mnemonic.text.length == 0)
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_SYNTAX, guard.place, NULL,
                                            "an instruction is missing behind the guard"));
    return statement->mnemonic.text.length > 0;
}

static void read_operands(struct assembly *assembly, struct instruction *instruction,
                          const struct statement *statement)
{
    const size_t errors = assembly->errors;
    for (unsigned i = 0; i < statement->operand_count; i++)
        operand_read(assembly, instruction, i, statement->operands[i]);
    if (assembly->errors > errors)
        return;
    check_literals(assembly, instruction, statement);
    check_vector(assembly, instruction, statement);
}

/* What separates operands is a comma, and there are few characters that mean something. */
static bool check_characters(struct assembly *assembly, const struct statement *statement)
{
    const size_t errors = assembly->errors;
    for (unsigned i = 0; i < statement->operand_count && i < STATEMENT_OPERANDS_MAX; i++) {
        const struct piece piece = statement->operands[i];
        const bool is_address = piece.text.length > 0 && piece.text.at[0] == '[';
        for (size_t k = 0; k < piece.text.length && assembly->errors == errors; k++) {
            const char c = piece.text.at[k];
            const size_t character = text_utf8_length(piece.text.at + k, piece.text.length - k, NULL);
            const struct piece part = piece_part(piece, k,
                                                 text_is_blank(c) ? piece.text.length - k
                                                 : character      ? character
                                                                  : 1);
            if (text_is_blank(c) && !is_address && k > 0 && piece.text.at[0] != '!')
                assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_SYNTAX, part.place, NULL,
                                                    "a comma is missing before '" SLICE_FORMAT "'",
                                                    SLICE_ARGS(part.text)));
            else if (!text_is_word(c) && !text_is_blank(c) && (c == 0 || !strchr("$%!.+-*[]", c)))
                assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_SYNTAX, part.place, NULL,
                                                    "'" SLICE_FORMAT "' means nothing in an operand",
                                                    SLICE_ARGS(part.text)));
        }
    }
    return assembly->errors == errors;
}

/* What cannot be read leaves an instruction without opcode, so that labels before it name something. */
static void read_statement(struct assembly *assembly, const struct statement *written, struct piece shown)
{
    struct instruction instruction = {0};
    struct mnemonic mnemonic;
    struct statement with_sink = *written, *const statement = &with_sink;
    if (!read_guard(assembly, statement, &instruction) ||
        !mnemonic_read(assembly, statement->mnemonic, &mnemonic, &instruction) ||
        !check_characters(assembly, statement)) {
        keep(assembly, &instruction, shown);
        return;
    }
    add_sink(instruction.opcode, statement);
    if (!count_fits(&instruction, statement->operand_count)) {
        report_count(assembly, &instruction, written->operand_count,
                     statement->operand_count - written->operand_count, mnemonic.name.place);
    } else if (instruction.opcode->expansion_count == 0) {
        read_operands(assembly, &instruction, statement);
    } else if (assembly->macro_depth < MACRO_DEPTH_MAX) {
        assembly->macro_depth++;
        expand(assembly, instruction.opcode, &mnemonic, statement, shown);
        assembly->macro_depth--;
        return;
    } else {
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_MACRO, mnemonic.whole.place, NULL,
                                  "macro-opcode '%s' expands too deep", instruction.opcode->mnemonic));
    }
    keep(assembly, &instruction, shown);
}

/* ---- Lines and labels ---------------------------------------------------------------------------------- */

static void add_label(struct assembly *assembly, struct piece name)
{
    if (!program_is_name(name.text) || program_is_reserved(name.text)) {
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_SYNTAX, name.place,
                                  "a letter or _, then at most 62 letters, digits and _",
                                  "'" SLICE_FORMAT "' is no name for a label", SLICE_ARGS(name.text)));
        return;
    }
    const struct label label = {name, (uint32_t)assembly->code.count};
    if (!LIST_PUSH(allocator_of(assembly), &assembly->labels, label))
        no_memory(assembly);
}

static void read_line(struct assembly *assembly, struct line *line)
{
    struct piece label;
    struct statement statement;
    while (line_take_label(line, &label))
        add_label(assembly, label);
    if (line_cut(line, &statement))
        read_statement(assembly, &statement, statement.whole);
}

static void read_lines(struct assembly *assembly, const struct yaml_node *code)
{
    const struct slice text = code->text;
    int number = 0;
    for (size_t start = 0; start < text.length && !assembly_is_over(assembly); number++) {
        const char *newline = memchr(text.at + start, '\n', text.length - start);
        const size_t end = newline ? (size_t)(newline - text.at) : text.length;
        struct line line = line_of_code(code, (struct slice){text.at + start, end - start}, number);
        read_line(assembly, &line);
        start = end + 1;
    }
    if (assembly->code.count > LIMIT_CODE)
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_TOO_LONG, assembly->kernel->place, NULL,
                                            "kernel '%s' has more than %d instructions",
                                            assembly->kernel->name, LIMIT_CODE));
    else if (assembly->code.count == 0 && assembly->status == HX_OK)
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_EMPTY, code->place, "add one, at least exit",
                                  "kernel '%s' has no instructions", assembly->kernel->name));
}

static const char *label_at(void *user, size_t index)
{
    const struct kernel *kernel = user;
    return index < kernel->label_count ? kernel->labels[index].name : NULL;
}

static void resolve(struct assembly *assembly, const struct names *names, const struct jump *jump)
{
    const struct slice text = jump->name.text;
    const struct name *found = names_find(names, text);
    if (found) {
        assembly->code.items[jump->instruction].instruction.operands[jump->operand].bits =
            assembly->labels.items[found->number].target;
        return;
    }
    const char *near = diag_is_full(assembly->diag) ? NULL : text_suggest(text, label_at, assembly->kernel);
    char space[TEXT_HINT_BYTES];
    assembly_note(assembly,
                  diag_report(assembly->diag, DIAG_ASM_NAME, jump->name.place, text_did_you_mean(near, space),
                              "there is no label '" SLICE_FORMAT "'", SLICE_ARGS(text)));
}

static bool keep_labels(struct assembly *assembly, struct names *names)
{
    struct kernel *kernel = assembly->kernel;
    struct arena *arena = &assembly->program->arena;
    kernel->labels = ARENA_ARRAY(arena, struct code_label, assembly->labels.count);
    if (!kernel->labels)
        return false;
    for (size_t i = 0; i < assembly->labels.count; i++) {
        const struct label *label = &assembly->labels.items[i];
        const char *name = arena_copy(arena, label->name.text.at, label->name.text.length);
        if (!name || !names_add(names, label->name.text, (uint32_t)i))
            return false;
        kernel->labels[kernel->label_count++] = (struct code_label){name, label->target};
    }
    names_sort(names);
    return true;
}

static void check_labels(struct assembly *assembly, const struct names *names)
{
    const struct name *name;
    for (size_t at = 0; (name = names_twice(names, &at)) && assembly->status != HX_NO_MEMORY;)
        assembly_note(assembly,
                      diag_report_noted(assembly->diag, DIAG_ASM_LABEL_TWICE,
                                        assembly->labels.items[name->number].name.place, NULL,
                                        assembly->labels.items[name[-1].number].name.place,
                                        "the other one is here", "label '" SLICE_FORMAT "' is given twice",
                                        SLICE_ARGS(name->text)));
    for (size_t i = assembly->labels.count; i-- > 0 && assembly->code.count > 0;) {
        const struct label *label = &assembly->labels.items[i];
        if (label->target < assembly->code.count)
            break; /* targets are in order */
        assembly_note(assembly,
                      diag_report(assembly->diag, DIAG_ASM_LABEL_END, label->name.place,
                                  "put an exit behind it", "no instruction follows label '" SLICE_FORMAT "'",
                                  SLICE_ARGS(label->name.text)));
    }
}

static void read_labels(struct assembly *assembly)
{
    struct names names HX_AUTO(names_done) = {.allocator = allocator_of(assembly)};
    if (!keep_labels(assembly, &names)) {
        no_memory(assembly);
        return;
    }
    check_labels(assembly, &names);
    for (size_t i = 0; i < assembly->jumps.count && assembly->status != HX_NO_MEMORY; i++)
        resolve(assembly, &names, &assembly->jumps.items[i]);
}

/* ---- Where the lines are from -------------------------------------------------------------------------- */

static bool read_number(struct slice text, int *ret_value)
{
    uint64_t value;
    if (number_parse_u64(text, &value) != NUMBER_OK || value > INT32_MAX)
        return false;
    *ret_value = (int)value;
    return true;
}

/* "12:7:20": line, column, bytes. */
static bool read_origin(struct slice word, struct place *place)
{
    const char *first = memchr(word.at, ':', word.length);
    const char *second = first ? memchr(first + 1, ':', (size_t)(word.at + word.length - first - 1)) : NULL;
    return second && read_number((struct slice){word.at, (size_t)(first - word.at)}, &place->line) &&
           read_number((struct slice){first + 1, (size_t)(second - first - 1)}, &place->column) &&
           read_number((struct slice){second + 1, (size_t)(word.at + word.length - second - 1)},
                       &place->length);
}

/* The disassembly of a binary keeps what the binary knew: one word for each instruction. */
static void read_origins(struct assembly *assembly, const struct yaml_node *lines)
{
    struct slice rest = slice_trim(lines->text);
    size_t count = 0;
    for (; rest.length > 0; count++) {
        size_t length = 0;
        while (length < rest.length && !text_is_blank(rest.at[length]))
            length++;
        struct place place = {.source = &assembly->program->origin};
        const struct slice word = {rest.at, length};
        if (!read_origin(word, &place)) {
            assembly_note(assembly,
                          diag_report(assembly->diag, DIAG_PROGRAM_LINES, lines->place, NULL,
                                      "'" SLICE_FORMAT "' is not LINE:COLUMN:BYTES", SLICE_ARGS(word)));
            return;
        }
        if (count < assembly->code.count)
            assembly->code.items[count].line.place = place;
        rest = slice_trim((struct slice){rest.at + length, rest.length - length});
    }
    if (count != assembly->code.count)
        assembly_note(assembly, diag_report(assembly->diag, DIAG_PROGRAM_LINES, lines->place,
                                            "leave `lines` out when the code was changed",
                                            "`lines` has %zu entries, kernel '%s' %zu instructions", count,
                                            assembly->kernel->name, assembly->code.count));
}

/* ---- The kernel ---------------------------------------------------------------------------------------- */

static void finish(struct assembly *assembly)
{
    struct kernel *kernel = assembly->kernel;
    struct arena *arena = &assembly->program->arena;
    const uint32_t count = (uint32_t)assembly->code.count;
    kernel->words = ARENA_ARRAY(arena, struct word, count);
    kernel->code = ARENA_ARRAY(arena, struct instruction, count);
    kernel->lines = ARENA_ARRAY(arena, struct code_line, count);
    if (!kernel->words || !kernel->code || !kernel->lines) {
        no_memory(assembly);
        return;
    }
    kernel->code_count = count;
    for (uint32_t i = 0; i < count; i++) {
        kernel->code[i] = assembly->code.items[i].instruction;
        kernel->lines[i] = assembly->code.items[i].line;
        kernel->words[i] = instruction_encode(assembly->program->isa, &kernel->code[i]);
    }
}

/* The names that operands may use. */
static bool gather_names(struct assembly *assembly)
{
    const hx_program *program = assembly->program;
    const struct array_list *lists[SPACE_COUNT] = {[SPACE_SHARED] = &assembly->kernel->shared,
                                                   [SPACE_CONSTANT] = &program->constants,
                                                   [SPACE_LOCAL] = &assembly->kernel->local};
    const char *name;
    bool done = true;
    for (unsigned i = 0; done && (name = program_symbol_name(program, i)); i++)
        done = names_add(&assembly->symbols, slice_of(name), i);
    for (unsigned space = 0; space < SPACE_COUNT; space++)
        for (size_t i = 0; done && lists[space] && i < lists[space]->count; i++)
            done = names_add(&assembly->arrays, slice_of(lists[space]->items[i].name),
                             (uint32_t)(i * SPACE_COUNT + space));
    names_sort(&assembly->symbols);
    names_sort(&assembly->arrays);
    return done;
}

hx_status assemble_kernel(hx_program *program, struct kernel *kernel, const struct yaml_node *code,
                          const struct yaml_node *lines, hx_diag *diag)
{
    HX_SPAN(HX_DEBUG, "hexec::program", "assemble", HX_STR("kernel.name", kernel->name));
    const hx_allocator *allocator = program->arena.allocator;
    struct assembly assembly = {.program = program,
                                .kernel = kernel,
                                .diag = diag,
                                .symbols = {.allocator = allocator},
                                .arrays = {.allocator = allocator}};
    if (!gather_names(&assembly))
        no_memory(&assembly);
    read_lines(&assembly, code);
    if (assembly.status != HX_NO_MEMORY)
        read_labels(&assembly);
    if (lines && assembly.status == HX_OK)
        read_origins(&assembly, lines);
    if (assembly.status == HX_OK)
        finish(&assembly);
    names_done(&assembly.symbols);
    names_done(&assembly.arrays);
    LIST_DONE(allocator, &assembly.code);
    LIST_DONE(allocator, &assembly.labels);
    LIST_DONE(allocator, &assembly.jumps);
    return assembly.status;
}
