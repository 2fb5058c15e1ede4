/* Accesses of warps through the caches of a GPU: layouts whose answers can be worked out, and any accesses
 * against a reference that keeps them all and plays them one by one. Events are made by hand. */
#include "gpu/cache.h"
#include "gpu/hierarchy.h"
#include "gpu_unit.h"

#define LANES 4u

struct machine {
    struct gpu *gpu;
    struct hierarchy *hierarchy;
};

static struct hierarchy_launch launch_of(uint64_t blocks, uint32_t block_warps, uint64_t l1_bytes)
{
    return (struct hierarchy_launch){.blocks = blocks,
                                     .block_warps = block_warps,
                                     .warp_size = LANES,
                                     .resident_blocks = 1,
                                     .l1_bytes = l1_bytes,
                                     .local_bytes = 16,
                                     .instructions = 8};
}

static struct machine machine_new(unsigned sms, unsigned l1_bytes, unsigned l1_sets, unsigned l2_bytes,
                                  struct hierarchy_launch launch)
{
    struct machine machine = {.gpu = gpu_unit_new(sms, l1_bytes, l1_sets, l2_bytes)};
    static const struct hierarchy_range buffers[] = {{0, 1 << 20}, {1 << 20, 1 << 20}};
    ck_assert_ok(hierarchy_new(machine.gpu, NULL, &machine.hierarchy));
    ck_assert_ok(hierarchy_set_buffers(machine.hierarchy, buffers, 2));
    ck_assert_ok(hierarchy_begin(machine.hierarchy, &launch));
    return machine;
}

static void machine_done(struct machine *machine)
{
    hierarchy_free(machine->hierarchy);
    gpu_free(machine->gpu);
}

/* Lane l of `lanes` accesses 4 bytes at address + l * stride. */
static void make(struct machine *machine, enum hierarchy_kind kind, uint32_t instruction, uint64_t block,
                 uint32_t warp, uint64_t address, uint64_t stride, uint64_t lanes)
{
    uint64_t addresses[LANES];
    for (unsigned l = 0; l < LANES; l++)
        addresses[l] = address + l * stride;
    const hx_access_event access = {
        .at = {.instruction = instruction, .block = block, .first_thread = warp * LANES},
        .lane_bytes = 4,
        .space = SPACE_GLOBAL,
        .lanes = lanes,
        .addresses = addresses};
    hierarchy_access(machine->hierarchy, kind, &access);
}

static const struct hierarchy_counts *finish(struct machine *machine)
{
    hierarchy_block_done(machine->hierarchy);
    ck_assert_ok(hierarchy_end(machine->hierarchy));
    return hierarchy_total(machine->hierarchy);
}

/* The sectors that one instruction found in L1, in L2 and in neither. */
static void check_found(const struct machine *machine, uint32_t instruction, uint64_t l1, uint64_t l2,
                        uint64_t dram)
{
    const struct hierarchy_counts *counts = hierarchy_of_instruction(machine->hierarchy, instruction);
    ck_assert_uint_eq(counts->l1_hits, l1);
    ck_assert_uint_eq(counts->l2_hits, l2);
    ck_assert_uint_eq(counts->dram_sectors, dram);
}

