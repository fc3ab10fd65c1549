/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random runs. A small machine with one or two CPUs, a server, clients, a spinner, a kernel thread
 * and interrupts does random things; it writes the records that the kernel would write, and keeps a
 * ledger of its own in which every nanosecond of every message is booked as it passes. The analysis
 * has to come to the same figures, in whatever order it gets the records, and to no wrong one if
 * some are lost.
 */
#include "build.h"

#include "core/cpu_history.h"
#include "core/decode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CLIENTS_MOST = 5,
	CPUS_MOST = 2,
	MESSAGES_MOST = 400,
	BOOKINGS_MOST = 256,
	SERVER_TID = 100, /* and from there on the clients */
	CONTROL_TID = 90,
	SPINNER_TID = 500,
	KTHREAD_TID = 600,
	CHANNEL = 10,
};

/* ---- The machine ---- */

enum doing { ASLEEP, RUNNABLE, SWITCHING, RUNNING };
enum reason { AT_GATE, FOR_DATA, FOR_TIMER, FOR_OTHER };
enum place { PLACE_ON_CPU, PLACE_ASLEEP, PLACE_RUNNABLE };

/* Where a thread is in its program. */
enum step {
	SERVER_STAMP,
	SERVER_ENTER,
	SERVER_VISIBLE,
	SERVER_QUEUED,
	SERVER_EXIT,
	SERVER_DONE,
	CLIENT_OUTSIDE,
	CLIENT_LOOK,
	CLIENT_TAKEN,
	CLIENT_STAMP,
	SPINNER,
	KTHREAD,
};

/* Nanoseconds of a message that were spent in one way. */
struct booking {
	enum doing doing;
	bool early; /* asleep since before `queued` */
	uint32_t call;
	uint64_t ns;
};

struct culprit {
	uint32_t kind;
	uint32_t tid;
	uint64_t ns;
};

/* A message as it was. */
struct truth {
	uint64_t round; /* warm-up included */
	uint32_t client;
	uint64_t stamp_ns, send_ns, queued_ns, recv_ns, user_ns;
	bool visible, told; /* in the receiver's queue; the sender has said so */
	bool received;
	enum doing doing_at_queued;
	uint32_t call_at_queued;
	enum path path;
	uint64_t component_ns[NR_COMPONENTS];
	struct booking booking[BOOKINGS_MOST];
	uint32_t booking_cnt;
	struct culprit culprit[BOOKINGS_MOST];
	uint32_t culprit_cnt;
};

struct thread {
	uint32_t tid;
	char comm[RECORD_COMM_LEN];
	bool traced;
	bool named;
	enum step step;
	enum doing doing;
	enum reason reason;
	int cpu;
	uint64_t since_ns; /* asleep */
	bool wake_pending;
	bool throttled; /* runnable, but held back */
	uint32_t call;  /* the receive call it is in; 0: none */
	uint32_t calls;
	uint64_t enter_ns;
	struct truth *queue[MESSAGES_MOST];
	size_t head, tail; /* of the queue */

	/* What the tracer remembers of it. */
	enum place place;
	uint64_t change[CHANGES_MAX];
	uint32_t change_cnt;
	uint64_t first;
};

struct cpu {
	struct thread *current; /* NULL: idle */
	uint32_t irq;           /* 0: none */
	uint32_t softirq;
	uint64_t irq_ns, softirq_ns; /* when they began */
	uint32_t waiters;
	uint32_t seq;
};

struct plan {
	uint64_t seed;
	unsigned int cpus;
	unsigned int clients;
	unsigned int rounds;
	unsigned int warmup;
	bool shows_switch;
	bool sleepy;     /* threads also sleep for other reasons */
	bool spurious;   /* threads are also woken for no reason */
	bool drops;      /* the last client is dropped half-way */
	bool unfinished; /* the run ends when the server does */
	uint64_t start_ns;
};

struct machine {
	struct plan plan;
	uint64_t seed;
	uint64_t now_ns;
	struct thread thread[CLIENTS_MOST + 3]; /* server, clients, spinner, kernel thread */
	unsigned int threads;
	struct cpu cpu[CPUS_MOST];
	struct truth truth[MESSAGES_MOST];
	size_t truth_cnt;
	struct tape tape;

	/* The server's round. */
	uint64_t round;
	uint64_t due_ns;
	struct record_tick tick;
	unsigned int cursor;
	struct truth *sending;
	uint64_t told_ns; /* sk_data_ready of it */
};

static bool chance(struct machine *m, unsigned int percent)
{
	return random_below(&m->seed, 100) < percent;
}

static struct thread *server(struct machine *m)
{
	return &m->thread[0];
}

static struct thread *client(struct machine *m, uint32_t number)
{
	return &m->thread[number];
}

