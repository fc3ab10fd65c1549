/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts a summary to 64-bit words and back. Leaves out run_info, which is in the header of a
 * recording.
 */
#include "model/kept_summary.h"

#include <math.h>

/* The least words of one entry: they bound the count when reading. */
#define BLAME_WORDS   9
#define CLIENT_WORDS  (STAT_WORDS + NR_COMPONENTS + 14)
#define ROOM_WORDS    11
#define SERVICE_WORDS (2 * STAT_WORDS + 28)
#define SCRIPT_WORDS  14
#define STEAL_WORDS   3
#define CHAIN_WORDS   (STAT_WORDS + 2)
#define CHANNEL_WORDS (STAT_WORDS + NR_COMPONENTS + 30)

/* A new member belongs into this file, and the version of recordings has to be raised. */
_Static_assert(sizeof(struct summary) == 37136, "summary");
_Static_assert(sizeof(struct blame_summary) == 136, "blame");
_Static_assert(sizeof(struct client_summary) == 1152, "client");
_Static_assert(sizeof(struct channel_summary) == 1840, "channel");
_Static_assert(sizeof(struct service_summary) == 6880, "service");
_Static_assert(sizeof(struct room_summary) == 472, "room");
_Static_assert(sizeof(struct chain_hop) == 88, "hop");

static void serialize_sum(struct serializer *s, struct component_sum *sum)
{
	uint64_t all_ns = 0;

	SERIALIZER(s, sum->count);
	serialize_components(s, sum->ns);
	for (int i = 0; i < NR_COMPONENTS; i++)
		all_ns += sum->ns[i];
	serializer_expect(s, sum->count || !all_ns);
}

static void serialize_blocked_calls(struct serializer *s, struct blocked_calls *calls)
{
	serializer_below(s, &calls->cnt, BLOCKED_CALLS_MAX + 1);
	for (uint32_t i = 0; i < calls->cnt; i++) {
		SERIALIZER(s, calls->entry[i].call);
		SERIALIZER(s, calls->entry[i].ns);
		SERIALIZER(s, calls->entry[i].cnt);
	}
}

static void serialize_integrity(struct serializer *s, struct integrity *integrity)
{
	SERIALIZER(s, integrity->sent);
	SERIALIZER(s, integrity->matched);
	SERIALIZER(s, integrity->incomplete);
	SERIALIZER(s, integrity->loss);
	SERIALIZER(s, integrity->corrupt);
	SERIALIZER(s, integrity->residual_ns_max);
	SERIALIZER(s, integrity->unseen_switches);
	SERIALIZER(s, integrity->unseen_wakeups);
	serializer_flag(s, &integrity->truncated);
	SERIALIZER(s, integrity->match);
	SERIALIZER(s, integrity->elsewhere);
}

static void serialize_observer(struct serializer *s, struct observer *observer)
{
	serializer_flag(s, &observer->measured);
	SERIALIZER(s, observer->bpf_ns_per_message);
	SERIALIZER(s, observer->effect.pairs);
	SERIALIZER(s, observer->effect.ratio);
	SERIALIZER(s, observer->effect.low);
	SERIALIZER(s, observer->effect.high);
}

static void serialize_rounds(struct serializer *s, struct rounds_summary *rounds)
{
	SERIALIZER(s, rounds->count);
	SERIALIZER(s, rounds->complete);
	SERIALIZER(s, rounds->given_up);
	SERIALIZER(s, rounds->tick_ns);
	serialize_stat(s, &rounds->first);
	serialize_stat(s, &rounds->next);
	serialize_stat(s, &rounds->last);
	serialize_sum(s, &rounds->first_components);
	serialize_sum(s, &rounds->next_components);
	SERIALIZER(s, rounds->service_ns);
	SERIALIZER(s, rounds->efficiency_pct);
	serializer_below(s, &rounds->order_cnt, SUMMARY_ORDERS_MAX + 1);
	for (uint32_t i = 0; i < rounds->order_cnt; i++) {
		SERIALIZER_BITS(s, rounds->order[i].hash);
		SERIALIZER(s, rounds->order[i].rounds);
		SERIALIZER_BITS(s, rounds->order[i].first);
	}
	SERIALIZER(s, rounds->order_other);
}

