/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defines the state that the BPF programs keep for threads, CPUs, channels and sockets. A channel
 * is one direction of a socket, pipe or queue. Unit tests include this file, so the file includes
 * no kernel header.
 */
#pragma once

#include "record.h"

/* Identifies a channel by its ends. The file of each transport says what it puts here. */
struct channel_key {
	u64 sender;
	u64 receiver;
};

/* A connect() or accept() under way. */
struct opening {
	u64 enter_ns;
	u64 queued_ns; /* unix: its listener has the connection; 0: not yet */
	u64 listener;  /* where it connects to, as listener_at() returns it */
	u64 was_full;
};

/* A datagram under way, see udp_packets.bpf.h. */
struct datagram {
	u64 position;
	u32 channel; /* CHANNEL_UNKNOWN: no traced thread has sent it */
	u32 transport;
	u64 mark; /* identifies its headers, see datagram_mark() */
	struct channel_key key;
};

/*
 * A count of the messages of one sender, or of one type, in a kernel queue. It is done in parts,
 * because the verifier walks through every round of a loop.
 */
struct queue_sample {
	u64 of;   /* the sender's address, or the type */
	u64 end;  /* address of the queue itself */
	u64 next; /* address of the message to visit next */
	s64 found;
};

#define QUEUE_SAMPLE_PART  32
#define QUEUE_SAMPLE_PARTS 20 /* together more than systemd lets a socket's queue hold */

/* Where a traced thread is, as the scheduler's events show. */
enum place {
	PLACE_ON_CPU, /* the zero: a thread runs when it is first seen */
	PLACE_ASLEEP,
	PLACE_RUNNABLE,
};

/* Whether the current send has woken a thread that watches the receiver's end. */
enum unwatched {
	WATCHED = 0,
	UNWATCHED,        /* none so far; if there is one, it is woken next */
	UNWATCHED_SURELY, /* the list of waiters there is empty */
};

/* The current or last call of a thread that is followed, see base/syscalls.bpf.h. */
struct syscall_state {
	u64 enter_ns;    /* it was entered then; with --level light see no_syscalls.bpf.h */
	u32 number;      /* attach: its number, if it is followed, or CALL_OUTSIDE */
	u8 polls;        /* the thread sleeps, or last slept, and watches many channels */
	u8 has_reported; /* it has sent or received a message */
	u8 is_mid_call;  /* attach: the thread has begun no such call since it is traced, so that
			  * the start of a present one is unknown. An io_uring thread makes no
			  * calls: always 1 */
};

/* What the scheduler did with a thread. Written under the run queue lock, see struct task_state. */
struct sched_state {
	u64 resumed_ns;    /* it went on after a wait in its call; 0: it waits; 1: not known */
	u64 runnable_ns;   /* PLACE_RUNNABLE: since then */
	u64 awake_ns;      /* --level light: its last wakeup */
	u32 place;         /* enum place */
	u32 wait_cpu;      /* PLACE_RUNNABLE: it waits for this CPU */
	u8 is_being_woken; /* sched_waking came, sched_wakeup did not; written by other threads */
};

/* --level deep: the last sched_waking of a thread. Written under its pi_lock. */
struct waking_state {
	u64 at_ns;  /* 0: none since it was woken last */
	u32 tid;    /* the thread in whose context that was */
	u32 number; /* as in struct record_waker */
	u16 cpu;
	u8 flags;     /* enum waker_flag */
	u8 timed_out; /* its own timer did it */
	u8 held;      /* enum waker_flag: in its sleep the thread is WAKER_OF_ */
	u8 shown;     /* WAKER_IS_SHOWN, or 0 */
};

/* --level deep: the outermost lock of the kernel that the thread waits for. */
struct lock_state {
	u64 address; /* 0: none */
	u64 from_ns;
	u64 call_ns; /* the call began then, as in any_call_state */
	u32 flags;   /* the kernel's, of contention_begin */
};

/*
 * --level deep: the last timer that the thread has started in order to be woken. Written by the
 * thread itself.
 */
