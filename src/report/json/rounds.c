/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON object of the rounds of a summary. */
#include "report/json_value.h"

/* A distribution with the means of its components. */
static json_t *stat_with_means_json(const struct stat *stat, const struct component_sum *sum,
				    const struct run_info *info)
{
	json_t *means = info->traced ? json_value_means(sum, info, true) : json_null();
	json_t *object = json_value_stat(stat);

	return json_value_whole(object, json_object_set_new(object, "components_ns", means));
}

static json_t *orders_json(const struct rounds_summary *rounds)
{
	json_t *orders = json_array();
	int error = 0;

	for (uint32_t i = 0; i < rounds->order_cnt; i++) {
		const struct serving_order *order = &rounds->order[i];
		json_t *first = json_array();

		for (size_t k = 0; k < sizeof(order->first) / sizeof(order->first[0]); k++) {
			if (order->first[k])
				error |=
					json_array_append_new(first, json_integer(order->first[k]));
		}
		error |= json_array_append_new(orders,
					       json_pack("{s:o, s:I}", "first", first, "rounds",
							 json_value_int(order->rounds)));
	}
	return json_value_whole(orders, error);
}

/* Its time is that of one message: it has none here. */
static json_t *culprit_json(const struct missed_cause *cause)
{
	const struct blame *blame = &cause->blame;

	if (!cause->has_blame)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:b}", "class", blame_classes[blame->class].name, "comm",
			 json_value_text(blame->comm), "tid",
			 json_value_integer(blame->tid, blame->tid), "outside",
			 blame->kind == SLICE_TASK && tid_is_outside(blame->tid));
}

static json_t *missed_causes_json(const struct missed_summary *missed)
{
	json_t *causes = json_array();
	int error = 0;

	for (uint32_t i = 0; i < missed->cause_cnt; i++) {
		const struct missed_cause *cause = &missed->cause[i];
		const char *component = cause->is_known ? components[cause->component].name : NULL;

		error |= json_array_append_new(
			causes, json_pack("{s:s, s:o, s:o, s:I}", "missed",
					  cause->is_late ? "late" : "unfinished", "component",
					  json_value_text(component), "blame", culprit_json(cause),
					  "count", json_value_int(cause->count)));
	}
	return json_value_whole(causes, error);
}

/* null: there is no period that could be missed. */
static json_t *missed_json(const struct rounds_summary *rounds)
{
	const struct missed_summary *missed = &rounds->missed;

	if (!rounds->period_ns)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:o}", "late", json_value_int(missed->late), "skipped",
			 json_value_int(missed->skipped), "unfinished",
			 json_value_int(missed->unfinished), "causes", missed_causes_json(missed));
}

json_t *rounds_json(const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	bool is_attach = summary->info.mode == MODE_ATTACH, known = rounds->complete > 0;
	bool is_regular = !is_attach || rounds->period_ns;

	if (!rounds->count && !rounds->given_up)
		return json_null();
	return json_pack(
		"{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "count",
		json_value_int(rounds->count), "complete", json_value_int(rounds->complete),
		"given_up", json_value_integer(rounds->given_up, is_attach), "tick_ns",
		json_value_integer(rounds->tick_ns, !is_attach), "first_latency_ns",
		stat_with_means_json(&rounds->first, &rounds->first_components, &summary->info),
		"next_latency_ns",
		stat_with_means_json(&rounds->next, &rounds->next_components, &summary->info),
		"last_latency_ns", json_value_stat(&rounds->last), "service_time_ns",
		known ? json_value_real(rounds->service_ns) : json_null(), "efficiency_pct",
		known && is_regular ? json_value_real(rounds->efficiency_pct) : json_null(),
		"orders", orders_json(rounds), "orders_other", json_value_int(rounds->order_other),
		"period_ns", json_value_integer(rounds->period_ns, rounds->period_ns > 0),
		"start_distance_ns", is_attach ? json_value_stat(&rounds->distance) : json_null(),
		"missed", missed_json(rounds));
}
