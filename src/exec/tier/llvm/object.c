/* Machine code of a module, and its way into the process.
 *
 * Takes a module with a kernel's function and the rows' functions that it calls, leaves the address of the
 * function. The object file between them is what the store keeps from run to run. Its key is the module
 * before optimisation, with all that LLVM makes of it depends on: so nothing can be forgotten when code is
 * made in another way. Objects are linked by RuntimeDyld, which tells debuggers of them. */
#include "exec/tier/llvm/object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Object.h>
#include <llvm-c/OrcEE.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <unistd.h>

/* In this order: what is inlined comes apart into registers, masks and addresses become simple, what does not
 * change leaves the loops. LLVM's own lists take several times as long and make code no faster. */
#define PASSES                                                                                               \
    "always-inline,globaldce,function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"           \
    "loop-mssa(licm),early-cse,instcombine<no-verify-fixpoint>,simplifycfg)"

bool object_is_fine(LLVMErrorRef error, char *why)
{
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    snprintf(why, TIER_WHY_BYTES, "LLVM: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

/* ---- The linker ---------------------------------------------------------------------------------------- */

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

/* Each object is registered with debuggers: GDB's interface for just-in-time compilers. */
static LLVMOrcObjectLayerRef new_layer(void *user, LLVMOrcExecutionSessionRef session, const char *triple)
{
    (void)user;
    (void)triple;
    LLVMOrcObjectLayerRef layer = LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager(session);
    LLVMOrcRTDyldObjectLinkingLayerRegisterJITEventListener(layer, LLVMCreateGDBRegistrationListener());
    return layer;
}

bool object_open(struct object_linker *linker, char *why)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); /* of hide_masks */
    linker->machine = new_machine(why);
    LLVMTargetMachineRef own = linker->machine ? new_machine(why) : NULL;
    if (!own)
        return false;
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                  LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(own));
    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, new_layer, NULL);
    return object_is_fine(LLVMOrcCreateLLJIT(&linker->jit, builder), why);
}

void object_close(struct object_linker *linker)
{
    if (linker->jit)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(linker->jit));
    if (linker->machine)
        LLVMDisposeTargetMachine(linker->machine);
}

/* ---- Making -------------------------------------------------------------------------------------------- */

/* Where the bits of lanes become a mask. */
struct mask_maker {
    LLVMBuilderRef builder;
    LLVMTypeRef mask;
    const char *move; /* the instruction */
};

/* Is it such a place? */
static bool is_made_of_bits(LLVMValueRef value, struct mask_maker *maker)
{
    static const struct {
        unsigned lanes;
        const char *move;
    } moves[] = {{64, "kmovq $1, $0"}, {32, "kmovd $1, $0"}, {16, "kmovw $1, $0"}};
    if (!LLVMIsABitCastInst(value))
        return false;
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(value, 0));
    maker->mask = LLVMTypeOf(value);
    for (size_t i = 0; i < HX_COUNT_OF(moves) && LLVMGetTypeKind(from) == LLVMIntegerTypeKind; i++) {
        maker->move = moves[i].move;
        if (LLVMGetIntTypeWidth(from) == moves[i].lanes)
            return LLVMGetTypeKind(maker->mask) == LLVMVectorTypeKind &&
                   LLVMGetVectorSize(maker->mask) == moves[i].lanes;
    }
    return false;
}

static bool is_logic(LLVMValueRef value)
{
    const LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMBitCast;
    return opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor;
}

/* Bits that are those of a mask. */
static bool is_of_mask(const struct mask_maker *maker, LLVMValueRef bits)
{
    return LLVMIsABitCastInst(bits) && LLVMTypeOf(LLVMGetOperand(bits, 0)) == maker->mask;
}

#define LOGIC_DEPTH 8

/* Do they come from a mask, by logic alone? */
static bool comes_from_mask(const struct mask_maker *maker, LLVMValueRef bits, unsigned depth)
{
    return is_of_mask(maker, bits) || (depth < LOGIC_DEPTH && is_logic(bits) &&
                                       (comes_from_mask(maker, LLVMGetOperand(bits, 0), depth + 1) ||
                                        comes_from_mask(maker, LLVMGetOperand(bits, 1), depth + 1)));
}

