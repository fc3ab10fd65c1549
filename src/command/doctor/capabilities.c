/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines whether this process may trace the kernel and set real-time priorities. */
#include "command/doctor/examine.h"
#include "command/sight.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

/* Missing in old versions of linux/capability.h. */
#define NUMBER_OF_PERFMON 38
#define NUMBER_OF_BPF     39

/* The highest priority of the main job. */
#define PRIORITY_NEEDED 99

static bool has(unsigned long long effective, unsigned int capability)
{
	return effective >> capability & 1;
}

static void examine_tracing(unsigned long long effective, struct diagnosis *diagnosis)
{
	bool all = has(effective, CAP_SYS_ADMIN);
	bool bpf = all || has(effective, NUMBER_OF_BPF);
	bool perfmon = all || has(effective, NUMBER_OF_PERFMON);
	struct finding *finding;

	if (bpf && perfmon) {
		diagnosis_add(diagnosis, HEALTH_FINE, "right to trace",
			      all ? "CAP_SYS_ADMIN" : "CAP_BPF and CAP_PERFMON");
		return;
	}
	finding = diagnosis_add(diagnosis, HEALTH_MISSING, "right to trace", "no %s",
				bpf ? "CAP_PERFMON" : "CAP_BPF");
	finding->components = COMPONENTS_ALL;
	finding_cost(finding, "run it with sudo; or ipctrace --no-trace, which shows latencies",
		     "nothing can be traced");
}

/* Tracing shows the messages of all processes, but not what they have open. */
static void examine_sight(unsigned long long effective, struct diagnosis *diagnosis)
{
	static const char subject[] = "right to see what is open";
	const char *lacks = sight_lacks(effective);
	struct finding *finding;

	if (!lacks) {
		diagnosis_add(diagnosis, HEALTH_FINE, subject,
			      "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH");
		return;
	}
	finding = diagnosis_add(diagnosis, HEALTH_LIMITED, subject, "no %s", lacks);
	finding_cost(finding, "run it with sudo, or name processes by --pid or --comm",
		     "of other users' processes, list shows no names, and attach finds none by "
		     "--port or --unix");
}

/* The soft limit is the first number. */
static long priority_limit(const char *root)
{
	char rest[FILE_LINE_LEN];

	if (!read_field(root, "/proc/self/limits", "Max realtime priority", rest, sizeof(rest)))
		return 0;
	return strncmp(rest, "unlimited", strlen("unlimited")) ? strtol(rest, NULL, 10)
							       : PRIORITY_NEEDED;
}

static void examine_priorities(const char *root, unsigned long long effective,
			       struct diagnosis *diagnosis)
{
	static const char subject[] = "right to real-time priorities";
	long limit = priority_limit(root);
	enum health health = limit >= PRIORITY_NEEDED ? HEALTH_FINE : HEALTH_MISSING;
	struct finding *finding;

	if (has(effective, CAP_SYS_NICE)) {
		diagnosis_add(diagnosis, HEALTH_FINE, subject, "CAP_SYS_NICE");
		return;
	}
	finding = diagnosis_add(diagnosis, health, subject, "up to %ld (RLIMIT_RTPRIO)", limit);
	if (health == HEALTH_MISSING)
		finding_cost(finding,
			     "run it with sudo, raise rtprio in /etc/security/limits.conf, or use "
			     "--policy other",
			     "server and clients cannot have SCHED_RR 99 and 98");
}

void examine_capabilities(const char *root, struct diagnosis *diagnosis)
{
	unsigned long long effective;
	char rest[FILE_LINE_LEN];

	if (!read_field(root, "/proc/self/status", "CapEff:", rest, sizeof(rest))) {
		diagnosis_add(diagnosis, HEALTH_UNKNOWN, "right to trace",
			      "/proc/self/status has no CapEff");
		return;
	}
	effective = strtoull(rest, NULL, 16);
	examine_tracing(effective, diagnosis);
	examine_sight(effective, diagnosis);
	examine_priorities(root, effective, diagnosis);
}
