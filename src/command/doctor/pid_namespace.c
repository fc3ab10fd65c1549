/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines whether /proc and child processes use the PID namespace of this process. */
#include "util/pid_namespace.h"

#include "command/doctor/examine.h"

void examine_pid_namespace(const char *root, struct diagnosis *diagnosis)
{
	enum pid_view view = pid_namespace_view(root);
	struct finding *finding;

	if (pid_view_is_usable(view)) {
		diagnosis_add(diagnosis, HEALTH_FINE, "PID namespace", "%s",
			      view == PID_VIEW_INITIAL
				      ? "the initial one"
				      : "one below the initial one: thread ids are translated, "
					"and tasks outside of it are shown by name");
		return;
	}
	finding = diagnosis_add(diagnosis, HEALTH_MISSING, "PID namespace", "%s",
				pid_view_problem(view));
	finding->components = COMPONENTS_ALL;
	finding_cost(finding, pid_view_remedy(view),
		     "nothing can be traced, because no thread would be recognised");
}
