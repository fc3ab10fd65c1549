/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the JSON of when, and for how long, was traced. */
#include "model/transport_names.h"
#include "report/json_value.h"
#include "report/words/labels.h"
#include "insight/metrics.h"

json_t *begin_json(const struct run_info *info)
{
	const struct begin *begin = &info->begin;
	char utc[BEGIN_LEN];

	if (!begin->unix_ns)
		return json_null();
	begin_in_utc(begin, utc);
	return json_pack("{s:o, s:I, s:I, s:i}", "utc", json_value_text(utc), "unix_ns",
			 json_value_int(begin->unix_ns), "monotonic_ns", json_value_int(begin->ns),
			 "utc_offset_s", (int)begin->utc_offset_s);
}

/* The process that has a name of the targets now that none of them is left. */
static json_t *heir_json(const struct end_summary *now)
{
	return now->pid ? json_pack("{s:I, s:o}", "pid", json_value_int(now->pid), "comm",
				    json_value_text(now->comm))
			: json_null();
}

json_t *found_json(const struct summary *summary)
{
	const struct found_summary *found = &summary->found;
	const char *transport = found->name[0] ? transport_id_name(found->transport) : NULL;

	if (!found->known)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "targets",
			 json_value_int(found->targets), "connections",
			 json_value_int(found->connections), "services",
			 json_value_int(found->services), "elsewhere",
			 json_value_int(found->elsewhere), "transport", json_value_text(transport),
			 "name", json_value_text(found->name), "now", heir_json(&found->now));
}

static json_t *seen_json(const struct choice_summary *choice)
{
	json_t *seen = json_array();

	for (uint32_t i = 0; i < choice->names && i < CHOICE_SEEN_MAX; i++) {
		const struct chosen_process *process = &choice->seen[i];

		json_array_append_new(
			seen, json_pack("{s:o, s:o, s:I}", "pid",
					json_value_integer(process->end.pid, process->end.pid > 0),
					"comm", json_value_text(process->end.comm), "messages",
					json_value_int(process->messages)));
	}
	return seen;
}

static json_t *choice_json(const struct choice_summary *choice, const char *wanted)
{
	if (!wanted[0])
		return json_null();
	return json_pack("{s:o, s:I, s:I, s:I, s:o}", "wanted", json_value_text(wanted), "matched",
			 json_value_int(choice->matched), "others", json_value_int(choice->others),
			 "names", json_value_int(choice->names), "seen", seen_json(choice));
}

json_t *choices_json(const struct summary *summary)
{
	const struct run_info *info = &summary->info;
	const struct choice_summary *choice = summary->choice;

	if (!info->peer[0] && !info->server[0] && !info->client[0])
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "peer", choice_json(&choice[CHOICE_PEER], info->peer),
			 "server", choice_json(&choice[CHOICE_SERVER], info->server), "client",
			 choice_json(&choice[CHOICE_CLIENT], info->client));
}

/* Null: there are none, or a run or an older recording, which do not have them. */
static json_t *untraced_json(const struct untraced *untraced)
{
	json_t *named = json_array();

	for (uint32_t i = 0; i < untraced_named(untraced); i++)
		json_array_append_new(named,
				      json_pack("{s:I, s:o}", "pid",
						json_value_int(untraced->named[i].pid), "comm",
						json_value_text(untraced->named[i].comm)));
	if (!untraced->cnt) {
		json_decref(named);
		return json_null();
	}
	return json_pack("{s:I, s:o}", "count", json_value_int(untraced->cnt), "named", named);
}

json_t *tracing_json(const struct summary *summary)
{
	uint64_t ns = traced_ns(summary);

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "began", begin_json(&summary->info),
			 "duration_ns", json_value_integer(ns, ns > 0), "messages_per_second",
			 json_value_real(sends_per_second(summary)), "calls_per_second",
			 json_value_real(calls_per_second(summary)), "untraced",
			 untraced_json(&summary->info.untraced));
}
