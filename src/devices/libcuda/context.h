/* Devices and contexts from the inside. */
#pragma once

#include "devices/libcuda/work.h"

#include <stdatomic.h>

#define LIMIT_COUNT 8

struct CUctx_st {
    int is_primary;
    CUdevice device;
    unsigned flags;
    unsigned long long number;
    size_t limits[LIMIT_COUNT];
    int cache_config, shared_config;
    atomic_ullong peers; /* a bit for each device whose memory it may reach */
};

/* CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_DEVICE; CUDA_ERROR_INVALID_VALUE without a place for the
 * result. */
CUresult device_check(const void *result, CUdevice device);
/* The context of the calling thread; NULL: it has none. */
CUcontext context_current(void);
