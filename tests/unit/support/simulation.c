/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/simulation.h"

#include "analysis/history/cpu_slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool chance(struct simulation *m, unsigned int percent)
{
	return random_below(&m->seed, 100) < percent;
}

static struct thread *server(struct simulation *m)
{
	return &m->thread[0];
}

static struct thread *client(struct simulation *m, uint32_t number)
{
	return &m->thread[number];
}

/* ---- What the tracer does, as bpf/probes/sched.bpf.c and its neighbours do it ---- */

static void log_change(struct simulation *m, struct thread *t, uint32_t kind, int cpu)
{
	if (t->change_cnt == CHANGES_MAX) {
		put_changes(&m->tape, t->tid, m->now_ns, t->first, t->change, CHANGES_MAX);
		t->first += CHANGES_MAX;
		t->change_cnt = 0;
	}
	t->change[t->change_cnt++] = change_pack(m->now_ns, cpu, kind);
}

static void wait_begins(struct simulation *m, struct thread *t)
{
	t->place = PLACE_RUNNABLE;
	m->cpu[t->cpu].waiters++;
}

static void emit_slice(struct simulation *m, int cpu)
{
	struct thread *t = m->cpu[cpu].current;

	if (t && !t->named) {
		struct record_name name = make_name(SLICE_TASK, t->tid, m->now_ns, t->comm);

		name.flags = t->step == KTHREAD ? NAME_KTHREAD : 0;
		tape_add(&m->tape, &name);
		t->named = true;
	}
	put_slice(&m->tape, make_task(cpu, m->cpu[cpu].seq++, t ? t->tid : 0, m->now_ns));
}

static void trace_switch(struct simulation *m, int cpu, struct thread *next, bool sleeps)
{
	struct thread *prev = m->cpu[cpu].current;

	if (m->cpu[cpu].waiters)
		emit_slice(m, cpu);
	if (prev && prev->traced) {
		log_change(m, prev,
			   sleeps            ? CHANGE_SLEEP
			   : prev->throttled ? CHANGE_THROTTLE
					     : CHANGE_PREEMPT,
			   cpu);
		if (sleeps)
			prev->place = PLACE_ASLEEP;
		else
			wait_begins(m, prev);
	}
	if (next && next->traced) {
		if (next->place == PLACE_RUNNABLE)
			m->cpu[cpu].waiters--;
		log_change(m, next, CHANGE_SWITCH, cpu);
		next->place = PLACE_ON_CPU;
	}
}

static void trace_wakeup(struct simulation *m, struct thread *t)
{
	if (!t->traced || t->place != PLACE_ASLEEP)
		return;
	log_change(m, t, CHANGE_WAKE, t->cpu);
	wait_begins(m, t);
}

static void trace_migrate(struct simulation *m, struct thread *t, int to)
{
	if (!t->traced || t->place != PLACE_RUNNABLE)
		return;
	emit_slice(m, t->cpu);
	m->cpu[t->cpu].waiters--;
	log_change(m, t, CHANGE_MIGRATE, to);
	t->cpu = to;
	wait_begins(m, t);
}

/* What the sender did so far comes before its SEND. */
static void trace_sender(struct simulation *m, struct thread *t)
{
	if (t->change_cnt)
		put_changes(&m->tape, t->tid, m->now_ns, t->first, t->change, t->change_cnt);
	t->first += t->change_cnt;
	t->change_cnt = 0;
}

static void trace_receive(struct simulation *m, struct thread *t, const struct truth *truth)
{
	put_receive(&m->tape, t->tid, CHANNEL + truth->client, truth->round, t->enter_ns, m->now_ns,
		    t->first, t->change, t->change_cnt);
	t->first += t->change_cnt;
	t->change_cnt = 0;
}

/* ---- The ledger ---- */

