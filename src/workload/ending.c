/* SPDX-License-Identifier: BSD-2-Clause */
#include "workload/ending.h"
#include "workload/clock.h"

#include <signal.h>
#include <sys/wait.h>

/* For a client that stays after the server has ended, and for a server that stays after a stop. */
#define PATIENCE_NS (2 * NSEC_PER_SEC)

static int dropped_errno(const struct workload *w, unsigned int i)
{
	return (int)atomic_load_explicit(&w->shared->slots[i].dropped_errno, memory_order_acquire);
}

static void left_set(struct workload *w, unsigned int i, enum left_reason reason, uint64_t round,
		     int detail)
{
	struct process *process = &w->processes[i];

	process->has_left = true;
	process->left = (struct record_left){
		.head = {.type = RECORD_LEFT,
			 .words = RECORD_WORDS(struct record_left),
			 .tid = (uint32_t)process->pid},
		.client = i,
		.reason = reason,
		.round = round,
		.detail = (uint64_t)detail,
	};
}

/*
 * One record at most, and the cause rather than its consequence: sends to a killed client fail, so
 * the signal comes first; a dropped client is ended by our own SIGTERM, so the drop comes first. A
 * client that we end because the server has died has no story of its own.
 */
static void left_find(struct workload *w, unsigned int i, int status)
{
	const struct process *process = &w->processes[i];
	uint64_t round = journal_count(&w->shared->slots[i].journal);
	int dropped = dropped_errno(w, i);

	if (WIFSIGNALED(status) && !(process->asked && WTERMSIG(status) == SIGTERM) &&
	    !(process->forced && w->server_died))
		left_set(w, i, LEFT_SIGNAL, round, WTERMSIG(status));
	else if (dropped)
		left_set(w, i, LEFT_SEND_FAILED, w->shared->slots[i].dropped_round, dropped);
	else if (WIFEXITED(status) && WEXITSTATUS(status) && !shared_stopped(w->shared))
		left_set(w, i, LEFT_EXIT, round, WEXITSTATUS(status));
}

static void process_ended(struct workload *w, unsigned int i, int status)
{
	w->processes[i].alive = false;
	left_find(w, i, status);
	if (i == 0) {
		w->server_ended_ns = clock_now_ns();
		w->server_died = w->processes[0].has_left;
	} else {
		shared_member_set(w->shared, i, MEMBER_LEFT);
	}
}

/* One by one: the caller may have other children. */
unsigned int ending_reap(struct workload *w)
{
	unsigned int living = 0;

	for (unsigned int i = 0; i < w->forked; i++) {
		int status;

		if (!w->processes[i].alive)
			continue;
		if (waitpid(w->processes[i].pid, &status, WNOHANG) > 0)
			process_ended(w, i, status);
		else
			living++;
	}
	return living;
}

/* In a stopped run clients wait for a last round that will not come. */
static bool is_done(const struct workload *w, unsigned int i)
{
	const struct slot *slots = w->shared->slots;

	return shared_stopped(w->shared) && w->server_ended_ns &&
	       journal_count(&slots[i].journal) >= journal_count(&slots[0].journal);
}

/* A process that somebody has stopped takes the signal only when it continues. */
static void process_ask(struct process *process)
{
	process->asked = true;
	kill(process->pid, SIGTERM);
	kill(process->pid, SIGCONT);
}

static void process_force(struct process *process)
{
	process->forced = true;
	kill(process->pid, SIGKILL);
}

/* A server that sleeps until a far tick, or that somebody has stopped, does not see a stop. */
static void server_press(struct workload *w, uint64_t now_ns)
{
	struct process *server = &w->processes[0];

	if (!shared_stopped(w->shared) || !server->alive || server->asked)
		return;
	if (!w->stop_seen_ns)
		w->stop_seen_ns = now_ns;
	if (now_ns - w->stop_seen_ns > PATIENCE_NS)
		process_ask(server);
}

static void client_press(struct workload *w, unsigned int i, uint64_t now_ns)
{
	struct process *client = &w->processes[i];

	if (!client->alive)
		return;
	if (w->server_ended_ns && now_ns - w->server_ended_ns > PATIENCE_NS)
		process_force(client);
	else if (!client->asked && (dropped_errno(w, i) || is_done(w, i)))
		process_ask(client);
}

void ending_press(struct workload *w)
{
	uint64_t now_ns = clock_now_ns();

	server_press(w, now_ns);
	for (unsigned int i = 1; i < w->forked; i++)
		client_press(w, i, now_ns);
}

void ending_force(struct workload *w)
{
	for (unsigned int i = 0; i < w->forked; i++)
		if (w->processes[i].alive)
			kill(w->processes[i].pid, SIGKILL);
	for (unsigned int i = 0; i < w->forked; i++)
		if (w->processes[i].alive)
			waitpid(w->processes[i].pid, NULL, 0);
	for (unsigned int i = 0; i < w->forked; i++)
		w->processes[i].alive = false;
}
