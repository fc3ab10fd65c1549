/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes reports for --format ndjson. Each run begins with a header line. Each message is one line
 * of JSON. The last line counts the messages, and says whether the end of a run is missing.
 */
#include "model/transport_names.h"
#include "report/json/json_line.h"
#include "report/json/json_value.h"
#include "report/json/message_line.h"
#include "report/labels.h"
#include "report/metrics.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "ipctrace.messages/1"

/* What is known of the messages of a run. */
struct view {
	bool traced; /* else only the clients' stamps are known */
	bool is_attach;
	char arch[SPEC_TEXT_LEN]; /* to name the syscalls of an attach; empty: a run */
};

struct report {
	FILE *out;
	struct json_line line;    /* of the last message; reused */
	uint64_t slower_than_ns;  /* limit of --slower-than; 0: none */
	const char *select;       /* which messages are shown; NULL: all */
	uint64_t runs, summaries; /* runs that began, and those that ended */
	uint64_t messages, calls;
	uint64_t incomplete, lost; /* messages that are not shown; records */
	bool truncated;            /* the recording of a run lacks its end */
	struct view view;          /* of the current run */
};

static struct report *ndjson_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->out = style->out;
	report->slower_than_ns = style->slower_than_ns;
	report->select = style->select;
	return report;
}

/* A field of the object of a message. */
static void put_integer(struct json_line *line, const char *name, uint64_t number, bool known)
{
	json_line_key(line, name, "");
	json_line_integer(line, number, known);
}

static void put_text(struct json_line *line, const char *name, const char *text)
{
	json_line_key(line, name, "");
	json_line_text(line, text);
}

static void put_identity(struct json_line *line, const struct message *message)
{
	bool round = message->has_round;

	put_integer(line, "channel", message->channel, true);
	put_text(line, "transport", transport_id_name(message->transport));
	put_integer(line, "seq", message->position, true);
	put_integer(line, "round", message->round, round);
	put_integer(line, "client", message->client, round);
	put_integer(line, "bytes", message->bytes, true);
	put_integer(line, "receives", message->receives, true);
}

static void put_parties(struct json_line *line, const struct message *message, bool traced)
{
	const struct party *sender = &message->sender;
	const struct party *receiver = &message->receiver;

	put_integer(line, "sender_tid", sender->tid, traced);
	put_text(line, "sender_comm", sender->comm);
	put_integer(line, "sender_cpu", sender->cpu, traced);
	put_integer(line, "receiver_tid", receiver->tid, true);
	put_text(line, "receiver_comm", receiver->comm);
	put_integer(line, "receiver_cpu", receiver->cpu, traced);
}

static void put_component(struct json_line *line, const struct message *message,
			  enum component component, const struct view *view)
{
	json_line_key(line, component_names[component], "_ns");
	json_line_integer(line, message->component_ns[component],
			  view->traced && message_knows(message, component, view->is_attach));
}

static void put_times(struct json_line *line, const struct message *message,
		      const struct view *view)
{
	bool traced = view->traced;
	bool calls = traced && !message->hides_calls;

	put_integer(line, "send_ns", message->send_ns, calls);
	put_integer(line, "latency_ns", message->latency_ns, true);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (i != COMPONENT_ROOM)
			put_component(line, message, i, view);
	}
}

static void put_blames(struct json_line *line, const struct message *message)
{
	json_line_key(line, "blame", "");
	json_line_open(line, '[');
	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		const struct blame *blame = &message->blame[i];

		json_line_open(line, '{');
		put_text(line, "class", blame_class_names[blame->class]);
		put_text(line, "comm", blame->comm);
		put_integer(line, "tid", blame->tid, true);
		put_integer(line, "ns", blame->ns, true);
		json_line_close(line, '}');
	}
	json_line_close(line, ']');
}

/* Known in an attach only. */
static void put_blocked_on(struct json_line *line, const struct message *message, const char *arch)
{
	struct blocked_calls blocked;

	json_line_key(line, "blocked_on", "");
	if (!arch[0]) {
		json_line_null(line);
		return;
	}
	blocked_calls_of_message(message, &blocked);
	blocked_calls_sort(&blocked);
	json_line_open(line, '[');
	for (uint32_t i = 0; i < blocked.cnt; i++) {
		char name[NAME_LEN];

		syscall_name(arch, blocked.entry[i].call, name);
		json_line_open(line, '{');
		put_text(line, "call", name);
		put_integer(line, "ns", blocked.entry[i].ns, true);
		json_line_close(line, '}');
	}
	json_line_close(line, ']');
}

