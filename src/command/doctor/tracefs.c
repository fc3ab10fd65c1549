/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Examines whether tracefs is mounted. Users often believe that tracing needs tracefs, but tracing
 * works without tracefs.
 */
#include "command/doctor/examine.h"

void examine_tracefs(const char *root, struct diagnosis *diagnosis)
{
	bool mounted = is_there(root, "/sys/kernel/tracing/events") ||
		       is_there(root, "/sys/kernel/debug/tracing/events");

	diagnosis_add(diagnosis, HEALTH_FINE, "tracefs", "%s, which tracing does not need",
		      mounted ? "there" : "not mounted, or not to be seen by this user");
}
