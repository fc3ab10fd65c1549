/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes CONNECTION records of connections, and connections of these records. */
#include "analysis/attach/calls/call_matcher.h"

#include "analysis/attach/calls/call_matcher_state.h"

#include <errno.h>
#include <stdlib.h>

int call_facts_each(const struct call_matcher *matcher, call_fact_fn *fn, void *ctx)
{
	const struct connection *connection;
	int err = 0;

	for (connection = matcher->connection; connection && !err;
	     connection = connection->hh.next) {
		const struct record_connection record = {
			.head = {.type = RECORD_CONNECTION,
				 .words = RECORD_WORDS(record),
				 .flags = connection->trial},
			.low = connection->ends.low,
			.high = connection->ends.high,
			.from_low = connection->direction[0],
			.from_high = connection->direction[1],
			.client = connection->client,
			.basis = connection->basis,
		};

		err = fn(ctx, &record.head);
	}
	return err;
}

int call_facts_add(struct call_matcher *matcher, const struct record_connection *record)
{
	const struct connection_ends ends = {.low = record->low, .high = record->high};
	struct connection *connection;

	HASH_FIND(hh, matcher->connection, &ends, sizeof(ends), connection);
	if (connection || HASH_COUNT(matcher->connection) >= CALL_MATCHER_CONNECTIONS_MAX)
		return 0;
	connection = calloc(1, sizeof(*connection));
	if (!connection)
		return -ENOMEM;
	*connection = (struct connection){
		.ends = ends,
		.client = record->client ? CLIENT_HIGH : CLIENT_LOW,
		.basis = record->basis > BASIS_ASKED ? BASIS_GUESS : record->basis,
		.direction = {record->from_low, record->from_high},
		.has_message = true,
		.trial = record->head.flags,
	};
	HASH_ADD(hh, matcher->connection, ends, sizeof(connection->ends), connection);
	return 0;
}
