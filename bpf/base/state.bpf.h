/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs remember between two events. They stamp and emit (emit.bpf.h); they do not
 * analyse.
 */
#ifndef IPCTRACE_BPF_BASE_STATE_H
#define IPCTRACE_BPF_BASE_STATE_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "base/task_id.bpf.h"
#include "kernel/cast.bpf.h"
#include "kernel/legacy.bpf.h"
#include "record.h"

/* A function of a header that is rarely called, and not by every file that includes it. */
#define OUT_OF_LINE static __noinline __attribute__((unused))

/*
 * What tells a channel from all others: what sender and receiver are known by. Each kind says in
 * its file what it puts here.
 */
struct channel_key {
	u64 sender;
	u64 receiver;
};

/* A datagram on its way, see udp_packets.bpf.h. */
struct datagram {
	u64 position;
	u32 channel; /* CHANNEL_UNKNOWN: nobody here has sent it */
	u32 transport;
	u64 mark; /* of its headers, see datagram_mark() */
	struct channel_key key;
};

/*
 * A function that many call and the verifier walks through once, knowing nothing of who calls it; a
 * static one it walks through from every caller, in every state. It returns a number and is handed
 * numbers and pointers that might be NULL.
 */
#ifdef LEGACY
#define VERIFIED_ONCE OUT_OF_LINE /* such functions take numbers only before Linux 5.12 */
#else
#define VERIFIED_ONCE __weak __noinline
#endif

/*
 * A look through a queue for messages that are of one sender, or of one type. In parts, because
 * verifying a loop takes its time for every round of it.
 */
struct queue_look {
	u64 of;   /* the sender's address, or the type */
	u64 end;  /* address of the queue itself */
	u64 next; /* of the message to look at next */
	s64 found;
};

#define QUEUE_LOOK_PART  32
#define QUEUE_LOOK_PARTS 20 /* more than systemd lets a socket's queue hold */

/* Where a traced thread is, as far as the scheduler has told. */
enum place {
	PLACE_ON_CPU, /* the zero: a thread runs when it is first seen */
	PLACE_ASLEEP,
	PLACE_RUNNABLE,
};

/* Whether the present send has woken a thread that watches the receiver's end. */
enum unwatched {
	WATCHED = 0,
	UNWATCHED,        /* none so far: one is woken next, if there is one */
	UNWATCHED_SURELY, /* the list of waiters there is empty */
};

/*
 * A traced thread. Its scheduling part is written under the run queue lock that sched_switch,
 * sched_wakeup and sched_migrate_task hold, or by the thread itself while it runs; so is `receive`,
 * which only a running thread emits.
 */
struct task_state {
	/* Every message needs these: they are side by side. */
	u64 enter_ns;    /* the present system call was entered; see no_syscalls.bpf.h, too */
	u64 queued_ns;   /* the present send has reached a receiver, or woken one; 0: not yet */
	u64 queued_to;   /* what it is known by: a cookie, a name, or a connection's ports */
	u64 taken_from;  /* the present receive takes a message of this socket (address) */
	u64 taken_id;    /* what it is known by, see unix.bpf.h; 0: not known yet */
	u8 taken;        /* it has taken it: `receive` is filled in and goes out at sys_exit */
	u8 told;         /* the present call has sent or taken a message */
	u8 named;        /* user space knows its name: a traced thread is told of once */
	u8 polls;        /* the present system call watches many channels */
	u8 woken;        /* somebody has begun to wake it; written by others */
	u8 is_peer;      /* attach: traced because it talks to a target */
	u8 has_siblings; /* attach: which are not traced yet, see trace_siblings() */
	u8 has_more;     /* attach: what it has sent and is not counted yet is in the queue, too */
	u8 unwatched;    /* attach: the present send has come to a receiver; enum unwatched */
	u8 is_urgent;    /* attach: the present call sends out of band */
	u8 is_late;      /* attach: has come to be traced while it wrote */
	u8 is_dropped;   /* attach, UDP: what the present call has sent */
	u8 slept;        /* attach: until something comes, since the look at udp_sock */
	u8 takes_parts;  /* attach: the present call may take a part of a stream, and then sleep */
	u8 is_fresh;     /* attach: traced since the present call, the beginning of which is not
			  * known; a thread of io_uring's makes none and stays so */
	u8 doubtful;     /* attach: what is emitted next is SEND_AMBIGUOUS */
	u32 tid;         /* its number, once it is named, or see state_tid() */
	u32 place;       /* enum place */
	u32 wait_cpu;    /* PLACE_RUNNABLE: waits for this CPU */
	u32 ran;         /* bits of enum ran */
	u32 change_cnt;  /* in `change`, not emitted yet */
	struct record_receive receive;
	u64 change[CHANGES_MAX]; /* go out with `receive` */

