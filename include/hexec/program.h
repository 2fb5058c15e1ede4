/* Kernel programs: loaded from YAML, from the binary form, PTX, OpenCL C or CUDA C; assembled, disassembled.
 */
#pragma once

#include "hexec/isa.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program: its parameters, buffers, kernels and launches. One thread may change it (hx_program_set_...);
 * while no thread does, any number may read it. */
typedef struct hx_program hx_program;

/* Loads a program file: YAML, binary or PTX (its first bytes decide), OpenCL C or CUDA C. *ret_program is
 * given (hx_program_free) and borrows `isa` and `allocator` until then. HX_INVALID with every error of the
 * file in `diag`, HX_IO, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_program_load(const char *path, const hx_isa *isa,
                                               const hx_allocator *allocator, hx_diag *diag,
                                               hx_program **ret_program);
/* The same from bytes; `name` is what diagnostics call them, `directory` (NULL: ".") is where files that the
 * program names are looked for. Borrows `bytes` for the call. */
HX_API HX_MUST_CHECK hx_status hx_program_load_bytes(const char *name, const char *directory,
                                                     const void *bytes, size_t size, const hx_isa *isa,
                                                     const hx_allocator *allocator, hx_diag *diag,
                                                     hx_program **ret_program);
/* Whose lines faults, profiles, coverage and traces show of a kernel that comes from PTX. */
typedef enum hx_source_level {
    HX_SOURCE_WRITTEN, /* the file that a compiler was given, where the PTX says its lines; else the PTX */
    HX_SOURCE_PTX,     /* the PTX */
    HX_SOURCE_HEXEC    /* hexec's instructions, as hx_program_disassemble writes them */
} hx_source_level;
/* A file that need not be on the disk, or an object. */
typedef struct hx_part {
    const char
        *name; /* of a file as the program includes it, "a/b.h"; of an object NULL or what messages show */
    const void *bytes;
    size_t size;
} hx_part;
/* How a program in OpenCL C or CUDA C is compiled, and what is shown of one in these or PTX; ignored for
 * others. Zeros are the defaults. */
typedef struct hx_source_options {
    size_t size; /* sizeof (hx_source_options); members behind it are zeros */
    const char
        *compiler_options; /* words for clang, with quotes as a shell has them: "-DN=4 -O3"; NULL: none */
    int no_cache;          /* not 0: PTX is neither taken from the user's cache nor kept there */
    hx_source_level level; /* another number is HX_SOURCE_WRITTEN */
    /* Borrowed for the call: files that #include finds before those of folders, and of programs in OpenCL C
     * objects (hx_object_compile) that are linked to the program, which may be a comment alone. */
    const hx_part *headers, *objects;
    size_t header_count, object_count;
    int may_be_empty;  /* not 0: a module without kernels is a program, whose variables can be used */
    int check_indexes; /* not 0: for checks (check.h). OpenCL C and CUDA C are compiled without optimization,
                          unless options have -O1 to -O3, so that no mistake is optimized away, and tell the
                          checker `memory` of indexes beyond an array's end */
    int for_debugging; /* 1: OpenCL C and CUDA C are compiled without optimization, calls stay calls, and the
                          program keeps where variables are, for hexec/debug.h; 2: it keeps that of code which
                          is optimized */
    int at_run_time;   /* not 0: CUDA C as NVRTC compiles it while a program runs: __CUDACC_RTC__ is defined,
                          and   there are no headers of the host and none of C++'s library */
} hx_source_options;
/* hx_program_load and hx_program_load_bytes with options (NULL: the defaults). A file that ends in .cl or
 * .cu, or reads like OpenCL C or CUDA C, is compiled by clang, which runs as a process of its own; where
 * there is no clang, or it finds errors: HX_INVALID. */
HX_API HX_MUST_CHECK hx_status hx_program_load_source(const char *path, const hx_source_options *options,
                                                      const hx_isa *isa, const hx_allocator *allocator,
                                                      hx_diag *diag, hx_program **ret_program);
HX_API HX_MUST_CHECK hx_status hx_program_load_source_bytes(const char *name, const char *directory,
                                                            const void *bytes, size_t size,
                                                            const hx_source_options *options,
                                                            const hx_isa *isa, const hx_allocator *allocator,
                                                            hx_diag *diag, hx_program **ret_program);
/* Compiles a program in OpenCL C to an object, LLVM bitcode, that programs and other objects' functions and
 * variables are linked to later (hx_source_options.objects). It runs on no device by itself; `write` gets its
 * bytes. `options` has no objects. The rest is as in hx_program_load_source_bytes; bytes borrowed for the
 * call. Threads may call it at once. HX_INVALID with every error of the program in `diag`, HX_NO_MEMORY, and
 * what `write` returns. */
HX_API HX_MUST_CHECK hx_status hx_object_compile(const char *name, const char *directory, const void *bytes,
                                                 size_t size, const hx_source_options *options,
                                                 const hx_allocator *allocator, hx_diag *diag,
                                                 hx_write_function write, void *user);
/* Compiles a program in CUDA C to PTX, a text that hx_program_load_bytes takes; `write` gets it. `options`
 * has no objects. The rest is as above. */
HX_API HX_MUST_CHECK hx_status hx_cuda_compile(const char *name, const char *directory, const void *bytes,
                                               size_t size, const hx_source_options *options,
                                               const hx_allocator *allocator, hx_diag *diag,
                                               hx_write_function write, void *user);
HX_API void hx_program_free(hx_program *program);

