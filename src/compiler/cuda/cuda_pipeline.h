/* Asynchronous copies to shared memory, as in the CUDA toolkit's cuda_pipeline_primitives.h. */
#pragma once
__HEXEC_HEADER_BEGIN

/* One copy, or one whose `zeros` last bytes are zeros and are not read. */
#define __hexec_copy_async(cache, bytes)                                                                     \
    if (zeros == 0)                                                                                          \
        asm volatile("cp.async." cache ".shared.global [%0], [%1], " bytes ";" ::"r"(at), "l"(source)        \
                     : "memory");                                                                            \
    else                                                                                                     \
        asm volatile("cp.async." cache ".shared.global [%0], [%1], " bytes ", %2;" ::"r"(at), "l"(source),   \
                     "r"(taken)                                                                              \
                     : "memory");
static inline __device__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                                      size_t zeros = 0)
{
    const unsigned int at = (unsigned int)__cvta_generic_to_shared(to), taken = (unsigned int)(bytes - zeros);
    const size_t source = __cvta_generic_to_global(from);
    switch (bytes) {
    case 16:
        __hexec_copy_async("cg", "16");
        break;
    case 8:
        __hexec_copy_async("ca", "8");
        break;
    default:
        __hexec_copy_async("ca", "4");
    }
}
#undef __hexec_copy_async
static inline __device__ void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/* Waits until at most `left` of the last groups are under way. The instruction takes a constant. */
static inline __device__ void __pipeline_wait_prior(size_t left)
{
    switch (left) {
    case 1:
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        break;
    case 2:
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        break;
    case 3:
        asm volatile("cp.async.wait_group 3;" ::: "memory");
        break;
    default: /* fewer are allowed */
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
}
__HEXEC_HEADER_END
