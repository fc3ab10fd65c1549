/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The records: everything that flows from the kernel, and from the workload, into the analysis and
 * into a recording. The only header that BPF programs and user space share.
 *
 * Every record starts with struct record, is a multiple of eight bytes long, and is little endian
 * as it came from the machine. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef IPCTRACE_RECORD_H
#define IPCTRACE_RECORD_H

#ifndef __bpf__
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#endif

#define RECORD_COMM_LEN 16

/* Types are written to recordings: add at the end, never renumber. */
enum record_type {
	RECORD_SEND = 1,  /* kernel: one message left its sender */
	RECORD_RECEIVE,   /* kernel: one message reached its receiver, with the receiver's states */
	RECORD_SLICE,     /* kernel: what ran on a CPU that a traced thread waited for */
	RECORD_CHANNEL,   /* kernel: a channel id and the sockets behind it */
	RECORD_NAME,      /* kernel: who a thread or an interrupt is */
	RECORD_ROLE,      /* workload: which thread is the server, which are the clients */
	RECORD_TICK,      /* workload: one round as the server saw it */
	RECORD_STAMP,     /* workload: one message as its client's own clock saw it */
	RECORD_LEFT,      /* workload: a client that was dropped or died before its last message */
	RECORD_WATERMARK, /* trace: every record of an event before this instant stands above */
	RECORD_END,       /* trace: losses and cost, the last record of a complete run */
	RECORD_CHANGES,   /* kernel: changes of state that no RECEIVE came in time to carry */
	RECORD_ARRIVAL,   /* kernel: data reached its receiver after its send call had returned */
	RECORD_TRAFFIC,   /* workload: what one direction of a link came to, at its end */
	RECORD_LOAD,      /* session: what else the machine did meanwhile */
	RECORD_THREAD,    /* kernel: a traced thread, and whose it is (attach) */
	RECORD_ADDRESS,   /* kernel: what people call the ends of a channel (attach) */
	RECORD_BASELINE,  /* kernel: what was under way in a channel when we came (attach) */
	RECORD_STOP,      /* trace: sends that began later are not told of (attach) */
	RECORD_EFFECT,    /* session: what tracing does to the latency */
	RECORD_KEPT,      /* session: a part of what is recorded instead of all of these */
	RECORD_BESIDE,    /* kernel: a send of which no SEND tells (attach) */
	RECORD_STARVING,  /* kernel: a thread gets no CPU in the middle of a call (attach) */
	NR_RECORD_TYPES
};

/*
 * Thread ids end at 2^22 (PID_MAX_LIMIT) on every kernel with 64 bits, interrupt numbers far below
 * that: flags have room beside them that no record needs for anything else.
 */
struct record {
	u8 type;       /* enum record_type */
	u8 words;      /* length of the whole record in units of eight bytes */
	u16 cpu;       /* the CPU that the event happened on */
	u32 tid : 24;  /* the thread that the record is about, by its number in the tracer's PID
			* namespace */
	u32 flags : 8; /* SEND_, RECEIVE_, ARRIVAL_: each type has its own */
};

/*
 * In the number of a thread or process that has none in the tracer's PID namespace: the rest is the
 * one that the initial namespace knows it by. The kernel gives no number so large (PID_MAX_LIMIT).
 */
#define TID_OUTSIDE (1u << 23)

static inline int tid_is_outside(u32 tid)
{
	return (tid & TID_OUTSIDE) != 0;
}

/*
 * SEND and RECEIVE come from the kernel, or, on channels of shared memory that no kernel object
 * stands for, from the workload's own clock readings: then a RECEIVE carries no change and its
 * `first` is RECEIVE_FROM_WORKLOAD.
 */
#define RECEIVE_FROM_WORKLOAD 0xffffffffffffffffu

/*
 * The position of a SEND whose message has none: it was dropped, and its channel is
 * CHANNEL_UNKNOWN; or (attach) it shows that its channel was counted from a wrong position, so that
 * counting begins anew.
 */
#define POSITION_NONE 0xffffffffffffffffu

/*
 * A message at its sender. `position` counts the messages of this channel from 0 (on byte streams:
 * the bytes) and is what joins it to its RECEIVE, together with the channel.
 */
struct record_send {
	struct record head; /* tid, cpu: the sender's */
	u32 channel;
	u32 bytes;
	u64 position;
	u64 send_ns;   /* the send call was entered (sys_enter); 0: before the thread was traced;
			* where no system call is seen, it was not entered before this */
	u64 queued_ns; /* the data became visible to the receiver; 0: an ARRIVAL tells when */
};

