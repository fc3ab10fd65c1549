/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transport "mqueue". Each direction between the server and a client has a POSIX
 * message queue. The driver (the parent process) opens all queues and removes their names at once,
 * so that no name stays behind. An empty message means that no message follows.
 *
 * All processes share the flags of an open queue. A send that must not wait therefore passes a
 * deadline in the past instead of setting O_NONBLOCK.
 */
#include "transport/fd_end.h"
#include "transport/common.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The kernel's own limit (HARD_MSGSIZEMAX) for CAP_SYS_RESOURCE, and the limits of other users. */
#define SIZE_HARD_MAX        ((size_t)16 << 20)
#define SIZE_LIMIT_FILE      "/proc/sys/fs/mqueue/msgsize_max"
#define SIZE_LIMIT_DEFAULT   8192
#define QUEUES_LIMIT_FILE    "/proc/sys/fs/mqueue/queues_max"
#define QUEUES_LIMIT_DEFAULT 256
#define LENGTH_LIMIT_FILE    "/proc/sys/fs/mqueue/msg_max"
#define LENGTH_LIMIT_DEFAULT 10

/* Messages of one queue, and the bytes of one queue and of all queues. */
#define CAPACITY_WANTED 256
#define CAPACITY_ONEWAY 65536
#define QUEUE_BYTES     ((size_t)4 << 20)
#define QUEUES_BYTES    ((size_t)64 << 20)

/* Name of a queue while it has one, with the pid of its maker, as in the note. */
#define NAME_LEN    32
#define NOTE_FORMAT "mqueue-%d"

struct medium {
	struct medium_spec spec;
	mqd_t *queues; /* by client: to the client, then from it; -1: none */
};

static const struct timespec no_wait;

static mqd_t *queue_at(const struct medium *medium, uint32_t client, bool to_server)
{
	return &medium->queues[(client - 1) * 2 + to_server];
}

static mqd_t queue_out(const struct end *end, uint32_t to)
{
	return *queue_at(end->medium, to == LINK_SERVER ? end->member : to, to == LINK_SERVER);
}

static void queue_name(char name[NAME_LEN], int pid)
{
	snprintf(name, NAME_LEN, "/ipctrace-%d", pid);
}

/*
 * Opens a queue without a name. -1 and errno: EINVAL or EMFILE if `attr` is beyond a limit. The
 * name exists only until its maker has opened the queue. An existing name was left behind by a
 * process that was killed at that moment, and no process needs it.
 */
static mqd_t queue_open(struct mq_attr *attr)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
	char name[NAME_LEN];
	mqd_t queue;

	queue_name(name, getpid());
	queue = mq_open(name, flags, 0600, attr);
	if (queue == (mqd_t)-1 && errno == EEXIST && !mq_unlink(name))
		queue = mq_open(name, flags, 0600, attr);
	if (queue != (mqd_t)-1)
		mq_unlink(name);
	return queue;
}

static void mqueue_tidy(const char *note, uid_t owner)
{
	char name[NAME_LEN];
	struct stat status;
	mqd_t queue;
	int pid;

	(void)owner;
	if (sscanf(note, NOTE_FORMAT, &pid) != 1)
		return;
	queue_name(name, pid);
	queue = mq_open(name, O_RDONLY | O_CLOEXEC);
	if (queue == (mqd_t)-1)
		return;
	if (!fstat(queue, &status) && status.st_uid == geteuid())
		mq_unlink(name);
	mq_close(queue);
}

/* Lifts the limit as far as possible. `before` is the old limit, to be restored. */
static void bytes_limit_lift(struct rlimit *before)
{
	const struct rlimit none = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};

	getrlimit(RLIMIT_MSGQUEUE, before);
	setrlimit(RLIMIT_MSGQUEUE, &none);
}

static int try_size(size_t size)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = (long)size};
	struct rlimit before;
	mqd_t queue;
	int err;

	bytes_limit_lift(&before);
	queue = queue_open(&attr);
	err = queue == (mqd_t)-1 ? -errno : 0;
	setrlimit(RLIMIT_MSGQUEUE, &before);
	if (!err)
		mq_close(queue);
	return err;
}

static size_t mqueue_size_max(void)
{
	if (!try_size(SIZE_HARD_MAX))
		return SIZE_HARD_MAX;
	return (size_t)limit_read(SIZE_LIMIT_FILE, SIZE_LIMIT_DEFAULT);
}

static const char *mqueue_refuse(const struct workload_spec *spec)
{
	if (try_size(1) == -ENOSYS)
		return "this kernel has no POSIX message queues (CONFIG_POSIX_MQUEUE): use "
		       "--transport sysv or uds-seqpacket";
	if (2L * spec->clients > limit_read(QUEUES_LIMIT_FILE, QUEUES_LIMIT_DEFAULT) &&
	    try_size(SIZE_HARD_MAX))
		return "two queues for each client are more than fs.mqueue.queues_max, and beyond "
		       "that needs CAP_SYS_RESOURCE: use fewer --clients, or --transport "
		       "uds-seqpacket";
	return NULL;
}

static long capacity_choose(const struct medium_spec *spec)
{
	size_t bytes = QUEUES_BYTES / (2 * spec->clients);
	size_t most = spec->oneway ? CAPACITY_ONEWAY : CAPACITY_WANTED;
	size_t fits = (bytes < QUEUE_BYTES ? bytes : QUEUE_BYTES) / spec->size;

	if (fits < 2)
		return 2;
	return (long)(fits < most ? fits : most);
}

