/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the work of each thread in a deque, in the order of time. */
#include "analysis/attach/calls/work_log.h"

#include "container/deque.h"
#include "container/lru_table.h"
#include "container/step_limit.h"
#include "container/time_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The most frequent places are kept (Metwally and others, "space saving", ICDT 2005). */
#define SHARE 4

/* Where this one is counted, or the rarest. */
static uint32_t work_places_find(const struct work_places *places, uint32_t place)
{
	uint32_t rarest = 0;

	for (uint32_t i = 0; i < WORK_PLACES_KEPT; i++) {
		if (places->place[i] == place)
			return i;
		if (places->cnt[i] < places->cnt[rarest])
			rarest = i;
	}
	return rarest;
}

void work_places_count(struct work_places *places, uint32_t place)
{
	uint32_t i = work_places_find(places, place);

	places->place[i] = place;
	places->cnt[i]++;
}

bool work_places_has(const struct work_places *places, uint32_t place)
{
	uint32_t i = work_places_find(places, place), all = 0;

	/* A place that takes another one's room takes its count, too: none is lost. */
	for (uint32_t k = 0; k < WORK_PLACES_KEPT; k++)
		all += places->cnt[k];
	return places->cnt[i] && places->place[i] == place &&
	       places->cnt[i] >= (all + SHARE - 1) / SHARE;
}

struct worker {
	uint32_t id; /* tid */
	uint32_t used;
	struct work *work;            /* in the deque */
	uint64_t sent_ns[SENDS_KEPT]; /* ring */
	uint32_t sends;
	bool has_answered;         /* the last request that is not in the deque any more */
	struct work_places places; /* where it waits for work */
	uint64_t placed_ns;        /* its work until then was counted in these */
	struct deque deque;
	UT_hash_handle hh;
};

struct work_log {
	LRU_TABLE(struct worker);
	size_t cnt; /* of all threads */
	uint32_t searches;
};

struct work_log *work_log__new(void)
{
	return calloc(1, sizeof(struct work_log));
}

static void work_log_forget(struct work_log *log, struct worker *worker)
{
	log->cnt -= worker->deque.cnt;
	LRU_DELETE(log, worker);
	deque_free(&worker->deque, &worker->work, sizeof(*worker->work));
	free(worker);
}

void work_log__free(struct work_log *log)
{
	while (log && log->first)
		work_log_forget(log, log->first);
	free(log);
}

static size_t count_until(const struct worker *worker, uint64_t until_ns)
{
	struct time_array works = TIME_SEARCH(worker->work, worker->deque.cnt, got_ns);

	/* Callers ask about recent work. */
	return time_search_count(works, until_ns, worker->deque.cnt);
}

/* More entries after the last request are not looked through. */
#define REQUEST_DISTANCE 64

/* Whether the thread had answered what it had received last when it got entry `i`. */
static bool was_idle(const struct worker *worker, size_t i)
{
	uint64_t at_ns = worker->work[i].got_ns;

	for (size_t back = 1; back <= i && step_limit_spend(1); back++) {
		if (back > REQUEST_DISTANCE)
			return false;
		if (worker->work[i - back].is_request)
			return !work_is_open(&worker->work[i - back], at_ns);
	}
	return worker->has_answered;
}

/* A request whose answer is not known yet counts as open. */
static void count_places(struct worker *worker, uint64_t until_ns)
{
	size_t end = count_until(worker, until_ns);

	for (size_t i = count_until(worker, worker->placed_ns); i < end && step_limit_spend(1);
	     i++) {
		if (worker->work[i].place && was_idle(worker, i))
			work_places_count(&worker->places, worker->work[i].place);
		worker->placed_ns = worker->work[i].got_ns;
	}
}

/* What is dropped says for the last time where the thread waits for work. */
static void work_log_drop_oldest(struct work_log *log, struct worker *worker, size_t cnt)
{
	if (!cnt)
		return;
	count_places(worker, worker->work[cnt - 1].got_ns);
	for (size_t i = cnt; i && step_limit_spend(1); i--) {
		const struct work *work = &worker->work[i - 1];

		if (!work->is_request)
			continue;
		worker->has_answered = work->answered_ns;
		break;
	}
	log->cnt -= cnt;
	deque_drop(&worker->deque, &worker->work, cnt, sizeof(*worker->work));
}

