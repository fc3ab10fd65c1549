/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes --format html: one page that is complete in itself, to be sent to others. What is about a
 * run is written into memory while its data are there; what stands above it follows at the end.
 */
#include "model/explanation.h"
#include "model/picture.h"
#include "report/html/page.h"
#include "report/memstream.h"
#include "report/words/head.h"
#include "report/words/rows_words.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* What each of several runs has. */
#define SLOWEST_OF_MANY   3
#define RUNS_WITH_FIGURES 24 /* they are kept in memory until it is known which are the slowest */
#define FIGURES_BYTES     850000 /* of all runs: the page has less than 1 MB */

/* The text report inside of the page: the same words as those of -f text. */
struct plain_report {
	struct memory memory;
	struct report *report; /* of -f text; NULL: it has ended, or did not begin */
	bool is_run_matrix;
	locale_t utf8;
};

/*
 * The text report asks the user's locale what a character is. A page is UTF-8 in every locale, and
 * the same for all users.
 */
static locale_t enter_utf8(const struct plain_report *plain)
{
	return plain->utf8 ? uselocale(plain->utf8) : (locale_t)0;
}

static void leave_utf8(locale_t before)
{
	if (before)
		uselocale(before);
}

static int plain_report_begin(struct plain_report *plain, const struct report_style *style)
{
	struct report_style own = *style;
	int err = memory_begin(&plain->memory);

	if (err)
		return err;
	/* Without it, the report is ASCII. */
	plain->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	own.out = plain->memory.stream;
	own.color = false;
	own.is_unicode = plain->utf8;
	own.is_brief = false;
	own.columns = 0;
	plain->is_run_matrix = style->is_run_matrix;
	plain->report = report_text.begin(&own);
	return plain->report ? 0 : -errno;
}

/* The report of a run matrix compares the runs, and leaves out why each of them has slow ones. */
static int plain_report_add(struct plain_report *plain, const struct illustration *illustration)
{
	locale_t before = enter_utf8(plain);
	int err = report_text.run(plain->report, &illustration->summary->info);

	if (!err)
		err = report_text.summary(plain->report, illustration->summary);
	if (!err && !plain->is_run_matrix && illustration->explanation)
		err = report_text.explanation(plain->report, illustration->explanation);
	leave_utf8(before);
	return err;
}

static int plain_report_finish(struct plain_report *plain, bool is_cut)
{
	locale_t before = enter_utf8(plain);
	int err = report_text.end(plain->report, is_cut);
	int memory_err = memory_finish(&plain->memory);

	leave_utf8(before);
	plain->report = NULL;
	return err ?: memory_err;
}

static void plain_report_write(const struct plain_report *plain, struct markup *markup)
{
	fold_open(markup, &(struct run_place){.prefix = "", .level = 2}, "text",
		  "The report as text", NULL);
	markup_open(markup, "pre");
	markup_attr(markup, "tabindex", "0");
	markup_lines(markup, plain->memory.text ?: "");
	markup_close(markup);
	markup_close(markup);
}

static void plain_report_clean(struct plain_report *plain)
{
	if (plain->report)
		report_text.end(plain->report, false);
	plain->report = NULL;
	memory_clean(&plain->memory);
	if (plain->utf8)
		freelocale(plain->utf8);
}

struct report {
	FILE *out; /* borrowed */
	bool is_run_matrix;
	uint32_t runs;
	struct host host; /* of the first run */
	char version[SPEC_TEXT_LEN];
	char command_line[512];
	struct paragraph title;
	struct head_lines headline; /* of the only run; else empty */
	struct run_points points;   /* of a run matrix */
	struct memory body;         /* what is about runs */
	struct memory contents;
	struct plain_report plain;
	const char *select; /* what the figures are about, in words; NULL or empty: all. Borrowed */
};

static void html_free_report(struct report *report)
{
	plain_report_clean(&report->plain);
	memory_clean(&report->body);
	memory_clean(&report->contents);
	run_points_clean(&report->points);
	free(report);
}

static struct report *html_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));
	int err;

	if (!report)
		return NULL;
	report->out = style->out;
	report->is_run_matrix = style->is_run_matrix;
	report->select = style->select;
	err = memory_begin(&report->body) ?: memory_begin(&report->contents);
	err = err ?: plain_report_begin(&report->plain, style);
	if (!err)
		return report;
	html_free_report(report);
	errno = -err;
	return NULL;
}

static void note_first(struct report *report, const struct run_info *info)
{
	if (report->runs)
		return;
	report->host = info->host;
	snprintf(report->version, sizeof(report->version), "%s", info->version);
	snprintf(report->command_line, sizeof(report->command_line), "%s", info->command_line);
	if (!report->is_run_matrix)
		head_title(&report->title, info);
}

