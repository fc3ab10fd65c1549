/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the client of a connection whose end without a name may serve, as behind a broker. */
#pragma once

#include "analysis/attach/calls/call_matcher_state.h"
#include "analysis/attach/calls/message_ends.h"

/* At the first message of the connection. */
void trial_begin(const struct call_matcher *matcher, struct connection *connection,
		 const struct call_direction *direction, const struct message *message,
		 const struct message_ends *ends);

/*
 * At each further message of a trial. True: the end that sent first serves, and what it has sent
 * were no requests.
 */
bool trial_ends(const struct call_matcher *matcher, struct connection *connection,
		const struct call_direction *direction);
