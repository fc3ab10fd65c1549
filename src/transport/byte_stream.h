/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends messages into a byte stream, which is a pipe or a connected socket. The kernel may accept
 * only a part of a message, and the reader would then wait for the rest. A message is therefore
 * sent only when the whole message fits. A message larger than the stream's capacity is sent in
 * parts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct byte_stream {
	int fd; /* -1: none */
	bool is_pipe;
	size_t page;     /* the kernel's page size in bytes */
	size_t capacity; /* pages of a pipe */
	size_t free; /* lower bound of the free room; pages of a pipe, bytes of a socket's buffer */
	size_t size; /* size of all messages so far; 0: no message yet */
	bool mixed;  /* messages had several sizes */
};

/*
 * Takes ownership of the write end of a pipe, which must not be open elsewhere. Raises its capacity
 * to `wanted` bytes as far as the kernel allows. 0 or -errno.
 */
int byte_stream_of_pipe(struct byte_stream *stream, int fd, size_t wanted);

/* Uses a connected socket, which the caller keeps and whose send buffer is already set. */
void byte_stream_of_socket(struct byte_stream *stream, int fd);

/*
 * Like send() in struct transport_ops. A message larger than the whole capacity is sent in parts as
 * the reader makes room, within a second. If that fails, the stream is ended, because the next
 * message would be read as the missing rest: -ETIMEDOUT.
 */
int byte_stream_send(struct byte_stream *stream, const void *data, size_t size, bool wait);

/* The largest capacity of a pipe (fs.pipe-max-size), in bytes. */
size_t byte_stream_pipe_most(void);