/* ---- What the tracer does, as bpf/sched.bpf.c and its neighbours do it ---- */

static void log_change(struct machine *m, struct thread *t, uint32_t kind, int cpu)
{
	if (t->change_cnt == CHANGES_MAX) {
		put_changes(&m->tape, t->tid, m->now_ns, t->first, t->change, CHANGES_MAX);
		t->first += CHANGES_MAX;
		t->change_cnt = 0;
	}
	t->change[t->change_cnt++] = change_pack(m->now_ns, cpu, kind);
}

static void wait_begins(struct machine *m, struct thread *t)
{
	t->place = PLACE_RUNNABLE;
	m->cpu[t->cpu].waiters++;
}

static void emit_slice(struct machine *m, int cpu)
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

static void trace_switch(struct machine *m, int cpu, struct thread *next, bool sleeps)
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

static void trace_wakeup(struct machine *m, struct thread *t)
{
	if (!t->traced || t->place != PLACE_ASLEEP)
		return;
	log_change(m, t, CHANGE_WAKE, t->cpu);
	wait_begins(m, t);
}

static void trace_migrate(struct machine *m, struct thread *t, int to)
{
	if (!t->traced || t->place != PLACE_RUNNABLE)
		return;
	emit_slice(m, t->cpu);
	m->cpu[t->cpu].waiters--;
	log_change(m, t, CHANGE_MIGRATE, to);
	t->cpu = to;
	wait_begins(m, t);
}

static void trace_receive(struct machine *m, struct thread *t, const struct truth *truth)
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
	struct culprit fresh = {.kind = SLICE_TASK, .tid = cpu->current ? cpu->current->tid : 0};
	struct culprit *culprit = truth->culprit, *end = culprit + truth->culprit_cnt;

	if (t->throttled)
		fresh = (struct culprit){.kind = SHARE_THROTTLED};
	else if (cpu->irq)
		fresh = (struct culprit){.kind = SLICE_IRQ, .tid = cpu->irq};
	else if (cpu->softirq)
		fresh = (struct culprit){.kind = SLICE_SOFTIRQ, .tid = cpu->softirq};
	while (culprit < end && (culprit->kind != fresh.kind || culprit->tid != fresh.tid))
		culprit++;
	if (culprit == end) {
		assert_true(truth->culprit_cnt++ < BOOKINGS_MOST);
		*culprit = fresh;
	}
	culprit->ns += ns;
}

/* Time passes, and every message under way is told how. */
static void pass(struct machine *m, uint64_t ns)
{
	m->now_ns += ns;
	for (size_t i = 0; i < m->truth_cnt; i++) {
		struct truth *truth = &m->truth[i];
		const struct thread *t = client(m, truth->client);

		if (!truth->told || truth->received)
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
	if (!truth->told)
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

static void switch_to(struct machine *m, int cpu, struct thread *next, bool sleeps)
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
static struct thread *pick(struct machine *m, int cpu)
{
	unsigned int start = random_below(&m->seed, m->threads);

	for (unsigned int i = 0; i < m->threads; i++) {
		struct thread *t = &m->thread[(start + i) % m->threads];

		if (t->doing == RUNNABLE && t->cpu == cpu)
			return t;
	}
	return NULL;
}

static void go_to_sleep(struct machine *m, struct thread *t, enum reason reason)
{
	t->reason = reason;
	switch_to(m, t->cpu, pick(m, t->cpu), true);
}

static void wake(struct machine *m, struct thread *t)
{
	t->wake_pending = false;
	t->cpu = random_below(&m->seed, m->plan.cpus);
	trace_wakeup(m, t);
	t->doing = RUNNABLE;
}

static bool is_member(const struct machine *m, uint32_t number)
{
	return number <= m->plan.clients &&
	       !(m->plan.drops && number == m->plan.clients && m->round >= m->plan.rounds / 2);
}

static void end_round(struct machine *m, struct thread *t)
{
	tape_add(&m->tape, &m->tick);
	m->round++;
	m->due_ns += 2000 * m->plan.clients;
	t->step = m->round < m->plan.rounds ? SERVER_STAMP : SERVER_DONE;
	go_to_sleep(m, t, FOR_TIMER);
}

static void enter_send(struct machine *m, struct thread *t)
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

static void say_queued(struct machine *m)
{
	struct truth *truth = m->sending;
	struct thread *to = client(m, truth->client);

	m->told_ns = m->now_ns;
	if (!truth->received) {
		truth->told = true;
		truth->queued_ns = m->now_ns;
		truth->doing_at_queued = to->doing;
		truth->call_at_queued = to->call;
	}
	if (to->doing == ASLEEP && to->reason == FOR_DATA)
		to->wake_pending = true;
}

static void run_server(struct machine *m, struct thread *t)
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
		put_send(&m->tape, SERVER_TID, CHANNEL + m->cursor, m->round, m->sending->send_ns,
			 m->told_ns);
		m->tick.sent++;
		m->cursor++;
		t->step = SERVER_ENTER;
		break;
	default:
		go_to_sleep(m, t, AT_GATE);
	}
}