/* The move, written down: LLVM does not know what it does. */
static LLVMValueRef moved(const struct mask_maker *maker, LLVMValueRef bits)
{
    LLVMTypeRef from = LLVMTypeOf(bits);
    if (LLVMGetIntTypeWidth(from) < 32) {
        from = LLVMInt32TypeInContext(LLVMGetTypeContext(from));
        bits = LLVMBuildZExt(maker->builder, bits, from, "");
    }
    LLVMTypeRef function = LLVMFunctionType(maker->mask, &from, 1, false);
    LLVMValueRef code = LLVMGetInlineAsm(function, maker->move, strlen(maker->move), "=k,r", 4, false, false,
                                         LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(maker->builder, function, code, &bits, 1, "");
}

/* The mask of bits: by logic of masks where they come from one. */
static LLVMValueRef mask_of(const struct mask_maker *maker, LLVMValueRef bits, unsigned depth)
{
    if (LLVMIsAConstant(bits))
        return LLVMConstBitCast(bits, maker->mask);
    if (is_of_mask(maker, bits))
        return LLVMGetOperand(bits, 0);
    if (!is_logic(bits) || !comes_from_mask(maker, bits, depth))
        return moved(maker, bits);
    LLVMValueRef a = mask_of(maker, LLVMGetOperand(bits, 0), depth + 1),
                 b = mask_of(maker, LLVMGetOperand(bits, 1), depth + 1);
    return LLVMBuildBinOp(maker->builder, LLVMGetInstructionOpcode(bits), a, b, "");
}

static bool has_mask_registers(LLVMValueRef function)
{
    static const char name[] = "target-features";
    unsigned length = 0;
    LLVMAttributeRef features = LLVMGetStringAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, sizeof name - 1);
    const char *text = features ? LLVMGetStringAttributeValue(features, &length) : NULL;
    return text && memmem(text, length, "+avx512bw", strlen("+avx512bw"));
}

static void hide_masks_in(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
    for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at; at = next) {
        struct mask_maker maker = {.builder = builder};
        next = LLVMGetNextInstruction(at);
        if (!is_made_of_bits(at, &maker))
            continue;
        LLVMPositionBuilderBefore(builder, at);
        LLVMReplaceAllUsesWith(at, mask_of(&maker, LLVMGetOperand(at, 0), 0));
        LLVMInstructionEraseFromParent(at);
    }
}

/* Where LLVM 19 sees that a mask is a number's bits, it makes combinations of masks of those of numbers and
 * the other way around, without an end (its issue 123333,
 * https://github.com/llvm/llvm-project/issues/123333). */
static void hide_masks(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = has_mask_registers(function) ? LLVMGetFirstBasicBlock(function) : NULL;
             block; block = LLVMGetNextBasicBlock(block))
            hide_masks_in(builder, block);
    LLVMDisposeBuilder(builder);
}

static bool optimise(struct object_linker *linker, LLVMModuleRef module, char *why)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    const bool good = object_is_fine(LLVMRunPasses(module, PASSES, linker->machine, options), why);
    LLVMDisposePassBuilderOptions(options);
    if (good)
        hide_masks(module);
    return good;
}

