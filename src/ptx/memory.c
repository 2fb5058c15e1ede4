/* Addresses, loads, stores and atomics of PTX.
 *
 * Takes statements whose operands are addresses, variables or vectors, leaves ops. A vector of registers of
 * PTX may be any registers, one of hexec is consecutive ones: it is loaded into, or gathered in, registers of
 * its own. */
#include "ptx/emit.h"

#include <stdio.h>

static bool is_one_of(struct slice part, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_equal(part, words[i]))
            return true;
    return false;
}

/* Parts of ld and st that say nothing to hexec: for caches, which it does not have. */
static bool is_hint(struct slice part)
{
    static const char *const hints[] = {"ca", "cg", "cs",   "lu",   "cv",     "wb",
                                        "wt", "nc", "weak", "mmio", "unified"};
    return is_one_of(part, hints, HX_COUNT_OF(hints)) || slice_starts_with(part, "L1::") ||
           slice_starts_with(part, "L2::") || slice_starts_with(part, "level::");
}

struct ptx_access ptx_read_access(struct slice opcode)
{
    static const char *const spaces[] = {"global", "shared", "const", "local", "param"};
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "volatile", "sc"};
    static const char *const scopes[] = {"cta", "gpu", "sys", "cluster"};
    struct ptx_access access = {.type = HX_TYPE_NONE, .lanes = 1};
    struct slice part;
    size_t at = 0;
    bool is_wide = false;
    ptx_next_part(opcode, &at, &part);
    while (ptx_next_part(opcode, &at, &part)) {
        const char *colons = memchr(part.at, ':', part.length);
        const struct slice head = {part.at, colons ? (size_t)(colons - part.at) : part.length};
        const bool is_space = is_one_of(head, spaces, HX_COUNT_OF(spaces));
        for (size_t i = 0; i < HX_COUNT_OF(spaces); i++)
            if (slice_equal(head, spaces[i]))
                access.space = (enum ptx_space)(i + 1);
        if (is_one_of(part, orders, HX_COUNT_OF(orders)))
            access.order = part;
        else if (is_one_of(part, scopes, HX_COUNT_OF(scopes)))
            access.scope = part;
        else if (part.length == 2 && part.at[0] == 'v')
            access.lanes = (unsigned)(part.at[1] - '0');
        else if (slice_equal(part, "b128"))
            access.type = HX_TYPE_U64, is_wide = true;
        else if (isa_type_of(part) != HX_TYPE_NONE)
            access.type = isa_type_of(part);
        else if (!is_space && !is_hint(part))
            access.has_unknown = true;
    }
    if (is_wide) /* two numbers of 64 bits */
        access.lanes *= 2;
    return access;
}

/* ldg, sts, ld, ...: with order, scope, lanes and type. */
static bool begin_access(struct ptx_importer *importer, const struct ptx_access *access, bool is_load,
                         struct ptx_op *ret_op)
{
    static const char letters[] = {
        [PTX_SPACE_GLOBAL] = 'g', [PTX_SPACE_SHARED] = 's', [PTX_SPACE_CONST] = 'c', [PTX_SPACE_LOCAL] = 'l'};
    const char letter[2] = {access->space == PTX_SPACE_NONE ? 0 : letters[access->space], 0};
    char lanes[16] = "", order[16] = "", scope[16] = "";
    if (access->lanes > 1)
        snprintf(lanes, sizeof lanes, ".v%u", access->lanes);
    if (access->order.length > 0 && access->space != PTX_SPACE_CONST && access->space != PTX_SPACE_LOCAL)
        snprintf(order, sizeof order, "." SLICE_FORMAT, SLICE_ARGS(access->order));
    if (access->scope.length > 0 && order[0])
        snprintf(scope, sizeof scope, "." SLICE_FORMAT, SLICE_ARGS(access->scope));
    if (access->has_unknown) {
        ptx_lacks(importer,
                  "a part of the opcode is no space, type, order, scope or hint of a load or store");
        return false;
    }
    if (access->type == HX_TYPE_NONE) {
        ptx_lacks(importer, "values of this type are not available");
        return false;
    }
    return ptx_begin(importer, ret_op, "%s%s%s%s%s.%s", is_load ? "ld" : "st", letter, order, scope, lanes,
                     hx_type_name(access->type));
}

