/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes what to do about the causes that an explanation speaks of first. */
#include "report/words/culprits.h"
#include "report/words/explain/explain_words.h"
#include "report/words/explain/first_view.h"
#include "report/words/explain/meanwhile_words.h"
#include "report/words/explain/remedies.h"
#include "report/words/explain/usual_remarks.h"

#define REMEDIES_TOLD  2
#define WORTH_A_REMEDY 0.2 /* of all time of the view */

/* A thread that another one waits for: what it did itself says more. */
static enum remedy remedy_at_end(const struct telling *telling, const struct lead *lead,
				 bool is_repeated)
{
	enum remedy remedy = remedy_of(telling->explanation, lead, is_repeated), next_remedy;
	struct lead next = {.row = lead->row};

	if (meanwhile_has_other(meanwhile_of(telling), lead->row))
		return meanwhile_remedy(meanwhile_of(telling));
	next.row = row_followed(&telling->view, lead->row, NULL);
	if (remedy == REMEDY_BACKEND && next.row && reason_is_circle(next.row->reason))
		remedy = REMEDY_SLEEP;
	next.row = lead->row;
	for (int i = 0; i < CHAIN_MAX && (remedy == REMEDY_SLEEP || remedy == REMEDY_ROOM); i++) {
		next.row = row_followed(&telling->view, next.row, NULL);
		if (!next.row)
			return remedy;
		next_remedy = remedy_of(telling->explanation, &next, false);
		if (next_remedy != NR_REMEDIES && next_remedy != REMEDY_WORK)
			remedy = next_remedy;
	}
	return remedy;
}

/* What to do about what is said of usual units beyond their rows; NR_REMEDIES: nothing. */
static enum remedy remedy_of_remark(const struct explanation *explanation, const struct lead *first)
{
	if (usual_is_in_vain(explanation, first))
		return explanation->usual_vain.in_futex ? REMEDY_BROADCAST : REMEDY_IN_VAIN;
	if (usual_repeats(explanation))
		return NR_REMEDIES; /* the first row has it */
	if (usual_is_accepted_late(explanation, first))
		return REMEDY_ACCEPT;
	return usual_opens(explanation, first) ? REMEDY_OPENING : NR_REMEDIES;
}

/* With the commands, if the cause is one program. */
static void add_help(struct paragraph *line, enum remedy remedy, const struct lead *lead)
{
	const struct blame *by = &lead->row->by;

	if (remedy == REMEDY_NEIGHBOUR && by->class == BLAME_TASK && by->comm[0] && !lead->is_kind)
		culprit_move_words(line, by, lead->row->folded > 1 ? 0 : by->pid ?: by->tid);
	else
		paragraph_add(line, "%s", remedies[remedy].helps);
}

/* The parts of the explanation that it begins with, and what to do about the largest of them. */
void explain_remedy_words(struct paragraph *line, const struct explanation *explanation)
{
	enum explain_weight first = first_view(explanation);
	bool is_usual = first == WEIGHT_USUAL, repeats;
	struct telling telling = telling_of(explanation, first);
	struct lead lead[LEADS_MAX];
	uint32_t cnt = leads_of(&telling, lead);
	enum remedy said = NR_REMEDIES;
	uint32_t told = 0;

	repeats = is_usual && usual_repeats(explanation);
	if (is_usual && cnt)
		said = remedy_of_remark(explanation, &lead[0]);
	if (said != NR_REMEDIES) {
		paragraph_add(line, "%s: %s", remedies[said].cause, remedies[said].helps);
		told++;
	}
	for (uint32_t i = 0; i < cnt && told < REMEDIES_TOLD; i++) {
		enum remedy remedy = remedy_at_end(&telling, &lead[i], repeats && !i);

		if (remedy == REMEDY_IN_VAIN && said == REMEDY_BROADCAST)
			continue;
		if (remedy == NR_REMEDIES || remedy == said || (told && remedy == REMEDY_WORK) ||
		    lead[i].ns < WORTH_A_REMEDY * telling.view.all_ns)
			continue;
		paragraph_add(line, "%s%s: ", told++ ? "; " : "", remedies[remedy].cause);
		add_help(line, remedy, &lead[i]);
		said = remedy;
	}
}