/* Its name; its kernels. Borrowed from the program. NULL beyond the end. */
HX_API const char *hx_program_name(const hx_program *program);
HX_API const char *hx_program_kernel_name(const hx_program *program, size_t index);
HX_API size_t hx_program_kernel_count(const hx_program *program);
/* The kernel of this name: as in the file, or an identifier of C++ that one kernel alone has, as saxpy or
 * math::saxpy for _ZN4math5saxpyEifPf; template arguments and parameters may stand behind it, as in
 * scale<float> and k(const int *), to say which of several it is. HX_INVALID: there is none, or there are
 * several. */
HX_API HX_MUST_CHECK hx_status hx_program_find_kernel(const hx_program *program, const char *name,
                                                      hx_diag *diag, size_t *ret_index);
/* How many expectations it has. */
HX_API size_t hx_program_expectation_count(const hx_program *program);
/* 0: the file says neither `launch` nor `run`, so that one thread of the kernel runs unless a shape is given.
 * A binary says it. */
HX_API int hx_program_has_launch(const hx_program *program);
/* Instructions of kernel `index`; 0 beyond the end. */
HX_API size_t hx_program_instruction_count(const hx_program *program, size_t kernel);

/* What a kernel takes and needs. */
typedef struct hx_kernel_info {
    size_t size;                /* sizeof (hx_kernel_info) */
    const char *name;           /* as its source has it, of any length; borrowed from the program */
    size_t parameter_count;     /* of an imported kernel; 0: the program's parameters are its own */
    uint64_t shared_bytes;      /* of its static arrays, in each block */
    uint64_t local_bytes;       /* of its arrays, in each thread */
    uint32_t required_block[3]; /* the only shape of a block that it runs in; 0: any */
} hx_kernel_info;
/* Fills in as much as ret_info->size says. HX_INVALID: there is no such kernel. */
HX_API HX_MUST_CHECK hx_status hx_program_kernel_info(const hx_program *program, size_t kernel,
                                                      hx_kernel_info *ret_info);
/* A parameter of an imported kernel. */
typedef struct hx_parameter {
    size_t size;           /* sizeof (hx_parameter) */
    const char *name;      /* as its compiler has it; borrowed from the program */
    uint64_t bytes, align; /* a pointer has 8 */
    uint64_t offset;       /* where it begins when all are laid out one behind the other, as C does */
    int is_pointer;        /* its compiler says so; 0: it may be one */
    int is_shared;         /* ... to shared memory */
} hx_parameter;
/* Fills in as much as ret_parameter->size says. HX_INVALID: there is no such parameter. */
HX_API HX_MUST_CHECK hx_status hx_program_parameter(const hx_program *program, size_t kernel, size_t index,
                                                    hx_parameter *ret_parameter);
/* Its buffers, in the order in which launches take them; of a module in PTX its variables. The name is
 * borrowed, and NULL beyond the end. */
HX_API size_t hx_program_buffer_count(const hx_program *program);
HX_API const char *hx_program_buffer_name(const hx_program *program, size_t index);
/* Its variables in constant memory, without those that hold parameters of kernels. Borrowed, and NULL beyond
 * the end. */
HX_API size_t hx_program_constant_count(const hx_program *program);
HX_API const char *hx_program_constant_name(const hx_program *program, size_t index);

/* Sets a scalar parameter from text ("4096", "2.5"), checked to fit its type; recomputes counts. HX_INVALID.
 */
HX_API HX_MUST_CHECK hx_status hx_program_set_param(hx_program *program, const char *name, const char *value,
                                                    hx_diag *diag);
/* Sets argument `index`, from 0, of a kernel that was imported (NULL: the first kernel) from the text of
 * --arg: a number; TYPE:COUNT or TYPE:COUNT:FILL, a new buffer that is named by the index; @FILE.npy, the
 * same with the file's elements; shared:BYTES, dynamic shared memory; image:TYPE:SIZES or
 * image:TYPE:SIZES:FILL, a texture, surface or image (docs/ptx.md). HX_INVALID, HX_IO, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_program_set_argument(hx_program *program, const char *kernel, size_t index,
                                                       const char *value, hx_diag *diag);
/* Sets a buffer's contents from the text of --buffer: zero, iota, random:seed=1:min=0:max=1, a number, @FILE
 * (relative to the working directory). HX_INVALID. */
HX_API HX_MUST_CHECK hx_status hx_program_set_fill(hx_program *program, const char *buffer, const char *fill,
                                                   hx_diag *diag);

/* Calls `visit` with the path of each file that a run of the program reads: what fills buffers and constants,
 * and what `expect` compares with. Paths are relative to the working directory, or absolute, and borrowed for
 * the call. Other than HX_OK ends it and is returned. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_program_files(const hx_program *program,
                                                hx_status (*visit)(void *user, const char *path), void *user);

/* The binary form (.hxb). *ret_bytes is given: free with hx_program_free_bytes. */
HX_API HX_MUST_CHECK hx_status hx_program_to_binary(const hx_program *program, hx_diag *diag,
                                                    void **ret_bytes, size_t *ret_size);
HX_API void hx_program_free_bytes(const hx_program *program, void *bytes);
/* Writes a YAML program that assembles to the same bytes. */
HX_API HX_MUST_CHECK hx_status hx_program_disassemble(const hx_program *program, hx_write_function write,
                                                      void *user);
/* The same with the lines of the source as comments, where it is known. */
HX_API HX_MUST_CHECK hx_status hx_program_disassemble_source(const hx_program *program,
                                                             hx_write_function write, void *user);
/* Writes a YAML document to be filled in, with `source:`, for a kernel of a program in PTX, OpenCL C or CUDA
 * C: its parameters with their types, buffers and a launch. HX_INVALID for other programs. */
HX_API HX_MUST_CHECK hx_status hx_program_template(const hx_program *program, size_t kernel,
                                                   hx_write_function write, void *user);

#ifdef __cplusplus
}
#endif
