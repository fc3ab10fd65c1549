/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records what several threads share (--level deep): an epoll that watches what they receive from,
 * or a port on which each of them has a socket of its own (SO_REUSEPORT). The kernel's objects say
 * so, from the file or the socket on.
 *
 *	file -> f_ep -> epitem -> eventpoll
 *	sock -> sk_reuseport_cb -> sock -> file -> f_ep ...
 */
#pragma once

#include "base/watch.bpf.h"

#define EPOLLIN      0x001
#define EPOLLRDNORM  0x040
#define EPOLLONESHOT (1u << 30)

/* The kernel's own flags: EPOLLWAKEUP, EPOLLONESHOT, EPOLLET, EPOLLEXCLUSIVE. */
#define EPOLL_PRIVATE (0xfu << 28)

/* Epolls of one file, and sockets of one port, that are looked at. */
#define EPOLLS_MAX 4
#define PORTS_MAX  32

/* With a channel: its socket, not its epoll. */
#define KEY_OF_SOCKET (1u << 31)

/* How long the sockets of a port are taken to be the same. */
#define PORT_STAYS_NS 1000000000ULL

/* Until Linux 5.10 ("epoll: convert ->f_ep_links/->fllink to hlist"). */
struct file___before_5_11 {
	struct list_head f_ep_links;
} __attribute__((preserve_access_index));

struct epitem___before_5_11 {
	struct list_head fllink;
} __attribute__((preserve_access_index));

/* The place of a file in the first epoll that watches it (address); 0: none does. */
static __always_inline u64 first_in_epoll(struct file *file, u64 *end)
{
	struct file___before_5_11 *before = (void *)file;
	struct hlist_head *head;

	*end = 0;
	if (!file)
		return 0;
	if (bpf_core_field_exists(struct file___before_5_11, f_ep_links)) {
		*end = (u64)file + bpf_core_field_offset(struct file___before_5_11, f_ep_links);
		return (u64)BPF_CORE_READ(before, f_ep_links.next);
	}
	head = BPF_CORE_READ(file, f_ep);
	return head ? (u64)BPF_CORE_READ(head, first) : 0;
}

static __always_inline struct epitem *epitem_at(u64 place)
{
	if (bpf_core_field_exists(struct file___before_5_11, f_ep_links))
		return (struct epitem *)(place - bpf_core_field_offset(struct epitem___before_5_11,
								       fllink));
	return CONTAINER_OF(place, struct epitem, fllink);
}

/* Whether it is to say when data are there. It has no events from a one-shot event on. */
static __always_inline bool watches_data(u32 events)
{
	return events & (EPOLLIN | EPOLLRDNORM) ||
	       (events & EPOLLONESHOT && !(events & ~EPOLL_PRIVATE));
}

/* The first epoll that watches a file; `is_shared`: that has several threads. 0: there is none. */
static __always_inline u64 epoll_of_file(struct file *file, bool is_shared)
{
	u64 end, place = first_in_epoll(file, &end), word;
	struct epitem *item;

	for (int i = 0; i < EPOLLS_MAX && place && place != end; i++) {
		item = epitem_at(place);
		word = watches_data(BPF_CORE_READ(item, event.events))
			       ? sock_word(BPF_CORE_READ(item, ep))
			       : 0;
		if (word && (!is_shared || has_several_users(word)))
			return word;
		place = (u64)BPF_CORE_READ((struct hlist_node *)place, next);
	}
	return 0;
}

static __always_inline void emit_shared(struct task_state *t, struct record_shared *record,
					u32 flags)
{
	record->head = record_head(RECORD_SHARED, sizeof(*record), bpf_get_smp_processor_id(),
				   state_tid(t, current_task()));
	record->head.flags = flags;
	emit(record, sizeof(*record));
}

/* The call of the current thread has received from a channel. */
OUT_OF_LINE void note_shared_epoll(struct task_state *t, const struct pt_regs *regs, u64 now_ns)
{
	struct record_shared record = {.at_ns = now_ns};
	u32 channel = t->receiving.record.channel;
	u64 *known;

	if (!call_receives(regs))
		return;
	record.channel = channel;
	record.epoll = epoll_of_file(file_of(call_argument(regs, 0)), true);
	known = bpf_map_lookup_elem(&watched_by, &channel);
	if (record.epoll == (known ? *known : 0))
		return;
	bpf_map_update_elem(&watched_by, &channel, &record.epoll, BPF_ANY);
	emit_shared(t, &record, SHARED_EPOLL);
}

/* How many sockets the kernel chooses from where this one is; 0: it is the only one. */
static __always_inline u32 sockets_of_port(struct sock *sk)
{
	struct sock_reuseport *group = BPF_CORE_READ(sk, sk_reuseport_cb);

	return group ? BPF_CORE_READ(group, num_socks) : 0;
}

/* A record for each socket of the port. */
OUT_OF_LINE void emit_port(struct task_state *t, struct sock *of, u64 now_ns)
{
	struct sock_reuseport *group = BPF_CORE_READ(of, sk_reuseport_cb);
	u32 cnt = sockets_of_port(of);
	struct record_shared record = {.at_ns = now_ns, .group = sock_word(group)};
	struct sock *sk;

	record.group ^= BPF_CORE_READ(of, __sk_common.skc_num);
	record.program = program_of(current_task());
	for (u32 i = 0; i < PORTS_MAX && i < cnt; i++) {
		sk = NULL;
		bpf_probe_read_kernel(&sk, sizeof(sk),
				      (char *)group +
					      bpf_core_field_offset(struct sock_reuseport, socks) +
					      i * sizeof(sk));
		record.listener = sock_word(sk);
		record.epoll = epoll_of_file(BPF_CORE_READ(sk, sk_socket, file), false);
		if (record.epoll)
			note_several_users(record.epoll);
		note_several_users(record.listener);
		emit_shared(t, &record, SHARED_PORT);
	}
}

/* The current thread has accepted a connection of a TCP socket. */
OUT_OF_LINE void note_shared_port(struct task_state *t, struct sock *listener, u64 now_ns)
{
	u64 word = sock_word(listener), *last;

	if (sockets_of_port(listener) <= 1)
		return;
	last = bpf_map_lookup_elem(&shared_ports, &word);
	if (last && now_ns - *last < PORT_STAYS_NS)
		return;
	bpf_map_update_elem(&shared_ports, &word, &now_ns, BPF_ANY);
	emit_port(t, listener, now_ns);
}

/* The call of the current thread has received from a UDP socket. */
OUT_OF_LINE void note_shared_datagrams(struct task_state *t, struct sock *sk, u64 now_ns)
{
	struct record_shared record = {.at_ns = now_ns, .listener = sock_word(sk)};
	u32 key = t->receiving.record.channel | KEY_OF_SOCKET;
	u64 *known;

	if (sockets_of_port(sk) <= 1)
		return;
	known = bpf_map_lookup_elem(&watched_by, &key);
	if (known && *known == record.listener)
		return;
	bpf_map_update_elem(&watched_by, &key, &record.listener, BPF_ANY);
	record.channel = t->receiving.record.channel;
	emit_shared(t, &record, SHARED_SOCKET);
	emit_port(t, sk, now_ns);
}
