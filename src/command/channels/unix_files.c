/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the files of unix sockets by device and inode, which the kernel shows for each socket.
 */
#include "command/channels/unix_files.h"

#include "command/channels/proc.h"
#include "command/channels/sources.h"
#include "util/rights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define KERNEL_MINOR_BITS 20 /* include/linux/kdev_t.h */

static uint32_t kernel_device(dev_t device)
{
	return major(device) << KERNEL_MINOR_BITS | minor(device);
}

/*
 * Some file systems (overlayfs, btrfs) show programs another device than the kernel's own one; then
 * the last part of the name must be the same. The kernel shows 32 bits of the inode.
 */
bool unix_file_is(const struct end *end, const struct stat *file, const char *path)
{
	if (!end->name || !end->name_len || !end->name[0] || !end->has_file ||
	    !S_ISSOCK(file->st_mode) || end->file_inode != (uint32_t)file->st_ino)
		return false;
	return end->file_device == kernel_device(file->st_dev) ||
	       !strcmp(basename(end->name), basename(path));
}

/* Whether the directory entry is the file of this socket. Its name may be another one. */
static bool is_file_of(const struct end *end, int folder, const char *name)
{
	struct stat file;

	return !fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) && S_ISSOCK(file.st_mode) &&
	       end->file_inode == (uint32_t)file.st_ino;
}

/*
 * Servers bind a temporary name and rename it, so that clients find no socket that does not listen
 * yet. Replaces the last part of `path` by the name of the file in that folder now. False: it has
 * none there.
 */
static bool find_renamed(const struct end *end, char path[PATH_MAX])
{
	char *last = strrchr(path, '/') + 1;
	const struct dirent *entry;
	bool found = false;
	DIR *folder;

	*last = '\0';
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder))) {
		found = (entry->d_type == DT_SOCK || entry->d_type == DT_UNKNOWN) &&
			is_file_of(end, dirfd(folder), entry->d_name) &&
			snprintf(last, (size_t)(path + PATH_MAX - last), "%s", entry->d_name) <
				path + PATH_MAX - last;
	}
	if (folder)
		closedir(folder);
	return found;
}

/* The absolute path of a name that is relative to the folder of a process. NULL: none. */
static char *absolute_path(const char *near, const struct stat *file)
{
	char *path = realpath(near, NULL);
	struct stat same;

	if (path && !stat(path, &same) && same.st_dev == file->st_dev &&
	    same.st_ino == file->st_ino)
		return path;
	free(path);
	return NULL;
}

/*
 * Where the file is now, seen from a process that holds the socket: of a relative name, or of one
 * that was renamed. NULL: the name says it, or it is not known.
 */
static char *unix_files_find_path(const struct end *end, uint32_t pid)
{
	bool is_absolute = end->name[0] == '/';
	char near[PATH_MAX];
	struct stat file;
	int root;

	root = snprintf(near, sizeof(near), "/proc/%u/%s", pid, is_absolute ? "root" : "cwd/");
	if (root + end->name_len >= sizeof(near))
		return NULL;
	memcpy(near + root, end->name, end->name_len);
	near[root + end->name_len] = '\0';
	/* The process may have changed its folder, and another one can be elsewhere. */
	if (stat(near, &file) || !unix_file_is(end, &file, near)) {
		if (!end->has_file || !find_renamed(end, near) || stat(near, &file))
			return NULL;
	} else if (is_absolute) {
		return NULL;
	}
	return is_absolute ? strdup(near + root) : absolute_path(near, &file);
}

void unix_files_find(struct channel_list *list)
{
	for (size_t i = 0; i < list->end_cnt; i++) {
		struct end *end = list->end[i];

		if (is_unix(end->transport) && end->name_len && end->name[0] && end->holding.cnt &&
		    !end->path)
			end->path = unix_files_find_path(end, end->holding.first.pid);
	}
}

/* The real path of a socket. NULL: it is none, or the user may not see it. */
static char *find_socket(const char *path, struct stat *file)
{
	bool was_used = rights_lower();
	char *real = realpath(path, NULL);
	bool is_there = real && !stat(real, file) && S_ISSOCK(file->st_mode);

	rights_restore(was_used);
	if (is_there)
		return real;
	free(real);
	return NULL;
}

int unix_file_sockets(const char *path, void (*found)(void *ctx, uint64_t inode), void *ctx)
{
	static const struct networks own = {.cnt = 1};
	struct channel_list *list = NULL;
	struct stat file;
	char *real = find_socket(path, &file);
	int diag, err = 0;

	if (!real)
		return 0;
	diag = network_open_diag(&own, 0);
	if (diag >= 0)
		list = channel_list__new(0);
	if (diag < 0 || !list)
		err = diag < 0 ? diag : -ENOMEM;
	else
		err = unix_sockets_add(diag, 0, SOCKETS_ALL, list);
	for (size_t i = 0; !err && i < list->end_cnt; i++) {
		if (unix_file_is(list->end[i], &file, real))
			found(ctx, list->end[i]->inode);
	}
	channel_list__free(list);
	if (diag >= 0)
		close(diag);
	free(real);
	return err;
}
