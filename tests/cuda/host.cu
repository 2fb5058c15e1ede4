/* A program as people write it: nothing of its host code is run, all of it must compile. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <helper_cuda.h>

texture<float, 2, cudaReadModeElementType> image;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
__constant__ float weights[2];

__global__ void blur(float *out, cudaTextureObject_t object)
{
    out[threadIdx.x] = tex2D(image, 1.0f, 2.0f) + tex2D(colours, 1.0f, 2.0f).x + tex2D<float>(object, 1.0f, 2.0f) + weights[0];
}

extern "C" __global__ void scale(float *values, float factor)
{
    values[threadIdx.x] = fmaxf(values[threadIdx.x] * factor, 0.0f);
}

static void run_graph(cudaStream_t stream, float *values)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    checkCudaErrors(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<1, 4, 0, stream>>>(values, 2.0f);
    checkCudaErrors(cudaStreamEndCapture(stream, &graph));
    checkCudaErrors(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    checkCudaErrors(cudaGraphLaunch(exec, stream));
}

static void bind(cudaArray *array)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource;
    cudaTextureDesc how;
    cudaTextureObject_t object;
    memset(&resource, 0, sizeof resource);
    memset(&how, 0, sizeof how);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.addressMode[0] = cudaAddressModeClamp;
    image.normalized = false;
    image.filterMode = cudaFilterModeLinear;
    checkCudaErrors(cudaMallocArray(&array, &format, 4, 4));
    checkCudaErrors(cudaBindTextureToArray(image, array));
    checkCudaErrors(cudaCreateTextureObject(&object, &resource, &how, NULL));
}

static void prefer_cache(cudaStream_t stream, void *at)
{
    cudaStreamAttrValue value = {};
    cudaEvent_t event;
    int rank;
    value.accessPolicyWindow.base_ptr = at;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    checkCudaErrors(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
    checkCudaErrors(cudaCtxResetPersistingL2Cache());
    checkCudaErrors(cudaEventCreate(&event, cudaEventDisableTiming | cudaEventInterprocess));
    checkCudaErrors(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 0, 1));
}

static void launch_with_attribute(cudaStream_t stream, float *values)
{
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(1), config.blockDim = dim3(4), config.stream = stream;
    config.attrs = &attribute, config.numAttrs = 1;
    checkCudaErrors(cudaLaunchKernelEx(&config, scale, values, 3.0f));
}

int main(int argc, char **argv)
{
    int device = findCudaDevice(argc, (const char **)argv), blocks;
    cudaDeviceProp properties;
    cudaStream_t stream;
    float *values, *host = (float *)malloc(4 * sizeof *host);
    std::vector<float> copy(4, 1.0f);
    assert(host && device >= 0);
    std::sort(copy.begin(), copy.end());
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    checkCudaErrors(cudaStreamCreate(&stream));
    checkCudaErrors(cudaMalloc((void **)&values, 4 * sizeof(float)));
    checkCudaErrors(cudaMemcpyToSymbol(weights, host, sizeof weights));
    checkCudaErrors(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 4, 0));
    scale<<<dim3(1), 4, 0, stream>>>(values, 2.0f);
    getLastCudaError("scale");
    run_graph(stream, values);
    prefer_cache(stream, values);
    launch_with_attribute(stream, values);
    bind(NULL);
    std::cout << properties.name << " " << sqrt(double(blocks)) << std::string("\n");
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    free(host);
    exit(EXIT_SUCCESS);
}
