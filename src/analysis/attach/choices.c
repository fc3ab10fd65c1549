/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts messages by the names of the processes at their ends. */
#include "analysis/attach/choices.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any number. A longer glob is compared only if it is the only one. */
#define WORD_LEN 64

static bool is_meant_by(const char *word, uint32_t pid, const char *comm)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", pid);
	return word[0] && (!strcmp(word, number) || !fnmatch(word, comm, 0));
}

bool choice_means(const char *wanted, const struct end_summary *end)
{
	char word[WORD_LEN];

	if (!wanted || !wanted[0])
		return false;
	if (is_meant_by(wanted, end->pid, end->comm))
		return true;
	while (*wanted) {
		size_t length = strcspn(wanted, ",");

		snprintf(word, sizeof(word), "%.*s", (int)length, wanted);
		if (length < sizeof(word) && is_meant_by(word, end->pid, end->comm))
			return true;
		wanted += length + (wanted[length] == ',');
	}
	return false;
}

/* Processes of one name are counted together: a program may start one for each connection. */
static void choices_count(struct choice *choice, const struct end_summary *end)
{
	struct chosen_process *name = choice->name;
	uint32_t i = 0;

	while (i < choice->name_cnt && strcmp(name[i].end.comm, end->comm) != 0)
		i++;
	if (i == CHOICE_NAMES_MAX)
		return;
	if (i == choice->name_cnt)
		choice->name[choice->name_cnt++].end = *end;
	if (name[i].end.pid != end->pid)
		name[i].end.pid = 0;
	name[i].messages++;
}

void choice_meet(struct choice *choice, const struct end_summary *one,
		 const struct end_summary *other)
{
	if (!choice->wanted || !choice->wanted[0] || (!one && !other))
		return;
	if ((one && choice_means(choice->wanted, one)) ||
	    (other && choice_means(choice->wanted, other))) {
		choice->met.matched++;
		return;
	}
	choice->met.others++;
	if (one)
		choices_count(choice, one);
	if (other && (!one || strcmp(one->comm, other->comm) != 0))
		choices_count(choice, other);
}

static int choices_by_messages(const void *a, const void *b)
{
	const struct chosen_process *one = a, *other = b;

	if (one->messages != other->messages)
		return one->messages < other->messages ? 1 : -1;
	return strcmp(one->end.comm, other->end.comm);
}

void choice_finish(struct choice *choice, struct choice_summary *summary)
{
	*summary = choice->met;
	if (summary->matched)
		return;
	qsort(choice->name, choice->name_cnt, sizeof(*choice->name), choices_by_messages);
	summary->names = choice->name_cnt;
	for (uint32_t i = 0; i < CHOICE_SEEN_MAX && i < choice->name_cnt; i++)
		summary->seen[i] = choice->name[i];
}
