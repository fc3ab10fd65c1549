/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the network of an attach: the processes and which of them sends to which. Channels from
 * one process to another are one edge if they are of one transport and service. A process is one
 * node, whatever its threads are called. Processes of one name with the same neighbours are one
 * node if they are many, or if some of their channels do not say whose they are.
 */
#pragma once

#include "model/summary.h"

#define NETWORK_NODES_MAX 24
#define NETWORK_EDGES_MAX 40

/* Fewer processes that are alike have a node each. */
#define PROCESSES_ALIKE_MIN 4

/* Names of threads that a node lists. */
#define NODE_THREADS_MAX 4

struct network_node {
	struct end_summary end; /* tid 0; pid 0: several, or not known */
	uint32_t processes;     /* how many; 1: `end` */
	uint64_t messages;      /* sent and received */

	/* The names of its threads that used channels, unless all have the name of the process. */
	char thread[NODE_THREADS_MAX][RECORD_COMM_LEN];
	uint32_t thread_cnt;
	bool has_more_threads; /* with further names */
};

struct network_edge {
	uint32_t from; /* indices of nodes */
	uint32_t to;
	uint32_t transport;          /* enum transport_id */
	char name[CHANNEL_NAME_LEN]; /* of the channel, or service; empty: several */
	uint32_t channels;
	uint64_t messages;
	uint64_t bytes;
	uint64_t calls;      /* whose requests went this way */
	bool is_asked;       /* clients know its receiver by the name: it serves */
	bool is_answered;    /* the same of its sender */
	struct stat latency; /* owned */
};

struct network {
	struct network_node node[NETWORK_NODES_MAX];
	uint32_t node_cnt;
	struct network_edge edge[NETWORK_EDGES_MAX]; /* most messages first */
	uint32_t edge_cnt;

	/* What there is no room for. Channels without known ends are among these. */
	uint32_t channels_more;
	uint64_t messages_more;
};

/* 0 or -ENOMEM. network_clean() follows in any case. */
int network_of(const struct summary *summary, struct network *network);
void network_clean(struct network *network);

/* Whether `a` calls `b` rather than `b` calls `a`, as far as their edges show it. */
bool network_calls(const struct network *network, uint32_t a, uint32_t b);
