/* Streams of threads. */
#pragma once

#include "devices/libcudart/runtime.h"

/* What functions whose names end in _ptsz take for a stream: none is that of the calling thread. */
cudaStream_t stream_of_thread(cudaStream_t stream);
