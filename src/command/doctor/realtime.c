/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines how much CPU time real-time threads get. */
#include "command/doctor/examine.h"

#define RUNTIME   "/proc/sys/kernel/sched_rt_runtime_us"
#define PERIOD    "/proc/sys/kernel/sched_rt_period_us"
#define AUTOGROUP "/proc/sys/kernel/sched_autogroup_enabled"

/* The kernel's default is 95 %. */
#define SHARE_USUAL 0.95

static void examine_share(long long runtime_us, long long period_us, struct diagnosis *diagnosis)
{
	double share = (double)runtime_us / (double)period_us;
	struct finding *finding = diagnosis_add(
		diagnosis, share < SHARE_USUAL ? HEALTH_LIMITED : HEALTH_FINE, "real-time share");

	finding_value(finding, "%.0f %% of a CPU (kernel.sched_rt_runtime_us %lld)", 100 * share,
		      runtime_us);
	if (runtime_us <= 0) {
		finding->health = HEALTH_MISSING;
		finding_cost(finding, "threads of SCHED_RR and SCHED_FIFO do not run at all");
	} else if (share < SHARE_USUAL) {
		finding_cost(finding, "real-time threads are throttled when they use more");
	}
	if (share < SHARE_USUAL)
		finding_remedy(finding, "sysctl kernel.sched_rt_runtime_us=950000");
}

static void examine_autogroup(const char *root, struct diagnosis *diagnosis)
{
	long long enabled;
	struct finding *finding;

	if (!read_number(root, AUTOGROUP, &enabled))
		return;
	finding = diagnosis_add(diagnosis, HEALTH_FINE, "autogroups");
	finding_value(finding, enabled ? "on: with --policy other, shares are per session" : "off");
}

void examine_realtime(const char *root, struct diagnosis *diagnosis)
{
	long long runtime_us, period_us;

	if (!read_number(root, RUNTIME, &runtime_us) || !read_number(root, PERIOD, &period_us) ||
	    period_us <= 0)
		finding_value(diagnosis_add(diagnosis, HEALTH_UNKNOWN, "real-time share"),
			      "%s cannot be read", RUNTIME);
	else if (runtime_us < 0)
		finding_value(diagnosis_add(diagnosis, HEALTH_FINE, "real-time share"),
			      "no limit (kernel.sched_rt_runtime_us -1): a real-time thread that "
			      "never sleeps takes its CPU for good");
	else
		examine_share(runtime_us, period_us, diagnosis);
	examine_autogroup(root, diagnosis);
}