static void leave_call(struct machine *m, struct thread *t)
{
	struct truth *truth = t->queue[t->head];

	trace_receive(m, t, truth);
	close_account(truth, t->call, m->now_ns);
	t->call = 0;
	t->step = CLIENT_STAMP;
}

static void say_stamp(struct machine *m, struct thread *t)
{
	struct truth *truth = t->queue[t->head++];

	truth->user_ns = m->now_ns;
	truth->component_ns[COMPONENT_RETURN] = truth->user_ns - truth->recv_ns;
	put_stamp(&m->tape, truth->client, truth->round, truth->stamp_ns, truth->user_ns);
	t->step = CLIENT_OUTSIDE;
}

static void run_client(struct machine *m, struct thread *t)
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

static void run(struct machine *m, struct thread *t)
{
	if (t->step <= SERVER_DONE)
		run_server(m, t);
	else if (t->step <= CLIENT_STAMP)
		run_client(m, t);
	else if (t->step == KTHREAD && chance(m, 50))
		go_to_sleep(m, t, FOR_OTHER);
}

static void irq_begins(struct machine *m, struct cpu *cpu)
{
	cpu->irq = 1 + random_below(&m->seed, 3);
	cpu->irq_ns = m->now_ns;
}

static void irq_ends(struct machine *m, struct cpu *cpu)
{
	if (cpu->waiters)
		put_slice(&m->tape,
			  make_irq(cpu - m->cpu, cpu->seq++, cpu->irq, cpu->irq_ns, m->now_ns));
	cpu->irq = 0;
}

static void softirq_ends(struct machine *m, struct cpu *cpu)
{
	if (cpu->waiters)
		put_slice(&m->tape, make_softirq(cpu - m->cpu, cpu->seq++, cpu->softirq,
						 cpu->softirq_ns, m->now_ns));
	cpu->softirq = 0;
}

static void cpu_acts(struct machine *m, struct cpu *cpu)
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

static bool clients_have_started(struct machine *m)
{
	for (uint32_t i = 1; i <= m->plan.clients; i++) {
		if (!client(m, i)->calls)
			return false;
	}
	return true;
}

static bool may_wake(struct machine *m, struct thread *t)
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
static void migrate(struct machine *m, struct thread *t)
{
	int to = random_below(&m->seed, m->plan.cpus);

	if (to == t->cpu || t->throttled || m->cpu[t->cpu].irq || m->cpu[t->cpu].softirq)
		return;
	trace_migrate(m, t, to);
	t->cpu = to;
}

static void act(struct machine *m)
{
	struct thread *t = &m->thread[random_below(&m->seed, m->threads)];

	pass(m, 1 + random_below(&m->seed, 100));
	if (t->doing == ASLEEP && chance(m, 50) && may_wake(m, t))
		wake(m, t);
	else if (t->doing == RUNNABLE && chance(m, 10))
		migrate(m, t);
	else
		cpu_acts(m, &m->cpu[random_below(&m->seed, m->plan.cpus)]);
}

static bool is_over(struct machine *m)
{
	if (server(m)->step != SERVER_DONE)
		return false;
	for (uint32_t i = 1; i <= m->plan.clients && !m->plan.unfinished; i++) {
		if (client(m, i)->head < client(m, i)->tail)
			return false;
	}
	return true;
}

static void add_thread(struct machine *m, uint32_t tid, enum step step, const char *comm)
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
static void put_control(struct machine *m)
{
	for (uint32_t i = 1; i <= m->plan.clients; i++) {
		put_send(&m->tape, SERVER_TID + i, 900 + i, 0, m->now_ns, m->now_ns + 1);
		if (i < m->plan.clients)
			put_receive(&m->tape, CONTROL_TID, 900 + i, 0, m->now_ns, m->now_ns + 5, 0,
				    NO_CHANGES);
	}
}

/* Everything that happens in a run. */
static struct machine *machine_run(const struct plan *plan)
{
	struct machine *m = calloc(1, sizeof(*m));
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
		act(m);
	put_end(&m->tape);
	return m;
}

static void machine_free(struct machine *m)
{
	tape_free(&m->tape);
	free(m);
}

/* ---- What the analysis has to say of it ---- */

static struct run_info info_of(const struct machine *m)
{
	struct run_info info = {.traced = true, .shows_switch = m->plan.shows_switch};

