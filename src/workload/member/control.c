/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the control mailbox, through which clients announce that they join or leave. A thread
 * of the server reads the mailbox, and notes which clients are present.
 */
#include "transport/common.h"
#include "util/clock.h"
#include "workload/member/member.h"
#include "workload/setup/sched_policy.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONTROL_MAGIC 0x6c746369u /* "ictl" */

/*
 * Pause of a client between two tries. The queue holds as few as ten messages and clients have the
 * higher priority: a thousand clients that retry too soon would keep the control thread off the
 * CPU.
 */
#define RETRY_MIN_NS NSEC_PER_MSEC
#define RETRY_MAX_NS (128 * NSEC_PER_MSEC)

struct control_message {
	uint32_t magic;
	uint32_t client;
	uint32_t membership; /* enum membership */
};

int control_open(struct mailbox *box, const struct worker *worker)
{
	int err = unix_address_set(&box->address, "%s/" CONTROL_BOX, worker->directory);

	if (err)
		return err;
	box->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return box->fd < 0 ? -errno : 0;
}

static int mailbox_make(struct mailbox *box, const struct worker *worker)
{
	int err = control_open(box, worker);

	if (err)
		return err;
	if (bind(box->fd, (const struct sockaddr *)&box->address, sizeof(box->address))) {
		err = -errno;
		close(box->fd);
	}
	return err;
}

static void mailbox_remove(struct mailbox *box)
{
	unlink(box->address.sun_path);
	close(box->fd);
}

static void control_receive(const struct control *control)
{
	const struct worker *worker = control->worker;
	struct control_message message;
	ssize_t size = recv(control->box.fd, &message, sizeof(message), 0);

	/* Any process that may enter the directory can write here, so every field is checked. */
	if (size != sizeof(message) || message.magic != CONTROL_MAGIC || message.client == 0 ||
	    message.client > worker->plan->spec.clients || message.membership > MEMBER_LEFT)
		return;
	shared_member_set(worker->shared, message.client, (enum membership)message.membership);
}

static void *control_main(void *arg)
{
	const struct control *control = arg;
	const struct worker *worker = control->worker;
	const struct workload_spec *spec = &worker->plan->spec;
	int err;

	prctl(PR_SET_NAME, "ipctrace-ctl");
	err = sched_policy_apply(spec, POLICY_CONTROL);
	if (err)
		_exit(worker_fail(worker, "cannot set the scheduling policy", "control thread", err,
				  sched_policy_remedy(spec, err)));
	for (;;)
		control_receive(control);
	return NULL;
}

int control_start(struct control *control, const struct worker *worker)
{
	int err;

	*control = (struct control){.worker = worker};
	err = mailbox_make(&control->box, worker);
	if (err)
		return worker_fail(worker, "cannot make the mailbox", CONTROL_BOX, err,
				   "see that /tmp has room, and allow more open files (ulimit -n)");
	err = pthread_create(&control->thread, NULL, control_main, control);
	if (err) {
		mailbox_remove(&control->box);
		return worker_fail(worker, "cannot make a thread", "control thread", -err,
				   "allow this user more processes (ulimit -u)");
	}
	/*
	 * Threads with a shared descriptor table pay in every syscall, because the kernel counts
	 * the users of a file. The server gets a table of its own. A failure only makes it slower.
	 */
	unshare(CLONE_FILES);
	return EXIT_SUCCESS;
}

void control_end(struct control *control)
{
	pthread_cancel(control->thread);
	pthread_join(control->thread, NULL);
	mailbox_remove(&control->box);
}

int control_send(const struct worker *worker, const struct mailbox *box, enum membership membership)
{
	struct control_message message = {
		.magic = CONTROL_MAGIC,
		.client = worker->number,
		.membership = membership,
	};
	uint64_t pause_ns = RETRY_MIN_NS;

	while (sendto(box->fd, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL,
		      (const struct sockaddr *)&box->address, sizeof(box->address)) < 0) {
		if (errno != EAGAIN)
			return -errno;
		clock_sleep_until(clock_now_ns() + pause_ns);
		if (pause_ns < RETRY_MAX_NS)
			pause_ns *= 2;
	}
	return 0;
}
