/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Says what each system call can do with messages. Most calls of a program can do nothing: they
 * cost one look at a table, at their begin and at their end. The other calls are followed from
 * begin to end. In which other call a thread sleeps is read from its registers when it falls
 * asleep.
 */
#pragma once

#include <asm/unistd.h>

#include "vmlinux.h"

/* Calls that older headers lack have the same number on all architectures. */
enum {
	NR_epoll_pwait2 = 441,
	NR_futex_waitv = 449,
	NR_futex_wake = 454,
	NR_futex_wait = 455,
	NR_futex_requeue = 456,
};

enum call_class {
	CALL_SENDS = 1,    /* it may send data, connect, or wake another process */
	CALL_RECEIVES = 2, /* it reads from its first argument, or only peeks */
	CALL_FILE = 4,     /* it may use a pipe or an eventfd */
	CALL_FUTEX = 8,
	CALL_QUEUE = 16,
	CALL_SOCKET = 32,  /* it makes or changes a socket; only its end matters */
	CALL_ROOM = 64,    /* its interruptible sleeps wait for room at the receiver */
	CALL_WRITES = 128, /* it writes to its first argument, whatever that is */

	CALLS_FOLLOWED = CALL_SENDS | CALL_RECEIVES | CALL_FILE | CALL_FUTEX | CALL_QUEUE,
};

#define CALL_NUMBERS 512

static const u8 call_classes[CALL_NUMBERS] = {
	[__NR_read] = CALL_RECEIVES | CALL_FILE,
	[__NR_readv] = CALL_RECEIVES | CALL_FILE,
	[__NR_preadv2] = CALL_RECEIVES | CALL_FILE,
	[__NR_recvfrom] = CALL_RECEIVES,
	[__NR_recvmsg] = CALL_RECEIVES,
	[__NR_recvmmsg] = CALL_RECEIVES,
	[__NR_write] = CALL_SENDS | CALL_FILE | CALL_ROOM | CALL_WRITES,
	[__NR_writev] = CALL_SENDS | CALL_FILE | CALL_ROOM | CALL_WRITES,
	[__NR_pwritev2] = CALL_SENDS | CALL_FILE | CALL_ROOM | CALL_WRITES,
	[__NR_sendto] = CALL_SENDS | CALL_ROOM,
	[__NR_sendmsg] = CALL_SENDS | CALL_ROOM,
	[__NR_sendmmsg] = CALL_SENDS | CALL_ROOM,
	[__NR_sendfile] = CALL_SENDS | CALL_FILE | CALL_ROOM,
	[__NR_splice] = CALL_SENDS | CALL_FILE,
	[__NR_tee] = CALL_SENDS | CALL_FILE,
	[__NR_vmsplice] = CALL_SENDS | CALL_FILE | CALL_ROOM,
	[__NR_connect] = CALL_SENDS,
	[__NR_socket] = CALL_SOCKET,
	[__NR_listen] = CALL_SOCKET,
	[__NR_setsockopt] = CALL_SOCKET,
	[__NR_io_uring_enter] = CALL_SENDS,
	[__NR_futex] = CALL_SENDS | CALL_FUTEX,
	[NR_futex_wake] = CALL_SENDS | CALL_FUTEX,
	[NR_futex_wait] = CALL_SENDS | CALL_FUTEX,
	[NR_futex_requeue] = CALL_SENDS | CALL_FUTEX,
	[NR_futex_waitv] = CALL_SENDS | CALL_FUTEX,
	[__NR_mq_timedsend] = CALL_SENDS | CALL_QUEUE | CALL_ROOM,
	[__NR_mq_timedreceive] = CALL_QUEUE,
	[__NR_msgsnd] = CALL_SENDS | CALL_QUEUE | CALL_ROOM,
	[__NR_msgrcv] = CALL_QUEUE,
};

/*
 * 0: it is of no class. The mask changes nothing, but the verifier of Linux 6.1 may have forgotten
 * the comparison by then, if the number was on the stack in between.
 */
static __always_inline u32 class_of_call(long number)
{
	u64 index = number;

	if (index >= CALL_NUMBERS)
		return 0;
	barrier_var(index);
	return call_classes[index & (CALL_NUMBERS - 1)];
}
