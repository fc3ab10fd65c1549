/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Defines the records, which carry data from the kernel and the workload to the analysis and into
 * recordings. The tracing programs and user space share only this file, its parts, deep.h
 * and timing.h.
 *
 * Every record starts with struct record. The length of a record is a multiple of eight bytes. All
 * fields are little endian. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#pragma once

#include "record_type.h"
#include "transport_id.h"

/*
 * SEND and RECEIVE come from the kernel. For shared memory, which no kernel object represents, the
 * workload makes them from its own clock readings: then a RECEIVE carries no change, and its
 * `first` is RECEIVE_FROM_WORKLOAD.
 */
#define RECEIVE_FROM_WORKLOAD 0xffffffffffffffffu

/*
 * The position of a SEND whose message has none. It was dropped, and its channel is
 * CHANNEL_UNKNOWN; or (attach) the SEND shows that its channel was counted from a wrong position,
 * and counting begins anew.
 */
#define POSITION_NONE 0xffffffffffffffffu

/*
 * A message at its sender. `position` counts the messages of the channel from 0, or the bytes on
 * byte streams. Channel and position together join the message to its RECEIVE.
 */
struct record_send {
	struct record head; /* tid, cpu: the sender's */
	u32 channel;
	u32 bytes;
	u64 position;
	u64 send_ns;   /* the send call was entered (sys_enter); 0: before the thread was traced;
			  without system call events: not entered before this */
	u64 queued_ns; /* the data became visible to the receiver; 0: an ARRIVAL has the time */
};

enum send_flag {
	/*
	 * When the data became visible, no thread was woken that slept in poll, select or epoll:
	 * none of them watched this socket, pipe or queue, except threads that were being woken
	 * already (CHANGE_WOKEN). Attach only.
	 */
	SEND_UNWATCHED = 1,
	/* Attach: others sent parts meanwhile, and this message may be at another position. */
	SEND_AMBIGUOUS = 2,
	SEND_NO_ROOM = 4, /* TCP, at `counted_ns`: the receiver's window did not let all data out */
	SEND_BY_LOCK = 8, /* futex: the sender has waited for the same word: a lock, no message */
	SEND_HELD = 16,   /* from this bit on: enum send_held */
};

/*
 * TCP: why data of the message lay in the sender's socket at `counted_ns`, the end of the send
 * call, besides SEND_NO_ROOM.
 */
enum send_held {
	HELD_NOT,   /* they did not, or why is not known */
	HELD_NAGLE, /* less than a segment, and the receiver has not acknowledged an earlier one */
	HELD_ACK,   /* the same; and all earlier data had reached the receiver, which acknowledges
		       within a millisecond if it does so at once: its acknowledgement is delayed */
	HELD_CORK,  /* less than a segment, and more is announced (TCP_CORK, MSG_MORE) */
	HELD_CONGESTION, /* as much is under way as the congestion window allows */
	HELD_PACING,     /* the socket's rate is limited (SO_MAX_PACING_RATE, BBR) */
	HELD_DEVICE,     /* data of the socket lie in the queue of a network device (qdisc); only at
			    level deep */
	NR_SEND_HELD
};

/*
 * Attach, where sends are counted when calls end, SEND_NO_ROOM and SEND_HELD: another word follows,
 * the instant at which it was counted. Until then another send may have come first.
 */
struct record_send_counted {
	struct record_send send;
	u64 counted_ns;
};

/*
 * Attach, a send outside of any system call, as io_uring does: a third word follows. The send began
 * after this instant; 0 or 1: not known. `send_ns` is when the send was first seen.
 */
struct record_send_outside {
	struct record_send_counted counted;
	u64 since_ns;
};

/*
 * The channel of a SEND whose message has no place in any: it was dropped, or its route is not
 * known. The channel of a RECEIVE (attach) whose message comes from an unknown sender and has no
 * position; or of a datagram that was not identified: then its position is the socket it was
 * received from, and what is known.
 */
