/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines the CPU share of real-time threads and the autogroup setting of the scheduler. */
#include "command/doctor/examine.h"

#define SHARE     "real-time share"

#define RUNTIME   "/proc/sys/kernel/sched_rt_runtime_us"
#define PERIOD    "/proc/sys/kernel/sched_rt_period_us"
#define AUTOGROUP "/proc/sys/kernel/sched_autogroup_enabled"

/* The kernel's default is 95 %. */
#define SHARE_USUAL 0.95

static void examine_share(long long runtime_us, long long period_us, struct diagnosis *diagnosis)
{
	double share = (double)runtime_us / (double)period_us;
	enum health health = runtime_us <= 0       ? HEALTH_MISSING
			     : share < SHARE_USUAL ? HEALTH_LIMITED
						   : HEALTH_FINE;
	struct finding *finding = diagnosis_add(
		diagnosis, health, SHARE, "%.0f %% of a CPU (kernel.sched_rt_runtime_us %lld)",
		100 * share, runtime_us);

	if (health != HEALTH_FINE)
		finding_cost(finding, "sysctl kernel.sched_rt_runtime_us=950000",
			     health == HEALTH_MISSING
				     ? "threads of SCHED_RR and SCHED_FIFO do not run at all"
				     : "real-time threads are throttled when they use more");
}

static void examine_autogroup(const char *root, struct diagnosis *diagnosis)
{
	long long enabled;

	if (read_number(root, AUTOGROUP, &enabled))
		diagnosis_add(diagnosis, HEALTH_FINE, "autogroups",
			      enabled ? "on: with --policy other, shares are per session" : "off");
}

void examine_realtime(const char *root, struct diagnosis *diagnosis)
{
	long long runtime_us, period_us;

	if (!read_number(root, RUNTIME, &runtime_us) || !read_number(root, PERIOD, &period_us) ||
	    period_us <= 0)
		diagnosis_add(diagnosis, HEALTH_UNKNOWN, SHARE, "%s cannot be read", RUNTIME);
	else if (runtime_us < 0)
		diagnosis_add(diagnosis, HEALTH_FINE, SHARE,
			      "no limit (kernel.sched_rt_runtime_us -1): a real-time thread that "
			      "never sleeps takes its CPU for good");
	else
		examine_share(runtime_us, period_us, diagnosis);
	examine_autogroup(root, diagnosis);
}
