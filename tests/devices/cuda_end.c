/* usage: cuda_end HOW
 *
 * opencl_end.c for the CUDA driver API. */
#include "ends.h"

#include <dlfcn.h>
#include <stdint.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                          \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry count(.param .u64 x) {\n"
    "    .reg .u64 %a<3>; .reg .u32 %r<2>;\n"
    "    ld.param.u64 %a0, [x]; mov.u32 %r0, %tid.x; mul.wide.u32 %a1, %r0, 4; add.u64 %a2, %a0, %a1;\n"
    "    ld.global.u32 %r1, [%a2]; add.u32 %r1, %r1, 1; st.global.u32 [%a2], %r1; ret;\n"
    "}\n"
    ".visible .entry wrong(.param .u64 x) {\n"
    "    .reg .u64 %a<1>;\n"
    "    ld.param.u64 %a0, [x]; st.global.u32 [%a0+256], 1; ret;\n"
    "}\n";

static struct cuda {
    int (*cuInit)(unsigned), (*cuCtxSynchronize)(void);
    int (*cuDevicePrimaryCtxRetain)(void **, int), (*cuCtxSetCurrent)(void *);
    int (*cuModuleLoadData)(void **, const void *), (*cuModuleGetFunction)(void **, void *, const char *);
    int (*cuMemAlloc_v2)(uint64_t *, size_t), (*cuMemsetD32_v2)(uint64_t, unsigned, size_t);
    int (*cuMemcpyDtoH_v2)(void *, uint64_t, size_t);
    int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          void *, void **, void **);
    int (*cuLaunchHostFunc)(void *, void (*)(void *), void *);
} cuda;

static void load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(library);
#define LOAD(name) CHECK((*(void **)&cuda.name = dlsym(library, #name)) != NULL)
    LOAD(cuInit);
    LOAD(cuCtxSynchronize);
    LOAD(cuDevicePrimaryCtxRetain);
    LOAD(cuCtxSetCurrent);
    LOAD(cuModuleLoadData);
    LOAD(cuModuleGetFunction);
    LOAD(cuMemAlloc_v2);
    LOAD(cuMemsetD32_v2);
    LOAD(cuMemcpyDtoH_v2);
    LOAD(cuLaunchKernel);
    LOAD(cuLaunchHostFunc);
}

static void launch(void *module, const char *name, uint64_t x)
{
    void *function = NULL, *arguments[] = {&x};
    CHECK(cuda.cuModuleGetFunction(&function, module, name) == 0);
    CHECK(cuda.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL) == 0);
}

static void leave(void *user)
{
    (void)user;
    exit(6);
}

/* CUDA_ERROR_NOT_INITIALIZED, as in a child that was forked from a program with a GPU. */
static void use_in_child(uint64_t x)
{
    int value;
    CHECK(cuda.cuCtxSynchronize() == 3);
    CHECK(cuda.cuMemcpyDtoH_v2(&value, x, sizeof value) == 3);
    CHECK(cuda.cuInit(0) == 3);
    exit(9);
}

int main(int count, char **words)
{
    void *context = NULL, *module = NULL;
    uint64_t x = 0;
    CHECK(count == 2);
    load();
    CHECK(cuda.cuInit(0) == 0 && cuda.cuDevicePrimaryCtxRetain(&context, 0) == 0);
    CHECK(cuda.cuCtxSetCurrent(context) == 0 && cuda.cuModuleLoadData(&module, ptx) == 0);
    CHECK(cuda.cuMemAlloc_v2(&x, 256) == 0 && cuda.cuMemsetD32_v2(x, 0, 64) == 0);
    for (int i = 0; i < 3; i++)
        launch(module, "count", x);
    CHECK(cuda.cuCtxSynchronize() == 0);
    if (strcmp(words[1], "callback") == 0) {
        launch(module, "count", x);
        CHECK(cuda.cuLaunchHostFunc(NULL, leave, NULL) == 0);
        for (;;)
            pause();
    }
    if (strcmp(words[1], "wrong") == 0) {
        launch(module, "wrong", x);
        CHECK(cuda.cuCtxSynchronize() == 0);
        end_by("kill");
    }
    if (strcmp(words[1], "fork") == 0) {
        const pid_t child = fork();
        if (child == 0)
            use_in_child(x);
        CHECK(end_of_child(child) == 9);
        launch(module, "count", x);
        CHECK(cuda.cuCtxSynchronize() == 0);
        return 0;
    }
    if (strcmp(words[1], "unwritten") == 0) {
        int values[64];
        CHECK(cuda.cuMemAlloc_v2(&x, sizeof values) == 0);
        launch(module, "count", x);
        CHECK(cuda.cuMemcpyDtoH_v2(values, x, sizeof values) == 0);
        return 0;
    }
    end_by(words[1]);
}
