/* What the files of this module share. */
#pragma once

#include "base/process.h"
#include "compiler/compiler.h"

/* A list of words, NULL behind the last. */
struct compiler_words {
    struct arena *arena;
    LIST(const char *) list;
    bool failed;
};
void compiler_word(struct compiler_words *words, const char *format, ...) HX_PRINTF(2, 3);
/* "-Xclang WORD", which clang's driver gives to its front end as it is */
void compiler_front_word(struct compiler_words *words, const char *word);
/* Cuts options into words: blanks separate, '...' and "..." keep them, a backslash takes the next character
 * as it is. HX_INVALID for a quote that is not closed, and for options that
 * write files or load code. */
HX_MUST_CHECK hx_status compiler_options_split(const struct compiler_job *job, hx_diag *diag,
                                               struct compiler_words *words);
/* Is the first of `count` words an option of nvcc? Adds the words of clang that it becomes, which may be
 * none, and returns how many it is; 0: it is none. */
size_t compiler_nvcc_option(const char *const *given, size_t count, struct compiler_words *words);
/* Takes the macros (-D, -U) and files (-include) out of the words from `first` on, and writes them as text
 * that does the same where it stands. Macros that the prelude may depend on stay. */
void compiler_options_take_macros(struct compiler_words *words, size_t first, enum compiler_language language,
                                  struct text *ret_text);
/* A line of what clang says. */
struct compiler_message {
    struct slice file, text;
    int line, column;       /* 0: it is about none */
    bool is_error, is_note; /* neither: a warning */
};
/* Takes lines of the text up to the next message; false: there is none. */
bool compiler_message_take(struct slice *text, struct compiler_message *ret_message);
/* The last line of what was said, where host code was left out, or would be; what it is is behind it. */
#define COMPILER_LEFT_OUT "left out: "
/* Reports what clang wrote on its standard error. Returns how many errors were among it. */
size_t compiler_messages_report(const struct compiler_job *job, struct slice text, hx_diag *diag);

/* One compilation. */
struct compiling {
    const struct compiler_job *job;
    const hx_allocator *allocator;
    hx_diag *diag;
    struct arena arena;
    struct compiler_tools tools;
    struct compiler_words words;
    struct text macros; /* of the options, as text */
    struct text input;  /* the prelude, functions in the place of libclc's, macros, the program */
    size_t prelude_bytes, functions_bytes; /* of the input: what is precompiled is not read */
    struct text prelude, functions;        /* precompiled: clang's header, and LLVM bitcode; or empty */
    bool is_precompiled;
    bool has_libclc;          /* it is linked to the program */
    struct text overlay;      /* the table of files */
    LIST(struct slice) files; /* that clang can open; the table is the first */
    bool has_too_many;        /* headers and objects */
    /* What host_code.c puts in the place of files: the program (`at` NULL: as it is), and others by path. */
    bool may_leave_out;
    uint64_t limit_ns; /* of clang's next run; 0: the usual one */
    struct slice program;
    LIST(struct compiler_part) replaced;
};

/* Is there such a part in the job's options? */
bool compiler_has_option(const struct compiling *compiling, const char *part);
/* The words that each call of clang begins with, and the text of macros. */
HX_MUST_CHECK hx_status compiler_add_words(struct compiling *compiling);

/* Folders of the table. */
#define HEADERS_AT   "/hexec/include"
#define GIVEN_AT     "/hexec/given" /* the job's headers */
#define OBJECTS_AT   "/hexec/objects"
#define LIBRARIES_AT "/hexec/libraries" /* headers of libraries that are not there */
/* Of a language's files in compiler_files. */
const char *compiler_folder(enum compiler_language language);
/* Write the input, and the table with its files: failures are in the texts. */
void compiler_input_write(struct compiling *compiling);
void compiler_input_write_table(struct compiling *compiling);
/* Both anew, with compiling->program and ->replaced. */
void compiler_input_rewrite(struct compiling *compiling);
/* A file that clang can open; the number under which. `bytes` is borrowed. */
size_t compiler_input_add_file(struct compiling *compiling, struct slice bytes);

/* Runs clang on `input` with the words and `last`, whose words are taken away again. */
HX_MUST_CHECK hx_status compiler_run_clang(struct compiling *compiling, struct slice input,
                                           const char *const *last, struct process_result *ret_result);
