/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines struct end for the transports over pipes, connected sockets and POSIX message queues. An
 * end holds the descriptors with which one thread sends and receives messages: one to receive from
 * each peer (the server or a client).
 */
#pragma once

#include "transport/byte_stream.h"
#include "transport/transport.h"

#include <sys/epoll.h>

/* A message that fits into the smallest send buffer that can be configured (SOCK_MIN_SNDBUF). */
#define FD_END_SIZE_MIN 2048

/* FD_END_QUEUES: they belong to the medium, and stay open. */
enum fd_end_kind { FD_END_SOCKETS, FD_END_PIPES, FD_END_QUEUES };

struct end {
	struct medium *medium;
	enum fd_end_kind kind;
	size_t size; /* of the largest message */
	bool oneway;
	int listening;                  /* -1: this end does not listen */
	uint32_t member;                /* LINK_SERVER or the client's number */
	uint32_t slots;                 /* the largest peer plus one */
	enum reader reader;             /* READER_BLOCK waits in the read itself */
	uint32_t open;                  /* links that have not ended */
	int epoll;                      /* -1 unless READER_EPOLL */
	int *in;                        /* descriptors by peer, -1: none */
	struct pollfd *polls;           /* READER_POLL, by peer; .fd -1: none, or ended */
	struct epoll_event *events;     /* READER_EPOLL */
	uint32_t *ready;                /* peers that the last wait reported */
	uint32_t ready_cnt, ready_next; /* ready[] before `ready_next` has been read */
	struct byte_stream *out;        /* by peer; not used if message boundaries are kept */
};

/*
 * Makes an end. `spec` is the medium's. `connect` makes the socket at which a server listens or the
 * link of a client: 0 or -errno; NULL: nothing is to be made. Raises the limit of descriptors to
 * what the ends of all clients need. From now on a write to a pipe without a reader is an error and
 * raises no signal. NULL and errno on failure.
 */
struct end *fd_end_new(struct medium *medium, const struct medium_spec *spec, uint32_t member,
		       enum fd_end_kind kind, int (*connect)(struct end *end));

/*
 * Adds a link over two pipes or over a connected socket, or what a queue's peer sends. Takes
 * ownership of the descriptors unless it is a queue, also on failure. Raises their capacity, as far
 * as the kernel allows, to hold several messages. 0 or -errno.
 */
int fd_end_add_pipes(struct end *end, uint32_t peer, int in, int out);
int fd_end_add_socket(struct end *end, uint32_t peer, int fd);
int fd_end_add_queue(struct end *end, uint32_t peer, int queue);

/* Accepts a connection within a second. A descriptor or -errno; -ETIMEDOUT: none came. */
int fd_end_accept(struct end *end);

/* Whether fd_end_receive() has reported the end of this peer's link. */
bool fd_end_has_ended(const struct end *end, uint32_t peer);

/*
 * Hooks of struct transport_ops. A single descriptor with READER_BLOCK is read by one call. Several
 * descriptors are waited for with epoll, or with poll for READER_POLL, and read in turn. A broken
 * connection counts as ended. -ECONNRESET: all links have ended.
 */
int fd_end_send_stream(struct end *end, uint32_t to, const void *data, size_t size, bool wait);
int fd_end_send_datagram(struct end *end, uint32_t to, const void *data, size_t size, bool wait);
ssize_t fd_end_receive(struct end *end, void *data, size_t size, uint32_t *from);
void fd_end_close(struct end *end);

/* The largest send buffer of such a socket, in bytes; 0: the socket type is not supported. */
size_t fd_end_buffer_most(int family, int type);

/* The largest message that fits as a whole into the buffer of such a stream socket. */
size_t fd_end_stream_size_max(int family);
