/* Groups of threads, as in the CUDA toolkit: blocks, tiles of a warp, coalesced threads; reductions and
 * scans. */
#pragma once
#include <cuda_aligned_size.h>
#include <cuda_pipeline_primitives.h>
__HEXEC_HEADER_BEGIN
#include "cuda_traits.h"

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
    /* Who arrives need not wait at once; here the wait is the whole barrier. */
    struct arrival_token {
    };
    __device__ static arrival_token barrier_arrive()
    {
        return {};
    }
    __device__ static void barrier_wait(arrival_token &&)
    {
        __syncthreads();
    }
};
__device__ static inline thread_block this_thread_block()
{
    return thread_block();
}
/* Large tiles have memory of their own here; programs for GPUs before sm_80 give some. */
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    unsigned int unused;
};
template <unsigned int MaxBlockSize>
__device__ thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return thread_block();
}

#include "cuda_grid_group.h"

/* Threads of one warp: those of `mask`, which are numbered from its lowest lane on. */
class coalesced_group
{
  protected:
    unsigned int mask_, rank_ = 0, count_ = 1; /* which of its parent's parts it is */
    /* A bit for each thread of the group, from a bit for each lane */
    __device__ unsigned int packed(unsigned int lanes) const
    {
        unsigned int bits = 0, at = 0;
        for (unsigned int rest = mask_; rest; rest &= rest - 1, at++)
            bits |= (lanes >> (__ffs((int)rest) - 1) & 1) << at;
        return bits;
    }
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
    __device__ explicit coalesced_group(unsigned int mask, unsigned int rank = 0, unsigned int count = 1)
        : mask_(mask), rank_(rank), count_(count)
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
        return packed(__ballot_sync(mask_, truth));
    }
    template <typename __T> __device__ __T shfl(__T value, unsigned int rank) const
    {
        return __shfl_sync(mask_, value, lane_of(rank % num_threads()));
    }
    template <typename __T> __device__ __T shfl_down(__T value, unsigned int by) const
    {
        const unsigned int rank = thread_rank() + by;
        return __shfl_sync(mask_, value, rank < num_threads() ? lane_of(rank) : (int)lane());
    }
    template <typename __T> __device__ __T shfl_up(__T value, unsigned int by) const
    {
        return __shfl_sync(mask_, value, thread_rank() >= by ? lane_of(thread_rank() - by) : (int)lane());
    }
    template <typename __T> __device__ unsigned int match_any(__T value) const
    {
        return packed(__match_any_sync(mask_, value));
    }
    template <typename __T> __device__ unsigned int match_all(__T value, int &ret_all) const
    {
        return packed(__match_all_sync(mask_, value, &ret_all));
    }
    __device__ unsigned int meta_group_rank() const
    {
        return rank_;
    }
    __device__ unsigned int meta_group_size() const
    {
        return count_;
    }
    __device__ unsigned int __hexec_mask() const
    {
        return mask_;
    }
};
__device__ static inline coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* Which of its parent's threads a thread is, and how many those are */
template <typename Parent> struct __hexec_members {
    __device__ static unsigned int rank()
    {
        return thread_block::thread_rank();
    }
    __device__ static unsigned int count()
    {
        return thread_block::num_threads();
    }
};
/* 1 to 32 neighbouring threads of a warp, a power of two */
template <unsigned int Size, typename Parent> class __hexec_warp_tile
{
    static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "a tile has a power of two of threads");
    __device__ static unsigned int lane()
    {
        return thread_block::thread_rank() & 31;
    }
    __device__ static unsigned int mask()
    {
        return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << (lane() & ~(Size - 1));
    }

  public:
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
        return __hexec_members<Parent>::rank() / Size;
    }
    __device__ unsigned int meta_group_size() const
    {
        return (__hexec_members<Parent>::count() + Size - 1) / Size;
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
    template <typename __T> __device__ __T shfl(__T value, int rank) const
    {
        return __shfl_sync(mask(), value, rank, (int)Size);
    }
    template <typename __T> __device__ __T shfl_down(__T value, unsigned int by) const
    {
        return __shfl_down_sync(mask(), value, by, (int)Size);
    }
    template <typename __T> __device__ __T shfl_up(__T value, unsigned int by) const
    {
        return __shfl_up_sync(mask(), value, by, (int)Size);
    }
    template <typename __T> __device__ __T shfl_xor(__T value, int by) const
    {
        return __shfl_xor_sync(mask(), value, by, (int)Size);
    }
    template <typename __T> __device__ unsigned int match_any(__T value) const
    {
        return (__match_any_sync(mask(), value) & mask()) >> (lane() & ~(Size - 1));
    }
    template <typename __T> __device__ unsigned int match_all(__T value, int &ret_all) const
    {
        return (__match_all_sync(mask(), value, &ret_all) & mask()) >> (lane() & ~(Size - 1));
    }
    __device__ unsigned int __hexec_mask() const
    {
        return mask();
    }
};
#include "cuda_block_tile.h"

