/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the processes and threads at the ends of messages. */
#include "report/words/ends.h"

#include "insight/metrics.h"
#include "insight/focus.h"
#include "report/words/summary_words.h"

#include <stdio.h>
#include <string.h>

#define ENDS_MAX 256 /* channels, the busiest first: further ones have little time */

enum end component_end(enum component component)
{
	return components[component].blame == BLAMES_SENDER ? END_OF_SENDER : END_OF_RECEIVER;
}

static const struct end_summary *ends_end_of(const struct channel_summary *channel, enum end end)
{
	return end == END_OF_SENDER ? &channel->sender : &channel->receiver;
}

/* The time of a process in the component, over all of its channels. */
static double process_ns(const struct summary *summary, enum component component, enum end end,
			 uint32_t pid)
{
	double ns = 0;

	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		if (!channel->folded && ends_end_of(channel, end)->pid == pid)
			ns += (double)channel->components.ns[component];
	}
	return ns;
}

/*
 * The end of the busiest channel, which comes first, of the process with most time. `*share` is its
 * share of the component's time.
 */
static const struct end_summary *main_end(const struct summary *summary, enum component component,
					  enum end end, double *share)
{
	const struct end_summary *best = NULL;
	double best_ns = 0, all_ns = (double)summary->component[component].sum;

	for (uint32_t i = 0; i < summary->channel_cnt && i < ENDS_MAX; i++) {
		const struct end_summary *next = ends_end_of(&summary->channel[i], end);
		double ns = summary->channel[i].folded
				    ? 0
				    : process_ns(summary, component, end, next->pid);

		if (!next->pid || ns <= best_ns)
			continue;
		best = next;
		best_ns = ns;
	}
	*share = all_ns > 0 ? best_ns / all_ns : 0;
	return best;
}

/* The number of the server's thread is known if a message had to wait for it. */
static void write_server(const struct summary *summary, char words[END_WORDS_LEN])
{
	snprintf(words, END_WORDS_LEN, "ipctrace-server");
	for (uint32_t i = 0; i < summary->blame_cnt; i++) {
		const struct blame *blame = &summary->blame[i].total;

		if (blame->class != BLAME_SERVER || !blame->comm[0])
			continue;
		snprintf(words, END_WORDS_LEN, "%s (pid %u)", blame->comm, blame->tid);
		break;
	}
}

static void write_client(const struct summary *summary, char words[END_WORDS_LEN])
{
	const struct client_summary *client = summary->client;

	if (summary->client_cnt == 1 && client->tid)
		snprintf(words, END_WORDS_LEN, "%s (%s %u)", client->comm,
			 summary->info.workload.threads ? "tid" : "pid", client->tid);
	else
		snprintf(words, END_WORDS_LEN, "a client");
}

/* Calls have messages in both directions. */
static void end_of_run(const struct summary *summary, enum end end, char words[END_WORDS_LEN])
{
	const struct workload_spec *spec = &summary->info.workload;

	if (spec_has_calls(spec))
		snprintf(words, END_WORDS_LEN, "the %s",
			 end == END_OF_SENDER ? "sender" : "receiver");
	else if (spec_server_sends(spec) == (end == END_OF_SENDER))
		write_server(summary, words);
	else
		write_client(summary, words);
}

double message_end_name(const struct summary *summary, enum component component, enum end end,
			char words[END_WORDS_LEN])
{
	double share = 1;
	const struct end_summary *found;

	if (summary->info.mode == MODE_RUN) {
		end_of_run(summary, end, words);
		return 1;
	}
	found = main_end(summary, component, end, &share);
	if (found)
		end_title(summary, found, words);
	else
		snprintf(words, END_WORDS_LEN, "the %s",
			 end == END_OF_SENDER ? "sender" : "receiver");
	return found ? share : 1;
}

void message_end_words(const struct summary *summary, enum component component, enum end end,
		       char words[END_WORDS_LEN])
{
	char name[END_WORDS_LEN];
	double share = message_end_name(summary, component, end, name);

	if (share >= NEARLY_ALL)
		snprintf(words, END_WORDS_LEN, "%s", name);
	else
		snprintf(words, END_WORDS_LEN, "the %s, mainly %.90s,",
			 end == END_OF_SENDER ? "sender" : "receiver", name);
}

/* For recordings that have no services: the receiver on the channel of most requests. */
static const struct end_summary *most_called(const struct summary *summary)
{
	const struct channel_summary *most = NULL;

	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		if (!channel->folded && channel->calls && (!most || channel->calls > most->calls))
			most = channel;
	}
	return most && most->receiver.pid ? &most->receiver : NULL;
}

/* The process that is named is one of several. */
static void ends_add_workers(const struct calls_summary *calls,
			     const struct service_summary *service, char words[END_WORDS_LEN])
{
	uint32_t cnt = service->processes ?: service_processes(calls, service);
	size_t length = strlen(words);

	if (cnt > 1)
		snprintf(words + length, END_WORDS_LEN - length, " and %u more process%s", cnt - 1,
			 cnt > 2 ? "es" : "");
}

void service_words(const struct summary *summary, char words[END_WORDS_LEN])
{
	const struct service_summary *service = busiest_service(&summary->calls);
	struct end_summary server;

	if (service) {
		server = service->server;
		server.tid = server.pid;
		if (service->worker.tid &&
		    (double)service->worker_calls >= NEARLY_ALL * (double)service->count)
			server = service->worker;
		end_title(summary, &server, words);
		ends_add_workers(&summary->calls, service, words);
	} else if (summary->info.mode == MODE_RUN) {
		write_server(summary, words);
	} else if (most_called(summary)) {
		end_title(summary, most_called(summary), words);
	} else {
		snprintf(words, END_WORDS_LEN, "the server");
	}
}

void focus_words(struct paragraph *whose, const struct focus *focus,
		 const struct calls_summary *all)
{
	const struct service_summary *service = &focus->service;

	if (!focus->is_one_of_several)
		return;
	/* A long name is cut at the end of the line. */
	paragraph_add(whose, "This is about %llu of %llu calls: those to %s%s%s",
		      (unsigned long long)service->count, (unsigned long long)calls_seen(all),
		      service->server.comm, service->name[0] ? " on " : "", service->name);
}
