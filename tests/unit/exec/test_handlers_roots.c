/* The reciprocal square root is correctly rounded for every mantissa: those of two binades, since a factor of
 * 4 in the operand changes nothing but the result's exponent. */
#include "handlers_unit.h"

#include <math.h>

HANDLERS_WITHOUT_MEMORY

START_TEST(reciprocal_roots_are_correctly_rounded)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    bench.ops[0].d = bench_operand(ROW_D, 4, false);
    bench.ops[0].a = bench_operand(ROW_A, 4, false);
    const op_handler handler =
        handlers_at(best_level())->find(SEM_frsqrt, HX_TYPE_F32, HX_TYPE_NONE, ACCESS_ADDRESSED, false);
    uint32_t *const from = bench_row(&bench, ROW_A);
    const float *const to = bench_row(&bench, ROW_D);
    for (uint32_t bits = 0x3f000000; bits < 0x40000000; bits += BENCH_LANES) {
        for (uint32_t l = 0; l < BENCH_LANES; l++)
            from[l] = bits + l;
        bench_run(&bench, handler);
        for (uint32_t l = 0; l < BENCH_LANES; l++) {
            float x;
            memcpy(&x, &from[l], sizeof x);
            /* no quotient of the double's 53 bits lies so near to the middle of two floats that it is rounded
             * to another one than the exact number */
            const float right = (float)(1 / sqrt((double)x));
            if (to[l] != right)
                ck_abort_msg("of %a: %a, not %a", (double)x, (double)to[l], (double)right);
        }
    }
}
END_TEST

UNIT_MAIN("handlers_roots", reciprocal_roots_are_correctly_rounded)
