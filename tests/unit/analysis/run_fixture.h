/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole run by hand: a server pushes rounds of messages to its clients. Thread 500 runs on CPU 0
 * while a client waits. In round r of client c, `base` is 100000 * (r + 1) + 10000 * c:
 *
 *	-5000  -4000  |  base    +100    +200   +250    +400   +450      +1000   +1100
 *	enter  sleep  |  stamp   send   queued  wake   switch   run       recv    user
 *	              |    |dispatch|s.path|wakeup|runqueue|switch|receive|return|
 *	                    100      100     50     150      50     550     100
 */
#pragma once

#include "support/build.h"

#include "analysis/breakdown/breakdown.h"
#include "analysis/join/join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SERVER = 100, TASK = 500, KTHREAD = 600 };

static struct tape tape;
static struct run_info info;
static struct hearing heard;

static inline int setup(void **state)
{
	memset(&info, 0, sizeof(info));
	info.traced = info.shows_switch = true;
	info.workload.clients = 2;
	strcpy(info.workload.pattern, "push");
	return 0;
}

static inline int teardown(void **state)
{
	hearing_free(&heard);
	tape_free(&tape);
	return 0;
}

static inline uint64_t base_of(uint64_t round, uint32_t client)
{
	return 100000 * (round + 1) + 10000 * client;
}

static inline uint32_t tid_of(uint32_t client)
{
	return SERVER + client;
}

static inline void put_roles(void)
{
	put_role(&tape, SERVER, ROLE_SERVER, 0);
	put_role(&tape, tid_of(1), ROLE_CLIENT, 1);
	put_role(&tape, tid_of(2), ROLE_CLIENT, 2);
}

static inline void put_whole_send(uint64_t round, uint32_t client)
{
	uint64_t base = base_of(round, client);

	put_send(&tape, SERVER, client, round, base + 100, base + 200);
}

static inline void put_whole_receive(uint64_t round, uint32_t client)
{
	uint64_t base = base_of(round, client);

	put_receive(&tape, tid_of(client), client, round, base - 5000, base + 1000, 4 * round,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), SWITCH(base + 400, 0),
			    RUN(base + 450, 0)));
}

static inline void put_whole_stamp(uint64_t round, uint32_t client)
{
	uint64_t base = base_of(round, client);

	put_stamp(&tape, client, round, base, base + 1100);
}

static inline void put_whole_slice(uint64_t round, uint32_t client)
{
	put_slice(&tape, make_task(0, 2 * round + client - 1, TASK, base_of(round, client) + 400));
}

static inline void put_message(uint64_t round, uint32_t client)
{
	put_whole_slice(round, client);
	put_whole_send(round, client);
	put_whole_receive(round, client);
	put_whole_stamp(round, client);
}

static inline void put_round(uint64_t round)
{
	put_tick(&tape, round, base_of(round, 1), 2);
	put_message(round, 1);
	put_message(round, 2);
}

static inline const struct summary *play(void)
{
	heard = hear(&info, &tape);
	return heard.summary;
}

static inline void assert_integrity(uint64_t sent, uint64_t matched)
{
	const struct integrity *integrity = &heard.summary->integrity;

	assert_int_equal(integrity->sent, sent);
	assert_int_equal(integrity->matched, matched);
	assert_int_equal(heard.cnt, matched);
	assert_int_equal(accounted(integrity), sent);
	assert_int_equal(integrity->residual_ns_max, 0);
}

/* All `incomplete` ones have this reason. */
static inline void assert_incomplete(enum incomplete reason, uint64_t cnt)
{
	const struct integrity *integrity = &heard.summary->integrity;

	assert_int_equal(integrity->incomplete[reason], cnt);
	assert_int_equal(sum_of(integrity->incomplete, NR_INCOMPLETES), cnt);
}

static inline uint64_t blame_sum(const struct message *message)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < message->blame_cnt; i++)
		sum_ns += message->blame[i].ns;
	return sum_ns;
}

static inline void assert_blame(const struct message *message, enum blame_class class, uint32_t tid,
				uint64_t ns)
{
	uint64_t found_ns = 0;

	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		if (message->blame[i].class == class && message->blame[i].tid == tid)
			found_ns += message->blame[i].ns;
	}
	assert_int_equal(found_ns, ns);
	assert_int_equal(blame_sum(message), message->component_ns[COMPONENT_RUNQUEUE]);
}

static inline void assert_components(const struct message *message,
				     const uint64_t ns[NR_COMPONENTS])
{
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(message->component_ns[i], ns[i]);
	assert_int_equal(sum_of(message->component_ns, NR_COMPONENTS), message->latency_ns);
}

static const uint64_t whole[NR_COMPONENTS] = {
	[COMPONENT_DISPATCH] = 100, [COMPONENT_SEND_PATH] = 100, [COMPONENT_WAKEUP] = 50,
	[COMPONENT_RUNQUEUE] = 150, [COMPONENT_SWITCH] = 50,     [COMPONENT_RECEIVE] = 550,
	[COMPONENT_RETURN] = 100,
};

/* A run of three rounds; client 1 loses the records `which` of round 1. */
enum { LOSE_SEND = 1, LOSE_RECEIVE = 2, LOSE_STAMP = 4 };

EACH_TEST(setup, teardown)
