/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a server and clients over one transport in processes of their own. */
#include "support/ends.h"
#include "support/queue_room.h"

#include "util/clock.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 20000
#define CHECK_US 200

struct ends {
	const struct ends_spec *spec;
	ends_body server, client;
	struct ends_outcome *outcome;
	struct medium *medium;
	char directory[64];
	pid_t pids[ENDS_CLIENTS_MAX + 1];
	bool ended[ENDS_CLIENTS_MAX + 1];
	uint32_t processes, living;
};

struct client_thread {
	struct ends *ends;
	uint32_t client;
	pthread_t thread;
};

static struct ends_outcome *shared;

__attribute__((format(printf, 2, 3))) static void trouble(struct ends_outcome *outcome,
							  const char *format, ...)
{
	va_list arguments;

	if (atomic_exchange(&outcome->failed, 1))
		return;
	va_start(arguments, format);
	vsnprintf(outcome->failure, sizeof(outcome->failure), format, arguments);
	va_end(arguments);
}

void ends_note(struct ends_side *side, bool good, const char *text, const char *file, int line)
{
	if (!good)
		trouble(side->outcome, "%s:%d: side %u: %s", file, line, side->client, text);
}

/* Waits until *word is `value` or more. False: a timeout, or some side has failed. */
static bool await(struct ends_outcome *outcome, const _Atomic uint32_t *word, uint32_t value)
{
	int64_t until_ms = clock_now_ms() + LIMIT_MS;

	while (atomic_load(word) < value) {
		if (atomic_load(&outcome->failed))
			return false;
		if (clock_now_ms() > until_ms) {
			trouble(outcome, "waited in vain for another side");
			return false;
		}
		usleep(CHECK_US);
	}
	return true;
}

void ends_tell(struct ends_side *side, unsigned int step)
{
	atomic_fetch_add(&side->outcome->steps[step], 1);
}

void ends_await(struct ends_side *side, unsigned int step, uint32_t count)
{
	await(side->outcome, &side->outcome->steps[step], count);
}

static unsigned char byte_at(uint32_t client, bool to_server, uint64_t number, size_t place)
{
	return (unsigned char)(client * 31 + (to_server ? 101 : 7) + number * 13 + place +
			       place / 251 * 3);
}

int ends_send(struct ends_side *side, uint32_t to, bool wait)
{
	bool to_server = to == LINK_SERVER;
	uint32_t client = to_server ? side->client : to;
	uint64_t number = atomic_load(&side->counts->sent[to]);
	int err;

	for (size_t i = 0; i < side->spec->size; i++)
		side->data[i] = byte_at(client, to_server, number, i);
	err = side->spec->ops->send(side->end, to, side->data, side->spec->size, wait);
	if (err)
		side->counts->error = err;
	else
		atomic_fetch_add(&side->counts->sent[to], 1);
	return err;
}

/* Checks every received byte, wherever messages begin and end. */
static int bytes_check(struct ends_side *side, uint32_t from, size_t received)
{
	const size_t size = side->spec->size;
	uint32_t client = from == LINK_SERVER ? side->client : from;
	uint64_t at = atomic_load(&side->counts->bytes[from]);
	uint64_t before = at / size, number = before;
	size_t place = (size_t)(at % size);
	bool good = side->spec->ops->is_stream || received == size;

	for (size_t i = 0; i < received; i++) {
		good = good && side->data[i] == byte_at(client, from != LINK_SERVER, number, place);
		if (++place == size) {
			place = 0;
			number++;
		}
	}
	if (!good)
		atomic_fetch_add(&side->counts->corrupt[from], 1);
	atomic_store(&side->counts->bytes[from], at + received);
	atomic_fetch_add(&side->counts->received[from], number - before);
	return (int)(number - before);
}

int ends_receive(struct ends_side *side, uint32_t *from)
{
	uint32_t peer = UINT32_MAX;
	ssize_t received;
	int whole = 0;

	while (!whole) {
		received = side->spec->ops->receive(side->end, side->data, side->spec->size, &peer);
		if (received == -EINTR)
			continue;
		if (received < 0) {
			side->counts->error = (int)received;
			return (int)received;
		}
		if (peer > side->spec->clients || (side->client && peer != LINK_SERVER) ||
		    (size_t)received > side->spec->size) {
			trouble(side->outcome, "side %u received %zd bytes from %u", side->client,
				received, peer);
			return -EPROTO;
		}
		if (from)
			*from = peer;
		if (!received) {
			atomic_fetch_add(&side->counts->ended[peer], 1);
			return 0;
		}
		whole = bytes_check(side, peer, (size_t)received);
	}
	return whole;
}

