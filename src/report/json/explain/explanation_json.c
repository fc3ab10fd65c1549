/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON object of an explanation. */
#include "report/json/explain/explanation_json.h"

#include "report/json_value.h"

static json_t *set_json(const struct explain_set *set)
{
	bool known = set->count > 0;
	double mean_ns = known ? (double)set->sum_ns / (double)set->count : 0;

	return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "select", json_value_text(set->select),
			 "count", json_value_int(set->count), "sampled_of",
			 json_value_integer(set->sampled_of, set->sampled_of > 0), "mean_ns",
			 known ? json_value_real(mean_ns) : json_null(), "min_ns",
			 json_value_integer(set->least_ns, known), "max_ns",
			 json_value_integer(set->most_ns, known));
}

static json_t *rows_json(const struct explanation *explanation, uint32_t *at, int depth);

static double share_of(const struct explanation *explanation, double ns)
{
	return explanation->difference_ns > 0 ? ns / explanation->difference_ns : 0;
}

static json_t *row_culprit_json(const struct explain_row *row)
{
	if (row->is_component)
		return json_null();
	if (row->is_rest)
		return json_pack("{s:s, s:n, s:n, s:n, s:b}", "class", "others", "comm", "tid",
				 "scheduling", "outside", false);
	return explain_culprit_json(row->role, &row->by);
}

static int set_row_manner(json_t *object, const struct explanation *explanation,
			  const struct explain_row *row)
{
	const struct explain_manner manner = {.role = row->role,
					      .cost = row->cost,
					      .from_interrupt = row->from_interrupt,
					      .call = row->call,
					      .cpu = row->by.cpu};

	return row->is_component ? 0 : explain_set_manner(object, &explanation->info, &manner);
}

static int set_row_counts(json_t *object, const struct explain_row *row)
{
	int error = 0;

	error |= json_object_set_new(object, "slow_messages",
				     json_integer(json_value_int(row->slow_units)));
	error |= json_object_set_new(object, "base_messages",
				     json_integer(json_value_int(row->base_units)));
	error |= json_object_set_new(object, "slow_episodes",
				     json_integer(json_value_int(row->slow_episodes)));
	error |= json_object_set_new(object, "largest_ns",
				     json_integer(json_value_int(row->largest_ns)));
	error |= json_object_set_new(object, "folded",
				     json_value_integer(row->folded, row->folded > 1));
	return error;
}

/* The row at `*at`, which is set behind it and what follows it. */
static json_t *row_json(const struct explanation *explanation, uint32_t *at)
{
	const struct explain_row *row = &explanation->row[(*at)++];
	double more_ns = row->slow_ns - row->base_ns;
	json_t *object = json_pack(
		"{s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "part",
		json_value_text(cause_part_names[row->part]), "component",
		components[row->cost].name, "culprit", row_culprit_json(row), "ns",
		json_value_real(more_ns), "share", json_value_real(share_of(explanation, more_ns)),
		"slow_ns", json_value_real(row->slow_ns), "base_ns", json_value_real(row->base_ns));
	int error = set_row_counts(object, row);

	error |= set_row_manner(object, explanation, row);
	if (row->is_component)
		return json_value_whole(object, error);
	error |= json_object_set_new(object, "stacks",
				     explain_stacks_json(explanation, row - explanation->row));
	error |=
		json_object_set_new(object, "followed", rows_json(explanation, at, row->depth + 1));
	return json_value_whole(object, error);
}

/* Rows from `*at` on that stand at this depth, up to the end of what is followed. */
static json_t *rows_json(const struct explanation *explanation, uint32_t *at, int depth)
{
	json_t *list = json_array();
	int error = 0;

	while (!error && *at < explanation->row_cnt && explanation->row[*at].depth >= depth)
		error |= json_array_append_new(list, row_json(explanation, at));
	return json_value_whole(list, error);
}

static json_t *attribute_json(const struct explain_attribute *attribute)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o}", "name",
			 attribute_infos[attribute->attribute].name, "value",
			 json_value_text(attribute->value), "slow_share",
			 json_value_real(attribute->slow_share), "base_share",
			 json_value_real(attribute->base_share), "ratio",
			 json_value_real(attribute->ratio), "ratio_low",
			 json_value_real(attribute->ratio_low), "ratio_high",
			 json_value_real(attribute->ratio_high), "p", json_value_real(attribute->p),
			 "slow_messages", json_value_int(attribute->slow_cnt), "base_messages",
			 json_value_int(attribute->base_cnt), "episodes",
			 json_value_int(attribute->episodes), "same_as",
			 json_value_integer(attribute->same_as - 1, attribute->same_as > 0));
}

static json_t *attributes_json(const struct explanation *explanation)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < explanation->attribute_cnt; i++)
		error |= json_array_append_new(list, attribute_json(&explanation->attribute[i]));
	return json_value_whole(list, error);
}

