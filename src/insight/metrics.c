/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides what a summary comes to, before any format shows it: which component is the largest, what
 * the latency is about, whether ipctrace was in the way, and what ended the run.
 */
#include "insight/metrics.h"

#include "model/members/members.h"

#include <math.h>
#include <string.h>

#define LEADING_SHARE 0.45 /* of the round trip */
#define SHOWN_SHARE   0.7  /* of all calls */

static uint64_t sum(const uint64_t *counter, int cnt)
{
	uint64_t total = 0;

	for (int i = 0; i < cnt; i++)
		total += counter[i];
	return total;
}

uint64_t integrity_incomplete(const struct integrity *integrity)
{
	return sum(integrity->incomplete, NR_INCOMPLETES);
}

uint64_t integrity_lost(const struct integrity *integrity)
{
	return sum(integrity->loss, NR_LOSSES);
}

bool integrity_clean(const struct integrity *integrity)
{
	return integrity->matched > 0 && integrity->matched == integrity->sent &&
	       !integrity_incomplete(integrity) && !integrity_lost(integrity) &&
	       !integrity->residual_ns_max && !integrity->truncated && !integrity->corrupt;
}

/* Bits of enum component_need. */
static uint32_t metrics_needs_met(const struct run_info *info)
{
	return NEEDS_SEEN | (info->mode == MODE_RUN ? NEEDS_ROUND | NEEDS_STAMPS : 0) |
	       (info->level == LEVEL_LIGHT ? 0 : NEEDS_CALLS) |
	       (info->shows_room ? NEEDS_ROOM : 0) | (info->shows_switch ? NEEDS_SWITCH : 0);
}

bool component_applies(const struct run_info *info, enum component component)
{
	return !(components[component].needs & ~metrics_needs_met(info));
}

const char *component_missing(const struct run_info *info, enum component component)
{
	const struct component_info *one = &components[component];
	uint32_t lacks = one->needs & ~metrics_needs_met(info);

	if (lacks & (NEEDS_ROOM | NEEDS_SWITCH))
		return one->lacking;
	if (lacks & NEEDS_CALLS)
		return info->mode == MODE_RUN ? one->light_run : one->light_attach;
	return NULL;
}

double context_switch_ns(const struct summary *summary)
{
	double ns = 0;

	for (int i = 0; i < NR_COMPONENTS; i++)
		ns += components[i].in_switch ? stat_mean(&summary->component[i]) : 0;
	return ns;
}

double share_of_latency(const struct summary *summary, double mean_ns)
{
	double latency_ns = stat_mean(&summary->latency);

	return latency_ns > 0 ? mean_ns / latency_ns : 0;
}

/* What ipctrace's own threads have of the blame, as a share of `all_ns`; 0 if that is 0. */
static double own_part(const struct blame_summary *blame, uint32_t cnt, double all_ns)
{
	double ns = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		if (blame[i].total.class == BLAME_IPCTRACE)
			ns += (double)blame[i].total.ns;
	}
	return all_ns > 0 ? ns / all_ns : 0;
}

static uint64_t own_longest_ns(const struct blame_summary *blame, uint32_t cnt)
{
	uint64_t longest_ns = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		if (blame[i].total.class != BLAME_IPCTRACE)
			continue;
		/* One message may have waited for several threads of ipctrace. */
		if (blame[i].worst_ns > longest_ns)
			longest_ns = blame[i].worst_ns;
		if (blame[i].alike.worst_ns > longest_ns)
			longest_ns = blame[i].alike.worst_ns;
	}
	return longest_ns;
}

uint64_t own_longest_wait_ns(const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	uint64_t message_ns = own_longest_ns(summary->blame, summary->blame_cnt);
	uint64_t call_ns = own_longest_ns(calls->blame, calls->blame_cnt);

	return message_ns > call_ns ? message_ns : call_ns;
}

static double own_share_of_message_waits(const struct summary *summary)
{
	return own_part(summary->blame, summary->blame_cnt,
			(double)summary->component[COMPONENT_RUNQUEUE].sum);
}

static double own_share_of_call_waits(const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;

	return own_part(calls->blame, calls->blame_cnt, (double)calls->state_ns[SERVICE_RUNQUEUE]);
}

double own_share_of_waits(const struct summary *summary)
{
	return fmax(own_share_of_message_waits(summary), own_share_of_call_waits(summary));
}

