/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the words of JSON for how sure it is that an answer belongs to a request, compares the
 * names of servers, and adds up the components of a call.
 */
#include "model/call.h"

#include <stdio.h>
#include <string.h>

const char *const call_match_names[NR_CALL_MATCHES] = {
	[CALL_ALONE] = "exact",
	[CALL_IN_TURN] = "fifo",
	[CALL_SEVERAL] = "open_several",
};

/* The name up to the last sign that often stands in front of a worker's number or letter. */
static void program_of(const char *comm, char program[RECORD_COMM_LEN])
{
	size_t length;
	char *end;

	snprintf(program, RECORD_COMM_LEN, "%s", comm);
	for (length = strlen(program); length > 1; length--) {
		if (program[length - 1] < '0' || program[length - 1] > '9')
			break;
	}
	program[length] = '\0';
	end = strpbrk(program, "-_/:#@.");
	for (char *next = end; next; next = strpbrk(next + 1, "-_/:#@."))
		end = next;
	if (end && end > program)
		*end = '\0';
}

int compare_programs(const char *comm, const char *other)
{
	char programs[2][RECORD_COMM_LEN];

	program_of(comm, programs[0]);
	program_of(other, programs[1]);
	return strcmp(programs[0], programs[1]);
}

/* Adds those of a request, or a response, that took `all_ns`. */
static bool add_components(const uint64_t last_ns[NR_COMPONENTS], uint64_t all_ns,
			   uint64_t ns[NR_COMPONENTS])
{
	uint64_t known_ns = 0;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		known_ns += last_ns[i];
		ns[i] += last_ns[i];
	}
	if (!known_ns || known_ns > all_ns)
		return false;
	ns[COMPONENT_DISPATCH] += all_ns - known_ns;
	return true;
}

bool call_components(const struct call *call, uint64_t ns[NR_COMPONENTS])
{
	memset(ns, 0, NR_COMPONENTS * sizeof(ns[0]));
	return add_components(call->request_part_ns, call->received_ns - call->sent_ns, ns) &&
	       add_components(call->response_part_ns, call->back_ns - call->answered_ns, ns);
}
