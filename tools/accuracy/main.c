/* accuracy: how far the results of hexec's transcendental opcodes are from the exact values.
 *
 * Takes opcodes, types and how many inputs; leaves a row for each opcode and type: the largest error in ulp
 * and where it is, how many results are not correctly rounded, how many special values are wrong. The
 * opcodes come from the instruction set, run as a kernel, and are judged by MPFR. */
#include "inputs.h"
#include "machine.h"
#include "report.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 32, DIRECT_MAX = 65536, SAMPLE_USUAL = 1 << 20 };

static const char usage[] =
    "usage: accuracy [--op NAME]... [--type f16|bf16|f32|f64]... [--all | --sample N] [--level L]\n"
    "                [--library] [--direct] [--check] [--markdown | --json]\n"
    "\n"
    "  --library     functions of the device library for PTX, __nv_NAME, in place of opcodes\n"
    "  --op, --type  only these (all that the instruction set has)\n"
    "  --all         every bit pattern of f32 (minutes a function), every pair of f16 or bf16\n"
    "  --sample N    so many inputs where there are more than 65,536 (1,048,576)\n"
    "  --level L     CPU level: plain, x86-64-v3, x86-64-v4 (the best)\n"
    "  --direct      give every input to MPFR, without the estimate before it\n"
    "  --check       exit code 1 when an error is over its limit or a special value is wrong\n"
    "  --markdown    a table for docs/accuracy.md\n"
    "  --json        an array of objects\n";

struct options {
    const char *ops[NAMES_MAX];
    size_t op_count;
    bool types[HX_TYPE_COUNT], any_type;
    bool all, direct, check, library;
    uint64_t sample;
    const char *level;
    enum report_form form;
};

static bool read_sample(const char *text, struct options *options)
{
    char *end = NULL;
    options->sample = strtoull(text, &end, 10);
    return options->sample > 0 && *end == '\0' && text[0] != '-';
}

static bool read_type(const char *text, struct options *options)
{
    const hx_type type = hx_type_find(text);
    if (!format_of(type))
        return false;
    options->types[type] = options->any_type = true;
    return true;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {
        {"op", 1, NULL, 'o'},      {"type", 1, NULL, 't'},     {"all", 0, NULL, 'a'},
        {"sample", 1, NULL, 's'},  {"level", 1, NULL, 'l'},    {"direct", 0, NULL, 'd'},
        {"check", 0, NULL, 'c'},   {"markdown", 0, NULL, 'm'}, {"json", 0, NULL, 'j'},
        {"library", 0, NULL, 'L'}, {NULL, 0, NULL, 0}};
    bool good = true;
    for (int option; good && (option = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        if (option == 'o' && options->op_count < NAMES_MAX)
            options->ops[options->op_count++] = optarg;
        else if (option == 't')
            good = read_type(optarg, options);
        else if (option == 's')
            good = read_sample(optarg, options);
        else if (option == 'l')
            options->level = optarg;
        else if (option == 'a')
            options->all = true;
        else if (option == 'd')
            options->direct = true;
        else if (option == 'c')
            options->check = true;
        else if (option == 'L')
            options->library = true;
        else if (option == 'm')
            options->form = REPORT_MARKDOWN;
        else if (option == 'j')
            options->form = REPORT_JSON;
        else
            good = false;
    }
    return good && optind == argc;
}

static hx_status print(void *user, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, user) == bytes ? HX_OK : HX_IO;
}

static int fail(const struct machine *machine, hx_status status)
{
    for (size_t i = 0; i < hx_diag_count(machine->diag); i++)
        hx_diagnostic_render(hx_diag_at(machine->diag, i), NULL, print, stderr);
    fprintf(stderr, "accuracy: %s\n", hx_status_sentence(status));
    return 2;
}

static bool is_op_wanted(const struct options *options, const char *name)
{
    for (size_t i = 0; i < options->op_count; i++)
        if (strcmp(options->ops[i], name) == 0)
            return true;
    return options->op_count == 0;
}