/*
 * Flag of a SEND of an attach: when the data became visible, no thread was woken that slept in
 * poll, select or epoll: none of these watched its socket, pipe or queue, but for those that had
 * been woken just before (CHANGE_WOKEN).
 */
#define SEND_UNWATCHED 1u

/*
 * Flag of a SEND of an attach: other threads have sent parts of their messages meanwhile, and it
 * may be at another position.
 */
#define SEND_AMBIGUOUS 2u

/*
 * Attach: where positions are counted when calls are over, one word more follows a SEND: when it
 * was counted. Until then another one may have come first.
 */
struct record_send_counted {
	struct record_send send;
	u64 counted_ns;
};

/*
 * Attach: it was sent outside of any system call, as io_uring does. Another word follows: it began
 * after this instant, 0 or 1 if nothing is known of that; `send_ns` is when it was first seen.
 */
struct record_send_outside {
	struct record_send_counted counted;
	u64 since_ns;
};

/*
 * A SEND whose message got no place in a channel: dropped, or nobody saw where it went. A RECEIVE
 * (attach) of what came from elsewhere, without a position; or of a datagram of which nobody saw
 * which it was: then its position tells the socket that it was taken from, and how.
 */
#define CHANNEL_UNKNOWN 0xffffffffu

/*
 * Such a position: the socket's cookie, and what is known. `bytes` then are how many nanoseconds
 * after the beginning of the call it had been taken.
 */
#define UNSEEN_SHIFT        2
#define UNSEEN_CAME_SINCE   1u /* nobody had said that it is there before the call began */
#define UNSEEN_LEFT_NOTHING 2u /* the queue was empty when it had been taken */

/* Flag of an ARRIVAL of an attach: no thread waited for data of the socket, or watched it. */
#define ARRIVAL_UNWATCHED 1u

/* On channels whose data may be under way for longer than its send call lasts (TCP). */
struct record_arrival {
	struct record head; /* cpu: where it was seen */
	u32 channel;
	u32 pad;
	u64 end; /* all positions below this one are visible to the receiver */
	u64 at_ns;
};

/*
 * Flag of a RECEIVE of an attach, from a socket: its position was given when it had been received,
 * not while it was. Another thread's may have come in between.
 */
#define RECEIVE_LATE 1u

/* As above, from a stream: other threads have received parts of it meanwhile, or may have. */
#define RECEIVE_AMBIGUOUS 2u

/*
 * A message at its receiver, and the receiver's changes of state since its last record. The
 * changes of all RECEIVE and CHANGES records of one thread, in the order of `first`, are that
 * thread's time line.
 *
 * u64 change[] follows, see change_pack().
 */
struct record_receive {
	struct record head; /* tid, cpu: the receiver's; words: how many changes */
	u32 channel;
	u32 bytes;
	u64 position;
	u64 enter_ns; /* the receive call was entered (sys_enter); 0: before the thread was traced;
		       * where no system call is seen: its first sleep in the call, or not before
		       * this */
	u64 exit_ns;  /* it returned (sys_exit); 0: the next RECEIVE of the same call tells; where
		       * no system call is seen: the message was taken (sock_recv_length);
		       * enter_ns: it was taken outside of any call, at this instant */
	u64 first;    /* index of change[0] among all changes of this thread; a jump is a loss */
};

/* What a thread changes to. Values are written to recordings. */
enum change_kind {
	CHANGE_SLEEP = 1, /* left the CPU, asleep */
	CHANGE_PREEMPT,   /* left the CPU, still runnable */
	CHANGE_WAKE,      /* asleep → runnable, on the run queue of `cpu` */
	CHANGE_MIGRATE,   /* runnable, moved to the run queue of `cpu` */
	CHANGE_SWITCH,    /* the scheduler begins the switch to it on `cpu` */
	CHANGE_RUN,       /* the switch has ended, its own code goes on */
	CHANGE_RESUME,    /* its own code goes on, but nobody told where the switch began */
	CHANGE_THROTTLE,  /* left the CPU, or was woken: runnable but for bandwidth control, which
			   * holds it back */
	CHANGE_POLL,      /* like SLEEP, in poll, select, epoll and the like: for any channel */
	CHANGE_WOKEN,     /* like SLEEP, but its wake-up was already under way: it came too late to
			   * keep the thread on its CPU. Of who sleeps already: it begins */
	CHANGE_SLEEP_IN,  /* like SLEEP; `cpu` is the number of the system call, or CALL_OUTSIDE */
	CHANGE_POLL_IN,   /* the same of POLL */
	NR_CHANGE_KINDS
};