#define CHANNEL_UNKNOWN 0xffffffffu

/*
 * Such a position: the socket's cookie, and these flags. `bytes` is the time from the start of the
 * call to the receive then, in ns.
 */
#define UNSEEN_SHIFT        2
#define UNSEEN_CAME_SINCE   1u /* no datagram was known to be there when the call began */
#define UNSEEN_LEFT_NOTHING 2u /* the queue was empty after the receive */

enum arrival_flag {
	/* No thread waited for data of the socket, or watched it. Attach only. */
	ARRIVAL_UNWATCHED = 1,
};

/* For channels whose data may be under way for longer than the send call lasts (TCP). */
struct record_arrival {
	struct record head; /* cpu: where it was seen */
	u32 channel;
	u32 pad;
	u64 end; /* all positions below this one are visible to the receiver */
	u64 at_ns;
};

/* TCP sends data again, because the receiver has not acknowledged them: a rare event. */
struct record_retransmit {
	struct record head; /* cpu: where it was seen; tid: 0 */
	u32 channel;
	u32 pad;
	u64 position; /* of the first byte */
	u64 at_ns;
};

enum receive_flag {
	/*
	 * The position was given after the message was received, not during that: a message of
	 * another thread may have come in between. Sockets of an attach only.
	 */
	RECEIVE_LATE = 1,
	/* Other threads have received parts of this stream meanwhile, or may have. Attach only. */
	RECEIVE_AMBIGUOUS = 2,
};

/*
 * A message at its receiver, and the receiver's changes of state since its last record. The changes
 * of all RECEIVE and CHANGES records of one thread, in the order of `first`, are the thread's time
 * line.
 *
 * u64 change[] follows, see change_pack().
 */
struct record_receive {
	struct record head; /* tid, cpu: the receiver's; words: gives the number of changes */
	u32 channel;
	u32 bytes;
	u64 position;
	u64 enter_ns; /* the receive call was entered (sys_enter); 0: before the thread was traced;
			 without system call events: its first sleep in the call, or not entered
			 before this */
	u64 exit_ns;  /* the call returned (sys_exit); 0: the next RECEIVE of the same call has the
			 time; without system call events: the message was received
			 (sock_recv_length); enter_ns: it was received outside of any call, at this
			 instant */
	u64 first;    /* index of change[0] among all changes of this thread; a gap is a loss */
};

/* The state that a thread changes to. Values are written to recordings. */
enum change_kind {
	CHANGE_SLEEP = 1, /* left the CPU, asleep */
	CHANGE_PREEMPT,   /* left the CPU, still runnable */
	CHANGE_WAKE,      /* asleep → runnable, on the run queue of `cpu` */
	CHANGE_MIGRATE,   /* runnable, moved to the run queue of `cpu` */
	CHANGE_SWITCH,    /* the scheduler begins the switch to it on `cpu` */
	CHANGE_RUN,       /* the switch has ended, the thread's own code runs */
	CHANGE_RESUME,    /* the thread's own code runs; the start of the switch was not seen */
	CHANGE_THROTTLE, /* left the CPU, or was woken: runnable; bandwidth control holds it back */
	CHANGE_POLL,     /* like SLEEP, in poll, select, epoll and the like: waits for any of many
			    channels */
	CHANGE_WOKEN,    /* like SLEEP, but its wakeup was under way and came too late to keep the
			    thread on its CPU. Of a thread that sleeps: its wakeup begins */
	CHANGE_SLEEP_IN, /* like SLEEP; `cpu` is the number of the system call, or CALL_ */
	CHANGE_POLL_IN,  /* like POLL; `cpu` as in SLEEP_IN */
	CHANGE_ROOM,     /* like SLEEP_IN, in a send call: waits for room at the receiver */
	NR_CHANGE_KINDS
};

/*
 * A change packed into one word:
 *
 *	  63      60 59      46 45                        0
 *	 |  kind   |   cpu    |  time, ns modulo 2^46      |
 *
 * 2^46 ns are 19.5 hours; a reader unwraps backwards from the record's exit_ns.
 */
