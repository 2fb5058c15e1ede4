/* Tiles of more than 32 threads, for cooperative_groups.h: neighbouring threads of a block. They exchange
 * values in shared memory, and each tile has an mbarrier there. */
#pragma once
__HEXEC_HEADER_BEGIN

struct __hexec_tile_memory {
    unsigned long long barriers[16], slots[1024]; /* of tiles of 64 threads and more, and of threads */
};
static inline __device__ __hexec_tile_memory &__hexec_memory_of_tiles()
{
    __shared__ __hexec_tile_memory memory;
    return memory;
}

template <unsigned int Size> class __hexec_block_tile
{
    static_assert(Size >= 64 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "a tile has a power of two of threads, 1024 at most");
    __device__ static unsigned int rank_in_block()
    {
        return thread_block::thread_rank();
    }
    __device__ static unsigned int barrier()
    {
        return (unsigned int)__cvta_generic_to_shared(
            &__hexec_memory_of_tiles().barriers[rank_in_block() / Size]);
    }
    /* The value of the thread of the tile with this rank */
    template <typename __T> __device__ __T value_of(__T value, unsigned int rank) const
    {
        constexpr unsigned int words = (sizeof(__T) + 7) / 8;
        unsigned long long parts[words] = {};
        memcpy(parts, &value, sizeof value);
        unsigned long long *slots = __hexec_memory_of_tiles().slots;
        for (unsigned int i = 0; i < words; i++) {
            slots[rank_in_block()] = parts[i];
            sync();
            parts[i] = slots[rank_in_block() / Size * Size + rank];
            sync();
        }
        memcpy(&value, parts, sizeof value);
        return value;
    }

  public:
    /* All threads of the block make their tiles together. */
    __device__ __hexec_block_tile()
    {
        if (thread_rank() == 0)
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier()), "r"(Size) : "memory");
        __syncthreads();
    }
    __device__ static void sync()
    {
        unsigned long long token;
        int over;
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1];"
                     : "=l"(token)
                     : "r"(barrier())
                     : "memory");
        do
            asm volatile("{ .reg .pred p; mbarrier.try_wait.acquire.cta.shared::cta.b64 p, [%1], %2; "
                         "selp.b32 %0, 1, 0, p; }"
                         : "=r"(over)
                         : "r"(barrier()), "l"(token)
                         : "memory");
        while (!over);
    }
    __device__ static unsigned int thread_rank()
    {
        return rank_in_block() & (Size - 1);
    }
    __device__ static unsigned int meta_group_rank()
    {
        return rank_in_block() / Size;
    }
    __device__ static unsigned int meta_group_size()
    {
        return (thread_block::num_threads() + Size - 1) / Size;
    }
    __device__ static constexpr unsigned int num_threads()
    {
        return Size;
    }
    __device__ static constexpr unsigned int size()
    {
        return Size;
    }
    template <typename __T> __device__ __T shfl(__T value, int rank) const
    {
        return value_of(value, (unsigned int)rank & (Size - 1));
    }
    template <typename __T> __device__ __T shfl_down(__T value, unsigned int by) const
    {
        return value_of(value, thread_rank() + by < Size ? thread_rank() + by : thread_rank());
    }
    template <typename __T> __device__ __T shfl_up(__T value, unsigned int by) const
    {
        return value_of(value, thread_rank() >= by ? thread_rank() - by : thread_rank());
    }
    template <typename __T> __device__ __T shfl_xor(__T value, int by) const
    {
        return value_of(value, (thread_rank() ^ (unsigned int)by) & (Size - 1));
    }
    __device__ int any(int truth) const
    {
        int found = truth != 0;
        for (unsigned int by = Size / 2; by > 0; by /= 2)
            found |= shfl_xor(found, (int)by);
        return found;
    }
    __device__ int all(int truth) const
    {
        return !any(!truth);
    }
};
__HEXEC_HEADER_END
