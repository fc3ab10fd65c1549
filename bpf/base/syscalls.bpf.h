/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the number and the arguments of a system call from a thread's registers, for each
 * architecture. Says whether a call sends, receives or waits. Finds the file or socket behind a
 * file descriptor. The calls of 32-bit programs have other numbers, and are not supported.
 */
#pragma once

#include "base/lookup.bpf.h"
#include "base/socket.bpf.h"
#include "vmlinux.h"

#include <asm/errno.h>
#include <asm/unistd.h>

/*
 * What each system call can do with messages. Most calls of a program can do nothing: they cost one
 * look at a table, at their begin and at their end. The other calls are followed from begin to end.
 * In which other call a thread sleeps is read from its registers when it falls asleep.
 */

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
	CALL_SOCKET = 32,  /* it makes, changes or connects a socket */
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
	[__NR_connect] = CALL_SENDS | CALL_SOCKET,
	[__NR_accept] = CALL_SOCKET,
	[__NR_accept4] = CALL_SOCKET,
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

#if defined(__TARGET_ARCH_x86)
static __always_inline long call_number(const struct pt_regs *regs)
{
	return READ(regs, orig_ax);
}

/* An argument, from 0. Registers keep them until the call has returned. */
static __always_inline u64 call_argument(const struct pt_regs *regs, int i)
{
	return i == 0   ? READ(regs, di)
	       : i == 1 ? READ(regs, si)
	       : i == 2 ? READ(regs, dx)
	       : i == 3 ? READ(regs, r10)
	       : i == 4 ? READ(regs, r8)
			: READ(regs, r9);
}

/*
 * Whether the thread is still in the call, and not on its way back: the result is not there yet
 * (entry_SYSCALL_64). Interrupts and exceptions have the number -1.
 */
static __always_inline bool is_in_call(const struct pt_regs *regs)
{
	return READ(regs, orig_ax) != (u64)-1 && READ(regs, ax) == (u64)-ENOSYS;
}
#elif defined(__TARGET_ARCH_arm64)
/* Calls that this architecture never had. */
enum {
	__NR_poll = -1,
	__NR_select = -2,
	__NR_epoll_wait = -3,
};

static __always_inline long call_number(const struct pt_regs *regs)
{
	return READ(regs, syscallno);
}

static __always_inline u64 call_argument(const struct pt_regs *regs, int i)
{
	return i == 0 ? READ(regs, orig_x0) : READ(regs, regs[i]);
}

/* The same (invoke_syscall). A result that is equal to the first argument does not show. */
static __always_inline bool is_in_call(const struct pt_regs *regs)
{
	return READ(regs, syscallno) != -1 && READ(regs, regs[0]) == READ(regs, orig_x0);
}
#else
#error "system call numbers of this architecture are not known"
#endif

/* Whether a sleep in this call waits for any of many channels. With none to read it is a pause. */
static __always_inline bool call_polls(long number, const struct pt_regs *regs)
{
	if (number == __NR_select || number == __NR_pselect6)
		return call_argument(regs, 0) && call_argument(regs, 1);
	if (number == __NR_poll || number == __NR_ppoll)
		return call_argument(regs, 1);
	return number == __NR_epoll_wait || number == __NR_epoll_pwait || number == NR_epoll_pwait2;
}

/* Whether a sleep in this call waits for nothing but time. */
static __always_inline bool call_pauses(long number, const struct pt_regs *regs)
{
	if (number == __NR_nanosleep || number == __NR_clock_nanosleep)
		return true;
	if (number == __NR_poll || number == __NR_ppoll)
		return !call_argument(regs, 1);
	return (number == __NR_select || number == __NR_pselect6) &&
	       (!call_argument(regs, 0) ||
		!(call_argument(regs, 1) | call_argument(regs, 2) | call_argument(regs, 3)));
}

static __always_inline bool call_is_futex(long number)
{
	return class_of_call(number) & CALL_FUTEX;
}

