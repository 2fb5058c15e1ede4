/* Runs a program by the reference and by the executor, and compares what is in the buffers. */
#pragma once

#include "generate.h"
#include "hexec/collector.h"

#define LEVELS_MAX 4

/* A device for each CPU level that the machine and the build have. */
struct comparer {
    const hx_isa *isa;
    hx_device *devices[LEVELS_MAX];
    size_t device_count;
};
/* `level` NULL: all. False when there is no device. */
bool comparer_init(struct comparer *comparer, const hx_isa *isa, const char *level);
void comparer_done(struct comparer *comparer);

/* How the executor is run. */
struct configuration {
    size_t device; /* index in the comparer */
    uint32_t workers, gang;
    bool shuffled; /* blocks, gangs and paths in an order drawn from the program's seed */
    bool plain;    /* hx_launch_options.plain */
    bool
        compiled; /* by the compiled tier, where there is one; what it counts is compared too; not shuffled */
    bool watched; /* what it collects of warps and memory is compared too; not shuffled */
};
enum verdict { VERDICT_SAME, VERDICT_DIFFERENT, VERDICT_UNUSABLE };
struct comparison {
    enum verdict verdict;
    struct configuration configuration; /* the one that differs */
    const char *kind;                   /* of two programs that differ: in the same way? Static */
    char what[512];                     /* how; or why the program is of no use */
    bool was_compiled;
};
/* One configuration after another until one differs. A program that hexec does not load, or that does not
 * reach its end in the reference, is unusable. */
struct comparison compare_program(const struct comparer *comparer, const struct generated *generated,
                                  const struct configuration *configurations, size_t count);
/* Deletes what it can from a program that differs as found, so that it still does in the same way: a shorter
 * program with another fault would say nothing of this one. */
void minimise(const struct comparer *comparer, struct generated *generated, const struct comparison *found);
