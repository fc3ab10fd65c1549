/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the sentences on threads that waited for another program when tracing ended. */
#include "report/words/waiting_words.h"

#include "insight/waiting.h"
#include "report/words/explain/cause_words.h"
#include "report/words/explain/remedies.h"
#include "report/words/labels.h"

/* "for room in the channel to cat (pid 13)" */
static void add_what_for(struct paragraph *line, const struct summary *summary,
			 const struct sleeper_summary *sleeper)
{
	bool is_for_room = sleeper->flags & ASLEEP_FOR_ROOM;

	if (sleeper->other.pid)
		paragraph_add(line, " for %s %s",
			      is_for_room ? "room in the channel to" : "data from",
			      PROCESS(summary, &sleeper->other));
	else
		paragraph_add(line, " for %s", is_for_room ? "room in a channel" : "data");
}

/* "waits in write for room in the channel to cat (pid 13)", "is stopped", "sleeps in futex" */
static void waiting_add_state(struct paragraph *line, const struct summary *summary,
			      const struct sleeper_summary *sleeper)
{
	const char *call = SYSCALL(summary->info.host.arch, sleeper->number);

	if (sleeper->flags & ASLEEP_STOPPED) {
		paragraph_add(line, "is stopped by a signal, a debugger or a freezer");
	} else if (sleeper->flags & (ASLEEP_FOR_ROOM | ASLEEP_FOR_DATA)) {
		paragraph_add(line, "waits in %s", call);
		add_what_for(line, summary, sleeper);
	} else {
		paragraph_add(line, "sleeps in %s", call);
	}
}

static void waiting_add_circle(struct paragraph *line, const struct waiting_chain *chain)
{
	bool is_for_room = chain->link[0]->flags & ASLEEP_FOR_ROOM;

	if (chain->cnt == 1)
		paragraph_add(line, ", whose own data it has not received, so that they find no "
				    "room either: a circle");
	else
		paragraph_add(line, ": a circle, in which each waits until the %s %s",
			      chain->cnt == 2 ? "other" : "next one",
			      is_for_room ? "receives" : "sends");
}

static void add_chain(struct paragraph *line, const struct summary *summary,
		      const struct waiting_chain *chain)
{
	for (uint32_t i = 1; i < chain->cnt; i++) {
		paragraph_add(line, ", which ");
		waiting_add_state(line, summary, chain->link[i]);
	}
	if (chain->is_circle)
		waiting_add_circle(line, chain);
}

/* What to do, as far as the end of the chain says. */
static const char *to_do(const struct waiting_chain *chain)
{
	const struct sleeper_summary *last = chain->link[chain->cnt - 1];

	if (chain->is_circle && last->flags & ASLEEP_FOR_ROOM)
		return remedies[REMEDY_CIRCLE].helps;
	if (chain->is_circle)
		return "see which of them should send: a buffer may not be flushed, or a request "
		       "may lack its end";
	if (last->flags & ASLEEP_STOPPED)
		return "find out what stopped it, and let it go on (SIGCONT)";
	return last->flags & ASLEEP_FOR_ROOM ? remedies[REMEDY_ROOM].helps : NULL;
}

static void add_to_do(struct paragraph *line, const struct waiting_chain *chain)
{
	if (to_do(chain))
		paragraph_add(line, ". To do: %s", to_do(chain));
}

/* A thread that waits for data may do so because there is nothing to do. */
static bool is_hang(const struct waiting_chain *chain)
{
	for (uint32_t i = 0; i < chain->cnt; i++) {
		if (chain->link[i]->flags & (ASLEEP_FOR_ROOM | ASLEEP_STOPPED))
			return true;
	}
	return chain->is_circle;
}

bool waiting_silence_words(struct paragraph *line, const struct summary *summary)
{
	const struct waiting_chain chain = waiting_in_silence(summary);

	if (!chain.cnt)
		return false;
	paragraph_add(line, "%s ", PROCESS(summary, &chain.link[0]->thread));
	waiting_add_state(line, summary, chain.link[0]);
	add_chain(line, summary, &chain);
	add_to_do(line, &chain);
	return is_hang(&chain);
}

void waiting_end_words(struct paragraph *line, const struct summary *summary)
{
	const struct waiting_chain chain = waiting_at_end(summary);
	const struct sleeper_summary *first = chain.link[0];

	if (!chain.cnt)
		return;
	paragraph_add(line, "When tracing ended, %s had waited for %s in %s",
		      PROCESS(summary, &first->thread), SPAN((double)sleeper_ns(summary, first)),
		      SYSCALL(summary->info.host.arch, first->number));
	add_what_for(line, summary, first);
	add_chain(line, summary, &chain);
	add_to_do(line, &chain);
	paragraph_add(line, ". ");
}
