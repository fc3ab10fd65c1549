/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Defines the types of records, and the head that all of them have. */
#pragma once

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
	RECORD_NAME,      /* kernel: the name of a thread or an interrupt */
	RECORD_ROLE,      /* workload: which thread is the server, which are the clients */
	RECORD_TICK,      /* workload: one round as the server saw it */
	RECORD_STAMP,     /* workload: one message as its client's own clock saw it */
	RECORD_LEFT,      /* workload: a client that was dropped or died before its last message */
	RECORD_WATERMARK, /* tracer: every record of an event before this instant is above */
	RECORD_END,       /* tracer: losses and cost, the last record of a complete run */
	RECORD_CHANGES,   /* kernel: changes of state for which no RECEIVE came in time */
	RECORD_ARRIVAL,   /* kernel: data reached its receiver after its send call had returned */
	RECORD_TRAFFIC,   /* workload: totals of one direction of a link, at its end */
	RECORD_LOAD,      /* session: work of a load beside the workload */
	RECORD_THREAD,    /* kernel: a traced thread and its process (attach) */
	RECORD_ADDRESS,   /* kernel: names and addresses of the ends of a channel (attach) */
	RECORD_BASELINE,  /* kernel: what was in a channel when its counting began (attach) */
	RECORD_STOP,      /* tracer: sends that begin later are not recorded (attach) */
	RECORD_OBSERVER_EFFECT, /* session: how much tracing changes the latency */
	RECORD_SUMMARY,  /* session: a part of the statistics of all, beside windows of records */
	RECORD_BESIDE,   /* kernel: a send without a SEND (attach) */
	RECORD_STARVING, /* kernel: a thread gets no CPU in the middle of a call (attach) */
	RECORD_PROCESS,  /* kernel: the process of a thread that a NAME names */
	RECORD_READER,   /* session: how the reader of records got its CPU */
	RECORD_WAKEUP,   /* kernel: a thread woke another one of its process (attach) */
	RECORD_PATH,     /* session: where a target's socket with a relative name is (attach) */
	RECORD_FOUND,    /* session: which channels there were when tracing ended (attach) */
	RECORD_SCRIPT,   /* session: what the interpreter in a traced process executes (attach) */
	RECORD_STEAL,    /* session: for how long the host took a CPU away while tracing */
	RECORD_WAKER,    /* kernel: what woke a traced thread (level deep) */
	RECORD_IDLE,     /* kernel: a CPU left idle for a traced thread (level deep) */
	RECORD_GROUP,    /* session: the control group of a throttled thread (level deep) */
	RECORD_WINDOW,   /* session: these four are in model/window_records.h */
	RECORD_TRIGGER,
	RECORD_NUMBER,
	RECORD_CONNECTION,
	RECORD_STOLEN,       /* kernel: the host took a CPU from a traced thread (level deep) */
	RECORD_STACK,        /* session: a thread had this stack: record_stacks.h */
	RECORD_FRAMES,       /* session: the functions of a stack */
	RECORD_SYMBOL,       /* session: the name of a function */
	RECORD_STACKS,       /* session: how many stacks were taken and lost */
	RECORD_PAUSES,       /* workload: how often it has waited for room for records */
	RECORD_FUTEX_WAKEUP, /* kernel: like WAKEUP, out of a futex call */
	NR_RECORD_TYPES
};

/*
 * Thread ids end at 2^22 (PID_MAX_LIMIT) on every 64-bit kernel, and interrupt numbers far below
 * that. So the flags share a word with the thread id.
 */
struct record {
	u8 type;       /* enum record_type */
	u8 words;      /* length of the whole record in units of eight bytes */
	u16 cpu;       /* the CPU that the event happened on */
	u32 tid : 24;  /* the thread that the record is about: its number in the tracer's PID
			  namespace */
	u32 flags : 8; /* enum send_flag, receive_flag or arrival_flag, by type */
};

/*
 * Marks a thread or process that has no number in the tracer's PID namespace: the other bits are
 * its number in the initial namespace. The kernel gives no number so large (PID_MAX_LIMIT).
 */
#define TID_OUTSIDE (1u << 23)

static inline int tid_is_outside(u32 tid)
{
	return (tid & TID_OUTSIDE) != 0;
}

#define RECORD_WORDS(type) (sizeof(type) / 8)
