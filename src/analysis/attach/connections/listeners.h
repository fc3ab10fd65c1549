/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up connections, for each listening socket and in all. When there are too many listening
 * sockets, further ones are only part of all.
 */
#pragma once

#include "analysis/breakdown/breakdown.h"
#include "bpf/record_connections.h"
#include "model/summary.h"

struct listeners;

struct listeners *listeners__new(void); /* NULL: out of memory */
void listeners__free(struct listeners *listeners);

/* Both ends of a connection. */
struct opened {
	struct record_connect connect;
	struct record_accept accept;
	uint64_t queued_ns;        /* the connection was in the queue of its listener */
	struct end_summary server; /* the process that accepted it */
	bool was_full;             /* a HANDSHAKE says that it waited for room in the queue */
};

/* Its enum transport_id. */
uint32_t opened_transport(const struct opened *opened);

/* A connection that had to wait in its handshake, and was not accepted as far as is known. */
struct long_wait {
	uint64_t listener; /* as in ACCEPT; 0: not known */
	uint16_t family;
	uint16_t port;
	uint32_t backlog;
	uint32_t retransmits;
	uint64_t ns;
	bool has_packets; /* unix: a seqpacket socket */
	bool is_full;     /* for room in the queue; else it had no answer */
	bool still_waits; /* when tracing ended */
};

/* Whether it is certain that it waited because the queue of its listener was full. */
bool opened_waited_for_room(const struct opened *opened);

/* Where the time between the two went. */
struct opened_parts {
	uint64_t latency_ns;
	uint64_t part_ns[NR_CONNECTION_PARTS]; /* they add up to it */
	uint64_t busy_ns, blocked_ns;          /* these add up to CONNECTION_QUEUE */
	struct blocked_calls blocked;          /* of blocked_ns */
};

/* `breakdown`: of a message from connect() to accept(). */
void opened_parts_of(const struct breakdown *breakdown, struct opened_parts *parts);

/* 0 or -ENOMEM. */
int listeners__add(struct listeners *listeners, const struct opened *opened,
		   const struct opened_parts *parts);

/* 0 or -ENOMEM. */
int listeners__waited(struct listeners *listeners, const struct long_wait *wait);

/* A connect() call has failed. */
void listeners__failed(struct listeners *listeners, const struct record_connect *connect);

/* The sums in all, which the caller may add to. */
struct connections_summary *listeners__sum(struct listeners *listeners);

/* Moves all sums to `summary`, which then owns them. 0 or -ENOMEM. */
int listeners__finish(struct listeners *listeners, struct connections_summary *summary);
