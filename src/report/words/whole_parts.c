/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the parts of the time of a mean unit, and in few columns what causes each. */
#include "report/words/whole_words.h"

#include "insight/metrics.h"
#include "report/words/culprits.h"
#include "report/words/ends.h"
#include "util/plain.h"

#include <stdlib.h>
#include <string.h>

#define IS_NAMED     0.005 /* share of the whole: smaller culprits are added up */
#define REST_COLUMNS 14    /* ", 12 more 51 %" */
#define NAME_COLUMNS 14    /* longer names are cut, so that the rest has room, too */
#define NAME_LEAST   6     /* shorter ones say nothing */
#define FIRST_LEAST  12    /* with its share */

const char *whole_part_title(const struct whole_part *part)
{
	switch (part->kind) {
	case WHOLE_COMPONENT:
		return components[part->which].part;
	case WHOLE_STATE:
		return service_states[part->which].part;
	case WHOLE_STEP:
		return exchange_parts[part->which].title;
	case WHOLE_UNKNOWN:
		break;
	}
	return "not known";
}

const struct bar_mark *whole_part_mark(const struct whole_part *part)
{
	static const struct bar_mark unknown = {"?", HUE_MAGENTA};

	switch (part->kind) {
	case WHOLE_COMPONENT:
		return &components[part->which].mark;
	case WHOLE_STATE:
		return &service_states[part->which].mark;
	case WHOLE_STEP:
		return &exchange_parts[part->which].mark;
	case WHOLE_UNKNOWN:
		break;
	}
	return &unknown;
}

/* "hog", without its number and priority: the sentence above has these. A longer one is cut. */
static void short_name(const struct culprit *culprit, int columns, char name[NAME_LEN])
{
	char *remarks;
	size_t length;

	snprintf(name, NAME_LEN, "%s", blame_classes[culprit->class].brief ?: culprit->title);
	remarks = strstr(name, " (");
	if (remarks && remarks != name)
		*remarks = '\0';
	if (culprit->class != BLAME_IPCTRACE && !strcmp(name, "ipctrace"))
		snprintf(name, NAME_LEN, "2nd ipctrace");
	length = plain_fit(name, columns);
	if (name[length])
		snprintf(name + plain_fit(name, columns - 2), sizeof(".."), "..");
}

/* Adds an item if it has room, with what would follow it. */
static bool add_item(char words[ROW_WORDS_LEN], const char *item, int columns)
{
	size_t length = strlen(words);
	const char *separator = length ? ", " : "";

	if (plain_columns(words) + plain_columns(item) + (int)strlen(separator) > columns ||
	    length + strlen(item) + strlen(separator) >= ROW_WORDS_LEN)
		return false;
	snprintf(words + length, ROW_WORDS_LEN - length, "%s%s", separator, item);
	return true;
}

static void waits_words(const struct whole *whole, const struct whole_part *part, int columns,
			char words[ROW_WORDS_LEN])
{
	const struct blame_list list = {whole->blame, whole->blame_cnt};
	char item[NAME_LEN + PERCENT_LEN + sizeof("4294967295 programs ")], name[NAME_LEN];
	double rest = part->ns / whole->all_ns, others = 0;
	struct culprit *culprit;
	uint32_t cnt, named;

	culprit = culprits_of(whole->summary, list, &cnt);
	for (named = 0; named < cnt; named++) {
		double share = whole_share(whole, culprit[named].ns);
		int room = columns - (rest - share < IS_NAMED ? 0 : REST_COLUMNS);
		int left;

		if (!named && room < FIRST_LEAST)
			room = columns; /* the first one says more than how many others there are */
		left = room - (int)sizeof(" 100 %") + 1;
		if (share < IS_NAMED || left < NAME_LEAST)
			break;
		short_name(&culprit[named], left < NAME_COLUMNS ? left : NAME_COLUMNS, name);
		snprintf(item, sizeof(item), "%s %s", name, PERCENT(share));
		if (!add_item(words, item, room))
			break;
		rest -= share;
	}
	for (uint32_t i = named; i < cnt; i++)
		others += whole_share(whole, culprit[i].ns);
	snprintf(item, sizeof(item), "%u %s%s %s", cnt - named, named ? "more" : "program",
		 named ? "" : plural(cnt - named), PERCENT(others));
	if (others >= IS_NAMED)
		add_item(words, item, columns);
	snprintf(item, sizeof(item), "not known %s", PERCENT(rest - others));
	if (rest - others >= IS_NAMED)
		add_item(words, item, columns);
	free(culprit);
}

/* "in futex 88 %" */
static void part_sleeps_words(const struct whole *whole, const struct whole_part *part,
			      const struct blocked_calls *blocked, int columns,
			      char words[ROW_WORDS_LEN])
{
	const struct run_info *info = &whole->summary->info;
	double all_ns = (double)blocked_calls_ns(blocked);
	char item[NAME_LEN + PERCENT_LEN + sizeof("in ")];

	for (uint32_t i = 0; info->mode == MODE_ATTACH && i < blocked->cnt && all_ns > 0; i++) {
		const struct blocked_call *one = &blocked->entry[i];
		double share = (double)one->ns / all_ns * part->ns / whole->all_ns;

		if (i && share < IS_NAMED)
			break;
		snprintf(item, sizeof(item), "%s%s %s", i ? "" : "in ",
			 SYSCALL(info->host.arch, one->call), PERCENT(share));
		if (!add_item(words, item, columns))
			break;
	}
}

/* The process that takes the time. */
static void end_row_words(const struct whole *whole, enum component component, int columns,
			  char words[ROW_WORDS_LEN])
{
	char name[END_WORDS_LEN];
	char *number;

	if (whole->unit == WHOLE_CALL && whole->summary->info.mode == MODE_RUN)
		return;
	message_end_name(whole->summary, component, component_end(component), name);
	number = strstr(name, " (");
	if (number && number != name)
		*number = '\0';
	add_item(words, name, columns);
}

void whole_part_culprits(const struct whole *whole, const struct whole_part *part, int columns,
			 char words[ROW_WORDS_LEN])
{
	const struct summary *summary = whole->summary;

	words[0] = '\0';
	if (part->kind == WHOLE_STATE && part->which == SERVICE_BLOCKED) {
		part_sleeps_words(whole, part, &summary->calls.blocked, columns, words);
		return;
	}
	if (part->kind != WHOLE_COMPONENT)
		return;
	if (part->which == COMPONENT_RUNQUEUE)
		waits_words(whole, part, columns, words);
	else if (part->which == COMPONENT_BLOCKED)
		part_sleeps_words(whole, part, &summary->blocked, columns, words);
	else if (components[part->which].blame != BLAMES_NOTHING &&
		 part->which != COMPONENT_SEND_PATH)
		end_row_words(whole, part->which, columns, words);
}
