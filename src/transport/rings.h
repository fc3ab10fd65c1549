/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that the transports shm, eventfd and signal share. Each direction between the
 * server and a client has its own ring of messages in shared memory. Each transport has its own
 * bell, the method by which a sender wakes a sleeping receiver.
 *
 * A receiver sleeps only if all of its rings are empty. A sender puts its message into the ring,
 * and then rings the bell. If the sender is killed between these steps, the receiver may find the
 * message only when the next message arrives.
 */
#pragma once

#include "transport/transport.h"

#include <stdatomic.h>

#define CACHE_LINE 64

/* Where a receiver, the server or a client, can be reached. In shared memory. */
struct seat {
	_Alignas(CACHE_LINE) _Atomic uint32_t asleep; /* shm: futex */
	pid_t pid;
	_Atomic pid_t tid;                /* the receiving thread; 0: its end does not exist yet */
	_Atomic uint64_t wakes_sent;      /* signals: sent by this end */
	_Atomic uint64_t wakes_delivered; /* signals: delivered to this end */
};

struct bell {
	/*
	 * Called in create(): 0 or -errno. Optional, as is take_down(), which is called in any
	 * case.
	 */
	int (*hang)(struct medium *medium);
	void (*take_down)(struct medium *medium);

	/* Called in open(), before any sender rings. 0 or -errno. Optional, as is rest(). */
	int (*listen)(struct end *end);
	void (*rest)(struct end *end);

	/* Wakes the receiver of this seat now, or when it is about to sleep. 0 or -errno. */
	int (*ring)(struct end *end, uint32_t seat);

	/* The same for the close of this end; NULL: ring() is used. */
	void (*ring_last)(struct end *end, uint32_t seat);

	/* Sleeps until the bell rings. May return early. 0 or -errno. */
	int (*wait)(struct end *end);

	/* Called after a message was found without waiting. Optional. */
	void (*skip)(struct end *end);
};

struct medium {
	const struct bell *bell;
	uint32_t clients;
	enum reader reader;
	char *shared; /* seats, then rings */
	size_t shared_size;
	size_t rings_at; /* offset in `shared`; then the bytes of one ring */
	size_t ring_size;
	int *fds; /* eventfd: one for each seat */
};

struct end {
	struct medium *medium;
	uint32_t seat;         /* LINK_SERVER or the client's number */
	uint32_t last;         /* server: the client of the last message */
	bool *closed_reported; /* by peer: receive() has reported that this peer closed its end */
	uint32_t closed_cnt;
	int epoll_fd; /* eventfd: for READER_EPOLL; else -1 */
	struct handover handover;
};

static inline struct seat *medium_seat(const struct medium *medium, uint32_t seat)
{
	return (struct seat *)medium->shared + seat;
}

/* Whether receive() would return something. */
bool rings_ready(const struct end *end);

/* Hooks of struct transport_ops. */
size_t rings_size_max(void);
struct medium *rings_create(const struct medium_spec *spec);
struct end *rings_open(struct medium *medium, uint32_t member);
int rings_send(struct end *end, uint32_t to, const void *data, size_t size, bool wait);
ssize_t rings_receive(struct end *end, void *data, size_t size, uint32_t *from);
const struct handover *rings_last_handover(const struct end *end);
void rings_close(struct end *end);
void rings_destroy(struct medium *medium);

#define RINGS_HOOKS                                                                                \
	.notes_handover = true, .size_max = rings_size_max, .create = rings_create,                \
	.open = rings_open, .send = rings_send, .receive = rings_receive,                          \
	.last_handover = rings_last_handover, .close = rings_close, .destroy = rings_destroy
