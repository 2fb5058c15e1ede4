/* Standard records: what programs that compute record, under the same names everywhere.
 *
 * Each is an event of its own call site. Sizes are given in bytes and in binary thousands of them (a kb is
 * 1024 bytes), rates per second of the duration; a rate over no time at all is left out. */
#include "hexec/trace.h"

#if HX_TRACING
#define KB              1024.0
#define MEMORY          "hexec::memory"
#define EXEC            "hexec::exec"
#define US(ns)          ((ns) / 1000)
#define MS(ns)          ((double)(ns) / 1e6)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* The last `rates` fields are per second: they are left out when no time has passed. */
static void emit(hx_callsite *site, const hx_field *fields, size_t count, size_t rates, uint64_t duration_ns)
{
    if (hx_trace_wanted(site))
        hx_trace_record_event(site, fields, count - (duration_ns == 0 ? rates : 0));
}

static double per_second(double amount, uint64_t duration_ns)
{
    return duration_ns ? amount / ((double)duration_ns * 1e-9) : 0;
}

void hx_record_allocation(uint64_t size_bytes, const char *pool_type, uint64_t alignment,
                          uint64_t duration_ns)
{
    static hx_callsite site = {.target = MEMORY, .name = "allocation", .level = HX_DEBUG};
    const hx_field fields[] = {HX_U64("size_bytes", size_bytes), HX_F64("size_kb", (double)size_bytes / KB),
                               HX_STR("pool_type", pool_type), HX_U64("alignment", alignment),
                               HX_U64("duration_us", US(duration_ns))};
    emit(&site, fields, COUNT_OF(fields), 0, duration_ns);
}

void hx_record_transfer(uint64_t bytes, const char *direction, uint64_t duration_ns)
{
    static hx_callsite site = {.target = MEMORY, .name = "transfer", .level = HX_DEBUG};
    double mb = (double)bytes / (KB * KB), mbps = per_second(mb, duration_ns);
    const hx_field fields[] = {HX_U64("bytes", bytes),
                               HX_F64("kb", (double)bytes / KB),
                               HX_F64("mb", mb),
                               HX_STR("direction", direction),
                               HX_U64("duration_us", US(duration_ns)),
                               HX_F64("duration_ms", MS(duration_ns)),
                               HX_F64("bandwidth_mbps", mbps),
                               HX_F64("bandwidth_gbps", mbps / KB)};
    emit(&site, fields, COUNT_OF(fields), 2, duration_ns);
}

void hx_record_execution(uint64_t instruction_count, uint64_t duration_ns)
{
    static hx_callsite site = {.target = EXEC, .name = "execution", .level = HX_DEBUG};
    const hx_field fields[] = {
        HX_U64("instruction_count", instruction_count), HX_U64("duration_us", US(duration_ns)),
        HX_F64("duration_ms", MS(duration_ns)),
        HX_F64("instructions_per_sec", per_second((double)instruction_count, duration_ns))};
    emit(&site, fields, COUNT_OF(fields), 1, duration_ns);
}

void hx_record_throughput(const char *operation, uint64_t elements, uint64_t duration_ns)
{
    static hx_callsite site = {.target = EXEC, .name = "throughput", .level = HX_DEBUG};
    double rate = per_second((double)elements, duration_ns);
    const hx_field fields[] = {HX_STR("operation", operation), HX_U64("elements", elements),
                               HX_U64("duration_us", US(duration_ns)), HX_F64("elements_per_sec", rate),
                               HX_F64("melems_per_sec", rate * 1e-6)};
    emit(&site, fields, COUNT_OF(fields), 2, duration_ns);
}

void hx_record_flops(const char *operation, uint64_t flops, uint64_t duration_ns)
{
    static hx_callsite site = {.target = EXEC, .name = "flops", .level = HX_DEBUG};
    double rate = per_second((double)flops, duration_ns);
    const hx_field fields[] = {HX_STR("operation", operation), HX_U64("flops", flops),
                               HX_U64("duration_us", US(duration_ns)), HX_F64("flops_per_sec", rate),
                               HX_F64("gflops", rate * 1e-9)};
    emit(&site, fields, COUNT_OF(fields), 2, duration_ns);
}
#endif