	info.workload.clients = m->plan.clients;
	strcpy(info.workload.pattern, "push");
	info.workload.warmup = m->plan.warmup;
	return info;
}

static const struct truth *truth_of(const struct machine *m, const struct message *message)
{
	for (size_t i = 0; i < m->truth_cnt; i++) {
		const struct truth *truth = &m->truth[i];

		if (truth->client == message->client &&
		    truth->round == message->round + m->plan.warmup)
			return truth;
	}
	fail_msg("client %u was sent no message in round %lu", message->client,
		 (unsigned long)message->round);
	return NULL;
}

static void check_components(const struct message *message, const struct truth *truth)
{
	uint64_t at_ns = truth->stamp_ns;

	assert_int_equal(message->stamp_ns, truth->stamp_ns);
	assert_int_equal(message->send_ns, truth->send_ns);
	assert_int_equal(message->queued_ns, truth->queued_ns);
	assert_int_equal(message->recv_ns, truth->recv_ns);
	assert_int_equal(message->user_ns, truth->user_ns);
	assert_int_equal(message->latency_ns, truth->user_ns - truth->stamp_ns);
	assert_int_equal(message->path, truth->path);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(message->component_ns[i], truth->component_ns[i]);
	assert_int_equal(sum_of(message->component_ns, NR_COMPONENTS), message->latency_ns);
	for (uint32_t i = 0; i < message->segment_cnt; i++) {
		assert_int_equal(message->segment[i].from_ns, at_ns);
		assert_true(message->segment[i].to_ns > at_ns);
		at_ns = message->segment[i].to_ns;
	}
	assert_int_equal(at_ns, truth->user_ns);
}

static uint64_t guilt(const struct truth *truth, const struct blame *blame)
{
	for (uint32_t i = 0; i < truth->culprit_cnt; i++) {
		if (truth->culprit[i].kind == blame->kind && truth->culprit[i].tid == blame->tid)
			return truth->culprit[i].ns;
	}
	return 0;
}

/* Shares add up and accuse nobody wrongly; some may be unknown. */
static void check_blame(const struct message *message, const struct truth *truth)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		const struct blame *blame = &message->blame[i];

		sum_ns += blame->ns;
		assert_true(blame->ns > 0);
		if (i)
			assert_true(blame->ns <= message->blame[i - 1].ns);
		if (blame->class != BLAME_UNKNOWN)
			assert_true(blame->ns <= guilt(truth, blame));
	}
	assert_int_equal(sum_ns, message->component_ns[COMPONENT_RUNQUEUE]);
}

static enum blame_class class_of(const struct blame *blame)
{
	if (blame->kind == SHARE_THROTTLED)
		return BLAME_THROTTLED;
	if (blame->kind != SLICE_TASK)
		return blame->kind == SLICE_IRQ ? BLAME_IRQ : BLAME_SOFTIRQ;
	switch (blame->tid) {
	case 0:
		return BLAME_IDLE;
	case SERVER_TID:
		return BLAME_SERVER;
	case SPINNER_TID:
		return BLAME_TASK;
	case KTHREAD_TID:
		return BLAME_KTHREAD;
	default:
		return BLAME_CLIENT;
	}
}

/* Nothing was lost: every culprit is known, by class, name and nanosecond. */
static void check_whole_blame(const struct machine *m, const struct message *message,
			      const struct truth *truth)
{
	assert_int_equal(message->blame_cnt, truth->culprit_cnt);
	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		const struct blame *blame = &message->blame[i];

		assert_int_equal(blame->ns, guilt(truth, blame));
		assert_int_equal(blame->class, class_of(blame));
		for (unsigned int k = 0; k < m->threads && blame->kind == SLICE_TASK; k++) {
			if (m->thread[k].tid == blame->tid)
				assert_string_equal(blame->comm, m->thread[k].comm);
		}
	}
}

static void check_integrity(const struct hearing *heard)
{
	assert_int_equal(accounted(&heard->summary->integrity), heard->summary->integrity.sent);
	assert_int_equal(heard->summary->integrity.matched, heard->cnt);
	assert_int_equal(heard->summary->integrity.residual_ns_max, 0);
}

static void check_whole_run(const struct machine *m, const struct hearing *heard)
{
	uint64_t sent = 0, received = 0;

	for (size_t i = 0; i < m->truth_cnt; i++) {
		sent += m->truth[i].round >= m->plan.warmup;
		received += m->truth[i].round >= m->plan.warmup && m->truth[i].user_ns;
	}
	check_integrity(heard);
	assert_int_equal(heard->summary->integrity.sent, sent);
	assert_int_equal(heard->cnt, received);
	for (size_t i = 0; i < heard->cnt; i++) {
		const struct truth *truth = truth_of(m, &heard->message[i]);

		check_components(&heard->message[i], truth);
		check_blame(&heard->message[i], truth);
		check_whole_blame(m, &heard->message[i], truth);
	}
}

