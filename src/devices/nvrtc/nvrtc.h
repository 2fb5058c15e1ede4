/* NVRTC, by which programs compile CUDA C while they run: types and numbers from its public documentation
 * (NVRTC, reference manual of CUDA 12). */
#pragma once

#include "hexec/hexec.h"

#include <stdbool.h>

#define NVRTC_EXPORTED __attribute__((visibility("default")))

/* The version that programs are given: of the headers that hexec has (CUDA_VERSION), beside which options of
 * later versions have no use. */
enum { NVRTC_MAJOR = 12, NVRTC_MINOR = 0 };

/* X(name, number) */
#define NVRTC_RESULTS(X)                                                                                     \
    X(NVRTC_SUCCESS, 0)                                                                                      \
    X(NVRTC_ERROR_OUT_OF_MEMORY, 1)                                                                          \
    X(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2)                                                               \
    X(NVRTC_ERROR_INVALID_INPUT, 3)                                                                          \
    X(NVRTC_ERROR_INVALID_PROGRAM, 4)                                                                        \
    X(NVRTC_ERROR_INVALID_OPTION, 5)                                                                         \
    X(NVRTC_ERROR_COMPILATION, 6)                                                                            \
    X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)                                                              \
    X(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8)                                                  \
    X(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9)                                                    \
    X(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10)                                                             \
    X(NVRTC_ERROR_INTERNAL_ERROR, 11)                                                                        \
    X(NVRTC_ERROR_TIME_FILE_WRITE_FAILED, 12)                                                                \
    X(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED, 13)                                                               \
    X(NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED, 14)                                                             \
    X(NVRTC_ERROR_PCH_CREATE, 15)                                                                            \
    X(NVRTC_ERROR_CANCELLED, 16)

#define NVRTC_ENUMERATOR(name, number) name = (number),
typedef enum nvrtcResult { NVRTC_RESULTS(NVRTC_ENUMERATOR) } nvrtcResult;

/* Text that grows; `failed` when memory was lacking, and then what is added is dropped. Zeros are an empty
 * one. `at` ends with a zero, and is NULL when nothing was added. */
struct growing {
    char *at;
    size_t length, room;
    bool failed;
};
void growing_add(struct growing *text, const char *bytes, size_t count);
void growing_add_text(struct growing *text, const char *string);
void growing_done(struct growing *text);

/* What options want. */
struct nvrtc_options {
    struct growing words; /* for clang, as hx_source_options has them */
    bool is_for_gpu;      /* -arch=sm_80, not compute_80: the program may want a binary */
    bool default_device;  /* functions without a space are of the device, too */
};
/* Reads the words of nvrtcCompileProgram, and says in `log` what is wrong: NVRTC_ERROR_INVALID_OPTION,
 * NVRTC_ERROR_OUT_OF_MEMORY. growing_done `words` in any case. */
nvrtcResult nvrtc_options_read(int count, const char *const *options, struct growing *log,
                               struct nvrtc_options *ret_options);

typedef struct _nvrtcProgram *nvrtcProgram;

NVRTC_EXPORTED const char *nvrtcGetErrorString(nvrtcResult result);
NVRTC_EXPORTED nvrtcResult nvrtcVersion(int *major, int *minor);
NVRTC_EXPORTED nvrtcResult nvrtcGetNumSupportedArchs(int *count);
NVRTC_EXPORTED nvrtcResult nvrtcGetSupportedArchs(int *architectures);
NVRTC_EXPORTED nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                                              int header_count, const char *const *headers,
                                              const char *const *header_names);
NVRTC_EXPORTED nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
NVRTC_EXPORTED nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
NVRTC_EXPORTED nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORTED nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
NVRTC_EXPORTED nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORTED nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
NVRTC_EXPORTED nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORTED nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *code);
NVRTC_EXPORTED nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORTED nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *code);
NVRTC_EXPORTED nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *),
                                                void *user);
NVRTC_EXPORTED nvrtcResult nvrtcGetPCHHeapSize(size_t *size);
NVRTC_EXPORTED nvrtcResult nvrtcSetPCHHeapSize(size_t size);
NVRTC_EXPORTED nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
NVRTC_EXPORTED nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *size);
NVRTC_EXPORTED nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORTED nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
NVRTC_EXPORTED nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
NVRTC_EXPORTED nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression,
                                               const char **lowered);
