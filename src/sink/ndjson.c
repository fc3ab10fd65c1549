/* SPDX-License-Identifier: BSD-2-Clause */
/* -f ndjson: a header per cell, then every message, one JSON object a line. */
#include "sink/call_name.h"
#include "sink/sinks.h"
#include "sink/words.h"
#include "sink/summary_json.h"
#include "sink/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sink {
	FILE *out;
	uint64_t slower_than_ns; /* that were asked for; 0: all */
	bool traced; /* of the present cell; else only the clients' own stamps are known */
	char arch[SPEC_TEXT_LEN]; /* of the present cell; empty: what was slept in is not told */
};

static struct sink *ndjson_begin(const struct sink_options *options)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	sink->out = options->out;
	sink->slower_than_ns = options->slower_than_ns;
	return sink;
}

static int put_identity(json_t *record, const struct message *message)
{
	bool round = message->has_round;
	int error = 0;

	error |= json_object_set_new(record, "channel", value_integer(message->channel, true));
	error |= json_object_set_new(record, "transport",
				     value_text(transport_id_name(message->transport)));
	error |= json_object_set_new(record, "seq", value_integer(message->position, true));
	error |= json_object_set_new(record, "round", value_integer(message->round, round));
	error |= json_object_set_new(record, "client", value_integer(message->client, round));
	error |= json_object_set_new(record, "bytes", value_integer(message->bytes, true));
	error |= json_object_set_new(record, "receives", value_integer(message->receives, true));
	return error;
}

static int put_parties(json_t *record, const struct message *message, bool traced)
{
	const struct party *sender = &message->sender;
	const struct party *receiver = &message->receiver;
	int error = 0;

	error |= json_object_set_new(record, "sender_tid", value_integer(sender->tid, traced));
	error |= json_object_set_new(record, "sender_comm", value_text(sender->comm));
	error |= json_object_set_new(record, "sender_cpu", value_integer(sender->cpu, traced));
	error |= json_object_set_new(record, "receiver_tid", value_integer(receiver->tid, true));
	error |= json_object_set_new(record, "receiver_comm", value_text(receiver->comm));
	error |= json_object_set_new(record, "receiver_cpu", value_integer(receiver->cpu, traced));
	return error;
}

static bool component_known(const struct message *message, enum component component)
{
	switch (component) {
	case COMPONENT_DISPATCH:
		return message->has_round;
	case COMPONENT_RETURN:
		return message->has_round && !message->hides_calls;
	case COMPONENT_SEND_PATH:
	case COMPONENT_BUSY:
		return !message->hides_calls;
	/* Of several switches, or waits, some may have been seen: their time is known. */
	case COMPONENT_RUNQUEUE:
		return !message->unseen_wakeup || message->component_ns[COMPONENT_RUNQUEUE];
	case COMPONENT_SWITCH:
		return message->shows_switch &&
		       (!message->unseen_switch || message->component_ns[COMPONENT_SWITCH]);
	default:
		return true;
	}
}

static int put_times(json_t *record, const struct message *message, bool traced)
{
	bool calls = traced && !message->hides_calls;
	int error = 0;

	error |= json_object_set_new(record, "send_ns", value_integer(message->send_ns, calls));
	error |=
		json_object_set_new(record, "latency_ns", value_integer(message->latency_ns, true));
	for (int i = 0; i < NR_COMPONENTS; i++) {
		bool known = traced && component_known(message, i);
		char name[NAME_LEN];

		snprintf(name, sizeof(name), "%s_ns", component_name(i));
		error |= json_object_set_new(record, name,
					     value_integer(message->component_ns[i], known));
	}
	return error;
}

static json_t *blames(const struct message *message)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < message->blame_cnt; i++)
		error |= json_array_append_new(list, value_blame(&message->blame[i]));
	if (error) {
		json_decref(list);
		return NULL;
	}
	return list;
}

static json_t *blocked_on(const struct message *message, const char *arch)
{
	json_t *list = json_array();
	struct waits waits;
	int error = 0;

	waits_of_message(message, &waits);
	waits_sort(&waits);
	for (uint32_t i = 0; i < waits.cnt; i++) {
		char name[NAME_LEN];

		call_name(arch, waits.wait[i].call, name);
		error |= json_array_append_new(list, json_pack("{s:s, s:I}", "call", name, "ns",
							       (json_int_t)waits.wait[i].ns));
	}
	if (error) {
		json_decref(list);
		return NULL;
	}
	return list;
}

