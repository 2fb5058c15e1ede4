/* Events: the driver's. */
#include "devices/libcudart/forward.h"

RUNTIME_FORWARD(cudaEventCreate, (cudaEvent_t * event), cuEventCreate(event, 0))
RUNTIME_FORWARD(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), cuEventCreate(event, flags))
RUNTIME_FORWARD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), cuEventRecord(event, stream))
RUNTIME_FORWARD(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
                cuEventRecordWithFlags(event, stream, flags))
RUNTIME_FORWARD(cudaEventQuery, (cudaEvent_t event), cuEventQuery(event))
RUNTIME_FORWARD(cudaEventSynchronize, (cudaEvent_t event), cuEventSynchronize(event))
RUNTIME_FORWARD(cudaEventDestroy, (cudaEvent_t event), cuEventDestroy_v2(event))
RUNTIME_FORWARD(cudaEventElapsedTime, (float *milliseconds, cudaEvent_t start, cudaEvent_t end),
                cuEventElapsedTime(milliseconds, start, end))
RUNTIME_FORWARD(cudaEventElapsedTime_v2, (float *milliseconds, cudaEvent_t start, cudaEvent_t end),
                cuEventElapsedTime_v2(milliseconds, start, end))
