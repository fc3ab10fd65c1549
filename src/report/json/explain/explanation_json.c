/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON object of an explanation. */
#include "report/json/explain/explanation_json.h"
#include "report/json_value.h"
#include "report/words/explain/explain_words.h"

static const char *const outcome_names[NR_EXPLAIN_OUTCOMES] = {
	[EXPLAIN_DONE] = "explained",  [EXPLAIN_NO_UNITS] = "no_units",
	[EXPLAIN_TOO_FEW] = "too_few", [EXPLAIN_NONE_SLOW] = "none_slow",
	[EXPLAIN_NO_BASE] = "no_base",
};

static json_t *mean_json(const struct json_place *place)
{
	const struct explain_set *set = place->of;

	return json_value_real((double)set->sum_ns / (double)set->count);
}

static const struct member unit_set_rows[] = {
	{TEXT, AT(explain_set, select), "select", "in the words of the options"},
	{NUMBER, AT(explain_set, count), "count", "how many units"},
	{NUMBER, AT(explain_set, sampled_of), "sampled_of", "these are a sample of so many",
	 "they are all", IF_SET},
	{REAL_NS, .name = "mean_ns", "the mean latency", "empty", IF(explain_set, count),
	 .derive = mean_json},
	{NS, AT(explain_set, least_ns), "min_ns", "the smallest latency", "empty",
	 IF(explain_set, count)},
	{NS, AT(explain_set, most_ns), "max_ns", "the largest latency", "empty",
	 IF(explain_set, count)},
};
static OBJECT(unit_set, explain_set);

/* An index of which 1 more is stored; 0: none. */
static json_t *index_json(const struct json_place *place)
{
	uint32_t number = *(const uint32_t *)json_value_at(place);

	return json_value_integer(number - 1, number > 0);
}

static const struct member attribute_rows[] = {
	{WORD, AT(explain_attribute, attribute), "name", "what units have",
	 NAMES_OF(attribute_infos, NR_ATTRIBUTES)},
	{TEXT, AT(explain_attribute, value), "value", "the value"},
	{SHARE, AT(explain_attribute, slow_share), "slow_share",
	 "of slow units, each episode once"},
	{SHARE, AT(explain_attribute, base_share), "base_share",
	 "of other units, each episode once"},
	{REAL, AT(explain_attribute, ratio), "ratio", "of these shares", "no other unit has it"},
	{REAL, AT(explain_attribute, ratio_low), "ratio_low", "the lower end of its 95 % interval",
	 ""},
	{REAL, AT(explain_attribute, ratio_high), "ratio_high",
	 "the upper end of its 95 % interval", "without a limit"},
	{REAL, AT(explain_attribute, p), "p",
	 "the probability of such a ratio by chance, corrected by Holm",
	 .limits = "{\"minimum\": 0, \"maximum\": 1}"},
	{NUMBER, AT(explain_attribute, slow_cnt), "slow_messages", "slow units that have it"},
	{NUMBER, AT(explain_attribute, base_cnt), "base_messages", "other units that have it"},
	{NUMBER, AT(explain_attribute, episodes), "episodes", "episodes that have it"},
	{NUMBER, AT(explain_attribute, same_as), "same_as",
	 "the index of an attribute that the same units have", "none", .derive = index_json},
};
static OBJECT(attribute, explain_attribute);

static json_t *episode_culprit_json(const struct json_place *place)
{
	const struct explain_episode *episode = place->of;
	const struct explain_row row = {.role = episode->role, .by = episode->by};

	return explain_culprit_json(place, &row);
}

static json_t *episode_since_json(const struct json_place *place)
{
	const struct explain_episode *episode = place->of;
	const struct begin *begin = &place->info->begin;

	return json_value_integer(episode->from_ns - begin->ns,
				  begin->ns && episode->from_ns >= begin->ns);
}

static bool explanation_json_has_cpu(const struct run_info *info, const void *of)
{
	const struct explain_episode *episode = of;

	(void)info;
	return episode->cpu < BLAME_CPU_SEVERAL;
}

