/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the ends of connections until both are here, and the accepting thread's history is.
 *
 *	connect() enter   queued                  accept() exit     settled
 *	      |-------------|---------------------------|--------------|
 *	                       connect() exit may be anywhere behind `queued`
 */
#include "analysis/attach/connections/connections.h"

#include "analysis/attach/connections/first_calls.h"
#include "analysis/attach/connections/handshakes.h"
#include "analysis/attach/connections/listeners.h"
#include "analysis/attach/connections/retries.h"
#include "analysis/breakdown/breakdown.h"
#include "container/array.h"
#include "container/hash_table.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A thread that has connected is back from its call this long after the accept call, at most. */
#define CONNECT_LATE_NS 200000000ULL

/* History is kept so long for a connection in a queue; ends are kept for longer. */
#define QUEUE_KEPT_NS 10000000000ULL
#define ENDS_KEPT_NS  120000000000ULL

/* Ends of each kind that wait for the other end. */
#define ENDS_MAX 65536

struct link {
	uint64_t address;
	uint32_t ports, number; /* number: 0 of unix, where it may be unknown at one end */
};

struct connecting {
	struct record_connect record;
	struct connecting *later;
};

/*
 * The connect() calls of one link, the first one first. A socket that is used again gets the
 * address of an old one, so a link can have several before their accept calls are here.
 */
struct attempts {
	struct link link;
	struct connecting *first;
	UT_hash_handle hh;
};

struct connections {
	const struct naming *naming;
	connections_fn *fn; /* NULL: connections are counted */
	void *ctx;
	connections_unit_fn *on_unit; /* NULL: units are of another kind */
	void *on_unit_ctx;
	struct listeners *listeners;
	struct handshakes *handshakes;
	struct retries *retries;
	struct first_calls *first;
	struct attempts *attempts; /* hash by link */
	size_t connecting_cnt;
	struct record_accept *accepted; /* [accepted_cnt] */
	size_t accepted_cnt, accepted_room;
	uint64_t before_ns; /* of the last settle() */
	uint64_t last_ns;   /* records of before are here: the last instant that is known */
	uint64_t stop_ns;   /* 0: not yet */
	struct breakdown breakdown;
};

struct connections *connections__new(const struct naming *naming, connections_fn *fn, void *ctx)
{
	struct connections *connections = calloc(1, sizeof(*connections));

	if (!connections)
		return NULL;
	connections->naming = naming;
	connections->fn = fn;
	connections->ctx = ctx;
	connections->listeners = listeners__new();
	connections->handshakes = handshakes__new();
	connections->retries = retries__new();
	connections->first = first_calls__new();
	if (connections->listeners && connections->handshakes && connections->retries &&
	    connections->first)
		return connections;
	connections__free(connections);
	return NULL;
}

void connections__hand_out(struct connections *connections, connections_unit_fn *fn, void *ctx)
{
	connections->on_unit = fn;
	connections->on_unit_ctx = ctx;
}

static void drop_first(struct connections *connections, struct attempts *attempts)
{
	struct connecting *first = attempts->first;

	attempts->first = first->later;
	free(first);
	connections->connecting_cnt--;
}

/* The last one of a link takes its entry along. */
static void drop_if_empty(struct connections *connections, struct attempts *attempts)
{
	if (!attempts->first)
		HASH_DROP(connections->attempts, attempts);
}

void connections__free(struct connections *connections)
{
	if (!connections)
		return;
	while (connections->attempts) {
		drop_first(connections, connections->attempts);
		drop_if_empty(connections, connections->attempts);
	}
	listeners__free(connections->listeners);
	handshakes__free(connections->handshakes);
	retries__free(connections->retries);
	first_calls__free(connections->first);
	free(connections->accepted);
	free(connections);
}

static struct link link_of(uint16_t family, uint64_t address, uint32_t ports, uint32_t number)
{
	struct link link;

	memset(&link, 0, sizeof(link)); /* it is a key, of which all bytes count */
	link.address = address;
	link.ports = ports;
	link.number = family == FAMILY_UNIX ? 0 : number;
	return link;
}

/* NULL: out of memory. */
static struct attempts *attempts_of(struct connections *connections,
				    const struct record_connect *connect)
{
	struct link link =
		link_of(connect->family, connect->address, connect->ports, connect->number);
	struct attempts *attempts;

	HASH_FIND(hh, connections->attempts, &link, sizeof(link), attempts);
	if (!attempts)
		HASH_ADD_NEW(connections->attempts, link, link, attempts);
	return attempts;
}

int connections__connect(struct connections *connections, const struct record_connect *connect)
{
	struct connections_summary *sum = listeners__sum(connections->listeners);
	struct connecting *connecting, **at;
	struct attempts *attempts;
	bool has_failed = connect->error && connect->error != EINPROGRESS;
	int err;

	sum->calls++;
	handshakes__returned(connections->handshakes, connect);
	err = first_calls__connect(connections->first, connect);
	if (err)
		return err;
	if (has_failed)
		listeners__failed(connections->listeners, connect);
	err = retries__connect(connections->retries, connect, sum);
	if (err || has_failed)
		return err;
	if (connections->connecting_cnt == ENDS_MAX) {
		sum->not_accepted++;
		return 0;
	}
	connecting = calloc(1, sizeof(*connecting));
	attempts = connecting ? attempts_of(connections, connect) : NULL;
	if (!attempts) {
		free(connecting);
		return -ENOMEM;
	}
	connecting->record = *connect;
	at = &attempts->first;
	while (*at && (*at)->record.enter_ns < connect->enter_ns && step_limit_spend(1))
		at = &(*at)->later;
	connecting->later = *at;
	*at = connecting;
	connections->connecting_cnt++;
	return 0;
}

