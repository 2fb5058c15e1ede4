/* Each block of a grid runs once, whichever worker takes it: from a part of its own, from the part of another
 * worker that is late, or, where blocks tell each other something, in the order of their numbers. */
#include "exec_unit.h"

#define BLOCKS_MOST 300u

/* The block goes over its element several times, so that one that ran twice, or never, is seen. */
#define APART                                                                                                \
    "mov.u32 r0, %ctaid.x\nldg.u32 r1, [$x + r0*4]\nadd.u32 r1, r1, 1\nstg.u32 [$x + r0*4], r1\nexit"
/* The first blocks take much longer than all others together. */
#define UNEVEN                                                                                               \
    "mov.u32 r0, %ctaid.x\nmov.u32 r2, 1\nsetp.ge.u32 p0, r0, 8\n@p0 bra work\nmov.u32 r2, 3000\n"           \
    "work: sub.u32 r2, r2, 1\nsetp.gt.u32 p1, r2, 0\n@p1 bra work\n"                                         \
    "ldg.u32 r1, [$x + r0*4]\nadd.u32 r1, r1, 1\nstg.u32 [$x + r0*4], r1\nexit"
/* A block waits for the one before it: the last one is reached in time only if they begin in order. */
#define CHAIN                                                                                                \
    "mov.u32 r0, %ctaid.x\nmov.u32 r3, 0\nmov.u32 r4, 1\nsetp.eq.u32 p0, r0, 0\n@p0 bra mine\n"              \
    "sub.u32 r1, r0, 1\nwait: nanosleep 100\natomg.or.u32 r2, [$x + r1*4], r3\n"                             \
    "setp.eq.u32 p1, r2, 0\n@p1 bra wait\nmine: atomg.exch.u32 r2, [$x + r0*4], r4\nexit"

static void check(const char *code, uint32_t workers, uint32_t times)
{
    static const uint32_t grids[] = {1, 2, 3, 7, 31, 32, 33, 64, 100, 257, BLOCKS_MOST};
    struct exec_unit unit = exec_unit_new(code, BLOCKS_MOST);
    const hx_device_options options = {.size = sizeof options, .workers = workers};
    hx_device *device = NULL;
    hx_buffer *x = NULL;
    ck_assert_ok(hx_device_new(&options, NULL, &device));
    ck_assert_ok(hx_buffer_new(device, "x", 4ull * BLOCKS_MOST, HX_ACCESS_READWRITE, NULL, &x));
    for (size_t g = 0; g < HX_COUNT_OF(grids); g++) {
        uint32_t *elements = hx_buffer_data(x);
        memset(elements, 0, hx_buffer_bytes(x));
        unit.options.grid[0] = grids[g];
        unit.options.block[0] = 1;
        for (uint32_t i = 0; i < times; i++)
            ck_assert_ok(hx_launch(device, unit.kernel, &unit.options, &x, unit.loaded.diag, &unit.result));
        for (uint32_t i = 0; i < BLOCKS_MOST; i++)
            ck_assert_msg(elements[i] == (i < grids[g] ? times : 0),
                          "%u workers, %u blocks: block %u ran %u times", workers, grids[g], i, elements[i]);
    }
    hx_device_free(device);
    exec_unit_done(&unit);
}

START_TEST(test_grid_parts)
{
    for (uint32_t workers = 1; workers <= 9; workers++)
        check(APART, workers, 3);
}
END_TEST

START_TEST(test_grid_uneven)
{
    for (uint32_t workers = 2; workers <= 5; workers++)
        check(UNEVEN, workers, 1);
}
END_TEST

START_TEST(test_grid_chain)
{
    for (uint32_t workers = 1; workers <= 4; workers++)
        check(CHAIN, workers, 1);
}
END_TEST

UNIT_MAIN("exec_grid", test_grid_parts, test_grid_uneven, test_grid_chain)