/* --- addresses ------------------------------------------------------------------------------------------ */

void ptx_add_offset(struct ptx_importer *importer, uint32_t to, uint32_t from, int64_t offset)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "add.u64"))
        return;
    ptx_op_register(&op, 0, to);
    ptx_op_register(&op, 1, from);
    ptx_op_number(&op, 2, (uint64_t)offset);
    ptx_end(importer, &op);
}

static void put_register_base(struct ptx_importer *importer, struct ptx_op *op, unsigned form, uint32_t base,
                              int64_t offset)
{
    if (offset != (int32_t)offset) {
        const uint32_t sum = ptx_code_register(&importer->code, false, 1);
        ptx_add_offset(importer, sum, base, offset);
        base = sum;
        offset = 0;
    }
    op->instruction.operands[form] = (struct operand){
        .kind = OPERAND_ADDRESS, .base_kind = BASE_REGISTER, .scale = 1, .offset = (int32_t)offset};
    op->regs[form] = base;
}

static void put_variable_base(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                              const struct ptx_operand *base, int64_t offset)
{
    static const uint8_t spaces[] = {
        [BASE_SHARED] = SPACE_SHARED, [BASE_CONSTANT] = SPACE_CONSTANT, [BASE_LOCAL] = SPACE_LOCAL};
    const struct ptx_binding *binding = &importer->bindings[base->variable->number];
    if (!ptx_is_defined(importer, base->variable))
        return;
    if (offset != (int32_t)offset)
        ptx_lacks(importer, "the offset is too large");
    else if (binding->kind == PTX_BINDING_ARRAY && op->instruction.opcode->space != spaces[binding->base])
        ptx_lacks(importer, "the variable is in another space than the instruction says");
    else if (binding->kind == PTX_BINDING_ARRAY)
        ptx_op_array(op, form, binding->base, binding->symbol, (int32_t)offset);
    else if (binding->kind == PTX_BINDING_POINTER && op->instruction.opcode->space == SPACE_LOCAL)
        put_register_base(importer, op, form, binding->reg, binding->offset + offset);
    else if (binding->kind == PTX_BINDING_PARAMETER && base->variable->space != PTX_SPACE_PARAM &&
             op->instruction.opcode->space != SPACE_GLOBAL && op->instruction.opcode->space != SPACE_GENERIC)
        ptx_lacks(importer, "the variable is in another space than the instruction says");
    else if (binding->kind == PTX_BINDING_PARAMETER && base->variable->space != PTX_SPACE_PARAM)
        ptx_op_array(op, form, BASE_PARAMETER, binding->symbol, (int32_t)offset);
    else
        ptx_lacks(importer, "this variable has no address here");
}

static bool is_pointer(const struct ptx_importer *importer, uint32_t reg)
{
    const enum hx_type type = ptx_type_of_register(importer, reg);
    return type_is_element(type) && !type_is_float(type) && type_bits(type) >= 32;
}

/* A register of an address, as the space of the op takes it. */
static uint32_t widened(struct ptx_importer *importer, const struct ptx_op *op,
                        const struct ptx_operand *base)
{
    const uint32_t reg = ptx_register_of(importer, base->reg);
    const unsigned space = op->instruction.opcode->space;
    if (importer->module->address_bits != 32 || type_bits(ptx_type_of_register(importer, base->reg)) != 32 ||
        (space != SPACE_GLOBAL && space != SPACE_GENERIC))
        return reg;
    return ptx_widen(importer, reg, space == SPACE_GLOBAL ? PTX_SPACE_GLOBAL : PTX_SPACE_NONE);
}

