/* Attributes of streams, and lists of memory operations.
 *
 * Streams keep what a program sets: caches, domains of fences and the way in which the host waits are a
 * GPU's. */
#include "devices/libcuda/capture.h"

#include <pthread.h>
#include <string.h>

enum { /* CUlaunchAttributeID, those that streams have */
       ATTRIBUTE_WINDOW = 1,
       ATTRIBUTE_SYNC_POLICY = 3,
       ATTRIBUTE_PRIORITY = 8,
       ATTRIBUTE_DOMAIN_MAP = 9,
       ATTRIBUTE_DOMAIN = 10
};
enum { POLICY_AUTO = 1, POLICY_MOST = 4 };                         /* CUsynchronizationPolicy */
enum { PROPERTY_NORMAL, PROPERTY_STREAMING, PROPERTY_PERSISTING }; /* CUaccessProperty */
struct window {                                                    /* CUaccessPolicyWindow */
    void *base;
    size_t bytes;
    float hit_ratio;
    int hit, miss;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all attributes */
static struct stream_attributes of_default;              /* of the default stream */

static struct stream_attributes *attributes_of(CUstream handle)
{
    const CUstream stream = stream_of(handle);
    return stream ? &stream->attributes : &of_default;
}

CUresult cuStreamGetAttribute(CUstream stream, int attribute, void *value)
{
    CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !value)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    const struct stream_attributes *is = attributes_of(stream);
    const unsigned char at_first[2] = {0, 1};
    switch (attribute) {
    case ATTRIBUTE_WINDOW:
        memcpy(value, is->window, sizeof(struct window));
        break;
    case ATTRIBUTE_SYNC_POLICY:
        *(int *)value = is->sync_policy ? is->sync_policy : POLICY_AUTO;
        break;
    case ATTRIBUTE_PRIORITY:
        error = cuStreamGetPriority(stream, value);
        break;
    case ATTRIBUTE_DOMAIN_MAP:
        memcpy(value, is->has_domains ? is->domains : at_first, sizeof at_first);
        break;
    case ATTRIBUTE_DOMAIN:
        *(int *)value = is->domain;
        break;
    default:
        error = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static bool is_window(const void *value)
{
    struct window window;
    memcpy(&window, value, sizeof window);
    return window.hit_ratio >= 0 && window.hit_ratio <= 1 && window.hit >= PROPERTY_NORMAL &&
           window.hit <= PROPERTY_PERSISTING &&
           (window.miss == PROPERTY_NORMAL || window.miss == PROPERTY_STREAMING);
}

CUresult cuStreamSetAttribute(CUstream stream, int attribute, const void *value)
{
    CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !value)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    int number = 0;
    unsigned char domains[2];
    memcpy(&number, value, sizeof number);
    memcpy(domains, value, sizeof domains);
    pthread_mutex_lock(&lock);
    struct stream_attributes *is = attributes_of(stream);
    if (attribute == ATTRIBUTE_WINDOW && is_window(value))
        memcpy(is->window, value, sizeof(struct window));
    else if (attribute == ATTRIBUTE_SYNC_POLICY && number >= POLICY_AUTO && number <= POLICY_MOST)
        is->sync_policy = number;
    else if (attribute == ATTRIBUTE_PRIORITY && stream_of(stream))
        stream_of(stream)->priority = number < -5 ? -5 : number > 0 ? 0 : number;
    else if (attribute == ATTRIBUTE_DOMAIN_MAP && domains[0] < 2 && domains[1] < 2) {
        memcpy(is->domains, domains, sizeof domains);
        is->has_domains = true;
    } else if (attribute == ATTRIBUTE_DOMAIN && (number == 0 || number == 1))
        is->domain = number;
    else
        error = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    *attributes_of(to) = *attributes_of(from);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* ---- Lists of memory operations ------------------------------------------------------------------------ */

enum { /* CUstreamBatchMemOpType */
       OPERATION_WAIT_32 = 1,
       OPERATION_WRITE_32,
       OPERATION_FLUSH,
       OPERATION_WAIT_64,
       OPERATION_WRITE_64,
       OPERATION_BARRIER
};

CUresult operation_of(const CUstreamBatchMemOpParams *operation, struct work *ret_work)
{
    enum { FLUSH_BEFORE_WAIT = 1 << 30 };
    const int kind = operation->operation;
    const bool is_wait = kind == OPERATION_WAIT_32 || kind == OPERATION_WAIT_64;
    const bool is_narrow = kind == OPERATION_WAIT_32 || kind == OPERATION_WRITE_32;
    *ret_work = (struct work){.kind = WORK_NOTHING};
    if (kind == OPERATION_BARRIER)
        return CUDA_SUCCESS;
    if (kind == OPERATION_FLUSH || (is_wait && operation->flags & FLUSH_BEFORE_WAIT))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (kind < OPERATION_WAIT_32 || kind > OPERATION_WRITE_64)
        return CUDA_ERROR_INVALID_VALUE;
    ret_work->kind = is_wait ? WORK_WAIT_VALUE : WORK_WRITE_VALUE;
    ret_work->as.value =
        (struct value_work){.address = operation->address,
                            .value = is_narrow ? (uint32_t)operation->value : operation->value,
                            .bytes = is_narrow ? 4 : 8,
                            .flags = operation->flags};
    return operation->address % ret_work->as.value.bytes == 0 ? work_check(ret_work)
                                                              : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, CUstreamBatchMemOpParams *list,
                               unsigned flags)
{
    struct work work;
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS && (count > OPERATIONS_MOST || (count > 0 && !list) || flags != 0))
        error = CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && error == CUDA_SUCCESS; i++)
        error = operation_of(&list[i], &work);
    for (unsigned i = 0; i < count && error == CUDA_SUCCESS; i++) {
        error = operation_of(&list[i], &work);
        if (error == CUDA_SUCCESS && work.kind != WORK_NOTHING)
            error = stream_give(stream, &work);
    }
    return error;
}
