/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Defines the records of level deep (--level deep), which only explanations of slow messages need.
 * All of it holds as in record.h.
 */
#pragma once

#include "record_type.h"

/* Interrupts of the CPU itself: as numbers, plus IRQ_OF_CPU. Linux shows them on x86-64 only. */
enum cpu_irq {
	CPU_IRQ_TIMER,
	CPU_IRQ_RESCHEDULE,
	CPU_IRQ_CALL,        /* another CPU asks this one to execute a function */
	CPU_IRQ_CALL_SINGLE, /* the same; most wakeups from other CPUs come so */
	CPU_IRQ_WORK,
	NR_CPU_IRQS
};

/* In which context a thread was woken. None of the first three: the waker did it by itself. */
enum waker_flag {
	WAKER_IRQ = 1,     /* in a hard interrupt: `number` is its number */
	WAKER_SOFTIRQ = 2, /* in a softirq that an interrupt had raised: `number` is its vector */
	WAKER_UNSURE = 4,  /* either an interrupt without a tracepoint, or the thread itself; with
			    * WAKER_SOFTIRQ: several had raised it */
	/* The waker itself had raised the softirq `number` that woke the other, as a send does. */
	WAKER_OWN_SOFTIRQ = 8,
	/* Until then the thread was held, and waited for nothing else: */
	WAKER_OF_FROZEN = 16, /* with its control group, or before the machine is suspended */
	WAKER_OF_TRACED = 32, /* by a debugger (ptrace) */
	WAKER_IS_SHOWN = 64,  /* all changes of the waker have been emitted before */
};

#define WAKER_NUMBER_NONE 0xffffffffu

/* A CPU left idle and switched to the thread in `head`; that one or a waiting one is traced. */
struct record_idle {
	struct record head;
	u64 idle_ns;   /* it went idle */
	u64 left_ns;   /* the first event that shows it awake: an interrupt, or the end of idle */
	u64 switch_ns; /* the instant of its CHANGE_SWITCH, if it is traced */
};

#define GROUP_LEN 104

/*
 * Made by the session, which reads it from /proc: the control group whose CPU quota has held back
 * the thread in `head`; or the thread's own group, if none with a quota was found.
 */
struct record_group {
	struct record head;
	u64 since_ns;         /* it was read then */
	char text[GROUP_LEN]; /* path in the hierarchy of the cpu controller, or its end; NUL
			       * terminated */
};

/*
 * Between two switches of a CPU, at which `head.tid` left it, the host of the virtual machine took
 * the CPU away. A traced thread ran meanwhile, waited for the CPU, or got it at the end.
 */
struct record_stolen {
	struct record head;
	u64 from_ns;
	u64 to_ns;
	u64 stolen_ns; /* of this time */
};

/*
 * A sleep of a traced thread ended: by the thread in `head`, or by an interrupt in whose way that
 * thread was on this CPU.
 */
struct record_waker {
	struct record head; /* tid, cpu: of the context; flags: enum waker_flag */
	u32 woken;          /* tid */
	u32 number;         /* by flags, or WAKER_NUMBER_NONE */
	u64 at_ns;          /* the wakeup began (sched_waking) */
	u64 wake_ns;        /* it ended: the instant of the CHANGE_WAKE or CHANGE_THROTTLE */
};

enum timeout_flag {
	TIMEOUT_IN_TICKS = 1, /* the time is counted in ticks of the kernel's clock, and rounded up;
			       * when it is over is not known to the nanosecond */
	TIMEOUT_FOR_DATA = 2, /* the thread slept in a call that polls, or in a receive call */
	TIMEOUT_IN_FUTEX = 4, /* in a wait for another thread */
};

/* Nothing ended a sleep of a traced thread before the timeout that the thread itself had set. */
struct record_timeout {
	struct record head; /* tid: the thread; flags: enum timeout_flag */
	u64 wake_ns;        /* as in its WAKER */
	u64 started_ns;     /* the thread set it */
	u64 asked_ns;       /* for so long from then on; 0: not known */
	u64 slack_ns;       /* the kernel may add so much, to wake several threads at once */
};

/* The same of a sleep for a time. */
struct record_timeout_failed {
	struct record_timeout timeout;
	u32 number; /* the system call of the thread that failed last, since it slept before */
	u32 error;  /* errno */
};

enum futile_flag {
	FUTILE_IN_POLL = 1,  /* the call that polls, or waits for a file lock, found nothing itself,
			      * and did not return */
	FUTILE_IN_FUTEX = 2, /* the thread sleeps for the same futex word again; it has made no
			      * other calls meanwhile */
};