/* include/uapi/linux/futex.h */
enum {
	FUTEX_WAIT = 0,
	FUTEX_WAKE = 1,
	FUTEX_REQUEUE = 3,
	FUTEX_CMP_REQUEUE = 4,
	FUTEX_WAKE_OP = 5,
	FUTEX_LOCK_PI = 6,
	FUTEX_UNLOCK_PI = 7,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_WAKE_BITSET = 10,
	FUTEX_CMP_REQUEUE_PI = 12,
	FUTEX_LOCK_PI2 = 13,
	FUTEX_CMD_MASK = 127,
	FUTEX_PRIVATE_FLAG = 128,
};

enum {
	EPOLL_CTL_MOD = 3, /* include/uapi/linux/eventpoll.h */
};

/* Whether another process can wake a thread that waits in this futex call. */
static __always_inline bool futex_is_shared(const struct pt_regs *regs)
{
	return call_number(regs) != __NR_futex || !(call_argument(regs, 1) & FUTEX_PRIVATE_FLAG);
}

/*
 * Whether this call may wake a thread that waits in a futex call. A waiting thread wakes none,
 * though it may be on its CPU when a timer ends the wait of another.
 */
static __always_inline bool call_wakes_futex(const struct pt_regs *regs)
{
	long number = call_number(regs), op = call_argument(regs, 1) & FUTEX_CMD_MASK;

	if (number != __NR_futex)
		return number == NR_futex_wake || number == NR_futex_requeue;
	return op == FUTEX_WAKE || op == FUTEX_REQUEUE || op == FUTEX_CMP_REQUEUE ||
	       op == FUTEX_WAKE_OP || op == FUTEX_UNLOCK_PI || op == FUTEX_WAKE_BITSET ||
	       op == FUTEX_CMP_REQUEUE_PI;
}

/* From any file. Reads at an offset fail on files that carry messages. */
static __always_inline bool call_reads(long number)
{
	return number == __NR_read || number == __NR_readv || number == __NR_preadv2;
}

static __always_inline bool call_writes(long number)
{
	return class_of_call(number) & CALL_WRITES;
}

/* Whether this call may send data, or connect. */
static __always_inline bool call_sends(long number)
{
	return class_of_call(number) & CALL_SENDS;
}

/* The descriptor that a call writes to. */
static __always_inline u64 call_output(const struct pt_regs *regs)
{
	return call_argument(regs, call_number(regs) == __NR_splice ? 2 : 0);
}

/* Whether the call writes to a descriptor that may be a socket or a pipe. */
static __always_inline bool call_outputs(long number)
{
	return call_writes(number) || number == __NR_sendto || number == __NR_sendmsg ||
	       number == __NR_sendmmsg || number == __NR_sendfile || number == __NR_splice;
}

/* Whether the call sends out of band: the data overtake earlier ones. */
static __always_inline bool call_is_urgent(const struct pt_regs *regs, long number)
{
	return (number == __NR_sendto && call_argument(regs, 3) & MSG_OOB) ||
	       (number == __NR_sendmsg && call_argument(regs, 2) & MSG_OOB);
}

static __always_inline bool call_uses_sysv(long number)
{
	return number == __NR_msgsnd || number == __NR_msgrcv;
}

/* Whether the call sends to, or receives from, a message queue. */
static __always_inline bool call_uses_queue(long number)
{
	return class_of_call(number) & CALL_QUEUE;
}

/* Whether the call leaves the data in the socket, or asks for errors of earlier sends. */
static __always_inline bool call_peeks(const struct pt_regs *regs)
{
	long number = call_number(regs);

	if (number == __NR_recvfrom || number == __NR_recvmmsg)
		return call_argument(regs, 3) & MSG_RECEIVES_NONE;
	return number == __NR_recvmsg && call_argument(regs, 2) & MSG_RECEIVES_NONE;
}

