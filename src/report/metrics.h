/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures that follow from a summary and that several formats show. Pure. */
#ifndef IPCTRACE_REPORT_METRICS_H
#define IPCTRACE_REPORT_METRICS_H

#include "model/summary.h"

uint64_t integrity_incomplete(const struct integrity *integrity); /* messages, for any reason */
uint64_t integrity_lost(const struct integrity *integrity);       /* records, of any kind */

/* Whether all that was sent was matched, nothing was lost, and every message adds up. */
bool integrity_clean(const struct integrity *integrity);

/* The paper's context switch: wakeup, run queue and switch. Mean; 0 without messages. */
double context_switch_ns(const struct summary *summary);

/*
 * Whether it is known of messages: other people's carry no stamp, some kernels do not show a
 * switch's end, and some levels not where a call begins and returns.
 */
bool component_applies(const struct run_info *info, enum component component);

/* Why it is not, and where its time is. NULL: it applies, or there is none of it. */
const char *component_missing(const struct run_info *info, enum component component);

/* Of the mean latency; 0 without messages. */
double share_of_latency(const struct summary *summary, double mean_ns);

/* Range and peaks are of last latencies where there are rounds, of all latencies otherwise. */
bool has_range(const struct summary *summary);

/* A recording of slow messages breaks off before the statistics of all, which come last. */
bool lacks_statistics(const struct summary *summary);

/* Whether receivers compared what came with what had been sent. */
bool verifies(const struct summary *summary);

/* In the time that counts, over all receivers. NAN: not measured. */
double messages_per_second(const struct summary *summary);
double bytes_per_second(const struct summary *summary);

/* What ended a run or an attach. */
enum end_cause {
	END_UNKNOWN,  /* the recording breaks off, or some messages got lost */
	END_PLAN,     /* all that was planned was done */
	END_SIGNAL,   /* ^C, SIGTERM or SIGHUP to the program */
	END_SERVER,   /* the server had left */
	END_CLIENTS,  /* all clients had left */
	END_DURATION, /* attach: the time that was asked for was over */
	END_TARGETS,  /* attach: no target was left */
	NR_END_CAUSES
};

struct run_ending {
	enum end_cause by;
	bool is_early; /* there was more to come */
	int signal;    /* END_SIGNAL: its number */
	const char
		*unit; /* rounds, exchanges or messages: a literal; NULL: an attach has no plan */
	uint64_t planned;
	uint64_t done;
};

struct run_ending run_ending_of(const struct summary *summary);

/* How evenly clients were served. */
struct fairness {
	uint64_t shortest_ns; /* a client's time for all its messages */
	uint64_t longest_ns;
	double spread;   /* longest - shortest, as a share of the mean */
	uint64_t gap_ns; /* the longest time that a client waited from message to message */
	uint32_t client; /* it was this one's */
};

/* False: there are not two clients whose times are known. */
bool fairness_of(const struct summary *summary, struct fairness *fairness);

#endif
