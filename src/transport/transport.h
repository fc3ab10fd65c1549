/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A transport: how a message of the workload gets from one process to another. One file each,
 * listed in transport.c. Transports know nothing of tracing.
 *
 * An endpoint is one bound end, private to the process that opened it. Endpoints find each other by
 * name inside a private directory of the run (file-system transports put their objects there).
 */
#ifndef IPCTRACE_TRANSPORT_H
#define IPCTRACE_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct endpoint; /* owned by the transport; made by open(), ended by close() */
struct peer;     /* where to send: made by find(), freed by forget() */

struct transport_ops {
	const char *name;    /* the word of --transport */
	const char *summary; /* one line for people */

	/* The largest message in bytes that the running kernel lets through. Never 0. */
	size_t (*size_max)(void);

	/* Both: NULL and errno on failure. `name` is a plain file name. */
	struct endpoint *(*open)(const char *directory, const char *name);
	struct peer *(*find)(struct endpoint *from, const char *directory, const char *name);

	/*
	 * send() does not wait: -EAGAIN if the receiver's queue is full. receive() waits for one
	 * message. Bytes or -errno; -EINTR is given back.
	 */
	ssize_t (*send)(struct endpoint *from, const struct peer *to, const void *data,
			size_t size);
	ssize_t (*receive)(struct endpoint *at, void *data, size_t size);

	void (*forget)(struct peer *peer);
	void (*close)(
		struct endpoint *endpoint); /* also removes what open() put in the directory */
};

/* One per file. */
extern const struct transport_ops uds_transport;

/* NULL if there is none of that name. */
const struct transport_ops *transport_find(const char *name);

/* All names, comma separated, for messages and help. Static. */
const char *transport_names(void);

#endif
