/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says which part of a call is the largest, and what the server or the messages did then; and
 * behind the table of calls, which answers are certain, and what level light leaves out. A call is
 * a request and its answer.
 */
#include "insight/metrics.h"
#include "insight/services.h"
#include "report/words/ends.h"
#include "report/words/verdict_parts.h"
#include "report/words/summary_words.h"

#include <stdlib.h>
#include <string.h>

#define MUCH          0.2  /* share of a time */
#define MOSTLY        0.5  /* the same */
#define CALLS_MATTER  0.2  /* of the messages are requests and answers */
#define REQUESTS_MIN  100  /* before a server is called saturated */
#define CALLEE_LEAST  0.01 /* of the calls' time: callees with less are not listed */
#define CALLEES_SHOWN 3
#define CALLEE_ALONE  0.9 /* the same: one with so much is the only one that is named */

void callees_words(struct paragraph *line, const struct service_summary *service)
{
	const struct callee_summary *callee = service->callee;
	double all_ns = (double)service->service.sum, nested_ns = (double)service->nested_ns;

	paragraph_add(line, "to %s", callee[0].name);
	if ((double)callee[0].ns >= CALLEE_ALONE * nested_ns)
		return;
	paragraph_add(line, " %s", PERCENT((double)callee[0].ns / all_ns));
	for (uint32_t i = 1; i < service->callee_cnt && i < CALLEES_SHOWN; i++) {
		if ((double)callee[i].ns < CALLEE_LEAST * nested_ns)
			break;
		paragraph_add(line, ", %s %s", callee[i].name,
			      PERCENT((double)callee[i].ns / all_ns));
	}
}

/* What the threads of a server did in a time. */
struct did {
	const uint64_t *state_ns; /* [NR_SERVICE_STATES] */
	const struct blocked_calls *blocked;
	struct blame_list blame;
	const char *remark; /* " (known for 80 % of calls)" or "" */
};

/* "it waited for a CPU, mostly behind hog (pid 4711, nice 0)" */
static void add_state(const struct summary *summary, const struct did *did,
		      enum service_state state, struct paragraph *verdict)
{
	paragraph_add(verdict, "%s", service_states[state].verdict);
	if (state == SERVICE_BLOCKED)
		blocked_calls_words(verdict, ", in ", did->blocked, &summary->info);
	if (state == SERVICE_RUNQUEUE)
		blame_words(verdict, summary, did->blame, (double)did->state_ns[state]);
}

/* Calls that the server makes to another service are what it waits for. False: they are few. */
static bool add_nested(const struct service_summary *service, struct paragraph *verdict)
{
	double share = service ? (double)service->nested_ns / (double)service->service.sum : 0;

	if (share < MOSTLY || !service->callee_cnt)
		return false;
	paragraph_add(verdict, "; for %s of that time it has a call of its own open, ",
		      PERCENT(share));
	callees_words(verdict, service);
	return true;
}

/* What the server did for most of the time, and for much of it. */
static void call_words_add_states(const struct summary *summary, const struct did *did,
				  struct paragraph *verdict)
{
	enum service_state most = SERVICE_ON_CPU;
	double all_ns = 0;

	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		all_ns += (double)did->state_ns[i];
		if (did->state_ns[i] > did->state_ns[most])
			most = i;
	}
	paragraph_add(verdict, "; for %s of that time%s ",
		      PERCENT((double)did->state_ns[most] / all_ns), did->remark);
	add_state(summary, did, most, verdict);
	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		double share = (double)did->state_ns[i] / all_ns;

		if (i == (int)most || share < MUCH)
			continue;
		paragraph_add(verdict, "; for %s ", PERCENT(share));
		add_state(summary, did, i, verdict);
	}
}