/* All that the object depends on. */
static void print_key(struct object_linker *linker, LLVMModuleRef module, struct text *key)
{
    unsigned version[3];
    char *cpu = LLVMGetTargetMachineCPU(linker->machine),
         *features = LLVMGetTargetMachineFeatureString(linker->machine);
    LLVMGetVersion(&version[0], &version[1], &version[2]);
    text_print(key, "LLVM %u.%u.%u %s %s\n" PASSES " hide_masks 3\n", version[0], version[1], version[2], cpu,
               features);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(module);
    text_append(key, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
    LLVMDisposeMemoryBuffer(bytes);
}

static bool compile(struct object_linker *linker, LLVMModuleRef module, LLVMCodeGenFileType type,
                    LLVMMemoryBufferRef *ret_bytes, char *why)
{
    char *text = NULL;
    if (!optimise(linker, module, why))
        return false;
    if (!LLVMTargetMachineEmitToMemoryBuffer(linker->machine, module, type, &text, ret_bytes))
        return true;
    snprintf(why, TIER_WHY_BYTES, "LLVM: %s", text);
    LLVMDisposeMessage(text);
    return false;
}

bool object_make(struct object_linker *linker, const struct tier_request *request, LLVMModuleRef module,
                 LLVMMemoryBufferRef *ret_object, char *why)
{
    HX_AUTO(text_done) struct text key = {.allocator = request->allocator};
    HX_AUTO(text_done) struct text kept = {.allocator = request->allocator};
    const struct tier_store *store = request->store;
    if (store) {
        print_key(linker, module, &key);
        if (!key.failed && store->get((struct slice){key.at, key.length}, &kept)) {
            *ret_object = LLVMCreateMemoryBufferWithMemoryRangeCopy(kept.at, kept.length, "kernel");
            return true;
        }
    }
    if (!compile(linker, module, LLVMObjectFile, ret_object, why))
        return false;
    if (store && !key.failed)
        store->put((struct slice){key.at, key.length},
                   (struct slice){LLVMGetBufferStart(*ret_object), LLVMGetBufferSize(*ret_object)},
                   request->allocator);
    return true;
}

/* ---- Loading ------------------------------------------------------------------------------------------- */

/* Names that rows call are those of this plugin and of the libraries that it is linked to. */
static bool find_libraries(struct object_linker *linker, LLVMOrcJITDylibRef library, char *why)
{
    Dl_info here;
    LLVMOrcDefinitionGeneratorRef generator;
    if (!dladdr((const void *)&object_open, &here)) {
        snprintf(why, TIER_WHY_BYTES, "the plugin's own file is not known");
        return false;
    }
    if (!object_is_fine(LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(
                            &generator, here.dli_fname, LLVMOrcLLJITGetGlobalPrefix(linker->jit), NULL, NULL),
                        why))
        return false;
    LLVMOrcJITDylibAddGenerator(library, generator);
    return true;
}

struct found {
    void *address;
    char *why;
};

static void take_address(LLVMErrorRef error, LLVMOrcCSymbolMapPairs pairs, size_t count, void *user)
{
    struct found *found = user;
    if (object_is_fine(error, found->why) && count == 1)
        found->address = (void *)(uintptr_t)pairs[0].Sym.Address;
}

/* perf reads the address, the size and the name of each function from this file. */
static void write_perf_map(LLVMMemoryBufferRef object, const char *symbol, const void *address)
{
    char path[64], *text = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMBinaryRef binary = LLVMCreateBinary(object, context, &text);
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    const int file = binary ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (file >= 0) {
        LLVMSymbolIteratorRef at = LLVMObjectFileCopySymbolIterator(binary);
        for (; !LLVMObjectFileIsSymbolIteratorAtEnd(binary, at); LLVMMoveToNextSymbol(at))
            if (strcmp(LLVMGetSymbolName(at), symbol) == 0)
                dprintf(file, "%llx %llx %s\n", (unsigned long long)(uintptr_t)address,
                        (unsigned long long)LLVMGetSymbolSize(at), symbol);
        LLVMDisposeSymbolIterator(at);
        close(file);
    }
    if (binary)
        LLVMDisposeBinary(binary);
    LLVMDisposeMessage(text);
    LLVMContextDispose(context);
}

static void *look_up(struct object_linker *linker, LLVMOrcJITDylibRef library, const char *symbol, char *why)
{
    LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(linker->jit);
    LLVMOrcCJITDylibSearchOrderElement order[] = {
        {library, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly}};
    LLVMOrcCLookupSetElement names[] = {
        {LLVMOrcExecutionSessionIntern(session, symbol), LLVMOrcSymbolLookupFlagsRequiredSymbol}};
    struct found found = {.why = why};
    /* done at once: the linker has no threads of its own */
    LLVMOrcExecutionSessionLookup(session, LLVMOrcLookupKindStatic, order, 1, names, 1, take_address, &found);
    LLVMOrcReleaseSymbolStringPoolEntry(names[0].Name);
    return found.address;
}

bool object_load(struct object_linker *linker, const struct tier_request *request, LLVMMemoryBufferRef object,
                 const char *symbol, LLVMOrcJITDylibRef *ret_library, void **ret_address, char *why)
{
    char name[64];
    snprintf(name, sizeof name, "kernel %llu", (unsigned long long)linker->libraries++);
    LLVMOrcJITDylibRef library =
        LLVMOrcExecutionSessionCreateBareJITDylib(LLVMOrcLLJITGetExecutionSession(linker->jit), name);
    LLVMMemoryBufferRef copy =
        request->for_tools ? LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(object),
                                                                       LLVMGetBufferSize(object), "kernel")
                           : NULL;
    if (find_libraries(linker, library, why)) {
        const bool added = object_is_fine(LLVMOrcLLJITAddObjectFile(linker->jit, library, object), why);
        *ret_address = added ? look_up(linker, library, symbol, why) : NULL;
    } else {
        LLVMDisposeMemoryBuffer(object);
    }
    *ret_library = library;
    if (copy && *ret_address)
        write_perf_map(copy, symbol, *ret_address);
    if (copy)
        LLVMDisposeMemoryBuffer(copy);
    return *ret_address != NULL;
}

void object_unload(LLVMOrcJITDylibRef library)
{
    if (library)
        LLVMConsumeError(LLVMOrcJITDylibClear(library));
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

bool object_print_ir(struct object_linker *linker, LLVMModuleRef module, struct text *ret_text, char *why)
{
    if (!optimise(linker, module, why))
        return false;
    char *text = LLVMPrintModuleToString(module);
    text_append(ret_text, text, strlen(text));
    LLVMDisposeMessage(text);
    return true;
}

bool object_print_assembly(struct object_linker *linker, LLVMModuleRef module, struct text *ret_text,
                           char *why)
{
    LLVMMemoryBufferRef bytes;
    LLVMSetTargetMachineAsmVerbosity(linker->machine, true);
    if (!compile(linker, module, LLVMAssemblyFile, &bytes, why))
        return false;
    text_append(ret_text, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
    LLVMDisposeMemoryBuffer(bytes);
    return true;
}
