/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines struct summary, which holds the results of one measurement. The analysis fills in the
 * summary.
 */
#pragma once

#include "model/blocked_calls.h"
#include "model/component_sum.h"
#include "model/connection.h"
#include "model/drops.h"
#include "model/end_summary.h"
#include "model/failing.h"
#include "model/sleeper.h"
#include "model/message.h"
#include "model/observer_effect.h"
#include "model/server_time.h"
#include "model/spec.h"
#include "model/stat.h"

#define SUMMARY_ORDERS_MAX 32 /* serving orders that are counted one by one */

/*
 * The analysis lists fewer of each. A recording with more is damaged: some reports compare each
 * entry with each other one.
 */
#define SUMMARY_BLAMES_MAX    8192
#define SUMMARY_CHANNELS_MAX  2048
#define SUMMARY_CHAINS_MAX    128
#define SUMMARY_CLIENTS_MAX   CLIENTS_MAX
#define SUMMARY_LISTENERS_MAX 256
#define SUMMARY_FAILING_MAX   64
#define SUMMARY_ROOMS_MAX     512
#define SUMMARY_SCRIPTS_MAX   8192
#define SUMMARY_SERVICES_MAX  2048
#define SUMMARY_SLEEPERS_MAX  256
#define SUMMARY_STEAL_MAX     65536

/* How complete the results are. No count includes warm-up messages. */
struct integrity {
	uint64_t sent;
	uint64_t matched;
	uint64_t incomplete[NR_INCOMPLETES];
	uint64_t loss[NR_LOSSES];
	uint64_t corrupt;           /* messages that their receivers found to have wrong contents */
	uint64_t residual_ns_max;   /* largest |latency - sum of components| */
	uint64_t unseen_switches;   /* matched messages whose switch counts as runqueue */
	uint64_t unseen_wakeups;    /* matched messages whose runqueue counts as sleep */
	bool truncated;             /* the recording ends without its END record */
	uint64_t match[NR_MATCHES]; /* matched messages by how they were joined */
	uint64_t elsewhere;         /* attach: messages whose other end is on another machine */
	uint64_t notifications;     /* attach: writes to an eventfd that nothing reads. They wake
				       threads */
	uint64_t dropped;           /* attach: datagrams that the kernel dropped;
			   * part of INCOMPLETE_NOT_RECEIVED */
};

/*
 * A start that took so long was late. Where a CPU is free, an attach takes a fraction of this. A
 * busy machine lets it wait for 1 s.
 */
#define LATE_START_NS 3000000000ULL

struct observer {
	bool measured;
	double bpf_ns_per_message;
	struct observer_effect effect;

	/* Recordings before version 9 do not have these. */
	bool has_reader;
	enum reader_policy reader;
	uint64_t start_ns;   /* from the start of the session until sends were counted */
	uint64_t hurried_ns; /* the reader came before others, in order not to lose records */

	/* Only runs have these, and recordings before version 13 do not. */
	bool has_pauses;
	uint64_t pauses;    /* how often the member that paused longest waited for room for */
	uint64_t paused_ns; /* records, between two exchanges or rounds, and for how long in all */
};

struct client_summary {
	uint32_t client; /* 1..N */
	uint32_t tid;
	char comm[RECORD_COMM_LEN];
	struct stat latency;
	struct component_sum components;
	uint64_t position_sum; /* of arrival positions 1..N in complete rounds */
	uint64_t position_cnt;
	uint64_t time_ns;  /* from the first stamp after the warm-up to the last message */
	uint64_t gap_ns;   /* the longest time between two of its messages */
	uint64_t messages; /* received by it or from it, after the warm-up */
	bool left;         /* it left before its last message, for this reason: */
	enum left_reason left_reason;
	uint64_t left_detail;
	uint64_t left_round;
};

struct serving_order {
	uint64_t hash; /* of the clients in order of arrival */
	uint64_t rounds;
	uint32_t first[8]; /* the first clients of this order, 0 past the end */
};

/* With fewer distances between starts of rounds, it is not known whether they are regular. */
#define PERIOD_DISTANCES_LEAST 10

#define MISSED_CAUSES_MAX      64

