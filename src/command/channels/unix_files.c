/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the files of unix sockets by device and inode, which the kernel shows for each socket.
 */
#include "command/channels/unix_files.h"

#include "command/channels/networks.h"
#include "command/channels/sources.h"
#include "util/rights.h"

#include <errno.h>
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

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
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
	       !strcmp(last_part(end->name), last_part(path));
}

/* The absolute path of a relative name, seen from a process that holds the socket. NULL: none. */
static char *find_path(const struct end *end, uint32_t pid)
{
	char *path, near[PATH_MAX];
	struct stat file, same;

	if (snprintf(near, sizeof(near), "/proc/%u/cwd/%.*s", pid, (int)end->name_len, end->name) >=
	    (int)sizeof(near))
		return NULL;
	/* The process may have changed its folder, and another one can be elsewhere. */
	if (stat(near, &file) || !unix_file_is(end, &file, near))
		return NULL;
	path = realpath(near, NULL);
	if (path && !stat(path, &same) && same.st_dev == file.st_dev && same.st_ino == file.st_ino)
		return path;
	free(path);
	return NULL;
}

static bool is_relative(const struct end *end)
{
	return is_unix(end->transport) && end->name_len && end->name[0] && end->name[0] != '/';
}

void unix_files_find(struct channel_list *list)
{
	for (size_t i = 0; i < list->end_cnt; i++) {
		struct end *end = list->end[i];

		if (!is_relative(end) || !end->holding.cnt || end->path)
			continue;
		end->path = find_path(end, end->holding.first.pid);
	}
}

static void pass_sockets(const struct channel_list *list, const struct stat *file, const char *path,
			 void (*found)(void *ctx, uint64_t inode), void *ctx)
{
	for (size_t i = 0; i < list->end_cnt; i++) {
		if (unix_file_is(list->end[i], file, path))
			found(ctx, list->end[i]->inode);
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
	if (!err)
		pass_sockets(list, &file, real, found, ctx);
	channel_list__free(list);
	if (diag >= 0)
		close(diag);
	free(real);
	return err;
}
