/* SPDX-License-Identifier: BSD-2-Clause */
/* The first sentence of a report, which names the largest part of the latency. */
#include "report/metrics.h"
#include "report/text/culprits.h"
#include "report/text/first_screen/answers.h"
#include "report/text/first_screen/chain_words.h"
#include "report/text/first_screen/ends.h"
#include "report/text/sections.h"

#include <stdlib.h>
#include <string.h>

#define TAIL_FACTOR  2     /* mean by median */
#define SKEW_FACTOR  1.25  /* the same: the mean is not typical */
#define MUCH         0.2   /* share of the service */
#define MOSTLY       0.5   /* of the service */
#define CALLS_MATTER 0.2   /* of the messages are requests and answers */
#define REQUESTS_MIN 100   /* before a server is called saturated */
#define DROPS_MATTER 0.01  /* of all messages */
#define WORTH_SAYING 0.005 /* of the mean: waiting for ipctrace itself */

static const char *const state_words[NR_SERVICE_STATES] = {
	[SERVICE_ON_CPU] = "it ran on a CPU",
	[SERVICE_RUNQUEUE] = "it waited for a CPU",
	[SERVICE_BLOCKED] = "it slept",
	[SERVICE_WAKEUP] = "the thread that does the work was being woken",
};

static const char *share_words(double share)
{
	if (share >= 0.9)
		return "Nearly all";
	if (share >= 0.55)
		return "Most";
	if (share >= 0.45)
		return "About half";
	return "The largest part";
}

static const char *relation_words(const struct culprit *culprit)
{
	static const char *const words[NR_BLAME_RELATIONS] = {
		[RELATION_NONE] = "",
		[RELATION_TARGET] = ", a thread of the target",
		[RELATION_PEER] = ", a thread of a peer",
		[RELATION_OTHER] = "",
	};

	return culprit->class == BLAME_SERVER ? ", the sender" : words[culprit->relation];
}

/* "mostly behind hog (4711, nice 0)" */
static void add_blame(const struct summary *summary, struct blame_list list, double runqueue_ns,
		      struct paragraph *verdict)
{
	char name[2 * NAME_LEN];
	struct culprit *culprit;
	uint32_t cnt;

	culprit = culprits_of(summary, list, &cnt);
	if (cnt && runqueue_ns > 0) {
		paragraph_add(verdict, ", %s ",
			      culprit->ns >= runqueue_ns / 2 ? "mostly" : "first of all");
		if (culprit->class == BLAME_IDLE)
			paragraph_add(verdict, "one that is leaving idle");
		else if (culprit->class == BLAME_THROTTLED)
			paragraph_add(verdict,
				      "because its control group has used up its CPU quota");
		else
			paragraph_add(verdict, "behind %s%s", culprit_name(culprit, name),
				      relation_words(culprit));
	}
	free(culprit);
}

static void add_runqueue(const struct summary *summary, const char *receiver,
			 struct paragraph *verdict)
{
	paragraph_add(verdict, "run queue: %s waits for a CPU", receiver);
	add_blame(summary, blame_of_messages(summary),
		  (double)summary->component[COMPONENT_RUNQUEUE].sum, verdict);
}

static void add_dispatch(const struct summary *summary, const char *sender,
			 struct paragraph *verdict)
{
	const char *send = summary->info.level == LEVEL_LIGHT ? ", and the send itself" : "";

	if (summary->client_cnt > 1)
		paragraph_add(verdict,
			      "dispatch: the loop of %s, which sends to one client after "
			      "another",
			      sender);
	else
		paragraph_add(verdict,
			      "dispatch: %s is between its clock reading and the send call%s",
			      sender, send);
}

static void add_receive(const struct summary *summary, const char *receiver,
			struct paragraph *verdict)
{
	if (summary->info.level == LEVEL_LIGHT)
		paragraph_add(verdict, "receive: %s runs, in its receive call or before it",
			      receiver);
	else
		paragraph_add(verdict, "receive: %s is in its receive call", receiver);
	if (!summary->info.shows_switch)
		paragraph_add(verdict, ", the switch to it included");
}

static void add_blocked(const struct summary *summary, const char *receiver,
			struct paragraph *verdict)
{
	paragraph_add(verdict, "blocked: %s %s", receiver,
		      blocked_calls_is_stopped(&summary->blocked) ? "is stopped"
								  : "sleeps for another reason");
	blocked_calls_words(verdict, ", in ", &summary->blocked, &summary->info);
}

