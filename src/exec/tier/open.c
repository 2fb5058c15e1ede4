/* Opening the plugin, and the compiled code of a kernel.
 *
 * Takes a kernel and what a launch wants, leaves compiled code, or why there is none. The plugin is a file
 * beside the library or the program that hexec is linked into, or where HEXEC_LLVM says. It is opened when a
 * launch first wants it, since loading LLVM takes longer than most of hexec's runs, and stays open. */
#include "exec/tier/run.h"

#include "base/disk_cache.h"
#include "exec/kernel.h"
#include "exec/tier/stress.h"
#include "program/limits.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN_NAME    "libhexec-llvm.so"
#define PLUGIN_SETTING "HEXEC_LLVM"
#define TOOLS_SETTING  "HEXEC_TIER_TOOLS"
#define CACHE_KIND     "code"
#define PATH_BYTES     4096

/* The code of a kernel for blocks of one shape. */
struct tier_variant {
    struct tier_variant *next;
    uint32_t block[3], warp_lanes, gang_lanes;
    bool counts, samples;
    struct tier_kernel *kernel; /* NULL: it could not be compiled, and `why` says why */
    char why[TIER_WHY_BYTES];
};

struct tier {
    const hx_allocator *allocator;
    const struct tier_functions *functions;
    struct tier_engine *engine; /* NULL: there is none, and `why` says why */
    char why[TIER_WHY_BYTES];
    struct tier_variant *variants;
};

/* ---- The plugin ---------------------------------------------------------------------------------------- */

/* Beside this code's file, in the folder above it, and where libraries are installed. */
static void *open_beside(char *why)
{
    static const char *const folders[] = {"", "../", "../" HX_LIBRARY_FOLDER "/"};
    Dl_info here;
    char path[PATH_BYTES];
    if (!dladdr((const void *)&tier_is_there, &here) || !here.dli_fname)
        return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    const int folder = slash ? (int)(slash + 1 - here.dli_fname) : 0;
    for (size_t i = 0; i < HX_COUNT_OF(folders); i++) {
        const int length =
            snprintf(path, sizeof path, "%.*s%s" PLUGIN_NAME, folder, here.dli_fname, folders[i]);
        FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "rb") : NULL;
        if (!file)
            continue;
        fclose(file);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            snprintf(why, TIER_WHY_BYTES, "%s", dlerror());
        return library;
    }
    return NULL;
}

static const struct tier_functions *open_plugin(char *why)
{
    const char *asked = getenv(PLUGIN_SETTING);
    snprintf(why, TIER_WHY_BYTES,
             "there is no " PLUGIN_NAME " beside hexec: it is built where LLVM 19 is installed");
    void *library = asked && asked[0] ? dlopen(asked, RTLD_NOW | RTLD_LOCAL) : open_beside(why);
    if (!library) {
        if (asked && asked[0])
            snprintf(why, TIER_WHY_BYTES, PLUGIN_SETTING ": %s", dlerror());
        return NULL;
    }
    const struct tier_functions *functions = dlsym(library, TIER_SYMBOL_TEXT);
    if (functions && functions->version == TIER_VERSION)
        return functions; /* it stays open: LLVM cannot be unloaded */
    snprintf(why, TIER_WHY_BYTES, PLUGIN_NAME " is of another version of hexec");
    dlclose(library);
    return NULL;
}

bool tier_is_there(char *why)
{
    const struct tier_functions *functions = open_plugin(why);
    struct tier_engine *engine = functions ? functions->open(NULL, why) : NULL;
    if (engine)
        functions->close(engine);
    return engine != NULL;
}

/* ---- A kernel's code ----------------------------------------------------------------------------------- */

void tier_free(struct tier *tier)
{
    if (!tier)
        return;
    while (tier->variants) {
        struct tier_variant *variant = tier->variants;
        tier->variants = variant->next;
        if (variant->kernel)
            tier->functions->discard(tier->engine, variant->kernel);
        memory_free(tier->allocator, variant);
    }
    if (tier->engine)
        tier->functions->close(tier->engine);
    memory_free(tier->allocator, tier);
}

