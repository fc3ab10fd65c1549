/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of --format html, and the files of --format svg. */
#include "support/build.h"
#include "support/capture.h"
#include "support/markup_check.h"
#include "support/page.h"
#include "support/pictured.h"
#include "support/sample.h"

#include "report/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

EACH_TEST(pictured_set_up, NULL)

/* A report of these runs; `*err` is its first error. */
static char *written(const struct report_format *format, struct report_style style,
		     const struct pictured *const *run, size_t cnt, bool is_cut, int *err)
{
	char *text = NULL;
	size_t size = 0;
	struct report *report;

	style.out = open_memstream(&text, &size);
	style.is_run_matrix = cnt > 1;
	assert_non_null(style.out);
	report = format->begin(&style);
	assert_non_null(report);
	*err = 0;
	for (size_t i = 0; i < cnt && !*err; i++)
		*err = format->illustrate(report, &run[i]->illustration);
	*err = format->end(report, is_cut) ?: *err;
	fclose(style.out);
	return drop_after(text, free);
}

static char *page_of(const struct pictured *const *run, size_t cnt, bool is_cut)
{
	int err;
	char *text = written(&report_html, (struct report_style){0}, run, cnt, is_cut, &err);

	assert_int_equal(err, 0);
	return text;
}

static char *page_of_one(const struct pictured *pictured)
{
	return page_of(&pictured, 1, false);
}

TEST(the_page_is_sound)
{
	char *text = page_of_one(pictured);

	assert_well_formed(text);
	assert_ids(text);
	assert_int_equal(strncmp(text, "<!DOCTYPE html>\n<html lang=\"en\">", 32), 0);
	assert_int_equal(count_of(text, "<h1>"), 1);
	assert_has(text, "<main id=\"main\">");
	assert_has(text, "href=\"#main\"");
}

/* Xorg has few calls, but most of the time. */
static void add_two_services(struct pictured *pictured)
{
	struct service_summary *service;

	pictured->illustration.summary = pictured->summary = sample_attach();
	sample_services(pictured->summary);
	service = &pictured->summary->calls.service_of[1];
	service->count = 1;
	stat_add(&service->round_trip, 5000000);
	stat_add(&service->request, 500000);
	stat_add(&service->service, 4000000);
	stat_add(&service->response, 500000);
	pictured->picture.unit = UNIT_CALL;
}

/*
 * The first sentence is of one service: its table is the first one, and others say what they have.
 */
TEST(the_first_table_has_the_calls_of_the_first_sentence)
{
	char *text, *part;

	add_two_services(pictured);
	text = page_of_one(pictured);
	assert_has(text, "100&#160;% of call time is not known");
	assert_has(text, " calls: those to Xorg on @/tmp/.X11-unix/X0");
	part = cut_out(text, "<table", "</table>");
	assert_has(part, "round trip of its calls");
	assert_has(part, ">5000.0</td>");
	assert_has(text, "round trip of all calls");
	assert_int_equal(count_of(text, " These are the calls of all services."), 6);
	pictured->summary->calls.service_cnt = 1;
	text = page_of_one(pictured);
	assert_has(text, "round trip of a call");
	assert_has_not(text, "of its calls");
	assert_has_not(text, "of all services");
	pictured->summary->calls.service_cnt = 2;
}

/* Nothing is loaded: no address stands there but names of XML and the parts of the page itself. */
TEST(the_page_asks_for_nothing)
{
	char *text = page_of_one(pictured);

	assert_has(text, "<meta http-equiv=\"Content-Security-Policy\" "
			 "content=\"default-src &#39;none&#39;;");
	assert_has_not(text, "src=\"");
	assert_has_not(text, "@import");
	assert_has_not(text, "https:");
	assert_int_equal(count_of(text, "http:"), count_of(text, "http://www.w3.org/2000/svg"));
	assert_int_equal(count_of(text, "href=\""),
			 count_of(text, "href=\"#") + count_of(text, "href=\"data:image/svg+xml,"));
}

