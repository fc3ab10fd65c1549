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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CACHE_LINE 64

/*
 * Messages in shared memory, with one writing thread and one reading thread. The writer waits for
 * room in ring_await_room(). No function waits for messages, because each transport has its own way
 * to wake a receiver.
 */
struct ring {
	/* Words of the writer. */
	_Alignas(CACHE_LINE) _Atomic uint64_t
		put;                  /* messages so far; upper bit: no message follows */
	_Atomic uint32_t room_wanted; /* futex: 1 while the writer sleeps or is about to */
	uint64_t consumed_seen;       /* `consumed` when the writer last needed it */

	/* Words of the reader. */
	_Alignas(CACHE_LINE) _Atomic uint64_t consumed; /* messages so far */

	/* Hardly ever written, so that reading these is cheap for both. */
	_Alignas(CACHE_LINE) _Atomic uint32_t left; /* 1: the reader receives no more messages */
	uint32_t slots_cnt;                         /* a power of two */
	uint32_t slot_size;                         /* bytes */
	uint32_t message_max;                       /* bytes */

	_Alignas(CACHE_LINE) char slots[];
};

enum ring_state {
	RING_EMPTY,
	RING_READY,    /* there is a message */
	RING_FINISHED, /* there is no message and none will follow */
};

/*
 * Bytes of a ring, a multiple of CACHE_LINE. `slots` is a power of two, `size` the largest message.
 */
size_t ring_bytes(size_t size, uint32_t slots);

/* `ring` is ring_bytes() of zeros. */
void ring_init(struct ring *ring, size_t size, uint32_t slots);

/*
 * Writer: 0, -EAGAIN (full), -EPIPE (the reader has left) or -EMSGSIZE. Sets send_ns, queued_ns and
 * position of `handover`, and the other fields to 0.
 */
int ring_put(struct ring *ring, const void *data, size_t size, uint64_t send_ns,
	     struct handover *handover);

/*
 * Writer: sleeps until a good part of the ring is free, the reader has left, or `timeout_ns` is
 * over. There may be room after a timeout as well.
 */
void ring_await_room(struct ring *ring, uint64_t timeout_ns);

/* Writer: announces that no message follows. */
void ring_finish(struct ring *ring);

/* Reader: what the ring has. */
enum ring_state ring_look(const struct ring *ring);

/*
 * Reader, when the ring is RING_READY: copies at most `size` bytes of the message and returns their
 * number. Sets all fields of `handover`, enter_ns to 0.
 */
size_t ring_get(struct ring *ring, void *data, size_t size, struct handover *handover);

/* Reader: receives no more messages. Wakes a sleeping writer. */
void ring_leave(struct ring *ring);

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
