/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pipes and FIFOs. A channel is one pipe; positions are bytes, counted from its first use, and
 *right as long as it has one writer at a time.
 *
 *	sender:   sys_enter → [copy in] → sched_waking(receiver), if it sleeps → sys_exit
 *	receiver: sys_enter → [copy out] → sys_exit
 *
 * There is no event for the data's becoming visible: it is the waking, or the end of the call if
 * nobody had to be woken.
 */
#include "call.bpf.h"
#include "channel.bpf.h"

#define S_IFMT       0170000
#define S_IFIFO      0010000
#define PIPEFS_MAGIC 0x50495045

static __always_inline struct channel_state *pipe_channel(u64 fd)
{
	struct file *file = file_of(fd);
	struct inode *inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
	struct channel_key key;

	if (!inode || (BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFIFO)
		return NULL;
	key.sender = (u64)BPF_CORE_READ(file, private_data);
	key.receiver = BPF_CORE_READ(inode, i_ino);
	if (!channel_known(&key))
		channel_make(&key,
			     BPF_CORE_READ(inode, i_sb, s_magic) == PIPEFS_MAGIC ? TRANSPORT_PIPE
										 : TRANSPORT_FIFO,
			     0, 0, key.sender);
	return channel_made(&key);
}

/* Before on_sys_exit, which hands out what was taken: programs are attached in the order of files.
 */
SEC("tp_btf/sys_exit")
int BPF_PROG(on_pipe_exit, struct pt_regs *regs, long ret)
{
	struct task_state *t = current_state();
	struct channel_state *channel;
	long number;

	if (!t || ret <= 0)
		return 0;
	number = call_number(regs);
	if (number != NR_read && number != NR_write && number != NR_readv && number != NR_writev)
		return 0;
	channel = pipe_channel(call_argument(regs, 0));
	if (!channel)
		return 0;
	if (number == NR_read || number == NR_readv)
		message_taken(t, channel->id, __sync_fetch_and_add(&channel->received, ret), ret);
	else
		message_sent(t, channel->id, __sync_fetch_and_add(&channel->sent, ret), ret,
			     t->queued_ns >= t->enter_ns ? t->queued_ns : bpf_ktime_get_ns());
	return 0;
}
