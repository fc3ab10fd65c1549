/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: what threads did, sends and receives, in the order of time. They are told of by CPU, and
 * of a thread that has moved, what it did last where it was may be told of last:
 *
 *	CPU 0   send A  send B                    told of second
 *	CPU 1                   send C  send D    told of first
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_ORDERED_EVENTS_H
#define IPCTRACE_ANALYSIS_ATTACH_ORDERED_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What waits to be settled, of all threads. */
#define ORDERED_EVENTS_MAX (1u << 18)

struct ordered_event {
	uint64_t at_ns;  /* a send: its call began; a receive: its call was over */
	uint64_t end_ns; /* its call was over */
	uint32_t tid;
	bool receives;

	/* Of a send. */
	uint32_t channel;
	uint64_t position;
	uint64_t start_ns;  /* as its message has it */
	uint64_t queued_ns; /* `start_ns` if it is not known */
};

struct ordered_events;

struct ordered_events *ordered_events__new(void); /* NULL: out of memory */
void ordered_events__free(struct ordered_events *acts);

/* 0, -ENOMEM, or -ENOSPC: there are ORDERED_EVENTS_MAX. */
int ordered_events__add(struct ordered_events *acts, const struct ordered_event *act);

/* Those that began before this instant, in order, until anything is changed here. */
const struct ordered_event *ordered_events__before(struct ordered_events *acts, uint64_t before_ns,
						   size_t *cnt);

/* The first `cnt` in that order go. */
void ordered_events__drop(struct ordered_events *acts, size_t cnt);

#endif
