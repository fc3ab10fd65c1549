/* SPDX-License-Identifier: BSD-2-Clause */
/* Records made by hand, in readable lines, and what every unit test needs. */
#pragma once

#include "support/test.h"
#include "analysis/analysis.h"
#include "bpf/record.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/*
 * A thread's changes as they stand in records: put_receive(..., CHANGES(SLEEP(1, 0), WAKE(5, 0)))
 */
#define SLEEP(at, cpu)    change_pack(at, cpu, CHANGE_SLEEP)
#define PREEMPT(at, cpu)  change_pack(at, cpu, CHANGE_PREEMPT)
#define WAKE(at, cpu)     change_pack(at, cpu, CHANGE_WAKE)
#define MIGRATE(at, cpu)  change_pack(at, cpu, CHANGE_MIGRATE)
#define SWITCH(at, cpu)   change_pack(at, cpu, CHANGE_SWITCH)
#define RUN(at, cpu)      change_pack(at, cpu, CHANGE_RUN)
#define RESUME(at, cpu)   change_pack(at, cpu, CHANGE_RESUME)
#define THROTTLE(at, cpu) change_pack(at, cpu, CHANGE_THROTTLE)
/* A list, and its length. */
#define CHANGES(...) (const uint64_t[]){__VA_ARGS__}, ARRAY_SIZE(((const uint64_t[]){__VA_ARGS__}))
#define NO_CHANGES   NULL, 0

struct record_send make_send(uint32_t tid, uint32_t channel, uint64_t position, uint64_t send_ns,
			     uint64_t queued_ns);
struct record_receive make_receive(uint32_t tid, uint32_t channel, uint64_t position,
				   uint64_t enter_ns, uint64_t exit_ns);
/* `seq` counts all slices of a CPU, of whatever kind, in the order of their ends. */
struct record_slice make_task(uint32_t cpu, uint32_t seq, uint32_t tid, uint64_t end_ns);
struct record_slice make_irq(uint32_t cpu, uint32_t seq, uint32_t irq, uint64_t start_ns,
			     uint64_t end_ns);
struct record_slice make_softirq(uint32_t cpu, uint32_t seq, uint32_t vector, uint64_t start_ns,
				 uint64_t end_ns);
struct record_name make_name(uint32_t kind, uint32_t id, uint64_t since_ns, const char *comm);
struct record_process make_process(uint32_t tid, uint64_t since_ns, uint32_t pid, const char *comm);
struct record_stamp make_stamp(uint32_t client, uint64_t round, uint64_t stamp_ns,
			       uint64_t user_ns);
struct record_tick make_tick(uint64_t round, uint64_t stamp_ns, uint32_t sent);
struct record_role make_role(uint32_t tid, enum role role, uint32_t client);

/* Those of an attach. `leftover` may be BASELINE_UNKNOWN. */
struct record_thread make_thread(uint32_t tid, uint32_t pid, bool is_peer, uint64_t since_ns);
struct record_baseline make_baseline(uint32_t channel, uint64_t leftover, bool is_new);
struct record_channel make_channel(uint32_t channel, uint32_t transport, uint64_t sender,
				   uint64_t receiver);
/* For a unix socket; `named` as in struct record_address. */
struct record_address make_address(uint32_t channel, const char *path, uint32_t named);
/* For a pipe or a FIFO. */
struct record_address make_file_address(uint32_t channel, const char *name, uint64_t inode);
/* For TCP or UDP on 127.0.0.1. */
struct record_address make_port_address(uint32_t channel, uint16_t sender, uint16_t receiver);
struct record_arrival make_arrival(uint32_t channel, uint64_t end, uint64_t at_ns);

/* Owned copies of records, in some order. Zero-initialised is empty. */
struct tape {
	struct record **record;
	size_t cnt;
	size_t capacity;
};

void tape_add(struct tape *tape, const void *record);
void tape_free(struct tape *tape);

void put_send(struct tape *tape, uint32_t tid, uint32_t channel, uint64_t position,
	      uint64_t send_ns, uint64_t queued_ns);
void put_receive(struct tape *tape, uint32_t tid, uint32_t channel, uint64_t position,
		 uint64_t enter_ns, uint64_t exit_ns, uint64_t first, const uint64_t *change,
		 size_t cnt);
void put_changes(struct tape *tape, uint32_t tid, uint64_t base_ns, uint64_t first,
		 const uint64_t *change, size_t cnt);
void put_slice(struct tape *tape, struct record_slice slice);
void put_stamp(struct tape *tape, uint32_t client, uint64_t round, uint64_t stamp_ns,
	       uint64_t user_ns);
void put_tick(struct tape *tape, uint64_t round, uint64_t stamp_ns, uint32_t sent);
void put_role(struct tape *tape, uint32_t tid, enum role role, uint32_t client);
void put_watermark(struct tape *tape, uint64_t before_ns);
void put_end(struct tape *tape);

/* The same records in another order; those of the tape itself are not copied again. */
void tape_reverse(struct tape *tape);
void tape_shuffle(struct tape *tape, uint64_t *seed);

/* What an analysis has said of a tape: copies of its messages, in their order, and its summary. */
struct hearing {
	struct analysis *analysis;
	const struct summary *summary;
	struct message *message;
	size_t cnt;
	size_t capacity;
};

struct hearing hear(const struct run_info *info, const struct tape *tape);
void hearing_free(struct hearing *hearing);

/* Random numbers that are the same everywhere and every time. */
uint64_t random_next(uint64_t *seed);
uint64_t random_below(uint64_t *seed, uint64_t limit); /* 0..limit-1 */

uint64_t sum_of(const uint64_t *value, size_t cnt);

/* matched + all incomplete: what `sent` has to be. */
uint64_t accounted(const struct integrity *integrity);
