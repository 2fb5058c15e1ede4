/* Programs by way of LLVM's assembly, where clang must not go on by itself from there to PTX.
 *
 * Takes the assembly that clang makes of a program, rewrites some of its lines, and has clang translate it.
 * Three kinds of lines become others: reinterpretations that the back end lacks (bitcasts.c), of programs
 * that are checked copies of whole structures (copied.c), and of those that are debugged heads of functions
 * that take structures (arguments.c). What was optimized already is only translated. */
#include "compiler/parts.h"

#include <string.h>

bool compiler_take(struct slice *text, const char *begin)
{
    const size_t length = strlen(begin);
    if (!slice_starts_with(*text, begin))
        return false;
    text->at += length;
    text->length -= length;
    return true;
}

bool compiler_take_to(struct slice *text, const char *end, struct slice *ret_part)
{
    const size_t length = strlen(end);
    const char *found = memmem(text->at, text->length, end, length);
    if (!found)
        return false;
    *ret_part = (struct slice){text->at, (size_t)(found - text->at)};
    text->length -= ret_part->length + length;
    text->at = found + length;
    return true;
}

/* "entry:": assembly has it where names are kept. */
static bool is_label(struct slice line)
{
    return line.length > 0 && line.at[0] != ' ' && memchr(line.at, ':', line.length);
}

static void rewrite(struct slice assembly, const struct compiler_job *job, struct text *to)
{
    unsigned number = 0;
    struct slice head = {0};
    for (const char *at = assembly.at, *end = at + assembly.length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const struct slice line = {at, (size_t)((newline ? newline : end) - at)};
        const bool is_first = head.length > 0 && !is_label(line);
        at += line.length + (newline != NULL);
        number++;
        if (is_first && job->for_debugging == 1)
            compiler_write_arguments(head, number, to);
        if (is_first)
            head.length = 0;
        if (slice_starts_with(line, "define "))
            head = line;
        if (compiler_write_bitcast(line, number, to))
            continue;
        if (job->check_indexes)
            compiler_write_copied(line, number, to);
        text_append(to, line.at, (size_t)(at - line.at));
    }
    if (job->check_indexes)
        text_print(to, "%s", compiler_copied_declaration);
}

/* --- running -------------------------------------------------------------------------------------------- */

/* What stands between quotes behind `key`. */
static struct slice quoted(struct slice text, const char *key)
{
    struct slice before, value = {0};
    return compiler_take_to(&text, key, &before) && compiler_take_to(&text, "\"", &value) ? value
                                                                                          : (struct slice){0};
}

/* The last word that begins so. */
static const char *last_word(const struct compiling *compiling, const char *begin)
{
    for (size_t i = compiling->words.list.count; i-- > 0;)
        if (strncmp(compiling->words.list.items[i], begin, strlen(begin)) == 0)
            return compiling->words.list.items[i];
    return NULL;
}

/* The assembly names the machine; the rest is what the program was compiled with. */
static void add_words(const struct compiling *compiling, struct slice assembly, struct compiler_words *words)
{
    static const char *const others[] = {"-fno-caret-diagnostics", "-fno-color-diagnostics",
                                         "-fno-crash-diagnostics", "-fmessage-length=0"};
    const struct slice triple = quoted(assembly, "target triple = \""),
                       machine = quoted(assembly, "\"target-cpu\"=\"");
    struct slice features = quoted(assembly, "\"target-features\"=\""), feature;
    compiler_word(words, "%s", compiling->tools.clang.at);
    compiler_word(words, "-xir");
    compiler_word(words, "-target");
    compiler_word(words, SLICE_FORMAT, SLICE_ARGS(triple));
    compiler_front_word(words, "-target-cpu");
    compiler_word(words, "-Xclang");
    compiler_word(words, SLICE_FORMAT, SLICE_ARGS(machine));
    while (features.length > 0) {
        const char *comma = memchr(features.at, ',', features.length);
        const size_t length = comma ? (size_t)(comma - features.at) : features.length;
        feature = (struct slice){features.at, length};
        features.at += length + (comma != NULL);
        features.length -= length + (comma != NULL);
        compiler_front_word(words, "-target-feature");
        compiler_word(words, "-Xclang");
        compiler_word(words, SLICE_FORMAT, SLICE_ARGS(feature));
    }
    for (size_t i = 0; i < HX_COUNT_OF(others); i++)
        compiler_word(words, "%s", others[i]);
    const char *const level = last_word(compiling, "-O"), *contract = last_word(compiling, "-ffp-contract=");
    if (!contract && compiling->job->language == COMPILER_CUDA) /* as clang does for CUDA C by itself */
        contract = "-ffp-contract=fast";
    if (level)
        compiler_word(words, "%s", level);
    if (contract)
        compiler_word(words, "%s", contract);
    compiler_front_word(words, "-disable-llvm-passes");
}

hx_status compiler_run_assembly(struct compiling *compiling, struct slice assembly,
                                struct process_result *ret_result)
{
    static const char *const last[] = {"-S", "-o-", "-", NULL};
    struct text text HX_AUTO(text_done) = {.allocator = compiling->allocator};
    struct compiling again = {.job = compiling->job,
                              .allocator = compiling->allocator,
                              .diag = compiling->diag,
                              .words.arena = &compiling->arena};
    rewrite(assembly, compiling->job, &text);
    add_words(compiling, assembly, &again.words);
    const hx_status status =
        text.failed ? HX_NO_MEMORY
                    : compiler_run_clang(&again, (struct slice){text.at, text.length}, last, ret_result);
    LIST_DONE(compiling->allocator, &again.words.list);
    return status;
}
