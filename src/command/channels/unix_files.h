/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that follow the name of a unix socket to its file. A name as it was bound can
 * be relative to a folder that only the server knows, and one file has many names.
 */
#pragma once

#include "command/channels/channel_list.h"

#include <sys/stat.h>

/* Whether the socket was bound to this file, by its device and inode. */
bool unix_file_is(const struct end *end, const struct stat *file, const char *path);

/*
 * Fills in `path` of the ends that were bound to a relative name, or whose file was renamed since,
 * as far as it can be found.
 */
void unix_files_find(struct channel_list *list);

/*
 * Passes the inodes of the sockets that are bound to the file behind `path`: relative, absolute or
 * a link. Those of connections are among them. 0, also if there are none, or -errno.
 */
int unix_file_sockets(const char *path, void (*found)(void *ctx, uint64_t inode), void *ctx);
