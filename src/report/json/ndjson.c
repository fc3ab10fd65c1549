/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes reports for --format ndjson. Each run begins with a header line. Each message is one line
 * of JSON. The last line counts the messages, and says whether the end of a run is missing.
 */
#include "model/transport_names.h"
#include "report/json/json_line.h"
#include "report/json_value.h"
#include "report/json/message_line.h"
#include "report/words/labels.h"
#include "report/message_fields.h"
#include "insight/metrics.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "ipctrace.messages/1"

struct report {
	FILE *out;
	struct json_line line;    /* of the last message; reused */
	uint64_t slower_than_ns;  /* limit of --slower-than; 0: none */
	const char *select;       /* which messages are shown; NULL: all */
	uint64_t runs, summaries; /* runs that began, and those that ended */
	uint64_t messages, calls;
	uint64_t incomplete, lost; /* messages that are not shown; records */
	bool truncated;            /* the recording of a run lacks its end */
	struct message_view view;  /* of the current run */
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

/* A field of an object. */
static void ndjson_put_integer(struct json_line *line, const char *name, uint64_t number,
			       bool known)
{
	json_line_key(line, name, "");
	json_line_integer(line, number, known);
}

static void ndjson_put_text(struct json_line *line, const char *name, const char *text)
{
	json_line_key(line, name, "");
	json_line_text(line, text);
}

/* How the object of a message shows its fields, see message_fields.h. */
static void ndjson_on_name(void *out, const char *name, const char *more)
{
	json_line_key(out, name, more);
}

static void ndjson_on_null(void *out)
{
	json_line_null(out);
}

static void ndjson_on_integer(void *out, uint64_t number)
{
	json_line_integer(out, number, true);
}

static void ndjson_on_text(void *out, const char *text)
{
	json_line_text(out, text);
}

static void ndjson_on_flag(void *out, bool flag)
{
	json_line_flag(out, flag, true);
}

static void ndjson_on_words(void *out, const char *const *word, uint32_t cnt)
{
	json_line_open(out, '[');
	for (uint32_t i = 0; i < cnt; i++)
		json_line_text(out, word[i]);
	json_line_close(out, ']');
}

static void ndjson_on_blames(void *out, const struct blame *blame, uint32_t cnt)
{
	struct json_line *line = out;

	json_line_open(line, '[');
	for (uint32_t i = 0; i < cnt; i++) {
		json_line_open(line, '{');
		ndjson_put_text(line, "class", blame_classes[blame[i].class].name);
		ndjson_put_text(line, "comm", blame[i].comm);
		ndjson_put_integer(line, "tid", blame[i].tid, true);
		ndjson_put_integer(line, "ns", blame[i].ns, true);
		json_line_close(line, '}');
	}
	json_line_close(line, ']');
}

static void ndjson_on_blocked(void *out, const struct blocked_calls *blocked, const char *arch)
{
	struct json_line *line = out;

	json_line_open(line, '[');
	for (uint32_t i = 0; i < blocked->cnt; i++) {
		char name[NAME_LEN];

		syscall_name(arch, blocked->entry[i].call, name);
		json_line_open(line, '{');
		ndjson_put_text(line, "call", name);
		ndjson_put_integer(line, "ns", blocked->entry[i].ns, true);
		json_line_close(line, '}');
	}
	json_line_close(line, ']');
}

static const struct field_writer object_writer = {
	.name = ndjson_on_name,
	.null = ndjson_on_null,
	.integer = ndjson_on_integer,
	.text = ndjson_on_text,
	.flag = ndjson_on_flag,
	.words = ndjson_on_words,
	.blames = ndjson_on_blames,
	.blocked = ndjson_on_blocked,
};

static void ndjson_put_message(struct json_line *line, const struct message *message,
			       const struct message_view *view)
{
	line->length = 0;
	json_line_open(line, '{');
	message_fields_write(message, view, &object_writer, line);
	json_line_close(line, '}');
}

static void ndjson_add_name(void *out, const char *name, const char *more)
{
	json_array_append_new(out, json_sprintf("%s%s", name, more));
}

static json_t *field_names(void)
{
	json_t *names = json_array();

	message_fields_names(ndjson_add_name, names);
	return names;
}

static int ndjson_write_header(FILE *out, json_t *header)
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

static int ndjson_run(struct report *report, const struct run_info *info)
{
	uint64_t limit_ns = report->slower_than_ns;

	report->runs++;
	report->view = message_view_of(info);
	return ndjson_write_header(
		report->out,
		json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", SCHEMA,
			  "version", json_value_text(info->version), "host", host_json(&info->host),
			  "workload", workload_json(info), "fields", field_names(), "level",
			  json_value_text(info->traced ? level_names[info->level] : NULL),
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
	ndjson_put_message(&report->line, message, &report->view);
	report->messages++;
	return write_line(report);
}

void message_line_put(struct json_line *line, const struct run_info *info,
		      const struct message *message)
{
	const struct message_view view = message_view_of(info);

	ndjson_put_message(line, message, &view);
}

static void put_states(struct json_line *line, const struct call *call)
{
	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		json_line_key(line, service_states[i].name, "_ns");
		json_line_integer(line, call->state_ns[i], call->has_states);
	}
}

/* The parts add up to the round trip. */
static void put_call_times(struct json_line *line, const struct call *call)
{
	ndjson_put_integer(line, "request_sent_ns", call->sent_ns, true);
	ndjson_put_integer(line, "round_trip_ns", call->back_ns - call->sent_ns, true);
	ndjson_put_integer(line, "request_ns", call->received_ns - call->sent_ns, true);
	ndjson_put_integer(line, "service_ns", call->answered_ns - call->received_ns, true);
	ndjson_put_integer(line, "response_ns", call->back_ns - call->answered_ns, true);
	ndjson_put_integer(line, "response_first_ns", call->first_back_ns - call->answered_ns,
			   true);
}

void call_line_put(struct json_line *line, const struct call *call)
{
	line->length = 0;
	json_line_open(line, '{');
	ndjson_put_text(line, "kind", "call");
	ndjson_put_integer(line, "call", call->number, call->match != CALL_SEVERAL);
	ndjson_put_integer(line, "parent", call->parent, call->parent);
	ndjson_put_integer(line, "channel", call->channel, true);
	ndjson_put_text(line, "transport", transport_id_name(call->transport));
	ndjson_put_integer(line, "client_tid", call->client.tid, true);
	ndjson_put_text(line, "client_comm", call->client.comm);
	ndjson_put_integer(line, "server_tid", call->server.tid, true);
	ndjson_put_text(line, "server_comm", call->server.comm);
	put_call_times(line, call);
	put_states(line, call);
	ndjson_put_integer(line, "threads", call->threads, call->has_states);
	ndjson_put_integer(line, "worker_tid", call->worker, call->has_states);
	ndjson_put_integer(line, "nested", call->nested, true);
	ndjson_put_integer(line, "nested_ns", call->nested_ns, true);
	ndjson_put_integer(line, "requests", call->requests, true);
	ndjson_put_integer(line, "answers", call->answers, true);
	ndjson_put_text(line, "match", call_match_names[call->match]);
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
static void ndjson_put_end(struct report *report, bool is_cut)
{
	struct json_line *line = &report->line;
	bool truncated = is_cut || report->truncated || report->summaries < report->runs;

	line->length = 0;
	json_line_open(line, '{');
	ndjson_put_text(line, "end", SCHEMA);
	json_line_key(line, "truncated", "");
	json_line_flag(line, truncated, true);
	ndjson_put_integer(line, "runs", report->runs, true);
	ndjson_put_integer(line, "messages", report->messages, true);
	ndjson_put_integer(line, "incomplete", report->incomplete, true);
	ndjson_put_integer(line, "lost", report->lost, true);
	ndjson_put_integer(line, "calls", report->calls, true);
	json_line_close(line, '}');
}

/* Without a header the output stays empty. */
static int ndjson_end(struct report *report, bool is_cut)
{
	int error = 0;

	if (report->runs && !ferror(report->out)) {
		ndjson_put_end(report, is_cut);
		error = write_line(report);
	}
	error = report_flush(report->out) ?: error;
	json_line_free(&report->line);
	free(report);
	return error;
}

const struct report_format report_ndjson = {
	.name = "ndjson",
	.meaning = "one JSON object per message, each on its own line",
	.wants_messages = true,
	.begin = ndjson_begin,
	.run = ndjson_run,
	.message = ndjson_message,
	.call = ndjson_call,
	.summary = ndjson_summary,
	.end = ndjson_end,
};
