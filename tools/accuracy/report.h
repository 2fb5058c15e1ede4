/* What was measured, for people and programs. */
#pragma once

#include "judge.h"

#include <stdio.h>

enum report_form { REPORT_TEXT, REPORT_MARKDOWN, REPORT_JSON };

struct row {
    const char *opcode;
    const struct format *format;
    unsigned sources;
    bool all; /* every input there is */
    struct tally tally;
    double limit;
    bool passed;
};

void report_begin(FILE *to, enum report_form form);
void report_row(FILE *to, enum report_form form, const struct row *row, bool first);
void report_end(FILE *to, enum report_form form);
