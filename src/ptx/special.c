/* Special registers of PTX.
 *
 * Takes an operand such as %clock_hi, leaves it in a form of an op: as the special register of hexec, as a
 * part of one in a register of its own, or as a number. PTX ISA, "Special Registers". */
#include "ptx/importer.h"

/* Special registers that hexec does not have: parts of others, or numbers. A block is a cluster of its own.
 */
static const struct {
    const char *name, *of; /* of: the one that it is, or the upper half of */
    bool is_upper;
    uint64_t number; /* without `of` */
} derived_specials[] = {
    {"clock_hi", "clock64", true, 0},           {"globaltimer_lo", "globaltimer", false, 0},
    {"globaltimer_hi", "globaltimer", true, 0}, {"aggr_smem_size", "total_smem_size", false, 0},
    {"clusterid.x", "ctaid.x", false, 0},       {"clusterid.y", "ctaid.y", false, 0},
    {"clusterid.z", "ctaid.z", false, 0},       {"nclusterid.x", "nctaid.x", false, 0},
    {"nclusterid.y", "nctaid.y", false, 0},     {"nclusterid.z", "nctaid.z", false, 0},
    {"cluster_ctaid.x", NULL, false, 0},        {"cluster_ctaid.y", NULL, false, 0},
    {"cluster_ctaid.z", NULL, false, 0},        {"cluster_nctaid.x", NULL, false, 1},
    {"cluster_nctaid.y", NULL, false, 1},       {"cluster_nctaid.z", NULL, false, 1},
    {"cluster_ctarank", NULL, false, 0},        {"cluster_nctarank", NULL, false, 1},
    {"is_explicit_cluster", NULL, false, 0},    {"current_graph_exec", NULL, false, 0},
};

/* Two of the driver's registers: the upper and the lower half of an address. */
static const char *const grid_halves[] = {"envreg1", "envreg2"};

bool ptx_is_of_grid_memory(struct slice name)
{
    return slice_equal(name, grid_halves[0]) || slice_equal(name, grid_halves[1]);
}

static bool put_grid_memory(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                            struct slice name)
{
    const struct ptx_loading *loading = importer->loading;
    if (loading->grid_memory == 0 || !ptx_is_of_grid_memory(name))
        return false;
    struct ptx_op move, shift;
    const uint32_t reg = ptx_code_register(&importer->code, false, 1);
    if (!ptx_begin(importer, &move, "mov.u64") || !ptx_begin(importer, &shift, "shr.u64"))
        return true;
    ptx_op_register(&move, 0, reg);
    move.instruction.operands[1] = (struct operand){
        .kind = OPERAND_PARAMETER, .symbol = (uint16_t)(loading->params.count + loading->grid_memory - 1)};
    ptx_end_free(importer, &move);
    if (slice_equal(name, grid_halves[0])) {
        ptx_op_register(&shift, 0, reg);
        ptx_op_register(&shift, 1, reg);
        ptx_op_number(&shift, 2, 32);
        ptx_end_free(importer, &shift);
    }
    ptx_op_register(op, form, reg);
    return true;
}

/* The driver's other registers (%envreg), the performance counters (%pm) and fourth elements (%tid.w) hold 0.
 */
static bool is_zero(struct slice name)
{
    static const char *const vectors[] = {"tid.w",           "ntid.w",          "ctaid.w",
                                          "nctaid.w",        "clusterid.w",     "nclusterid.w",
                                          "cluster_ctaid.w", "cluster_nctaid.w"};
    for (size_t i = 0; i < HX_COUNT_OF(vectors); i++)
        if (slice_equal(name, vectors[i]))
            return true;
    const size_t prefix = slice_starts_with(name, "envreg") ? 6
                          : slice_starts_with(name, "pm")   ? 2
                                                            : name.length;
    return name.length > prefix && text_is_digit(name.at[prefix]);
}

static void put_upper_half(struct ptx_importer *importer, struct ptx_op *op, unsigned form, int special)
{
    struct ptx_op move, shift;
    const uint32_t reg = ptx_code_register(&importer->code, false, 1);
    if (!ptx_begin(importer, &move, "mov.u64") || !ptx_begin(importer, &shift, "shr.u64"))
        return;
    ptx_op_register(&move, 0, reg);
    move.instruction.operands[1] = (struct operand){.kind = OPERAND_SPECIAL, .symbol = (uint16_t)special};
    ptx_end_free(importer, &move);
    ptx_op_register(&shift, 0, reg);
    ptx_op_register(&shift, 1, reg);
    ptx_op_number(&shift, 2, 32);
    ptx_end_free(importer, &shift);
    ptx_op_register(op, form, reg);
}

