/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups the sends of each target into bursts, and decides which bursts are rounds when all of
 * their messages have been joined.
 */
#include "analysis/attach/rounds/round_detector.h"

#include "analysis/attach/rounds/round_clients.h"
#include "analysis/statistics/periods.h"
#include "container/lru_table.h"
#include "analysis/statistics/rounds.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

/*
 * A target thread that sends. Not part of threads.c: it exists only for threads that have sent, and
 * is larger than all that threads.c knows.
 */
struct sender {
	uint32_t id; /* tid */
	uint32_t used;
	uint64_t at_ns;       /* start of its last event */
	uint64_t queued_ns;   /* of its last send */
	uint64_t received_ns; /* its last receive */
	bool has_received;    /* since its last send */
	struct round_starts starts;
	struct burst *burst;
	struct sender *prev_busy, *next_busy;          /* of those that have a burst */
	uint32_t channel[DETECTED_ROUND_MESSAGES_MAX]; /* those of the burst, by first send */
	UT_hash_handle hh;
};

/* Somewhat below the period, which is known at the end only. */
#define MAYBE_LONG 0.75

struct round_detector {
	LRU_TABLE(struct sender);
	const struct threads *threads; /* borrowed */
	struct service_blame *blame;   /* borrowed */
	struct ordered_events events;
	uint64_t dropped_ns; /* events up to this instant were dropped; 0: none */
	uint64_t given_up;   /* messages that could not be assigned to a round */
	struct sender *busy; /* list */
	struct burst_pool pool;
	uint64_t round; /* number of the next one */
	uint64_t first_ns, last_ns;
	struct round_clients *clients;
	struct rounds *rounds;
	struct periods *periods;
};

struct round_detector *round_detector__new(const struct threads *threads,
					   struct service_blame *blame)
{
	struct round_detector *detector = calloc(1, sizeof(*detector));

	if (!detector)
		return NULL;
	detector->threads = threads;
	detector->blame = blame;
	detector->periods = periods__new();
	detector->clients = round_clients__new();
	if (detector->clients)
		detector->rounds = rounds__new(round_clients__clients(detector->clients),
					       ROUND_CLIENTS_MAX, 0);
	if (detector->rounds && detector->periods)
		return detector;
	round_detector__free(detector);
	return NULL;
}

/* Later sends of its thread do not belong to the burst. */
static void leave_sender(struct round_detector *detector, struct burst *burst)
{
	if (!burst->sender)
		return;
	DL_DELETE2(detector->busy, burst->sender, prev_busy, next_busy);
	burst->sender->burst = NULL;
	burst->sender = NULL;
}

static void forget_burst(struct round_detector *detector, struct burst *burst)
{
	leave_sender(detector, burst);
	burst_free(&detector->pool, burst);
}

void round_detector__free(struct round_detector *detector)
{
	struct sender *sender, *next;

	if (!detector)
		return;
	while (detector->pool.open)
		forget_burst(detector, detector->pool.open);
	burst_pool_clean(&detector->pool);
	HASH_ITER (hh, detector->first, sender, next) {
		LRU_DROP(detector, sender);
	}
	round_clients__free(detector->clients);
	rounds__free(detector->rounds);
	periods__free(detector->periods);
	ordered_events_clean(&detector->events);
	free(detector);
}

static bool has_channel(const struct sender *sender, uint32_t channel)
{
	for (uint32_t i = 0; i < sender->burst->channel_cnt; i++) {
		if (sender->channel[i] == channel)
			return true;
	}
	return false;
}

static int round_detector_add_to_round(struct round_detector *detector, uint64_t number,
				       const struct burst *burst,
				       const struct burst_arrival *arrived)
{
	struct client_summary *client =
		round_clients__find(detector->clients, arrived->channel, &arrived->receiver);
	struct round_arrival arrival = {
		.stamp_ns = burst->start_ns,
		.user_ns = arrived->recv_ns,
		.segment = arrived->segment,
		.segment_cnt = arrived->segment_cnt,
		.peak = arrived->peak,
	};

	if (!client)
		return -ENOMEM;
	if (arrived->is_early)
		return 0;
	arrival.client = arrival.peak.client = client->client;
	stat_add(&client->latency, arrived->recv_ns - burst->start_ns);
	client->components.count++;
	for (uint32_t i = 0; i < arrived->segment_cnt; i++)
		client->components.ns[arrived->segment[i].component] +=
			arrived->segment[i].to_ns - arrived->segment[i].from_ns;
	return rounds__arrive(detector->rounds, number, &arrival);
}

