/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drops the privileges of root in a process of the workload. The process then runs as the user
 * that called sudo. This happens after CPU affinity and scheduling policy are set, because they
 * need the privileges.
 */
#include "util/caller.h"
#include "workload/member/worker.h"

#include <stdlib.h>

int worker_drop_privileges(const struct worker *worker)
{
	int err = caller_become(worker->plan->caller);

	if (err)
		return worker_fail(worker, "cannot drop privileges", "SUDO_UID and SUDO_GID", err,
				   "unset them to run the workload as root");
	worker_follow_death(worker);
	return EXIT_SUCCESS;
}
