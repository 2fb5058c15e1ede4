/* The words of a command line. */
#include "compiler/parts.h"

void compiler_word(struct compiler_words *words, const char *format, ...)
{
    struct text text HX_AUTO(text_done) = {.allocator = words->arena->allocator};
    va_list arguments;
    va_start(arguments, format);
    text_print_list(&text, format, arguments);
    va_end(arguments);
    const char *kept = text.failed ? NULL : arena_copy(words->arena, text.at ? text.at : "", text.length);
    if (!kept || !LIST_PUSH(words->arena->allocator, &words->list, kept))
        words->failed = true;
}

hx_status compiler_options_split(const struct compiler_job *job, hx_diag *diag, struct compiler_words *words)
{
    struct text word HX_AUTO(text_done) = {.allocator = words->arena->allocator};
    bool is_word = false;
    char quote = 0;
    for (const char *at = job->options ? job->options : ""; *at; at++) {
        if (*at == quote) {
            quote = 0;
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
            is_word = true;
        } else if (!quote && (text_is_blank(*at) || *at == '\n' || *at == '\r')) {
            if (is_word)
                compiler_word(words, "%s", word.at ? word.at : "");
            text_done(&word);
            word = (struct text){.allocator = words->arena->allocator};
            is_word = false;
        } else {
            at += *at == '\\' && at[1] && quote != '\'';
            text_append(&word, at, 1);
            is_word = true;
        }
    }
    if (quote)
        return diag_report(diag, DIAG_COMPILER_OPTIONS, job->options_place, "close it",
                           "a quote, %c, is not closed in the compiler's options", quote);
    if (is_word)
        compiler_word(words, "%s", word.at ? word.at : "");
    return words->failed || word.failed ? HX_NO_MEMORY : HX_OK;
}