template <unsigned int Size, typename Parent = thread_block>
class thread_block_tile : public ::__hexec_std::conditional_t<(Size <= 32), __hexec_warp_tile<Size, Parent>,
                                                              __hexec_block_tile<Size>>
{
  public:
    __device__ thread_block_tile()
    {
    }
    template <typename Group> __device__ explicit thread_block_tile(const Group &)
    {
    }
};
template <unsigned int Size, typename Parent> struct __hexec_members<thread_block_tile<Size, Parent>> {
    __device__ static unsigned int rank()
    {
        return thread_block::thread_rank() & (Size - 1);
    }
    __device__ static unsigned int count()
    {
        return Size;
    }
};
__device__ static inline thread_block_tile<1> this_thread()
{
    return thread_block_tile<1>();
}
template <unsigned int Size, typename Group>
__device__ thread_block_tile<Size, Group> tiled_partition(const Group &group)
{
    return thread_block_tile<Size, Group>(group);
}

/* A group of any kind: a block, or threads of a warp */
class thread_group : public coalesced_group
{
    bool is_block_;

  public:
    __device__ thread_group(const thread_block &) : coalesced_group(0), is_block_(true)
    {
    }
    __device__ thread_group(const coalesced_group &group) : coalesced_group(group), is_block_(false)
    {
    }
    template <unsigned int Size, typename Parent>
    __device__ thread_group(const thread_block_tile<Size, Parent> &tile)
        : coalesced_group(tile.__hexec_mask(), tile.meta_group_rank(), tile.meta_group_size()),
          is_block_(false)
    {
    }
    __device__ bool is_valid() const
    {
        return true;
    }
    __device__ void sync() const
    {
        is_block_ ? thread_block::sync() : coalesced_group::sync();
    }
    __device__ unsigned int thread_rank() const
    {
        return is_block_ ? thread_block::thread_rank() : coalesced_group::thread_rank();
    }
    __device__ unsigned int num_threads() const
    {
        return is_block_ ? thread_block::num_threads() : coalesced_group::num_threads();
    }
    __device__ unsigned int size() const
    {
        return num_threads();
    }
    __device__ bool __hexec_is_block() const
    {
        return is_block_;
    }
};
/* Parts of `size` neighbouring threads: of a block, or of threads of a warp */
__device__ static inline coalesced_group tiled_partition(const coalesced_group &group, unsigned int size)
{
    const unsigned int first = group.thread_rank() / size * size;
    unsigned int rank = 0, mask = 0;
    for (unsigned int rest = group.__hexec_mask(); rest; rest &= rest - 1, rank++)
        if (rank >= first && rank < first + size)
            mask |= rest & -rest;
    return coalesced_group(mask, first / size, (group.num_threads() + size - 1) / size);
}
__device__ static inline coalesced_group tiled_partition(const thread_block &, unsigned int size)
{
    const unsigned int rank = thread_block::thread_rank(), first = (rank & 31) & ~(size - 1);
    return coalesced_group(size == 32 ? 0xffffffffu : ((1u << size) - 1) << first, rank / size,
                           (thread_block::num_threads() + size - 1) / size);
}
__device__ static inline coalesced_group tiled_partition(const thread_group &group, unsigned int size)
{
    return group.__hexec_is_block() ? tiled_partition(thread_block(), size)
                                    : tiled_partition(static_cast<const coalesced_group &>(group), size);
}
/* Those that say the same: true or false, or any number */
template <typename Group> __device__ coalesced_group binary_partition(const Group &group, bool truth)
{
    const unsigned int yes = __ballot_sync(group.__hexec_mask(), truth) & group.__hexec_mask();
    return coalesced_group(truth ? yes : group.__hexec_mask() & ~yes, truth, 2);
}
template <typename Group, typename __T>
__device__ coalesced_group labeled_partition(const Group &group, __T label)
{
    return coalesced_group(__match_any_sync(group.__hexec_mask(), label) & group.__hexec_mask());
}

template <typename Group> __device__ void sync(const Group &group)
{
    group.sync();
}

/* --- copies --------------------------------------------------------------------------------------------- */

