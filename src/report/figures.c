/* Figures for people.
 *
 * Takes values, leaves text of few characters: three digits that count, and the unit that leaves something
 * before the point. Counts are exact, so they are written in full where they fit. */
#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void scaled(double value, const char *const *units, size_t count, double step, char *ret_text)
{
    size_t unit = 0;
    while (unit + 1 < count && fabs(value) >= step * 0.9995) {
        value /= step;
        unit++;
    }
    const double size = fabs(value);
    snprintf(ret_text, FIGURE_BYTES, "%.*f%s%s",
             size < 9.995   ? 2
             : size < 99.95 ? 1
                            : 0,
             value, units[unit][0] ? " " : "", units[unit]);
}

const char *figure_time(double ns, char *ret_text)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    scaled(ns, units, HX_COUNT_OF(units), 1e3, ret_text);
    return ret_text;
}

static void grouped(double value, char *ret_text)
{
    char digits[FIGURE_BYTES];
    const int length = snprintf(digits, sizeof digits, "%.0f", value);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < FIGURE_BYTES; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            ret_text[used++] = ',';
        ret_text[used++] = digits[i];
    }
    ret_text[used] = 0;
}

static void count(double value, int width, char *ret_text)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P"};
    if (value < 1e15)
        grouped(value, ret_text);
    if (value >= 1e15 || (width > 0 && strlen(ret_text) > (size_t)width))
        scaled(value, units, HX_COUNT_OF(units), 1e3, ret_text);
}

/* A ratio may happen to be whole; it is written as a ratio all the same. */
static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < 1e15;
}

const char *figure_format(const hx_metric *metric, double value, int width, char *ret_text)
{
    static const char *const none[] = {""};
    if (!metric->unit[0])
        snprintf(ret_text, FIGURE_BYTES, "%.1f %%", value * 100);
    else if (strcmp(metric->unit, "ns") == 0)
        figure_time(value, ret_text);
    else if (!strchr(metric->formula, '/') && is_whole(value))
        count(value, width, ret_text);
    else
        scaled(value, none, 1, 1, ret_text);
    return ret_text;
}

void figure_cell(struct text *text, const char *string, int width, bool right)
{
    const size_t room = width > 0 ? (size_t)width : 0;
    size_t columns;
    const size_t end = text_fit(string, strlen(string), room, &columns);
    if (right)
        text_print(text, "%*s", (int)(room - columns), "");
    for (size_t i = 0; i < end; i++) /* a tab would take more room than it has */
        text_append(text, string[i] == '\t' ? " " : &string[i], 1);
    if (!right)
        text_print(text, "%*s", (int)(room - columns), "");
}

void figure_bar(struct text *text, double share, int width)
{
    const int full = (int)lround((share > 1 ? 1 : share > 0 ? share : 0) * width);
    for (int i = 0; i < width; i++)
        text_append(text, i < full ? "#" : ".", 1);
}
