/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces pipes and FIFOs. A channel is one pipe. The position of a message is the number of bytes
 * that were written to the pipe earlier. Positions are correct while only one thread writes at a
 * time.
 *
 *	sender:   sys_enter → [copy in] → sched_waking(receiver), if it sleeps → sys_exit
 *	receiver: sys_enter → [copy out] → sys_exit
 *
 * No event shows when data become visible to the receiver. If a thread is woken, the data count as
 * visible at the wakeup. Otherwise the data count as visible when the send call ends.
 *
 * A pipe may carry packets (O_DIRECT). A read receives one packet, and loses the part that does
 * not fit into the reader's buffer. In attach mode (tracing of programs that run already),
 * positions therefore count every packet as PIPE_BUF bytes.
 */
#pragma once

#include "attach/address.bpf.h"
#include "attach/baseline.bpf.h"
#include "attach/partial_sends.bpf.h"
#include "attach/peer.bpf.h"
#include "base/syscalls.bpf.h"

#define PIPEFS_MAGIC 0x50495045

/* A pipe that uses more pages is not added up. */
#define WAITING_PAGES_MAX 16

/* include/linux/pipe_fs_i.h */
#define PIPE_BUF_FLAG_PACKET 8

/* Whether the pipe carries packets: what was written last is one, or was. */
OUT_OF_LINE bool pipe_has_packets(u64 address)
{
	struct pipe_inode_info *pipe = (struct pipe_inode_info *)address;
	u32 youngest = (BPF_CORE_READ(pipe, head) - 1) & (BPF_CORE_READ(pipe, ring_size) - 1);
	u64 at = (u64)BPF_CORE_READ(pipe, bufs) + youngest * bpf_core_type_size(struct pipe_buffer);

	return BPF_CORE_READ((struct pipe_buffer *)at, flags) & PIPE_BUF_FLAG_PACKET;
}

/* Bytes in the pipe. */
VERIFIED_ONCE s64 pipe_waiting(u64 address)
{
	struct pipe_inode_info *pipe = (struct pipe_inode_info *)address;
	u32 head = BPF_CORE_READ(pipe, head), tail = BPF_CORE_READ(pipe, tail);
	u32 mask = BPF_CORE_READ(pipe, ring_size) - 1;
	struct pipe_buffer *bufs = BPF_CORE_READ(pipe, bufs);
	s64 waiting = 0;

	for (int i = 0; i < WAITING_PAGES_MAX; i++) {
		u64 at = (u64)((tail + i) & mask) * bpf_core_type_size(struct pipe_buffer);

		if (tail + i == head)
			return waiting;
		waiting += BPF_CORE_READ((struct pipe_buffer *)((u64)bufs + at), len);
	}
	return WAITING_UNKNOWN;
}

/* The same, as positions count it. */
static __always_inline s64 pipe_waiting_in(const struct channel_state *channel, u64 address)
{
	struct pipe_inode_info *pipe = (struct pipe_inode_info *)address;
	u32 tail;

	if (!channel->is_packets)
		return pipe_waiting(address);
	tail = BPF_CORE_READ(pipe, tail);
	return (s64)(BPF_CORE_READ(pipe, head) - tail) * PIPE_BUF;
}

/* The positions that a write of `bytes`, or a read of one packet, takes. */
static __always_inline u64 pipe_step(const struct channel_state *channel, u64 bytes)
{
	return channel->is_packets ? (bytes + PIPE_BUF - 1) / PIPE_BUF * PIPE_BUF : bytes;
}

/* A pipe or FIFO behind an open file. */
struct open_pipe {
	u64 address; /* 0: the file is neither */
	u64 inode;   /* number */
};

static __always_inline struct open_pipe opened_pipe(struct file *file)
{
	struct open_pipe open = {};
	struct inode *inode;

	if (!file)
		return open;
	file = UNTRUSTED(struct file, file);
	inode = SOCK_READ(file, f_inode);
	if ((SOCK_READ(inode, i_mode) & S_IFMT) != S_IFIFO)
		return open;
	open.address = (u64)SOCK_READ(file, private_data);
	open.inode = SOCK_READ(inode, i_ino);
	return open;
}

