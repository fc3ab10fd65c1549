/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording_header.h"

#include "bpf/record.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* For readers other than this program: where each field of each record is. */
struct field {
	const char *name;
	size_t offset;
	size_t size;
};

struct layout {
	const char *name;
	unsigned int type;
	size_t size;
	const struct field *field; /* up to one without a name */
};

#define FIELD(record, field)                                                                       \
	{                                                                                          \
#field, offsetof(struct record, field), sizeof(((struct record *)0)->field)        \
	}
#define FIELDS(...)                                                                                \
	(const struct field[])                                                                     \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

static const struct layout layouts[] = {
	{"send", RECORD_SEND, sizeof(struct record_send),
	 FIELDS(FIELD(record_send, channel), FIELD(record_send, bytes),
		FIELD(record_send, position), FIELD(record_send, send_ns),
		FIELD(record_send, queued_ns))},
	{"receive", RECORD_RECEIVE, sizeof(struct record_receive),
	 FIELDS(FIELD(record_receive, channel), FIELD(record_receive, bytes),
		FIELD(record_receive, position), FIELD(record_receive, enter_ns),
		FIELD(record_receive, exit_ns), FIELD(record_receive, first))},
	{"slice", RECORD_SLICE, sizeof(struct record_slice),
	 FIELDS(FIELD(record_slice, kind), FIELD(record_slice, seq), FIELD(record_slice, start_ns),
		FIELD(record_slice, end_ns))},
	{"channel", RECORD_CHANNEL, sizeof(struct record_channel),
	 FIELDS(FIELD(record_channel, channel), FIELD(record_channel, transport),
		FIELD(record_channel, sender), FIELD(record_channel, receiver))},
	{"name", RECORD_NAME, sizeof(struct record_name),
	 FIELDS(FIELD(record_name, kind), FIELD(record_name, flags), FIELD(record_name, policy),
		FIELD(record_name, priority), FIELD(record_name, since_ns),
		FIELD(record_name, comm))},
	{"role", RECORD_ROLE, sizeof(struct record_role),
	 FIELDS(FIELD(record_role, role), FIELD(record_role, client), FIELD(record_role, comm))},
	{"tick", RECORD_TICK, sizeof(struct record_tick),
	 FIELDS(FIELD(record_tick, round), FIELD(record_tick, due_ns), FIELD(record_tick, stamp_ns),
		FIELD(record_tick, sent), FIELD(record_tick, skipped))},
	{"stamp", RECORD_STAMP, sizeof(struct record_stamp),
	 FIELDS(FIELD(record_stamp, client), FIELD(record_stamp, to_server),
		FIELD(record_stamp, index), FIELD(record_stamp, round),
		FIELD(record_stamp, stamp_ns), FIELD(record_stamp, user_ns),
		FIELD(record_stamp, due_ns))},
	{"left", RECORD_LEFT, sizeof(struct record_left),
	 FIELDS(FIELD(record_left, client), FIELD(record_left, reason), FIELD(record_left, round),
		FIELD(record_left, detail))},
	{"watermark", RECORD_WATERMARK, sizeof(struct record_watermark),
	 FIELDS(FIELD(record_watermark, before_ns))},
	{"end", RECORD_END, sizeof(struct record_end),
	 FIELDS(FIELD(record_end, loss), FIELD(record_end, bpf_ns),
		FIELD(record_end, bpf_messages))},
	{"changes", RECORD_CHANGES, sizeof(struct record_changes),
	 FIELDS(FIELD(record_changes, base_ns), FIELD(record_changes, first))},
	{"arrival", RECORD_ARRIVAL, sizeof(struct record_arrival),
	 FIELDS(FIELD(record_arrival, channel), FIELD(record_arrival, end),
		FIELD(record_arrival, at_ns))},
	{"traffic", RECORD_TRAFFIC, sizeof(struct record_traffic),
	 FIELDS(FIELD(record_traffic, client), FIELD(record_traffic, to_server),
		FIELD(record_traffic, sent), FIELD(record_traffic, received),
		FIELD(record_traffic, corrupt), FIELD(record_traffic, bytes),
		FIELD(record_traffic, first_ns), FIELD(record_traffic, last_ns),
		FIELD(record_traffic, wakes_sent), FIELD(record_traffic, wakes_delivered))},
	{"load", RECORD_LOAD, sizeof(struct record_load),
	 FIELDS(FIELD(record_load, count), FIELD(record_load, ended))},
	{"thread", RECORD_THREAD, sizeof(struct record_thread),
	 FIELDS(FIELD(record_thread, pid), FIELD(record_thread, is_peer),
		FIELD(record_thread, since_ns))},
	{"address", RECORD_ADDRESS, sizeof(struct record_address),
	 FIELDS(FIELD(record_address, channel), FIELD(record_address, family),
		FIELD(record_address, length), FIELD(record_address, sender_port),
		FIELD(record_address, receiver_port), FIELD(record_address, named),
		FIELD(record_address, inode), FIELD(record_address, text))},
	{"start", RECORD_START, sizeof(struct record_start),
	 FIELDS(FIELD(record_start, channel), FIELD(record_start, is_new),
		FIELD(record_start, leftover))},
	{"stop", RECORD_STOP, sizeof(struct record_stop), FIELDS(FIELD(record_stop, at_ns))},
};