static struct tier *new_tier(const hx_allocator *allocator)
{
    struct tier *tier = memory_allocate(allocator, 1, sizeof *tier);
    if (!tier)
        return NULL;
    tier->allocator = allocator;
    tier->functions = open_plugin(tier->why);
    if (tier->functions)
        tier->engine = tier->functions->open(allocator, tier->why);
    return tier;
}

static bool get_code(struct slice key, struct text *ret_code)
{
    return disk_cache_get(CACHE_KIND, key, ret_code);
}
static void put_code(struct slice key, struct slice code, const hx_allocator *allocator)
{
    disk_cache_put(CACHE_KIND, key, code, allocator);
}
static const struct tier_store user_cache = {.get = get_code, .put = put_code};

static bool is_for_tools(void)
{
    const char *asked = getenv(TOOLS_SETTING);
    bool is_on = false;
    return asked && boolean_parse(slice_of(asked), &is_on) && is_on;
}

void tier_shape(const uint32_t *block, uint32_t *ret_block)
{
    const bool is_flat = block[1] == 1 && block[2] == 1;
    for (int i = 0; i < 3; i++)
        ret_block[i] = is_flat ? 1 : block[i];
    if (is_flat)
        ret_block[0] = LIMIT_THREADS;
}

static struct tier_variant *find_variant(struct tier *tier, const struct tier_request *request)
{
    struct tier_variant *variant = tier->variants;
    while (variant &&
           (memcmp(variant->block, request->block, sizeof variant->block) != 0 ||
            variant->warp_lanes != request->warp_lanes || variant->counts != request->counts ||
            variant->samples != request->samples || variant->gang_lanes != request->bound->gang_lanes))
        variant = variant->next;
    return variant;
}

/* NULL without memory. */
static struct tier_variant *new_variant(struct tier *tier, const struct tier_request *request)
{
    struct tier_variant *variant = memory_allocate(tier->allocator, 1, sizeof *variant);
    if (!variant)
        return NULL;
    *variant = (struct tier_variant){.next = tier->variants,
                                     .warp_lanes = request->warp_lanes,
                                     .gang_lanes = request->bound->gang_lanes,
                                     .counts = request->counts,
                                     .samples = request->samples};
    memcpy(variant->block, request->block, sizeof variant->block);
    struct tier_request complete = *request;
    complete.cpu_level =
        (int)machine_cpu_level(); /* a machine may take longer to say it than a launch takes */
    variant->kernel = tier->functions->compile(tier->engine, &complete, variant->why);
    tier->variants = variant;
    return variant;
}

/* With the kernel's lock held. */
static const struct tier_kernel *compiled(struct tier *tier, const struct tier_request *request, char *why)
{
    if (!tier->engine) {
        memcpy(why, tier->why, TIER_WHY_BYTES);
        return NULL;
    }
    struct tier_variant *variant = find_variant(tier, request);
    if (!variant)
        variant = new_variant(tier, request);
    if (!variant)
        snprintf(why, TIER_WHY_BYTES, "out of memory");
    else if (!variant->kernel)
        memcpy(why, variant->why, TIER_WHY_BYTES);
    return variant ? variant->kernel : NULL;
}

/* But for the CPU's level. */
static struct tier_request request_of(const struct launch *launch, const struct hx_kernel *kernel,
                                      const struct bound_kernel *bound)
{
    struct tier_request request = {.bound = bound,
                                   .allocator = kernel->allocator,
                                   .store = launch->options.no_cache ? NULL : &user_cache,
                                   .for_tools = is_for_tools(),
                                   .counts = launch->driver == DRIVER_COUNTED,
                                   .samples = launch->options.samples != NULL,
                                   .warp_lanes = launch->options.warp_size};
    tier_shape(launch->options.block, request.block);
    return request;
}