/*
 * A traced thread that polls was woken in vain: its call did not return, and the thread sleeps in
 * it again. Or it returned because something was ready, a call to obtain that failed with EAGAIN,
 * none succeeded, and the thread waits again.
 */
struct record_futile {
	struct record head; /* tid: the thread; flags: enum futile_flag */
	u64 from_ns;        /* woken */
	u64 to_ns;          /* asleep again */
	u64 cpu_ns;         /* it ran for so long meanwhile */
	u32 number;         /* of the first system call that failed, or of that which polls */
	u32 waker;          /* the thread that woke it; 0: an interrupt, or not known */
};

enum watch_flag {
	WATCH_EPOLL = 1,  /* `what`: an epoll, which several threads may wait for */
	WATCH_ACCEPT = 2, /* `what`: the listener whose connections it accepts, as in ACCEPT; or the
			   * UDP socket that it receives from, as in SHARED */
};

/*
 * A traced thread falls asleep in a call that polls or accepts, and waits for something else than
 * in its last such call.
 */
struct record_watch {
	struct record head; /* tid: the thread; flags: enum watch_flag; none: files that only this
			     * call lists */
	u32 number;         /* of the system call */
	u32 program;        /* the same for threads that execute the same file; 0: not known */
	u64 at_ns;
	u64 what; /* the same for the same files */
};

enum shared_flag {
	SHARED_EPOLL = 1,  /* the thread has received from `channel`, which `epoll` watches */
	SHARED_PORT = 2,   /* it has used a socket of `group`; `listener` is one, too */
	SHARED_SOCKET = 4, /* it has received from `channel`, by the UDP socket `listener` */
};

/*
 * A traced thread receives from a channel that an epoll watches in which several threads sleep, or
 * no such epoll does any more. Or it accepts a connection on a port of which there are several
 * sockets (SO_REUSEPORT), or receives datagrams there: a record for each of these sockets.
 */
struct record_shared {
	struct record head; /* tid: the thread; flags: enum shared_flag */
	u32 channel;        /* EPOLL, SOCKET */
	u32 program;        /* PORT: as in WATCH, of the thread */
	u64 at_ns;
	u64 listener; /* PORT, SOCKET: as in ACCEPT */
	u64 group;    /* PORT: the same for sockets that the kernel chooses from */
	u64 epoll;    /* that watches it, as in WATCH; 0: none, or not known */
};

/* Shorter calls are not recorded. */
#define CALL_LONG_NS 100000

/*
 * A traced thread was in a system call for so long, at the end of the call, without a sleep: it ran
 * there, or waited for a CPU. If it slept as threads do for a disk, a lock or memory, not for a
 * message or a time, this is the whole call.
 */
enum call_flag {
	CALL_IN_POLL = 1, /* it waits for any of several files */
};

struct record_call {
	struct record head; /* flags: enum call_flag */
	u32 number;         /* of the system call */
	u32 pad;
	u64 enter_ns;
	u64 exit_ns;
};

/* Less time in short calls is not recorded. A CALLS record is complete when it has so much. */
#define SHORT_CALLS_NS      50000
#define SHORT_CALLS_MOST_NS 1000000

/*
 * A traced thread made many system calls, each shorter than CALL_LONG_NS, on a CPU and without a
 * sleep. In between it executed its own code, and other calls: several numbers have a record each,
 * with the same instants. None of these calls was for a message, nor was there one in between.
 */
struct record_calls {
	struct record
		head; /* flags: errno with which all calls of this record failed; 0: none did */
	u32 number;   /* of the system call */
	u32 cnt;
	u64 from_ns; /* the first call of any of the numbers began */
	u64 to_ns;   /* the last one was over */
	u64 ns;      /* in the calls of this number */
};

/* Calls that fail are recorded together: in so long, if there are so many. */
#define FAILED_NS        50000000
#define FAILED_LEAST     16

#define FAILED_ERRNO_MAX 255

/*
 * Calls of a traced thread, of one number, to obtain or to send something have failed. There may be
 * more such calls.
 */
struct record_failed {
	struct record head; /* flags: errno */
	u32 number;         /* of the system call */
	u32 cnt;
	u64 from_ns; /* the first one began */
	u64 to_ns;   /* the last one was over */
	u64 ns;     /* in them on a CPU, but for calls in which the thread lost its CPU, or slept */
	u32 inode;  /* of the file; 0: of several ones, or not known */
	u32 family; /* of the socket, as in ADDRESS; 0: no socket, or as above */
	u32 port;   /* Internet: of the thread's own end, */
	u32 peer_port; /* and of the other one; 0: a socket that is listened on */
};

