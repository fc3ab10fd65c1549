/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Examines the kernel's preemption model. PREEMPT_RT kernels have no BPF timers, which
 * `--transport kernel` needs.
 */
#include "command/doctor/examine.h"

#include <string.h>

static bool is_realtime(const char *root)
{
	char line[FILE_LINE_LEN];

	return is_there(root, "/sys/kernel/realtime") ||
	       (read_line(root, "/proc/sys/kernel/version", line, sizeof(line)) &&
		strstr(line, "PREEMPT_RT"));
}

void examine_preemption(const char *root, struct diagnosis *diagnosis)
{
	const char *model = diagnosis->host.preemption;
	struct finding *finding;

	if (is_realtime(root)) {
		finding = diagnosis_add(diagnosis, HEALTH_LIMITED, "preemption", "rt (PREEMPT_RT)");
		finding_cost(finding, "use --transport eventfd",
			     "there are no BPF timers, which --transport kernel needs");
		finding->transports = TRANSPORT_BIT(TRANSPORT_KERNEL);
		return;
	}
	diagnosis_add(diagnosis, model[0] ? HEALTH_FINE : HEALTH_UNKNOWN, "preemption", "%s",
		      model[0] ? model : "neither debugfs nor the configuration shows the model");
}