static void add_service_states(const struct summary *summary, struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;
	double known = service_known_share(calls);
	char remark[48] = "";
	const struct did did = {calls->state_ns, &calls->blocked, blame_of_services(summary),
				remark};

	if (add_nested(busiest_service(calls), verdict))
		return;
	if (known < NEARLY_ALL)
		snprintf(remark, sizeof(remark), " (known for %s of calls)", PERCENT(known));
	if (service_is_known(calls))
		call_words_add_states(summary, &did, verdict);
	else if (calls->state_cnt)
		paragraph_add(verdict, "; what it did is known for only %s of calls",
			      PERCENT(known));
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
static bool call_words_add_service(const struct summary *summary, struct paragraph *verdict)
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

/* The requests or the responses of the calls, as if there were no other messages. */
struct one_way {
	struct summary summary; /* borrows all, but for `channel` */
	double ns;              /* of all components */
	struct blame_summary blame[BLAME_TOP_MAX + 1];
};

/* Then what caused the component is known for the part, too. */
static bool has_nearly_all(const struct summary *part, const struct summary *all,
			   enum component component)
{
	return (double)part->component[component].sum >=
	       NEARLY_ALL * (double)all->component[component].sum;
}

/* Of all messages the list is exact; recordings before version 14 have no other. */
static void call_words_replace_blame(struct one_way *way, const struct summary *summary)
{
	struct summary *part = &way->summary;
	struct blame_top top = {0};
	struct blame_list list;

	if (has_nearly_all(part, summary, COMPONENT_RUNQUEUE))
		return;
	for (uint32_t i = 0; i < part->channel_cnt; i++)
		blame_top_add(&top, part->channel[i].blame.entry, part->channel[i].blame.cnt);
	list = blame_of_top(summary, &top, (double)part->component[COMPONENT_RUNQUEUE].sum,
			    way->blame);
	part->blame = way->blame;
	part->blame_cnt = list.cnt;
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
	call_words_replace_blame(way, summary);
	if (!has_nearly_all(part, summary, COMPONENT_BLOCKED))
		part->blocked.cnt = 0;
	if (!has_nearly_all(part, summary, COMPONENT_ROOM))
		part->room_cnt = 0;
	return way->ns > 0;
}

/*
 * A server that has time left sleeps in its loop. `summary`: of the requests alone. Nothing is said
 * unless it is known what the receivers did.
 */
static void add_saturation(const struct summary *summary, struct paragraph *verdict)
{
	double messages = 0, awake = 0;
	struct loop_time loop = {0};

	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		messages += (double)channel->messages;
		awake += (double)channel->awake;
		loop.ns += channel->loop.ns;
		loop.known_ns += channel->loop.known_ns;
		loop.asleep_ns += channel->loop.asleep_ns;
	}
	if (messages < REQUESTS_MIN || awake < NEARLY_ALL * messages || !loop.known_ns ||
	    (double)loop.known_ns < MOSTLY * (double)loop.ns ||
	    (double)loop.asleep_ns > (1 - NEARLY_ALL) * (double)loop.known_ns)
		return;
	paragraph_add(verdict,
		      ". %s of requests find the server awake, and it sleeps for %s of the time: "
		      "it is saturated",
		      PERCENT(awake / messages),
		      PERCENT((double)loop.asleep_ns / (double)loop.known_ns));
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
		component_words(verdict, &way.summary, largest);
		if (is_request && largest == COMPONENT_BUSY)
			add_saturation(&way.summary, verdict);
	}
	free(way.summary.channel);
}

/* Between the parts of its answers the server is at work: what it did then. */
static void add_server_between(const struct summary *summary, struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;
	const struct answer_parts *parts = &calls->parts;
	const struct server_time *time = &parts->did;
	double known = (double)server_time_ns(time) / (double)parts->ns;
	struct blame_summary blame[BLAME_TOP_MAX + 1];
	const struct did did = {time->state_ns, &time->blocked,
				blame_of_top(summary, &time->blame,
					     (double)time->state_ns[SERVICE_RUNQUEUE], blame),
				""};

	paragraph_add(verdict, ": ");
	add_server(summary, verdict);
	paragraph_add(verdict, " sends the last part of its answer %.1f us after the first one",
		      (double)parts->ns / (double)parts->calls / 1e3);
	if ((double)parts->calls < NEARLY_ALL * (double)calls->count)
		paragraph_add(verdict, ", in %s of the calls",
			      PERCENT((double)parts->calls / (double)calls->count));
	if (known >= MOSTLY)
		call_words_add_states(summary, &did, verdict);
}

