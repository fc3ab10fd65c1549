/* SPDX-License-Identifier: BSD-2-Clause */
/* Any command, run by a shell. What it does, and how often, is its own affair. */
#include "load/kinds.h"

#include <sys/wait.h>

/* A command that can't be run, such as a misspelt load, has ended by then. */
#define START_MS 200
#define LOOK_MS  10

static int command_run(struct site *site)
{
	const char *const argv[] = {"/bin/sh", "-c", site->command, NULL};
	pid_t pid = site_spawn(argv, NO_STREAMS);
	int status;

	if (pid < 0)
		return site_fail_ended(site, "it", pid);
	for (unsigned int ms = 0; ms < START_MS; ms += LOOK_MS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return site_fail_ended(site, "it", status);
		site_sleep_ms(LOOK_MS);
	}
	site_ready(site);
	return site_fail_ended(site, "it", site_wait(pid));
}

const struct load_kind command_load = {
	.run = command_run,
};
