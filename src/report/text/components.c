/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the components of the latency, and what ran on the CPU while receivers waited for the
 * CPU.
 */
#include "report/words/labels.h"
#include "insight/metrics.h"
#include "report/words/culprits.h"
#include "report/text/sections.h"
#include "report/words/summary_words.h"
#include "util/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 21
#define CELL_WIDTH  9
#define SHARE_WIDTH 9
#define BAR_COLUMN  (LABEL_WIDTH + 4 * CELL_WIDTH + SHARE_WIDTH)

/* The table of what ran instead, of 80 columns. */
#define CLASS_WIDTH       11
#define TITLE_WIDTH       24
#define TID_WIDTH         8
#define CPU_WIDTH         4
#define MESSAGES_WIDTH    9
#define TOTAL_WIDTH       8
#define BLAME_SHARE_WIDTH 8
#define WORST_WIDTH       8
#define BLAME_ROWS        8

#define USUAL_SCHEDULING  " (nice 0)"

static void share_and_bar(const struct text *text, const struct summary *summary, double mean_ns,
			  char ink)
{
	double share = share_of_latency(summary, mean_ns);

	text_share(text, SHARE_WIDTH, share);
	text_bar(text, BAR_COLUMN, share, ink);
	text_newline(text);
}

static void components_component_row(const struct text *text, const struct summary *summary,
				     enum component component, int indent, char ink)
{
	const char *missing = component_missing(&summary->info, component);
	const struct stat *stat = &summary->component[component];

	fprintf(text->out, "%*s", indent, "");
	text_label(text, INK_PLAIN, LABEL_WIDTH - indent, components[component].title);
	if (missing) {
		text_begin_tail(text);
		fprintf(text->out, "   %s\n", missing);
		return;
	}
	text_stats(text, CELL_WIDTH, stat, STATS(STAT_MEAN, 50, 99, STAT_MAX));
	share_and_bar(text, summary, stat_mean(stat), ink);
}

static void context_switch_row(const struct text *text, const struct summary *summary)
{
	double mean_ns = context_switch_ns(summary);

	text_label(text, INK_PLAIN, LABEL_WIDTH, "  context switch");
	text_us(text, CELL_WIDTH, mean_ns);
	for (int i = 0; i < 3; i++)
		text_cell(text, CELL_WIDTH, "");
	share_and_bar(text, summary, mean_ns, '#');
}

static bool has_row(const struct summary *summary, enum component component, bool is_stamped)
{
	const struct component_info *one = &components[component];

	if (one->needs & NEEDS_ROUND && !is_stamped)
		return false;
	return one->row == ROW_ALWAYS || summary->component[component].max ||
	       (one->row == ROW_IF_ANY && component_missing(&summary->info, component));
}

void text_components(const struct text *text, const struct summary *summary)
{
	static const struct column columns[] = {
		{CELL_WIDTH, "mean", NULL}, {CELL_WIDTH, "p50", NULL},    {CELL_WIDTH, "p99", NULL},
		{CELL_WIDTH, "max", NULL},  {SHARE_WIDTH, "share", NULL},
	};
	bool is_stamped = false;

	if (!summary->info.traced || !summary->latency.count)
		return;
	text_newline(text);
	text_heading(text, "where time went (us)", LABEL_WIDTH, columns, 5);
	for (int i = 0; i < NR_COMPONENTS; i++)
		is_stamped |= components[i].needs & NEEDS_ROUND && summary->component[i].max;
	for (int i = 0; i < NR_COMPONENTS; i++) {
		bool in_switch = components[i].in_switch;

		if (in_switch && !components[i - 1].in_switch)
			context_switch_row(text, summary);
		if (has_row(summary, i, is_stamped))
			components_component_row(text, summary, i, in_switch ? 4 : 2,
						 in_switch ? '-' : '#');
	}
	text_sentences(text, summary, component_sentences);
}

/*
 * "  client 2" for a client of the run, "  peer" for a thread of an attach, or else the class:
 * "  kthread".
 */
static void class_title(const struct summary *summary, const struct culprit *culprit,
			char text[NAME_LEN])
{
	if (culprit->client)
		snprintf(text, NAME_LEN, "  client %u", culprit->client);
	else
		snprintf(text, NAME_LEN, "  %s",
			 blame_relations[culprit->relation].name
				 ?: blame_class_title(culprit->class, summary->info.mode));
}

/* The name and what is unusual of its scheduling, from column `from` on. */
static void title_cell(const struct text *text, const char *title, int from, int width,
		       enum ink ink)
{
	size_t length = strlen(title), usual = strlen(USUAL_SCHEDULING);
	char shown[2 * NAME_LEN];