static void put_address(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                        const struct ptx_operand *address)
{
    const struct ptx_operand *base = address->kind == PTX_OPERAND_ADDRESS ? &address->items[0] : NULL;
    if (!base || address->count > 1)
        ptx_lacks(importer, "an address is expected, in brackets");
    else if (base->kind == PTX_OPERAND_REGISTER && !is_pointer(importer, base->reg))
        ptx_lacks(importer, "the register of an address is an integer of 32 or 64 bits");
    else if (base->kind == PTX_OPERAND_REGISTER)
        put_register_base(importer, op, form, widened(importer, op, base), address->offset);
    else if (base->kind == PTX_OPERAND_VARIABLE)
        put_variable_base(importer, op, form, base, address->offset);
    else if (base->kind == PTX_OPERAND_IMMEDIATE && base->bits + (uint64_t)address->offset <= INT32_MAX)
        ptx_op_array(op, form, BASE_NONE, 0, (int32_t)(base->bits + (uint64_t)address->offset));
    else
        ptx_lacks(importer, "an address of this kind is not available");
}

/* Is it an access to a parameter that is no memory? */
static const struct ptx_binding *find_scalar(const struct ptx_importer *importer,
                                             const struct ptx_access *access,
                                             const struct ptx_operand *address)
{
    if (access->space != PTX_SPACE_PARAM || address->kind != PTX_OPERAND_ADDRESS ||
        address->items[0].kind != PTX_OPERAND_VARIABLE)
        return NULL;
    const struct ptx_binding *binding = &importer->bindings[address->items[0].variable->number];
    return binding->kind == PTX_BINDING_PARAMETER || binding->kind == PTX_BINDING_REGISTER ? binding : NULL;
}

/* [x] of a variable without a space is an access to the variable's. */
static void find_own_space(const struct ptx_importer *importer, const struct ptx_operand *address,
                           struct ptx_access *access)
{
    static const enum ptx_space spaces[] = {
        [BASE_SHARED] = PTX_SPACE_SHARED, [BASE_CONSTANT] = PTX_SPACE_CONST, [BASE_LOCAL] = PTX_SPACE_LOCAL};
    if (access->space != PTX_SPACE_NONE || address->kind != PTX_OPERAND_ADDRESS ||
        address->items[0].kind != PTX_OPERAND_VARIABLE)
        return;
    const struct ptx_binding *binding = &importer->bindings[address->items[0].variable->number];
    if (binding->kind == PTX_BINDING_ARRAY)
        access->space = spaces[binding->base];
}

/* Parameters of kernels lie in constant memory, those of functions and of calls in local memory. */
static void find_param_space(const struct ptx_importer *importer, const struct ptx_operand *address,
                             struct ptx_access *access)
{
    if (access->space != PTX_SPACE_PARAM)
        return;
    bool is_kernels = importer->frame->return_label == PTX_NO_LABEL && importer->frame->function->is_kernel;
    if (address->kind == PTX_OPERAND_ADDRESS && address->items[0].kind == PTX_OPERAND_VARIABLE) {
        const struct ptx_binding *binding = &importer->bindings[address->items[0].variable->number];
        is_kernels = binding->kind == PTX_BINDING_ARRAY && binding->base == BASE_CONSTANT;
    }
    access->space = is_kernels ? PTX_SPACE_CONST : PTX_SPACE_LOCAL;
}

/* --- loads and stores ----------------------------------------------------------------------------------- */

static bool is_extended(const struct ptx_importer *importer, const struct ptx_operand *to,
                        const struct ptx_access *access)
{
    return type_is_signed(access->type) && type_bits(access->type) < 64 && to->kind == PTX_OPERAND_REGISTER &&
           type_bits(ptx_type_of_register(importer, to->reg)) == 64;
}

