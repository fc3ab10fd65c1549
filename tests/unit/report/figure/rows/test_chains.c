/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of messages as bars: the hops have the numbers of the summary, and add up. */
#include "support/attached_chains.h"
#include "support/build.h"
#include "support/pictured.h"
#include "support/sample.h"
#include "support/svg.h"

#include <string.h>

static const struct explanation nothing;
static const struct picture empty;

static char *drawn(const struct summary *summary, double width)
{
	const struct illustration illustration = {
		.summary = summary, .explanation = &nothing, .picture = &empty};

	assert_true(figure_chains.applies(&illustration));
	return pictured_figure(&figure_chains, &illustration, width);
}

TEST(hops_add_up_to_the_cycle)
{
	static const double widths[] = {FIGURE_WIDE, FIGURE_NARROW};
	struct summary *summary = attached_chains();

	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		char *svg = drawn(summary, widths[w]);

		assert_true(svg_count(svg, "class", "chain") == 1);
		assert_true(svg_count(svg, "data-cycle-mean-ns", "100000.000") == 1);
		assert_true(svg_sum(svg, "data-mean-ns") == 100000);
		assert_true(svg_count(svg, "data-max-ns", "90000") == 1);
		assert_true(svg_count(svg, "data-to", "mixer") == 1);
		assert_non_null(strstr(svg, "jackd → synth → mixer"));
		assert_non_null(strstr(svg, "4 chains of further processes"));
	}
}

TEST(hostile_names_are_inert)
{
	struct summary *summary = attached_chains();
	char *svg;

	strcpy(summary->chain[0].hop[0].from.comm, HOSTILE_NAME);
	strcpy(summary->chain[0].hop[1].to.comm, "<script>");
	summary->chain[0].hop[1].transport = 0;
	svg = drawn(summary, FIGURE_WIDE);
	assert_null(strstr(svg, "<script>"));
	assert_null(strstr(svg, "\x1b"));
}

TEST(without_chains_there_is_no_figure)
{
	struct summary *summary = attached_chains();
	struct illustration illustration = {
		.summary = summary, .explanation = &nothing, .picture = &empty};

	summary->chain[0].count = 0;
	assert_false(figure_chains.applies(&illustration));
	illustration.summary = sample_attach();
	assert_false(figure_chains.applies(&illustration));
}
