/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A transport: how a message of the workload gets from one thread to another. One file each, listed
 * in transports.c. Transports know nothing of tracing or of what a message says.
 *
 * A run has a server and clients 1..N. A link joins the server and one client, and carries messages
 * both ways. The life of a run's links:
 *
 *	driver      medium = create(&spec)            what both sides inherit over fork
 *	server      end = serve(medium)               clients can come
 *	client i        end = join(medium, i)         in turn: one client at a time
 *	server          admit(end, i)                 at the same time as that client's join()
 *	both        send(), receive()
 *	both        close(end)
 *	driver      destroy(medium)                   removes all that is left of it in the system
 *
 * Server and clients are processes, or clients are threads of one process: an end belongs to one
 * thread, a medium is shared by all. A name in the system (file, queue, key) is private to the run:
 * files go into `directory`; others have the driver's process id in their name, or are random, and
 * are noted in `directory` as long as they are there (note.h).
 */
#ifndef IPCTRACE_TRANSPORT_H
#define IPCTRACE_TRANSPORT_H

#include "model/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The number that stands for the server where a client's number can stand. */
#define LINK_SERVER 0

struct medium; /* owned by the transport; made by create(), ended by destroy() */
struct end;    /* owned by the transport; made by serve() or join(), ended by close() */

struct medium_spec {
	const char *directory; /* private, mode 0700, owned by the user that the ends run as */
	uint32_t clients;
	size_t size;        /* of the largest message, in bytes */
	enum reader reader; /* what receive() sleeps in */
	bool oneway;        /* messages go one way only and may be many under way (flood) */
	uint64_t period_ns; /* kernel_sends: from one tick to the next */
};

/*
 * When a message changed hands, by the clock of the threads themselves: of transports whose
 * messages no kernel object carries. CLOCK_MONOTONIC, ns.
 */
struct handover {
	uint64_t send_ns;   /* sender: send() began */
	uint64_t queued_ns; /* sender: the message was visible to the receiver */
	uint64_t enter_ns;  /* receiver: receive() began, or went on to this message */
	uint64_t exit_ns;   /* receiver: it had the message */
	uint64_t position;  /* of the message on this way of the link, from 0 */
	uint64_t due_ns;    /* kernel_sends: when the tick should have been, send_ns is when it was;
			     * others: 0 */
};

struct transport_ops {
	const char *name;    /* the word of --transport */
	const char *summary; /* one line for people */
	uint32_t id;         /* enum transport_id */
	bool is_stream; /* bytes without boundaries: one receive() may take a part of a message,
			 * or parts of several */
	bool notes_handover; /* last_handover() is there: the kernel sees wake-ups only */
	bool kernel_sends; /* the kernel's timer is the sender: push only. A send() of the server to
			    * LINK_SERVER, of nothing, starts it; receive() is for clients */

	/*
	 * NULL if this machine and this spec can have it; else why not and what to use instead, one
	 * line, static. Optional.
	 */
	const char *(*refuse)(const struct workload_spec *spec);

	/* The largest message in bytes that the running kernel lets through. Never 0. */
	size_t (*size_max)(void);

	/* All three: NULL and errno on failure. create() may run as root, the others do not. */
	struct medium *(*create)(const struct medium_spec *spec);
	struct end *(*serve)(struct medium *medium);
	struct end *(*join)(struct medium *medium, uint32_t client);

	/* Waits for that client's join() at most a second. 0 or -errno; -ETIMEDOUT: try again. */
	int (*admit)(struct end *server, uint32_t client);

	/*
	 * To a client, or to LINK_SERVER: the whole message, or nothing of it. Does not wait unless
	 * `wait`; waits at most a second. 0 or -errno: -EAGAIN if the receiver's queue is full,
	 * -EPIPE or -ECONNRESET or -ECONNREFUSED if nobody is there any more. SIGPIPE is never
	 * raised. One message is one system call as long as nothing has to be waited for.
	 */
	int (*send)(struct end *end, uint32_t to, const void *data, size_t size, bool wait);

	/*
	 * Waits until there is something for this end, from whoever: one message, or on a byte
	 * stream at most `size` bytes of one link. `from` is whose. Bytes or -errno: -EINTR is
	 * given back; 0: `from` has closed its end, which is told once for each.
	 */
	ssize_t (*receive)(struct end *end, void *data, size_t size, uint32_t *from);

	/* Of the last message that this end sent or received. Only if notes_handover. */
	const struct handover *(*last_handover)(const struct end *end);

	/* Signals sent by this end and delivered to it; others than signals: 0 and 0. Optional. */
	void (*wakes)(const struct end *end, uint64_t *sent, uint64_t *delivered);

	/*
	 * For connections that come and go (pattern "connect"); NULL: the transport has none. A
	 * descriptor that listens with room for `backlog` that wait, and one that is connected to
	 * it, both blocking; or -errno.
	 */
	int (*listen)(struct medium *medium, int backlog);
	int (*connect)(struct medium *medium);

	void (*close)(struct end *end);
	void (*destroy)(struct medium *medium); /* NULL allowed */

	/*
	 * Removes what a note of a run that was killed stands for, if it is this transport's note,
	 * and if it belongs to `owner`, a user that could have written the note as well. Optional.
	 */
	void (*tidy)(const char *note, uid_t owner);
};

/* One per file, or a family of near relatives per file. */
extern const struct transport_ops uds_transport;
extern const struct transport_ops uds_stream_transport;
extern const struct transport_ops uds_seqpacket_transport;
extern const struct transport_ops tcp_transport;
extern const struct transport_ops tcp6_transport;
extern const struct transport_ops udp_transport;
extern const struct transport_ops udp6_transport;
extern const struct transport_ops pipe_transport;
extern const struct transport_ops fifo_transport;
extern const struct transport_ops shm_transport;
extern const struct transport_ops mqueue_transport;
extern const struct transport_ops sysv_transport;
extern const struct transport_ops signal_transport;
extern const struct transport_ops signal_std_transport;
extern const struct transport_ops eventfd_transport;
extern const struct transport_ops kernel_transport;

#endif
