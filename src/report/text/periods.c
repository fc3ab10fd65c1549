/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the period of the rounds of an attach, and the rounds that missed it: an audio engineer
 * calls these xruns.
 */
#include "report/words/labels.h"
#include "report/text/sections.h"

#define CAUSES_SHOWN 4

/* What the sender of a late round did when the round was due. */
static const char *late_words(const struct missed_cause *cause)
{
	if (!cause->is_known)
		return "for a reason that is not known";
	switch (cause->component) {
	case COMPONENT_RUNQUEUE:
		return "while the sender waited for a CPU";
	case COMPONENT_BLOCKED:
		return "while the sender slept";
	default:
		return "while the sender ran other code";
	}
}

static void add_cause(struct paragraph *line, const struct missed_cause *cause)
{
	char title[NAME_LEN];

	paragraph_add(line, "%llu ", (unsigned long long)cause->count);
	if (cause->is_late)
		paragraph_add(line, "%s", late_words(cause));
	else
		paragraph_add(line, "%s", components[cause->component].title);
	if (!cause->has_blame)
		return;
	if (cause->blame.class == BLAME_IDLE) {
		paragraph_add(line, " while the CPU was leaving idle");
		return;
	}
	blame_title(&cause->blame, title);
	paragraph_add(line, " behind %s", title);
}

/* The causes of late rounds, or of others. */
static void add_causes(struct paragraph *line, const struct missed_summary *missed, bool is_late)
{
	uint64_t others = 0;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < missed->cause_cnt; i++) {
		const struct missed_cause *cause = &missed->cause[i];

		if (cause->is_late != is_late)
			continue;
		if (shown == CAUSES_SHOWN) {
			others += cause->count;
			continue;
		}
		paragraph_add(line, "%s", shown++ ? ", " : is_late ? ": " : "; longest part: ");
		add_cause(line, cause);
	}
	if (others)
		paragraph_add(line, ", %llu for other reasons", (unsigned long long)others);
}

static void late_line(const struct text *text, const struct rounds_summary *rounds)
{
	const struct missed_summary *missed = &rounds->missed;
	struct paragraph line = {0};

	if (missed->late) {
		paragraph_add(&line,
			      "%llu of %llu rounds began more than 1.5 periods after the one "
			      "before, and %llu period%s had no round",
			      (unsigned long long)missed->late,
			      (unsigned long long)rounds->distance.count,
			      (unsigned long long)missed->skipped, plural(missed->skipped));
		add_causes(&line, missed, true);
	}
	paragraph_print(text, INK_WARNING, "late", &line);
}

static void unfinished_line(const struct text *text, const struct rounds_summary *rounds)
{
	const struct missed_summary *missed = &rounds->missed;
	struct paragraph line = {0};

	if (missed->unfinished) {
		paragraph_add(&line, "%llu of %llu rounds took longer than the period",
			      (unsigned long long)missed->unfinished,
			      (unsigned long long)rounds->complete);
		add_causes(&line, missed, false);
	}
	paragraph_print(text, INK_WARNING, "too long", &line);
}

void text_periods(const struct text *text, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	struct paragraph line = {0};

	if (!rounds->distance.count)
		return;
	if (rounds->distance.count < PERIOD_DISTANCES_LEAST)
		paragraph_add(&line, "not known: there were too few rounds");
	else if (!rounds->period_ns)
		paragraph_add(&line, "the rounds have no regular period of their own");
	else
		paragraph_add(&line, "%.3f ms (median from one start to the next)%s",
			      (double)rounds->period_ns / 1e6,
			      rounds->missed.late || rounds->missed.unfinished
				      ? ""
				      : "; no round began late or took longer");
	paragraph_print(text, INK_BOLD, "period", &line);
	late_line(text, rounds);
	unfinished_line(text, rounds);
}