double own_share_of_messages(const struct summary *summary)
{
	return own_part(summary->blame, summary->blame_cnt, (double)summary->latency.sum);
}

/* The part of the mean round trip. */
static double service_share(const struct calls_summary *calls)
{
	double all_ns = stat_mean(&calls->round_trip);

	return all_ns > 0 ? stat_mean(&calls->service) / all_ns : 0;
}

double own_share_of_calls(const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;

	return own_part(calls->blame, calls->blame_cnt, service_states_ns(calls)) *
	       service_share(calls);
}

double own_share(const struct summary *summary)
{
	return fmax(own_share_of_messages(summary), own_share_of_calls(summary));
}

double components_ns(const double ns[NR_COMPONENTS])
{
	double all_ns = 0;

	for (int i = 0; i < NR_COMPONENTS; i++)
		all_ns += ns[i];
	return all_ns;
}

enum component components_largest(const double ns[NR_COMPONENTS])
{
	enum component largest = 0;

	for (enum component i = 1; i < NR_COMPONENTS; i++) {
		if (ns[i] > ns[largest])
			largest = i;
	}
	return largest;
}

uint64_t service_tries(const struct calls_summary *calls)
{
	return calls->cut_tries ?: calls->count;
}

uint64_t service_gaps(const struct calls_summary *calls)
{
	uint64_t known = calls->state_cnt + calls->handed_over, tries = service_tries(calls);

	/* The statistics in a forged recording can have more known calls than calls. */
	return tries > known ? tries - known : 0;
}

double service_states_ns(const struct calls_summary *calls)
{
	return (double)sum(calls->state_ns, NR_SERVICE_STATES);
}

bool calls_are_known(const struct calls_summary *calls)
{
	double all = (double)calls_seen(calls);

	return calls->count && (double)calls->count >= KNOWN_CALLS * all;
}

static enum call_part largest_part(const double ns[NR_CALL_PARTS])
{
	enum call_part largest = CALL_SERVICE;

	if (ns[CALL_REQUEST] > ns[largest])
		largest = CALL_REQUEST;
	if (ns[CALL_RESPONSE] > ns[largest])
		largest = CALL_RESPONSE;
	return largest;
}

enum call_part usual_call_part(const struct calls_summary *calls, double *share, bool *is_trimmed)
{
	const struct stat *part[NR_CALL_PARTS] = {&calls->request, &calls->service,
						  &calls->response};
	double mean_ns[NR_CALL_PARTS], usual_ns[NR_CALL_PARTS], all_ns = 0;
	enum call_part mean, usual;

	for (int i = 0; i < NR_CALL_PARTS; i++) {
		mean_ns[i] = stat_mean(part[i]);
		usual_ns[i] = stat_mean_of_least(part[i], USUAL_PERCENT);
		all_ns += usual_ns[i];
	}
	mean = largest_part(mean_ns);
	usual = largest_part(usual_ns);
	*is_trimmed = usual != mean && all_ns > 0;
	if (!*is_trimmed)
		all_ns = stat_mean(&calls->round_trip);
	*share = all_ns > 0 ? (*is_trimmed ? usual_ns : mean_ns)[usual] / all_ns : 0;
	return usual;
}

static bool service_leads(const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	bool is_trimmed;
	double share;

	return calls_are_known(calls) &&
	       usual_call_part(calls, &share, &is_trimmed) == CALL_SERVICE &&
	       share >= LEADING_SHARE;
}

double service_known_share(const struct calls_summary *calls)
{
	uint64_t tries = service_tries(calls);

	return tries && calls->state_cnt < tries ? (double)calls->state_cnt / (double)tries
						 : !!calls->state_cnt;
}

bool service_is_known(const struct calls_summary *calls)
{
	return service_states_ns(calls) > 0 && service_known_share(calls) >= SHOWN_SHARE;
}

bool explains_service(const struct summary *summary)
{
	return service_leads(summary) && service_is_known(&summary->calls);
}

/* Rounds are marginal if fewer than one message in this many is part of one. */
#define ROUNDS_MARGINAL 20

/*
 * Whether hardly any message of an attach is part of a round. A server that answers clients
 * sometimes sends to several of them at once, which is no broadcast.
 */
static bool rounds_are_marginal(const struct summary *summary)
{
	uint64_t in_rounds = 0;

	for (uint32_t i = 0; i < summary->client_cnt; i++)
		in_rounds += summary->client[i].latency.count;
	return summary->info.mode == MODE_ATTACH && summary->rounds.count &&
	       in_rounds < summary->integrity.matched / ROUNDS_MARGINAL;
}

