/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines the kernel's clock source. A slow clock source makes every timestamp expensive. */
#include "command/doctor/examine.h"

#include <string.h>

#define CURRENT   "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define AVAILABLE "/sys/devices/system/clocksource/clocksource0/available_clocksource"

/* These are read from a device, or are only as fine as a timer tick. */
static bool is_slow(const char *source)
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
	finding = diagnosis_add(diagnosis, is_slow(source) ? HEALTH_LIMITED : HEALTH_FINE,
				"clock source", "%s", source);
	if (!is_slow(source))
		return;
	has_tsc = read_line(root, AVAILABLE, available, sizeof(available)) &&
		  strstr(available, "tsc");
	finding_cost(finding,
		     has_tsc ? "echo tsc >" CURRENT
			     : "see dmesg for why the kernel has given up tsc",
		     "each timestamp is a slow syscall: latencies are too high, and tracing costs "
		     "more");
}
