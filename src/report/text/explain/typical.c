/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints one unit in full, as rtla does: each component with its culprits, in the order of time.
 * The lines of the components add up to the latency.
 */
#include "model/transport_names.h"
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"

#include <stdio.h>
#include <stdlib.h>

#define LABEL_WIDTH  42
#define TIME_WIDTH   13
#define SHARE_WIDTH  9
#define CPU_WIDTH    4
#define AT_WIDTH     12

#define INDENT       2
#define CULPRITS_MAX 12 /* of a component, or of a culprit that is followed */

static double share_of(const struct unit *unit, uint64_t ns)
{
	return (double)ns / (double)unit_latency_ns(unit);
}

static void put_times(const struct text *text, const struct unit *unit, uint64_t ns)
{
	text_number(text, TIME_WIDTH, (double)ns / 1e3, 3);
	text_share(text, SHARE_WIDTH, share_of(unit, ns));
}

static void put_place(const struct text *text, const struct unit *unit, const struct cause *cause)
{
	char at[NAME_LEN];

	if (cause->by.cpu < BLAME_CPU_SEVERAL && cause->role != CAUSE_ITSELF)
		text_count(text, CPU_WIDTH, cause->by.cpu);
	else
		text_cell(text, CPU_WIDTH, cause->by.cpu == BLAME_CPU_SEVERAL ? "+" : "");
	snprintf(at, sizeof(at), "%+.3f", ((double)cause->from_ns - (double)unit->from_ns) / 1e3);
	text_cell(text, AT_WIDTH, at);
}

static void cause_row(const struct text *text, const struct explanation *explanation,
		      const struct unit *unit, const struct cause *cause, int depth)
{
	struct explain_row row = row_of_cause(cause);

	put_culprit_label(text, &explanation->info, &row, INDENT * (2 + depth), LABEL_WIDTH);
	put_times(text, unit, cause->by.ns);
	put_place(text, unit, cause);
	text_newline(text);
}

/* What follows the cause, and what follows that. Causes stand behind the one that they follow. */
static void followed_rows(const struct text *text, const struct explanation *explanation,
			  const struct unit *unit, uint32_t parent, int depth)
{
	uint32_t shown = 0;

	if (depth > CAUSE_DEPTH_MAX)
		return;
	for (uint32_t i = parent + 1; i < unit->cause_cnt && shown < CULPRITS_MAX; i++) {
		if (unit->cause[i].parent != parent + 1)
			continue;
		cause_row(text, explanation, unit, &unit->cause[i], depth);
		followed_rows(text, explanation, unit, i, depth + 1);
		shown++;
	}
}

static bool is_same_component(const struct cause *a, const struct cause *b)
{
	return !a->parent && !b->parent && a->part == b->part && a->cost == b->cost;
}

/* The causes of a component: how many, and how long. */
struct component_causes {
	uint32_t cnt;
	uint64_t ns;
};

static struct component_causes causes_of(const struct unit *unit, const struct cause *first)
{
	struct component_causes causes = {0};

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!is_same_component(&unit->cause[i], first))
			continue;
		causes.cnt++;
		causes.ns += unit->cause[i].by.ns;
	}
	return causes;
}

static bool is_first(const struct unit *unit, uint32_t cause)
{
	for (uint32_t i = 0; i < cause; i++) {
		if (is_same_component(&unit->cause[i], &unit->cause[cause]))
			return false;
	}
	return true;
}

static void rest_row(const struct text *text, const struct unit *unit,
		     const struct component_causes *rest)
{
	char label[NAME_LEN];

	if (!rest->cnt)
		return;
	snprintf(label, sizeof(label), "%u more", rest->cnt);
	put_row_label(text, INK_PLAIN, 2 * INDENT, LABEL_WIDTH, label);
	put_times(text, unit, rest->ns);
	text_newline(text);
}

static void culprit_rows(const struct text *text, const struct explanation *explanation,
			 const struct unit *unit, uint32_t first)
{
	struct component_causes rest = {0};
	uint32_t shown = 0;

	for (uint32_t i = first; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (!is_same_component(cause, &unit->cause[first]))
			continue;
		if (shown == CULPRITS_MAX) {
			rest.cnt++;
			rest.ns += cause->by.ns;
			continue;
		}
		cause_row(text, explanation, unit, cause, 0);
		followed_rows(text, explanation, unit, i, 1);
		shown++;
	}
	rest_row(text, unit, &rest);
}

static bool has_only_itself(const struct component_causes *causes, const struct cause *first)
{
	return causes->cnt == 1 && first->role == CAUSE_ITSELF && first->call == CALL_UNKNOWN;
}