/* Loads of signed types extend to the register's width, which loads of hexec do to 32 bits. */
static void move_loaded(struct ptx_importer *importer, const struct ptx_operand *to, uint32_t from,
                        const struct ptx_access *access)
{
    struct ptx_op convert;
    if (to->kind != PTX_OPERAND_REGISTER)
        return;
    if (!is_extended(importer, to, access)) {
        ptx_move(importer, ptx_register_of(importer, to->reg), from, type_bits(access->type));
    } else if (ptx_begin(importer, &convert, "cvt.i64.%s", hx_type_name(access->type))) {
        ptx_put(importer, &convert, 0, to);
        ptx_op_register(&convert, 1, from);
        ptx_end(importer, &convert);
    }
}

static void load_vector(struct ptx_importer *importer, struct ptx_op *op, const struct ptx_operand *to,
                        const struct ptx_access *access)
{
    const uint32_t first = ptx_code_register(&importer->code, false, (uint8_t)access->lanes);
    ptx_op_register(op, 0, first);
    ptx_end(importer, op);
    for (uint32_t i = 0; i < to->count; i++)
        move_loaded(importer, &to->items[i], first + i, access);
}

static void load_scalar(struct ptx_importer *importer, const struct ptx_binding *binding,
                        const struct ptx_operand *to, const struct ptx_access *access)
{
    struct ptx_op op;
    const bool extends = is_extended(importer, to, access);
    const uint32_t narrow = extends ? ptx_code_register(&importer->code, false, 1) : 0;
    if (!ptx_begin(importer, &op, "mov.%s", hx_type_name(access->type)))
        return;
    if (extends)
        ptx_op_register(&op, 0, narrow);
    else
        ptx_put(importer, &op, 0, to);
    if (binding->kind == PTX_BINDING_REGISTER)
        ptx_op_register(&op, 1, binding->reg);
    else
        op.instruction.operands[1] = (struct operand){.kind = OPERAND_PARAMETER, .symbol = binding->symbol};
    ptx_end(importer, &op);
    if (extends)
        move_loaded(importer, to, narrow, access);
}

bool ptx_has_operands(struct ptx_importer *importer, uint32_t count)
{
    if (importer->statement->operand_count >= count)
        return true;
    ptx_lacks(importer, "operands are missing");
    return false;
}

bool ptx_check_lanes(struct ptx_importer *importer, const struct ptx_operand *value,
                     const struct ptx_access *access)
{
    const unsigned lanes = value->kind == PTX_OPERAND_VECTOR ? value->count : 1;
    if (lanes == access->lanes)
        return true;
    ptx_lacks(importer, "the vector has another number of elements than the opcode says");
    return false;
}

static void load(struct ptx_importer *importer, const struct ptx_operand *to,
                 const struct ptx_operand *address, const struct ptx_access *access)
{
    struct ptx_op op;
    if (!begin_access(importer, access, true, &op))
        return;
    put_address(importer, &op, 1, address);
    if (to->kind == PTX_OPERAND_VECTOR) {
        load_vector(importer, &op, to, access);
    } else if (is_extended(importer, to, access)) {
        const uint32_t narrow = ptx_code_register(&importer->code, false, 1);
        ptx_op_register(&op, 0, narrow);
        ptx_end(importer, &op);
        move_loaded(importer, to, narrow, access);
    } else {
        ptx_put(importer, &op, 0, to);
        ptx_end(importer, &op);
    }
}

/* A vector of 8 elements is accessed as two of 4: `half` of it, and of its address. */
static void take_half(const struct ptx_operand *vector, const struct ptx_operand *address, unsigned half,
                      struct ptx_access *access, struct ptx_operand *ret_vector,
                      struct ptx_operand *ret_address)
{
    *ret_vector = *vector;
    *ret_address = *address;
    access->lanes = PTX_MOST_LANES / 2;
    ret_vector->count = PTX_MOST_LANES / 2;
    ret_vector->items += half * (PTX_MOST_LANES / 2);
    ret_address->offset += half * (PTX_MOST_LANES / 2) * type_bytes(access->type);
}