struct timer_state {
	u64 address; /* 0: none */
	u64 until;   /* it may expire then: by its own clock, or in ticks */
	u64 started_ns;
	u64 asked_ns;  /* from then on */
	u64 slack_ns;  /* it may expire so much later */
	u64 scratch;   /* see timer_address_of() */
	u8 is_wheel;   /* a struct process_timer; else a struct hrtimer_sleeper */
	u8 was_queued; /* when the thread fell asleep last; written under its run queue lock */
};

/* --level deep: the current call, whatever it is. */
struct any_call_state {
	u64 enter_ns; /* 0: the thread is in no call, or when it began is not known */
	u64 since_ns; /* the last call began or ended then */
	u64 sleeps;   /* how often the thread had slept by then */
	u32 number;
	u8 has_waited; /* it has slept in it as for a disk; written under its run queue lock */

	/* The last call that failed. */
	u32 failed;
	u32 failed_error;  /* 0: none has */
	u64 failed_sleeps; /* how often the thread had slept by then */
};

/* --level deep: the thread's waits for disks, see disk.bpf.h. */
struct disk_state {
	u64 asked;     /* the disk of the last request that it has made (address), ... */
	u64 asked_ns;  /* ... and when it did */
	u64 waits_for; /* the disk that it sleeps for, or slept for (address); 0: it does not */
	u64 asleep_ns; /* since then; these two are written under its run queue lock */
};

/* --level deep: a request under way. */
struct disk_request {
	u64 from_ns;
	u64 start_ns; /* the kernel made it then, as it says itself; 0: it does not */
	u32 tid;      /* made by this thread */
	u32 pad;
};

/* --level deep: what the kernel had counted of the thread's page faults at `since_ns`. */
struct faults_state {
	u64 since_ns; /* 0: not known */
	u64 minor;
	u64 major;
};

#define SHORT_CALL_NUMBERS 3

/* --level deep: short calls since the last one for a message, see short_calls.bpf.h. */
struct short_calls_state {
	u64 from_ns;      /* the first one began; 0: there were none */
	u64 to_ns;        /* the last one was over */
	u64 ns;           /* in all of them */
	u64 last;         /* number and descriptor of the last one */
	u64 failed_to_ns; /* the last one that failed was over */
	struct {
		u32 number;
		u32 cnt; /* 0: none */
		u64 ns;
		u64 error;          /* with which they failed; 0: they did not */
	} kind[SHORT_CALL_NUMBERS]; /* further ones are not counted */
};

#define FAILED_PLACES 16

/* --level deep: calls that failed, see failed.bpf.h. */
struct failed_calls {
	u64 from_ns;
	u64 to_ns;
	u64 ns;
	u32 number;
	u32 error;
	u32 cnt; /* 0: none */
	u32 inode;
	u16 family;
	u16 port;
	u16 peer_port;
};

/* --level deep: what the thread has found since it was woken, see futile.bpf.h. */
struct futile_state {
	u64 woken_ns; /* the last sleep in a call that polls ended, not by a timeout; else 0 */
	u64 ran_ns;   /* what the thread had used of CPUs by then */
	u64 from_ns;  /* `woken_ns`, if that call has returned, and nothing was found; else 0 */
	u32 waker;    /* as in struct record_futile */
	u32 failed;   /* number of the call that failed, plus 1; 0: none has */
	u8 polls;     /* the thread sleeps, or slept last, in a call that polls, or waits for a file
		       * lock */

	/* The same for a futex. */
	u64 word;       /* it sleeps, or slept last, for this word (address / 8); 0: for none */
	u64 awake_ns;   /* a thread has ended such a sleep: since then; else 0 */
	u64 awake_word; /* ... for this word */
	u64 awake_ran_ns;
	u32 awake_by; /* that thread */
};

