/* The frame of a random program: each thread's registers at its start, and what it writes at its end. */
#include "generator.h"

#include <stdio.h>

void generate_start(struct generator *generator)
{
    static const char *const first[] = {
        "mov.u32 r0, %tid.z",  "mov.u32 r1, %ntid.y", "mov.u32 r2, %tid.y",     "mad.u32 r0, r0, r1, r2",
        "mov.u32 r3, %ntid.x", "mov.u32 r2, %tid.x",  "mad.u32 r0, r0, r3, r2", "mul.u32 r1, r1, r3",
        "mov.u32 r3, %ntid.z", "mul.u32 r1, r1, r3",  "mov.u64 r2, %gtid",      "cvt.u32.u64 r2, r2",
        "mov.u64 r4, $scratch"};
    for (size_t i = 0; i < HX_COUNT_OF(first); i++)
        emit(generator, LINE_FRAME, "%s", first[i]);
    emit(generator, LINE_FRAME, "madw.u32 r%d, r%d, %u, r%d", REG_OWN, REG_GLOBAL, SCRATCH_BYTES, REG_OWN);
    emit(generator, LINE_FRAME, "mul.u32 r%d, r%d, %u", REG_SCRATCH, REG_GLOBAL, SCRATCH_BYTES);
    emit(generator, LINE_FRAME, "mul.u32 r%d, r%d, %u", REG_CELL, REG_THREAD, CELL_BYTES);
    emit(generator, LINE_FRAME, "mad.u32 r%d, r%d, 7, r%d", REG_INDEX, REG_GLOBAL, REG_THREAD);
    emit(generator, LINE_FRAME, "and.u32 r%d, r%d, 63", REG_INDEX, REG_INDEX);
    for (unsigned i = 0; i < CELL_BYTES; i += 8) { /* shared memory starts as garbage */
        emit(generator, LINE_FRAME, "ldg.u64 r%d, [$input + r%d*8 + %u]", REG_BASE, REG_INDEX, i);
        emit(generator, LINE_FRAME, "sts.u64 [cells + r%d*1 + %u], r%d", REG_CELL, i, REG_BASE);
    }
    for (unsigned i = 0; i < LOCAL_BYTES; i += 8) {
        emit(generator, LINE_FRAME, "ldg.u64 r%d, [$input + r%d*8 + %u]", REG_BASE, REG_INDEX, i);
        emit(generator, LINE_FRAME, "stl.u64 [mine + %u], r%d", i, REG_BASE);
    }
    generate_lane_places(generator);
    emit(generator, LINE_FRAME, "sts.u16 [narrow + r%d*2], r%d", REG_THREAD, REG_GLOBAL);
}

void fill_registers(struct generator *generator)
{
    static const char *const wide[] = {"u64", "i64", "f64"};
    static const char *const narrow[] = {"u32", "i32", "f32", "f16", "i16", "u8", "bf16", "i8"};
    for (unsigned i = 0; i < generator->data.count; i++) {
        const bool is_wide = generator->data.wide >> i & 1;
        const char *type = is_wide ? wide[below(generator, HX_COUNT_OF(wide))]
                                   : narrow[below(generator, HX_COUNT_OF(narrow))];
        const unsigned reg = generator->data.first + i, choice = below(generator, 100);
        char number[32];
        write_number(generator, hx_type_find(type), false, number, sizeof number);
        if (choice < 20) {
            emit(generator, LINE_FREE, "mov.%s r%u, %s", type, reg, number);
        } else if (choice < 94) { /* the rest stays as it starts: 0 */
            emit(generator, LINE_FREE, "mad.u32 r%d, r%d, %u, r%d", REG_INDEX, REG_GLOBAL,
                 below(generator, 64), REG_THREAD);
            emit(generator, LINE_FREE, "and.u32 r%d, r%d, 63", REG_INDEX, REG_INDEX);
            emit(generator, LINE_FREE, "ldg.%s r%u, [$%s + r%d*8]", type, reg,
                 choice < 65 ? "input" : "special", REG_INDEX);
        }
    }
    for (unsigned p = 0; p < PREDICATE_PASSING; p++)
        if (chance(generator, 60))
            emit(generator, LINE_FREE, "setp.lt.u32 p%u, r%d, r%u", p, REG_THREAD,
                 data_register(generator, HX_TYPE_U32));
}

/* Some threads wait for each other while the rest goes on to the end: then they are those that are left. */
static void generate_last_wait(struct generator *generator)
{
    static const char *const waits[] = {"reduce.add.u32 r%u, r%u", "scan.min.incl.i32 r%u, r%u",
                                        "reduce.xor.u64 r%u, r%u", "scan.add.excl.u32 r%u, r%u",
                                        "scan.add.incl.u64 r%u, r%u"};
    const uint32_t which = below(generator, HX_COUNT_OF(waits) + 1);
    const bool wide = chance(generator, 40);
    const unsigned from = REG_CHAIN + wide; /* not read afterwards */
    const unsigned to = data_register(generator, HX_TYPE_U32), predicate = generate_condition(generator);
    char text[64];
    emit(generator, LINE_FREE, "mov.%s r%u, r%u", wide ? "u64" : "u32", from, any_uniform(generator) + wide);
    if (which < HX_COUNT_OF(waits)) {
        snprintf(text, sizeof text, waits[which], to, from);
    } else {
        emit(generator, LINE_FRAME, "mov.u64 r%d, 0xffffffff", REG_BASE);
        snprintf(text, sizeof text, "shfl.bfly.b32 r%u, r%u, r%u, 31, r%d", to, from, any_uniform(generator),
                 REG_BASE);
    }
    emit(generator, LINE_MEETING, "@%sp%u %s", chance(generator, 50) ? "!" : "", predicate, text);
}

/* Writes what a thread has: its data registers, counters and predicates. */
void generate_end(struct generator *generator)
{
    unsigned slot = 0;
    if (!generator->is_alone && chance(generator, 25))
        generate_last_wait(generator);
    emit(generator, LINE_FRAME, "mul.u32 r%d, r%d, %u", REG_INDEX, REG_GLOBAL, generator->out->slots);
    for (unsigned i = 0; i < generator->data.count; i++) {
        const bool all = (generator->data.wide >> i & 1) || chance(generator, 10);
        emit(generator, LINE_FREE, "stg.%s [$output + r%d*8 + %u], r%u", all ? "u64" : "u32", REG_INDEX,
             8 * slot++, generator->data.first + i);
    }
    for (unsigned i = 0; i < UNIFORM_COUNT; i++)
        emit(generator, LINE_FREE, "stg.u64 [$output + r%d*8 + %u], r%u", REG_INDEX, 8 * slot++,
             REG_UNIFORM + i);
    for (unsigned reg = REG_COUNTER; reg <= REG_DEPTH; reg++)
        emit(generator, LINE_FREE, "stg.u32 [$output + r%d*8 + %u], r%u", REG_INDEX, 8 * slot++, reg);
    emit(generator, LINE_FREE, "mov.u32 r%d, 0", REG_NEIGHBOUR);
    for (unsigned p = 0; p < PREDICATE_PASSING; p++)
        emit(generator, LINE_FREE, "@p%u or.u32 r%d, r%d, %u", p, REG_NEIGHBOUR, REG_NEIGHBOUR, 1u << p);
    emit(generator, LINE_FREE, "stg.u32 [$output + r%d*8 + %u], r%d", REG_INDEX, 8 * slot, REG_NEIGHBOUR);
    emit(generator, LINE_MEETING, "exit");
}