#define CHANGE_TIME_BITS 46
#define CHANGE_CPU_BITS  14
#define CHANGE_TIME_MASK ((1ULL << CHANGE_TIME_BITS) - 1)
#define CHANGE_CPU_MASK  ((1ULL << CHANGE_CPU_BITS) - 1)
#define CHANGE_KIND_MASK (0xfULL << (CHANGE_TIME_BITS + CHANGE_CPU_BITS))

static inline u64 change_pack(u64 time_ns, u32 cpu, u32 kind)
{
	return (time_ns & CHANGE_TIME_MASK) | ((u64)cpu & CHANGE_CPU_MASK) << CHANGE_TIME_BITS |
	       (u64)kind << (CHANGE_TIME_BITS + CHANGE_CPU_BITS);
}

/* Instead of a system call's number: outside of any call, as for a page that is not in memory. */
#define CALL_OUTSIDE CHANGE_CPU_MASK
#define CALL_STOPPED (CHANGE_CPU_MASK - 1) /* the same: by a signal, a debugger or a freezer */

/* A record carries at most this many changes. */
#define CHANGES_MAX 32

/*
 * A thread changed state CHANGES_MAX times without a receive: its time line continues here.
 *
 * u64 change[] follows.
 */
struct record_changes {
	struct record head;
	u64 base_ns; /* not before the youngest change: unwrap backwards from here */
	u64 first;   /* as in struct record_receive */
};

enum slice_kind {
	SLICE_TASK,    /* head.tid ran until end_ns, since the slice before it on this CPU */
	SLICE_IRQ,     /* head.tid is the interrupt's number; it ran from start_ns to end_ns */
	SLICE_SOFTIRQ, /* head.tid is the softirq's vector */
	SLICE_UNSEEN,  /* like TASK, but a switch was not seen: the task that ran is not known */
	NR_SLICE_KINDS
};

/* SLICE_IRQ: an interrupt of the CPU itself has no number, but this one plus enum cpu_irq. */
#define IRQ_OF_CPU (1u << 22)

enum slice_flag {
	SLICE_OWN = 1,     /* softirq, level deep: raised by the thread that it interrupts */
	SLICE_RESERVE = 2, /* task, level deep: without a real-time priority, it got the CPU while
			    * a real-time thread was runnable there */
};

/*
 * What ran on head.cpu while at least one traced thread was runnable there and did not run. At
 * level deep also the interrupts and softirqs that interrupted a traced thread.
 */
struct record_slice {
	struct record head;
	u32 kind;     /* enum slice_kind */
	u32 seq;      /* counts the slices of this CPU, also lost ones; a gap is a loss */
	u64 start_ns; /* of an interrupt; 0 for others */
	u64 end_ns;
};

struct record_channel {
	struct record head; /* tid: the first thread that used it; 0: not known */
	u32 channel;        /* the id that SEND and RECEIVE use */
	u32 transport;      /* enum transport_id */
	u64 sender;   /* cookie of the sending socket; 0: the receiver came first, or there is no
			 socket, or (UDP) the record adds the receiving socket of a channel of
			 addresses */
	u64 receiver; /* cookie of the receiving socket, or what else identifies the receiver */
};

/* Channels of the workload itself: above all ids of the kernel side. */
#define CHANNEL_OF_LINK(client, to_server) (0x80000000u | (client) << 1 | (to_server))

#define NAME_KTHREAD                       1u /* flag: a kernel thread */
#define NAME_OWN                           2u /* flag: ipctrace has started it, for --on-slow */

struct record_name {
	struct record head; /* tid: thread, interrupt number or softirq vector */
	u32 kind;           /* enum slice_kind: what kind of number the tid is */
	u32 flags;
	u32 policy;   /* SCHED_*; 0 for interrupts */
	u32 priority; /* kernel's: 0..99 is real-time (99 - rt_priority), 100..139 nice -20..19 */
	u64 since_ns; /* holds for events from then on, until another name for the same number */
	char comm[RECORD_COMM_LEN]; /* NUL terminated */
};

