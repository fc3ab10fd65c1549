/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the parts of a connection's latency, which begins when a thread enters connect() and
 * ends when accept() has returned the new socket:
 *
 *	connect() enter     established                                         accept() exit
 *	      |--- connect -----|--- queue, wakeup, runqueue, switch, accept --------|
 *
 * The parts from `established` on are what the accepting thread did meanwhile. The parts add up to
 * the latency, to the nanosecond.
 */
#pragma once

#include "model/component.h"

enum connection_part {
	CONNECTION_CONNECT, /* the handshake in the kernel */
	CONNECTION_QUEUE,   /* the accepting thread did other things, or slept elsewhere */
	CONNECTION_WAKEUP,  /* the rest is as of a message */
	CONNECTION_RUNQUEUE,
	CONNECTION_SWITCH,
	CONNECTION_ACCEPT, /* it was in the accept call */
	NR_CONNECTION_PARTS
};

/* Names of the parts, by enum connection_part. */
extern const char *const connection_parts[NR_CONNECTION_PARTS];

/* The part that a component of a message stands for, if the message is a connection. */
enum connection_part connection_part_of(enum component component);
