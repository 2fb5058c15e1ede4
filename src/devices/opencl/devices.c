/* The platform's devices, and lists of them.
 *
 * They are one machine under several names: whatever context they belong to, a buffer has one address, and a
 * program that is built for one of them can run on all. */
#include "devices/opencl/opencl.h"

static struct _cl_device_id devices[DEVICES_MOST];
static struct device_list all;

static void make(void)
{
    all.count = calls_device_count();
    for (cl_uint i = 0; i < all.count; i++) {
        devices[i].dispatch = &opencl_dispatch;
        all.items[i] = &devices[i];
    }
}

const struct device_list *device_list_all(void)
{
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    pthread_once(&made, make);
    return &all;
}

bool device_list_has(const struct device_list *list, cl_device_id device)
{
    for (cl_uint i = 0; i < list->count; i++)
        if (list->items[i] == device)
            return true;
    return false;
}

bool device_list_has_all(const struct device_list *list, cl_uint count, const cl_device_id *given)
{
    for (cl_uint i = 0; i < count; i++)
        if (!device_list_has(list, given[i]))
            return false;
    return count > 0;
}

void device_list_take(struct device_list *list, cl_uint count, const cl_device_id *given)
{
    list->count = 0;
    for (cl_uint i = 0; i < count; i++)
        if (!device_list_has(list, given[i]))
            list->items[list->count++] = given[i];
}

bool device_list_means(const struct device_list *list, cl_device_id device)
{
    return device ? device_list_has(list, device) : list->count == 1;
}