static __always_inline struct channel_state *pipe_make(struct file *file,
						       const struct channel_key *key)
{
	struct channel_state *channel;

	channel_make(key,
		     BPF_CORE_READ(file, f_inode, i_sb, s_magic) == PIPEFS_MAGIC ? TRANSPORT_PIPE
										 : TRANSPORT_FIFO,
		     0, 0, key->sender);
	channel = channel_made(key);
	if (attach && channel)
		channel->is_packets = pipe_has_packets(key->sender);
	return channel;
}

/*
 * `mid_write`: the writer may have written before it was traced, and was not counted. Then counting
 * begins anew, in another channel.
 */
static __always_inline struct channel_state *pipe_channel(struct file *file, struct open_pipe open,
							  bool mid_write)
{
	struct channel_key key = {.sender = open.address, .receiver = open.inode};
	struct channel_state *known = channel_known(&key);

	if (known && mid_write && known->received)
		bpf_map_delete_elem(&channels, &key);
	else if (known)
		return known;
	return pipe_make(file, &key);
}

/* Positions at both ends differ: counting begins anew, in another channel. NULL: no room. */
OUT_OF_LINE struct channel_state *pipe_restart(struct file *file, struct open_pipe *open)
{
	struct channel_key key = {.sender = open->address, .receiver = open->inode};
	struct channel_state *channel;

	bpf_map_delete_elem(&channels, &key);
	channel = pipe_make(file, &key);
	if (channel)
		channel->restarted_ns = bpf_ktime_get_ns();
	return channel;
}

/*
 * An untraced thread sleeps in a read and is woken by the current write. All earlier data were
 * received by then: if that was not counted, counting begins anew.
 */
OUT_OF_LINE void pipe_waits(struct task_state *t, struct task_struct *task)
{
	const struct pt_regs *regs = task_regs(task);
	struct channel_key key = {};
	struct channel_state *channel;
	struct open_pipe open;
	struct file *file;

	if (!call_reads(call_number(regs)) || !is_asleep_waiting(task))
		return;
	file = file_of_task(task, call_argument(regs, 0));
	open = opened_pipe(file);
	if (!open.address)
		return;
	open.address = address_of(t, (void *)open.address);
	key.sender = open.address;
	key.receiver = open.inode;
	channel = channel_known(&key);
	if (!channel || (channel->baseline.is_known &&
			 (s64)(channel->received - channel->sent) == channel->baseline.most))
		return;
	channel = pipe_restart(file, &open);
	if (channel)
		baseline_emit(channel, 0, false);
}

/*
 * Whether an untraced thread, or an unknown kind of call, has received something: then the pipe has
 * less than was sent and not received. `sent` was read before; a receive mostly stays below it.
 */
static __always_inline bool pipe_is_out_of_sync(struct channel_state *channel,
						struct pipe_inode_info *pipe, s64 sent,
						s64 received)
{
	if (!channel->baseline.is_known || received - sent >= channel->baseline.most)
		return false;
	return baseline_shows_less(channel, sent, received, pipe_waiting_in(channel, (u64)pipe));
}

static __always_inline void pipe_received(struct task_state *t, struct channel_state *channel,
					  struct file *file, struct open_pipe *open, long ret)
{
	struct pipe_inode_info *pipe = (struct pipe_inode_info *)open->address;
	u64 sent = *(volatile u64 *)&channel->sent, position, received;
	u64 step = pipe_step(channel, ret);
	u32 thread = attach ? current_key() : 0;

	if (attach && baseline_was_too_low(channel, thread, receive_began(t))) {
		channel = pipe_restart(file, open);
		if (channel)
			channel->baseline.has_readers = 1;
		return;
	}
	if (attach && baseline_one_reader(channel, thread) &&
	    pipe_is_out_of_sync(channel, pipe, sent, *(volatile s64 *)&channel->received + step)) {
		pipe_restart(file, open);
		return;
	}
	position = FETCH_ADD(&channel->received, step);
	received = *(volatile u64 *)&channel->received;
	if (!attach || channel->concerns_target)
		message_received(t, channel->id, position, step, 0);
	if (attach && !channel->baseline.is_known)
		baseline_from_receiver(channel, thread, receive_began(t), sent, received,
				       pipe_waiting_in(channel, (u64)pipe));
}

