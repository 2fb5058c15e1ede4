/* The platform and its one device: what they are, and hexec's device behind them.
 *
 * The device is the process's: OpenCL hands out one for all contexts. It is made when the first context needs
 * it, so that a program that only lists devices starts no threads. */
#include "devices/opencl/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct _cl_platform_id opencl_platform = {&opencl_dispatch};

#define MEGABYTE      (UINT64_C(1) << 20)
#define SHARED_BYTES  (48 * 1024)
#define BLOCK_THREADS 1024
#define EXTENSIONS                                                                                           \
    "cl_khr_icd cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "                      \
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "                                   \
    "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_byte_addressable_store "                 \
    "cl_khr_fp64 cl_khr_fp16 cl_khr_3d_image_writes cl_khr_image2d_from_buffer cl_khr_subgroups "            \
    "cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote "                                       \
    "cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle "                 \
    "cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce "                                     \
    "cl_intel_required_subgroup_size"
#define VERSION_OF(a, b) CL_MAKE_VERSION(a, b, 0)

/* ---- hexec's device ------------------------------------------------------------------------------------ */

static pthread_once_t made = PTHREAD_ONCE_INIT;
static hx_isa *isa;
static hx_device *device;
static hx_session *session;
static pid_t process; /* that made them */
static atomic_bool is_child;

static hx_status print(void *user, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, user) == bytes ? HX_OK : HX_IO;
}

void device_complain(const hx_diag *diag)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        (void)hx_diagnostic_render(hx_diag_at(diag, i), NULL, print, stderr);
}

/* A child that was forked has none of the threads that work is done by, and whatever the parent's threads
 * had locked stays locked: it has no device. */
static void be_child(void)
{
    atomic_store(&is_child, true);
}

bool device_is_lost(void)
{
    return atomic_load(&is_child);
}

static void make(void)
{
    hx_diag *diag = NULL;
    const hx_device_options options = {.size = sizeof options};
    hx_status status = hx_diag_new(NULL, &diag);
    process = getpid();
    if (status == HX_OK)
        status = hx_isa_load(NULL, NULL, diag, &isa);
    if (status == HX_OK)
        status = hx_device_new(&options, diag, &device);
    if (status == HX_OK)
        status = hx_session_new(NULL, diag, &session);
    if (status == HX_OK)
        status = hx_session_follow(session, device, diag);
    hx_device_may_change(device, launch_may_change, NULL);
    if (status == HX_OK)
        opencl_watch_calls(session);
    (void)pthread_atfork(NULL, NULL, be_child);
    device_complain(diag);
    hx_diag_free(diag);
}

/* When the process ends, by whatever call of exit, or the driver is unloaded; a child that was forked has
 * done nothing itself. */
__attribute__((destructor)) static void report(void)
{
    hx_diag *diag = NULL;
    if (!session || process != getpid() || hx_diag_new(NULL, &diag) != HX_OK)
        return;
    if (hx_session_report(session, diag, print, stderr) != HX_OK)
        device_complain(diag);
    hx_diag_free(diag);
}

hx_session *device_session(void)
{
    pthread_once(&made, make);
    return session;
}

hx_device *device_get(void)
{
    pthread_once(&made, make);
    return device_is_lost() ? NULL : device;
}

const hx_isa *device_isa(void)
{
    pthread_once(&made, make);
    return isa;
}

/* ---- The platform -------------------------------------------------------------------------------------- */

cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((num_entries == 0 && platforms) || (!platforms && !num_platforms))
        return CL_INVALID_VALUE;
    if (platforms)
        platforms[0] = &opencl_platform;
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t room, void *value,
                                     size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (platform && platform != &opencl_platform)
        return CL_INVALID_PLATFORM;
    switch (name) {
    case CL_PLATFORM_PROFILE:
        return answer_text(&answer, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return answer_text(&answer, "OpenCL 3.0 hexec");
    case CL_PLATFORM_NUMERIC_VERSION:
        return ANSWER(&answer, cl_version, VERSION_OF(3, 0));
    case CL_PLATFORM_NAME:
        return answer_text(&answer, "hexec");
    case CL_PLATFORM_VENDOR:
        return answer_text(&answer, "hexec");
    case CL_PLATFORM_EXTENSIONS:
        return answer_text(&answer, "cl_khr_icd");
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return ANSWER(&answer, cl_name_version, VERSION_OF(1, 0), "cl_khr_icd");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return ANSWER(&answer, cl_ulong, 1);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return answer_text(&answer, "HEXEC");
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                                  cl_device_id *devices, cl_uint *num_devices)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (platform && platform != &opencl_platform)
        return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~known)))
        return CL_INVALID_DEVICE_TYPE;
    if ((num_entries == 0 && devices) || (!devices && !num_devices))
        return CL_INVALID_VALUE;
    const bool is_wanted =
        type == CL_DEVICE_TYPE_ALL || (type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU));
    const struct device_list *all = device_list_all();
    if (num_devices)
        *num_devices = is_wanted ? all->count : 0;
    if (!is_wanted)
        return CL_DEVICE_NOT_FOUND;
    for (cl_uint i = 0; devices && i < all->count && i < num_entries; i++)
        devices[i] = all->items[i];
    return CL_SUCCESS;
}

/* ---- What the device is -------------------------------------------------------------------------------- */

/* Read once: it takes milliseconds, and each buffer that is made needs its memory. */
static hx_machine machine = {.size = sizeof machine};

static void read_machine(void)
{
    hx_machine_read(&machine);
}

static const hx_machine *machine_of(void)
{
    static pthread_once_t read = PTHREAD_ONCE_INIT;
    pthread_once(&read, read_machine);
    return &machine;
}

/* Half of the machine's memory: buffers are its memory, and the other half is the application's. */
static cl_ulong memory_bytes(void)
{
    const cl_ulong half = machine_of()->memory_bytes / 2;
    return half > 256 * MEGABYTE ? half : 256 * MEGABYTE;
}

static cl_int tell_extensions(const struct answer *answer)
{
    static const char text[] = EXTENSIONS;
    cl_name_version list[32] = {0};
    size_t count = 0;
    for (const char *at = text; *at && count < sizeof list / sizeof *list; count++) {
        const size_t length = strcspn(at, " ");
        list[count].version = VERSION_OF(1, 0);
        memcpy(list[count].name, at, length);
        at += length + (at[length] == ' ');
    }
    return answer_bytes(answer, list, count * sizeof *list);
}

/* Of OpenCL C 3.0; the prelude of the compiler has macros of the same names. */
static cl_int tell_features(const struct answer *answer)
{
    static const cl_name_version list[] = {{VERSION_OF(3, 0), "__opencl_c_3d_image_writes"},
                                           {VERSION_OF(3, 0), "__opencl_c_images"},
                                           {VERSION_OF(3, 0), "__opencl_c_read_write_images"},
                                           {VERSION_OF(3, 0), "__opencl_c_atomic_order_acq_rel"},
                                           {VERSION_OF(3, 0), "__opencl_c_atomic_order_seq_cst"},
                                           {VERSION_OF(3, 0), "__opencl_c_atomic_scope_all_devices"},
                                           {VERSION_OF(3, 0), "__opencl_c_atomic_scope_device"},
                                           {VERSION_OF(3, 0), "__opencl_c_fp64"},
                                           {VERSION_OF(3, 0), "__opencl_c_generic_address_space"},
                                           {VERSION_OF(3, 0), "__opencl_c_int64"},
                                           {VERSION_OF(3, 0), "__opencl_c_program_scope_global_variables"},
                                           {VERSION_OF(3, 0), "__opencl_c_subgroups"},
                                           {VERSION_OF(3, 0), "__opencl_c_work_group_collective_functions"}};
    return answer_bytes(answer, list, sizeof list);
}

static cl_int tell_languages(const struct answer *answer)
{
    static const cl_name_version list[] = {{VERSION_OF(1, 0), "OpenCL C"},
                                           {VERSION_OF(1, 1), "OpenCL C"},
                                           {VERSION_OF(1, 2), "OpenCL C"},
                                           {VERSION_OF(3, 0), "OpenCL C"}};
    return answer_bytes(answer, list, sizeof list);
}