static void add_part(const struct summary *summary, enum component part, struct paragraph *verdict)
{
	bool is_sender = part == COMPONENT_DISPATCH || part == COMPONENT_SEND_PATH;
	char end[END_WORDS_LEN];

	message_end_words(summary, part, is_sender ? END_OF_SENDER : END_OF_RECEIVER, end);
	switch (part) {
	case COMPONENT_DISPATCH:
		add_dispatch(summary, end, verdict);
		break;
	case COMPONENT_SEND_PATH:
		paragraph_add(
			verdict,
			"send path: from the begin of the send call of %s until the data can be "
			"read",
			end);
		break;
	case COMPONENT_ROOM:
		paragraph_add(verdict, "waiting for room: %s receives too slowly", end);
		room_words(verdict, summary);
		break;
	case COMPONENT_WAKEUP:
		paragraph_add(verdict, "wakeup: %s sleeps until the kernel has woken it up", end);
		break;
	case COMPONENT_RUNQUEUE:
		add_runqueue(summary, end, verdict);
		break;
	case COMPONENT_SWITCH:
		paragraph_add(verdict, "switch: the CPU switches to %s", end);
		break;
	case COMPONENT_BUSY:
		paragraph_add(verdict, "busy: %s runs other code before it receives", end);
		break;
	case COMPONENT_BLOCKED:
		add_blocked(summary, end, verdict);
		break;
	case COMPONENT_RETURN:
		paragraph_add(verdict, "return: %s returns from its receive call to its own code",
			      end);
		break;
	default:
		add_receive(summary, end, verdict);
	}
}

static void add_untraced(const struct summary *summary, struct paragraph *verdict)
{
	if (summary->latency.count)
		paragraph_add(verdict,
			      "Untraced: these latencies are the clients' own clock readings; "
			      "their components were not measured.");
	else
		paragraph_add(verdict, "Untraced: only the throughput was measured, no latency.");
}

/* " in 1.0 s"; nothing if it is not known. */
static void add_time(const struct summary *summary, struct paragraph *verdict)
{
	uint64_t ns = traced_ns(summary);

	if (ns)
		paragraph_add(verdict, " in %.1f s", (double)ns / 1e9);
}

static void add_unseen(const struct summary *summary, struct paragraph *verdict)
{
	if (summary->info.mode == MODE_RUN) {
		paragraph_add(verdict, "No message was seen, so there is nothing to explain.");
		return;
	}
	paragraph_add(verdict, "No message was seen");
	add_time(summary, verdict);
	paragraph_add(
		verdict,
		": %s neither sent nor received over a local "
		"channel (unix socket, local TCP or UDP, pipe, message queue, eventfd, futex). ",
		summary->info.target[0] ? summary->info.target : "the targets");
	if (summary->info.level == LEVEL_LIGHT)
		paragraph_add(verdict, "Level light traces only unix sockets and TCP. ");
	found_words(verdict, summary);
	paragraph_add(verdict, "'sudo ipctrace list' shows the local channels of this machine and "
			       "how to attach to them.");
}

/* False: there is no latency to explain, and the sentence says so. */
static bool add_nothing(const struct summary *summary, struct paragraph *verdict)
{
	const struct integrity *integrity = &summary->integrity;

	if (summary->latency.count || (integrity->matched && !summary->info.traced))
		return true;
	if (!integrity->sent && integrity->elsewhere)
		paragraph_add(
			verdict,
			"No local message was seen: all %llu were from or to another machine, "
			"or a process that is not traced.",
			(unsigned long long)integrity->elsewhere);
	else if (!integrity->sent)
		add_unseen(summary, verdict);
	else
		paragraph_add(verdict,
			      "Of %llu message%s none was matched, so nothing is explained.",
			      (unsigned long long)integrity->sent, plural(integrity->sent));
	return false;
}

/* "it waited for a CPU, mostly behind hog (4711, nice 0)" */
static void add_state(const struct summary *summary, enum service_state state,
		      struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;

	paragraph_add(verdict, "%s", state_words[state]);
	if (state == SERVICE_BLOCKED)
		blocked_calls_words(verdict, ", in ", &calls->blocked, &summary->info);
	if (state == SERVICE_RUNQUEUE)
		add_blame(summary, blame_of_services(summary), (double)calls->state_ns[state],
			  verdict);
}

