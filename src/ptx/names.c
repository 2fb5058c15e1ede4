/* Where the registers and labels of a file of PTX went, for a debugger (program/debug_info.h).
 *
 * Takes the bodies that were imported and the registers that were chosen, leaves names of registers with the
 * instructions between which they have their values, and places of labels. Compiled programs have neither:
 * nobody has written them. */
#include "ptx/importer.h"

static bool is_wanted(const struct ptx_importer *importer)
{
    const hx_program *program = importer->program;
    return program->for_debugging && importer->module->source == &program->source;
}

bool ptx_keeps_values(const struct ptx_importer *importer)
{
    return is_wanted(importer) && importer->program->for_debugging == 1;
}

void ptx_note_body(struct ptx_importer *importer, const struct ptx_function *function, uint32_t first)
{
    const struct ptx_body_registers body = {function, importer->unit, first};
    if (is_wanted(importer) && !function->is_library &&
        !LIST_PUSH(importer->code.arena->allocator, &importer->bodies, body))
        importer->code.status = HX_NO_MEMORY;
}

/* ---- Registers ----------------------------------------------------------------------------------------- */

struct naming {
    struct ptx_importer *importer;
    const struct ptx_unit *unit;
    const struct ptx_interval *intervals;
    const uint32_t *moved; /* the unit's ops in the kernel's code */
};

static void note_register(const struct naming *naming, const struct ptx_body_registers *body,
                          const struct ptx_named_register *named, uint32_t index)
{
    struct ptx_importer *importer = naming->importer;
    const struct ptx_code *code = &naming->unit->code;
    const uint32_t number = named->first + index, at = body->first + number;
    const struct ptx_register *reg = &code->registers.items[at];
    const struct ptx_interval interval = naming->intervals[at];
    const enum hx_type type = body->function->registers[number];
    if (interval.start > interval.end) /* it is not used, or kept in local memory */
        return;
    struct debug_register kept = {.type = body->function->untyped[number] ? HX_TYPE_NONE : type,
                                  .bits = (uint8_t)type_bits(type),
                                  .real = reg->real,
                                  .is_predicate = reg->is_predicate,
                                  .first = naming->moved[(interval.start + 1) / 2],
                                  .end = naming->moved[interval.end / 2]};
    kept.name = named->is_range
                    ? arena_format(importer->code.arena, SLICE_FORMAT "%u", SLICE_ARGS(named->name), index)
                    : arena_copy(importer->code.arena, named->name.at, named->name.length);
    if (!kept.name || !LIST_PUSH(importer->code.arena->allocator, &importer->registers, kept))
        importer->code.status = HX_NO_MEMORY;
}

/* Its registers are its own for the units behind it. One that is called again before it has returned gives
 * its registers other values, as does a call by pointer, of which nobody knows where it leads. */
static void keep_apart(struct ptx_importer *importer, const struct ptx_unit *unit)
{
    const struct ptx_code *code = &unit->code;
    const uint32_t number = (uint32_t)(unit - importer->units.items);
    importer->shares_registers |= !code->keeps_values || importer->has_pointers;
    for (size_t i = 0; i < code->registers.count; i++) {
        const struct ptx_register *reg = &code->registers.items[i];
        if (!reg->is_fixed && reg->real >= importer->kept[reg->is_predicate])
            importer->kept[reg->is_predicate] = reg->real + 1u;
    }
    for (size_t i = 0; i < code->ops.count; i++)
        for (unsigned k = 0; k < code->ops.items[i].instruction.opcode->form_count; k++) {
            const struct operand *operand = &code->ops.items[i].instruction.operands[k];
            importer->shares_registers |= operand->kind == OPERAND_TARGET &&
                                          (operand->bits & PTX_TARGET_UNIT) &&
                                          (operand->bits & ~PTX_TARGET_UNIT) <= number;
        }
}

/* Where no other value is in a register, the last value is there up to the end of the unit. */
static void widen(const struct ptx_importer *importer, struct debug_register *reg)
{
    for (size_t i = 0; i < importer->units.count; i++)
        if (reg->first >= importer->units.items[i].first && reg->first < importer->units.items[i].end)
            reg->end = importer->units.items[i].end - 1;
}

