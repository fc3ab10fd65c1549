/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the header of a recording to JSON text and back. */
#include "recording/header.h"

#include "model/kept_summary.h"
#include "model/transport_names.h"
#include "recording/layout.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* No place is further from UTC: time zones are at most 14 hours ahead, and 12 behind. */
#define UTC_OFFSET_MAX_S (24 * 3600)

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

static json_t *encode_host(const struct host *host)
{
	return json_pack("{s:s, s:s, s:I, s:s, s:s, s:s}", "kernel", host->kernel, "arch",
			 host->arch, "cpus", (json_int_t)host->cpus, "preemption", host->preemption,
			 "clocksource", host->clocksource, "virtual", host->virtual_machine);
}

static json_t *encode_workload(const struct workload_spec *spec)
{
	return json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:b, s:i, s:I, s:I,"
		" s:i, s:i, s:i, s:i, s:s, s:s}",
		"transport", spec->transport, "pattern", spec->pattern, "clients",
		(json_int_t)spec->clients, "messages", (json_int_t)spec->messages, "warmup",
		(json_int_t)spec->warmup, "period_ns", (json_int_t)spec->period_ns, "size",
		(json_int_t)spec->size, "handler", text_json(spec->handler), "load",
		text_json(spec->load), "threads", spec->threads, "reader", (int)spec->reader,
		"read_size", (json_int_t)spec->read_size, "run", (json_int_t)spec->run, "policy",
		(int)spec->sched_policy, "server_priority", spec->server_priority,
		"client_priority", spec->client_priority, "placement", (int)spec->cpu_affinity,
		"server_cpus", spec->server_cpus, "client_cpus", spec->client_cpus);
}

static json_t *encode_begin(const struct begin *begin)
{
	return json_pack("{s:I, s:I, s:i}", "unix_ns", (json_int_t)begin->unix_ns, "ns",
			 (json_int_t)begin->ns, "utc_offset_s", (int)begin->utc_offset_s);
}

static json_t *encode_untraced(const struct untraced *untraced)
{
	json_t *named = json_array();

	for (uint32_t i = 0; i < untraced_named(untraced); i++)
		json_array_append_new(named, json_pack("{s:I, s:o}", "pid",
						       (json_int_t)untraced->named[i].pid, "comm",
						       text_json(untraced->named[i].comm)));
	return json_pack("{s:I, s:o}", "count", (json_int_t)untraced->cnt, "named", named);
}

char *recording_header_encode(const struct run_info *info)
{
	json_t *json = json_pack(
		"{s:s, s:i, s:i, s:I, s:o, s:I, s:o, s:o, s:s, s:o, s:s, s:b, s:I, s:b, s:b, s:b, "
		"s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}",
		"schema", "ipctrace.recording/1", "mode", (int)info->mode, "level",
		(int)info->level, "keeps_slower_ns", (json_int_t)info->keeps_slower_ns, "condition",
		text_json(info->condition), "keep_ns", (json_int_t)info->keep_ns, "peer",
		text_json(info->peer), "target", text_json(info->target), "version", info->version,
		"command_line", text_json(info->command_line), "clock", "CLOCK_MONOTONIC ns",
		"traced", info->traced, "tracer_pid", (json_int_t)info->tracer_pid, "shows_switch",
		info->shows_switch, "shows_room", info->shows_room, "calls_in_turn",
		info->calls_in_turn, "server", text_json(info->server), "client",
		text_json(info->client), "experiment", info->experiment, "host",
		encode_host(&info->host), "workload", encode_workload(&info->workload), "layouts",
		layouts_json(), "begin", encode_begin(&info->begin), "untraced",
		encode_untraced(&info->untraced));
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	json_decref(json);
	return text;
}

static void header_copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

/* Neither negative nor too large for sums. */
static bool are_numbers(json_int_t a, json_int_t b, json_int_t c)
{
	const json_int_t most = SERIALIZER_NUMBER_MAX;

	return a >= 0 && b >= 0 && c >= 0 && a <= most && b <= most && c <= most;
}

