/* Addresses that are known before the kernel runs: are they within the array that they name, and aligned?
 *
 * Takes address operands whose base is a shared, local or constant array, leaves errors, or of kernels that a
 * compiler made warnings. What has an index is
 * checked for alignment alone, as far as its scale allows. Addresses of buffers are left to the run, which
 * knows them; but where an instruction reads only a part of one, that is a warning. */
#include "verify/checks.h"

struct access_check {
    const struct verified_kernel *verified;
    const struct operand *address;
    const struct array *array;
    struct place place;
    int64_t bytes; /* of the access, a whole vector */
};

/* Has any launch of the kernel dynamic shared memory, behind its static arrays? */
static bool has_dynamic_shared(const struct verified_kernel *verified)
{
    for (size_t i = 0; i < verified->program->step_count; i++) {
        const struct launch_step *step = &verified->program->steps[i];
        if (step->kernel == verified->kernel && step->dynamic_shared > 0)
            return true;
    }
    return false;
}

/* Compilers leave such an access where it never runs, behind a condition that they do not know to be false:
 * of theirs it is a warning, and a fault of the run that makes it. */
static enum diag_code code_of(const struct access_check *check, enum diag_code code)
{
    return check->verified->kernel->is_imported ? DIAG_VERIFY_NEVER_RIGHT : code;
}

static hx_status check_range(const struct access_check *check, hx_diag *diag)
{
    const struct array *array = check->array;
    const struct kernel *kernel = check->verified->kernel;
    const unsigned long long size = array->count * hx_type_bytes(array->type);
    const int64_t offset = check->address->offset;
    if (offset >= 0 && (array->is_dynamic || (unsigned long long)(offset + check->bytes) <= size))
        return HX_OK;
    if (check->address->base_kind == BASE_SHARED && offset >= 0 &&
        array->offset + (uint64_t)offset >= kernel->shared.bytes && has_dynamic_shared(check->verified))
        return HX_OK;
    return diag_report_noted(diag, code_of(check, DIAG_VERIFY_OUT_OF_RANGE), check->place,
                             "offsets count bytes from the start of the array", array->place, "the array",
                             "an access of %lld bytes at offset %lld is outside '%s', which has %llu bytes",
                             (long long)check->bytes, (long long)offset, array->name, size);
}

static hx_status check_alignment(const struct access_check *check, hx_diag *diag)
{
    const struct operand *address = check->address;
    int64_t unit = check->bytes; /* the address is known but for a multiple of this */
    if (address->index_kind != INDEX_NONE && address->scale < unit)
        unit = address->scale;
    /* unit is a power of two, so the bits below it are the remainder, of negative offsets too */
    const int64_t at = (int64_t)check->array->offset + address->offset;
    if ((at & (unit - 1)) == 0)
        return HX_OK;
    return diag_report(diag, code_of(check, DIAG_VERIFY_MISALIGNED), check->place,
                       "make the offset a multiple of the access",
                       "an access of %lld bytes at offset %lld of '%s' is never aligned",
                       (long long)check->bytes, (long long)address->offset, check->array->name);
}

static hx_status check_operand(const struct verified_kernel *verified, uint32_t at,
                               const struct operand *operand, hx_diag *diag)
{
    const struct instruction *instruction = &verified->kernel->code[at];
    const struct array_list *arrays = operand->base_kind == BASE_SHARED     ? &verified->kernel->shared
                                      : operand->base_kind == BASE_CONSTANT ? &verified->program->constants
                                      : operand->base_kind == BASE_LOCAL    ? &verified->kernel->local
                                                                            : NULL;
    if (operand->kind != OPERAND_ADDRESS || !shape_is_memory(instruction->opcode->shape) || !arrays ||
        operand->symbol >= arrays->count)
        return HX_OK;
    const struct access_check check = {
        .verified = verified,
        .address = operand,
        .array = &arrays->items[operand->symbol],
        .place = verified->kernel->lines[at].place,
        .bytes = (int64_t)(hx_type_bytes(instruction->type) * instruction_vector(instruction)),
    };
    hx_status status = operand->index_kind == INDEX_NONE ? check_range(&check, diag) : HX_OK;
    return status == HX_OK ? check_alignment(&check, diag) : status;
}

/* Buffers lie above 4 GiB: the lower half of such an address is no address. */
static hx_status check_width(const struct verified_kernel *verified, uint32_t at, unsigned number,
                             hx_diag *diag)
{
    const struct instruction *instruction = &verified->kernel->code[at];
    const struct operand *operand = &instruction->operands[number];
    const size_t params = verified->program->param_count;
    const unsigned bits = type_bits(instruction_operand_type(instruction, number));
    if (operand->kind != OPERAND_PARAMETER || operand->symbol < params || bits == 0 || bits >= 64)
        return HX_OK;
    return diag_report(diag, DIAG_VERIFY_ADDRESS_CUT, verified->kernel->lines[at].place,
                       "use a 64-bit type, such as mov.u64",
                       "the address of buffer '%s' has 64 bits, of which %u are read here",
                       verified->program->buffers.items[operand->symbol - params].name, bits);
}

hx_status verify_addresses(struct verified_kernel *verified, hx_diag *diag)
{
    hx_status status = HX_OK;
    const struct kernel *kernel = verified->kernel;
    for (uint32_t i = 0; i < kernel->code_count && status != HX_NO_MEMORY; i++) {
        if (!verified->flow.nodes[verified->flow.node_of[i]].reachable)
            continue;
        for (unsigned o = 0; o < kernel->code[i].opcode->form_count; o++) {
            status = verify_graver(status, check_operand(verified, i, &kernel->code[i].operands[o], diag));
            status = verify_graver(status, check_width(verified, i, o, diag));
        }
    }
    return status;
}
