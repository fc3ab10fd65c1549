/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the wakeups of each thread by the instant at which its sleep ended. */
#include "analysis/history/wakers.h"

#include "container/event_log.h"

#include <stdlib.h>

struct wakeup {
	uint64_t wake_ns;
	uint64_t at_ns;
	uint32_t tid; /* of the waker's context */
	uint32_t number;
	uint16_t cpu;
	uint8_t flags;
};

struct wakers {
	struct event_log log; /* struct wakeup, by thread */
};

struct wakers *wakers__new(void)
{
	struct wakers *wakers = malloc(sizeof(*wakers));

	if (wakers)
		event_log_init(&wakers->log, sizeof(struct wakeup));
	return wakers;
}

void wakers__free(struct wakers *wakers)
{
	if (wakers)
		event_log_clean(&wakers->log);
	free(wakers);
}

int wakers__add(struct wakers *wakers, const struct record_waker *record)
{
	const struct wakeup wakeup = {
		.wake_ns = record->wake_ns,
		.at_ns = record->at_ns,
		.tid = record->head.tid,
		.cpu = record->head.cpu,
		.number = record->number,
		.flags = record->head.flags,
	};

	return event_log_add(&wakers->log, record->woken, &wakeup);
}

static enum slice_kind kind_of(uint8_t flags)
{
	if (flags & WAKER_IRQ)
		return SLICE_IRQ;
	return flags & WAKER_SOFTIRQ ? SLICE_SOFTIRQ : SLICE_TASK;
}

bool wakers__find(struct wakers *wakers, uint32_t woken, uint64_t wake_ns, struct waker *waker)
{
	struct events events = event_log_until(&wakers->log, woken, wake_ns);
	const struct wakeup *wakeup;

	if (!events.cnt)
		return false;
	wakeup = (const struct wakeup *)events.event + events.cnt - 1;
	if (wakeup->wake_ns != wake_ns)
		return false;
	*waker = (struct waker){
		.kind = kind_of(wakeup->flags),
		.from_interrupt = wakeup->flags & (WAKER_IRQ | WAKER_SOFTIRQ),
		.is_unsure = wakeup->flags & WAKER_UNSURE,
		.tid = wakeup->tid,
		.cpu = wakeup->cpu,
		.number = wakeup->number,
		.at_ns = wakeup->at_ns,
	};
	return true;
}

size_t wakers__cnt(const struct wakers *wakers)
{
	return wakers->log.cnt;
}

void wakers__trim(struct wakers *wakers, uint64_t horizon_ns)
{
	event_log_trim(&wakers->log, horizon_ns);
}
