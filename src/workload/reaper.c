/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reaps the processes of a workload, finds out why they have ended, and ends processes if
 * necessary.
 */
#include "util/clock.h"
#include "workload/state.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* For a client after the server has ended, and for a server after a stop. */
#define PATIENCE_NS (2 * NSEC_PER_SEC)

/* For a server after all clients have ended: it may wait for messages that no client will send. */
#define SERVER_PATIENCE_NS (NSEC_PER_SEC / 4)

/* For a process that a handler's command has stopped, and how often it is resumed. */
#define STOP_PATIENCE_NS (NSEC_PER_SEC / 4)
#define RESUMES_MAX      3

/* The process of a member. */
static struct process *workload_process(const struct workload *w, uint32_t member)
{
	return &w->processes[member && w->plan.spec.threads ? 1 : member];
}

uint64_t workload__rounds(const struct workload *w)
{
	uint64_t rounds = atomic_load(&w->shared->slots[0].rounds);

	if (w->plan.transport->kernel_sends)
		return w->ticks_reported;
	return w->plan.pattern->to_server ? rounds / w->plan.spec.clients : rounds;
}

/* A thread cannot be killed while its process lives on, only asked to end. */
static bool is_thread(const struct workload *w, uint32_t i)
{
	return i && w->plan.spec.threads;
}

static int dropped_errno(const struct workload *w, uint32_t i)
{
	return (int)atomic_load_explicit(&w->shared->slots[i].dropped_errno, memory_order_acquire);
}

static uint64_t rounds_of(const struct workload *w, uint32_t i)
{
	return i ? atomic_load(&w->shared->slots[i].direction[TO_CLIENT].received)
		 : workload__rounds(w);
}

static void left_set(struct workload *w, uint32_t i, enum left_reason reason, uint64_t round,
		     int detail)
{
	struct member *member = &w->members[i];

	member->has_left = true;
	member->left = (struct record_left){
		.head = record_head(RECORD_LEFT, sizeof(struct record_left), 0,
				    atomic_load(&w->shared->slots[i].tid)),
		.client = i,
		.reason = reason,
		.round = round,
		.detail = (uint64_t)detail,
	};
}

/*
 * At most one record for each member, with the cause and not its consequence. Sends to a killed
 * client fail, so the signal comes first. A dropped client is ended by the reaper's SIGTERM, so the
 * drop comes first. A client that is killed because the server has died yields no record.
 */
static void left_find(struct workload *w, uint32_t i, int status)
{
	bool forced = workload_process(w, i)->forced;
	int dropped = dropped_errno(w, i);

	if (WIFSIGNALED(status) && !(w->members[i].asked && WTERMSIG(status) == SIGTERM) &&
	    !(forced && w->server_died))
		left_set(w, i, LEFT_SIGNAL, rounds_of(w, i), WTERMSIG(status));
	else if (dropped)
		left_set(w, i, LEFT_SEND_FAILED, w->shared->slots[i].dropped_round, dropped);
	else if (WIFEXITED(status) && WEXITSTATUS(status) && !shared_stopped(w->shared))
		left_set(w, i, LEFT_EXIT, rounds_of(w, i), WEXITSTATUS(status));
}

/* `status` is as of waitpid(). */
static void member_ended(struct workload *w, uint32_t i, int status)
{
	if (w->members[i].ended)
		return;
	w->members[i].ended = true;
	shared_pause_end(w->shared, i);
	left_find(w, i, status);
	if (i == LINK_SERVER) {
		w->server_ended_ns = clock_now_ns();
		w->server_died = w->members[0].has_left;
		/* Clients that have received everything may leave. */
		word_raise(&w->shared->gate, GATE_DONE);
		return;
	}
	shared_finish(w->shared, i);
	shared_member_set(w->shared, i, MEMBER_LEFT);
	for (uint32_t client = 1; client <= w->plan.spec.clients; client++)
		if (!w->members[client].ended)
			return;
	w->clients_ended_ns = clock_now_ns();
}

/* Threads that have ended while their process goes on. */
static void threads_reap(struct workload *w)
{
	for (uint32_t i = 1; w->plan.spec.threads && i <= w->plan.spec.clients; i++) {
		uint32_t status = atomic_load(&w->shared->slots[i].status);

		if (status != STATUS_NONE)
			member_ended(w, i, W_EXITCODE((int)status, 0));
	}
}

static void process_changed(struct workload *w, struct process *process, int status)
{
	if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
		process->stopped_ns = WIFSTOPPED(status) ? clock_now_ns() : 0;
		return;
	}
	process->alive = false;
	for (uint32_t i = 0; i <= w->plan.spec.clients; i++)
		if (workload_process(w, i) == process)
			member_ended(w, i, status);
}