/* Calls are what an attach is about if so many of its messages belong to them. */
#define CALLS_MATTER 0.2

/* Fewer calls than this, each of more messages than that, say little of these. */
#define CALLS_FEW     20
#define MESSAGES_MANY 100

/* Whether nearly each message comes on a connection of its own, and nothing answers it. */
static bool connections_matter(const struct summary *summary)
{
	uint64_t connections = summary->connections.latency.count;

	return connections && 2 * connections >= summary->integrity.matched;
}

static enum unit_kind unit_of_attach(const struct summary *summary)
{
	double messages = (double)summary->calls.messages;
	bool are_units = summary->calls.count >= CALLS_FEW ||
			 messages <= MESSAGES_MANY * (double)summary->calls.count;

	if (summary->calls.count && are_units &&
	    messages >= CALLS_MATTER * (double)summary->integrity.matched)
		return UNIT_CALL;
	if (summary->rounds.complete && !rounds_are_marginal(summary))
		return UNIT_ROUND;
	return connections_matter(summary) ? UNIT_CONNECTION : UNIT_MESSAGE;
}

enum unit_kind summary_unit(const struct summary *summary)
{
	const struct workload_spec *workload = &summary->info.workload;

	if (summary->info.mode == MODE_ATTACH)
		return unit_of_attach(summary);
	if (spec_has_calls(workload))
		return UNIT_CALL;
	return spec_has_rounds(workload) ? UNIT_ROUND : UNIT_MESSAGE;
}

struct summary summary_without_marginal_rounds(const struct summary *summary)
{
	struct summary shown = *summary;

	if (!rounds_are_marginal(summary))
		return shown;
	shown.rounds = (struct rounds_summary){0};
	shown.peaks = (struct peaks_summary){0};
	shown.client_cnt = 0;
	return shown;
}

bool has_range(const struct summary *summary)
{
	return summary->rounds.count ? summary->rounds.complete > 0 : summary->peaks.medium_ns > 0;
}

bool lacks_statistics(const struct summary *summary)
{
	return summary->info.condition[0] && summary->integrity.truncated &&
	       !summary->integrity.matched;
}

bool verifies(const struct summary *summary)
{
	return has_contents(&summary->info, NULL);
}

/*
 * Messages of a flood carry no stamp. Its time begins when the first message has been received,
 * so the first one does not count.
 */
static double per_second(const struct summary *summary, uint64_t number)
{
	const struct flow_summary *flow = &summary->flow;
	bool has_stamps = strcmp(summary->info.workload.pattern, "flood") != 0;
	double timed = (double)flow->messages - !has_stamps;

	if (timed <= 0 || flow->seconds <= 0)
		return NAN;
	return (double)number * timed / (double)flow->messages / flow->seconds;
}

double messages_per_second(const struct summary *summary)
{
	return per_second(summary, summary->flow.messages);
}

double bytes_per_second(const struct summary *summary)
{
	return per_second(summary, summary->flow.bytes);
}

static void fairness_add(struct fairness *fairness, const struct client_summary *client)
{
	if (!fairness->shortest_ns || client->time_ns < fairness->shortest_ns)
		fairness->shortest_ns = client->time_ns;
	if (client->time_ns > fairness->longest_ns)
		fairness->longest_ns = client->time_ns;
	if (client->gap_ns > fairness->gap_ns) {
		fairness->gap_ns = client->gap_ns;
		fairness->client = client->client;
	}
}

bool fairness_of(const struct summary *summary, struct fairness *fairness)
{
	double all_ns = 0;
	uint32_t cnt = 0;

	*fairness = (struct fairness){0};
	for (uint32_t i = 0; i < summary->client_cnt; i++) {
		if (!summary->client[i].time_ns)
			continue;
		fairness_add(fairness, &summary->client[i]);
		all_ns += (double)summary->client[i].time_ns;
		cnt++;
	}
	if (cnt < 2)
		return false;
	fairness->spread = (double)(fairness->longest_ns - fairness->shortest_ns) / (all_ns / cnt);
	return true;
}

bool peak_since_begin(const struct summary *summary, uint64_t *since_begin_ns)
{
	uint64_t begin_ns = summary->info.begin.ns, stamp_ns = summary->peaks.largest.stamp_ns;

	*since_begin_ns = stamp_ns - begin_ns;
	return begin_ns && stamp_ns >= begin_ns;
}