static bool side_open(struct ends_side *side, struct ends *ends, uint32_t client)
{
	*side = (struct ends_side){
		.spec = ends->spec,
		.outcome = ends->outcome,
		.counts = &ends->outcome->sides[client],
		.client = client,
		.medium = ends->medium,
		.data = malloc(ends->spec->size),
	};
	side->end = ends->spec->ops->open(ends->medium, client);
	if (!side->end || !side->data)
		trouble(ends->outcome, "side %u cannot open its end: %s", client, strerror(errno));
	return side->end && side->data;
}

static void side_close(struct ends_side *side)
{
	if (side->end)
		side->spec->ops->close(side->end);
	free(side->data);
}

/* Clients join in turn, each while it is admitted. */
static bool client_admit(struct ends *ends, struct end *end, uint32_t client)
{
	int64_t until_ms = clock_now_ms() + LIMIT_MS;
	int err = ends->spec->ops->admit ? -ETIMEDOUT : 0;

	atomic_store(&ends->outcome->turn, client);
	while ((err == -ETIMEDOUT || err == -EINTR) && clock_now_ms() < until_ms &&
	       !atomic_load(&ends->outcome->failed))
		err = ends->spec->ops->admit(end, client);
	if (err)
		trouble(ends->outcome, "client %u cannot be admitted: %s", client, strerror(-err));
	return !err && await(ends->outcome, &ends->outcome->joined, client);
}

static void server_run(struct ends *ends)
{
	struct ends_side side;

	if (side_open(&side, ends, LINK_SERVER)) {
		bool good = true;

		for (uint32_t client = 1; client <= ends->spec->clients && good; client++)
			good = client_admit(ends, side.end, client);
		if (good) {
			atomic_store(&ends->outcome->turn, ends->spec->clients + 1);
			ends->server(&side);
		}
	}
	side_close(&side);
}

/* Bodies begin when all clients are there. */
static void client_run(struct ends *ends, uint32_t client)
{
	struct ends_outcome *outcome = ends->outcome;
	struct ends_side side;

	if (!await(outcome, &outcome->turn, client))
		return;
	if (side_open(&side, ends, client)) {
		atomic_store(&outcome->joined, client);
		if (await(outcome, &outcome->turn, ends->spec->clients + 1))
			ends->client(&side);
	}
	side_close(&side);
}

static void *client_thread_run(void *argument)
{
	struct client_thread *thread = argument;

	client_run(thread->ends, thread->client);
	return NULL;
}

static void threads_run(struct ends *ends)
{
	struct client_thread threads[ENDS_CLIENTS_MAX];

	for (uint32_t i = 0; i < ends->spec->clients; i++) {
		threads[i] = (struct client_thread){.ends = ends, .client = i + 1};
		pthread_create(&threads[i].thread, NULL, client_thread_run, &threads[i]);
	}
	for (uint32_t i = 0; i < ends->spec->clients; i++)
		pthread_join(threads[i].thread, NULL);
}

static pid_t process_fork(struct ends *ends, uint32_t i)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (!i)
		server_run(ends);
	else if (ends->spec->threads)
		threads_run(ends);
	else
		client_run(ends, i);
	/* Not exit(): a sanitizer would report leaks of the parent's memory. */
	_exit(0);
}

/* A body may have killed itself. */
static void ending_judge(struct ends_outcome *outcome, uint32_t i)
{
	int status = outcome->sides[i].status;

	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		trouble(outcome, "process %u was killed by signal %d", i, WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status))
		trouble(outcome, "process %u ended with status %d", i, WEXITSTATUS(status));
}

/* Reaps processes of a run. Returns how many live. */
static uint32_t processes_reap(struct ends *ends)
{
	for (uint32_t i = 0; i < ends->processes; i++) {
		if (ends->ended[i] || waitpid(ends->pids[i], &ends->outcome->sides[i].status,
					      WNOHANG) != ends->pids[i])
			continue;
		ends->ended[i] = true;
		ends->living--;
		ending_judge(ends->outcome, i);
	}
	return ends->living;
}

static void processes_kill(struct ends *ends)
{
	trouble(ends->outcome, "%u of %u processes did not end", ends->living, ends->processes);
	for (uint32_t i = 0; i < ends->processes; i++)
		if (!ends->ended[i])
			kill(ends->pids[i], SIGKILL);
}

/* Waits until all processes of all runs have ended, and kills them after LIMIT_MS. */
static void processes_wait(struct ends *ends, size_t count)
{
	int64_t until_ms = clock_now_ms() + LIMIT_MS;
	uint32_t living;

	do {
		living = 0;
		for (size_t i = 0; i < count; i++) {
			living += processes_reap(&ends[i]);
			if (ends[i].living && clock_now_ms() > until_ms)
				processes_kill(&ends[i]);
		}
		usleep(CHECK_US);
	} while (living);
}

/* Removes the directory, and keeps the name of a file that was in it. */
static void directory_remove(struct ends *ends)
{
	DIR *entries = opendir(ends->directory);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		char path[sizeof(ends->directory) + sizeof(entry->d_name)];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(path, sizeof(path), "%s/%s", ends->directory, entry->d_name);
		snprintf(ends->outcome->left, sizeof(ends->outcome->left), "%s", entry->d_name);
		unlink(path);
	}
	if (entries)
		closedir(entries);
	rmdir(ends->directory);
}

