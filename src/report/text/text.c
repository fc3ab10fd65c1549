/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes reports for --format text. A report of a single run has sections. A report of several
 * runs has tables.
 */
#include "insight/metrics.h"
#include "report/format.h"
#include "report/memstream.h"
#include "report/text/sections.h"
#include "report/words/explain/explain_words.h"
#include "report/words/summary_words.h"

#include <errno.h>
#include <stdlib.h>

/* A part of the report that is written when what comes before it is known. */
struct held {
	struct text text;
	struct memory memory;
};

enum held_part { HELD_HEAD, HELD_CAUSE, HELD_TYPICAL, HELD_NEXT, HELD_REST, NR_HELD_PARTS };

struct report {
	struct report_style style;
	struct text text;
	bool is_held;              /* the summary is in `held` */
	struct paragraph troubles; /* what comes before an explanation that takes its place */
	struct paragraph typical;  /* the same beside an explanation */
	struct held held[NR_HELD_PARTS];
	bool is_run_matrix;
	bool is_brief;    /* only the first screen */
	struct rows runs; /* of a run matrix */
	bool says_cut;    /* the report says already that the recording is cut */
	uint32_t summaries;
	uint32_t explanations;
};

static struct report *text_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report || text_open(&report->text, style)) {
		free(report);
		return NULL;
	}
	report->style = *style;
	report->is_run_matrix = style->is_run_matrix;
	report->is_brief = style->is_brief;
	return report;
}

static int text_run(struct report *report, const struct run_info *info)
{
	(void)report;
	(void)info; /* part of the summary */
	return 0;
}

static void show_measurement(const struct text *text, const struct summary *summary)
{
	struct paragraph tracing = {0};

	text_rule(text, "measurement");
	text_newline(text);
	text_head(text, &summary->info);
	tracing_details(&tracing, summary);
	paragraph_print(text, INK_BOLD, tracing_label(summary), &tracing);
	text_sentences(text, summary, measurement_sentences);
}

static void show_latency(const struct text *text, const struct summary *summary)
{
	if (!summary->latency.count && !summary->flow.messages)
		return;
	text_rule(text, "latency");
	text_latency(text, summary);
	text_service(text, summary);
	text_exchanges(text, summary);
	text_calls(text, summary);
	text_services(text, summary);
	text_chains(text, summary);
	text_newline(text);
	text_sentences(text, summary, latency_sentences);
}

static void show_components(const struct text *text, const struct summary *summary)
{
	if (!summary->info.traced || !summary->latency.count)
		return;
	text_rule(text, "components");
	text_components(text, summary);
	text_blame(text, summary);
}

static void show_parties(const struct text *text, const struct summary *summary)
{
	if (summary->channel_cnt || summary->client_cnt > 1 || summary->rounds.count)
		text_rule(text, summary->info.mode == MODE_ATTACH ? "channels" : "clients");
	text_clients(text, summary);
	text_channels(text, summary);
	text_sentences(text, summary, client_sentences);
}

/* 0 or -errno. */
static int show_sections(struct report *report, const struct summary *summary)
{
	const struct held *held = report->held;
	const struct text *text = &held[HELD_REST].text;
	const struct first_screen screen = {&held[HELD_HEAD].text,
					    &held[HELD_CAUSE].text,
					    &held[HELD_TYPICAL].text,
					    &held[HELD_NEXT].text,
					    text,
					    &report->typical};
	int err = text_first_screen(&screen, summary);

	if (err || report->is_brief)
		return err;
	show_measurement(text, summary);
	show_latency(text, summary);
	text_connections(text, summary);
	text_failing(text, summary);
	show_components(text, summary);
	show_parties(text, summary);
	return 0;
}

/* 0 or -errno; then nothing is held. */
static int held_open(struct held *held, const struct report_style *style)
{
	struct report_style own = *style;
	int err = memory_begin(&held->memory);

	if (err)
		return err;
	own.out = held->memory.stream;
	err = text_open(&held->text, &own);
	if (err)
		memory_clean(&held->memory);
	return err;
}

static int held_close(struct held *held)
{
	int err = text_close(&held->text);

	return memory_finish(&held->memory) ?: err;
}

/* The columns of the sheet are those of each part. */
static int hold_sections(struct report *report, const struct summary *summary)
{
	int err = 0, opened = 0;

	while (!err && opened < NR_HELD_PARTS) {
		err = held_open(&report->held[opened], &report->style);
		opened += !err;
	}
	report->typical = (struct paragraph){0};
	if (!err)
		err = show_sections(report, summary);
	for (int i = 0; i < opened; i++)
		err = held_close(&report->held[i]) ?: err;
	for (int i = 0; err && i < opened; i++)
		memory_clean(&report->held[i].memory);
	report->is_held = !err;
	report->troubles = (struct paragraph){0};
	verdict_troubles(&report->troubles, summary);
	return err;
}

