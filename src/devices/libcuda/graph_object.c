/* Objects of the program's that graphs use (cuUserObjectCreate): the last owner's release destroys one.
 *
 * Owners are the program, graphs, their clones, and what they are made into. */
#include "devices/libcuda/graph.h"

#include <pthread.h>
#include <stdlib.h>

struct CUuserObject_st {
    void *data;
    void (*destroy)(void *data);
    uint64_t owners; /* guarded by lock */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { NO_DESTRUCTOR_SYNC = 1 }; /* CUuserObject_flags */
enum { MOVE = 1 };               /* CUuserObjectRetain_flags: the program's references become the graph's */

static bool is_count(unsigned count)
{
    return count > 0 && count <= INT32_MAX;
}

CUresult cuUserObjectCreate(CUuserObject *object, void *data, void (*destroy)(void *data), unsigned count,
                            unsigned flags)
{
    if (!object || !destroy || !is_count(count) || flags != NO_DESTRUCTOR_SYNC)
        return CUDA_ERROR_INVALID_VALUE;
    CUuserObject made = malloc(sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *made = (struct CUuserObject_st){data, destroy, count};
    *object = made;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count)
{
    if (!object || !is_count(count))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    object->owners += count;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    if (!object || !is_count(count))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    const bool has_so_many = object->owners >= count;
    object->owners -= has_so_many ? count : 0;
    const bool is_last = object->owners == 0;
    pthread_mutex_unlock(&lock);
    if (is_last) {
        object->destroy(object->data);
        free(object);
    }
    return has_so_many ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Of graphs ----------------------------------------------------------------------------------------- */

static CUresult use(struct object_use **list, CUuserObject object, unsigned count)
{
    struct object_use *at = *list;
    while (at && at->object != object)
        at = at->next;
    if (!at) {
        at = calloc(1, sizeof *at);
        if (!at)
            return CUDA_ERROR_OUT_OF_MEMORY;
        *at = (struct object_use){.next = *list, .object = object};
        *list = at;
    }
    if (at->count > INT32_MAX - count)
        return CUDA_ERROR_INVALID_VALUE;
    at->count += count;
    return CUDA_SUCCESS;
}

CUresult objects_copy(const struct object_use *from, struct object_use **ret_list)
{
    struct object_use *list = NULL;
    CUresult error = CUDA_SUCCESS;
    for (; from && error == CUDA_SUCCESS; from = from->next) {
        error = use(&list, from->object, 1);
        if (error == CUDA_SUCCESS)
            (void)cuUserObjectRetain(from->object, 1);
    }
    if (error != CUDA_SUCCESS)
        objects_release(&list);
    *ret_list = list;
    return error;
}

void objects_release(struct object_use **list)
{
    while (*list) {
        struct object_use *next = (*list)->next;
        (void)cuUserObjectRelease((*list)->object, (*list)->count);
        free(*list);
        *list = next;
    }
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    if (!graph || !object || !is_count(count) || (flags & ~(unsigned)MOVE) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = use(&graph->objects, object, count);
    return error == CUDA_SUCCESS && !(flags & MOVE) ? cuUserObjectRetain(object, count) : error;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count)
{
    struct object_use **at = graph ? &graph->objects : NULL;
    while (at && *at && (*at)->object != object)
        at = &(*at)->next;
    if (!at || !*at || !is_count(count) || (*at)->count < count)
        return CUDA_ERROR_INVALID_VALUE;
    (*at)->count -= count;
    if ((*at)->count == 0) {
        struct object_use *gone = *at;
        *at = gone->next;
        free(gone);
    }
    return cuUserObjectRelease(object, count);
}
