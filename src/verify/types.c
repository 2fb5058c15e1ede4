/* Arithmetic over another type than the one that a value has.
 *
 * Takes the flow graph, leaves warnings. Registers have no types, but most values are made as something: an
 * f32 parameter, a literal that was moved as f32, what ldg.f32 loaded, a sum of integers. For each point of
 * the kernel is known as what each register's value was made. What only carries values hands this on (mov,
 * sel, shfl). What works on bits (and, shl, prmt, a load or move of type b32, a move at another type) leaves
 * bits, which may be read as anything: so tricks that read a float's bits on purpose are no slips. An integer
 * is claimed only where it cannot be the bits of a float either: a large literal is none, nor what is made
 * with it. */
#include "verify/checks.h"

#include <stdio.h>
#include <string.h>

/* What a value was made as: nothing (zero is of every type), bits, or a type; of integers only the width
 * counts, so theirs are unsigned. */
enum { MADE_NOTHING, MADE_BITS, MADE_TYPES };
struct value {
    uint8_t made; /* MADE_TYPES + enum hx_type */
    uint32_t at;  /* the instruction that made it */
};
struct values {
    uint8_t made[REGISTER_COUNT];
    uint32_t at[REGISTER_COUNT];
};

struct types {
    const hx_program *program;
    const struct kernel *kernel;
    const struct flow *flow;
    struct arena arena;
    struct values *states;
    bool *reported; /* for each instruction: something was said of the value that it makes */
    hx_diag *diag;
};

static void types_done(struct types *types)
{
    arena_done(&types->arena);
}

/* ---- Types and literals -------------------------------------------------------------------------------- */

static uint8_t made_as(enum hx_type type)
{
    if (type_is_float(type))
        return (uint8_t)(MADE_TYPES + type);
    switch (type_is_element(type) ? type_bits(type) : 0) {
    case 8:
        return MADE_TYPES + HX_TYPE_U8;
    case 16:
        return MADE_TYPES + HX_TYPE_U16;
    case 32:
        return MADE_TYPES + HX_TYPE_U32;
    case 64:
        return MADE_TYPES + HX_TYPE_U64;
    default:
        return MADE_BITS;
    }
}

static enum hx_type type_made(uint8_t made)
{
    return made < MADE_TYPES ? HX_TYPE_NONE : (enum hx_type)(made - MADE_TYPES);
}

static bool is_integer(uint8_t made)
{
    return made >= MADE_TYPES && !type_is_float(type_made(made));
}

/* Is a number so small that, as a float's bits, it would be a subnormal that nobody means? */
static bool is_small(uint64_t bits, enum hx_type type)
{
    const unsigned width = type_bits(type), mantissa = width == 64 ? 52 : width == 32 ? 23 : 7;
    const uint64_t mask = UINT64_MAX >> (64 - width), sign = UINT64_C(1) << (width - 1);
    const uint64_t magnitude = bits & sign ? -bits & mask : bits & mask;
    return magnitude >> mantissa == 0;
}

static uint8_t made_as_literal(uint64_t bits, enum hx_type type)
{
    if (bits == 0)
        return MADE_NOTHING;
    return type_is_float(type) || is_small(bits, type) ? made_as(type) : MADE_BITS;
}

/* Does the line say b32, or the like? It means u32, but tells what the author thinks. A binary's lines do not
 * tell. */
static bool says_bits(const struct types *types, uint32_t at)
{
    const char *text = types->kernel->lines[at].text;
    if (types->program->is_binary)
        return true;
    text += *text == '@' ? strcspn(text, " \t") : 0;
    text += strspn(text, " \t");
    const size_t length = strcspn(text, " \t");
    for (size_t i = 0; i + 2 < length; i++)
        if (text[i] == '.' && (text[i + 1] | 0x20) == 'b' && text[i + 2] >= '0' && text[i + 2] <= '9')
            return true;
    return false;
}

/* ---- What instructions make ---------------------------------------------------------------------------- */

