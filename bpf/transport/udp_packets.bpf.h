/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces UDP of programs that run already (attach mode). On kernels before Linux 6.3, also traces
 * UDP of the project's own workload (run mode). A channel is what one socket sends to one address,
 * and positions count messages.
 *
 * A datagram stays in one packet buffer (skb) from its sender to its receiver. The BPF programs
 * therefore remember which datagram each buffer had last.
 *
 *	sender:   sys_enter → net_dev_queue(skb) → ... → sock_send_length → sys_exit
 *	receiver: sys_enter → [receive] → sock_recv_length → sys_exit
 *
 * From Linux 6.13 on, no event shows which buffer a call receives. The BPF programs therefore read
 * the first buffer in the socket's queue when the call begins, and again after a sleep in the
 * call.
 *
 * A datagram to a group (multicast, broadcast) is copied for each receiving socket, and each copy
 * is a message. A copy counts only if the sending thread is the current task when the copy is
 * queued.
 *
 * The kernel uses buffers again. When a datagram is dropped (kfree_skb), its buffer is therefore
 * forgotten. Otherwise, the packet headers (addresses and length) show whether a buffer still has
 * the remembered datagram. A datagram whose addresses change on its way is not recognized.
 */
#pragma once

#include "attach/baseline.bpf.h"
#include "attach/peer.bpf.h"
#include "attach/address.bpf.h"
#include "transport/datagram_drops.bpf.h"

/* Offsets in the headers. The longest header of interest is IPv6 with a fragment's. */
#define IP_HEAD_BYTES    48
#define IP_VERSION_SHIFT 4
#define IP4_FRAGMENT     6
#define IP4_PROTOCOL     9
#define IP4_SOURCE       12
#define IP4_DESTINATION  16
#define IP4_OFFSET_MASK  0x1fff
#define IP6_PROTOCOL     6
#define IP6_SOURCE       8
#define IP6_DESTINATION  24
#define IP6_BYTES        16
#define IP6_NEXT         40
#define IP6_FRAGMENT     42
#define IP6_OFFSET_MASK  0xfff8
#define PROTOCOL_UDP     17
#define PROTOCOL_PARTS   44 /* IPv6: a fragment header comes first */
#define UDP_HEADER       8

/*
 * Addresses in network order, ports in host order, `bytes` without headers. A later fragment has no
 * ports, and not the length of the whole.
 */
struct datagram_ends {
	u8 source[IP6_BYTES];
	u8 destination[IP6_BYTES];
	u16 family;
	u16 port[2];
	u16 bytes;
	u32 is_later;
};

struct udp_head {
	u16 port[2];
	u16 bytes;
	u16 checksum;
};

/* Addresses of the headers of a packet. */
struct packet_heads {
	u64 ip;
	u64 udp;
};

static __always_inline struct packet_heads packet_heads(u64 packet)
{
	const struct sk_buff *skb = UNTRUSTED(struct sk_buff, (struct sk_buff *)packet);
	u64 head = (u64)SOCK_READ(skb, head);

	return (struct packet_heads){head + SOCK_READ(skb, network_header),
				     head + SOCK_READ(skb, transport_header)};
}

/* False: it is not UDP. */
static __always_inline bool ends_of_ip4(const u8 *ip, struct datagram_ends *ends)
{
	ends->family = AF_INET;
	ends->is_later = __builtin_bswap16(*(u16 *)(ip + IP4_FRAGMENT)) & IP4_OFFSET_MASK;
	*(u32 *)ends->source = *(u32 *)(ip + IP4_SOURCE);
	*(u32 *)ends->destination = *(u32 *)(ip + IP4_DESTINATION);
	return ip[IP4_PROTOCOL] == PROTOCOL_UDP;
}

static __always_inline bool ends_of_ip6(const u8 *ip, struct datagram_ends *ends)
{
	u8 protocol = ip[IP6_PROTOCOL];

	ends->family = AF_INET6;
	__builtin_memcpy(ends->source, ip + IP6_SOURCE, IP6_BYTES);
	__builtin_memcpy(ends->destination, ip + IP6_DESTINATION, IP6_BYTES);
	if (protocol == PROTOCOL_PARTS) {
		protocol = ip[IP6_NEXT];
		ends->is_later = __builtin_bswap16(*(u16 *)(ip + IP6_FRAGMENT)) & IP6_OFFSET_MASK;
	}
	return protocol == PROTOCOL_UDP;
}