static int decode_host(json_t *json, struct host *host)
{
	const char *kernel, *arch, *preemption, *clocksource, *machine;
	json_int_t cpus;

	if (json_unpack(json, "{s:s, s:s, s:I, s:s, s:s, s:s}", "kernel", &kernel, "arch", &arch,
			"cpus", &cpus, "preemption", &preemption, "clocksource", &clocksource,
			"virtual", &machine) ||
	    !are_numbers(cpus, 0, 0))
		return -EINVAL;
	host->cpus = cpus;
	header_copy_text(host->kernel, sizeof(host->kernel), kernel);
	header_copy_text(host->arch, sizeof(host->arch), arch);
	header_copy_text(host->preemption, sizeof(host->preemption), preemption);
	header_copy_text(host->clocksource, sizeof(host->clocksource), clocksource);
	header_copy_text(host->virtual_machine, sizeof(host->virtual_machine), machine);
	return 0;
}

static int decode_numbers(json_t *json, struct workload_spec *spec)
{
	json_int_t clients, messages, warmup, period, size, read_size, run;
	int threads;

	if (json_unpack(json, "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "clients", &clients,
			"messages", &messages, "warmup", &warmup, "period_ns", &period, "size",
			&size, "read_size", &read_size, "run", &run, "threads", &threads) ||
	    clients < 1 || clients > CLIENTS_MAX || !are_numbers(messages, warmup, period) ||
	    !are_numbers(size, read_size, run))
		return -EINVAL;
	spec->clients = clients;
	spec->messages = messages;
	spec->warmup = warmup;
	spec->period_ns = period;
	spec->size = size;
	spec->read_size = read_size;
	spec->run = run;
	spec->threads = threads;
	return 0;
}

static int decode_words(json_t *json, struct workload_spec *spec)
{
	const char *transport, *pattern, *handler, *load, *server_cpus, *client_cpus;

	if (json_unpack(json, "{s:s, s:s, s:s, s:s, s:s, s:s}", "transport", &transport, "pattern",
			&pattern, "handler", &handler, "load", &load, "server_cpus", &server_cpus,
			"client_cpus", &client_cpus) ||
	    !transport_name_is_known(transport) || !spec_pattern_is_known(pattern))
		return -EINVAL;
	header_copy_text(spec->transport, sizeof(spec->transport), transport);
	header_copy_text(spec->pattern, sizeof(spec->pattern), pattern);
	header_copy_text(spec->handler, sizeof(spec->handler), handler);
	header_copy_text(spec->load, sizeof(spec->load), load);
	header_copy_text(spec->server_cpus, sizeof(spec->server_cpus), server_cpus);
	header_copy_text(spec->client_cpus, sizeof(spec->client_cpus), client_cpus);
	return 0;
}

static int decode_choices(json_t *json, struct workload_spec *spec)
{
	int policy, cpu_affinity, reader;

	if (json_unpack(json, "{s:i, s:i, s:i, s:i, s:i}", "policy", &policy, "placement",
			&cpu_affinity, "reader", &reader, "server_priority", &spec->server_priority,
			"client_priority", &spec->client_priority) ||
	    policy < 0 || policy >= NR_SCHED_POLICIES || cpu_affinity < 0 ||
	    cpu_affinity >= NR_CPU_AFFINITIES || reader < 0 || reader >= NR_READERS)
		return -EINVAL;
	spec->sched_policy = policy;
	spec->cpu_affinity = cpu_affinity;
	spec->reader = reader;
	return 0;
}

static bool decode_workload(json_t *json, struct workload_spec *spec)
{
	return !decode_numbers(json, spec) && !decode_words(json, spec) &&
	       !decode_choices(json, spec);
}

/* Fields that older recordings do not have. */
static bool decode_calls(json_t *json, struct run_info *info)
{
	const char *server = NULL, *client = NULL;
	int in_turn = false, shows_room = false;

	if (json_unpack(json, "{s?b, s?s, s?s, s?b}", "calls_in_turn", &in_turn, "server", &server,
			"client", &client, "shows_room", &shows_room))
		return false;
	info->calls_in_turn = in_turn;
	info->shows_room = shows_room;
	header_copy_text(info->server, sizeof(info->server), server);
	header_copy_text(info->client, sizeof(info->client), client);
	return true;
}