/* Shared memory that the driver keeps for the runtime, where cooperative groups of nvcc have barriers and
 * values of tiles. A kernel that asks where it is gets some. */
#define RESERVED_PART 1024
static const struct {
    const char *name;
    unsigned offset;
} reserved_places[] = {{"reserved_smem_offset_begin", 0},
                       {"reserved_smem_offset_0", 0},
                       {"reserved_smem_offset_1", RESERVED_PART},
                       {"reserved_smem_offset_end", 2 * RESERVED_PART},
                       {"reserved_smem_offset_cap", 2 * RESERVED_PART}};

static bool put_reserved(struct ptx_importer *importer, struct ptx_op *op, unsigned form, struct slice name)
{
    static const struct ptx_variable memory = {.name = {"reserved", 8},
                                               .space = PTX_SPACE_SHARED,
                                               .type = HX_TYPE_U8,
                                               .align = 16,
                                               .bytes = 2 * RESERVED_PART,
                                               .is_array = true};
    size_t place = 0;
    while (place < HX_COUNT_OF(reserved_places) && !slice_equal(name, reserved_places[place].name))
        place++;
    if (place == HX_COUNT_OF(reserved_places))
        return false;
    if (importer->reserved == 0) {
        if (!LIST_PUSH(importer->code.arena->allocator, &importer->shared,
                       ptx_make_array(importer->loading, &memory)))
            importer->code.status = HX_NO_MEMORY;
        importer->reserved = (uint32_t)importer->shared.count;
    }
    struct ptx_op make;
    const uint32_t reg = ptx_code_register(&importer->code, false, 1);
    ptx_op_register(op, form, reg);
    if (!ptx_begin(importer, &make, "mov.u32"))
        return true;
    ptx_op_register(&make, 0, reg);
    make.instruction.operands[1] = (struct operand){
        .kind = OPERAND_ARRAY, .space = SPACE_SHARED, .symbol = (uint16_t)(importer->reserved - 1)};
    ptx_end_free(importer, &make);
    if (!ptx_begin(importer, &make, "add.u32"))
        return true;
    ptx_op_register(&make, 0, reg);
    ptx_op_register(&make, 1, reg);
    ptx_op_number(&make, 2, reserved_places[place].offset);
    ptx_end_free(importer, &make);
    return true;
}

void ptx_lacks_register(struct ptx_importer *importer, const struct ptx_operand *operand)
{
    ptx_lacks(importer, arena_format(importer->code.arena,
                                     special_find(operand->text) >= 0
                                         ? "'%%" SLICE_FORMAT "' is a special register, which is only read"
                                         : "register '%%" SLICE_FORMAT
                                           "' is not declared, and no special register has this name",
                                     SLICE_ARGS(operand->text)));
}

void ptx_put_special(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                     const struct ptx_operand *operand)
{
    int special = special_find(operand->text);
    bool is_upper = false;
    if (special < 0 && put_grid_memory(importer, op, form, operand->text))
        return;
    if (special < 0 && put_reserved(importer, op, form, operand->text))
        return;
    if (special < 0 && is_zero(operand->text)) {
        ptx_op_number(op, form, 0);
        return;
    }
    for (size_t i = 0; special < 0 && i < HX_COUNT_OF(derived_specials); i++) {
        if (!slice_equal(operand->text, derived_specials[i].name))
            continue;
        if (!derived_specials[i].of) {
            ptx_op_number(op, form, derived_specials[i].number);
            return;
        }
        special = special_find(slice_of(derived_specials[i].of));
        is_upper = derived_specials[i].is_upper;
    }
    if (special < 0)
        ptx_lacks_register(importer, operand);
    else if (is_upper)
        put_upper_half(importer, op, form, special);
    else
        op->instruction.operands[form] =
            (struct operand){.kind = OPERAND_SPECIAL, .symbol = (uint16_t)special};
}
