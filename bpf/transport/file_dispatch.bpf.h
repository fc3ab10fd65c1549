/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hands system calls on pipes to the code for pipes. Also handles splice() from a stream socket,
 * and threads that sleep in a send to a pipe or unix stream.
 */
#pragma once

#include "transport/pipe.bpf.h"
#include "transport/tcp.bpf.h"
#include "transport/unix_send.bpf.h"

/*
 * Attach: a thread sleeps in a call that writes, for the first time. It may wait for room, with a
 * part of its message queued already.
 */
OUT_OF_LINE void sender_sleeps(struct task_state *t, struct task_struct *task)
{
	const struct pt_regs *regs = task_regs(task);
	struct file *file = file_of_task(task, call_output(regs));
	struct open_pipe pipe = opened_pipe(file);
	struct open_socket socket;

	if (pipe.address) {
		if (trace_pipes && !pipe_write_is_atomic(regs))
			pipe_sleeps(t, file, pipe);
		return;
	}
	socket = socket_of(file);
	if (socket.family == AF_UNIX && socket.type == SOCK_STREAM && !unix_send_is_atomic(regs))
		unix_sleeps(t, &socket);
}

/* splice() out of a stream, for which the socket has no event. For TCP this needs Linux 6.2. */
OUT_OF_LINE void stream_spliced(struct task_state *t, u64 fd, long ret)
{
	struct open_socket open = socket_of(file_of(fd));
	struct channel_key key = {.receiver = open.cookie};
	struct channel_state *channel;
	u64 socket = open.address;

	if (!socket || open.type != SOCK_STREAM)
		return;
	if (open.family != AF_UNIX) {
		if (trace_inet && !by_syscalls)
			tcp_spliced(t, POINTER_TO(struct sock, socket),
				    POINTER_TO(struct tcp_sock, socket), ret);
		return;
	}
	key.sender = (u64)BPF_CORE_READ((struct unix_sock *)socket, peer);
	if (by_syscalls)
		key.receiver = socket_cookie((struct sock *)socket);
	channel = key.receiver ? unix_channel(&key, SOCK_STREAM, 0) : NULL;
	if (channel)
		message_received(t, channel->id, FETCH_ADD(&channel->received, ret), ret, 0);
}

/* From one file to another, one or both of them pipes; tee() leaves the data where they are. */
OUT_OF_LINE void pipe_spliced(struct task_state *t, struct pt_regs *regs, long number, long ret)
{
	if (number == __NR_tee) {
		pipe_used(t, call_argument(regs, 1), ret, false);
		return;
	}
	pipe_used(t, call_argument(regs, 2), ret, false);
	pipe_used(t, call_argument(regs, 0), ret, true);
}

/* A call of a traced thread returns. If a socket event has recorded it, it was not on a pipe. */
static __always_inline void pipe_exit(struct task_state *t, struct pt_regs *regs, long number,
				      long ret)
{
	bool reads = call_reads(number);

	if (ret <= 0)
		return;
	if (reads || call_writes(number)
		    ? !t->syscall.has_reported
		    : number == __NR_vmsplice || (attach && number == __NR_sendfile))
		pipe_used(t, call_argument(regs, 0), ret, reads);
	else if (attach && (number == __NR_splice || number == __NR_tee))
		pipe_spliced(t, regs, number, ret);
	/* Called here and not in pipe_spliced(): the verifier adds up the stacks of all callers. */
	if (attach && number == __NR_splice)
		stream_spliced(t, call_argument(regs, 0), ret);
}
