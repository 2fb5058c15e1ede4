/* What words of other debuggers mean here: gdb's, cuda-gdb's and lldb's.
 *
 * Takes a line, leaves the command that it stands for, or a hint where there is none. Words that a command
 * has are the command's; only what is left is looked for here. */
#include "debug/table.h"
#include "program/parts.h"

struct debug_term {
    const char *words, *means;
};

/* Lines that begin with these words stand for commands that begin with those. */
static const struct debug_term synonyms[] = {
    {"all-registers", "info registers"},
    {"awatch -l", "awatch"},
    {"awatch -location", "awatch"},
    {"backtrace", "where"},
    {"breakpoint delete", "delete"},
    {"breakpoint disable", "disable"},
    {"breakpoint enable", "enable"},
    {"breakpoint list", "info breakpoints"},
    {"delete breakpoints", "delete"},
    {"delete display", "undisplay"},
    {"expr", "print"},
    {"expression", "print"},
    {"frame info", "info frame"},
    {"frame select", "frame"},
    {"frame variable", "info locals"},
    {"hbreak", "break"},
    {"info all-registers", "info registers"},
    {"info cuda barriers", "info barriers"},
    {"info cuda blocks", "info blocks"},
    {"info cuda kernels", "info launch"},
    {"info cuda lanes", "info paths"},
    {"info cuda threads", "info threads"},
    {"info cuda warps", "info warps"},
    {"info kernels", "info launch"},
    {"info lanes", "info paths"},
    {"info stack", "where"},
    {"info watchpoints", "info breakpoints"},
    {"inspect", "print"},
    {"memory read", "x"},
    {"output", "print"},
    {"po", "print"},
    {"process continue", "continue"},
    {"process launch", "run"},
    {"register read", "info registers"},
    {"register write", "set"},
    {"rwatch -l", "rwatch"},
    {"rwatch -location", "rwatch"},
    {"starti", "goto 1"},
    {"thbreak", "tbreak"},
    {"thread backtrace", "where"},
    {"thread list", "info threads"},
    {"thread select", "thread"},
    {"thread step-in", "step"},
    {"thread step-inst", "stepi"},
    {"thread step-inst-over", "nexti"},
    {"thread step-out", "finish"},
    {"thread step-over", "next"},
    {"thread until", "until"},
    {"watch -l", "watch"},
    {"watch -location", "watch"},
    {"watchpoint delete", "delete"},
    {"watchpoint list", "info breakpoints"},
    {"watchpoint set expression", "watch"},
    {"watchpoint set variable", "watch"},
};

/* Words for which there is no command, and what there is instead. */
static const struct debug_term hints[] = {
    {"attach", "the debugger runs the program itself: start, run"},
    {"autostep", "a fault stops at the instruction that is at fault; last-write goes back from there"},
    {"breakpoint", "break 24 sets one, info breakpoints lists them, delete 1 removes it"},
    {"catch", "break diverge stops where the mask splits; faults and findings of --check stop in any case"},
    {"checkpoint", "info time shows the present, and goto TIME comes back to it"},
    {"define", "source FILE does the commands of a file"},
    {"detach", "quit ends the debugger"},
    {"dprintf",
     "break PLACE message TEXT prints TEXT and the values of {EXPRESSION} in it, and does not stop"},
    {"end", "end closes the commands of a breakpoint: help commands"},
    {"file", "the program stands on the command line: hexec debug PROGRAM"},
    {"handle", "faults stop the program; findings of --check do, too: findings off"},
    {"if", "break PLACE if CONDITION"},
    {"image", "info functions and info buffers list what the program has"},
    {"interrupt", "Ctrl-C stops the program"},
    {"jump", "threads go where their code leads; goto TIME and reverse-step go to other steps"},
    {"kill", "run begins again, quit ends the debugger"},
    {"lane", "focus thread N, or cuda lane N of the warp in focus"},
    {"layout", "list shows the source, disassemble the instructions, display what is wanted at each stop"},
    {"memory", "x y[0] 16 f32 shows memory, set y[3] = 5 writes to it"},
    {"process", "start, run and continue let the program run"},
    {"python", "hexec debug --dap speaks the Debug Adapter Protocol, which programs can use"},
    {"record", "every run is recorded: reverse-step, reverse-continue and goto TIME go back in it"},
    {"refresh", "where shows where the thread in focus is"},
    {"register", "info registers shows those of the warp, set r3 = 7 writes to one"},
    {"restart", "goto TIME goes to any step, run begins again"},
    {"return", "finish runs the function to its end"},
    {"shell", "quit leads back to the shell"},
    {"show", "info shows what there is"},
    {"signal", "the program gets no signals"},
    {"target", "the program stands on the command line: hexec debug PROGRAM"},
    {"trace", "break PLACE message TEXT prints TEXT and does not stop"},
    {"tui", "list shows the source, display what is wanted at each stop; hexec debug --dap serves editors"},
    {"undo", "reverse-step goes back a line, reverse-stepi an instruction"},
    {"warp", "focus thread N takes a thread of another warp, info warps lists them"},
    {"watchpoint", "watch y[3] sets one, info breakpoints lists them, delete 1 removes it"},
    {"while", "break PLACE if CONDITION"},
};

/* Does a line begin with these words? *ret_rest is what stands behind them. */
static bool begins_with(struct slice line, const char *words, struct slice *ret_rest)
{
    struct slice wanted = slice_of(words);
    while (wanted.length > 0) {
        const struct slice word = debug_word(&wanted);
        if (!slice_same(word, debug_word(&line)))
            return false;
    }
    *ret_rest = line;
    return true;
}

const char *words_meaning(struct slice line, struct slice *ret_rest)
{
    for (size_t i = HX_COUNT_OF(synonyms); i > 0;
         i--) /* longer ones come behind those that they begin with */
        if (begins_with(line, synonyms[i - 1].words, ret_rest))
            return synonyms[i - 1].means;
    return NULL;
}

const char *words_hint(struct slice word)
{
    for (size_t i = 0; i < HX_COUNT_OF(hints); i++)
        if (slice_equal(word, hints[i].words))
            return hints[i].means;
    return NULL;
}

static bool is_begun(struct slice word, const char *name)
{
    return word.length > 0 && word.length <= strlen(name) && memcmp(name, word.at, word.length) == 0;
}

size_t words_find_name(struct slice word, const char *(*name)(size_t index), size_t *ret_matches)
{
    size_t shortest = SIZE_MAX;
    *ret_matches = 0;
    for (size_t i = 0; name(i); i++) {
        if (!is_begun(word, name(i)))
            continue;
        ++*ret_matches;
        if (shortest == SIZE_MAX || strlen(name(i)) < strlen(name(shortest)))
            shortest = i;
    }
    bool is_sure = shortest != SIZE_MAX;
    for (size_t i = 0; is_sure && name(i); i++)
        is_sure = !is_begun(word, name(i)) || is_begun(slice_of(name(shortest)), name(i));
    return is_sure ? shortest : SIZE_MAX;
}

const char *words_synonym(size_t index)
{
    for (size_t i = 0; i < HX_COUNT_OF(synonyms); i++)
        if (!strchr(synonyms[i].words, ' ') && index-- == 0)
            return synonyms[i].words;
    return NULL;
}
