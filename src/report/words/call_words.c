/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says which part of a call is the largest, and what the server or the messages did then; and
 * behind the table of calls, which answers are certain, and what level light leaves out. A call is
 * a request and its answer.
 */
#include "insight/metrics.h"
#include "insight/part_summary.h"
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
		main_blocked_call_words(verdict, ", in ", did->blocked, &summary->info);
	if (state == SERVICE_RUNQUEUE)
		blame_words(verdict, summary, did->blame, (double)did->state_ns[state]);
}

/* Calls that the server makes to another service are what it waits for. False: they are few. */
static bool add_nested(const struct service_summary *service, struct paragraph *verdict)
{
	double share = service ? (double)service->nested_ns / (double)service->service.sum : 0;

	if (share < MOSTLY || !service->callee_cnt)
		return false;
	paragraph_add(verdict, "; for %s of the service it has a call of its own open, ",
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

/* "redis-server (12) on /run/redis.sock", with its thread if one does nearly all */
static void add_server(const struct summary *summary, struct paragraph *verdict)
{
	const struct service_summary *service = busiest_service(&summary->calls);
	char server[END_WORDS_LEN];

	service_words(summary, server);
	paragraph_add(verdict, "%s", server);
	if (service && service->name[0] && strcmp(service->name, "(unnamed)") != 0)
		paragraph_add(verdict, " on %s", service->name);
}

/* Requests are sent on channels of their own. */
static bool is_way(const void *is_request, const struct channel_summary *channel)
{
	return (channel->calls > 0) == *(const bool *)is_request;
}

/*
 * A server that has time left sleeps in its loop. `summary`: of the requests alone. False: it is
 * not saturated, or it is not known what the receivers did.
 */
static bool add_saturation(const struct summary *summary, struct paragraph *verdict)
{
	char server[END_WORDS_LEN];
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
		return false;
	message_end_words(summary, COMPONENT_BUSY, END_OF_RECEIVER, server);
	paragraph_add(verdict,
		      "%s is saturated: %s of requests find it awake, and it sleeps for %s of the "
		      "time",
		      server, PERCENT(awake / messages),
		      PERCENT((double)loop.asleep_ns / (double)loop.known_ns));
	return true;
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

/* Where the time of a part lies. */
struct legs {
	struct part_summary way[2]; /* of responses, of requests */
	double ns[NR_CALL_PARTS];   /* of a mean call */
};

static int legs_of(struct legs *legs, const struct whole *whole, const struct whole_part *part)
{
	static const bool kinds[] = {false, true};
	double ways_ns = part->ns - part->service_ns, all_ns = 0, sum[2];
	int err = 0;

	for (int i = 0; i < 2; i++) {
		err = part_summary_of(&legs->way[i], whole->summary, is_way, &kinds[i]) ?: err;
		sum[i] = (double)legs->way[i].summary.component[part->which].sum;
		all_ns += sum[i];
	}
	legs->ns[CALL_RESPONSE] = all_ns > 0 ? ways_ns * sum[0] / all_ns : 0;
	legs->ns[CALL_REQUEST] = all_ns > 0 ? ways_ns * sum[1] / all_ns : 0;
	legs->ns[CALL_SERVICE] = part->service_ns;
	return err;
}

static void legs_clean(struct legs *legs)
{
	for (int i = 0; i < 2; i++)
		part_summary_clean(&legs->way[i]);
}

static enum call_part longest_leg(const struct legs *legs)
{
	enum call_part longest = CALL_REQUEST;

	for (int i = 0; i < NR_CALL_PARTS; i++) {
		if (legs->ns[i] > legs->ns[longest])
			longest = i;
	}
	return longest;
}

static void add_leg(struct paragraph *line, const struct whole *whole, const struct legs *legs,
		    enum component component)
{
	static const char *const names[] = {[CALL_REQUEST] = "request",
					    [CALL_SERVICE] = "service",
					    [CALL_RESPONSE] = "response"};
	enum call_part leg = longest_leg(legs);
	double all_ns = legs->ns[CALL_REQUEST] + legs->ns[CALL_SERVICE] + legs->ns[CALL_RESPONSE];
	const struct summary *summary = &legs->way[leg == CALL_REQUEST].summary;

	paragraph_add(line, ", %s in the %s: ",
		      legs->ns[leg] >= NEARLY_ALL * all_ns ? "nearly all"
		      : legs->ns[leg] >= MOSTLY * all_ns   ? "mostly"
							   : "most of it",
		      names[leg]);
	if (leg == CALL_REQUEST && component == COMPONENT_BUSY && add_saturation(summary, line))
		return;
	if (leg != CALL_SERVICE) {
		component_words(line, summary, component);
		return;
	}
	add_server(whole->summary, line);
	paragraph_add(line, component == COMPONENT_RUNQUEUE ? " waits" : " is woken");
}

/* An answer in several parts takes as long as the server takes to send them. */
static bool is_between_parts(const struct whole *whole, const struct whole_part *part)
{
	const struct answer_parts *parts = &whole->summary->calls.parts;

	return part->which == COMPONENT_DISPATCH &&
	       (double)parts->ns >= MOSTLY * part->ns * (double)whole->stat->count;
}

void call_component_words(struct paragraph *line, const struct whole *whole,
			  const struct whole_part *part)
{
	struct legs legs;

	if (is_between_parts(whole, part)) {
		add_server_between(whole->summary, line);
		return;
	}
	if (!legs_of(&legs, whole, part) && part->ns > 0 && legs.ns[longest_leg(&legs)] > 0)
		add_leg(line, whole, &legs, part->which);
	legs_clean(&legs);
}

bool is_of_responses(const struct whole *whole, const struct whole_part *part)
{
	struct legs legs;
	bool is_response;

	if (whole->unit != WHOLE_CALL)
		return false;
	is_response = !legs_of(&legs, whole, part) && longest_leg(&legs) == CALL_RESPONSE;
	legs_clean(&legs);
	return is_response;
}

void call_state_words(struct paragraph *line, const struct summary *summary,
		      enum service_state state)
{
	const struct calls_summary *calls = &summary->calls;

	paragraph_add(line, ": ");
	add_server(summary, line);
	if (state != SERVICE_BLOCKED)
		return;
	main_blocked_call_words(line, " sleeps in ", &calls->blocked, &summary->info);
	add_nested(busiest_service(calls), line);
}

void call_unknown_words(struct paragraph *line, const struct summary *summary)
{
	paragraph_add(line, ", as it is known for %s of calls what ",
		      PERCENT(service_known_share(&summary->calls)));
	add_server(summary, line);
	paragraph_add(line, " did in its service");
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