static void book(struct truth *truth, const struct thread *t, bool shows_switch, uint64_t ns)
{
	struct booking fresh = {.doing = t->doing, .call = t->call};
	struct booking *booking = truth->booking;
	struct booking *end = booking + truth->booking_cnt;

	if (t->doing == ASLEEP)
		fresh.early = t->since_ns < truth->queued_ns;
	if (t->doing == SWITCHING && !shows_switch)
		fresh.doing = RUNNING;
	while (booking < end && (booking->doing != fresh.doing || booking->call != fresh.call ||
				 booking->early != fresh.early))
		booking++;
	if (booking == end) {
		assert_true(truth->booking_cnt++ < BOOKINGS_MOST);
		*booking = fresh;
	}
	booking->ns += ns;
}

static void accuse(struct truth *truth, const struct thread *t, const struct cpu *cpu, uint64_t ns)
{
	struct blamed_share fresh = {.kind = SLICE_TASK,
				     .tid = cpu->current ? cpu->current->tid : 0};
	struct blamed_share *blamed = truth->blamed, *end = blamed + truth->blamed_cnt;

	if (t->throttled)
		fresh = (struct blamed_share){.kind = SHARE_THROTTLED};
	else if (cpu->irq)
		fresh = (struct blamed_share){.kind = SLICE_IRQ, .tid = cpu->irq};
	else if (cpu->softirq)
		fresh = (struct blamed_share){.kind = SLICE_SOFTIRQ, .tid = cpu->softirq};
	while (blamed < end && (blamed->kind != fresh.kind || blamed->tid != fresh.tid))
		blamed++;
	if (blamed == end) {
		assert_true(truth->blamed_cnt++ < BOOKINGS_MOST);
		*blamed = fresh;
	}
	blamed->ns += ns;
}

/* Time passes, and every message under way notes what its receiver did. */
static void pass(struct simulation *m, uint64_t ns)
{
	m->now_ns += ns;
	for (size_t i = 0; i < m->truth_cnt; i++) {
		struct truth *truth = &m->truth[i];
		const struct thread *t = client(m, truth->client);

		if (!truth->reported || truth->received)
			continue;
		book(truth, t, m->plan.shows_switch, ns);
		if (t->doing == RUNNABLE)
			accuse(truth, t, &m->cpu[t->cpu], ns);
	}
}

static enum component component_of(const struct booking *booking, uint32_t call)
{
	switch (booking->doing) {
	case ASLEEP: /* every call of a client takes a message of its one socket */
		return booking->early && booking->call ? COMPONENT_WAKEUP : COMPONENT_BLOCKED;
	case RUNNABLE:
		return COMPONENT_RUNQUEUE;
	case SWITCHING:
		return COMPONENT_SWITCH;
	default:
		return booking->call == call ? COMPONENT_RECEIVE : COMPONENT_BUSY;
	}
}

static void close_account(struct truth *truth, uint32_t call, uint64_t now_ns)
{
	truth->received = true;
	truth->recv_ns = now_ns;
	truth->path = PATH_RUNNING;
	if (!truth->reported)
		truth->queued_ns = now_ns;
	else if (truth->doing_at_queued == ASLEEP)
		truth->path = truth->call_at_queued ? PATH_SLEPT : PATH_BLOCKED;
	else if (truth->doing_at_queued == RUNNABLE)
		truth->path = PATH_RUNNABLE;
	truth->component_ns[COMPONENT_DISPATCH] = truth->send_ns - truth->stamp_ns;
	truth->component_ns[COMPONENT_SEND_PATH] = truth->queued_ns - truth->send_ns;
	for (uint32_t i = 0; i < truth->booking_cnt; i++)
		truth->component_ns[component_of(&truth->booking[i], call)] += truth->booking[i].ns;
}

/* ---- What threads and CPUs do ---- */

static void switch_to(struct simulation *m, int cpu, struct thread *next, bool sleeps)
{
	struct thread *prev = m->cpu[cpu].current;

	if (prev)
		prev->throttled = !sleeps && prev->traced && chance(m, 20);
	trace_switch(m, cpu, next, sleeps);
	if (prev) {
		prev->doing = sleeps ? ASLEEP : RUNNABLE;
		prev->since_ns = m->now_ns;
	}
	if (next) {
		next->doing = SWITCHING;
		next->throttled = false;
	}
	m->cpu[cpu].current = next;
}