/* Calls that the server makes to another service are what it waits for. False: they are few. */
static bool add_nested(const struct service_summary *service, struct paragraph *verdict)
{
	double share = service ? (double)service->nested_ns / (double)service->service.sum : 0;

	if (share < MOSTLY)
		return false;
	paragraph_add(verdict, "; for %s of that time it has a call of its own open, to %s",
		      PERCENT(share), service->callee);
	return true;
}

/* What the server did in most of its service, and in much of it. */
static void add_states(const struct summary *summary, struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;
	enum service_state most = SERVICE_ON_CPU;
	double all_ns = service_states_ns(calls);

	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		if (calls->state_ns[i] > calls->state_ns[most])
			most = i;
	}
	paragraph_add(verdict, "; for %s of that time ",
		      PERCENT((double)calls->state_ns[most] / all_ns));
	add_state(summary, most, verdict);
	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		double share = (double)calls->state_ns[i] / all_ns;

		if (i == (int)most || share < MUCH)
			continue;
		paragraph_add(verdict, "; for %s ", PERCENT(share));
		add_state(summary, i, verdict);
	}
}

static void add_service_states(const struct summary *summary, struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;

	if (add_nested(busiest_service(calls), verdict))
		return;
	if (service_is_known(calls))
		add_states(summary, verdict);
	else if (calls->state_cnt)
		paragraph_add(verdict, "; what it did is known for only %s of calls",
			      PERCENT((double)calls->state_cnt / (double)service_tries(calls)));
}

/* "redis-server (12) on /run/redis.sock", with its thread if one does nearly all */
static void add_server(const struct summary *summary, struct paragraph *verdict)
{
	const struct service_summary *service = busiest_service(&summary->calls);
	char server[END_WORDS_LEN];

	service_words(summary, server);
	paragraph_add(verdict, "%s", server);
	if (service && service->name[0])
		paragraph_add(verdict, " on %s", service->name);
}

static void add_share_of_calls(double share, bool is_trimmed, struct paragraph *verdict)
{
	if (is_trimmed)
		paragraph_add(verdict, "Without the slowest 1 %% of calls: ");
	paragraph_add(verdict, "%s of a call (%s) is ", share_words(share), PERCENT(share));
}

/* False: the service is not the largest part of a call. */
static bool add_service(const struct summary *summary, struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;
	bool is_trimmed;
	double share, service_ns;

	if (!service_leads(summary))
		return false;
	usual_call_part(calls, &share, &is_trimmed);
	service_ns = is_trimmed ? stat_mean_of_least(&calls->service, USUAL_PERCENT)
				: stat_mean(&calls->service);
	add_share_of_calls(share, is_trimmed, verdict);
	paragraph_add(verdict, "the service: ");
	add_server(summary, verdict);
	paragraph_add(verdict, " takes %.1f us to answer", service_ns / 1e3);
	add_service_states(summary, verdict);
	paragraph_add(verdict, ".");
	return true;
}

/* The components of the messages, and of those without the slowest 1 % for each component. */
static enum component usual_part(const struct summary *summary, double *share, bool *is_trimmed)
{
	double mean_ns[NR_COMPONENTS], usual_ns[NR_COMPONENTS];
	enum component part, usual;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		mean_ns[i] = stat_mean(&summary->component[i]);
		usual_ns[i] = stat_mean_of_least(&summary->component[i], USUAL_PERCENT);
	}
	part = components_largest(mean_ns);
	usual = components_largest(usual_ns);
	*is_trimmed = usual != part && components_ns(usual_ns) > 0;
	*share = *is_trimmed ? usual_ns[usual] / components_ns(usual_ns)
			     : share_of_latency(summary, mean_ns[part]);
	return *is_trimmed ? usual : part;
}

static void add_largest_part(const struct summary *summary, struct paragraph *verdict)
{
	bool is_trimmed;
	double share;
	enum component part = usual_part(summary, &share, &is_trimmed);

	if (is_trimmed)
		paragraph_add(verdict, "Without the slowest 1 %% of messages: ");
	paragraph_add(verdict, "%s of the mean latency (%s) is ", share_words(share),
		      PERCENT(share));
	add_part(summary, part, verdict);
	paragraph_add(verdict, ".");
}

/* The requests or the responses of the calls, as if there were no other messages. */
struct one_way {
	struct summary summary; /* borrows all, but for `channel` */
	double ns;              /* of all components */
};

