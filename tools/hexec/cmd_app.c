/* hexec app: runs a program that uses a GPU, with hexec in the GPU's place.
 *
 * Takes the program and its arguments; sets the variables by which OpenCL's loader and the system's find
 * hexec's drivers, and those that the drivers read; then the program takes the place of this process, so that
 * its exit code, signals and standard streams are its own. The driver writes the report when the program
 * ends. */
#include "command.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where drivers are from the folder of this program: in a build, and where it is installed. */
static const char *const folders[] = {"lib/hexec", "../" HEXEC_LIBDIR "/hexec"};

/* The folder of the drivers, of this build or installation. */
static hx_status find_drivers(struct command *command, struct arena *arena, const char **ret_folder)
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < HX_COUNT_OF(folders); i++) {
        const char *folder = arena_format(arena, "%s/%s", self, folders[i]);
        const char *driver = folder ? arena_format(arena, "%s/cuda/libcuda.so.1", folder) : NULL;
        struct stat about;
        if (!driver)
            return diag_no_memory(command->diag);
        if (stat(driver, &about) == 0) {
            *ret_folder = folder;
            return HX_OK;
        }
    }
    return diag_report(command->diag, DIAG_APP, (struct place){0},
                       "build all of hexec, or install it: its drivers are in lib/hexec",
                       "app: this hexec has no driver beside it");
}

/* A variable is set to what an option says; without the option it stays as it is. */
static bool pass_option(const struct options *options, enum option_id id)
{
    char variable[64];
    const struct option_value *value = option_value(options, id);
    return !value || setenv(option_variable(id, variable), value->text, 1) == 0;
}

static hx_status set_variables(struct command *command, struct arena *arena, const char *folder)
{
    const struct options *options = command->options;
    const char *output = option_text(options, OPTION_OUTPUT);
    const char *icd = arena_format(arena, "%s/hexec.icd", folder);
    const char *others = getenv("LD_LIBRARY_PATH");
    const char *libraries = arena_format(arena, "%s/cuda:%s%s%s", folder, folder,
                                         others && *others ? ":" : "", others ? others : "");
    bool is_set = icd && setenv("OCL_ICD_VENDORS", icd, 1) == 0;
    is_set &= libraries && setenv("LD_LIBRARY_PATH", libraries, 1) == 0;
    is_set &= setenv("HEXEC_APP_REPORT", option_is_on(options, OPTION_JSON) ? "json" : "text", 1) == 0;
    is_set &= (output ? setenv("HEXEC_APP_OUTPUT", output, 1) : unsetenv("HEXEC_APP_OUTPUT")) == 0;
    is_set &= pass_option(options, OPTION_WORKERS) && pass_option(options, OPTION_SEED) &&
              pass_option(options, OPTION_TIMEOUT);
    return is_set ? HX_OK : diag_no_memory(command->diag);
}

hx_status cmd_app(struct command *command)
{
    const struct options *options = command->options;
    struct arena arena HX_AUTO(arena_done) = {0};
    const char *folder = NULL;
    hx_status status = find_drivers(command, &arena, &folder);
    if (status == HX_OK)
        status = set_variables(command, &arena, folder);
    if (status != HX_OK)
        return status;
    char **words = ARENA_ARRAY(&arena, char *, options->argument_count + 1);
    if (!words)
        return diag_no_memory(command->diag);
    for (size_t i = 0; i < options->argument_count; i++)
        words[i] = (char *)(uintptr_t)options->arguments[i];
    execvp(words[0], words);
    return file_report_error(command->diag, DIAG_APP, (struct place){0}, "run", words[0], errno);
}
