/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF side of the program.
 *
 *	t = tracer__new(&spec);		open and load; says in the user's words what is missing
 *	tracer__attach(t);
 *	tracer__add_process(t, pid);	for each; later threads and children follow
 *	tracer__add_targets(t, ...);	or, of an attach, these with all their threads and peers
 *	... tracer__drain(t, put, ctx) every now and then ...
 *	tracer__detach(t);
 *	tracer__drain(t, put, ctx);
 *	tracer__losses(t, loss);
 *	tracer__free(t);
 *
 * Errors are logged here, once, and returned as -errno.
 */
#ifndef IPCTRACE_TRACER_TRACER_H
#define IPCTRACE_TRACER_TRACER_H

#include "bpf/record.h"
#include "tracer/tracer_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tracer;

/* Takes one record; the record is only valid during the call. 0 or -errno, which ends the drain. */
typedef int tracer_put_fn(void *ctx, const struct record *record);

/*
 * A small ring stays in the caches. NULL and errno on failure; EPERM: a capability is missing.
 */
struct tracer *tracer__new(const struct tracer_spec *spec);

/* Whether this kernel shows the end of a context switch (sched_exit_tp). */
bool tracer__shows_switch(const struct tracer *t);

int tracer__attach(struct tracer *t);

/*
 * Traces the first thread of process `pid`, and every thread and process that a traced thread
 * creates from now on.
 */
int tracer__add_process(struct tracer *t, pid_t pid);

/*
 * Traces all threads of `cnt` processes, those that hold the other end of something that these have
 * open, and from now on every child of theirs and everybody who begins to talk to them. How many
 * processes there are, peers included, or -errno.
 */
int tracer__add_targets(struct tracer *t, const pid_t *pid, size_t cnt);

/*
 * After tracer__add_targets(): tells of traced threads that have no CPU in the middle of a call
 * that may have sent or taken something long ago (STARVING records). 0 or -errno.
 */
int tracer__find_starving(struct tracer *t);

/*
 * Sends that begin after this are not told of; receives still are, so that what is under way can
 * arrive before tracer__detach(). The instant.
 */
uint64_t tracer__disarm(struct tracer *t);

/*
 * Of all events before `before_ns`, which lies before the last drain, those before the result have
 * been handed out: programs keep a few records of each CPU together before they write them.
 */
uint64_t tracer__settled_ns(struct tracer *t, uint64_t before_ns);

/*
 * Hands out what is in the ring buffer when it begins, and after tracer__detach() all that is left.
 * 0 or -errno.
 */
int tracer__drain(struct tracer *t, tracer_put_fn *put, void *ctx);

/*
 * Whether the last drain ended at a record that a program was still writing, because an interrupt
 * or the host has its CPU. What others have written behind that is left for the next drain.
 */
bool tracer__is_held_up(const struct tracer *t);

/* No record is written any more. To be followed by one drain. */
void tracer__detach(struct tracer *t);

/* Fills in what the kernel side knows of; sums since tracer__new(). */
int tracer__losses(struct tracer *t, uint64_t loss[NR_LOSSES]);

/*
 * Between the two, the kernel measures the time in our programs, which costs time itself.
 * cost_end() gives the nanoseconds of all programs on the whole machine.
 */
int tracer__cost_begin(struct tracer *t);
int tracer__cost_end(struct tracer *t, uint64_t *ns);

/* NULL allowed. */
void tracer__free(struct tracer *t);

#endif
