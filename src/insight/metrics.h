/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what a summary comes to: figures and decisions that formats and commands share. */
#pragma once

#include "model/summary.h"
#include "model/unit.h"

uint64_t integrity_incomplete(const struct integrity *integrity); /* messages, for any reason */
uint64_t integrity_lost(const struct integrity *integrity);       /* records, of any kind */

/* Whether every sent message was matched and adds up, and no record was lost. */
bool integrity_clean(const struct integrity *integrity);

/* The mean of the paper's context switch: wakeup, run queue and switch. 0 without messages. */
double context_switch_ns(const struct summary *summary);

/*
 * Whether messages have this component. Messages of an attach carry no stamp, some kernels do not
 * show the end of a switch, and level light does not trace syscalls.
 */
bool component_applies(const struct run_info *info, enum component component);

/* Why a component is missing, and which one has its time. NULL: it applies, or has no time. */
const char *component_missing(const struct run_info *info, enum component component);

/* `mean_ns` as a share of the mean latency; 0 without messages. */
double share_of_latency(const struct summary *summary, double mean_ns);

/* The longest time that one message or call waited for a CPU behind ipctrace's own threads. */
uint64_t own_longest_wait_ns(const struct summary *summary);

/* From this share on, what has it is the only one that is named. */
#define NEARLY_ALL 0.9

/* From this share on, of the mean or of a component, ipctrace disturbs what it measures. */
#define DISTURBING_SHARE 0.02

/*
 * The same as a share of what receivers, or services, waited for a CPU, whichever is larger; 0 if
 * they did not.
 */
double own_share_of_waits(const struct summary *summary);

/* The same as a share of all latency; 0 without messages. */
double own_share_of_messages(const struct summary *summary);

/* The time for which ipctrace kept services waiting, as a share of all round trips. */
double own_share_of_calls(const struct summary *summary);

/* The larger one. */
double own_share(const struct summary *summary);

/* The times of components: the sum, and the largest. */
double components_ns(const double ns[NR_COMPONENTS]);
enum component components_largest(const double ns[NR_COMPONENTS]);

/* Calls whose service was to be cut by state; and those that records are missing for. */
uint64_t service_tries(const struct calls_summary *calls);
uint64_t service_gaps(const struct calls_summary *calls);

/* Messages or calls beyond this percentile are not usual. */
#define USUAL_PERCENT 99

/* The sum of all states, over the calls whose states are known. */
double service_states_ns(const struct calls_summary *calls);

/* So many of all calls, whose parts are known, stand for the others. */
#define KNOWN_CALLS 0.1

/* Whether enough calls had no other request open, so that the parts of a call are known. */
bool calls_are_known(const struct calls_summary *calls);

enum call_part { CALL_REQUEST, CALL_SERVICE, CALL_RESPONSE, NR_CALL_PARTS };

/*
 * The largest part of a usual call, and its share. `*is_trimmed`: the slowest calls have another
 * one, and the share is that of the others.
 */
enum call_part usual_call_part(const struct calls_summary *calls, double *share, bool *is_trimmed);

/* Of how many calls the states of the service are known: 0 to 1. */
double service_known_share(const struct calls_summary *calls);

/* Whether these are enough to be shown, with that share if they are not nearly all. */
bool service_is_known(const struct calls_summary *calls);

/*
 * Whether the service is the largest part of calls, and about half of the round trip or more, and
 * its states are enough to be shown.
 */
bool explains_service(const struct summary *summary);

/* Whether it is known how their connections were opened. */
bool exchanges_are_cut(const struct exchanges_summary *exchanges);

/* The largest part. */
enum exchange_part exchanges_largest(const struct exchanges_summary *exchanges);

/*
 * What the latency of a run or an attach is about: calls, if a pattern has them or many messages of
 * an attach belong to them; else rounds, unless they are marginal; else messages.
 */
enum unit_kind summary_unit(const struct summary *summary);

/*
 * The summary for people. Marginal rounds alone are no broadcast, so it leaves them out; they are
 * in -f json. Borrows from `summary`: not to be cleaned.
 */
struct summary summary_without_marginal_rounds(const struct summary *summary);

/* Whether range and peaks are known. They use last latencies if there are rounds, else all. */
bool has_range(const struct summary *summary);

/* Whether a recording of slow messages ends before its statistics, which come last. */
bool lacks_statistics(const struct summary *summary);

/* Whether receivers compared the contents with what the sender sent. */
bool verifies(const struct summary *summary);

/* Rates of all receivers together, without warm-up. NAN: not measured. */
double messages_per_second(const struct summary *summary);
double bytes_per_second(const struct summary *summary);

/* When the slowest message of a run was stamped. False: not known, as in older recordings. */
bool peak_since_begin(const struct summary *summary, uint64_t *since_begin_ns);

/* For how long an attach traced. 0: not known, or a run. */
uint64_t traced_ns(const struct summary *summary);

/* The same in seconds; where it is not known, from the first to the last message. */
double traced_seconds(const struct summary *summary);

/* Sends, and calls, in each second of an attach. NAN: not known, or a run. */
double sends_per_second(const struct summary *summary);
double calls_per_second(const struct summary *summary);

/* The time that the host took from all CPUs while tracing, and its share of their time. */
uint64_t steal_ns(const struct summary *summary);
double steal_share(const struct summary *summary); /* NAN: not known */

/* What ended a run or an attach. */
enum end_cause {
	END_UNKNOWN,  /* the recording is cut, or messages were lost */
	END_PLAN,     /* the plan was completed */
	END_SIGNAL,   /* ipctrace received SIGINT, SIGTERM or SIGHUP */
	END_SERVER,   /* the server left */
	END_CLIENTS,  /* all clients left */
	END_DURATION, /* attach: --duration was over */
	END_TARGETS,  /* attach: all targets left */
	END_STOP_AT,  /* a message fulfilled the condition of --stop-at */
	END_COUNT,    /* as many windows as --count were recorded */
	NR_END_CAUSES
};

struct run_ending {
	enum end_cause by;
	bool is_early;    /* before the plan, or the attach, was complete */
	int signal;       /* END_SIGNAL: its number */
	const char *unit; /* "rounds", "exchanges" or "messages"; NULL: no plan (attach) */
	uint64_t planned;
	uint64_t done;
};

struct run_ending run_ending_of(const struct summary *summary);

/* How evenly the clients were served. */
struct fairness {
	uint64_t shortest_ns; /* a client's time for all its messages: the least */
	uint64_t longest_ns;  /* the greatest */
	double spread;        /* longest - shortest, as a share of the mean */
	uint64_t gap_ns;      /* the longest time between two messages of one client */
	uint32_t client;      /* the client with that gap */
};

/* False: fewer than two clients have known times. */
bool fairness_of(const struct summary *summary, struct fairness *fairness);
