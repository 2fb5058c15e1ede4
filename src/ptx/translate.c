/* Instructions of PTX as instructions of hexec.
 *
 * Takes a statement, leaves one op or a few. Which opcode it becomes the map says (opcodes.def); where its
 * operands go, the forms of the opcode in the instruction set. What fits no form as it is, such as a second
 * number, is moved to a register before. */
#include "ptx/emit.h"

#include <stdio.h>

#define PTX_NAME(from, to, drop, tail) {from, to, drop, tail, NULL},
#define PTX_IMPORT(from, function)     {from, NULL, NULL, NULL, function},
const struct ptx_map_row ptx_map[] = {
#include "ptx/opcodes.def"
};
#undef PTX_NAME
#undef PTX_IMPORT
const size_t ptx_map_count = HX_COUNT_OF(ptx_map);

void ptx_lacks(struct ptx_importer *importer, const char *why)
{
    const struct ptx_lack lack = {importer->statement, why};
    const size_t count = importer->lacks.count;
    if (count > 0 && importer->lacks.items[count - 1].statement == importer->statement)
        return;
    if (!why || !LIST_PUSH(importer->code.arena->allocator, &importer->lacks, lack))
        importer->code.status = HX_NO_MEMORY;
}

uint32_t ptx_register_of(const struct ptx_importer *importer, uint32_t reg)
{
    return importer->frame->first_register + reg;
}

enum hx_type ptx_type_of_register(const struct ptx_importer *importer, uint32_t reg)
{
    return importer->frame->function->registers[reg];
}

/* --- opcodes -------------------------------------------------------------------------------------------- */

bool ptx_next_part(struct slice opcode, size_t *at, struct slice *ret_part)
{
    if (*at >= opcode.length)
        return false;
    const char *start = opcode.at + *at, *dot = memchr(start, '.', opcode.length - *at);
    *ret_part = (struct slice){start, dot ? (size_t)(dot - start) : opcode.length - *at};
    *at += ret_part->length + 1;
    return true;
}

bool ptx_has_part(const struct ptx_statement *statement, const char *part)
{
    struct slice found;
    for (size_t at = 0; ptx_next_part(statement->opcode, &at, &found);)
        if (slice_equal(found, part))
            return true;
    return false;
}

static const struct ptx_map_row *find_row(struct slice opcode)
{
    const struct ptx_map_row *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < ptx_map_count; i++) {
        const size_t length = strlen(ptx_map[i].from);
        if (length > longest && slice_starts_with(opcode, ptx_map[i].from) &&
            (opcode.length == length || opcode.at[length] == '.')) {
            best = &ptx_map[i];
            longest = length;
        }
    }
    return best;
}

static bool is_word_of(const char *words, struct slice part)
{
    for (size_t at = 0; words[at]; at += strspn(words + at, " ")) {
        const size_t length = strcspn(words + at, " ");
        if (length == part.length && memcmp(words + at, part.at, length) == 0)
            return true;
        at += length;
    }
    return false;
}

#define MNEMONIC_BYTES 96
static bool compose(const struct ptx_map_row *row, struct slice opcode, char *ret_mnemonic)
{
    size_t at = strlen(row->from) + 1;
    int length = snprintf(ret_mnemonic, MNEMONIC_BYTES, "%s", row->to);
    struct slice part;
    while (ptx_next_part(opcode, &at, &part) && length < MNEMONIC_BYTES)
        if (!is_word_of(row->drop, part))
            length += snprintf(ret_mnemonic + length, (size_t)(MNEMONIC_BYTES - length), "." SLICE_FORMAT,
                               SLICE_ARGS(part));
    if (length < MNEMONIC_BYTES)
        length += snprintf(ret_mnemonic + length, (size_t)(MNEMONIC_BYTES - length), "%s", row->tail);
    return length < MNEMONIC_BYTES;
}

