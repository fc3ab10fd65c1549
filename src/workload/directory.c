/* SPDX-License-Identifier: BSD-2-Clause */
#include "workload/directory.h"
#include "log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The directory belongs to another user as soon as it changes owner, so from the start it is only
 * touched through this descriptor: whatever its path leads to later, nothing else is removed.
 */
static int directory_open(struct directory *directory, const struct caller *owner)
{
	directory->fd = open(directory->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory->fd < 0)
		return -errno;
	if (owner->is_other && fchown(directory->fd, owner->uid, owner->gid)) {
		int err = -errno;

		close(directory->fd);
		return err;
	}
	return 0;
}

int directory_make(struct directory *directory, const struct caller *owner)
{
	int err = 0;

	*directory = (struct directory){.path = "/tmp/ipctrace-XXXXXX"};
	if (!mkdtemp(directory->path)) {
		err = -errno;
		directory->path[0] = '\0';
	} else {
		err = directory_open(directory, owner);
		if (err) {
			rmdir(directory->path);
			directory->path[0] = '\0';
		}
	}
	if (err)
		log_error("cannot make the private directory: /tmp/ipctrace-XXXXXX: %s: "
			  "see that /tmp exists, can be written and has room",
			  strerror(-err));
	return err;
}

/* Takes over the descriptor. Transports make files, not directories. */
static void entries_remove(int fd)
{
	DIR *entries = fdopendir(fd);
	struct dirent *entry;

	if (!entries) {
		close(fd);
		return;
	}
	while ((entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(fd, entry->d_name, 0);
	closedir(entries);
}

void directory_remove(struct directory *directory)
{
	if (!directory->path[0])
		return;
	entries_remove(directory->fd);
	if (rmdir(directory->path))
		log_warning("cannot remove the private directory: %s: %s: remove it by hand",
			    directory->path, strerror(errno));
	directory->path[0] = '\0';
}
