/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps connections that wait by their sockets, and those whose wait is over by what both ends have
 * in common:
 *
 *	began   again   again   over             accepted
 *	  |-------|-------|------|-------------------|
 *	  |     by socket        |  by both ends     | taken
 */
#include "analysis/attach/connections/handshakes.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More of them are not followed. */
#define HANDSHAKES_MAX 16384

/* A queue with room can have been full before. One with room twice was not what they waited for. */
#define UNANSWERED_LEAST 2

struct ends {
	uint64_t address;
	uint32_t ports, number;
};

struct handshake {
	uint64_t socket;
	struct ends ends;
	struct record_handshake last;
	uint64_t over_ns; /* 0: not yet */
	uint32_t seen;    /* so many records, ... */
	uint32_t full;    /* ... and of these with a full queue */
	UT_hash_handle hh;
};

struct handshakes {
	struct handshake *waiting; /* hash by socket */
	struct handshake *over;    /* hash by ends */
};

struct handshakes *handshakes__new(void)
{
	return calloc(1, sizeof(struct handshakes));
}

void handshakes__free(struct handshakes *handshakes)
{
	if (!handshakes)
		return;
	HASH_DROP_ALL(handshakes->waiting);
	HASH_DROP_ALL(handshakes->over);
	free(handshakes);
}

static struct handshake *waiting_of(struct handshakes *handshakes, uint64_t socket)
{
	struct handshake *handshake;

	HASH_FIND(hh, handshakes->waiting, &socket, sizeof(socket), handshake);
	return handshake;
}

static struct handshake *over_of(struct handshakes *handshakes, const struct ends *ends)
{
	struct handshake *handshake;

	HASH_FIND(hh, handshakes->over, ends, sizeof(*ends), handshake);
	return handshake;
}

static void hand_over(struct handshakes *handshakes, struct handshake *handshake, uint64_t at_ns)
{
	handshake->over_ns = at_ns;
	HASH_DEL(handshakes->waiting, handshake);
	/* The same ends twice: one of them is that of a forged recording. */
	if (over_of(handshakes, &handshake->ends))
		free(handshake);
	else
		HASH_ADD(hh, handshakes->over, ends, sizeof(handshake->ends), handshake);
}

/* A socket of the same address is another one if it has other ends. */
static bool is_of_same(const struct handshake *handshake, const struct record_handshake *record)
{
	return handshake->ends.address == record->address &&
	       handshake->ends.ports == record->ports && handshake->ends.number == record->number;
}

static struct handshake *handshake_new(struct handshakes *handshakes,
				       const struct record_handshake *record)
{
	struct handshake *handshake;

	HASH_ADD_NEW(handshakes->waiting, socket, record->socket, handshake);
	if (!handshake)
		return NULL;
	memset(&handshake->ends, 0, sizeof(handshake->ends)); /* it is a key */
	handshake->ends.address = record->address;
	handshake->ends.ports = record->ports;
	handshake->ends.number = record->number;
	return handshake;
}

int handshakes__add(struct handshakes *handshakes, const struct record_handshake *record)
{
	struct handshake *handshake = waiting_of(handshakes, record->socket);

	if (record->head.flags & HANDSHAKE_OVER) {
		if (handshake)
			hand_over(handshakes, handshake, record->at_ns);
		return 0;
	}
	if (handshake && !is_of_same(handshake, record)) {
		hand_over(handshakes, handshake, handshake->last.at_ns);
		handshake = NULL;
	}
	if (!handshake &&
	    HASH_COUNT(handshakes->waiting) + HASH_COUNT(handshakes->over) >= HANDSHAKES_MAX)
		return 0;
	handshake = handshake ?: handshake_new(handshakes, record);
	if (!handshake)
		return -ENOMEM;
	handshake->last = *record;
	handshake->seen++;
	handshake->full += !!(record->head.flags & HANDSHAKE_FULL);
	return 0;
}

/* CONNECT itself says that a connection over a unix socket has waited. */
void handshakes__returned(struct handshakes *handshakes, const struct record_connect *connect)
{
	struct handshake *handshake;

	if (connect->family != FAMILY_UNIX)
		return;
	handshake = waiting_of(handshakes, connect->address);
	if (handshake && handshake->last.began_ns == connect->enter_ns)
		HASH_DROP(handshakes->waiting, handshake);
}

bool handshakes__take(struct handshakes *handshakes, const struct record_accept *accept)
{
	struct handshake *handshake;
	struct ends ends;
	bool was_full;

	if (accept->family == FAMILY_UNIX)
		return false;
	memset(&ends, 0, sizeof(ends));
	ends.address = accept->address;
	ends.ports = accept->ports;
	ends.number = accept->number;
	handshake = over_of(handshakes, &ends);
	if (!handshake)
		return false;
	was_full = handshake->full;
	HASH_DROP(handshakes->over, handshake);
	return was_full;
}

static int handshakes_count(const struct handshake *handshake, uint64_t end_ns,
			    struct listeners *listeners)
{
	const struct record_handshake *last = &handshake->last;
	bool waits = !handshake->over_ns || handshake->over_ns > end_ns;
	struct long_wait wait = {
		.family = last->family,
		.port = last->port,
		.backlog = last->backlog,
		.listener = last->listener,
		.ns = (waits ? end_ns : handshake->over_ns) - last->began_ns,
		.has_packets = last->head.flags & HANDSHAKE_PACKETS,
		.is_full = handshake->full,
		.still_waits = waits,
		.retransmits = last->retransmits,
	};

	if (!last->began_ns || last->began_ns > (waits ? end_ns : handshake->over_ns))
		return 0; /* for how long is not known */
	if (!handshake->full && handshake->seen < UNANSWERED_LEAST)
		return 0;
	return listeners__waited(listeners, &wait);
}

int handshakes__finish(struct handshakes *handshakes, uint64_t end_ns, struct listeners *listeners)
{
	struct handshake *handshake;
	int err = 0;

	for (handshake = handshakes->over; handshake && !err; handshake = handshake->hh.next)
		err = handshakes_count(handshake, end_ns, listeners);
	for (handshake = handshakes->waiting; handshake && !err; handshake = handshake->hh.next)
		err = handshakes_count(handshake, end_ns, listeners);
	return err;
}
