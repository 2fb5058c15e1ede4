/* Fitting the model of an instruction's cost.
 *
 * Takes measured points, leaves five coefficients that are not negative. Where the bounds do not bind, the
 * best fit is that of ordinary least squares over some of the predictors, with the others at 0; there are 31
 * choices of them, so all are tried and the best one without a negative coefficient is taken. That needs no
 * iteration and no tolerance, and is exact. Rows are divided by their time, so that the error is relative;
 * columns are scaled to length 1, so that predictors of any size are solved for equally well. */
#include "hexec/bench.h"

#include "base/diag.h"
#include "base/machine.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define TERMS 5 /* a constant, lanes, masked lanes, sectors, conflicts */
/* A pivot of normal equations whose columns have length 1: 1 minus the squared cosine of a column and those
 * before it. Below this the samples do not tell them apart. */
#define PIVOT_LEAST 1e-9
#define ROUNDING    1e-12 /* relative, of sums like these */

struct normal {
    double matrix[TERMS][TERMS], right[TERMS], length[TERMS];
};

static void terms_of(const hx_cost_sample *sample, double *ret_terms)
{
    const double terms[TERMS] = {1, sample->lanes, sample->masked, sample->sectors, sample->conflicts};
    memcpy(ret_terms, terms, sizeof terms);
}

static bool is_fine(const hx_cost_sample *sample)
{
    double terms[TERMS];
    terms_of(sample, terms);
    for (int k = 0; k < TERMS; k++)
        if (!isfinite(terms[k]) || terms[k] < 0)
            return false;
    return isfinite(sample->ns) && sample->ns > 0;
}

static void add_up(const hx_cost_sample *samples, size_t count, struct normal *normal)
{
    for (size_t i = 0; i < count; i++) {
        double row[TERMS];
        terms_of(&samples[i], row);
        for (int k = 0; k < TERMS; k++) {
            row[k] /= samples[i].ns;
            normal->right[k] += row[k]; /* the right side of every row is 1 */
            for (int m = 0; m <= k; m++)
                normal->matrix[k][m] += row[k] * row[m];
        }
    }
    for (int k = 0; k < TERMS; k++)
        normal->length[k] = sqrt(normal->matrix[k][k]);
    for (int k = 0; k < TERMS; k++)
        for (int m = 0; m <= k && normal->length[k] > 0; m++)
            if (normal->length[m] > 0) {
                normal->matrix[k][m] /= normal->length[k] * normal->length[m];
                normal->matrix[m][k] = normal->matrix[k][m];
            }
    for (int k = 0; k < TERMS; k++)
        if (normal->length[k] > 0)
            normal->right[k] /= normal->length[k];
}

/* The best fit with the terms of `set` alone, by Gaussian elimination without pivoting: the matrix is
 * symmetric and positive. False when the samples do not tell the terms apart. */
static bool solve(const struct normal *normal, unsigned set, double *ret_solution)
{
    double matrix[TERMS][TERMS + 1];
    int terms[TERMS], count = 0;
    for (int k = 0; k < TERMS; k++)
        if (set >> k & 1) {
            if (normal->length[k] == 0)
                return false;
            terms[count++] = k;
        }
    for (int k = 0; k < count; k++) {
        for (int m = 0; m < count; m++)
            matrix[k][m] = normal->matrix[terms[k]][terms[m]];
        matrix[k][count] = normal->right[terms[k]];
    }
    for (int k = 0; k < count; k++) {
        if (matrix[k][k] < PIVOT_LEAST)
            return false;
        for (int below = k + 1; below < count; below++) {
            const double factor = matrix[below][k] / matrix[k][k];
            for (int m = k; m <= count; m++)
                matrix[below][m] -= factor * matrix[k][m];
        }
    }
    memset(ret_solution, 0, TERMS * sizeof *ret_solution);
    for (int k = count - 1; k >= 0; k--) {
        double value = matrix[k][count];
        for (int m = k + 1; m < count; m++)
            value -= matrix[k][m] * ret_solution[terms[m]];
        ret_solution[terms[k]] = value / matrix[k][k];
    }
    return true;
}

/* What the fit lowers the sum of squares by (Lawson and Hanson, 7.4): larger is better. */
static double gain(const struct normal *normal, const double *solution)
{
    double sum = 0;
    for (int k = 0; k < TERMS; k++)
        sum += solution[k] * normal->right[k];
    return sum;
}

static void tell_residuals(const hx_cost_sample *samples, size_t count, hx_cost_model *model)
{
    double mean = 0, variance = 0, residue = 0;
    for (size_t i = 0; i < count; i++)
        mean += samples[i].ns / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double error = hx_cost_time(model, 1, &samples[i]) - samples[i].ns;
        residue += error * error;
        variance += (samples[i].ns - mean) * (samples[i].ns - mean);
        if (fabs(error) / samples[i].ns > model->largest_error)
            model->largest_error = fabs(error) / samples[i].ns;
    }
    /* times that are all alike, up to rounding, have no variance to explain */
    const double none = (double)count * mean * mean * ROUNDING * ROUNDING;
    model->r2 = variance > none ? 1 - residue / variance : residue > none ? 0 : 1;
}

hx_status hx_cost_fit(const hx_cost_sample *samples, size_t count, hx_cost_model *ret_model)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(NULL, ret_model);
    struct normal normal = {0};
    double best[TERMS] = {0}, best_gain = 0;
    for (size_t i = 0; i < count; i++)
        if (!samples || !is_fine(&samples[i]))
            return HX_INVALID;
    if (count == 0)
        return HX_INVALID;
    add_up(samples, count, &normal);
    for (unsigned set = 1; set < 1u << TERMS; set++) {
        double solution[TERMS];
        bool negative = false;
        if (!solve(&normal, set, solution))
            continue;
        for (int k = 0; k < TERMS; k++)
            negative |= solution[k] < 0;
        if (negative || gain(&normal, solution) <= best_gain)
            continue;
        best_gain = gain(&normal, solution);
        memcpy(best, solution, sizeof best);
    }
    for (int k = 0; k < TERMS; k++)
        best[k] = normal.length[k] > 0 ? best[k] / normal.length[k] : 0;
    hx_cost_model model = {.issue_ns = best[0],
                           .lane_ns = best[1],
                           .masked_ns = best[2],
                           .sector_ns = best[3],
                           .conflict_ns = best[4],
                           .samples = (uint32_t)count};
    tell_residuals(samples, count, &model);
    *ret_model = model;
    return HX_OK;
}

double hx_cost_time(const hx_cost_model *model, double issues, const hx_cost_sample *did)
{
    if (!model || !did)
        return 0;
    return model->issue_ns * issues + model->lane_ns * did->lanes + model->masked_ns * did->masked +
           model->sector_ns * did->sectors + model->conflict_ns * did->conflicts;
}
