/* Fits of costs: coefficients that were planted come back. */
#include "hexec/bench.h"
#include "unit.h"

#include <math.h>

static double noise(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 33) / (double)(UINT64_C(1) << 30) - 1;
}

/* Points as a benchmark takes them: blocks, guards, places. Times are those of `planted`, each wrong by up to
 * `share` of it. */
static size_t plant(const hx_cost_model *planted, double share, hx_cost_sample *samples)
{
    static const double lanes[] = {1, 8, 32, 64, 128, 256};
    uint64_t state = 1;
    size_t count = 0;
    for (size_t i = 0; i < HX_COUNT_OF(lanes); i++)
        for (int way = 0; way < 4; way++) {
            hx_cost_sample *sample = &samples[count++];
            *sample = (hx_cost_sample){.lanes = lanes[i],
                                       .masked = way == 3 ? 256 - lanes[i] : 0,
                                       .sectors = way == 1 ? lanes[i] : ceil(lanes[i] / 8),
                                       .conflicts = way == 2 ? lanes[i] / 2 : 0};
            sample->ns = hx_cost_time(planted, 1, sample) * (1 + share * noise(&state));
        }
    return count;
}

static void check_close(double have, double want, double tolerance)
{
    ck_assert_msg(fabs(have - want) <= tolerance * (want > 1 ? want : 1), "%.9g is not %.9g", have, want);
}

START_TEST(test_planted_coefficients_come_back)
{
    static const hx_cost_model planted[] = {
        {.issue_ns = 4, .lane_ns = 0.03, .masked_ns = 0.02, .sector_ns = 0.5, .conflict_ns = 1.25},
        {.issue_ns = 4, .lane_ns = 0.03},
        {.issue_ns = 1400},
        {.lane_ns = 5.5},
        {.sector_ns = 0.75},
        {.issue_ns = 1e-6, .lane_ns = 1e-9, .sector_ns = 1e-8, .conflict_ns = 1e-7},
        {.issue_ns = 1e9, .lane_ns = 1e6, .conflict_ns = 1e7},
    };
    for (size_t i = 0; i < HX_COUNT_OF(planted); i++) {
        hx_cost_sample samples[24];
        hx_cost_model model;
        const size_t count = plant(&planted[i], 0, samples);
        ck_assert_ok(hx_cost_fit(samples, count, &model));
        check_close(model.issue_ns, planted[i].issue_ns, 1e-7);
        check_close(model.lane_ns, planted[i].lane_ns, 1e-7);
        check_close(model.masked_ns, planted[i].masked_ns, 1e-7);
        check_close(model.sector_ns, planted[i].sector_ns, 1e-7);
        check_close(model.conflict_ns, planted[i].conflict_ns, 1e-7);
        ck_assert_uint_eq(model.samples, count);
        check_close(model.r2, 1, 1e-9);
        ck_assert_double_le(model.largest_error, 1e-9);
        ck_assert_double_eq(model.same_ns, 0);
    }
}
END_TEST

START_TEST(test_noise_is_reported)
{
    const hx_cost_model planted = {
        .issue_ns = 6, .lane_ns = 0.05, .masked_ns = 0.03, .sector_ns = 0.4, .conflict_ns = 1.1};
    hx_cost_sample samples[24];
    hx_cost_model model;
    const size_t count = plant(&planted, 0.05, samples);
    ck_assert_ok(hx_cost_fit(samples, count, &model));
    check_close(model.issue_ns, planted.issue_ns, 0.05);
    check_close(model.lane_ns, planted.lane_ns, 0.03);
    check_close(model.masked_ns, planted.masked_ns, 0.03);
    check_close(model.sector_ns, planted.sector_ns, 0.05);
    check_close(model.conflict_ns, planted.conflict_ns, 0.1);
    ck_assert_double_ge(model.r2, 0.98);
    ck_assert_double_lt(model.r2, 1);
    ck_assert_double_ge(model.largest_error, 0.01);
    ck_assert_double_le(model.largest_error, 0.15);
}
END_TEST

static double squares(const hx_cost_model *model, const hx_cost_sample *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = hx_cost_time(model, 1, &samples[i]) / samples[i].ns - 1;
        sum += error * error;
    }
    return sum;
}

