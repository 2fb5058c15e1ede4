/* Figures for people: numbers with units, in cells of tables. */
#pragma once

#include "profile/profile.h"

#define FIGURE_BYTES 32

/* A metric's value with its unit: "31,488", "62.1 us", "12.3 %", "4.00". `width`: characters that it should
 * take at most; a count that has more is shortened: "31.5 k". 0: no bound. Returns ret_text, FIGURE_BYTES. */
const char *figure_format(const hx_metric *metric, double value, int width, char *ret_text);
/* "62.1 us". */
const char *figure_time(double ns, char *ret_text);
/* Appends `string` in a cell of `width` columns, cut if it is longer; to its right side if `right`. */
void figure_cell(struct text *text, const char *string, int width, bool right);
/* A bar of `width` characters for a share from 0 to 1. */
void figure_bar(struct text *text, double share, int width);
