/* The table of functions. Takes the name of an opcode, leaves what it should compute and how well.
 *
 * Exact values are rounded towards zero, so that they are never in a higher binade than the true value, and
 * say whether they are exact. Those that MPFR lacks are made of others, rounded each so that the result is
 * not above the true value, with twice the digits on the way. */
#include "functions.h"

#include <math.h>
#include <string.h>

enum { WAY_BITS = 640 };

static int exact_rcp(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_ui_div(result, 1, x, rounding);
}

/* Not mpfr_rec_sqrt: of -0 that is +inf, and IEEE 754 has -inf. */
static int exact_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t root;
    mpfr_init2(root, WAY_BITS);
    int inexact = mpfr_sqrt(root, x, MPFR_RNDU) != 0;
    inexact |= mpfr_ui_div(result, 1, root, rounding) != 0;
    mpfr_clear(root);
    return inexact;
}

static int exact_sigmoid(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t power;
    mpfr_init2(power, WAY_BITS);
    mpfr_neg(power, x, MPFR_RNDN);
    int inexact = mpfr_exp(power, power, MPFR_RNDU) != 0;
    inexact |= mpfr_add_ui(power, power, 1, MPFR_RNDU) != 0;
    inexact |= mpfr_ui_div(result, 1, power, rounding) != 0;
    mpfr_clear(power);
    return inexact;
}

static double rcp(double x)
{
    return 1 / x;
}
static long double rcpl(long double x)
{
    return 1 / x;
}
static double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static long double rsqrtl(long double x)
{
    return 1 / sqrtl(x);
}
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static long double sigmoidl(long double x)
{
    return 1 / (1 + expl(-x));
}

/* clang-format off */
#define ONE(name, exact, estimate, low, high, hard) {name, exact, NULL, estimate, estimate##l, NULL, NULL, low, high, hard, 0, 0, false, 0}
#define TWO(name, exact, estimate, low, high, hard) {name, NULL, exact, NULL, NULL, estimate, estimate##l, low, high, hard, 0, 0, false, 0}
static const struct function functions[] = {
    ONE("rcp",     exact_rcp,     rcp,     -4,    4,    HARD_EDGES),
    ONE("sqrt",    mpfr_sqrt,     sqrt,    0,     4,    HARD_ONE),
    ONE("rsqrt",   exact_rsqrt,   rsqrt,   0,     4,    HARD_ONE),
    ONE("ex2",     mpfr_exp2,     exp2,    -1076, 1025, HARD_EDGES),
    ONE("exp",     mpfr_exp,      exp,     -746,  710,  HARD_EDGES),
    ONE("lg2",     mpfr_log2,     log2,    0,     16,   HARD_ONE),
    ONE("log",     mpfr_log,      log,     0,     16,   HARD_ONE),
    ONE("log10",   mpfr_log10,    log10,   0,     16,   HARD_ONE),
    ONE("sin",     mpfr_sin,      sin,     -32,   32,   HARD_PI),
    ONE("cos",     mpfr_cos,      cos,     -32,   32,   HARD_PI),
    ONE("tan",     mpfr_tan,      tan,     -32,   32,   HARD_PI),
    ONE("tanh",    mpfr_tanh,     tanh,    -22,   22,   HARD_EDGES),
    ONE("sigmoid", exact_sigmoid, sigmoid, -746,  40,   HARD_EDGES),
    ONE("erf",     mpfr_erf,      erf,     -7,    7,    HARD_EDGES),
    TWO("pow",     mpfr_pow,      pow,     -16,   16,   HARD_ONE),
};

/* What isa/hexec.yaml states: the first row that fits; "" is any. Half an ulp stands for correct rounding. The
 * transcendental functions of f16 and bf16 are those of f32, rounded: 1 ulp of f32, which is 2^-13 of f16's
 * and 2^-16 of bf16's, before another half. */
static const struct limit {
    const char *opcode, *type;
    double ulp;
} limits[] = {
    {"rsqrt",   "f16",  0.5},
    {"rsqrt",   "bf16", 0.5},
    {"rcp",     "",     0.5},
    {"sqrt",    "",     0.5},
    {"rsqrt",   "f64",  1.5},
    {"",        "f16",  0.5 + 0x1p-13},
    {"",        "bf16", 0.5 + 0x1p-16},
    {"sigmoid", "f64",  3},
    {"pow",     "f64",  3},
    {"",        "",     1},
};
/* clang-format on */

const struct function *function_find(const char *opcode)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, opcode) == 0)
            return &functions[i];
    return NULL;
}

double function_limit(const char *opcode, const char *type)
{
    const struct limit *limit = limits;
    while ((limit->opcode[0] && strcmp(limit->opcode, opcode) != 0) ||
           (limit->type[0] && strcmp(limit->type, type) != 0))
        limit++;
    return limit->ulp;
}
