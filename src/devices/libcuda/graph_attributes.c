/* Attributes of nodes of kernels, which the nodes keep: what they say is a GPU's, but for clusters, which
 * hexec has none of. */
#include "devices/libcuda/graph.h"

#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES 64 /* CUlaunchAttributeValue */

enum { /* CUlaunchAttributeID, those that nodes have */
       ATTRIBUTE_WINDOW = 1,
       ATTRIBUTE_COOPERATIVE = 2,
       ATTRIBUTE_CLUSTER = 4,
       ATTRIBUTE_CLUSTER_SCHEDULING = 5,
       ATTRIBUTE_PRIORITY = 8,
       ATTRIBUTE_DOMAIN_MAP = 9,
       ATTRIBUTE_DOMAIN = 10,
       ATTRIBUTE_CARVEOUT = 14,
       ATTRIBUTE_COUNT
};
struct node_attributes {
    char values[ATTRIBUTE_COUNT][VALUE_BYTES];
};

static bool is_known(int attribute)
{
    return attribute == ATTRIBUTE_WINDOW || attribute == ATTRIBUTE_COOPERATIVE ||
           attribute == ATTRIBUTE_CLUSTER || attribute == ATTRIBUTE_CLUSTER_SCHEDULING ||
           attribute == ATTRIBUTE_PRIORITY || attribute == ATTRIBUTE_DOMAIN_MAP ||
           attribute == ATTRIBUTE_DOMAIN || attribute == ATTRIBUTE_CARVEOUT;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, int attribute, void *value)
{
    if (!node || node->work.kind != WORK_LAUNCH || !is_known(attribute) || !value)
        return CUDA_ERROR_INVALID_VALUE;
    if (node->attributes)
        memcpy(value, node->attributes->values[attribute], VALUE_BYTES);
    else
        memset(value, 0, VALUE_BYTES);
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute, const void *value)
{
    unsigned cluster[3] = {0};
    if (!node || node->work.kind != WORK_LAUNCH || !is_known(attribute) || !value)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == ATTRIBUTE_CLUSTER)
        memcpy(cluster, value, sizeof cluster);
    if (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!node->attributes)
        node->attributes = calloc(1, sizeof *node->attributes);
    if (!node->attributes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(node->attributes->values[attribute], value, VALUE_BYTES);
    return CUDA_SUCCESS;
}

CUresult attributes_copy(CUgraphNode to, const struct CUgraphNode_st *from)
{
    if (to == from)
        return CUDA_SUCCESS;
    struct node_attributes *copy = NULL;
    if (from->attributes) {
        copy = malloc(sizeof *copy);
        if (!copy)
            return CUDA_ERROR_OUT_OF_MEMORY;
        *copy = *from->attributes;
    }
    free(to->attributes);
    to->attributes = copy;
    return CUDA_SUCCESS;
}

void attributes_free(CUgraphNode node)
{
    free(node->attributes);
    node->attributes = NULL;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    if (!to || !from || to->work.kind != WORK_LAUNCH || from->work.kind != WORK_LAUNCH)
        return CUDA_ERROR_INVALID_VALUE;
    return attributes_copy(to, from);
}
