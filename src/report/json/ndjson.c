/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes reports for --format ndjson. Each run begins with a header line. Each message is one line
 * of JSON. The last line counts the messages, and says whether the end of a run is missing.
 */
#include "report/message_fields.h"
#include "insight/metrics.h"
#include "report/format.h"
#include "report/json/message_line.h"
#include "report/json/summary_fields.h"
#include "report/json_value.h"

#include <errno.h>
#include <stdlib.h>

struct header {
	struct run_info info;
	uint64_t slower_than_ns; /* limit of --slower-than; 0: none */
	const char *select;      /* which messages are shown; NULL: all */
};

/* How many lines and runs there are so far. */
struct last {
	uint64_t runs; /* that began */
	uint64_t messages, calls;
	uint64_t incomplete, lost; /* messages that are not shown; records */
	bool truncated;            /* the recording of a run lacks its end */
};

struct report {
	FILE *out;
	struct json_line line; /* of the last message; reused */
	struct header header;  /* of the current run */
	struct last last;
	uint64_t summaries; /* runs that ended */
};

static json_t *field_names(const struct json_place *place)
{
	json_t *names = json_array();

	(void)place;
	for (size_t i = 0; i < message_members.cnt; i++)
		json_array_append_new(names, json_string(message_members.row[i].name));
	return names;
}

static const struct member header_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.messages/1")},
	{TEXT, AT(header, info.version), "version", "of the ipctrace that recorded"},
	{STRUCT, AT(header, info.host), "host", .of = &host_members},
	{STRUCT, AT(header, info.workload), "workload", NULL, IN_RUN, .of = &workload_spec_members},
	{TEXTS, .name = "fields", "the members of a message, in their order", NOT_NULL,
	 .limits = "{\"uniqueItems\": true}", .derive = field_names},
	{WORD, AT(header, info.level), "level", "how much was traced", NAMES(level_names)},
	{NS, AT(header, slower_than_ns), "slower_than_ns", "only slower messages are shown",
	 "all are", IF(header, slower_than_ns)},
	{STRUCT, AT(header, info.begin), "began", NULL, "not known", IF(header, info.begin.unix_ns),
	 .of = &begin_members},
	{NAME, AT(header, select), "select", "the options that select messages, in words",
	 "all are shown"},
	{TEXT, AT(header, info.condition), "condition",
	 "the recording has only what is around messages that fulfil this", "it has all"},
};
OBJECT(header, header, "The first line of each run.");

/* The answer may belong to another call. */
static bool is_certain(const struct run_info *info, const void *of)
{
	const struct call *call = of;

	(void)info;
	return call->match != CALL_SEVERAL;
}