static json_t *layouts_json(void)
{
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
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

/* Whatever bytes a command line holds: those that are no UTF-8 become '?'. */
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
		(int)spec->policy, "server_priority", spec->server_priority, "client_priority",
		spec->client_priority, "placement", (int)spec->placement, "server_cpus",
		spec->server_cpus, "client_cpus", spec->client_cpus);
}

char *recording_header_encode(const struct run_info *info)
{
	json_t *json = json_pack(
		"{s:s, s:i, s:o, s:o, s:s, s:o, s:s, s:b, s:b, s:s, s:o, s:o, s:o}", "schema",
		"ipctrace.recording/1", "mode", (int)info->mode, "peer", text_json(info->peer),
		"target", text_json(info->target), "version", info->version, "command_line",
		text_json(info->command_line), "clock", "CLOCK_MONOTONIC ns", "traced",
		info->traced, "shows_switch", info->shows_switch, "experiment", info->experiment,
		"host", encode_host(&info->host), "workload", encode_workload(&info->workload),
		"layouts", layouts_json());
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	json_decref(json);
	return text;
}

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

static int decode_host(json_t *json, struct host *host)
{
	const char *kernel, *arch, *preemption, *clocksource, *machine;
	json_int_t cpus;

	if (json_unpack(json, "{s:s, s:s, s:I, s:s, s:s, s:s}", "kernel", &kernel, "arch", &arch,
			"cpus", &cpus, "preemption", &preemption, "clocksource", &clocksource,
			"virtual", &machine))
		return -EINVAL;
	host->cpus = cpus;
	copy_text(host->kernel, sizeof(host->kernel), kernel);
	copy_text(host->arch, sizeof(host->arch), arch);
	copy_text(host->preemption, sizeof(host->preemption), preemption);
	copy_text(host->clocksource, sizeof(host->clocksource), clocksource);
	copy_text(host->virtual_machine, sizeof(host->virtual_machine), machine);
	return 0;
}

static int decode_numbers(json_t *json, struct workload_spec *spec)
{
	json_int_t clients, messages, warmup, period, size, read_size, run;
	int threads;

	if (json_unpack(json, "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "clients", &clients,
			"messages", &messages, "warmup", &warmup, "period_ns", &period, "size",
			&size, "read_size", &read_size, "run", &run, "threads", &threads) ||
	    clients < 1 || clients > CLIENTS_MAX)
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
			"client_cpus", &client_cpus))
		return -EINVAL;
	copy_text(spec->transport, sizeof(spec->transport), transport);
	copy_text(spec->pattern, sizeof(spec->pattern), pattern);
	copy_text(spec->handler, sizeof(spec->handler), handler);
	copy_text(spec->load, sizeof(spec->load), load);
	copy_text(spec->server_cpus, sizeof(spec->server_cpus), server_cpus);
	copy_text(spec->client_cpus, sizeof(spec->client_cpus), client_cpus);
	return 0;
}

static int decode_choices(json_t *json, struct workload_spec *spec)
{
	int policy, placement, reader;

	if (json_unpack(json, "{s:i, s:i, s:i, s:i, s:i}", "policy", &policy, "placement",
			&placement, "reader", &reader, "server_priority", &spec->server_priority,
			"client_priority", &spec->client_priority) ||
	    policy < 0 || policy >= NR_POLICIES || placement < 0 || placement >= NR_PLACEMENTS ||
	    reader < 0 || reader >= NR_READERS)
		return -EINVAL;
	spec->policy = policy;
	spec->placement = placement;
	spec->reader = reader;
	return 0;
}

static bool decode_workload(json_t *json, struct workload_spec *spec)
{
	return !decode_numbers(json, spec) && !decode_words(json, spec) &&
	       !decode_choices(json, spec);
}

int recording_header_decode(const char *text, size_t size, struct run_info *info, char *why,
			    size_t why_size)
{
	const char *version, *command_line, *experiment, *target = NULL, *peer = NULL;
	json_t *host, *workload, *json;
	json_error_t error;
	int traced, shows_switch, mode = MODE_RUN, err = 0;

	memset(info, 0, sizeof(*info));
	json = json_loadb(text, size, 0, &error);
	if (!json) {
		snprintf(why, why_size, "its header is damaged: %s", error.text);
		return -EINVAL;
	}
	if (json_unpack(json, "{s:s, s:s, s:b, s:b, s:s, s:o, s:o, s?i, s?s, s?s}", "version",
			&version, "command_line", &command_line, "traced", &traced, "shows_switch",
			&shows_switch, "experiment", &experiment, "host", &host, "workload",
			&workload, "mode", &mode, "target", &target, "peer", &peer) ||
	    mode < 0 || mode >= NR_MODES || decode_host(host, &info->host) ||
	    (mode == MODE_RUN && !decode_workload(workload, &info->workload))) {
		snprintf(why, why_size, "its header lacks a field or has an impossible value");
		err = -EINVAL;
	} else {
		info->mode = mode;
		info->traced = traced;
		info->shows_switch = shows_switch;
		copy_text(info->version, sizeof(info->version), version);
		copy_text(info->target, sizeof(info->target), target);
		copy_text(info->peer, sizeof(info->peer), peer);
		copy_text(info->command_line, sizeof(info->command_line), command_line);
		copy_text(info->experiment, sizeof(info->experiment), experiment);
	}
	json_decref(json);
	return err;
}