/* Then what caused the component is known for the part, too. */
static bool has_nearly_all(const struct summary *part, const struct summary *all,
			   enum component component)
{
	return (double)part->component[component].sum >=
	       NEARLY_ALL * (double)all->component[component].sum;
}

/* Fills in what the verdict on a component needs. False: out of memory, or there is none. */
static bool one_way_of(const struct summary *summary, bool is_request, struct one_way *way)
{
	struct summary *part = &way->summary;

	*way = (struct one_way){.summary = *summary};
	part->channel = calloc(summary->channel_cnt + 1, sizeof(*part->channel));
	if (!part->channel)
		return false;
	part->channel_cnt = 0;
	memset(part->component, 0, sizeof(part->component));
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		if (channel->folded || (channel->calls > 0) != is_request)
			continue;
		part->channel[part->channel_cnt++] = *channel;
		for (int k = 0; k < NR_COMPONENTS; k++) {
			part->component[k].sum += channel->components.ns[k];
			part->component[k].count += channel->components.count;
			way->ns += (double)channel->components.ns[k];
		}
	}
	if (!has_nearly_all(part, summary, COMPONENT_RUNQUEUE))
		part->blame_cnt = 0;
	if (!has_nearly_all(part, summary, COMPONENT_BLOCKED))
		part->blocked.cnt = 0;
	if (!has_nearly_all(part, summary, COMPONENT_ROOM))
		part->room_cnt = 0;
	return way->ns > 0;
}

/* A busy server that has time left sleeps now and then. `summary`: of the requests alone. */
static void add_saturation(const struct summary *summary, struct paragraph *verdict)
{
	double messages = 0, awake = 0;

	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		messages += (double)summary->channel[i].messages;
		awake += (double)summary->channel[i].awake;
	}
	if (messages >= REQUESTS_MIN && awake >= NEARLY_ALL * messages)
		paragraph_add(verdict, ". %s of requests find the server awake: it is saturated",
			      PERCENT(awake / messages));
}

/* "; most of that (70 %) is busy: redis-cli (12) runs other code before it receives" */
static void add_way_part(const struct summary *summary, bool is_request, struct paragraph *verdict)
{
	double mean_ns[NR_COMPONENTS], share;
	enum component largest;
	struct one_way way;

	if (one_way_of(summary, is_request, &way)) {
		for (int i = 0; i < NR_COMPONENTS; i++)
			mean_ns[i] = stat_mean(&way.summary.component[i]);
		largest = components_largest(mean_ns);
		share = mean_ns[largest] / components_ns(mean_ns);
		paragraph_add(verdict, ". %s of that (%s) is ", share_words(share), PERCENT(share));
		add_part(&way.summary, largest, verdict);
		if (is_request && largest == COMPONENT_BUSY)
			add_saturation(&way.summary, verdict);
	}
	free(way.summary.channel);
}

/* Whether calls are what many messages are for, beside those within the server. */
static bool has_many_calls(const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;

	return calls_are_known(calls) &&
	       (double)calls->messages >= CALLS_MATTER * (double)summary->integrity.matched;
}

/*
 * The way to the server or back is the largest part of a call. False: it is not, or most messages
 * are of no call. An answer in several parts takes as long as the server takes to send them.
 */
static bool add_way(const struct summary *summary, struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;
	double response_ns = stat_mean(&calls->response);
	double first_ns = stat_mean(&calls->response_first);
	enum call_part part;
	bool is_trimmed;
	double share;

	part = usual_call_part(calls, &share, &is_trimmed);
	if (!has_many_calls(summary) || part == CALL_SERVICE || !(share > 0))
		return false;
	add_share_of_calls(share, is_trimmed, verdict);
	paragraph_add(verdict, "the %s",
		      part == CALL_REQUEST ? "request, the way to the server"
					   : "response, the way back to the client");
	if (part == CALL_RESPONSE && first_ns < response_ns / 2)
		paragraph_add(verdict,
			      ": its first part takes %.1f us, and %.1f us pass until its last one "
			      "has arrived",
			      first_ns / 1e3, (response_ns - first_ns) / 1e3);
	else
		add_way_part(summary, part == CALL_REQUEST, verdict);
	paragraph_add(verdict, ".");
	return true;
}

