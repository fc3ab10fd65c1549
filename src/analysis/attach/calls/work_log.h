/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers what gave each thread work: a request of a client, or another thread of its process
 * that sent it a message or woke it. A search from the thread that answers, back in time, finds the
 * threads that worked on a request:
 *
 *	thread 1   request ... hands over
 *	thread 2                   | ... hands over
 *	thread 1                              | ... answer
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A further one takes the place of the rarest, and its count. */
#define WORK_PLACES_KEPT 4

/*
 * Where a thread slept that had no request when it was woken. It waits for work in the places where
 * it did so often; now and then it may also wait for a lock then. Zero-initialised is empty.
 */
struct work_places {
	uint32_t place[WORK_PLACES_KEPT]; /* as in FUTEX_WAKEUP, other than 0 */
	uint32_t cnt[WORK_PLACES_KEPT];
};

void work_places_count(struct work_places *places, uint32_t place);

/* Whether at least a quarter of all was counted there. */
bool work_places_has(const struct work_places *places, uint32_t place);

enum work_source {
	WORK_REQUEST, /* a request from another process */
	WORK_OTHER,   /* another message from another process, for example an answer */
	WORK_MESSAGE, /* a message from another thread of the process, which may never be read */
	WORK_WAKEUP,  /* another thread of the process woke it with a futex, or made it */
};

/* Identifies a request: the thread that received it, and its number. */
struct request_id {
	uint64_t number; /* from 1; 0: none */
	uint32_t tid;
	uint32_t channel; /* on which it came */
};

struct work {
	uint64_t got_ns;   /* the thread received it, or its wakeup began */
	uint64_t given_ns; /* MESSAGE and WAKEUP: the giver did so then */
	uint32_t giver;    /* the same: tid */
	uint32_t search;   /* the last search that it led nowhere in, see service_path.c */
	uint32_t place;    /* WAKEUP: where the thread slept, as in FUTEX_WAKEUP; 0: not known */
	enum work_source source;
	bool is_request;          /* it was sent by a client, perhaps of the same process */
	uint64_t answered_ns;     /* is_request: its answer was sent; 0: not yet */
	struct request_id parent; /* is_request: itself; else the request that it was done for */
};

/* is_request: whether it is unanswered at `at_ns`. */
static inline bool work_is_open(const struct work *request, uint64_t at_ns)
{
	return !request->answered_ns || request->answered_ns > at_ns;
}

/* The work of a thread in the order of `got_ns`; borrowed until the next change of the log. */
struct works {
	struct work *work;
	size_t cnt;
};

/* Entries of one thread, and of all threads; beyond, older entries are dropped. */
#define WORKS_MAX    16384
#define SENDS_KEPT   8 /* of each thread */
#define WORK_LOG_MAX (1u << 18)

struct work_log;

struct work_log *work_log__new(void); /* NULL: out of memory */
void work_log__free(struct work_log *log);

/* In any order. `work` is copied. 0 or -ENOMEM. */
int work_log__add(struct work_log *log, uint32_t tid, const struct work *work);

/* The same for a thread that another one has woken. */
int work_log__wakeup(struct work_log *log, const struct record_wakeup *wakeup);

/* The thread sent something over any channel, in the order of receives. Unknown threads are left
 * out. */
void work_log__sent(struct work_log *log, uint32_t tid, uint64_t send_ns);

/* When the thread sent something last before `before_ns`; 0: not known. */
uint64_t work_log__sent_before(struct work_log *log, uint32_t tid, uint64_t before_ns);

/* What the thread got until `until_ns`, that instant included. */
struct works work_log__until(struct work_log *log, uint32_t tid, uint64_t until_ns);

/* Whether the thread got a request other than this one in [from_ns, until_ns]. 0: any. */
bool work_log__got_request(struct work_log *log, uint32_t tid, uint64_t from_ns, uint64_t until_ns,
			   uint64_t number);

/*
 * Whether this is a place where the thread, when it has no request, sleeps until it gets work, as
 * far as is known at `until_ns`. It is not forgotten with the work.
 */
bool work_log__waits_for_work(struct work_log *log, uint32_t tid, uint32_t place,
			      uint64_t until_ns);

/* NULL: it is not known any more. */
struct work *work_log__request(struct work_log *log, const struct request_id *request);

/* A number for the next search, other than 0. */
uint32_t work_log__begin_search(struct work_log *log);

/* Forgets what is older than `horizon_ns`. Requests before it are answered, or never will be. */
void work_log__trim(struct work_log *log, uint64_t horizon_ns);
