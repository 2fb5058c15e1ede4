/* Generic addresses.
 *
 * Takes a generic address, leaves the space whose window it lies in and the address there. An address in no
 * window is one of global memory (PTX ISA, Generic Addressing). */
#include "device/window.h"

enum hx_space window_resolve(uint64_t *address)
{
    static const struct {
        enum hx_space space;
        uint64_t low;
    } windows[] = {
        {SPACE_SHARED, SHARED_WINDOW}, {SPACE_LOCAL, LOCAL_WINDOW}, {SPACE_CONSTANT, CONSTANT_WINDOW}};
    for (size_t i = 0; i < HX_COUNT_OF(windows); i++)
        if (*address - windows[i].low < WINDOW_BYTES) {
            *address -= windows[i].low;
            return windows[i].space;
        }
    return SPACE_GLOBAL;
}

uint64_t window_address(int space, uint64_t address)
{
    return address + (space == SPACE_SHARED     ? SHARED_WINDOW
                      : space == SPACE_LOCAL    ? LOCAL_WINDOW
                      : space == SPACE_CONSTANT ? CONSTANT_WINDOW
                                                : 0);
}