/*
 * Reads the headers of a packet, which may lie in a queue or be under way. False: it is not UDP. A
 * function of its own, because the verifier adds up the stacks of all callers.
 */
OUT_OF_LINE bool datagram_ends(u64 packet, struct datagram_ends *ends)
{
	struct packet_heads heads = packet_heads(packet);
	u64 ip[IP_HEAD_BYTES / sizeof(u64)] = {};
	struct udp_head udp = {};

	/* Behind a short header the same buffer continues. */
	bpf_probe_read_kernel(ip, sizeof(ip), (void *)heads.ip);
	if (*(u8 *)ip >> IP_VERSION_SHIFT == 4 ? !ends_of_ip4((u8 *)ip, ends)
					       : !ends_of_ip6((u8 *)ip, ends))
		return false;
	bpf_probe_read_kernel(&udp, sizeof(udp), (void *)heads.udp);
	ends->port[0] = __builtin_bswap16(udp.port[0]);
	ends->port[1] = __builtin_bswap16(udp.port[1]);
	ends->bytes = __builtin_bswap16(udp.bytes) - UDP_HEADER;
	return true;
}

static __always_inline u64 end_word(const u8 address[IP6_BYTES], u16 port)
{
	const u64 *word = (const u64 *)address;

	return (word[0] * 0x9e3779b97f4a7c15ULL ^ word[1] * 0xc2b2ae3d27d4eb4fULL) + port;
}

/* The same at both ends of a datagram, and for no datagram of other ends. */
static __always_inline u64 datagram_mark(const struct datagram_ends *ends)
{
	u64 source = end_word(ends->source, ends->port[0]);
	u64 destination = end_word(ends->destination, ends->port[1]);

	return (source * 0x9e3779b97f4a7c15ULL ^ destination) * 0xc2b2ae3d27d4eb4fULL + ends->bytes;
}

static __always_inline u32 datagram_transport(const struct datagram_ends *ends)
{
	return ends->family == AF_INET ? TRANSPORT_UDP : TRANSPORT_UDP6;
}

OUT_OF_LINE void datagram_emit_address(u32 channel, const struct datagram_ends *ends)
{
	struct record_address record = {};

	address_begin(&record, channel, ends->family);
	record.length = ends->family == AF_INET ? sizeof(u32) : IP6_BYTES;
	record.sender_port = ends->port[0];
	record.receiver_port = ends->port[1];
	__builtin_memcpy(record.text, ends->source, IP6_BYTES);
	__builtin_memcpy(record.text + IP6_BYTES, ends->destination, IP6_BYTES);
	emit(&record, sizeof(record));
}

OUT_OF_LINE struct channel_state *datagram_channel(const struct channel_key *key,
						   const struct datagram_ends *ends)
{
	struct channel_state *known = channel_known(key);

	if (known)
		return known;
	channel_make(key, datagram_transport(ends), 0, end_word(ends->source, ends->port[0]),
		     key->receiver);
	known = channel_made(key);
	if (known && !known->baseline.is_known) {
		datagram_emit_address(known->id, ends);
		baseline_of_new(known);
	}
	return known;
}

/* A dropped datagram never became visible. */
static __always_inline void datagram_sent(struct task_state *t, int ret)
{
	bool is_queued = t->sending.queued_ns && t->sending.queued_ns >= t->syscall.enter_ns;

	if (ret >= 0 && t->udp.sent_channel)
		message_sent(t, t->udp.sent_channel - 1, t->udp.sent_pos, ret,
			     t->udp.is_dropped ? 0
			     : is_queued       ? t->sending.queued_ns
					       : bpf_ktime_get_ns());
	t->udp.sent_channel = 0;
	t->udp.sent_group = 0;
	t->sending.queued_ns = 0;
}

/*
 * A datagram of several fragments is received in the buffer of the fragment that came last. The
 * fragments leave one after the other.
 */
static __always_inline void fragment_leaves(const struct task_state *t, u64 packet)
{
	u64 first = t->udp.sent_packet;
	struct datagram *known, datagram;

	known = t->udp.sent_channel ? bpf_map_lookup_elem(&datagrams, &first) : NULL;
	if (!known || known->channel != t->udp.sent_channel - 1 ||
	    known->position != t->udp.sent_pos)
		return;
	datagram = *known; /* before Linux 6.2 such a value must be on the stack */
	bpf_map_update_elem(&datagrams, &packet, &datagram, BPF_ANY);
}

