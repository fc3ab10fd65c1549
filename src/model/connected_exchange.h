/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the parts of an exchange of the pattern connect, from the client's clock reading before
 * it makes its socket to the one after it has closed it:
 *
 *	begun     connect()     established    accept()     stamp        user         closed
 *	  |-- socket --|-- connect --|-- queue, … --|- service -|- message -|- close -----|
 *	               |------- struct opened -------|           |- latency -|
 *
 * The parts between `established` and the end of accept() are those of model/connection.h. All
 * parts add up to the exchange, to the nanosecond.
 */
#pragma once

#include "model/component.h"
#include "model/connection.h"

enum exchange_part {
	EXCHANGE_SOCKET,  /* the client makes its socket */
	EXCHANGE_CONNECT, /* this and those up to EXCHANGE_ACCEPT: enum connection_part */
	EXCHANGE_QUEUE,
	EXCHANGE_WAKEUP,
	EXCHANGE_RUNQUEUE,
	EXCHANGE_SWITCH,
	EXCHANGE_ACCEPT,
	EXCHANGE_SERVICE, /* the server returns from accept(), and reads its clock */
	EXCHANGE_MESSAGE, /* the latency of the message */
	EXCHANGE_CLOSE, /* the server closes its end, and the client sees that and closes its own */
	NR_EXCHANGE_PARTS
};

/* What is known of a part before any is measured. */
struct exchange_part_info {
	const char *name;  /* in JSON: runqueue */
	const char *title; /* for people: run queue */
	const char *class; /* in figure.css */
	struct bar_mark mark;
	const char *where; /* explains it beside its time */
};

extern const struct exchange_part_info exchange_parts[NR_EXCHANGE_PARTS];

/* The part that a part of a connection is. */
static inline enum exchange_part exchange_part_of(enum connection_part part)
{
	return EXCHANGE_CONNECT + (enum exchange_part)part;
}

_Static_assert(EXCHANGE_ACCEPT - EXCHANGE_CONNECT == CONNECTION_ACCEPT, "parts of a connection");

/* The exchange that a message belongs to. */
struct connected_exchange {
	uint64_t latency_ns; /* 0: there is none, or its readings are out of order */
	bool is_cut;         /* all parts are known; else only EXCHANGE_MESSAGE and _CLOSE are */
	uint64_t part_ns[NR_EXCHANGE_PARTS];
};
