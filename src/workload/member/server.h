/* SPDX-License-Identifier: BSD-2-Clause */
/* The server of a workload: how it comes, waits for its clients, and goes. */
#ifndef IPCTRACE_WORKLOAD_MEMBER_SERVER_H
#define IPCTRACE_WORKLOAD_MEMBER_SERVER_H

#include "workload/member/control.h"
#include "workload/member/links.h"

struct server {
	const struct worker *worker;
	struct links links;
	struct control control;
	uint32_t *members; /* numbers of the clients it serves, in the order they are served */
	uint32_t members_cnt;
	void *own; /* the pattern's, from prepare() on */
};

/* The life of the server after it has been set up. The exit status. */
int server_run(const struct worker *worker);

/* Until all clients have finished, or `until_ns`, or the run is over. */
void server_await_done(const struct server *server, uint64_t until_ns);

/* Serves that client no more, because of that error (-errno), at that round. */
void server_drop(struct server *server, uint32_t client, int err, uint64_t round);

#endif