/* Any thread that waits for this CPU, or NULL. */
static struct thread *pick(struct simulation *m, int cpu)
{
	unsigned int start = random_below(&m->seed, m->threads);

	for (unsigned int i = 0; i < m->threads; i++) {
		struct thread *t = &m->thread[(start + i) % m->threads];

		if (t->doing == RUNNABLE && t->cpu == cpu)
			return t;
	}
	return NULL;
}

static void go_to_sleep(struct simulation *m, struct thread *t, enum reason reason)
{
	t->reason = reason;
	switch_to(m, t->cpu, pick(m, t->cpu), true);
}

static void wake(struct simulation *m, struct thread *t)
{
	t->wake_pending = false;
	t->cpu = random_below(&m->seed, m->plan.cpus);
	trace_wakeup(m, t);
	t->doing = RUNNABLE;
}

static bool is_member(const struct simulation *m, uint32_t number)
{
	return number <= m->plan.clients &&
	       !(m->plan.drops && number == m->plan.clients && m->round >= m->plan.rounds / 2);
}

static void end_round(struct simulation *m, struct thread *t)
{
	tape_add(&m->tape, &m->tick);
	m->round++;
	m->due_ns += 2000 * m->plan.clients;
	t->step = m->round < m->plan.rounds ? SERVER_STAMP : SERVER_DONE;
	go_to_sleep(m, t, FOR_TIMER);
}

static void enter_send(struct simulation *m, struct thread *t)
{
	if (!is_member(m, m->cursor)) {
		end_round(m, t);
		return;
	}
	assert_true(m->truth_cnt < MESSAGES_MOST);
	m->sending = &m->truth[m->truth_cnt++];
	m->sending->round = m->round;
	m->sending->client = m->cursor;
	m->sending->stamp_ns = m->tick.stamp_ns;
	m->sending->send_ns = m->now_ns;
	t->step = SERVER_VISIBLE;
}

static void say_queued(struct simulation *m)
{
	struct truth *truth = m->sending;
	struct thread *to = client(m, truth->client);

	m->reported_ns = m->now_ns;
	if (!truth->received) {
		truth->reported = true;
		truth->queued_ns = m->now_ns;
		truth->doing_at_queued = to->doing;
		truth->call_at_queued = to->call;
	}
	if (to->doing == ASLEEP && to->reason == FOR_DATA)
		to->wake_pending = true;
}

static void run_server(struct simulation *m, struct thread *t)
{
	struct thread *to = m->sending ? client(m, m->sending->client) : NULL;

	switch (t->step) {
	case SERVER_STAMP:
		m->tick = make_tick(m->round, m->now_ns, 0);
		m->tick.due_ns = m->due_ns < m->now_ns ? m->due_ns : m->now_ns;
		m->cursor = 1;
		t->step = SERVER_ENTER;
		break;
	case SERVER_ENTER:
		enter_send(m, t);
		break;
	case SERVER_VISIBLE:
		m->sending->visible = true;
		to->queue[to->tail++] = m->sending;
		t->step = SERVER_QUEUED;
		break;
	case SERVER_QUEUED:
		say_queued(m);
		t->step = SERVER_EXIT;
		break;
	case SERVER_EXIT:
		trace_sender(m, t);
		put_send(&m->tape, SERVER_TID, CHANNEL + m->cursor, m->round, m->sending->send_ns,
			 m->reported_ns);
		m->tick.sent++;
		m->cursor++;
		t->step = SERVER_ENTER;
		break;
	default:
		go_to_sleep(m, t, AT_GATE);
	}
}

static void leave_call(struct simulation *m, struct thread *t)
{
	struct truth *truth = t->queue[t->head];

	trace_receive(m, t, truth);
	close_account(truth, t->call, m->now_ns);
	t->call = 0;
	t->step = CLIENT_STAMP;
}

