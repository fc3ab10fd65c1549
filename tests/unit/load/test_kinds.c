/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kind of load works, counts what it does, and leaves no process and no file. */
#include "support/build.h"
#include "support/capture.h"
#include "support/load_run.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value of `name` in the environment that a process was started with. */
static bool environment_find(const char *pid, const char *name, char *value, size_t size)
{
	char path[64], *text = NULL;
	size_t room = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	file = fopen(path, "r");
	while (file && !found && getdelim(&text, &room, '\0', file) > 0) {
		found = !strncmp(text, name, strlen(name)) && text[strlen(name)] == '=';
		if (found)
			snprintf(value, size, "%s", text + strlen(name) + 1);
	}
	free(text);
	if (file)
		fclose(file);
	return found;
}

static bool is_ours(const char *pid)
{
	char marker[16];

	return isdigit((unsigned char)*pid) &&
	       environment_find(pid, LOAD_MARKER, marker, sizeof(marker)) &&
	       atoi(marker) == getpid();
}

/* The value of `name` in a process that the current load has started. */
static void program_environment_find(const char *name, char *value, size_t size)
{
	struct dirent *entry;

	for (value[0] = '\0'; !value[0]; load_pause()) {
		DIR *processes = opendir("/proc");

		while ((entry = readdir(processes)))
			if (is_ours(entry->d_name) &&
			    environment_find(entry->d_name, name, value, size))
				break;
		closedir(processes);
	}
}

/* The load works when it is started, goes on working, and leaves nothing behind. */
static void check_load(const char *name, bool counts)
{
	struct load *load = load_start(name);
	uint64_t count = load__count(load);
	char path[128];

	assert_int_equal(count > 0, counts);
	program_environment_find("TMPDIR", path, sizeof(path));
	assert_has(path, "/tmp/ipctrace-load-");
	assert_int_equal(access(path, F_OK), 0);
	while (counts && load__count(load) < count + 3) {
		load_assert_alive(load);
		load_pause();
	}
	load_assert_alive(load);
	load_stop(load);
	assert_int_equal(access(path, F_OK), -1);
}

TEST(launch_launches)
{
	check_load("launch", true);
}

TEST(ftp_fetches)
{
	check_load("ftp", true);
}

TEST(window_moves)
{
	check_load("window", true);
}

TEST(the_x_server_makes_no_file)
{
	struct load *load = load_start("window");
	char display[16], path[64];

	program_environment_find("DISPLAY", display, sizeof(display));
	assert_int_equal(display[0], ':');
	snprintf(path, sizeof(path), "/tmp/.X11-unix/X%s", display + 1);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "/tmp/.X%s-lock", display + 1);
	assert_int_equal(access(path, F_OK), -1);
	load_stop(load);
}

TEST(cpu_io_and_memory_are_kept_busy)
{
	check_load("cpu", false);
	check_load("io", false);
	check_load("memory", false);
}

TEST(two_loads_do_not_disturb_each_other)
{
	struct load *first = load_start("ftp");
	struct load *second = load_start("ftp");
	uint64_t count;

	load__stop(first);
	count = load__count(second);
	while (load__count(second) < count + 2) {
		load_assert_alive(second);
		load_pause();
	}
	load_stop(second);
}

ALL_TESTS(load_prepare, load_clean_up)
