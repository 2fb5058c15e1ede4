/* The plugin: kernels to machine code, by LLVM.
 *
 * Takes a bound kernel, leaves a function. For each kernel: a module with the function (emit.c) and the row
 * functions that it calls, linked from bitcode; then machine code (object.c), or a text for people. */
#include "exec/tier/llvm/lines.h"
#include "exec/tier/llvm/object.h"

#include "base/machine.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern const char tier_rows_v3[], tier_rows_v4[];
extern const size_t tier_rows_v3_bytes, tier_rows_v4_bytes;

struct tier_engine {
    const hx_allocator *allocator;
    struct object_linker linker;
};

/* A compiled kernel, and what it lives in. */
struct compiled {
    struct tier_kernel kernel; /* first */
    struct arena arena;
    LLVMOrcJITDylibRef library;
};

/* ---- The engine ---------------------------------------------------------------------------------------- */

static void close_engine(struct tier_engine *engine)
{
    if (!engine)
        return;
    object_close(&engine->linker);
    memory_free(engine->allocator, engine);
}

/* LLVM is used by one thread at a time: held while a kernel is compiled. */
static pthread_mutex_t at_work = PTHREAD_MUTEX_INITIALIZER;
static bool is_ending; /* the process; guarded by at_work */

/* A thread may compile while another one ends the process; LLVM's own data are freed then. This comes before,
 * waits for that thread, and lets no other begin. In a child process the thread may not exist any more. */
#define WAIT_SECONDS 10
static void stop_work(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_SECONDS;
    if (pthread_mutex_timedlock(&at_work, &until) != 0)
        return;
    is_ending = true;
    pthread_mutex_unlock(&at_work);
}

static bool begin_work(char *why)
{
    pthread_mutex_lock(&at_work);
    if (is_ending)
        snprintf(why, TIER_WHY_BYTES, "the process ends");
    return !is_ending;
}

static void end_work(void)
{
    pthread_mutex_unlock(&at_work);
}

static void stop_work_at_exit(void)
{
    (void)atexit(stop_work);
}

static struct tier_engine *open_engine(const hx_allocator *allocator, char *why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, stop_work_at_exit);
    struct tier_engine *engine = memory_allocate(allocator, 1, sizeof *engine);
    if (!engine) {
        snprintf(why, TIER_WHY_BYTES, "out of memory");
        return NULL;
    }
    engine->allocator = allocator;
    if (object_open(&engine->linker, why))
        return engine;
    close_engine(engine);
    return NULL;
}

/* ---- A module ------------------------------------------------------------------------------------------ */

