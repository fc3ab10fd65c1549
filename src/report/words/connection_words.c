/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what connections waited for, and why connect() failed. */
#include "report/words/connection_words.h"

#include "insight/metrics.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

#include <errno.h>

/* Shorter waits for a full queue are no problem, nor are fewer failures. */
#define LONG_WAIT_NS   1000000ULL
#define FAILURES_LEAST 2
#define FAILURES_SHARE 0.05

/* Less of a part is not worth words. */
#define QUEUE_SHARE 0.01

/* Failures of connections to what is there, or should be. Programs try names that are not. */
static const struct {
	uint32_t error;
	const char *name;
	bool is_problem;
} errors[] = {
	{ECONNREFUSED, "ECONNREFUSED", true},
	{EAGAIN, "EAGAIN", true},
	{EADDRNOTAVAIL, "EADDRNOTAVAIL", true},
	{ETIMEDOUT, "ETIMEDOUT", true},
	{ECONNRESET, "ECONNRESET", true},
	{ENOENT, "ENOENT", false},
	{EACCES, "EACCES", false},
	{EPERM, "EPERM", false},
	{EINTR, "EINTR", false},
	{ENETUNREACH, "ENETUNREACH", false},
	{EHOSTUNREACH, "EHOSTUNREACH", false},
	{EPROTOTYPE, "EPROTOTYPE", false},
};

#define ERRORS_CNT (sizeof(errors) / sizeof(errors[0]))

static void add_error(struct paragraph *line, uint32_t error)
{
	for (size_t i = 0; i < ERRORS_CNT; i++) {
		if (errors[i].error == error) {
			paragraph_add(line, "%s", errors[i].name);
			return;
		}
	}
	if (error)
		paragraph_add(line, "error %u", error);
	else
		paragraph_add(line, "other errors");
}

static bool is_problem(uint32_t error)
{
	for (size_t i = 0; i < ERRORS_CNT; i++) {
		if (errors[i].error == error)
			return errors[i].is_problem;
	}
	return false;
}

/* The listener whose full queue let a connection wait longest; NULL: none. */
static const struct listener_summary *fullest(const struct connections_summary *connections)
{
	const struct listener_summary *most = NULL;

	for (uint32_t i = 0; i < connections->listener_cnt; i++) {
		const struct listener_summary *listener = &connections->listener[i];

		if (listener->full && (!most || listener->full_most_ns > most->full_most_ns))
			most = listener;
	}
	return most;
}

/* "1.0 to 3.1 s"; both in the unit of the longer one. */
static void add_full_times(struct paragraph *line, uint64_t least_ns, uint64_t most_ns)
{
	bool is_s = most_ns >= 1000000000, is_ms = most_ns >= 1000000;
	double unit_ns = is_s ? 1e9 : is_ms ? 1e6 : 1e3;
	const char *unit = is_s ? "s" : is_ms ? "ms" : "us";

	if (least_ns < most_ns)
		paragraph_add(line, "%.1f to ", (double)least_ns / unit_ns);
	paragraph_add(line, "%.1f %s", (double)most_ns / unit_ns, unit);
}

static void add_full(struct paragraph *line, const struct listener_summary *listener)
{
	paragraph_add(line, "%lu connect%s waited ", listener->full, plural(listener->full));
	add_full_times(line, listener->full_least_ns, listener->full_most_ns);
}

/* The failure that most calls had, of those that are a problem; NULL: there are too few. */
static const struct connection_error *worst_error(const struct connections_summary *connections)
{
	for (uint32_t i = 0; i < connections->error_cnt; i++) {
		const struct connection_error *error = &connections->error[i];

		if (is_problem(error->error) && error->count >= FAILURES_LEAST &&
		    (double)error->count >= FAILURES_SHARE * (double)connections->calls)
			return error;
	}
	return NULL;
}

void connection_verdict_words(struct paragraph *line, const struct summary *summary,
			      uint64_t usual_ns)
{
	const struct connections_summary *connections = &summary->connections;
	const struct listener_summary *full = fullest(connections);
	const struct connection_error *error = worst_error(connections);

	if (full && full->full_most_ns >= LONG_WAIT_NS && full->full_most_ns > usual_ns) {
		add_full(line, full);
		paragraph_add(line, ": the accept queue of %s was full (backlog %u)",
			      PROCESS(summary, &full->server), full->backlog);
		return;
	}
	if (!error)
		return;
	paragraph_add(line, "connect fails: %lu of %lu with ", error->count, connections->calls);
	add_error(line, error->error);
	if (error->error == EAGAIN && connections->full_failed)
		paragraph_add(line, ", as the accept queue is full");
}

void connection_count_words(struct paragraph *line, const struct summary *summary)
{
	const struct connections_summary *connections = &summary->connections;
	double seconds = traced_seconds(summary);
	uint64_t cnt = connections->latency.count;

	paragraph_add(line, "%lu accepted", cnt);
	if (cnt && seconds > 0)
		paragraph_add(line, ", %.1f/s", (double)cnt / seconds);
	if (connections->retransmits)
		paragraph_add(line, "; %lu segment%s of handshakes %s sent again",
			      connections->retransmits, plural(connections->retransmits),
			      connections->retransmits == 1 ? "was" : "were");
	if (connections->not_accepted)
		paragraph_add(line, "; %lu not accepted by a traced thread",
			      connections->not_accepted);
	if (connections->not_seen)
		paragraph_add(line,
			      "; %lu more were accepted, whose connecting threads were not traced",
			      connections->not_seen);
	if (connections->uncut)
		paragraph_add(line, "; %lu more whose parts are not known", connections->uncut);
}

void connection_failure_words(struct paragraph *line, const struct summary *summary)
{
	const struct connections_summary *connections = &summary->connections;

	if (!connections->failed)
		return;
	paragraph_add(line, "%lu of %lu calls failed: ", connections->failed, connections->calls);
	for (uint32_t i = 0; i < connections->error_cnt; i++) {
		paragraph_add(line, "%s%lu with ", i ? ", " : "", connections->error[i].count);
		add_error(line, connections->error[i].error);
	}
}

void listener_words(struct paragraph *line, const struct summary *summary,
		    const struct listener_summary *listener)
{
	paragraph_add(line, "%s", PROCESS(summary, &listener->server));
	if (listener->port)
		paragraph_add(line, " on port %u", listener->port);
	else
		paragraph_add(line, " on a unix socket");
	paragraph_add(line, ": backlog %u", listener->backlog);
	if (listener->most_waiting)
		paragraph_add(line, "; up to %u still waited when one was accepted",
			      listener->most_waiting);
	if (!listener->full)
		return;
	paragraph_add(line, "; ");
	add_full(line, listener);
	paragraph_add(line, " because this queue was full");
}

void listener_queue_words(struct paragraph *line, const struct summary *summary,
			  const struct listener_summary *listener)
{
	double all_ns = (double)listener->part[CONNECTION_QUEUE].sum;

	if (all_ns < QUEUE_SHARE * (double)listener->latency.sum || all_ns <= 0)
		return;
	paragraph_add(line, "in the queue, the accepting thread had the CPU for %s of the time",
		      PERCENT((double)listener->busy_ns / all_ns));
	if (!listener->blocked_ns)
		return;
	paragraph_add(line, ", and slept for %s", PERCENT((double)listener->blocked_ns / all_ns));
	blocked_calls_words(line, ", in ", &listener->blocked, &summary->info);
}
