/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines lockdown: its strictest mode keeps root from reading kernel memory. */
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
	struct finding *finding = diagnosis_add(diagnosis, HEALTH_FINE, "lockdown");

	finding_value(finding, "%s", mode ? mode : "none, as far as " LOCKDOWN " shows");
	if (!mode || strcmp(mode, "confidentiality"))
		return;
	finding->health = HEALTH_MISSING;
	finding->components = COMPONENTS_ALL;
	finding_cost(finding, "BPF programs may not read the kernel's memory: nothing can be "
			      "traced");
	finding_remedy(finding, "boot without lockdown=confidentiality");
}