/* Later states are at the end of the summary. */
static void serialize_states_10(struct serializer *s, uint64_t state_ns[NR_SERVICE_STATES])
{
	for (int i = 0; i < NR_SERVICE_STATES_10; i++)
		SERIALIZER(s, state_ns[i]);
}

static void serialize_calls(struct serializer *s, struct calls_summary *calls)
{
	SERIALIZER(s, calls->count);
	serialize_stat(s, &calls->round_trip);
	serialize_stat(s, &calls->request);
	serialize_stat(s, &calls->service);
	serialize_stat(s, &calls->response);
	serialize_stat(s, &calls->from_due);
	SERIALIZER(s, calls->state_cnt);
	SERIALIZER(s, calls->handed_over);
	SERIALIZER(s, calls->guessed);
	SERIALIZER(s, calls->ambiguous);
	SERIALIZER(s, calls->unasked);
	serialize_states_10(s, calls->state_ns);
	serialize_blocked_calls(s, &calls->blocked);
}

static void serialize_flow(struct serializer *s, struct flow_summary *flow)
{
	SERIALIZER(s, flow->messages);
	SERIALIZER(s, flow->bytes);
	SERIALIZER(s, flow->seconds);
	SERIALIZER(s, flow->wakes_sent);
	SERIALIZER(s, flow->wakes_delivered);
}

static void serialize_peaks(struct serializer *s, struct peaks_summary *peaks)
{
	struct peak *largest = &peaks->largest;
	uint32_t component = largest->component;

	SERIALIZER(s, peaks->medium_ns);
	SERIALIZER(s, peaks->width_ns);
	SERIALIZER(s, peaks->count);
	SERIALIZER_BITS(s, peaks->per_second);
	serializer_expect(s, isnan(peaks->per_second) ||
				     (isfinite(peaks->per_second) && peaks->per_second >= 0));
	SERIALIZER(s, peaks->min_ns);
	SERIALIZER(s, peaks->max_ns);
	serializer_expect(s, peaks->min_ns <= peaks->max_ns);
	serialize_components(s, peaks->cause);
	serializer_flag(s, &peaks->has_largest);
	SERIALIZER(s, largest->latency_ns);
	SERIALIZER(s, largest->at_ns);
	SERIALIZER(s, largest->client);
	serialize_component(s, &component);
	largest->component = component;
	SERIALIZER(s, largest->component_ns);
	serialize_blame(s, &largest->blame);
}

static void serialize_blames(struct serializer *s, struct blame_summary **blame, uint32_t *cnt)
{
	serializer_entries(s, blame, cnt, sizeof(**blame), BLAME_WORDS, SUMMARY_BLAMES_MAX);
	for (uint32_t i = 0; i < *cnt; i++) {
		serialize_blame(s, &(*blame)[i].total);
		SERIALIZER(s, (*blame)[i].folded);
		SERIALIZER(s, (*blame)[i].messages);
	}
}

static void serialize_client(struct serializer *s, struct client_summary *client)
{
	SERIALIZER(s, client->client);
	SERIALIZER(s, client->tid);
	SERIALIZER_TEXT(s, client->comm);
	serialize_stat(s, &client->latency);
	serialize_sum(s, &client->components);
	SERIALIZER(s, client->position_sum);
	SERIALIZER(s, client->position_cnt);
	SERIALIZER(s, client->time_ns);
	SERIALIZER(s, client->gap_ns);
	SERIALIZER(s, client->messages);
	serializer_flag(s, &client->left);
	SERIALIZER_BELOW(s, client->left_reason, NR_LEFT_REASONS);
	SERIALIZER(s, client->left_detail);
	SERIALIZER(s, client->left_round);
}