/* Waits for each pid: the caller may have other children. */
unsigned int reaper_reap(struct workload *w)
{
	unsigned int living = 0;

	threads_reap(w);
	for (unsigned int i = 0; i < w->forked; i++) {
		int status;

		if (!w->processes[i].alive)
			continue;
		while (w->processes[i].alive &&
		       waitpid(w->processes[i].pid, &status, WNOHANG | WUNTRACED | WCONTINUED) > 0)
			process_changed(w, &w->processes[i], status);
		living += w->processes[i].alive;
	}
	return living;
}

bool reaper_is_complete(const struct workload *w)
{
	for (unsigned int i = 0; i < w->forked; i++)
		if (w->processes[i].alive)
			return false;
	return true;
}

/* When a run ends early, clients wait for a round or an answer that does not come. */
static bool reaper_is_done(const struct workload *w, uint32_t i)
{
	const struct direction *direction = &w->shared->slots[i].direction[TO_CLIENT];

	return w->server_ended_ns && (shared_stopped(w->shared) || w->server_died) &&
	       atomic_load(&direction->received) >= atomic_load(&direction->sent);
}

/*
 * A stopped process handles a signal only after it continues. A thread checks `asked` before it
 * waits, and the signal only interrupts the wait. The signal may come before the wait, so it is
 * sent again until the thread has ended.
 */
static void member_ask(struct workload *w, uint32_t i)
{
	struct slot *slot = &w->shared->slots[i];
	pid_t pid = workload_process(w, i)->pid;

	if (is_thread(w, i)) {
		atomic_store(&slot->asked, 1);
		tgkill(pid, (pid_t)atomic_load(&slot->tid), SIGTERM);
	} else if (!w->members[i].asked) {
		kill(pid, SIGTERM);
	}
	w->members[i].asked = true;
	kill(pid, SIGCONT);
}

static void process_force(struct process *process)
{
	process->forced = true;
	kill(process->pid, SIGKILL);
}

/* By how much `begin_ns` (0: not yet) lies more than `patience_ns` in the past; else 0. */
static uint64_t overdue_ns(uint64_t begin_ns, uint64_t patience_ns, uint64_t now_ns)
{
	return begin_ns && now_ns - begin_ns > patience_ns ? now_ns - begin_ns - patience_ns : 0;
}

/*
 * The server may sleep until a far tick, be stopped by a signal, or wait for messages that do not
 * come. A debugger can keep SIGTERM away from it; SIGKILL follows.
 */
static void server_press(struct workload *w, uint64_t now_ns)
{
	uint64_t stop_ns, clients_ns;

	if (w->members[0].ended)
		return;
	if (shared_stopped(w->shared) && !w->stop_seen_ns)
		w->stop_seen_ns = now_ns;
	stop_ns = overdue_ns(w->stop_seen_ns, PATIENCE_NS, now_ns);
	clients_ns = overdue_ns(w->clients_ended_ns, SERVER_PATIENCE_NS, now_ns);
	if (stop_ns > PATIENCE_NS || clients_ns > PATIENCE_NS)
		process_force(workload_process(w, LINK_SERVER));
	else if (stop_ns || clients_ns)
		member_ask(w, LINK_SERVER);
}

static void client_press(struct workload *w, uint32_t i, uint64_t now_ns)
{
	if (w->members[i].ended)
		return;
	if (w->server_ended_ns && now_ns - w->server_ended_ns > PATIENCE_NS)
		process_force(workload_process(w, i));
	else if (dropped_errno(w, i) || reaper_is_done(w, i))
		member_ask(w, i);
}

/*
 * A command has the rights of the workload's user, so it can stop processes of the workload. They
 * are resumed a few times and then killed.
 */
static void process_press(struct process *process, uint64_t now_ns)
{
	if (!process->alive || !overdue_ns(process->stopped_ns, STOP_PATIENCE_NS, now_ns))
		return;
	process->stopped_ns = 0;
	if (process->resumed++ < RESUMES_MAX)
		kill(process->pid, SIGCONT);
	else
		process_force(process);
}

void reaper_press(struct workload *w)
{
	const struct handler_ops *handler = w->plan.handler;
	uint64_t now_ns = clock_now_ns();

	for (unsigned int i = 0; handler && handler->runs_commands && i < w->forked; i++)
		process_press(&w->processes[i], now_ns);
	server_press(w, now_ns);
	for (uint32_t i = 1; i <= w->plan.spec.clients; i++)
		client_press(w, i, now_ns);
}

void reaper_force(struct workload *w)
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
