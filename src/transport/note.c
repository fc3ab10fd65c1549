/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and removes notes (empty files that identify system objects of a transport). */
#include "transport/note.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int note_directory_open(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int note_make(int directory, const char *note)
{
	int fd = openat(directory, note, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

void note_remove(int directory, const char *note)
{
	unlinkat(directory, note, 0);
}
