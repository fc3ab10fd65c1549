/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces eventfds of running programs (attach mode). A channel is one eventfd, and a message is
 * one write. The size of a message is the number that the write adds to the counter of the
 * eventfd. A read receives the whole counter, or 1 with EFD_SEMAPHORE. The position of a message
 * is the sum of the sizes of all earlier messages.
 */
#pragma once

#include "attach/address.bpf.h"
#include "attach/baseline.bpf.h"
#include "attach/peer.bpf.h"

/* Bytes of a read or a write: the counter. */
#define EVENTFD_BYTES 8

/* "[eventfd]", the name of its file, without the last letter. */
#define EVENTFD_NAME 0x6466746e6576655bULL

/* No message is longer: a larger value is meant to block other writers. */
#define EVENTFD_MOST 0xffffffffULL

static __always_inline struct channel_state *eventfd_make(const struct channel_key *key,
							  struct file *file)
{
	struct channel_state *channel;

	channel_make(key, TRANSPORT_EVENTFD, 0, 0, key->sender);
	channel = channel_made(key);
	if (channel)
		address_emit_file(channel->id, file, 0);
	return channel;
}

/*
 * What was added or received does not fit: the kernel or an untraced thread has used the eventfd,
 * or this is another one at the same address. So counting begins anew, in another channel.
 */
OUT_OF_LINE void eventfd_restart(const struct channel_key *key, struct file *file)
{
	struct channel_key own = *key;
	struct channel_state *channel;

	bpf_map_delete_elem(&channels, &own);
	channel = eventfd_make(&own, file);
	if (channel)
		channel->restarted_ns = bpf_ktime_get_ns();
}

static __always_inline s64 eventfd_count(const struct channel_key *key)
{
	struct eventfd_ctx *ctx = (struct eventfd_ctx *)key->sender;
	u64 count = BPF_CORE_READ(ctx, count);

	return count > S64_MAX ? WAITING_UNKNOWN : (s64)count;
}

/* False: positions do not fit any more, and nothing is emitted. */
static __always_inline bool eventfd_received(struct task_state *t, struct channel_state *channel,
					     const struct channel_key *key, u32 value)
{
	s64 sent = *(volatile s64 *)&channel->sent, received = *(volatile s64 *)&channel->received;
	s64 waiting = eventfd_count(key);
	u32 thread = current_key();

	if (baseline_was_too_low(channel, thread, receive_began(t)) ||
	    (baseline_one_reader(channel, thread) &&
	     baseline_shows_less(channel, sent, received + value, waiting)))
		return false;
	message_received(t, channel->id, FETCH_ADD(&channel->received, value), value, 0);
	if (!channel->baseline.is_known)
		baseline_from_receiver(channel, thread, receive_began(t), sent, received + value,
				       waiting);
	return true;
}

/* As above. If the counter is just what this call has added, nothing was there before. */
static __always_inline bool eventfd_sent(struct task_state *t, struct channel_state *channel,
					 const struct channel_key *key, u32 value)
{
	u64 received = *(volatile u64 *)&channel->received, position;
	u32 thread = current_key();
	bool is_recorded = is_counted(t);
	s64 waiting;

	if (baseline_was_too_high(channel, thread, t->syscall.enter_ns))
		return false;
	if (!is_recorded || t->syscall.enter_ns < channel->restarted_ns)
		baseline_lower(channel, value);
	position = FETCH_ADD(&channel->sent, value);
	waiting = eventfd_count(key);
	if (baseline_one_sender(channel, thread) &&
	    baseline_shows_more(channel, position + value, received, waiting))
		return false;
	if (!is_recorded)
		message_beside(t, channel->id);
	else
		message_sent(t, channel->id, position, value, visible_ns(t));
	if (!position && !received && waiting == value)
		baseline_of_new(channel);
	else if (!channel->baseline.is_known)
		baseline_from_sender(channel, thread, t->syscall.enter_ns, received, waiting);
	return true;
}

/* Always 0: the results are in the state. */
VERIFIED_ONCE int eventfd_used(struct task_state *t, u32 reads)
{
	struct pt_regs *regs = task_regs(current_task());
	struct file *file = file_of(call_argument(regs, 0));
	struct channel_key key = {.receiver = TRANSPORT_EVENTFD};
	struct channel_state *channel;
	u64 name = 0, value = 0;
	bool fits;

	if (!t || !file)
		return 0;
	bpf_probe_read_kernel(&name, sizeof(name), BPF_CORE_READ(file, f_path.dentry, d_name.name));
	if (name != EVENTFD_NAME)
		return 0;
	key.sender = (u64)BPF_CORE_READ(file, private_data);
	if (bpf_probe_read_user(&value, sizeof(value), (void *)call_argument(regs, 1)))
		value = EVENTFD_MOST + 1;
	channel = channel_known(&key);
	if (!channel)
		channel = eventfd_make(&key, file);
	if (!channel || !value)
		return 0;
	fits = value <= EVENTFD_MOST && (reads ? eventfd_received(t, channel, &key, value)
					       : eventfd_sent(t, channel, &key, value));
	if (!fits)
		eventfd_restart(&key, file);
	return 0;
}

/* A call of a traced thread returns. */
static __always_inline void eventfd_exit(struct task_state *t, long number, long ret)
{
	if (ret == EVENTFD_BYTES && !t->syscall.has_reported &&
	    (number == __NR_read || number == __NR_write))
		eventfd_used(t, number == __NR_read);
}
