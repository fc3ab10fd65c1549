/* SPDX-License-Identifier: BSD-2-Clause */
#include "workload/shared.h"
#include "workload/clock.h"
#include "workload/futex.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define CAPACITY_MIN 4096ULL
#define CAPACITY_MAX (1ULL << 20)

/* A journal holds what comes in this time, so that a driver that is held up loses nothing. */
#define CAPACITY_NS (4 * NSEC_PER_SEC)

/* Of all journals together; fast periods with many clients get shorter journals. */
#define JOURNALS_SIZE_MAX (256ULL << 20)

uint64_t shared_rounds(const struct workload_spec *spec)
{
	return spec->warmup + spec->messages;
}

static uint64_t journal_capacity(const struct workload_spec *spec)
{
	uint64_t wanted = CAPACITY_NS / spec->period_ns;
	uint64_t capacity = 1;

	if (wanted < CAPACITY_MIN)
		wanted = CAPACITY_MIN;
	if (wanted > shared_rounds(spec))
		wanted = shared_rounds(spec);
	while (capacity < wanted && capacity < CAPACITY_MAX)
		capacity *= 2;
	while (capacity > CAPACITY_MIN &&
	       (spec->clients + 1) * journal_size(capacity) > JOURNALS_SIZE_MAX)
		capacity /= 2;
	return capacity;
}

/* Journals begin on a page of their own. */
static size_t slots_end(uint32_t clients)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = sizeof(struct shared) + (clients + 1) * sizeof(struct slot);

	return (size + page - 1) / page * page;
}

struct shared *shared_new(const struct workload_spec *spec)
{
	uint64_t capacity = journal_capacity(spec);
	size_t first = slots_end(spec->clients);
	size_t size = first + (spec->clients + 1) * journal_size(capacity);
	struct shared *shared;

	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return NULL;
	shared->size = size;
	shared->capacity = capacity;
	shared->clients = spec->clients;
	for (uint32_t i = 0; i <= spec->clients; i++)
		journal_init(&shared->slots[i].journal,
			     (char *)shared + first + i * journal_size(capacity), capacity);
	return shared;
}

void shared_free(struct shared *shared)
{
	if (shared)
		munmap(shared, shared->size);
}

void shared_gate_raise(struct shared *shared, enum gate_stage stage)
{
	atomic_store(&shared->gate, stage);
	futex_wake(&shared->gate);
}

void shared_gate_wait(struct shared *shared, enum gate_stage stage)
{
	uint32_t seen;

	while ((seen = atomic_load(&shared->gate)) < stage)
		futex_wait(&shared->gate, seen, FUTEX_FOREVER);
}

void shared_ready(struct shared *shared)
{
	atomic_fetch_add(&shared->ready, 1);
	futex_wake(&shared->ready);
}

static void changes_tell(struct shared *shared)
{
	atomic_fetch_add(&shared->changes, 1);
	futex_wake(&shared->changes);
}

void shared_stop(struct shared *shared)
{
	atomic_store(&shared->stop, 1);
	changes_tell(shared);
}

bool shared_stopped(const struct shared *shared)
{
	return atomic_load(&shared->stop);
}

void shared_member_set(struct shared *shared, uint32_t client, enum membership membership)
{
	_Atomic uint32_t *present = &shared->slots[client].membership;
	uint32_t seen = atomic_load(present);

	/* The open message of a client that has died meanwhile must not bring it back. */
	while (seen < membership && !atomic_compare_exchange_weak(present, &seen, membership))
		;
	changes_tell(shared);
}

enum membership shared_member(const struct shared *shared, uint32_t client)
{
	return (enum membership)atomic_load(&shared->slots[client].membership);
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