/* Why rounds began late, or took longer than their period. */
struct missed_cause {
	bool is_late; /* else they took longer */
	bool is_known;
	enum component component; /* if known: the longest part of the last message; late: what the
				   * sender did, BUSY, RUNQUEUE or BLOCKED */
	bool has_blame;           /* the run queue: */
	struct blame blame; /* the largest share, without its time; tid 0: several threads of one
			     * name */
	uint64_t count;     /* rounds */
};

/* An attach: rounds that missed their deadline, which is a period after the start before. */
struct missed_summary {
	uint64_t late;       /* they began more than 1.5 periods after the one before */
	uint64_t skipped;    /* periods without a start because of these, less those made up for */
	uint64_t unfinished; /* complete ones whose last latency is more than the period */
	struct missed_cause cause[MISSED_CAUSES_MAX]; /* most rounds first */
	uint32_t cause_cnt;
};

/* Present if the pattern has rounds (rounds.count > 0). */
struct rounds_summary {
	uint64_t count;    /* rounds with a tick or a message */
	uint64_t complete; /* all messages matched, and no client has left: these are in the
			    * statistics */
	uint64_t given_up; /* attach: messages that could not be assigned to a round */
	uint64_t tick_ns;  /* the paper's theoretical tick, for efficiency; 0: an attach */
	struct stat first;
	struct stat next;
	struct stat last;
	struct component_sum first_components;
	struct component_sum next_components;
	double service_ns;                              /* mean + standard deviation of last */
	double efficiency_pct;                          /* service / tick, or / period */
	struct serving_order order[SUMMARY_ORDERS_MAX]; /* most frequent first */
	uint32_t order_cnt;
	uint64_t order_other; /* rounds of further orders */
	struct stat distance; /* attach: from the start of a thread's round to that of its next */
	uint64_t period_ns;   /* attach: their median; 0: they are not regular */
	struct missed_summary missed; /* attach: if there is a period */
};

#define CHANNEL_NAME_LEN 160

/* What the receiver of a channel did from each receive, of any channel, to the next one of this. */
struct loop_time {
	uint64_t ns;
	uint64_t known_ns;  /* of that: what it did is known; */
	uint64_t asleep_ns; /* so much of this it slept */
};

/* Attach: the messages of one channel, or of several that were folded into one entry. */
struct channel_summary {
	uint32_t id;
	uint32_t transport;          /* enum transport_id */
	uint32_t folded;             /* how many channels; 0: this one alone */
	char name[CHANNEL_NAME_LEN]; /* printable */
	uint32_t named;              /* ADDRESS_OF_: the ends that clients know it by */
	struct end_summary sender;
	struct end_summary receiver;
	char sender_process[RECORD_COMM_LEN];   /* the process of a thread that is not its first */
	char receiver_process[RECORD_COMM_LEN]; /* one; empty: of the first one, or not known */
	uint64_t messages;
	uint64_t bytes;
	uint64_t awake; /* messages that found the receiver awake: with other work, or just woken */
	uint64_t dropped; /* datagrams, as in struct integrity */
	uint64_t calls;   /* those whose request used this channel */
	struct stat latency;
	struct component_sum components;
	struct blame_top blame; /* of COMPONENT_RUNQUEUE */
	struct loop_time loop;
};

/* How often messages or calls waited for something that ran, and the longest of these waits. */
struct blame_waits {
	uint64_t messages;  /* or calls; 0: not known */
	uint64_t worst_ns;  /* of one message or call; 0: not known */
	uint32_t worst_cpu; /* where it was, or BLAME_CPU_ */
	uint32_t entries;   /* of struct blame_summary that are counted together here */
};

/* The blame of one thread or interrupt, or of several of one class that were folded into one. */
struct blame_summary {
	struct blame total; /* of all messages or calls */
	uint32_t folded;    /* how many; 0: this one alone */
	uint64_t messages;  /* messages or calls that waited for it; not known if folded */
	uint64_t worst_ns;  /* as in struct blame_waits */
	uint32_t worst_cpu;
	enum blame_relation relation;
	struct blame_waits alike; /* for it or any thread of the same name, priority, relation and
				   * class */
	uint32_t pid; /* the process of a thread; 0: the thread is its first one, or it is
		       * not known */
	char process[RECORD_COMM_LEN]; /* name of that process, empty as well */
};