TEST(it_has_every_figure_twice)
{
	char *text = page_of_one(pictured);
	const struct figure *figure;

	for (size_t i = 0; (figure = figure_at(i)); i++) {
		char id[96];

		if (!figure_shows(figure, &pictured->illustration))
			continue;
		snprintf(id, sizeof(id), "<figure id=\"%s\"", figure->name);
		assert_int_equal(count_of(text, id), 1);
		snprintf(id, sizeof(id), "<svg id=\"%s-wide\"", figure->name);
		assert_int_equal(count_of(text, id), 1);
		snprintf(id, sizeof(id), "<svg id=\"%s-narrow\"", figure->name);
		assert_int_equal(count_of(text, id), 1);
		snprintf(id, sizeof(id), "<a href=\"#%s\">", figure->name);
		assert_has(text, id);
	}
}

TEST(the_same_run_has_the_same_bytes)
{
	struct pictured *one = pictured_new(), *other = pictured_new();
	char *a = page_of_one(one), *b = page_of_one(other);

	assert_string_equal(a, b);
}

TEST(the_numbers_are_those_of_the_summary)
{
	const struct stat *latency = &pictured->summary->latency;
	char *text = page_of_one(pictured);
	char *row = cut_out(text, "<tr data-row=\"latency\">", "</tr>");
	char cell[128];

	snprintf(cell, sizeof(cell), "<td data-name=\"count\">%llu<",
		 (unsigned long long)latency->count);
	assert_has(row, cell);
	snprintf(cell, sizeof(cell), "<td data-name=\"mean\" data-ns=\"%.3f\">%.1f<",
		 stat_mean(latency), stat_mean(latency) / 1e3);
	assert_has(row, cell);
	snprintf(cell, sizeof(cell), "<td data-name=\"p99\" data-ns=\"%llu\">",
		 (unsigned long long)stat_percentile(latency, 99));
	assert_has(row, cell);
	assert_has(text, "<tr data-row=\"last\">");
	assert_has(text, "<tr data-row=\"runqueue\">");
	assert_has_not(text, "<tr data-row=\"round_trip\">");
}

/* The sentences are those of the text report; times have the unit's sign. */
TEST(words_are_those_of_the_text_report)
{
	char *text, *main;

	pictured->summary->calls.unbalanced = 3;
	text = page_of_one(pictured);
	main = cut_out(text, "<main", "<details class=\"fold\" id=\"text\"");
	assert_has(main, "<p class=\"verdict\">");
	assert_has(main, "<dt>complete</dt>");
	assert_has(main, "no time is known of 3 of 3 calls");
	assert_has(main, " µs");
	assert_has_not(main, "0 us");
	assert_has(text, "<pre tabindex=\"0\">");
	assert_has(text, "where time went (us)");
	/* It is UTF-8 in every locale. */
	assert_has(text, "── measurement ──");
}

/* Sentences, four figures and three drawings come first; all else is folded, and the links last. */
TEST(the_answer_comes_first)
{
	static const char *const parts[] = {
		"<header>",
		"<p class=\"verdict\">",
		"<dl class=\"tiles\">",
		"<figure id=\"typical\"",
		"<figure id=\"heat-map\"",
		"<figure id=\"to-scale\"",
		"<dl class=\"trust\">",
		"<details class=\"fold\" id=\"numbers\">",
		"<figure id=\"bands\"",
		"<details class=\"fold\" id=\"trust\">",
		"<details class=\"fold\" id=\"text\">",
		"<nav aria-label=\"Contents\">",
	};
	const char *at = page_of_one(pictured);

	assert_int_equal(count_of(at, "<div><dt>"), 4);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *next = strstr(at, parts[i]);

		if (!next)
			fail_msg("%s does not follow %s", parts[i], i ? parts[i - 1] : "");
		if (i >= 7 && i < 11)
			assert_null(strstr(cut_out(at, "<", parts[i]), "<details open"));
		at = next;
	}
}