int connections__address(struct connections *connections, const struct record_address *address)
{
	return first_calls__address(connections->first, address);
}

uint64_t connections__message(struct connections *connections, const struct record_send *send)
{
	return send->send_ns ? first_calls__message(connections->first, send->channel,
						    send->head.tid, send->send_ns)
			     : 0;
}

struct accepted_by connections__accepted(const struct connections *connections, uint32_t channel)
{
	return first_calls__accepted(connections->first, channel);
}

void connections__call(struct connections *connections, struct call *call)
{
	first_calls__take(connections->first, call, listeners__sum(connections->listeners));
}

uint64_t connections__calls_horizon(const struct connections *connections, uint64_t before_ns)
{
	return first_calls__horizon(connections->first, before_ns);
}

int connections__handshake(struct connections *connections, const struct record_handshake *record)
{
	if (record->at_ns > connections->last_ns)
		connections->last_ns = record->at_ns;
	return handshakes__add(connections->handshakes, record);
}

int connections__accept(struct connections *connections, const struct record_accept *accept)
{
	int err;

	first_calls__accept(connections->first, accept);
	if (connections->accepted_cnt == ENDS_MAX)
		return 0;
	err = array_grow(&connections->accepted, connections->accepted_cnt,
			 &connections->accepted_room, sizeof(*accept));
	if (!err)
		connections->accepted[connections->accepted_cnt++] = *accept;
	return err;
}

void connections__stop(struct connections *connections, uint64_t at_ns)
{
	connections->stop_ns = at_ns;
}

static bool has_begun(const struct connecting *connecting, const struct record_accept *accept)
{
	return connecting && connecting->record.enter_ns < accept->exit_ns;
}

/* Whether they can be ends of one connection: an inode that both know is the same. */
static bool is_same_socket(const struct record_connect *connect, const struct record_accept *accept)
{
	return accept->family != FAMILY_UNIX || !accept->number || !connect->number ||
	       accept->number == connect->number;
}

/*
 * The connect() call of a connection that was accepted: the last one of this link that began
 * before. Nothing has accepted those before it. Accept calls come in the order of their ends.
 * False: the call has not been seen.
 */
static bool take_connect(struct connections *connections, const struct record_accept *accept,
			 struct record_connect *connect)
{
	struct link link = link_of(accept->family, accept->address, accept->ports, accept->number);
	struct attempts *attempts;
	bool is_found = false;

	HASH_FIND(hh, connections->attempts, &link, sizeof(link), attempts);
	if (!attempts)
		return false;
	while (has_begun(attempts->first, accept)) {
		listeners__sum(connections->listeners)->not_accepted += is_found;
		is_found = is_same_socket(&attempts->first->record, accept);
		listeners__sum(connections->listeners)->not_accepted += !is_found;
		*connect = attempts->first->record;
		drop_first(connections, attempts);
	}
	drop_if_empty(connections, attempts);
	return is_found;
}

static struct end_summary server_of(const struct connections *connections,
				    const struct record_accept *accept)
{
	const struct naming *naming = connections->naming;
	struct party party = {.tid = accept->head.tid, .cpu = accept->head.cpu};
	const struct record_name *name =
		naming->names ? names__find(naming->names, SLICE_TASK, party.tid, accept->exit_ns)
			      : NULL;

	if (name)
		memcpy(party.comm, name->comm, sizeof(party.comm));
	return end_of_process(naming, &party, accept->exit_ns);
}

/* As a message from connect() to accept(). 0, or as breakdown_cut(). */
static int cut_opened(struct connections *connections, const struct opened *opened,
		      bool shows_switch, struct timelines *lines)
{
	const struct record_accept *accept = &opened->accept;
	struct breakdown_input in = {
		.send_ns = opened->connect.enter_ns,
		.queued_ns = opened->queued_ns,
		.enter_ns = accept->enter_ns,
		.recv_ns = accept->exit_ns,
		.shows_switch = shows_switch,
		.timeline = timelines__of(lines, accept->head.tid),
	};
	size_t cnt = timeline_find(&in.timeline, accept->exit_ns);

	in.change_end = cnt ? in.timeline.change[cnt - 1].index + 1 : 0;
	return breakdown_cut(&in, &connections->breakdown);
}

int connections__count(struct connections *connections, const struct opened *opened,
		       const struct opened_parts *parts)
{
	return listeners__add(connections->listeners, opened, parts);
}