/* An answer in several parts takes as long as the server takes to send them. */
static void call_words_add_response(const struct summary *summary, struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;
	double response_ns = (double)calls->response.sum;
	double first_ns = stat_mean(&calls->response_first);

	paragraph_add(verdict, "the response");
	if ((double)calls->parts.ns >= MOSTLY * response_ns) {
		add_server_between(summary, verdict);
		return;
	}
	paragraph_add(verdict, ", the way back to the client");
	if ((double)calls->response_first.sum < response_ns / 2)
		paragraph_add(verdict,
			      ": its first part takes %.1f us, and %.1f us pass until its last one "
			      "has arrived",
			      first_ns / 1e3, (stat_mean(&calls->response) - first_ns) / 1e3);
	else
		add_way_part(summary, false, verdict);
}

/*
 * The way to the server or back is the largest part of a call. False: it is not, or most messages
 * are of no call.
 */
static bool add_way(const struct summary *summary, struct paragraph *verdict)
{
	const struct calls_summary *calls = &summary->calls;
	bool is_trimmed, are_many = (double)calls->messages >=
				    CALLS_MATTER * (double)summary->integrity.matched;
	double share;
	enum call_part part = usual_call_part(calls, &share, &is_trimmed);

	if (!calls_are_known(calls) || !are_many || part == CALL_SERVICE || !(share > 0))
		return false;
	add_share_of_calls(share, is_trimmed, verdict);
	if (part == CALL_RESPONSE) {
		call_words_add_response(summary, verdict);
	} else {
		paragraph_add(verdict, "the request, the way to the server");
		add_way_part(summary, true, verdict);
	}
	paragraph_add(verdict, ".");
	return true;
}

bool calls_words(struct paragraph *verdict, const struct summary *summary)
{
	return call_words_add_service(summary, verdict) || add_way(summary, verdict);
}

/* Calls that the sentence does not speak of, though they are many. */
void several_words(struct paragraph *verdict, const struct calls_summary *calls,
		   bool speaks_of_calls)
{
	uint64_t several = calls->open_several.count + calls->unbalanced;
	bool has_mean = (double)calls->open_several.count >= NEARLY_ALL * (double)several;

	if (several <= calls->count)
		return;
	if (speaks_of_calls)
		paragraph_add(verdict, " This is of the calls without another open request: ");
	else if (has_mean)
		paragraph_add(verdict,
			      "A call takes %.1f us on average. What it consists of is not known: ",
			      stat_mean(&calls->open_several) / 1e3);
	else
		paragraph_add(verdict, "How long a call takes is not known: ");
	paragraph_add(verdict, "%llu of %llu calls had several requests open on their connection",
		      (unsigned long long)several, (unsigned long long)calls_seen(calls));
	if (!has_mean)
		paragraph_add(verdict, ", and requests and answers do not balance");
	paragraph_add(verdict, ".%s", speaks_of_calls ? "" : " ");
}

/* Why the service of some calls is not cut into states. */
static void add_uncut(struct paragraph *line, const struct calls_summary *calls)
{
	uint64_t gaps = service_gaps(calls);

	if (calls->handed_over)
		paragraph_add(line,
			      "; not known for %llu call%s, because no event shows how the work "
			      "went to another thread",
			      (unsigned long long)calls->handed_over, plural(calls->handed_over));
	if (gaps)
		paragraph_add(line, "; not known for %llu call%s, because records are missing",
			      (unsigned long long)gaps, plural(gaps));
}

/* The states of a few calls are not those of the service. */
static void unknown_service(struct paragraph *line, const struct calls_summary *calls)
{
	if (calls->state_cnt)
		paragraph_add(line,
			      "what the server did is known for only %llu of %llu calls, which is "
			      "too few to show",
			      (unsigned long long)calls->state_cnt,
			      (unsigned long long)service_tries(calls));
	else
		paragraph_add(line, "what the server did is not known");
	add_uncut(line, calls);
}

