/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes --format html: one page that is complete in itself, to be sent to others. What is about a
 * run is written into memory while its data are there; what stands above it follows at the end.
 */
#include "report/html/document.h"
#include "report/html/matrix.h"
#include "report/html/memory.h"
#include "report/html/plain_report.h"
#include "report/html/run.h"
#include "report/html/words.h"
#include "report/text/sections.h"

#include <errno.h>
#include <stdlib.h>

struct report {
	FILE *out; /* borrowed */
	bool is_run_matrix;
	uint32_t runs;
	struct host host; /* of the first run */
	char version[SPEC_TEXT_LEN];
	char command_line[512];
	struct paragraph title;
	struct matrix *matrix; /* NULL: there is one run */
	struct memory body;    /* what is about runs */
	struct memory contents;
	struct plain_report plain;
};

static void free_report(struct report *report)
{
	plain_report_clean(&report->plain);
	memory_clean(&report->body);
	memory_clean(&report->contents);
	matrix__free(report->matrix);
	free(report);
}

static int begin_parts(struct report *report, const struct report_style *style)
{
	int err = memory_begin(&report->body) ?: memory_begin(&report->contents);

	if (!err && style->is_run_matrix) {
		report->matrix = matrix__new();
		err = report->matrix ? 0 : -ENOMEM;
	}
	return err ?: plain_report_begin(&report->plain, style);
}

static struct report *html_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));
	int err;

	if (!report)
		return NULL;
	report->out = style->out;
	report->is_run_matrix = style->is_run_matrix;
	err = begin_parts(report, style);
	if (!err)
		return report;
	free_report(report);
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

static void write_only_run(struct report *report, const struct illustration *illustration)
{
	struct markup body = {.out = report->body.stream};
	struct markup contents = {.out = report->contents.stream};
	const struct run_place place = {.prefix = "", .level = 2};

	run_contents(&contents, illustration);
	run_verdict(&body, illustration);
	run_trust(&body, illustration->summary, &place);
	run_results(&body, illustration, &place);
}

/* One of several runs is an element that can be opened. */
static void write_one_run(struct report *report, const struct illustration *illustration)
{
	struct markup body = {.out = report->body.stream};
	char prefix[32];
	const struct run_place place = {.prefix = prefix, .level = 3};
	struct paragraph title = {0};

	snprintf(prefix, sizeof(prefix), "run%u-", report->runs + 1);
	head_title(&title, &illustration->summary->info);
	markup_open(&body, "details");
	markup_attr(&body, "class", "run");
	markup_attrf(&body, "id", "run%u", report->runs + 1);
	words_element(&body, "summary", NULL, &title);
	run_verdict(&body, illustration);
	run_trust(&body, illustration->summary, &place);
	run_results(&body, illustration, &place);
	markup_close(&body);
}

static int html_illustrate(struct report *report, const struct illustration *illustration)
{
	int err = 0;

	note_first(report, &illustration->summary->info);
	if (report->matrix) {
		err = matrix__add(report->matrix, illustration->summary);
		write_one_run(report, illustration);
	} else {
		write_only_run(report, illustration);
	}
	report->runs++;
	err = err ?: plain_report_add(&report->plain, illustration);
	return err ?: (ferror(report->body.stream) ? -ENOMEM : 0);
}

static void write_header(struct report *report, struct markup *markup, bool is_cut)
{
	struct paragraph host = {0}, cut = {0};

	markup_open(markup, "header");
	words_element(markup, "h1", NULL, &report->title);
	host_words(&host, &report->host);
	if (report->runs)
		words_element(markup, "p", "host", &host);
	if (is_cut)
		paragraph_add(&cut, "The recording breaks off: what followed is not shown.");
	else if (!report->runs)
		paragraph_add(&cut, "The recording has no run.");
	words_element(markup, "p", "warning", &cut);
	markup_close(markup);
}

static void write_contents(const struct report *report, struct markup *markup)
{
	if (report->is_run_matrix || !report->runs)
		return;
	markup_open(markup, "nav");
	markup_attr(markup, "aria-label", "Contents");
	markup_open(markup, "ul");
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

static void write_matrix(const struct report *report, struct markup *markup,
			 const struct paragraph *verdict)
{
	if (!report->matrix)
		return;
	words_element(markup, "p", "verdict", verdict);
	markup_element(markup, "h2", NULL, "The runs");
}

static void write_page(struct report *report, bool is_cut)
{
	struct markup markup = {.out = report->out};
	struct paragraph verdict = {0};
	char title[sizeof(report->title.text) + sizeof("ipctrace: ")];

	if (report->matrix)
		matrix__words(report->matrix, &report->title, &verdict);
	snprintf(title, sizeof(title), "ipctrace: %s", report->title.text);
	document_begin(&markup, title);
	write_header(report, &markup, is_cut);
	write_contents(report, &markup);
	markup_open(&markup, "main");
	markup_attr(&markup, "id", "main");
	write_matrix(report, &markup, &verdict);
	markup_raw(&markup, report->body.text);
	plain_report_write(&report->plain, &markup);
	markup_close(&markup);
	write_footer(report, &markup);
	document_end(&markup);
}

static int html_end(struct report *report, bool is_cut)
{
	int err = plain_report_finish(&report->plain, is_cut);

	err = memory_finish(&report->body) ?: err;
	err = memory_finish(&report->contents) ?: err;
	if (!err) {
		write_page(report, is_cut);
		err = report_flush(report->out);
	}
	free_report(report);
	return err;
}

const struct report_format report_html = {
	.name = "html",
	.wants_file = true,
	.wants_recording = true,
	.begin = html_begin,
	.illustrate = html_illustrate,
	.end = html_end,
};
