/* Commands: launches and copies of streams and queues, and which of them come behind which.
 *
 * Takes commands as they are given, with those that they come behind, leaves a clock for each. A command goes
 * on with the chain of one that it is behind, if that is the last one there; else it begins one. All that the
 * host has waited for comes before what it gives later, so chains whose last command it has waited for are
 * free. Where something is not known any more, or there are no more chains, commands count as ordered: a race
 * may be missed, and none is reported that is not there. */
#include "check/frame.h"

#include <string.h>

#define COMMANDS_KEPT 4096 /* the last ones that were given */

struct command {
    uint64_t number; /* 0: none */
    struct check_order order;
};
struct check_commands {
    const hx_allocator *allocator;
    pthread_mutex_t lock;
    struct command *kept; /* by number; NULL: none was given yet */
    uint32_t last[CHECK_CHAINS], host[CHECK_CHAINS];
};

struct check_commands *check_commands_new(const hx_allocator *allocator)
{
    struct check_commands *const commands = memory_allocate(allocator, 1, sizeof *commands);
    if (!commands)
        return NULL;
    commands->allocator = allocator;
    pthread_mutex_init(&commands->lock, NULL);
    return commands;
}

void check_commands_free(struct check_commands *commands)
{
    if (!commands)
        return;
    pthread_mutex_destroy(&commands->lock);
    memory_free(commands->allocator, commands->kept);
    memory_free(commands->allocator, commands);
}

/* ---- With the lock ------------------------------------------------------------------------------------- */

/* NULL: it is not kept. */
static struct check_order *find(const struct check_commands *commands, uint64_t number)
{
    struct command *const at = commands->kept ? &commands->kept[number % COMMANDS_KEPT] : NULL;
    return at && at->number == number ? &at->order : NULL;
}

static void join(uint32_t *to, const uint32_t *from)
{
    for (size_t i = 0; i < CHECK_CHAINS; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* The clock comes behind the command; of one that is not kept, behind all. */
static void join_command(const struct check_commands *commands, uint32_t *clock, uint64_t number)
{
    const struct check_order *const order = find(commands, number);
    join(clock, order ? order->behind : commands->last);
}

/* A chain that the command may go on with: `clock` has its last one. */
static uint32_t choose_chain(const struct check_commands *commands, const uint64_t *behind, size_t count,
                             uint32_t *clock)
{
    for (size_t i = 0; i < count; i++) {
        const struct check_order *const order = behind[i] ? find(commands, behind[i]) : NULL;
        if (order && commands->last[order->chain] == order->at)
            return order->chain;
    }
    for (uint32_t chain = 0; chain < CHECK_CHAINS; chain++)
        if (commands->last[chain] <= commands->host[chain])
            return chain;
    join(clock, commands->last);
    return 0;
}

static void give(struct check_commands *commands, uint64_t number, const char *queue, const uint64_t *behind,
                 size_t count)
{
    struct check_order order = {0};
    memcpy(order.host, commands->host, sizeof order.host);
    memcpy(order.behind, commands->host, sizeof order.behind);
    for (size_t i = 0; i < count; i++)
        if (behind[i])
            join_command(commands, order.behind, behind[i]);
    order.chain = choose_chain(commands, behind, count, order.behind);
    order.at = ++commands->last[order.chain];
    order.behind[order.chain] = order.at;
    text_put(order.queue, sizeof order.queue, queue);
    commands->kept[number % COMMANDS_KEPT] = (struct command){.number = number, .order = order};
}

/* ---- Without ---------------------------------------------------------------------------------------------
 */

void hx_checks_command(hx_checks *checks, uint64_t number, const char *queue, const uint64_t *behind,
                       size_t count)
{
    struct check_commands *const commands = checks ? checks->commands : NULL;
    if (!commands || number == 0)
        return;
    pthread_mutex_lock(&commands->lock);
    if (!commands->kept)
        commands->kept = memory_allocate(commands->allocator, COMMANDS_KEPT, sizeof *commands->kept);
    if (commands->kept)
        give(commands, number, queue ? queue : "", behind, behind ? count : 0);
    pthread_mutex_unlock(&commands->lock);
}

void hx_checks_waited(hx_checks *checks, uint64_t number)
{
    struct check_commands *const commands = checks ? checks->commands : NULL;
    if (!commands || number == 0)
        return;
    pthread_mutex_lock(&commands->lock);
    join_command(commands, commands->host, number);
    pthread_mutex_unlock(&commands->lock);
}

bool check_order_of(const hx_checks *checks, uint64_t number, struct check_order *ret_order)
{
    struct check_commands *const commands = checks->commands;
    const struct check_order *order = NULL;
    if (!commands || number == 0)
        return false;
    pthread_mutex_lock(&commands->lock);
    order = find(commands, number);
    if (order)
        *ret_order = *order;
    pthread_mutex_unlock(&commands->lock);
    return order != NULL;
}
