/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the control mailbox, through which clients announce that they join or leave. A thread
 * of the server reads the mailbox. If the scheduling policy is real-time, this thread has a lower
 * priority than the thread that sends to clients, if possible.
 */
#pragma once

#include "workload/member/worker.h"

#include <pthread.h>
#include <sys/un.h>

/*
 * A unix datagram socket in the run's private directory. Processes of a workload use it for
 * everything but the measured messages.
 */
struct mailbox {
	int fd;
	struct sockaddr_un address; /* address of the mailbox, on both sides */
};

struct control {
	const struct worker *worker;
	struct mailbox box;
	pthread_t thread;
};

/* In the server. 0, or the exit status of a failure that is already reported. */
int control_start(struct control *control, const struct worker *worker);
void control_end(struct control *control);

/* In a client, which closes box->fd. The mailbox may not exist yet. 0 or -errno. */
int control_open(struct mailbox *box, const struct worker *worker);

/* In a client: sends MEMBER_OPEN or MEMBER_LEFT, and waits for room in the mailbox. 0 or -errno. */
int control_send(const struct worker *worker, const struct mailbox *box,
		 enum membership membership);

#define CONTROL_BOX "control"