/* The statement outside of the device library whose call is inlined here; NULL: none. */
static const struct ptx_statement *library_call(const struct ptx_importer *importer)
{
    const struct ptx_statement *call = NULL;
    for (const struct ptx_frame *frame = importer->frame; frame && frame->function->is_library;
         frame = frame->caller)
        call = frame->call;
    return call;
}

bool ptx_begin(struct ptx_importer *importer, struct ptx_op *ret_op, const char *format, ...)
{
    char mnemonic[MNEMONIC_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(mnemonic, sizeof mnemonic, format, arguments);
    va_end(arguments);
    *ret_op = (struct ptx_op){
        .guard = PTX_NO_REGISTER, .from = importer->statement, .call = library_call(importer)};
    if (length < MNEMONIC_BYTES &&
        isa_read_mnemonic(importer->code.isa, slice_of(mnemonic), &ret_op->instruction))
        return true;
    ptx_lacks_opcode(importer);
    return false;
}

/* --- operands ------------------------------------------------------------------------------------------- */

/* The bits of a number at the type of the form that it stands in. */
static uint64_t number_at(const struct ptx_operand *operand, enum hx_type type)
{
    uint64_t bits = operand->bits;
    double wide;
    float narrow;
    if (operand->number == PTX_NUMBER_F64 && type == HX_TYPE_F32) {
        memcpy(&wide, &bits, sizeof wide);
        narrow = (float)wide;
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
    }
    const unsigned width = type_bits(type);
    return width < 64 && width > 0 ? bits & ((1ull << width) - 1) : bits;
}

bool ptx_is_defined(struct ptx_importer *importer, const struct ptx_variable *variable)
{
    if (!variable->is_extern || variable->space == PTX_SPACE_SHARED)
        return true;
    ptx_lacks(importer, "the variable is declared .extern, and the module does not define it; compile the "
                        "sources together");
    return false;
}

/* The address without its offset, as a literal or in a register. */
static void put_whole_variable(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                               const struct ptx_variable *variable)
{
    static const uint8_t spaces[] = {
        [BASE_SHARED] = SPACE_SHARED, [BASE_CONSTANT] = SPACE_CONSTANT, [BASE_LOCAL] = SPACE_LOCAL};
    const struct ptx_binding *binding = &importer->bindings[variable->number];
    struct operand *to = &op->instruction.operands[form];
    if (!ptx_is_defined(importer, variable))
        return;
    if (binding->kind == PTX_BINDING_ARRAY)
        *to = (struct operand){
            .kind = OPERAND_ARRAY, .space = spaces[binding->base], .symbol = binding->symbol};
    else if (binding->kind == PTX_BINDING_PARAMETER && variable->space != PTX_SPACE_PARAM)
        *to = (struct operand){.kind = OPERAND_PARAMETER, .symbol = binding->symbol};
    else if (binding->kind == PTX_BINDING_POINTER)
        ptx_op_register(op, form, ptx_address_of(importer, binding));
    else
        ptx_lacks(importer, "the address of this variable is not available");
}

/* In 32 bits the address of a buffer, or the generic one of a constant. */
static uint32_t narrow_address(struct ptx_importer *importer, uint32_t address, bool is_constant)
{
    const uint32_t number =
        ptx_emit_number(importer, "add.u64", address,
                        is_constant ? NARROW_WINDOWS + 2 * NARROW_WINDOW_BYTES : 0 - NARROW_BASE);
    return ptx_emit_one(importer, "cvt.u32.u64", number);
}

/* Constants that other functions' pointers may mean as well have generic addresses in the whole module. */
static void put_variable(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                         const struct ptx_operand *operand)
{
    const bool is_generic =
        operand->variable->space == PTX_SPACE_CONST && importer->module->has_constant_arguments;
    const bool is_narrow =
        importer->module->address_bits == 32 &&
        type_bits(instruction_operand_type(&op->instruction, form)) == 32 &&
        (is_generic || importer->bindings[operand->variable->number].kind == PTX_BINDING_PARAMETER);
    struct ptx_op make;
    if (operand->offset == 0 && !is_generic && !is_narrow) {
        put_whole_variable(importer, op, form, operand->variable);
        return;
    }
    const uint32_t reg = ptx_code_register(&importer->code, false, 1);
    ptx_op_register(op, form, reg);
    if (!ptx_begin(importer, &make, "mov.u64"))
        return;
    ptx_op_register(&make, 0, reg);
    put_whole_variable(importer, &make, 1, operand->variable);
    ptx_end_free(importer, &make);
    if (operand->offset != 0 && ptx_begin(importer, &make, "add.u64")) {
        ptx_op_register(&make, 0, reg);
        ptx_op_register(&make, 1, reg);
        ptx_op_number(&make, 2, (uint64_t)operand->offset);
        ptx_end_free(importer, &make);
    }
    if (is_narrow)
        ptx_op_register(op, form, narrow_address(importer, reg, is_generic));
    else if (is_generic && ptx_begin(importer, &make, "cvta.const.u64")) {
        ptx_op_register(&make, 0, reg);
        ptx_op_register(&make, 1, reg);
        ptx_end_free(importer, &make);
    }
}

static void put_predicate(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                          const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REGISTER &&
        ptx_type_of_register(importer, operand->reg) == HX_TYPE_PRED) {
        ptx_op_predicate(op, form, ptx_register_of(importer, operand->reg), operand->negated);
        return;
    }
    const bool is_special =
        operand->kind == PTX_OPERAND_SPECIAL && slice_equal(operand->text, "is_explicit_cluster");
    if (operand->kind != PTX_OPERAND_IMMEDIATE && !is_special) {
        ptx_lacks(importer, "a predicate is expected");
        return;
    }
    struct ptx_op constant;
    const uint32_t zero = ptx_code_register(&importer->code, false, 1),
                   predicate = ptx_code_register(&importer->code, true, 1);
    if (!ptx_begin(importer, &constant, "mov.u32"))
        return;
    ptx_op_register(&constant, 0, zero);
    ptx_op_number(&constant, 1, operand->bits != 0);
    ptx_op_push(&importer->code, &constant);
    if (!ptx_begin(importer, &constant, "setp.ne.u32"))
        return;
    ptx_op_predicate(&constant, 0, predicate, false);
    constant.instruction.operands[1].kind = OPERAND_SINK;
    ptx_op_register(&constant, 2, zero);
    ptx_op_number(&constant, 3, 0);
    ptx_op_push(&importer->code, &constant);
    ptx_op_predicate(op, form, predicate, operand->negated);
}

