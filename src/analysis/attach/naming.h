/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the threads and processes at the ends of messages and calls. */
#pragma once

#include "analysis/attach/threads.h"
#include "analysis/history/names.h"
#include "model/call.h"
#include "model/summary.h"

/* Borrowed. */
struct naming {
	const struct threads *threads;
	struct names *names; /* NULL: processes have the names of their threads */
};

struct end_summary end_of_thread(const struct naming *naming, const struct party *party,
				 uint64_t at_ns);

/* The same with the name of its process. */
struct end_summary end_of_process(const struct naming *naming, const struct party *party,
				  uint64_t at_ns);

/*
 * The name of the process of a thread that is not its first one, RECORD_COMM_LEN bytes. NULL: it
 * is, or its process is not known. Borrowed until the next record.
 */
const char *process_of_thread(const struct naming *naming, uint32_t tid, uint64_t at_ns);

/* The thread that worked on the call, see call->worker, with its own name. */
struct end_summary end_of_worker(const struct naming *naming, const struct call *call);
