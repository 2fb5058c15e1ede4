/* Files that the build puts into the library (cmake/embed.cmake): src/gpu/devices/NAME.yaml. */
#pragma once

#include <stddef.h>

struct embedded_file {
    const char *name; /* without folder and ending; NULL behind the last */
    const char *text;
    const size_t *bytes;
};
extern const struct embedded_file gpu_files[]; /* in alphabetical order */
