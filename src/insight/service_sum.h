/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells services apart, finds the busiest one, and adds up the calls of its clients. */
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

/* Whether it has nearly all calls and their time, so that the figures of all calls are its own. */
bool is_only_service(const struct calls_summary *calls, const struct service_summary *service);

/* Adds the figures of `client`; `sum` has names already. service_sum_clean() follows. */
void service_sum_add(struct service_summary *sum, const struct service_summary *client);

/*
 * Adds the figures of all clients of the service of which `sum` has the name, but for calls to
 * itself: these come from no client, and those of clients have them as a part.
 * service_sum_clean() follows. Returns how many clients were added.
 */
uint32_t service_sum_add_clients(struct service_summary *sum, const struct calls_summary *calls);

/* Sorts what was added in any order. */
void service_sum_finish(struct service_summary *sum);

/* Copies the names of a client's service: those that differ from client to client are its own. */
void service_sum_name(struct service_summary *sum, const struct service_summary *client);

void service_sum_clean(struct service_summary *sum);
