/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How clients come and go: open and close messages to the server's control mailbox, which a thread
 * of its own takes, below the sender in priority.
 */
#ifndef IPCTRACE_WORKLOAD_MEMBER_CONTROL_H
#define IPCTRACE_WORKLOAD_MEMBER_CONTROL_H

#include "workload/member/mailbox.h"
#include "workload/member/worker.h"

#include <pthread.h>

struct control {
	const struct worker *worker;
	struct mailbox box;
	pthread_t thread;
};

/* In the server. 0, or the exit status of a failure that has been said. */
int control_start(struct control *control, const struct worker *worker);
void control_end(struct control *control);

/* In a client: MEMBER_OPEN or MEMBER_LEFT. Waits for room in the box. 0 or -errno. */
int control_send(const struct worker *worker, const struct mailbox *box,
		 enum membership membership);

#define CONTROL_BOX "control"

#endif