static struct value operand_value(const struct types *types, const struct values *state, uint32_t at,
                                  unsigned number)
{
    const struct operand *operand = &types->kernel->code[at].operands[number];
    const enum hx_type type = instruction_operand_type(&types->kernel->code[at], number);
    struct value value = {MADE_BITS, at};
    if (operand->kind == OPERAND_REGISTER)
        value = (struct value){state->made[operand->reg], state->at[operand->reg]};
    else if (operand->kind == OPERAND_IMMEDIATE)
        value.made = made_as_literal(operand->bits, type);
    else if (operand->kind == OPERAND_SPECIAL)
        value.made = made_as(special_type((enum special_register)operand->symbol));
    else if (operand->kind == OPERAND_PARAMETER && operand->symbol < types->program->param_count)
        value.made = made_as(types->program->params[operand->symbol].type);
    else if (operand->kind == OPERAND_PARAMETER)
        value.made = made_as(HX_TYPE_U64);
    return value;
}

static struct value merged(struct value a, struct value b)
{
    if (a.made == MADE_NOTHING)
        return b;
    if (b.made != MADE_NOTHING && b.made != a.made)
        a.made = MADE_BITS;
    return a;
}

static int find_operand(const struct instruction *instruction, enum semantic_operand letter)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->opcode->forms[i].letter == letter)
            return (int)i;
    return -1;
}

static struct value letter_value(const struct types *types, const struct values *state, uint32_t at,
                                 enum semantic_operand letter)
{
    const int number = find_operand(&types->kernel->code[at], letter);
    return number < 0 ? (struct value){MADE_BITS, at} : operand_value(types, state, at, (unsigned)number);
}

/* A move from a register at another type is how bits are read as another type on purpose. What is declared
 * keeps its type, unless the move says that it moves bits. */
static struct value moved(const struct types *types, const struct values *state, uint32_t at)
{
    const struct instruction *move = &types->kernel->code[at];
    const int number = find_operand(move, OPERAND_A);
    struct value value = letter_value(types, state, at, OPERAND_A);
    const bool is_same = value.made < MADE_TYPES || value.made == made_as((enum hx_type)move->type);
    if (!is_same && (number < 0 || move->operands[number].kind == OPERAND_REGISTER || says_bits(types, at)))
        value.made = MADE_BITS;
    return value;
}

/* The declared type of the buffer or constant that an instruction's address names; NONE where it names none.
 * Arrays that a kernel stores to are left out: it may keep now this and now that in them. */
static enum hx_type declared_type(const struct types *types, const struct instruction *instruction,
                                  bool with_arrays)
{
    const size_t params = types->program->param_count;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind != OPERAND_ADDRESS)
            continue;
        if (operand->base_kind == BASE_PARAMETER && operand->symbol >= params)
            return types->program->buffers.items[operand->symbol - params].type;
        if (operand->base_kind == BASE_CONSTANT)
            return types->program->constants.items[operand->symbol].type;
        if (operand->base_kind == BASE_SHARED && with_arrays)
            return types->kernel->shared.items[operand->symbol].type;
        if (operand->base_kind == BASE_LOCAL && with_arrays)
            return types->kernel->local.items[operand->symbol].type;
    }
    return HX_TYPE_NONE;
}

/* A load of a float is one. A load of an integer is one from what is declared so; from floats it is a slip,
 * unless it says that it loads bits. */
static struct value loaded(const struct types *types, uint32_t at)
{
    const struct instruction *load = &types->kernel->code[at];
    const enum hx_type type = (enum hx_type)load->type, declared = declared_type(types, load, false);
    struct value value = {MADE_BITS, at};
    if (type_is_float(type))
        value.made = made_as(type);
    else if (says_bits(types, at))
        value.made = MADE_BITS;
    else if (type_is_float(declared) && type_bits(declared) == type_bits(type))
        value.made = made_as(declared);
    else if (made_as(type) == made_as(declared_type(types, load, true)))
        value.made = made_as(type);
    return value;
}

static bool is_plain_arithmetic(int semantic)
{
    switch (semantic) {
    case SEM_add:
    case SEM_sub:
    case SEM_mul:
    case SEM_mulhi:
    case SEM_mulw:
    case SEM_mad:
    case SEM_madhi:
    case SEM_madw:
    case SEM_div:
    case SEM_rem:
    case SEM_abs:
    case SEM_neg:
        return true;
    default:
        return false;
    }
}