static void put_sink(struct ptx_importer *importer, struct ptx_op *op, unsigned form)
{
    const struct form *to = &op->instruction.opcode->forms[form];
    const bool is_predicate = to->kind == FORM_PREDICATE_DESTINATION;
    if (to->may_sink)
        op->instruction.operands[form] = (struct operand){.kind = OPERAND_SINK};
    else if (is_predicate)
        ptx_op_predicate(op, form, ptx_code_register(&importer->code, true, 1), false);
    else
        ptx_op_register(op, form, ptx_code_register(&importer->code, false, 1));
}

/* %r1+4 as a value. */
static uint32_t sum_of(struct ptx_importer *importer, const struct ptx_operand *operand)
{
    struct ptx_op op;
    const uint32_t reg = ptx_register_of(importer, operand->reg);
    if (operand->offset == 0)
        return reg;
    const uint32_t sum = ptx_code_register(&importer->code, false, 1);
    if (!ptx_begin(importer, &op, "add.u%u", type_bits(ptx_type_of_register(importer, operand->reg))))
        return reg;
    ptx_op_register(&op, 0, sum);
    ptx_op_register(&op, 1, reg);
    ptx_op_number(&op, 2,
                  number_at(&(struct ptx_operand){.bits = (uint64_t)operand->offset},
                            instruction_operand_type(&op.instruction, 2)));
    ptx_end_free(importer, &op);
    return sum;
}

