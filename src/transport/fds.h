/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptors that an end receives from, one for each link, and waiting for any of them. */
#ifndef IPCTRACE_TRANSPORT_FDS_H
#define IPCTRACE_TRANSPORT_FDS_H

#include "transport/transport.h"

/* How long send() and admit() wait at most. */
#define FDS_WAIT_MS 1000

struct fds;

enum fds_kind { FDS_SOCKETS, FDS_PIPES };

/*
 * For the end of `client`, or of the server if that is LINK_SERVER. Allows this process as many
 * descriptors as the ends of all clients can need. NULL and errno on failure.
 */
struct fds *fds__new(const struct medium_spec *spec, uint32_t client, enum fds_kind kind);

/* Takes over `fd`, also on failure, and sets how it blocks. `peer` as in send(). 0 or -errno. */
int fds__add(struct fds *fds, uint32_t peer, int fd);

/* -1: there is none. It stays the owner's. */
int fds__fd(const struct fds *fds, uint32_t peer);

/*
 * As in struct transport_ops. An only descriptor with READER_BLOCK is read by one call; several
 * are waited for with epoll unless READER_POLL. Links that have something are read in turn. A
 * connection that broke has ended too. -ECONNRESET: all have ended.
 */
ssize_t fds__receive(struct fds *fds, void *data, size_t size, uint32_t *from);

/* Closes all descriptors. NULL allowed; keeps errno. */
void fds__free(struct fds *fds);

#endif
