/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the parts of connections, and the reasons why connect() has failed. */
#include "analysis/attach/connections/listeners.h"

#include "bpf/record.h"
#include "container/hash_table.h"
#include "model/members/members.h"

#include <errno.h>
#include <stdlib.h>

struct listener {
	uint64_t id; /* as in ACCEPT */
	struct listener_summary sum;
	UT_hash_handle hh;
};

struct listeners {
	struct listener *listener; /* hash by id */
	struct connections_summary sum;
};

struct listeners *listeners__new(void)
{
	return calloc(1, sizeof(struct listeners));
}

void listeners__free(struct listeners *listeners)
{
	struct listener *listener, *next;

	if (!listeners)
		return;
	HASH_ITER (hh, listeners->listener, listener, next) {
		members_clean(&listener_summary_members, &listener->sum);
		HASH_DROP(listeners->listener, listener);
	}
	members_clean(&connections_summary_members, &listeners->sum);
	free(listeners);
}

struct connections_summary *listeners__sum(struct listeners *listeners)
{
	return &listeners->sum;
}

/*
 * TCP: the queue was full when the first segment left, and the segment had to be sent again; or the
 * queue was full when the last segment had left, the connection was not in the queue by then, and
 * the listener sent its answer again.
 *
 *	SYN --> full: dropped   1 s   SYN --> SYN, ACK     connect() returns
 *	SYN --> SYN, ACK   ACK --> full: dropped           connect() has returned   1 s   SYN, ACK
 *
 * Unix: a thread that finds the queue full sleeps until it is not.
 */
bool opened_waited_for_room(const struct opened *opened)
{
	const struct record_connect *connect = &opened->connect;
	uint32_t flags = connect->head.flags;

	if (opened->was_full)
		return true;
	if (connect->family == FAMILY_UNIX)
		return flags & CONNECT_FULL;
	if (flags & CONNECT_FULL && connect->retransmits)
		return true;
	return flags & CONNECT_FULL_AT_EXIT && opened->accept.retransmits &&
	       opened->queued_ns > connect->exit_ns;
}

static uint32_t listeners_transport_of(uint16_t family, bool has_packets)
{
	if (family == FAMILY_UNIX)
		return has_packets ? TRANSPORT_UDS_SEQPACKET : TRANSPORT_UDS_STREAM;
	return family == FAMILY_INET ? TRANSPORT_TCP : TRANSPORT_TCP6;
}

uint32_t opened_transport(const struct opened *opened)
{
	return listeners_transport_of(opened->accept.family,
				      opened->accept.head.flags & CONNECT_PACKETS);
}

/* NULL: out of memory, or there are too many: then `*err` is 0. */
static struct listener *listener_of(struct listeners *listeners, uint64_t id, int *err)
{
	struct listener *listener;

	HASH_FIND(hh, listeners->listener, &id, sizeof(id), listener);
	*err = 0;
	if (listener || HASH_COUNT(listeners->listener) >= SUMMARY_LISTENERS_MAX - 1)
		return listener;
	HASH_ADD_NEW(listeners->listener, id, id, listener);
	if (!listener)
		*err = -ENOMEM;
	return listener;
}

static void listeners_add_wait(struct waits_summary *waits, uint64_t ns, bool still_waits)
{
	if (!waits->count || ns < waits->least_ns)
		waits->least_ns = ns;
	if (ns > waits->most_ns)
		waits->most_ns = ns;
	waits->count++;
	waits->still_waiting += still_waits;
}

void opened_parts_of(const struct breakdown *breakdown, struct opened_parts *parts)
{
	*parts = (struct opened_parts){
		.latency_ns = breakdown->latency_ns,
		.busy_ns = breakdown->component_ns[COMPONENT_BUSY],
		.blocked_ns = breakdown->component_ns[COMPONENT_BLOCKED],
	};
	for (int i = 0; i < NR_COMPONENTS; i++)
		parts->part_ns[connection_part_of(i)] += breakdown->component_ns[i];
	for (uint32_t i = 0; i < breakdown->segment_cnt; i++) {
		const struct segment *segment = &breakdown->segment[i];

		if (segment->component == COMPONENT_BLOCKED)
			blocked_calls_add(&parts->blocked, segment->cpu,
					  segment->to_ns - segment->from_ns, 1);
	}
}