/* What integers an integer instruction of these kinds makes: one that is no float's bits, if its operands are
 * such. */
static bool keeps_integers(int semantic)
{
    return is_plain_arithmetic(semantic) || semantic == SEM_min || semantic == SEM_max ||
           semantic == SEM_and || semantic == SEM_shr;
}

static bool has_integers(const struct types *types, const struct values *state, uint32_t at)
{
    const struct instruction *instruction = &types->kernel->code[at];
    for (unsigned i = 0; i < instruction->opcode->form_count; i++) {
        const enum form_kind kind = instruction->opcode->forms[i].kind;
        if ((kind != FORM_SOURCE && kind != FORM_ANY_SOURCE) ||
            instruction->operands[i].kind == OPERAND_ABSENT)
            continue;
        const uint8_t made = operand_value(types, state, at, i).made;
        if (made != MADE_NOTHING && !is_integer(made))
            return false;
    }
    return true;
}

static struct value converted(const struct instruction *instruction, uint32_t at)
{
    const enum hx_type type = (enum hx_type)instruction->type, from = (enum hx_type)instruction->source_type;
    const bool is_cut = !type_is_float(type) && !type_is_float(from) && type_bits(type) < type_bits(from);
    return (struct value){is_cut ? MADE_BITS : made_as(type), at};
}

/* What an instruction that computes makes at a type. */
static struct value computed(const struct types *types, const struct values *state, uint32_t at,
                             enum hx_type type)
{
    const struct instruction *instruction = &types->kernel->code[at];
    const enum semantic_shape shape = instruction->opcode->shape;
    const int semantic = instruction_semantic(instruction);
    const bool is_float = type_is_float(type) && shape != SHAPE_CAS && semantic != SEM_atomic_exch_global &&
                          semantic != SEM_atomic_exch_shared && semantic != SEM_atomic_exch_generic;
    const bool is_integer =
        shape == SHAPE_COUNT || (keeps_integers(semantic) && has_integers(types, state, at));
    return (struct value){is_float || is_integer ? made_as(type) : MADE_BITS, at};
}

static struct value result(const struct types *types, const struct values *state, uint32_t at,
                           enum hx_type type)
{
    const struct instruction *instruction = &types->kernel->code[at];
    switch (instruction->opcode->shape) {
    case SHAPE_LOAD:
        return loaded(types, at);
    case SHAPE_CONVERT:
        return converted(instruction, at);
    case SHAPE_SHUFFLE:
        return letter_value(types, state, at, OPERAND_A);
    case SHAPE_SELECT:
    case SHAPE_CHOOSE:
        return merged(letter_value(types, state, at, OPERAND_A), letter_value(types, state, at, OPERAND_B));
    case SHAPE_FLOW:
        return (struct value){MADE_BITS, at};
    default:
        return instruction_semantic(instruction) == SEM_mov ? moved(types, state, at)
                                                            : computed(types, state, at, type);
    }
}

/* ---- How it flows -------------------------------------------------------------------------------------- */

static bool merge_register(struct values *into, uint32_t member, struct value from)
{
    const uint8_t before = into->made[member];
    const struct value value = merged((struct value){before, into->at[member]}, from);
    into->made[member] = value.made;
    into->at[member] = value.at;
    return value.made != before;
}

static void pass_instruction(const struct types *types, struct values *state, uint32_t at)
{
    const struct instruction *instruction = &types->kernel->code[at];
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    struct value made[ACCESS_COUNT_MAX];
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes && !accesses[i].predicate)
            made[i] = result(types, state, at, accesses[i].type);
    for (size_t i = 0; i < count; i++)
        for (uint32_t r = 0; accesses[i].writes && !accesses[i].predicate && r < accesses[i].registers; r++) {
            const uint32_t member = flow_member(&accesses[i], r);
            if (instruction->guard < 0)
                state->made[member] = MADE_NOTHING;
            merge_register(state, member, made[i]);
        }
}

static void pass_node(void *user, uint32_t node, void *state)
{
    const struct types *types = user;
    for (uint32_t i = types->flow->nodes[node].first; i < types->flow->nodes[node].end; i++)
        pass_instruction(types, state, i);
}