static const struct member episode_rows[] = {
	{NS, AT(explain_episode, from_ns), "from_ns", "the instant at which it begins"},
	{NS, AT(explain_episode, to_ns), "to_ns", "the instant at which it ends"},
	{NUMBER, AT(explain_episode, units), "messages", "slow units"},
	{NUMBER, AT(explain_episode, rounds), "rounds", "rounds"},
	{WORD, AT(explain_episode, cost), "component", "the largest component",
	 NAMES_OF(components, NR_COSTS)},
	{STRUCT, .name = "culprit", .of = &culprit_object, .derive = episode_culprit_json},
	{NUMBER, AT(explain_episode, cpu), "cpu", "the CPU", "several, or not known",
	 .known = explanation_json_has_cpu},
	{NS, AT(explain_episode, worst_ns), "worst_ns", "the largest latency"},
	{NS, AT(explain_episode, excess_ns), "excess_ns",
	 "the latencies beyond the mean of the others"},
	{NS, .name = "since_begin_ns", "since tracing began", "not known",
	 .derive = episode_since_json},
};
static OBJECT(episode, explain_episode, "Slow units that overlap or touch.");

/* The row whose culprit would have taken no time. */
static const struct explain_row *row_without(const struct json_place *place)
{
	const struct explanation *explanation = place->parent->of;
	const struct explain_without *without = place->of;

	return &explanation->row[without->row];
}

static json_t *without_part_json(const struct json_place *place)
{
	return json_value_text(member_word(place->member, row_without(place)->part));
}

static json_t *without_cost_json(const struct json_place *place)
{
	return json_value_text(member_word(place->member, row_without(place)->cost));
}

static json_t *without_culprit_json(const struct json_place *place)
{
	return explain_culprit_json(place, row_without(place));
}

static const struct member without_rows[] = {
	{WORD, .name = "part", "the part of the call", "a message or a round",
	 NAMES(cause_part_names), .derive = without_part_json},
	{WORD, .name = "component", NAMES_OF(components, NR_COSTS), .derive = without_cost_json},
	{STRUCT, .name = "culprit", NULL, "the whole component", .of = &culprit_object,
	 .derive = without_culprit_json},
	{NS, AT(explain_without, p99_ns), "p99_ns", "the 99th percentile without it, at best"},
	{NS, AT(explain_without, p999_ns), "p999_ns", "the 99.9th percentile without it, at best"},
};
static OBJECT(without, explain_without);

/* A kind of loss that is not known is none. */
static json_t *no_room_json(const struct json_place *place)
{
	const struct record_stacks *counts = place->of;

	return json_value_integer(counts->no_room + counts->overfull, true);
}

static const struct member stack_counts_rows[] = {
	{NS, AT(record_stacks, over_ns), "over_ns",
	 "stacks of times of at least this were recorded"},
	{NUMBER, AT(record_stacks, taken), "taken", "stacks that were recorded"},
	{NUMBER, AT(record_stacks, lost), "lost", "stacks that were lost"},
	{NUMBER, .name = "no_room", "stacks for which there was no room", .derive = no_room_json},
	{NUMBER, AT(record_stacks, unknown), "unknown_functions", "functions without a name"},
};
static OBJECT(stack_counts, record_stacks);

static json_t *stack_counts_json(const struct json_place *place)
{
	const struct explanation *explanation = place->of;

	return json_members(place, place->member->of,
			    stack_names__counts(explanation->stack_names));
}

static bool explanation_json_is_done(const struct run_info *info, const void *of)
{
	const struct explanation *explanation = of;

	(void)info;
	return explain_has_rows(explanation->outcome);
}

typedef void explain_words_fn(struct paragraph *line, const struct explanation *explanation);

static json_t *words_json(const struct json_place *place, explain_words_fn *words)
{
	const struct explanation *explanation = place->of;
	struct paragraph line = {0};

	if (explain_has_rows(explanation->outcome))
		words(&line, explanation);
	return line.length ? json_value_text(line.text) : json_null();
}

static json_t *headline_json(const struct json_place *place)
{
	return words_json(place, explain_headline);
}

static json_t *remedy_json(const struct json_place *place)
{
	return words_json(place, explain_remedy_words);
}

static const char *const focus_names[NR_EXPLAIN_FOCUSES] = {
	[FOCUS_DIFFERENCE] = "difference",
	[FOCUS_TAIL] = "tail",
	[FOCUS_USUAL] = "usual",
	[FOCUS_SLOWEST] = "slowest",
};

static const struct member nested_rows[] = {
	{REAL, AT(explain_nested, calls), "calls", "the mean of all units"},
	{REAL_NS, AT(explain_nested, ns), "open_ns",
	 "for how long at least one of them is open, likewise"},
	{FLAG, AT(explain_nested, are_apart), "one_after_another",
	 "no two of them are open at the same time"},
	{TEXT, AT(explain_nested, callee), "service", "where most of their time goes"},
	{FLAG, AT(explain_nested, has_others), "others", "some go elsewhere"},
};
static OBJECT(nested, explain_nested, "Calls that are made in the service of a call.");

