/* OpenCL C and CUDA C to PTX, with clang, which runs as a process of its own.
 *
 * clang is looked for when it is needed: HEXEC_CLANG (a path or a name), else the newest clang-N for which
 * there is a libclc-N, else the newest. libclc has the functions of OpenCL C: HEXEC_LIBCLC (a folder) or the
 * usual places. PTX is kept in the user's cache (base/disk_cache.h). */
#pragma once

#include "base/diag.h"

enum compiler_language { COMPILER_NONE, COMPILER_OPENCL, COMPILER_CUDA };

/* By the ending, .cl or .cu; a name with neither by what the text has: __global__ is CUDA's, kernel functions
 * of OpenCL begin with kernel or __kernel. COMPILER_NONE: something else. */
enum compiler_language compiler_language_of(const char *path, struct slice text);

/* Bytes that clang reads beside the program. */
struct compiler_part {
    const char *name;
    struct slice bytes;
};
struct compiler_job {
    enum compiler_language language;
    const struct source *source;   /* its name is what messages and positions show */
    const char *directory;         /* of files that it includes; NULL: the working directory */
    const char *options;           /* words for clang, as a shell would read them with quotes; NULL: none */
    const char *options_directory; /* that paths among the options are relative to; NULL: the working one */
    struct place options_place;
    /* Of OpenCL C: files that #include finds before others by these names, and objects that are linked to the
     * program. */
    const struct compiler_part *headers, *objects;
    size_t header_count, object_count;
    bool makes_object; /* LLVM bitcode, to be linked, in place of PTX */
    bool has_no_host;  /* of CUDA C: all of it is for the device, and what does not compile is an error */
    bool no_cache;
    bool check_indexes; /* code tells of indexes beyond an array's end: it calls a function that ptx knows */
    bool at_run_time;   /* hx_source_options.at_run_time */
    int for_debugging;  /* hx_source_options.for_debugging: the PTX tells in DWARF where variables are */
};
/* The program's PTX, with `.loc` for each line, or an object. What clang says is reported with its place.
 * HX_INVALID for a wrong program, also when there is no clang; HX_NO_MEMORY. Threads may call it at once. */
HX_MUST_CHECK hx_status compiler_run(const struct compiler_job *job, const hx_allocator *allocator,
                                     hx_diag *diag, struct text *ret_code);

/* An object as LLVM's assembly, which says what the source says of its kernels. HX_INVALID: it is no object,
 * or there is no clang. */
HX_MUST_CHECK hx_status compiler_object_text(struct slice object, const hx_allocator *allocator,
                                             hx_diag *diag, struct text *ret_text);

/* What is installed. Texts are empty where nothing was found; compiler_tools_done them. */
struct compiler_tools {
    struct text clang, libclc; /* paths: the program, and libclc's bitcode for PTX */
};
/* HX_NO_MEMORY; that something is missing is no error. */
HX_MUST_CHECK hx_status compiler_find_tools(const hx_allocator *allocator, struct compiler_tools *ret_tools);
void compiler_tools_done(struct compiler_tools *tools);