/*
 * A signal leaves no duration in the LEFT record. Recordings before version 11 do not have the
 * begin.
 */
uint64_t traced_ns(const struct summary *summary)
{
	uint64_t begin_ns = summary->info.begin.ns;
	bool is_signal = summary->all_left_reason == LEFT_SIGNAL;

	if (summary->info.mode != MODE_ATTACH)
		return 0;
	if (begin_ns && summary->stopped_ns > begin_ns)
		return summary->stopped_ns - begin_ns;
	return summary->all_left && !is_signal ? summary->all_left_detail : 0;
}

double traced_seconds(const struct summary *summary)
{
	uint64_t ns = traced_ns(summary);

	return ns ? (double)ns / 1e9 : summary->duration_s;
}

static double per_traced_second(const struct summary *summary, uint64_t cnt)
{
	uint64_t ns = traced_ns(summary);

	return ns ? (double)cnt / ((double)ns / 1e9) : NAN;
}

double sends_per_second(const struct summary *summary)
{
	return per_traced_second(summary, summary->integrity.sent);
}

double calls_per_second(const struct summary *summary)
{
	return per_traced_second(summary, calls_seen(&summary->calls));
}

/* The plan and the progress, in the unit of the pattern. */
static void count_progress(const struct summary *summary, struct run_ending *ending)
{
	const struct workload_spec *spec = &summary->info.workload;

	ending->planned = spec->messages;
	ending->done = summary->rounds.count;
	ending->unit = "rounds";
	if (spec_has_rounds(spec))
		return;
	ending->planned *= spec->clients;
	ending->done = summary->flow.messages ?: summary->calls.count;
	ending->unit = spec_has_calls(spec) ? "exchanges" : "messages";
}

static enum end_cause metrics_cause_of(const struct summary *summary)
{
	static const enum end_cause causes[NR_LEFT_REASONS] = {
		[LEFT_SIGNAL] = END_SIGNAL,   [LEFT_DURATION] = END_DURATION,
		[LEFT_TARGETS] = END_TARGETS, [LEFT_STOP_AT] = END_STOP_AT,
		[LEFT_COUNT] = END_COUNT,
	};

	return summary->all_left && summary->all_left_reason < NR_LEFT_REASONS
		       ? causes[summary->all_left_reason]
		       : END_UNKNOWN;
}

static enum end_cause run_cause_of(const struct summary *summary, bool is_early)
{
	if (!is_early)
		return END_PLAN;
	if (summary->all_left)
		return metrics_cause_of(summary);
	if (summary->server_left)
		return END_SERVER;
	for (uint32_t i = 0; i < summary->client_cnt; i++) {
		if (!summary->client[i].left)
			return END_UNKNOWN;
	}
	return summary->client_cnt ? END_CLIENTS : END_UNKNOWN;
}

struct run_ending run_ending_of(const struct summary *summary)
{
	struct run_ending ending = {0};

	if (summary->info.mode == MODE_ATTACH) {
		ending.by = metrics_cause_of(summary);
		ending.is_early = summary->all_left_early;
	} else {
		count_progress(summary, &ending);
		ending.is_early = ending.done < ending.planned || summary->server_left;
		ending.by = run_cause_of(summary, ending.is_early);
	}
	if (ending.by == END_SIGNAL)
		ending.signal = (int)summary->all_left_detail;
	return ending;
}

uint64_t steal_ns(const struct summary *summary)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < summary->steal_cnt; i++)
		sum_ns += summary->steal[i].steal_ns;
	return sum_ns;
}

double steal_share(const struct summary *summary)
{
	double span_ns = 0;

	for (uint32_t i = 0; i < summary->steal_cnt; i++)
		span_ns += (double)summary->steal[i].span_ns;
	return span_ns > 0 ? (double)steal_ns(summary) / span_ns : NAN;
}

bool exchanges_are_cut(const struct exchanges_summary *exchanges)
{
	return exchanges->part[EXCHANGE_CONNECT].count > 0;
}

enum exchange_part exchanges_largest(const struct exchanges_summary *exchanges)
{
	enum exchange_part largest = 0;

	for (int i = 1; i < NR_EXCHANGE_PARTS; i++) {
		if (exchanges->part[i].sum > exchanges->part[largest].sum)
			largest = i;
	}
	return largest;
}