static void check_damaged_run(const struct machine *m, const struct hearing *heard)
{
	check_integrity(heard);
	for (size_t i = 0; i < heard->cnt; i++) {
		const struct truth *truth = truth_of(m, &heard->message[i]);

		check_components(&heard->message[i], truth);
		check_blame(&heard->message[i], truth);
	}
}

/* ---- Two hearings of one run ---- */

static void assert_same_stat(const struct stat *a, const struct stat *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_true(a->sum == b->sum && a->sum_of_squares == b->sum_of_squares);
	for (int i = 0; i < STAT_OCTAVES; i++) {
		assert_int_equal(!a->octave[i], !b->octave[i]);
		if (a->octave[i])
			assert_memory_equal(a->octave[i], b->octave[i],
					    sizeof(uint32_t) << STAT_SUB_BITS);
	}
}

static void assert_same_sums(const struct component_sum *a, const struct component_sum *b)
{
	assert_int_equal(a->count, b->count);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(a->ns[i], b->ns[i]);
}

static void assert_same_blame(const struct blame *a, const struct blame *b)
{
	assert_int_equal(a->class, b->class);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->ns, b->ns);
	assert_int_equal(a->policy, b->policy);
	assert_int_equal(a->priority, b->priority);
	assert_string_equal(a->comm, b->comm);
}

static void assert_same_rounds(const struct rounds_summary *a, const struct rounds_summary *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->complete, b->complete);
	assert_int_equal(a->tick_ns, b->tick_ns);
	assert_same_stat(&a->first, &b->first);
	assert_same_stat(&a->next, &b->next);
	assert_same_stat(&a->last, &b->last);
	assert_same_sums(&a->first_components, &b->first_components);
	assert_same_sums(&a->next_components, &b->next_components);
	assert_true(a->service_ns == b->service_ns && a->efficiency_pct == b->efficiency_pct);
	assert_int_equal(a->order_cnt, b->order_cnt);
	assert_int_equal(a->order_other, b->order_other);
	for (uint32_t i = 0; i < a->order_cnt; i++) {
		assert_int_equal(a->order[i].hash, b->order[i].hash);
		assert_int_equal(a->order[i].rounds, b->order[i].rounds);
		assert_memory_equal(a->order[i].first, b->order[i].first,
				    sizeof(a->order[i].first));
	}
}

static void assert_same_peaks(const struct peaks_summary *a, const struct peaks_summary *b)
{
	assert_true(a->medium_ns == b->medium_ns && a->width_ns == b->width_ns);
	/* Of less than a second it is not known. */
	assert_true(a->per_second == b->per_second ||
		    (isnan(a->per_second) && isnan(b->per_second)));
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(a->cause[i], b->cause[i]);
	assert_int_equal(a->has_largest, b->has_largest);
	assert_int_equal(a->largest.latency_ns, b->largest.latency_ns);
	assert_int_equal(a->largest.at_ns, b->largest.at_ns);
	assert_int_equal(a->largest.client, b->largest.client);
	assert_int_equal(a->largest.component, b->largest.component);
	assert_int_equal(a->largest.component_ns, b->largest.component_ns);
	assert_same_blame(&a->largest.blame, &b->largest.blame);
}

static void assert_same_client(const struct client_summary *a, const struct client_summary *b)
{
	assert_int_equal(a->client, b->client);
	assert_int_equal(a->tid, b->tid);
	assert_string_equal(a->comm, b->comm);
	assert_same_stat(&a->latency, &b->latency);
	assert_same_sums(&a->components, &b->components);
	assert_int_equal(a->position_sum, b->position_sum);
	assert_int_equal(a->position_cnt, b->position_cnt);
	assert_int_equal(a->left, b->left);
}

static void assert_same_summary(const struct summary *a, const struct summary *b)
{
	assert_memory_equal(&a->integrity, &b->integrity, sizeof(a->integrity));
	assert_true(a->duration_s == b->duration_s);
	assert_same_stat(&a->latency, &b->latency);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_same_stat(&a->component[i], &b->component[i]);
	assert_memory_equal(a->path, b->path, sizeof(a->path));
	assert_same_rounds(&a->rounds, &b->rounds);
	assert_same_stat(&a->tick.lateness, &b->tick.lateness);
	assert_int_equal(a->tick.skipped, b->tick.skipped);
	assert_same_peaks(&a->peaks, &b->peaks);
	assert_int_equal(a->blame_cnt, b->blame_cnt);
	for (uint32_t i = 0; i < a->blame_cnt; i++) {
		assert_same_blame(&a->blame[i].who, &b->blame[i].who);
		assert_int_equal(a->blame[i].messages, b->blame[i].messages);
	}
	assert_int_equal(a->client_cnt, b->client_cnt);
	for (uint32_t i = 0; i < a->client_cnt; i++)
		assert_same_client(&a->client[i], &b->client[i]);
	assert_int_equal(a->server_left, b->server_left);
}

