/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the JSON of one unit. Its fields are those of the messages and calls of ndjson, as far as
 * they are known, and further ones.
 */
#include "model/transport_names.h"
#include "report/json/explain/explanation_json.h"
#include "report/json_value.h"
#include "insight/metrics.h"

#include <stdio.h>

#define FIELD_LEN 32

static int set_integer(json_t *object, const char *name, uint64_t number, bool known)
{
	return json_object_set_new(object, name, json_value_integer(number, known));
}

static int unit_json_set_text(json_t *object, const char *name, const char *text)
{
	return json_object_set_new(object, name, json_value_text(text));
}

/* "client_tid", "client_comm", ... */
static int set_party(json_t *object, const char *role, const struct party *party, uint32_t pid)
{
	char name[FIELD_LEN];
	int error = 0;

	snprintf(name, sizeof(name), "%s_tid", role);
	error |= set_integer(object, name, party->tid, party->tid > 0);
	snprintf(name, sizeof(name), "%s_comm", role);
	error |= unit_json_set_text(object, name, party->comm);
	snprintf(name, sizeof(name), "%s_cpu", role);
	error |= set_integer(object, name, party->cpu, party->tid > 0);
	snprintf(name, sizeof(name), "%s_pid", role);
	return error | set_integer(object, name, pid, pid > 0);
}

static int set_identity(json_t *object, const struct unit *unit)
{
	bool is_call = unit->kind == UNIT_CALL;
	int error = 0;

	error |= unit_json_set_text(object, "kind", unit_kind_names[unit->kind]);
	error |= set_integer(object, "channel", unit->channel, true);
	error |= unit_json_set_text(object, "transport", transport_id_name(unit->transport));
	error |= set_integer(object, "seq", unit->position, true);
	error |= set_integer(object, "call", unit->number, is_call);
	error |= set_integer(object, "round", unit->round, unit->has_round);
	error |= set_integer(object, "client", unit->client, unit->has_round);
	error |= set_integer(object, "place", unit->place, unit->place > 0);
	error |= set_integer(object, "bytes", unit->bytes, true);
	error |= set_integer(object, "receives", unit->receives, true);
	error |= set_party(object, is_call ? "client" : "sender", &unit->sender, unit->sender_pid);
	error |= set_party(object, is_call ? "server" : "receiver", &unit->receiver,
			   unit->receiver_pid);
	return error;
}

static uint64_t unit_json_component_ns(const struct unit *unit, enum component component)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent && (int)unit->cause[i].cost == (int)component)
			ns += unit->cause[i].by.ns;
	}
	return ns;
}

static uint64_t part_ns(const struct unit *unit, enum cause_part part)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent && unit->cause[i].part == part)
			ns += unit->cause[i].by.ns;
	}
	return ns;
}

static int set_call_times(json_t *object, const struct unit *unit)
{
	int error = 0;

	error |= set_integer(object, "request_sent_ns", unit->from_ns, true);
	error |= set_integer(object, "round_trip_ns", unit_latency_ns(unit), true);
	error |= set_integer(object, "request_ns", part_ns(unit, PART_REQUEST), true);
	error |= set_integer(object, "service_ns", part_ns(unit, PART_SERVICE), true);
	error |= set_integer(object, "response_ns", part_ns(unit, PART_RESPONSE), true);
	return error;
}

static int set_message_times(json_t *object, const struct run_info *info, const struct unit *unit)
{
	char name[FIELD_LEN];
	int error = 0;

	error |= set_integer(object, "latency_ns", unit_latency_ns(unit), true);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		uint64_t ns = unit_json_component_ns(unit, i);

		snprintf(name, sizeof(name), "%s_ns", components[i].name);
		error |= set_integer(object, name, ns, ns || component_applies(info, i));
	}
	error |= unit_json_set_text(object, "path", paths[unit->path].name);
	return error;
}

static json_t *waker_json(const struct unit *unit)
{
	if (!unit->waker.tid)
		return json_null();
	return json_pack("{s:I, s:o}", "tid", json_value_int(unit->waker.tid), "comm",
			 json_value_text(unit->waker.comm));
}

