/* Events: the driver's. */
#include "devices/libcudart/call.h"

RUNTIME_CALL(cudaEventCreate, cuEventCreate(event, 0), cudaEvent_t *event)
RUNTIME_CALL(cudaEventCreateWithFlags, cuEventCreate(event, flags), cudaEvent_t *event, unsigned flags)
RUNTIME_CALL(cudaEventRecord, cuEventRecord(event, stream), cudaEvent_t event, cudaStream_t stream)
RUNTIME_CALL(cudaEventRecordWithFlags, cuEventRecordWithFlags(event, stream, flags), cudaEvent_t event,
             cudaStream_t stream, unsigned flags)
RUNTIME_CALL(cudaEventQuery, cuEventQuery(event), cudaEvent_t event)
RUNTIME_CALL(cudaEventSynchronize, cuEventSynchronize(event), cudaEvent_t event)
RUNTIME_CALL(cudaEventDestroy, cuEventDestroy_v2(event), cudaEvent_t event)
RUNTIME_CALL(cudaEventElapsedTime, cuEventElapsedTime(milliseconds, start, end), float *milliseconds,
             cudaEvent_t start, cudaEvent_t end)
RUNTIME_CALL(cudaEventElapsedTime_v2, cuEventElapsedTime_v2(milliseconds, start, end), float *milliseconds,
             cudaEvent_t start, cudaEvent_t end)