/* A pass gives a word of each bank, and four lines at most. */
START_TEST(passes_are_those_of_banks_or_of_lines)
{
    struct machine machine = machine_new(1, 4096, 4, 65536, launch_of(1, 1, 4096));
    static const struct {
        uint64_t stride, passes, fills, slots;
    } cases[] = {
        {4, 1, 1, 1},   /* side by side: a sector, half a slot of L2 */
        {0, 1, 1, 1},   /* one word for all */
        {32, 1, 1, 2},  /* four sectors of one line: four banks */
        {128, 4, 4, 4}, /* one bank of four lines */
        {132, 1, 4, 4}, /* four banks of four lines, which are looked up together */
    };
    for (uint32_t i = 0; i < HX_COUNT_OF(cases); i++)
        make(&machine, HIERARCHY_LOAD, i, 0, 0, (uint64_t)i * 4096, cases[i].stride, 15);
    make(&machine, HIERARCHY_LOAD, 5, 0, 0, 0, 4, 15);        /* is in L1 now */
    make(&machine, HIERARCHY_STORE, 6, 0, 0, 65536, 128, 15); /* fills nothing */
    make(&machine, HIERARCHY_ATOMIC, 7, 0, 0, 65536, 4, 15);
    finish(&machine);
    for (uint32_t i = 0; i < HX_COUNT_OF(cases); i++) {
        const struct hierarchy_counts *counts = hierarchy_of_instruction(machine.hierarchy, i);
        ck_assert_uint_eq(counts->passes, cases[i].passes);
        ck_assert_uint_eq(counts->fills, cases[i].fills);
        ck_assert_uint_eq(counts->l2_slots, cases[i].slots);
    }
    const struct hierarchy_counts *again = hierarchy_of_instruction(machine.hierarchy, 5),
                                  *store = hierarchy_of_instruction(machine.hierarchy, 6);
    ck_assert_uint_eq(again->passes, 1);
    ck_assert_uint_eq(again->fills + again->l2_slots, 0);
    ck_assert_uint_eq(store->passes, 4);
    ck_assert_uint_eq(store->fills, 0);
    ck_assert_uint_eq(store->l2_slots, 4);
    ck_assert_uint_eq(hierarchy_total(machine.hierarchy)->passes, 1 + 1 + 1 + 4 + 1 + 1 + 4 + 1);
    machine_done(&machine);
}
END_TEST

START_TEST(neighbours_share_a_sector_and_strides_do_not)
{
    struct machine machine = machine_new(1, 4096, 4, 65536, launch_of(1, 1, 4096));
    make(&machine, HIERARCHY_LOAD, 0, 0, 0, 0, 4, 15);      /* 16 bytes: one sector */
    make(&machine, HIERARCHY_LOAD, 1, 0, 0, 1024, 32, 15);  /* one line, four sectors */
    make(&machine, HIERARCHY_LOAD, 2, 0, 0, 4096, 128, 15); /* four lines, a sector of each */
    make(&machine, HIERARCHY_LOAD, 3, 0, 0, 8192, 0, 15);   /* all the same word */
    make(&machine, HIERARCHY_LOAD, 4, 0, 0, 9216, 128, 5);  /* two lanes only */
    make(&machine, HIERARCHY_LOAD, 5, 0, 0, 0, 4, 0);       /* none: no request */
    finish(&machine);
    static const uint64_t sectors[] = {1, 4, 4, 1, 2, 0};
    for (uint32_t i = 0; i < 6; i++) {
        const struct hierarchy_counts *counts = hierarchy_of_instruction(machine.hierarchy, i);
        ck_assert_uint_eq(counts->requests, i < 5);
        ck_assert_uint_eq(counts->l1_sectors, sectors[i]);
        ck_assert_uint_eq(counts->l1_hits, 0);
        ck_assert_uint_eq(counts->l2_sectors, sectors[i]);
        ck_assert_uint_eq(counts->dram_sectors, sectors[i]);
        ck_assert_uint_eq(counts->levels[HIERARCHY_DRAM], i < 5);
    }
    machine_done(&machine);
}
END_TEST

START_TEST(what_was_loaded_hits_and_the_rest_of_its_line_does_not)
{
    struct machine machine = machine_new(1, 4096, 4, 65536, launch_of(1, 1, 4096));
    make(&machine, HIERARCHY_LOAD, 0, 0, 0, 0, 4, 15);
    make(&machine, HIERARCHY_LOAD, 1, 0, 0, 16, 4, 15); /* the same sector */
    make(&machine, HIERARCHY_LOAD, 2, 0, 0, 32, 4, 15); /* the next one */
    const struct hierarchy_counts *total = finish(&machine);
    ck_assert_uint_eq(total->l1_sectors, 3);
    ck_assert_uint_eq(total->l1_hits, 1);
    ck_assert_uint_eq(hierarchy_of_instruction(machine.hierarchy, 1)->levels[HIERARCHY_L1], 1);
    ck_assert_uint_eq(total->dram_sectors, 2);
    machine_done(&machine);
}
END_TEST