static bool are_ops_known(const struct options *options, const struct catalog *catalog)
{
    for (size_t i = 0; i < options->op_count; i++) {
        size_t k = 0;
        while (k < catalog->count && strcmp(catalog->opcodes[k].name, options->ops[i]) != 0)
            k++;
        if (k == catalog->count) {
            fprintf(stderr,
                    "accuracy: --op %s: there is no such opcode of class math, or function with --library\n",
                    options->ops[i]);
            return false;
        }
    }
    return true;
}

static hx_status measure(struct machine *machine, const struct options *options, const struct opcode *opcode,
                         struct row *row)
{
    struct inputs inputs;
    struct judge judge;
    hx_status status = machine_prepare(machine, opcode, row->format);
    if (status != HX_OK)
        return status;
    inputs_init(&inputs, opcode->function, row->format, opcode->sources, options->all, options->sample);
    if (!judge_init(&judge, opcode->function, row->format, MACHINE_RESULTS,
                    options->direct || inputs.total <= DIRECT_MAX ||
                        !(opcode->function->narrow || opcode->function->narrow_of_two)))
        return HX_NO_MEMORY;
    void *const a = machine_a(machine), *const b = machine_b(machine), *const d = machine_results(machine);
    for (size_t count; status == HX_OK && (count = inputs_next(&inputs, a, b, MACHINE_RESULTS)) > 0;) {
        status = machine_run(machine);
        if (status == HX_OK)
            judge_results(&judge, a, b, d, count, &row->tally);
    }
    row->all = inputs.all;
    row->passed = row->tally.error <= row->limit && row->tally.special == 0 &&
                  (row->limit > 0.5 || row->tally.not_rounded == 0);
    judge_done(&judge);
    return status;
}

static double limit_of(const struct opcode *opcode, hx_type type)
{
    if (opcode->is_library)
        return type == HX_TYPE_F32 ? opcode->function->narrow_limit : opcode->function->wide_limit;
    return function_limit(opcode->name, hx_type_name(type));
}

/* All opcodes and types that are wanted; *ret_passed: every one is within its limit. */
static hx_status measure_all(struct machine *machine, const struct options *options,
                             const struct catalog *catalog, bool *ret_passed)
{
    static const hx_type types[] = {HX_TYPE_F16, HX_TYPE_BF16, HX_TYPE_F32, HX_TYPE_F64};
    hx_status status = HX_OK;
    bool first = true;
    *ret_passed = true;
    for (size_t i = 0; i < catalog->count; i++) {
        const struct opcode *opcode = &catalog->opcodes[i];
        if (!is_op_wanted(options, opcode->name))
            continue;
        if (!opcode->function) {
            fprintf(stderr, "accuracy: %s: tools/accuracy/functions.c has no such function\n", opcode->name);
            *ret_passed = false;
            continue;
        }
        for (size_t k = 0; status == HX_OK && k < sizeof types / sizeof types[0]; k++) {
            if (!opcode->types[types[k]] || (options->any_type && !options->types[types[k]]))
                continue;
            struct row row = {.opcode = opcode->name,
                              .format = format_of(types[k]),
                              .sources = opcode->sources,
                              .limit = limit_of(opcode, types[k])};
            status = measure(machine, options, opcode, &row);
            if (status != HX_OK)
                break;
            report_row(stdout, options->form, &row, first);
            *ret_passed &= row.passed;
            first = false;
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {.sample = SAMPLE_USUAL};
    struct machine machine;
    struct catalog catalog = {0};
    if (!read_options(argc, argv, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    bool passed = false;
    int code = 2;
    hx_status status = machine_open(&machine, options.level);
    if (status == HX_OK)
        status = catalog_read(machine.isa, options.library, machine.diag, &catalog);
    if (status == HX_OK && are_ops_known(&options, &catalog)) {
        report_begin(stdout, options.form);
        status = measure_all(&machine, &options, &catalog, &passed);
        report_end(stdout, options.form);
        code = options.check && !passed ? 1 : 0;
    }
    if (status != HX_OK)
        code = fail(&machine, status);
    machine_close(&machine);
    mpfr_free_cache();
    return code;
}
