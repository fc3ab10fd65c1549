/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the interface of a transport, which carries messages from one thread to another.
 * transports.c lists all transports. A transport knows nothing of tracing or of the contents of
 * messages.
 *
 * A run has a server and clients 1..N, and the driver is their parent process. A link connects the
 * server and one client, in both directions. An end is what one thread uses to send and receive.
 * The medium is what all ends share. The functions are called in this order:
 *
 *	driver      medium = create(&spec)            what both sides inherit over fork
 *	server      end = open(medium, LINK_SERVER)   clients can join
 *	client i        end = open(medium, i)         in turn: one client at a time
 *	server          admit(end, i)                 at the same time as that client's open()
 *	both        send(), receive()
 *	both        close(end)
 *	driver      destroy(medium)                   removes all that is left of it in the system
 *
 * The server is a process. The clients are other processes, or threads of one other process. A
 * name that a transport makes in the system (file, queue, key) belongs to one run only. Files lie
 * in the run's directory. Other names contain the driver's pid or are random, and are noted in
 * that directory (common.h).
 */
#pragma once

#include "bpf/record.h"
#include "model/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Stands for the server where a client's number can stand. */
#define LINK_SERVER 0

struct bell;
struct medium; /* owned by the transport; made by create(), ended by destroy() */
struct end;    /* owned by the transport; made by open(), ended by close() */

struct medium_spec {
	const struct transport_ops *ops;
	const char *directory; /* private, mode 0700, owned by the user that the ends run as */
	uint32_t clients;
	size_t size;        /* bytes of the largest message */
	enum reader reader; /* the call in which receive() sleeps */
	bool oneway;        /* messages go one way only, and many may be queued (flood) */
	uint64_t period_ns; /* kernel_sends: time between two ticks */
};

/*
 * The instants of a message by the clocks of its threads, for transports whose messages no kernel
 * object carries. CLOCK_MONOTONIC, ns.
 */
struct handover {
	uint64_t send_ns;   /* sender: send() began */
	uint64_t queued_ns; /* sender: the message was visible to the receiver */
	uint64_t enter_ns;  /* receiver: receive() began, or went on after the message before */
	uint64_t exit_ns;   /* receiver: the message was copied */
	uint64_t position;  /* position of the message in this direction of the link, from 0 */
	uint64_t due_ns; /* kernel_sends: due time of the tick, whose real time is send_ns; others:
			    0 */
};

struct transport_ops {
	const char *name;    /* the word of --transport */
	const char *summary; /* one line for people */
	enum transport_id id;
	int variant;             /* the address family or type of a socket */
	const struct bell *bell; /* how a sender wakes the receiver of a ring */
	bool is_stream; /* bytes without boundaries: one receive() may return a part of a message,
			   or parts of several */
	bool notes_handover; /* has last_handover(), because the kernel sees wakeups only */
	bool kernel_sends; /* the kernel's timer sends: push only. An empty send() of the server to
			      LINK_SERVER starts it; only clients receive */

	/*
	 * NULL if this machine can run the spec, else why not and what to use instead: one line,
	 * static. Optional.
	 */
	const char *(*refuse)(const struct workload_spec *spec);

	/* The largest message in bytes that the running kernel allows. Never 0. */
	size_t (*size_max)(void);

	/*
	 * Both return NULL and errno on failure. create() may run as root, the others do not.
	 * open() runs in the server, for LINK_SERVER, or in that client.
	 */
	struct medium *(*create)(const struct medium_spec *spec);
	struct end *(*open)(struct medium *medium, uint32_t member);

	/*
	 * The server's part of that client's open(): waits at most a second. 0 or -errno;
	 * -ETIMEDOUT: try again. NULL: it has none.
	 */
	int (*admit)(struct end *server, uint32_t client);

	/*
	 * Sends to a client or to LINK_SERVER: the whole message or nothing. Waits for room only
	 * with `wait`, and at most a second. 0 or -errno: -EAGAIN if the receiver's queue is full;
	 * -EPIPE, -ECONNRESET or -ECONNREFUSED if the receiver is gone. Never raises SIGPIPE. One
	 * message is one syscall unless it has to wait.
	 */
	int (*send)(struct end *end, uint32_t to, const void *data, size_t size, bool wait);

	/*
	 * Waits for one message of any peer, or on a byte stream for at most `size` bytes of one
	 * link. `from` is the peer. Bytes or -errno, which may be -EINTR. 0: `from` has closed its
	 * end, which is reported once for each peer.
	 */
	ssize_t (*receive)(struct end *end, void *data, size_t size, uint32_t *from);

	/* Instants of the last message that this end sent or received. Only with notes_handover. */
	const struct handover *(*last_handover)(const struct end *end);

	/* Signals sent by this end and delivered to it; other transports: 0 and 0. Optional. */
	void (*wakes)(const struct end *end, uint64_t *sent, uint64_t *delivered);

	/*
	 * For connections that come and go (pattern "connect"); NULL: not supported. A listening
	 * socket with a backlog, and a socket connected to it, both blocking; or -errno.
	 */
	int (*listen)(struct medium *medium, int backlog);
	int (*connect)(struct medium *medium);

	void (*close)(struct end *end);
	void (*destroy)(struct medium *medium); /* NULL allowed */

	/*
	 * Removes the system object that a note of a killed run stands for, if the note is of this
	 * transport and the object belongs to `owner`, which could have written the note. Optional.
	 */
	void (*tidy)(const char *note, uid_t owner);
};

/* One per file, or a family of transports per file. */
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

/* All of them; NULL is the end. */
extern const struct transport_ops *const transports[];

/* NULL if there is none of that name. */
const struct transport_ops *transport_find(const char *name);

/* All names, comma separated, for messages and help. Static. */
const char *transport_names(void);

/* Calls tidy() of every transport that has one. */
void transports_tidy(const char *note, uid_t owner);