/* PTX lets loads, stores and conversions have registers that are wider than their type, none narrower ones.
 */
static const char narrow_register[] =
    "a register of less than 64 bits stands where the instruction takes 64; convert it with cvt";
static bool is_too_narrow(const struct ptx_importer *importer, const struct ptx_operand *operand,
                          enum hx_type type)
{
    const enum hx_type own = ptx_type_of_register(importer, operand->reg);
    return own != HX_TYPE_PRED && type_bits(type) == 64 && type_bits(own) < 64;
}

static void put_value(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                      const struct ptx_operand *operand)
{
    const enum hx_type type = instruction_operand_type(&op->instruction, form);
    if (operand->negated)
        ptx_lacks(importer, "only predicates are negated");
    else if (operand->kind == PTX_OPERAND_REGISTER && is_too_narrow(importer, operand, type))
        ptx_lacks(importer, narrow_register);
    else if (operand->kind == PTX_OPERAND_REGISTER &&
             ptx_type_of_register(importer, operand->reg) != HX_TYPE_PRED)
        ptx_op_register(op, form, sum_of(importer, operand));
    else if (operand->kind == PTX_OPERAND_IMMEDIATE && operand->number == PTX_NUMBER_F64 &&
             !type_is_float(type) && type_bits(type) < 64)
        ptx_lacks(importer, "a float stands where the instruction takes an integer");
    else if (operand->kind == PTX_OPERAND_IMMEDIATE)
        ptx_op_number(op, form, number_at(operand, type));
    else if (operand->kind == PTX_OPERAND_SPECIAL)
        ptx_put_special(importer, op, form, operand);
    else if (operand->kind == PTX_OPERAND_VARIABLE)
        put_variable(importer, op, form, operand);
    else if (operand->kind == PTX_OPERAND_FUNCTION)
        ptx_op_number(op, form, ptx_function_meant(operand->function)->pointer);
    else
        ptx_lacks(importer, "an operand of this kind is not available here");
}

void ptx_put(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
             const struct ptx_operand *operand)
{
    if (operand->selector.length > 0 && !slice_starts_with(importer->statement->opcode, "v"))
        ptx_lacks(importer, "parts of a register are only available to video instructions");
    switch (op->instruction.opcode->forms[form].kind) {
    case FORM_PREDICATE_SOURCE:
        put_predicate(importer, op, form, operand);
        break;
    case FORM_DESTINATION:
    case FORM_PREDICATE_DESTINATION:
    case FORM_READ_WRITE:
        if (operand->kind == PTX_OPERAND_SINK)
            put_sink(importer, op, form);
        else if (operand->kind == PTX_OPERAND_SPECIAL)
            ptx_lacks_register(importer, operand);
        else if (operand->kind != PTX_OPERAND_REGISTER || operand->offset != 0)
            ptx_lacks(importer, "a result goes to a register");
        else if (op->instruction.opcode->forms[form].kind == FORM_PREDICATE_DESTINATION)
            put_predicate(importer, op, form, operand);
        else
            put_value(importer, op, form, operand);
        break;
    case FORM_SMALL:
    case FORM_IMM8:
        if (operand->kind == PTX_OPERAND_IMMEDIATE)
            ptx_op_number(op, form, operand->bits);
        else
            ptx_lacks(importer, "this operand has to be a number");
        break;
    case FORM_LABEL:
        op->instruction.operands[form] =
            (struct operand){.kind = OPERAND_TARGET, .bits = importer->frame->first_label + operand->label};
        break;
    case FORM_ADDRESS:
        ptx_lacks(importer, "an address is not available here");
        break;
    default:
        put_value(importer, op, form, operand);
    }
}

/* --- literals ------------------------------------------------------------------------------------------- */

static bool is_literal(const struct operand *operand)
{
    return operand->kind == OPERAND_IMMEDIATE || operand->kind == OPERAND_PARAMETER ||
           operand->kind == OPERAND_SPECIAL || operand->kind == OPERAND_ARRAY;
}

