/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines whether the kernel was built with the options that ipctrace uses. */
#include "command/doctor/examine.h"
#include "command/host.h"

#include <string.h>

static const struct option {
	const char *name;
	enum health without;
	const char *cost;
	uint32_t components;
	uint32_t transports;
} options[] = {
	{"CONFIG_BPF_SYSCALL", HEALTH_MISSING, "there is no BPF: nothing can be traced",
	 COMPONENTS_ALL, 0},
	{"CONFIG_BPF_EVENTS", HEALTH_MISSING, "BPF programs cannot trace: nothing can be traced",
	 COMPONENTS_ALL, 0},
	{"CONFIG_DEBUG_INFO_BTF", HEALTH_MISSING,
	 "the kernel has no type information (BTF): nothing can be traced", COMPONENTS_ALL, 0},
	{"CONFIG_FTRACE_SYSCALLS", HEALTH_MISSING,
	 "there are no events of system calls: nothing can be traced", COMPONENTS_ALL, 0},
	{"CONFIG_BPF_JIT", HEALTH_LIMITED,
	 "programs are interpreted: tracing costs several times more", 0, 0},
	{"CONFIG_HIGH_RES_TIMERS", HEALTH_LIMITED, "ticks come late by up to 10 ms", 0, 0},
	{"CONFIG_EVENTFD", HEALTH_LIMITED, "--transport eventfd cannot be used", 0,
	 TRANSPORT_BIT(TRANSPORT_EVENTFD)},
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

static void add_lacking(const struct option *option, struct diagnosis *diagnosis)
{
	struct finding *finding =
		diagnosis_add(diagnosis, option->without, option->name, "not set");

	finding_cost(finding, "use a kernel that has it", "%s", option->cost);
	finding->components = option->components;
	finding->transports = option->transports;
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
			add_lacking(&options[i], diagnosis);
	}
}
