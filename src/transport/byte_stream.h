/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages into a byte stream: a pipe or a connected socket. The kernel takes as much of a message
 * as there is room for; whoever reads then waits for the rest. Here a message goes in as a whole
 * and by one call: before one that may not fit the kernel is asked how much room there is.
 */
#ifndef IPCTRACE_TRANSPORT_BYTE_STREAM_H
#define IPCTRACE_TRANSPORT_BYTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

struct byte_stream {
	int fd; /* -1: none */
	bool is_pipe;
	size_t page;     /* the kernel's, in bytes */
	size_t capacity; /* of a pipe, in pages */
	size_t free;     /* at least; pages of a pipe, bytes of a socket's buffer */
	size_t size;     /* of all messages so far; 0: there was none */
	bool mixed;      /* they had several sizes */
};

/*
 * Takes over the writing end of a pipe, which must not be open elsewhere, and makes it hold
 * `wanted` bytes, as far as the kernel allows. 0 or -errno.
 */
int byte_stream_of_pipe(struct byte_stream *stream, int fd, size_t wanted);

/* A connected socket that stays the caller's, with its send buffer as large as it shall be. */
void byte_stream_of_socket(struct byte_stream *stream, int fd);

/*
 * As send() in struct transport_ops. A message that is larger than all there is goes in parts, as
 * it is read, within a second; if that fails the stream is ended, for the next message would be
 * taken for its rest: -ETIMEDOUT.
 */
int byte_stream_send(struct byte_stream *stream, const void *data, size_t size, bool wait);

/* Of a pipe's capacity (fs.pipe-max-size), in bytes. */
size_t byte_stream_pipe_most(void);

#endif