/* Numbers of 32 bits: X(name, value). */
#define UINT_QUERIES(X)                                                                                      \
    X(VENDOR_ID, 0x4858)                                                                                     \
    X(MAX_WORK_ITEM_DIMENSIONS, 3)                                                                           \
    X(PREFERRED_VECTOR_WIDTH_CHAR, 1)                                                                        \
    X(PREFERRED_VECTOR_WIDTH_SHORT, 1)                                                                       \
    X(PREFERRED_VECTOR_WIDTH_INT, 1)                                                                         \
    X(PREFERRED_VECTOR_WIDTH_LONG, 1)                                                                        \
    X(PREFERRED_VECTOR_WIDTH_FLOAT, 1)                                                                       \
    X(PREFERRED_VECTOR_WIDTH_DOUBLE, 1)                                                                      \
    X(PREFERRED_VECTOR_WIDTH_HALF, 1)                                                                        \
    X(NATIVE_VECTOR_WIDTH_CHAR, 1)                                                                           \
    X(NATIVE_VECTOR_WIDTH_SHORT, 1)                                                                          \
    X(NATIVE_VECTOR_WIDTH_INT, 1)                                                                            \
    X(NATIVE_VECTOR_WIDTH_LONG, 1)                                                                           \
    X(NATIVE_VECTOR_WIDTH_FLOAT, 1)                                                                          \
    X(NATIVE_VECTOR_WIDTH_DOUBLE, 1)                                                                         \
    X(NATIVE_VECTOR_WIDTH_HALF, 1)                                                                           \
    X(MAX_CLOCK_FREQUENCY, 1000)                                                                             \
    X(ADDRESS_BITS, 64)                                                                                      \
    X(MAX_READ_IMAGE_ARGS, 128)                                                                              \
    X(MAX_WRITE_IMAGE_ARGS, 64)                                                                              \
    X(MAX_READ_WRITE_IMAGE_ARGS, 64)                                                                         \
    X(MAX_SAMPLERS, 16)                                                                                      \
    X(IMAGE_PITCH_ALIGNMENT, 1)                                                                              \
    X(IMAGE_BASE_ADDRESS_ALIGNMENT, 1)                                                                       \
    X(MEM_BASE_ADDR_ALIGN, 1024)                                                                             \
    X(MIN_DATA_TYPE_ALIGN_SIZE, 128)                                                                         \
    X(GLOBAL_MEM_CACHELINE_SIZE, 64)                                                                         \
    X(MAX_CONSTANT_ARGS, 16)                                                                                 \
    X(MAX_PIPE_ARGS, 0)                                                                                      \
    X(PIPE_MAX_ACTIVE_RESERVATIONS, 0)                                                                       \
    X(PIPE_MAX_PACKET_SIZE, 0)                                                                               \
    X(PARTITION_MAX_SUB_DEVICES, 0)                                                                          \
    X(REFERENCE_COUNT, 1)                                                                                    \
    X(MAX_NUM_SUB_GROUPS, 32)                                                                                \
    X(PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0)                                                                \
    X(PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0)                                                                  \
    X(PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0)                                                                   \
    X(QUEUE_ON_DEVICE_PREFERRED_SIZE, 0)                                                                     \
    X(QUEUE_ON_DEVICE_MAX_SIZE, 0)                                                                           \
    X(MAX_ON_DEVICE_QUEUES, 0)                                                                               \
    X(MAX_ON_DEVICE_EVENTS, 0)                                                                               \
    X(GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE)                                                            \
    X(LOCAL_MEM_TYPE, CL_LOCAL)