/* The current send. */
struct sending_state {
	u64 queued_ns;       /* it reached a receiver, or woke one; 0: not yet */
	u64 queued_to;       /* that receiver: a cookie, a name, or a connection's ports */
	u64 queued_pos;      /* how far: a datagram's position, or the last sequence number */
	u64 woke_ns;         /* the call woke a thread; for transports without another event */
	u64 woke_watcher_ns; /* attach: the call woke a thread that polls */
	u64 queued_sock;     /* attach: the socket that it reached (address) */
	u32 queued_flags;    /* attach: what is known of that socket, SOCKET_ */
	u8 queued_inet;      /* that is a TCP or UDP socket: a softirq may have brought another
			      * sender's data */
	u8 unwatched;        /* attach: enum unwatched */
	u8 is_urgent;        /* attach: out of band */
	u8 is_ambiguous;     /* attach: the next SEND is SEND_AMBIGUOUS */
	u8 held;             /* TCP: the next SEND has this flag: SEND_NO_ROOM or SEND_HELD */
	u8 has_more;         /* attach: the queue has more of this call that is not counted yet */
};

/* The current receive. */
struct receiving_state {
	u64 sender;         /* the message comes from this socket (address) */
	u64 sender_id;      /* what that sender is known by, see unix.bpf.h; 0: not known yet */
	u8 has_record;      /* `record` is filled in, and goes out at sys_exit */
	u8 is_partial;      /* attach: the call may receive a part of a stream, and then sleep */
	u32 copied_channel; /* attach: the message being copied is of this channel, plus 1; 0: not
			     * known */
	struct record_receive record; /* `first` counts the changes, also between receives */

	/* Attach. */
	u64 unix_cookie;   /* the call receives from this unix socket; 0: not known */
	u64 copied_pos;    /* position of the message from `sender` that is being copied */
	u64 copied_socket; /* cookie of the socket that it is copied from; 0: none is */

	/* --level light: see no_syscalls.bpf.h. */
	u64 waits_on; /* the thread sleeps, or slept, in receive calls of this socket (address) */
	u64 waits_since_ns;
};

/* UDP of an attach, see udp_packets.bpf.h. */
struct udp_state {
	/* The current send. */
	u32 sent_channel; /* its channel, plus 1; 0: nothing is sent yet */
	u32 sent_bytes;
	u64 sent_pos;
	u64 sent_packet; /* the packet that carries it (address), or its first fragment */
	u64 sent_group;  /* its mark, if it goes to a group; 0: it does not */
	u64 sent_from;   /* what its sender is known by */
	u8 is_dropped;

	/* The current receive. */
	u8 has_slept;             /* for lack of data, since the last sample */
	u64 sock;                 /* its socket (address) */
	u64 first;                /* first packet there, at the sample (address); 0: none */
	struct datagram datagram; /* what that packet carries */
};

/* What sendfile() or splice() sends in pieces; together they are one message. */
struct pieces_state {
	u32 channel;
	u32 bytes; /* 0: no piece yet */
	u64 position;
	u64 queued_ns;
	u8 is_ambiguous;
};

/* A futex wakeup on its way to this thread. */
struct futex_state {
	u64 position;
	u64 word;    /* the address that it waited for when another process woke it last */
	u32 channel; /* plus 1; 0: none */
};

/* The thread slept in the middle of a send, see partial_sends.bpf.h. */
struct partial_send {
	struct channel_key key;
	u64 sent_before; /* the channel's count of sends when the sleep began */
	u32 channel;     /* its id, plus 1; 0: the thread did not sleep there */
};

/* The current call may receive in parts, see partial_receives.bpf.h. */
struct partial_receive {
	u64 sock;        /* of this stream (address); 0: it does not */
	u32 done_before; /* partial_receive_calls.done when the call began */
};

#define MARKED_SOCKETS 16 /* a power of two */

struct change_buffer {
	u32 cnt; /* not emitted yet */
	u64 packed[CHANGES_MAX];
};

/*
 * A traced thread. What every message needs comes first and lies side by side. `sched` and
 * `changes` are written under the run queue lock that sched_switch, sched_wakeup and
 * sched_migrate_task hold, or by the thread itself while it runs. So is `receiving.record`: only a
 * running thread emits it.
 */