static void service_states_words(struct paragraph *line, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	const struct run_info *info = &summary->info;
	double all_ns = 0;

	for (int i = 0; i < NR_SERVICE_STATES; i++)
		all_ns += (double)calls->state_ns[i];
	if (!info->traced || !calls->count || (calls->state_cnt && all_ns <= 0))
		return;
	if (!service_is_known(calls)) {
		unknown_service(line, calls);
		return;
	}
	paragraph_add(line, "the server was ");
	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		if (i < NR_SERVICE_STATES_10 || calls->state_ns[i])
			paragraph_add(line, "%s%s %.1f us (%s)", i ? ", " : "",
				      service_states[i].is,
				      (double)calls->state_ns[i] / (double)calls->state_cnt / 1e3,
				      PERCENT((double)calls->state_ns[i] / all_ns));
	}
	if (calls->state_ns[SERVICE_BLOCKED])
		blocked_calls_words(line, ", in ", &calls->blocked, info);
	if (calls->followed)
		paragraph_add(line, "; in %s of calls the work went from thread to thread",
			      PERCENT((double)calls->followed / (double)calls->state_cnt));
	if (calls->blame_cnt) {
		paragraph_add(line, "; it waited because of ");
		culprits_add(line, summary, blame_of_services(summary), all_ns);
	}
	add_uncut(line, calls);
}

/* Begins a sentence of the paragraph, behind others. */
static void begin_sentence(struct paragraph *line)
{
	if (line->length)
		paragraph_add(line, "; ");
}

/* Which messages make a call is not always certain. */
static void parts_sentences(struct paragraph *line, const struct calls_summary *calls)
{
	char count_text[24];

	snprintf(count_text, sizeof(count_text), "%llu", (unsigned long long)calls->undecided);
	if (calls->in_parts) {
		begin_sentence(line);
		paragraph_add(line,
			      "the request of %llu call%s came in several messages: if each was a "
			      "request of its own, there were more calls",
			      (unsigned long long)calls->in_parts, plural(calls->in_parts));
	}
	if (calls->unasked) {
		begin_sentence(line);
		paragraph_add(line, "%llu message%s of servers belong%s to no call",
			      (unsigned long long)calls->unasked, plural(calls->unasked),
			      calls->unasked == 1 ? "s" : "");
	}
	if (calls->undecided)
		paragraph_add(
			line,
			", %s of them because the server sent them after it had received "
			"something from another client: if they belong to an answer, that call "
			"took longer",
			calls->undecided == calls->unasked ? "all" : count_text);
}

static void ambiguity_words(struct paragraph *line, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	uint64_t all = calls_seen(calls);

	if (calls->open_several.count)
		paragraph_add(
			line,
			"%llu of %llu calls had several requests open on their connection, so it "
			"is "
			"not known which answer is whose. They are shown apart, as if answers came "
			"in the order of requests: then the mean is right in any order, if each "
			"request and answer was one message. With --calls fifo they are exact, if "
			"the server answers in that order",
			(unsigned long long)calls->open_several.count, (unsigned long long)all);
	if (calls->unbalanced) {
		begin_sentence(line);
		paragraph_add(line,
			      "for %llu of %llu calls not even the mean is known: with several "
			      "requests open, some request had no answer, or some answer no "
			      "request",
			      (unsigned long long)calls->unbalanced, (unsigned long long)all);
	}
	if (calls->guessed) {
		begin_sentence(line);
		paragraph_add(
			line,
			"for %llu of %llu calls it is a guess which end is the client: the end "
			"that sent first (--server and --client say it)",
			(unsigned long long)calls->guessed, (unsigned long long)all);
	}
	if (calls->ambiguous) {
		begin_sentence(line);
		paragraph_add(line,
			      "%llu of %llu calls have an ambiguous request or answer, which "
			      "may belong to another call",
			      (unsigned long long)calls->ambiguous, (unsigned long long)all);
	}
	parts_sentences(line, calls);
}

static void level_words(struct paragraph *line, const struct summary *summary)
{
	const struct run_info *info = &summary->info;

	if (info->mode != MODE_ATTACH || info->level != LEVEL_LIGHT)
		return;
	paragraph_add(line, "a round trip begins when its request can be read and ends when the "
			    "kernel hands over its answer: it lacks the send path of the request "
			    "and the end of the last receive call, so the client's own clock "
			    "shows more; level full has both");
}

const struct sentence call_sentences[] = {
	{"level light", level_words, true, NULL},
	{"service", service_states_words, false, NULL},
	{"calls", ambiguity_words, false, NULL},
	{NULL, NULL, false, NULL},
};
