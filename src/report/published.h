/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares results of published IPC experiments, which ipctrace can repeat. Reports show these
 * results for comparison. A value that was not published is NAN or 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Fober, Orlarey, Letz: "Real-Time IPC on a client / server model", GRAME TR-01-08-03, 2001. One
 * client, idle machine, microseconds.
 */
#define PUBLISHED_SOURCE "GRAME 2001"

enum { NR_PUBLISHED_UNIX = 6, NR_PUBLISHED = 8 }; /* Windows comes last */

struct published {
	const char *system;
	unsigned int width_us; /* two standard deviations */
	unsigned int medium_us;
	unsigned int next_us; /* between two of several clients; 0: not published */
	unsigned int peak_min_us;
	unsigned int peak_max_us;
	const char *frequency;
};

extern const struct published published[NR_PUBLISHED];

/* The same paper, one client on a busy machine: the largest of three loads. Microseconds. */
struct published_busy {
	const char *system;
	unsigned int range_min_us; /* 0: not published */
	unsigned int range_max_us;
	unsigned int peak_us;
	bool is_more; /* the peak was larger */
};

extern const struct published_busy published_busy[NR_PUBLISHED];

/* How much faster than sockets the kernel module of the paper was, with one client. */
#define PUBLISHED_MODULE "2 to 3 times"

/*
 * LIPC, a tutorial on sockets: connections per second, one after another. For each, the client
 * connects, the server accepts, sends a short text and closes, and the client reads to the end.
 */
enum { NR_PUBLISHED_LIPC = 2 };

struct published_lipc {
	const char *language;
	double unix_per_second;
	double tcp_per_second;
};

extern const struct published_lipc published_lipc[NR_PUBLISHED_LIPC];

/*
 * University of Colorado, client/server programs for concurrent programming: milliseconds per
 * message.
 */
double published_colorado_ms(const char *transport, uint32_t clients, uint64_t messages);

/* Studio 6, on a Raspberry Pi: milliseconds for 5000 exchanges, and the signals they needed. */
#define PUBLISHED_STUDIO6_EXCHANGES 5000
#define PUBLISHED_STUDIO6_SIGNALS   15956

double published_studio6_ms(const char *transport, uint64_t exchanges);

/* ipc-bench: one-way averages in nanoseconds. */
double published_ipc_bench_ns(const char *transport, uint64_t size);

/* A fork of ipc-bench: microseconds for a request. */
enum { NR_PUBLISHED_REQUESTS = 4 };

struct published_request {
	const char *what;
	double us;
};

extern const struct published_request published_requests[NR_PUBLISHED_REQUESTS];
