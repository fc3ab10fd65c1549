/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Defines the records of connections: a thread connects to a listening socket, and
 * another thread accepts the connection. All of it holds as in record.h.
 *
 * The fields `address`, `ports` and `number` are the same in the CONNECT and the ACCEPT of one
 * connection. TCP: they are made of addresses and ports, and the first sequence number of the
 * connecting end. Unix: they are made of the address of the connecting socket, and the number of
 * its inode (0: not known).
 */
#pragma once

#include "record_type.h"

enum connect_flag {
	CONNECT_TO_TARGET = 1,    /* a target listens where the thread connects to; or in a run */
	CONNECT_FULL = 2,         /* the queue of that listener was full when the call began */
	CONNECT_FULL_AT_EXIT = 4, /* the same when the call returned, maybe by this connection */
	CONNECT_PACKETS = 8,      /* unix: a seqpacket socket */
};

/* connect() of a stream or seqpacket socket has returned. */
struct record_connect {
	struct record head; /* tid: the connecting thread; flags: enum connect_flag */
	u16 family;
	u16 port;  /* TCP: it connects to this port */
	u32 error; /* errno; 0: it is connected */
	u64 enter_ns;
	u64 exit_ns;
	u64 queued_ns; /* unix: the connection is in the queue of its listener; 0: not known */
	u64 address;   /* these three: see above */
	u32 ports;
	u32 number;
	u64 listener;    /* identifies the listener of a target; 0: not known */
	u64 retransmits; /* TCP: this end has sent so many segments again */
};

/* OVER: only `socket` and `at_ns` are valid. */
enum handshake_flag {
	HANDSHAKE_FULL = 1,    /* the queue of the listener is full */
	HANDSHAKE_OVER = 2,    /* the connecting socket does not wait any more */
	HANDSHAKE_FAILED = 4,  /* the same: the connection was not made */
	HANDSHAKE_PACKETS = 8, /* as CONNECT_PACKETS */
};

/*
 * A connection to a target has to wait in its handshake. TCP: the first segment was sent again,
 * as there was no answer. Unix: the call has to wait for room, or fails.
 */
struct record_handshake {
	struct record head; /* flags: enum handshake_flag */
	u16 family;
	u16 port; /* TCP: it connects to this port */
	u32 retransmits;
	u64 began_ns; /* TCP: to the millisecond; 0: not known. Unix: `enter_ns` of its CONNECT */
	u64 at_ns;
	u64 socket;  /* identifies the connecting socket while it is open */
	u64 address; /* these three: as in CONNECT */
	u32 ports;
	u32 number;
	u64 listener; /* as in CONNECT */
	u32 waiting;  /* connections in the queue of this listener, ... */
	u32 backlog;  /* ... and the number that listen() has set */
};

/* accept() has returned a new socket. */
struct record_accept {
	struct record head; /* tid: the accepting thread; flags: CONNECT_PACKETS or 0 */
	u16 family;
	u16 port;     /* TCP: the port that is listened on */
	u32 waiting;  /* connections that are still in the queue, ... */
	u64 enter_ns; /* 0: before the thread was traced */
	u64 exit_ns;
	u64 queued_ns; /* TCP: the connection is in the queue of its listener; 0: not known */
	u64 address;   /* these three: see above */
	u32 ports;
	u32 number;
	u64 listener;    /* as in CONNECT */
	u32 retransmits; /* TCP: this end has sent its answer to the first segment so often again */
	u32 backlog;     /* ... and the number that listen() has set, of those that may wait */
};