/* Around a call, what the subroutine may write comes from its exit, the rest from the call. */
static bool merge(void *user, const struct flow_edge *edge, const void *from, void *into)
{
    const struct types *types = user;
    const struct values *source = from;
    const bool is_around = edge->kind == EDGE_RETURN || edge->kind == EDGE_BYPASS;
    const uint32_t exit = edge->kind == EDGE_RETURN ? edge->from : edge->through;
    const struct flow_set *written =
        is_around ? &types->flow->written[exit - types->flow->block_count] : NULL;
    bool changed = false;
    for (uint32_t m = 0; m < REGISTER_COUNT; m++)
        if (!written || flow_set_has(written, m) == (edge->kind == EDGE_RETURN))
            changed |= merge_register(into, m, (struct value){source->made[m], source->at[m]});
    return changed;
}

/* ---- What is read as another type ---------------------------------------------------------------------- */

/* Is it arithmetic on integers? Comparisons, minima and maxima are left out: floats have the same order as
 * their bits. */
static bool computes_integers(int semantic)
{
    switch (semantic) {
    case SEM_add_sat:
    case SEM_sub_sat:
    case SEM_sad:
    case SEM_mul24_lo:
    case SEM_mul24_hi:
    case SEM_mad24_lo:
    case SEM_mad24_hi:
    case SEM_atomic_add_global:
    case SEM_atomic_add_shared:
    case SEM_atomic_add_generic:
    case SEM_atomic_sub_global:
    case SEM_atomic_sub_shared:
    case SEM_atomic_sub_generic:
    case SEM_redux_add:
    case SEM_reduce_add:
    case SEM_reduce_mul:
    case SEM_scan_add_incl:
    case SEM_scan_add_excl:
        return true;
    default:
        return is_plain_arithmetic(semantic);
    }
}

/* A literal that is large for a number is a part of a float's bits, or of a hash: then bits are meant. */
static bool has_large_literal(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->operands[i].kind == OPERAND_IMMEDIATE &&
            !is_small(instruction->operands[i].bits, (enum hx_type)instruction->type))
            return true;
    return false;
}

static bool is_arithmetic(const struct instruction *instruction)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    /* a register of a matrix is bits, whatever its elements are */
    if (shape == SHAPE_CONVERT || shape == SHAPE_COMPARE || shape == SHAPE_MATRIX ||
        instruction_is_packed(instruction) || type_is_packed((enum hx_type)instruction->type))
        return false;
    return instruction_flop_type(instruction) != HX_TYPE_NONE ||
           (computes_integers(instruction_semantic(instruction)) && !has_large_literal(instruction));
}

/* Two widths of one kind are what HX1503 is about. */
static bool contradicts(enum hx_type made, enum hx_type read)
{
    const unsigned bits = type_bits(made), read_bits = type_bits(read);
    if (made == HX_TYPE_NONE || read == HX_TYPE_NONE || read == HX_TYPE_PRED)
        return false;
    if (type_is_float(read))
        return bits == read_bits && made != read;
    return type_is_float(made) && read_bits >= bits && (read_bits == 64) == (bits == 64);
}

/* The type of a value as the program says it: integers with their sign. `operand` is what was moved, or what
 * is read itself. */
static enum hx_type spelled_type(const struct types *types, struct value value, const struct operand *operand)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const enum hx_type type = type_made(value.made);
    if (type_is_float(type))
        return type;
    if (operand->kind == OPERAND_PARAMETER)
        return operand->symbol < types->program->param_count ? types->program->params[operand->symbol].type
                                                             : HX_TYPE_U64;
    if (operand->kind == OPERAND_SPECIAL)
        return special_type((enum special_register)operand->symbol);
    const size_t count = instruction_accesses(&types->kernel->code[value.at], accesses);
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes && !accesses[i].predicate)
            return accesses[i].type;
    return type;
}