/* A pointer to constants may be the address of a buffer. */
static void find_constant_space(const struct ptx_importer *importer, const struct ptx_operand *address,
                                struct ptx_access *access)
{
    const bool is_named =
        address->kind == PTX_OPERAND_ADDRESS && address->items[0].kind == PTX_OPERAND_VARIABLE;
    if (access->space == PTX_SPACE_CONST && importer->module->has_constant_arguments && !is_named)
        access->space = PTX_SPACE_NONE;
}

/* On GPUs constants lie in global memory, and compilers load through any pointer that they find in constant
 * memory with ld.global. */
static void find_global_space(const struct ptx_importer *importer, const struct ptx_operand *address,
                              struct ptx_access *access)
{
    const bool is_named =
        address->kind == PTX_OPERAND_ADDRESS && address->items[0].kind == PTX_OPERAND_VARIABLE;
    if (access->space == PTX_SPACE_GLOBAL && importer->module->has_constant_pointers && !is_named)
        access->space = PTX_SPACE_NONE;
}

void ptx_import_load(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_access access = ptx_read_access(statement->opcode);
    if (slice_starts_with(statement->opcode, "ldu."))
        access.order = access.scope = (struct slice){0};
    if (!ptx_has_operands(importer, 2))
        return;
    const struct ptx_operand *to = &statement->operands[0], *address = &statement->operands[1];
    const struct ptx_binding *scalar = find_scalar(importer, &access, address);
    if (!ptx_check_lanes(importer, to, &access))
        return;
    if (scalar) {
        load_scalar(importer, scalar, to, &access);
        return;
    }
    find_constant_space(importer, address, &access);
    find_own_space(importer, address, &access);
    find_param_space(importer, address, &access);
    find_global_space(importer, address, &access);
    if (access.lanes != PTX_MOST_LANES) {
        load(importer, to, address, &access);
        return;
    }
    for (unsigned half = 0; half < 2; half++) {
        struct ptx_operand vector, place;
        take_half(to, address, half, &access, &vector, &place);
        load(importer, &vector, &place, &access);
    }
}

static uint32_t gather_vector(struct ptx_importer *importer, const struct ptx_operand *from,
                              const struct ptx_access *access)
{
    const enum hx_type type = type_bits(access->type) == 64 ? HX_TYPE_U64 : HX_TYPE_U32;
    const uint32_t first = ptx_code_register(&importer->code, false, (uint8_t)access->lanes);
    for (uint32_t i = 0; i < from->count; i++) {
        struct ptx_op op;
        if (!ptx_begin(importer, &op, "mov.%s", hx_type_name(type)))
            return first;
        ptx_op_register(&op, 0, first + i);
        ptx_put(importer, &op, 1, &from->items[i]);
        ptx_op_push(&importer->code, &op);
    }
    return first;
}

static void store_scalar(struct ptx_importer *importer, const struct ptx_binding *binding,
                         const struct ptx_operand *from, const struct ptx_access *access)
{
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "mov.%s", hx_type_name(access->type)))
        return;
    ptx_op_register(&op, 0, binding->reg);
    ptx_put(importer, &op, 1, from);
    ptx_end(importer, &op);
}

static void store(struct ptx_importer *importer, const struct ptx_operand *address,
                  const struct ptx_operand *from, const struct ptx_access *access)
{
    struct ptx_op op;
    if (!begin_access(importer, access, false, &op))
        return;
    put_address(importer, &op, 0, address);
    if (from->kind == PTX_OPERAND_VECTOR)
        ptx_op_register(&op, 1, gather_vector(importer, from, access));
    else
        ptx_op_register(
            &op, 1,
            ptx_in_register(importer, from, type_bits(access->type) < 32 ? HX_TYPE_U32 : access->type));
    ptx_end(importer, &op);
}