static bool decode_windows(json_t *json, struct run_info *info)
{
	const char *condition = NULL;
	json_int_t keep_ns = 0;

	if (json_unpack(json, "{s?s, s?I}", "condition", &condition, "keep_ns", &keep_ns) ||
	    !are_numbers(keep_ns, 0, 0))
		return false;
	header_copy_text(info->condition, sizeof(info->condition), condition);
	info->keep_ns = keep_ns;
	return true;
}

/* Older recordings do not have it either. */
static bool decode_begin(json_t *json, struct begin *begin)
{
	json_int_t unix_ns = 0, ns = 0;
	int utc_offset_s = 0;

	if (json_unpack(json, "{s?{s:I, s:I, s:i}}", "begin", "unix_ns", &unix_ns, "ns", &ns,
			"utc_offset_s", &utc_offset_s) ||
	    unix_ns < 0 || !are_numbers(ns, 0, 0) || utc_offset_s < -UTC_OFFSET_MAX_S ||
	    utc_offset_s > UTC_OFFSET_MAX_S)
		return false;
	*begin = (struct begin){unix_ns, ns, utc_offset_s};
	return true;
}

static bool decode_untraced(json_t *json, struct untraced *untraced)
{
	json_t *named = NULL, *process;
	json_int_t cnt = 0, pid;
	const char *comm;
	size_t i;

	if (json_unpack(json, "{s?{s:I, s:o}}", "untraced", "count", &cnt, "named", &named) ||
	    cnt < 0 || cnt > INT32_MAX)
		return false;
	untraced->cnt = (uint32_t)cnt;
	if (json_array_size(named) != untraced_named(untraced))
		return false;
	json_array_foreach(named, i, process)
	{
		if (json_unpack(process, "{s:I, s:s}", "pid", &pid, "comm", &comm) || pid < 0 ||
		    pid > INT32_MAX)
			return false;
		untraced->named[i].pid = (uint32_t)pid;
		header_copy_text(untraced->named[i].comm, PROCESS_COMM_LEN, comm);
	}
	return true;
}

int recording_header_decode(const char *text, size_t size, struct run_info *info, char *why,
			    size_t why_size)
{
	const char *version, *command_line, *experiment, *target = NULL, *peer = NULL;
	json_t *host, *workload, *json;
	json_int_t keeps_slower_ns = 0, tracer_pid = 0;
	json_error_t error;
	int traced, shows_switch, mode = MODE_RUN, level = LEVEL_FULL, err = 0;

	memset(info, 0, sizeof(*info));
	json = json_loadb(text, size, 0, &error);
	if (!json) {
		snprintf(why, why_size, "its header is damaged (%s): record it anew", error.text);
		return -EINVAL;
	}
	if (json_unpack(json, "{s:s, s:s, s:b, s:b, s:s, s:o, s:o, s?i, s?i, s?I, s?I, s?s, s?s}",
			"version", &version, "command_line", &command_line, "traced", &traced,
			"shows_switch", &shows_switch, "experiment", &experiment, "host", &host,
			"workload", &workload, "mode", &mode, "level", &level, "keeps_slower_ns",
			&keeps_slower_ns, "tracer_pid", &tracer_pid, "target", &target, "peer",
			&peer) ||
	    !are_numbers(keeps_slower_ns, tracer_pid, 0) || mode < 0 || mode >= NR_MODES ||
	    level < 0 || level >= NR_LEVELS || decode_host(host, &info->host) ||
	    !decode_calls(json, info) || !decode_windows(json, info) ||
	    !decode_begin(json, &info->begin) || !decode_untraced(json, &info->untraced) ||
	    (mode == MODE_RUN && !decode_workload(workload, &info->workload))) {
		snprintf(why, why_size,
			 "its header lacks a field or has an impossible value: record it anew");
		err = -EINVAL;
	} else {
		info->mode = mode;
		info->level = level;
		info->keeps_slower_ns = keeps_slower_ns;
		info->traced = traced;
		info->tracer_pid = tracer_pid;
		info->shows_switch = shows_switch;
		header_copy_text(info->version, sizeof(info->version), version);
		header_copy_text(info->target, sizeof(info->target), target);
		header_copy_text(info->peer, sizeof(info->peer), peer);
		header_copy_text(info->command_line, sizeof(info->command_line), command_line);
		header_copy_text(info->experiment, sizeof(info->experiment), experiment);
	}
	json_decref(json);
	return err;
}