/* Special registers and addresses of arrays stand where their type does: an integer of their bits. */
static bool has_type_of(const struct ptx_op *op, unsigned form)
{
    const struct operand *operand = &op->instruction.operands[form];
    const enum hx_type type = instruction_operand_type(&op->instruction, form);
    const bool is_special = operand->kind == OPERAND_SPECIAL;
    const unsigned own = is_special ? type_bits(special_type((enum special_register)operand->symbol)) : 32;
    return (!is_special && operand->kind != OPERAND_ARRAY) ||
           (type_is_element(type) && !type_is_float(type) && type_bits(type) >= own);
}

static void move_literal(struct ptx_importer *importer, struct ptx_op *op, unsigned form)
{
    struct ptx_op move;
    const struct operand *operand = &op->instruction.operands[form];
    const enum hx_type type = operand->kind == OPERAND_SPECIAL
                                  ? special_type((enum special_register)operand->symbol)
                                  : instruction_operand_type(&op->instruction, form);
    if (!ptx_begin(importer, &move, "mov.%s",
                   hx_type_name(type_bits(type) == 64 ? HX_TYPE_U64 : HX_TYPE_U32)))
        return;
    const uint32_t reg = ptx_code_register(&importer->code, false, 1);
    ptx_op_register(&move, 0, reg);
    move.instruction.operands[1] = op->instruction.operands[form];
    ptx_op_push(&importer->code, &move);
    ptx_op_register(op, form, reg);
}

/* One literal fits into a word, where the form takes one, and beside a fourth source only one of 32 bits. */
static void move_literals(struct ptx_importer *importer, struct ptx_op *op)
{
    const struct isa_opcode *opcode = op->instruction.opcode;
    unsigned literals = 0;
    bool has_fourth = false;
    for (unsigned i = 0; i < opcode->form_count; i++)
        has_fourth |= opcode->forms[i].letter == OPERAND_F;
    for (unsigned i = opcode->form_count; i-- > 0;) {
        const struct form *form = &opcode->forms[i];
        const struct operand *operand = &op->instruction.operands[i];
        if ((form->kind != FORM_SOURCE && form->kind != FORM_ANY_SOURCE) || !is_literal(operand))
            continue;
        const bool fits = !form->register_only && has_type_of(op, i) &&
                          (opcode->may_literal >> form->letter & 1) &&
                          (form->kind == FORM_ANY_SOURCE || operand->kind == OPERAND_IMMEDIATE ||
                           operand->kind == OPERAND_PARAMETER) &&
                          !(has_fourth && operand->bits > UINT32_MAX);
        if (!fits || literals++ > 0)
            move_literal(importer, op, i);
    }
}

void ptx_end_free(struct ptx_importer *importer, struct ptx_op *op)
{
    move_literals(importer, op);
    ptx_op_push(&importer->code, op);
}

void ptx_end(struct ptx_importer *importer, struct ptx_op *op)
{
    const struct ptx_statement *statement = importer->statement;
    move_literals(importer, op);
    if (statement->guard != PTX_NO_GUARD) {
        op->guard = ptx_register_of(importer, statement->guard);
        op->instruction.guard_negated = statement->guard_negated;
    }
    ptx_op_push(&importer->code, op);
}

void ptx_move(struct ptx_importer *importer, uint32_t to, uint32_t from, unsigned bits)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "mov.u%u", bits == 64 ? 64 : 32))
        return;
    ptx_op_register(&op, 0, to);
    ptx_op_register(&op, 1, from);
    ptx_end(importer, &op);
}

