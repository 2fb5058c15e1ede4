/* The line of progress. It takes what hx_progress_read says, four times a second in a thread of its own, and
 * leaves one line on the terminal: how far the run is, or, when no block has ended for some seconds, what it
 * is doing. The idea behind its form: each write to the terminal by others holds the line's lock and has the
 * line erased, so that what is written and the line never mix. */
#include "progress.h"

#include "base/machine.h"
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND      UINT64_C(1000000000)
#define FIRST_NS    (2 * SECOND) /* most runs are over by then */
#define INTERVAL_NS (SECOND / 4)
#define STUCK_NS    (2 * SECOND) /* without a block that ended */
#define ALONE_NS    SECOND       /* of several launches, one that takes so long is shown by itself */
#define COLUMNS     80           /* of a terminal that does not say */
#define ERASE_ROW   "\r\033[K"
#define UP          "\033[A"

struct progress_line {
    struct console *console;
    hx_progress *progress;
    enum progress_kind kind;
    uint64_t start_ns;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below, and of the terminal */
    pthread_cond_t woken;
    bool is_over;
    unsigned rows; /* that are painted */
    bool is_open;  /* something stands on the terminal's line that is not ours */
    size_t files_done, files;
    uint64_t moved_ns; /* when one of these was last seen to change */
    uint64_t runs, launch, blocks_done;
    struct text text;
};

/* ---- What it says -------------------------------------------------------------------------------------- */

static void print_time(struct text *out, uint64_t ns)
{
    const unsigned long long seconds = ns / SECOND;
    if (seconds < 60)
        text_print(out, "%llu s", seconds);
    else if (seconds < 3600)
        text_print(out, "%llu min %llu s", seconds / 60, seconds % 60);
    else
        text_print(out, "%llu h %llu min", seconds / 3600, seconds / 60 % 60);
}

static void print_amount(struct text *out, double amount)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    size_t unit = 0;
    for (; amount >= 1000 && unit + 1 < HX_COUNT_OF(units); unit++)
        amount /= 1000;
    text_print(out, "%.*f%s", unit == 0 || amount >= 100 ? 0 : amount >= 10 ? 1 : 2, amount, units[unit]);
}

static void print_comma(struct text *out)
{
    if (out->length)
        text_print(out, ", ");
}

/* The part of the run that is done; 0: not known. Launches are taken to be alike. */
static double part_done(const struct progress_line *line, const hx_progress_state *state)
{
    const bool is_running = state->step == HX_PROGRESS_LAUNCH && state->blocks > 0;
    const double of_launch = is_running ? (double)state->blocks_done / (double)state->blocks : 1;
    if (line->kind != PROGRESS_RUN || state->launches == 0 || state->launch == 0)
        return 0;
    return ((double)(state->launch - 1) + of_launch) / (double)state->launches;
}

static void print_pace(const struct progress_line *line, const hx_progress_state *state, struct text *out)
{
    const double part = part_done(line, state);
    if (part > 0)
        text_print(out, ", %.0f %%", 100 * part);
    if (state->threads_done > 0 && state->elapsed_ns > 0) {
        text_print(out, ", ");
        print_amount(out, (double)state->threads_done * (double)SECOND / (double)state->elapsed_ns);
        text_print(out, " threads/s");
    }
    if (part > 0) {
        text_print(out, ", ");
        print_time(out, (uint64_t)((double)state->elapsed_ns * (1 - part) / part));
        text_print(out, " left");
    }
}

/* Where a launch is that goes on without a block that ends; a second row. */
static void print_stuck(const hx_progress_state *state, uint64_t quiet_ns, struct text *out)
{
    text_print(out, ", none for ");
    print_time(out, quiet_ns);
    if (state->thread_instructions > 0) {
        text_print(out, ", ");
        print_amount(out, (double)state->thread_instructions);
        text_print(out, " thread-instructions");
    }
    if (state->has_block)
        text_print(out, "\n  block %llu", (unsigned long long)state->block);
    if (state->has_place && state->line > 0)
        text_print(out, " runs line %d '%s'", state->line, state->text);
    else if (state->has_place)
        text_print(out, " runs instruction %u '%s'", state->instruction, state->text);
    if (state->waiting > 0)
        text_print(out, ", %u of %llu threads wait at a barrier", state->waiting,
                   (unsigned long long)state->threads_per_block);
}

