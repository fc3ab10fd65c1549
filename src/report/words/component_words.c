/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains components of messages, with the processes and the culprits that cause them. */
#include "insight/metrics.h"
#include "report/words/ends.h"
#include "report/words/summary_words.h"
#include "report/words/verdict_parts.h"

#include <stdlib.h>

#define READERS_NAMED  3
#define SYSCALLS_NAMED 4
#define IS_NAMED       0.01 /* of it, or of the waits or sleeps; but the first call always */

/* What the thread slept in. */
static void sleep_words(uint16_t call, const struct run_info *info, char words[NAME_LEN])
{
	if (call == CALL_UNKNOWN)
		snprintf(words, NAME_LEN, "a sleep that was being ended");
	else if (call == CALL_OUTSIDE)
		snprintf(words, NAME_LEN, "no call (a page fault, say)");
	else if (call == CALL_STOPPED)
		snprintf(words, NAME_LEN, "no call (stopped by a signal, say)");
	else
		syscall_name(info->host.arch, call, words);
}

void blocked_calls_words(struct paragraph *paragraph, const char *before,
			 const struct blocked_calls *blocked, const struct run_info *info)
{
	double all_ns = (double)blocked_calls_ns(blocked);
	uint32_t named = 0;
	char name[NAME_LEN];

	if (info->mode != MODE_ATTACH)
		return;
	for (; named < blocked->cnt && named < SYSCALLS_NAMED; named++) {
		double share = (double)blocked->entry[named].ns / all_ns;

		if (named && share < IS_NAMED)
			break;
		sleep_words(blocked->entry[named].call, info, name);
		paragraph_add(paragraph, "%s%s", named ? ", " : before, name);
		if (blocked->cnt > 1)
			paragraph_add(paragraph, " %s", PERCENT(share));
	}
	if (blocked->cnt > named)
		paragraph_add(paragraph, ", %u more", blocked->cnt - named);
}

void main_blocked_call_words(struct paragraph *line, const char *before,
			     const struct blocked_calls *blocked, const struct run_info *info)
{
	char name[NAME_LEN];

	if (info->mode != MODE_ATTACH || !blocked->cnt ||
	    (double)blocked->entry[0].ns < NEARLY_ALL * (double)blocked_calls_ns(blocked)) {
		blocked_calls_words(line, before, blocked, info);
		return;
	}
	sleep_words(blocked->entry[0].call, info, name);
	paragraph_add(line, "%s%s", before, name);
}

static void sleeps_words(struct paragraph *line, const struct summary *summary)
{
	blocked_calls_words(line, "the receiver slept in ", &summary->blocked, &summary->info);
}

static void reader_name(const struct summary *summary, const struct room_summary *room,
			struct paragraph *words)
{
	char title[END_TITLE_LEN];

	paragraph_add(words, "%s",
		      room->reader.tid ? end_title(summary, &room->reader, title)
				       : "other receivers");
}

/* "ran 97 %, waited for a CPU 2.0 %, slept 1.0 %, in nanosleep 100 %" */
static void component_words_add_states(const struct room_summary *room, const struct run_info *info,
				       struct paragraph *words)
{
	double all_ns = (double)room->ns;
	const char *separator = " ";

	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		double share = (double)room->state_ns[i] / all_ns;

		if (share < IS_NAMED)
			continue;
		paragraph_add(words, "%s%s %s", separator, service_states[i].did, PERCENT(share));
		if (i == SERVICE_BLOCKED)
			blocked_calls_words(words, ", in ", &room->blocked, info);
		separator = ", ";
	}
	if ((double)room->unknown_ns >= IS_NAMED * all_ns)
		paragraph_add(words, "%s%s not known", separator,
			      PERCENT((double)room->unknown_ns / all_ns));
}

