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

extern const char tier_rows_v3[], tier_rows_v4[];
extern const size_t tier_rows_v3_bytes, tier_rows_v4_bytes;

struct tier_engine {
    const hx_allocator *allocator;
    struct object_linker linker;
    pthread_mutex_t lock; /* of compiling */
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
    pthread_mutex_destroy(&engine->lock);
    memory_free(engine->allocator, engine);
}

static struct tier_engine *open_engine(const hx_allocator *allocator, char *why)
{
    struct tier_engine *engine = memory_allocate(allocator, 1, sizeof *engine);
    if (!engine) {
        snprintf(why, TIER_WHY_BYTES, "out of memory");
        return NULL;
    }
    engine->allocator = allocator;
    pthread_mutex_init(&engine->lock, NULL);
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
                              .has_scatter = request->cpu_level == CPU_LEVEL_V4,
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
    pthread_mutex_lock(&engine->lock);
    const bool good =
        graph_make(&graph, request, why) && compile_module(engine, &graph, request, compiled, why);
    pthread_mutex_unlock(&engine->lock);
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
    pthread_mutex_lock(&engine->lock);
    const bool good =
        graph_make(&graph, request, why) && list_module(engine, &graph, request, what, ret_text, why);
    pthread_mutex_unlock(&engine->lock);
    return good;
}

__attribute__((visibility("default"))) extern const struct tier_functions TIER_SYMBOL;
const struct tier_functions TIER_SYMBOL = {.version = TIER_VERSION,
                                           .open = open_engine,
                                           .close = close_engine,
                                           .compile = compile,
                                           .discard = discard,
                                           .list = list};