/*
 * A traced thread has had page faults, all of them in a call, in its own code between two calls, or
 * in what is left of these after a sleep or a wait for a CPU. How long they took is not known.
 */
struct record_faults {
	struct record head;
	u32 minor; /* the kernel had the page, or made it */
	u32 major; /* it had to be read from a disk */
	u64 from_ns;
	u64 to_ns;
};

/* Shorter times are not recorded. */
#define RECLAIM_NS 2000

enum reclaim_flag {
	RECLAIM_GROUP = 1, /* of a control group, which has a limit; else of the machine */
};

/* A traced thread needed memory, and freed some itself. */
struct record_reclaim {
	struct record head; /* flags: enum reclaim_flag */
	u64 from_ns;
	u64 to_ns;
};

enum disk_flag {
	DISK_WAIT = 1,  /* a wait of the thread in `head`, up to when it ran again; */
	DISK_WRITE = 2, /* else a request that this thread has made: to write, */
	DISK_FLUSH = 4, /* to empty the disk's own cache, or else to read */
};

#define DISK_NAME_LEN 16

/*
 * A traced thread slept until a disk was done; or a request was under way while any of them did.
 */
struct record_disk {
	struct record head; /* tid: the thread that waited, or that made the request; flags: enum
			     * disk_flag */
	u32 disk;           /* its major number, shifted by 20, and first minor number */
	u32 bytes;          /* request */
	u64 from_ns;
	u64 to_ns;
	char name[DISK_NAME_LEN]; /* "vda", NUL terminated */
};

/* Shorter waits have no SPARE. Nor has one in which no CPU idled for this part of it. */
#define SPARE_WAIT_NS 50000
#define SPARE_PART    4

/*
 * A traced thread got the CPU in `head` after a wait. Another CPU had been idle until then, for at
 * least a quarter of the wait: one that the thread may use, if there was any.
 */
struct record_spare {
	struct record head;
	u32 cpu;        /* the other one */
	u32 is_allowed; /* the thread may use it (sched_setaffinity, cpusets) */
	u64 from_ns;    /* the wait */
	u64 to_ns;      /* the instant of the thread's CHANGE_SWITCH */
	u64 idle_ns;    /* so much of it, up to its end */
};

enum own_room_flag {
	OWN_ROOM_UNREAD = 1, /* not so: the thread waits for room at the receiver, and has not
			      * received what came from there, which leaves little room for more */
};

/*
 * A traced thread falls asleep in a send call of TCP, because its own send buffer is full. The
 * receiver's window would let out all that is in there: what is missing is an acknowledgement.
 */
struct record_own_room {
	struct record head; /* flags: enum own_room_flag */
	u64 at_ns;          /* the instant of its CHANGE_ROOM */
	u64 buffer_bytes;   /* SO_SNDBUF */
};

/*
 * A traced thread falls asleep because the kernel holds back what it writes: too many pages are
 * dirty, of the machine, of its control group, or of the disk (balance_dirty_pages).
 */
struct record_dirty {
	struct record head;
	u64 at_ns; /* the instant at which it falls asleep */
};

/* The kernel shows this before that sleep, at most so long. */
#define DIRTY_NS 1000000

enum kernel_lock {
	KERNEL_LOCK_SPIN, /* spinlock or rwlock: the thread waits on its CPU */
	KERNEL_LOCK_MUTEX,
	KERNEL_LOCK_RWSEM,
	KERNEL_LOCK_SEMAPHORE,
	NR_KERNEL_LOCKS
};

/* Shorter waits are not recorded. */
#define KERNEL_LOCK_WAIT_NS 5000

/* A traced thread waited for a lock of the kernel: on its CPU, or asleep, or both in turn. */
struct record_kernel_lock {
	struct record head;
	u32 kind;   /* enum kernel_lock */
	u32 number; /* of the system call, or CALL_OUTSIDE: none, or not known */
	u64 from_ns;
	u64 to_ns;
};

/* The same as the kernel emits it. The session replaces the stack by a function, as below. */
struct record_kernel_lock_stack {
	struct record_kernel_lock lock;
	u64 stack; /* its number, see LOCK_STACKS_MAX; 0: not known */
};

#define LOCK_FUNCTION_LEN 40

/* The same in a recording, if the function is known. */
struct record_kernel_lock_function {
	struct record_kernel_lock lock;
	char function[LOCK_FUNCTION_LEN]; /* of the kernel, which needed the lock:
					   * "pipe_write", or the start of it; NUL terminated */
};
