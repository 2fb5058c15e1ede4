/* What two threads access.
 *
 * Takes an address, leaves the name and the bytes of what lies there, for findings. */
#include "check/race/objects.h"

#include "program/program.h"

#include <inttypes.h>
#include <string.h>

static void find_array(hx_checks *checks, struct race_object *object)
{
    const struct array_list *list = &check_kernel_now(checks)->shared;
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        const uint64_t bytes = array->is_dynamic ? check_launch_now(checks)->dynamic_shared
                                                 : array->count * hx_type_bytes(array->type);
        if (object->address - array->offset >= bytes)
            continue;
        text_put(object->name, sizeof object->name, array->name);
        object->low = array->offset;
        object->size = bytes;
        return;
    }
}

static void find_given(struct race_object *object, const struct shared_regions *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        const struct shared_region *const region = &regions->items[i];
        if (!region->is_argument || object->address - region->low >= region->size)
            continue;
        text_put(object->name, sizeof object->name, region->name);
        object->is_given = true;
        object->low = region->low;
        object->size = region->size;
        return;
    }
}

void race_object_find(hx_checks *checks, const struct shared_regions *regions, struct race_object *object)
{
    const struct check_buffer *buffer = object->is_shared ? NULL : check_find_buffer(checks, object->address);
    if (object->is_shared)
        find_array(checks, object);
    if (object->is_shared && !object->name[0])
        find_given(object, regions);
    if (!buffer || object->address - buffer->low >= buffer->size)
        return;
    text_put(object->name, sizeof object->name, buffer->name);
    object->low = buffer->low;
    object->size = buffer->size;
}

void race_object_fill(hx_checks *checks, const struct race_object *object, struct check_words *to)
{
    hx_finding_object *const of = &to->object;
    const int space = object->is_shared ? SPACE_SHARED : SPACE_GLOBAL;
    if (!object->name[0])
        return;
    text_put(to->name, sizeof to->name, object->name);
    of->low = object->low;
    of->size = object->size;
    of->offset = (int64_t)(object->address - object->low);
    of->element_bytes = check_element_bytes(checks, space, object->name);
    if (of->element_bytes == 0)
        of->element_bytes = object->bytes;
    of->element = of->offset / (int64_t)of->element_bytes;
}

void race_object_print(struct text *text, const struct race_object *object, const struct check_words *filled)
{
    const char *const space = object->is_shared ? "shared" : "global";
    if (!object->name[0]) {
        text_print(text, "%s address 0x%" PRIx64, space, object->address);
        return;
    }
    text_print(text, "element %" PRId64 " of ", filled->object.element);
    if (object->is_given)
        text_print(text, "the local memory of argument %s", object->name);
    else if (object->is_shared)
        text_print(text, "shared array '%s'", object->name);
    else
        check_print_buffer(text, object->name);
}
