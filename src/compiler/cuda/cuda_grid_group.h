/* All blocks of a launch as a group: a part of cooperative_groups.h, in its namespace. */
#pragma once

/* Blocks that have arrived, and how often all have. The last one lets the others go. */
static __device__ unsigned int __hexec_arrived;
static __device__ volatile unsigned int __hexec_rounds;

class grid_group
{
  public:
    __device__ static bool is_valid()
    {
        return true;
    }
    /* The round that a block's first thread found; nobody reads that of another thread. */
    struct arrival_token {
        unsigned int round;
    };
    __device__ static arrival_token barrier_arrive()
    {
        unsigned int round = 0;
        asm volatile("notice 19;" ::: "memory"); /* src/check/notes.h */
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            round = __hexec_rounds;
            __threadfence();
            if (atomicAdd(&__hexec_arrived, 1u) == num_blocks() - 1) {
                atomicExch(&__hexec_arrived, 0u);
                __threadfence();
                __hexec_rounds = round + 1;
            }
        }
        return {round};
    }
    __device__ static void barrier_wait(arrival_token &&token)
    {
        if (thread_block::thread_rank() == 0) {
            while (__hexec_rounds == token.round)
                __nanosleep(20);
            __threadfence();
        }
        __syncthreads();
    }
    __device__ static void sync()
    {
        barrier_wait(barrier_arrive());
    }
    __device__ static dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    __device__ static dim3 dim_blocks()
    {
        return group_dim();
    }
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
