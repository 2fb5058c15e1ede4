/* How certain a measured time is: one value, its 95 % interval, and which passes it is made of.
 *
 * Three things make a time uncertain, and an interval has all of them:
 *
 * - passes differ. Consecutive ones go into at most SPREAD_BATCHES batches, and the spread between batches is
 * what is seen of it, sampling and serial correlation included (batch means: Schmeiser, Batch size effects in
 * the analysis of simulation output, Operations Research 30, 1982);
 * - executions of one program differ by where its memory and code lie, which no pass of one execution shows
 *   (Mytkowicz, Diwan, Hauswirth, Sweeney, Producing wrong data without doing anything obviously wrong,
 * ASPLOS 2009; Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013). SPREAD_EXECUTION
 * stands for it;
 * - what else ran on the machine. It makes a time longer and never shorter, up to twice where all cores are
 * in use, so that the lower end moves down by the share of the machine that others used. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double value, low, high; /* NaN: it was not measured */
};

/* Standard deviation between executions, relative: what 120 executions of four small kernels had on a machine
 * with two cores, rounded up. */
#define SPREAD_EXECUTION 0.025

/* The interval of a value of which passes tell that much: `seen` is half the 95 % interval that follows from
 * them, over the value. `others`: the share of the machine that others used meanwhile, 0 to 1. */
struct interval spread_interval(double value, double seen, double others);
/* Half of an interval over its value. */
double spread_relative(struct interval interval);

/* The median of times in the order in which they were measured. Many are cut into batches, whose medians are
 * ranked (stats_median_interval); of fewer than six the interval is that of Student. `scratch` has room for
 * as many. */
struct interval spread_median(const double *times, size_t count, double *scratch, double others);

/* Passes in batches. Zeroed is empty. */
#define SPREAD_BATCHES 32
struct spread_batches {
    size_t count;
    uint64_t size; /* passes of a full one */
    uint64_t passes[SPREAD_BATCHES];
    double sums[SPREAD_BATCHES]; /* of the passes' times */
};
/* The batch that the next pass belongs to. When all are full, neighbours are joined first: *ret_joined is
 * set, and the caller calls spread_join for all that it keeps of each batch. */
size_t spread_next(struct spread_batches *batches, bool *ret_joined);
void spread_join(double values[SPREAD_BATCHES]);
void spread_add(struct spread_batches *batches, double time);

/* The faster half of the batches, at least three: what the machine did besides disturbed them least. */
struct spread_choice {
    const struct spread_batches *batches;
    bool chosen[SPREAD_BATCHES];
    size_t count;      /* of them; 0: there are none */
    double mean, edge; /* time of a pass: their mean, and that of the slowest of them */
};
struct spread_choice spread_choose(const struct spread_batches *batches);
/* Half the 95 % interval of a figure that is a mean over the chosen batches. `deviations` are those of each
 * batch from it, and are read of the chosen ones; `edge`: what one would be with a pass time of choice->edge.
 * An end that is cut off tells as much as it does for a trimmed mean (Tukey and McLaughlin, Less vulnerable
 * confidence and significance procedures for location, Sankhya A 25, 1963), here on one side. NaN of fewer
 * than two batches. */
double spread_error(const struct spread_choice *choice, const double *deviations, double edge);
/* That of the mean itself, over it. */
double spread_seen(const struct spread_choice *choice);

/* Passes that go on until an interval is narrow. Who looks after each pass stops where the interval is narrow
 * by chance, and holds the truth less often: so it is looked after every fifth part more, and has to be
 * narrow twice in a row. Zeroed is the start. */
struct spread_looks {
    uint64_t next;
    bool was_narrow;
};
bool spread_look_is_due(const struct spread_looks *looks, uint64_t passes);
/* At a look, with half the interval over its value (NaN: not known): is it narrow enough to stop? */
bool spread_look(struct spread_looks *looks, uint64_t passes, double relative, double wanted);