static void add_to_listener(struct listener_summary *sum, const struct opened *opened,
			    const struct opened_parts *parts)
{
	sum->server = opened->server;
	sum->transport = opened_transport(opened);
	sum->port = opened->accept.port;
	sum->backlog = opened->accept.backlog;
	if (opened->accept.waiting > sum->most_waiting)
		sum->most_waiting = opened->accept.waiting;
	stat_add(&sum->latency, parts->latency_ns);
	for (int i = 0; i < NR_CONNECTION_PARTS; i++)
		stat_add(&sum->part[i], parts->part_ns[i]);
	sum->busy_ns += parts->busy_ns;
	sum->blocked_ns += parts->blocked_ns;
	blocked_calls_merge(&sum->blocked, &parts->blocked);
	if (opened_waited_for_room(opened))
		listeners_add_wait(&sum->full, parts->part_ns[CONNECTION_CONNECT], false);
}

int listeners__add(struct listeners *listeners, const struct opened *opened,
		   const struct opened_parts *parts)
{
	struct listener *listener;
	int err;

	stat_add(&listeners->sum.latency, parts->latency_ns);
	for (int i = 0; i < NR_CONNECTION_PARTS; i++)
		stat_add(&listeners->sum.part[i], parts->part_ns[i]);
	listeners->sum.retransmits += opened->connect.retransmits + opened->accept.retransmits;
	listener = listener_of(listeners, opened->accept.listener, &err);
	if (listener)
		add_to_listener(&listener->sum, opened, parts);
	return err;
}

int listeners__waited(struct listeners *listeners, const struct long_wait *wait)
{
	struct listener *listener;
	int err;

	listeners->sum.retransmits += wait->retransmits;
	listeners->sum.still_waiting += wait->still_waits;
	listener = listener_of(listeners, wait->listener, &err);
	if (!listener)
		return err;
	listener->sum.transport = listeners_transport_of(wait->family, wait->has_packets);
	listener->sum.port = wait->port;
	listener->sum.backlog = wait->backlog;
	listeners_add_wait(wait->is_full ? &listener->sum.full : &listener->sum.unanswered,
			   wait->ns, wait->still_waits);
	return 0;
}

void listeners__failed(struct listeners *listeners, const struct record_connect *connect)
{
	struct connections_summary *sum = &listeners->sum;
	uint32_t i = 0;

	sum->failed++;
	sum->full_failed += connect->family == FAMILY_UNIX && connect->error == EAGAIN;
	while (i < sum->error_cnt && sum->error[i].error != connect->error)
		i++;
	if (i == CONNECTION_ERRORS_MAX)
		sum->error[--i].error = 0;
	else if (i == sum->error_cnt)
		sum->error[sum->error_cnt++].error = connect->error;
	sum->error[i].count++;
}

static int most_connections_first(const void *a, const void *b)
{
	const struct listener_summary *x = a, *y = b;

	if (x->latency.count != y->latency.count)
		return x->latency.count < y->latency.count ? 1 : -1;
	return (x->port > y->port) - (x->port < y->port);
}

static int most_errors_first(const void *a, const void *b)
{
	const struct connection_error *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

int listeners__finish(struct listeners *listeners, struct connections_summary *summary)
{
	uint32_t cnt = HASH_COUNT(listeners->listener);
	struct listener *listener, *next;

	*summary = listeners->sum;
	listeners->sum = (struct connections_summary){0};
	qsort(summary->error, summary->error_cnt, sizeof(summary->error[0]), most_errors_first);
	if (!cnt)
		return 0;
	summary->listener = calloc(cnt, sizeof(*summary->listener));
	if (!summary->listener)
		return -ENOMEM;
	HASH_ITER (hh, listeners->listener, listener, next) {
		blocked_calls_sort(&listener->sum.blocked);
		summary->listener[summary->listener_cnt++] = listener->sum;
		HASH_DROP(listeners->listener, listener);
	}
	qsort(summary->listener, cnt, sizeof(*summary->listener), most_connections_first);
	return 0;
}
