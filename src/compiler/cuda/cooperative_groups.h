/* Groups of threads, as in the CUDA toolkit: blocks, tiles of a warp, coalesced threads; reductions and
 * scans. */
#pragma once

namespace cooperative_groups
{

class thread_block
{
  public:
    __device__ static void sync()
    {
        __syncthreads();
    }
    __device__ static void barrier_wait()
    {
        __syncthreads();
    }
    __device__ static unsigned int thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    __device__ static unsigned int num_threads()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    __device__ static unsigned int size()
    {
        return num_threads();
    }
    __device__ static dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    __device__ static dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    __device__ static dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    __device__ static dim3 dim_threads()
    {
        return group_dim();
    }
};
__device__ static inline thread_block this_thread_block()
{
    return thread_block();
}

class grid_group
{
  public:
    __device__ static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __device__ static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __device__ static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    __device__ static unsigned long long num_threads()
    {
        return num_blocks() * thread_block::num_threads();
    }
    __device__ static unsigned long long size()
    {
        return num_threads();
    }
    __device__ static dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
};
__device__ static inline grid_group this_grid()
{
    return grid_group();
}

/* Threads of one warp: those of `mask`, which are numbered from its lowest lane on. */
class coalesced_group
{
  protected:
    unsigned int mask_;
    __device__ static unsigned int lane()
    {
        return thread_block::thread_rank() & 31;
    }
    __device__ int lane_of(unsigned int rank) const
    {
        unsigned int rest = mask_;
        for (; rank > 0; rank--)
            rest &= rest - 1;
        return __ffs((int)rest) - 1;
    }

  public:
    __device__ explicit coalesced_group(unsigned int mask) : mask_(mask)
    {
    }
    __device__ void sync() const
    {
        __syncwarp(mask_);
    }
    __device__ unsigned int thread_rank() const
    {
        return __popc((int)(mask_ & ((1u << lane()) - 1)));
    }
    __device__ unsigned int num_threads() const
    {
        return __popc((int)mask_);
    }
    __device__ unsigned int size() const
    {
        return num_threads();
    }
    __device__ int any(int truth) const
    {
        return __any_sync(mask_, truth);
    }
    __device__ int all(int truth) const
    {
        return __all_sync(mask_, truth);
    }
    __device__ unsigned int ballot(int truth) const
    {
        unsigned int found = __ballot_sync(mask_, truth), packed = 0, at = 0;
        for (unsigned int rest = mask_; rest; rest &= rest - 1, at++)
            packed |= (found >> (__ffs((int)rest) - 1) & 1) << at;
        return packed;
    }
    template <typename T> __device__ T shfl(T value, unsigned int rank) const
    {
        return __shfl_sync(mask_, value, lane_of(rank % num_threads()));
    }
    template <typename T> __device__ T shfl_down(T value, unsigned int by) const
    {
        const unsigned int rank = thread_rank() + by;
        return __shfl_sync(mask_, value, rank < num_threads() ? lane_of(rank) : (int)lane());
    }
    template <typename T> __device__ T shfl_up(T value, unsigned int by) const
    {
        return __shfl_sync(mask_, value, thread_rank() >= by ? lane_of(thread_rank() - by) : (int)lane());
    }
    template <typename T> __device__ unsigned int match_any(T value) const
    {
        return __match_any_sync(mask_, value);
    }
};
__device__ static inline coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* 1 to 32 neighbouring threads of a warp, a power of two */
template <unsigned int Size, typename Parent = thread_block> class thread_block_tile
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    __device__ static unsigned int lane()
    {
        return thread_block::thread_rank() & 31;
    }
    __device__ static unsigned int mask()
    {
        return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << (lane() & ~(Size - 1));
    }

  public:
    template <typename Group> __device__ explicit thread_block_tile(const Group &)
    {
    }
    __device__ thread_block_tile()
    {
    }
    __device__ void sync() const
    {
        __syncwarp(mask());
    }
    __device__ unsigned int thread_rank() const
    {
        return lane() & (Size - 1);
    }
    __device__ unsigned int meta_group_rank() const
    {
        return thread_block::thread_rank() / Size;
    }
    __device__ unsigned int meta_group_size() const
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
    __device__ int any(int truth) const
    {
        return (__ballot_sync(mask(), truth) & mask()) != 0;
    }
    __device__ int all(int truth) const
    {
        return (__ballot_sync(mask(), truth) & mask()) == mask();
    }
    __device__ unsigned int ballot(int truth) const
    {
        return (__ballot_sync(mask(), truth) & mask()) >> (lane() & ~(Size - 1));
    }
    template <typename T> __device__ T shfl(T value, int rank) const
    {
        return __shfl_sync(mask(), value, rank, (int)Size);
    }
    template <typename T> __device__ T shfl_down(T value, unsigned int by) const
    {
        return __shfl_down_sync(mask(), value, by, (int)Size);
    }
    template <typename T> __device__ T shfl_up(T value, unsigned int by) const
    {
        return __shfl_up_sync(mask(), value, by, (int)Size);
    }
    template <typename T> __device__ T shfl_xor(T value, int by) const
    {
        return __shfl_xor_sync(mask(), value, by, (int)Size);
    }
    template <typename T> __device__ unsigned int match_any(T value) const
    {
        return (__match_any_sync(mask(), value) & mask()) >> (lane() & ~(Size - 1));
    }
};
template <unsigned int Size, typename Group>
__device__ thread_block_tile<Size, Group> tiled_partition(const Group &group)
{
    return thread_block_tile<Size, Group>(group);
}

template <typename Group> __device__ void sync(const Group &group)
{
    group.sync();
}

/* --- reductions and scans ------------------------------------------------------------------------------- */

template <typename T> struct plus {
    __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <typename T> struct less {
    __device__ T operator()(T a, T b) const
    {
        return b < a ? b : a;
    }
};
template <typename T> struct greater {
    __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
template <typename T> struct bit_and {
    __device__ T operator()(T a, T b) const
    {
        return a & b;
    }
};
template <typename T> struct bit_or {
    __device__ T operator()(T a, T b) const
    {
        return a | b;
    }
};
template <typename T> struct bit_xor {
    __device__ T operator()(T a, T b) const
    {
        return a ^ b;
    }
};

template <unsigned int Size, typename Parent, typename T, typename Operation>
__device__ T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation &&operation)
{
    for (unsigned int by = Size / 2; by > 0; by /= 2)
        value = operation(value, tile.shfl_xor(value, (int)by));
    return value;
}
template <typename T, typename Operation>
__device__ T reduce(const coalesced_group &group, T value, Operation &&operation)
{
    T sum = group.shfl(value, 0);
    for (unsigned int i = 1; i < group.num_threads(); i++)
        sum = operation(sum, group.shfl(value, i));
    return sum;
}
template <typename Group, typename T, typename Operation>
__device__ T inclusive_scan(const Group &group, T value, Operation &&operation)
{
    for (unsigned int by = 1; by < group.num_threads(); by *= 2) {
        const T below = group.shfl_up(value, by);
        if (group.thread_rank() >= by)
            value = operation(below, value);
    }
    return value;
}
template <typename Group, typename T> __device__ T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T, typename Operation>
__device__ T exclusive_scan(const Group &group, T value, Operation &&operation)
{
    const T below = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : below;
}
template <typename Group, typename T> __device__ T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}
template <typename Group, typename Operation>
__device__ void invoke_one(const Group &group, Operation &&operation)
{
    if (group.thread_rank() == 0)
        operation();
}

} // namespace cooperative_groups
