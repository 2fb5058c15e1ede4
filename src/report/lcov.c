/* Coverage in the format of lcov: which lines of the program's YAML ran and which way its branches went, and
 * which opcodes of the instruction set's YAML were issued.
 *
 * Takes a finished profile and what it remembers of all kernels, launched or not, leaves a tracefile (geninfo
 * of lcov 1.16, FILES), which genhtml takes. A line's count is its warp issues. A branch has three ways out:
 * all lanes of a warp jump, none do, or some do and some do not; each is counted apart, for a kernel that was
 * never tried with lanes that part has not been tried in full. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that was launched; NULL for one that was not. */
static const struct profile_kernel *launched(const hx_profile *profile, size_t kernel)
{
    const uint32_t place = profile->kernel_of[kernel];
    return place ? &profile->kernels[place - 1] : NULL;
}

static uint64_t warps_of(const struct profile_kernel *kernel, uint32_t pc)
{
    return kernel ? kernel->instructions[pc].counts.warps : 0;
}

struct line_hit {
    uint32_t line;
    uint64_t warps;
};

static int by_line(const void *a, const void *b)
{
    const struct line_hit *one = a, *other = b;
    return one->line < other->line ? -1 : one->line > other->line;
}

/* A line that holds several instructions was run as often as the one of them that was run most. */
static void print_hits(struct line_hit *hits, size_t count, struct text *out)
{
    size_t lines = 0, hit = 0;
    if (count > 0)
        qsort(hits, count, sizeof *hits, by_line);
    for (size_t first = 0, end; first < count; first = end) {
        uint64_t most = 0;
        for (end = first; end < count && hits[end].line == hits[first].line; end++)
            most = hits[end].warps > most ? hits[end].warps : most;
        if (hits[first].line == 0)
            continue;
        text_print(out, "DA:%u,%llu\n", hits[first].line, (unsigned long long)most);
        lines++;
        hit += most > 0;
    }
    text_print(out, "LF:%zu\nLH:%zu\nend_of_record\n", lines, hit);
}

static void print_functions(const hx_profile *profile, struct text *out)
{
    const struct covered *covered = &profile->covered;
    size_t hit = 0;
    for (size_t k = 0; k < covered->kernel_count; k++)
        text_print(out, "FN:%u,%s\n", covered->kernels[k].line, covered->kernels[k].name);
    for (size_t k = 0; k < covered->kernel_count; k++) {
        const struct profile_kernel *kernel = launched(profile, k);
        const uint64_t launches = kernel ? kernel->view.launches : 0;
        text_print(out, "FNDA:%llu,%s\n", (unsigned long long)launches, covered->kernels[k].name);
        hit += launches > 0;
    }
    text_print(out, "FNF:%zu\nFNH:%zu\n", covered->kernel_count, hit);
}

/* A branch that no warp reached has "-" in place of a count. */
static size_t print_ways(uint32_t line, size_t number, const hx_instruction_profile *counts, struct text *out)
{
    const uint64_t ways[] = {counts->warps - counts->warps_partial - counts->warps_none, counts->warps_none,
                             counts->warps_partial};
    size_t hit = 0;
    for (size_t way = 0; way < HX_COUNT_OF(ways); way++) {
        if (counts->warps)
            text_print(out, "BRDA:%u,%zu,%zu,%llu\n", line, number, way, (unsigned long long)ways[way]);
        else
            text_print(out, "BRDA:%u,%zu,%zu,-\n", line, number, way);
        hit += counts->warps && ways[way];
    }
    return hit;
}

static void print_branches(const hx_profile *profile, struct text *out)
{
    const struct covered *covered = &profile->covered;
    const hx_instruction_profile none = {0};
    size_t found = 0, hit = 0;
    for (size_t k = 0; k < covered->kernel_count; k++) {
        const struct profile_kernel *kernel = launched(profile, k);
        for (uint32_t pc = 0; pc < covered->kernels[k].count; pc++) {
            const struct covered_instruction *code = &covered->kernels[k].code[pc];
            if (!code->is_conditional || code->line == 0)
                continue;
            hit += print_ways(code->line, found / 3, kernel ? &kernel->instructions[pc].counts : &none, out);
            found += 3;
        }
    }
    text_print(out, "BRF:%zu\nBRH:%zu\n", found, hit);
}

static bool print_program(const hx_profile *profile, struct text *out)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = profile->arena.allocator};
    const struct covered *covered = &profile->covered;
    size_t count = 0, used = 0;
    for (size_t k = 0; k < covered->kernel_count; k++)
        count += covered->kernels[k].count;
    struct line_hit *hits = ARENA_ARRAY(&scratch, struct line_hit, count);
    if (!hits)
        return false;
    for (size_t k = 0; k < covered->kernel_count; k++)
        for (uint32_t pc = 0; pc < covered->kernels[k].count; pc++)
            hits[used++] =
                (struct line_hit){covered->kernels[k].code[pc].line, warps_of(launched(profile, k), pc)};
    text_print(out, "TN:\nSF:%s\n", covered->file);
    print_functions(profile, out);
    print_branches(profile, out);
    print_hits(hits, count, out);
    return true;
}

static bool print_isa(const hx_profile *profile, struct text *out)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = profile->arena.allocator};
    const struct covered *covered = &profile->covered;
    struct line_hit *hits = ARENA_ARRAY(&scratch, struct line_hit, covered->opcode_count);
    if (!hits)
        return false;
    for (size_t i = 0; i < covered->opcode_count; i++)
        hits[i].line = covered->opcode_lines[i];
    for (size_t k = 0; k < covered->kernel_count; k++)
        for (uint32_t pc = 0; pc < covered->kernels[k].count; pc++)
            hits[covered->kernels[k].code[pc].opcode].warps += warps_of(launched(profile, k), pc);
    text_print(out, "TN:\nSF:%s\n", covered->isa_file);
    print_hits(hits, covered->opcode_count, out);
    return true;
}

hx_status report_lcov(const hx_profile *profile, struct text *out)
{
    const struct covered *covered = &profile->covered;
    const bool good = (!covered->file[0] || print_program(profile, out)) &&
                      (!covered->isa_file[0] || print_isa(profile, out));
    return good && !out->failed ? HX_OK : HX_NO_MEMORY;
}