static __always_inline bool is_group(const struct datagram_ends *ends)
{
	return address_is_group(ends->family, ends->destination);
}

/* The current thread hands over a packet of this socket; both are addresses. */
OUT_OF_LINE void datagram_handed_over(struct task_state *t, u64 packet, u64 sock)
{
	struct datagram_ends ends = {};
	struct channel_state *channel;
	struct datagram datagram = {};

	if (!sock || BPF_CORE_READ((struct sock *)sock, sk_type) != SOCK_DGRAM ||
	    !datagram_ends(packet, &ends))
		return;
	if (!looks_up_receives) /* another process has given it the socket */
		looks_up_receives = 1;
	if (ends.is_later) {
		fragment_leaves(t, packet);
		return;
	}
	/* A socket's address may be used again, with another port. */
	datagram.key.sender = address_of(t, (void *)sock) ^ end_word(ends.source, ends.port[0]);
	datagram.key.receiver = end_word(ends.destination, ends.port[1]);
	channel = datagram_channel(&datagram.key, &ends);
	if (!channel)
		return;
	datagram.channel = channel->id;
	datagram.transport = datagram_transport(&ends);
	datagram.mark = datagram_mark(&ends);
	datagram.position = FETCH_ADD(&channel->sent, 1);
	t->udp.sent_group = is_group(&ends) ? datagram.mark : 0;
	t->udp.sent_from = datagram.key.sender;
	if (!t->udp.sent_group && bpf_map_update_elem(&datagrams, &packet, &datagram, BPF_ANY))
		return;
	/* Without socket events: emits the one before it of the same call. */
	if (by_syscalls && t->udp.sent_channel)
		datagram_sent(t, t->udp.sent_bytes);
	t->udp.sent_channel = datagram.channel + 1;
	t->udp.sent_pos = datagram.position;
	t->udp.sent_packet = packet;
	t->udp.sent_bytes = ends.bytes;
	t->udp.is_dropped = 0;
}

/* In the context of its sender. Not inlined: rarely runs. `event`: as in drop_explain(). */
OUT_OF_LINE void datagram_emit_drop(struct task_state *t, const u64 *event)
{
	struct record_drop drop = {};

	if (!t)
		return;
	drop.channel = t->udp.sent_channel - 1;
	drop.position = t->udp.sent_pos;
	drop.at_ns = bpf_ktime_get_ns();
	drop_explain(event, &drop);
	drop.head = record_head(RECORD_DROP, sizeof(drop), bpf_get_smp_processor_id(),
				state_tid(t, current_task()));
	emit(&drop, sizeof(drop));
}

/*
 * The datagram of a traced thread in this buffer; NULL: none. A buffer may be freed without an
 * event (by a driver that has sent its datagram). Then its entry outlives it, and another datagram
 * may come in a buffer at the same address.
 */
OUT_OF_LINE struct datagram *datagram_in(u64 packet)
{
	struct datagram *datagram = bpf_map_lookup_elem(&datagrams, &packet);
	struct datagram_ends ends = {};

	if (!datagram || !datagram_ends(packet, &ends) || datagram_mark(&ends) != datagram->mark)
		return NULL; /* the entry may be a newer one by now, so it stays */
	return datagram;
}

/*
 * A datagram is dropped outside of its send call: in a softirq on another CPU (RPS), or in a thread
 * of the kernel. Where the kernel's reason says less, a program has closed the socket and discards
 * what lies in its queue. `event`: as in drop_explain().
 */
OUT_OF_LINE void datagram_dropped_later(const struct datagram *datagram, const u64 *event)
{
	struct record_drop drop = {};

	drop.channel = datagram->channel;
	drop.position = datagram->position;
	drop.at_ns = bpf_ktime_get_ns();
	drop_explain(event, &drop);
	if (drop.reason == DROP_UNKNOWN || drop.reason == DROP_OTHER)
		return;
	drop.head = record_head(RECORD_DROP, sizeof(drop), bpf_get_smp_processor_id(), 0);
	drop.head.flags = DROP_LATER;
	emit(&drop, sizeof(drop));
}

/*
 * A packet is dropped: maybe the one that the current thread is handing over, or one of which a
 * thread has done so before. In another one at the same address the entry has outlived its packet.
 */
