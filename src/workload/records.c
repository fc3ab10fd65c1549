/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hands out the records of a workload: roles of threads, channels, clock readings, failed threads,
 * and message counts.
 */
#include "util/clock.h"
#include "util/shared_memory.h"
#include "util/log.h"
#include "workload/member/worker.h"
#include "workload/state.h"

#include <inttypes.h>

#define INTERVAL_MIN_NS         (10 * NSEC_PER_MSEC)
#define INTERVAL_MAX_NS         (500 * NSEC_PER_MSEC)

#define INTERVAL_MAX_FASTEST_NS (50 * NSEC_PER_MSEC)

/* Every receiver has a number of its own. */
#define END_OF_SERVER    CHANNEL_OF_LINK(0, TO_CLIENT)
#define END_OF_CLIENT(i) CHANNEL_OF_LINK(i, TO_CLIENT)

static uint32_t tid_of(const struct workload *w, uint32_t i)
{
	return atomic_load(&w->shared->slots[i].tid);
}

static bool has_direction(const struct workload *w, int to_server)
{
	return to_server ? w->plan.pattern->to_server : w->plan.pattern->to_clients;
}

static int role_put(const struct workload *w, uint32_t i, record_put_fn *put, void *ctx)
{
	struct record_role role = {
		.head = record_head(RECORD_ROLE, sizeof(struct record_role), 0, tid_of(w, i)),
		.role = i ? ROLE_CLIENT : ROLE_SERVER,
		.client = i,
	};

	worker_name(i, role.comm);
	return put(ctx, &role.head);
}

/* CHANNEL records are for transports without a kernel object. */
static int channel_put(const struct workload *w, uint32_t client, int to_server, record_put_fn *put,
		       void *ctx)
{
	const struct transport_ops *transport = w->plan.transport;
	struct record_channel channel = {
		.head = record_head(RECORD_CHANNEL, sizeof(struct record_channel), 0,
				    tid_of(w, to_server ? client : 0)),
		.channel = CHANNEL_OF_LINK(client, (uint32_t)to_server),
		.transport = transport->id,
		.sender = to_server ? END_OF_CLIENT(client) : END_OF_SERVER,
		.receiver = to_server ? END_OF_SERVER : END_OF_CLIENT(client),
	};

	if (!transport->notes_handover || !has_direction(w, to_server))
		return 0;
	if (transport->kernel_sends)
		channel.head.tid = 0;
	return put(ctx, &channel.head);
}

static int roles_put(struct workload *w, record_put_fn *put, void *ctx)
{
	uint32_t clients = w->plan.spec.clients;
	int err = 0;

	if (w->roles_reported)
		return 0;
	w->roles_reported = true;
	for (uint32_t i = 0; i <= clients && !err; i++)
		err = role_put(w, i, put, ctx);
	for (uint32_t i = 1; i <= clients && !err; i++) {
		err = channel_put(w, i, TO_CLIENT, put, ctx);
		if (!err)
			err = channel_put(w, i, TO_SERVER, put, ctx);
	}
	return err;
}

struct kernel_put {
	struct workload *w;
	record_put_fn *put;
	void *ctx;
};

/* The kernel's timer writes no record. The first STAMP of a round yields the TICK as well. */
static int kernel_put(void *ctx, const struct record *record)
{
	const struct kernel_put *kernel = ctx;
	struct workload *w = kernel->w;
	const struct record_stamp *stamp = (const struct record_stamp *)record;
	struct record_tick tick = {
		.head = record_head(RECORD_TICK, sizeof(struct record_tick), 0, 0),
	};
	int err = 0;

	if (record->type == RECORD_STAMP && stamp->round >= w->ticks_reported) {
		tick.round = stamp->round;
		tick.due_ns = stamp->due_ns;
		tick.stamp_ns = stamp->stamp_ns;
		/* Clients that have received that round, or still can. */
		for (uint32_t i = 1; i <= w->plan.spec.clients; i++)
			tick.sent +=
				!w->members[i].ended ||
				atomic_load(&w->shared->slots[i].direction[TO_CLIENT].received) >
					stamp->round;
		w->ticks_reported = stamp->round + 1;
		err = kernel->put(kernel->ctx, &tick.head);
	}
	return err ? err : kernel->put(kernel->ctx, record);
}

static int slots_drain(struct shared *shared, record_put_fn *put, void *ctx)
{
	int err = 0;

	for (uint32_t i = 0; i <= shared->clients && !err; i++) {
		err = journal_drain(&shared->slots[i].journal, put, ctx);
		if (!err && i)
			err = journal_drain(&shared->slots[i].serving, put, ctx);
	}
	return err;
}

void workload__drained(struct workload *w, uint64_t within_ns)
{
	atomic_store(&w->shared->drain_due_ns, clock_now_ns() + within_ns);
	atomic_fetch_add(&w->shared->drained, 1);
	futex_wake(&w->shared->drained);
}

/* What is not received by then is lost: the kernel keeps real-time threads waiting for 50 ms. */
#define UNDER_WAY_NS (60 * NSEC_PER_MSEC)

static bool is_under_way(const struct direction *direction)
{
	return atomic_load(&direction->received) < atomic_load(&direction->sent);
}

