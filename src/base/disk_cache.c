/* The cache folder.
 *
 * An entry is a file: a line with the sizes of key and value, the key, the value. Its name is a kind and a
 * hash of the key, and a file of another key is no entry. It is written under another name and renamed. Files
 * with other names may be anybody's and are left alone: HEXEC_CACHE may name any folder. */
#include "base/disk_cache.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENTRY_LIMIT_BYTES ((size_t)64 << 20)
#define KEPT_BYTES        (CACHE_BYTES_MAX / 8 * 7) /* where room is made, so much stays */
#define COUNT_SECONDS     10
#define COUNTED_NAME      "counted"
#define HASH_FORMAT       "%016llx"
#define HASH_DIGITS       16

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash_of(struct slice key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < key.length; i++)
        hash = (hash ^ (unsigned char)key.at[i]) * 0x100000001b3u;
    return hash;
}

static bool find_folder(struct text *folder)
{
    const char *own = getenv("HEXEC_CACHE"), *all = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own) {
        text_print(folder, "%s", own);
        return own[0] != 0 && strcmp(own, "off") != 0 && !folder->failed;
    }
    if (all && all[0] == '/')
        text_print(folder, "%s/hexec", all);
    else if (home && home[0] == '/')
        text_print(folder, "%s/.cache/hexec", home);
    return folder->length > 0 && !folder->failed;
}

/* A user may have the rights of root and the HOME of somebody else, whose folder is then left alone. */
static bool is_own(const char *folder)
{
    struct stat is;
    return getenv("HEXEC_CACHE") || stat(folder, &is) != 0 || is.st_uid == geteuid();
}