#define BOOL_QUERIES(X)                                                                                      \
    X(IMAGE_SUPPORT, CL_TRUE)                                                                                \
    X(ERROR_CORRECTION_SUPPORT, CL_FALSE)                                                                    \
    X(HOST_UNIFIED_MEMORY, CL_FALSE)                                                                         \
    X(ENDIAN_LITTLE, CL_TRUE)                                                                                \
    X(AVAILABLE, CL_TRUE)                                                                                    \
    X(COMPILER_AVAILABLE, CL_TRUE)                                                                           \
    X(LINKER_AVAILABLE, CL_TRUE)                                                                             \
    X(PREFERRED_INTEROP_USER_SYNC, CL_TRUE)                                                                  \
    X(SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_TRUE)                                                       \
    X(NON_UNIFORM_WORK_GROUP_SUPPORT, CL_TRUE)                                                               \
    X(WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_TRUE)                                                      \
    X(GENERIC_ADDRESS_SPACE_SUPPORT, CL_TRUE)                                                                \
    X(PIPE_SUPPORT, CL_FALSE)

#define SIZE_QUERIES(X)                                                                                      \
    X(MAX_WORK_GROUP_SIZE, BLOCK_THREADS)                                                                    \
    X(IMAGE2D_MAX_WIDTH, IMAGE_FLAT_MOST)                                                                    \
    X(IMAGE2D_MAX_HEIGHT, IMAGE_FLAT_MOST)                                                                   \
    X(IMAGE3D_MAX_WIDTH, IMAGE_DEEP_MOST)                                                                    \
    X(IMAGE3D_MAX_HEIGHT, IMAGE_DEEP_MOST)                                                                   \
    X(IMAGE3D_MAX_DEPTH, IMAGE_DEEP_MOST)                                                                    \
    X(IMAGE_MAX_BUFFER_SIZE, IMAGE_BUFFER_MOST)                                                              \
    X(IMAGE_MAX_ARRAY_SIZE, IMAGE_LAYERS_MOST)                                                               \
    X(MAX_PARAMETER_SIZE, 4096)                                                                              \
    X(PROFILING_TIMER_RESOLUTION, 1)                                                                         \
    X(PRINTF_BUFFER_SIZE, MEGABYTE)                                                                          \
    X(PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 32)                                                                \
    X(MAX_GLOBAL_VARIABLE_SIZE, MEGABYTE)                                                                    \
    X(GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, MEGABYTE)

#define FLOATS (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA)
#define ATOMICS                                                                                              \
    (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |      \
     CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)
/* Numbers of 64 bits, and sets of bits. */
#define ULONG_QUERIES(X)                                                                                     \
    X(MAX_MEM_ALLOC_SIZE, memory_bytes() / 2)                                                                \
    X(GLOBAL_MEM_SIZE, memory_bytes())                                                                       \
    X(GLOBAL_MEM_CACHE_SIZE, machine_of()->cache_bytes[1])                                                   \
    X(MAX_CONSTANT_BUFFER_SIZE, 64 * 1024)                                                                   \
    X(LOCAL_MEM_SIZE, SHARED_BYTES)                                                                          \
    X(TYPE, CL_DEVICE_TYPE_GPU)                                                                              \
    X(EXECUTION_CAPABILITIES, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL)                                        \
    X(QUEUE_ON_HOST_PROPERTIES, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)          \
    X(QUEUE_ON_DEVICE_PROPERTIES, 0)                                                                         \
    X(SINGLE_FP_CONFIG, FLOATS | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)                                        \
    X(DOUBLE_FP_CONFIG, FLOATS | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF)                                   \
    X(HALF_FP_CONFIG, FLOATS)                                                                                \
    X(PARTITION_AFFINITY_DOMAIN, 0)                                                                          \
    X(SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER)                 \
    X(DEVICE_ENQUEUE_CAPABILITIES, 0)                                                                        \
    X(ATOMIC_MEMORY_CAPABILITIES, ATOMICS)                                                                   \
    X(ATOMIC_FENCE_CAPABILITIES, ATOMICS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM)