static const struct member vain_rows[] = {
	{REAL, AT(explain_vain, wakes), "wakes", "the mean of all units"},
	{REAL_NS, AT(explain_vain, cpu_ns), "cpu_ns", "until they slept again, likewise"},
};
static OBJECT(
	vain, explain_vain,
	"Wakes of threads by the client, the sender or the serving thread, after which they found "
	"nothing.");

static const char *const share_names[NR_SHARES] = {
	[SHARE_SOCKET] = "socket",
	[SHARE_EPOLL] = "epoll",
	[SHARE_PORT] = "port",
};

static const struct member meanwhile_rows[] = {
	{REAL_NS, AT(explain_meanwhile, waited_ns), "waited_ns",
	 "the mean of all units: the data were there, and the receiver handled something else"},
	{REAL, AT(explain_meanwhile, before), "calls_before",
	 "calls of others that it answered meanwhile, likewise"},
	{REAL, AT(explain_meanwhile, accepted), "accepted_at_once",
	 "connections that it had accepted without a message in between", "not known",
	 IF(explain_meanwhile, accepted)},
	{REAL, AT(explain_meanwhile, others), "asleep",
	 "threads that share something with the receiver, and waited for work meanwhile"},
	{REAL, AT(explain_meanwhile, other_share), "asleep_share",
	 "of the time waited: the thread among these that slept longest"},
	{NUMBER, AT(explain_meanwhile, other.tid), "asleep_tid", "that thread", "none slept",
	 IF(explain_meanwhile, other.tid)},
	{TEXT, AT(explain_meanwhile, other.comm), "asleep_comm", "its name"},
	{WORD, AT(explain_meanwhile, share), "asleep_shares",
	 "what it shares with the receiver: both accept from one socket; both wait in one epoll, "
	 "which watches what the unit came from; or each has a socket of its own on one port "
	 "(SO_REUSEPORT)",
	 "none slept", IF(explain_meanwhile, other.tid), NAMES(share_names)},
};
static OBJECT(meanwhile, explain_meanwhile,
	      "What happened while units waited for a receiver that handled something else.");

