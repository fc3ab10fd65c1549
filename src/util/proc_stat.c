/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the kernel's figures of a process or thread. */
#include "util/proc_stat.h"

#include <fcntl.h>
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
