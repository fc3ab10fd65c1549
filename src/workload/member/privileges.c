/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drops the privileges of root in a member of the workload, after the set-up that needs them: CPU
 * affinity and scheduling policy. From then on the member runs as the user that called sudo.
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
