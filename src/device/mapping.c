/* Memory of the process that kernels of a unified device reach at its own addresses.
 *
 * Takes an address, leaves the range of mapped memory that it lies in, as /proc/self/maps has it (proc(5)).
 * Reading that file takes long, so its ranges are kept until the process has another number of pages, or an
 * address proves to be readable no more. */
#include "device/mapping.h"

#include "hexec/device.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOWEST_ADDRESS  (UINT64_C(1) << 12)
#define HIGHEST_ADDRESS (UINT64_C(1) << 47)

void mapping_list_init(struct mapping_list *list, const hx_allocator *allocator)
{
    *list = (struct mapping_list){.allocator = allocator};
    pthread_mutex_init(&list->lock, NULL);
}

void mapping_list_done(struct mapping_list *list)
{
    LIST_DONE(list->allocator, &list->items);
    pthread_mutex_destroy(&list->lock);
}

/* How many pages the process has; 0 when the system does not say. */
static uint64_t count_pages(void)
{
    char text[64] = "";
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    return got > 0 ? strtoull(text, NULL, 10) : 0;
}

void mapping_list_renew(struct mapping_list *list)
{
    const uint64_t pages = count_pages();
    pthread_mutex_lock(&list->lock);
    if (pages != list->pages)
        list->pages = 0;
    pthread_mutex_unlock(&list->lock);
}

/* "7f00a000-7f00c000 rw-p ..." */
static void add_line(struct mapping_list *list, const char *line)
{
    struct mapping mapping = {0};
    char readable, writable;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %c%c", &mapping.low, &mapping.high, &readable, &writable) !=
            4 ||
        readable != 'r' || mapping.low < LOWEST_ADDRESS || mapping.high > HIGHEST_ADDRESS)
        return;
    mapping.access = writable == 'w' ? HX_ACCESS_READWRITE : HX_ACCESS_READ;
    struct mapping *last = list->items.count > 0 ? &list->items.items[list->items.count - 1] : NULL;
    if (last && last->high == mapping.low && last->access == mapping.access)
        last->high = mapping.high;
    else
        (void)!LIST_PUSH(list->allocator, &list->items,
                         mapping); /* what there is no room for is not mapped */
}

static void read_list(struct mapping_list *list)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen("/proc/self/maps", "re");
    list->items.count = 0;
    list->pages = count_pages();
    while (file && getline(&line, &room, file) > 0)
        add_line(list, line);
    if (file)
        fclose(file);
    free(line);
}

static const struct mapping *find(const struct mapping_list *list, uint64_t address, uint64_t bytes)
{
    size_t low = 0, high = list->items.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->items.items[middle].high <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct mapping *found = low < list->items.count ? &list->items.items[low] : NULL;
    return found && found->low <= address && found->high - address >= bytes ? found : NULL;
}

/* The kernel reads a set of signals from the address before it finds that the request is none: EFAULT where
 * nothing can be read, else EINVAL (rt_sigprocmask(2)). */
static bool is_readable(uint64_t address)
{
    const uint64_t set = address / sizeof(uint64_t) * sizeof(uint64_t);
    return syscall(SYS_rt_sigprocmask, -1, (void *)(uintptr_t)set, NULL, sizeof(uint64_t)) == 0 ||
           errno != EFAULT;
}

bool mapping_find(struct mapping_list *list, uint64_t address, uint64_t bytes,
                  struct memory_window *ret_whole, struct memory_window *ret_inside, unsigned *ret_access)
{
    pthread_mutex_lock(&list->lock);
    const struct mapping *found = list->pages ? find(list, address, bytes) : NULL;
    if (!found || !is_readable(address) || !is_readable(address + bytes - 1)) {
        read_list(list);
        found = find(list, address, bytes);
    }
    if (found) {
        const uint64_t size = found->high - found->low;
        *ret_whole = (struct memory_window){found->low, size, (char *)(uintptr_t)found->low};
        *ret_inside = *ret_whole;
        ret_inside->size = size > BEHIND_ELEMENTS ? size - BEHIND_ELEMENTS : 0;
        *ret_access = found->access;
    }
    pthread_mutex_unlock(&list->lock);
    return found != NULL;
}
