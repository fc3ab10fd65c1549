/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the descriptors from which one thread receives messages. Each peer (the server or a
 * client) has one descriptor.
 */
#pragma once

#include "transport/transport.h"

struct fds;

/* FDS_QUEUES: POSIX message queues, which stay open. */
enum fds_kind { FDS_SOCKETS, FDS_PIPES, FDS_QUEUES };

/*
 * For the end of `client`, or of the server for LINK_SERVER. Raises the limit of descriptors to
 * what the ends of all clients need. NULL and errno on failure.
 */
struct fds *fds__new(const struct medium_spec *spec, uint32_t client, enum fds_kind kind);

/*
 * Takes ownership of `fd` unless it is a queue, also on failure, and sets the blocking mode of a
 * pipe. `peer` is as in send(). 0 or -errno.
 */
int fds__add(struct fds *fds, uint32_t peer, int fd);

/* The descriptor of a peer, which `fds` keeps; -1: none. */
int fds__fd(const struct fds *fds, uint32_t peer);

/*
 * Like receive() in struct transport_ops. A single descriptor with READER_BLOCK is read by one
 * call. Several descriptors are waited for with epoll, or with poll for READER_POLL, and read in
 * turn. A broken connection counts as ended. -ECONNRESET: all links have ended.
 */
ssize_t fds__receive(struct fds *fds, void *data, size_t size, uint32_t *from);

/* Whether fds__receive() has reported the end of this peer's link. */
bool fds__has_ended(const struct fds *fds, uint32_t peer);

/* Closes all descriptors but queues. NULL allowed; keeps errno. */
void fds__free(struct fds *fds);
