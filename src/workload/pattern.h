/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the interface of a pattern. A pattern determines which side sends messages, and when.
 * server() runs after all clients have joined. client() runs in each client after this client has
 * joined. Both functions return the exit status. patterns/patterns.c lists all patterns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct client;
struct plan;
struct server;

struct pattern {
	const char *name;    /* the word of --pattern */
	const char *summary; /* one line for people */
	bool needs_period;   /* the server has a tick: a period of 0 is refused */
	bool to_server;      /* clients send to the server, which records what it receives */
	bool to_clients;     /* the server sends to clients; with to_server it answers */
	bool oneway;         /* many messages may be queued (medium_spec); no STAMP is recorded */
	bool handles;        /* the spec's handler makes the answers */
	bool can_be_kernel;  /* the kernel's timer can be the sender */
	bool without_links;  /* makes its own connections: no open() */

	/*
	 * Returns what in the plan does not fit this pattern and what to use instead: one line,
	 * static. NULL: all fits. Optional.
	 */
	const char *(*refuse)(const struct plan *plan);

	/* Runs in the server before any client joins. Optional. */
	int (*prepare)(struct server *server);

	int (*server)(struct server *server);
	int (*client)(struct client *client);
};

extern const struct pattern push_pattern;
extern const struct pattern pingpong_pattern;
extern const struct pattern request_pattern;
extern const struct pattern connect_pattern;
extern const struct pattern flood_pattern;

/* All of them; NULL is the end. */
extern const struct pattern *const patterns[];

/* NULL if there is none of that name. */
const struct pattern *pattern_find(const char *name);

/* All names, comma separated, for messages and help. Static. */
const char *pattern_names(void);
