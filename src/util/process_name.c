/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the other names of a process from /proc. Only names that `comm` cannot have need that. */
#include "util/process_name.h"

#include "util/interpreter.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel cuts a longer name. */
#define COMM_BYTES  15

#define COMMAND_LEN 4096
#define NAME_LEN    (PATH_MAX + COMM_BYTES + 2)
#define DELETED     " (deleted)"

size_t process_command(pid_t pid, char *command, size_t size)
{
	char path[64];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, command, size);
	close(fd);
	return length > 0 ? length : 0;
}

/* The file that the process executes. It may have been replaced since. Empty: not known. */
static void read_program(pid_t pid, char program[PATH_MAX])
{
	size_t tail = strlen(DELETED);
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	length = readlink(path, program, PATH_MAX - 1);
	program[length > 0 ? length : 0] = '\0';
	if (length > (ssize_t)tail && !strcmp(program + length - tail, DELETED))
		program[length - tail] = '\0';
}

static bool process_name_matches(const char *glob, const char *name)
{
	return name[0] && (!strcmp(glob, name) || !fnmatch(glob, name, 0));
}

/* Whether the file name of `path` is `comm` at its full length, and matches. */
static bool is_full_name(const char *path, const char *comm, const char *glob)
{
	const char *name = basename(path);

	return !strncmp(name, comm, COMM_BYTES) && process_name_matches(glob, name);
}

struct names {
	const char *comm;
	char program[PATH_MAX];
	char command[COMMAND_LEN + 1]; /* begins with the first argument */
	char script[PATH_MAX];         /* empty: none */
};

static bool process_name_has_path(const struct names *names, const char *glob)
{
	char real[PATH_MAX];

	/* A link such as /usr/bin/python3 names the program, too. */
	return process_name_matches(glob, names->program) ||
	       process_name_matches(glob, names->command) ||
	       process_name_matches(glob, names->script) ||
	       (names->program[0] && realpath(glob, real) && !strcmp(real, names->program));
}

/* As reports show it, or with the whole path of the script. */
static bool has_script(const struct names *names, const char *glob)
{
	char shown[4 * SCRIPT_NAME_SHOWN], name[NAME_LEN];

	if (!names->script[0])
		return false;
	snprintf(name, sizeof(name), "%s %s", names->comm, names->script);
	if (process_name_matches(glob, name))
		return true;
	script_shorten(names->script, shown, sizeof(shown));
	snprintf(name, sizeof(name), "%s %s", names->comm, shown);
	return process_name_matches(glob, name);
}

bool process_has_name(pid_t pid, const char *comm, const char *glob)
{
	bool is_cut = strlen(comm) == COMM_BYTES;
	struct names names = {.comm = comm};
	size_t length;

	if (!fnmatch(glob, comm, 0))
		return true;
	if (!is_cut && !strpbrk(glob, "/ "))
		return false;
	length = process_command(pid, names.command, COMMAND_LEN);
	names.command[length] = '\0';
	read_program(pid, names.program);
	interpreter_script(names.command, length, names.script, sizeof(names.script));
	if (is_cut &&
	    (is_full_name(names.program, comm, glob) || is_full_name(names.command, comm, glob) ||
	     is_full_name(names.script, comm, glob)))
		return true;
	return (strchr(glob, '/') && process_name_has_path(&names, glob)) ||
	       (strchr(glob, ' ') && has_script(&names, glob));
}
