/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which end of a connection serves, as far as that does not depend on its messages. */
#pragma once

#include "model/summary.h"

/* Which end of a message serves. */
enum server_end { SERVER_UNKNOWN, SERVER_SENDS, SERVER_RECEIVES };

/* What the user says: a process by its number, or processes by a glob; empty: nothing. Borrowed. */
struct asked_ends {
	const char *server; /* serves */
	const char *client; /* calls */
};

/* If both ends are meant, or none, nothing is said. */
enum server_end server_end_asked(const struct asked_ends *asked, const struct end_summary *sender,
				 const struct end_summary *receiver);

/* By the ends that are targets, bits of ADDRESS_OF_: the only one serves. */
enum server_end server_end_of(uint32_t targets);
