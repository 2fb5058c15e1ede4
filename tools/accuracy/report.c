/* Writes rows as text, as a Markdown table, or as JSON. Takes a tally, leaves a line of each, as soon as it
 * is there: a measurement takes minutes. Inputs and results are hexadecimal floats, so that they are exact.
 */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct place {
    char at[112], result[40];
};

/* "0x1.8p+3" as C has it; infinities and NaN as the assembler reads them. */
static void write_value(const struct format *format, uint64_t bits, char *text, size_t room)
{
    const double value = format_value(format, bits);
    if (isnan(value))
        snprintf(text, room, "nan");
    else
        snprintf(text, room, "%a", value);
}

static struct place place_of(const struct row *row, const struct witness *witness)
{
    struct place place;
    char a[40], b[40] = "";
    write_value(row->format, witness->a, a, sizeof a);
    if (row->sources == 2)
        write_value(row->format, witness->b, b, sizeof b);
    snprintf(place.at, sizeof place.at, "%s%s%s", a, *b ? ", " : "", b);
    write_value(row->format, witness->result, place.result, sizeof place.result);
    return place;
}

/* "4,294,967,296" */
static const char *grouped(uint64_t number, char *text)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

/* To four digits behind the point, so that what is shown is a bound. */
static double rounded_up(double error)
{
    return ceil(error * 1e4) / 1e4;
}

void report_begin(FILE *to, enum report_form form)
{
    if (form == REPORT_MARKDOWN)
        fprintf(to, "| opcode | inputs | largest error | limit | at | result | not correctly rounded | "
                    "special values wrong |\n"
                    "| --- | ---: | ---: | ---: | --- | --- | ---: | ---: |\n");
    else if (form == REPORT_TEXT)
        fprintf(to, "%-14s %13s  %8s  %7s  %13s  %7s  %s\n", "opcode", "inputs", "max ulp", "limit",
                "not rounded", "special", "at -> result");
    else
        fprintf(to, "[");
}

static void write_json(FILE *to, const struct row *row, const struct place *worst, bool first)
{
    const struct tally *tally = &row->tally;
    fprintf(to,
            "%s\n{\"opcode\":\"%s\",\"type\":\"%s\",\"all\":%s,\"inputs\":%" PRIu64 ",\"asked\":%" PRIu64
            ",\"max_ulp\":%.17g,\"limit_ulp\":%g,\"passed\":%s,\"at\":\"%s\",\"at_bits\":[\"0x%" PRIx64 "\"",
            first ? "" : ",", row->opcode, hx_type_name(row->format->type), row->all ? "true" : "false",
            tally->inputs, tally->asked, tally->error, row->limit, row->passed ? "true" : "false", worst->at,
            tally->worst.a);
    if (row->sources == 2)
        fprintf(to, ",\"0x%" PRIx64 "\"", tally->worst.b);
    fprintf(to, "],\"result\":\"%s\",\"not_rounded\":%" PRIu64 ",\"special\":%" PRIu64, worst->result,
            tally->not_rounded, tally->special);
    if (tally->special) {
        const struct place special = place_of(row, &tally->first_special);
        fprintf(to, ",\"first_special\":{\"at\":\"%s\",\"result\":\"%s\"}", special.at, special.result);
    }
    fprintf(to, "}");
}

void report_row(FILE *to, enum report_form form, const struct row *row, bool first)
{
    const struct tally *tally = &row->tally;
    struct place worst = place_of(row, &tally->worst);
    char name[48], inputs[32], wrong[32], special[32];
    if (tally->error == 0)
        worst = (struct place){"-", "-"};
    snprintf(name, sizeof name, "%s.%s", row->opcode, hx_type_name(row->format->type));
    grouped(tally->inputs, inputs);
    grouped(tally->not_rounded, wrong);
    grouped(tally->special, special);
    if (form == REPORT_JSON) {
        write_json(to, row, &worst, first);
    } else if (form == REPORT_MARKDOWN) {
        fprintf(to, "| `%s` | %s%s | %.4f | %.5g%s | `%s` | `%s` | %s | %s |\n", name, row->all ? "all " : "",
                inputs, rounded_up(tally->error), row->limit, row->passed ? "" : " **over**", worst.at,
                worst.result, wrong, special);
    } else {
        fprintf(to, "%-14s %13s  %8.5f  %7.5g  %13s  %7s  %s -> %s%s\n", name, inputs, tally->error,
                row->limit, wrong, special, worst.at, worst.result, row->passed ? "" : "  OVER THE LIMIT");
        if (tally->special) {
            const struct place at = place_of(row, &tally->first_special);
            fprintf(to, "%-14s first wrong special value: %s -> %s\n", "", at.at, at.result);
        }
    }
    fflush(to);
}

void report_end(FILE *to, enum report_form form)
{
    if (form == REPORT_JSON)
        fprintf(to, "\n]\n");
}