static void put_judgement(struct json_line *line, const struct message *message, bool traced)
{
	put_text(line, "path", traced ? path_names[message->path] : NULL);
	put_text(line, "match", traced ? match_names[message->match] : NULL);
	put_blames(line, message);
}

static void put_instants(struct json_line *line, const struct message *message, bool traced)
{
	bool stamp = message->has_stamp, calls = traced && !message->hides_calls;

	put_integer(line, "stamp_ns", message->stamp_ns, stamp);
	put_integer(line, "queued_ns", message->queued_ns, traced);
	put_integer(line, "recv_ns", message->recv_ns, calls);
	put_integer(line, "user_ns", message->user_ns, stamp);
}

/* For patterns with answers, and for exchanges at a fixed rate. */
static void put_exchange(struct json_line *line, const struct message *message, bool is_attach)
{
	json_line_key(line, "to_server", "");
	json_line_flag(line, message->to_server, message->has_round && !is_attach);
	put_integer(line, "due_ns", message->due_ns, message->due_ns > 0);
}

/* The components that lack a part, which another component has. */
static void put_unseen(struct json_line *line, const struct message *message, bool traced)
{
	json_line_key(line, "unseen", "");
	if (!traced) {
		json_line_null(line);
		return;
	}
	json_line_open(line, '[');
	if (message->unseen_wakeup)
		json_line_text(line, component_names[COMPONENT_RUNQUEUE]);
	if (message->unseen_switch)
		json_line_text(line, component_names[COMPONENT_SWITCH]);
	json_line_close(line, ']');
}

/* The order of the fields is part of the schema. New fields go to the end. */
static void put_message(struct json_line *line, const struct message *message,
			const struct view *view)
{
	bool traced = view->traced;

	line->length = 0;
	json_line_open(line, '{');
	put_identity(line, message);
	put_parties(line, message, traced);
	put_times(line, message, view);
	put_judgement(line, message, traced);
	put_instants(line, message, traced);
	put_exchange(line, message, view->is_attach);
	put_blocked_on(line, message, view->arch);
	/* Level light does not trace the return of the call: the data leaves the queue at recv_ns.
	 */
	put_integer(line, "taken_ns", message->recv_ns, traced && message->hides_calls);
	put_unseen(line, message, traced);
	put_component(line, message, COMPONENT_ROOM, view);
	put_text(line, "kind", "message");
	json_line_close(line, '}');
}

/* The names of the fields, read from a message so that the header cannot differ from them. */
static json_t *field_names(struct json_line *line)
{
	const struct message none = {0};
	const struct view view = {0};
	json_t *names = json_array(), *record, *value;
	const char *name;

	put_message(line, &none, &view);
	record = line->failed ? NULL : json_loadb(line->text, line->length, 0, NULL);
	if (!record) {
		json_decref(names);
		return NULL;
	}
	json_object_foreach(record, name, value) json_array_append_new(names, json_string(name));
	json_decref(record);
	return names;
}

static int write_header(FILE *out, json_t *header)
{
	int error;

	if (!header)
		return -ENOMEM;
	error = json_value_write(header, JSON_COMPACT, out);
	json_decref(header);
	if (!error && fputc('\n', out) == EOF)
		error = -errno;
	return error;
}

static struct view view_of(const struct run_info *info)
{
	struct view view = {.traced = info->traced, .is_attach = info->mode == MODE_ATTACH};

	if (view.is_attach)
		memcpy(view.arch, info->host.arch, sizeof(view.arch));
	return view;
}

static int ndjson_run(struct report *report, const struct run_info *info)
{
	uint64_t limit_ns = report->slower_than_ns;

	report->runs++;
	report->view = view_of(info);
	return write_header(
		report->out,
		json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", SCHEMA,
			  "version", json_value_text(info->version), "host", host_json(&info->host),
			  "workload", workload_json(info), "fields", field_names(&report->line),
			  "level", json_value_text(info->traced ? level_names[info->level] : NULL),
			  "slower_than_ns", json_value_integer(limit_ns, limit_ns > 0), "began",
			  begin_json(info), "select", json_value_text(report->select), "condition",
			  json_value_text(info->condition[0] ? info->condition : NULL)));
}

static int write_line(struct report *report)
{
	const struct json_line *line = &report->line;

	if (line->failed)
		return -ENOMEM;
	if (fwrite(line->text, line->length, 1, report->out) != 1 ||
	    fputc('\n', report->out) == EOF)
		return -errno;
	return 0;
}

