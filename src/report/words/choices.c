/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for the choice of processes that a user made by an option of an attach. */
#include "report/words/choices.h"

#include "report/words/labels.h"
#include "insight/metrics.h"

const char *const choice_options[NR_CHOICES] = {
	[CHOICE_PEER] = "peer", [CHOICE_SERVER] = "server", [CHOICE_CLIENT] = "client"};

const char *choice_wanted(const struct summary *summary, enum choice_kind kind)
{
	const char *const wanted[NR_CHOICES] = {[CHOICE_PEER] = summary->info.peer,
						[CHOICE_SERVER] = summary->info.server,
						[CHOICE_CLIENT] = summary->info.client};

	return wanted[kind];
}

bool choice_is_in_vain(const struct summary *summary, enum choice_kind kind)
{
	return choice_wanted(summary, kind)[0] && summary->choice[kind].others &&
	       !summary->choice[kind].matched;
}

/* Without a script: the option compares with this name and this number. */
static void add_seen(struct paragraph *line, const struct chosen_process *seen)
{
	const char *comm = seen->end.comm[0] ? seen->end.comm : "?";
	char pid[NAME_LEN];

	pid_title(seen->end.pid, pid);
	if (seen->end.pid)
		paragraph_add(line, "%s (%s)", comm, pid);
	else
		paragraph_add(line, "several %s", comm);
}

void choice_words(struct paragraph *line, const struct summary *summary, enum choice_kind kind)
{
	const struct choice_summary *choice = &summary->choice[kind];
	uint32_t shown = choice->names < CHOICE_SEEN_MAX ? choice->names : CHOICE_SEEN_MAX;

	paragraph_add(line, "no process of the %llu message%s has this name or PID",
		      (unsigned long long)choice->others, plural(choice->others));
	for (uint32_t i = 0; i < shown; i++) {
		paragraph_add(line, "%s",
			      !i                                         ? ": there are "
			      : i + 1 == shown && choice->names == shown ? " and "
									 : ", ");
		add_seen(line, &choice->seen[i]);
	}
	if (choice->names > shown)
		paragraph_add(line, " and %u more name%s", choice->names - shown,
			      plural(choice->names - shown));
}