static void serialize_clients(struct serializer *s, struct summary *summary)
{
	serializer_entries(s, &summary->client, &summary->client_cnt, sizeof(*summary->client),
			   CLIENT_WORDS, SUMMARY_CLIENTS_MAX);
	for (uint32_t i = 0; i < summary->client_cnt; i++)
		serialize_client(s, &summary->client[i]);
}

static void serialize_channel(struct serializer *s, struct channel_summary *channel)
{
	SERIALIZER(s, channel->id);
	SERIALIZER(s, channel->transport);
	SERIALIZER(s, channel->folded);
	SERIALIZER_TEXT(s, channel->name);
	serialize_end(s, &channel->sender);
	serialize_end(s, &channel->receiver);
	SERIALIZER(s, channel->messages);
	SERIALIZER(s, channel->bytes);
	SERIALIZER(s, channel->calls);
	serialize_stat(s, &channel->latency);
	serialize_sum(s, &channel->components);
}

static void serialize_channels(struct serializer *s, struct summary *summary)
{
	serializer_entries(s, &summary->channel, &summary->channel_cnt, sizeof(*summary->channel),
			   CHANNEL_WORDS, SUMMARY_CHANNELS_MAX);
	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		serialize_channel(s, &summary->channel[i]);
}

static void serialize_server(struct serializer *s, struct summary *summary)
{
	serializer_flag(s, &summary->server_left);
	SERIALIZER_BELOW(s, summary->server_left_reason, NR_LEFT_REASONS);
	SERIALIZER(s, summary->server_left_detail);
}

static void serialize_all_left(struct serializer *s, struct summary *summary)
{
	serializer_flag(s, &summary->all_left);
	SERIALIZER_BELOW(s, summary->all_left_reason, NR_LEFT_REASONS);
	SERIALIZER(s, summary->all_left_detail);
	serializer_flag(s, &summary->all_left_early);
}

static void serialize_processes(struct serializer *s, struct blame_summary *blame, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		SERIALIZER(s, blame[i].pid);
		SERIALIZER_TEXT(s, blame[i].process);
	}
}

static void serialize_blamed(struct serializer *s, struct summary *summary)
{
	struct calls_summary *calls = &summary->calls;

	serialize_processes(s, summary->blame, summary->blame_cnt);
	serialize_blames(s, &calls->blame, &calls->blame_cnt);
	serialize_processes(s, calls->blame, calls->blame_cnt);
}

static void serialize_reader(struct serializer *s, struct observer *observer)
{
	serializer_flag(s, &observer->has_reader);
	SERIALIZER_BELOW(s, observer->reader, NR_READER_POLICIES);
	SERIALIZER(s, observer->start_ns);
	SERIALIZER(s, observer->hurried_ns);
}

static void serialize_pauses(struct serializer *s, struct observer *observer)
{
	/* Recordings before version 13 end here. */
	if (serializer_ends(s))
		return;
	serializer_flag(s, &observer->has_pauses);
	SERIALIZER(s, observer->pauses);
	SERIALIZER(s, observer->paused_ns);
}

static void serialize_room(struct serializer *s, struct room_summary *room)
{
	serialize_end(s, &room->reader);
	SERIALIZER(s, room->messages);
	SERIALIZER(s, room->ns);
	serialize_states_10(s, room->state_ns);
	SERIALIZER(s, room->unknown_ns);
	serialize_blocked_calls(s, &room->blocked);
}

static void serialize_service(struct serializer *s, struct service_summary *service)
{
	serialize_end(s, &service->server);
	serialize_end(s, &service->client);
	SERIALIZER_TEXT(s, service->name);
	SERIALIZER(s, service->transport);
	SERIALIZER(s, service->count);
	SERIALIZER(s, service->open_several);
	SERIALIZER(s, service->ambiguous);
	SERIALIZER(s, service->guessed);
	serialize_stat(s, &service->round_trip);
	serialize_stat(s, &service->service);
	SERIALIZER(s, service->state_cnt);
	serialize_states_10(s, service->state_ns);
}