/* The functions of rows.c that `module` calls, and the CPU that they are made for. */
static bool link_rows(LLVMContextRef context, LLVMModuleRef module, LLVMValueRef kernel, int cpu_level,
                      char *why)
{
    const bool is_v4 = cpu_level == CPU_LEVEL_V4;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
        is_v4 ? tier_rows_v4 : tier_rows_v3, is_v4 ? tier_rows_v4_bytes : tier_rows_v3_bytes, "rows", false);
    LLVMModuleRef rows;
    if (LLVMGetBitcodeModuleInContext2(context, buffer, &rows)) {
        snprintf(why, TIER_WHY_BYTES, "the bitcode of rows cannot be read");
        return false;
    }
    LLVMSetDataLayout(module, LLVMGetDataLayoutStr(rows));
    LLVMSetTarget(module, LLVMGetTarget(rows));
    /* the linker takes of such functions those that are called */
    LLVMValueRef first = LLVMGetFirstFunction(rows);
    for (LLVMValueRef f = first; f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    static const char *const names[] = {"target-cpu", "target-features", "prefer-vector-width"};
    for (size_t i = 0; i < HX_COUNT_OF(names); i++) {
        LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(first, LLVMAttributeFunctionIndex,
                                                                   names[i], (unsigned)strlen(names[i]));
        if (attribute)
            LLVMAddAttributeAtIndex(kernel, LLVMAttributeFunctionIndex, attribute);
    }
    if (LLVMLinkModules2(module, rows)) {
        snprintf(why, TIER_WHY_BYTES, "the rows' functions cannot be linked");
        return false;
    }
    /* each is inlined: nothing of it need be kept */
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (f != kernel && !LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    return true;
}

/* What perf and debuggers show. */
#define SYMBOL_BYTES 128
static void name_symbol(const struct tier_request *request, char *symbol)
{
    snprintf(symbol, SYMBOL_BYTES, "hexec_%s", request->bound->lowered->kernel->name);
}

/* AMD's processors follow several streams of accesses by themselves: EPYC of family 25 loses 10 to 25 %
 * with prefetches beside them (docs/performance.md). Others have not been measured without. */
static bool gains_by_fetching(void)
{
    __builtin_cpu_init();
    return !__builtin_cpu_is("amd");
}

/* The kernel's function and the rows' functions that it calls; the caller gets *ret_module. */
static bool make_module(const struct graph *graph, const struct tier_request *request, bool has_lines,
                        LLVMContextRef context, LLVMModuleRef *ret_module, char *why)
{
    char symbol[SYMBOL_BYTES];
    struct lines lines;
    name_symbol(request, symbol);
    struct emitter emitter = {.graph = graph,
                              .symbol = symbol,
                              .lines = has_lines ? &lines : NULL,
                              .counts = request->counts,
                              .samples = request->samples,
                              .warp_lanes = request->warp_lanes,
                              .has_scatter = request->cpu_level == CPU_LEVEL_V4,
                              .fetches_straight = gains_by_fetching(),
                              .context = context,
                              .module = LLVMModuleCreateWithNameInContext("kernel", context)};
    const bool good = emit_kernel(&emitter);
    if (!good)
        snprintf(why, TIER_WHY_BYTES, "no code could be made of it");
    *ret_module = emitter.module;
    if (good && link_rows(context, emitter.module, emitter.function, request->cpu_level, why))
        return true;
    LLVMDisposeModule(emitter.module);
    return false;
}

static bool try_module(struct tier_engine *engine, const struct graph *graph,
                       const struct tier_request *request, struct compiled *compiled, char *why)
{
    char symbol[SYMBOL_BYTES];
    void *address = NULL;
    LLVMModuleRef module;
    LLVMMemoryBufferRef object = NULL;
    LLVMContextRef context = LLVMContextCreate();
    name_symbol(request, symbol);
    bool good = make_module(graph, request, request->for_tools, context, &module, why);
    if (good) {
        good = object_make(&engine->linker, request, module, &object, why);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    good = good && object_load(&engine->linker, request, object, symbol, &compiled->library, &address, why);
    compiled->kernel.run = (tier_code)(uintptr_t)address;
    return good;
}

/* Code of an earlier run that is damaged is made anew. */
static bool compile_module(struct tier_engine *engine, const struct graph *graph,
                           const struct tier_request *request, struct compiled *compiled, char *why)
{
    struct tier_request fresh = *request;
    fresh.store = NULL;
    if (try_module(engine, graph, request, compiled, why))
        return true;
    if (!request->store)
        return false;
    object_unload(compiled->library);
    compiled->library = NULL;
    return try_module(engine, graph, &fresh, compiled, why);
}

static bool list_module(struct tier_engine *engine, const struct graph *graph,
                        const struct tier_request *request, enum tier_listing what, struct text *ret_text,
                        char *why)
{
    LLVMModuleRef module;
    LLVMContextRef context = LLVMContextCreate();
    const bool is_assembly = what == TIER_LISTING_ASSEMBLY;
    bool good = make_module(graph, request, is_assembly, context, &module, why);
    if (good) {
        good = is_assembly ? object_print_assembly(&engine->linker, module, ret_text, why)
                           : object_print_ir(&engine->linker, module, ret_text, why);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return good;
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static void discard(struct tier_engine *engine, struct tier_kernel *kernel)
{
    struct compiled *compiled = (struct compiled *)kernel;
    if (!compiled)
        return;
    object_unload(compiled->library);
    arena_done(&compiled->arena);
    memory_free(engine->allocator, compiled);
}

static bool can_compile(const struct tier_request *request, char *why)
{
    if (request->cpu_level < CPU_LEVEL_V3)
        snprintf(why, TIER_WHY_BYTES, "compiled code needs a CPU of level x86-64-v3 (AVX2)");
    else
        snprintf(why, TIER_WHY_BYTES, "out of memory");
    return request->cpu_level >= CPU_LEVEL_V3;
}

static struct tier_kernel *compile(struct tier_engine *engine, const struct tier_request *request, char *why)
{
    if (!can_compile(request, why))
        return NULL;
    struct compiled *compiled = memory_allocate(engine->allocator, 1, sizeof *compiled);
    if (!compiled)
        return NULL;
    arena_init(&compiled->arena, engine->allocator);
    struct graph graph = {.made = &compiled->kernel, .arena = &compiled->arena};
    const bool good = begin_work(why) && graph_make(&graph, request, why) &&
                      compile_module(engine, &graph, request, compiled, why);
    end_work();
    if (good)
        return &compiled->kernel;
    discard(engine, &compiled->kernel);
    return NULL;
}

static bool list(struct tier_engine *engine, const struct tier_request *request, enum tier_listing what,
                 struct text *ret_text, char *why)
{
    if (!can_compile(request, why))
        return false;
    struct tier_kernel kernel = {0};
    HX_AUTO(arena_done) struct arena arena = {.allocator = engine->allocator};
    struct graph graph = {.made = &kernel, .arena = &arena};
    const bool good = begin_work(why) && graph_make(&graph, request, why) &&
                      list_module(engine, &graph, request, what, ret_text, why);
    end_work();
    return good;
}

__attribute__((visibility("default"))) extern const struct tier_functions TIER_SYMBOL;
const struct tier_functions TIER_SYMBOL = {.version = TIER_VERSION,
                                           .open = open_engine,
                                           .close = close_engine,
                                           .compile = compile,
                                           .discard = discard,
                                           .list = list};
