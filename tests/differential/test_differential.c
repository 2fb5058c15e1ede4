/* Random programs: the executor must leave the same bytes as the reference, however it is run.
 *
 *     test_differential [--count N] [--seed S] [--gang G] [--workers W] [--level L] [--keep DIRECTORY]
 * [--show]
 *                       [--compiled]
 *
 * Program i has seed S + i. Without --gang, --workers and --level all of them are tried: gangs of 1, 32 and
 * 256 lanes, 1 and 2 workers, every CPU level of the machine; some of them in a shuffled order. Once more
 * plainly; once what warps did is counted, and compared too; and once compiled, where LLVM is, with the same
 * counts as gangs of 64 lanes have interpreted. A program that differs is made small and
 * written to DIRECTORY, and hexec can run that file. --show prints the programs instead; --compiled tries
 * that configuration alone. HEXEC_DIFFERENTIAL_COUNT bounds the count.
 */
#include "compare.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    uint64_t count, seed;
    uint32_t gang, workers;
    const char *level, *keep;
    bool show, compiled;
};

#define FAILURES_MAX       10 /* then it stops */
#define CONFIGURATIONS_MAX (LEVELS_MAX * 2 * 3 + 3)

static size_t list_configurations(const struct options *options, size_t devices, struct configuration *list)
{
    static const uint32_t gangs[] = {1, 32, 256};
    size_t count = 0;
    for (size_t device = 0; device < devices && !options->compiled; device++)
        for (uint32_t workers = 1; workers <= 2; workers++)
            for (size_t g = 0; g < HX_COUNT_OF(gangs); g++)
                if ((!options->workers || workers == options->workers) &&
                    (!options->gang || gangs[g] == gangs[0]))
                    list[count++] = (struct configuration){.device = device,
                                                           .workers = workers,
                                                           .gang = options->gang ? options->gang : gangs[g],
                                                           .shuffled = device % 3 == g};
    if (!options->compiled) {
        list[count++] = (struct configuration){.device = devices - 1, .workers = 2, .plain = true};
        list[count++] = (struct configuration){.device = devices - 1, .workers = 2, .watched = true};
    }
    list[count++] = (struct configuration){.device = devices - 1, .workers = 2, .compiled = true};
    return count;
}

/* Writes a program that differs, as small as it gets. */
static void keep(const struct comparer *comparer, const struct options *options, struct generated *generated,
                 const struct comparison *found, bool is_first)
{
    char path[4096], comment[1024];
    const hx_device *device = comparer->devices[found->configuration.device];
    snprintf(comment, sizeof comment, "seed %llu, %s, %u workers, gangs of %u%s: %s",
             (unsigned long long)generated->seed, hx_device_cpu_level(device), found->configuration.workers,
             found->configuration.gang,
             found->configuration.shuffled   ? ", shuffled"
             : found->configuration.plain    ? ", plain"
             : found->configuration.watched  ? ", watched"
             : found->configuration.compiled ? ", compiled"
                                             : "",
             found->what);
    snprintf(path, sizeof path, "%s/differential-%llu.yaml", options->keep,
             (unsigned long long)generated->seed);
    if (found->verdict == VERDICT_DIFFERENT &&
        is_first) /* it takes its time, and others have mostly the same cause */
        minimise(comparer, generated, found);
    char *text = generated_text(generated, comment);
    FILE *file = fopen(path, "w");
    const bool written = text && file && fputs(text, file) >= 0;
    printf("%s\n    %s%s\n", comment, written ? "written to " : "cannot write ", path);
    if (file)
        fclose(file);
    free(text);
}

static int run(const struct options *options, const hx_isa *isa)
{
    struct comparer comparer;
    struct configuration configurations[CONFIGURATIONS_MAX];
    uint64_t failures = 0, compiled = 0;
    if (!comparer_init(&comparer, isa, options->level)) {
        fprintf(stderr, "there is no such CPU level here\n");
        return 2;
    }
    const size_t count = list_configurations(options, comparer.device_count, configurations);
    uint64_t done = 0;
    for (; done < options->count && failures < FAILURES_MAX; done++) {
        struct generated generated;
        generated_init(&generated, isa, options->seed + done);
        const struct comparison found = compare_program(&comparer, &generated, configurations, count);
        compiled += found.was_compiled;
        if (found.verdict != VERDICT_SAME) {
            failures++;
            keep(&comparer, options, &generated, &found, failures == 1);
        }
        generated_done(&generated);
    }
    comparer_done(&comparer);
    if (options->compiled && compiled == 0) {
        fprintf(stderr, "none ran compiled: is the plugin there?\n");
        failures++;
    }
    const uint64_t right = done - (failures < done ? failures : done);
    printf("%llu%%: Checks: %llu, Failures: %llu, Errors: 0 (%zu configurations each, %llu compiled)\n",
           (unsigned long long)(done ? right * 100 / done : 100), (unsigned long long)done,
           (unsigned long long)failures, count, (unsigned long long)compiled);
    return failures > 0;
}

static int show(const struct options *options, const hx_isa *isa)
{
    for (uint64_t i = 0; i < options->count; i++) {
        struct generated generated;
        generated_init(&generated, isa, options->seed + i);
        char *text = generated_text(&generated, "random");
        fputs(text ? text : "out of memory\n", stdout);
        free(text);
        generated_done(&generated);
    }
    return 0;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {
        {"count", 1, NULL, 'c'},   {"seed", 1, NULL, 's'},     {"gang", 1, NULL, 'g'},
        {"workers", 1, NULL, 'w'}, {"level", 1, NULL, 'l'},    {"keep", 1, NULL, 'k'},
        {"show", 0, NULL, 'p'},    {"compiled", 0, NULL, 'o'}, {NULL, 0, NULL, 0}};
    const char *most = getenv("HEXEC_DIFFERENTIAL_COUNT");
    for (int option; (option = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        if (option == 'c')
            options->count = strtoull(optarg, NULL, 10);
        else if (option == 's')
            options->seed = strtoull(optarg, NULL, 10);
        else if (option == 'g')
            options->gang = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'w')
            options->workers = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'l')
            options->level = optarg;
        else if (option == 'k')
            options->keep = optarg;
        else if (option == 'o')
            options->compiled = true;
        else if (option == 'p')
            options->show = true;
        else
            return false;
    }
    if (most && strtoull(most, NULL, 10) < options->count)
        options->count = strtoull(most, NULL, 10);
    return optind == argc && options->gang <= 256 && options->workers <= 2;
}

int main(int argc, char **argv)
{
    struct options options = {.count = 1000, .seed = 1, .keep = "."};
    hx_isa *isa;
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: test_differential [--count N] [--seed S] [--gang 1..256] [--workers 1|2]\n"
                        "                         [--level L] [--keep DIRECTORY] [--show] [--compiled]\n");
        return 2;
    }
    if (hx_isa_load(NULL, NULL, NULL, &isa) != HX_OK)
        return 2;
    const int result = options.show ? show(&options, isa) : run(&options, isa);
    hx_isa_free(isa);
    return result;
}
