/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes what the page says about one run or several, from the verdict down to the last figure. */
#include "report/html/page.h"

#include "model/explanation.h"
#include "model/picture.h"
#include "insight/metrics.h"
#include "report/words/explain/explain_words.h"
#include "report/words/summary_words.h"
#include "report/words/whole_words.h"
#include "report/words/rows_words.h"
#include "report/words/rows.h"

#include <math.h>

#define ID_LEN 64

/* "h2" … "h6" */
static const char *heading_of(int level)
{
	static const char *const names[] = {"h2", "h3", "h4", "h5", "h6"};

	return names[level < 2 ? 0 : level > 6 ? 4 : level - 2];
}

void fold_open(struct markup *markup, const struct run_place *place, const char *id,
	       const char *title, const char *gist)
{
	markup_open(markup, "details");
	markup_attr(markup, "class", "fold");
	if (id)
		markup_attrf(markup, "id", "%s%s", place->prefix, id);
	markup_open(markup, "summary");
	markup_element(markup, heading_of(place->level), NULL, title);
	if (gist) {
		markup_open(markup, "span");
		words_put(markup, gist);
		markup_close(markup);
	}
	markup_close(markup);
}

static bool has_explanation(const struct illustration *illustration)
{
	const struct explanation *explanation = illustration->explanation;

	return explanation && explanation->outcome < NR_EXPLAIN_OUTCOMES;
}

static void run_trust(struct markup *markup, const struct summary *summary,
		      const struct run_place *place)
{
	struct paragraph complete = {0}, disturbed = {0}, integrity = {0}, windows = {0},
			 when = {0};
	bool is_clean = integrity_clean(&summary->integrity);

	run_complete_words(&complete, summary);
	disturbed_words(&disturbed, summary);
	integrity_words(&integrity, &summary->integrity, summary->info.traced, verifies(summary));
	tracing_words(&when, summary);
	if (summary->info.condition[0])
		windows_words(&windows, &summary->info);
	fold_open(markup, place, "trust", "Integrity and observer", NULL);
	markup_open(markup, "dl");
	words_term(markup, "complete", is_clean ? NULL : "warning", &complete);
	words_term(markup, "disturbed", NULL, &disturbed);
	words_term(markup, "integrity", is_clean ? NULL : "warning", &integrity);
	words_term(markup, "recording", NULL, &windows);
	words_term(markup, "when", NULL, &when);
	markup_close(markup);
	markup_close(markup);
}

static void why_slow(struct markup *markup, const struct illustration *illustration,
		     const struct run_place *place)
{
	const struct explanation *explanation = illustration->explanation;
	struct paragraph opening = {0}, headline = {0};

	if (!has_explanation(illustration))
		return;
	if (explain_has_rows(explanation->outcome))
		explain_headline(&headline, explanation);
	fold_open(markup, place, "why", "Why the slow ones are slow", headline.text);
	if (!explain_has_rows(explanation->outcome)) {
		explain_outcome_words(&opening, explanation);
		words_element(markup, "p", NULL, &opening);
		markup_close(markup);
		return;
	}
	explain_opening(&opening, explanation);
	words_element(markup, "p", NULL, &opening);
	markup_open(markup, "dl");
	for (int i = 0; i < EXPLAIN_ANSWERS; i++) {
		struct paragraph answer = {0};

		explain_answers[i].words(&answer, explanation);
		words_term(markup, explain_answers[i].label, NULL, &answer);
	}
	markup_close(markup);
	markup_close(markup);
}

static int parts_draw(struct markup *markup, const struct figure *figure,
		      const struct illustration *illustration, const char *id,
		      const struct run_place *place, bool is_narrow, uint32_t choice)
{
	char canvas_id[ID_LEN + 32];
	const struct canvas canvas = {.markup = markup,
				      .width = is_narrow ? FIGURE_NARROW : FIGURE_WIDE,
				      .is_narrow = is_narrow,
				      .id = canvas_id,
				      .prefix = place->prefix,
				      .choice = choice};

	snprintf(canvas_id, sizeof(canvas_id), "%s-%s", id, is_narrow ? "narrow" : "wide");
	return figure_draw(figure, &canvas, illustration);
}

/* Both forms of the drawing. `id`: of the figure, or of the choice that it shows. */
static int drawing_write(struct markup *markup, const struct figure *figure,
			 const struct illustration *illustration, const struct run_place *place,
			 const char *id, uint32_t choice)
{
	return parts_draw(markup, figure, illustration, id, place, false, choice)
		       ?: parts_draw(markup, figure, illustration, id, place, true, choice);
}

