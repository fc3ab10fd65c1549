/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces connections: emits CONNECT when connect() returns, and ACCEPT when accept()
 * returns. Both records have what the kernel's objects of the two ends have in common, so that the
 * analysis joins them by it.
 *
 *	connect() enter                    connect() exit
 *	     |--------- queued --------------------|          unix: always before the exit
 *	                   |---- in the queue ----|accept() exit
 *
 * Unix: connect() puts a new socket into the queue of the listener, and sleeps first while that is
 * full. TCP: the kernel does so when the handshake ends, in whatever context; if the queue is full,
 * it drops a segment of the handshake, which comes again a second later.
 */
#pragma once

#include "attach/listening.bpf.h"
#include "attach/peer.bpf.h"
#include "base/shared.bpf.h"
#include "record_connections.h"
#include "transport/handshakes.bpf.h"
#include "transport/tcp.bpf.h"

/* For these calls, the connection was begun by an earlier one, or the call will be made again. */
enum {
	IS_RESTARTED = 512,      /* ERESTARTSYS and the like up to */
	IS_RESTARTED_LAST = 516, /* ERESTART_RESTARTBLOCK */
};

static __always_inline struct sock *sock_of_fd(u64 fd)
{
	return (struct sock *)socket_of(file_of(fd)).address;
}

static __always_inline bool is_connectable(u16 family, u16 type)
{
	return (is_inet(family) && type == SOCK_STREAM) ||
	       (family == AF_UNIX && (type == SOCK_STREAM || type == SOCK_SEQPACKET));
}

static __always_inline u32 packets_flag(const struct open_socket *open)
{
	return open->type == SOCK_SEQPACKET ? CONNECT_PACKETS : 0;
}

/* connect() begins. `t`: NULL if the thread is not traced. */
OUT_OF_LINE void connect_begins(struct task_state *t, const struct pt_regs *regs)
{
	struct opening opening = {.enter_ns = bpf_ktime_get_ns()};
	struct open_socket open = socket_of(file_of(call_argument(regs, 0)));
	u32 key = current_key();

	if (!open.address || !is_connectable(open.family, open.type))
		return;
	if (attach) {
		opening.listener = listener_at(regs, (struct sock *)open.address, open.family);
		if (!opening.listener && (!t || t->is_peer))
			return;
	}
	opening.was_full = listener_is_full(opening.listener);
	if (opening.was_full && open.family == AF_UNIX)
		unix_handshake_waits((struct sock *)open.address, opening.listener,
				     opening.enter_ns, packets_flag(&open));
	bpf_map_update_elem(&openings, &key, &opening, BPF_ANY);
}

OUT_OF_LINE void accept_begins(void)
{
	struct opening opening = {.enter_ns = bpf_ktime_get_ns()};
	u32 key = current_key();

	bpf_map_update_elem(&openings, &key, &opening, BPF_ANY);
}

static __always_inline void opening_begins(struct task_state *t, const struct pt_regs *regs,
					   long number)
{
	if (attach && !armed_ns)
		return;
	if (number == __NR_connect)
		connect_begins(t, regs);
	else if (t && call_accepts(number))
		accept_begins();
}

static __always_inline void connect_fill(struct record_connect *record, const struct opening *by,
					 struct sock *sk, u64 place)
{
	struct tcp_sock *tcp = (struct tcp_sock *)sk;

	if (record->family == AF_UNIX) {
		record->address = sock_word(sk);
		record->number = inode_of(sk);
	} else {
		link_tcp(UNTRUSTED(struct sock, sk), true, &record->address, &record->ports);
		record->port = place;
		record->number = BPF_CORE_READ(tcp, write_seq);
		record->retransmits = BPF_CORE_READ(tcp, total_retrans);
	}
	if (by->listener > LISTENER_LAST_WORD)
		record->listener = sock_word((void *)by->listener);
}

static __always_inline u32 connect_flags(const struct opening *by)
{
	return (by->listener || !attach ? CONNECT_TO_TARGET : 0) |
	       (by->was_full ? CONNECT_FULL : 0) |
	       (listener_is_full(by->listener) ? CONNECT_FULL_AT_EXIT : 0);
}

/* The port that is connected to: from the user's address, as a failed socket has lost it. */
static __always_inline u16 port_of_name(const struct pt_regs *regs)
{
	u16 port = 0;

	bpf_probe_read_user(&port, sizeof(port), (const char *)call_argument(regs, 1) + 2);
	return __builtin_bswap16(port);
}

