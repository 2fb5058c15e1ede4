/* Files that hexec keeps between runs in the user's cache folder: what is expensive to make again. */
#pragma once

#include "base/text.h"

/* The folder is HEXEC_CACHE (empty or "off": there is no cache), else hexec in XDG_CACHE_HOME or in ~/.cache,
 * unless it is another user's. Where it is not there it is made, for the user alone. An entry has a key of
 * any bytes, which is kept with it and compared, so that no two are mistaken for one another. All entries
 * together take at most CACHE_BYTES_MAX, but for what ten seconds add: those that were not used for longest
 * go. A file `counted` has the time when their sizes were read. Other files in the folder are neither read,
 * replaced nor removed. Several processes may use it at once. */
#define CACHE_BYTES_MAX (256u << 20)

/* May entries be kept? The folder is made. */
bool disk_cache_is_on(void);
/* The value of a key; false: there is none. `kind` begins the file's name: "ptx". */
bool disk_cache_get(const char *kind, struct slice key, struct text *ret_value);
/* Keeps a value. Where that fails there is none: the cache is never needed. */
void disk_cache_put(const char *kind, struct slice key, struct slice value, const hx_allocator *allocator);
