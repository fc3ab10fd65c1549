/* SPDX-License-Identifier: BSD-2-Clause */
/* The array `chains` of a summary in JSON. */
#include "support/attached_chains.h"
#include "support/build.h"
#include "support/json_report.h"
#include "support/sample.h"

TEST(a_chain_has_its_hops_in_their_order)
{
	struct summary *summary = attached_chains();
	json_t *json = json_report(summary);

	assert_int_equal(json_array_size(json_at(json, "chains")), 2);
	assert_int_equal(json_number_at(json, "chains.0.count"), 10);
	assert_int_equal(json_number_at(json, "chains.0.cycle_ns.mean"), 100000);
	assert_int_equal(json_array_size(json_at(json, "chains.0.hops")), 2);
	assert_text_at(json, "chains.0.hops.0.from.comm", "jackd");
	assert_int_equal(json_number_at(json, "chains.0.hops.0.from.pid"), 10);
	assert_text_at(json, "chains.0.hops.0.to.comm", "synth");
	assert_text_at(json, "chains.0.hops.0.transport", "futex");
	assert_int_equal(json_number_at(json, "chains.0.hops.0.channel"), 7);
	assert_int_equal(json_number_at(json, "chains.0.hops.0.latency_ns.mean"), 20000);
	assert_int_equal(json_number_at(json, "chains.0.hops.0.latency_ns.max"), 50000);
	assert_int_equal(json_number_at(json, "chains.0.hops.0.handled_ns.mean"), 50000);
	assert_text_at(json, "chains.0.hops.1.to.comm", "mixer");
	/* Several channels; and nothing follows. */
	assert_null_at(json, "chains.0.hops.1.channel");
	assert_null_at(json, "chains.0.hops.1.name");
	assert_null_at(json, "chains.0.hops.1.handled_ns");
	assert_int_equal(json_number_at(json, "chains_other"), 4);
}

TEST(a_channel_of_the_list_has_its_name)
{
	struct channel_summary channel = {.id = 7, .name = "/run/x"};
	struct summary *summary = attached_chains();

	summary->channel = &channel;
	summary->channel_cnt = 1;
	assert_text_at(json_report(summary), "chains.0.hops.0.name", "/run/x");
	summary->channel = NULL;
	summary->channel_cnt = 0;
}

TEST(a_run_has_no_chains)
{
	json_t *json = json_report_of_sample(3);

	assert_int_equal(json_array_size(json_at(json, "chains")), 0);
	assert_null_at(json, "chains_other");
}