/* Follows the NAME of a thread that is not the first thread of its process. */
struct record_process {
	struct record head;         /* tid: the thread */
	u64 since_ns;               /* of that NAME */
	u64 pid;                    /* number of the process in the tracer's PID namespace */
	char comm[RECORD_COMM_LEN]; /* of the first thread of the process; NUL terminated */
};

enum role { ROLE_SERVER, ROLE_CLIENT, NR_ROLES };

struct record_role {
	struct record head; /* tid: the thread */
	u32 role;           /* enum role */
	u32 client;         /* 1..N; 0 for the server */
	char comm[RECORD_COMM_LEN];
};

struct record_tick {
	struct record head; /* tid: the server's sending thread */
	u64 round;          /* from 0, warm-up included */
	u64 due_ns;         /* when the tick should have been */
	u64 stamp_ns;       /* when it was: the stamp that the round's messages carry */
	u32 sent;           /* messages sent in this round */
	u32 skipped; /* ticks that passed unused since the last round, because the server was late
		      */
};

/* One message at its receiver. A link joins the server and one client, in two directions. */
struct record_stamp {
	struct record head; /* tid: the receiving thread */
	u32 client;         /* 1..N: the client of the link */
	u32 to_server;      /* 0: from the server to the client; 1: to the server */
	u64 index;          /* index of the message in this direction of the link, from 0 */
	u64 round;          /* the message's number, as it says itself */
	u64 stamp_ns;       /* the sender's clock reading that the message carries */
	u64 user_ns;        /* the receiver's clock reading after its receive */
	u64 due_ns;         /* when its exchange should have begun (fixed rate); 0: no fixed rate */
};

/*
 * The pattern connect: three more words follow, clock readings of the client, which does nothing
 * else between two exchanges.
 *
 *	begun          connected      user           closed
 *	  |socket, connect |receive       |close         |
 */
struct record_stamp_exchange {
	struct record_stamp stamp;
	u64 begun_ns; /* it begins to make the socket; earlier attempts to connect are outside */
	u64 connected_ns; /* connect() has returned */
	u64 closed_ns;    /* close() has returned */
};

/* One direction of a link, when it has ended. */
struct record_traffic {
	struct record head; /* tid: the receiving thread */
	u32 client;         /* 1..N */
	u32 to_server;
	u64 sent;            /* messages sent, warm-up included */
	u64 received;        /* messages received */
	u64 corrupt;         /* among them messages with a wrong number or wrong contents */
	u64 bytes;           /* received bytes of counted messages */
	u64 first_ns;        /* the first counted message was stamped, or else received */
	u64 last_ns;         /* the last was received */
	u64 wakes_sent;      /* signals: number sent */
	u64 wakes_delivered; /* signals: number that arrived; others merged with a pending one */
};

/* Attach: emitted once for every traced thread, before its first message. */
struct record_thread {
	struct record head;
	u32 pid;      /* of its process */
	u32 is_peer;  /* 0: a target; 1: traced because it talks to one */
	u64 since_ns; /* the thread was created; before, its number was another thread's */
};

/*
 * Attach: the sends and receives of a channel are counted from the first that is seen. `leftover`
 * was in the channel and is not counted as sent: the position of a receive is that much ahead of
 * its send's. It is not known before this record.
 */
struct record_baseline {
	struct record head;
	u32 channel;
	u32 is_new;   /* 1: the channel was made while tracing was on */
	u64 leftover; /* messages or bytes; BASELINE_UNKNOWN: cannot be found out. Two's complement:
			 negative if a send that was under way when tracing began counts as a whole
		       */
};

#define BASELINE_UNKNOWN 0xffffffffffffffffu

#define ADDRESS_TEXT_LEN 112