static void serialize_new_calls(struct serializer *s, struct calls_summary *calls)
{
	SERIALIZER(s, calls->undecided);
	SERIALIZER(s, calls->in_parts);
	SERIALIZER(s, calls->messages);
	SERIALIZER(s, calls->cut_tries);
	serialize_stat(s, &calls->response_first);
	serialize_stat(s, &calls->open_several);
	serializer_entries(s, &calls->service_of, &calls->service_cnt, sizeof(*calls->service_of),
			   SERVICE_WORDS, SUMMARY_SERVICES_MAX);
	for (uint32_t i = 0; i < calls->service_cnt; i++)
		serialize_service(s, &calls->service_of[i]);
}

static void serialize_rooms(struct serializer *s, struct summary *summary)
{
	serializer_entries(s, &summary->room, &summary->room_cnt, sizeof(*summary->room),
			   ROOM_WORDS, SUMMARY_ROOMS_MAX);
	for (uint32_t i = 0; i < summary->room_cnt; i++)
		serialize_room(s, &summary->room[i]);
}

static void serialize_new_states(struct serializer *s, struct calls_summary *calls)
{
	SERIALIZER(s, calls->followed);
	SERIALIZER(s, calls->state_ns[SERVICE_WAKEUP]);
	for (uint32_t i = 0; i < calls->service_cnt; i++)
		SERIALIZER(s, calls->service_of[i].state_ns[SERVICE_WAKEUP]);
}

/* Recordings before version 14 have the largest callee only. */
static void serialize_first_callee(struct serializer *s, struct service_summary *service)
{
	struct callee_summary *first = &service->callee[0];

	SERIALIZER_TEXT(s, first->name);
	if (!s->reads || !first->name[0])
		return;
	service->callee_cnt = 1;
	first->calls = service->nests;
	first->ns = service->nested_ns;
}

/* What is known of each service beside its own figures. */
static void serialize_work(struct serializer *s, struct service_summary *service)
{
	serialize_stat(s, &service->request);
	serialize_stat(s, &service->response);
	serialize_blocked_calls(s, &service->blocked);
	serialize_end(s, &service->worker);
	SERIALIZER(s, service->worker_calls);
	SERIALIZER(s, service->nested);
	SERIALIZER_TEXT(s, service->inside);
	SERIALIZER(s, service->nests);
	SERIALIZER(s, service->nested_ns);
	serialize_first_callee(s, service);
}

static void serialize_end_of_attach(struct serializer *s, struct summary *summary)
{
	struct found_summary *found = &summary->found;

	SERIALIZER(s, summary->stopped_ns);
	serializer_flag(s, &found->known);
	SERIALIZER(s, found->targets);
	SERIALIZER(s, found->connections);
	SERIALIZER(s, found->services);
	SERIALIZER(s, found->elsewhere);
	SERIALIZER(s, found->transport);
	SERIALIZER_TEXT(s, found->name);
	serialize_end(s, &found->now);
}

static void serialize_relations(struct serializer *s, struct blame_summary *blame, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		SERIALIZER(s, blame[i].worst_ns);
		SERIALIZER(s, blame[i].worst_cpu);
		SERIALIZER_BELOW(s, blame[i].relation, NR_BLAME_RELATIONS);
		SERIALIZER(s, blame[i].alike.messages);
		SERIALIZER(s, blame[i].alike.worst_ns);
		SERIALIZER(s, blame[i].alike.worst_cpu);
		SERIALIZER(s, blame[i].alike.entries);
	}
}

static void serialize_scripts(struct serializer *s, struct summary *summary)
{
	serializer_entries(s, &summary->script, &summary->script_cnt, sizeof(*summary->script),
			   SCRIPT_WORDS, SUMMARY_SCRIPTS_MAX);
	for (uint32_t i = 0; i < summary->script_cnt; i++) {
		SERIALIZER(s, summary->script[i].pid);
		SERIALIZER_TEXT(s, summary->script[i].text);
	}
}

static void serialize_steal(struct serializer *s, struct summary *summary)
{
	serializer_entries(s, &summary->steal, &summary->steal_cnt, sizeof(*summary->steal),
			   STEAL_WORDS, SUMMARY_STEAL_MAX);
	for (uint32_t i = 0; i < summary->steal_cnt; i++) {
		SERIALIZER(s, summary->steal[i].cpu);
		SERIALIZER(s, summary->steal[i].steal_ns);
		SERIALIZER(s, summary->steal[i].span_ns);
	}
}

