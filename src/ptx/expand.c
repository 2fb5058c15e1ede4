/* Instructions of PTX that are several of hexec.
 *
 * Takes a statement and the table expansions.def, leaves the ops of the row that fits. A row is text: a
 * pattern of opcodes and the instructions that stand for them, so that another one is a line. Values in
 * between are in new registers and need no guard; what writes a result, reaches memory or joins lanes has the
 * statement's. */
#include "ptx/importer.h"

#include <stdio.h>

#define PTX_EXPANSION(pattern, operands, body) {pattern, operands, body},
static const struct {
    const char *pattern;
    unsigned operands;
    const char *body;
} expansions[] = {
#include "ptx/expansions.def"
};
#undef PTX_EXPANSION

#define TEMPS      32
#define TEXT_BYTES 96

struct expansion {
    struct ptx_captures captures;
    uint32_t temps[TEMPS], predicates[TEMPS];
};

/* --- patterns ------------------------------------------------------------------------------------------- */

static struct slice cut(struct slice *rest, char end)
{
    const char *found = memchr(rest->at, end, rest->length);
    const struct slice first = {rest->at, found ? (size_t)(found - rest->at) : rest->length};
    const size_t taken = first.length + (found != NULL);
    *rest = (struct slice){rest->at + taken, rest->length - taken};
    return first;
}

static bool fits_part(struct slice wanted, struct slice part)
{
    while (wanted.length > 0) {
        const struct slice word = cut(&wanted, '|');
        if (word.length == part.length && memcmp(word.at, part.at, word.length) == 0)
            return true;
    }
    return false;
}

bool ptx_fits_pattern(const char *pattern, struct slice opcode, struct ptx_captures *ret_captures)
{
    struct slice rest = slice_of(pattern), part = {0};
    size_t at = 0;
    bool more = ptx_next_part(opcode, &at, &part);
    ret_captures->count = 0;
    while (rest.length > 0) {
        struct slice wanted = cut(&rest, '.');
        const bool is_optional = wanted.at[wanted.length - 1] == '?';
        const bool is_open = is_optional || memchr(wanted.at, '|', wanted.length);
        wanted.length -= is_optional;
        const bool found = more && fits_part(wanted, part);
        if (!found && !is_optional)
            return false;
        if (is_open)
            ret_captures->items[ret_captures->count++] = found ? part : (struct slice){"", 0};
        if (found)
            more = ptx_next_part(opcode, &at, &part);
    }
    return !more;
}

/* --- bodies --------------------------------------------------------------------------------------------- */

/* The mnemonic with $1, $2, ... replaced by what the pattern found, with a dot unless it is the first;
 * nothing for what was not there. */
static bool begin(struct ptx_importer *importer, const struct expansion *expansion, struct slice text,
                  struct ptx_op *ret_op)
{
    char mnemonic[TEXT_BYTES];
    size_t length = 0;
    for (size_t i = 0; i < text.length && length + 1 < sizeof mnemonic; i++) {
        if (text.at[i] != '$') {
            mnemonic[length++] = text.at[i];
            continue;
        }
        const struct slice found = expansion->captures.items[text.at[++i] - '1'];
        if (found.length > 0)
            length += (size_t)snprintf(mnemonic + length, sizeof mnemonic - length, "%s" SLICE_FORMAT,
                                       length > 0 ? "." : "", SLICE_ARGS(found));
    }
    return ptx_begin(importer, ret_op, "%.*s", (int)length, mnemonic);
}

static uint32_t temp_of(struct ptx_importer *importer, struct expansion *expansion, struct slice name)
{
    const bool is_predicate = name.at[0] == 'p';
    uint32_t *registers = is_predicate ? expansion->predicates : expansion->temps;
    unsigned number = 0;
    for (size_t i = 1; i < name.length; i++)
        number = number * 10 + (unsigned)(name.at[i] - '0');
    if (registers[number] == PTX_NO_REGISTER)
        registers[number] = ptx_code_register(&importer->code, is_predicate, 1);
    return registers[number];
}

/* d a b c f g: the statement's operands; e: the second of the first one, p|e. NULL: it is none of them. */
static const struct ptx_operand *find_operand(const struct ptx_importer *importer, struct slice name)
{
    static const struct ptx_operand none = {.kind = PTX_OPERAND_SINK};
    static const char letters[] = "dabcfg";
    const struct ptx_statement *statement = importer->statement;
    const char *letter = name.length == 1 ? memchr(letters, name.at[0], sizeof letters - 1) : NULL;
    if (slice_equal(name, "_"))
        return &none;
    if (slice_equal(name, "e"))
        return statement->operands[0].second ? statement->operands[0].second : &none;
    return letter && letter - letters < statement->operand_count ? &statement->operands[letter - letters]
                                                                 : NULL;
}

static void put(struct ptx_importer *importer, struct expansion *expansion, struct ptx_op *op, unsigned form,
                struct slice name)
{
    const struct ptx_operand *operand = find_operand(importer, name);
    uint64_t number = 0;
    if (operand)
        ptx_put(importer, op, form, operand);
    else if (name.at[0] == 't')
        ptx_op_register(op, form, temp_of(importer, expansion, name));
    else if (name.at[0] == 'p')
        ptx_op_predicate(op, form, temp_of(importer, expansion, name), false);
    else if (number_parse_u64(name, &number) == NUMBER_OK)
        ptx_op_number(op, form, number);
    else
        ptx_lacks(importer, "operands are missing");
}

static void expand_one(struct ptx_importer *importer, struct expansion *expansion, struct slice text)
{
    struct ptx_op op;
    bool is_free = true;
    const struct slice mnemonic = cut(&text, ' ');
    if (!begin(importer, expansion, mnemonic, &op))
        return;
    for (unsigned form = 0; text.length > 0 && form < op.instruction.opcode->form_count; form++) {
        const struct slice name = cut(&text, ',');
        put(importer, expansion, &op, form, name);
        is_free &= !slice_equal(name, "d") && !slice_equal(name, "e");
        while (text.length > 0 && text.at[0] == ' ')
            cut(&text, ' ');
    }
    const enum semantic_shape shape = op.instruction.opcode->shape;
    if (is_free && !shape_is_memory(shape) && !shape_is_warp(shape))
        ptx_end_free(importer, &op);
    else
        ptx_end(importer, &op);
}

static void import_body(struct ptx_importer *importer, struct expansion *expansion, const char *text)
{
    struct slice body = slice_of(text);
    memset(expansion->temps, 0xff, sizeof expansion->temps);
    memset(expansion->predicates, 0xff, sizeof expansion->predicates);
    while (body.length > 0) {
        expand_one(importer, expansion, cut(&body, ';'));
        while (body.length > 0 && body.at[0] == ' ')
            cut(&body, ' ');
    }
}

bool ptx_expand(struct ptx_importer *importer)
{
    struct expansion expansion;
    for (size_t i = 0; i < HX_COUNT_OF(expansions); i++)
        if (importer->statement->operand_count == expansions[i].operands &&
            ptx_fits_pattern(expansions[i].pattern, importer->statement->opcode, &expansion.captures)) {
            import_body(importer, &expansion, expansions[i].body);
            return true;
        }
    return false;
}

void ptx_import_text(struct ptx_importer *importer, const char *body)
{
    struct expansion expansion = {0};
    import_body(importer, &expansion, body);
}
