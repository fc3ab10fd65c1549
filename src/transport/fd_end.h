/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines struct end for the transports over pipes and connected sockets. An end holds the
 * descriptors with which one thread sends and receives messages.
 */
#pragma once

#include "transport/byte_stream.h"
#include "transport/fds.h"

/* A message that fits into the smallest send buffer that can be configured (SOCK_MIN_SNDBUF). */
#define FD_END_SIZE_MIN 2048

struct end {
	struct medium *medium;
	size_t size; /* of the largest message */
	bool oneway;
	int listening;   /* -1: this end does not listen */
	uint32_t member; /* LINK_SERVER or the client's number */
	uint32_t slots;
	struct fds *in;
	struct byte_stream *out; /* by peer; NULL if the sockets keep message boundaries */
};

/*
 * Makes an end. `spec` is the medium's. `connect` makes the socket at which a server listens or the
 * link of a client: 0 or -errno; NULL: nothing is to be made. From now on a write to a pipe without
 * a reader is an error and raises no signal. NULL and errno on failure.
 */
struct end *fd_end_new(struct medium *medium, const struct medium_spec *spec, uint32_t member,
		       enum fds_kind kind, int (*connect)(struct end *end));

/*
 * Adds a link over two pipes or over a connected socket. Takes ownership of the descriptors, also
 * on failure. Raises their capacity, as far as the kernel allows, to hold several messages. 0 or
 * -errno.
 */
int fd_end_add_pipes(struct end *end, uint32_t peer, int in, int out);
int fd_end_add_socket(struct end *end, uint32_t peer, int fd);

/* Accepts a connection within a second. A descriptor or -errno; -ETIMEDOUT: none came. */
int fd_end_accept(struct end *end);

/* Hooks of struct transport_ops. */
int fd_end_send_stream(struct end *end, uint32_t to, const void *data, size_t size, bool wait);
int fd_end_send_datagram(struct end *end, uint32_t to, const void *data, size_t size, bool wait);
ssize_t fd_end_receive(struct end *end, void *data, size_t size, uint32_t *from);
void fd_end_close(struct end *end);

/* The largest send buffer of such a socket, in bytes; 0: the socket type is not supported. */
size_t fd_end_buffer_most(int family, int type);

/* The largest message that fits as a whole into the buffer of such a stream socket. */
size_t fd_end_stream_size_max(int family);