/* What is known of names. */
static void serialize_names(struct serializer *s, struct summary *summary)
{
	serialize_relations(s, summary->blame, summary->blame_cnt);
	serialize_relations(s, summary->calls.blame, summary->calls.blame_cnt);
	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		SERIALIZER(s, summary->channel[i].named);
	serialize_scripts(s, summary);
	serialize_steal(s, summary);
}

static void serialize_cause(struct serializer *s, struct missed_cause *cause)
{
	uint32_t component = cause->component;

	serializer_flag(s, &cause->is_late);
	serializer_flag(s, &cause->is_known);
	serialize_component(s, &component);
	cause->component = component;
	serializer_flag(s, &cause->has_blame);
	serialize_blame(s, &cause->blame);
	SERIALIZER(s, cause->count);
}

static void serialize_periods(struct serializer *s, struct rounds_summary *rounds)
{
	struct missed_summary *missed = &rounds->missed;

	serialize_stat(s, &rounds->distance);
	SERIALIZER(s, rounds->period_ns);
	SERIALIZER(s, missed->late);
	SERIALIZER(s, missed->skipped);
	SERIALIZER(s, missed->unfinished);
	serializer_below(s, &missed->cause_cnt, MISSED_CAUSES_MAX + 1);
	for (uint32_t i = 0; i < missed->cause_cnt; i++)
		serialize_cause(s, &missed->cause[i]);
}

static void serialize_hop(struct serializer *s, struct chain_hop *hop)
{
	serialize_end(s, &hop->from);
	serialize_end(s, &hop->to);
	SERIALIZER(s, hop->channel);
	SERIALIZER(s, hop->transport);
	SERIALIZER(s, hop->latency.ns);
	SERIALIZER(s, hop->latency.max_ns);
	SERIALIZER(s, hop->handled.ns);
	SERIALIZER(s, hop->handled.max_ns);
}

static void serialize_chains(struct serializer *s, struct summary *summary)
{
	serializer_entries(s, &summary->chain, &summary->chain_cnt, sizeof(*summary->chain),
			   CHAIN_WORDS, SUMMARY_CHAINS_MAX);
	for (uint32_t i = 0; i < summary->chain_cnt; i++) {
		struct chain_summary *chain = &summary->chain[i];

		serializer_below(s, &chain->hop_cnt, CHAIN_HOPS_MAX + 1);
		serializer_expect(s, chain->hop_cnt);
		for (uint32_t k = 0; k < chain->hop_cnt; k++)
			serialize_hop(s, &chain->hop[k]);
		SERIALIZER(s, chain->count);
		serialize_stat(s, &chain->cycle);
	}
	SERIALIZER(s, summary->chains_other);
}

static void serialize_load(struct serializer *s, struct summary *summary)
{
	SERIALIZER(s, summary->integrity.dropped);
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		SERIALIZER(s, summary->channel[i].awake);
		SERIALIZER(s, summary->channel[i].dropped);
	}
}

static void serialize_top(struct serializer *s, struct blame_top *top)
{
	serializer_below(s, &top->cnt, BLAME_TOP_MAX + 1);
	for (uint32_t i = 0; i < top->cnt; i++)
		serialize_blame(s, &top->entry[i]);
}

static void serialize_parts(struct serializer *s, struct answer_parts *parts)
{
	SERIALIZER(s, parts->calls);
	SERIALIZER(s, parts->ns);
	SERIALIZER(s, parts->did.state_ns);
	serialize_blocked_calls(s, &parts->did.blocked);
	serialize_top(s, &parts->did.blame);
}

