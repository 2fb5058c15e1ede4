/* The plugin: kernels to machine code, by LLVM.
 *
 * Takes a bound kernel, leaves a function. For each kernel: a module with the function (emit.c) and the row
 * functions that it calls, linked from bitcode; a short list of passes; machine code by ORC. The functions
 * that rows call (SLEEF, libm) are looked up in this plugin and what it is linked to. */
#include "exec/tier/llvm/emit.h"

#include "base/machine.h"

#include <dlfcn.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdio.h>

/* In this order: what is inlined comes apart into registers, masks and addresses become simple, what does not
 * change leaves the loops. LLVM's own lists take several times as long and make code no faster. */
#define PASSES                                                                                               \
    "always-inline,globaldce,function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"           \
    "loop-mssa(licm),early-cse,instcombine<no-verify-fixpoint>,simplifycfg)"

extern const char tier_rows_v3[], tier_rows_v4[];
extern const size_t tier_rows_v3_bytes, tier_rows_v4_bytes;

struct tier_engine {
    const hx_allocator *allocator;
    LLVMOrcLLJITRef jit;
    LLVMTargetMachineRef machine;
    pthread_mutex_t lock; /* of compiling */
    uint64_t made;        /* kernels so far: each has a library of its own */
};

/* A compiled kernel, and what it lives in. */
struct compiled {
    struct tier_kernel kernel; /* first */
    struct arena arena;
    LLVMOrcResourceTrackerRef tracker;
};

/* ---- The engine ---------------------------------------------------------------------------------------- */

/* True when there is none; else its text goes to `why`. */
static bool is_fine(LLVMErrorRef error, char *why)
{
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    snprintf(why, TIER_WHY_BYTES, "LLVM: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

static LLVMTargetMachineRef new_machine(char *why)
{
    char *triple = LLVMGetDefaultTargetTriple(), *text = NULL;
    LLVMTargetRef target;
    LLVMTargetMachineRef machine = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &text)) {
        snprintf(why, TIER_WHY_BYTES, "LLVM: %s", text);
        LLVMDisposeMessage(text);
    } else {
        char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
        machine = LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelLess, LLVMRelocPIC,
                                          LLVMCodeModelJITDefault);
        LLVMDisposeMessage(cpu);
        LLVMDisposeMessage(features);
    }
    LLVMDisposeMessage(triple);
    return machine;
}

/* Names that rows call are those of this plugin and of the libraries that it is linked to. */
static bool find_libraries(LLVMOrcLLJITRef jit, char *why)
{
    Dl_info here;
    LLVMOrcDefinitionGeneratorRef generator;
    if (!dladdr((const void *)&tier_rows_v3_bytes, &here)) {
        snprintf(why, TIER_WHY_BYTES, "the plugin's own file is not known");
        return false;
    }
    if (!is_fine(LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(
                     &generator, here.dli_fname, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL),
                 why))
        return false;
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), generator);
    return true;
}

static void close_engine(struct tier_engine *engine)
{
    if (!engine)
        return;
    if (engine->jit)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(engine->jit));
    if (engine->machine)
        LLVMDisposeTargetMachine(engine->machine);
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
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    engine->machine = new_machine(why);
    LLVMTargetMachineRef own = engine->machine ? new_machine(why) : NULL;
    bool good = own != NULL;
    if (good) {
        LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
        LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
            builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(own));
        good = is_fine(LLVMOrcCreateLLJIT(&engine->jit, builder), why);
    }
    if (good && find_libraries(engine->jit, why))
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

static bool optimise(struct tier_engine *engine, LLVMModuleRef module, char *why)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    const bool good = is_fine(LLVMRunPasses(module, PASSES, engine->machine, options), why);
    LLVMDisposePassBuilderOptions(options);
    return good;
}

/* Makes the module's machine code, in a library of its own. `module` and `context` are taken. */
static bool make_code(struct tier_engine *engine, LLVMModuleRef module, LLVMOrcThreadSafeContextRef context,
                      struct compiled *compiled, char *why)
{
    char name[64];
    LLVMOrcJITTargetAddress address = 0;
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(engine->jit);
    snprintf(name, sizeof name, "hexec_kernel_%llu", (unsigned long long)engine->made++);
    LLVMSetValueName2(LLVMGetNamedFunction(module, "kernel"), name, strlen(name));
    compiled->tracker = LLVMOrcJITDylibCreateResourceTracker(library);
    const bool good =
        is_fine(LLVMOrcLLJITAddLLVMIRModuleWithRT(engine->jit, compiled->tracker,
                                                  LLVMOrcCreateNewThreadSafeModule(module, context)),
                why) &&
        is_fine(LLVMOrcLLJITLookup(engine->jit, &address, name), why);
    compiled->kernel.run = (tier_code)(uintptr_t)address;
    return good;
}

static bool compile_module(struct tier_engine *engine, const struct graph *graph,
                           const struct tier_request *request, struct compiled *compiled, char *why)
{
    LLVMOrcThreadSafeContextRef shared = LLVMOrcCreateNewThreadSafeContext();
    LLVMContextRef context = LLVMOrcThreadSafeContextGetContext(shared);
    struct emitter emitter = {.graph = graph,
                              .counts = request->counts,
                              .has_scatter = request->cpu_level == CPU_LEVEL_V4,
                              .context = context,
                              .module = LLVMModuleCreateWithNameInContext("kernel", context)};
    bool good = emit_kernel(&emitter);
    if (!good)
        snprintf(why, TIER_WHY_BYTES, "no code could be made of it");
    good = good && link_rows(context, emitter.module, emitter.function, request->cpu_level, why) &&
           optimise(engine, emitter.module, why);
    if (good)
        good = make_code(engine, emitter.module, shared, compiled, why);
    else
        LLVMDisposeModule(emitter.module);
    LLVMOrcDisposeThreadSafeContext(shared);
    return good;
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static void discard(struct tier_engine *engine, struct tier_kernel *kernel)
{
    struct compiled *compiled = (struct compiled *)kernel;
    if (!compiled)
        return;
    if (compiled->tracker) {
        LLVMConsumeError(LLVMOrcResourceTrackerRemove(compiled->tracker));
        LLVMOrcReleaseResourceTracker(compiled->tracker);
    }
    arena_done(&compiled->arena);
    memory_free(engine->allocator, compiled);
}

static struct tier_kernel *compile(struct tier_engine *engine, const struct tier_request *request, char *why)
{
    if (request->cpu_level < CPU_LEVEL_V3) {
        snprintf(why, TIER_WHY_BYTES, "compiled code needs a CPU of level x86-64-v3 (AVX2)");
        return NULL;
    }
    struct compiled *compiled = memory_allocate(engine->allocator, 1, sizeof *compiled);
    snprintf(why, TIER_WHY_BYTES, "out of memory");
    if (!compiled)
        return NULL;
    arena_init(&compiled->arena, engine->allocator);
    struct graph graph = {.bound = request->bound, .made = &compiled->kernel, .arena = &compiled->arena};
    pthread_mutex_lock(&engine->lock);
    const bool good = graph_make(&graph, why) && compile_module(engine, &graph, request, compiled, why);
    pthread_mutex_unlock(&engine->lock);
    if (good)
        return &compiled->kernel;
    discard(engine, &compiled->kernel);
    return NULL;
}

__attribute__((visibility("default"))) extern const struct tier_functions TIER_SYMBOL;
const struct tier_functions TIER_SYMBOL = {.version = TIER_VERSION,
                                           .open = open_engine,
                                           .close = close_engine,
                                           .compile = compile,
                                           .discard = discard};