	u64 queued_pos; /* how far: the datagram's position, or the last byte's sequence number */
	u64 woke_ns;    /* the present call has woken somebody; for what has no other event */
	u64 watched_ns; /* attach: the same of a thread that polls */
	u32 policy;     /* as user space was told when it was named, or later */
	u32 priority;

	/* Attach. */
	u64 queued_sock;   /* address of the socket that the present send has reached */
	u32 queued_flags;  /* what is known of it, SOCKET_ */
	u64 marked_sender; /* cookies of the sockets that were marked last, see socket_is_targets()
			    */
	u64 marked_receiver;
	u32 call;          /* the present system call, or CALL_OUTSIDE */
	u64 resumed_ns;    /* it went on after it had waited for something; 0: it waits; 1: not
			    * known */
	u64 runnable_ns;   /* PLACE_RUNNABLE: since then */
	u64 address;       /* see address_of() */
	u64 unix_cookie;   /* of the unix socket that the present call takes from; 0: not known */
	u32 copied_id;     /* what is copied is of this channel, plus 1; 0: not known */
	u64 copied_pos;    /* what the present receive takes from `taken_from` has this position */
	u64 copied_socket; /* the socket with this cookie; 0: it is not known yet */
	u32 handoff_channel; /* it is woken by a message of this channel, plus 1; 0: none */
	u32 sent_channel;    /* UDP: of what the present call has sent, plus 1; 0: nothing */
	u32 sent_bytes;
	u8 pieces_doubtful; /* of what the present call has sent in pieces, see stream_sent() */
	u64 sent_group;     /* its mark, if that goes to a group; 0: it does not */
	u64 sent_from;      /* and what its sender is known by */
	u32 pieces_channel; /* as above */
	u32 pieces_bytes;   /* 0: nothing */
	u64 pieces_pos;
	u64 pieces_queued_ns;
	u64 handoff_pos;
	u64 sent_pos;
	u64 sent_packet; /* in which it went (address), or the first of its fragments */
	u64 udp_sock;    /* the present call receives from this one (address) */
	u64 udp_first;   /* its first packet is this (address); 0: none was there */
	struct datagram udp_datagram; /* and carries this */
	struct queue_look look;
	struct channel_key part_key; /* it has slept in the middle of a send there */
	u64 part_sent;               /* what had been sent there by then */
	u32 part_channel;            /* its id, plus 1; 0: it has not */
	u64 take_sock; /* the present call may take parts of this socket's stream (address) */
	u32 take_done; /* when it began, see struct takes */

	/* See no_syscalls.bpf.h. */
	u64 awake_ns;         /* it was woken last */
	u64 blocked_calls_on; /* it sleeps, or has slept, in a receive call of this socket; 0: of
				 none */
	u64 blocked_calls_ns; /* since then */
};

/*
 * Waits of traced threads for a CPU, in one word, so that one addition counts both: in the lower
 * half how many threads are runnable there and do not run, in the upper half how many waits ever
 * began there.
 */
#define WAIT_BEGINS (1ULL << 32 | 1)
#define WAIT_ENDS   ((u64)-1)

/*
 * A CPU. Written under its run queue lock, or by its interrupts, or with atomic operations; the
 * stage by sched_switch and by programs in the context of a thread, none of which interrupts
 * another.
 */
struct cpu_state {
	u32 staged_sz; /* these and `stage` are a struct stage */
	u32 staged_cnt;
	u64 staged_ns;

	u64 waits;
	u32 current; /* the thread that runs here (key), plus 1; 0: no switch has been seen yet */
	u32 slice_seq;
	u32 current_tid; /* its number, where that is not `current` less 1 */
	u32 unused;
	u64 irq_ns; /* the present interrupt began */
	u64 softirq_ns;
	u32 irq_mark; /* how many waits have begun at its end if nobody waited during it */
	u32 softirq_mark;
	u32 enter_thread;  /* attach: began a call here last that may send; only if untraced */
	u32 leaves_thread; /* handed over a packet here last, as above */
	u64 enter_ns;
	u64 leaves_skb; /* the packet, and its socket (addresses) */
	u64 leaves_sock;