static __always_inline void datagram_dropped(const u64 *event)
{
	u64 packet = event[0];
	struct datagram *datagram = bpf_map_lookup_elem(&datagrams, &packet);
	struct task_state *t;

	if (!datagram)
		return;
	t = current_state();
	if (t && t->udp.sent_channel == datagram->channel + 1 &&
	    t->udp.sent_pos == datagram->position) {
		t->udp.is_dropped = 1;
		if (attach)
			datagram_emit_drop(t, event);
	} else if (attach && datagram_in(packet)) {
		datagram_dropped_later(datagram, event);
	}
	bpf_map_delete_elem(&datagrams, &packet);
}

/* The thread is not traced, but may be before its call is over. */
static __always_inline void datagram_handed_over_untraced(u64 packet, u64 sock)
{
	struct cpu_state *c = cpu_state(bpf_get_smp_processor_id());

	if (!c || !armed_ns)
		return;
	c->leaves_thread = current_key();
	c->leaves_skb = packet;
	c->leaves_sock = sock;
}

/* The thread is traced now. */
static __always_inline void datagram_catch_up(struct task_state *t)
{
	struct cpu_state *c = cpu_state(bpf_get_smp_processor_id());

	if (c && c->leaves_thread == current_key())
		datagram_handed_over(t, c->leaves_skb, c->leaves_sock);
	t->traced_mid_write = 0;
}

/* Instead of a channel: some buffer that carries a datagram to a group. */
#define CHANNEL_OF_GROUP (CHANNEL_UNKNOWN - 1)

/* For a buffer that carries no known datagram of a traced thread. */
OUT_OF_LINE u32 datagram_stranger(u64 packet)
{
	struct datagram_ends ends = {};

	return datagram_ends(packet, &ends) && is_group(&ends) ? CHANNEL_OF_GROUP : CHANNEL_UNKNOWN;
}

/* The packet that the next receive of this socket gets (address); 0: none is there. */
static __always_inline u64 datagram_first(u64 sock)
{
	struct udp_sock *udp = (struct udp_sock *)sock;
	struct sock *sk = (struct sock *)sock;

	if (BPF_CORE_READ(udp, reader_queue.qlen))
		return (u64)BPF_CORE_READ(udp, reader_queue.next);
	if (BPF_CORE_READ(sk, sk_receive_queue.qlen))
		return (u64)BPF_CORE_READ(sk, sk_receive_queue.next);
	return 0;
}

/*
 * Notes what the current call is going to receive: afterwards the buffer may carry something else.
 */
OUT_OF_LINE void datagram_sample(struct task_state *t)
{
	u64 first = datagram_first(t->udp.sock);
	struct datagram *datagram = first ? datagram_in(first) : NULL;

	t->udp.first = first;
	t->udp.has_slept = 0;
	if (datagram)
		t->udp.datagram = *datagram;
	else
		t->udp.datagram.channel = first ? datagram_stranger(first) : CHANNEL_UNKNOWN;
}

/* Other threads may begin to wait there between a thread's decision to sleep and its switch. */
#define WAITERS_SAMPLED 4

/*
 * Whether the thread goes to sleep for lack of data, and not for a page of memory in the middle of
 * a receive. Then it has just been added to the end of the socket's list of waiters.
 */
OUT_OF_LINE bool datagram_awaits(u64 sock, struct task_struct *task)
{
	struct socket_wq *queue = BPF_CORE_READ((struct sock *)sock, sk_wq);
	struct list_head *at = BPF_CORE_READ(queue, wait.head.prev);

	for (int i = 0; i < WAITERS_SAMPLED && at != &queue->wait.head; i++) {
		struct wait_queue_entry *entry = CONTAINER_OF(at, struct wait_queue_entry, entry);

		if ((u64)BPF_CORE_READ(entry, private) == (u64)task)
			return true;
		at = BPF_CORE_READ(at, prev);
	}
	return false;
}

/* The socket where the datagrams of this channel arrive is known by now. */
static __always_inline void datagram_emit_socket(const struct datagram *datagram, u64 cookie)
{
	struct channel_key key = datagram->key;
	struct channel_state *channel = channel_known(&key);

	if (!channel || channel->receiver_cookie == cookie)
		return;
	channel->receiver_cookie = cookie;
	channel_emit(datagram->channel, datagram->transport, 0, cookie);
}

/*
 * In the context of a sender: its datagram to a group is the youngest in this queue now, which
 * belongs to one socket. The channel to the group itself carries nothing that is received.
 */
