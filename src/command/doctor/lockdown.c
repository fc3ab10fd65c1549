/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines the kernel's lockdown mode, which can forbid BPF programs to read kernel memory. */
#include "command/doctor/examine.h"

#include <string.h>

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
	struct finding *finding =
		diagnosis_add(diagnosis, is_strict ? HEALTH_MISSING : HEALTH_FINE, "lockdown", "%s",
			      mode ?: "none, as far as " LOCKDOWN " shows");

	if (!is_strict)
		return;
	finding->components = COMPONENTS_ALL;
	finding_cost(finding, "boot without lockdown=confidentiality",
		     "BPF programs may not read the kernel's memory: nothing can be traced");
}
