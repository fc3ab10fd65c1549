/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transport "sysv". The server and each client receive from their own System V
 * message queue. A client that does not receive can therefore fill only its own queue. The type of
 * a message is the client's number. An empty message announces that no message follows.
 *
 * If the driver, the parent process, is killed, a guard process (util/guard.h) removes the queues.
 * If the guard is killed as well, the next run finds the keys of the queues in notes (common.h),
 * and removes the queues.
 */
#include "transport/common.h"
#include "transport/transport.h"
#include "util/clock.h"
#include "util/guard.h"
#include "util/shared_memory.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SIZE_LIMIT_FILE     "/proc/sys/kernel/msgmax"
#define SIZE_LIMIT_DEFAULT  8192
#define QUEUE_LIMIT_FILE    "/proc/sys/kernel/msgmnb"
#define QUEUE_LIMIT_DEFAULT 16384

/*
 * Messages of each client that a queue should hold, and limits in bytes for one queue and for all.
 */
#define MESSAGES_WANTED 256
#define MESSAGES_ONEWAY 65536
#define CLIENT_BYTES    ((size_t)4 << 20)
#define QUEUES_BYTES    ((size_t)32 << 20)

/*
 * Ends a wait for room that takes too long. It repeats, in case the first signal comes before the
 * wait.
 */
#define SIGNAL_LATE   SIGALRM
#define LATE_AGAIN_NS (10 * (long)NSEC_PER_MSEC)

/* Note of a queue, with its key. */
#define NOTE_FORMAT "sysv-%08x"

struct queue {
	key_t key;      /* 0: not noted */
	_Atomic int id; /* -1: none */
};

/* What the guard has to remove, in memory that it shares with the driver: it is forked first. */
struct queues {
	uint32_t cnt;
	struct queue queue[]; /* by seat: the queue that this seat receives from */
};

struct medium {
	uint32_t clients;
	size_t size;
	struct queues *queues;
	struct guard guard;
	int directory; /* for notes; -1: none */
};

struct message {
	long type;
	char text[];
};

struct end {
	struct medium *medium;
	uint32_t seat; /* LINK_SERVER or the client's number */
	bool *closed;  /* by peer: this peer has closed its end */
	uint32_t closed_cnt;
	struct message *message; /* room for a message of medium->size */
	bool has_timer;
	timer_t timer;
};

static size_t sysv_size_max(void)
{
	long size = limit_read(SIZE_LIMIT_FILE, SIZE_LIMIT_DEFAULT);
	long queue = limit_read(QUEUE_LIMIT_FILE, QUEUE_LIMIT_DEFAULT);

	return (size_t)(queue < size ? queue : size);
}

static const char *sysv_refuse(const struct workload_spec *spec)
{
	if (spec->reader != READER_BLOCK)
		return "System V queues have no descriptor that poll or epoll could watch: use "
		       "--reader block, or --transport mqueue";
	if (msgctl(-1, IPC_STAT, NULL) && errno == ENOSYS)
		return "this kernel has no System V queues (CONFIG_SYSVIPC): use --transport "
		       "mqueue";
	return NULL;
}

static void queues_remove(void *ctx)
{
	const struct queues *queues = ctx;

	for (uint32_t i = 0; i < queues->cnt; i++)
		msgctl(atomic_load(&queues->queue[i].id), IPC_RMID, NULL);
}

static size_t queue_bytes_choose(const struct medium_spec *spec, uint32_t seat)
{
	size_t bytes = (spec->oneway ? MESSAGES_ONEWAY : MESSAGES_WANTED) * spec->size;
	size_t most = QUEUES_BYTES / spec->clients;

	if (bytes > CLIENT_BYTES)
		bytes = CLIENT_BYTES;
	if (bytes > most)
		bytes = most;
	return seat == LINK_SERVER ? bytes * spec->clients : bytes;
}

/* The ends may run as another user. A capacity above msgmnb needs CAP_SYS_RESOURCE. */
static int queue_set_up(int id, const struct medium_spec *spec, uint32_t seat)
{
	size_t wanted = queue_bytes_choose(spec, seat);
	struct msqid_ds queue;
	struct stat owner;
	size_t before;

	if (stat(spec->directory, &owner) || msgctl(id, IPC_STAT, &queue))
		return -errno;
	before = queue.msg_qbytes;
	queue.msg_perm.uid = owner.st_uid;
	queue.msg_perm.gid = owner.st_gid;
	if (queue.msg_qbytes < wanted)
		queue.msg_qbytes = wanted;
	if (!msgctl(id, IPC_SET, &queue))
		return 0;
	queue.msg_qbytes = before;
	return msgctl(id, IPC_SET, &queue) ? -errno : 0;
}