static void readers_words(struct paragraph *line, const struct summary *summary)
{
	double all_ns = (double)summary->component[COMPONENT_ROOM].sum;

	for (uint32_t i = 0; i < summary->room_cnt && i < READERS_NAMED; i++) {
		const struct room_summary *room = &summary->room[i];

		paragraph_add(line, "%s%llu message%s waited for room at ", i ? "; " : "",
			      (unsigned long long)room->messages, plural(room->messages));
		reader_name(summary, room, line);
		paragraph_add(line, " (%s of the time), which", PERCENT((double)room->ns / all_ns));
		component_words_add_states(room, &summary->info, line);
		paragraph_add(line, " meanwhile");
	}
	if (summary->room_cnt > READERS_NAMED)
		paragraph_add(line, "; %u more", summary->room_cnt - READERS_NAMED);
}

static void paths_words(struct paragraph *line, const struct summary *summary)
{
	const char *separator = "when the data came, the receiver ";
	uint64_t all = 0;

	for (int i = 0; i < NR_PATHS; i++)
		all += summary->path[i];
	if (summary->path[PATH_SLEPT] == all)
		return;
	for (int i = 0; i < NR_PATHS; i++) {
		if (!summary->path[i])
			continue;
		paragraph_add(line, "%s%s %llu time%s (%s)", separator, paths[i].was,
			      (unsigned long long)summary->path[i], plural(summary->path[i]),
			      PERCENT((double)summary->path[i] / (double)all));
		separator = ", ";
	}
}

const struct sentence component_sentences[] = {
	{"room", readers_words, false, NULL},
	{"blocked", sleeps_words, false, NULL},
	{"paths", paths_words, false, NULL},
	{NULL, NULL, false, NULL},
};

void blamed_words(struct paragraph *line, const struct culprit *culprit)
{
	char name[2 * NAME_LEN];

	if (culprit->class == BLAME_IDLE)
		paragraph_add(line, "for a CPU that wakes from idle");
	else if (culprit->class == BLAME_THROTTLED)
		paragraph_add(line, "for the CPU quota of its control group");
	else
		paragraph_add(line, "behind %s%s", culprit_name(culprit, name),
			      culprit->class == BLAME_SERVER
				      ? ", the sender"
				      : blame_relations[culprit->relation].remark);
}

void blame_words(struct paragraph *verdict, const struct summary *summary, struct blame_list list,
		 double runqueue_ns)
{
	struct culprit *culprit;
	uint32_t cnt;

	culprit = culprits_of(summary, list, &cnt);
	if (cnt && culprit_has_name(culprit) && runqueue_ns > 0) {
		paragraph_add(verdict, ", %s ",
			      culprit->ns >= runqueue_ns / 2 ? "mostly" : "most of all");
		blamed_words(verdict, culprit);
	}
	free(culprit);
}

/* What stands around the process in the sentence. */
static struct around component_words_around_of(const struct summary *summary, enum component part)
{
	const struct component_info *one = &components[part];

	if (part == COMPONENT_DISPATCH && summary->client_cnt > 1)
		return (struct around){"the loop of ", ", which sends to one client after another"};
	if (part == COMPONENT_BLOCKED && blocked_calls_is_stopped(&summary->blocked))
		return (struct around){"", " is stopped"};
	return summary->info.level == LEVEL_LIGHT && one->verdict_light.before ? one->verdict_light
									       : one->verdict;
}

void component_words(struct paragraph *verdict, const struct summary *summary, enum component part)
{
	struct around around = component_words_around_of(summary, part);
	char end[END_WORDS_LEN];

	message_end_words(summary, part, component_end(part), end);
	paragraph_add(verdict, "%s%s%s", around.before, end, around.after);
	switch (part) {
	case COMPONENT_ROOM:
		if (!summary->room_cnt)
			break;
		paragraph_add(verdict, "; meanwhile ");
		reader_name(summary, &summary->room[0], verdict);
		component_words_add_states(&summary->room[0], &summary->info, verdict);
		break;
	case COMPONENT_BLOCKED:
		main_blocked_call_words(
			verdict, blocked_calls_is_stopped(&summary->blocked) ? ", in " : " in ",
			&summary->blocked, &summary->info);
		break;
	case COMPONENT_RECEIVE:
		if (!summary->info.shows_switch)
			paragraph_add(verdict, ", the switch to it included");
		break;
	default:
		break;
	}
}