static const struct member call_rows[] = {
	{WORD, .name = "kind", WORDS("call")},
	{NUMBER, AT(call, number), "call", "the number of the call", "several were open",
	 .known = is_certain},
	{NUMBER, AT(call, parent), "parent", "the call in whose service it was made", "none",
	 IF_SET},
	{NUMBER, AT(call, channel), "channel", "the channel of the request"},
	{WORD, AT(call, transport), "transport", TRANSPORT_SAYS, "several, or not known",
	 NAMES(transport_id_names)},
	{NUMBER, AT(call, client.tid), "client_tid", "the thread that sent the request"},
	{TEXT, AT(call, client.comm), "client_comm", "its name", "not known"},
	{NUMBER, AT(call, server.tid), "server_tid", "the thread that received the request"},
	{TEXT, AT(call, server.comm), "server_comm", "its name", "not known"},
	{NS, AT(call, sent_ns), "request_sent_ns", "the instant at which the round trip begins"},
	{NS, TIME_FROM(call, sent_ns, back_ns), "round_trip_ns",
	 "the round trip, which is request, service and response"},
	{NS, TIME_FROM(call, sent_ns, received_ns), "request_ns", "the way to the server"},
	{NS, TIME_FROM(call, received_ns, answered_ns), "service_ns",
	 "the time that the server needs to answer"},
	{NS, TIME_FROM(call, answered_ns, back_ns), "response_ns",
	 "the way back, to the last part of the answer"},
	{NS, TIME_FROM(call, answered_ns, first_back_ns), "response_first_ns",
	 "the way back, to the first part of the answer"},
	{NS, AT(call, state_ns[SERVICE_ON_CPU]), "on_cpu_ns", "the serving threads ran",
	 "not known", IF(call, has_states)},
	{NS, AT(call, state_ns[SERVICE_RUNQUEUE]), "runqueue_ns", "they waited for a CPU",
	 "not known", IF(call, has_states)},
	{NS, AT(call, state_ns[SERVICE_BLOCKED]), "blocked_ns", "they slept", "not known",
	 IF(call, has_states)},
	{NS, AT(call, state_ns[SERVICE_WAKEUP]), "wakeup_ns",
	 "another thread had handed on the work, and the next one was not runnable yet",
	 "not known", IF(call, has_states)},
	{NUMBER, AT(call, threads), "threads", "through how many threads the service went",
	 "not known", IF(call, has_states)},
	{NUMBER, AT(call, worker), "worker_tid", "the thread that had it longest", "not known",
	 IF(call, has_states)},
	{NUMBER, AT(call, nested), "nested", "how many calls were made in its service"},
	{NS, AT(call, nested_ns), "nested_ns", "for how long at least one of these was open"},
	{NUMBER, AT(call, requests), "requests", "the messages of the request"},
	{NUMBER, AT(call, answers), "answers", "the messages of the answer"},
	{WORD, AT(call, match), "match", "how sure it is that the answer belongs to the request",
	 NAMES(call_match_names)},
	{FLAG, AT(call, is_guessed), "guessed", "it is a guess which end serves"},
	{FLAG, AT(call, is_ambiguous), "ambiguous", "its request or answer is ambiguous"},
	{NS, AT(call, connect_ns), "connect_ns",
	 "the first call of a connection: so long before the request, its client began to "
	 "connect",
	 "another call, or not known", IF_SET},
	{NS, AT(call, opening_ns), "opening_ns",
	 "since then, it took so long until the connection was open at both ends",
	 "another call, or not known", IF_SET},
};
OBJECT(call, call, "A request and its answer, in an attach.");

static const struct member last_rows[] = {
	{WORD, .name = "end", WORDS("ipctrace.messages/1")},
	{FLAG, AT(last, truncated), "truncated",
	 "the output lacks messages, because a run failed or a recording is cut"},
	{NUMBER, AT(last, runs), "runs", "headers", .least = 1},
	{NUMBER, AT(last, messages), "messages", "messages"},
	{NUMBER, AT(last, incomplete), "incomplete",
	 "messages that are not shown, because they have no components"},
	{NUMBER, AT(last, lost), "lost", "records that were lost"},
	{NUMBER, AT(last, calls), "calls", "calls"},
};
OBJECT(last, last, "The last line. An output without it is not whole.");

static struct report *ndjson_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->out = style->out;
	report->header.slower_than_ns = style->slower_than_ns;
	report->header.select = style->select;
	return report;
}

void message_line_put(struct json_line *line, const struct run_info *info,
		      const struct message *message)
{
	json_line_put(line, &message_members, info, message);
}

void call_line_put(struct json_line *line, const struct call *call)
{
	json_line_put(line, &call_object, NULL, call);
}

static int ndjson_run(struct report *report, const struct run_info *info)
{
	const struct json_place place = {.more = json_more, .info = info};
	json_t *header;
	int error;

	report->last.runs++;
	report->header.info = *info;
	header = json_members(&place, &header_object, &report->header);
	if (!header)
		return -ENOMEM;
	error = json_value_write(header, JSON_COMPACT, report->out);
	json_decref(header);
	if (!error && fputc('\n', report->out) == EOF)
		error = -errno;
	return error;
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
	message_line_put(&report->line, &report->header.info, message);
	report->last.messages++;
	return write_line(report);
}

static int ndjson_call(struct report *report, const struct call *call)
{
	call_line_put(&report->line, call);
	report->last.calls++;
	return write_line(report);
}

/* The statistics are in -f json. */
static int ndjson_summary(struct report *report, const struct summary *summary)
{
	report->summaries++;
	report->last.incomplete += integrity_incomplete(&summary->integrity);
	report->last.lost += integrity_lost(&summary->integrity);
	report->last.truncated |= summary->integrity.truncated;
	return report_flush(report->out);
}

/* Without a header the output stays empty. A run that failed before its summary is not complete. */
static int ndjson_end(struct report *report, bool is_cut)
{
	int error = 0;

	if (report->last.runs && !ferror(report->out)) {
		report->last.truncated |= is_cut || report->summaries < report->last.runs;
		json_line_put(&report->line, &last_object, NULL, &report->last);
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
