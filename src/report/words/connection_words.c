/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what connections waited for, and why connect() failed. */
#include "report/words/connection_words.h"

#include "insight/metrics.h"
#include "report/words/error_words.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"
#include "report/words/explain/remedies.h"

#include <errno.h>
#include <math.h>

/* Shorter waits for a full queue are no problem, nor are fewer failures. */
#define LONG_WAIT_NS   1000000ULL
#define FAILURES_LEAST 2
#define FAILURES_SHARE 0.05

/* Unless threads wait for at least this share of the time until they try again. */
#define RETRY_SHARE 0.05

/* Less of a part is not worth words. */
#define QUEUE_SHARE 0.01

/* Failures of connections to what is there, or should be. Programs try names that are not. */
static bool is_problem(uint32_t error)
{
	return error == ECONNREFUSED || error == EAGAIN || error == EADDRNOTAVAIL ||
	       error == ETIMEDOUT || error == ECONNRESET;
}

static const struct waits_summary *waits_of(const struct listener_summary *listener, bool is_full)
{
	return is_full ? &listener->full : &listener->unanswered;
}

/* The listener with the longest wait of a kind, beyond `usual_ns`; NULL: none. */
static const struct listener_summary *longest_wait(const struct connections_summary *connections,
						   bool is_full, uint64_t usual_ns)
{
	const struct listener_summary *most = NULL;

	for (uint32_t i = 0; i < connections->listener_cnt; i++) {
		const struct listener_summary *listener = &connections->listener[i];
		uint64_t ns = waits_of(listener, is_full)->most_ns;

		if (ns >= LONG_WAIT_NS && ns > usual_ns &&
		    (!most || ns > waits_of(most, is_full)->most_ns))
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

	if (llround(10 * (double)least_ns / unit_ns) < llround(10 * (double)most_ns / unit_ns))
		paragraph_add(line, "%.1f to ", (double)least_ns / unit_ns);
	paragraph_add(line, "%.1f %s", (double)most_ns / unit_ns, unit);
}

/* "3 connects had waited 1.4 to 4.1 s (2 of them waited on at the end)" */
static void add_connect_waits(struct paragraph *line, const struct waits_summary *waits)
{
	uint64_t still = waits->still_waiting;

	paragraph_add(line, "%lu connect%s %swaited ", waits->count, plural(waits->count),
		      still ? "had " : "");
	add_full_times(line, waits->least_ns, waits->most_ns);
	if (!still)
		return;
	if (waits->count == 1)
		paragraph_add(line, " when tracing ended");
	else if (still == waits->count)
		paragraph_add(line, " (all of them waited on at the end)");
	else
		paragraph_add(line, " (%lu of them waited on at the end)", still);
}

/* No thread of the server may have accepted a connection. */
static void add_listener(struct paragraph *line, const struct summary *summary,
			 const struct listener_summary *listener)
{
	if (listener->server.pid)
		paragraph_add(line, "%s", PROCESS(summary, &listener->server));
	else
		paragraph_add(line, "%s",
			      summary->info.target[0] ? summary->info.target : "a target");
}

/* Whether there was a wait to speak of. */
static bool add_long_waits(struct paragraph *line, const struct summary *summary, uint64_t usual_ns)
{
	const struct connections_summary *connections = &summary->connections;
	const struct listener_summary *full = longest_wait(connections, true, usual_ns);
	const struct listener_summary *unanswered = longest_wait(connections, false, usual_ns);

	if (full) {
		add_connect_waits(line, &full->full);
		paragraph_add(line, ": the accept queue of ");
		add_listener(line, summary, full);
		paragraph_add(line, " was full (backlog %u). To do: %s", full->backlog,
			      remedies[REMEDY_BACKLOG].helps);
	} else if (unanswered) {
		add_connect_waits(line, &unanswered->unanswered);
		paragraph_add(line, ": no answer came from port %u of ", unanswered->port);
		add_listener(line, summary, unanswered);
		paragraph_add(line, ", whose accept queue had room: packets are lost or filtered");
	}
	return full || unanswered;
}

/* The failure that most calls had, of those that are a problem; NULL: there are too few. */
static const struct connection_error *worst_error(const struct summary *summary)
{
	const struct connections_summary *connections = &summary->connections;
	double all_ns = (double)traced_ns(summary);

	for (uint32_t i = 0; i < connections->error_cnt; i++) {
		const struct connection_error *error = &connections->error[i];
		bool costs_time = all_ns && (double)error->retry_ns >= RETRY_SHARE * all_ns;

		if (is_problem(error->error) && error->count >= FAILURES_LEAST &&
		    (costs_time ||
		     (double)error->count >= FAILURES_SHARE * (double)connections->calls))
			return error;
	}
	return NULL;
}

/* "; after each, it took 100.2 ms until the thread tried again, 1.9 s in all" */
static void add_retries(struct paragraph *line, const struct connection_error *error)
{
	uint64_t mean_ns = error->retried ? error->retry_ns / error->retried : 0;

	if (mean_ns < LONG_WAIT_NS)
		return;
	paragraph_add(line, "; after each, it took ");
	add_full_times(line, mean_ns, mean_ns);
	paragraph_add(line, " until the thread tried again, ");
	add_full_times(line, error->retry_ns, error->retry_ns);
	paragraph_add(line, " in all");
}

void connection_verdict_words(struct paragraph *line, const struct summary *summary,
			      uint64_t usual_ns)
{
	const struct connections_summary *connections = &summary->connections;
	const struct connection_error *error = worst_error(summary);

	if (add_long_waits(line, summary, usual_ns) || !error)
		return;
	paragraph_add(line, "connect fails: %lu of %lu with ", error->count, connections->calls);
	error_words(line, error->error);
	if (error->error == EAGAIN && connections->full_failed)
		paragraph_add(line, ", as the accept queue is full");
	add_retries(line, error);
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

void connection_call_words(struct paragraph *line, const struct summary *summary)
{
	const struct connections_summary *connections = &summary->connections;
	const struct stat *first = &connections->first_call;

	if (!first->count)
		return;
	paragraph_add(line, "%lu on %lu new connection%s, %.1f each", connections->requests,
		      first->count, plural(first->count),
		      (double)connections->requests / (double)first->count);
	paragraph_add(line, "; from connect() to the first answer: %.1f us on average",
		      stat_mean(first) / 1e3);
	if (first->sum)
		paragraph_add(line, ", of which a connection takes %s until it is open",
			      PERCENT((double)connections->opening_ns / (double)first->sum));
}

void connection_failure_words(struct paragraph *line, const struct summary *summary)
{
	const struct connections_summary *connections = &summary->connections;

	if (!connections->failed)
		return;
	paragraph_add(line, "%lu of %lu calls failed: ", connections->failed, connections->calls);
	for (uint32_t i = 0; i < connections->error_cnt; i++) {
		paragraph_add(line, "%s%lu with ", i ? ", " : "", connections->error[i].count);
		error_words(line, connections->error[i].error);
		add_retries(line, &connections->error[i]);
	}
}

void listener_words(struct paragraph *line, const struct summary *summary,
		    const struct listener_summary *listener)
{
	add_listener(line, summary, listener);
	if (listener->port)
		paragraph_add(line, " on port %u", listener->port);
	else
		paragraph_add(line, " on a unix socket%s",
			      listener->transport == TRANSPORT_UDS_SEQPACKET ? " of packets" : "");
	paragraph_add(line, ": backlog %u", listener->backlog);
	if (listener->most_waiting)
		paragraph_add(line, "; up to %u still waited when one was accepted",
			      listener->most_waiting);
	if (listener->full.count) {
		paragraph_add(line, "; ");
		add_connect_waits(line, &listener->full);
		paragraph_add(line, " because this queue was full");
	}
	if (listener->unanswered.count) {
		paragraph_add(line, "; ");
		add_connect_waits(line, &listener->unanswered);
		paragraph_add(line, " without an answer, while this queue had room");
	}
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

void connection_only_words(struct paragraph *line, const struct summary *summary)
{
	const struct connections_summary *sum = &summary->connections;
	enum connection_part most = 0;

	for (enum connection_part i = 1; i < NR_CONNECTION_PARTS; i++) {
		if (sum->part[i].sum > sum->part[most].sum)
			most = i;
	}
	paragraph_add(line, "No message was seen, but %llu connection%s: from connect() to ",
		      (unsigned long long)sum->latency.count, plural(sum->latency.count));
	paragraph_add(line, "accept() %s %.1f us on average (p99 %.1f us); ",
		      sum->latency.count == 1 ? "it takes" : "they take",
		      stat_mean(&sum->latency) / 1e3,
		      (double)stat_percentile(&sum->latency, 99) / 1e3);
	paragraph_add(line, "the largest part (%s) is %s. Add --explain for the cause.",
		      PERCENT((double)sum->part[most].sum / (double)sum->latency.sum),
		      connection_parts[most]);
}
