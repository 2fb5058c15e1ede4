/* How many launches a run has, for the line of progress. Takes a program and how it is run, leaves a number.
 */
#include "api/launches.h"

#include "program/program.h"

uint32_t launches_repeats(const hx_run_options *options)
{
    return options->repeat ? options->repeat : 1;
}

/* Of a step, with the loops around it; 0: what kernels compute or an expression decides, or it is none. */
static uint64_t count_of_step(const hx_program *program, size_t step)
{
    uint64_t launches = program->steps[step].repeat, passes;
    for (size_t i = 0; i < program->loop_count; i++) {
        const struct run_loop *loop = &program->loops[i];
        if (step < loop->first || step >= loop->end)
            continue;
        if (loop->has_until || number_parse_u64(slice_of(loop->repeat_text), &passes) != NUMBER_OK ||
            __builtin_mul_overflow(launches, passes, &launches))
            return 0;
    }
    return launches;
}

/* 0: not known. */
uint64_t launches_count(const hx_program *program, const hx_run_options *options)
{
    uint64_t launches = 0;
    if (options->kernel)
        return launches_repeats(options);
    for (size_t i = 0; i < program->step_count; i++) {
        const uint64_t more = count_of_step(program, i);
        if (more == 0 || __builtin_add_overflow(launches, more, &launches))
            return 0;
    }
    return __builtin_mul_overflow(launches, (uint64_t)launches_repeats(options), &launches) ? 0 : launches;
}