/*
 * A change packed into one word:   63      60 59      46 45                        0
 *                                 |  kind   |   cpu    |  time, ns modulo 2^46      |
 * 2^46 ns are 19.5 hours; a reader unwraps from the record's exit_ns backwards.
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

/* In place of a system call's number: outside of any, as for a page that is not in memory. */
#define CALL_OUTSIDE CHANGE_CPU_MASK

/* A record carries at most this many changes. */
#define CHANGES_MAX 32

/*
 * A thread changed state CHANGES_MAX times without receiving: its time line goes on here.
 * u64 change[CHANGES_MAX] follows.
 */
struct record_changes {
	struct record head;
	u64 base_ns; /* of the youngest change: unwrap from here backwards */
	u64 first;   /* as in struct record_receive */
};

enum slice_kind {
	SLICE_TASK,    /* head.tid ran until end_ns, since the slice before it on this CPU */
	SLICE_IRQ,     /* head.tid is the interrupt's number; it ran from start_ns to end_ns */
	SLICE_SOFTIRQ, /* head.tid is the softirq's vector */
	SLICE_UNSEEN,  /* like TASK, but a switch went unseen: who ran until end_ns is not known */
	NR_SLICE_KINDS
};

/* What ran on head.cpu while at least one traced thread was runnable there and did not run. */
struct record_slice {
	struct record head;
	u32 kind;     /* enum slice_kind */
	u32 seq;      /* counts the slices of this CPU, also lost ones: a jump is a loss */
	u64 start_ns; /* of an interrupt; 0 for others */
	u64 end_ns;
};

struct record_channel {
	struct record head; /* tid: the first user; 0: not known */
	u32 channel;        /* the id that SEND and RECEIVE use */
	u32 transport;      /* enum transport_id */
	u64 sender;         /* cookie of the sending socket; 0: its receiver came first, or none, or
			     * (UDP) the receiving socket of a channel known by addresses is told */
	u64 receiver;       /* cookie of the receiving socket, or what else tells receivers apart */
};

/* Written to recordings: add at the end, never renumber. */
enum transport_id {
	TRANSPORT_UDS = 1,
	TRANSPORT_UDS_STREAM,
	TRANSPORT_UDS_SEQPACKET,
	TRANSPORT_TCP,
	TRANSPORT_UDP,
	TRANSPORT_PIPE,
	TRANSPORT_FIFO,
	TRANSPORT_SHM,
	TRANSPORT_MQUEUE,
	TRANSPORT_SYSV,
	TRANSPORT_SIGNAL,
	TRANSPORT_SIGNAL_STD,
	TRANSPORT_EVENTFD,
	TRANSPORT_KERNEL,
	TRANSPORT_TCP6,
	TRANSPORT_UDP6,
	TRANSPORT_FUTEX, /* attach: a wakeup from one futex call to another */
	NR_TRANSPORT_IDS
};

/* Whether positions are bytes, not messages. */
static inline int transport_is_stream(u32 transport)
{
	return transport == TRANSPORT_UDS_STREAM || transport == TRANSPORT_TCP ||
	       transport == TRANSPORT_TCP6 || transport == TRANSPORT_PIPE ||
	       transport == TRANSPORT_FIFO || transport == TRANSPORT_EVENTFD;
}

/* A channel whose positions are bytes, or what an eventfd counts, has this bit in its id. */
#define CHANNEL_STREAM 0x40000000u

/* Channels of the workload's own making: above all that the kernel side numbers. */
#define CHANNEL_OF_LINK(client, to_server) (0x80000000u | (client) << 1 | (to_server))

#define NAME_KTHREAD                       1u /* flag: a kernel thread */

struct record_name {
	struct record head; /* tid: thread, interrupt number or softirq vector */
	u32 kind;           /* enum slice_kind: what the tid is the number of */
	u32 flags;
	u32 policy;   /* SCHED_*; 0 for interrupts */
	u32 priority; /* kernel's: 0..99 is real-time (99 - rt_priority), 100..139 nice -20..19 */
	u64 since_ns; /* holds for events from here on, until another name for the same number */
	char comm[RECORD_COMM_LEN]; /* NUL terminated */
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
	u32 skipped; /* ticks that passed unused since the last round: the server was too late */
};

