/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switches a process of the workload from root to the user that called sudo. The switch comes
 * after the scheduling policy is set, because a real-time policy needs privileges.
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
