/* What the author of a kernel called a variable.
 *
 * Takes the name that a compiler gave it in PTX. clang calls `tile` of OpenCL kernel `blur` blur.tile, which
 * it writes blur_$_tile; `tile` in CUDA function `sum` is _ZZ3sumE4tile, and static `table` in a file
 * _ZL5table (Itanium C++ ABI, 5.1). */
#include "ptx/module.h"

/* "4tile" at the end of a mangled name, with what may follow it: a number for the second one of this name. */
static bool read_last_part(struct slice name, size_t at, struct slice *ret_part)
{
    size_t length = 0;
    while (at < name.length && text_is_digit(name.at[at]) && length < name.length)
        length = 10 * length + (size_t)(name.at[at++] - '0');
    if (length == 0 || length > name.length - at || text_is_digit(name.at[at]))
        return false;
    const size_t end = at + length;
    for (size_t i = end; i < name.length; i++)
        if (name.at[i] != '_' && !text_is_digit(name.at[i]))
            return false;
    *ret_part = (struct slice){name.at + at, length};
    return true;
}

struct slice ptx_written_name(struct slice name)
{
    static const char separator[] = "_$_";
    const size_t width = sizeof separator - 1;
    struct slice part;
    for (size_t i = name.length; i-- > width;)
        if (memcmp(name.at + i - width, separator, width) == 0 && text_is_word(name.at[i]) &&
            !text_is_digit(name.at[i])) /* clang numbers the parts of a structure that it cuts up */
            return (struct slice){name.at + i, name.length - i};
    if (slice_starts_with(name, "_ZL") && read_last_part(name, 3, &part))
        return part;
    for (size_t i = name.length; slice_starts_with(name, "_ZZ") && i-- > 3;)
        if (name.at[i - 1] == 'E' && read_last_part(name, i, &part))
            return part;
    return name;
}