OUT_OF_LINE void datagram_copied(struct task_state *t, u64 packet, u64 cookie)
{
	struct datagram *known, datagram = {};
	struct datagram_ends ends = {};
	struct channel_state *channel;

	if (!datagram_ends(packet, &ends))
		return;
	datagram.mark = datagram_mark(&ends);
	if (datagram.mark != t->udp.sent_group)
		return;
	datagram.key.sender = t->udp.sent_from;
	datagram.key.receiver = end_word(ends.destination, ends.port[1]) ^ cookie;
	channel = datagram_channel(&datagram.key, &ends);
	if (!channel)
		return;
	datagram.channel = channel->id;
	datagram.transport = datagram_transport(&ends);
	datagram.position = FETCH_ADD(&channel->sent, 1);
	/* Another thread has emitted it already: which of the two has sent it is not known. */
	known = bpf_map_lookup_elem(&datagrams, &packet);
	if (known && known->channel == channel->id && known->position + 1 == datagram.position) {
		bpf_map_delete_elem(&datagrams, &packet);
		return;
	}
	if (bpf_map_update_elem(&datagrams, &packet, &datagram, BPF_ANY))
		return;
	datagram_emit_socket(&datagram, cookie);
	message_sent(t, datagram.channel, datagram.position, ends.bytes, t->sending.queued_ns);
	t->udp.sent_channel = 0;
}

/*
 * In the context of a sender: the youngest datagram in the queue of `sk` came by its channel. Once
 * per socket is enough. Without a sample before the receive (io_uring) nothing more is known.
 */
static __always_inline void datagram_arrived(struct task_state *t, struct sock *sk)
{
	u64 youngest = (u64)UNTRUSTED(struct sock, sk)->sk_receive_queue.prev;
	u32 flags = socket_flags(sk);
	struct datagram *datagram;

	if (!(flags & (SOCKET_TARGET | SOCKET_FED)))
		return;
	if (t->udp.sent_group) {
		datagram_copied(t, youngest, socket_cookie(sk));
		return;
	}
	if (flags & SOCKET_REPORTED)
		return;
	datagram = datagram_in(youngest);
	if (!datagram)
		return;
	datagram_emit_socket(datagram, socket_cookie(sk));
	socket_mark(sk, SOCKET_REPORTED);
}

/* Whether the current thread has received what was first, as far as is known. */
static __always_inline bool datagram_arrives(u64 packet, const struct datagram *datagram)
{
	struct datagram *known = bpf_map_lookup_elem(&datagrams, &packet);

	/*
	 * Another may be in the buffer already. Only one of several readers can delete the entry.
	 */
	return known && known->channel == datagram->channel &&
	       known->position == datagram->position && !bpf_map_delete_elem(&datagrams, &packet);
}

/*
 * A datagram that came between the sample of an empty queue and the receive is not identified, nor
 * is one that another reader has received since the sample: user space has to find out. The call
 * may continue and receive the next one.
 */
static __always_inline void datagram_received(struct task_state *t, struct sock *sk, int ret)
{
	bool has_sample = t->udp.sock == (u64)sk;
	u64 first = has_sample ? t->udp.first : 0, flags = has_sample ? UNSEEN_CAME_SINCE : 0;
	struct datagram datagram = t->udp.datagram;
	bool is_known = first && datagram.channel < CHANNEL_OF_GROUP;
	bool arrives = is_known && datagram_arrives(first, &datagram);
	/* Read before the sample: a later datagram may be there unseen. */
	u64 cookie = socket_cookie(sk), now = arrives ? 0 : bpf_ktime_get_ns();

	if (has_sample) {
		datagram_sample(t);
		flags |= t->udp.first ? 0 : UNSEEN_LEFT_NOTHING;
	}
	if (is_known)
		flags &= ~(u64)UNSEEN_CAME_SINCE; /* another reader has received it since */
	if (first && datagram.channel == CHANNEL_OF_GROUP) {
		message_received(t, CHANNEL_UNKNOWN, POSITION_NONE, ret, 0);
		return;
	}
	if (!arrives) {
		now -= t->syscall.enter_ns ? t->syscall.enter_ns : now; /* since the start */
		message_received(t, CHANNEL_UNKNOWN, cookie << UNSEEN_SHIFT | flags,
				 now < (u32)-1 ? now : (u32)-1, 0);
		return;
	}
	datagram_emit_socket(&datagram, cookie);
	message_received(t, datagram.channel, datagram.position, ret, 0);
}
