/* What the benchmark runs: for each kernel of programs/ that is measured, its sizes, its buffers with what is
 * in them, its parameters, and how far results may be apart. All sides (hexec, plain C, OpenCL, the reference
 * interpreter) take their data from here, so that they compute the same thing and can be compared. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element { ELEMENT_U8, ELEMENT_U32, ELEMENT_F32, ELEMENT_U64 };
enum workload_size {
    SIZE_REAL,  /* what the table is about */
    SIZE_SMALL, /* what a slow simulator can bear: some million thread-instructions at most */
    SIZE_QUICK, /* for tests: results only */
    SIZE_COUNT
};

struct workload;
struct workload_buffer {
    const char *name;
    enum element type;
    uint64_t count;
    /* Writes the contents before a run; NULL: the kernel writes all of it and reads nothing. */
    void (*fill)(const struct workload *workload, const struct workload_buffer *buffer, void *data);
    uint64_t seed;      /* of the fill */
    double least, most; /* ... and its range */
    bool is_written;    /* by the kernel: filled again before each run, compared after the last */
    bool is_read;       /* ... or only read */
};
struct workload_param {
    const char *name;
    enum element type;
    union {
        uint32_t u32;
        float f32;
        uint64_t u64;
    } value;
};

#define WORKLOAD_BUFFERS_MAX 6
#define WORKLOAD_PARAMS_MAX  6

/* A kernel at one size. Buffers and parameters stand in the order of the program file. */
struct workload {
    const char *name; /* of the program, of the OpenCL kernel */
    uint32_t n;       /* what its size is called in the code below */
    uint32_t grid[3], block[3];
    struct workload_buffer buffers[WORKLOAD_BUFFERS_MAX];
    size_t buffer_count;
    struct workload_param params[WORKLOAD_PARAMS_MAX];
    size_t param_count;
    double rtol, atol; /* both 0: equal bits */
};

/* The names, in the order of the table; NULL beyond the end. */
const char *workload_name(size_t index);
/* Plans a kernel at a size. False when there is no such kernel. */
bool workload_plan(const char *name, enum workload_size size, struct workload *ret_workload);
/* "real", "small", "quick"; SIZE_COUNT for another word. */
enum workload_size workload_size_of(const char *text);

size_t element_bytes(enum element type);
uint64_t workload_buffer_bytes(const struct workload_buffer *buffer);
/* Memory of a buffer, in huge pages where it fills some, as hexec's own buffers are; free with free. */
void *workload_allocate(uint64_t bytes);
/* Writes the contents before a run; those that are never written get theirs once. */
void workload_fill(const struct workload *workload, size_t buffer, void *data, bool is_first);

struct workload_difference {
    uint64_t count;    /* elements that are apart by more than the tolerance */
    uint64_t first;    /* the first of them */
    double worst;      /* the largest relative distance of all elements */
    bool is_identical; /* the same bits throughout */
};
/* Compares a written buffer with what plain C made of it. */
struct workload_difference workload_compare(const struct workload *workload, size_t buffer, const void *mine,
                                            const void *theirs);
