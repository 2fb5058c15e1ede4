/* Asynchronous copies to shared memory, as in the CUDA toolkit's cuda_pipeline_primitives.h. */
#pragma once
__HEXEC_HEADER_BEGIN

/* The `zeros` last of the bytes are zeros and are not read. */
static inline __device__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                                      size_t zeros = 0)
{
    const unsigned int at = (unsigned int)__cvta_generic_to_shared(to), taken = (unsigned int)(bytes - zeros);
    const size_t source = __cvta_generic_to_global(from);
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(source), "r"(taken)
                     : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(source), "r"(taken)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(source), "r"(taken)
                     : "memory");
}
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