#define MEANWHILE(side)                                                                            \
	"none waited", IF(explanation, side##_meanwhile.waited_ns), .of = &meanwhile_object

static const struct member opening_rows[] = {
	{REAL, AT(explain_opening, share), "share", "of the calls that open a connection"},
	{REAL_NS, AT(explain_opening, ns), "open_ns",
	 "from connect() until it is open at both ends, the mean of all calls"},
	{REAL_NS, AT(explain_opening, connect_ns), "connect_ns",
	 "from connect() until the request is sent, the same"},
};
static OBJECT(opening, explain_opening, "Calls that open a connection, and begin with connect().");

#define OPENS(side) "none are known", IF(explanation, side##_opening.ns), .of = &opening_object

#define VAINS(side) "none are known", IF(explanation, side##_vain.wakes), .of = &vain_object

#define NESTS(side) "none are known", IF(explanation, side##_nested.calls), .of = &nested_object

#define REGULAR     "it is not regular", IF(explanation, period_ns)

static const struct member explanation_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.explain/1")},
	{WORD, AT(explanation, outcome), "outcome",
	 "explained; too_few: only the slowest one is; or why there are no rows",
	 NAMES(outcome_names)},
	{WORD, AT(explanation, unit), "unit", "what is slow", NAMES(unit_kind_names)},
	{NUMBER, AT(explanation, units), "units", "how many passed the filters"},
	{STRUCT, AT(explanation, slow), "slow", .of = &unit_set_object},
	{STRUCT, AT(explanation, base), "base", .of = &unit_set_object},
	{STRUCT, AT(explanation, outliers), "outliers", NULL,
	 "so few of them are slow, or the selection says which ones",
	 IF(explanation, outliers.count), .of = &unit_set_object},
	{REAL_NS, AT(explanation, difference_ns), "difference_ns",
	 "slow.mean_ns less base.mean_ns"},
	{WORD, AT(explanation, focus), "focus",
	 "what the explanation begins with: tail: the slow ones have most of the time of all; "
	 "usual: what the base waits for says more than the difference; slowest: there are too "
	 "few units, and base has none",
	 NAMES(focus_names)},
	{TEXT, .name = "headline", "the first sentences, for people", "no explanation",
	 .derive = headline_json},
	{TEXT, .name = "to_do", "what to do, for people", "nothing is known to help",
	 .derive = remedy_json},
	{REAL_NS, AT(explanation, mean_ns), "mean_ns", "of all units"},
	{REAL, AT(explanation, tail_share), "slow_share",
	 "of the time of all units: the slow ones"},
	{STRUCT, AT(explanation, slow_nested), "slow_nested", NULL, NESTS(slow)},
	{STRUCT, AT(explanation, usual_nested), "base_nested", NULL, NESTS(usual)},
	{STRUCT, AT(explanation, slow_vain), "slow_in_vain", NULL, VAINS(slow)},
	{STRUCT, AT(explanation, usual_vain), "base_in_vain", NULL, VAINS(usual)},
	{STRUCT, AT(explanation, slow_meanwhile), "slow_meanwhile", NULL, MEANWHILE(slow)},
	{STRUCT, AT(explanation, usual_meanwhile), "base_meanwhile", NULL, MEANWHILE(usual)},
	{STRUCT, AT(explanation, slow_opening), "slow_opening", NULL, OPENS(slow)},
	{STRUCT, AT(explanation, usual_opening), "base_opening", NULL, OPENS(usual)},
	{LIST, .name = "rows",
	 "The difference, largest component first. Rows without a culprit are whole components "
	 "and add up to difference_ns. The rows behind one are its culprits and add up to it.",
	 .any = ONE_OF(&component_row_object, &culprit_row_object), .derive = all_rows_json},
	{ENTRIES, AT(explanation, attribute), "attributes",
	 "Values that are more frequent among the slow ones.", CNT_AT(explanation, attribute_cnt),
	 .of = &attribute_object},
	{NUMBER, AT(explanation, attributes_looked_at), "attributes_looked_at",
	 "how many values were tested"},
	{ENTRIES, AT(explanation, episode), "episodes", "Largest first.",
	 CNT_AT(explanation, episode_cnt), .of = &episode_object},
	{NUMBER, AT(explanation, episodes), "episodes_count", "how many episodes there are"},
	{NS, AT(explanation, period_ns), "period_ns", "the distance of episodes", REGULAR},
	{NUMBER, AT(explanation, period_hits), "period_hits", "so many distances are this long",
	 REGULAR},
	{NUMBER, AT(explanation, period_of), "period_of", "of so many", REGULAR},
	{NUMBER, AT(explanation, period_episode), "period_episode",
	 "only the episodes with the culprit of this one are regular: its index", "all",
	 .derive = index_json},
	{NS, AT(explanation, p99_ns), "p99_ns", "the 99th percentile of all units",
	 "no explanation", .known = explanation_json_is_done},
	{NS, AT(explanation, p999_ns), "p999_ns", "the 99.9th percentile of all units",
	 "no explanation", .known = explanation_json_is_done},
	{LIST, AT(explanation, without), "without", "Percentiles without a culprit.",
	 CNT_AT(explanation, without_cnt), .of = &without_object},
	{STRUCT, .name = "typical", "One slow unit", "there is none",
	 IF(explanation, typical.is_known), .derive = typical_json,
	 .any = ONE_OF(&typical_message_object, &typical_call_object, &typical_connection_object)},
	{REAL_NS, AT(explanation, own_ns), "own_ns",
	 "the part of the difference that is a wait for ipctrace itself"},
	{REAL, AT(explanation, own_share), "own_share", "the same as a share of difference_ns"},
	{NUMBER, AT(explanation, ambiguous), "ambiguous", "units that were left out"},
	{NUMBER, AT(explanation, not_cut), "not_cut", "units that lack a part of their causes"},
	{WORD, AT(explanation, info.level), "level", "how much was traced", NAMES(level_names)},
	{STRUCT, .name = "stacks", NULL, "no --stacks", IF(explanation, stack_names),
	 .of = &stack_counts_object, .derive = stack_counts_json},
	{STRUCT, AT(explanation, info.begin), "began", NULL, "not known",
	 IF(explanation, info.begin.unix_ns), .of = &begin_members},
	{FLAG, .name = "truncated", "the recording is cut; only there if it is",
	 .is_optional = true},
};
OBJECT(explanation, explanation, "Why the slow ones are slow.");

static const struct member explain_sweep_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.explain_sweep/1")},
	{TEXT, .name = "experiment", "the name of the experiment", "none"},
	{FLAG, .name = "truncated", "the recording is cut, and may have had more runs"},
	{LIST, .name = "cells", "One of each run.", .of = &explanation_object},
};
SHAPE(explain_sweep);

static const struct member sweep_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.sweep/1")},
	{TEXT, .name = "experiment", "the name of the experiment", "none"},
	{FLAG, .name = "truncated", "the recording is cut, and may have had more runs"},
	{LIST, .name = "cells", "One of each run.", .of = &summary_members},
};
SHAPE(sweep);
