/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines whether threads have the same ids here as in the kernel. */
#include "util/pid_namespace.h"

#include "command/doctor/examine.h"

void examine_pid_namespace(const char *root, struct diagnosis *diagnosis)
{
	enum pid_view view = pid_namespace_view(root);
	bool usable = pid_view_is_usable(view);
	struct finding *finding =
		diagnosis_add(diagnosis, usable ? HEALTH_FINE : HEALTH_MISSING, "PID namespace");

	if (usable) {
		finding_value(finding, "%s",
			      view == PID_VIEW_INITIAL
				      ? "the initial one"
				      : "one below the initial one: thread ids are translated, "
					"and tasks outside of it are shown by name");
		return;
	}
	finding->components = COMPONENTS_ALL;
	finding_value(finding, "%s", pid_view_problem(view));
	finding_cost(finding, "nothing can be traced, because no thread would be recognised");
	finding_remedy(finding, "%s", pid_view_remedy(view));
}