static void count_periods(struct round_detector *detector, const struct burst *burst)
{
	const struct burst_arrival *last = burst->arrival;

	for (uint32_t i = 1; i < burst->arrival_cnt; i++) {
		if (burst->arrival[i].recv_ns > last->recv_ns)
			last = &burst->arrival[i];
	}
	if (burst->distance_ns)
		periods__start(detector->periods, burst->distance_ns, burst->is_caused,
			       &burst->late);
	periods__last(detector->periods, &last->peak,
		      last->peak.latency_ns > MAYBE_LONG * burst->usual_ns);
}

static int make_round(struct round_detector *detector, struct burst *burst)
{
	uint64_t number = detector->round++;
	int err = rounds__tick(detector->rounds, number, burst->channel_cnt);

	burst_count_from_start(burst);
	if (burst->fate) {
		burst->fate->is_round = true;
		burst->fate->round = number;
		burst->fate->start_ns = burst->start_ns;
		burst->fate->size = burst->sent_cnt;
	}
	for (uint32_t i = 0; i < burst->arrival_cnt && !err; i++)
		err = round_detector_add_to_round(detector, number, burst, &burst->arrival[i]);
	count_periods(detector, burst);
	if (!detector->first_ns || burst->start_ns < detector->first_ns)
		detector->first_ns = burst->start_ns;
	if (burst->start_ns > detector->last_ns)
		detector->last_ns = burst->start_ns;
	return err;
}

/* Frees a burst that is complete, or that cannot become a round any more. */
static int finish_burst(struct round_detector *detector, struct burst *burst)
{
	int err = 0;

	if (burst->sender || (!burst->no_round && burst->channel_cnt > 1 && burst->open))
		return 0;
	if (!burst->no_round)
		burst_join_receivers(burst);
	if (!burst->no_round && burst->channel_cnt > 1)
		err = make_round(detector, burst);
	forget_burst(detector, burst);
	return err;
}

/* The burst is over. If it can become a round, the distance of its start is known now. */
static void round_detector_note_start(struct round_detector *detector, struct sender *sender)
{
	struct burst *burst = sender->burst;
	/* It goes to one client of the rounds alone: the others need no message this time. */
	bool is_short = burst->channel_cnt == 1 &&
			round_clients__number(detector->clients, sender->channel[0]);

	if (burst->is_uncertain)
		round_starts_forget(&sender->starts);
	if (burst->no_round || (burst->channel_cnt < 2 && !is_short))
		return;
	burst->distance_ns = round_starts_add(&sender->starts, burst->start_ns);
	if (is_short && burst->distance_ns)
		periods__start(detector->periods, burst->distance_ns, burst->is_caused,
			       &burst->late);
}

static int end_burst(struct round_detector *detector, struct sender *sender)
{
	struct burst *burst = sender->burst;

	if (!burst)
		return 0;
	round_detector_note_start(detector, sender);
	leave_sender(detector, burst);
	return finish_burst(detector, burst);
}

/* 0 or -ENOMEM. */
static int round_detector_find_or_make(struct round_detector *detector, uint32_t tid,
				       struct sender **sender)
{
	int err = 0;

	LRU_FIND(detector, tid, *sender);
	if (*sender) {
		LRU_USE(detector, *sender);
		return 0;
	}
	*sender = LRU_OLDEST(detector, DETECTED_ROUND_SENDERS_MAX);
	if (*sender) {
		err = end_burst(detector, *sender);
		LRU_DROP(detector, *sender);
	}
	LRU_ADD(detector, tid, *sender);
	return *sender ? err : -ENOMEM;
}

/* Drops a burst; if it may have been a round, its messages are counted. */
static void round_detector_give_up(struct round_detector *detector, struct burst *burst)
{
	if (!burst->no_round && burst->channel_cnt > 1)
		detector->given_up += burst->sent_cnt;
	forget_burst(detector, burst);
}