uint32_t ptx_in_register(struct ptx_importer *importer, const struct ptx_operand *operand, enum hx_type type)
{
    struct ptx_op move;
    const bool is_register = operand->kind == PTX_OPERAND_REGISTER;
    if (is_register && ptx_type_of_register(importer, operand->reg) == HX_TYPE_PRED)
        ptx_lacks(importer, "a predicate stands where the instruction takes a value");
    else if (is_register && is_too_narrow(importer, operand, type))
        ptx_lacks(importer, narrow_register);
    else if (is_register)
        return sum_of(importer, operand);
    const uint32_t reg = ptx_code_register(&importer->code, false, 1);
    if (is_register)
        return reg;
    if (!ptx_begin(importer, &move, "mov.%s", hx_type_name(type)))
        return reg;
    ptx_op_register(&move, 0, reg);
    ptx_put(importer, &move, 1, operand);
    ptx_op_push(&importer->code, &move);
    return reg;
}

/* --- statements ----------------------------------------------------------------------------------------- */

void ptx_import_as(struct ptx_importer *importer, const char *mnemonic)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_op op;
    uint32_t next = 0;
    if (!ptx_begin(importer, &op, "%s", mnemonic))
        return;
    for (unsigned i = 0; i < op.instruction.opcode->form_count; i++) {
        const struct form *form = &op.instruction.opcode->forms[i];
        if (form->kind == FORM_PREDICATE_DESTINATION && form->letter == OPERAND_E) {
            static const struct ptx_operand none = {.kind = PTX_OPERAND_SINK};
            const struct ptx_operand *second =
                statement->operand_count ? statement->operands[0].second : NULL;
            ptx_put(importer, &op, i, second ? second : &none);
        } else if (next < statement->operand_count) {
            ptx_put(importer, &op, i, &statement->operands[next++]);
        } else if (!form->optional) {
            ptx_lacks(importer, "operands are missing");
            return;
        }
    }
    if (next < statement->operand_count)
        ptx_lacks(importer, "it has more operands than the instruction takes");
    ptx_end(importer, &op);
}

void ptx_import_statement(struct ptx_importer *importer, const struct ptx_statement *statement)
{
    char mnemonic[MNEMONIC_BYTES];
    const struct ptx_map_row *row = find_row(statement->opcode);
    importer->statement = statement;
    for (uint32_t i = 0; i < statement->operand_count; i++)
        if (statement->operands[i].has_minus && !slice_starts_with(statement->opcode, "vmad."))
            ptx_lacks(importer, "only vmad takes an operand with a minus; use neg");
    if (!ptx_check_types(importer) || ptx_expand(importer))
        return;
    if (row && row->import) {
        row->import(importer);
    } else if (row) {
        if (compose(row, statement->opcode, mnemonic))
            ptx_import_as(importer, mnemonic);
        else
            ptx_lacks_opcode(importer);
    } else {
        snprintf(mnemonic, sizeof mnemonic, SLICE_FORMAT, SLICE_ARGS(statement->opcode));
        ptx_import_as(importer, mnemonic);
    }
}

/* A conversion to a signed type extends to the register's width, which those of hexec do to 32 bits. */
void ptx_import_conversion(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_operand *to = statement->operand_count > 0 ? &statement->operands[0] : NULL;
    struct slice part, types[2] = {{0}};
    char text[2 * MNEMONIC_BYTES];
    for (size_t at = 0; ptx_next_part(statement->opcode, &at, &part); types[1] = part)
        types[0] = types[1];
    const enum hx_type type = isa_type_of(types[0]);
    if (!to || to->kind != PTX_OPERAND_REGISTER || !type_is_signed(type) || type_bits(type) == 64 ||
        type_bits(ptx_type_of_register(importer, to->reg)) != 64)
        snprintf(text, sizeof text, SLICE_FORMAT, SLICE_ARGS(statement->opcode));
    else
        snprintf(text, sizeof text, SLICE_FORMAT " t0, a; cvt.i64.%s d, t0", SLICE_ARGS(statement->opcode),
                 hx_type_name(type));
    if (strchr(text, ' '))
        ptx_import_text(importer, text);
    else
        ptx_import_as(importer, text);
}

void ptx_import_nothing(struct ptx_importer *importer)
{
    (void)importer; /* a hint for caches, which hexec does not have */
}