struct task_state {
	struct syscall_state syscall;
	struct sched_state sched;
	u32 tid;                  /* its number, once it is named; or see state_tid() */
	u8 is_named;              /* user space knows its name */
	u8 is_peer;               /* attach: traced because it talks to a target */
	u8 has_untraced_siblings; /* attach: see trace_siblings() */
	u8 traced_mid_write;      /* attach: tracing of it began while it wrote */
	struct sending_state sending;
	struct receiving_state receiving;
	struct change_buffer changes; /* go out with receiving.record */
	u32 ran;                      /* bits of enum ran */
	u32 policy;                   /* as in its last NAME record */
	u32 priority;
	u64 left_ns;                               /* --level deep: it has left its CPU then */
	struct waking_state waking;                /* --level deep */
	struct timer_state timer;                  /* --level deep */
	struct any_call_state call;                /* --level deep */
	struct short_calls_state shorts;           /* --level deep */
	struct futile_state futile;                /* --level deep */
	struct failed_calls failed[FAILED_PLACES]; /* --level deep */
	struct lock_state lock;                    /* --level deep */
	u64 watch;                                 /* --level deep: `what` of its last WATCH; */
	struct faults_state faults;                /* --level deep */
	struct disk_state disk;                    /* --level deep */
	u64 dirty_ns;    /* the same: it was about to be held back, see DIRTY */
	u64 reclaim_ns;  /* --level deep: it frees memory since then; else 0 */
	u8 shows_sleeps; /* others accept connections of its listener, too */

	/* Attach. */
	u64 marked[MARKED_SOCKETS]; /* cookies of those marked lately, see socket_is_targets() */
	u64 scratch;                /* see address_of() */
	struct futex_state futex;
	struct pieces_state pieces;
	struct partial_send partial_send;
	struct partial_receive partial_receive;
	struct udp_state udp;
	struct queue_sample sample;
};

/*
 * Waits of traced threads for a CPU. One addition counts both: in the lower half the threads that
 * are runnable there and do not run, in the upper half the waits that ever began there.
 */
#define WAIT_BEGINS (1ULL << 32 | 1)
#define WAIT_ENDS   ((u64)-1)

/*
 * A CPU. Written under its run queue lock, by its interrupts, or with atomic operations; the stage
 * by sched_switch and by programs in a thread's context, none of which interrupts another.
 */
struct cpu_state {
	u32 staged_bytes; /* these and `stage` are a struct stage */
	u32 staged_cnt;
	u64 staged_ns;

	u64 waits;   /* WAIT_BEGINS and WAIT_ENDS, added up */
	u32 current; /* the thread that runs here (key), plus 1; 0: no switch was seen yet */
	u32 slice_seq;
	u32 current_tid; /* its number, where that is not `current` less 1 */
	u32 unused;
	u64 irq_ns; /* the current interrupt began */
	u64 softirq_ns;
	u32 irq_mark; /* how many waits have begun at its end if no thread waited during it */
	u32 softirq_mark;

	/* Attach: the last untraced thread here (key) that entered a call that may send, ... */
	u32 enter_thread;
	u32 leaves_thread; /* ... and the last that handed over a packet */
	u64 enter_ns;
	u64 leaves_skb; /* the packet, and its socket (addresses) */
	u64 leaves_sock;

	u8 stage[STAGE_SIZE];
};

_Static_assert(sizeof(struct cpu_state) == sizeof(struct stage), "the loader reads the stage");
_Static_assert(__builtin_offsetof(struct cpu_state, stage) ==
		       __builtin_offsetof(struct stage, record),
	       "the loader reads the stage");

#define SOFTIRQS_MAX 16 /* a power of two; Linux has ten */

/* What raised a softirq that has not begun yet: a thread (key) plus 1, or one of these. */
#define RAISED_BY_NONE    0u
#define RAISED_BY_IRQ     (~0u)
#define RAISED_BY_SEVERAL (~0u - 1)

/*
 * --level deep: which interrupts a CPU executes now. Written by its interrupts and by threads that
 * raise softirqs, with interrupts off.
 */