static int work_log_reserve(struct work_log *log, struct worker *worker)
{
	size_t cnt = worker->deque.cnt;

	if (cnt == WORKS_MAX || (cnt && log->cnt >= WORK_LOG_MAX))
		work_log_drop_oldest(log, worker, (cnt + 1) / 2);
	return deque_reserve(&worker->deque, &worker->work, 1, sizeof(*worker->work));
}

int work_log__add(struct work_log *log, uint32_t tid, const struct work *work)
{
	struct worker *worker;
	size_t at, later;

	LRU_FIND_OR_ADD(log, tid, worker, LRU_THREADS_MAX, work_log_forget);
	if (!worker || work_log_reserve(log, worker))
		return -ENOMEM;
	at = count_until(worker, work->got_ns);
	later = worker->deque.cnt - at;
	step_limit_spend(later);
	memmove(worker->work + at + 1, worker->work + at, later * sizeof(*work));
	worker->work[at] = *work;
	worker->deque.cnt++;
	log->cnt++;
	return 0;
}

int work_log__wakeup(struct work_log *log, const struct record_wakeup *wakeup)
{
	bool is_write = wakeup->head.flags & WAKEUP_BY_WRITE;
	bool is_futex = wakeup->head.type == RECORD_FUTEX_WAKEUP;
	const struct work work = {.source = is_write ? WORK_MESSAGE : WORK_WAKEUP,
				  .got_ns = wakeup->at_ns,
				  .given_ns = wakeup->at_ns,
				  .giver = wakeup->head.tid,
				  .place = is_futex ? wakeup->place : 0};

	return work_log__add(log, wakeup->woken, &work);
}

void work_log__sent(struct work_log *log, uint32_t tid, uint64_t send_ns)
{
	struct worker *worker = LRU_GET(log, tid);

	if (worker)
		worker->sent_ns[worker->sends++ % SENDS_KEPT] = send_ns;
}

uint64_t work_log__sent_before(struct work_log *log, uint32_t tid, uint64_t before_ns)
{
	struct worker *worker = LRU_GET(log, tid);
	uint64_t last_ns = 0;

	for (uint32_t i = 0; worker && i < SENDS_KEPT; i++) {
		if (worker->sent_ns[i] < before_ns && worker->sent_ns[i] > last_ns)
			last_ns = worker->sent_ns[i];
	}
	return last_ns;
}

struct works work_log__until(struct work_log *log, uint32_t tid, uint64_t until_ns)
{
	struct worker *worker = LRU_GET(log, tid);

	if (!worker)
		return (struct works){0};
	LRU_USE(log, worker);
	return (struct works){.work = worker->work, .cnt = count_until(worker, until_ns)};
}

bool work_log__got_request(struct work_log *log, uint32_t tid, uint64_t from_ns, uint64_t until_ns,
			   uint64_t number)
{
	struct works works = work_log__until(log, tid, until_ns);

	for (; works.cnt && step_limit_spend(1); works.cnt--) {
		const struct work *got = &works.work[works.cnt - 1];

		if (got->got_ns < from_ns)
			return false;
		if (got->is_request && got->parent.number != number)
			return true;
	}
	return false;
}

bool work_log__waits_for_work(struct work_log *log, uint32_t tid, uint32_t place, uint64_t until_ns)
{
	struct worker *worker = LRU_GET(log, tid);

	if (!worker || !place)
		return false;
	count_places(worker, until_ns);
	return work_places_has(&worker->places, place);
}

struct work *work_log__request(struct work_log *log, const struct request_id *request)
{
	struct works works = work_log__until(log, request->tid, UINT64_MAX);

	for (size_t i = works.cnt; request->number && i && step_limit_spend(1); i--) {
		struct work *work = &works.work[i - 1];

		if (work->is_request && work->parent.number == request->number)
			return work;
	}
	return NULL;
}

uint32_t work_log__begin_search(struct work_log *log)
{
	if (!++log->searches)
		log->searches++;
	return log->searches;
}

/* A thread without work may have ended: its entry goes, unless it has served requests. */
void work_log__trim(struct work_log *log, uint64_t horizon_ns)
{
	struct worker *worker, *next;

	HASH_ITER (hh, log->first, worker, next) {
		size_t old = horizon_ns ? count_until(worker, horizon_ns - 1) : 0;

		if (!step_limit_spend(STEPS_OF_THREAD))
			break;
		work_log_drop_oldest(log, worker, old);
		if (!worker->deque.cnt && !worker->has_answered) {
			work_log_forget(log, worker);
			continue;
		}
		deque_fit(&worker->deque, &worker->work, sizeof(*worker->work));
	}
}