/* One message as its receiver saw it. A link joins the server and one client; it has two ways. */
struct record_stamp {
	struct record head; /* tid: the receiving thread */
	u32 client;         /* 1..N: whose link */
	u32 to_server;      /* 0: from the server to the client; 1: the other way */
	u64 index;          /* how-manyth message of this way of the link, from 0 */
	u64 round;          /* its number, as the message says */
	u64 stamp_ns;       /* the sender's clock reading that the message carries */
	u64 user_ns;        /* the receiver's clock reading after its receive */
	u64 due_ns; /* when its exchange should have begun (fixed rate); 0: whenever it did */
};

/* One way of a link, when it has ended. */
struct record_traffic {
	struct record head; /* tid: the receiving thread */
	u32 client;         /* 1..N */
	u32 to_server;
	u64 sent;            /* messages that the sender handed over, warm-up included */
	u64 received;        /* messages that the receiver took */
	u64 corrupt;         /* of these: with a wrong number or wrong contents */
	u64 bytes;           /* received, of messages that count */
	u64 first_ns;        /* of messages that count: the first was stamped, or else received */
	u64 last_ns;         /* the last was received */
	u64 wakes_sent;      /* signals: how many were sent */
	u64 wakes_delivered; /* and how many came; the others merged with one that was pending */
};

/* Attach: told of once for every traced thread, before its first message. */
struct record_thread {
	struct record head;
	u32 pid;      /* of its process */
	u32 is_peer;  /* 0: a target; 1: traced because it talks to one */
	u64 since_ns; /* it was made: until then its number was another thread's */
};

/*
 * Attach: positions of a channel's sends and receives are counted from when either was first seen.
 * `leftover` was in it and not counted as sent: so a receive's position is that much ahead of the
 * send that it belongs to. Until this record, it is not known.
 */
struct record_baseline {
	struct record head;
	u32 channel;
	u32 is_new;   /* 1: the channel was made while we looked */
	u64 leftover; /* messages or bytes; BASELINE_UNKNOWN: it cannot be told. Two's complement:
		       * negative if a send that was under way when we came counts as a whole */
};

#define BASELINE_UNKNOWN 0xffffffffffffffffu

#define ADDRESS_TEXT_LEN 112

/* A server's socket has a name, its clients' mostly have none. */
#define ADDRESS_OF_SENDER   1u
#define ADDRESS_OF_RECEIVER 2u
#define ADDRESS_OF_BOTH     (ADDRESS_OF_SENDER | ADDRESS_OF_RECEIVER)

/* Flag: a target is known to use the receiving end, though it may never take anything from it. */
#define ADDRESS_TO_TARGET 4u
#define ADDRESS_IS_QUEUE  8u /* of System V: `inode` is its number */

/*
 * Attach: `text` is a path or file name (an abstract socket's begins with NUL), or the two Internet
 * addresses, in network order: the sender's in bytes 0 to 15, the receiver's in 16 to 31.
 */
struct record_address {
	struct record head; /* tid: the channel's first user; 0: not known */
	u32 channel;
	u16 family; /* AF_UNIX, AF_INET, AF_INET6; 0: a file */
	u16 length; /* of the text; Internet: of each address */
	u16 sender_port;
	u16 receiver_port;
	u32 named; /* ADDRESS_OF_: whose the name is, or the port that is listened on; flags */
	u64 inode; /* of a pipe, or a queue's number; 0: none */
	u8 text[ADDRESS_TEXT_LEN];
};

/* Its family, as in any recording; and where the second address begins in `text`. */
enum { FAMILY_FILE = 0, FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10 };
#define ADDRESS_RECEIVER_AT 16

/*
 * Whether the Internet address of a receiver, in network order, is a group's: multicast, or the
 * broadcast address of all networks or of the loopback network.
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
	LEFT_DURATION,    /* LEFT_ALL: the time that was asked for was over */
	LEFT_TARGETS,     /* LEFT_ALL: no target was left */
	NR_LEFT_REASONS
};

/*
 * In place of a client: the whole run, or attach. LEFT_SIGNAL then means that a signal to the
 * program asked for its end, which is how most attaches end.
 */
#define LEFT_ALL (~0u)

struct record_left {
	struct record head; /* tid: the client's receiving thread, 0 if it never had one */
	u32 client;         /* 1..N; 0 is the server; LEFT_ALL */
	u32 reason;         /* enum left_reason */
	u64 round;          /* rounds that were sent to it, or that it received; LEFT_ALL:
			     * not 0 if it was to go on */
	u64 detail;
};