/* ---- Records in other orders, and with holes ---- */

static struct tape shuffled(const struct tape *tape, uint64_t seed)
{
	struct tape result = {0};

	for (size_t i = 0; i < tape->cnt; i++)
		tape_add(&result, tape->record[i]);
	for (size_t i = result.cnt; i > 1; i--) {
		size_t k = random_below(&seed, i);
		struct record *record = result.record[i - 1];

		result.record[i - 1] = result.record[k];
		result.record[k] = record;
	}
	return result;
}

/* The instant that a record is about; 0: none, it stands before everything. */
static uint64_t event_of(const struct record *record)
{
	switch (record->type) {
	case RECORD_SEND:
		return ((const struct record_send *)record)->queued_ns;
	case RECORD_RECEIVE:
		return ((const struct record_receive *)record)->exit_ns;
	case RECORD_CHANGES:
		return ((const struct record_changes *)record)->base_ns;
	case RECORD_SLICE:
		return ((const struct record_slice *)record)->end_ns;
	case RECORD_NAME:
		return ((const struct record_name *)record)->since_ns;
	case RECORD_TICK:
		return ((const struct record_tick *)record)->stamp_ns;
	case RECORD_STAMP:
		return ((const struct record_stamp *)record)->user_ns;
	case RECORD_END:
		return UINT64_MAX;
	default:
		return 0;
	}
}

/* Watermarks at random places, each no younger than any event that is still to come. */
static struct tape watermarked(const struct tape *tape, uint64_t seed)
{
	uint64_t *coming_ns = calloc(tape->cnt + 1, sizeof(*coming_ns));
	struct tape result = {0};

	coming_ns[tape->cnt] = UINT64_MAX;
	for (size_t i = tape->cnt; i > 0; i--) {
		uint64_t event_ns = event_of(tape->record[i - 1]);

		coming_ns[i - 1] = event_ns < coming_ns[i] ? event_ns : coming_ns[i];
	}
	for (size_t i = 0; i < tape->cnt; i++) {
		uint64_t back_ns = random_below(&seed, 3) ? 0 : random_below(&seed, 2000);

		if (coming_ns[i] > back_ns && !random_below(&seed, 6))
			put_watermark(&result, coming_ns[i] - back_ns);
		tape_add(&result, tape->record[i]);
	}
	free(coming_ns);
	return result;
}

/* A kind of record that can be lost. */
typedef bool is_kind_fn(const struct record *record);

/* What the kernel leaves out of the numbering of each client's changes for its lost receives. */
struct gaps {
	uint64_t cnt[CLIENTS_MOST + 1];
};

static uint64_t *gap_of(struct gaps *gaps, const struct record *record)
{
	static uint64_t nobodys;

	if (record->tid > SERVER_TID && record->tid <= SERVER_TID + CLIENTS_MOST)
		return &gaps->cnt[record->tid - SERVER_TID];
	nobodys = 0;
	return &nobodys;
}

/* As the kernel would have numbered its changes after the losses so far. */
static void renumber(struct record *record, struct gaps *gaps)
{
	if (record->type == RECORD_RECEIVE)
		((struct record_receive *)record)->first += *gap_of(gaps, record);
	else if (record->type == RECORD_CHANGES)
		((struct record_changes *)record)->first += *gap_of(gaps, record);
}

static struct tape damaged(const struct tape *tape, is_kind_fn *is_kind, size_t holes,
			   uint64_t *seed)
{
	struct tape result = {0};
	struct gaps gaps = {0};
	size_t left = 0;

	for (size_t i = 0; i < tape->cnt; i++)
		left += is_kind(tape->record[i]);
	/* Of those that are left, each is as likely to be one of the holes as any. */
	for (size_t i = 0; i < tape->cnt; i++) {
		if (is_kind(tape->record[i]) && random_below(seed, left--) < holes) {
			holes--;
			*gap_of(&gaps, tape->record[i]) += tape->record[i]->type == RECORD_RECEIVE;
			continue;
		}
		tape_add(&result, tape->record[i]);
		renumber(result.record[result.cnt - 1], &gaps);
	}
	return result;
}

/* ---- The tests ---- */

static struct plan plan_of(uint64_t seed)
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