static void say_stamp(struct simulation *m, struct thread *t)
{
	struct truth *truth = t->queue[t->head++];

	truth->user_ns = m->now_ns;
	truth->component_ns[COMPONENT_RETURN] = truth->user_ns - truth->recv_ns;
	put_stamp(&m->tape, truth->client, truth->round, truth->stamp_ns, truth->user_ns);
	t->step = CLIENT_OUTSIDE;
}

static void run_client(struct simulation *m, struct thread *t)
{
	if (m->plan.sleepy && chance(m, t->step == CLIENT_OUTSIDE ? 25 : 8)) {
		go_to_sleep(m, t, FOR_OTHER);
		return;
	}
	switch (t->step) {
	case CLIENT_OUTSIDE:
		t->call = ++t->calls;
		t->enter_ns = m->now_ns;
		t->step = CLIENT_LOOK;
		break;
	case CLIENT_LOOK:
		if (t->head < t->tail)
			t->step = CLIENT_TAKEN;
		else if (chance(m, 60))
			go_to_sleep(m, t, FOR_DATA);
		break;
	case CLIENT_TAKEN:
		leave_call(m, t);
		break;
	default:
		say_stamp(m, t);
	}
}

static void run(struct simulation *m, struct thread *t)
{
	if (t->step <= SERVER_DONE)
		run_server(m, t);
	else if (t->step <= CLIENT_STAMP)
		run_client(m, t);
	else if (t->step == KTHREAD && chance(m, 50))
		go_to_sleep(m, t, FOR_OTHER);
}

static void irq_begins(struct simulation *m, struct cpu *cpu)
{
	cpu->irq = 1 + random_below(&m->seed, 3);
	cpu->irq_ns = m->now_ns;
}

static void irq_ends(struct simulation *m, struct cpu *cpu)
{
	if (cpu->waiters)
		put_slice(&m->tape,
			  make_irq(cpu - m->cpu, cpu->seq++, cpu->irq, cpu->irq_ns, m->now_ns));
	cpu->irq = 0;
}

static void softirq_ends(struct simulation *m, struct cpu *cpu)
{
	if (cpu->waiters)
		put_slice(&m->tape, make_softirq(cpu - m->cpu, cpu->seq++, cpu->softirq,
						 cpu->softirq_ns, m->now_ns));
	cpu->softirq = 0;
}

static void cpu_step(struct simulation *m, struct cpu *cpu)
{
	struct thread *t = cpu->current, *other = pick(m, cpu - m->cpu);

	if (cpu->irq) {
		if (chance(m, 50))
			irq_ends(m, cpu);
	} else if (cpu->softirq) {
		if (chance(m, 20))
			irq_begins(m, cpu);
		else if (chance(m, 50))
			softirq_ends(m, cpu);
	} else if (t && t->doing == SWITCHING) {
		t->doing = RUNNING;
		if (t->traced && m->plan.shows_switch)
			log_change(m, t, CHANGE_RUN, t->cpu);
	} else if (chance(m, 4)) {
		irq_begins(m, cpu);
	} else if (chance(m, 4)) {
		cpu->softirq = 1 + random_below(&m->seed, 5);
		cpu->softirq_ns = m->now_ns;
	} else if (other && (!t || chance(m, 15))) {
		switch_to(m, cpu - m->cpu, other, false);
	} else if (t) {
		run(m, t);
	}
}

static bool clients_have_started(struct simulation *m)
{
	for (uint32_t i = 1; i <= m->plan.clients; i++) {
		if (!client(m, i)->calls)
			return false;
	}
	return true;
}

static bool may_wake(struct simulation *m, struct thread *t)
{
	switch (t->reason) {
	case AT_GATE:
		return t->step != SERVER_DONE && (t != server(m) || clients_have_started(m));
	case FOR_DATA:
		return t->wake_pending || (m->plan.spurious && chance(m, 5));
	case FOR_TIMER:
		return t->step != SERVER_DONE && m->now_ns >= m->due_ns;
	default:
		return chance(m, 30);
	}
}

/*
 * Not while it is held back, and not off a CPU that is inside of an interrupt, whose slice would
 * come after the slice of this wait.
 */