static void sysv_note_of(key_t key, char note[NOTE_LEN])
{
	snprintf(note, NOTE_LEN, NOTE_FORMAT, (unsigned int)key);
}

static void note_forget(const struct medium *medium, struct queue *queue)
{
	char note[NOTE_LEN];

	if (!queue->key)
		return;
	sysv_note_of(queue->key, note);
	note_remove(medium->directory, note);
	queue->key = 0;
}

/* 0 or -errno; -EEXIST: the key is in use. */
static int queue_try(struct medium *medium, struct queue *queue)
{
	char note[NOTE_LEN];
	uint32_t random = 0;
	key_t key;
	int err, id;

	if (getrandom(&random, sizeof(random), 0) < 0)
		return -errno;
	key = random ? (key_t)random : 1; /* 0 is IPC_PRIVATE, which is none */
	sysv_note_of(key, note);
	err = note_make(medium->directory, note);
	if (err)
		return err;
	queue->key = key;
	id = msgget(key, IPC_CREAT | IPC_EXCL | 0600);
	if (id >= 0) {
		atomic_store(&queue->id, id);
		return 0;
	}
	err = -errno;
	note_forget(medium, queue);
	return err;
}

static int queues_make(struct medium *medium, const struct medium_spec *spec)
{
	int err = 0;

	for (uint32_t seat = 0; seat <= spec->clients && !err; seat++) {
		struct queue *queue = &medium->queues->queue[seat];

		while ((err = queue_try(medium, queue)) == -EEXIST)
			;
		if (!err)
			err = queue_set_up(atomic_load(&queue->id), spec, seat);
	}
	return err;
}

/* A user may have written the note, so the queue must belong to that user as well. */
static void sysv_tidy(const char *note, uid_t owner)
{
	struct msqid_ds queue;
	unsigned int key;
	int id;

	if (sscanf(note, NOTE_FORMAT, &key) != 1 || !key)
		return;
	id = msgget((key_t)key, 0);
	if (id >= 0 && !msgctl(id, IPC_STAT, &queue) && queue.msg_perm.cuid == geteuid() &&
	    queue.msg_perm.uid == owner)
		msgctl(id, IPC_RMID, NULL);
}

static size_t queues_size(uint32_t cnt)
{
	return sizeof(struct queues) + cnt * sizeof(struct queue);
}

static void sysv_destroy(struct medium *medium)
{
	if (!medium)
		return;
	if (medium->queues)
		queues_remove(medium->queues);
	guard_end(&medium->guard);
	for (uint32_t i = 0; medium->queues && i < medium->queues->cnt; i++)
		note_forget(medium, &medium->queues->queue[i]);
	if (medium->directory >= 0)
		close(medium->directory);
	if (medium->queues)
		munmap(medium->queues, queues_size(medium->queues->cnt));
	free(medium);
}

static struct medium *sysv_create(const struct medium_spec *spec)
{
	struct medium *medium = calloc(1, sizeof(*medium));
	int err;

	if (!medium)
		return NULL;
	medium->clients = spec->clients;
	medium->size = spec->size;
	medium->directory = note_directory_open(spec->directory);
	medium->queues = shared_memory_map(queues_size(spec->clients + 1));
	err = medium->queues ? 0 : -ENOMEM;
	if (!err) {
		medium->queues->cnt = spec->clients + 1;
		for (uint32_t i = 0; i < medium->queues->cnt; i++)
			atomic_store(&medium->queues->queue[i].id, -1);
		err = guard_start(&medium->guard, "ipc-guard", queues_remove, medium->queues);
	}
	if (!err && medium->directory < 0)
		err = medium->directory;
	if (!err)
		err = queues_make(medium, spec);
	if (!err)
		return medium;
	sysv_destroy(medium);
	errno = -err;
	return NULL;
}

static struct end *sysv_open(struct medium *medium, uint32_t seat)
{
	struct end *end = calloc(1, sizeof(*end));

	if (!end)
		return NULL;
	*end = (struct end){.medium = medium, .seat = seat};
	end->closed = calloc(medium->clients + 1, sizeof(*end->closed));
	end->message = malloc(sizeof(*end->message) + medium->size);
	if (!end->closed || !end->message) {
		free(end->closed);
		free(end->message);
		free(end);
		errno = ENOMEM;
		return NULL;
	}
	return end;
}