/* Each of the four is a number of the summary. */
TEST(the_tiles_have_four_figures)
{
	const struct stat *last = &pictured->summary->rounds.last;
	char *tiles = cut_out(page_of_one(pictured), "<dl class=\"tiles\">", "</dl>");
	char *max = cut_out(tiles, "<dd data-name=\"max\">", "</dd>");
	char expected[64];

	snprintf(expected, sizeof(expected), "%.3g", (double)last->max / 1e3);
	assert_has(max, expected);
	assert_has(tiles, "<dd data-name=\"p50\">");
	assert_has(tiles, "<dd data-name=\"p99\">");
	assert_has(tiles, "<dt>rounds/s</dt>");
}

/* The typical one, and one for each episode whose slowest unit is known. */
TEST(a_slow_one_is_drawn_to_scale)
{
	char *text = page_of_one(pictured);
	char *figure = cut_out(text, "<figure id=\"to-scale\"", "</figure>");

	assert_has(figure, "<a href=\"#to-scale-1\">episode 1</a>");
	assert_has(figure, "<div id=\"to-scale-1\" class=\"choice\">");
	assert_has(figure, "The slowest message of episode 1: 1&#160;ms at ");
	assert_has(figure, "<a href=\"#unit-1\">");
	assert_has_not(figure, "to-scale-2");
	assert_int_equal(count_of(figure, "<div id=\"to-scale-"), 2);
}

static void make_hostile(char *name, size_t size)
{
	snprintf(name, size, "%s", HOSTILE_NAME);
}

static void make_all_hostile(struct pictured *pictured)
{
	struct summary *summary = pictured->summary;
	struct picture *picture = &pictured->picture;

	make_hostile(summary->info.command_line, sizeof(summary->info.command_line));
	make_hostile(summary->info.version, sizeof(summary->info.version));
	make_hostile(summary->info.host.kernel, sizeof(summary->info.host.kernel));
	make_hostile(summary->info.workload.load, sizeof(summary->info.workload.load));
	make_hostile(summary->info.workload.transport, sizeof(summary->info.workload.transport));
	make_hostile(picture->against_name, sizeof(picture->against_name));
	picture->info = pictured->explanation.info = summary->info;
	for (uint32_t i = 0; i < summary->client_cnt; i++)
		make_hostile(summary->client[i].comm, RECORD_COMM_LEN);
	for (uint32_t i = 0; i < summary->blame_cnt; i++)
		make_hostile(summary->blame[i].total.comm, RECORD_COMM_LEN);
	for (uint32_t i = 0; i < picture->culprit_cnt; i++)
		make_hostile(picture->culprit[i].by.comm, RECORD_COMM_LEN);
	for (uint32_t i = 0; i < pictured->explanation.episode_cnt; i++)
		make_hostile(pictured->explanation.episode[i].by.comm, RECORD_COMM_LEN);
	for (uint32_t i = 0; i < picture->slowest_cnt; i++) {
		struct unit *unit = &picture->slowest[i];

		make_hostile(unit->sender.comm, RECORD_COMM_LEN);
		make_hostile(unit->receiver.comm, RECORD_COMM_LEN);
		make_hostile(unit->sender_process, RECORD_COMM_LEN);
		make_hostile(unit->receiver_process, RECORD_COMM_LEN);
		for (uint32_t j = 0; j < unit->cause_cnt; j++)
			make_hostile(((struct cause *)&unit->cause[j])->by.comm, RECORD_COMM_LEN);
	}
}

TEST(hostile_names_are_inert)
{
	const struct pictured *runs[] = {pictured, pictured};
	char *text;

	make_all_hostile(pictured);
	for (size_t cnt = 1; cnt <= 2; cnt++) {
		text = page_of(runs, cnt, false);
		assert_well_formed(text);
		assert_has_not(text, "<b>\"");
		assert_has_not(text, "<b>&");
		assert_has_not(text, "\x1b");
		assert_has_not(text, "\xff");
		assert_has(text, "&lt;b&gt;&quot;&amp;&#39;");
	}
}

