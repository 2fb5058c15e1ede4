/* Types of registers.
 *
 * Takes a statement, and finds whether its registers have the types that its opcode says: types.def has which
 * operand has which. A register of .b32 holds any value of its width, and an opcode of .b32 takes any
 * register of it; else a float is no integer. hexec would run the mistake without a word, since a row holds
 * bits. */
#include "ptx/importer.h"

static const struct rule {
    const char *opcode;
    unsigned types;
    const char *operands;
} rules[] = {
#define PTX_OPERANDS(opcode, types, operands) {opcode, types, operands},
#include "ptx/types.def"
#undef PTX_OPERANDS
};

/* Members of a vector have any kind, for ptxas too. */
#define OF_VECTOR 'm'

/* The types that an opcode names. */
struct named_types {
    unsigned count;
    struct slice first, last;
};

static struct named_types read_types(struct slice opcode)
{
    struct named_types found = {0};
    struct slice part;
    size_t at = 0;
    ptx_next_part(opcode, &at, &part);
    while (ptx_next_part(opcode, &at, &part)) {
        if (isa_type_of(part) == HX_TYPE_NONE)
            continue;
        if (found.count++ == 0)
            found.first = part;
        found.last = part;
    }
    return found;
}

static const struct rule *find_rule(struct slice opcode)
{
    const struct rule *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < HX_COUNT_OF(rules); i++) {
        const size_t length = strlen(rules[i].opcode);
        if (length > longest && slice_starts_with(opcode, rules[i].opcode) && opcode.length > length &&
            opcode.at[length] == '.') {
            best = &rules[i];
            longest = length;
        }
    }
    return best;
}

/* How PTX calls the type of a register. */
static const char *name_of(const struct ptx_function *function, uint32_t reg, char *space)
{
    const enum hx_type type = function->registers[reg];
    const char *name = hx_type_name(type);
    space[0] = function->untyped[reg] ? 'b' : name[0] == 'i' ? 's' : name[0];
    strcpy(space + 1, name + 1);
    return space;
}

static bool fits(const struct ptx_function *function, uint32_t reg, char letter, struct slice wanted)
{
    const enum hx_type own = function->registers[reg], type = isa_type_of(wanted);
    const bool is_bits = wanted.at[0] == 'b'; /* .bf16 too: ptxas takes any register of 16 bits for it */
    const unsigned bits = letter == 'w' ? 2 * type_bits(type) : type_bits(type);
    if (own == HX_TYPE_PRED || type == HX_TYPE_PRED)
        return true; /* what takes a predicate, and what does not, the forms of the instruction say */
    const bool may_be_wider = letter == 'v' || letter == 'V' || letter == OF_VECTOR;
    if (may_be_wider ? type_bits(own) < bits : type_bits(own) != bits)
        return false;
    if (letter == OF_VECTOR || is_bits || function->untyped[reg])
        return true;
    return type_is_packed(own) ? !type_is_float(type) : type_is_float(own) == type_is_float(type);
}

static bool check_operand(struct ptx_importer *importer, const struct ptx_operand *operand, char letter,
                          const struct named_types *types)
{
    const struct ptx_function *function = importer->frame->function;
    const struct slice wanted = letter == 'D' || letter == 'V' ? types->first : types->last;
    char name[16];
    if (operand->kind == PTX_OPERAND_VECTOR && (letter == 'v' || letter == 'V')) {
        for (uint32_t i = 0; i < operand->count; i++)
            if (!check_operand(importer, &operand->items[i], OF_VECTOR, types))
                return false;
        return true;
    }
    if (operand->kind != PTX_OPERAND_REGISTER || letter == '.' ||
        fits(function, operand->reg, letter, wanted))
        return true;
    ptx_lacks(importer,
              arena_format(importer->code.arena,
                           "register '" SLICE_FORMAT "' is declared .%s, and this operand is ." SLICE_FORMAT
                           "; declare another register, or convert it with cvt",
                           SLICE_ARGS(operand->text), name_of(function, operand->reg, name),
                           SLICE_ARGS(wanted)));
    return false;
}

bool ptx_check_types(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const struct named_types types = read_types(statement->opcode);
    const struct rule *rule = find_rule(statement->opcode);
    if (!rule || rule->types != types.count)
        return true;
    const char *letter = rule->operands;
    for (uint32_t i = 0; i < statement->operand_count; i++) {
        if (!check_operand(importer, &statement->operands[i], *letter, &types))
            return false;
        letter += letter[1] != 0;
    }
    return true;
}
