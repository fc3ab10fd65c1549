/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces sockets on kernels before Linux 6.3, which lack the events sk_data_ready,
 * sock_send_length and sock_recv_length. System calls and other events replace the missing events:
 *
 *	unix	sender:   sys_enter → [queue] → sched_waking(receiver), if it sleeps → sys_exit
 *		receiver: sys_enter → skb_copy_datagram_iovec(skb of the sender) → sys_exit
 *	TCP	sender:   sys_enter → tcp_probe(receiver) → sys_exit
 *		receiver: sys_enter → sys_exit
 *	UDP	sender:   sys_enter → net_dev_queue(skb) → sched_waking(receiver) → sys_exit
 *		receiver: sys_enter → consume_skb(skb) → sys_exit
 *
 * A receiver that is awake may receive a message before the send call ends. The message then
 * counts as visible at the instant of the receive. tcp_probe comes shortly before a segment is
 * queued. Receives by io_uring, and splice() from TCP, are not seen.
 */
#ifdef BY_SYSCALLS
#include "attach/listeners.bpf.h"
#include "base/syscalls.bpf.h"
#include "kernel/compat.bpf.h"
#include "transport/socket_dispatch.bpf.h"

/* Messages of one sendmmsg() call: UIO_MAXIOV. */
#define MESSAGES_MAX 1024

/* The start of a struct msghdr of user space, and offsets in an array of struct mmsghdr. */
struct msghdr_begin {
	u64 name;
	u32 name_bytes;
	u32 pad;
};

#define MMSGHDR_BYTES  64
#define MMSGHDR_LENGTH 56

static __always_inline const struct pt_regs *current_regs(void)
{
	return task_regs(current_task());
}

/* A message of a call, and what the call says about its receiver. */
struct sending {
	u64 name; /* address and length of the receiver's name */
	u32 name_bytes;
	s32 bytes;
};

/* The `i`-th message of a call. */
static __always_inline struct sending sending_of(const struct pt_regs *regs, long ret, u32 i)
{
	struct sending sending = {.bytes = ret};
	long number = call_number(regs);
	struct msghdr_begin header = {};
	u64 at = call_argument(regs, 1);

	if (number == __NR_sendto) {
		sending.name = call_argument(regs, 4);
		sending.name_bytes = call_argument(regs, 5);
		return sending;
	}
	if (number != __NR_sendmsg && number != __NR_sendmmsg)
		return sending;
	if (number == __NR_sendmmsg) {
		at += i * MMSGHDR_BYTES;
		bpf_probe_read_user(&sending.bytes, sizeof(sending.bytes),
				    (void *)(at + MMSGHDR_LENGTH));
	}
	bpf_probe_read_user(&header, sizeof(header), (void *)at);
	sending.name = header.name;
	sending.name_bytes = header.name_bytes;
	return sending;
}

/* Does what sk_data_ready does elsewhere. NULL: the sender is not traced. */
static __always_inline struct task_state *
unix_queued_by_syscall(struct task_state *t, struct sock *sk, const struct sending *sending)
{
	u64 *known, name = 0, receiver = (u64)BPF_CORE_READ((struct unix_sock *)sk, peer);

	if (BPF_CORE_READ(sk, sk_type) == SOCK_DGRAM)
		name = unix_name_from_user(sending->name, sending->name_bytes);
	if (name) {
		known = bpf_map_lookup_elem(&unix_names, &name);
		receiver = known ? *known : 0;
	}
	if (attach && receiver)
		t = data_from(t, (struct sock *)receiver);
	if (!t || (!name && !receiver))
		return NULL;
	t->sending.queued_ns = visible_ns(t);
	t->sending.queued_inet = 0;
	t->sending.queued_to = name ? name : unix_receiver((struct sock *)receiver);
	if (!receiver) {
		t->sending.queued_sock = 0;
		t->sending.queued_flags = 0;
	}
	return t;
}

/*
 * The current call has sent its `i`-th message of `count` over the unix socket at `address`. A
 * global function: the verifier walks through it once, and not for every message.
 */
__noinline int unix_call_sent(u64 address, long ret, u32 i, u32 count)
{
	struct sending sending = sending_of(current_regs(), ret, i);
	struct sock *sk = (struct sock *)address;
	struct task_state *t = unix_queued_by_syscall(current_state(), sk, &sending);

	if (!t)
		return 0;
	t->sending.has_more = i + 1 < count;
	unix_socket_sends(t, sk, sending.bytes);
	return 0;
}

/* The same over a TCP socket. */
__noinline int tcp_call_sent(u64 address, long ret)
{
	struct task_state *t = current_state();

	if (t)
		inet_socket_sends(t, (struct sock *)address, ret);
	return 0;
}

