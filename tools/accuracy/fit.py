#!/usr/bin/env python3
"""Usage: tools/accuracy/fit.py > src/ptx/library/coefficients.cl   (needs python3-mpmath)

Polynomials for the device library: each interpolates its function at the Chebyshev nodes of an interval, which is
next to the best that a polynomial of its degree can be."""

from mpmath import mp, mpf, cos, pi, sqrt, atan, asin, expm1, exp, erfc, gamma, loggamma, erfinv, log, bernoulli, besselj, bessely, besseli, besseljzero, besselyzero, sin

mp.dps = 60
INDENT = "    "


def interpolate(function, low, high, degree):
    """Coefficients of powers of x on [low, high], lowest first: Newton's differences at the nodes, then powers."""
    low, high = mpf(low), mpf(high)
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    table = [function(x) for x in nodes]
    for level in range(1, degree + 1):
        for k in range(degree, level - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - level])
    powers = [mpf(0)] * (degree + 1)
    for k in range(degree, -1, -1):
        powers = [mpf(0)] + powers[:-1]
        powers = [p - (nodes[k] * q) for p, q in zip(powers, powers[1:] + [mpf(0)])]
        powers[0] += table[k]
    return powers


def value(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def error(coefficients, function, low, high):
    """The largest relative error of the polynomial with rounded coefficients, computed without rounding."""
    rounded = [mpf(float(c)) for c in coefficients]
    points = [mpf(low) + (mpf(high) - mpf(low)) * (mpf(2 * k + 1) / 602) for k in range(301)]
    return max(abs(value(rounded, x) / function(x) - 1) for x in points)


def emit(name, what, function, low, high, degree):
    found = interpolate(function, low, high, degree)
    print(f"/* {what}; off by at most {mp.nstr(error(found, function, low, high), 2)} of it */")
    rows = ",\n".join(INDENT + float(c).hex() for c in found)
    print(f"static constant const double {name}[] = {{\n{rows}}};\n")


def erfcx(x):
    if x < 1000:
        return exp(x * x) * erfc(x)
    return (1 - 1 / (2 * x * x) + 3 / (4 * x**4) - 15 / (8 * x**6)) / (x * sqrt(pi))


def scaled_erfcx(t):
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * erfcx(x)


def inverse_tail(s):
    """x with erfc(x) (2 - erfc(x)) = exp(-s^2), by Newton's method."""
    target, x = -s * s, s
    for _ in range(60):
        c = erfc(x)
        g = log(c) + log(2 - c) - target
        slope = -2 / sqrt(pi) * exp(-x * x) * (1 / c - 1 / (2 - c))
        step = g / slope
        x -= step
        if abs(step) < mpf(10) ** -45:
            break
    return x


def inverse_middle(w):
    y = sqrt(-expm1(-w))
    return erfinv(y) / y


def odd_rest(function):
    """(function(x) - x) / x^3 of x^2 = z"""
    def rest(z):
        x = sqrt(z)
        return (function(x) - x) / (x * z)
    return rest


def emit_bessel_far(order):
    """J = (P cos(a) - Q sin(a)) sqrt(2 / (pi x)), Y with sin and cos, a = x - (2 order + 1) pi / 4 (Hankel)."""
    def far(z, first, second, sign):
        x = 8 / sqrt(z)
        a = x - pi * (2 * order + 1) / 4
        return sqrt(pi * x / 2) * (first(a) * besselj(order, x) + sign * second(a) * bessely(order, x))
    emit(f"P{order}", f"P of order {order}, of (8 / x)^2", lambda z: far(z, cos, sin, 1), "1e-9", 1, 14)
    emit(f"Q{order}", f"x Q of order {order}, of (8 / x)^2", lambda z: 8 / sqrt(z) * far(z, lambda a: -sin(a), cos, 1), "1e-9", 1, 14)


def emit_bessel_near(order):
    """J below 8 without its first zeros, and what remains of Y below the first bound of NEAR_Y without its logarithm."""
    zeros = [besseljzero(order, k) ** 2 for k in (1, 2, 3)]
    print(f"#define J{order}_ZEROS {', '.join(float(z).hex() + ', ' + float(z - float(z)).hex() for z in zeros)}")
    emit(f"J{order}", f"J{order}(x) without its first three zeros, of x^2 / 32 - 1",
         lambda u: besselj(order, sqrt(32 * (u + 1))) / sqrt(32 * (u + 1)) ** order / ((32 * (u + 1) - zeros[0]) * (32 * (u + 1) - zeros[1]) * (32 * (u + 1) - zeros[2])), -1, 1, 17)
    def rest(s):
        x = sqrt(s)
        return (bessely(order, x) - 2 / pi * (log(x) * besselj(order, x) - order / x)) / x**order
    emit(f"R{order}", f"Y{order}(x) - 2 / pi (ln(x) J{order}(x) - {order} / x), by x^{order}, of x^2", rest, "1e-9", str(mpf(NEAR_Y[order][0][0]) ** 2), 10)


NEAR_Y = ([("0.6", "1.5", (1,)), ("1.5", "3.5", (2,)), ("3.5", "8", (2, 3))], [("1", "1.8", (1,)), ("1.8", "3", (1,)), ("3", "5", (2,)), ("5", "8", (2,))])


def emit_bessel_between(order):
    for number, (low, high, which) in enumerate(NEAR_Y[order]):
        middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
        zeros = [besselyzero(order, k) for k in which]
        def rest(t, middle=middle, half=half, zeros=zeros):
            value = bessely(order, middle + half * t)
            for zero in zeros:
                value /= middle + half * t - zero
            return value
        print(f"#define Y{order}_{number}_ZEROS {', '.join(float(z).hex() + ', ' + float(z - float(z)).hex() for z in zeros)}")
        emit(f"Y{order}_{number}", f"Y{order}(x) without zeros, x = {mp.nstr(middle, 5)} + {mp.nstr(half, 5)} t, of t", rest, -1, 1, 22)


def emit_bessel():
    mp.dps = 36 # the functions take long
    for order in (0, 1):
        emit_bessel_far(order)
        emit_bessel_near(order)
        emit_bessel_between(order)
        emit(f"I{order}", f"I{order}(x) sqrt(x) / exp(x) of 15 / x", lambda v, order=order: besseli(order, 15 / v) * sqrt(15 / v) * exp(-15 / v), "1e-6", 1, 18)


def main():
    print("/* Made by tools/accuracy/fit.py. */\n")
    emit("ATAN", "(atan(x) - x) / x^3 of x^2, x up to tan(pi/8)", odd_rest(atan), "1e-12", "0.1716", 11)
    emit("ASIN", "(asin(x) - x) / x^3 of x^2, x up to 1/2", odd_rest(asin), "1e-12", "0.25", 13)
    emit("EXPM1", "(expm1(x) - x - x^2/2) / x^3, |x| up to ln(2)/2", lambda x: (expm1(x) - x - x * x / 2) / x**3, "-0.347", "0.348", 10)
    emit("ERFCX", "(1 + 2 x) erfcx(x), x = 4 (1 + t) / (1 - t), of t", scaled_erfcx, -1, 1, 24)
    emit("GAMMA", "gamma((x + 5) / 2) of x", lambda u: gamma((u + 5) / 2), -1, 1, 22)
    for name, low in (("LGAMMA_1", 1), ("LGAMMA_2", 2)):
        emit(name, f"lgamma(y) / ((y - 1) (y - 2)), y = {low} + (x + 1) / 2, of x",
             lambda u, low=low: loggamma(low + (u + 1) / 2) / ((low - 1 + (u + 1) / 2) * (low - 2 + (u + 1) / 2)), -1, 1, 22)
    emit("ERFINV_MIDDLE", "erfinv(y) / y of -ln(1 - y^2), up to 6.25", inverse_middle, "1e-9", "6.25", 11)
    emit("ERFINV_TAIL", "erfinv(y) / sqrt(-ln(1 - y^2)) of 1 / sqrt(-ln(1 - y^2)), that from 2.5 to 27.5",
         lambda v: inverse_tail(1 / v) * v, mpf(1) / mpf("27.5"), mpf(1) / mpf("2.5"), 11)
    stirling = [bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 11)]
    print("/* lgamma(x) = (x - 1/2) ln(x) - x + ln(2 pi) / 2 + 1/x times this of 1/x^2 (Stirling's series) */")
    print("static constant const double STIRLING[] = {\n" + ",\n".join(INDENT + float(c).hex() for c in stirling) + "};\n")
    emit_bessel()


main()