/* The title, and where the component has only its own time, all that there is to say. */
static void component_rows(const struct text *text, const struct explanation *explanation,
			   const struct unit *unit, uint32_t first)
{
	const struct cause *cause = &unit->cause[first];
	struct explain_row row = row_of_cause(cause);
	struct component_causes causes = causes_of(unit, cause);
	char title[NAME_LEN];

	row_component(&row, title);
	put_row_label(text, INK_BOLD, INDENT, LABEL_WIDTH, title);
	put_times(text, unit, causes.ns);
	if (has_only_itself(&causes, cause))
		put_place(text, unit, cause);
	text_newline(text);
	if (!has_only_itself(&causes, cause))
		culprit_rows(text, explanation, unit, first);
}

static void add_party(struct paragraph *line, const struct party *party, const char *process,
		      uint32_t pid)
{
	char tid[NAME_LEN], number[NAME_LEN];
	const char *name = party->comm[0] ? party->comm : process[0] ? process : "?";

	tid_title(party->tid, tid);
	pid_title(pid, number);
	paragraph_add(line, "%.*s (%.20s", RECORD_COMM_LEN, name, pid ? number : tid);
	if (pid && pid != party->tid)
		paragraph_add(line, ", %.20s", tid);
	paragraph_add(line, ") on CPU %u", party->cpu);
}

void unit_identity(struct paragraph *line, const struct unit *unit)
{
	const char *transport = transport_id_name(unit->transport);

	if (unit->kind == UNIT_CALL)
		paragraph_add(line, "call %llu, request ", (unsigned long long)unit->number);
	else if (unit->kind == UNIT_ROUND)
		paragraph_add(line, "last ");
	paragraph_add(line, "message %u/%llu", unit->channel, (unsigned long long)unit->position);
	if (transport)
		paragraph_add(line, " over %s", transport);
	paragraph_add(line, ", %u byte%s", unit->bytes, plural(unit->bytes));
	if (unit->has_round)
		paragraph_add(line, ", round %llu, client %u", (unsigned long long)unit->round,
			      unit->client);
	if (unit->has_round && unit->place)
		paragraph_add(line, ", place %u", unit->place);
	if (unit->is_ambiguous)
		paragraph_add(line, "; ambiguous");
}

void unit_parties(struct paragraph *line, const struct unit *unit)
{
	add_party(line, &unit->sender, unit->sender_process, unit->sender_pid);
	paragraph_add(line, " to ");
	add_party(line, &unit->receiver, unit->receiver_process, unit->receiver_pid);
}

static void head(const struct text *text, const struct explanation *explanation,
		 const struct unit *unit)
{
	struct paragraph which = {0}, parties = {0}, when = {0};
	char at[INSTANT_LEN];

	unit_identity(&which, unit);
	unit_parties(&parties, unit);
	instant_words(&explanation->info, unit->from_ns, at);
	paragraph_add(&when, "begins at %s", at);
	if (unit->has_migrated)
		paragraph_add(&when, "; the receiver moved to another CPU meanwhile");
	paragraph_print(text, INK_BOLD, "which", &which);
	paragraph_print(text, INK_BOLD, "from, to", &parties);
	paragraph_print(text, INK_BOLD, "when", &when);
	text_newline(text);
}

static void sum_row(const struct text *text, const struct unit *unit)
{
	static const char *const titles[NR_UNIT_KINDS] = {[UNIT_MESSAGE] = "latency",
							  [UNIT_CALL] = "round trip",
							  [UNIT_ROUND] = "last latency"};

	put_row_label(text, INK_BOLD, INDENT, LABEL_WIDTH, titles[unit->kind]);
	put_times(text, unit, unit_latency_ns(unit));
	text_newline(text);
}

void explain_typical(const struct text *text, const struct explanation *explanation)
{
	const struct column columns[] = {{TIME_WIDTH, "us", NULL},
					 {SHARE_WIDTH, "share", NULL},
					 {CPU_WIDTH, "CPU", NULL},
					 {AT_WIDTH, "from", NULL}};
	const struct unit *unit = &explanation->typical.unit;
	char title[NAME_LEN];

	if (!explanation->typical.is_known)
		return;
	snprintf(title, sizeof(title),
		 explanation->slow.count == 1 ? "the %s" : "a typical slow %s",
		 unit_words(unit->kind, false));
	text_rule(text, title);
	head(text, explanation, unit);
	text_heading(text, "its parts", LABEL_WIDTH, columns, 4);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent && is_first(unit, i))
			component_rows(text, explanation, unit, i);
	}
	sum_row(text, unit);
}