/* How long messages waited for room at one receiver, and what it did meanwhile. */
struct room_summary {
	struct end_summary reader; /* tid 0: several receivers that were folded into one */
	uint64_t messages;         /* those that waited */
	uint64_t ns;
	uint64_t state_ns[NR_SERVICE_STATES]; /* with unknown_ns these add up to `ns` */
	uint64_t unknown_ns;                  /* what the receiver did is not known */
	struct blocked_calls blocked;         /* the syscalls of SERVICE_BLOCKED */
};

#define CHAIN_HOPS_MAX 16

/* A time of each of several chains. */
struct chain_time {
	uint64_t ns; /* sum */
	uint64_t max_ns;
};

/* The messages at one place of a chain. */
struct chain_hop {
	struct end_summary from;
	struct end_summary to;
	uint32_t channel; /* 0: several */
	uint32_t transport;
	struct chain_time latency;
	struct chain_time handled; /* from the receive to the next send; the last hop has none */
};

/*
 * Attach: messages from process to process, of which each was sent because of the one before.
 * `cycle` is the time from the first send to the last receive. The hops add up to it.
 */
struct chain_summary {
	uint32_t hop_cnt;
	struct chain_hop hop[CHAIN_HOPS_MAX];
	uint64_t count;
	struct stat cycle;
};

/* Further ones are only part of all nested calls. */
#define SERVICE_CALLEES_MAX 8

/* Calls to one service that were made in the services of calls. */
struct callee_summary {
	char name[SERVICE_NAME_LEN];
	uint64_t calls;
	uint64_t ns; /* for how long one of them was open in a service */
};

/*
 * Attach: the calls of one client process to one service, or of several clients that were folded. A
 * service is a server process and the name that clients know it by.
 */
struct service_summary {
	uint32_t processes; /* of several added up: so many serve; else 0. Not in recordings */
	struct end_summary server;
	struct end_summary client; /* pid 0: several */
	char name[SERVICE_NAME_LEN];
	uint32_t transport;    /* enum transport_id */
	bool is_target;        /* the server is one; false before version 14 of recordings */
	uint64_t count;        /* calls of `round_trip` */
	uint64_t open_several; /* calls that are not among these: CALL_SEVERAL and
				* CALL_UNBALANCED */
	uint64_t ambiguous;
	uint64_t guessed;
	struct stat round_trip;
	struct stat service;
	uint64_t state_cnt; /* calls whose service could be cut by state */
	uint64_t state_ns[NR_SERVICE_STATES];
	struct stat request;
	struct stat response;
	struct blocked_calls blocked;  /* the syscalls of SERVICE_BLOCKED */
	struct end_summary worker;     /* the thread that did most in most of the calls whose states
					* are known */
	uint64_t worker_calls;         /* so many of these calls, or more */
	uint64_t nested;               /* calls that were made in the service of a call, ... */
	char inside[SERVICE_NAME_LEN]; /* ... mostly of the service of that name */
	uint64_t nests;                /* calls in whose services others were made, ... */
	uint64_t nested_ns;            /* ... and were open for so long; */
	struct callee_summary callee[SERVICE_CALLEES_MAX]; /* by callee: the largest first */
	uint32_t callee_cnt;
	struct blame_top blame; /* of SERVICE_RUNQUEUE */
	struct answer_parts parts;
	struct component_sum components; /* as in struct calls_summary */
};

/* Adds calls to the service of that name. */
void service_callee_add(struct service_summary *service, const char *name, uint64_t calls,
			uint64_t ns);

/* Sorts what was added in any order. */
void service_callees_sort(struct service_summary *service);

/*
 *	client's stamp        server's user      server's stamp       client's user
 *	     |------ request ------|----- service -----|----- response -----|
 *
 * In an attach, the request ends when its last part is received, and the response begins when its
 * first part is sent. Present if the pattern answers requests (calls_seen() > 0). The
 * parts add up to the round trip. The statistics leave out the calls of `open_several`.
 */