/* Both ends are here. 0 or -ENOMEM. */
static int join_ends(struct connections *connections, const struct record_connect *connect,
		     const struct record_accept *accept, bool shows_switch, struct timelines *lines)
{
	struct opened opened = {
		.connect = *connect,
		.accept = *accept,
		.queued_ns = accept->family == FAMILY_UNIX ? connect->queued_ns : accept->queued_ns,
		.server = server_of(connections, accept),
		.was_full = handshakes__take(connections->handshakes, accept),
	};
	struct opened_parts parts;
	int err;

	/* The accept call can return before the program has stamped that it is queued. */
	if (opened.queued_ns > accept->exit_ns)
		opened.queued_ns = accept->exit_ns;
	if (cut_opened(connections, &opened, shows_switch, lines)) {
		listeners__sum(connections->listeners)->uncut++;
		return 0;
	}
	opened_parts_of(&connections->breakdown, &parts);
	err = connections->fn ? connections->fn(connections->ctx, &opened, &parts)
			      : connections__count(connections, &opened, &parts);
	return err || !connections->on_unit
		       ? err
		       : connections->on_unit(connections->on_unit_ctx, &opened,
					      &connections->breakdown);
}

/* The connecting end of this connection will not come. A peer may accept connections of others. */
static void count_not_seen(struct connections *connections, const struct record_accept *accept)
{
	bool is_past_stop = connections->stop_ns && accept->exit_ns > connections->stop_ns;

	if (!is_past_stop &&
	    threads__is_target(connections->naming->threads, accept->head.tid, accept->exit_ns))
		listeners__sum(connections->listeners)->not_seen++;
}

/* Whether this end is done with; `*err`: 0 or -ENOMEM. */
static bool settle_accepted(struct connections *connections, const struct record_accept *accept,
			    bool shows_switch, struct timelines *lines, int *err)
{
	struct record_connect connect;

	*err = 0;
	if (accept->exit_ns >= connections->before_ns)
		return false;
	if (take_connect(connections, accept, &connect)) {
		*err = join_ends(connections, &connect, accept, shows_switch, lines);
		return true;
	}
	if (connections->before_ns - accept->exit_ns < CONNECT_LATE_NS)
		return false;
	count_not_seen(connections, accept);
	return true;
}

/* Forgets connections that were not accepted for long. */
static void forget_unaccepted(struct connections *connections)
{
	struct attempts *attempts, *next;

	if (connections->before_ns == UINT64_MAX)
		return;
	HASH_ITER (hh, connections->attempts, attempts, next) {
		if (attempts->first->record.exit_ns + ENDS_KEPT_NS >= connections->before_ns)
			continue;
		listeners__sum(connections->listeners)->not_accepted++;
		drop_first(connections, attempts);
		drop_if_empty(connections, attempts);
	}
}

static int in_order_of_exits(const void *a, const void *b)
{
	const struct record_accept *x = a, *y = b;

	return (x->exit_ns > y->exit_ns) - (x->exit_ns < y->exit_ns);
}

int connections__settle(struct connections *connections, uint64_t before_ns, bool shows_switch,
			struct timelines *lines)
{
	size_t kept = 0;
	int err = 0;

	connections->before_ns = before_ns;
	if (before_ns != UINT64_MAX && before_ns > connections->last_ns)
		connections->last_ns = before_ns;
	if (connections->accepted_cnt)
		qsort(connections->accepted, connections->accepted_cnt,
		      sizeof(*connections->accepted), in_order_of_exits);
	for (size_t i = 0; i < connections->accepted_cnt; i++) {
		const struct record_accept accept = connections->accepted[i];

		step_limit_spend(1);
		if (err || !settle_accepted(connections, &accept, shows_switch, lines, &err))
			connections->accepted[kept++] = accept;
	}
	connections->accepted_cnt = kept;
	forget_unaccepted(connections);
	return err;
}

uint64_t connections__horizon(const struct connections *connections)
{
	const struct attempts *attempts;
	uint64_t horizon_ns = UINT64_MAX;

	for (size_t i = 0; i < connections->accepted_cnt; i++) {
		uint64_t queued_ns = connections->accepted[i].queued_ns;

		if (queued_ns && queued_ns < horizon_ns)
			horizon_ns = queued_ns;
	}
	for (attempts = connections->attempts; attempts; attempts = attempts->hh.next) {
		const struct record_connect *record = &attempts->first->record;

		if (record->head.flags & CONNECT_TO_TARGET && record->enter_ns < horizon_ns &&
		    record->exit_ns + QUEUE_KEPT_NS > connections->before_ns)
			horizon_ns = record->enter_ns;
	}
	return horizon_ns;
}

int connections__finish(struct connections *connections, struct connections_summary *summary)
{
	struct connections_summary *sum = listeners__sum(connections->listeners);
	uint64_t end_ns = connections->stop_ns ?: connections->last_ns;
	int err = handshakes__finish(connections->handshakes, end_ns, connections->listeners);

	if (err)
		return err;
	for (size_t i = 0; i < connections->accepted_cnt; i++)
		count_not_seen(connections, &connections->accepted[i]);
	connections->accepted_cnt = 0;
	sum->not_accepted += connections->connecting_cnt;
	return listeners__finish(connections->listeners, summary);
}
