/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Numbers the transports that messages travel by. A part of record.h, which defines the types. */
#pragma once

/* Written to recordings: add at the end, never renumber. */
enum transport_id {
	TRANSPORT_UDS = 1,
	TRANSPORT_UDS_STREAM,
	TRANSPORT_UDS_SEQPACKET,
	TRANSPORT_TCP,
	TRANSPORT_UDP,
	TRANSPORT_PIPE,
	TRANSPORT_FIFO,
	TRANSPORT_SHM,
	TRANSPORT_MQUEUE,
	TRANSPORT_SYSV,
	TRANSPORT_SIGNAL,
	TRANSPORT_SIGNAL_STD,
	TRANSPORT_EVENTFD,
	TRANSPORT_KERNEL,
	TRANSPORT_TCP6,
	TRANSPORT_UDP6,
	TRANSPORT_FUTEX, /* attach: a wakeup from one futex call to another */
	NR_TRANSPORT_IDS
};

/* Whether positions are bytes, not messages. */
static inline int transport_is_stream(u32 transport)
{
	return transport == TRANSPORT_UDS_STREAM || transport == TRANSPORT_TCP ||
	       transport == TRANSPORT_TCP6 || transport == TRANSPORT_PIPE ||
	       transport == TRANSPORT_FIFO || transport == TRANSPORT_EVENTFD;
}

/* The ids of channels that transport_is_stream() have this bit. */
#define CHANNEL_STREAM 0x40000000u
