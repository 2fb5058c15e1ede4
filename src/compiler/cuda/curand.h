/* The host's functions of the CUDA toolkit's curand.h, which are declared, so that files with them compile.
 */
#pragma once
#include "curand_types.h"

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandDestroyGenerator(curandGenerator_t generator);
curandStatus_t curandGetVersion(int *version);
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream);
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed);
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset);
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order);
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int count);
curandStatus_t curandGenerateSeeds(curandGenerator_t generator);
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out, size_t count);
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *out, size_t count);
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t count);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t count);
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t count, float mean,
                                    float deviation);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t count, double mean,
                                          double deviation);
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t count, float mean,
                                       float deviation);
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t count,
                                             double mean, double deviation);
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *out, size_t count,
                                     double lambda);
}
