/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes reports for --format perfetto: a trace for the viewer at ui.perfetto.dev. Each run has a
 * root with these tracks below it, and threads have their own:
 *
 *	ipctrace        the slowest call or message, and what the file has
 *	    slowest     rank 1, rank 2, ...
 *	    rounds
 *	    calls
 *	    channels    channel 3, uds: server to client-1; ...
 *	    counters    latency, in flight, lateness
 *	    lost        where something is not known
 *	client-1 4711
 *	    client-1    running, runnable, asleep; send, receive
 *
 * Nothing is drawn where nothing is known. The file is written as messages come, in bounded memory.
 */
#include "report/format.h"
#include "insight/metrics.h"
#include "report/perfetto/tracks.h"

#include <errno.h>
#include <stdlib.h>

#define DESCRIPTION_LEN 512

/* A quarter of what is shown. */
#define VIEW_MARGIN 4

/* What the end of a run takes at most, nearly always, without what its messages bring about. */
#define ABOUT_BYTES 1500
#define VIEW_BYTES  60

/* Before the first message shows how many a message takes. */
#define MESSAGE_BYTES 1500

#define CALL_BYTES    500
#define MOMENT_BYTES  100

struct report {
	FILE *out;
	const char *select; /* which messages are shown; NULL or empty: all */
	const char *limit;  /* the same, because of the size of the file */
	bool is_run_matrix;
	struct packets *packets;
	struct thread_tracks *threads;
	uint64_t last_flow;
	struct scene scene;
	struct round_tracks rounds;
	struct call_tracks *calls;
	struct channel_tracks channels;
	struct counters counters;
	struct slowest slowest;
	uint64_t messages;      /* shown */
	uint64_t left_out;      /* of this run, because the file was full */
	uint64_t *all_left_out; /* of all runs; borrowed, or NULL */
	uint64_t *all_bytes;    /* of the file; borrowed, or NULL */
	uint64_t max_bytes;
	const uint64_t *run_bytes;
	uint64_t limit_bytes; /* where this run has to end */
	uint64_t widest;      /* what one message took at most */
	struct span first;    /* the slowest of all runs */
};

static void end_run(struct report *report)
{
	round_tracks_clean(&report->rounds);
	call_tracks__free(report->calls);
	channel_tracks_clean(&report->channels);
	slowest_free(&report->slowest);
	fit_free(&report->scene.lost.fit);
	report->calls = NULL;
	report->messages = report->left_out = 0;
}

static void perfetto_free_report(struct report *report)
{
	end_run(report);
	thread_tracks__free(report->threads);
	packets__free(report->packets);
	free(report);
}

static struct report *perfetto_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->out = style->out;
	report->select = style->select;
	report->limit = style->limit;
	report->max_bytes = style->max_bytes;
	report->run_bytes = style->run_bytes;
	report->all_left_out = style->left_out;
	report->all_bytes = style->bytes;
	report->is_run_matrix = style->is_run_matrix;
	report->packets = packets__new(style->out);
	report->threads = thread_tracks__new();
	if (report->packets && report->threads)
		return report;
	perfetto_free_report(report);
	errno = ENOMEM;
	return NULL;
}

/* One root for each run. */
static void add_root(struct report *report)
{
	struct scene *scene = &report->scene;
	const struct workload_spec *spec = &scene->info.workload;
	char words[DESCRIPTION_LEN], name[DESCRIPTION_LEN + 48];
	struct track track = {.uuid = packets__uuid(report->packets),
			      .name = "ipctrace",
			      .description = words,
			      .has_ranks = true};

	/* "push over uds, 5 clients", or what was attached to. */
	if (scene->info.mode == MODE_ATTACH)
		snprintf(words, sizeof(words), "attached to %s", scene->info.target);
	else
		snprintf(words, sizeof(words), "%s over %s, %u client%s", spec->pattern,
			 spec->transport, spec->clients, spec->clients == 1 ? "" : "s");
	snprintf(name, sizeof(name), "ipctrace run %llu: %s", (unsigned long long)scene->run,
		 words);
	if (report->is_run_matrix)
		track.name = name;
	scene->root = track.uuid;
	packets__track(report->packets, &track);
}