static void queues_close(struct medium *medium)
{
	for (uint32_t i = 0; i < 2 * medium->spec.clients; i++) {
		if (medium->queues[i] != (mqd_t)-1)
			mq_close(medium->queues[i]);
		medium->queues[i] = (mqd_t)-1;
	}
}

static int queues_try(struct medium *medium, struct mq_attr *attr)
{
	for (uint32_t i = 0; i < 2 * medium->spec.clients; i++) {
		medium->queues[i] = queue_open(attr);
		if (medium->queues[i] == (mqd_t)-1) {
			int err = -errno;

			queues_close(medium);
			return err;
		}
	}
	return 0;
}

/*
 * The next capacity to try after `refused`: first the limit of unprivileged users, then less and
 * less.
 */
static long capacity_next(long refused)
{
	long most = limit_read(LENGTH_LIMIT_FILE, LENGTH_LIMIT_DEFAULT);

	return most < refused ? most : refused / 2;
}

/*
 * Opens queues with the largest possible capacity. Users have limits on the messages of a queue and
 * on the bytes of all queues.
 */
static int queues_open(struct medium *medium, const struct medium_spec *spec)
{
	struct mq_attr attr = {.mq_msgsize = (long)spec->size};
	struct rlimit before;
	int err = -EINVAL;

	bytes_limit_lift(&before);
	for (attr.mq_maxmsg = capacity_choose(spec); attr.mq_maxmsg > 0;
	     attr.mq_maxmsg = capacity_next(attr.mq_maxmsg)) {
		err = queues_try(medium, &attr);
		if (err != -EINVAL && err != -EMFILE)
			break;
	}
	setrlimit(RLIMIT_MSGQUEUE, &before);
	return err;
}

/* The names and their note are removed when this returns. */
static int queues_open_noted(struct medium *medium, const struct medium_spec *spec)
{
	int directory = note_directory_open(spec->directory), err;
	char note[NOTE_LEN];

	if (directory < 0)
		return directory;
	snprintf(note, sizeof(note), NOTE_FORMAT, (int)getpid());
	err = note_make(directory, note);
	if (!err) {
		err = queues_open(medium, spec);
		note_remove(directory, note);
	}
	close(directory);
	return err;
}

static void mqueue_destroy(struct medium *medium)
{
	if (!medium)
		return;
	if (medium->queues)
		queues_close(medium);
	free(medium->queues);
	free(medium);
}

static struct medium *mqueue_create(const struct medium_spec *spec)
{
	struct medium *medium = malloc(sizeof(*medium));
	int err = -ENOMEM;

	if (!medium)
		return NULL;
	*medium = (struct medium){
		.spec = *spec,
		.queues = malloc(2 * spec->clients * sizeof(*medium->queues)),
	};
	if (medium->queues) {
		for (uint32_t i = 0; i < 2 * spec->clients; i++)
			medium->queues[i] = (mqd_t)-1;
		limit_descriptors(2 * (uint64_t)spec->clients);
		err = queues_open_noted(medium, spec);
	}
	if (!err)
		return medium;
	mqueue_destroy(medium);
	errno = -err;
	return NULL;
}

/* Peers are below end->slots. A server has no peer 0. */
static uint32_t peer_first(const struct end *end)
{
	return end->member == LINK_SERVER;
}

static int queues_add(struct end *end)
{
	bool serves = end->member == LINK_SERVER;
	int err = 0;

	for (uint32_t peer = peer_first(end); peer < end->slots && !err; peer++)
		err = fd_end_add_queue(end, peer,
				       *queue_at(end->medium, serves ? peer : end->member, serves));
	return err;
}

static struct end *mqueue_open(struct medium *medium, uint32_t member)
{
	return fd_end_new(medium, &medium->spec, member, FD_END_QUEUES, queues_add);
}

/* Queue deadlines use the wall clock. */
static struct timespec deadline_get(void)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += TRANSPORT_WAIT_NS / NSEC_PER_SEC;
	return deadline;
}

static int mqueue_queue_send(mqd_t queue, const void *data, size_t size,
			     const struct timespec *deadline)
{
	int err;

	do
		err = mq_timedsend(queue, data, size, 0, deadline) ? -errno : 0;
	while (err == -EINTR);
	return err == -ETIMEDOUT ? -EAGAIN : err;
}

static int mqueue_send(struct end *end, uint32_t to, const void *data, size_t size, bool wait)
{
	struct timespec deadline;

	if (fd_end_has_ended(end, to))
		return -EPIPE;
	if (!wait)
		return mqueue_queue_send(queue_out(end, to), data, size, &no_wait);
	deadline = deadline_get();
	return mqueue_queue_send(queue_out(end, to), data, size, &deadline);
}

/* A peer with a full queue is not informed: it has most likely died. */
static void mqueue_close(struct end *end)
{
	struct timespec deadline = deadline_get();

	for (uint32_t peer = peer_first(end); peer < end->slots; peer++)
		if (!fd_end_has_ended(end, peer))
			mqueue_queue_send(queue_out(end, peer), "", 0, &deadline);
	fd_end_close(end);
}

const struct transport_ops mqueue_transport = {
	.name = "mqueue",
	.summary = "POSIX message queues",
	.id = TRANSPORT_MQUEUE,
	.refuse = mqueue_refuse,
	.size_max = mqueue_size_max,
	.create = mqueue_create,
	.open = mqueue_open,
	.send = mqueue_send,
	.receive = fd_end_receive,
	.close = mqueue_close,
	.destroy = mqueue_destroy,
	.tidy = mqueue_tidy,
};