/* A server's socket has a name; most sockets of clients have none. */
#define ADDRESS_OF_SENDER   1u
#define ADDRESS_OF_RECEIVER 2u
#define ADDRESS_OF_BOTH     (ADDRESS_OF_SENDER | ADDRESS_OF_RECEIVER)

#define ADDRESS_TO_TARGET   4u /* flag: a target uses the receiving end; it may never receive */
#define ADDRESS_IS_QUEUE    8u /* flag: a System V queue, with its number in `inode` */

/*
 * Attach: `text` is a path or file name (that of an abstract socket begins with NUL), or both
 * Internet addresses in network order: the sender's in bytes 0 to 15, the receiver's in 16 to 31.
 */
struct record_address {
	struct record head; /* tid: the first thread that used the channel; 0: not known */
	u32 channel;
	u16 family; /* AF_UNIX, AF_INET, AF_INET6; 0: a file */
	u16 length; /* of the text; Internet: of each address */
	u16 sender_port;
	u16 receiver_port;
	u32 named; /* ADDRESS_OF_: the ends that have the name, or a port that is listened on; flags
		    */
	u64 inode; /* a pipe's, or a queue's number, or of a unix socket that sends; 0: none */
	u8 text[ADDRESS_TEXT_LEN];
};

/* Its family, as in any recording, and where the second address begins in `text`. */
enum { FAMILY_FILE = 0, FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10 };
#define ADDRESS_RECEIVER_AT 16

/*
 * Whether the address of a receiver, in network order, is a group: multicast, or the broadcast
 * address of all networks or of the loopback network.
 */
static inline int address_is_group(u16 family, const u8 *to)
{
	if (family == FAMILY_INET6)
		return to[0] == 0xff;
	return (to[0] & 0xf0) == 0xe0 ||
	       ((to[0] == 127 || to[0] == 255) && (to[1] & to[2] & to[3]) == 255);
}

enum left_reason {
	LEFT_SEND_FAILED, /* the server could not send to it: `detail` is the errno */
	LEFT_SIGNAL,      /* killed: `detail` is the signal */
	LEFT_EXIT,        /* ended by itself: `detail` is the status */
	LEFT_DURATION,    /* LEFT_ALL: the requested duration was over */
	LEFT_TARGETS,     /* LEFT_ALL: no target was left */
	LEFT_STOP_AT,     /* LEFT_ALL: a message fulfilled the condition of --stop-at */
	LEFT_COUNT,       /* LEFT_ALL: as many windows as --count were recorded */
	NR_LEFT_REASONS
};

/*
 * Instead of a client: the whole run, or attach. LEFT_SIGNAL then means that a signal asked the
 * program to end, which is how most attaches end.
 */
#define LEFT_ALL (~0u)

struct record_left {
	struct record head; /* tid: the client's receiving thread, 0 if it never had one */
	u32 client;         /* 1..N; 0 is the server; LEFT_ALL */
	u32 reason;         /* enum left_reason */
	u64 round; /* rounds that were sent to it, or that it received; LEFT_ALL: not 0 if it was to
		      continue */
	u64 detail; /* by reason; LEFT_DURATION and later ones: how long the attach took, in ns */
};

struct record_load {
	struct record head;
	u64 count; /* how often the load did its work in this run; 0: not known */
	u64 ended; /* 1: it ended before the workload */
};

/* How the member that paused longest has paused, between two exchanges or rounds. */
struct record_pauses {
	struct record head; /* tid: the member; 0: no member has paused */
	u64 count;
	u64 ns; /* in all */
};

struct record_stop {
	struct record head;
	u64 at_ns;
};

/*
 * The thread was sending at some instant in between. Its call is not counted, because it began
 * before counting or after its end; or the call sleeps and is not over. Sends of other threads at
 * the same time may have come before or after it.
 */
struct record_beside {
	struct record head;
	u32 channel;
	u32 pad;
	u64 from_ns; /* 0: before the thread was traced */
	u64 until_ns;
};

