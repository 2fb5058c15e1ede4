/* Line tables.
 *
 * Takes the places of a kernel's instructions, leaves DWARF in the module: one function, with a scope for
 * each file that its instructions come from. */
#include "exec/tier/llvm/lines.h"

#include "base/diag.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static LLVMMetadataRef file_of(const struct lines *lines, const struct source *source)
{
    char whole[PATH_MAX];
    const char *path = source && source->name ? source->name : "";
    if (!realpath(path, whole))
        snprintf(whole, sizeof whole, "%s", path);
    const char *slash = strrchr(whole, '/');
    const char *name = slash ? slash + 1 : whole;
    const size_t folder = slash ? (size_t)(slash - whole) : 0;
    return LLVMDIBuilderCreateFile(lines->builder, name, strlen(name), whole, folder);
}

static void set_place(struct lines *lines, struct emitter *emitter, struct place place)
{
    const unsigned line = place.line > 0 ? (unsigned)place.line : 0;
    const unsigned column = place.column > 0 ? (unsigned)place.column : 0;
    if (place.source && place.source != lines->source) {
        lines->source = place.source;
        lines->scope = LLVMDIBuilderCreateLexicalBlockFile(lines->builder, lines->function,
                                                           file_of(lines, place.source), 0);
    }
    LLVMSetCurrentDebugLocation2(emitter->builder, LLVMDIBuilderCreateDebugLocation(
                                                       emitter->context, line, column, lines->scope, NULL));
}

static void add_flag(struct emitter *emitter, const char *name, uint32_t value)
{
    LLVMAddModuleFlag(emitter->module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(emit_i32(emitter, value)));
}

void lines_begin(struct lines *lines, struct emitter *emitter, const char *symbol)
{
    static const char producer[] = "hexec";
    const struct kernel *kernel = emitter->graph->bound->lowered->kernel;
    add_flag(emitter, "Debug Info Version", LLVMDebugMetadataVersion());
    add_flag(emitter, "Dwarf Version", 4);
    *lines = (struct lines){.builder = LLVMCreateDIBuilder(emitter->module), .source = kernel->place.source};
    LLVMMetadataRef file = file_of(lines, lines->source);
    LLVMDIBuilderCreateCompileUnit(lines->builder, LLVMDWARFSourceLanguageC, file, producer,
                                   sizeof producer - 1, true, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0,
                                   false, false, "", 0, "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(lines->builder, file, NULL, 0, LLVMDIFlagZero);
    const unsigned line = kernel->place.line > 0 ? (unsigned)kernel->place.line : 0;
    lines->function = LLVMDIBuilderCreateFunction(lines->builder, file, kernel->name, strlen(kernel->name),
                                                  symbol, strlen(symbol), file, line, type, false, true, line,
                                                  LLVMDIFlagZero, true);
    lines->scope = lines->function;
    LLVMSetSubprogram(emitter->function, lines->function);
    set_place(lines, emitter, kernel->place);
}

void lines_at(struct lines *lines, struct emitter *emitter, uint32_t op)
{
    const struct bound_kernel *bound = emitter->graph->bound;
    const struct kernel *kernel = bound->lowered->kernel;
    if (bound->ops[op].instruction < kernel->code_count)
        set_place(lines, emitter, kernel->lines[bound->ops[op].instruction].place);
}

void lines_end(struct lines *lines)
{
    LLVMDIBuilderFinalize(lines->builder);
    LLVMDisposeDIBuilder(lines->builder);
}
