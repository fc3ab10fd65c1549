/* SPDX-License-Identifier: BSD-2-Clause */
/* The server of a workload: how it starts, waits for its clients, and ends. */
#ifndef IPCTRACE_WORKLOAD_MEMBER_SERVER_H
#define IPCTRACE_WORKLOAD_MEMBER_SERVER_H

#include "workload/member/control.h"
#include "workload/member/links.h"

struct server {
	const struct worker *worker;
	struct links links;
	struct control control;
	uint32_t *members; /* numbers of its clients in serving order */
	uint32_t members_cnt;
	void *own; /* belongs to the pattern, from prepare() on */
};

/* Runs a server whose process is set up. Returns the exit status. */
int server_run(const struct worker *worker);

/* Waits until all clients have finished, `until_ns`, or the end of the run. */
void server_await_done(const struct server *server, uint64_t until_ns);

/* Stops serving a client because of an error (-errno) in that round. */
void server_drop(struct server *server, uint32_t client, int err, uint64_t round);

#endif
