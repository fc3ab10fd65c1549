/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps two logs of the same events: in the order of their ends, and in that of their begins. */
#include "analysis/history/futile_wakes.h"

#include "container/step_limit.h"

#include <errno.h>

/* Units are handed out later than they are made, so that wakes are kept for so much longer. */
#define VAIN_KEPT_NS 2000000000ULL

/* So many of all threads. */
#define VAIN_MAX (1u << 17)

/* Those of one thread do not overlap. */
struct vain_stretch {
	uint64_t to_ns;
	uint64_t from_ns;
};

/* A server wakes threads by its messages, and in calls that it serves. */
enum vain_taker { TAKER_MESSAGE, TAKER_SERVICE, NR_VAIN_TAKERS };

struct vain_wake {
	uint64_t from_ns;
	uint64_t cpu_ns;
	uint32_t woken;
	uint32_t number;
	bool in_poll; /* `number` is the call that polls */
	bool in_futex;
	bool is_taken[NR_VAIN_TAKERS];
};

struct connecting {
	uint64_t enter_ns;
	uint64_t exit_ns;
};

void futile_wakes_init(struct futile_wakes *wakes)
{
	event_log_init(&wakes->by_woken, sizeof(struct vain_stretch));
	event_log_init(&wakes->by_waker, sizeof(struct vain_wake));
	event_log_init(&wakes->connects, sizeof(struct connecting));
	wakes->by_waker.all_max = wakes->connects.all_max = VAIN_MAX;
}

void futile_wakes_clean(struct futile_wakes *wakes)
{
	event_log_clean(&wakes->by_woken);
	event_log_clean(&wakes->by_waker);
	event_log_clean(&wakes->connects);
}

int futile_wakes_add(struct futile_wakes *wakes, const struct record_futile *record)
{
	const struct vain_stretch stretch = {.to_ns = record->to_ns, .from_ns = record->from_ns};
	const struct vain_wake wake = {
		.from_ns = record->from_ns,
		.cpu_ns = record->cpu_ns,
		.woken = record->head.tid,
		.number = record->number,
		.in_poll = record->head.flags & FUTILE_IN_POLL,
		.in_futex = record->head.flags & FUTILE_IN_FUTEX,
	};
	int err;

	if (record->from_ns >= record->to_ns || record->cpu_ns > record->to_ns - record->from_ns)
		return 0;
	err = event_log_add(&wakes->by_woken, record->head.tid, &stretch);
	if (err || !record->waker)
		return err;
	return event_log_add(&wakes->by_waker, record->waker, &wake);
}

int futile_wakes_connect(struct futile_wakes *wakes, uint32_t tid, uint64_t enter_ns,
			 uint64_t exit_ns)
{
	const struct connecting connecting = {.enter_ns = enter_ns, .exit_ns = exit_ns};

	return event_log_add(&wakes->connects, tid, &connecting);
}

bool futile_wakes_at(struct futile_wakes *wakes, uint32_t tid, uint64_t at_ns)
{
	struct events events;

	if (!wakes->by_woken.cnt)
		return false;
	events = event_log_within(&wakes->by_woken, tid, at_ns, UINT64_MAX);
	return events.cnt && ((const struct vain_stretch *)events.event)->from_ns <= at_ns;
}

static void take(struct unit_vain *vain, const struct vain_wake *wake)
{
	const struct unit_vain one = {
		.wakes = 1,
		.call = wake->number,
		.in_poll = wake->in_poll,
		.in_futex = wake->in_futex,
		.cpu_ns = wake->cpu_ns,
	};

	unit_vain_add(vain, &one);
}

static void take_within(struct futile_wakes *wakes, uint32_t waker, uint64_t from_ns,
			uint64_t to_ns, enum vain_taker taker, struct unit_vain *vain)
{
	struct events events = event_log_within(&wakes->by_waker, waker, from_ns, to_ns);
	/* Whether one is taken is noted in the log itself. */
	struct vain_wake *wake = (struct vain_wake *)events.event;

	for (size_t i = 0; i < events.cnt && step_limit_spend(STEPS_OF_SHARE); i++) {
		if (wake[i].is_taken[taker])
			continue;
		wake[i].is_taken[taker] = true;
		take(vain, &wake[i]);
	}
}

struct unit_vain futile_wakes_take(struct futile_wakes *wakes, uint32_t waker, uint64_t from_ns,
				   uint64_t to_ns, bool connects)
{
	struct events before = {0};
	struct unit_vain vain = {0};
	const struct connecting *last;

	if (!wakes->by_waker.cnt)
		return vain;
	if (connects)
		before = event_log_until(&wakes->connects, waker, from_ns);
	if (before.cnt) {
		last = (const struct connecting *)before.event + before.cnt - 1;
		take_within(wakes, waker, last->enter_ns, last->exit_ns, TAKER_MESSAGE, &vain);
	}
	take_within(wakes, waker, from_ns, to_ns, TAKER_MESSAGE, &vain);
	return vain;
}

struct unit_vain futile_wakes_take_served(struct futile_wakes *wakes, uint32_t waker,
					  uint64_t from_ns, uint64_t to_ns)
{
	struct unit_vain vain = {0};

	if (wakes->by_waker.cnt)
		take_within(wakes, waker, from_ns, to_ns, TAKER_SERVICE, &vain);
	return vain;
}

void futile_wakes_trim(struct futile_wakes *wakes, uint64_t horizon_ns)
{
	event_log_trim(&wakes->by_woken, horizon_ns);
	/* At the end, units are still to be handed out. */
	if (horizon_ns == UINT64_MAX)
		return;
	horizon_ns = horizon_ns > VAIN_KEPT_NS ? horizon_ns - VAIN_KEPT_NS : 0;
	event_log_trim(&wakes->by_waker, horizon_ns);
	event_log_trim(&wakes->connects, horizon_ns);
}