/* Says so if the mean is that of few messages or calls only, or of ipctrace's own making. */
static void add_doubts(const struct summary *summary, bool speaks_of_calls,
		       struct paragraph *verdict)
{
	const struct stat *stat = speaks_of_calls ? &summary->calls.round_trip : &summary->latency;
	const char *unit = speaks_of_calls ? "calls" : "messages";
	double median_ns = (double)stat_percentile(stat, 50);
	double own = speaks_of_calls ? own_share_of_calls(summary) : own_share_of_messages(summary);
	double own_of_waits = speaks_of_calls ? own_share_of_call_waits(summary)
					      : own_share_of_message_waits(summary);

	if (stat_mean(stat) >= TAIL_FACTOR * median_ns)
		paragraph_add(verdict,
			      " A few slow %s raise the mean: half of all %s take at most %.1f us.",
			      unit, unit, median_ns / 1e3);
	else if (stat_mean(stat) >= SKEW_FACTOR * median_ns)
		paragraph_add(verdict,
			      " Half of all %s take at most %.1f us, 99 %% at most %.1f us.", unit,
			      median_ns / 1e3, (double)stat_percentile(stat, 99) / 1e3);
	if (own >= DISTURBING_SHARE)
		paragraph_add(
			verdict,
			" Waiting for ipctrace itself is %s of the mean: leave a CPU free for "
			"it.",
			PERCENT(own));
	else if (own_of_waits >= DISTURBING_SHARE && own >= WORTH_SAYING)
		paragraph_add(verdict, " ipctrace itself is %s of the wait for a CPU.",
			      PERCENT(own_of_waits));
}

/* Calls that the sentence does not speak of, though they are many. */
static void add_several(const struct calls_summary *calls, bool speaks_of_calls,
			struct paragraph *verdict)
{
	uint64_t several = calls->open_several.count;

	if (several <= calls->count)
		return;
	if (speaks_of_calls)
		paragraph_add(verdict, " This is of the calls without another open request: ");
	else
		paragraph_add(verdict,
			      "A call takes %.1f us on average. What it consists of is not known: ",
			      stat_mean(&calls->open_several) / 1e3);
	paragraph_add(verdict,
		      "%llu of %llu calls had several requests open on their connection.%s",
		      (unsigned long long)several, (unsigned long long)(several + calls->count),
		      speaks_of_calls ? "" : " ");
}

/* The channel of most drops; NULL: none is known. */
static const struct channel_summary *most_drops(const struct summary *summary)
{
	const struct channel_summary *most = NULL;

	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		if (channel->transport && channel->dropped > (most ? most->dropped : 0))
			most = channel;
	}
	return most;
}

/* What is lost counts more than what is slow. */
static void add_drops(const struct summary *summary, struct paragraph *verdict)
{
	const struct integrity *integrity = &summary->integrity;
	double share = (double)integrity->dropped / (double)integrity->sent;
	const struct channel_summary *channel = most_drops(summary);
	char receiver[END_TITLE_LEN];

	if (!integrity->dropped || share < DROPS_MATTER)
		return;
	paragraph_add(verdict, "%s of the messages were dropped by the kernel", PERCENT(share));
	if (channel) {
		process_title(summary, &channel->receiver, receiver);
		paragraph_add(verdict, ", most of them at the socket of %s on %s", receiver,
			      channel->name);
	}
	paragraph_add(verdict, ": datagrams find no room when a receive buffer is full. ");
}

/* Rounds of an attach that began late, or took longer than their period: an xrun of audio. */
static void add_missed(const struct rounds_summary *rounds, struct paragraph *verdict)
{
	uint64_t missed = rounds->missed.late + rounds->missed.unfinished;

	if (missed)
		paragraph_add(verdict, " %llu round%s missed the period of %.2f ms.",
			      (unsigned long long)missed, plural(missed),
			      (double)rounds->period_ns / 1e6);
}

void verdict_words(struct paragraph *verdict, const struct summary *summary)
{
	bool speaks_of_calls;

	if (!add_nothing(summary, verdict))
		return;
	if (!summary->info.traced) {
		add_untraced(summary, verdict);
		return;
	}
	add_drops(summary, verdict);
	speaks_of_calls = add_service(summary, verdict) || add_way(summary, verdict);
	add_several(&summary->calls, speaks_of_calls, verdict);
	if (!speaks_of_calls) {
		if (!chain_words(verdict, summary))
			add_largest_part(summary, verdict);
	}
	add_missed(&summary->rounds, verdict);
	add_doubts(summary, speaks_of_calls, verdict);
}