/* A message of a round or a flood may be under way when its sender pauses. */
static bool all_is_received(const struct workload *w)
{
	if (clock_now_ns() > atomic_load(&w->shared->pause_ns) + UNDER_WAY_NS)
		return true;
	for (uint32_t i = 1; i <= w->plan.spec.clients; i++) {
		const struct slot *slot = &w->shared->slots[i];

		if (!atomic_load(&slot->finished) && (is_under_way(&slot->direction[TO_CLIENT]) ||
						      is_under_way(&slot->direction[TO_SERVER])))
			return false;
	}
	return true;
}

bool workload__pauses(const struct workload *w)
{
	uint32_t clients = w->plan.spec.clients - atomic_load(&w->shared->finished);
	uint32_t beginners = clients && w->plan.pattern->needs_period ? 1 : clients;

	return atomic_load(&w->shared->pausing) >= beginners && all_is_received(w);
}

static int left_put(struct workload *w, record_put_fn *put, void *ctx)
{
	int err = 0;

	for (uint32_t i = 0; i <= w->plan.spec.clients && !err; i++) {
		struct member *member = &w->members[i];

		if (!member->has_left)
			continue;
		member->has_left = false;
		err = put(ctx, &member->left.head);
	}
	return err;
}

static int direction_put(const struct workload *w, uint32_t client, int to_server,
			 record_put_fn *put, void *ctx)
{
	const struct direction *direction = &w->shared->slots[client].direction[to_server];
	struct record_traffic traffic = {
		.head = record_head(RECORD_TRAFFIC, sizeof(struct record_traffic), 0,
				    tid_of(w, to_server ? 0 : client)),
		.client = client,
		.to_server = (uint32_t)to_server,
		.sent = atomic_load(&direction->sent),
		.received = atomic_load(&direction->received),
		.corrupt = atomic_load(&direction->corrupt),
		.bytes = atomic_load(&direction->bytes),
		.first_ns = atomic_load(&direction->first_ns),
		.last_ns = atomic_load(&direction->last_ns),
		.wakes_sent = atomic_load(&direction->wakes_sent),
		.wakes_delivered = atomic_load(&direction->wakes_delivered),
	};

	return has_direction(w, to_server) ? put(ctx, &traffic.head) : 0;
}

static void retries_report(const struct workload *w)
{
	uint64_t retries = 0;

	for (uint32_t i = 1; i <= w->plan.spec.clients; i++)
		retries += atomic_load(&w->shared->slots[i].retries);
	/* After the server has died no client can connect. */
	if (retries && !w->server_died)
		log_warning(
			"clients had to connect again: %s: %" PRIu64
			" attempts had failed, so the run is slower: use fewer --clients, or raise "
			"net.core.somaxconn",
			w->plan.transport->name, retries);
}

/* Those of the member that has paused for the longest time: most pauses are of all members. */
static int pauses_put(const struct workload *w, record_put_fn *put, void *ctx)
{
	struct record_pauses pauses = {
		.head = record_head(RECORD_PAUSES, sizeof(struct record_pauses), 0, 0),
	};

	for (uint32_t i = 0; i <= w->plan.spec.clients; i++) {
		const struct slot *slot = &w->shared->slots[i];
		uint64_t ns = atomic_load(&slot->paused_ns);

		if (ns <= pauses.ns)
			continue;
		pauses.head.tid = tid_of(w, i);
		pauses.count = atomic_load(&slot->pauses);
		pauses.ns = ns;
	}
	return put(ctx, &pauses.head);
}

/* Once, when no process is left. */
static int traffic_put(struct workload *w, record_put_fn *put, void *ctx)
{
	int err = 0;

	if (w->traffic_reported || !reaper_is_complete(w))
		return 0;
	w->traffic_reported = true;
	for (uint32_t i = 1; i <= w->plan.spec.clients && !err; i++) {
		err = direction_put(w, i, TO_CLIENT, put, ctx);
		if (!err)
			err = direction_put(w, i, TO_SERVER, put, ctx);
	}
	retries_report(w);
	return err ? err : pauses_put(w, put, ctx);
}

int workload__drain(struct workload *w, record_put_fn *put, void *ctx)
{
	struct kernel_put kernel = {.w = w, .put = put, .ctx = ctx};
	int err = roles_put(w, put, ctx);

	if (!err)
		err = w->plan.transport->kernel_sends ? slots_drain(w->shared, kernel_put, &kernel)
						      : slots_drain(w->shared, put, ctx);
	if (!err)
		err = left_put(w, put, ctx);
	return err ? err : traffic_put(w, put, ctx);
}

/* The time in which half of a journal fills up at the nominal rate. */
uint64_t workload__drain_interval_ns(const struct workload *w)
{
	uint64_t period_ns = w->plan.spec.period_ns ? w->plan.spec.period_ns : WORKLOAD_FASTEST_NS;
	uint64_t most_ns = w->plan.spec.period_ns ? INTERVAL_MAX_NS : INTERVAL_MAX_FASTEST_NS;
	uint64_t half = w->shared->slots[0].journal.capacity / 2 / w->plan.notes;
	uint64_t interval_ns = half < most_ns / period_ns ? half * period_ns : most_ns;

	return interval_ns > INTERVAL_MIN_NS ? interval_ns : INTERVAL_MIN_NS;
}

uint64_t workload__lost(const struct workload *w)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i <= w->shared->clients; i++) {
		const struct slot *slot = &w->shared->slots[i];

		lost += journal_lost(&slot->journal) + journal_lost(&slot->serving);
		for (int direction = 0; direction < NR_DIRECTIONS; direction++)
			lost += atomic_load(&slot->direction[direction].headerless);
	}
	return lost;
}