void ptx_import_store(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_access access = ptx_read_access(statement->opcode);
    if (!ptx_has_operands(importer, 2))
        return;
    const struct ptx_operand *address = &statement->operands[0], *from = &statement->operands[1];
    const struct ptx_binding *scalar = find_scalar(importer, &access, address);
    if (!ptx_check_lanes(importer, from, &access))
        return;
    if (scalar && scalar->kind == PTX_BINDING_REGISTER) {
        store_scalar(importer, scalar, from, &access);
        return;
    }
    find_own_space(importer, address, &access);
    find_param_space(importer, address, &access);
    if (access.lanes != PTX_MOST_LANES) {
        store(importer, address, from, &access);
        return;
    }
    for (unsigned half = 0; half < 2; half++) {
        struct ptx_operand vector, place;
        take_half(from, address, half, &access, &vector, &place);
        store(importer, &place, &vector, &access);
    }
}

/* An atomic on one place: element `at` of a vector, or all there is. */
static void import_atomic(struct ptx_importer *importer, const char *mnemonic,
                          const struct ptx_access *access, unsigned at)
{
    const struct ptx_statement *statement = importer->statement;
    struct ptx_op op;
    if (!ptx_begin(importer, &op, "%s", mnemonic))
        return;
    const unsigned forms = op.instruction.opcode->form_count, place = mnemonic[0] == 'r' ? 0 : 1;
    if (!ptx_has_operands(importer, forms))
        return;
    for (unsigned i = 0; i < forms; i++) {
        struct ptx_operand operand = statement->operands[i];
        if (i == place) {
            operand.offset += at * type_bytes(access->type);
            put_address(importer, &op, i, &operand);
        } else if (ptx_check_lanes(importer, &operand, access)) {
            ptx_put(importer, &op, i, access->lanes > 1 ? &operand.items[at] : &operand);
        }
    }
    ptx_end(importer, &op);
}

/* atom.relaxed.gpu.global.add.u32 becomes atomg.add.relaxed.gpu.u32. Of a vector each element is an atomic of
 * its own, which is all that PTX promises. */
void ptx_import_atomic(struct ptx_importer *importer)
{
    static const char *const operations[] = {"add", "sub", "min", "max",  "inc", "dec",
                                             "and", "or",  "xor", "exch", "cas"};
    const struct ptx_statement *statement = importer->statement;
    const struct ptx_access access = ptx_read_access(statement->opcode);
    const bool is_reduction = slice_starts_with(statement->opcode, "red.");
    const char *space = access.space == PTX_SPACE_GLOBAL ? "g" : access.space == PTX_SPACE_SHARED ? "s" : "";
    char order[16] = "", scope[16] = "", mnemonic[96];
    struct slice part, operation = {0};
    for (size_t at = 0; ptx_next_part(statement->opcode, &at, &part);)
        if (is_one_of(part, operations, HX_COUNT_OF(operations)))
            operation = part;
    if (access.order.length > 0)
        snprintf(order, sizeof order, "." SLICE_FORMAT, SLICE_ARGS(access.order));
    if (access.scope.length > 0)
        snprintf(scope, sizeof scope, "." SLICE_FORMAT, SLICE_ARGS(access.scope));
    if (access.type == HX_TYPE_NONE || access.lanes == 0 || access.lanes > PTX_MOST_LANES) {
        ptx_lacks(importer, "values of this type are not available");
        return;
    }
    if (ptx_has_part(statement, "b128")) { /* exch and cas are calls of the device library */
        ptx_lacks(importer, "atomics of 128 bits are exch and cas, of registers of .b128");
        return;
    }
    snprintf(mnemonic, sizeof mnemonic, "%s%s." SLICE_FORMAT "%s%s%s.%s", is_reduction ? "red" : "atom",
             space, SLICE_ARGS(operation), order, scope, ptx_has_part(statement, "noftz") ? ".noftz" : "",
             hx_type_name(access.type));
    for (unsigned i = 0; i < access.lanes; i++)
        import_atomic(importer, mnemonic, &access, i);
}