static hx_status report(struct types *types, uint32_t at, unsigned number, struct value value,
                        enum hx_type read)
{
    const struct operand *operand = &types->kernel->code[at].operands[number];
    const struct code_line *lines = types->kernel->lines;
    const struct instruction *maker = &types->kernel->code[value.at];
    char cure[160];
    snprintf(
        cure, sizeof cure,
        "convert it with cvt, or compute at the type that it has; where its bits are meant, move it with "
        "mov.b%u first",
        type_bits(type_made(value.made)));
    if (operand->kind == OPERAND_PARAMETER)
        return diag_report(types->diag, DIAG_VERIFY_TYPE, lines[at].place, cure,
                           "parameter '%s' is %s, and is read as %s here",
                           program_symbol_name(types->program, operand->symbol),
                           hx_type_name(spelled_type(types, value, operand)), hx_type_name(read));
    if (operand->kind != OPERAND_REGISTER || types->reported[value.at])
        return HX_OK;
    types->reported[value.at] = true;
    const bool is_moved = instruction_semantic(maker) == SEM_mov;
    const char *name = hx_type_name(
        spelled_type(types, value, is_moved ? &maker->operands[find_operand(maker, OPERAND_A)] : operand));
    return diag_report_noted(types->diag, DIAG_VERIFY_TYPE, lines[at].place, cure, lines[value.at].place,
                             "its value comes from here", "r%u holds %s here (line %d), and is read as %s",
                             operand->reg, name, lines[value.at].place.line, hx_type_name(read));
}

/* An atomic on integers in a buffer that is declared as one of floats. */
static hx_status check_atomic(const struct types *types, uint32_t at)
{
    const struct instruction *instruction = &types->kernel->code[at];
    const enum hx_type type = (enum hx_type)instruction->type;
    const enum hx_type declared = declared_type(types, instruction, false);
    if (instruction->opcode->shape != SHAPE_ATOMIC || !type_is_float(declared) ||
        !contradicts(declared, type))
        return HX_OK;
    return diag_report(types->diag, DIAG_VERIFY_TYPE, types->kernel->lines[at].place,
                       "add at the buffer's type, or declare the buffer as what is added to it",
                       "the buffer is %s, and this adds to it as %s", hx_type_name(declared),
                       hx_type_name(type));
}

static hx_status check_instruction(struct types *types, const struct values *state, uint32_t at)
{
    const struct instruction *instruction = &types->kernel->code[at];
    if (!is_arithmetic(instruction))
        return HX_OK;
    hx_status status = check_atomic(types, at);
    for (unsigned i = 0; i < instruction->opcode->form_count && status != HX_NO_MEMORY; i++) {
        const enum form_kind kind = instruction->opcode->forms[i].kind;
        const enum hx_type read = instruction_operand_type(instruction, i);
        if (kind != FORM_SOURCE && kind != FORM_ANY_SOURCE)
            continue;
        const struct value value = operand_value(types, state, at, i);
        if (contradicts(type_made(value.made), type_made(made_as(read))))
            status = verify_graver(status, report(types, at, i, value, read));
    }
    return status;
}

static hx_status check(struct types *types)
{
    hx_status status = HX_OK;
    for (uint32_t n = 0; n < types->flow->block_count; n++) {
        const struct flow_node *node = &types->flow->nodes[n];
        struct values state = types->states[n];
        for (uint32_t i = node->first; node->reachable && i < node->end && status != HX_NO_MEMORY; i++) {
            status = verify_graver(status, check_instruction(types, &state, i));
            pass_instruction(types, &state, i);
        }
    }
    return status;
}

hx_status verify_types(struct verified_kernel *verified, hx_diag *diag)
{
    HX_AUTO(types_done)
    struct types types = {
        .program = verified->program, .kernel = verified->kernel, .flow = &verified->flow, .diag = diag};
    arena_init(&types.arena, verified->arena.allocator);
    if (types.flow->node_count == 0 || types.kernel->is_imported)
        return HX_OK;
    types.states = ARENA_ARRAY(&types.arena, struct values, types.flow->node_count);
    types.reported = ARENA_ARRAY(&types.arena, bool, types.kernel->code_count);
    if (!types.states || !types.reported)
        return diag_no_memory(diag);
    const struct flow_problem problem = {
        .bytes = sizeof(struct values), .user = &types, .pass = pass_node, .merge = merge};
    hx_status status = verify_flow_solve(types.flow, &problem, types.arena.allocator, diag, types.states);
    return status == HX_OK ? check(&types) : status;
}