	u8 stage[STAGE_SIZE];
};

_Static_assert(sizeof(struct cpu_state) == sizeof(struct stage), "the loader reads the stage");
_Static_assert(__builtin_offsetof(struct cpu_state, stage) ==
		       __builtin_offsetof(struct stage, record),
	       "the loader reads the stage");

/* The sends and receives of one channel: messages, or bytes of a stream. */
struct channel_state {
	u64 sent;
	u64 received;
	u32 id;
	u32 sender_thread; /* the last sender; TCP, and of an attach others but UDP */
	union {
		u64 late_end; /* TCP: sent up to here, but not seen to arrive; 0: all has been seen
			       */
		u64 found_ns; /* others: a receiver has found `start_most` then; 0: none has */
	};
	u64 sender_cookie;   /* TCP: of the socket that is its sender now */
	u64 receiver_cookie; /* TCP, and UDP of an attach: the same of its receiver; 0: not known
				yet */

	/* Attach: what was in it when we came, see baseline.bpf.h. */
	s64 start_least;
	s64 start_most; /* once it is started: how much that was */
	s64 start_hint;
	u64 begun_ns;      /* its counting has begun anew, see pipe_begin_anew(); 0: it has not */
	u64 quiet_ns;      /* `start_most` was found then, and nobody known was sending; 0: never */
	u32 reader_thread; /* the last receiver, of all that count when the call is over */
	u8 is_started;
	u8 is_torn;        /* some of what was taken went unseen, see unix_is_torn() */
	u8 is_new;         /* it is as young as its socket: nothing was in it */
	u8 is_shared;      /* several threads have sent, of the same and queues */
	u8 has_readers;    /* several threads have taken, of the same */
	u8 has_priorities; /* a POSIX queue has other channels, see queue_of_priority() */
	u8 has_address;    /* both ends have been told of */
	u8 concerns;       /* a pipe that a target uses; others are only counted */
	u8 is_packets;     /* a pipe, the positions of which are packets, see pipe_step() */
	u8 hint_receives;
	u16 priority; /* of a POSIX queue's messages, plus 1; 0: not known */
	u32 in_parts; /* threads that sleep in the middle of a send, see partial_sends.bpf.h */
};

/* What user space was told of a name last. */
struct name_key {
	u32 kind; /* enum slice_kind */
	u32 id;   /* a thread's key, or the number of an interrupt or softirq */
};

struct name_state {
	u64 start_time;
	u32 policy;
	u32 priority;
	char comm[RECORD_COMM_LEN];
};

#ifdef LEGACY
/* By thread (key). */
struct tasks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct task_state);
};

/* What a thread begins with: too much for the stack. */
struct blank_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct task_state);
};

/* Numbers of channels that have been given out lately. */
struct channel_ids_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u8);
};

extern struct blank_map blank SEC(".maps");
extern struct channel_ids_map channel_ids SEC(".maps");
#else
struct tasks_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
};
#endif

struct cpus_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* the loader sets the number of possible CPUs */
	__type(key, u32);
	__type(value, struct cpu_state);
};

/*
 * Has its memory from the beginning: on PREEMPT_RT, what allocates in an atomic context is refilled
 * by a thread, which those who are measured do not let run.
 */
struct channels_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct channel_key);
	__type(value, struct channel_state);
};

struct names_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct name_key);
	__type(value, struct name_state);
};

/* Attach: TCP ports that somebody listens on, in any network namespace. */
struct ports_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u8);
};

/* Attach: calls that may take parts of one socket's stream, see partial_receives.bpf.h. */
struct takes {
	u32 under_way;
	u32 done; /* receives that were counted while there was any */
};

/* By the socket's address. It stays while a call is under way. */
struct takes_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, struct takes);
};

struct ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* the loader sets the size */
};

