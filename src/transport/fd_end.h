/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of all transports that are made of descriptors. */
#ifndef IPCTRACE_TRANSPORT_FD_END_H
#define IPCTRACE_TRANSPORT_FD_END_H

#include "transport/byte_stream.h"
#include "transport/fds.h"

struct end {
	struct medium *medium;
	size_t size; /* of the largest message */
	bool oneway;
	int listening; /* -1: it does not listen */
	uint32_t slots;
	struct fds *in;
	struct byte_stream *out; /* by peer; unless messages keep their boundaries */
};

/*
 * An end without links; `spec` is the medium's. From here on writing to a pipe that nobody reads
 * is an error and no signal. NULL and errno on failure.
 */
struct end *fd_end_new(struct medium *medium, const struct medium_spec *spec, uint32_t client,
		       enum fds_kind kind);

/*
 * A link over two pipes, or over a connected socket. Takes over the descriptors, also on failure,
 * and raises what they can hold so that several messages fit, as far as the kernel allows. 0 or
 * -errno.
 */
int fd_end_add_pipes(struct end *end, uint32_t peer, int in, int out);
int fd_end_add_socket(struct end *end, uint32_t peer, int fd);

/* The next connection, within a second. A descriptor or -errno: -ETIMEDOUT: none came. */
int fd_end_accept(struct end *end);

/* The hooks of struct transport_ops. */
int fd_end_send_stream(struct end *end, uint32_t to, const void *data, size_t size, bool wait);
int fd_end_send_datagram(struct end *end, uint32_t to, const void *data, size_t size, bool wait);
ssize_t fd_end_receive(struct end *end, void *data, size_t size, uint32_t *from);
void fd_end_close(struct end *end);

/* Closes the end. NULL, and errno from -errno. */
struct end *fd_end_fail(struct end *end, int err);

/* The most that the send buffer of such a socket can be raised to, in bytes; 0: there is none. */
size_t fd_end_buffer_most(int family, int type);

/* The largest message over a byte stream that goes into such a socket's buffer as a whole. */
size_t fd_end_stream_size_max(int family);

#endif