static void print_launch(const struct progress_line *line, const hx_progress_state *state, uint64_t quiet_ns,
                         struct text *out)
{
    const bool is_stuck = quiet_ns >= STUCK_NS;
    if (state->launches == 1 || is_stuck || state->launch_ns >= ALONE_NS) {
        print_comma(out);
        text_print(out, "kernel %s: ", state->name);
        text_print_grouped(out, state->blocks_done);
        text_print(out, " of ");
        text_print_grouped(out, state->blocks);
        text_print(out, " block%s", state->blocks == 1 ? "" : "s");
    }
    if (is_stuck)
        print_stuck(state, quiet_ns, out);
    else
        print_pace(line, state, out);
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_where(const struct progress_line *line, const hx_progress_state *state, struct text *out)
{
    if (line->kind == PROGRESS_TEST) {
        if (line->files > 0) /* the first is done */
            text_print(out, "%zu of %zu files", line->files_done, line->files);
        if (*state->file) {
            print_comma(out);
            text_print(out, "%s", file_of(state->file));
        }
    }
    if (line->kind == PROGRESS_PROFILE)
        text_print(out, "pass %llu", (unsigned long long)state->runs);
    if (line->kind != PROGRESS_TEST && state->launch > 0 && state->launches != 1) {
        print_comma(out);
        text_print(out, "launch ");
        text_print_grouped(out, state->launch);
        if (state->launches > 0) {
            text_print(out, " of ");
            text_print_grouped(out, state->launches);
        }
    }
}

static void print_state(struct progress_line *line, const hx_progress_state *state, uint64_t now)
{
    struct text *out = &line->text;
    if (state->runs != line->runs || state->launch != line->launch || line->moved_ns == 0)
        line->moved_ns = state->blocks_done > 0 ? now : now - state->launch_ns;
    else if (state->blocks_done != line->blocks_done)
        line->moved_ns = now;
    line->runs = state->runs;
    line->launch = state->launch;
    line->blocks_done = state->blocks_done;
    const uint64_t quiet = now - line->moved_ns;
    if (state->step == HX_PROGRESS_IDLE && line->kind != PROGRESS_TEST)
        return;
    print_where(line, state, out);
    switch ((hx_progress_step)state->step) {
    case HX_PROGRESS_LAUNCH:
        print_launch(line, state, quiet < state->launch_ns ? quiet : state->launch_ns, out);
        break;
    case HX_PROGRESS_FILL:
        print_comma(out);
        text_print(out, "fills buffer %s", state->name);
        break;
    case HX_PROGRESS_PREPARE:
        print_comma(out);
        text_print(out, "prepares kernel %s", state->name);
        break;
    case HX_PROGRESS_BETWEEN:
        print_pace(line, state, out);
        break;
    case HX_PROGRESS_IDLE:
        break;
    }
}

/* ---- The terminal -------------------------------------------------------------------------------------- */

static void put(const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = write(STDERR_FILENO, text, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        bytes -= (size_t)written;
    }
}

static void print_erasure(const struct progress_line *line, struct text *out)
{
    for (unsigned row = 1; row < line->rows; row++)
        text_print(out, ERASE_ROW UP);
    text_print(out, ERASE_ROW);
}

/* Without an allocation, which may fail. */
static void erase(struct progress_line *line)
{
    for (; line->rows > 1; line->rows--)
        put(ERASE_ROW UP, strlen(ERASE_ROW UP));
    if (line->rows > 0)
        put(ERASE_ROW, strlen(ERASE_ROW));
    line->rows = 0;
}

static size_t columns_of_terminal(void)
{
    struct winsize size = {0};
    const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return (is_known ? size.ws_col : COLUMNS) - 1u;
}

/* A row, whose end is the next '\n' or NUL; its bytes. What does not fit would go to one more, which nothing
 * erases. */
static size_t print_row(const char *row, size_t room, struct text *out)
{
    const size_t length = strcspn(row, "\n");
    size_t columns = 0, bytes = 0;
    for (; bytes < length; bytes++) {
        columns += ((unsigned char)row[bytes] & 0xc0) != 0x80;
        if (columns > room)
            break;
    }
    text_append(out, row, bytes);
    return length;
}

static void paint(struct progress_line *line)
{
    hx_progress_state state = {.size = sizeof state};
    struct text painted HX_AUTO(text_done) = {0};
    const bool has_color = line->console->color_error;
    line->text.length = 0;
    if (line->is_open || hx_progress_read(line->progress, &state) != HX_OK)
        return;
    print_state(line, &state, machine_now_ns());
    if (line->text.length == 0) {
        erase(line);
        return;
    }
    unsigned rows = 1;
    print_erasure(line, &painted);
    text_print(&painted, "%s", has_color ? "\033[2m" : "");
    for (const char *row = line->text.at; !line->text.failed; rows++, row++) {
        row += print_row(row, columns_of_terminal(), &painted);
        if (!*row)
            break;
        text_print(&painted, "\n");
    }
    text_print(&painted, "%s", has_color ? "\033[m" : "");
    if (painted.failed || line->text.failed)
        return;
    put(painted.at, painted.length);
    line->rows = rows;
}

static void *thread_main(void *user)
{
    struct progress_line *line = user;
    uint64_t next = line->start_ns + FIRST_NS;
    pthread_mutex_lock(&line->lock);
    while (!line->is_over) {
        const uint64_t now = machine_now_ns();
        if (now >= next) {
            paint(line);
            next = now + INTERVAL_NS;
        }
        const struct timespec until = {.tv_sec = (time_t)(next / SECOND), .tv_nsec = (long)(next % SECOND)};
        (void)pthread_cond_timedwait(&line->woken, &line->lock, &until);
    }
    erase(line);
    pthread_mutex_unlock(&line->lock);
    return NULL;
}

/* ---- Beginning and end --------------------------------------------------------------------------------- */

/* Does the log say more than warnings? On a terminal its lines and ours would mix. */
static void look_at_setting(void *user, const hx_setting *setting)
{
    bool *has_log = user;
    if (strcmp(setting->name, "filter") == 0)
        *has_log = strcmp(setting->value, "warn") != 0 && strcmp(setting->value, "error") != 0 &&
                   strcmp(setting->value, "off") != 0;
}

static bool is_wanted(const struct command *command)
{
    const char *terminal = getenv("TERM");
    if (!isatty(STDERR_FILENO) || option_is_on(command->options, OPTION_QUIET) ||
        (terminal && strcmp(terminal, "dumb") == 0))
        return false;
    const hx_trace_options trace = command_trace_options(command->options);
    bool has_log = false;
    if (!trace.log_file && hx_trace_settings(&trace, NULL, look_at_setting, &has_log) != HX_OK)
        return false;
    return !has_log;
}

/* Signals are for the thread that runs: its waits end by them. */
static bool start_thread(struct progress_line *line)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = thread_start(&line->thread, thread_main, line);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

void progress_free(struct progress_line *line)
{
    if (!line)
        return;
    pthread_cond_destroy(&line->woken);
    pthread_mutex_destroy(&line->lock);
    hx_progress_free(line->progress);
    text_done(&line->text);
    free(line);
}

struct progress_line *progress_start(struct command *command, enum progress_kind kind)
{
    struct progress_line *line = is_wanted(command) ? calloc(1, sizeof *line) : NULL;
    if (!line)
        return NULL;
    pthread_condattr_t monotonic;
    line->console = command->console;
    line->kind = kind;
    line->start_ns = machine_now_ns();
    pthread_mutex_init(&line->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&line->woken, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (hx_progress_new(NULL, NULL, &line->progress) == HX_OK && start_thread(line)) {
        command->console->progress = line;
        return line;
    }
    progress_free(line);
    return NULL;
}

void progress_stop(struct progress_line *line)
{
    if (!line)
        return;
    pthread_mutex_lock(&line->lock);
    line->is_over = true;
    pthread_cond_signal(&line->woken);
    pthread_mutex_unlock(&line->lock);
    pthread_join(line->thread, NULL);
}

hx_progress *progress_of(const struct progress_line *line)
{
    return line ? line->progress : NULL;
}

void progress_files(void *user, size_t done, size_t files)
{
    struct progress_line *line = user;
    if (!line)
        return;
    pthread_mutex_lock(&line->lock);
    line->files_done = done;
    line->files = files;
    pthread_mutex_unlock(&line->lock);
}

void progress_pause(struct progress_line *line)
{
    if (!line)
        return;
    pthread_mutex_lock(&line->lock);
    erase(line);
}

void progress_resume(struct progress_line *line, const char *text, size_t bytes)
{
    if (!line)
        return;
    if (bytes > 0)
        line->is_open = text[bytes - 1] != '\n';
    pthread_mutex_unlock(&line->lock);
}