/* What the server did between the parts of answers, and what had the CPU. */
static void serialize_server_time(struct serializer *s, struct summary *summary)
{
	struct calls_summary *calls = &summary->calls;

	/* Recordings before version 14 end here. */
	if (serializer_ends(s))
		return;
	serialize_parts(s, &calls->parts);
	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		serialize_top(s, &calls->service_of[i].blame);
		serialize_parts(s, &calls->service_of[i].parts);
	}
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		struct channel_summary *channel = &summary->channel[i];

		serialize_top(s, &channel->blame);
		SERIALIZER(s, channel->loop.ns);
		SERIALIZER(s, channel->loop.known_ns);
		SERIALIZER(s, channel->loop.asleep_ns);
	}
}

static void serialize_callees(struct serializer *s, struct service_summary *service)
{
	serializer_below(s, &service->callee_cnt, SERVICE_CALLEES_MAX + 1);
	for (uint32_t i = 0; i < service->callee_cnt; i++) {
		SERIALIZER_TEXT(s, service->callee[i].name);
		SERIALIZER(s, service->callee[i].calls);
		SERIALIZER(s, service->callee[i].ns);
	}
}

static void serialize_balance(struct serializer *s, struct summary *summary)
{
	/* Recordings before version 14 end here. */
	if (serializer_ends(s))
		return;
	SERIALIZER(s, summary->integrity.notifications);
	SERIALIZER(s, summary->calls.unbalanced);
	for (uint32_t i = 0; i < summary->calls.service_cnt; i++)
		serialize_callees(s, &summary->calls.service_of[i]);
}

static void serialize_peak_stamp(struct serializer *s, struct summary *summary)
{
	/* Recordings before version 14 end here. */
	if (serializer_ends(s))
		return;
	SERIALIZER(s, summary->peaks.largest.stamp_ns);
}

static void serialize_end_processes(struct serializer *s, struct summary *summary)
{
	/* Recordings before version 14 end here. */
	if (serializer_ends(s))
		return;
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		SERIALIZER_TEXT(s, summary->channel[i].sender_process);
		SERIALIZER_TEXT(s, summary->channel[i].receiver_process);
	}
	for (uint32_t i = 0; i < summary->calls.service_cnt; i++)
		SERIALIZER(s, summary->calls.service_of[i].is_target);
}

void serialize_summary(struct serializer *s, struct summary *summary)
{
	serialize_integrity(s, &summary->integrity);
	serialize_observer(s, &summary->observer);
	SERIALIZER(s, summary->duration_s);
	serialize_stat(s, &summary->latency);
	for (int i = 0; i < NR_COMPONENTS; i++)
		serialize_stat(s, &summary->component[i]);
	SERIALIZER(s, summary->path);
	serialize_stat(s, &summary->from_due);
	serialize_rounds(s, &summary->rounds);
	serialize_calls(s, &summary->calls);
	serialize_flow(s, &summary->flow);
	serialize_stat(s, &summary->tick.lateness);
	SERIALIZER(s, summary->tick.skipped);
	SERIALIZER(s, summary->load.count);
	serializer_flag(s, &summary->load.ended);
	serialize_peaks(s, &summary->peaks);
	serialize_blames(s, &summary->blame, &summary->blame_cnt);
	serialize_blocked_calls(s, &summary->blocked);
	serialize_clients(s, summary);
	serialize_channels(s, summary);
	SERIALIZER(s, summary->slower_cnt);
	serialize_server(s, summary);
	serialize_all_left(s, summary);
	serialize_blamed(s, summary);
	serialize_reader(s, &summary->observer);
	serialize_new_calls(s, &summary->calls);
	serialize_rooms(s, summary);
	serialize_new_states(s, &summary->calls);
	for (uint32_t i = 0; i < summary->calls.service_cnt; i++)
		serialize_work(s, &summary->calls.service_of[i]);
	serialize_load(s, summary);
	serialize_end_of_attach(s, summary);
	serialize_names(s, summary);
	serialize_periods(s, &summary->rounds);
	serialize_chains(s, summary);
	serialize_pauses(s, &summary->observer);
	serialize_server_time(s, summary);
	serialize_balance(s, summary);
	serialize_peak_stamp(s, summary);
	serialize_choices(s, summary);
	serialize_end_processes(s, summary);
}
