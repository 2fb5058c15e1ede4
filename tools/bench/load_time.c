/* What it takes until a kernel can be launched.
 *
 *     bench_load INSTRUCTIONS RUNS
 *
 * Makes a kernel of so many instructions (loops of arithmetic, guards, loads and stores, as compilers write
 * them), loads it from its text, verifies and lowers it, and prints the times of each run as one JSON object.
 */
#include "hexec/hexec.h"
#include "side.h"

#include <stdlib.h>

#define GROUP    16 /* instructions of a loop */
#define RUNS_MAX 100

/* The text of a program with one kernel; free with free. NULL when there is no memory. */
static char *make_program(unsigned instructions, size_t *ret_bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, ret_bytes);
    if (!out)
        return NULL;
    fputs("program: long\nlaunch: {grid: [1], block: [32]}\n"
          "buffers:\n  - {name: x, type: f32, count: 4096}\ncode: |\n      mov.u32 r0, %tid.x\n",
          out);
    unsigned written = 1;
    for (unsigned loop = 0; written + GROUP + 1 <= instructions; loop++, written += GROUP) {
        const unsigned r = 1 + loop % 20 * 10; /* registers that other loops use, too */
        fprintf(out,
                "      mov.u32 r%u, 4\n  loop%u:\n      add.u32 r%u, r0, r%u\n      and.u32 r%u, r%u, 1023\n"
                "      ldg.f32 r%u, [$x + r%u*4]\n      ldg.f32 r%u, [$x + r%u*4 + 64]\n"
                "      mul.f32 r%u, r%u, 0.5\n      fma.f32 r%u, r%u, r%u, r%u\n"
                "      setp.gt.f32 p0, r%u, r%u\n  @p0 neg.f32 r%u, r%u\n"
                "      setp.lt.u32 p1, r%u, 512\n  @!p1 bra skip%u\n"
                "      stg.f32 [$x + r%u*4], r%u\n      add.f32 r%u, r%u, 1\n"
                "      stg.f32 [$x + r%u*4 + 128], r%u\n  skip%u:\n      xor.u32 r%u, r%u, 3\n"
                "      loop.u32 r%u, loop%u\n",
                r, loop, r + 1, r, r + 1, r + 1, r + 2, r + 1, r + 3, r + 1, r + 4, r + 2, r + 5, r + 4,
                r + 3, r + 2, r + 5, r + 4, r + 5, r + 5, r + 1, loop, r + 1, r + 5, r + 6, r + 5, r + 1,
                r + 6, loop, r + 7, r + 1, r, loop);
    }
    for (; written + 1 < instructions; written++)
        fputs("      nop\n", out);
    fputs("      exit\n", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int fail(const hx_diag *diag)
{
    const hx_diagnostic *first = hx_diag_at(diag, 0);
    return side_fail(first ? first->message : "no memory");
}

struct load_times {
    uint64_t load_ns, prepare_ns; /* of the text; of verifying and lowering */
    size_t instructions;
};

/* One run: false when it failed. */
static bool load(const hx_isa *isa, const char *text, size_t bytes, hx_diag *diag,
                 struct load_times *ret_times)
{
    hx_program *program = NULL;
    hx_kernel *kernel = NULL;
    const uint64_t start = side_now_ns();
    hx_status status = hx_program_load_bytes("long", NULL, text, bytes, isa, NULL, diag, &program);
    const uint64_t loaded = side_now_ns();
    if (status == HX_OK)
        status = hx_kernel_new(program, 0, NULL, diag, &kernel);
    *ret_times = (struct load_times){loaded - start, side_now_ns() - loaded,
                                     program ? hx_program_instruction_count(program, 0) : 0};
    hx_kernel_free(kernel);
    hx_program_free(program);
    return status == HX_OK;
}

static int measure(const hx_isa *isa, const char *text, size_t bytes, unsigned runs, hx_diag *diag)
{
    struct load_times times[RUNS_MAX + 1]; /* the first one warms up */
    for (unsigned i = 0; i <= runs; i++) {
        if (!load(isa, text, bytes, diag, &times[i]))
            return fail(diag);
        hx_diag_clear(diag);
    }
    printf("{\"instructions\": %zu, \"runs\": [", times[0].instructions);
    for (unsigned i = 1; i <= runs; i++)
        printf("%s{\"load_ns\": %llu, \"prepare_ns\": %llu}", i > 1 ? ", " : "",
               (unsigned long long)times[i].load_ns, (unsigned long long)times[i].prepare_ns);
    printf("]}\n");
    return 0;
}

int main(int argc, char **argv)
{
    const unsigned instructions = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    const unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    hx_diag *diag = NULL;
    hx_isa *isa = NULL;
    size_t bytes = 0;
    if (instructions == 0 || runs == 0 || runs > RUNS_MAX)
        return side_fail("usage: bench_load INSTRUCTIONS RUNS");
    char *text = make_program(instructions, &bytes);
    int code = 2;
    if (!text || hx_diag_new(NULL, &diag) != HX_OK)
        code = side_fail("no memory");
    else if (hx_isa_load(NULL, NULL, diag, &isa) != HX_OK)
        code = fail(diag);
    else
        code = measure(isa, text, bytes, runs, diag);
    hx_isa_free(isa);
    hx_diag_free(diag);
    free(text);
    return code;
}
