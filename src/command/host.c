/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the description of the machine from /proc, /sys and the kernel's configuration. */
#include "command/host.h"

#include "util/clock.h"
#include "util/read_file.h"
#include "util/version.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* "none voluntary (full) lazy" → "full" */
static bool preemption_of_debugfs(char *text, size_t size)
{
	char line[128];
	char *begin, *end;

	if (!read_line("", "/sys/kernel/debug/sched/preempt", line, sizeof(line)))
		return false;
	begin = strchr(line, '(');
	end = begin ? strchr(begin, ')') : NULL;
	if (!end)
		return false;
	snprintf(text, size, "%.*s", (int)(end - begin - 1), begin + 1);
	return true;
}

/* "preempt=full" on the kernel's command line */
static bool preemption_of_command_line(char *text, size_t size)
{
	char line[4096];
	const char *word;

	if (!read_line("", "/proc/cmdline", line, sizeof(line)))
		return false;
	word = strstr(line, "preempt=");
	if (!word || (word != line && word[-1] != ' '))
		return false;
	word += strlen("preempt=");
	snprintf(text, size, "%.*s", (int)strcspn(word, " "), word);
	return true;
}

gzFile kernel_configuration_open(const char *root, char path[PATH_MAX])
{
	static const char *const places[] = {"/proc/config.gz", "/boot/config-%s",
					     "/usr/lib/modules/%s/config",
					     "/lib/modules/%s/config"};
	char release[FILE_LINE_LEN] = "", place[FILE_LINE_LEN + 64];
	gzFile file = NULL;

	read_line(root, "/proc/sys/kernel/osrelease", release, sizeof(release));
	for (size_t i = 0; !file && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(place, sizeof(place), places[i], release);
		snprintf(path, PATH_MAX, "%s%s", root, place);
		file = gzopen(path, "rb");
	}
	return file;
}

static bool preemption_of_configuration(char *text, size_t size)
{
	static const char *const models[][2] = {
		{"CONFIG_PREEMPT_NONE=y", "none"},
		{"CONFIG_PREEMPT_VOLUNTARY=y", "voluntary"},
		{"CONFIG_PREEMPT=y", "full"},
		{"CONFIG_PREEMPT_LAZY=y", "lazy"},
	};
	char path[PATH_MAX], line[256];
	gzFile file = kernel_configuration_open("", path);
	bool found = false;

	while (file && !found && gzgets(file, line, sizeof(line))) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
			if (strcmp(line, models[i][0]))
				continue;
			snprintf(text, size, "%s", models[i][1]);
			found = true;
		}
	}
	if (file)
		gzclose(file);
	return found;
}

static void find_preemption(const struct utsname *uts, char *text, size_t size)
{
	if (strstr(uts->version, "PREEMPT_RT")) {
		snprintf(text, size, "rt");
		return;
	}
	if (preemption_of_debugfs(text, size) || preemption_of_command_line(text, size) ||
	    preemption_of_configuration(text, size))
		return;
	if (strstr(uts->version, "PREEMPT") && !strstr(uts->version, "PREEMPT_DYNAMIC"))
		snprintf(text, size, "full");
}

static void find_virtual_machine(char *text, size_t size)
{
	char line[4096];
	FILE *file;

	if (read_line("", "/sys/hypervisor/type", text, size))
		return;
	file = fopen("/proc/cpuinfo", "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "flags", 5))
			continue;
		snprintf(text, size, strstr(line, " hypervisor") ? "yes" : "no");
		break;
	}
	if (file)
		fclose(file);
}

void host_describe(struct host *host)
{
	struct utsname uts;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(host, 0, sizeof(*host));
	host->cpus = cpus > 0 ? cpus : 0;
	if (uname(&uts))
		return;
	snprintf(host->kernel, sizeof(host->kernel), "%.60s", uts.release);
	snprintf(host->arch, sizeof(host->arch), "%.60s", uts.machine);
	find_preemption(&uts, host->preemption, sizeof(host->preemption));
	read_line("", "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  host->clocksource, sizeof(host->clocksource));
	find_virtual_machine(host->virtual_machine, sizeof(host->virtual_machine));
}

struct begin begin_now(void)
{
	struct begin begin = {.ns = clock_now_ns()};
	struct timespec now;
	struct tm local;

	if (clock_gettime(CLOCK_REALTIME, &now))
		return (struct begin){0};
	begin.unix_ns = (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
	if (localtime_r(&now.tv_sec, &local))
		begin.utc_offset_s = (int32_t)local.tm_gmtoff;
	return begin;
}

static void join_words(char **argv, char *text, size_t size)
{
	size_t used = 0;

	for (text[0] = '\0'; *argv && used < size; argv++)
		used += snprintf(text + used, size - used, "%s%s", used ? " " : "", *argv);
}

void host_describe_run(struct run_info *info, char **argv)
{
	snprintf(info->version, sizeof(info->version), "%s", IPCTRACE_VERSION);
	info->tracer_pid = getpid();
	host_describe(&info->host);
	join_words(argv, info->command_line, sizeof(info->command_line));
}