/* Where plain least squares would go below 0. No step from the fit along any coefficient that stays at 0 or
 * more makes it better. */
START_TEST(test_bounds_hold_and_nothing_near_is_better)
{
    static const double slopes[] = {-0.02, -0.5, 0.3};
    for (size_t s = 0; s < HX_COUNT_OF(slopes); s++) {
        hx_cost_sample samples[24];
        hx_cost_model model;
        const hx_cost_model planted = {
            .issue_ns = 200, .lane_ns = 0.4, .sector_ns = slopes[s], .conflict_ns = -slopes[s]};
        const size_t count = plant(&planted, 0.02, samples);
        ck_assert_ok(hx_cost_fit(samples, count, &model));
        double *const coefficients[] = {&model.issue_ns, &model.lane_ns, &model.masked_ns, &model.sector_ns,
                                        &model.conflict_ns};
        const double best = squares(&model, samples, count);
        bool any_at_bound = false;
        for (size_t i = 0; i < HX_COUNT_OF(coefficients); i++) {
            const double value = *coefficients[i];
            ck_assert_double_ge(value, 0);
            any_at_bound |= value == 0;
            for (double step = 1e-4; step < 1; step *= 10) {
                *coefficients[i] = value + step;
                ck_assert_double_ge(squares(&model, samples, count), best - 1e-12);
                *coefficients[i] = value > step ? value - step : 0;
                ck_assert_double_ge(squares(&model, samples, count), best - 1e-12);
            }
            *coefficients[i] = value;
        }
        ck_assert(any_at_bound);
    }
}
END_TEST

/* Sectors that are always so many a lane cannot be distinguished from lanes: the sum is right, and nothing is
 * lost. */
START_TEST(test_predictors_that_go_together)
{
    hx_cost_sample samples[6];
    hx_cost_model model;
    for (size_t i = 0; i < HX_COUNT_OF(samples); i++) {
        const double lanes = (double)(8u << i);
        samples[i] = (hx_cost_sample){.lanes = lanes, .sectors = lanes / 8, .ns = 5 + 0.1 * lanes};
    }
    ck_assert_ok(hx_cost_fit(samples, HX_COUNT_OF(samples), &model));
    check_close(hx_cost_time(&model, 1, &(hx_cost_sample){.lanes = 100, .sectors = 12.5}), 15, 1e-6);
    ck_assert_double_le(model.largest_error, 1e-6);
}
END_TEST

START_TEST(test_few_samples)
{
    const hx_cost_sample one = {.lanes = 256, .sectors = 32, .ns = 12};
    const hx_cost_sample alike[3] = {{.lanes = 8, .ns = 3}, {.lanes = 8, .ns = 3}, {.lanes = 8, .ns = 3}};
    hx_cost_model model;
    ck_assert_ok(hx_cost_fit(&one, 1, &model));
    check_close(hx_cost_time(&model, 1, &one), 12, 1e-9);
    ck_assert_ok(hx_cost_fit(alike, 3, &model));
    check_close(hx_cost_time(&model, 1, &alike[0]), 3, 1e-9);
    check_close(model.r2, 1, 1e-9);
}
END_TEST

START_TEST(test_what_is_no_sample)
{
    static const hx_cost_sample wrong[] = {
        {.lanes = 1, .ns = 0},        {.lanes = 1, .ns = -1},  {.lanes = -1, .ns = 1},
        {.sectors = -1, .ns = 1},     {.masked = -1, .ns = 1}, {.conflicts = -0.5, .ns = 1},
        {.lanes = 1, .ns = INFINITY}, {.lanes = NAN, .ns = 1}, {.lanes = 1, .ns = NAN},
    };
    hx_cost_model model = {.issue_ns = 77};
    for (size_t i = 0; i < HX_COUNT_OF(wrong); i++)
        ck_assert_int_eq(hx_cost_fit(&wrong[i], 1, &model), HX_INVALID);
    ck_assert_int_eq(hx_cost_fit(NULL, 0, &model), HX_INVALID);
    ck_assert_double_eq(model.issue_ns, 77);
}
END_TEST

UNIT_MAIN("costs_fit", test_planted_coefficients_come_back, test_noise_is_reported,
          test_bounds_hold_and_nothing_near_is_better, test_predictors_that_go_together, test_few_samples,
          test_what_is_no_sample)
