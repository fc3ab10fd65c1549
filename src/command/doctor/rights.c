/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Examines whether this process may trace the kernel: its capabilities, its PID namespace, and the
 * lockdown mode, which can forbid BPF programs to read the kernel's memory.
 */
#include "command/doctor/diagnosis.h"
#include "command/sight.h"
#include "util/pid_namespace.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

/* Missing in old versions of linux/capability.h. */
#define NUMBER_OF_PERFMON 38
#define NUMBER_OF_BPF     39

/* The highest priority of the main job. */
#define PRIORITY_NEEDED 99

static bool rights_has(unsigned long long effective, unsigned int capability)
{
	return effective >> capability & 1;
}

static void examine_tracing(unsigned long long effective, struct diagnosis *diagnosis)
{
	bool all = rights_has(effective, CAP_SYS_ADMIN);
	bool bpf = all || rights_has(effective, NUMBER_OF_BPF);
	bool perfmon = all || rights_has(effective, NUMBER_OF_PERFMON);
	struct finding *finding;

	if (bpf && perfmon) {
		diagnosis_add(diagnosis, HEALTH_FINE, "right to trace",
			      all ? "CAP_SYS_ADMIN" : "CAP_BPF and CAP_PERFMON");
		return;
	}
	finding = diagnosis_add(diagnosis, HEALTH_MISSING, "right to trace", "no %s",
				bpf ? "CAP_PERFMON" : "CAP_BPF");
	finding->components = COMPONENTS_ALL;
	finding_cost(finding, "run it with sudo", "nothing can be traced");
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
	finding->concern = CONCERN_ATTACH;
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

	if (rights_has(effective, CAP_SYS_NICE)) {
		diagnosis_add(diagnosis, HEALTH_FINE, subject, "CAP_SYS_NICE");
		return;
	}
	finding = diagnosis_add(diagnosis, health, subject, "up to %ld (RLIMIT_RTPRIO)", limit);
	finding->concern = CONCERN_RUN;
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

#define LOCKDOWN "/sys/kernel/security/lockdown"

/* "none [integrity] confidentiality" → "integrity"; NULL: another form */
static char *chosen(char *line)
{
	char *begin = strchr(line, '['), *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	return begin + 1;
}

void examine_lockdown(const char *root, struct diagnosis *diagnosis)
{
	char line[FILE_LINE_LEN];
	const char *mode = read_line(root, LOCKDOWN, line, sizeof(line)) ? chosen(line) : NULL;
	bool is_strict = mode && !strcmp(mode, "confidentiality");
	struct finding *finding = diagnosis_add(diagnosis, is_strict ? HEALTH_MISSING : HEALTH_FINE,
						"lockdown", "%s", mode ?: "none");

	if (!is_strict)
		return;
	finding->components = COMPONENTS_ALL;
	finding_cost(finding, "boot without lockdown=confidentiality",
		     "BPF programs may not read the kernel's memory: nothing can be traced");
}