static int write_only_run(struct report *report, const struct illustration *illustration)
{
	struct markup body = {.out = report->body.stream};
	struct markup contents = {.out = report->contents.stream};
	const struct run_place place = {.prefix = "", .level = 2};

	run_headline(illustration->summary, &report->headline);
	run_contents(&contents, illustration);
	run_verdict(&body, illustration);
	return run_results(&body, illustration, &place);
}

/* The page of several runs would be too large with the slowest hundred of each. */
static int write_figures(struct markup *body, const struct illustration *illustration,
			 const struct run_place *place)
{
	struct picture *few = malloc(sizeof(*few));
	struct illustration shown = *illustration;
	int err;

	if (!few)
		return -ENOMEM;
	*few = *illustration->picture;
	if (few->slowest_cnt > SLOWEST_OF_MANY)
		few->slowest_cnt = SLOWEST_OF_MANY;
	shown.picture = few;
	err = run_results(body, &shown, place);
	free(few);
	return err;
}

/* A run without figures. */
static void few_words(struct markup *body, const struct summary *summary, uint32_t run)
{
	struct paragraph hint = {0};

	run_trust_line(body, summary);
	paragraph_add(&hint,
		      "The page would be too large with the figures of all runs: it has those of "
		      "the slowest ones. 'ipctrace report FILE --run %u -f html' shows those of "
		      "this run.",
		      run);
	words_element(body, "p", "hint", &hint);
}

/*
 * What differs between the runs, and which of them are the slowest, is known when all are there.
 * Each has three parts (run_text_of()): what it begins with, its figures, and what replaces these.
 */
static int write_one_run(struct report *report, const struct illustration *illustration)
{
	struct markup body = {.out = report->body.stream};
	char prefix[32];
	const struct run_place place = {.prefix = prefix, .level = 3};
	int err = 0;

	snprintf(prefix, sizeof(prefix), "run%u-", report->runs + 1);
	run_verdict(&body, illustration);
	markup_end_part(&body);
	if (report->runs < RUNS_WITH_FIGURES)
		err = write_figures(&body, illustration, &place);
	markup_end_part(&body);
	few_words(&body, illustration->summary, report->runs + 1);
	markup_end_part(&body);
	return err;
}

static int html_illustrate(struct report *report, const struct illustration *illustration)
{
	int err = 0;

	note_first(report, &illustration->summary->info);
	if (report->is_run_matrix) {
		err = run_points_add(&report->points, illustration);
		if (err)
			return err;
		err = write_one_run(report, illustration);
	} else {
		err = write_only_run(report, illustration);
	}
	report->runs++;
	err = err ?: plain_report_add(&report->plain, illustration);
	return err ?: (ferror(report->body.stream) ? -ENOMEM : 0);
}

static void html_write_header(struct report *report, struct markup *markup, bool is_cut)
{
	struct paragraph host = {0}, cut = {0}, select = {0};
	const struct paragraph *headline = &report->headline.title;

	markup_open(markup, "header");
	words_element(markup, "h1", NULL, headline->length ? headline : &report->title);
	host_words(&host, &report->host);
	words_element(markup, "p", "host",
		      report->headline.conditions.length ? &report->headline.conditions : &host);
	if (is_cut)
		paragraph_add(&cut, "The recording breaks off: what followed is not shown.");
	words_element(markup, "p", "warning", &cut);
	if (report->select && report->select[0])
		paragraph_add(
			&select,
			"Selection: %s. It concerns why the slow ones are slow, and the "
			"figures of single latencies. All other sections are of all messages.",
			report->select);
	words_element(markup, "p", "warning", &select);
	markup_close(markup);
}

static void write_contents(const struct report *report, struct markup *markup)
{
	markup_open(markup, "nav");
	markup_attr(markup, "aria-label", "Contents");
	markup_open(markup, "ul");
	if (report->is_run_matrix)
		matrix_contents(markup, &report->points);
	else
		markup_raw(markup, report->contents.text);
	markup_close(markup);
	markup_close(markup);
}

static void write_footer(const struct report *report, struct markup *markup)
{
	struct paragraph words = {0};

	paragraph_add(&words, "Made by ipctrace %s. This page is complete in itself.",
		      report->version);
	markup_open(markup, "footer");
	words_element(markup, "p", NULL, &words);
	if (report->command_line[0]) {
		markup_open(markup, "p");
		markup_text(markup, "Recorded with ");
		markup_element(markup, "code", NULL, report->command_line);
		markup_close(markup);
	}
	markup_close(markup);
}

/* What is written of a run. */
struct run_text {
	const char *verdict, *figures, *without; /* borrowed */
	bool is_tried, has_figures;
};

