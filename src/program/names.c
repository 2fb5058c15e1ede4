/* Names, sorted: a file of a million labels must not cost a million times a million comparisons. */
#include "program/names.h"

#include <stdlib.h>
#include <string.h>

static int compare_text(struct slice a, struct slice b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.at, b.at, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = compare_text(x->text, y->text);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

bool names_add(struct names *names, struct slice text, uint32_t number)
{
    return LIST_PUSH(names->allocator, &names->list, (struct name){text, number});
}

void names_sort(struct names *names)
{
    if (names->list.count > 1)
        qsort(names->list.items, names->list.count, sizeof *names->list.items, compare);
}

const struct name *names_find(const struct names *names, struct slice text)
{
    size_t low = 0, high = names->list.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_text(names->list.items[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == names->list.count)
        return NULL;
    const struct name *name = &names->list.items[low];
    return compare_text(name->text, text) == 0 ? name : NULL;
}

const struct name *names_twice(const struct names *names, size_t *at)
{
    for (size_t i = *at > 0 ? *at : 1; i < names->list.count; i++)
        if (compare_text(names->list.items[i - 1].text, names->list.items[i].text) == 0) {
            *at = i + 1;
            return &names->list.items[i];
        }
    return NULL;
}

void names_done(struct names *names)
{
    LIST_DONE(names->allocator, &names->list);
}
