/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says which channels targets had when tracing ended, if no message was seen or no target was left,
 * and which of their children are not traced.
 */
#include "report/words/labels.h"
#include "report/text/sections.h"

void heir_words(struct paragraph *line, const char *before, const struct summary *summary)
{
	const struct found_summary *found = &summary->found;
	char title[END_TITLE_LEN];

	if (!found->now.pid)
		return;
	process_title(summary, &found->now, title);
	paragraph_add(line, "%s%s has %s now", before, title, found->name);
}

/* "It has exited, and no process has /run/x.sock now. " */
static void add_exited(struct paragraph *line, const struct summary *summary)
{
	const struct found_summary *found = &summary->found;

	paragraph_add(line, "No target is left");
	if (!found->now.pid && found->name[0])
		paragraph_add(line, ", and no process has %s now", found->name);
	heir_words(line, ", and ", summary);
	paragraph_add(line, ". ");
}

static void add_names(struct paragraph *line, const struct found_summary *found)
{
	if (!found->services || !found->name[0])
		return;
	paragraph_add(line, "%s be reached at %s", found->connections ? " and can" : "can",
		      found->name);
	if (found->services > 1)
		paragraph_add(line, " and %u more name%s", found->services - 1,
			      plural(found->services - 1));
}

static void add_open(struct paragraph *line, const struct found_summary *found)
{
	paragraph_add(line, "%s ", found->targets == 1 ? "It" : "They");
	if (found->connections)
		paragraph_add(line, "%s %u local channel%s open",
			      found->targets == 1 ? "has" : "have", found->connections,
			      plural(found->connections));
	add_names(line, found);
	if (found->connections)
		paragraph_add(line, ": nothing came over %s. ",
			      found->connections == 1 ? "it" : "them");
	else
		paragraph_add(line, "%sno local channel is open. ", found->services ? ": " : "");
}

static void add_untraced(struct paragraph *line, const struct untraced *untraced)
{
	char title[UNTRACED_TITLE_LEN];

	untraced_title(untraced, title);
	if (untraced->cnt)
		paragraph_add(line, "%s %s started by a target, and %s not traced. ", title,
			      untraced->cnt == 1 ? "was" : "were",
			      untraced->cnt == 1 ? "is" : "are");
}

void text_untraced(const struct text *text, const struct summary *summary)
{
	const struct untraced *untraced = &summary->info.untraced;
	char title[UNTRACED_TITLE_LEN];
	struct paragraph line = {0};

	untraced_title(untraced, title);
	if (untraced->cnt)
		paragraph_add(&line,
			      "%s: %s of a target, with sockets or pipes: of %s messages only "
			      "those with a target are in this report",
			      title, untraced->cnt == 1 ? "a child" : "children",
			      untraced->cnt == 1 ? "its" : "their");
	paragraph_print(text, INK_WARNING, "not traced", &line);
}

void found_words(struct paragraph *line, const struct summary *summary)
{
	const struct found_summary *found = &summary->found;

	if (!found->known)
		return;
	add_untraced(line, &summary->info.untraced);
	if (!found->targets) {
		add_exited(line, summary);
		return;
	}
	if (found->connections || (found->services && found->name[0]))
		add_open(line, found);
	else
		paragraph_add(line, "No local channel of %s is open. ",
			      found->targets == 1 ? "it" : "theirs");
	if (found->elsewhere)
		paragraph_add(line, "%u connection%s lead%s to other machines, or out of reach. ",
			      found->elsewhere, plural(found->elsewhere),
			      found->elsewhere == 1 ? "s" : "");
}