template <size_t Alignment> struct aligned_size_t { /* unlike cuda's it need not be named */
    size_t value;
    __device__ aligned_size_t(size_t bytes) : value(bytes)
    {
    }
    __device__ operator size_t() const
    {
        return value;
    }
};
/* What cp.async can copy it does, so that checkers know what is under way. */
template <typename __T> __device__ void __hexec_copy_async(__T *to, const __T *from)
{
    constexpr size_t piece = alignof(__T) >= 16 ? 16 : alignof(__T) >= 8 ? 8 : 4;
    if (alignof(__T) < 4 || !__isShared(to) || !__isGlobal(from)) {
        *to = *from;
        return;
    }
    for (size_t at = 0; at < sizeof(__T); at += piece)
        __pipeline_memcpy_async((char *)to + at, (const char *)from + at, piece);
}
/* The threads of a group copy together; the copy is there after wait. Each copy is a group of cp.async. */
template <typename Group, typename __T>
__device__ void memcpy_async(const Group &group, __T *to, const __T *from, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(__T); i += group.num_threads())
        __hexec_copy_async(to + i, from + i);
    __pipeline_commit();
}
template <typename Group, typename __T>
__device__ void memcpy_async(const Group &group, __T *to, size_t room, const __T *from, size_t count)
{
    memcpy_async(group, to, from, (count < room ? count : room) * sizeof(__T));
}
/* Who says how it is aligned gets copies of that size. */
template <size_t Bytes> struct alignas(Bytes) __hexec_piece {
    unsigned char is[Bytes];
};
template <typename Group, typename __T, size_t Alignment>
__device__ void memcpy_async(const Group &group, __T *to, const __T *from,
                             const aligned_size_t<Alignment> &bytes)
{
    using piece = __hexec_piece<Alignment >= 16 ? 16 : Alignment>;
    memcpy_async(group, (piece *)to, (const piece *)from, bytes.value);
}
template <typename Group, typename __T, size_t Alignment>
__device__ void memcpy_async(const Group &group, __T *to, const __T *from,
                             const ::cuda::aligned_size_t<Alignment> &bytes)
{
    memcpy_async(group, to, from, aligned_size_t<Alignment>(bytes.value));
}
template <unsigned int Left, typename Group> __device__ void wait_prior(const Group &group)
{
    __pipeline_wait_prior(Left);
    group.sync();
}
template <typename Group> __device__ void wait(const Group &group)
{
    wait_prior<0>(group);
}

/* --- reductions and scans ------------------------------------------------------------------------------- */

template <typename __T> struct plus {
    __device__ __T operator()(__T a, __T b) const
    {
        return a + b;
    }
};
template <typename __T> struct less {
    __device__ __T operator()(__T a, __T b) const
    {
        return b < a ? b : a;
    }
};
template <typename __T> struct greater {
    __device__ __T operator()(__T a, __T b) const
    {
        return a < b ? b : a;
    }
};
template <typename __T> struct bit_and {
    __device__ __T operator()(__T a, __T b) const
    {
        return a & b;
    }
};
template <typename __T> struct bit_or {
    __device__ __T operator()(__T a, __T b) const
    {
        return a | b;
    }
};
template <typename __T> struct bit_xor {
    __device__ __T operator()(__T a, __T b) const
    {
        return a ^ b;
    }
};

template <unsigned int Size, typename Parent, typename __T, typename Operation>
__device__ __T reduce(const thread_block_tile<Size, Parent> &tile, __T value, Operation &&operation)
{
    for (unsigned int by = Size / 2; by > 0; by /= 2)
        value = operation(value, tile.shfl_xor(value, (int)by));
    return value;
}
template <typename __T, typename Operation>
__device__ __T reduce(const coalesced_group &group, __T value, Operation &&operation)
{
    __T sum = group.shfl(value, 0);
    for (unsigned int i = 1; i < group.num_threads(); i++)
        sum = operation(sum, group.shfl(value, i));
    return sum;
}
template <typename Group, typename __T, typename Operation>
__device__ __T inclusive_scan(const Group &group, __T value, Operation &&operation)
{
    for (unsigned int by = 1; by < group.num_threads(); by *= 2) {
        const __T below = group.shfl_up(value, by);
        if (group.thread_rank() >= by)
            value = operation(below, value);
    }
    return value;
}
template <typename Group, typename __T> __device__ __T inclusive_scan(const Group &group, __T value)
{
    return inclusive_scan(group, value, plus<__T>());
}
template <typename Group, typename __T, typename Operation>
__device__ __T exclusive_scan(const Group &group, __T value, Operation &&operation)
{
    const __T below = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? __T() : below;
}
template <typename Group, typename __T> __device__ __T exclusive_scan(const Group &group, __T value)
{
    return exclusive_scan(group, value, plus<__T>());
}
/* One thread does it: here the first. */
template <typename Group, typename Operation, typename... Arguments>
__device__ void invoke_one(const Group &group, Operation &&operation, Arguments &&...arguments)
{
    if (group.thread_rank() == 0)
        operation(arguments...);
}
/* ... and tells the others, who are of its warp. */
template <typename Group, typename Operation, typename... Arguments>
__device__ auto invoke_one_broadcast(const Group &group, Operation &&operation, Arguments &&...arguments)
{
    ::__hexec_std::decay_t<decltype(operation(arguments...))> result = {};
    if (group.thread_rank() == 0)
        result = operation(arguments...);
    return group.shfl(result, 0);
}

} // namespace cooperative_groups
__HEXEC_HEADER_END