/* A run may take what those before it have left. */
static void begin_limit(struct report *report)
{
	uint64_t share =
		report->run_bytes && *report->run_bytes ? *report->run_bytes : report->max_bytes;

	report->limit_bytes += share;
	if (report->limit_bytes > report->max_bytes)
		report->limit_bytes = report->max_bytes;
	report->widest = MESSAGE_BYTES;
}

static int perfetto_run(struct report *report, const struct run_info *info)
{
	struct scene *scene = &report->scene;
	uint64_t run = scene->run + 1;

	end_run(report);
	*scene = (struct scene){
		.packets = report->packets, .info = *info, .run = run, .first_ns = UINT64_MAX};
	begin_limit(report);
	/* Recordings before version 11 do not say when tracing began. */
	packets__clock(report->packets, info->begin.ns ?: 1,
		       info->begin.ns ? info->begin.unix_ns : 0);
	add_root(report);
	scene->lost = (struct lanes){.parent = scene->root, .name = "lost", .rank = 6};
	report->rounds.lanes = (struct lanes){.parent = scene->root, .name = "rounds", .rank = 2};
	report->calls = call_tracks__new(scene);
	report->channels.group = scene_group(scene, "channels", 4);
	counters_begin(&report->counters, scene);
	if (!report->calls)
		return -ENOMEM;
	return packets__error(report->packets);
}

/* What is always written behind the messages: the slowest one or both of a call, among others. */
static uint64_t end_bytes(const struct report *report)
{
	return ABOUT_BYTES + VIEW_BYTES + STEP_BYTES * (uint64_t)report->counters.cnt +
	       2 * report->widest + CALL_BYTES + report->limit_bytes / 100;
}

/*
 * What is passed was chosen by an estimate, so that it should fit. `next`: what comes. The slowest
 * messages follow, in a quarter of the file.
 */
static bool perfetto_is_full(const struct report *report, uint64_t next)
{
	uint64_t ranks = SLOWEST_MAX * report->widest, limit = report->limit_bytes;

	if (ranks > limit / 4)
		ranks = limit / 4;
	return limit && packets__bytes(report->packets) + next + end_bytes(report) + ranks >= limit;
}

static void note_begin(struct scene *scene, uint64_t at_ns)
{
	if (at_ns < scene->first_ns)
		scene->first_ns = at_ns;
}

static void perfetto_put_message(struct report *report, const struct message *message)
{
	uint64_t before = packets__bytes(report->packets), bytes;
	struct scene *scene = &report->scene;

	report->messages++;
	note_begin(scene, message_begin_ns(message));
	channel_tracks_message(&report->channels, scene, message);
	thread_tracks__message(report->threads, scene, message, ++report->last_flow);
	round_tracks_message(&report->rounds, scene, message);
	call_tracks__message(report->calls, scene, message, false);
	counters_message(&report->counters, scene, message);
	bytes = packets__bytes(report->packets) - before;
	if (report->messages == 1 || bytes > report->widest)
		report->widest = bytes;
}

static int perfetto_message(struct report *report, const struct message *message)
{
	if (perfetto_is_full(report, 2 * report->widest)) {
		/* It may still be one of the slowest, which have room. */
		call_tracks__message(report->calls, &report->scene, message, true);
		report->left_out++;
		if (report->all_left_out)
			(*report->all_left_out)++;
	} else {
		perfetto_put_message(report, message);
	}
	if (!slowest_add(&report->slowest, message))
		return -ENOMEM;
	return packets__error(report->packets);
}

static int perfetto_call(struct report *report, const struct call *call)
{
	call_tracks__call(report->calls, &report->scene, call,
			  perfetto_is_full(report, CALL_BYTES));
	return packets__error(report->packets);
}

static int perfetto_moments(struct report *report, const struct thread_moments *moments)
{
	if (perfetto_is_full(report, CALL_BYTES + moments->cnt * MOMENT_BYTES))
		return 0;
	note_begin(&report->scene, moments->moment[0].from_ns);
	thread_tracks__moments(report->threads, &report->scene, moments);
	return packets__error(report->packets);
}