START_TEST(a_working_set_of_l1_is_read_once_and_one_line_more_each_time)
{
    for (unsigned lines = 31; lines <= 33; lines++) {
        struct machine machine = machine_new(1, 32 * 128, 1, 65536, launch_of(1, 1, 32 * 128));
        for (int round = 0; round < 3; round++)
            for (unsigned line = 0; line < lines; line++)
                make(&machine, HIERARCHY_LOAD, 0, 0, 0, line * 128, 32, 15);
        const struct hierarchy_counts *total = finish(&machine);
        ck_assert_uint_eq(total->l1_sectors, 3 * 4 * lines);
        ck_assert_uint_eq(total->l1_hits, lines <= 32 ? 2 * 4 * lines : 0);
        ck_assert_uint_eq(total->l2_hits, lines <= 32 ? 0 : 2 * 4 * lines); /* they fit L2 */
        ck_assert_uint_eq(total->dram_sectors, 4 * lines);
        machine_done(&machine);
    }
}
END_TEST

START_TEST(stores_go_through_l1_and_stay_in_l2)
{
    struct machine machine = machine_new(1, 4096, 4, 65536, launch_of(1, 1, 4096));
    make(&machine, HIERARCHY_STORE, 0, 0, 0, 0, 4, 15);
    make(&machine, HIERARCHY_LOAD, 1, 0, 0, 0, 4, 15); /* not in L1: stores bring nothing in; but in L2 */
    make(&machine, HIERARCHY_STORE, 2, 0, 0, 0, 4, 15);
    make(&machine, HIERARCHY_LOAD, 3, 0, 0, 0, 4, 15); /* in L1 still */
    const struct hierarchy_counts *total = finish(&machine);
    ck_assert_uint_eq(total->stored_sectors, 2);
    check_found(&machine, 1, 0, 1, 0);
    ck_assert_uint_eq(hierarchy_of_instruction(machine.hierarchy, 1)->levels[HIERARCHY_L2], 1);
    check_found(&machine, 3, 1, 0, 0);
    ck_assert_uint_eq(total->dram_sectors, 0);
    ck_assert_uint_eq(total->written_sectors, 0);
    ck_assert_uint_eq(hierarchy_dirty(machine.hierarchy), 1);
    machine_done(&machine);
}
END_TEST

START_TEST(atomics_are_done_in_l2_and_take_the_sector_out_of_l1)
{
    struct machine machine = machine_new(1, 4096, 4, 65536, launch_of(1, 1, 4096));
    make(&machine, HIERARCHY_LOAD, 0, 0, 0, 0, 4, 15);
    make(&machine, HIERARCHY_ATOMIC, 1, 0, 0, 0, 4, 15);
    make(&machine, HIERARCHY_LOAD, 2, 0, 0, 0, 4, 15);
    make(&machine, HIERARCHY_LOAD_PAST_L1, 3, 0, 0, 0, 4, 15);
    make(&machine, HIERARCHY_ATOMIC, 4, 0, 0, 4096, 4, 15); /* read from DRAM first */
    finish(&machine);
    const struct hierarchy *hierarchy = machine.hierarchy;
    ck_assert_uint_eq(hierarchy_of_instruction(hierarchy, 1)->l1_sectors, 0);
    ck_assert_uint_eq(hierarchy_of_instruction(hierarchy, 1)->stored_sectors, 1);
    ck_assert_uint_eq(hierarchy_of_instruction(hierarchy, 3)->l1_sectors, 0);
    for (uint32_t i = 1; i < 4; i++)
        check_found(&machine, i, 0, 1, 0);
    check_found(&machine, 4, 0, 0, 1);
    ck_assert_uint_eq(hierarchy_of_instruction(hierarchy, 4)->levels[HIERARCHY_DRAM], 1);
    machine_done(&machine);
}
END_TEST

