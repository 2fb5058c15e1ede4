/* Runs a fuzz target over files: each file named, and each file of a folder named. A file that made a target
 * fail once stays in its corpus and is tried with every compiler and sanitizer, without libFuzzer. Of a
 * target that changes its inputs itself, some changes of each file are tried, too, the same in each run. */
#include "target.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t files;

#ifdef FUZZ_CHANGES
static int try_changes(const uint8_t *bytes, size_t size)
{
    const size_t most = 2 * size + 4096;
    uint8_t *room = malloc(most);
    int failed = !room;
    for (unsigned seed = 0; seed < FUZZ_CHANGES && !failed; seed++) {
        memcpy(room, bytes, size);
        const size_t changed = LLVMFuzzerCustomMutator(room, size, most, seed);
        uint8_t *exact = malloc(changed ? changed : 1);
        failed = !exact;
        if (exact) {
            memcpy(exact, room, changed);
            LLVMFuzzerTestOneInput(exact, changed);
        }
        free(exact);
    }
    free(room);
    return failed;
}
#else
static int try_changes(const uint8_t *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return 0;
}
#endif

static int try_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    /* Exactly as large as the file, so that a sanitizer sees a read behind its end. */
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 0)
        size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(size ? size : 1);
    if (!bytes || fread(bytes, 1, size, file) != size) {
        fprintf(stderr, "%s: could not be read\n", path);
        free(bytes);
        fclose(file);
        return 1;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    const int failed = try_changes(bytes, size);
    free(bytes);
    files++;
    return failed;
}

static int try_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return try_file(path);
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        return 1;
    }
    int failed = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        failed |= try_path(name);
    }
    closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= try_path(argv[i]);
    printf("%zu inputs\n", files);
    return failed || files == 0;
}