struct cpu_context {
	u64 scratch;        /* see on_own_stack() */
	u64 idle_ns;        /* the CPU went idle last; 0: that is recorded */
	u64 left_ns;        /* the first event after that; 0: none yet */
	u64 stolen_ns;      /* what the host had taken from the CPU, ... */
	u64 stolen_at_ns;   /* ... at its last switch, which was then; 0: not known */
	u64 unused_ns;      /* it switched to its idle thread; 0: another thread is on it */
	u32 reserved;       /* the thread (key) plus 1 that runs as in SLICE_RESERVE; 0: none */
	u32 irq;            /* number of the hard interrupt, plus 1; 0: none that is known */
	u32 softirq;        /* vector, plus 1; 0: none */
	u32 softirq_thread; /* the thread that executes it (key), plus 1 */
	u32 softirq_raiser; /* what raised it */
	u32 raiser[SOFTIRQS_MAX];
};

/* Attach: what was in a channel when its counting began, see baseline.bpf.h. */
struct baseline {
	s64 least;
	s64 most; /* once it is known: the baseline itself */
	s64 hint;
	u64 found_ns; /* a receiver found `most` then; 0: none did */
	u64 quiet_ns; /* `most` was found then, and no known sender was active; 0: never */
	u8 is_known;
	u8 is_new;      /* the channel is as young as its socket: nothing was in it */
	u8 has_senders; /* several threads have sent; not kept for TCP and UDP */
	u8 has_readers; /* several threads have received; the same */
	u8 hint_receives;
};

/* The sends and receives of one channel: messages, or bytes of a stream. */
struct channel_state {
	/* These come before the id, see tcp_reuse.bpf.h. */
	u64 sender_cookie;   /* TCP: of the current sending socket */
	u64 receiver_cookie; /* TCP, and UDP of an attach: of the receiving socket; 0: not known */

	u64 sent;
	u64 received;
	u32 id;            /* 0: of a TCP connection that is over */
	u32 sender_thread; /* the last sender; TCP, and of an attach all others but UDP */
	union {
		u64 late_end; /* TCP: sent up to here, not yet seen to arrive; 0: all was seen */
		u64 restarted_ns; /* attach, pipe and eventfd: its counting began anew */
	};

	/* Attach. */
	struct baseline baseline;
	u32 reader_thread;   /* the last receiver, where receives are counted at the call's end */
	u32 partial_senders; /* threads that sleep amid a send, see partial_sends.bpf.h */
	u16 priority;        /* POSIX queue: messages have this one, plus 1; 0: not known */
	u8 is_out_of_sync;   /* some receives went unseen, see unix_is_out_of_sync() */
	u8 has_priorities;   /* POSIX queue: it has other channels, see mqueue_of_priority() */
	u8 has_address;      /* its addresses are emitted */
	u8 concerns_target;  /* pipe: a target uses it; others are only counted */
	u8 is_packets;       /* pipe: its positions are packets, see pipe_step() */
};

/* What user space knows of a name. */
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

/* Attach: calls under way that may receive parts of one stream, see partial_receives.bpf.h. */
struct partial_receive_calls {
	u32 under_way;
	u32 done; /* receives that were counted while a call was under way */
};

/* What is known of a socket. */
enum socket_flag {
	SOCKET_TARGET = 1,    /* a target reads it or writes to it */
	SOCKET_FED = 2,       /* a target has written into it */
	SOCKET_OLD = 4,       /* it existed before its owner was traced */
	SOCKET_HAS_SENT = 8,  /* while its owner was traced */
	SOCKET_REPORTED = 16, /* UDP: user space knows the channel that leads there */
};

struct socket_state {
	u32 flags; /* SOCKET_ */
};

/* A socket that is only an address, see socket_id.bpf.h. */
struct socket_id {
	u64 id;
	u32 inode; /* 0: not accepted yet */
	u32 peer;  /* its peer's inode when it was first seen */
	u32 flags; /* SOCKET_ */
};

/* Attach: an untraced thread receives a unix message now, see unix_copy_note(). */
struct unix_copy {
	u64 sender;    /* its socket (address) */
	u64 sender_id; /* what it is known by */
	u32 key;       /* of the receiving thread; 0: none */
	u32 pad;
};

#define UNIX_COPIES 4096
