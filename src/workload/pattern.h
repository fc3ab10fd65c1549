/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pattern: who sends to whom, and when. One file each, listed in patterns/patterns.c. Its bodies
 * run when all clients are there, and return the exit status; how everybody comes and goes is
 * server.c's and client.c's.
 */
#ifndef IPCTRACE_WORKLOAD_PATTERN_H
#define IPCTRACE_WORKLOAD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct client;
struct plan;
struct server;

struct pattern {
	const char *name;    /* the word of --pattern */
	const char *summary; /* one line for people */
	bool needs_period;   /* there is a tick: 0 is refused */
	bool to_server;      /* clients send to the server, which notes what it takes */
	bool to_clients;     /* the server sends to clients; with both it answers */
	bool oneway;         /* many may be under way (medium_spec); no STAMP is noted */
	bool handles;        /* the spec's handler makes the answers */
	bool can_be_kernel;  /* makes sense where the kernel is the sender */
	bool without_links;  /* it makes its own connections: no serve() and no join() */

	/*
	 * What of the plan does not make sense with it: why, and what to use instead; one line,
	 * static. NULL: nothing. Optional.
	 */
	const char *(*refuse)(const struct plan *plan);

	/* In the server, before any client comes; what is to be there for them. Optional. */
	int (*prepare)(struct server *server);

	int (*server)(struct server *server);
	int (*client)(struct client *client);
};

extern const struct pattern push_pattern;
extern const struct pattern pingpong_pattern;
extern const struct pattern request_pattern;
extern const struct pattern connect_pattern;
extern const struct pattern flood_pattern;

#endif
