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

enum record_type {
#define RECORD(number, TYPE, ...) RECORD_##TYPE = (number),
#include "record_list.h"
};

/* The number above all types is this size: some numbers below it may have no type. */
union record_numbers {
#define RECORD(number, TYPE, ...) char of_##TYPE[(number) + 1];
#include "record_list.h"
};

#define NR_RECORD_TYPES sizeof(union record_numbers)

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

static inline struct record record_head(u32 type, u64 size, u32 cpu, u32 tid)
{
	return (struct record){.type = type, .words = size / 8, .cpu = cpu, .tid = tid};
}

#ifndef __bpf__
/* Receives a record, which is valid during the call. 0, or -errno, which ends what calls it. */
typedef int record_put_fn(void *ctx, const struct record *record);
#endif

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
