/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the header of a recording to JSON text and back. */
#include "recording/header.h"

#include "model/kept_summary.h"
#include "model/transport_names.h"
#include "recording/layout.h"

#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* No place is further from UTC: time zones are at most 14 hours ahead, and 12 behind. */
#define UTC_OFFSET_MAX_S (24 * 3600)

enum kind {
	SAID, /* the same in every recording, and not read */
	TEXT,
	NUMBER, /* of 4 or 8 bytes, or an enum */
	SIGNED, /* int */
	FLAG,
};

/* A member of a struct, in the order of the text. */
struct member {
	const char *name;
	enum kind kind;
	size_t at, size;
	json_int_t least, most; /* of a number */
	bool is_new;            /* older recordings lack it: 0 or empty then */
	const char *says;       /* SAID */
};

#define AT(type, member) offsetof(struct type, member), sizeof(((struct type *)0)->member)

/* `least` and `most`: neither negative nor too large for sums; an enum; whatever fits. */
#define COUNT      0, SERIALIZER_NUMBER_MAX
#define BELOW(cnt) 0, (cnt)-1
#define ANY_INT    INT32_MIN, INT32_MAX

static const struct member run_members[] = {
	{"schema", .kind = SAID, .says = "ipctrace.recording/1"},
	{"mode", .kind = NUMBER, AT(run_info, mode), BELOW(NR_MODES), .is_new = true},
	{"level", .kind = NUMBER, AT(run_info, level), BELOW(NR_LEVELS), .is_new = true},
	{"keeps_slower_ns", .kind = NUMBER, AT(run_info, keeps_slower_ns), COUNT, .is_new = true},
	{"condition", .kind = TEXT, AT(run_info, condition), .is_new = true},
	{"keep_ns", .kind = NUMBER, AT(run_info, keep_ns), COUNT, .is_new = true},
	{"peer", .kind = TEXT, AT(run_info, peer), .is_new = true},
	{"target", .kind = TEXT, AT(run_info, target), .is_new = true},
	{"version", .kind = TEXT, AT(run_info, version)},
	{"command_line", .kind = TEXT, AT(run_info, command_line)},
	{"clock", .kind = SAID, .says = "CLOCK_MONOTONIC ns"},
	{"traced", .kind = FLAG, AT(run_info, traced)},
	{"tracer_pid", .kind = NUMBER, AT(run_info, tracer_pid), COUNT, .is_new = true},
	{"shows_switch", .kind = FLAG, AT(run_info, shows_switch)},
	{"shows_room", .kind = FLAG, AT(run_info, shows_room), .is_new = true},
	{"calls_in_turn", .kind = FLAG, AT(run_info, calls_in_turn), .is_new = true},
	{"server", .kind = TEXT, AT(run_info, server), .is_new = true},
	{"client", .kind = TEXT, AT(run_info, client), .is_new = true},
	{"experiment", .kind = TEXT, AT(run_info, experiment)},
	{0},
};

static const struct member host_members[] = {
	{"kernel", .kind = TEXT, AT(host, kernel)},
	{"arch", .kind = TEXT, AT(host, arch)},
	{"cpus", .kind = NUMBER, AT(host, cpus), COUNT},
	{"preemption", .kind = TEXT, AT(host, preemption)},
	{"clocksource", .kind = TEXT, AT(host, clocksource)},
	{"virtual", .kind = TEXT, AT(host, virtual_machine)},
	{0},
};

static const struct member workload_members[] = {
	{"transport", .kind = TEXT, AT(workload_spec, transport)},
	{"pattern", .kind = TEXT, AT(workload_spec, pattern)},
	{"clients", .kind = NUMBER, AT(workload_spec, clients), 1, CLIENTS_MAX},
	{"messages", .kind = NUMBER, AT(workload_spec, messages), COUNT},
	{"warmup", .kind = NUMBER, AT(workload_spec, warmup), COUNT},
	{"period_ns", .kind = NUMBER, AT(workload_spec, period_ns), COUNT},
	{"size", .kind = NUMBER, AT(workload_spec, size), COUNT},
	{"handler", .kind = TEXT, AT(workload_spec, handler)},
	{"load", .kind = TEXT, AT(workload_spec, load)},
	{"threads", .kind = FLAG, AT(workload_spec, threads)},
	{"reader", .kind = NUMBER, AT(workload_spec, reader), BELOW(NR_READERS)},
	{"read_size", .kind = NUMBER, AT(workload_spec, read_size), COUNT},
	{"run", .kind = NUMBER, AT(workload_spec, run), COUNT},
	{"policy", .kind = NUMBER, AT(workload_spec, sched_policy), BELOW(NR_SCHED_POLICIES)},
	{"server_priority", .kind = SIGNED, AT(workload_spec, server_priority), ANY_INT},
	{"client_priority", .kind = SIGNED, AT(workload_spec, client_priority), ANY_INT},
	{"placement", .kind = NUMBER, AT(workload_spec, cpu_affinity), BELOW(NR_CPU_AFFINITIES)},
	{"server_cpus", .kind = TEXT, AT(workload_spec, server_cpus)},
	{"client_cpus", .kind = TEXT, AT(workload_spec, client_cpus)},
	{0},
};

static const struct member begin_members[] = {
	{"unix_ns", .kind = NUMBER, AT(begin, unix_ns), 0, INT64_MAX},
	{"ns", .kind = NUMBER, AT(begin, ns), COUNT},
	{"utc_offset_s", .kind = SIGNED, AT(begin, utc_offset_s), -UTC_OFFSET_MAX_S,
	 UTC_OFFSET_MAX_S},
	{0},
};

static const struct member untraced_members[] = {
	{"count", .kind = NUMBER, AT(untraced, cnt), 0, INT32_MAX},
	{0},
};