struct calls_summary {
	uint64_t count;     /* calls of `round_trip` */
	uint64_t guessed;   /* attach: calls for which it is a guess which end serves */
	uint64_t ambiguous; /* attach: calls with an ambiguous request or answer */
	uint64_t unasked;   /* attach: messages of a server that belong to no call; */
	uint64_t undecided; /* those that may be parts of an answer, or not */
	uint64_t in_parts;  /* attach: calls whose request consists of several messages */
	uint64_t messages;  /* attach: the requests and answers of all calls of `count` */
	struct stat round_trip;
	struct stat request;
	struct stat service;
	struct stat response;       /* to the last byte of the answer */
	struct stat response_first; /* attach: to the end of its first part */
	struct stat open_several;   /* attach: round trips if answers come in the order of requests,
				     * of calls with several requests open, see CALL_SEVERAL; */
	uint64_t unbalanced;        /* attach: neither among these, see CALL_UNBALANCED */
	struct stat from_due;       /* round trip counted from when it was due; fixed rate only */
	uint64_t cut_tries;   /* attach: calls whose service was to be cut; a few of these may have
			       * turned out to be among `open_several` */
	uint64_t state_cnt;   /* calls whose service could be cut by state */
	uint64_t followed;    /* those whose service went from thread to thread */
	uint64_t handed_over; /* calls that could not be cut: another thread answered */
	uint64_t state_ns[NR_SERVICE_STATES]; /* sums over state_cnt calls */
	struct blocked_calls blocked;         /* the syscalls of SERVICE_BLOCKED */
	struct blame_summary *blame; /* [blame_cnt], largest first; adds up to SERVICE_RUNQUEUE */
	uint32_t blame_cnt;
	struct service_summary *service_of; /* attach: [service_cnt], most calls first */
	uint32_t service_cnt;
	struct answer_parts parts;
	struct component_sum components; /* attach: of request and response together, of the calls
					  * of which they are known: call_components() */
};

/* All calls that were seen, also those whose times are not known. */
static inline uint64_t calls_seen(const struct calls_summary *calls)
{
	return calls->count + calls->open_several.count + calls->unbalanced;
}

/* The traffic of all links after the warm-up. Present if messages > 0. */
struct flow_summary {
	uint64_t messages;
	uint64_t bytes;
	double seconds;           /* from the first to the last message of all receivers */
	uint64_t wakes_sent;      /* signals that were sent */
	uint64_t wakes_delivered; /* signals that were delivered: the others merged */
};

/* The tick: how late the server read its clock after the tick was due. */
struct tick_summary {
	struct stat lateness;
	uint64_t skipped;
};

/* The load of the machine meanwhile, which the workload names. */
struct load_summary {
	uint64_t count; /* how often it did its work; 0: not known */
	bool ended;     /* it ended by itself, before the workload */
};

/* The message with the largest latency of a round after the warm-up. */
struct peak {
	uint64_t latency_ns;
	uint64_t at_ns;    /* since the first stamp after the warm-up */
	uint64_t stamp_ns; /* the same instant of CLOCK_MONOTONIC; 0: not known */
	uint32_t client;
	enum component component; /* the largest */
	uint64_t component_ns;
	struct blame blame; /* the largest share, if the component is runqueue; ns 0: none */
};

/* This message as a peak; the caller fills in `at_ns` and `stamp_ns`. */
struct peak peak_of(const struct message *message);

/* Last latencies (in attach mode: latencies) beyond medium + width. */
struct peaks_summary {
	double medium_ns; /* mean */
	double width_ns;  /* two standard deviations */
	uint64_t count;
	double per_second; /* NAN: the run took less than a second */
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t cause[NR_COMPONENTS]; /* peaks by their last client's largest component */
	bool has_largest;
	struct peak largest;
};

/*
 * Attach: which channels the targets had when tracing ended. Present if no message was seen, or no
 * target was left (known).
 */
struct found_summary {
	bool known;
	uint32_t targets;         /* that still run; the next three are theirs */
	uint32_t connections;     /* open local channels */
	uint32_t services;        /* names under which others can reach them */
	uint32_t elsewhere;       /* connections to other machines, or out of reach */
	uint32_t transport;       /* of `name`: enum transport_id */
	char name[PATH_TEXT_LEN]; /* the first service of a target; empty: it has none */
	struct end_summary now;   /* another process that has `name` now; pid 0: none */
};

