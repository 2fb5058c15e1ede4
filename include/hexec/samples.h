/* Samples: in which lines of a kernel compiled code spends its time.
 *
 *     hx_samples *samples;
 *     hx_samples_new(NULL, diag, &samples);
 *     options.launch.tier = HX_TIER_COMPILED;
 *     options.launch.samples = samples; // of hx_run_options; of hx_launch_options, options.samples
 *     ... hx_context_run
 *     hx_line_samples line = {.size = sizeof line};
 *     for (size_t i = 0; hx_samples_at(samples, i, &line) == HX_OK; i++) ...
 *
 * Compiled code that is sampled notes which instruction it is at, one store each. A thread of the launch
 * reads the notes of all workers at random moments, some 10,000 times a second or less often. What the
 * compiler has moved to another instruction counts there; a sample may so be of a line next to the one that
 * takes the time. */
#pragma once

#include "hexec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Samples of any number of launches, which may run at once. */
typedef struct hx_samples hx_samples;

/* *ret_samples is given (hx_samples_free). HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_samples_new(const hx_allocator *allocator, hx_diag *diag,
                                              hx_samples **ret_samples);
/* When no launch that was given them goes on any more. */
HX_API void hx_samples_free(hx_samples *samples);

typedef struct hx_line_samples {
    size_t size;        /* sizeof (hx_line_samples) */
    const char *kernel; /* borrowed from the samples, as `file` */
    const char *file;   /* NULL: not known */
    uint32_t line;      /* from 1; 0: not known */
    const char *text;   /* of the line, borrowed, without blanks at its ends; "" if it is not known */
    uint64_t samples;   /* that found a worker in compiled code of this line */
    double share;       /* of all samples in compiled code, 0 to 1 */
    /* Wilson's interval: if samples are independent, it holds the share of the time in 95 of 100 cases. */
    double share_least, share_most;
} hx_line_samples;

/* Line `index`, those with most samples first; ret_line->size is set before. When no launch runs. HX_INVALID
 * beyond the end; HX_NO_MEMORY when samples were lost. */
HX_API HX_MUST_CHECK hx_status hx_samples_at(const hx_samples *samples, size_t index,
                                             hx_line_samples *ret_line);
/* Samples that found a worker in compiled code; those that found one in the interpreter, or between two
 * blocks. */
HX_API uint64_t hx_samples_compiled(const hx_samples *samples);
HX_API uint64_t hx_samples_outside(const hx_samples *samples);

#ifdef __cplusplus
}
#endif