static void caption_write(struct markup *markup, const struct figure *figure,
			  const struct illustration *illustration)
{
	struct paragraph words = {0};

	figure->describe(illustration, &words);
	markup_open(markup, "figcaption");
	words_put(markup, words.text);
	/* The first sentence may be about the calls of one service, figures are about all units. */
	if (figure->subject == OF_UNITS && illustration->picture->unit == UNIT_CALL &&
	    is_one_of_several(&illustration->summary->calls))
		markup_text(markup, " These are the calls of all services.");
	markup_close(markup);
}

/* What to-scale can show, as links: the one that is the target of the address is shown. */
static void choices_links(struct markup *markup, const struct illustration *illustration,
			  const char *id, uint32_t cnt)
{
	markup_open(markup, "p");
	markup_attr(markup, "class", "choices");
	for (uint32_t i = 0; i < cnt; i++) {
		char words[32] = "typical";

		if (!to_scale_has(illustration, i))
			continue;
		if (i)
			snprintf(words, sizeof(words), "%s%u", i == 1 ? "episode " : "", i);
		link_put(markup, words, "%s-%u", id, i);
	}
	markup_close(markup);
}

static void choice_caption(struct markup *markup, const struct illustration *illustration,
			   const struct run_place *place, uint32_t choice)
{
	struct paragraph words = {0};
	uint32_t rank = to_scale_rank(illustration, choice);

	to_scale_words(illustration, choice, &words);
	markup_open(markup, "p");
	markup_attr(markup, "class", "caption");
	words_put(markup, words.text);
	if (rank && rank <= illustration->picture->slowest_cnt) {
		markup_text(markup, " ");
		link_put(markup, "All that is known of it", "%sunit-%u", place->prefix, rank);
	}
	markup_close(markup);
}

static int choices_write(struct markup *markup, const struct illustration *illustration,
			 const struct run_place *place, const char *id)
{
	uint32_t cnt = place->prefix[0] ? 1 : CHOICES_MAX;
	int err = 0;

	if (cnt > 1)
		choices_links(markup, illustration, id, cnt);
	markup_open(markup, "div");
	markup_attr(markup, "class", "several");
	for (uint32_t i = 0; !err && i < cnt; i++) {
		char choice_id[ID_LEN + 16];

		if (!to_scale_has(illustration, i))
			continue;
		snprintf(choice_id, sizeof(choice_id), i ? "%s-%u" : "%s", id, i);
		markup_open(markup, "div");
		markup_attrf(markup, "id", "%s-%u", id, i);
		markup_attr(markup, "class", i ? "choice" : "choice first");
		choice_caption(markup, illustration, place, i);
		err = drawing_write(markup, &figure_to_scale, illustration, place, choice_id, i);
		markup_close(markup);
	}
	markup_close(markup);
	return err;
}

static int figure_write(struct markup *markup, const struct figure *figure,
			const struct illustration *illustration, const struct run_place *place)
{
	char id[ID_LEN];
	int err;

	snprintf(id, sizeof(id), "%s%s", place->prefix, figure->name);
	if (!figure->is_at_a_glance)
		fold_open(markup, place, NULL, figure->title, NULL);
	markup_open(markup, "figure");
	markup_attr(markup, "id", id);
	markup_attr(markup, "class", "figure");
	markup_attr(markup, "data-figure", figure->name);
	if (figure->is_at_a_glance)
		markup_element(markup, heading_of(place->level), NULL, figure->title);
	if (figure == &figure_to_scale) {
		err = choices_write(markup, illustration, place, id);
	} else {
		caption_write(markup, figure, illustration);
		err = drawing_write(markup, figure, illustration, place, id, 0);
	}
	if (figure == &figure_slowest)
		units_write(markup, illustration, place->prefix, heading_of(place->level + 1), id);
	markup_close(markup);
	if (!figure->is_at_a_glance)
		markup_close(markup);
	return err;
}

int figures_write(struct markup *markup, const struct illustration *illustration,
		  const struct run_place *place, bool at_a_glance)
{
	const struct figure *figure;
	int err = 0;

	for (size_t i = 0; !err && (figure = figure_at(i)); i++) {
		if (figure->is_at_a_glance == at_a_glance && figure_shows(figure, illustration))
			err = figure_write(markup, figure, illustration, place);
	}
	return err;
}

