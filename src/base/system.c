/* What the build has and what the machine is, for people.
 *
 * Takes what CMake found (HX_BUILD_...) and what the system reports, leaves both in the form of the public
 * API. Nothing here is used to decide anything. */
#include "hexec/system.h"

#include "base/machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *hx_build_compiler(void)
{
    return COMPILER;
}

const char *hx_build_type(void)
{
    return HX_BUILD_TYPE;
}

const hx_build_part *hx_build_part_at(size_t index)
{
    static const hx_build_part parts[] = {
        {"zlib", "files that end in .gz, pprof", "zlib1g-dev", 1},
        {"protobuf-c", "perfetto files, pprof", "libprotobuf-c-dev and protobuf-c-compiler",
         HX_BUILD_PROTOBUF},
        {"curl", "OTLP to a URL", "libcurl4-openssl-dev", HX_BUILD_CURL},
        {"sdt", "USDT probes", "systemtap-sdt-dev", HX_BUILD_SDT && HX_TRACING},
        {"sleef", "vectors of sin, exp and the like", "libsleef-dev", HX_BUILD_SLEEF},
        {"clang", "device library: __nv_sinf and others that PTX calls", "clang-14", HX_BUILD_LIBRARY},
        {"llvm", "kernels as machine code: --tier compiled", "llvm-19-dev and clang-19", HX_BUILD_LLVM},
    };
    return index < HX_COUNT_OF(parts) ? &parts[index] : NULL;
}

#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/"

/* The beginning of a small file, with an end; "" when there is none. */
static void read_small(const char *path, char *ret_text, size_t bytes)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, ret_text, bytes - 1) : -1;
    ret_text[length > 0 ? length : 0] = 0;
    if (file >= 0)
        close(file);
}

/* The word in brackets of "always [madvise] never". */
static void read_huge_pages(hx_machine *machine)
{
    char text[128];
    read_small(HUGE_PAGES "enabled", text, sizeof text);
    const char *from = strchr(text, '[');
    const size_t length = from ? strcspn(from + 1, "]") : 0;
    if (length < sizeof machine->huge_pages && from)
        memcpy(machine->huge_pages, from + 1, length);
    read_small(HUGE_PAGES "hpage_pmd_size", text, sizeof text);
    machine->huge_page_bytes = strtoull(text, NULL, 10);
}

static uint64_t system_number(int name)
{
    const long number = sysconf(name);
    return number > 0 ? (uint64_t)number : 0;
}

void hx_machine_read(hx_machine *ret_machine)
{
    if (!ret_machine)
        return;
    struct machine_timer timer;
    machine_timer_calibrate(&timer);
    const size_t size = ret_machine->size && ret_machine->size < sizeof *ret_machine ? ret_machine->size
                                                                                     : sizeof *ret_machine;
    hx_machine machine = {.size = size,
                          .cpu_level = cpu_level_name(machine_cpu_level()),
                          .cores = (uint32_t)machine_cores(),
                          .cores_all = (uint32_t)system_number(_SC_NPROCESSORS_CONF),
                          .page_bytes = system_number(_SC_PAGESIZE),
                          .timer_is_tsc = timer.is_tsc,
                          .timer_ns_per_tick = timer.ns_per_tick,
                          .timer_cost_ns = timer.cost_ns};
    (void)machine_cpu_name(machine.cpu);
    machine.memory_bytes = system_number(_SC_PHYS_PAGES) * machine.page_bytes;
    for (int level = 1; level <= 3; level++)
        machine.cache_bytes[level - 1] = machine_cache_bytes(level);
    read_huge_pages(&machine);
    memcpy(ret_machine, &machine, size);
}