static json_t *episode_json(const struct explanation *explanation,
			    const struct explain_episode *episode)
{
	const struct begin *begin = &explanation->info.begin;
	bool has_begin = begin->ns && episode->from_ns >= begin->ns;
	bool has_cpu = episode->cpu < BLAME_CPU_SEVERAL;

	return json_pack(
		"{s:I, s:I, s:I, s:I, s:s, s:o, s:o, s:I, s:I, s:o}", "from_ns",
		json_value_int(episode->from_ns), "to_ns", json_value_int(episode->to_ns),
		"messages", json_value_int(episode->units), "rounds",
		json_value_int(episode->rounds), "component", components[episode->cost].name,
		"culprit", explain_culprit_json(episode->role, &episode->by), "cpu",
		json_value_integer(episode->cpu, has_cpu), "worst_ns",
		json_value_int(episode->worst_ns), "excess_ns", json_value_int(episode->excess_ns),
		"since_begin_ns", json_value_integer(episode->from_ns - begin->ns, has_begin));
}

static json_t *episodes_json(const struct explanation *explanation)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < explanation->episode_cnt; i++)
		error |= json_array_append_new(list,
					       episode_json(explanation, &explanation->episode[i]));
	return json_value_whole(list, error);
}

static json_t *without_json(const struct explanation *explanation)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < explanation->without_cnt; i++) {
		const struct explain_without *without = &explanation->without[i];
		const struct explain_row *row = &explanation->row[without->row];

		error |= json_array_append_new(
			list,
			json_pack("{s:o, s:s, s:o, s:I, s:I}", "part",
				  json_value_text(cause_part_names[row->part]), "component",
				  components[row->cost].name, "culprit", row_culprit_json(row),
				  "p99_ns", json_value_int(without->p99_ns), "p999_ns",
				  json_value_int(without->p999_ns)));
	}
	return json_value_whole(list, error);
}

static json_t *typical_json(const struct explanation *explanation)
{
	const struct explain_typical *typical = &explanation->typical;
	json_t *object, *moments;

	if (!typical->is_known)
		return json_null();
	object = explain_unit_json(&explanation->info, &typical->unit);
	moments = explain_moments_json(&explanation->info, typical->moment, typical->moment_cnt);
	return json_value_whole(object, json_object_set_new(object, "moments", moments));
}

/* Fields that only an explanation has, unlike one that says why there is none. */
static int set_when(json_t *object, const struct explanation *explanation)
{
	bool has_period = explanation->period_ns > 0;
	int error = 0;

	error |= json_object_set_new(object, "episodes", episodes_json(explanation));
	error |= json_object_set_new(object, "episodes_count",
				     json_integer(json_value_int(explanation->episodes)));
	error |= json_object_set_new(object, "period_ns",
				     json_value_integer(explanation->period_ns, has_period));
	error |= json_object_set_new(object, "period_hits",
				     json_value_integer(explanation->period_hits, has_period));
	error |= json_object_set_new(object, "period_of",
				     json_value_integer(explanation->period_of, has_period));
	error |= json_object_set_new(object, "period_episode",
				     json_value_integer(explanation->period_episode - 1,
							explanation->period_episode > 0));
	return error;
}

static int set_bounds(json_t *object, const struct explanation *explanation)
{
	bool known = explanation->outcome == EXPLAIN_DONE;
	int error = 0;

	error |= json_object_set_new(object, "p99_ns",
				     json_value_integer(explanation->p99_ns, known));
	error |= json_object_set_new(object, "p999_ns",
				     json_value_integer(explanation->p999_ns, known));
	error |= json_object_set_new(object, "without", without_json(explanation));
	error |= json_object_set_new(object, "typical", typical_json(explanation));
	error |= json_object_set_new(object, "own_ns", json_value_real(explanation->own_ns));
	error |= json_object_set_new(object, "own_share", json_value_real(explanation->own_share));
	error |= json_object_set_new(object, "ambiguous",
				     json_integer(json_value_int(explanation->ambiguous)));
	error |= json_object_set_new(object, "not_cut",
				     json_integer(json_value_int(explanation->not_cut)));
	return error;
}

json_t *explanation_json(const struct explanation *explanation)
{
	uint32_t row = 0;
	json_t *object = json_pack(
		"{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:I}", "schema",
		"ipctrace.explain/1", "outcome", outcome_names[explanation->outcome], "unit",
		unit_kind_names[explanation->unit], "units", json_value_int(explanation->units),
		"slow", set_json(&explanation->slow), "base", set_json(&explanation->base),
		"difference_ns", json_value_real(explanation->difference_ns), "rows",
		rows_json(explanation, &row, 0), "attributes", attributes_json(explanation),
		"attributes_looked_at", json_value_int(explanation->attributes_looked_at));
	int error = set_when(object, explanation);

	error |= set_bounds(object, explanation);
	error |= json_object_set_new(object, "level",
				     json_string(level_names[explanation->info.level]));
	error |= json_object_set_new(object, "stacks", explain_stack_counts_json(explanation));
	error |= json_object_set_new(object, "began", begin_json(&explanation->info));
	return json_value_whole(object, error);
}
