/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Creates channels, and emits CHANNEL, SEND and RECEIVE records. A channel is one direction of a
 * socket, pipe or queue. The file has an include guard instead of #pragma once, because a unit
 * test defines the guard to replace the file.
 */
#ifndef IPCTRACE_BPF_BASE_CHANNEL_H
#define IPCTRACE_BPF_BASE_CHANNEL_H

#include "base/emit.bpf.h"

#define S64_MAX ((s64)(~0ULL >> 1))
#define NO_HINT (-S64_MAX)

static __always_inline struct channel_state *channel_known(const struct channel_key *key)
{
	return bpf_map_lookup_elem(&channels, key);
}

/* Emitted again when an end becomes known. */
VERIFIED_ONCE int channel_emit(u32 id, u32 transport, u64 sender, u64 receiver)
{
	struct record_channel record = {
		.head = record_head(RECORD_CHANNEL, sizeof(record), bpf_get_smp_processor_id(),
				    first_user_tid()),
		.channel = id,
		.transport = transport,
		.sender = sender,
		.receiver = receiver,
	};

	emit(&record, sizeof(record));
	return 0;
}

#ifdef LEGACY
#define CHANNEL_ID_TRIES 8

/* A number belongs to the program whose update inserts it. */
static __always_inline u32 channel_id_new(void)
{
	u8 yes = 1;
	u32 id = 0;

	for (int i = 0; i < CHANNEL_ID_TRIES; i++) {
		id = FETCH_ADD(&channel_cnt, 1);
		if (!bpf_map_update_elem(&channel_ids, &id, &yes, BPF_NOEXIST))
			break;
	}
	return id;
}
#else
static __always_inline u32 channel_id_new(void)
{
	return FETCH_ADD(&channel_cnt, 1);
}
#endif

/*
 * Sender and receiver may both come first, at the same time: one of them makes the channel. `start`
 * is the position of its first byte or message; `sender` and `receiver` are for the record.
 */
VERIFIED_ONCE int channel_make(const struct channel_key *key, u32 transport, u64 start, u64 sender,
			       u64 receiver)
{
	struct channel_state initial;
	struct channel_key own;

	if (!key)
		return 0;
	own = *key; /* before Linux 6.2 a key must lie on the stack of this function */
	initial = (struct channel_state){.id = channel_id_new(),
					 .sent = start,
					 .received = start,
					 .baseline.most = S64_MAX,
					 .baseline.hint = NO_HINT};
	if (transport_is_stream(transport))
		initial.id |= CHANNEL_STREAM;
	if (!bpf_map_update_elem(&channels, &own, &initial, BPF_NOEXIST))
		channel_emit(initial.id, transport, sender, receiver);
	return 0;
}

/* After channel_make(). NULL: no room. */
static __always_inline struct channel_state *channel_made(const struct channel_key *key)
{
	struct channel_state *known = channel_known(key);

	if (!known)
		count_loss(LOSS_CHANNELS, 1);
	return known;
}

/*
 * Attach: whether the current send or receive is not the work of a system call. What io_uring
 * cannot do at once, it does when the thread leaves the kernel for whatever reason, or in a thread
 * of its own.
 */
static __always_inline bool is_outside_calls(const struct task_state *t)
{
	return attach && !no_syscalls && t->syscall.number == CALL_OUTSIDE &&
	       (!t->syscall.is_mid_call || is_io_thread(current_task()));
}

/* The current thread has sent a message. `queued_ns` 0: an ARRIVAL will have the time. */
VERIFIED_ONCE int message_sent(struct task_state *t, u32 channel, u64 position, u32 bytes,
			       u64 queued_ns)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	struct record_send_outside *outside;
	struct record_send *send;
	bool is_outside;
	u32 size;
	u64 at_ns;

	if (!c || !t)
		return 0;
	is_outside = is_outside_calls(t);
	at_ns = queued_ns ? queued_ns : is_outside ? 0 : t->syscall.enter_ns;
	if (!at_ns)
		at_ns = bpf_ktime_get_ns();
	t->syscall.has_reported = 1;
	announce_current(t, t->syscall.enter_ns ? t->syscall.enter_ns : at_ns);
	/* The changes since the last receive are the thread's service time. */
	if (t->changes.cnt)
		stage_changes(c, t, cpu, t->tid, at_ns);
	size = is_outside                  ? sizeof(*outside)
	       : attach || t->sending.held ? sizeof(outside->counted)
					   : sizeof(*send);
	outside = stage(c, size, sizeof(*outside), at_ns);
	send = &outside->counted.send;
	send->head = record_head(RECORD_SEND, size, cpu, t->tid);
	send->head.flags = (t->sending.unwatched ? SEND_UNWATCHED : 0) |
			   (t->sending.is_ambiguous ? SEND_AMBIGUOUS : 0) | t->sending.held;
	t->sending.unwatched = 0;
	t->sending.is_ambiguous = 0;
	send->channel = channel;
	send->bytes = bytes;
	send->position = position;
	send->send_ns = is_outside ? at_ns : t->syscall.enter_ns;
	send->queued_ns = queued_ns;
	if (attach || t->sending.held)
		outside->counted.counted_ns = bpf_ktime_get_ns();
	t->sending.held = 0;
	if (is_outside)
		outside->since_ns = t->syscall.enter_ns ? t->syscall.enter_ns : t->sched.resumed_ns;
	return 0;
}