/* Connections that had to wait for a long time in their handshake. */
struct waits_summary {
	uint64_t count;
	uint64_t still_waiting; /* of these, when tracing ended */
	uint64_t least_ns;      /* the shortest wait; 0: none */
	uint64_t most_ns;
};

/* The connections that came over one listening socket. */
struct listener_summary {
	struct end_summary server; /* the process that accepted the last one; pid 0: none has */
	uint32_t transport;        /* enum transport_id */
	uint32_t port;             /* TCP; 0: none */
	uint32_t backlog;          /* connections that may wait there, as listen() has set it */
	uint32_t most_waiting; /* connections that still waited when one was accepted, at most */
	struct stat latency;
	struct stat part[NR_CONNECTION_PARTS];
	uint64_t busy_ns;             /* of CONNECTION_QUEUE: the accepting thread ran */
	uint64_t blocked_ns;          /* of the same: it slept; */
	struct blocked_calls blocked; /* in these syscalls */
	struct waits_summary full;    /* because the queue was full */
	/* As no answer came, while the queue had room: segments were lost, or are filtered. */
	struct waits_summary unanswered;
};

#define CONNECTION_ERRORS_MAX 16

/* How often connect() has failed, for one reason. */
struct connection_error {
	uint32_t error; /* errno; 0: further ones */
	uint64_t count;
	uint64_t retried; /* of these: the thread tried again, and a connection was made at last; */
	uint64_t retry_ns; /* in all, so long from the end of a call until the next one */
};

/*
 * Connections of targets, or of a run, from the entry of connect() until accept() has returned. A
 * connection whose other end is not traced is counted apart.
 */
struct connections_summary {
	uint64_t calls;      /* connect() calls that were seen, with those that failed */
	struct stat latency; /* of the connections that are joined and cut into parts */
	struct stat part[NR_CONNECTION_PARTS];
	uint64_t retransmits;  /* segments of these handshakes that were sent again */
	uint64_t uncut;        /* joined, but what the accepting thread did is not known */
	uint64_t not_seen;     /* accepted by a target: the connecting end is not traced */
	uint64_t not_accepted; /* connected: no accept call of a traced thread has returned it */
	uint64_t failed;       /* connect() calls, by errno: */
	struct connection_error error[CONNECTION_ERRORS_MAX];
	uint32_t error_cnt;
	uint64_t full_failed;              /* unix, of these: the queue of the listener was full */
	struct listener_summary *listener; /* [listener_cnt], most connections first */
	uint32_t listener_cnt;
	uint64_t requests;       /* calls on connections whose first call was seen */
	struct stat first_call;  /* these: from the entry of connect() until the answer is there, */
	struct stat before_call; /* until the request was sent, */
	uint64_t opening_ns;     /* and in all until their connections were open at both ends */
	uint64_t still_waiting;  /* in their handshake when tracing ended, for what is known */
};

/*
 * The exchanges of the pattern connect: connections with a message each. Without tracing, and at
 * level light, only EXCHANGE_MESSAGE and EXCHANGE_CLOSE are known.
 */
struct exchanges_summary {
	struct stat latency;
	struct stat part[NR_EXCHANGE_PARTS]; /* those that are known add up to it */
	uint64_t uncut; /* messages whose connection, or its parts, are not known: in neither */
};

/* An option of an attach that names processes by number or glob. */
enum choice_kind { CHOICE_PEER, CHOICE_SERVER, CHOICE_CLIENT, NR_CHOICES };

#define CHOICE_SEEN_MAX 3

/* A process that was met, or several of one name: then `end.pid` is 0. */
struct chosen_process {
	struct end_summary end;
	uint64_t messages;
};

/* What such an option met. If it matched nothing, `seen` has the most frequent other names. */
struct choice_summary {
	uint64_t matched; /* messages with a process that it names */
	uint64_t others;  /* messages without */
	uint32_t names;   /* names of processes of these */
	struct chosen_process seen[CHOICE_SEEN_MAX];
};

