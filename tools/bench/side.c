/* What the sides have in common: reading lines, filling buffers, taking time, comparing results. */
#include "side.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t side_now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t side_cpu_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Ends an answer. */
static void answered(void)
{
    puts("}");
    fflush(stdout);
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else
            printf((unsigned char)*text < 0x20 ? "\\u%04x" : "%c", (unsigned char)*text);
    putchar('"');
}

int side_fail(const char *why)
{
    printf("{\"error\": ");
    print_string(why);
    answered();
    return 2;
}

static void list_kernels(void)
{
    printf("{\"kernels\": [");
    for (size_t i = 0; workload_name(i); i++)
        printf("%s\"%s\"", i ? ", " : "", workload_name(i));
    printf("]");
    answered();
}

bool side_plan(struct side *side, int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        list_kernels();
        return false;
    }
    const enum workload_size size = argc > 2 ? workload_size_of(argv[2]) : SIZE_COUNT;
    if (size != SIZE_COUNT && workload_plan(argv[1], size, &side->workload))
        return true;
    side_fail("usage: SIDE KERNEL real|small|quick [OPTION...]");
    return false;
}

const char *side_option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 3; i + 1 < argc; i += 2)
        if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, name) == 0)
            return argv[i + 1];
    return otherwise;
}

static bool fill_buffers(struct side *side, bool is_first)
{
    const struct workload *workload = &side->workload;
    for (size_t i = 0; i < workload->buffer_count; i++) {
        if (!is_first && (!workload->buffers[i].is_written || !workload->buffers[i].fill))
            continue;
        void *data = side->map(side->self, i, true);
        if (!data)
            return false;
        workload_fill(workload, i, data, is_first);
        if (side->release)
            side->release(side->self, i, data);
    }
    return true;
}

static void run(struct side *side)
{
    if (!fill_buffers(side, false)) {
        side_fail("cannot fill the buffers");
        return;
    }
    const uint64_t start = side_now_ns(), cpu_start = side_cpu_ns();
    const bool is_good = side->run(side->self);
    const uint64_t cpu = side_cpu_ns() - cpu_start, wall = side_now_ns() - start;
    if (!is_good) {
        side_fail(side->error);
        return;
    }
    printf("{\"wall_ns\": %llu, \"cpu_ns\": %llu", (unsigned long long)wall, (unsigned long long)cpu);
    answered();
}

static FILE *open_kept(const struct side *side, size_t buffer, const char *folder, const char *mode)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s.%s", folder, side->workload.name,
                                side->workload.buffers[buffer].name);
    return length > 0 && (size_t)length < sizeof path ? fopen(path, mode) : NULL;
}

static bool keep_buffer(struct side *side, size_t buffer, const char *folder)
{
    const uint64_t bytes = workload_buffer_bytes(&side->workload.buffers[buffer]);
    FILE *file = open_kept(side, buffer, folder, "wb");
    void *data = file ? side->map(side->self, buffer, false) : NULL;
    bool is_good = data && fwrite(data, 1, bytes, file) == bytes;
    if (file && fclose(file) != 0)
        is_good = false;
    if (data && side->release)
        side->release(side->self, buffer, data);
    return is_good;
}

static void keep(struct side *side, const char *folder)
{
    for (size_t i = 0; i < side->workload.buffer_count; i++)
        if (side->workload.buffers[i].is_written && !keep_buffer(side, i, folder)) {
            side_fail("cannot keep the results");
            return;
        }
    printf("{\"kept\": true");
    answered();
}

/* False when there is nothing to compare with. */
static bool check_buffer(struct side *side, size_t buffer, const char *folder,
                         struct workload_difference *ret_difference)
{
    const uint64_t bytes = workload_buffer_bytes(&side->workload.buffers[buffer]);
    FILE *file = open_kept(side, buffer, folder, "rb");
    char *expected = malloc(bytes ? bytes : 1);
    void *data = side->map(side->self, buffer, false);
    const bool is_good = file && expected && data && fread(expected, 1, bytes, file) == bytes;
    if (is_good)
        *ret_difference = workload_compare(&side->workload, buffer, data, expected);
    if (data && side->release)
        side->release(side->self, buffer, data);
    if (file)
        fclose(file);
    free(expected);
    return is_good;
}

static void check(struct side *side, const char *folder)
{
    const struct workload *workload = &side->workload;
    struct workload_difference all = {.is_identical = true}, one;
    const char *where = "";
    for (size_t i = 0; i < workload->buffer_count; i++) {
        if (!workload->buffers[i].is_written)
            continue;
        if (!check_buffer(side, i, folder, &one)) {
            side_fail("no results to compare with");
            return;
        }
        if (one.count > 0 && all.count == 0) {
            where = workload->buffers[i].name;
            all.first = one.first;
        }
        all.count += one.count;
        all.is_identical = all.is_identical && one.is_identical;
        all.worst = one.worst > all.worst ? one.worst : all.worst;
    }
    printf("{\"identical\": %s, \"different\": %llu, \"worst\": %.3g, \"buffer\": \"%s\", \"first\": %llu",
           all.is_identical ? "true" : "false", (unsigned long long)all.count, all.worst, where,
           (unsigned long long)all.first);
    answered();
}

/* Of this program alone: getrusage would begin with what the process was before exec. 0 when the system does
 * not say. */
static long peak_rss_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && kib == 0 && fgets(line, sizeof line, file))
        sscanf(line, "VmHWM: %ld kB", &kib);
    if (file)
        fclose(file);
    return kib;
}

int side_serve(struct side *side)
{
    char line[4096];
    if (!fill_buffers(side, true))
        return side_fail("no memory for the buffers");
    printf("{\"side\": \"%s\", \"kernel\": \"%s\"", side->name, side->workload.name);
    if (side->describe)
        side->describe(side->self, stdout);
    answered();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "run") == 0)
            run(side);
        else if (strncmp(line, "keep ", 5) == 0)
            keep(side, line + 5);
        else if (strncmp(line, "check ", 6) == 0)
            check(side, line + 6);
        else if (strcmp(line, "end") == 0)
            break;
        else
            side_fail("no such command");
    }
    printf("{\"peak_rss_kib\": %ld", peak_rss_kib());
    if (side->sum_up)
        side->sum_up(side->self, stdout);
    answered();
    return 0;
}
