/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names the receivers that messages waited for to make room, and says what these receivers did
 * meanwhile.
 */
#include "report/words/labels.h"
#include "insight/metrics.h"
#include "report/text/sections.h"

#define READERS_NAMED 3
#define IS_NAMED      0.01 /* share of the waits */

static void reader_name(const struct summary *summary, const struct room_summary *room,
			struct paragraph *words)
{
	char title[END_TITLE_LEN] = "other receivers";

	if (room->reader.tid)
		end_title(summary, &room->reader, title);
	paragraph_add(words, "%s", title);
}

/* "ran 97 %, waited for a CPU 2.0 %, slept 1.0 %, in nanosleep 100 %" */
static void add_states(const struct room_summary *room, const struct run_info *info,
		       struct paragraph *words)
{
	static const char *const names[NR_SERVICE_STATES] = {
		[SERVICE_ON_CPU] = "ran",
		[SERVICE_RUNQUEUE] = "waited for a CPU",
		[SERVICE_BLOCKED] = "slept",
		[SERVICE_WAKEUP] = "was being woken",
	};
	double all_ns = (double)room->ns;
	const char *separator = " ";

	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		double share = (double)room->state_ns[i] / all_ns;

		if (share < IS_NAMED)
			continue;
		paragraph_add(words, "%s%s %s", separator, names[i], PERCENT(share));
		if (i == SERVICE_BLOCKED)
			blocked_calls_words(words, ", in ", &room->blocked, info);
		separator = ", ";
	}
	if ((double)room->unknown_ns >= IS_NAMED * all_ns)
		paragraph_add(words, "%s%s not known", separator,
			      PERCENT((double)room->unknown_ns / all_ns));
}

void room_words(struct paragraph *words, const struct summary *summary)
{
	if (!summary->room_cnt)
		return;
	paragraph_add(words, "; meanwhile ");
	reader_name(summary, &summary->room[0], words);
	add_states(&summary->room[0], &summary->info, words);
}

void text_room(const struct text *text, const struct summary *summary)
{
	double all_ns = (double)summary->component[COMPONENT_ROOM].sum;
	struct paragraph line = {0};

	for (uint32_t i = 0; i < summary->room_cnt && i < READERS_NAMED; i++) {
		const struct room_summary *room = &summary->room[i];

		paragraph_add(&line, "%s%llu message%s waited for room at ", i ? "; " : "",
			      (unsigned long long)room->messages, plural(room->messages));
		reader_name(summary, room, &line);
		paragraph_add(&line, " (%s of the time), which",
			      PERCENT((double)room->ns / all_ns));
		add_states(room, &summary->info, &line);
		paragraph_add(&line, " meanwhile");
	}
	if (summary->room_cnt > READERS_NAMED)
		paragraph_add(&line, "; %u more", summary->room_cnt - READERS_NAMED);
	paragraph_print(text, INK_BOLD, "room", &line);
}