/* It is not known what belongs to the burst: its messages so far are given up. */
static void mark_uncertain(struct round_detector *detector, struct burst *burst)
{
	if (!burst->no_round)
		detector->given_up += burst->sent_cnt;
	burst->is_uncertain = true;
	burst_refuse(burst);
}

static int begin_burst(struct round_detector *detector, struct sender *sender,
		       const struct ordered_event *send, const struct timeline *line)
{
	struct burst *burst = burst_new(&detector->pool);

	if (!burst)
		return -ENOMEM;
	burst->sender = sender;
	burst->start_ns = send->start_ns;
	burst->usual_ns = sender->starts.usual_ns;
	burst->is_caused =
		sender->has_received && !timeline_slept(line, sender->received_ns, send->start_ns);
	if (round_starts_is_late(&sender->starts, send->start_ns))
		burst->late = late_start_of(line, send->tid, round_starts_due(&sender->starts),
					    send->start_ns, detector->blame);
	if (detector->dropped_ns && !sender->has_received &&
	    !timeline_slept(line, detector->dropped_ns, send->end_ns))
		mark_uncertain(detector, burst);
	sender->burst = burst;
	DL_APPEND2(detector->busy, sender, prev_busy, next_busy);
	return 0;
}

static bool is_last_channel(const struct sender *sender, uint32_t channel)
{
	uint32_t cnt = sender->burst->channel_cnt;

	return cnt && sender->channel[cnt - 1] == channel;
}

/* Whether the role of this send in the round is clear. */
static bool round_detector_is_certain(const struct sender *sender, const struct ordered_event *send)
{
	if (sender->burst->sent_cnt == DETECTED_ROUND_MESSAGES_MAX)
		return false;
	/*
	 * A second message to the last channel is the rest of the first; to others, it is unclear.
	 */
	return is_last_channel(sender, send->channel) || !has_channel(sender, send->channel);
}

/* The last of several messages to one channel counts: then its client has all of them. */
static int round_detector_extend(struct round_detector *detector, struct sender *sender,
				 const struct ordered_event *send)
{
	struct burst *burst = sender->burst;

	if (is_last_channel(sender, send->channel))
		burst_drop_arrival(burst, send->channel);
	else
		sender->channel[burst->channel_cnt++] = send->channel;
	if (burst->open && burst->open->id.channel == send->channel)
		burst->open->is_early = true;
	return burst_add_member(&detector->pool, sender->burst, send);
}

static bool ends_burst(const struct sender *sender, const struct ordered_event *send,
		       const struct timeline *line)
{
	/* A thread that is late does not sleep between rounds: the first channel gets one again. */
	return sender->has_received || timeline_slept(line, sender->queued_ns, send->end_ns) ||
	       (sender->burst->channel_cnt > 1 && sender->channel[0] == send->channel);
}

static int round_detector_add_send(struct round_detector *detector, struct sender *sender,
				   const struct ordered_event *send, const struct timeline *line)
{
	int err = 0;

	while (detector->pool.open_cnt >= ROUND_DETECTOR_OPEN_MAX ||
	       detector->pool.sent_cnt >= ROUND_DETECTOR_MESSAGES_MAX)
		round_detector_give_up(detector, detector->pool.open);
	if (sender->burst && ends_burst(sender, send, line))
		err = end_burst(detector, sender);
	if (!err && !sender->burst)
		err = begin_burst(detector, sender, send, line);
	if (err)
		return err;
	sender->has_received = false;
	sender->queued_ns = send->queued_ns;
	detector->given_up += sender->burst->is_uncertain;
	if (!round_detector_is_certain(sender, send))
		burst_refuse(sender->burst);
	return sender->burst->no_round ? 0 : round_detector_extend(detector, sender, send);
}

static int process(struct round_detector *detector, const struct ordered_event *event,
		   struct timelines *lines)
{
	struct sender *sender = NULL;
	struct timeline line;
	int err = 0;

