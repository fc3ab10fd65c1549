/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links whose messages lie in rings of shared memory: what shm, eventfd and the signals have in
 * common. Each way of each link is a ring. They differ in the bell: how a sender wakes a receiver
 * that sleeps.
 *
 * A receiver looks into its rings first, and sleeps only when all of them are empty. A sender rings
 * the bell once its message is in the ring. So a bell that is rung several times before anybody
 * hears it loses nothing, and a message whose sender was killed before it could ring is taken with
 * the next one.
 */
#ifndef IPCTRACE_TRANSPORT_RINGS_H
#define IPCTRACE_TRANSPORT_RINGS_H

#include "transport/ring.h"
#include "transport/roll.h"
#include "transport/transport.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a receiver can be reached: the server or a client. In shared memory. */
struct seat {
	_Alignas(CACHE_LINE) _Atomic uint32_t asleep; /* shm: futex */
	pid_t pid;                                    /* valid once the roll has it; so is tid */
	pid_t tid;                                    /* signals: of the thread that receives */
	_Atomic uint64_t wakes_sent;                  /* signals: by this end */
	_Atomic uint64_t wakes_delivered;             /* signals: to this end */
};

struct bell {
	/* In create(): 0 or -errno. Optional, as is take_down(), which is called in any case. */
	int (*hang)(struct medium *medium);
	void (*take_down)(struct medium *medium);

	/* In serve() and join(), before anybody rings. 0 or -errno. Optional, as is rest(). */
	int (*listen)(struct end *end);
	void (*rest)(struct end *end);

	/* Wakes the receiver of this seat now, or when it is about to sleep. 0 or -errno. */
	int (*ring)(struct end *end, uint32_t seat);

	/* The same, to tell not of a message but that this end closes; NULL: it is the same. */
	void (*ring_last)(struct end *end, uint32_t seat);

	/* Sleeps until the bell is rung; may return for no reason. 0 or -errno. */
	int (*wait)(struct end *end);

	/* There was a message without waiting. Optional. */
	void (*skip)(struct end *end);
};

struct medium {
	const struct bell *bell;
	struct roll *roll;
	uint32_t clients;
	enum reader reader;
	char *shared; /* seats, then rings */
	size_t shared_size;
	size_t rings_at; /* in `shared`, as are the bytes of one ring */
	size_t ring_size;
	int *fds; /* eventfd: one for each seat */
};

struct end {
	struct medium *medium;
	uint32_t seat;         /* LINK_SERVER or the client's number */
	uint32_t last;         /* server: the client whose message it took last */
	bool *closed_reported; /* by peer: receive() has said that this one has closed its end */
	uint32_t closed_cnt;
	int epoll_fd; /* eventfd: if it reads by epoll; else -1 */
	struct handover handover;
};

static inline struct seat *medium_seat(const struct medium *medium, uint32_t seat)
{
	return (struct seat *)medium->shared + seat;
}

/* Whether there is something that receive() would return. */
bool rings_ready(const struct end *end);

struct medium *rings_create(const struct medium_spec *spec, const struct bell *bell);

/* Hooks of struct transport_ops. */
size_t rings_size_max(void);
struct end *rings_serve(struct medium *medium);
struct end *rings_join(struct medium *medium, uint32_t client);
int rings_admit(struct end *server, uint32_t client);
int rings_send(struct end *end, uint32_t to, const void *data, size_t size, bool wait);
ssize_t rings_receive(struct end *end, void *data, size_t size, uint32_t *from);
const struct handover *rings_last_handover(const struct end *end);
void rings_close(struct end *end);
void rings_destroy(struct medium *medium);

#endif