/* An attach has names of channels and of what it was attached to. */
TEST(names_of_an_attach_are_inert)
{
	struct summary *summary = sample_attach();
	char *text;

	pictured->illustration.summary = pictured->summary = summary;
	sample_names(summary);
	make_hostile(summary->info.target, sizeof(summary->info.target));
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		make_hostile(summary->channel[i].name, CHANNEL_NAME_LEN);
		make_hostile(summary->channel[i].sender.comm, RECORD_COMM_LEN);
		make_hostile(summary->channel[i].receiver.comm, RECORD_COMM_LEN);
	}
	for (uint32_t i = 0; i < summary->script_cnt; i++)
		make_hostile(summary->script[i].text, SCRIPT_LEN);
	pictured->picture.info = pictured->explanation.info = summary->info;
	text = page_of_one(pictured);
	assert_well_formed(text);
	assert_has(text, "<h1>&lt;b&gt;");
	assert_has_not(text, "<b>\"");
	assert_has_not(text, "\xff");
}

TEST(every_bar_leads_to_its_unit)
{
	char *text = page_of_one(pictured);
	char *unit = cut_out(text, "<section class=\"unit\" id=\"unit-1\"", "</section>");

	assert_int_equal(count_of(text, "<section class=\"unit\""), pictured->picture.slowest_cnt);
	assert_has(unit, "data-ns=\"1000000\"");
	assert_has(unit, "round 300, client 1");
	assert_has(unit, "the receiver was asleep on the channel");
	assert_has(unit, "hog");
	/* What the culprit waited for, below it. */
	assert_has(unit, "<b>5.000 µs</b>");
	assert_has(unit, "<a href=\"#unit-2\">");
	assert_has(unit, "<a href=\"#slowest\">");
}

/* As many units as a page shows, with as many causes as a unit can have. */
static void fill_slowest(struct picture *picture)
{
	for (; picture->slowest_cnt < PICTURE_SLOWEST_MAX; picture->slowest_cnt++) {
		struct unit *unit = &picture->slowest[picture->slowest_cnt];

		*unit = picture->slowest[0];
		unit->cause = NULL;
		unit->cause_cnt = 0;
		unit->to_ns = unit->from_ns;
		for (int i = 0; i < CAUSES_MAX; i++) {
			struct cause cause = {.cost = i % NR_COMPONENTS,
					      .role = CAUSE_RAN,
					      .from_ns = unit->to_ns,
					      .by = {.class = BLAME_TASK, .ns = 1000 + i}};

			snprintf(cause.by.comm, RECORD_COMM_LEN, "a thread %d", i);
			unit->to_ns += cause.by.ns;
			pictured_add_cause(unit, cause);
		}
	}
}

/* The whole page stays below 1 MB. */
TEST(the_slowest_take_bounded_room)
{
	char *text, *part;

	fill_slowest(&pictured->picture);
	text = page_of_one(pictured);
	assert_well_formed(text);
	part = cut_out(text, "<figure id=\"slowest\"", "</figure>");
	assert_in_range(strlen(part), 100000, 650000);
	assert_has(part, " more, together ");
}

TEST(a_cut_recording_says_so_at_the_top)
{
	const struct pictured *run = pictured;
	char *text = page_of(&run, 1, true);
	char *header = cut_out(text, "<header>", "</header>");

	assert_has(header, "The recording breaks off");
}

/* A page would look like a report, and replace an old one. */
TEST(without_a_run_there_is_no_page)
{
	assert_string_equal(page_of(NULL, 0, true), "");
}

TEST(several_runs_are_compared)
{
	struct pictured *run[3];
	char *text;

	for (uint32_t i = 0; i < 3; i++) {
		run[i] = pictured_new();
		run[i]->summary->info.workload.clients = i + 1;
	}
	text = page_of((const struct pictured *const *)run, 3, false);
	assert_well_formed(text);
	assert_ids(text);
	assert_int_equal(count_of(text, "<details class=\"run\""), 3);
	assert_has(text, "<summary>1 client over uds: last ");
	assert_has(text, "<figure id=\"run2-bands\"");
	assert_has(text, "href=\"#run3-unit-1\"");
	assert_int_equal(count_of(text, "<h1>"), 1);
	assert_has(text, "of all runs: ");
	assert_has(text, "<a href=\"#each-run\">");
}

