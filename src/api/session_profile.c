/* The profile of a session: of all launches of a process, in a file of its record, so that it is there
 * however the process ends.
 *
 * The file is mapped, and the heap of the profile is in it: who reads it maps it at the same address, and
 * goes on where the process ended. */
#include "api/session_profile.h"

#include "api/session.h"
#include "base/diag.h"
#include "exec/launch.h"
#include "profile/programs.h"
#include "report/hints.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROFILE_BYTES ((size_t)4 << 30)
#define LEAST_SHIFT   5 /* of the sizes of blocks, which are powers of two */
#define SHIFTS        33

/* Where nothing else is: systems put what is mapped near the ends of the address space. */
static void *const usual_address = (void *)UINT64_C(0x200000000000);

/* Before each block. */
struct block_head {
    struct block_head *next; /* of those that are free */
    uint64_t shift;
};
struct profile_file {
    char magic[8];
    uint32_t version, bytes; /* bytes: of a profile as this build has it */
    void *address;           /* where the file is mapped */
    hx_profile *profile;
    atomic_bool is_changing; /* a process that ends meanwhile leaves half of a change */
    hx_allocator allocator;
    pthread_mutex_t lock; /* guards the heap, which is what follows */
    size_t used;          /* of the file */
    struct block_head *freed[SHIFTS];
};
struct session_profile {
    struct profile_file *file;
    struct programs_step step;
    pthread_mutex_t lock; /* held while a launch runs */
};

/* ---- The heap ------------------------------------------------------------------------------------------ */

static struct block_head *take_block(struct profile_file *file, unsigned shift)
{
    struct block_head *block = file->freed[shift];
    if (block) {
        file->freed[shift] = block->next;
        return block;
    }
    const size_t bytes = sizeof *block + ((size_t)1 << shift);
    if (bytes > PROFILE_BYTES - file->used)
        return NULL;
    block = (struct block_head *)((char *)file->address + file->used);
    file->used += bytes;
    block->shift = shift;
    return block;
}

static void *resize_locked(struct profile_file *file, void *pointer, size_t bytes)
{
    struct block_head *old = pointer ? (struct block_head *)pointer - 1 : NULL;
    if (old && bytes > 0 && bytes <= (size_t)1 << old->shift)
        return pointer;
    struct block_head *block = NULL;
    if (bytes > 0) {
        unsigned shift = LEAST_SHIFT;
        while (shift < SHIFTS && bytes > (size_t)1 << shift)
            shift++;
        block = shift < SHIFTS ? take_block(file, shift) : NULL;
        if (!block)
            return NULL;
        if (old)
            memcpy(block + 1, pointer, (size_t)1 << old->shift);
    }
    if (old) {
        old->next = file->freed[old->shift];
        file->freed[old->shift] = old;
    }
    return block ? block + 1 : NULL;
}

static void *resize(void *user, void *pointer, size_t bytes)
{
    struct profile_file *file = user;
    pthread_mutex_lock(&file->lock);
    void *made = resize_locked(file, pointer, bytes);
    pthread_mutex_unlock(&file->lock);
    return made;
}

/* For this process. */
static void ready_heap(struct profile_file *file)
{
    file->allocator = (hx_allocator){resize, file};
    pthread_mutex_init(&file->lock, NULL);
}

/* ---- Of the process ------------------------------------------------------------------------------------ */