/* Attach: the current thread has sent something that has a position but is not counted. */
VERIFIED_ONCE int message_beside(struct task_state *t, u32 channel)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	struct record_beside *beside;
	u64 now = bpf_ktime_get_ns();

	if (!c || !t)
		return 0;
	beside = stage(c, sizeof(*beside), sizeof(*beside), now);
	*beside = (struct record_beside){
		.head = record_head(RECORD_BESIDE, sizeof(*beside), cpu,
				    state_tid(t, current_task())),
		.channel = channel,
		.from_ns = t->syscall.enter_ns,
		.until_ns = now,
	};
	return 0;
}

/* Attach: the pieces together are one message, which is complete when the call returns. */
static __always_inline void pieces_sent(struct task_state *t)
{
	t->sending.is_ambiguous = t->pieces.is_ambiguous;
	message_sent(t, t->pieces.channel, t->pieces.position, t->pieces.bytes,
		     t->pieces.queued_ns);
	t->pieces.bytes = 0;
	t->pieces.is_ambiguous = 0;
}

/* The current thread has sent a piece; bytes of another thread may be in between. */
static __always_inline void piece_sent(struct task_state *t, u32 channel, u64 position, u32 bytes,
				       u64 queued_ns, bool is_ambiguous)
{
	u64 end = t->pieces.position + t->pieces.bytes;

	if (t->pieces.bytes && (t->pieces.channel != channel || end != position))
		pieces_sent(t);
	if (!t->pieces.bytes) {
		t->pieces.channel = channel;
		t->pieces.position = position;
	}
	t->pieces.is_ambiguous |= is_ambiguous;
	t->pieces.bytes += bytes;
	t->pieces.queued_ns = queued_ns;
}

/* The head of the current thread's last RECEIVE. */
static __always_inline struct record receive_head(const struct task_state *t, u64 size, u32 cpu)
{
	struct record head = record_head(RECORD_RECEIVE, size, cpu, t->tid);

	head.flags = t->receiving.record.head.flags;
	return head;
}

/* A call receives several messages: all but the last are emitted before it returns. */
static __always_inline void emit_earlier_receive(struct task_state *t)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	struct record_receive *receive;

	if (!c)
		return;
	receive = stage(c, sizeof(*receive), sizeof(*receive), t->syscall.enter_ns);
	*receive = t->receiving.record;
	receive->head = receive_head(t, sizeof(*receive), cpu);
	receive->exit_ns = 0;
}

/* The call of the current thread returns: its receive is complete. */
static __always_inline void receive_returns(struct task_state *t, u64 now_ns)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	struct record_receive *receive;
	u32 cnt = t->changes.cnt, size;

	t->receiving.has_record = 0;
	if (!c || cnt > CHANGES_MAX)
		return;
	size = sizeof(*receive) + cnt * sizeof(u64);
	receive = stage(c, size, sizeof(*receive) + CHANGES_MAX * sizeof(u64), now_ns);
	*receive = t->receiving.record;
	receive->head = receive_head(t, size, cpu);
	receive->exit_ns = now_ns;
	copy_changes((u64 *)(receive + 1), t);
	t->receiving.record.first += cnt;
	t->changes.cnt = 0;
}

/*
 * The current thread has received a message, or a part of a stream. The record is emitted when its
 * call returns. `flags`: enum receive_flag.
 */
VERIFIED_ONCE int message_received(struct task_state *t, u32 channel, u64 position, u32 bytes,
				   u32 flags)
{
	if (!t)
		return 0;
	announce_current(t, t->syscall.enter_ns ? t->syscall.enter_ns : bpf_ktime_get_ns());
	if (attach && t->receiving.has_record && t->syscall.enter_ns)
		emit_earlier_receive(t);
	t->receiving.record.head.flags = flags;
	t->receiving.record.channel = channel;
	t->receiving.record.bytes = bytes;
	t->receiving.record.position = position;
	t->receiving.record.enter_ns = t->syscall.enter_ns;
	t->receiving.has_record = 1;
	t->syscall.has_reported = 1;
	if (is_outside_calls(t)) {
		t->receiving.record.enter_ns = bpf_ktime_get_ns();
		receive_returns(t, t->receiving.record.enter_ns);
	}
	return 0;
}

#endif
