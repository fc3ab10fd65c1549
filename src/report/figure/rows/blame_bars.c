/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws what ran instead of receivers that waited for a CPU, and instead of services, if these
 * explain the latency. Threads of one name are one bar, as in the text report.
 */
#include "model/picture.h"
#include "report/figure/culprit.h"
#include "report/figure/rows/frame.h"
#include "insight/metrics.h"
#include "report/words/culprits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX    12
#define BAR_HEIGHT  14
#define STEP_WIDE   22
#define GAP_NARROW  9
#define HEAD_HEIGHT 24
#define NOTE_WIDE   270
#define NOTE_NARROW 110

/* The right edges of the columns of a wide figure, from its right edge. */
#define TIME_X     208
#define SHARE_X    152
#define MESSAGES_X 76

/* A list of culprits with its heading. */
struct section {
	const char *title;
	const char *unit; /* what waited: "messages" */
	double all_ns;    /* all waiting */
	struct culprit *culprit;
	uint32_t cnt;
};

#define CULPRIT_NAME_LEN (2 * NAME_LEN)

#define SECTIONS_MAX     2

struct sections {
	struct section section[SECTIONS_MAX];
	uint32_t cnt;
};

static void sections_add(struct sections *sections, const struct summary *summary,
			 struct blame_list list, struct section section)
{
	section.culprit = culprits_of(summary, list, &section.cnt);
	if (section.cnt)
		sections->section[sections->cnt++] = section;
	else
		free(section.culprit);
}

/* What explains the latency comes first. */
static struct sections sections_of(const struct summary *summary)
{
	struct sections sections = {0};

	if (explains_service(summary))
		sections_add(&sections, summary, blame_of_services(summary),
			     (struct section){
				     .title = "while it served calls, the server waited for",
				     .unit = "call",
				     .all_ns = (double)summary->calls.state_ns[SERVICE_RUNQUEUE],
			     });
	sections_add(&sections, summary, blame_of_messages(summary),
		     (struct section){
			     .title = "receivers of messages waited for",
			     .unit = "message",
			     .all_ns = (double)summary->component[COMPONENT_RUNQUEUE].sum,
		     });
	return sections;
}

static void sections_free(struct sections *sections)
{
	for (uint32_t i = 0; i < sections->cnt; i++)
		free(sections->section[i].culprit);
}

static bool blame_bars_applies(const struct illustration *illustration)
{
	const struct summary *summary = illustration->summary;

	return summary->blame_cnt || (explains_service(summary) && summary->calls.blame_cnt);
}

static double blame_bars_share_of(const struct section *section, double ns)
{
	return section->all_ns > 0 ? ns / section->all_ns : 0;
}

static void blame_bars_describe(const struct illustration *illustration, struct paragraph *words)
{
	struct sections sections = sections_of(illustration->summary);
	const struct section *first = sections.section;
	char name[CULPRIT_NAME_LEN];

	if (sections.cnt)
		paragraph_add(words,
			      "All %ss together waited %s for a CPU, %s of this behind %s%s.",
			      first->unit, NS_TEXT(first->all_ns),
			      PERCENT(blame_bars_share_of(first, first->culprit[0].ns)),
			      culprit_name(&first->culprit[0], name),
			      first->cnt > 1 ? ", the largest culprit" : "");
	else
		paragraph_add(words, "Nothing waited for a CPU.");
	sections_free(&sections);
}

static double blame_bars_step(const struct canvas *canvas)
{
	return canvas->is_narrow ? row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW).name_height +
					   BAR_HEIGHT + GAP_NARROW
				 : STEP_WIDE;
}

static uint32_t bars_of(const struct section *section)
{
	return section->cnt <= ROWS_MAX ? section->cnt : ROWS_MAX;
}

/* "ipctrace itself" is several threads, with several priorities. */
static const char *blame_bars_name_of(const struct culprit *culprit,
				      char name[2 * CULPRIT_NAME_LEN])
{
	char words[CULPRIT_NAME_LEN];
	const char *itself = culprit_name(culprit, words);
	bool has_title = culprit->class == BLAME_IPCTRACE && strcmp(itself, culprit->title);

	snprintf(name, 2 * CULPRIT_NAME_LEN, "%s%s%s", itself, has_title ? ": " : "",
		 has_title ? culprit->title : "");
	return name;
}

static void cell_draw(const struct canvas *canvas, const char *class, double from_right, double y,
		      const char *text)
{
	label_draw(canvas, class, canvas->width - from_right, y, ANCHOR_END, text);
}

static void blame_bars_note_draw(const struct canvas *canvas, const struct section *section,
				 double ns, struct blame_waits waits, double y)
{
	if (canvas->is_narrow) {
		row_note_draw(
			canvas, "small", y,
			TEXT("%s, %s", NS_TEXT(ns), PERCENT(blame_bars_share_of(section, ns))));
		return;
	}
	cell_draw(canvas, NULL, TIME_X, y, NS_TEXT(ns));
	cell_draw(canvas, "strong", SHARE_X, y, PERCENT(blame_bars_share_of(section, ns)));
	if (waits.messages)
		cell_draw(canvas, NULL, MESSAGES_X, y, COUNT_TEXT((double)waits.messages));
	if (waits.worst_ns)
		cell_draw(canvas, NULL, 0, y, NS_TEXT((double)waits.worst_ns));
}

