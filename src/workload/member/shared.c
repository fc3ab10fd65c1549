/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps the memory that all processes of a workload share, and waits on futex words. */
#include "util/clock.h"
#include "util/shared_memory.h"
#include "workload/member/shared.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* Journals and sidecars begin on pages of their own. */
static size_t slots_size(const struct shared_plan *plan)
{
	return whole_pages(sizeof(struct shared) + (plan->clients + 1) * sizeof(struct slot));
}

static size_t sidecar_size(const struct shared_plan *plan)
{
	return whole_pages(plan->sidecar * sizeof(struct message_header));
}

/* Lays out the memory of one slot from `room` on. Returns its end. */
static char *slot_init(struct slot *slot, const struct shared_plan *plan, char *room, bool is_link)
{
	atomic_store(&slot->status, STATUS_NONE);
	journal_init(&slot->journal, room, plan->journal);
	room += journal_size(plan->journal);
	if (!is_link)
		return room;
	journal_init(&slot->serving, room, plan->serving);
	room += journal_size(plan->serving);
	for (int i = 0; i < NR_DIRECTIONS; i++) {
		slot->direction[i].sidecar.headers = (struct message_header *)room;
		slot->direction[i].sidecar.capacity = plan->sidecar;
		room += sidecar_size(plan);
	}
	return room;
}

struct shared *shared_new(const struct shared_plan *plan)
{
	size_t link = journal_size(plan->serving) + NR_DIRECTIONS * sidecar_size(plan);
	size_t size = slots_size(plan) + (plan->clients + 1) * journal_size(plan->journal) +
		      plan->clients * link;
	struct shared *shared = shared_memory_map(size);
	char *room;

	if (!shared)
		return NULL;
	shared->size = size;
	shared->clients = plan->clients;
	room = (char *)shared + slots_size(plan);
	for (uint32_t i = 0; i <= plan->clients; i++)
		room = slot_init(&shared->slots[i], plan, room, i > 0);
	return shared;
}

void shared_free(struct shared *shared)
{
	if (shared)
		munmap(shared, shared->size);
}

void word_raise(_Atomic uint32_t *word, uint32_t value)
{
	uint32_t seen = atomic_load(word);

	while (seen < value && !atomic_compare_exchange_weak(word, &seen, value))
		;
	futex_wake(word);
}

void word_wait(_Atomic uint32_t *word, uint32_t value)
{
	uint32_t seen;

	while ((seen = atomic_load(word)) < value)
		futex_wait(word, seen, FUTEX_FOREVER);
}

void shared_ready(struct shared *shared)
{
	atomic_fetch_add(&shared->ready, 1);
	futex_wake(&shared->ready);
}

static void changes_notify(struct shared *shared)
{
	atomic_fetch_add(&shared->changes, 1);
	futex_wake(&shared->changes);
}

void shared_stop(struct shared *shared)
{
	atomic_store(&shared->stop, 1);
	changes_notify(shared);
	futex_wake(&shared->gate);
}

bool shared_stopped(const struct shared *shared)
{
	return atomic_load(&shared->stop);
}

void shared_member_set(struct shared *shared, uint32_t client, enum membership membership)
{
	_Atomic uint32_t *present = &shared->slots[client].membership;
	uint32_t seen = atomic_load(present);

	/* A late open message must not bring back a client that has died. */
	while (seen < membership && !atomic_compare_exchange_weak(present, &seen, membership))
		;
	changes_notify(shared);
}

enum membership shared_member(const struct shared *shared, uint32_t client)
{
	return (enum membership)atomic_load(&shared->slots[client].membership);
}

void shared_finish(struct shared *shared, uint32_t client)
{
	if (atomic_exchange(&shared->slots[client].finished, 1))
		return;
	atomic_fetch_add(&shared->finished, 1);
	if (shared_all_finished(shared))
		word_raise(&shared->gate, GATE_DONE);
}

void shared_pause_begin(struct shared *shared, uint32_t member)
{
	atomic_store(&shared->slots[member].is_pausing, 1);
	atomic_store(&shared->pause_ns, clock_now_ns());
	atomic_fetch_add(&shared->pausing, 1);
}

void shared_pause_end(struct shared *shared, uint32_t member)
{
	if (atomic_exchange(&shared->slots[member].is_pausing, 0))
		atomic_fetch_sub(&shared->pausing, 1);
}

bool shared_all_finished(const struct shared *shared)
{
	return atomic_load(&shared->finished) == shared->clients;
}

void shared_drop(struct shared *shared, uint32_t client, int error, uint64_t round)
{
	struct slot *slot = &shared->slots[client];

	slot->dropped_round = round;
	atomic_store_explicit(&slot->dropped_errno, (uint32_t)error, memory_order_release);
}

void shared_fail(struct shared *shared, int error, const char *format, ...)
{
	uint32_t none = FAILURE_NONE;
	va_list args;

	if (!atomic_compare_exchange_strong(&shared->failure, &none, FAILURE_WRITING))
		return;
	shared->failure_errno = error;
	va_start(args, format);
	vsnprintf(shared->failure_text, sizeof(shared->failure_text), format, args);
	va_end(args);
	atomic_store(&shared->failure, FAILURE_WRITTEN);
}

int shared_failed(const struct shared *shared)
{
	return atomic_load(&shared->failure) == FAILURE_WRITTEN ? shared->failure_errno : 0;
}