static void late(int number)
{
	(void)number;
}

/*
 * A timer for the sending thread: msgsnd() has no timeout, and only a signal ends it. 0 or -errno.
 */
static int timer_make(struct end *end)
{
	struct sigaction action = {.sa_handler = late};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL_LATE};
	sigset_t set;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	sigemptyset(&set);
	sigaddset(&set, SIGNAL_LATE);
	if (sigaction(SIGNAL_LATE, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &end->timer))
		return -errno;
	end->has_timer = true;
	return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static int timer_set(struct end *end, uint64_t limit_ns)
{
	struct itimerspec limit = {.it_value = clock_timespec(limit_ns)};

	if (limit_ns)
		limit.it_interval.tv_nsec = LATE_AGAIN_NS;
	return timer_settime(end->timer, 0, &limit, NULL) ? -errno : 0;
}

/* The queue that this seat receives from. */
static int queue_of(const struct end *end, uint32_t seat)
{
	return atomic_load_explicit(&end->medium->queues->queue[seat].id, memory_order_relaxed);
}

/* Sends the message in end->message. 0 or -errno. */
static int sysv_queue_send(const struct end *end, uint32_t to, size_t size, int flags)
{
	if (!msgsnd(queue_of(end, to), end->message, size, flags))
		return 0;
	return errno == EIDRM || errno == EINVAL ? -ECONNRESET : -errno;
}

static int queue_send_waiting(struct end *end, uint32_t to, size_t size)
{
	uint64_t until_ns = clock_now_ns() + TRANSPORT_WAIT_NS;
	int err = end->has_timer ? 0 : timer_make(end);

	if (!err)
		err = timer_set(end, TRANSPORT_WAIT_NS);
	if (err)
		return err;
	do
		err = sysv_queue_send(end, to, size, 0);
	while (err == -EINTR && clock_now_ns() < until_ns);
	timer_set(end, 0);
	return err == -EINTR ? -EAGAIN : err;
}

static int sysv_message_send(struct end *end, uint32_t to, size_t size, bool wait)
{
	int err;

	end->message->type = to == LINK_SERVER ? end->seat : to;
	err = sysv_queue_send(end, to, size, IPC_NOWAIT);
	return err == -EAGAIN && wait ? queue_send_waiting(end, to, size) : err;
}

static int sysv_send(struct end *end, uint32_t to, const void *data, size_t size, bool wait)
{
	if (end->closed[to])
		return -EPIPE;
	if (size > end->medium->size)
		return -EMSGSIZE;
	memcpy(end->message->text, data, size);
	return sysv_message_send(end, to, size, wait);
}

static ssize_t sysv_receive(struct end *end, void *data, size_t size, uint32_t *from)
{
	ssize_t received;

	if (end->closed_cnt == (end->seat == LINK_SERVER ? end->medium->clients : 1))
		return -ECONNRESET;
	received = msgrcv(queue_of(end, end->seat), end->message, end->medium->size, 0, 0);
	if (received < 0)
		return -errno;
	*from = end->seat == LINK_SERVER ? (uint32_t)end->message->type : LINK_SERVER;
	if (!received) {
		end->closed[*from] = true;
		end->closed_cnt++;
	}
	if ((size_t)received > size)
		received = (ssize_t)size;
	memcpy(data, end->message->text, (size_t)received);
	return received;
}

/* A client with a full queue is not informed. Only the first one is waited for. */
static void sysv_close(struct end *end)
{
	bool wait = true;

	if (end->seat != LINK_SERVER)
		sysv_message_send(end, LINK_SERVER, 0, true);
	else
		for (uint32_t client = 1; client <= end->medium->clients; client++)
			if (!end->closed[client] && sysv_message_send(end, client, 0, wait))
				wait = false;
	if (end->has_timer)
		timer_delete(end->timer);
	free(end->closed);
	free(end->message);
	free(end);
}

const struct transport_ops sysv_transport = {
	.name = "sysv",
	.summary = "System V message queues",
	.id = TRANSPORT_SYSV,
	.refuse = sysv_refuse,
	.size_max = sysv_size_max,
	.create = sysv_create,
	.open = sysv_open,
	.send = sysv_send,
	.receive = sysv_receive,
	.close = sysv_close,
	.destroy = sysv_destroy,
	.tidy = sysv_tidy,
};