void ptx_note_registers(struct ptx_importer *importer, const struct ptx_unit *unit, const uint32_t *moved)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = importer->code.arena->allocator};
    const uint32_t number = (uint32_t)(unit - importer->units.items);
    struct naming naming = {.importer = importer, .unit = unit, .moved = moved};
    if (importer->bodies.count == 0 || importer->code.status != HX_OK)
        return;
    keep_apart(importer, unit);
    naming.intervals = ptx_live_intervals(&unit->code, &scratch);
    if (!naming.intervals) {
        importer->code.status = HX_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < importer->bodies.count; i++) {
        const struct ptx_body_registers *body = &importer->bodies.items[i];
        for (uint32_t k = 0; body->unit == number && k < body->function->named_register_count; k++) {
            const struct ptx_named_register *named = &body->function->named_registers[k];
            for (uint32_t n = 0; n < named->count && importer->code.status == HX_OK; n++)
                note_register(&naming, body, named, n);
        }
    }
}

/* ---- Labels -------------------------------------------------------------------------------------------- */

/* The statement behind a label, or the next one that has code, has its code at each begin of a run of ops. */
static bool begins(const struct ptx_importer *importer, size_t op, const struct ptx_function *function,
                   uint32_t target)
{
    const struct ptx_op *ops = importer->code.ops.items;
    const struct ptx_statement *statement = function->statements + target;
    return ops[op].from == statement && (op == 0 || ops[op - 1].from != statement);
}

static bool add_label(struct ptx_importer *importer, struct kernel_debug *debug, size_t *room,
                      const struct ptx_label *label, uint32_t instruction)
{
    struct arena *arena = importer->code.arena;
    if (debug->label_count == *room) {
        struct debug_label *grown = ARENA_ARRAY(arena, struct debug_label, 2 * *room + 8);
        if (!grown)
            return false;
        if (debug->label_count > 0)
            memcpy(grown, debug->labels, debug->label_count * sizeof *grown);
        debug->labels = grown;
        *room = 2 * *room + 8;
    }
    const struct debug_label kept = {arena_copy(arena, label->name.at, label->name.length), instruction};
    debug->labels[debug->label_count++] = kept;
    return kept.name != NULL;
}

static bool keep_label(struct ptx_importer *importer, struct kernel_debug *debug, size_t *room,
                       const struct ptx_function *function, const struct ptx_label *label)
{
    bool is_found = false;
    for (uint32_t target = label->target; !is_found && target < function->statement_count; target++)
        for (size_t i = 0; i < importer->code.ops.count; i++) {
            if (!begins(importer, i, function, target))
                continue;
            is_found = true;
            if (!add_label(importer, debug, room, label, (uint32_t)i))
                return false;
        }
    return true;
}

/* A function's labels are looked for once, however often it is inlined. */
static bool is_first_body(const struct ptx_importer *importer, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (importer->bodies.items[i].function == importer->bodies.items[index].function)
            return false;
    return true;
}

bool ptx_keep_names(struct ptx_importer *importer, struct kernel_debug *debug)
{
    size_t room = 0;
    for (size_t i = 0; i < importer->bodies.count; i++) {
        const struct ptx_function *function = importer->bodies.items[i].function;
        for (uint32_t k = 0; is_first_body(importer, i) && k < function->label_count; k++)
            if (!keep_label(importer, debug, &room, function, &function->labels[k]))
                return false;
    }
    for (size_t i = 0; !importer->shares_registers && i < importer->registers.count; i++)
        widen(importer, &importer->registers.items[i]);
    debug->register_count = importer->registers.count;
    debug->registers = ARENA_ARRAY(importer->code.arena, struct debug_register, debug->register_count + 1);
    if (debug->registers && debug->register_count > 0)
        memcpy(debug->registers, importer->registers.items, debug->register_count * sizeof *debug->registers);
    return debug->registers != NULL;
}
