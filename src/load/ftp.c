/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the background load "ftp". curl repeatedly fetches a file of 1 MB from an FTP server
 * on this machine. The server is pyftpdlib, which needs no configuration file and no privileges.
 */
#include "load/kind.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The package python3-pyftpdlib is for Debian's own Python. Another Python may come first in PATH.
 */
#define PYTHON    "/usr/bin/python3"
#define FILE_SIZE (1 << 20)

extern char **environ;

static const struct need ftp_needs[] = {{PYTHON, "python3"}, {"curl", "curl"}, {NULL, NULL}};
static const struct need module_need = {"pyftpdlib", "python3-pyftpdlib"};

/* "-I" keeps Python from importing modules of the current folder. */
static const struct need *module_lacks(void)
{
	char *const argv[] = {PYTHON, "-I", "-c", "import pyftpdlib", NULL};
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
	if (!posix_spawn(&pid, PYTHON, &actions, NULL, argv, environ))
		status = site_wait(pid);
	posix_spawn_file_actions_destroy(&actions);
	return status ? &module_need : NULL;
}

static const char server_program[] = "import logging, sys\n"
				     "from pyftpdlib.authorizers import DummyAuthorizer\n"
				     "from pyftpdlib.handlers import FTPHandler\n"
				     "from pyftpdlib.servers import FTPServer\n"
				     "logging.basicConfig(level=logging.ERROR)\n"
				     "FTPHandler.authorizer = DummyAuthorizer()\n"
				     "FTPHandler.authorizer.add_anonymous(sys.argv[1])\n"
				     "server = FTPServer(('127.0.0.1', 0), FTPHandler)\n"
				     "print(server.address[1], flush=True)\n"
				     "server.serve_forever()\n";

/* The bytes differ, so that no layer can compress them. */
static int ftp_file_make(const struct site *site)
{
	unsigned int value = 1;
	char path[128];
	FILE *file;
	int err = 0;

	snprintf(path, sizeof(path), "%s/file", site->directory);
	file = fopen(path, "we");
	if (!file)
		return -errno;
	for (unsigned int i = 0; i < FILE_SIZE; i++) {
		value = value * 1103515245 + 12345;
		if (putc(value >> 16 & 0xff, file) == EOF)
			err = -errno;
	}
	return fclose(file) ? -errno : err;
}

static int ftp_run(struct site *site)
{
	const char *const server[] = {PYTHON, "-I", "-c", server_program, site->directory, NULL};
	char url[64], port[16];
	const char *const argv[] = {"curl",      "--disable", "--silent", "--show-error",
				    "--noproxy", "*",         "--output", "/dev/null",
				    url,         NULL};
	int err = ftp_file_make(site);

	if (err)
		return site_fail(site, "cannot write a file of 1 MB to '%s': %s", site->directory,
				 strerror(-err));
	/* It prints its port. */
	if (!site_first_line(server, port, sizeof(port)) || !atoi(port))
		return site_fail(site, "the ftp server (pyftpdlib) did not start");
	snprintf(url, sizeof(url), "ftp://127.0.0.1:%d/file", atoi(port));
	for (;;) {
		pid_t pid = site_spawn(argv, NO_STREAMS);
		int status = pid < 0 ? pid : site_wait(pid);

		if (status)
			return site_fail_ended(site, argv[0], status);
		site_count(site);
		site_ready(site);
	}
}

const struct load_kind ftp_load = {
	.name = "ftp",
	.summary = "fetch a file from a local FTP server",
	.needs = ftp_needs,
	.lacks = module_lacks,
	.run = ftp_run,
};