/* The same over some UDP socket: the last datagram, which no later one has emitted. */
__noinline int udp_call_sent(void)
{
	struct task_state *t = current_state();

	if (!t)
		return 0;
	if (t->traced_mid_write)
		datagram_catch_up(t);
	t->sending.queued_ns = visible_ns(t);
	if (!attach || is_counted(t))
		datagram_sent(t, t->udp.sent_bytes);
	return 0;
}

/* The current thread has received bytes from the stream socket at `address`. */
__noinline int stream_call_received(u64 address, long ret)
{
	socket_receives(current_state(), (struct sock *)address, ret);
	return 0;
}

static __always_inline void socket_call_sent(const struct open_socket *open, u32 count, long ret)
{
	if (open->family == AF_UNIX) {
		for (u32 i = 0; i < MESSAGES_MAX && i < count; i++)
			unix_call_sent(open->address, ret, i, count);
	} else if (open->type == SOCK_STREAM) {
		tcp_call_sent(open->address, ret);
	} else if (open->type == SOCK_DGRAM) {
		udp_call_sent();
	}
}

/* Attach: a thread that has connected to a target is traced before it receives anything. */
static __always_inline void connect_exit(const struct pt_regs *regs)
{
	struct open_socket open = socket_of(file_of(call_argument(regs, 0)));
	struct unix_sock *sk = (struct unix_sock *)open.address;
	u64 name = 0;

	if (open.family == AF_UNIX && open.type != SOCK_DGRAM)
		name = bound_name((u64)BPF_CORE_READ(sk, peer));
	if (name && bpf_map_lookup_elem(&listeners, &name))
		trace_current();
}

/* Before on_sys_exit, which emits the receives: programs are attached in the order of the files. */
SEC("tp_btf/sys_exit")
int BPF_PROG(on_socket_call_exit, struct pt_regs *regs, long ret)
{
	long number = call_number(regs);
	struct open_socket open;

	if (ret < 0 || (attach ? !armed_ns : !current_state()))
		return 0;
	if (attach && number == __NR_connect && !current_state()) {
		connect_exit(regs);
	} else if (call_outputs(number)) {
		open = socket_of(file_of(call_output(regs)));
		if (open.address)
			socket_call_sent(&open, number == __NR_sendmmsg ? ret : 1, ret);
	} else if (call_receives(regs)) {
		/* Messages are received when they are copied, one by one. */
		open = socket_of(file_of(call_argument(regs, 0)));
		if (open.address && open.type == SOCK_STREAM)
			stream_call_received(open.address, ret);
	}
	return 0;
}

/* The socket that the current thread receives a message from; none: it only peeks. */
static __always_inline struct open_socket socket_read_from(void)
{
	const struct pt_regs *regs = current_regs();
	struct open_socket none = {};

	return call_receives(regs) ? socket_of(file_of(call_argument(regs, 0))) : none;
}

/* In the receiver's context: this datagram, with its sender's socket, is being copied out. */
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(on_socket_copy, const struct sk_buff *skb, int len)
{
	struct task_state *t = current_state();
	u64 sender = (u64)READ(skb, sk);
	struct open_socket open;
	struct sock *sk;

	if (!sender || (attach ? !armed_ns : !t))
		return 0;
	open = socket_read_from();
	if (!open.address || open.family != AF_UNIX || open.type == SOCK_STREAM)
		return 0;
	sk = (struct sock *)open.address;
	if (attach)
		t = data_to(t, sk);
	if (!t)
		return 0;
	t->receiving.sender = sender;
	t->receiving.sender_id = socket_cookie((struct sock *)sender);
	unix_received(t, sk, len);
	return 0;
}

/* A datagram is freed; in the receiver's context, it has been received. */
SEC("tp_btf/consume_skb")
int BPF_PROG(on_socket_consume, struct sk_buff *skb)
{
	struct task_state *t = current_state();
	u64 key = (u64)skb;
	struct datagram *datagram;

	if (!t)
		return 0;
	datagram = datagram_in(key);
	if (!datagram || !socket_read_from().address)
		return 0;
	message_received(t, datagram->channel, datagram->position, READ(skb, len), 0);
	bpf_map_delete_elem(&datagrams, &key);
	return 0;
}

/* A segment has come to its receiver, and is put into the queue unless it is a duplicate. */
SEC("tp_btf/tcp_probe")
int BPF_PROG(on_tcp_probe, struct sock *sk, struct sk_buff *skb)
{
	struct task_state *t = current_state();
	struct tcp_skb_cb *segment = (struct tcp_skb_cb *)&skb->cb;
	u32 begin = BPF_CORE_READ(segment, seq), end = BPF_CORE_READ(segment, end_seq);
	u32 flags = 0;

	if (begin == end)
		return 0;
	if (attach) {
		t = data_from(t, sk);
		flags = armed_ns ? socket_flags(sk) : 0;
	}
	tcp_arrived(t, sk, end, flags);
	return 0;
}
#endif