	if (event->receives)
		LRU_FIND(detector, event->tid, sender);
	else if (threads__is_target(detector->threads, event->tid, event->at_ns))
		err = round_detector_find_or_make(detector, event->tid, &sender);
	if (err || !sender)
		return err;
	/* It comes after later events: its effect is unknown, the burst is dropped. */
	if (event->at_ns < sender->at_ns) {
		if (sender->burst)
			mark_uncertain(detector, sender->burst);
		round_starts_forget(&sender->starts);
		detector->given_up += !event->receives;
		return 0;
	}
	sender->at_ns = event->at_ns;
	if (event->receives) {
		sender->has_received = true;
		sender->received_ns = event->at_ns;
		return 0;
	}
	line = timelines__of(lines, event->tid);
	return round_detector_add_send(detector, sender, event, &line);
}

/* Too many events wait: all are dropped. Every current burst may have begun with one of them. */
static void drop_events(struct round_detector *detector)
{
	struct sender *sender, *next;
	size_t cnt;
	const struct ordered_event *event =
		ordered_events_before(&detector->events, UINT64_MAX, &cnt);

	for (size_t i = 0; i < cnt; i++)
		detector->given_up +=
			!event[i].receives &&
			threads__is_target(detector->threads, event[i].tid, event[i].at_ns);
	detector->dropped_ns = event[cnt - 1].at_ns;
	ordered_events_drop(&detector->events, cnt);
	HASH_ITER (hh, detector->first, sender, next) {
		if (sender->burst)
			mark_uncertain(detector, sender->burst);
		sender->has_received = false;
		round_starts_forget(&sender->starts);
	}
}

int round_detector__add(struct round_detector *detector, const struct ordered_event *event)
{
	int err = ordered_events_add(&detector->events, event);

	if (err != -ENOSPC)
		return err;
	drop_events(detector);
	return ordered_events_add(&detector->events, event);
}

/* A thread that has slept since its last send is done with its burst. */
static int end_slept(struct round_detector *detector, uint64_t before_ns, struct timelines *lines)
{
	struct sender *sender, *next;
	int err = 0;

	DL_FOREACH_SAFE2 (detector->busy, sender, next, next_busy) {
		struct timeline line;

		if (err || !step_limit_spend(STEPS_OF_SENDER))
			break;
		line = timelines__of(lines, sender->id);
		if (timeline_slept(&line, sender->queued_ns, before_ns))
			err = end_burst(detector, sender);
	}
	return err;
}

int round_detector__settle(struct round_detector *detector, uint64_t before_ns,
			   struct timelines *lines)
{
	size_t cnt;
	const struct ordered_event *event =
		ordered_events_before(&detector->events, before_ns, &cnt);
	int err = 0;

	for (size_t i = 0; i < cnt && !err && step_limit_spend(STEPS_OF_SENDER); i++)
		err = process(detector, &event[i], lines);
	ordered_events_drop(&detector->events, cnt);
	return err ? err : end_slept(detector, before_ns, lines);
}

int round_detector__message(struct round_detector *detector, const struct message *message,
			    bool is_answer, struct round_fate **fate)
{
	bool is_early;
	struct burst *burst = burst_remove_member(&detector->pool, message, &is_early);
	int err = 0;

	if (fate)
		*fate = NULL;
	if (!burst)
		return 0;
	if (is_answer || (!burst->sender && burst->channel_cnt < 2))
		burst_refuse(burst);
	if (!burst->no_round && !is_early)
		err = burst_add_arrival(burst, message);
	if (!err && !burst->no_round && fate) {
		if (!burst->fate)
			burst->fate = round_fate_new();
		if (!burst->fate)
			err = -ENOMEM;
		else
			*fate = round_fate_get(burst->fate);
	}
	return err ? err : finish_burst(detector, burst);
}

uint32_t round_detector__client(const struct round_detector *detector, uint32_t channel)
{
	return round_clients__number(detector->clients, channel);
}

int round_detector__finish(struct round_detector *detector, struct summary *summary)
{
	int err = 0;

	while (detector->busy && !err)
		err = end_burst(detector, detector->busy);
	while (detector->pool.open)
		round_detector_give_up(detector, detector->pool.open);
	rounds__finish(detector->rounds, detector->first_ns,
		       (double)(detector->last_ns - detector->first_ns) / 1e9, summary);
	periods__finish(detector->periods, &summary->rounds);
	summary->rounds.given_up = detector->given_up;
	round_clients__finish(detector->clients, summary);
	return err;
}
