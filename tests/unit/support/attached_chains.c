/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/attached_chains.h"

#include "support/sample.h"
#include "support/test.h"

#include <stdlib.h>

static const struct end_summary jackd = {.pid = 10, .tid = 11, .comm = "jackd"},
				synth = {.pid = 20, .tid = 21, .comm = "synth"},
				mixer = {.pid = 30, .tid = 30, .comm = "mixer"};

struct summary *attached_chains(void)
{
	struct summary *summary = sample_summary(2);
	struct chain_summary *chain = calloc(2, sizeof(*chain));

	assert_non_null(chain);
	summary->info.mode = MODE_ATTACH;
	summary->info.workload = (struct workload_spec){0};
	summary->chain = chain;
	summary->chain_cnt = 2;
	summary->chains_other = 4;
	*chain = (struct chain_summary){
		.hop_cnt = 2,
		.hop = {{.from = jackd,
			 .to = synth,
			 .channel = 7,
			 .transport = TRANSPORT_FUTEX,
			 .latency = {.ns = 200000, .max_ns = 50000},
			 .handled = {.ns = 500000, .max_ns = 90000}},
			{.from = synth,
			 .to = mixer,
			 .transport = TRANSPORT_FIFO,
			 .latency = {.ns = 300000, .max_ns = 40000}}},
		.count = 10,
	};
	chain[1] = *chain;
	chain[1].count = 0;
	for (int i = 0; i < 10; i++)
		stat_add(&chain->cycle, 100000);
	return summary;
}
