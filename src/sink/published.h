/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of the paper that the experiment comes from, for comparison: Fober, Orlarey, Letz:
 * "Real-Time IPC on a client / server model", GRAME TR-01-08-03, 2001. One client, idle machine,
 * microseconds.
 */
#ifndef IPCTRACE_SINK_PUBLISHED_H
#define IPCTRACE_SINK_PUBLISHED_H

#define PUBLISHED_SOURCE "GRAME 2001"

enum { NR_PUBLISHED_UNIX = 6, NR_PUBLISHED = 8 }; /* those of Windows come last */

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

#endif
