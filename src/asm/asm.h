/* The forms of a program: assembly language, YAML document, binary. */
#pragma once

#include "compiler/compiler.h"
#include "program/parts.h"

/* Assembles the text of `code` into the kernel; `lines`, unless NULL, says where its instructions are from.
 */
HX_MUST_CHECK hx_status assemble_kernel(hx_program *program, struct kernel *kernel,
                                        const struct yaml_node *code, const struct yaml_node *lines,
                                        hx_diag *diag);
/* An instruction as the assembler reads it, without guard-free blanks or line end. */
void disassemble_instruction(const hx_program *program, const struct kernel *kernel,
                             const struct instruction *instruction, struct text *text);

/* Makes what imported kernels are as hexec's instructions the source whose lines are shown of them.
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status disassemble_as_source(hx_program *program);

/* A copy of a YAML source in which every code block says how far it is indented. */
HX_MUST_CHECK hx_status code_blocks_indent(const struct source *source, struct text *ret_text);
/* Loads the YAML form, the binary form: program->source is there, the rest is filled in. HX_INVALID,
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status document_load(hx_program *program, const hx_source_options *options, hx_diag *diag);
HX_MUST_CHECK hx_status binary_load(hx_program *program, hx_diag *diag);
/* Compiles a text; *ret_ptx lives in the arena, and is called as the text with ".ptx" behind it. HX_INVALID,
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status document_compile_source(const struct compiler_job *job, struct arena *arena,
                                                hx_diag *diag, const struct source **ret_ptx);
/* COMPILER_NONE: assembly, the language of documents. */
enum program_language document_language(enum compiler_language language);
/* hx_source_options.check_indexes and for_debugging, of callers that know it; options may be NULL. */
bool document_checks_indexes(const hx_source_options *options);
int document_for_debugging(const hx_source_options *options);
bool binary_is(const void *bytes, size_t size);
/* An instruction's mnemonic with its modifiers and types: "fma.ftz.f32". */
void disassemble_form(const struct instruction *instruction, struct text *text);
/* The table that says what the YAML of a program may have. */
const cyaml_schema_value_t *document_schema(void);