/* What the first sentence speaks of can be seen at once, the others are folded. */
TEST(only_the_slowest_run_is_open)
{
	struct pictured *run[3];
	char *text;

	for (uint32_t i = 0; i < 3; i++)
		run[i] = pictured_new();
	stat_add(&run[1]->summary->rounds.last, 1000000000);
	text = page_of((const struct pictured *const *)run, 3, false);
	assert_well_formed(text);
	assert_int_equal(count_of(text, " open=\"\""), 1);
	assert_has(text, "<details class=\"run\" id=\"run2\" open=\"\">");
}

/* Less than 1 MB, however long it was, and whatever happened in it. */
TEST(each_run_takes_bounded_room)
{
	const struct pictured *run[2];
	struct pictured *one = pictured_new();
	char *text, *part;

	fill_slowest(&one->picture);
	pictured_fill(&one->picture);
	run[0] = run[1] = one;
	text = page_of(run, ARRAY_SIZE(run), false);
	part = cut_out(text, "<details class=\"run\" id=\"run1\"",
		       "<details class=\"run\" id=\"run2\"");
	assert_in_range(strlen(part), 300000, 1000000);
}

/* The page of a hundred runs can still be opened, and sent: the slowest runs have their figures. */
TEST(only_the_slowest_runs_have_figures)
{
	const struct pictured *run[30];
	struct pictured *one = pictured_new(), *slow = pictured_new();
	size_t cnt;
	char *text;

	stat_add(&slow->summary->rounds.last, 1000000000);
	for (size_t i = 0; i < ARRAY_SIZE(run); i++)
		run[i] = i == 20 ? slow : one;
	text = page_of(run, ARRAY_SIZE(run), false);
	assert_well_formed(text);
	assert_in_range(strlen(text), 500000, 1000000);
	assert_int_equal(count_of(text, "<details class=\"run\""), 30);
	cnt = count_of(text, "-bands\" class=\"figure\"");
	assert_in_range(cnt, 2, 23);
	assert_has(text, "<figure id=\"run1-bands\"");
	assert_has(text, "<figure id=\"run21-bands\"");
	assert_has_not(text, "<figure id=\"run22-bands\"");
	assert_int_equal(count_of(text, " shows those of this run."), 30 - cnt);
	assert_has(text, "ipctrace report FILE --run 22 -f html");
}

TEST(an_error_of_the_output_is_returned)
{
	struct report_style style = {.out = fopen("/dev/full", "w")};
	struct report *report = report_html.begin(&style);

	assert_int_equal(report_html.illustrate(report, &pictured->illustration), 0);
	assert_int_equal(report_html.end(report, false), -ENOSPC);
	fclose(style.out);
}

static char *file_of(const char *figure, const struct pictured *const *run, size_t cnt, int *err)
{
	return written(&report_svg, (struct report_style){.figure = figure}, run, cnt, false, err);
}

TEST(a_file_has_one_figure)
{
	const struct pictured *run = pictured;
	int err;
	char *text = file_of("percentiles", &run, 1, &err);

	assert_int_equal(err, 0);
	assert_well_formed(text);
	assert_ids(text);
	assert_int_equal(
		strncmp(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"percentiles\"", 56),
		0);
	text = file_of(NULL, &run, 1, &err);
	assert_int_equal(err, 0);
	assert_has(text, "data-figure=\"bands\"");
}

TEST(there_is_no_file_without_its_data)
{
	const struct pictured *runs[] = {pictured, pictured};
	int err;

	pictured->picture.curve.point_cnt = 0;
	file_of("percentiles", runs, 1, &err);
	assert_int_equal(err, -ENODATA);
	file_of("no such figure", runs, 1, &err);
	assert_int_equal(err, -ENODATA);
	file_of("bands", runs, 2, &err);
	assert_int_equal(err, -ENOTUNIQ);
	file_of("over-clients", runs, 1, &err);
	assert_int_equal(err, -ENODATA);
}

TEST(a_figure_of_several_runs_is_a_file_too)
{
	struct pictured *run[2] = {pictured_new(), pictured_new()};
	char *text;
	int err;

	run[0]->summary->info.workload.clients = 1;
	text = file_of("over-clients", (const struct pictured *const *)run, 2, &err);
	assert_int_equal(err, 0);
	assert_well_formed(text);
	assert_has(text, "data-figure=\"over-clients\"");
}
