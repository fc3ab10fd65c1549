/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the background load "launch", which repeatedly starts applications. Between two
 * starts the load reads files of /usr, because applications read files when they start.
 */
#include "load/kind.h"

#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_PER_LAUNCH (4 << 20) /* bytes */

/* Dynamically linked programs, large and small. Those that are installed are started. */
static const char *const applications[][4] = {
	{"ls", "-l", "/usr/bin", NULL},
	{"python3", "-c", "import json, email, http.client", NULL},
	{"git", "--version", NULL},
	{"gcc", "--version", NULL},
	{"perl", "-e", "use POSIX; use Socket;", NULL},
	{"bash", "-c", "true", NULL},
	{"openssl", "version", NULL},
	{"curl", "--version", NULL},
	{"tar", "--version", NULL},
	{"gdb", "--version", NULL},
	{"vim", "--version", NULL},
};

#define APPLICATIONS_CNT (sizeof(applications) / sizeof(applications[0]))

static size_t launch_file_read(const char *path)
{
	char buffer[64 * 1024];
	size_t total = 0;
	ssize_t length;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	while ((length = read(fd, buffer, sizeof(buffer))) > 0 && total < READ_PER_LAUNCH)
		total += (size_t)length;
	close(fd);
	return total;
}

/*
 * Reads files until READ_PER_LAUNCH bytes are read or the end of the tree is reached. NULL: the
 * next step begins a new walk.
 */
static void launch_walk_on(FTS **tree)
{
	char *const roots[] = {"/usr", NULL};
	size_t total = 0;
	FTSENT *entry;

	if (!*tree)
		*tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	while (*tree && total < READ_PER_LAUNCH) {
		entry = fts_read(*tree);
		if (!entry) {
			fts_close(*tree);
			*tree = NULL;
		} else if (entry->fts_info == FTS_F) {
			total += launch_file_read(entry->fts_path);
		}
	}
}

static int launch_run(struct site *site)
{
	FTS *tree = NULL;

	for (size_t i = 0;; i = (i + 1) % APPLICATIONS_CNT) {
		const char *const *argv = applications[i];
		pid_t pid;

		if (!site_has_program(argv[0]))
			continue;
		pid = site_spawn(argv, NO_STREAMS);
		if (pid < 0)
			return site_fail_ended(site, argv[0], pid);
		site_wait(pid);
		site_count(site);
		site_ready(site);
		launch_walk_on(&tree);
	}
}

static const struct need launch_needs[] = {{"ls", "coreutils"}, {NULL, NULL}};

const struct load_kind launch_load = {
	.name = "launch",
	.summary = "start applications and read files",
	.needs = launch_needs,
	.run = launch_run,
};
