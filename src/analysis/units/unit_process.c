/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up the process of a thread among the records of its mode. */
#include "analysis/units/unit_process.h"

#include "analysis/state.h"

#include <string.h>

/* A name without a process is that of the first thread of its process. */
static uint32_t named_process(struct analysis *a, uint32_t tid, uint64_t at_ns,
			      const struct record_process *process)
{
	if (process)
		return process->pid;
	return names__find(a->names, SLICE_TASK, tid, at_ns) ? tid : 0;
}

/* In an attach, the records of traced threads come first: others only ran, or were waited for. */
uint32_t unit_process(struct analysis *a, const struct party *party, uint64_t at_ns,
		      char name[RECORD_COMM_LEN])
{
	const struct record_process *process = names__process(a->names, party->tid, at_ns);
	uint32_t pid = a->mode->pid(a, party->tid, at_ns);

	memcpy(name, process ? process->comm : party->comm, RECORD_COMM_LEN);
	name[RECORD_COMM_LEN - 1] = '\0';
	return pid ?: named_process(a, party->tid, at_ns, process);
}