struct medium *ends_medium(const struct medium_spec *spec)
{
	int64_t until_ms = queue_room_limit_ms();
	struct medium *medium;

	while (!(medium = spec->ops->create(spec)) && queue_room_await(until_ms))
		;
	return medium;
}

static void medium_create(struct ends *ends)
{
	const struct ends_spec *spec = ends->spec;
	struct medium_spec medium_spec = {
		.ops = spec->ops,
		.directory = ends->directory,
		.clients = spec->clients,
		.size = spec->size,
		.reader = spec->reader,
		.oneway = spec->oneway,
	};

	ends->medium = ends_medium(&medium_spec);
	if (!ends->medium)
		trouble(ends->outcome, "cannot create the medium: %s", strerror(errno));
}

static void processes_start(struct ends *ends)
{
	medium_create(ends);
	if (!ends->medium)
		return;
	ends->processes = ends->spec->threads ? 2 : ends->spec->clients + 1;
	ends->living = ends->processes;
	fflush(stdout);
	fflush(stderr);
	for (uint32_t i = 0; i < ends->processes; i++)
		ends->pids[i] = process_fork(ends, i);
}

static void ends_finish(struct ends *ends)
{
	const struct ends_spec *spec = ends->spec;

	spec->ops->destroy(ends->medium);
	directory_remove(ends);
	if (ends->outcome->failed)
		fail_msg("%s, %u clients, %zu bytes: %s", spec->ops->name, spec->clients,
			 spec->size, ends->outcome->failure);
	if (ends->outcome->left[0])
		fail_msg("%s left a file behind: %s", spec->ops->name, ends->outcome->left);
}

static struct ends_outcome *outcomes_new(void)
{
	if (!shared)
		shared = mmap(NULL, ENDS_RUNS_MAX * sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	memset(shared, 0, ENDS_RUNS_MAX * sizeof(*shared));
	return shared;
}

const struct ends_outcome *ends_run_together(const struct ends_spec *specs, size_t count,
					     ends_body server, ends_body client)
{
	struct ends_outcome *outcomes = outcomes_new();
	struct ends ends[ENDS_RUNS_MAX];

	assert_in_range(count, 1, ENDS_RUNS_MAX);
	for (size_t i = 0; i < count; i++) {
		ends[i] = (struct ends){
			.spec = &specs[i],
			.server = server,
			.client = client,
			.outcome = &outcomes[i],
			.directory = "/tmp/ipctrace-ends-XXXXXX",
		};
		assert_in_range(specs[i].clients, 1, ENDS_CLIENTS_MAX);
		assert_non_null(mkdtemp(ends[i].directory));
		processes_start(&ends[i]);
	}
	processes_wait(ends, count);
	for (size_t i = 0; i < count; i++)
		ends_finish(&ends[i]);
	return outcomes;
}

const struct ends_outcome *ends_run(const struct ends_spec *spec, ends_body server,
				    ends_body client)
{
	return ends_run_together(spec, 1, server, client);
}

uint64_t corrupt(const struct ends_outcome *outcome)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i <= ENDS_CLIENTS_MAX; i++)
		for (uint32_t peer = 0; peer <= ENDS_CLIENTS_MAX; peer++)
			sum += outcome->sides[i].corrupt[peer];
	return sum;
}

void assert_all(const struct ends_spec *spec, const struct ends_outcome *outcome,
		uint64_t to_clients, uint64_t to_server)
{
	for (uint32_t client = 1; client <= spec->clients; client++) {
		assert_int_equal(outcome->sides[LINK_SERVER].sent[client], to_clients);
		assert_int_equal(outcome->sides[client].received[LINK_SERVER], to_clients);
		assert_int_equal(outcome->sides[client].sent[LINK_SERVER], to_server);
		assert_int_equal(outcome->sides[LINK_SERVER].received[client], to_server);
	}
	assert_int_equal(corrupt(outcome), 0);
}

static void on_alarm(int number)
{
}

/* The signal is repeated, because it may come before the thread sleeps. */
static void interrupted_client(struct ends_side *side)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval timer = {{.tv_usec = 5000}, {.tv_usec = 5000}};
	uint32_t from;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	ends_expect(side, side->spec->ops->receive(side->end, side->data, side->spec->size,
						   &from) == -EINTR);
	timer = (struct itimerval){0};
	setitimer(ITIMER_REAL, &timer, NULL);
	ends_tell(side, 0);
}

static void waiting_server(struct ends_side *side)
{
	ends_await(side, 0, 1);
}

void ends_run_interrupted(const struct ends_spec *spec)
{
	ends_run(spec, waiting_server, interrupted_client);
}
