/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps for each thread and port the calls that failed since the last one that did not:
 *
 *	fails |--- waits ---| fails |--- waits ---| connects: both waits count
 */
#include "analysis/attach/connections/retries.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More threads and ports are not kept. */
#define TRIES_MAX 4096

/* A thread that comes back later did something else meanwhile. */
#define RETRY_WITHIN_NS 10000000000ULL

struct place {
	uint32_t tid;
	uint16_t family, port;
};

struct tries {
	struct place place;
	uint64_t failed_ns; /* the last one has returned */
	uint64_t waited_ns; /* between those that failed */
	uint32_t cnt;
	uint32_t error;
	UT_hash_handle hh;
};

struct retries {
	struct tries *tries; /* hash by place */
};

struct retries *retries__new(void)
{
	return calloc(1, sizeof(struct retries));
}

void retries__free(struct retries *retries)
{
	if (!retries)
		return;
	HASH_DROP_ALL(retries->tries);
	free(retries);
}

static void commit(const struct tries *tries, struct connections_summary *sum)
{
	for (uint32_t i = 0; i < sum->error_cnt; i++) {
		struct connection_error *error = &sum->error[i];

		if (error->error != tries->error)
			continue;
		error->retried += tries->cnt;
		error->retry_ns += tries->waited_ns;
	}
}

/* Adds a failed call. 0 or -ENOMEM. */
static int add_failed(struct retries *retries, struct tries *tries, const struct place *place,
		      const struct record_connect *connect)
{
	if (!tries && HASH_COUNT(retries->tries) >= TRIES_MAX)
		return 0;
	if (!tries)
		HASH_ADD_NEW(retries->tries, place, *place, tries);
	if (!tries)
		return -ENOMEM;
	tries->cnt++;
	tries->error = connect->error;
	tries->failed_ns = connect->exit_ns;
	return 0;
}

/* That of a name that does not exist is no sign that it will. */
static bool may_go_away(uint32_t error)
{
	return error == ECONNREFUSED || error == EAGAIN || error == EADDRNOTAVAIL ||
	       error == ETIMEDOUT || error == ECONNRESET;
}

int retries__connect(struct retries *retries, const struct record_connect *connect,
		     struct connections_summary *sum)
{
	bool is_made = !connect->error || connect->error == EINPROGRESS;
	struct place place;
	struct tries *tries;

	/* A unix socket has no port: another one of the target is likely to be the same one. */
	if (connect->family == FAMILY_UNIX && !(connect->head.flags & CONNECT_TO_TARGET))
		return 0;
	memset(&place, 0, sizeof(place)); /* it is a key */
	place.tid = connect->head.tid;
	place.family = connect->family;
	place.port = connect->port;
	HASH_FIND(hh, retries->tries, &place, sizeof(place), tries);
	if (tries && (connect->enter_ns < tries->failed_ns ||
		      connect->enter_ns - tries->failed_ns > RETRY_WITHIN_NS)) {
		HASH_DROP(retries->tries, tries);
		tries = NULL;
	}
	if (tries)
		tries->waited_ns += connect->enter_ns - tries->failed_ns;
	if (!is_made)
		return may_go_away(connect->error) ? add_failed(retries, tries, &place, connect)
						   : 0;
	if (!tries)
		return 0;
	commit(tries, sum);
	HASH_DROP(retries->tries, tries);
	return 0;
}