START_TEST(dirty_sectors_that_must_go_are_written_and_are_their_buffers)
{
    /* L2: one set of 4 lines */
    struct machine machine = machine_new(1, 4096, 4, 512, launch_of(1, 1, 4096));
    for (unsigned line = 0; line < 4; line++)
        make(&machine, HIERARCHY_STORE, 0, 0, 0, line * 128, 32, 3); /* 2 sectors each, of buffer 0 */
    for (unsigned line = 0; line < 3; line++)
        make(&machine, HIERARCHY_LOAD, 1, 0, 0, (1 << 20) + line * 128, 32, 15); /* of buffer 1 */
    const struct hierarchy_counts *total = finish(&machine);
    ck_assert_uint_eq(total->written_sectors, 6);
    ck_assert_uint_eq(hierarchy_of_buffer(machine.hierarchy, 0)->written_sectors, 6);
    ck_assert_uint_eq(hierarchy_of_buffer(machine.hierarchy, 1)->written_sectors, 0);
    ck_assert_uint_eq(hierarchy_of_instruction(machine.hierarchy, 0)->written_sectors, 0);
    ck_assert_uint_eq(hierarchy_of_instruction(machine.hierarchy, 1)->written_sectors, 6);
    ck_assert_uint_eq(hierarchy_dirty(machine.hierarchy), 2);
    ck_assert_uint_eq(hierarchy_of_buffer(machine.hierarchy, 1)->requests, 3);
    ck_assert_uint_eq(hierarchy_of_buffer(machine.hierarchy, 1)->dram_sectors, 12);
    machine_done(&machine);
}
END_TEST

START_TEST(each_sm_has_its_own_l1_and_all_share_l2)
{
    struct hierarchy_launch launch = launch_of(4, 1, 4096);
    struct machine machine = machine_new(2, 4096, 4, 65536, launch);
    for (uint64_t block = 0; block < 4; block++) { /* 0 and 2 on one SM, 1 and 3 on the other */
        make(&machine, HIERARCHY_LOAD, (uint32_t)block, block, 0, 0, 4, 15);
        hierarchy_block_done(machine.hierarchy);
    }
    ck_assert_ok(hierarchy_end(machine.hierarchy));
    check_found(&machine, 0, 0, 0, 1);
    check_found(&machine, 1, 0, 1, 0);
    check_found(&machine, 2, 1, 0, 0);
    check_found(&machine, 3, 1, 0, 0);
    machine_done(&machine);
}
END_TEST

START_TEST(local_memory_of_a_warp_stands_side_by_side)
{
    struct machine machine = machine_new(1, 4096, 4, 65536, launch_of(1, 2, 4096));
    const uint64_t same[LANES] = {8, 8, 8, 8}, apart[LANES] = {0, 4, 8, 12};
    hx_access_event access = {.lane_bytes = 4, .space = SPACE_LOCAL, .lanes = 15, .addresses = same};
    hierarchy_access(machine.hierarchy, HIERARCHY_LOAD, &access); /* one word of 4 lanes: 16 bytes */
    access.at.instruction = 1;
    access.at.first_thread = LANES; /* another warp: elsewhere */
    hierarchy_access(machine.hierarchy, HIERARCHY_LOAD, &access);
    access.at.instruction = 2;
    access.at.first_thread = 0;
    access.addresses = apart; /* word l of lane l: rows of 16 bytes, 64 bytes in all */
    hierarchy_access(machine.hierarchy, HIERARCHY_LOAD, &access);
    finish(&machine);
    check_found(&machine, 0, 0, 0, 1);
    check_found(&machine, 1, 0, 0, 1);
    check_found(&machine, 2, 1, 0, 1);
    ck_assert_uint_eq(hierarchy_of_instruction(machine.hierarchy, 2)->l1_sectors, 2);
    ck_assert_uint_eq(hierarchy_of_buffer(machine.hierarchy, 3)->requests, 3);
    ck_assert_uint_eq(hierarchy_of_buffer(machine.hierarchy, 2)->requests, 0);
    machine_done(&machine);
}
END_TEST

