/* What clang is called with.
 *
 * Takes a job, leaves words: those of the language, of the checks and of the job's options. Macros among the
 * options become text before the program. */
#include "compiler/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool compiler_has_option(const struct compiling *compiling, const char *part)
{
    return compiling->job->options && strstr(compiling->job->options, part);
}

static void add_language(struct compiling *compiling)
{
    struct compiler_words *words = &compiling->words;
    if (compiling->job->language == COMPILER_CUDA) {
        compiler_word(words, "-xcuda");
        compiler_word(words, "--cuda-device-only");
        compiler_word(words, "-nocudainc");
        compiler_word(words, "-nocudalib");
        compiler_word(words, "-Wno-unknown-cuda-version");
        /* what nvcc takes, and gcc behind it: "%"PRIu64 in old programs, and narrower values in braces */
        compiler_word(words, "-Wno-reserved-user-defined-literal");
        compiler_word(words, "-Wno-c++11-narrowing");
        compiler_word(words, "-Wno-implicit-const-int-float-conversion"); /* rand() / (float)RAND_MAX */
        compiler_word(words, "-Wno-register");
        compiler_word(words, "-Wno-pass-failed");            /* a loop that is not unrolled */
        compiler_word(words, "-Wno-ignored-attributes");     /* "used" of variables that are only declared */
        compiler_word(words, "-Wno-pragma-clang-attribute"); /* a program without variables (input.c) */
        compiler_word(words, "--cuda-gpu-arch=sm_70");
        compiler_front_word(words,
                            "-fcuda-allow-variadic-functions"); /* f(...) that only types are wanted of */
        if (compiling->job->at_run_time) {
            compiler_word(words, "-D__CUDACC_RTC__=1");
            compiler_word(words, "-nostdlibinc"); /* of headers there are clang's own, and hexec's */
            compiler_word(words, "-Wno-macro-redefined");
            compiler_word(words,
                          "-Wno-user-defined-literals"); /* which a library has, and programs bring theirs */
            compiler_word(words, "-Wno-deprecated-declarations");
        }
        if (!compiler_has_option(compiling, "-std="))
            compiler_word(words, "-std=c++17"); /* as nvcc does */
        return;
    }
    compiler_word(words, "-xcl");
    compiler_word(words, "-target");
    compiler_word(words, "nvptx64-unknown-nvcl");
    if (!compiler_has_option(compiling, "-march="))
        compiler_word(words, "-march=sm_70");
    /* What clang does not know of hexec: extensions and, of OpenCL C 3.0, features. The prelude has the
     * macros of those that only clang's functions need. */
    static const char *const extensions =
        "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp16,+cl_khr_subgroups,"
        "+__opencl_c_subgroups,+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables,"
        "+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst,"
        "+cl_intel_required_subgroup_size,+cl_khr_3d_image_writes,+__opencl_c_images,+__opencl_c_3d_image_"
        "writes,+__opencl_c_read_write_"
        "images";
    compiler_front_word(words, "-finclude-default-header");
    compiler_front_word(words, extensions);
    compiler_word(words, "-D__opencl_c_atomic_scope_device=1"); /* clang's header needs it */
    compiler_word(words, "-D__opencl_c_atomic_scope_all_devices=1");
    /* drivers of OpenCL have a body for each inline function, as C had before 1999 */
    if (!compiler_has_option(compiling, "-cl-std=clc++") && !compiler_has_option(compiling, "-cl-std=CLC++"))
        compiler_word(words, "-fgnu89-inline");
    compiler_word(words, "-Wno-linker-warnings"); /* of libclc's triple, nvidiacl in the place of nvcl */
}

hx_status compiler_add_words(struct compiling *compiling)
{
    /* DWARF 2, as for CUDA C: with a later one clang 14 crashes on some calls of inline functions. */
    static const char *const at_first[] = {"-O2", "-gdwarf-2", "-gline-tables-only"};
    /* What messages.c reads, whatever the options before say. */
    static const char *const at_last[] = {"-fno-caret-diagnostics", "-fno-color-diagnostics",
                                          "-fno-crash-diagnostics", "-fshow-column",
                                          "-fshow-source-location", "-fmessage-length=0"};
    /* clang's driver has no sanitizers for PTX; src/ptx/extern.c does what their library would */
    static const char *const for_checks[][2] = {
        {"-fsanitize=array-bounds", "-fsanitize-recover=array-bounds"},
        {"-fsanitize=array-bounds,alignment", "-fsanitize-recover=array-bounds,alignment"}};
    const struct compiler_job *job = compiling->job;
    struct compiler_words *words = &compiling->words;
    compiler_word(words, "%s", compiling->tools.clang.at);
    add_language(compiling);
    for (size_t i = 0; i < HX_COUNT_OF(at_first); i++)
        compiler_word(words, "%s", at_first[i]);
    /* an optimizer takes an undefined value for whatever suits, and drops accesses whose results nobody uses
     */
    if (job->check_indexes)
        compiler_word(words, "-O0");
    if (job->check_indexes && job->language == COMPILER_CUDA)
        compiler_word(words, "-D__HEXEC_CHECKS__=1"); /* headers have notes for checkers */
    /* vectors of OpenCL C are accessed as a whole, those of CUDA C are structures */
    for (size_t i = 0; job->check_indexes && i < HX_COUNT_OF(for_checks[0]); i++)
        compiler_front_word(words, for_checks[job->language == COMPILER_CUDA][i]);
    if (job->header_count > 0)
        compiler_word(words, "-iquote" GIVEN_AT);
    if (job->header_count > 0)
        compiler_word(words, "-I" GIVEN_AT);
    const size_t first = words->list.count;
    const hx_status status = compiler_options_split(job, compiling->diag, words);
    if (status != HX_OK)
        return status;
    compiler_options_take_macros(words, first, job->language, &compiling->macros);
    if (job->for_debugging || job->check_indexes) /* of the options of the same kind the last one counts */
        compiler_word(words, "-g");
    if (job->for_debugging == 1)
        compiler_word(words, "-O0");
    for (size_t i = 0; i < HX_COUNT_OF(at_last); i++)
        compiler_word(words, "%s", at_last[i]);
    const char *directory = job->directory ? job->directory : ".";
    char whole[PATH_MAX];
    if (job->options_directory) { /* which clang takes all paths to be relative to */
        compiler_word(words, "-working-directory=%s", job->options_directory);
        directory = realpath(directory, whole) ? whole : directory;
    }
    compiler_word(words, "-iquote%s", directory);
    compiler_word(words, "-I%s", directory);
    compiler_word(words, "-isystem" HEADERS_AT);
    if (job->language == COMPILER_CUDA)
        compiler_word(words, "-idirafter" LIBRARIES_AT);
    compiler_word(words, "-ivfsoverlay/proc/self/fd/%d", PROCESS_FIRST_FILE);
    return words->failed || compiling->macros.failed ? HX_NO_MEMORY : HX_OK;
}
