/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines the kernel's BPF settings and the limit of locked memory (RLIMIT_MEMLOCK). */
#include "command/doctor/examine.h"

#include <string.h>

#define JIT          "/proc/sys/net/core/bpf_jit_enable"
#define HARDEN       "/proc/sys/net/core/bpf_jit_harden"
#define UNPRIVILEGED "/proc/sys/kernel/unprivileged_bpf_disabled"

static void examine_jit(const char *root, struct diagnosis *diagnosis)
{
	long long enabled, hardened = 0;
	struct finding *finding;

	if (!read_number(root, JIT, &enabled)) {
		diagnosis_add(diagnosis, HEALTH_UNKNOWN, "BPF compiler", "%s cannot be read", JIT);
		return;
	}
	read_number(root, HARDEN, &hardened);
	finding = diagnosis_add(diagnosis, enabled && hardened < 2 ? HEALTH_FINE : HEALTH_LIMITED,
				"BPF compiler", "net.core.bpf_jit_enable %lld, bpf_jit_harden %lld",
				enabled, hardened);
	if (!enabled)
		finding_cost(finding, "sysctl net.core.bpf_jit_enable=1",
			     "programs are interpreted: tracing costs several times more");
	else if (hardened >= 2)
		finding_cost(finding, "sysctl net.core.bpf_jit_harden=1",
			     "programs are hardened, for root as well: tracing costs more");
}

/* No limit for this program, which runs with privileges. */
static void examine_unprivileged(const char *root, struct diagnosis *diagnosis)
{
	long long disabled;

	if (read_number(root, UNPRIVILEGED, &disabled))
		diagnosis_add(diagnosis, HEALTH_FINE, "BPF for users",
			      "%s (kernel.unprivileged_bpf_disabled %lld), which tracing does not "
			      "need",
			      disabled ? "off" : "on", disabled);
}

/* Counts on old kernels only. There libbpf raises the limit, if it may. */
static void examine_memory(const char *root, struct diagnosis *diagnosis)
{
	char rest[FILE_LINE_LEN];

	if (!read_field(root, "/proc/self/limits", "Max locked memory", rest, sizeof(rest)))
		return;
	rest[strcspn(rest, " ")] = '\0';
	diagnosis_add(diagnosis, HEALTH_FINE, "memory for BPF",
		      "%s%s (RLIMIT_MEMLOCK), which is raised where it counts, before Linux 5.11",
		      rest, strcmp(rest, "unlimited") ? " bytes" : "");
}

void examine_bpf_limits(const char *root, struct diagnosis *diagnosis)
{
	examine_jit(root, diagnosis);
	examine_unprivileged(root, diagnosis);
	examine_memory(root, diagnosis);
}