static int held_write(const struct text *text, const struct held *held)
{
	const struct memory *memory = &held->memory;

	if (fwrite(memory->text, 1, memory->size, text->sheet) == memory->size)
		return 0;
	return errno ? -errno : -EIO;
}

/* What an explanation says takes the place of a part, if it says anything. 0 or -errno. */
static int show_part(const struct report *report, enum held_part part, const struct answer *instead)
{
	const struct text *text = &report->text;

	if (!instead->words.length)
		return held_write(text, &report->held[part]);
	answers_print(text, instead, 1);
	return text_flush(text);
}

/* `explanation` NULL: there is none. 0 or -errno. */
static int show_held(struct report *report, const struct explanation *explanation)
{
	const struct text *text = &report->text;
	struct answer cause = {"CAUSE", INK_BOLD, HEADLINE_LINES, {0}};
	struct answer typical = {"TYPICAL", INK_BOLD, HEADLINE_LINES, {0}};
	struct answer next = {"NEXT", INK_BOLD, HEADLINE_LINES, {0}};
	struct paragraph headline = {0};
	int err;

	if (!report->is_held)
		return 0;
	if (explanation && explain_has_rows(explanation->outcome))
		explain_headline(&headline, explanation);
	if (headline.length) {
		paragraph_add(&cause.words, "%s%s", report->troubles.text, headline.text);
		explain_remedy_words(&next.words, explanation);
		typical.words = report->typical;
	}
	errno = 0;
	err = text_flush(text) ?: held_write(text, &report->held[HELD_HEAD]);
	err = err ?: show_part(report, HELD_CAUSE, &cause);
	err = err ?: show_part(report, HELD_TYPICAL, &typical);
	err = err ?: show_part(report, HELD_NEXT, &next);
	err = err ?: held_write(text, &report->held[HELD_REST]);
	for (int i = 0; i < NR_HELD_PARTS; i++)
		memory_clean(&report->held[i].memory);
	report->is_held = false;
	return err ?: text_flush(text);
}

/* Tables of zeros would be wrong. */
static void show_no_statistics(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	text_head(text, &summary->info);
	no_statistics_words(&line, summary);
	paragraph_print(text, INK_WARNING, "recording", &line);
}

static int text_summary(struct report *report, const struct summary *summary)
{
	struct summary shown = summary_without_marginal_rounds(summary);
	int err = show_held(report, NULL);

	if (err)
		return err;
	report->summaries++;
	if (report->is_run_matrix)
		return rows_add(&report->runs, summary);
	report->says_cut = summary->integrity.truncated;
	if (lacks_statistics(summary))
		show_no_statistics(&report->text, summary);
	else
		return hold_sections(report, &shown);
	return text_flush(&report->text);
}

/* Which run the following explanation is about. */
static void show_explained_run(const struct report *report, const struct run_info *info)
{
	const struct text *text = &report->text;

	if (report->is_run_matrix) {
		if (report->explanations)
			text_newline(text);
		text_head(text, info);
		text_newline(text);
	} else if (report->is_brief) {
		if (report->summaries)
			text_newline(text);
	} else if (report->summaries) {
		text_rule(text, "why the slow ones are slow");
		text_newline(text);
	}
}

/* A brief report has one screen, either of the summary or of the explanation. */
static enum explain_extent extent_of(const struct report *report)
{
	if (!report->is_brief)
		return EXPLAIN_ALL;
	return report->summaries ? EXPLAIN_BELOW : EXPLAIN_SCREEN;
}

/* The tables of several runs come before what explains each of them. */
static int text_explain(struct report *report, const struct explanation *explanation)
{
	const struct text *text = &report->text;
	int err = show_held(report, explanation);

	if (!report->explanations && report->summaries)
		text_run_matrix(text, &report->runs, report->is_brief);
	show_explained_run(report, &explanation->info);
	report->explanations++;
	text_explanation(text, explanation, extent_of(report));
	return err ?: text_flush(text);
}

static int text_end(struct report *report, bool is_cut)
{
	struct paragraph cut = {0};
	int error, held_error = show_held(report, NULL);

	if (!report->explanations)
		text_run_matrix(&report->text, &report->runs, report->is_brief);
	if (is_cut && !report->says_cut) {
		paragraph_add(&cut, "The recording breaks off: what followed is not shown.");
		text_newline(&report->text);
		paragraph_print(&report->text, INK_WARNING, "", &cut);
	}
	error = text_close(&report->text);
	error = held_error ?: error;
	rows_free(&report->runs);
	free(report);
	return error;
}

const struct report_format report_text = {
	.name = "text",
	.meaning = "a report for people",
	.document = DOCUMENT_TEXT,
	.has_first_screen = true,
	.begin = text_begin,
	.run = text_run,
	.summary = text_summary,
	.explanation = text_explain,
	.end = text_end,
};
