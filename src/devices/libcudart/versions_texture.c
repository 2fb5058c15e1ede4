/* What textures and surfaces are of: CUDA 13 has flags, behind a longer list of kinds. */
#include "devices/libcudart/texture.h"

#if CUDART_VERSION >= 13000
struct longer_resource {
    int type;
    union {
        int reserved[32];
        size_t alignment;
    } res;
    unsigned flags;
};
void resource_finish(cudaResourceDesc *resource)
{
    ((struct longer_resource *)(void *)resource)->flags = 0;
}
#else
void resource_finish(cudaResourceDesc *resource)
{
    (void)resource;
}
#endif