static __always_inline void pipe_sent(struct task_state *t, struct channel_state *channel,
				      struct pipe_inode_info *pipe, long ret)
{
	u64 received = *(volatile u64 *)&channel->received, position;
	u64 step = pipe_step(channel, ret);
	bool is_recorded = !attach || is_counted(t);
	s64 waiting;

	if (!is_recorded || t->syscall.enter_ns < channel->restarted_ns)
		baseline_lower(channel, step);
	position = FETCH_ADD(&channel->sent, step);
	t->sending.unwatched = attach && !has_woken_watcher(t);
	if (!is_recorded && channel->concerns_target) {
		message_beside(t, channel->id);
	} else if (!attach || channel->concerns_target) {
		t->sending.is_ambiguous = attach && send_is_ambiguous(t, channel, position);
		message_sent(t, channel->id, position, ret, visible_ns(t));
	}
	if (!attach || channel->baseline.is_known)
		return;
	waiting = pipe_waiting_in(channel, (u64)pipe);
	/* Nothing was ever received, and nothing else is in it. */
	if (!position && waiting == (s64)step && !BPF_CORE_READ(pipe, tail))
		baseline_of_new(channel);
	else
		baseline_from_sender(channel, current_key(), send_began(t, channel), received,
				     waiting);
}

/* Before a send is counted: its channel, or a new one if the baseline was found during it. */
static __always_inline struct channel_state *pipe_of_senders(const struct task_state *t,
							     struct channel_state *channel,
							     struct file *file,
							     struct open_pipe *open)
{
	if (!baseline_was_too_high(channel, current_key(), send_began(t, channel)))
		return channel;
	channel = pipe_restart(file, open);
	if (channel)
		channel->baseline.has_senders = 1;
	return channel;
}

/* Whether a target uses the pipe. Once it does, this is not asked again. */
static __always_inline void pipe_concerns_target(struct task_state *t,
						 struct channel_state *channel, struct file *file,
						 u64 pipe)
{
	if (channel->concerns_target || (t->is_peer && !is_end(pipe)))
		return;
	channel->concerns_target = 1;
	address_emit_file(channel->id, file, ADDRESS_TO_TARGET);
}

/* `address`: an open file. Always 0: the results are in the state. */
VERIFIED_ONCE int pipe_file_used(struct task_state *t, u64 address, long ret, u32 reads)
{
	struct file *file = (struct file *)address;
	struct pipe_inode_info *pipe;
	struct channel_state *channel;
	struct open_pipe open;

	if (!t)
		return 0;
	open = opened_pipe(file);
	if (!open.address)
		return 0;
	open.address = address_of(t, (void *)open.address);
	pipe = (struct pipe_inode_info *)open.address;
	channel = pipe_channel(file, open, attach && !reads && t->traced_mid_write);
	t->traced_mid_write = 0;
	if (attach && !reads && channel)
		channel = pipe_of_senders(t, channel, file, &open);
	if (!channel)
		return 0;
	if (attach)
		pipe_concerns_target(t, channel, file, (u64)pipe);
	if (reads)
		pipe_received(t, channel, file, &open, ret);
	else
		pipe_sent(t, channel, pipe, ret);
	return 0;
}

/* As above. */
VERIFIED_ONCE int pipe_used(struct task_state *t, u64 fd, long ret, u32 reads)
{
	return pipe_file_used(t, (u64)file_of(fd), ret, reads);
}

/* Attach: a thread sleeps in a call that writes to this pipe. */
static __always_inline void pipe_sleeps(struct task_state *t, struct file *file,
					struct open_pipe open)
{
	struct channel_key key = {.sender = address_of(t, (void *)open.address),
				  .receiver = open.inode};
	struct channel_state *channel;

	open.address = key.sender;
	channel = pipe_channel(file, open, false);
	if (channel)
		partial_send_begin(t, &key, channel);
}