int run_results(struct markup *markup, const struct illustration *illustration,
		const struct run_place *place)
{
	struct summary shown = summary_without_marginal_rounds(illustration->summary);
	int err = figures_write(markup, illustration, place, true);

	run_trust_line(markup, illustration->summary);
	why_slow(markup, illustration, place);
	fold_open(markup, place, "numbers", "The numbers", NULL);
	numbers_write(markup, &shown);
	markup_close(markup);
	err = err ?: figures_write(markup, illustration, place, false);
	run_trust(markup, illustration->summary, place);
	return err;
}

/* An entry of the contents: a link to the part of the page with this id. */
static void contents_item(struct markup *markup, const char *id, const char *title)
{
	markup_open(markup, "li");
	link_put(markup, title, "%s", id);
	markup_close(markup);
}

/* Links to figures: those at a glance, or the others. */
static void contents_figures(struct markup *markup, const struct illustration *illustration,
			     bool at_a_glance)
{
	const struct figure *figure;

	for (size_t i = 0; (figure = figure_at(i)); i++) {
		if (figure->is_at_a_glance == at_a_glance && figure_shows(figure, illustration))
			contents_item(markup, figure->name, figure->title);
	}
}

void run_contents(struct markup *markup, const struct illustration *illustration)
{
	contents_figures(markup, illustration, true);
	if (has_explanation(illustration))
		contents_item(markup, "why", "Why the slow ones are slow");
	contents_item(markup, "numbers", "The numbers");
	contents_figures(markup, illustration, false);
	contents_item(markup, "trust", "Integrity and observer");
	contents_item(markup, "text", "The report as text");
}

static unsigned int differing(const struct run_points *points)
{
	const struct filter all = {0};

	return rows_differ_in(&points->merged, &all);
}

void matrix_trust(struct markup *markup, const struct run_points *points)
{
	const struct rows *merged = &points->merged;
	struct paragraph integrity = {0}, observer = {0};
	bool is_clean;

	if (!merged->cnt)
		return;
	is_clean = run_matrix_integrity(&integrity, merged);
	run_matrix_observer(&observer, merged);
	fold_open(markup, &(struct run_place){.prefix = "", .level = 2}, "trust",
		  "Integrity and observer", NULL);
	markup_open(markup, "dl");
	words_term(markup, "integrity", is_clean ? NULL : "warning", &integrity);
	words_term(markup, "observer", NULL, &observer);
	for (size_t i = 0; i < merged->cnt; i++) {
		struct paragraph warning = {0};

		run_matrix_warning(&warning, &merged->row[i], differing(points));
		words_term(markup, "warning", "warning", &warning);
	}
	markup_close(markup);
	markup_close(markup);
}

static void parts_add_time(struct paragraph *title, const char *what, double ns)
{
	if (isfinite(ns))
		paragraph_add(title, "%s %.1f us", what, ns / 1e3);
}

/* The main times: those of rounds, of calls, or of messages. NAN: there is none. */
static void add_times(struct paragraph *title, const double *figure)
{
	if (isfinite(figure[NUMBER_LAST])) {
		parts_add_time(title, ": last", figure[NUMBER_LAST]);
		parts_add_time(title, ", service time", figure[NUMBER_SERVICE_TIME]);
	} else if (isfinite(figure[NUMBER_ROUND_TRIP])) {
		parts_add_time(title, ": round trip", figure[NUMBER_ROUND_TRIP]);
		parts_add_time(title, ", 99 % within", figure[NUMBER_ROUND_TRIP_P99]);
	} else {
		parts_add_time(title, ": latency", figure[NUMBER_LATENCY]);
		parts_add_time(title, ", 99 % within", figure[NUMBER_LATENCY_P99]);
	}
}

void matrix_run_title(const struct run_points *points, size_t i, struct paragraph *title)
{
	const struct workload_spec *spec = &points->runs.row[i].info.workload;

	add_coordinates(title, spec, differing(points));
	if (spec->run)
		paragraph_add(title, ", run %u", spec->run);
	add_times(title, points->runs.row[i].number);
}

double matrix_slowness(const struct run_points *points, size_t i)
{
	return slowness_of_row(&points->runs, &points->runs.row[i]);
}

size_t matrix_slowest_run(const struct run_points *points)
{
	const struct row *slowest = points->runs.cnt ? slowest_row(&points->runs) : NULL;

	return slowest ? (size_t)(slowest - points->runs.row) : 0;
}

void matrix_contents(struct markup *markup, const struct run_points *points)
{
	const struct illustration runs = {.points = points};

	contents_figures(markup, &runs, true);
	contents_figures(markup, &runs, false);
	contents_item(markup, "each-run", "The runs");
	contents_item(markup, "trust", "Integrity and observer");
	contents_item(markup, "text", "The report as text");
}
