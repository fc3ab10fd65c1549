/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes what the page shows first: the sentences of the terminal's first screen, and four figures
 * of the same units.
 */
#include "report/html/page.h"

#include "insight/metrics.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"
#include "report/words/whole_words.h"

#include <math.h>

/* What the four figures are of. */
struct glance {
	const struct stat *stat;
	const char *units;
	double per_second; /* NAN: not known */
};

/* The clients of rounds wait for the last one of them. */
static bool glances_at_rounds(const struct whole *whole)
{
	const struct summary *summary = whole->summary;

	return whole->unit == WHOLE_MESSAGE && summary->rounds.last.count &&
	       summary->client_cnt > 1;
}

static struct glance glance_of(const struct whole *whole)
{
	bool is_rounds = glances_at_rounds(whole);
	struct glance glance = {.stat = is_rounds ? &whole->summary->rounds.last : whole->stat,
				.units = is_rounds ? "rounds" : whole_units(whole),
				.per_second = NAN};
	double seconds = traced_seconds(whole->summary);

	if (seconds > 0)
		glance.per_second = (double)glance.stat->count / seconds;
	return glance;
}

static void tile_put(struct markup *markup, const char *name, const char *title, const char *value)
{
	markup_open(markup, "div");
	markup_element(markup, "dt", NULL, title);
	markup_open(markup, "dd");
	markup_attr(markup, "data-name", name);
	words_put(markup, value);
	markup_close(markup);
	markup_close(markup);
}

static void rate_put(struct markup *markup, const struct glance *glance)
{
	struct paragraph title = {0}, value = {0};

	if (!isfinite(glance->per_second)) {
		paragraph_add(&value, "%llu", (unsigned long long)glance->stat->count);
		tile_put(markup, "count", glance->units, value.text);
		return;
	}
	paragraph_add(&title, "%s/s", glance->units);
	paragraph_add(&value, "%.*f", glance->per_second < 10 ? 1 : 0, glance->per_second);
	tile_put(markup, "rate", title.text, value.text);
}

static void glance_tiles(struct markup *markup, const struct whole *whole)
{
	const struct glance glance = glance_of(whole);

	if (!glance.stat->count)
		return;
	markup_open(markup, "dl");
	markup_attr(markup, "class", "tiles");
	tile_put(markup, "p50", "p50", NS_TEXT((double)stat_percentile(glance.stat, 50)));
	tile_put(markup, "p99", "p99", NS_TEXT((double)stat_percentile(glance.stat, 99)));
	tile_put(markup, "max", "max", NS_TEXT((double)glance.stat->max));
	rate_put(markup, &glance);
	markup_close(markup);
}

static void glance_words(struct markup *markup, const struct whole *whole,
			 const struct summary *shown)
{
	struct paragraph cause = {0}, typical = {0}, next = {0}, missed = {0}, warning = {0},
			 unreliable = {0};

	if (whole) {
		verdict_words(&cause, whole, WORDS_ALL);
		whole_typical_words(&typical, whole, WORDS_ALL, NULL);
		whole_next_words(&next, whole);
		missed_words(&missed, shown);
	}
	warning_words(&warning, shown);
	unreliable_words(&unreliable, shown);
	markup_open(markup, "div");
	markup_attr(markup, "class", "words");
	words_element(markup, "p", "verdict", &cause);
	markup_open(markup, "dl");
	words_term(markup, "unreliable", "warning", &unreliable);
	words_term(markup, "missed", "warning", &missed);
	words_term(markup, "typical", NULL, &typical);
	words_term(markup, "next", NULL, &next);
	words_term(markup, "warning", "warning", &warning);
	markup_close(markup);
	markup_close(markup);
}

void run_verdict(struct markup *markup, const struct illustration *illustration)
{
	struct summary shown = summary_without_marginal_rounds(illustration->summary);
	struct focus focus;
	struct whole whole;
	bool is_known = !focus_on_service(&focus, &shown) && !whole_of(&whole, &focus);

	markup_open(markup, "div");
	markup_attr(markup, "class", "headline");
	glance_words(markup, is_known ? &whole : NULL, &shown);
	if (is_known)
		glance_tiles(markup, &whole);
	markup_close(markup);
	if (is_known)
		whole_clean(&whole);
	focus_clean(&focus);
}

void run_headline(const struct summary *summary, struct head_lines *lines)
{
	struct summary shown = summary_without_marginal_rounds(summary);
	struct focus focus;

	if (!focus_on_service(&focus, &shown))
		head_lines_of(lines, &focus, summary);
	focus_clean(&focus);
}

void run_trust_line(struct markup *markup, const struct summary *summary)
{
	struct paragraph complete = {0}, disturbed = {0};

	run_complete_words(&complete, summary);
	disturbed_words(&disturbed, summary);
	markup_open(markup, "dl");
	markup_attr(markup, "class", "trust");
	words_term(markup, "complete", integrity_clean(&summary->integrity) ? NULL : "warning",
		   &complete);
	words_term(markup, "disturbed", NULL, &disturbed);
	markup_close(markup);
}
