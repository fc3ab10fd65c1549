/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds processes and threads in /proc, and reads their figures. */
#include "util/proc_stat.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *proc_stat_read(const char *path, char text[STAT_LEN])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;
	char *name_end;

	if (fd < 0)
		return NULL;
	length = read(fd, text, STAT_LEN - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end + 2 : NULL;
}

char *process_stat(pid_t pid, char text[STAT_LEN])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return proc_stat_read(path, text);
}

int proc_visit(const char *folder, proc_visit_fn *visit, void *ctx)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	int result = entries ? 0 : -errno;

	while (!result && (entry = readdir(entries))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			result = visit(ctx, atoi(entry->d_name));
	}
	if (entries)
		closedir(entries);
	return result;
}
