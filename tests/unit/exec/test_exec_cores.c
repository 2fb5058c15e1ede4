/* Threads that are woken from a long sleep are kept off the caller's core, and may run on all of theirs again
 * when they work. */
#include "device/device.h"

#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define WORKERS 3u
#define JOBS    5

static cpu_set_t all;
static pthread_barrier_t meeting; /* all take part in each job */
static cpu_set_t found[WORKERS];

static void look(void *user, uint32_t number)
{
    (void)user;
    ck_assert_int_eq(sched_getaffinity(0, sizeof found[number], &found[number]), 0);
    pthread_barrier_wait(&meeting);
}

/* The caller is on this core, and threads were on it when they went to sleep. */
static void call_late(void *user, uint32_t number)
{
    look(user, number);
    while (number == 0 && !device_call_late(user))
        ;
    pthread_barrier_wait(&meeting);
    ck_assert_int_eq(sched_getaffinity(0, sizeof found[number], &found[number]), 0);
}

START_TEST(test_cores_late)
{
    const hx_device_options options = {.size = sizeof options, .workers = WORKERS};
    hx_device *device;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    ck_assert_int_eq(pthread_barrier_init(&meeting, NULL, WORKERS), 0);
    ck_assert_int_eq(hx_device_new(&options, NULL, &device), HX_OK);
    for (int job = 0; job < JOBS; job++) {
        device_run(device, WORKERS, call_late, device);
        for (uint32_t i = 0; i < WORKERS; i++)
            ck_assert_msg(CPU_EQUAL(&found[i], &all), "job %d: thread %u was moved though it had begun", job,
                          i);
    }
    hx_device_free(device);
    pthread_barrier_destroy(&meeting);
}
END_TEST

START_TEST(test_cores_come_back)
{
    const hx_device_options options = {.size = sizeof options, .workers = WORKERS};
    hx_device *device;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    ck_assert_int_eq(pthread_barrier_init(&meeting, NULL, WORKERS), 0);
    ck_assert_int_eq(hx_device_new(&options, NULL, &device), HX_OK);
    for (int job = 0; job < JOBS; job++) {
        device_run(device, WORKERS, look, NULL);
        for (uint32_t i = 0; i < WORKERS; i++)
            ck_assert_msg(CPU_EQUAL(&found[i], &all), "job %d: thread %u may not run on all cores", job, i);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    hx_device_free(device);
    pthread_barrier_destroy(&meeting);
    ck_assert_int_eq(sched_getaffinity(0, sizeof found[0], &found[0]), 0);
    ck_assert(CPU_EQUAL(&found[0], &all));
}
END_TEST

UNIT_MAIN("exec_cores", test_cores_come_back, test_cores_late)