/* Whether the call reads from its first argument, or only peeks at it. */
static __always_inline bool call_inputs(long number)
{
	return class_of_call(number) & CALL_RECEIVES;
}

/* Whether the call receives. */
static __always_inline bool call_receives(const struct pt_regs *regs)
{
	return call_inputs(call_number(regs)) && !call_peeks(regs);
}

/* What the call under way can do; 0: nothing. A futex within a process carries no message. */
static __always_inline u32 call_class(long number, const struct pt_regs *regs)
{
	u32 class = class_of_call(number);

	return class & CALL_FUTEX && !futex_is_shared(regs) ? 0 : class;
}

/* The number of a call under way, if it is followed; else CALL_OUTSIDE. */
static __always_inline u32 followed_call(const struct pt_regs *regs)
{
	long number = call_number(regs);

	return call_class(number, regs) & CALLS_FOLLOWED ? number : CALL_OUTSIDE;
}

/* Whether the position of what the call sends or receives depends on when others did. */
static __always_inline bool call_is_numbered(long number)
{
	return call_outputs(number) || call_inputs(number) || call_uses_queue(number) ||
	       number == __NR_tee || number == __NR_vmsplice || number == __NR_io_uring_enter;
}

/* Whether the call receives until it has all that it asks for, and sleeps in the middle. */
static __always_inline bool call_waits_for_all(const struct pt_regs *regs, long number)
{
	return (number == __NR_recvfrom && call_argument(regs, 3) & MSG_WAITALL) ||
	       (number == __NR_recvmsg && call_argument(regs, 2) & MSG_WAITALL);
}

static __always_inline bool call_accepts(long number)
{
	return number == __NR_accept || number == __NR_accept4;
}

/* Of socket(): see its arguments. */
static __always_inline bool call_makes_udp(const struct pt_regs *regs)
{
	u32 family = call_argument(regs, 0), type = call_argument(regs, 1) & SOCK_TYPE_MASK;

	return (family == AF_INET || family == AF_INET6) && type == SOCK_DGRAM;
}

/* Of setsockopt(). */
static __always_inline bool call_sets_low_water(const struct pt_regs *regs)
{
	return (u32)call_argument(regs, 1) == SOL_SOCKET &&
	       (u32)call_argument(regs, 2) == SO_RCVLOWAT;
}

/* An open file of a task; NULL: none. */
static __always_inline struct file *file_of_task(struct task_struct *task, u64 fd)
{
	struct files_struct *files;
	struct fdtable *table;
	struct file *file = NULL;

	files = READ(UNTRUSTED(struct task_struct, task), files);
	table = READ(files, fdt);
	if (fd < READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), READ(table, fd) + fd);
	return file;
}

static __always_inline struct file *file_of(u64 fd)
{
	return file_of_task(current_task(), fd);
}

/* A socket behind an open file. */
struct open_socket {
	u64 address; /* of its struct sock; 0: the file is no socket */
	u64 cookie;  /* 0: it has none yet */
	u16 family;
	u16 type;
	int low_water; /* bytes: SO_RCVLOWAT */
};

static __always_inline struct open_socket socket_of(struct file *file)
{
	struct open_socket open = {};
	struct socket *socket;
	struct inode *inode;
	struct sock *sk;

	if (!file)
		return open;
	file = UNTRUSTED(struct file, file);
	inode = SOCK_READ(file, f_inode);
	if ((SOCK_READ(inode, i_mode) & S_IFMT) != S_IFSOCK)
		return open;
	socket = (struct socket *)SOCK_READ(file, private_data);
	socket = UNTRUSTED(struct socket, socket);
	sk = SOCK_READ(socket, sk);
	open.address = (u64)sk;
	open.cookie = SOCK_READ(sk, __sk_common.skc_cookie.counter);
	open.family = SOCK_READ(sk, __sk_common.skc_family);
	open.type = SOCK_READ(sk, sk_type);
	open.low_water = SOCK_READ(sk, sk_rcvlowat);
	return open;
}
