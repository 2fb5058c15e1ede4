/* Functions for what the device does not have: each returns the error that the specification lists for it
 * (OpenCL 3.0 API, appendix "Optional features"), after the errors of the objects that it was given. */
#include "devices/opencl/opencl.h"

/* ---- Images and samplers, which the device does not have (CL_DEVICE_IMAGE_SUPPORT) ---- */

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                                 const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    (void)flags, (void)image_format, (void)image_desc, (void)host_ptr;
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                               cl_mem_flags flags, const cl_image_format *image_format,
                                               const cl_image_desc *image_desc, void *host_ptr,
                                               cl_int *errcode_ret)
{
    (void)properties, (void)flags, (void)image_format, (void)image_desc, (void)host_ptr;
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags,
                                   const cl_image_format *image_format, size_t image_width,
                                   size_t image_height, size_t image_row_pitch, void *host_ptr,
                                   cl_int *errcode_ret)
{
    (void)flags, (void)image_format, (void)image_width, (void)image_height, (void)image_row_pitch,
        (void)host_ptr;
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags,
                                   const cl_image_format *image_format, size_t image_width,
                                   size_t image_height, size_t image_depth, size_t image_row_pitch,
                                   size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    (void)flags, (void)image_format, (void)image_width, (void)image_height, (void)image_depth,
        (void)image_row_pitch, (void)image_slice_pitch, (void)host_ptr;
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                              cl_mem_object_type image_type, cl_uint num_entries,
                                              cl_image_format *image_formats, cl_uint *num_image_formats)
{
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                               CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR |
                               CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS |
                               CL_MEM_KERNEL_READ_AND_WRITE;
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if ((flags & ~known) || image_type < CL_MEM_OBJECT_IMAGE2D || image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER ||
        (image_formats && num_entries == 0))
        return CL_INVALID_VALUE;
    if (num_image_formats)
        *num_image_formats = 0;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                                  void *param_value, size_t *param_value_size_ret)
{
    (void)image, (void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
    return CL_INVALID_MEM_OBJECT;
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                                      const size_t *origin, const size_t *region, size_t row_pitch,
                                      size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event)
{
    (void)image, (void)blocking_read, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch,
        (void)ptr, (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
    return object_is(command_queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                                       const size_t *origin, const size_t *region, size_t input_row_pitch,
                                       size_t input_slice_pitch, const void *ptr,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    (void)image, (void)blocking_write, (void)origin, (void)region, (void)input_row_pitch,
        (void)input_slice_pitch, (void)ptr, (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
    return object_is(command_queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                                      const size_t *src_origin, const size_t *dst_origin,
                                      const size_t *region, cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event)
{
    (void)src_image, (void)dst_image, (void)src_origin, (void)dst_origin, (void)region,
        (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
    return object_is(command_queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                              cl_mem dst_buffer, const size_t *src_origin,
                                              const size_t *region, size_t dst_offset,
                                              cl_uint num_events_in_wait_list,
                                              const cl_event *event_wait_list, cl_event *event)
{
    (void)src_image, (void)dst_buffer, (void)src_origin, (void)region, (void)dst_offset,
        (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
    return object_is(command_queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                              cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                              const size_t *region, cl_uint num_events_in_wait_list,
                                              const cl_event *event_wait_list, cl_event *event)
{
    (void)src_buffer, (void)dst_image, (void)src_offset, (void)dst_origin, (void)region,
        (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
    return object_is(command_queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                                      const size_t *origin, const size_t *region,
                                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                      cl_event *event)
{
    (void)image, (void)fill_color, (void)origin, (void)region, (void)num_events_in_wait_list,
        (void)event_wait_list, (void)event;
    return object_is(command_queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

void *CL_API_CALL clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                                    cl_map_flags map_flags, const size_t *origin, const size_t *region,
                                    size_t *image_row_pitch, size_t *image_slice_pitch,
                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                    cl_event *event, cl_int *errcode_ret)
{
    (void)image, (void)blocking_map, (void)map_flags, (void)origin, (void)region, (void)image_row_pitch,
        (void)image_slice_pitch, (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
    if (errcode_ret)
        *errcode_ret =
            object_is(command_queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
    return NULL;
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized_coords,
                                       cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                                       cl_int *errcode_ret)
{
    (void)normalized_coords, (void)addressing_mode, (void)filter_mode;
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                     const cl_sampler_properties *sampler_properties,
                                                     cl_int *errcode_ret)
{
    (void)sampler_properties;
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    (void)sampler;
    return CL_INVALID_SAMPLER;
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    (void)sampler;
    return CL_INVALID_SAMPLER;
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret)
{
    (void)sampler, (void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
    return CL_INVALID_SAMPLER;
}

/* ---- Pipes, queues on the device, specialization (optional in OpenCL 3.0) ---- */

cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                                cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                                cl_int *errcode_ret)
{
    (void)flags, (void)pipe_packet_size, (void)pipe_max_packets, (void)properties;
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                                 void *param_value, size_t *param_value_size_ret)
{
    (void)pipe, (void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
    return CL_INVALID_MEM_OBJECT;
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue command_queue)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (device != &opencl_device)
        return CL_INVALID_DEVICE;
    (void)command_queue; /* the device has none, so that it cannot have another */
    return CL_INVALID_OPERATION;
}

cl_int CL_API_CALL clSetProgramReleaseCallback(
    cl_program program, void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data), void *user_data)
{
    (void)pfn_notify, (void)user_data;
    return object_is(program, OBJECT_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                                      const void *spec_value)
{
    (void)spec_id, (void)spec_size, (void)spec_value;
    return object_is(program, OBJECT_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

/* ---- The compiler ---- */

/* Nothing of the compiler is kept between builds. */
cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == &opencl_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