static void blame_bars_head_draw(const struct canvas *canvas, const struct section *section,
				 double y)
{
	label_draw(canvas, "strong", 0, y, ANCHOR_START, section->title);
	if (canvas->is_narrow)
		return;
	cell_draw(canvas, "soft", TIME_X, y, "in all");
	cell_draw(canvas, "soft", SHARE_X, y, "share");
	cell_draw(canvas, "soft", MESSAGES_X, y, TEXT("%ss", section->unit));
	cell_draw(canvas, "soft", 0, y, "at worst");
}

static void blame_bars_tooltip_of(const struct canvas *canvas, const struct section *section,
				  const struct culprit *culprit, const char *name, enum mode mode)
{
	struct blame_waits waits = culprit_waits(culprit);
	const char *relation = culprit->relation ? blame_relations[culprit->relation].name
						 : blame_class_title(culprit->class, mode);
	char more[LABEL_LEN] = "";
	int length = 0;

	if (waits.messages)
		length = snprintf(more, sizeof(more), "; %llu %s%s waited for it",
				  (unsigned long long)waits.messages, section->unit,
				  plural(waits.messages));
	if (waits.worst_ns)
		length += snprintf(more + length, sizeof(more) - length, "; at worst %s",
				   NS_TEXT((double)waits.worst_ns));
	if (waits.worst_ns && waits.worst_cpu < BLAME_CPU_SEVERAL)
		snprintf(more + length, sizeof(more) - length, " on CPU %u", waits.worst_cpu);
	tooltip_draw(canvas, "%s (%s): %s, %s of the waiting%s", name, relation,
		     NS_TEXT(culprit->ns), PERCENT(blame_bars_share_of(section, culprit->ns)),
		     more);
}

static void blame_bars_data_draw(const struct canvas *canvas, const struct section *section,
				 const struct culprit *culprit)
{
	struct blame_waits waits = culprit_waits(culprit);

	data_text(canvas, "unit", section->unit);
	data_text(canvas, "class", blame_classes[culprit->class].name);
	data_count(canvas, "ns", (unsigned long long)culprit->ns);
	data_share(canvas, "share", blame_bars_share_of(section, culprit->ns));
	if (waits.messages)
		data_count(canvas, "messages", waits.messages);
	if (waits.worst_ns)
		data_count(canvas, "worst-ns", waits.worst_ns);
}

static void blame_bars_bar_draw(const struct canvas *canvas, const char *class, double share,
				double y)
{
	struct row_frame frame = row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW);

	y += frame.name_height;
	rect_draw(canvas, "track", frame.bar_x, y, frame.bar_width, BAR_HEIGHT);
	rect_draw(canvas, class, frame.bar_x, y, fmax(1, fmin(1, share) * frame.bar_width),
		  BAR_HEIGHT);
}

static void culprit_draw(const struct canvas *canvas, const struct illustration *illustration,
			 const struct section *section, const struct culprit *culprit, double y)
{
	char words[2 * CULPRIT_NAME_LEN];
	const char *name = blame_bars_name_of(culprit, words);
	/* A culprit of the slow units has one colour in all figures. */
	uint32_t place =
		illustration->picture ? culprit_place(illustration->picture, culprit->by) : 0;

	group_open(canvas, "blame-row");
	blame_bars_data_draw(canvas, section, culprit);
	data_text(canvas, "name", name);
	blame_bars_tooltip_of(canvas, section, culprit, name, illustration->summary->info.mode);
	row_name_draw(canvas, NULL, 0, y + 11,
		      row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW).name_width, name);
	blame_bars_note_draw(canvas, section, culprit->ns, culprit_waits(culprit), y + 11);
	blame_bars_bar_draw(canvas, TEXT("fill %s", culprit_class(place)),
			    blame_bars_share_of(section, culprit->ns), y);
	markup_close(canvas->markup);
}

static void rest_draw(const struct canvas *canvas, const struct section *section, double y)
{
	uint32_t shown = bars_of(section);
	double ns = 0;

	for (uint32_t i = shown; i < section->cnt; i++)
		ns += section->culprit[i].ns;
	group_open(canvas, "blame-row");
	data_text(canvas, "unit", section->unit);
	data_count(canvas, "ns", (unsigned long long)ns);
	data_count(canvas, "folded", section->cnt - shown);
	row_name_draw(canvas, "soft", 0, y + 11,
		      row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW).name_width,
		      TEXT("%u others", section->cnt - shown));
	blame_bars_note_draw(canvas, section, ns, (struct blame_waits){0}, y + 11);
	blame_bars_bar_draw(canvas, "fill k0", blame_bars_share_of(section, ns), y);
	markup_close(canvas->markup);
}

static double section_draw(const struct canvas *canvas, const struct illustration *illustration,
			   const struct section *section, double y)
{
	uint32_t shown = bars_of(section);

	blame_bars_head_draw(canvas, section, y + 12);
	y += HEAD_HEIGHT;
	for (uint32_t i = 0; i < shown; i++) {
		culprit_draw(canvas, illustration, section, &section->culprit[i], y);
		y += blame_bars_step(canvas);
	}
	if (section->cnt > shown) {
		rest_draw(canvas, section, y);
		y += blame_bars_step(canvas);
	}
	return y;
}

static double blame_bars_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct sections sections = sections_of(illustration->summary);
	double y = 0;

	for (uint32_t i = 0; i < sections.cnt; i++)
		y = section_draw(canvas, illustration, &sections.section[i], y);
	sections_free(&sections);
	return y;
}

const struct figure figure_blame = {
	.name = "blame",
	.title = "What had the CPU meanwhile",
	.applies = blame_bars_applies,
	.describe = blame_bars_describe,
	.draw = blame_bars_draw,
};