static const struct member process_members[] = {
	{"pid", .kind = NUMBER, AT(untraced_process, pid), 0, INT32_MAX},
	{"comm", .kind = TEXT, AT(untraced_process, comm)},
	{0},
};

static json_t *layouts_json(void)
{
	json_t *all = json_object();
	size_t cnt;
	const struct layout *layouts = recording_layouts(&cnt);

	for (size_t i = 0; i < cnt; i++) {
		json_t *fields = json_array();

		for (const struct field *field = layouts[i].field; field->name; field++)
			json_array_append_new(fields,
					      json_pack("[s, i, i]", field->name,
							(int)field->offset, (int)field->size));
		json_object_set_new(all, layouts[i].name,
				    json_pack("{s:i, s:i, s:o}", "type", layouts[i].type, "bytes",
					      (int)layouts[i].size, "fields", fields));
	}
	return all;
}

/* In text that is not valid UTF-8, non-ASCII bytes become '?'. */
static json_t *text_json(const char *text)
{
	json_t *json = json_string(text);
	char ascii[512];
	size_t i;

	if (json)
		return json;
	for (i = 0; text[i] && i < sizeof(ascii) - 1; i++)
		ascii[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	ascii[i] = '\0';
	return json_string(ascii);
}

static json_t *member_json(const struct member *member, const void *of)
{
	const char *at = (const char *)of + member->at;

	switch (member->kind) {
	case SAID:
		return json_string(member->says);
	case TEXT:
		return text_json(at);
	case FLAG:
		return json_boolean(*(const bool *)at);
	case SIGNED:
		return json_integer(*(const int *)at);
	default:
		return json_integer(member->size == sizeof(uint64_t)
					    ? (json_int_t) * (const uint64_t *)at
					    : *(const uint32_t *)at);
	}
}

static json_t *encode(const struct member *member, const void *of)
{
	json_t *json = json_object();

	for (; member->name; member++)
		json_object_set_new(json, member->name, member_json(member, of));
	return json;
}

static json_t *encode_untraced(const struct untraced *untraced)
{
	json_t *json = encode(untraced_members, untraced), *named = json_array();

	for (uint32_t i = 0; i < untraced_named(untraced); i++)
		json_array_append_new(named, encode(process_members, &untraced->named[i]));
	json_object_set_new(json, "named", named);
	return json;
}

char *recording_header_encode(const struct run_info *info)
{
	json_t *json = encode(run_members, info);
	char *text;

	json_object_set_new(json, "host", encode(host_members, &info->host));
	json_object_set_new(json, "workload", encode(workload_members, &info->workload));
	json_object_set_new(json, "layouts", layouts_json());
	json_object_set_new(json, "begin", encode(begin_members, &info->begin));
	json_object_set_new(json, "untraced", encode_untraced(&info->untraced));
	text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(json);
	return text;
}

static bool decode_number(json_t *value, const struct member *member, char *at)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < member->least || number > member->most)
		return false;
	if (member->size == sizeof(uint64_t))
		*(uint64_t *)at = (uint64_t)number;
	else
		*(uint32_t *)at = (uint32_t)number;
	return true;
}

static bool decode_member(json_t *value, const struct member *member, void *of)
{
	char *at = (char *)of + member->at;

	if (member->kind == SAID || (!value && member->is_new))
		return true;
	switch (member->kind) {
	case TEXT:
		snprintf(at, member->size, "%s", json_string_value(value) ?: "");
		return json_is_string(value);
	case FLAG:
		*(bool *)at = json_is_true(value);
		return json_is_boolean(value);
	default:
		return decode_number(value, member, at);
	}
}

/* Members are 0 at first. */
static bool decode(json_t *json, const struct member *member, void *of)
{
	while (member->name && decode_member(json_object_get(json, member->name), member, of))
		member++;
	return !member->name;
}

static bool decode_workload(json_t *json, struct workload_spec *spec)
{
	return decode(json, workload_members, spec) && transport_name_is_known(spec->transport) &&
	       spec_pattern_is_known(spec->pattern);
}

static bool decode_untraced(json_t *json, struct untraced *untraced)
{
	json_t *named = json_object_get(json, "named"), *process;
	size_t i;

	if (!decode(json, untraced_members, untraced) || !named ||
	    json_array_size(named) != untraced_named(untraced))
		return false;
	json_array_foreach(named, i, process)
	{
		if (!decode(process, process_members, &untraced->named[i]))
			return false;
	}
	return true;
}

/* `begin` and `untraced` are new, too. */
static bool decode_run(json_t *json, struct run_info *info)
{
	json_t *workload = json_object_get(json, "workload");
	json_t *begin = json_object_get(json, "begin");
	json_t *untraced = json_object_get(json, "untraced");

	return decode(json, run_members, info) &&
	       decode(json_object_get(json, "host"), host_members, &info->host) && workload &&
	       (info->mode != MODE_RUN || decode_workload(workload, &info->workload)) &&
	       (!begin || decode(begin, begin_members, &info->begin)) &&
	       (!untraced || decode_untraced(untraced, &info->untraced));
}

int recording_header_decode(const char *text, size_t size, struct run_info *info, char *why,
			    size_t why_size)
{
	json_error_t error;
	json_t *json = json_loadb(text, size, 0, &error);
	bool is_whole;

	memset(info, 0, sizeof(*info));
	if (!json) {
		snprintf(why, why_size, "its header is damaged (%s): record it anew", error.text);
		return -EINVAL;
	}
	is_whole = decode_run(json, info);
	json_decref(json);
	if (is_whole)
		return 0;
	snprintf(why, why_size,
		 "its header lacks a field or has an impossible value: record it anew");
	return -EINVAL;
}
