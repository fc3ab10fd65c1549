/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds what a thread did in a span of time to a list of causes, and follows it: of a sleep that
 * another thread ended, what that thread did meanwhile, and so on.
 *
 *	thread 1    |        asleep            | wakes up
 *	thread 2      ran |    asleep   | ran  wakes thread 1
 *	thread 3             waits  ran wakes thread 2
 */
#pragma once

#include "analysis/causes/cause_list.h"
#include "analysis/causes/thread_cut.h"

/*
 * Whether the thread has not waited for another message from the receive of this one to `at_ns`. If
 * it has changed its state too often to be sure, it counts as having waited.
 */
bool handles_until(struct cutter *cutter, uint32_t tid, const struct thread_event *received,
		   uint64_t at_ns);

/* Adds a message that the thread has received, without its `since_ns`. 0 or -ENOMEM. */
int handled_add(struct cutter *cutter, uint32_t tid, struct thread_event *received);

/* What a thread works for while it runs. */
enum kept_by {
	KEPT_BY_NOTHING,
	KEPT_BY_SENT,     /* the receiver of what it sent last, since `since_ns` */
	KEPT_BY_RECEIVED, /* the sender of what it received last, until it waits for more */
};

struct span_causes {
	struct thread_span span;
	enum cause_part part;
	bool has_cost; /* all of it is spent for `cost` */
	enum component cost;
	bool is_running;      /* it runs all the time */
	bool is_handed_over;  /* the work is handed to it: at first it may be asleep */
	bool is_over_asleep;  /* its sleep, and what it does later, is not part of the cost */
	enum kept_by kept_by; /* needs has_cost */
	uint64_t since_ns;
};

/* A sleep that another thread ended. */
struct followed_wait {
	uint16_t cause; /* number of its cause in the list */
	uint32_t tid;
	uint32_t by;
	uint64_t from_ns;
	uint64_t to_ns;
};

#define FOLLOWED_WAITS_MAX 64

/* Further ones are not followed. Zero-initialised is empty. */
struct followed_waits {
	uint32_t cnt;
	struct followed_wait wait[FOLLOWED_WAITS_MAX];
};

/* `waits` gets the sleeps that can be followed. */
void span_causes_add(struct cutter *cutter, struct cause_list *list, const struct span_causes *what,
		     struct followed_waits *waits);

/* Adds the causes that follow these sleeps. */
void span_causes_follow(struct cutter *cutter, struct cause_list *list,
			const struct followed_waits *waits);

/* Adds the time in which a thread did something else before it sent, and follows it. */
void span_causes_dispatch(struct cutter *cutter, struct cause_list *list, enum cause_part part,
			  const struct party *sender, uint64_t from_ns, uint64_t to_ns);

/* Adds what thread `by` did meanwhile as following the cause. Without a cause, nothing. */
void span_causes_below(struct cutter *cutter, struct cause_list *list,
		       const struct followed_wait *wait);

/* Adds the components, and follows them. `blames`: of the message, not sorted yet. */
void message_causes_add(struct cause_list *list, struct cutter *cutter,
			const struct message *message, const struct blames *blames);