OUT_OF_LINE void connect_emit(struct task_state *t, const struct pt_regs *regs, long ret,
			      const struct opening *by)
{
	struct open_socket open = socket_of(file_of(call_argument(regs, 0)));
	struct record_connect record = {};
	u64 now = bpf_ktime_get_ns();

	if (!open.address)
		return;
	record.family = open.family;
	record.error = -ret;
	record.enter_ns = by->enter_ns;
	record.queued_ns = by->queued_ns;
	record.exit_ns = now;
	connect_fill(&record, by, (struct sock *)open.address, port_of_name(regs));
	announce_current(t, by->enter_ns);
	record.head = record_head(RECORD_CONNECT, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, current_task()));
	record.head.flags = connect_flags(by) | packets_flag(&open);
	emit(&record, sizeof(record));
}

OUT_OF_LINE void connect_interrupted(const struct pt_regs *regs)
{
	struct open_socket open = socket_of(file_of(call_argument(regs, 0)));

	if (open.address && open.family == AF_UNIX)
		unix_handshake_over((struct sock *)open.address);
}

/* `t`: NULL if the thread is not traced; it is from now on. */
static __noinline void connect_returns(struct task_state *t, const struct pt_regs *regs, long ret)
{
	u32 key = current_key();
	struct opening *known = bpf_map_lookup_elem(&openings, &key), by;
	long error = -ret;
	bool is_restarted = error >= IS_RESTARTED && error <= IS_RESTARTED_LAST;
	bool is_of_target = t && !t->is_peer;

	if (!known)
		return;
	by = *known;
	bpf_map_delete_elem(&openings, &key);
	if (is_restarted && by.was_full)
		connect_interrupted(regs);
	if (error == EALREADY || error == EISCONN || is_restarted ||
	    (disarmed_ns && by.enter_ns >= disarmed_ns))
		return;
	/* Another process listens there now. */
	if (by.listener == LISTENER_CLOSED && !is_of_target && (!error || error == EINPROGRESS))
		return;
	if (attach && !t)
		t = trace_current();
	if (t)
		connect_emit(t, regs, ret, &by);
}

static __always_inline void accept_fill(struct record_accept *record, struct sock *sk,
					struct sock *listener)
{
	u64 address = address_as_number(sk), *since;
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	struct sock *peer;

	record->listener = sock_word(listener);
	record->backlog = BPF_CORE_READ(listener, sk_max_ack_backlog);
	if (record->family == AF_UNIX) {
		peer = BPF_CORE_READ((struct unix_sock *)sk, peer);
		record->address = sock_word(peer);
		record->number = peer ? inode_of(peer) : 0;
		record->waiting = BPF_CORE_READ(listener, sk_receive_queue.qlen);
		return;
	}
	link_tcp(UNTRUSTED(struct sock, sk), false, &record->address, &record->ports);
	record->port = BPF_CORE_READ(sk, __sk_common.skc_num);
	record->number = BPF_CORE_READ(tcp, copied_seq);
	record->waiting = BPF_CORE_READ(listener, sk_ack_backlog);
	record->retransmits = BPF_CORE_READ(tcp, total_retrans);
	since = bpf_map_lookup_elem(&queued_since, &address);
	if (!since)
		return;
	record->queued_ns = *since;
	bpf_map_delete_elem(&queued_since, &address);
}

/* A traced thread has accepted a connection: `fd` is its socket. */
static __noinline void accept_returns(struct task_state *t, const struct pt_regs *regs, long fd)
{
	struct open_socket open = socket_of(file_of(fd));
	u32 key = current_key(), cpu = bpf_get_smp_processor_id();
	struct opening *known = bpf_map_lookup_elem(&openings, &key);
	struct cpu_state *c = cpu_state(cpu);
	struct record_accept record = {.enter_ns = known ? known->enter_ns : 0};
	u64 now = bpf_ktime_get_ns();

	if (known)
		bpf_map_delete_elem(&openings, &key);
	if (!c || !t || (attach && !armed_ns) || !is_connectable(open.family, open.type))
		return;
	record.family = open.family;
	record.exit_ns = now;
	accept_fill(&record, (struct sock *)open.address, sock_of_fd(call_argument(regs, 0)));
	announce_current(t, record.enter_ns ? record.enter_ns : now);
	if (deep) {
		note_user(t, t->tid, record.listener);
		if (record.family != AF_UNIX)
			note_shared_port(t, sock_of_fd(call_argument(regs, 0)), now);
	}
	stage_changes(c, t, cpu, t->tid, now);
	record.head = record_head(RECORD_ACCEPT, sizeof(record), cpu, t->tid);
	record.head.flags = packets_flag(&open);
	emit(&record, sizeof(record));
}