#define RUNS 40

static void every_nanosecond_of_every_message_is_where_it_was(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = plan_of(seed);
		struct machine *m = machine_run(&plan);
		struct run_info info = info_of(m);
		struct hearing heard = hear(&info, &m->tape);

		check_whole_run(m, &heard);
		hearing_free(&heard);
		machine_free(m);
	}
}

/* What the random runs are made of, so that they do not become tame unnoticed. */
struct menagerie {
	uint64_t component_ns[NR_COMPONENTS];
	uint64_t path[NR_PATHS];
	uint64_t blame_ns[NR_BLAME_CLASSES];
	uint64_t change[NR_CHANGE_KINDS];
	uint64_t changes_records;
	uint64_t taken_before_queued;
	uint64_t waiting_messages; /* queued while the client has another one to take */
};

static void count_changes(struct menagerie *all, const struct record *record)
{
	const uint64_t *change = NULL;
	size_t cnt = 0;

	if (record->type == RECORD_RECEIVE)
		change = receive_changes((const void *)record, &cnt);
	else if (record->type == RECORD_CHANGES)
		change = changes_changes((const void *)record, &cnt);
	for (size_t i = 0; i < cnt; i++)
		all->change[change[i] >> (CHANGE_TIME_BITS + CHANGE_CPU_BITS)]++;
	all->changes_records += record->type == RECORD_CHANGES;
}

static void count_message(struct menagerie *all, const struct message *message,
			  const struct truth *truth)
{
	for (int i = 0; i < NR_COMPONENTS; i++)
		all->component_ns[i] += message->component_ns[i];
	for (uint32_t i = 0; i < message->blame_cnt; i++)
		all->blame_ns[message->blame[i].class] += message->blame[i].ns;
	all->path[message->path]++;
	all->taken_before_queued += !truth->told;
	for (uint32_t i = 0; i < truth->booking_cnt; i++)
		all->waiting_messages += truth->booking[i].call != truth->booking[0].call;
}

static void assert_at_least(uint64_t least, const uint64_t *value, size_t cnt)
{
	while (cnt--)
		assert_true(value[cnt] >= least);
}

static void random_runs_have_a_bit_of_everything(void **state)
{
	struct menagerie all = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = plan_of(seed);
		struct machine *m = machine_run(&plan);
		struct run_info info = info_of(m);
		struct hearing heard = hear(&info, &m->tape);

		for (size_t i = 0; i < m->tape.cnt; i++)
			count_changes(&all, m->tape.record[i]);
		for (size_t i = 0; i < heard.cnt; i++)
			count_message(&all, &heard.message[i], truth_of(m, &heard.message[i]));
		hearing_free(&heard);
		machine_free(m);
	}
	assert_at_least(10000, all.component_ns, NR_COMPONENTS);
	assert_at_least(50, all.path, NR_PATHS);
	assert_at_least(10000, all.blame_ns, BLAME_UNKNOWN);
	assert_at_least(100, all.change + CHANGE_SLEEP, CHANGE_RUN);
	assert_at_least(100, &all.change[CHANGE_THROTTLE], 1);
	assert_at_least(10, &all.changes_records, 1);
	assert_at_least(10, &all.taken_before_queued, 1);
	assert_at_least(10, &all.waiting_messages, 1);
	assert_int_equal(all.blame_ns[BLAME_UNKNOWN], 0);
}

static void watermarks_change_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = plan_of(seed);
		struct machine *m = machine_run(&plan);
		struct run_info info = info_of(m);
		struct hearing one = hear(&info, &m->tape);

		for (uint64_t i = 0; i < 3; i++) {
			struct tape tape = watermarked(&m->tape, 1000 * seed + i);
			struct hearing other = hear(&info, &tape);

			check_whole_run(m, &other);
			assert_same_summary(one.summary, other.summary);
			hearing_free(&other);
			tape_free(&tape);
		}
		hearing_free(&one);
		machine_free(m);
	}
}

static void the_order_of_the_records_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = plan_of(seed);
		struct machine *m = machine_run(&plan);
		struct run_info info = info_of(m);
		struct tape marked = watermarked(&m->tape, seed);
		struct hearing one = hear(&info, &marked);

		for (uint64_t i = 0; i < 3; i++) {
			struct tape tape = shuffled(&m->tape, 1000 * seed + i);
			struct hearing other = hear(&info, &tape);

			check_whole_run(m, &other);
			assert_same_summary(one.summary, other.summary);
			hearing_free(&other);
			tape_free(&tape);
		}
		tape_free(&marked);
		hearing_free(&one);
		machine_free(m);
	}
}