/* Attach: the script of a process that is an interpreter, see interpreter_script(). */
struct script_summary {
	uint32_t pid;
	char text[SCRIPT_LEN];
};

/* A CPU whose host reports for how long it took the CPU away. */
struct steal_summary {
	uint32_t cpu;
	uint64_t steal_ns;
	uint64_t span_ns; /* of this time, which is that of tracing */
};

/* A message or call for which records were kept, see struct record_trigger. */
struct window_trigger {
	uint32_t channel;
	uint32_t tid;
	uint32_t quantity; /* enum quantity */
	bool is_call;
	uint64_t position; /* of the message, or the last one of the request */
	uint64_t from_ns;
	uint64_t at_ns;
	uint64_t value_ns;
};

/* The first ones are listed, all are counted. */
#define WINDOW_TRIGGERS_MAX 32

/* What a recording of windows holds, see window_records.h. */
struct window_summary {
	bool known; /* the recording has been read */
	uint64_t windows;
	uint64_t shortened; /* they begin later than asked for */
	uint64_t messages;  /* in windows: they have been handed out */
	uint64_t triggers;
	struct window_trigger trigger[WINDOW_TRIGGERS_MAX];
	uint32_t trigger_cnt;
};

struct summary {
	struct run_info info;
	struct integrity integrity;
	struct observer observer;
	double duration_s; /* from the first to the last stamp, or send, after the warm-up */
	struct stat latency;
	struct stat component[NR_COMPONENTS];
	uint64_t path[NR_PATHS];
	struct stat from_due; /* latency counted from when the message was due; fixed rate only */
	struct rounds_summary rounds;
	struct calls_summary calls;
	struct flow_summary flow;
	struct tick_summary tick;
	struct load_summary load;
	struct peaks_summary peaks;
	struct blame_summary *blame; /* [blame_cnt], largest first */
	uint32_t blame_cnt;
	struct blocked_calls blocked; /* the syscalls of COMPONENT_BLOCKED, longest first */
	struct room_summary *room;    /* [room_cnt], longest first; adds up to COMPONENT_ROOM */
	uint32_t room_cnt;
	struct client_summary *client; /* [client_cnt], in order of number */
	uint32_t client_cnt;
	struct channel_summary *channel; /* attach: [channel_cnt], most messages first */
	uint32_t channel_cnt;
	struct script_summary *script; /* attach: [script_cnt], in order of pid */
	uint32_t script_cnt;
	struct steal_summary *steal; /* [steal_cnt], in order of cpu; empty: not known */
	uint32_t steal_cnt;
	struct chain_summary *chain; /* attach: [chain_cnt], most frequent first */
	uint32_t chain_cnt;
	uint64_t chains_other; /* chains of further processes, for which there was no room */
	uint64_t slower_cnt;   /* messages slower than info.keeps_slower_ns, if it is set */
	bool server_left;      /* the server ended before its last round, for this reason: */
	enum left_reason server_left_reason;
	uint64_t server_left_detail;
	bool all_left;       /* the run was stopped, or the attach ended, for this reason: */
	bool all_left_early; /* before its time was over */
	enum left_reason all_left_reason;
	uint64_t all_left_detail; /* as in struct record_left */
	struct found_summary found;
	struct choice_summary choice[NR_CHOICES]; /* attach: of the options that are given */
	struct window_summary windows;            /* not written: it follows from the records */
	struct connections_summary connections;
	struct exchanges_summary exchanges;
	struct drops_summary drops;
	struct failing_summary *failing; /* attach: [failing_cnt], the longest first */
	uint32_t failing_cnt;
	uint64_t failing_other;          /* calls that failed and are in none of these */
	struct sleeper_summary *sleeper; /* attach: [sleeper_cnt] */
	uint32_t sleeper_cnt;
	uint64_t stopped_ns; /* attach: sends that began later were not recorded; 0: not known */
};

/* The script of this process; NULL: it has none, or none is known. */
const char *summary_script(const struct summary *summary, uint32_t pid);

/* The process at an end of a channel, with its name instead of that of the thread; tid 0. */
struct end_summary channel_process(const struct channel_summary *channel, bool is_sender);

/* Frees what the summary owns. */
void summary_clean(struct summary *summary);
