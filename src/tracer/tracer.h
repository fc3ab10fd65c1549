/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the tracer, which loads BPF programs and reads the records that these programs write.
 *
 *	t = tracer__new(&spec);		opens and loads the programs
 *	tracer__attach(t);
 *	tracer__add_process(t, pid);	for each; its later threads and children follow
 *	tracer__add_targets(t, ...);	or, to attach, processes with all threads and peers
 *	... tracer__drain(t, put, ctx) every now and then ...
 *	tracer__detach(t);
 *	tracer__drain(t, put, ctx);
 *	tracer__losses(t, loss);
 *	tracer__free(t);
 *
 * A negative result is -errno. Failures to load, to attach or to add processes are also logged.
 */
#pragma once

#include "bpf/record.h"
#include "bpf/record_asleep.h"
#include "bpf/stack_sample.h"
#include "tracer/tracer_spec.h"
#include "util/ring_gauge.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tracer;

/* As record_put_fn, for a stack. */
typedef int tracer_put_stack_fn(void *ctx, const struct stack_sample *sample);

/*
 * NULL and errno on failure; EPERM: a capability is missing. A small ring stays in the CPU's
 * caches.
 */
struct tracer *tracer__new(const struct tracer_spec *spec);

/* Whether the kernel shows the end of a context switch (sched_exit_tp). */
bool tracer__shows_switch(const struct tracer *t);

int tracer__attach(struct tracer *t);

/*
 * Traces the first thread of process `pid`, and all threads and processes that a traced thread
 * creates from now on.
 */
int tracer__add_process(struct tracer *t, pid_t pid);

/*
 * Traces all threads of `cnt` processes and of their peers: processes that hold the other end of
 * something that these have open. Their children, and processes that begin to talk to them, are
 * traced from now on. Returns the number of processes with the peers, or -errno.
 */
int tracer__add_targets(struct tracer *t, const pid_t *pid, size_t cnt);

/*
 * After tracer__add_targets(): emits STARVING records for traced threads that wait for a CPU inside
 * a call which may have sent or received something long ago. 0 or -errno.
 */
int tracer__find_starving(struct tracer *t);

/*
 * The traced threads that sleep now, up to `max` of them, as find_asleep in survey.bpf.c says.
 * Returns how many, or -errno.
 */
ssize_t tracer__find_asleep(struct tracer *t, struct sleeper *sleeper, size_t max);

/* All of the session of process `pid` is ipctrace's own in blame (NAME_OWN); 0: there is none. */
void tracer__own(struct tracer *t, uint32_t pid);

/*
 * Sends that begin after this are not recorded. Receives still are, so that messages under way can
 * arrive before tracer__detach(). Returns the instant.
 */
uint64_t tracer__disarm(struct tracer *t);

/*
 * Programs collect a few records per CPU before they write them to the ring. Returns the instant
 * before which all events have been passed on, at most `before_ns`, which lies before the last
 * drain.
 */
uint64_t tracer__settled_ns(struct tracer *t, uint64_t before_ns);

/*
 * Passes on what is in the ring buffer when the call begins, and after tracer__detach() all that is
 * left. 0 or -errno.
 */
int tracer__drain(struct tracer *t, record_put_fn *put, void *ctx);

/* Whether stacks are taken: they are asked for, and the kernel can. */
bool tracer__takes_stacks(const struct tracer *t);

/*
 * The same for stacks: if none are taken, does nothing. Stacks have come when their records have.
 */
int tracer__drain_stacks(struct tracer *t, tracer_put_stack_fn *put, void *ctx);

/* What became of stacks: sums since tracer__new(). */
void tracer__sample_counts(const struct tracer *t, uint64_t count[NR_SAMPLE_COUNTS]);

/*
 * The functions on the stack with this number (struct record_kernel_lock_stack), innermost first.
 * Returns how many there are; 0: it is not known.
 */
size_t tracer__lock_stack(const struct tracer *t, uint64_t number,
			  uint64_t address[LOCK_FRAMES_MAX]);

/*
 * Whether the last drain stopped at a half-written record, because an interrupt or the host took
 * the CPU from the program that writes it. Records behind it wait for the next drain.
 */
bool tracer__is_held_up(const struct tracer *t);

/*
 * Shows how full the ring buffer is until tracer__free(): to any thread, and also in processes that
 * are forked now.
 */
struct ring_gauge tracer__gauge(const struct tracer *t);

/* No record is written after this. One more drain has to follow. */
void tracer__detach(struct tracer *t);

/* Fills in the losses on the kernel side, as sums since tracer__new(). */
int tracer__losses(struct tracer *t, uint64_t loss[NR_LOSSES]);

/*
 * What the programs have lost so far and count themselves, without a syscall: a part of the above.
 */
uint64_t tracer__lost(const struct tracer *t);

/*
 * Between the two calls, the kernel measures the time spent in the programs, which costs time
 * itself. tracer__cost_end() returns the nanoseconds of all programs on the whole machine.
 */
int tracer__cost_begin(struct tracer *t);
int tracer__cost_end(struct tracer *t, uint64_t *ns);

/* `t` may be NULL. */
void tracer__free(struct tracer *t);