static void messages_come_in_the_order_of_their_receive(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = plan_of(seed);
		struct machine *m = machine_run(&plan);
		struct run_info info = info_of(m);
		struct tape tape = shuffled(&m->tape, seed);
		struct hearing heard = hear(&info, &tape);

		for (size_t i = 1; i < heard.cnt; i++)
			assert_true(heard.message[i - 1].recv_ns <= heard.message[i].recv_ns);
		hearing_free(&heard);
		tape_free(&tape);
		machine_free(m);
	}
}

static void hear_damaged(struct machine *m, const struct tape *tape, uint64_t *seed)
{
	struct run_info info = info_of(m);
	struct tape marked = watermarked(tape, random_next(seed));
	struct tape mixed = shuffled(tape, random_next(seed));
	struct hearing heard = hear(&info, &marked);

	check_damaged_run(m, &heard);
	hearing_free(&heard);
	heard = hear(&info, &mixed);
	check_damaged_run(m, &heard);
	hearing_free(&heard);
	tape_free(&marked);
	tape_free(&mixed);
}

static void check_losses(is_kind_fn *is_kind)
{
	static const size_t holes[] = {1, 2, 5, 20, 100};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = plan_of(seed);
		struct machine *m = machine_run(&plan);
		uint64_t dice = seed;

		for (size_t i = 0; i < ARRAY_SIZE(holes); i++) {
			struct tape tape = damaged(&m->tape, is_kind, holes[i], &dice);

			hear_damaged(m, &tape, &dice);
			tape_free(&tape);
		}
		machine_free(m);
	}
}

static bool is_send(const struct record *record)
{
	return record->type == RECORD_SEND;
}

static bool is_receive(const struct record *record)
{
	return record->type == RECORD_RECEIVE || record->type == RECORD_CHANGES;
}

static bool is_stamp(const struct record *record)
{
	return record->type == RECORD_STAMP;
}

static bool is_tick(const struct record *record)
{
	return record->type == RECORD_TICK;
}

static bool is_task_slice(const struct record *record)
{
	return record->type == RECORD_SLICE &&
	       ((const struct record_slice *)record)->kind == SLICE_TASK;
}

static bool is_irq_slice(const struct record *record)
{
	return record->type == RECORD_SLICE && !is_task_slice(record);
}

static bool is_name(const struct record *record)
{
	return record->type == RECORD_NAME || record->type == RECORD_ROLE;
}

static bool is_any(const struct record *record)
{
	(void)record;
	return true;
}

static void lost_sends_make_no_figure_wrong(void **state)
{
	(void)state;
	check_losses(is_send);
}

static void lost_receives_make_no_figure_wrong(void **state)
{
	(void)state;
	check_losses(is_receive);
}

static void lost_stamps_make_no_figure_wrong(void **state)
{
	(void)state;
	check_losses(is_stamp);
}

static void lost_ticks_make_no_figure_wrong(void **state)
{
	(void)state;
	check_losses(is_tick);
}

static void lost_task_slices_accuse_nobody_wrongly(void **state)
{
	(void)state;
	check_losses(is_task_slice);
}

static void lost_interrupt_slices_accuse_nobody_wrongly(void **state)
{
	(void)state;
	check_losses(is_irq_slice);
}

static void lost_names_and_roles_make_no_figure_wrong(void **state)
{
	(void)state;
	check_losses(is_name);
}

static bool is_told_when_lost(const struct record *record)
{
	return !is_tick(record) && !is_irq_slice(record);
}

static void lost_records_of_most_kinds_make_no_figure_wrong(void **state)
{
	(void)state;
	check_losses(is_told_when_lost);
}

static void lost_records_of_all_kinds_make_no_figure_wrong(void **state)
{
	(void)state;
	check_losses(is_any);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_nanosecond_of_every_message_is_where_it_was),
		cmocka_unit_test(random_runs_have_a_bit_of_everything),
		cmocka_unit_test(watermarks_change_nothing),
		cmocka_unit_test(the_order_of_the_records_changes_nothing),
		cmocka_unit_test(messages_come_in_the_order_of_their_receive),
		cmocka_unit_test(lost_sends_make_no_figure_wrong),
		cmocka_unit_test(lost_receives_make_no_figure_wrong),
		cmocka_unit_test(lost_stamps_make_no_figure_wrong),
		cmocka_unit_test(lost_ticks_make_no_figure_wrong),
		cmocka_unit_test(lost_task_slices_accuse_nobody_wrongly),
		cmocka_unit_test(lost_interrupt_slices_accuse_nobody_wrongly),
		cmocka_unit_test(lost_names_and_roles_make_no_figure_wrong),
		cmocka_unit_test(lost_records_of_most_kinds_make_no_figure_wrong),
		cmocka_unit_test(lost_records_of_all_kinds_make_no_figure_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