	if (length > usual && !strcmp(title + length - usual, USUAL_SCHEDULING))
		length -= usual;
	snprintf(shown, sizeof(shown), "%.*s", (int)length, title);
	text_row_label(text, ink, from, width, shown);
}

/* The number of a thread, or how many there are: "x 12". An interrupt has its own in the title. */
static void tid_cell(const struct text *text, const struct culprit *culprit)
{
	char number[NAME_LEN];

	if (culprit->threads > 1)
		snprintf(number, NAME_LEN, "x %u", culprit->threads);
	else if (culprit_is_thread(culprit) && culprit->threads)
		number_title("", culprit->tid, number);
	else
		snprintf(number, NAME_LEN, "-");
	text_cell(text, TID_WIDTH, number);
}

/* Of the longest wait. */
static void cpu_cell(const struct text *text, const struct blame_waits *waits)
{
	char number[NAME_LEN] = "-";

	if (waits->worst_ns && waits->worst_cpu < BLAME_CPU_SEVERAL)
		snprintf(number, NAME_LEN, "%u", waits->worst_cpu);
	else if (waits->worst_ns && waits->worst_cpu == BLAME_CPU_SEVERAL)
		snprintf(number, NAME_LEN, "+");
	text_cell(text, CPU_WIDTH, number);
}

static void blame_cells(const struct text *text, const struct summary *summary,
			const struct blame_waits *waits, double ns)
{
	double sum_ns = (double)summary->component[COMPONENT_RUNQUEUE].sum;

	text_number(text, MESSAGES_WIDTH, waits->messages ? (double)waits->messages : NAN, 0);
	text_number(text, TOTAL_WIDTH, ns / 1e6, 2);
	text_share(text, BLAME_SHARE_WIDTH, sum_ns > 0 ? ns / sum_ns : 0);
	text_us(text, WORST_WIDTH, waits->worst_ns ? (double)waits->worst_ns : NAN);
	text_newline(text);
}

static void blame_row(const struct text *text, const struct summary *summary,
		      const struct culprit *culprit, enum ink ink)
{
	const struct blame_waits waits = culprit_waits(culprit);
	char class[NAME_LEN];
	int class_width;

	class_title(summary, culprit, class);
	class_width = (int)strlen(class) < CLASS_WIDTH ? CLASS_WIDTH : (int)strlen(class) + 1;
	text_label(text, INK_PLAIN, class_width, class);
	title_cell(text, culprit->title, class_width, CLASS_WIDTH + TITLE_WIDTH - class_width, ink);
	tid_cell(text, culprit);
	cpu_cell(text, &waits);
	blame_cells(text, summary, &waits, culprit->ns);
}

/* A message may have waited for several of them. */
static void blame_rest(const struct text *text, const struct summary *summary,
		       const struct culprit *culprit, uint32_t cnt)
{
	struct blame_waits waits = {0};
	char title[NAME_LEN];
	double ns = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		const struct blame_waits more = culprit_waits(&culprit[i]);

		ns += culprit[i].ns;
		if (more.worst_ns > waits.worst_ns)
			waits.worst_ns = more.worst_ns;
	}
	snprintf(title, sizeof(title), "  +%u more", cnt);
	text_label(text, INK_PLAIN, CLASS_WIDTH + TITLE_WIDTH, title);
	text_cell(text, TID_WIDTH, "");
	text_cell(text, CPU_WIDTH, "");
	blame_cells(text, summary, &waits, ns);
}

void text_blame(const struct text *text, const struct summary *summary)
{
	static const struct column columns[] = {
		{TID_WIDTH, "tid", NULL},           {CPU_WIDTH, "CPU", NULL},
		{MESSAGES_WIDTH, "messages", NULL}, {TOTAL_WIDTH, "ms", "total:"},
		{BLAME_SHARE_WIDTH, "share", NULL}, {WORST_WIDTH, "us", "worst:"}};
	struct culprit *culprit;
	uint32_t cnt;

	if (!summary->info.traced || !summary->blame_cnt)
		return;
	culprit = culprits_of(summary, blame_of_messages(summary), &cnt);
	text_newline(text);
	text_heading(text, "run queue: what ran instead", CLASS_WIDTH + TITLE_WIDTH, columns,
		     sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < cnt && i < BLAME_ROWS; i++)
		blame_row(text, summary, &culprit[i], i ? INK_PLAIN : INK_BOLD);
	if (cnt > BLAME_ROWS)
		blame_rest(text, summary, culprit + BLAME_ROWS, cnt - BLAME_ROWS);
	free(culprit);
}
