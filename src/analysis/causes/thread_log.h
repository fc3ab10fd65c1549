/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps, for each thread, what happened between it and other threads, in the order of time: what it
 * sent, what it received, or what woke it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct thread_event {
	uint64_t at_ns;     /* the send call began; the receive call returned; the wakeup began */
	uint64_t sent_ns;   /* received: the send call began, ... */
	uint64_t queued_ns; /* ... the data became visible */
	uint64_t since_ns;  /* ..., since when the thread handles messages of that sender only */
	uint32_t channel;   /* sent */
	uint32_t other;     /* received, woken: the other thread */
};

/* Entries of all threads; beyond, older ones of the thread at hand are dropped. */
#define THREAD_LOG_MAX (1u << 18)

struct thread_log;

struct thread_log *thread_log__new(void); /* NULL: out of memory */
void thread_log__free(struct thread_log *log);

/* In any order. 0 or -ENOMEM. */
int thread_log__add(struct thread_log *log, uint32_t tid, const struct thread_event *event);

/* Borrowed until the next change of the log. */
struct thread_events {
	const struct thread_event *event; /* in the order of time */
	size_t cnt;
	size_t *near; /* the last result of a search, a guess for the next one; NULL: none */
};

struct thread_events thread_log__of(struct thread_log *log, uint32_t tid);

/* How many of them are at or before `at_ns`. */
size_t thread_events_until(const struct thread_events *events, uint64_t at_ns);

/* Forgets what is older than `horizon_ns`, except for the last event before. */
void thread_log__trim(struct thread_log *log, uint64_t horizon_ns);