static const char *run_text_of(struct run_text *text, const char *part)
{
	text->verdict = part;
	text->figures = text->verdict + strlen(text->verdict) + 1;
	text->without = text->figures + strlen(text->figures) + 1;
	return text->without + strlen(text->without) + 1;
}

/* The slowest one that has not been tried. */
static struct run_text *slowest_untried(const struct report *report, struct run_text *text)
{
	struct run_text *found = NULL;
	double most = 0;

	for (uint32_t i = 0; i < report->runs; i++) {
		double slowness = matrix_slowness(&report->points, i);

		if (!text[i].is_tried && (!found || slowness > most)) {
			found = &text[i];
			most = slowness;
		}
	}
	return found;
}

/* The slowest run has figures, and others as long as these have room. NULL: no memory. */
static struct run_text *choose_figures(const struct report *report)
{
	struct run_text *text = calloc(report->runs + 1, sizeof(*text)), *next;
	const char *part = report->body.text;
	size_t left = FIGURES_BYTES;

	for (uint32_t i = 0; text && i < report->runs; i++)
		part = run_text_of(&text[i], part);
	while (text && (next = slowest_untried(report, text))) {
		size_t size = strlen(next->figures);

		next->is_tried = true;
		next->has_figures = size && (size <= left || left == FIGURES_BYTES);
		left -= next->has_figures && size < left ? size : 0;
	}
	return text;
}

/* Each run is an element that can be opened, also without the script. The slowest one is open. */
static int write_runs(const struct report *report, struct markup *markup)
{
	size_t slowest = matrix_slowest_run(&report->points);
	struct run_text *text = choose_figures(report);

	if (!text)
		return -ENOMEM;
	markup_open(markup, "h2");
	markup_attr(markup, "id", "each-run");
	markup_text(markup, "The runs");
	markup_close(markup);
	markup_element(markup, "p", "hint",
		       "The slowest one is open. Each opens and closes by a click on its title.");
	for (uint32_t i = 0; i < report->runs; i++) {
		struct paragraph title = {0};

		matrix_run_title(&report->points, i, &title);
		markup_open(markup, "details");
		markup_attr(markup, "class", "run");
		markup_attrf(markup, "id", "run%u", i + 1);
		if (i == slowest)
			markup_attr(markup, "open", "");
		words_element(markup, "summary", NULL, &title);
		markup_raw(markup, text[i].verdict);
		markup_raw(markup, text[i].has_figures ? text[i].figures : text[i].without);
		markup_close(markup);
	}
	free(text);
	return 0;
}

static int write_matrix(const struct report *report, struct markup *markup,
			const struct paragraph *verdict)
{
	const struct run_place place = {.prefix = "", .level = 2};
	const struct illustration runs = {.points = &report->points};
	int err;

	words_element(markup, "p", "verdict", verdict);
	err = figures_write(markup, &runs, &place, true)
		      ?: figures_write(markup, &runs, &place, false);
	err = err ?: write_runs(report, markup);
	matrix_trust(markup, &report->points);
	return err;
}

static int write_page(struct report *report, bool is_cut)
{
	struct markup markup = {.out = report->out};
	struct paragraph verdict = {0}, cause = {0};
	char title[sizeof(report->title.text) + sizeof("ipctrace: ")];
	int err = 0;

	if (report->points.merged.cnt) {
		run_matrix_title(&report->title, &report->points.merged);
		result_of_rows(&verdict, &report->points.merged);
		cause_of_rows(&cause, &report->points.merged);
		if (cause.length)
			paragraph_add(&verdict, " Cause: %s", cause.text);
	}
	snprintf(title, sizeof(title), "ipctrace: %s", report->title.text);
	document_begin(&markup, title);
	html_write_header(report, &markup, is_cut);
	markup_open(&markup, "main");
	markup_attr(&markup, "id", "main");
	if (report->is_run_matrix)
		err = write_matrix(report, &markup, &verdict);
	else
		markup_raw(&markup, report->body.text);
	plain_report_write(&report->plain, &markup);
	markup_close(&markup);
	write_contents(report, &markup);
	write_footer(report, &markup);
	document_end(&markup);
	return err;
}

/* Without a run, the output stays empty. */
static int html_end(struct report *report, bool is_cut)
{
	int err = plain_report_finish(&report->plain, is_cut);

	err = memory_finish(&report->body) ?: err;
	err = memory_finish(&report->contents) ?: err;
	err = run_points_merge(&report->points) ?: err;
	if (!err && report->runs)
		err = write_page(report, is_cut) ?: report_flush(report->out);
	html_free_report(report);
	return err;
}

const struct report_format report_html = {
	.name = "html",
	.meaning = "a page with figures, in one file",
	.shows_unit = true,
	.wants_file = true,
	.wants_recording = true,
	.begin = html_begin,
	.illustrate = html_illustrate,
	.end = html_end,
};