START_TEST(l2_is_kept_between_launches_when_asked_to)
{
    struct hierarchy_launch launch = launch_of(1, 1, 4096);
    struct machine machine = machine_new(1, 4096, 4, 65536, launch);
    static const uint64_t dram[] = {1, 1, 0};
    for (int i = 0; i < 3; i++) {
        launch.keep_l2 = i == 2;
        ck_assert_ok(hierarchy_begin(machine.hierarchy, &launch));
        make(&machine, HIERARCHY_LOAD, 0, 0, 0, 0, 4, 15);
        const struct hierarchy_counts *total = finish(&machine);
        ck_assert_uint_eq(total->l1_hits, 0); /* L1 never is */
        ck_assert_uint_eq(total->dram_sectors, dram[i]);
    }
    machine_done(&machine);
}
END_TEST

#define BLOCKS   11u
#define WARPS    2u
#define ACCESSES 40u /* of a warp, at most */
#define RESIDENT 2u
#define SMS      3u

struct drawn_access {
    enum hierarchy_kind kind;
    uint32_t instruction;
    uint64_t lanes, addresses[LANES];
};
struct drawn_launch {
    struct drawn_access items[BLOCKS][WARPS][ACCESSES];
    uint32_t counts[BLOCKS][WARPS];
};

static void draw_launch(struct drawn_launch *launch, uint64_t seed)
{
    uint64_t state = seed;
    for (unsigned b = 0; b < BLOCKS; b++)
        for (unsigned w = 0; w < WARPS; w++) {
            launch->counts[b][w] = (uint32_t)drawn(&state, ACCESSES + 1);
            for (unsigned i = 0; i < launch->counts[b][w]; i++) {
                struct drawn_access *one = &launch->items[b][w][i];
                one->kind = (enum hierarchy_kind)drawn(&state, 4);
                one->instruction = (uint32_t)drawn(&state, 8);
                one->lanes = 1 + drawn(&state, 15);
                for (unsigned l = 0; l < LANES; l++)
                    one->addresses[l] = drawn(&state, 256) * 64 + drawn(&state, 2) * (UINT64_C(1) << 20);
            }
        }
}

/* The rules once more: waves of blocks, one access of each warp in turn, lines in order of the lanes. */
struct reference {
    struct cache *l1[SMS], *l2;
    struct hierarchy_counts total, of_instruction[8];
};

static void reference_add(struct hierarchy_counts *counts, uint32_t member, uint64_t count)
{
    ((uint64_t *)counts)[member] += count;
}
#define COUNT(reference, instruction, member, count)                                                         \
    (reference_add(&(reference)->total, offsetof(struct hierarchy_counts, member) / 8, (count)),             \
     reference_add(&(reference)->of_instruction[instruction], offsetof(struct hierarchy_counts, member) / 8, \
                   (count)))

static int reference_sector(struct reference *reference, const struct drawn_access *one, unsigned sm,
                            uint64_t line, uint8_t mask)
{
    struct cache_victim victim;
    const uint32_t in = one->instruction;
    if (one->kind == HIERARCHY_LOAD) {
        const uint8_t hit = cache_use(reference->l1[sm], line, mask, CACHE_READ, &victim);
        COUNT(reference, in, l1_sectors, (unsigned)__builtin_popcount(mask));
        COUNT(reference, in, l1_hits, (unsigned)__builtin_popcount(hit));
        mask = (uint8_t)(mask & ~hit);
        if (mask == 0)
            return 0;
    } else {
        cache_use(reference->l1[sm], line, mask, one->kind == HIERARCHY_STORE ? CACHE_TOUCH : CACHE_DROP,
                  &victim);
    }
    const bool stores = one->kind == HIERARCHY_STORE || one->kind == HIERARCHY_ATOMIC;
    const uint8_t hit = cache_use(reference->l2, line, mask, stores ? CACHE_WRITE : CACHE_READ, &victim);
    COUNT(reference, in, written_sectors, (unsigned)__builtin_popcount(victim.dirty));
    if (stores)
        COUNT(reference, in, stored_sectors, (unsigned)__builtin_popcount(mask));
    if (one->kind == HIERARCHY_STORE)
        return 1;
    COUNT(reference, in, l2_sectors, (unsigned)__builtin_popcount(mask));
    COUNT(reference, in, l2_hits, (unsigned)__builtin_popcount(hit));
    COUNT(reference, in, dram_sectors, (unsigned)__builtin_popcount(mask & ~hit));
    return (mask & ~hit) != 0 ? 2 : 1;
}

