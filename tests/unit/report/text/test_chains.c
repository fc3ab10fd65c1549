/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: chains of messages. */
#include "support/attached_chains.h"
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

/* A chain that was seen far less often has no rows. */
TEST(a_chain_is_shown_with_its_hops)
{
	struct summary *summary = attached_chains();
	char *text = shown(summary);

	assert_has(text, "chains (us) mean");
	assert_has(text, "way jackd (pid 10) > synth (pid 20) > mixer (pid 30)");
	assert_has(text, "whole 100.0 0.0 100.0");
	assert_has(text,
		   "futex to synth (pid 20): 20.0 us on the way, at most 50.0; 50.0 us there, at "
		   "most 90.0");
	assert_has(text, "fifo to mixer (pid 30): 30.0 us on the way, at most 40.0");
	assert_has(text, "and 1 more, see -f json");
}

TEST(a_run_shows_no_chains)
{
	assert_has_not(shown_sample(3), "chains");
}
