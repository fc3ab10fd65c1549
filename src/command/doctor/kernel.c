/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Examines how the kernel was built and set up: its configuration, the preemption model (PREEMPT_RT
 * kernels have no BPF timers, which `--transport kernel` needs), the clock source (a slow one makes
 * every timestamp expensive), BPF, and tracefs, which users often believe that tracing needs.
 */
#include "command/doctor/diagnosis.h"
#include "command/host.h"

#include <string.h>

#define REMEDY "use a kernel that has it"

static const struct feature options[] = {
	{"CONFIG_BPF_SYSCALL", HEALTH_MISSING, "there is no BPF: nothing can be traced", REMEDY,
	 COMPONENTS_ALL, 0, CONCERN_BOTH},
	{"CONFIG_BPF_EVENTS", HEALTH_MISSING, "BPF programs cannot trace: nothing can be traced",
	 REMEDY, COMPONENTS_ALL, 0, CONCERN_BOTH},
	{"CONFIG_DEBUG_INFO_BTF", HEALTH_MISSING,
	 "the kernel has no type information (BTF): nothing can be traced", REMEDY, COMPONENTS_ALL,
	 0, CONCERN_BOTH},
	{"CONFIG_FTRACE_SYSCALLS", HEALTH_MISSING,
	 "there are no events of system calls: nothing can be traced", REMEDY, COMPONENTS_ALL, 0,
	 CONCERN_BOTH},
	{"CONFIG_BPF_JIT", HEALTH_LIMITED,
	 "programs are interpreted: tracing costs several times more", REMEDY, 0, 0, CONCERN_BOTH},
	{"CONFIG_HIGH_RES_TIMERS", HEALTH_LIMITED, "ticks come late by up to 10 ms", REMEDY, 0, 0,
	 CONCERN_RUN},
	{"CONFIG_EVENTFD", HEALTH_LIMITED, "--transport eventfd cannot be used", REMEDY, 0,
	 TRANSPORT_BIT(TRANSPORT_EVENTFD), CONCERN_RUN},
};

/* Bits of the options that are built in or a module: "CONFIG_X=y" or "=m". */
static unsigned int options_found(gzFile file)
{
	unsigned int found = 0;
	char line[FILE_LINE_LEN];

	while (gzgets(file, line, sizeof(line))) {
		char *value = strchr(line, '=');

		if (!value || (value[1] != 'y' && value[1] != 'm'))
			continue;
		*value = '\0';
		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
			found |= (unsigned int)!strcmp(line, options[i].name) << i;
	}
	return found;
}

void examine_configuration(const char *root, struct diagnosis *diagnosis)
{
	char path[PATH_MAX];
	gzFile file = kernel_configuration_open(root, path);
	unsigned int found;

	if (!file) {
		diagnosis_add(diagnosis, HEALTH_UNKNOWN, "kernel configuration",
			      "neither /proc/config.gz nor /boot/config-* nor "
			      "/usr/lib/modules/*/config: not needed");
		return;
	}
	found = options_found(file);
	gzclose(file);
	diagnosis_add(diagnosis, HEALTH_FINE, "kernel configuration", "%s", path + strlen(root));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!(found >> i & 1))
			diagnosis_add_lacking(diagnosis, &options[i], options[i].name, "not set");
	}
}

static bool kernel_is_realtime(const char *root)
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

	if (kernel_is_realtime(root)) {
		finding = diagnosis_add(diagnosis, HEALTH_LIMITED, "preemption", "rt (PREEMPT_RT)");
		finding_cost(finding, NO_TIMERS_REMEDY, NO_TIMERS_COST);
		finding->concern = CONCERN_RUN;
		finding->transports = TRANSPORT_BIT(TRANSPORT_KERNEL);
		return;
	}
	diagnosis_add(diagnosis, model[0] ? HEALTH_FINE : HEALTH_UNKNOWN, "preemption", "%s",
		      model[0] ? model : "neither debugfs nor the configuration shows the model");
}

#define CURRENT   "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define AVAILABLE "/sys/devices/system/clocksource/clocksource0/available_clocksource"

/* These are read from a device, or are only as fine as a timer tick. */
static bool kernel_is_slow(const char *source)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen"};

	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (!strcmp(source, slow[i]))
			return true;
	}
	return false;
}

void examine_clock(const char *root, struct diagnosis *diagnosis)
{
	char source[FILE_LINE_LEN], available[FILE_LINE_LEN];
	struct finding *finding;
	bool has_tsc;

	if (!read_line(root, CURRENT, source, sizeof(source))) {
		diagnosis_add(diagnosis, HEALTH_UNKNOWN, "clock source", "%s cannot be read",
			      CURRENT);
		return;
	}
	finding = diagnosis_add(diagnosis, kernel_is_slow(source) ? HEALTH_LIMITED : HEALTH_FINE,
				"clock source", "%s", source);
	if (!kernel_is_slow(source))
		return;
	has_tsc = read_line(root, AVAILABLE, available, sizeof(available)) &&
		  strstr(available, "tsc");
	finding_cost(finding,
		     has_tsc ? "echo tsc >" CURRENT
			     : "see dmesg for why the kernel has given up tsc",
		     "each timestamp is a slow syscall: latencies are too high, and tracing costs "
		     "more");
}

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
			      "%s (kernel.unprivileged_bpf_disabled %lld; not needed)",
			      disabled ? "off" : "on", disabled)
			->concern = CONCERN_NONE;
}

/* Counts before Linux 5.11 only. There libbpf raises the limit, if it may. */
static void examine_memory(const char *root, struct diagnosis *diagnosis)
{
	char rest[FILE_LINE_LEN];

	if (!read_field(root, "/proc/self/limits", "Max locked memory", rest, sizeof(rest)))
		return;
	rest[strcspn(rest, " ")] = '\0';
	diagnosis_add(diagnosis, HEALTH_FINE, "memory for BPF",
		      "%s%s (RLIMIT_MEMLOCK; raised where it counts)", rest,
		      strcmp(rest, "unlimited") ? " bytes" : "")
		->concern = CONCERN_NONE;
}

void examine_bpf_limits(const char *root, struct diagnosis *diagnosis)
{
	examine_jit(root, diagnosis);
	examine_unprivileged(root, diagnosis);
	examine_memory(root, diagnosis);
}

void examine_tracefs(const char *root, struct diagnosis *diagnosis)
{
	bool mounted = is_there(root, "/sys/kernel/tracing/events") ||
		       is_there(root, "/sys/kernel/debug/tracing/events");

	diagnosis_add(diagnosis, HEALTH_FINE, "tracefs", "%s (not needed)",
		      mounted ? "there" : "not mounted, or not visible to this user")
		->concern = CONCERN_NONE;
}