static const struct tier_kernel *choose(const struct launch *launch, const struct hx_kernel *kernel,
                                        const struct bound_kernel *bound, char *why)
{
    /* a kernel is constant for its users; that it has compiled code is nothing that they see */
    struct hx_kernel *self = (struct hx_kernel *)kernel;
    const struct tier_kernel *code = NULL;
    const struct tier_request request = request_of(launch, kernel, bound);
    pthread_mutex_lock(&self->plain_lock);
    if (!self->tier)
        self->tier = new_tier(kernel->allocator);
    if (self->tier)
        code = compiled(self->tier, &request, why);
    else
        snprintf(why, TIER_WHY_BYTES, "out of memory");
    atomic_store(&self->has_code, true);
    pthread_mutex_unlock(&self->plain_lock);
    return code;
}

void tier_choose(struct launch *launch, const struct hx_kernel *kernel, const struct bound_kernel *bound)
{
    launch->tier_stress = stress_seed();
    launch->tier = choose(launch, kernel, bound, launch->why_interpreted);
    if (launch->tier)
        snprintf(launch->why_interpreted, sizeof launch->why_interpreted, "%s", launch->tier->interpreted);
}

const struct tier_kernel *tier_compile(const struct launch *launch, const struct hx_kernel *kernel,
                                       const struct bound_kernel *bound)
{
    char why[TIER_WHY_BYTES];
    return choose(launch, kernel, bound, why);
}

bool tier_has_code(const struct hx_kernel *kernel)
{
    return atomic_load(&((struct hx_kernel *)kernel)->has_code);
}

bool tier_find(const struct launch *launch, const struct hx_kernel *kernel, const struct bound_kernel *bound,
               const struct tier_kernel **ret_code)
{
    struct hx_kernel *self = (struct hx_kernel *)kernel;
    const struct tier_request request = request_of(launch, kernel, bound);
    *ret_code = NULL;
    if (pthread_mutex_trylock(&self->plain_lock) != 0) /* it is being compiled */
        return false;
    const struct tier_variant *variant = self->tier ? find_variant(self->tier, &request) : NULL;
    const bool is_known = variant || (self->tier && !self->tier->engine);
    if (variant)
        *ret_code = variant->kernel;
    pthread_mutex_unlock(&self->plain_lock);
    return is_known;
}

bool tier_list(const struct tier_request *request, enum tier_listing what, struct text *ret_text, char *why)
{
    struct tier *tier = new_tier(request->allocator);
    if (!tier) {
        snprintf(why, TIER_WHY_BYTES, "out of memory");
        return false;
    }
    const bool good = tier->engine && tier->functions->list(tier->engine, request, what, ret_text, why);
    if (!tier->engine)
        memcpy(why, tier->why, TIER_WHY_BYTES);
    tier_free(tier);
    return good;
}

hx_status tier_bind(const hx_kernel *kernel, uint32_t gang_lanes, uint32_t threads, int level,
                    uint32_t warp_size, struct arena *arena, hx_diag *diag,
                    const struct bound_kernel **ret_bound)
{
    const struct bind_request request = {
        .lowered = kernel->lowered,
        .handlers = handlers_at(level),
        .fusing = FUSE_NOTHING,
        .gang_lanes = gang_lanes ? gang_lanes : TIER_LANES,
        .threads = threads,
        .warp_lanes = warp_size,
        .is_general = true,
    };
    return kernel_bind(kernel, &request, arena, diag, ret_bound);
}

/* What only the interpreter does; NULL: nothing of it is wanted. */
const char *tier_hinders(const struct launch *launch)
{
    const hx_launch_options *options = &launch->options;
    if (launch->wanted & ~(uint32_t)EVENTS_OF_LAUNCH)
        return "a listener follows what single gangs or instructions do";
    if (options->seed)
        return "the order of blocks and threads is drawn from a seed";
    if (options->turns == HX_TURNS_ACCESS)
        return "gangs take turns at each access";
    if (options->max_instructions)
        return "the number of instructions is bounded";
    if (launch->is_plain)
        return "the launch is to run instruction by instruction (--plain)";
    return options->gang_lanes > TIER_LANES ? "its gangs must have more than 64 lanes" : NULL;
}

bool tier_wants(struct launch *launch)
{
    if (launch->options.tier != HX_TIER_COMPILED)
        return false;
    const char *hinders = tier_hinders(launch);
    snprintf(launch->why_interpreted, sizeof launch->why_interpreted, "%s", hinders ? hinders : "");
    return !hinders;
}