static void migrate(struct simulation *m, struct thread *t)
{
	int to = random_below(&m->seed, m->plan.cpus);

	if (to == t->cpu || t->throttled || m->cpu[t->cpu].irq || m->cpu[t->cpu].softirq)
		return;
	trace_migrate(m, t, to);
	t->cpu = to;
}

static void thread_step(struct simulation *m)
{
	struct thread *t = &m->thread[random_below(&m->seed, m->threads)];

	pass(m, 1 + random_below(&m->seed, 100));
	if (t->doing == ASLEEP && chance(m, 50) && may_wake(m, t))
		wake(m, t);
	else if (t->doing == RUNNABLE && chance(m, 10))
		migrate(m, t);
	else
		cpu_step(m, &m->cpu[random_below(&m->seed, m->plan.cpus)]);
}

static bool is_over(struct simulation *m)
{
	if (server(m)->step != SERVER_DONE)
		return false;
	for (uint32_t i = 1; i <= m->plan.clients && !m->plan.unfinished; i++) {
		if (client(m, i)->head < client(m, i)->tail)
			return false;
	}
	return true;
}

static void add_thread(struct simulation *m, uint32_t tid, enum step step, const char *comm)
{
	struct thread *t = &m->thread[m->threads++];

	t->tid = tid;
	t->step = step;
	t->traced = step <= CLIENT_STAMP;
	t->doing = ASLEEP;
	t->reason = AT_GATE;
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
}

/* Open messages of the clients, of which the last one's is never taken. */
static void put_control(struct simulation *m)
{
	for (uint32_t i = 1; i <= m->plan.clients; i++) {
		put_send(&m->tape, SERVER_TID + i, 900 + i, 0, m->now_ns, m->now_ns + 1);
		if (i < m->plan.clients)
			put_receive(&m->tape, CONTROL_TID, 900 + i, 0, m->now_ns, m->now_ns + 5, 0,
				    NO_CHANGES);
	}
}

struct plan random_plan(uint64_t seed)
{
	return (struct plan){
		.seed = seed * 1000003,
		.cpus = 1 + seed % 2,
		.clients = 1 + seed % CLIENTS_MOST,
		.rounds = 20 + seed % 7 * 5,
		.warmup = seed % 4,
		.shows_switch = seed % 5 != 0,
		.sleepy = seed % 3 != 1,
		.spurious = seed % 4 < 2,
		.drops = seed % 6 == 0,
		.unfinished = seed % 7 == 0,
		.start_ns = seed % 8 == 0 ? (1ULL << CHANGE_TIME_BITS) - 20000 : 1000000,
	};
}

struct run_info simulation_info(const struct simulation *m)
{
	struct run_info info = {.traced = true, .shows_switch = m->plan.shows_switch};

	info.workload.clients = m->plan.clients;
	strcpy(info.workload.pattern, "push");
	info.workload.warmup = m->plan.warmup;
	return info;
}

struct simulation *simulation_run(const struct plan *plan)
{
	struct simulation *m = calloc(1, sizeof(*m));
	char comm[RECORD_COMM_LEN];

	assert_non_null(m);
	m->plan = *plan;
	m->seed = plan->seed;
	m->now_ns = m->due_ns = plan->start_ns;
	put_role(&m->tape, SERVER_TID, ROLE_SERVER, 0);
	add_thread(m, SERVER_TID, SERVER_STAMP, "server");
	for (uint32_t i = 1; i <= plan->clients; i++) {
		snprintf(comm, sizeof(comm), "client-%u", i % 1000);
		put_role(&m->tape, SERVER_TID + i, ROLE_CLIENT, i);
		add_thread(m, SERVER_TID + i, CLIENT_OUTSIDE, comm);
	}
	add_thread(m, SPINNER_TID, SPINNER, "spinner");
	add_thread(m, KTHREAD_TID, KTHREAD, "kworker/0:1");
	put_control(m);
	while (!is_over(m))
		thread_step(m);
	put_end(&m->tape);
	return m;
}

void simulation_free(struct simulation *m)
{
	tape_free(&m->tape);
	free(m);
}