static void reference_access(struct reference *reference, const struct drawn_access *one, unsigned sm)
{
    int slowest = 0;
    uint64_t seen = 0; /* lanes whose line is done */
    if (one->lanes == 0)
        return;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(one->lanes >> l & 1) || (seen >> l & 1))
            continue;
        uint8_t mask = 0;
        for (unsigned other = l; other < LANES; other++)
            if ((one->lanes >> other & 1) && one->addresses[other] / 128 == one->addresses[l] / 128) {
                mask |= (uint8_t)(1u << one->addresses[other] % 128 / 32);
                seen |= UINT64_C(1) << other;
            }
        const int level = reference_sector(reference, one, sm, one->addresses[l] / 128, mask);
        slowest = level > slowest ? level : slowest;
    }
    COUNT(reference, one->instruction, requests, 1);
    if (one->kind != HIERARCHY_STORE)
        COUNT(reference, one->instruction, levels[slowest], 1);
}

static void reference_play(struct reference *reference, const struct drawn_launch *launch)
{
    const unsigned wave = RESIDENT * SMS;
    for (unsigned first = 0; first < BLOCKS; first += wave)
        for (unsigned turn = 0; turn < ACCESSES; turn++)
            for (unsigned b = first; b < first + wave && b < BLOCKS; b++)
                for (unsigned w = 0; w < WARPS; w++)
                    if (turn < launch->counts[b][w])
                        reference_access(reference, &launch->items[b][w][turn], b % SMS);
}

/* Gives the accesses of the warps of a block in one of several orders, as gangs of any width might. */
static void give_block(struct machine *machine, const struct drawn_launch *launch, unsigned block,
                       bool by_turns)
{
    for (unsigned outer = 0; outer < (by_turns ? ACCESSES : WARPS); outer++)
        for (unsigned inner = 0; inner < (by_turns ? WARPS : ACCESSES); inner++) {
            const unsigned warp = by_turns ? inner : WARPS - 1 - outer, at = by_turns ? outer : inner;
            if (at >= launch->counts[block][warp])
                continue;
            const struct drawn_access *one = &launch->items[block][warp][at];
            const hx_access_event access = {
                .at = {.instruction = one->instruction, .block = block, .first_thread = warp * LANES},
                .lane_bytes = 4,
                .space = SPACE_GLOBAL,
                .lanes = one->lanes,
                .addresses = one->addresses};
            hierarchy_access(machine->hierarchy, one->kind, &access);
        }
    hierarchy_block_done(machine->hierarchy);
}

/* The reference plays sectors, so it knows nothing of passes, lines and slots, which stand behind them. */
#define OF_SECTORS offsetof(struct hierarchy_counts, passes)

START_TEST(any_accesses_are_as_the_reference_plays_them_in_whatever_order_warps_ran)
{
    static struct drawn_launch drawn_launch;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        draw_launch(&drawn_launch, seed);
        struct reference reference = {0};
        for (unsigned i = 0; i < SMS; i++)
            ck_assert_ok(cache_new(2, 4, NULL, &reference.l1[i]));
        ck_assert_ok(cache_new(8, 4, NULL, &reference.l2));
        reference_play(&reference, &drawn_launch);
        struct hierarchy_launch launch = launch_of(BLOCKS, WARPS, 1024);
        launch.resident_blocks = RESIDENT;
        struct machine machine = machine_new(SMS, 1024, 2, 4096, launch);
        for (int by_turns = 0; by_turns < 2; by_turns++) {
            ck_assert_ok(hierarchy_begin(machine.hierarchy, &launch));
            for (unsigned b = 0; b < BLOCKS; b++)
                give_block(&machine, &drawn_launch, b, by_turns);
            ck_assert_ok(hierarchy_end(machine.hierarchy));
            ck_assert_mem_eq(hierarchy_total(machine.hierarchy), &reference.total, OF_SECTORS);
            for (uint32_t i = 0; i < 8; i++)
                ck_assert_mem_eq(hierarchy_of_instruction(machine.hierarchy, i), &reference.of_instruction[i],
                                 OF_SECTORS);
            ck_assert_uint_eq(hierarchy_dirty(machine.hierarchy), cache_dirty(reference.l2));
        }
        machine_done(&machine);
        for (unsigned i = 0; i < SMS; i++)
            cache_free(reference.l1[i]);
        cache_free(reference.l2);
    }
}
END_TEST

