/* __nv_atomic_load_n and the like, which nvcc has without an include (CUDA C++ Programming Guide, "Atomic
 * Functions"). It is put before programs that name one. */
#pragma once
#include <cuda/atomic>
__HEXEC_HEADER_BEGIN

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};
#define __NV_THREAD_SCOPE_THREAD  __NV_THREAD_SCOPE_THREAD
#define __NV_THREAD_SCOPE_BLOCK   __NV_THREAD_SCOPE_BLOCK
#define __NV_THREAD_SCOPE_CLUSTER __NV_THREAD_SCOPE_CLUSTER
#define __NV_THREAD_SCOPE_DEVICE  __NV_THREAD_SCOPE_DEVICE
#define __NV_THREAD_SCOPE_SYSTEM  __NV_THREAD_SCOPE_SYSTEM

template <typename __T> struct __hexec_itself {
    using type = __T;
};
template <typename __T> using __hexec_same = typename __hexec_itself<::__hexec_std::remove_cv_t<__T>>::type;
template <cuda::thread_scope __S, typename __T>
__device__ cuda::atomic_ref<__T, __S> __hexec_atomic(const volatile __T *at)
{
    return cuda::atomic_ref<__T, __S>(*const_cast<__T *>(at));
}
/* A cluster is as large as a device here. */
#define __hexec_by_scope(...)                                                                                \
    switch (scope) {                                                                                         \
    case __NV_THREAD_SCOPE_THREAD:                                                                           \
        return __hexec_atomic<cuda::thread_scope_thread>(at).__VA_ARGS__;                                    \
    case __NV_THREAD_SCOPE_BLOCK:                                                                            \
        return __hexec_atomic<cuda::thread_scope_block>(at).__VA_ARGS__;                                     \
    case __NV_THREAD_SCOPE_SYSTEM:                                                                           \
        return __hexec_atomic<cuda::thread_scope_system>(at).__VA_ARGS__;                                    \
    default:                                                                                                 \
        return __hexec_atomic<cuda::thread_scope_device>(at).__VA_ARGS__;                                    \
    }
template <typename __T>
__device__ __hexec_same<__T> __nv_atomic_load_n(__T *at, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __hexec_by_scope(load((cuda::memory_order)order));
}
template <typename __T>
__device__ void __nv_atomic_store_n(__T *at, __hexec_same<__T> value, int order,
                                    int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __hexec_by_scope(store(value, (cuda::memory_order)order));
}
template <typename __T>
__device__ bool __nv_atomic_compare_exchange_n(__T *at, __hexec_same<__T> *expected, __hexec_same<__T> value,
                                               bool, int success, int failure,
                                               int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __hexec_by_scope(
        compare_exchange_strong(*expected, value, (cuda::memory_order)success, (cuda::memory_order)failure));
}
#define __hexec_changes(NAME, MEMBER)                                                                        \
    template <typename __T>                                                                                  \
    __device__ __hexec_same<__T> __nv_atomic_##NAME(__T *at, __hexec_same<__T> value, int order,             \
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM)                    \
    {                                                                                                        \
        __hexec_by_scope(MEMBER(value, (cuda::memory_order)order));                                          \
    }
__hexec_changes(exchange_n, exchange);
__hexec_changes(fetch_add, fetch_add);
__hexec_changes(fetch_sub, fetch_sub);
__hexec_changes(fetch_and, fetch_and);
__hexec_changes(fetch_or, fetch_or);
__hexec_changes(fetch_xor, fetch_xor);
__hexec_changes(fetch_min, fetch_min);
__hexec_changes(fetch_max, fetch_max);
#undef __hexec_changes
#undef __hexec_by_scope
template <typename __T>
__device__ void __nv_atomic_load(__T *at, __hexec_same<__T> *ret_value, int order,
                                 int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *ret_value = __nv_atomic_load_n(at, order, scope);
}
template <typename __T>
__device__ void __nv_atomic_store(__T *at, __hexec_same<__T> *value, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __nv_atomic_store_n(at, *value, order, scope);
}
template <typename __T>
__device__ void __nv_atomic_exchange(__T *at, __hexec_same<__T> *value, __hexec_same<__T> *ret_value,
                                     int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *ret_value = __nv_atomic_exchange_n(at, *value, order, scope);
}
template <typename __T>
__device__ bool __nv_atomic_compare_exchange(__T *at, __hexec_same<__T> *expected, __hexec_same<__T> *value,
                                             bool is_weak, int success, int failure,
                                             int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return __nv_atomic_compare_exchange_n(at, expected, *value, is_weak, success, failure, scope);
}
static inline __device__ void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    cuda::atomic_thread_fence((cuda::memory_order)order,
                              scope == __NV_THREAD_SCOPE_THREAD   ? cuda::thread_scope_thread
                              : scope == __NV_THREAD_SCOPE_BLOCK  ? cuda::thread_scope_block
                              : scope == __NV_THREAD_SCOPE_SYSTEM ? cuda::thread_scope_system
                                                                  : cuda::thread_scope_device);
}
__HEXEC_HEADER_END
