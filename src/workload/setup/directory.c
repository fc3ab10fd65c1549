/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and removes private directories in /tmp, and cleans up after runs that were killed. */
#include "transport/transport.h"
#include "util/log.h"
#include "workload/setup/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARENT "/tmp"

/* Each level of directories takes two descriptors. */
#define DEPTH_MAX 64

/*
 * How many names are tried. Another run that tidies up may remove a new directory before it is
 * locked.
 */
#define TRIES_MAX 100

/* Whether the name still leads to the open file. */
static bool directory_leads_to(int parent, const char *name, int fd)
{
	struct stat named, opened;

	return !fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &opened) &&
	       named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* ---- Removal ---- */

static int entries_remove(int fd, dev_t device, int depth);

/* Opens the directory again, to list it. NULL and errno on failure. */
static DIR *entries_open(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = again < 0 ? NULL : fdopendir(again);

	if (!entries && again >= 0)
		close(again);
	return entries;
}

/* A directory on another device is a mount, which stays. */
static int tree_remove(int parent, const char *name, dev_t device, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		err = -errno;
	else
		err = status.st_dev == device ? entries_remove(fd, device, depth) : -EXDEV;
	close(fd);
	if (!err && unlinkat(parent, name, AT_REMOVEDIR))
		err = -errno;
	return err;
}

static int entry_remove(int fd, const char *name, dev_t device, int depth)
{
	if (!unlinkat(fd, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return -errno;
	return depth < DEPTH_MAX ? tree_remove(fd, name, device, depth + 1) : -ELOOP;
}

/*
 * The owner of the directory may change its contents meanwhile. Every step goes from an open
 * directory to one of its own entries, so that nothing outside is reached. Returns 0 or the first
 * -errno.
 */
static int entries_remove(int fd, dev_t device, int depth)
{
	DIR *entries = entries_open(fd);
	struct dirent *entry;
	int err = 0;

	if (!entries)
		return -errno;
	while ((entry = readdir(entries))) {
		int failed = 0;

		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			failed = entry_remove(fd, entry->d_name, device, depth);
		err = err ? err : failed;
	}
	closedir(entries);
	return err;
}

/* `fd` keeps the lock until everything is removed. */
static int directory_clear(int parent, const char *name, int fd)
{
	struct stat status;
	int err = fstat(fd, &status) ? -errno : entries_remove(fd, status.st_dev, 0);

	if (!err && unlinkat(parent, name, AT_REMOVEDIR))
		err = -errno;
	return err;
}

/* ---- Make and remove ---- */

/*
 * Another run that tidies up may have found the directory before it is locked: -EAGAIN, and that
 * run removes it. The lock comes before the change of owner, or the new owner could lock it
 * first.
 *
 * After the change of owner the directory is only used through this descriptor: wherever its path
 * leads to later, nothing else is removed.
 */
static int directory_claim(struct directory *directory, const struct caller *owner)
{
	int err = 0;

	directory->fd = open(directory->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory->fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (flock(directory->fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EAGAIN : -errno;
	else if (!directory_leads_to(AT_FDCWD, directory->path, directory->fd))
		err = -EAGAIN;
	else if (owner->is_other && fchown(directory->fd, owner->uid, owner->gid))
		err = -errno;
	if (err)
		close(directory->fd);
	return err;
}

static int directory_try(struct directory *directory, const char *pattern,
			 const struct caller *owner)
{
	int err;

	snprintf(directory->path, sizeof(directory->path), "%s", pattern);
	if (!mkdtemp(directory->path))
		return -errno;
	err = directory_claim(directory, owner);
	if (err && err != -EAGAIN)
		rmdir(directory->path);
	return err;
}

int directory_make(struct directory *directory, const char *pattern, const struct caller *owner)
{
	int err = -EAGAIN;

	for (int i = 0; i < TRIES_MAX && err == -EAGAIN; i++)
		err = directory_try(directory, pattern, owner);
	if (err)
		directory->path[0] = '\0';
	return err;
}

int directory_remove(struct directory *directory)
{
	int err;

	if (!directory->path[0])
		return 0;
	err = directory_clear(AT_FDCWD, directory->path, directory->fd);
	close(directory->fd);
	directory->path[0] = '\0';
	return err;
}

/* ---- Directories of killed runs ---- */

static bool directory_is_name(const char *name)
{
	return !fnmatch("ipctrace-run-??????", name, 0) ||
	       !fnmatch("ipctrace-load-run-??????", name, 0);
}

/* A mount does not belong to the run. */
static bool is_owned(int parent, int fd, const struct caller *owner)
{
	struct stat around, status;

	if (fstat(parent, &around) || fstat(fd, &status) || status.st_dev != around.st_dev)
		return false;
	return status.st_uid == geteuid() || (owner->is_other && status.st_uid == owner->uid);
}

/* The process that gets the lock knows that no other process has it. */
static bool is_left(int parent, const char *name, int fd, const struct caller *owner)
{
	return is_owned(parent, fd, owner) && !flock(fd, LOCK_EX | LOCK_NB) &&
	       directory_leads_to(parent, name, fd);
}

static void notes_tidy(int fd)
{
	DIR *entries = entries_open(fd);
	struct dirent *entry;
	struct stat status;

	while (entries && !fstat(fd, &status) && (entry = readdir(entries)))
		transports_tidy(entry->d_name, status.st_uid);
	if (entries)
		closedir(entries);
}

static void directory_tidy(int parent, const char *name, const struct caller *owner)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int err;

	if (fd < 0)
		return;
	if (is_left(parent, name, fd, owner)) {
		notes_tidy(fd);
		err = directory_clear(parent, name, fd);
		/* -ENOENT: a process of the killed run has just removed it. */
		if (!err)
			log_info("removed what a killed run had left: '" PARENT "/%s'", name);
		else if (err != -ENOENT)
			log_warning("cannot remove what a killed run has left: '" PARENT
				    "/%s': %s: remove it by hand",
				    name, strerror(-err));
	}
	close(fd);
}

void directories_tidy(const struct caller *owner)
{
	DIR *entries = opendir(PARENT);
	struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (directory_is_name(entry->d_name))
			directory_tidy(dirfd(entries), entry->d_name, owner);
	if (entries)
		closedir(entries);
}