/* Makes a folder and those above it that are not there. */
static bool make_folder(const char *path)
{
    char part[PATH_MAX];
    const size_t length = strlen(path);
    for (size_t i = 1; i <= length && length < sizeof part; i++) {
        part[i - 1] = path[i - 1];
        part[i] = 0;
        if ((path[i] == '/' || path[i] == 0) && mkdir(part, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return length > 0 && length < sizeof part;
}

static bool find_entry(const char *kind, struct slice key, struct text *folder, struct text *path)
{
    struct stat is;
    if (!find_folder(folder) || !is_own(folder->at))
        return false;
    text_print(path, "%s/%s-" HASH_FORMAT, folder->at, kind, (unsigned long long)hash_of(key));
    return !path->failed && (lstat(path->at, &is) != 0 || S_ISREG(is.st_mode));
}

bool disk_cache_is_on(void)
{
    struct text folder HX_AUTO(text_done) = {0};
    return find_folder(&folder) && is_own(folder.at) && make_folder(folder.at) &&
           access(folder.at, W_OK) == 0;
}

/* Is it the name of an entry of any kind? */
static bool is_entry_name(const char *name)
{
    const char *hash = strrchr(name, '-');
    return hash && hash > name && strspn(hash + 1, "0123456789abcdef") == HASH_DIGITS &&
           hash[1 + HASH_DIGITS] == 0;
}

static void print_head(struct text *text, struct slice key, size_t value)
{
    text_print(text, "hexec %zu %zu\n", key.length, value);
}

bool disk_cache_get(const char *kind, struct slice key, struct text *ret_value)
{
    const hx_allocator *allocator = ret_value->allocator;
    HX_AUTO(text_done)
    struct text folder = {.allocator = allocator}, path = {.allocator = allocator},
                head = {.allocator = allocator};
    char *bytes = NULL;
    size_t size = 0;
    if (!find_entry(kind, key, &folder, &path) || access(path.at, R_OK) != 0)
        return false; /* an entry that cannot be read is none, too */
    bool is_there =
        file_read(path.at, ENTRY_LIMIT_BYTES, allocator, NULL, (struct place){0}, &bytes, &size) == HX_OK;
    const char *end = is_there ? memchr(bytes, '\n', size) : NULL;
    const size_t start = end ? (size_t)(end + 1 - bytes) : 0;
    is_there = end && size - start >= key.length;
    if (is_there) {
        print_head(&head, key, size - start - key.length);
        is_there = !head.failed && head.length == start && memcmp(head.at, bytes, start) == 0 &&
                   memcmp(bytes + start, key.at, key.length) == 0;
    }
    if (is_there) {
        text_append(ret_value, bytes + start + key.length, size - start - key.length);
        utimensat(AT_FDCWD, path.at, NULL, 0); /* used now */
    }
    memory_free(allocator, bytes);
    return is_there && !ret_value->failed;
}

/* --- bounds --------------------------------------------------------------------------------------------- */

struct entry {
    char name[64];
    struct timespec used;
    uint64_t bytes;
};

static int compare_use(const void *left, const void *right)
{
    const struct timespec a = ((const struct entry *)left)->used, b = ((const struct entry *)right)->used;
    if (a.tv_sec != b.tv_sec)
        return a.tv_sec < b.tv_sec ? -1 : 1;
    return (a.tv_nsec > b.tv_nsec) - (a.tv_nsec < b.tv_nsec);
}

/* To read the sizes of all entries takes milliseconds, more than some kernels take to compile: it is done
 * once in a while. A file without contents has the time when it was done last. */
static bool is_time_to_count(const char *folder)
{
    char path[PATH_MAX];
    struct stat is;
    struct timespec now;
    const int length = snprintf(path, sizeof path, "%s/" COUNTED_NAME, folder);
    if (length < 0 || (size_t)length >= sizeof path || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return true;
    if (lstat(path, &is) == 0 && now.tv_sec >= is.st_mtim.tv_sec &&
        now.tv_sec - is.st_mtim.tv_sec < COUNT_SECONDS)
        return false;
    const int file = open(path, O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file >= 0) {
        (void)!futimens(file, NULL);
        close(file);
    }
    return true;
}

/* Removes what was not used for longest where `more` bytes do not fit. */
static void make_room(const char *folder, uint64_t more, const hx_allocator *allocator)
{
    LIST(struct entry) entries = {0};
    uint64_t bytes = more;
    DIR *directory = opendir(folder);
    for (const struct dirent *item; directory && (item = readdir(directory)) != NULL;) {
        struct entry entry;
        struct stat is;
        if (!is_entry_name(item->d_name) || strlen(item->d_name) >= sizeof entry.name ||
            fstatat(dirfd(directory), item->d_name, &is, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(is.st_mode))
            continue;
        strcpy(entry.name, item->d_name);
        entry.used = is.st_mtim;
        entry.bytes = (uint64_t)is.st_size;
        bytes += entry.bytes;
        if (!LIST_PUSH(allocator, &entries, entry))
            break;
    }
    if (bytes > CACHE_BYTES_MAX && entries.count > 0)
        qsort(entries.items, entries.count, sizeof *entries.items, compare_use);
    const bool is_full = bytes > CACHE_BYTES_MAX;
    for (size_t i = 0; i < entries.count && is_full && bytes > KEPT_BYTES; i++) {
        if (unlinkat(dirfd(directory), entries.items[i].name, 0) == 0)
            bytes -= entries.items[i].bytes;
    }
    LIST_DONE(allocator, &entries);
    if (directory)
        closedir(directory);
}

void disk_cache_put(const char *kind, struct slice key, struct slice value, const hx_allocator *allocator)
{
    HX_AUTO(text_done)
    struct text folder = {.allocator = allocator}, path = {.allocator = allocator},
                head = {.allocator = allocator};
    struct file_writer *writer = NULL;
    print_head(&head, key, value.length);
    if (!find_entry(kind, key, &folder, &path) || head.failed || !make_folder(folder.at) ||
        head.length + key.length + value.length > ENTRY_LIMIT_BYTES)
        return;
    if (is_time_to_count(folder.at))
        make_room(folder.at, head.length + key.length + value.length, allocator);
    if (file_writer_open(path.at, NULL, allocator, NULL, &writer) == HX_OK) {
        if (file_writer_put(writer, head.at, head.length) == HX_OK &&
            file_writer_put(writer, key.at, key.length) == HX_OK &&
            file_writer_put(writer, value.at, value.length) == HX_OK)
            (void)!file_writer_commit(writer, NULL);
        else
            file_writer_abandon(writer);
    }
}