/*
 * In its current call the thread may have sent or received something since `from_ns`. At `until_ns`
 * it had no CPU to emit a record. Meanwhile others are numbered as if it had done nothing.
 */
struct record_starving {
	struct record head;
	u32 at_queue; /* 1: its call is on a message queue */
	u32 pad;
	u64 from_ns;
	u64 until_ns;
};

enum wakeup_flag {
	/*
	 * The woken thread watches an eventfd, a pipe or the like that was written to or rearmed:
	 * it does not wait for a lock.
	 */
	WAKEUP_BY_WRITE = 1,
};

/*
 * Attach: the thread woke another thread of its process, which watched what the thread wrote to or
 * rearmed (epoll_ctl), or is new; FUTEX_WAKEUP: which slept in a futex call. It may have handed
 * over work, or a lock.
 */
struct record_wakeup {
	struct record head; /* tid, cpu: of the thread that woke the other; enum wakeup_flag */
	u32 woken;          /* tid of the other */
	u32 place;          /* FUTEX_WAKEUP: see futex_place() */
	u64 at_ns;          /* the wakeup began */
};

#define SCRIPT_LEN 104

/* As in interpreter_script(); empty: since its last SCRIPT, the process executes none. */
struct record_script {
	struct record head;    /* tid: the process */
	char text[SCRIPT_LEN]; /* NUL terminated */
};

/* A CPU, in `head`, of a machine whose host reports steal. */
struct record_steal {
	struct record head;
	u64 steal_ns;
	u64 span_ns; /* of this time */
};

/* Latency with tracing over latency without, in millionths: median and 95 % interval of pairs. */
struct record_observer_effect {
	struct record head;
	u64 pairs;
	u64 ratio;
	u64 low;
	u64 high;
};

/* How the thread that reads, analyses and writes the records got its CPU. */
struct record_reader {
	struct record head;
	u64 policy;     /* enum reader_policy */
	u64 start_ns;   /* from the start of the session until sends were counted */
	u64 hurried_ns; /* for how long it came before others, in order not to lose records */
};

/* A path or address follows these two records: up to so many bytes, with zeros to a whole word. */
#define PATH_TEXT_LEN 160

struct record_path {
	struct record head;
	u64 length;                /* of the name, which is as in an ADDRESS */
	u8 name[ADDRESS_TEXT_LEN]; /* as it was bound */
};

struct record_found { /* see model/summary.h, struct found_summary */
	struct record head;
	u32 targets, connections, services, elsewhere, transport, pid;
	char comm[RECORD_COMM_LEN];
};

/*
 * The statistics of all messages (model/members/summary_members.c), where not all records are kept.
 */
#define SUMMARY_OF_ALL 1
struct record_summary {
	struct record head;
	u32 kind; /* SUMMARY_OF_ALL */
	u32 left; /* words of the same summary in the records that follow */
};

struct record_watermark {
	struct record head;
	u64 before_ns;
};

/* Reasons for loss. The counters count records or changes, not messages. */
enum loss {
	LOSS_RING_FULL, /* the ring buffer had no room for a record */
	LOSS_CHANNELS,  /* no room for another channel */
	LOSS_RECURSION, /* the kernel skipped a program that was already active on that CPU */
	LOSS_STAMPS,    /* the workload's own log was full */
	NR_LOSSES
};

struct record_end {
	struct record head;
	u64 loss[NR_LOSSES];
	u64 bpf_ns;       /* time in BPF programs while it was measured; 0: not measured */
	u64 bpf_messages; /* messages of that time */
};

/*
 * The start of a CPU's state in the map of the programs: records gather here and are written
 * together. Not part of a recording.
 */
#define STAGE_SIZE 1952

struct stage {
	u32 size;               /* bytes */
	u32 cnt;                /* records */
	u64 since_ns;           /* every record here is of an event after this instant; 0: empty */
	u64 not_for_reader[10]; /* the other state of the CPU */
	u8 record[STAGE_SIZE];
};
