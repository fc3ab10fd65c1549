/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the records that only a recording of windows has. Such a recording keeps all records of
 * some windows of time. Neither the kernel nor the workload emits these records.
 */
#pragma once

#include "bpf/record.h"

enum window_flag {
	WINDOW_SHORTENED = 1, /* it begins later than asked for, for lack of memory */
};

/*
 * A window begins. Facts from before follow: names, channels and the like, the last changes of each
 * thread and the last slices of each CPU. Then all records of events from `begun_ns` on follow, up
 * to the next window, or the last WATERMARK.
 *
 *	begun_ns             from_ns                                      last WATERMARK
 *	   | may lack one end   |  every message of this time is complete    |
 */
struct record_window {
	struct record head; /* flags: enum window_flag */
	u64 from_ns;
	u64 begun_ns;
};

enum trigger_flag {
	TRIGGER_IS_CALL = 1, /* else it is a message */
};

/* For this message or call the records are kept. */
struct record_trigger {
	struct record head; /* tid: the receiver, or the client; flags: enum trigger_flag */
	u32 channel;
	u32 quantity; /* enum quantity: the one that decided */
	u64 position; /* in the channel: of the message, or the last one of the request */
	u64 from_ns;
	u64 at_ns; /* its end */
	u64 value_ns;
};

/*
 * A run: the number of this message on its link, the warm-up included. Comes before its WATERMARK.
 */
struct record_number {
	struct record head;
	u32 channel;
	u32 pad;
	u64 position;
	u64 number;
};

/* Attach: a connection of which messages came before the window, as call_matcher.c knows it. */
struct record_connection {
	struct record head; /* flags: answers until it is certain which end is the client */
	u64 low, high;      /* its ends */
	u32 from_low;       /* channel + 1; 0: no message yet */
	u32 from_high;
	u32 client; /* 0: `low` */
	u32 basis;  /* how the client was found */
};

/* BASELINE as a fact, see struct record_window: messages of the channel came before. */
#define BASELINE_COUNTED 1u

/* CHANNEL as a fact: what the messages before have shown. */
enum channel_flag {
	CHANNEL_HAD_SENDERS = 1,   /* several threads have sent */
	CHANNEL_HAD_RECEIVERS = 2, /* several threads have received */
	CHANNEL_HAD_LATE = 4,      /* receives are numbered when their calls end */
	CHANNEL_HAD_RECEIVE = 8,
};