START_TEST(buffers_and_what_is_none_add_up)
{
    static struct drawn_launch drawn_launch;
    draw_launch(&drawn_launch, 99);
    struct hierarchy_launch launch = launch_of(BLOCKS, WARPS, 1024);
    struct machine machine = machine_new(SMS, 1024, 2, 4096, launch);
    for (unsigned b = 0; b < BLOCKS; b++)
        give_block(&machine, &drawn_launch, b, false);
    const struct hierarchy_counts *total = finish(&machine);
    uint64_t l1 = 0, dram = 0, written = 0;
    for (size_t i = 0; i < 4; i++) {
        l1 += hierarchy_of_buffer(machine.hierarchy, i)->l1_sectors;
        dram += hierarchy_of_buffer(machine.hierarchy, i)->dram_sectors;
        written += hierarchy_of_buffer(machine.hierarchy, i)->written_sectors;
    }
    ck_assert_uint_eq(l1, total->l1_sectors);
    ck_assert_uint_eq(dram, total->dram_sectors);
    ck_assert_uint_eq(written, total->written_sectors);
    ck_assert_uint_gt(written, 0);
    machine_done(&machine);
}
END_TEST

/* All that needs memory, with an allocator that fails at some time. */
static hx_status try_all(const struct gpu *gpu, const struct drawn_launch *drawn_launch,
                         const hx_allocator *allocator)
{
    struct machine machine = {0};
    const struct hierarchy_range buffers[] = {{0, 1 << 20}};
    struct hierarchy_launch launch = launch_of(BLOCKS, WARPS, 1024);
    hx_status status = hierarchy_new(gpu, allocator, &machine.hierarchy);
    if (status == HX_OK)
        status = hierarchy_set_buffers(machine.hierarchy, buffers, 1);
    if (status == HX_OK)
        status = hierarchy_begin(machine.hierarchy, &launch);
    for (unsigned b = 0; status == HX_OK && b < BLOCKS; b++)
        give_block(&machine, drawn_launch, b, false);
    if (status == HX_OK)
        status = hierarchy_end(machine.hierarchy);
    hierarchy_free(machine.hierarchy);
    return status;
}

START_TEST(lack_of_memory_is_reported_at_the_latest_at_the_end)
{
    static struct drawn_launch drawn_launch;
    struct gpu *gpu = gpu_unit_new(SMS, 1024, 2, 4096);
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    size_t fail_at = 1;
    draw_launch(&drawn_launch, 5);
    for (; status != HX_OK; fail_at++) {
        failing_allocator_init(&failing, fail_at);
        status = try_all(gpu, &drawn_launch, &failing.hook);
        ck_assert(status == HX_OK || status == HX_NO_MEMORY);
        ck_assert_uint_eq(failing.live, 0);
    }
    ck_assert_uint_gt(fail_at, 15);
    gpu_free(gpu);
}
END_TEST

UNIT_MAIN("profile/hierarchy", neighbours_share_a_sector_and_strides_do_not,
          passes_are_those_of_banks_or_of_lines, what_was_loaded_hits_and_the_rest_of_its_line_does_not,
          a_working_set_of_l1_is_read_once_and_one_line_more_each_time, stores_go_through_l1_and_stay_in_l2,
          atomics_are_done_in_l2_and_take_the_sector_out_of_l1,
          dirty_sectors_that_must_go_are_written_and_are_their_buffers,
          each_sm_has_its_own_l1_and_all_share_l2, local_memory_of_a_warp_stands_side_by_side,
          l2_is_kept_between_launches_when_asked_to,
          any_accesses_are_as_the_reference_plays_them_in_whatever_order_warps_ran,
          buffers_and_what_is_none_add_up, lack_of_memory_is_reported_at_the_latest_at_the_end)
