/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells services apart, finds the busiest one, and adds up the calls of its clients, also for a
 * table: clients of one service that have the same name share a row there, so that a hundred
 * clients that each call once are one row. A service of several processes is one row, and each of
 * its workers has another one below.
 */
#pragma once

#include "model/summary.h"

/*
 * Whether both are of one service, maybe as different clients see it: of one process, or of
 * processes of one program behind one name, which are its workers.
 */
bool is_same_service(const struct service_summary *a, const struct service_summary *b);

/* Whether a process of the service called the service itself: to answer another client. */
bool is_call_to_itself(const struct calls_summary *calls, const struct service_summary *service);

/* How many processes serve there, 1 at least. */
uint32_t service_processes(const struct calls_summary *calls,
			   const struct service_summary *service);

/*
 * A client of the service with most time in calls. Calls that are mostly made in the service of
 * others, have unknown parts, or are served by no target, count only if there is nothing else, or
 * little. NULL: a run, or there are no calls.
 */
const struct service_summary *busiest_service(const struct calls_summary *calls);

/*
 * Adds the figures of all clients of the service of which `sum` has the name, but for calls to
 * itself: these come from no client, and those of clients have them as a part. They count where the
 * service has no other client. service_sum_clean() follows. Returns how many clients were added.
 */
uint32_t service_sum_add_clients(struct service_summary *sum, const struct calls_summary *calls);

/* Copies the names of a client's service: those that differ from client to client are its own. */
void service_sum_name(struct service_summary *sum, const struct service_summary *client);

void service_sum_clean(struct service_summary *sum);

/* Fewer clients of one name have a row each. */
#define CLIENTS_ALIKE_MIN 4

struct service_row {
	struct service_summary sum;
	uint32_t clients; /* how many are merged */
	bool is_worker;   /* the row of the service is above */
	uint64_t calls;   /* of the service */
};

/*
 * Services with most calls first. The caller frees them with service_rows_free(). NULL: out of
 * memory, and *cnt is 0.
 */
struct service_row *service_rows_of(const struct calls_summary *calls, uint32_t *cnt);
void service_rows_free(struct service_row *rows, uint32_t cnt);

/* Blame of a summary: that of its messages, or that of the services of its calls. */
struct blame_list {
	const struct blame_summary *blame;
	uint32_t cnt;
};

struct blame_list blame_of_messages(const struct summary *summary);
struct blame_list blame_of_services(const struct summary *summary);

/*
 * The same of a short list. `all_ns`: what all waits of the list are; what found no room there is
 * an entry of its own. Fills in `blame`.
 */
struct blame_list blame_of_top(const struct summary *summary, const struct blame_top *top,
			       double all_ns, struct blame_summary blame[BLAME_TOP_MAX + 1]);

/* Whether the first screen speaks of a part of these calls: those of one service. */
bool is_one_of_several(const struct calls_summary *calls);