static int put_judgement(json_t *record, const struct message *message, bool traced)
{
	const char *path = traced ? path_name(message->path) : NULL;
	const char *match = traced ? match_name(message->match) : NULL;
	int error = 0;

	error |= json_object_set_new(record, "path", value_text(path));
	error |= json_object_set_new(record, "match", value_text(match));
	error |= json_object_set_new(record, "blame", blames(message));
	return error;
}

static int put_instants(json_t *record, const struct message *message, bool traced)
{
	bool stamp = message->has_stamp, calls = traced && !message->hides_calls;
	int error = 0;

	error |= json_object_set_new(record, "stamp_ns", value_integer(message->stamp_ns, stamp));
	error |=
		json_object_set_new(record, "queued_ns", value_integer(message->queued_ns, traced));
	error |= json_object_set_new(record, "recv_ns", value_integer(message->recv_ns, calls));
	error |= json_object_set_new(record, "user_ns", value_integer(message->user_ns, stamp));
	return error;
}

/* Of links that carry messages both ways, and of exchanges at a fixed rate. */
static int put_exchange(json_t *record, const struct message *message)
{
	json_t *to_server = message->has_round ? json_boolean(message->to_server) : json_null();
	int error = 0;

	error |= json_object_set_new(record, "to_server", to_server);
	error |= json_object_set_new(record, "due_ns",
				     value_integer(message->due_ns, message->due_ns > 0));
	return error;
}

/* Where no call is seen that returns, a message is taken. */
static int put_taking(json_t *record, const struct message *message, bool traced)
{
	return json_object_set_new(record, "taken_ns",
				   value_integer(message->recv_ns, traced && message->hides_calls));
}

/* The fields stand in the contract's order; ours come after them. */
static json_t *message_record(const struct message *message, bool traced, const char *arch)
{
	json_t *record = json_object();
	int error = 0;

	error |= put_identity(record, message);
	error |= put_parties(record, message, traced);
	error |= put_times(record, message, traced);
	error |= put_judgement(record, message, traced);
	error |= put_instants(record, message, traced);
	error |= put_exchange(record, message);
	error |= json_object_set_new(record, "blocked_on",
				     arch[0] ? blocked_on(message, arch) : json_null());
	error |= put_taking(record, message, traced);
	if (error) {
		json_decref(record);
		return NULL;
	}
	return record;
}

/* The names of the fields, taken from a record so that header and records cannot differ. */
static json_t *field_names(void)
{
	const struct message none = {0};
	json_t *record = message_record(&none, false, "");
	json_t *names = json_array();
	const char *name;
	json_t *value;

	if (!record) {
		json_decref(names);
		return NULL;
	}
	json_object_foreach(record, name, value) json_array_append_new(names, json_string(name));
	json_decref(record);
	return names;
}

static int write_line(FILE *out, json_t *record)
{
	int error = 0;

	if (!record)
		return -ENOMEM;
	if (json_dumpf(record, out, JSON_COMPACT))
		error = ferror(out) && errno ? -errno : -EIO;
	json_decref(record);
	if (!error && fputc('\n', out) == EOF)
		error = -errno;
	return error;
}

/* Messages that are not slower are left out. */
static uint64_t slower_than_ns(const struct sink *sink, const struct run_info *info)
{
	return info->keeps_slower_ns > sink->slower_than_ns ? info->keeps_slower_ns
							    : sink->slower_than_ns;
}

static int ndjson_cell(struct sink *sink, const struct run_info *info)
{
	uint64_t limit_ns = slower_than_ns(sink, info);

	sink->traced = info->traced;
	sink->arch[0] = '\0';
	if (info->mode == MODE_ATTACH)
		memcpy(sink->arch, info->host.arch, sizeof(sink->arch));
	return write_line(sink->out,
			  json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
				    "ipctrace.messages/1", "version", value_text(info->version),
				    "host", host_json(&info->host), "workload", workload_json(info),
				    "fields", field_names(), "level",
				    value_text(info->traced ? level_name(info->level) : NULL),
				    "slower_than_ns", value_integer(limit_ns, limit_ns > 0)));
}

static int ndjson_message(struct sink *sink, const struct message *message)
{
	return write_line(sink->out, message_record(message, sink->traced, sink->arch));
}

static int ndjson_result(struct sink *sink, const struct summary *summary)
{
	(void)summary; /* -f json shows it */
	return sink_flush(sink->out);
}

static int ndjson_end(struct sink *sink)
{
	int error = sink_flush(sink->out);

	free(sink);
	return error;
}

const struct sink_ops sink_ndjson = {
	.name = "ndjson",
	.summary = "every message with its components, one JSON object a line",
	.wants_messages = true,
	.begin = ndjson_begin,
	.cell = ndjson_cell,
	.message = ndjson_message,
	.result = ndjson_result,
	.end = ndjson_end,
};