struct record_load {
	struct record head;
	u64 count; /* how many times the load did its work during this cell; 0: not known */
	u64 ended; /* 1: it ended by itself, before the workload did */
};

struct record_stop {
	struct record head;
	u64 at_ns;
};

/*
 * At an instant in between, the thread was sending: in a call that does not count, because it began
 * before we counted or after we had stopped; or that sleeps, and is not over. What others sent at
 * the same time may have come before it or behind.
 */
struct record_beside {
	struct record head;
	u32 channel;
	u32 pad;
	u64 from_ns; /* 0: before the thread was traced */
	u64 until_ns;
};

/*
 * In its present call the thread may have sent or taken something, at any instant since `from_ns`.
 * At `until_ns` it had no CPU to tell of it. What others send or take is numbered meanwhile as if
 * that had not been.
 */
struct record_starving {
	struct record head;
	u32 at_queue; /* 1: it is in a call on a message queue */
	u32 pad;
	u64 from_ns;
	u64 until_ns;
};

/* Traced over untraced latency, in millionths: median and 95 % interval of pairs of runs. */
struct record_effect {
	struct record head;
	u64 pairs;
	u64 ratio;
	u64 low;
	u64 high;
};

/*
 * With --slower-than, messages that are slower and the statistics of all, in words that
 * model/serialize_message.c and model/serialize_summary.c make and read. Words follow.
 */
enum kept_kind { KEPT_MESSAGE, KEPT_SUMMARY, NR_KEPT_KINDS };

struct record_kept {
	struct record head;
	u32 kind; /* enum kept_kind */
	u32 left; /* words of the same message or summary that the next records bring */
};

struct record_watermark {
	struct record head;
	u64 before_ns;
};

/* Why something is missing. Each counter is of records or changes, not of messages. */
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
	u64 bpf_ns;       /* time in BPF programs while it was measured, 0: not measured */
	u64 bpf_messages; /* messages of that stretch */
};

/*
 * How a CPU's state begins in the programs' map: records wait here, one after the other, until they
 * are written together. Not part of a recording.
 */
#define STAGE_SIZE 1952

struct stage {
	u32 size;               /* bytes */
	u32 cnt;                /* records */
	u64 since_ns;           /* no record here is of an event before this instant; 0: empty */
	u64 not_for_reader[10]; /* the rest of the CPU's state */
	u8 record[STAGE_SIZE];
};

#define RECORD_WORDS(type) (sizeof(type) / 8)

#ifndef __cplusplus
#define RECORD_SIZE_IS(type, size)                                                                 \
	_Static_assert(sizeof(type) == (size) && (size) % 8 == 0, #type " is part of the format")
RECORD_SIZE_IS(struct record, 8);
RECORD_SIZE_IS(struct record_send, 40);
RECORD_SIZE_IS(struct record_send_counted, 48);
RECORD_SIZE_IS(struct record_send_outside, 56);
RECORD_SIZE_IS(struct record_receive, 48);
RECORD_SIZE_IS(struct record_slice, 32);
RECORD_SIZE_IS(struct record_channel, 32);
RECORD_SIZE_IS(struct record_name, 48);
RECORD_SIZE_IS(struct record_role, 32);
RECORD_SIZE_IS(struct record_tick, 40);
RECORD_SIZE_IS(struct record_stamp, 56);
RECORD_SIZE_IS(struct record_arrival, 32);
RECORD_SIZE_IS(struct record_traffic, 80);
RECORD_SIZE_IS(struct record_left, 32);
RECORD_SIZE_IS(struct record_load, 24);
RECORD_SIZE_IS(struct record_watermark, 16);
RECORD_SIZE_IS(struct record_end, 56);
RECORD_SIZE_IS(struct record_changes, 24);
RECORD_SIZE_IS(struct record_thread, 24);
RECORD_SIZE_IS(struct record_baseline, 24);
RECORD_SIZE_IS(struct record_stop, 16);
RECORD_SIZE_IS(struct record_effect, 40);
RECORD_SIZE_IS(struct record_beside, 32);
RECORD_SIZE_IS(struct record_starving, 32);
RECORD_SIZE_IS(struct record_address, 144);
RECORD_SIZE_IS(struct record_kept, 16);
RECORD_SIZE_IS(struct stage, 2048);
#endif

#endif