static cl_int tell_numbers(cl_device_info name, const struct answer *answer)
{
    switch (name) {
#define UINT_CASE(NAME, number)                                                                              \
    case CL_DEVICE_##NAME:                                                                                   \
        return ANSWER(answer, cl_uint, number);
        UINT_QUERIES(UINT_CASE)
        BOOL_QUERIES(UINT_CASE)
#define SIZE_CASE(NAME, number)                                                                              \
    case CL_DEVICE_##NAME:                                                                                   \
        return ANSWER(answer, size_t, number);
        SIZE_QUERIES(SIZE_CASE)
#define ULONG_CASE(NAME, number)                                                                             \
    case CL_DEVICE_##NAME:                                                                                   \
        return ANSWER(answer, cl_ulong, number);
        ULONG_QUERIES(ULONG_CASE)
    default:
        return CL_INVALID_VALUE;
    }
}

static bool is_device(cl_device_id given)
{
    return device_list_has(device_list_all(), given);
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id given, cl_device_info name, size_t room, void *value,
                                   size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!is_device(given))
        return CL_INVALID_DEVICE;
    switch (name) {
    case CL_DEVICE_NAME:
        return answer_text(&answer, "hexec virtual GPU");
    case CL_DEVICE_VENDOR:
        return answer_text(&answer, "hexec");
    case CL_DRIVER_VERSION:
        return answer_text(&answer, hx_version());
    case CL_DEVICE_PROFILE:
        return answer_text(&answer, "FULL_PROFILE");
    case CL_DEVICE_VERSION:
        return answer_text(&answer, "OpenCL 3.0 hexec");
    case CL_DEVICE_OPENCL_C_VERSION:
        return answer_text(&answer, "OpenCL C 1.2 hexec");
    case CL_DEVICE_EXTENSIONS:
        return answer_text(&answer, EXTENSIONS);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return tell_extensions(&answer);
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
        return ANSWER(&answer, size_t, 32);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return tell_languages(&answer);
    case CL_DEVICE_NUMERIC_VERSION:
        return ANSWER(&answer, cl_version, VERSION_OF(3, 0));
    case CL_DEVICE_BUILT_IN_KERNELS:
    case CL_DEVICE_IL_VERSION:
        return answer_text(&answer, "");
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: /* none, in the form that the suite reads */
        return answer_text(&answer, "v0000-01-01-00");
    case CL_DEVICE_OPENCL_C_FEATURES:
        return tell_features(&answer);
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        return answer_bytes(&answer, NULL, 0);
    case CL_DEVICE_PLATFORM:
        return ANSWER(&answer, cl_platform_id, &opencl_platform);
    case CL_DEVICE_PARENT_DEVICE:
        return ANSWER(&answer, cl_device_id, NULL);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE:
        return ANSWER(&answer, cl_device_partition_property, 0);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return ANSWER(&answer, cl_uint, machine_of()->cores);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return answer_bytes(&answer, (const size_t[]){BLOCK_THREADS, BLOCK_THREADS, 64}, 3 * sizeof(size_t));
    default:
        return tell_numbers(name, &answer);
    }
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id given, const cl_device_partition_property *properties,
                                      cl_uint room, cl_device_id *devices, cl_uint *ret_count)
{
    (void)properties, (void)room, (void)devices, (void)ret_count;
    return is_device(given) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}
/* A device that is no part of another has no references to count. */
cl_int CL_API_CALL clRetainDevice(cl_device_id given)
{
    return is_device(given) ? CL_SUCCESS : CL_INVALID_DEVICE;
}
cl_int CL_API_CALL clReleaseDevice(cl_device_id given)
{
    return is_device(given) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static cl_ulong now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000 + (cl_ulong)now.tv_nsec;
}

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id given, cl_ulong *ret_device, cl_ulong *ret_host)
{
    if (!is_device(given))
        return CL_INVALID_DEVICE;
    if (!ret_device || !ret_host)
        return CL_INVALID_VALUE;
    *ret_device = *ret_host = now_ns();
    return CL_SUCCESS;
}
cl_int CL_API_CALL clGetHostTimer(cl_device_id given, cl_ulong *ret_host)
{
    if (!is_device(given))
        return CL_INVALID_DEVICE;
    if (!ret_host)
        return CL_INVALID_VALUE;
    *ret_host = now_ns();
    return CL_SUCCESS;
}
