/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up the process of a thread, and the names of both at an instant. */
#include "analysis/attach/naming.h"

#include <string.h>

struct end_summary end_of_thread(const struct naming *naming, const struct party *party,
				 uint64_t at_ns)
{
	struct end_summary end = {.tid = party->tid,
				  .pid = threads__pid(naming->threads, party->tid, at_ns)};

	memcpy(end.comm, party->comm, sizeof(end.comm));
	return end;
}

const char *process_of_thread(const struct naming *naming, uint32_t tid, uint64_t at_ns)
{
	const struct record_process *process =
		naming->names ? names__process(naming->names, tid, at_ns) : NULL;

	return process ? process->comm : NULL;
}

struct end_summary end_of_process(const struct naming *naming, const struct party *party,
				  uint64_t at_ns)
{
	struct end_summary end = end_of_thread(naming, party, at_ns);
	const char *process = process_of_thread(naming, party->tid, at_ns);

	if (process)
		memcpy(end.comm, process, sizeof(end.comm));
	return end;
}

struct end_summary end_of_worker(const struct naming *naming, const struct call *call)
{
	struct party party = {.tid = call->worker};
	const struct record_name *name;

	if (call->worker == call->server.tid)
		return end_of_thread(naming, &call->server, call->received_ns);
	name = naming->names
		       ? names__find(naming->names, SLICE_TASK, call->worker, call->answered_ns)
		       : NULL;
	if (name)
		memcpy(party.comm, name->comm, sizeof(party.comm));
	return end_of_thread(naming, &party, call->answered_ns);
}
