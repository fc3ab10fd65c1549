/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which choice of the user (--peer, --server, --client) matches no process of the messages. */
#include "report/words/labels.h"
#include "report/words/summary_words.h"

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

bool choices_in_vain(const struct summary *summary)
{
	for (int i = CHOICE_SERVER; i < NR_CHOICES; i++) {
		if (choice_is_in_vain(summary, i))
			return true;
	}
	return false;
}

/* Without a script: the option compares with this name and this number. */
static void add_seen(struct paragraph *line, const struct chosen_process *seen)
{
	const char *comm = seen->end.comm[0] ? seen->end.comm : "?";

	if (seen->end.pid)
		paragraph_add(line, "%s (%s)", comm, PID(seen->end.pid));
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