/* Which clang it is, and which libclc. */
void compiler_print_tools(const struct compiling *compiling, struct text *key);
/* Precompiles what stands before programs, or takes it from the cache, and says so in
 * compiling->is_precompiled. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status compiler_precompile(struct compiling *compiling);
/* What the preprocessor makes of the program, in result->output. */
HX_MUST_CHECK hx_status compiler_preprocess(struct compiling *compiling, struct process_result *ret_result);
/* Runs clang as compiler_run_clang does, on what is behind the precompiled prelude. */
HX_MUST_CHECK hx_status compiler_run_precompiled(struct compiling *compiling, struct slice input,
                                                 const char *const *last, struct process_result *ret_result);

/* Does a program, with the macros before it, name a function that libclc has? */
bool compiler_names_libclc(struct slice program);

/* Translates the program's LLVM assembly, with some lines rewritten: clang's back end alone, with the words
 * of `compiling` that it needs. */
HX_MUST_CHECK hx_status compiler_run_assembly(struct compiling *compiling, struct slice assembly,
                                              struct process_result *ret_result);
/* Take what a text begins with, or all up to `end`, and `end`. False: it is not there, and nothing is taken.
 */
bool compiler_take(struct slice *text, const char *begin);
bool compiler_take_to(struct slice *text, const char *end, struct slice *ret_part);
/* Up to the comma or parenthesis behind an argument, which may have lists and quoted names of its own:
 * "i8* align 16 bitcast (%struct.A* getelementptr inbounds ([4 x %struct.A], ...) to i8*)". Takes the comma;
 * false: there is none. */
bool compiler_take_argument(struct slice *text, struct slice *ret_argument);
/* Lines of the assembly; `number` makes names of their own. Writes what is in the place of a reinterpretation
 * that the back end lacks; false: the line is another one. Did it lack one? */
bool compiler_write_bitcast(struct slice line, unsigned number, struct text *to);
bool compiler_lacks_bitcast(const struct process_result *result);
/* Writes what comes before a copy of a structure: checks of its pointers. What these call is declared once.
 */
void compiler_write_copied(struct slice line, unsigned number, struct text *to);
extern const char compiler_copied_declaration[];
/* Does a program pass structures by value? Writes what comes behind the head of a function that takes some,
 * so that they are variables of its own. */
bool compiler_passes_structures(struct slice ptx);
void compiler_write_arguments(struct slice line, unsigned number, struct text *to);

/* Host code that was left out of a program; the texts are the caller's. */
struct left_out {
    bool is_done;         /* the rest compiles */
    struct text note;     /* what is out, or would be */
    struct text launches; /* those that are out */
    struct text errors;   /* of a rest that does not compile, as clang says them; empty: those of the whole */
};
void compiler_left_out_done(struct left_out *left_out);
/* Host code of a program in CUDA C that does not compile, by what clang `said` of it: takes it out, in the
 * texts of `compiling`, until the rest compiles. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status compiler_leave_out(struct compiling *compiling, struct slice said,
                                           struct left_out *ret_out);
/* Warns, behind what clang said, of those launches without which the code has no kernel of the name. */
void compiler_warn_of_launches(struct process_result *result, struct slice launches);

/* The cache's code by a key, and what clang said of it, which is reported; false: there is none. */
bool compiler_get_kept(const struct compiling *compiling, const char *kind, struct slice key,
                       struct text *ret_code);
void compiler_keep(const struct compiling *compiling, const char *kind, struct slice key, struct slice said,
                   const struct text *code);
/* The texts that compiler_leave_out made. False: there are none, or files have changed. */
bool compiler_get_rest(struct compiling *compiling, struct slice key);
void compiler_keep_rest(const struct compiling *compiling, struct slice key);

/* PTX of clang: what its back end gets wrong. */
void compiler_correct(struct text *code);

/* Files of src/compiler that clang reads, put into the library by the build. */
struct compiler_file {
    const char *name; /* "cuda/cuda_runtime.h" */
    const char *text;
    const size_t *bytes;
};
extern const struct compiler_file compiler_files[]; /* name NULL behind the last */