static void note_words(struct event *event, const char *name, const char *text)
{
	if (text && text[0])
		event_note_text(event, name, text);
}

/*
 * Says what the file has, and what is missing, at the first event: tracing may have begun long
 * before, and a viewer shows all of the time between.
 */
static void put_about(struct report *report, const struct summary *summary, uint64_t left_out)
{
	const struct run_info *info = &report->scene.info;
	const struct integrity *integrity = &summary->integrity;
	struct event event = {.type = EVENT_INSTANT,
			      .track = report->scene.root,
			      .at_ns = report->scene.first_ns,
			      .name = "about",
			      .category = "about"};

	note_words(&event, "ipctrace", info->version);
	note_words(&event, "command line", info->command_line);
	note_words(&event, "kernel", info->host.kernel);
	note_words(&event, "level", level_names[info->level]);
	note_words(&event, "selected", report->select);
	note_words(&event, "limited to", report->limit);
	event_note(&event, "messages in this file", report->messages);
	if (report->left_out)
		event_note(&event, "left out, because the file was full", report->left_out);
	event_note(&event, "sent", integrity->sent);
	event_note(&event, "matched", integrity->matched);
	event_note(&event, "incomplete", integrity_incomplete(integrity));
	event_note(&event, "records lost", integrity_lost(integrity));
	event_note(&event, "not counted as in flight", left_out);
	note_words(&event, "end", integrity->truncated ? "the recording lacks its end" : NULL);
	if (event.at_ns == UINT64_MAX)
		event.at_ns = info->begin.ns ?: 1;
	packets__put_one(report->packets, &event);
}

static uint64_t perfetto_length_of(const struct span *span)
{
	return span->to_ns - span->from_ns;
}

/* The slowest call, or else the slowest message, stands on the root: it needs no track unfolded. */
static void perfetto_put_first(struct report *report)
{
	struct scene *scene = &report->scene;
	struct span span = call_tracks__put_slowest(report->calls, scene, &report->slowest);

	if (!perfetto_length_of(&span))
		span = slowest_put_first(&report->slowest, scene);
	if (perfetto_length_of(&span) > perfetto_length_of(&report->first))
		report->first = span;
}

/* With as much before and after it that one sees where it begins and ends. */
static void put_view(struct report *report)
{
	const struct span *first = &report->first;
	uint64_t margin = perfetto_length_of(first) / VIEW_MARGIN;

	if (margin > first->from_ns)
		margin = first->from_ns;
	if (perfetto_length_of(first))
		packets__view(report->packets, first->from_ns - margin, first->to_ns + margin);
}

static int perfetto_summary(struct report *report, const struct summary *summary)
{
	uint64_t left_out = counters_finish(&report->counters, &report->scene);
	uint64_t limit = report->limit_bytes, end;

	thread_tracks__end_run(report->threads, &report->scene);
	end = end_bytes(report);
	slowest_put(&report->slowest, &report->scene, report->widest,
		    limit > end ? limit - end : !!limit);
	put_about(report, summary, left_out);
	perfetto_put_first(report);
	if (report->all_bytes)
		*report->all_bytes = packets__bytes(report->packets) + VIEW_BYTES;
	end_run(report);
	return packets__error(report->packets) ?: report_flush(report->out);
}

static int perfetto_end(struct report *report, bool is_cut)
{
	int err;

	(void)is_cut;
	put_view(report);
	err = packets__error(report->packets) ?: report_flush(report->out);
	perfetto_free_report(report);
	return err;
}

const struct report_format report_perfetto = {
	.name = "perfetto",
	.meaning = "a time line for https://ui.perfetto.dev, in one file",
	.wants_messages = true,
	.wants_causes = true,
	.wants_file = true,
	.wants_recording = true,
	.begin = perfetto_begin,
	.run = perfetto_run,
	.message = perfetto_message,
	.moments = perfetto_moments,
	.call = perfetto_call,
	.summary = perfetto_summary,
	.end = perfetto_end,
};
