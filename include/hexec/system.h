/* What this library was built of, and the machine that it runs on: what `hexec doctor` tells. */
#pragma once

#include "hexec/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The compiler with its version ("gcc 12.2.0"), and the build type in small letters ("release"). Static. */
HX_API const char *hx_build_compiler(void);
HX_API const char *hx_build_type(void);
/* The CPU level at `index` that the library has handlers for ("plain", "x86-64-v3", ...), from the lowest to
 * the highest; NULL beyond the end. Static. */
HX_API const char *hx_build_cpu_level(size_t index);

/* A part that needs a library or header which may be missing where hexec is built. */
typedef struct hx_build_part {
    const char *name;    /* of the library: "protobuf-c" */
    const char *gives;   /* what hexec does with it */
    const char *package; /* of Debian, to build with */
    int is_built;        /* not 0: it is in this build */
} hx_build_part;
/* The part at `index`; NULL beyond the end. Static. */
HX_API const hx_build_part *hx_build_part_at(size_t index);

/* What tells one instruction set from another: the CRC-32 of its YAML file. Profiles and binaries name it. */
HX_API uint32_t hx_isa_hash(const hx_isa *isa);

/* The machine. Sizes in bytes; 0 where the system does not tell. */
typedef struct hx_machine {
    size_t size;           /* sizeof (hx_machine) */
    char cpu[64];          /* the CPU's own name; "unknown" */
    const char *cpu_level; /* the highest that it has, of those of hx_build_cpu_level; static */
    uint32_t cores;        /* that this process may run on */
    uint32_t cores_all;    /* that are there */
    uint64_t memory_bytes, page_bytes, cache_bytes[3];
    uint64_t huge_page_bytes;
    char huge_pages[16]; /* which memory gets transparent huge pages: "always", "madvise", "never"; "": not
                            known */
    /* The clock of tracing and profiles: the invariant time-stamp counter where there is one, calibrated
     * against CLOCK_MONOTONIC_RAW, else the monotonic clock with 1 ns a tick. */
    int timer_is_tsc;
    double timer_ns_per_tick;
    double timer_cost_ns; /* of one reading, measured now */
} hx_machine;
/* Takes about 5 ms, for the clock is calibrated. Fills in as much as ret_machine->size says. Any thread. */
HX_API void hx_machine_read(hx_machine *ret_machine);

/* What compiles kernels in OpenCL C and CUDA C on this machine; empty where nothing was found. */
typedef struct hx_compilers {
    size_t size;       /* sizeof (hx_compilers) */
    char clang[1024];  /* path of the program: that of HEXEC_CLANG, or the newest that fits libclc */
    char libclc[1024]; /* path of its functions for PTX, which OpenCL C needs; HEXEC_LIBCLC */
} hx_compilers;
/* Looks for them. Fills in as much as ret_compilers->size says. HX_INVALID for NULL, HX_NO_MEMORY. Any
 * thread. */
HX_API HX_MUST_CHECK hx_status hx_compilers_read(hx_compilers *ret_compilers);

#ifdef __cplusplus
}
#endif