static struct profile_file *map_new(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *mapped = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)PROFILE_BYTES) == 0) {
        const int access = PROT_READ | PROT_WRITE, how = MAP_SHARED | MAP_NORESERVE;
        mapped = mmap(usual_address, PROFILE_BYTES, access, how | MAP_FIXED_NOREPLACE, file, 0);
        if (mapped == MAP_FAILED)
            mapped = mmap(NULL, PROFILE_BYTES, access, how, file, 0);
    }
    if (file >= 0)
        (void)close(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* What the process was started as, without folders. */
static const char *program_name(char room[static 4096])
{
    const ssize_t length = readlink("/proc/self/exe", room, 4095);
    room[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(room, '/');
    return slash ? slash + 1 : room;
}

static hx_status fill(struct profile_file *file, const hx_session *session, hx_diag *diag)
{
    char room[4096];
    const char *device = getenv("HEXEC_DEVICE");
    const hx_run_options options = {.size = sizeof options,
                                    .launch = {.workers = session->workers, .seed = session->seed}};
    file->version = SESSION_VERSION;
    file->bytes = sizeof(hx_profile);
    file->address = file;
    file->used = (sizeof *file + 63) / 64 * 64;
    ready_heap(file);
    const hx_status status = programs_new(program_name(room), &options, device && *device ? device : "none",
                                          &file->allocator, diag, &file->profile);
    if (status == HX_OK)
        memcpy(file->magic, SESSION_MAGIC, sizeof file->magic);
    return status;
}

hx_status session_profile_open(hx_session *session, hx_diag *diag)
{
    struct text path HX_AUTO(text_done) = {.allocator = session->allocator};
    text_print(&path, "%s" SESSION_PROFILE, session->base);
    struct session_profile *profile = memory_allocate(session->allocator, 1, sizeof *profile);
    if (path.failed || !profile) {
        memory_free(session->allocator, profile);
        return diag_no_memory(diag);
    }
    pthread_mutex_init(&profile->lock, NULL);
    session->profile = profile;
    profile->file = map_new(path.at);
    if (!profile->file)
        return diag_report(diag, DIAG_SESSION_VARIABLE, (struct place){0},
                           "set TMPDIR to a folder with more room", "the profile's file cannot be made: %s",
                           strerror(errno));
    return fill(profile->file, session, diag);
}

void session_profile_close(hx_session *session)
{
    struct session_profile *profile = session->profile;
    if (!profile)
        return;
    if (profile->file) {
        programs_step_done(&profile->step, &profile->file->allocator);
        munmap(profile->file, PROFILE_BYTES);
    }
    pthread_mutex_destroy(&profile->lock);
    memory_free(session->allocator, profile);
    session->profile = NULL;
}

hx_status session_profile_launch(hx_session *session, hx_device *device, const hx_kernel *kernel,
                                 hx_launch_options *options, hx_buffer *const *buffers, hx_diag *diag,
                                 hx_launch_result *ret_result)
{
    struct session_profile *profile = session->profile;
    struct profile_file *file = profile->file;
    pthread_mutex_lock(&profile->lock);
    atomic_store(&file->is_changing, true);
    programs_begin(file->profile, kernel, device, options, &profile->step);
    atomic_store(&file->is_changing, false);
    const hx_status status =
        exec_launch(device, kernel, options, buffers, profile->step.listeners, diag, ret_result);
    atomic_store(&file->is_changing, true);
    programs_end(file->profile, ret_result, &profile->step);
    atomic_store(&file->is_changing, false);
    pthread_mutex_unlock(&profile->lock);
    return status;
}

/* ---- Of who reads it ----------------------------------------------------------------------------------- */

static struct profile_file *map_old(const char *path)
{
    struct profile_file head;
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    void *mapped = MAP_FAILED;
    if (fstat(file, &about) == 0 && (uint64_t)about.st_size == PROFILE_BYTES &&
        pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head &&
        memcmp(head.magic, SESSION_MAGIC, sizeof head.magic) == 0 && head.version == SESSION_VERSION &&
        head.bytes == sizeof(hx_profile))
        mapped = mmap(head.address, PROFILE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
    (void)close(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static hx_status finish(struct profile_file *file, hx_diag *diag)
{
    hx_profile *profile = file->profile;
    const uint64_t left_out = programs_left_out(profile);
    ready_heap(file);
    hx_status status = programs_finish(profile, diag);
    if (status == HX_OK && !hints_make(profile))
        status = diag_no_memory(diag);
    if (left_out)
        diag_report(diag, DIAG_SESSION_PROFILE, (struct place){0}, "profile a shorter run",
                    "%llu launches are not in the profile, which has room for %u kernels and %u instructions",
                    (unsigned long long)left_out, PROGRAMS_KERNELS, PROGRAMS_INSTRUCTIONS);
    return status;
}

hx_status session_profile_load(const char *path, hx_diag *diag, struct session_profile_read *ret_read)
{
    struct profile_file *file = map_old(path);
    *ret_read = (struct session_profile_read){0};
    if (!file)
        return HX_OK;
    if (atomic_load(&file->is_changing)) {
        diag_report(diag, DIAG_SESSION_PROFILE, (struct place){0}, "end the program between two launches",
                    "there is no profile of a process which ended while it was written");
        munmap(file, PROFILE_BYTES);
        return HX_OK;
    }
    const hx_status status = finish(file, diag);
    if (status != HX_OK) {
        munmap(file, PROFILE_BYTES);
        return status;
    }
    *ret_read = (struct session_profile_read){file, file->profile};
    return HX_OK;
}

void session_profile_unload(struct session_profile_read *read)
{
    if (read->mapped)
        munmap(read->mapped, PROFILE_BYTES);
    *read = (struct session_profile_read){0};
}