static int set_circumstances(json_t *object, const struct unit *unit)
{
	int error = 0;

	error |= set_integer(object, "from_ns", unit->from_ns, true);
	error |= set_integer(object, "to_ns", unit->to_ns, true);
	error |= set_integer(object, "since_ns", unit->since_ns, unit->since_ns > 0);
	error |= json_object_set_new(object, "migrated", json_boolean(unit->has_migrated));
	error |= json_object_set_new(object, "ambiguous", json_boolean(unit->is_ambiguous));
	error |= json_object_set_new(object, "woken_from_interrupt",
				     json_boolean(unit->from_interrupt));
	error |= json_object_set_new(object, "waker", waker_json(unit));
	return error;
}

static json_t *causes_json(const struct run_info *info, const struct unit *unit, uint32_t parent,
			   int depth);

static json_t *cause_json(const struct run_info *info, const struct unit *unit, uint32_t at,
			  int depth)
{
	const struct cause *cause = &unit->cause[at];
	const struct explain_manner manner = {.role = cause->role,
					      .cost = cause->cost,
					      .from_interrupt = cause->from_interrupt,
					      .call = cause->call,
					      .cpu = cause->by.cpu};
	json_t *object =
		json_pack("{s:o, s:s, s:o, s:I, s:I, s:o, s:o}", "part",
			  json_value_text(cause_part_names[cause->part]), "component",
			  components[cause->cost].name, "culprit",
			  explain_culprit_json(cause->role, &cause->by), "ns",
			  json_value_int(cause->by.ns), "from_ns", json_value_int(cause->from_ns),
			  "of_tid", json_value_integer(cause->tid, cause->tid > 0), "followed",
			  causes_json(info, unit, at + 1, depth + 1));

	return json_value_whole(object, explain_set_manner(object, info, &manner));
}

/* Those that follow cause `parent` - 1; 0: those that are parts of the latency. */
static json_t *causes_json(const struct run_info *info, const struct unit *unit, uint32_t parent,
			   int depth)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = parent; depth <= CAUSE_DEPTH_MAX && i < unit->cause_cnt; i++) {
		if (unit->cause[i].parent == parent)
			error |= json_array_append_new(list, cause_json(info, unit, i, depth));
	}
	return json_value_whole(list, error);
}

json_t *explain_unit_json(const struct run_info *info, const struct unit *unit)
{
	json_t *object = json_object();
	int error = set_identity(object, unit);

	if (unit->kind == UNIT_CALL)
		error |= set_call_times(object, unit);
	else
		error |= set_message_times(object, info, unit);
	error |= set_circumstances(object, unit);
	error |= json_object_set_new(object, "causes", causes_json(info, unit, 0, 0));
	return json_value_whole(object, error);
}

static json_t *moment_json(const struct run_info *info, const struct moment *moment)
{
	const struct explain_manner manner = {.role = moment->role,
					      .cost = moment->cost,
					      .from_interrupt = moment->from_interrupt,
					      .call = moment->call,
					      .cpu = moment->by.cpu};
	bool has_cpu = moment->cpu < BLAME_CPU_SEVERAL;
	json_t *object =
		json_pack("{s:I, s:I, s:I, s:s, s:o}", "from_ns", json_value_int(moment->from_ns),
			  "to_ns", json_value_int(moment->to_ns), "tid",
			  json_value_int(moment->tid), "state", components[moment->cost].name,
			  "culprit", explain_culprit_json(moment->role, &moment->by));
	int error = explain_set_manner(object, info, &manner);

	error |= set_integer(object, "cpu", moment->cpu, has_cpu);
	return json_value_whole(object, error);
}

json_t *explain_moments_json(const struct run_info *info, const struct moment *moment, uint32_t cnt)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < cnt; i++)
		error |= json_array_append_new(list, moment_json(info, &moment[i]));
	return json_value_whole(list, error);
}