extern struct tasks_map tasks SEC(".maps");
extern struct cpus_map cpus SEC(".maps");
extern struct channels_map channels SEC(".maps");
extern struct names_map names SEC(".maps");
extern struct ports_map ports SEC(".maps");
extern struct takes_map takes_of SEC(".maps");
extern struct ring_map ring SEC(".maps");
extern u64 losses[NR_LOSSES];
extern u32 channel_cnt;
extern u32 takes_under_way; /* on whatever socket */
extern u64 armed_ns;        /* attach: all ends are known; what began before is not counted */
extern u64 is_surveyed; /* attach: since then, all sockets that were there before are marked so */
extern u64 disarmed_ns; /* attach: what begins from here on is not counted; 0: not yet */

/*
 * Set by the loader: messages are told of by the workload, whose records carry no changes. So these
 * go out whenever a thread has been given the CPU.
 */
extern const volatile bool from_workload;
/* Set by the loader: the kernel has sched_exit_tp. */
extern const volatile bool has_sched_exit;
/* Set by the loader: TCP and UDP are traced; UDP is. */
extern const volatile bool trace_inet;
extern const volatile bool trace_udp;
/* Set by the loader: pipes are, message queues are. */
extern const volatile bool trace_pipes;
extern const volatile bool trace_queues;
/* Set by the loader: no event tells that data has become visible, but waking its receiver does. */
extern const volatile bool waking_tells;
/* Set by the loader: programs that others have started are traced, and who talks to them. */
extern const volatile bool attach;
/* Set by the loader: our own process, which is nobody's peer. */
extern const volatile u32 self_pid;
/* Set by the loader: this kernel preempts threads in programs, see preempt.bpf.h. */
extern const volatile bool can_preempt;
/* Set by the loader: the kernel has no events of sockets, see sockets_by_syscall.bpf.c. */
extern const volatile bool by_calls;

#ifdef LEGACY
static __always_inline struct task_state *task_state(struct task_struct *task)
{
	u32 key = task_key(task);

	return bpf_map_lookup_elem(&tasks, &key);
}

static __always_inline struct task_state *current_state(void)
{
	u32 key = current_key();

	return bpf_map_lookup_elem(&tasks, &key);
}

/* For one that has none. NULL: no memory. */
static __always_inline struct task_state *task_state_make(struct task_struct *task)
{
	u32 key = task_key(task), first = 0;
	struct task_state *fresh = bpf_map_lookup_elem(&blank, &first);

	if (fresh)
		bpf_map_update_elem(&tasks, &key, fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tasks, &key);
}

static __always_inline void task_state_drop(struct task_struct *task)
{
	u32 key = task_key(task);

	bpf_map_delete_elem(&tasks, &key);
}
#else
static __always_inline struct task_state *task_state(struct task_struct *task)
{
	/* Nobody has stored anything with most, which is seen without a call. */
	if (!UNTRUSTED(struct task_struct, task)->bpf_storage)
		return NULL;
	return bpf_task_storage_get(&tasks, task, NULL, 0);
}

static __always_inline struct task_state *current_state(void)
{
	return task_state(current_task());
}

/* As above. */
static __always_inline struct task_state *task_state_make(struct task_struct *task)
{
	return bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline void task_state_drop(struct task_struct *task)
{
	bpf_task_storage_delete(&tasks, task);
}
#endif

/* The number of a traced thread, which is looked for once: exec alone changes it. */
static __always_inline u32 state_tid(struct task_state *t, struct task_struct *task)
{
	if (!in_pid_ns)
		return task_key(task);
	if (!t->tid)
		t->tid = task_tid(task);
	return t->tid;
}

/* One of io_uring's own, which makes no system calls. */
static __always_inline bool is_io_thread(struct task_struct *task)
{
	return READ(task, flags) & PF_IO_WORKER;
}

static __always_inline struct cpu_state *cpu_state(u32 cpu)
{
	return bpf_map_lookup_elem(&cpus, &cpu);
}

/* A pointer as a number to reckon with: the verifier forgets what it was. */
static __always_inline u64 address_of(struct task_state *t, const void *pointer)
{
	*(volatile u64 *)&t->address = (u64)pointer;
	return *(volatile u64 *)&t->address;
}

static __always_inline u32 waiters(const struct cpu_state *c)
{
	return *(volatile u64 *)&c->waits;
}

/* There are functions above, or in legacy.bpf.h, that work on all kernels. */
#pragma GCC poison bpf_get_current_task_btf bpf_task_pt_regs bpf_task_storage_get

#endif