static int ndjson_message(struct report *report, const struct message *message)
{
	put_message(&report->line, message, &report->view);
	report->messages++;
	return write_line(report);
}

void message_line_put(struct json_line *line, const struct run_info *info,
		      const struct message *message)
{
	const struct view view = view_of(info);

	put_message(line, message, &view);
}

static void put_states(struct json_line *line, const struct call *call)
{
	static const char *const names[NR_SERVICE_STATES] = {
		[SERVICE_ON_CPU] = "on_cpu_ns",
		[SERVICE_RUNQUEUE] = "runqueue_ns",
		[SERVICE_BLOCKED] = "blocked_ns",
		[SERVICE_WAKEUP] = "wakeup_ns",
	};

	for (int i = 0; i < NR_SERVICE_STATES; i++)
		put_integer(line, names[i], call->state_ns[i], call->has_states);
}

/* The parts add up to the round trip. */
static void put_call_times(struct json_line *line, const struct call *call)
{
	put_integer(line, "request_sent_ns", call->sent_ns, true);
	put_integer(line, "round_trip_ns", call->back_ns - call->sent_ns, true);
	put_integer(line, "request_ns", call->received_ns - call->sent_ns, true);
	put_integer(line, "service_ns", call->answered_ns - call->received_ns, true);
	put_integer(line, "response_ns", call->back_ns - call->answered_ns, true);
	put_integer(line, "response_first_ns", call->first_back_ns - call->answered_ns, true);
}

void call_line_put(struct json_line *line, const struct call *call)
{
	line->length = 0;
	json_line_open(line, '{');
	put_text(line, "kind", "call");
	put_integer(line, "call", call->number, call->match != CALL_SEVERAL);
	put_integer(line, "parent", call->parent, call->parent);
	put_integer(line, "channel", call->channel, true);
	put_text(line, "transport", transport_id_name(call->transport));
	put_integer(line, "client_tid", call->client.tid, true);
	put_text(line, "client_comm", call->client.comm);
	put_integer(line, "server_tid", call->server.tid, true);
	put_text(line, "server_comm", call->server.comm);
	put_call_times(line, call);
	put_states(line, call);
	put_integer(line, "threads", call->threads, call->has_states);
	put_integer(line, "worker_tid", call->worker, call->has_states);
	put_integer(line, "nested", call->nested, true);
	put_integer(line, "nested_ns", call->nested_ns, true);
	put_integer(line, "requests", call->requests, true);
	put_integer(line, "answers", call->answers, true);
	put_text(line, "match", call_match_names[call->match]);
	json_line_key(line, "guessed", "");
	json_line_flag(line, call->is_guessed, true);
	json_line_key(line, "ambiguous", "");
	json_line_flag(line, call->is_ambiguous, true);
	json_line_close(line, '}');
}

static int ndjson_call(struct report *report, const struct call *call)
{
	call_line_put(&report->line, call);
	report->calls++;
	return write_line(report);
}

/* The statistics are in -f json. */
static int ndjson_summary(struct report *report, const struct summary *summary)
{
	report->summaries++;
	report->incomplete += integrity_incomplete(&summary->integrity);
	report->lost += integrity_lost(&summary->integrity);
	report->truncated |= summary->integrity.truncated;
	return report_flush(report->out);
}

/* A run that failed before its summary is not complete. */
static void put_end(struct report *report, bool is_cut)
{
	struct json_line *line = &report->line;
	bool truncated = is_cut || report->truncated || report->summaries < report->runs;

	line->length = 0;
	json_line_open(line, '{');
	put_text(line, "end", SCHEMA);
	json_line_key(line, "truncated", "");
	json_line_flag(line, truncated, true);
	put_integer(line, "runs", report->runs, true);
	put_integer(line, "messages", report->messages, true);
	put_integer(line, "incomplete", report->incomplete, true);
	put_integer(line, "lost", report->lost, true);
	put_integer(line, "calls", report->calls, true);
	json_line_close(line, '}');
}

/* Without a header the output stays empty. */
static int ndjson_end(struct report *report, bool is_cut)
{
	int error = 0;

	if (report->runs && !ferror(report->out)) {
		put_end(report, is_cut);
		error = write_line(report);
	}
	error = report_flush(report->out) ?: error;
	json_line_free(&report->line);
	free(report);
	return error;
}

const struct report_format report_ndjson = {
	.name = "ndjson",
	.wants_messages = true,
	.begin = ndjson_begin,
	.run = ndjson_run,
	.message = ndjson_message,
	.call = ndjson_call,
	.summary = ndjson_summary,
	.end = ndjson_end,
};
