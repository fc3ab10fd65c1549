/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Defines the record of a dropped datagram (attach). All of it holds as in record.h. */
#pragma once

#include "record_type.h"

/* Values are written to recordings. */
enum drop_reason {
	DROP_UNKNOWN,     /* the kernel does not show it (before Linux 5.17) */
	DROP_BUFFER_FULL, /* the receive buffer of the socket had no room (SO_RCVBUF) */
	DROP_MEMORY,      /* all UDP sockets together may use no more memory (udp_mem) */
	DROP_NO_SOCKET,   /* no socket is bound to the address */
	DROP_FILTER,      /* a filter of the socket */
	DROP_CHECKSUM,
	DROP_BACKLOG, /* the CPU's queue of packets was full (netdev_max_backlog) */
	DROP_RULE,    /* a rule of the packet filter */
	DROP_QUEUE,   /* the queue of the sending device (qdisc) */
	DROP_OTHER,
	NR_DROP_REASONS
};

enum drop_flag {
	DROP_LATER = 1, /* by an interrupt or a kernel thread. The SEND may have an instant at which
			 * it became visible: it never did */
};

/*
 * A datagram of a traced thread was dropped in its send call, or later, if the reason is certain.
 * It has a SEND with the position.
 */
struct record_drop {
	struct record
		head; /* tid: the sender, 0 with DROP_LATER; cpu: where; flags: enum drop_flag */
	u32 channel;
	u32 reason; /* enum drop_reason */
	u64 position;
	u64 at_ns;
	u64 buffer_bytes; /* DROP_BUFFER_FULL: size of that buffer; 0: not known */
};
