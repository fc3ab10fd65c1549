/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/round_detector.h"

#include "analysis/attach/ordered_events.h"
#include "analysis/attach/round_clients.h"
#include "analysis/container/lru_table.h"
#include "analysis/statistics/rounds.h"
#include "analysis/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* A message's latency is counted from the round's start: its own begins a segment later. */
struct arrived {
	uint32_t channel;
	struct party receiver;
	struct peak peak; /* of no client yet */
	uint64_t recv_ns;
	struct segment *segment; /* owned */
	uint32_t segment_cnt;
};

struct member_id {
	uint64_t channel;
	uint64_t position;
};

struct burst;
struct sender;

/* A message that was sent and has not arrived. */
struct member {
	struct member_id id;
	bool is_early; /* its channel got more, which counts */
	struct burst *burst;
	struct member *next; /* of the same burst */
	UT_hash_handle hh;
};

struct burst {
	uint64_t start_ns;
	uint32_t sent;         /* messages */
	uint32_t channels;     /* that they went to */
	struct sender *sender; /* NULL: nothing more belongs to it */
	bool no_round;         /* an answer, or more than can be told apart */
	bool is_doubtful;      /* what it began with, or what belongs to it, is not certain */
	struct member *open;
	struct arrived *arrived;
	uint32_t arrived_cnt;
	struct burst *prev, *next; /* oldest first */
};

/* A thread that sends. */
struct sender {
	uint32_t id; /* tid */
	uint32_t used;
	uint64_t at_ns;   /* what it did last began, */
	uint64_t last_ns; /* and its last send was queued */
	bool took;        /* something since then */
	struct burst *burst;
	struct sender *prev_busy, *next_busy; /* of those that have a burst */
	uint32_t channel[DETECTED_ROUND_MESSAGES_MAX];
	UT_hash_handle hh;
};

struct round_detector {
	const struct threads *threads; /* borrowed */
	struct ordered_events *acts;   /* that may be told of out of order */
	uint64_t torn_ns;              /* acts until then were given up; 0: none */
	uint64_t given_up;             /* messages */
	struct sender *first;          /* hash by id, see lru_table.h: senders */
	struct sender *busy;           /* list */
	uint32_t clock;
	ID_CACHE(struct sender);
	struct member *member; /* hash by id */
	struct burst *open;    /* list */
	struct burst *spare;   /* by next: forgotten ones, to be used again */
	struct member *spare_member;
	uint32_t open_cnt;
	uint32_t sent_cnt; /* of all these together */
	uint64_t round;    /* the next one's number */
	uint64_t first_ns, last_ns;
	struct round_clients *listeners;
	struct rounds *rounds;
};

struct round_detector *round_detector__new(const struct threads *threads)
{
	struct round_detector *bursts = calloc(1, sizeof(*bursts));

	if (!bursts)
		return NULL;
	bursts->threads = threads;
	bursts->acts = ordered_events__new();
	bursts->listeners = round_clients__new();
	if (bursts->listeners)
		bursts->rounds = rounds__new(round_clients__clients(bursts->listeners),
					     ROUND_CLIENTS_MAX, 0);
	if (bursts->rounds && bursts->acts)
		return bursts;
	round_detector__free(bursts);
	return NULL;
}

static struct member *new_member(struct round_detector *bursts)
{
	struct member *member = bursts->spare_member;

	if (!member)
		return calloc(1, sizeof(*member));
	bursts->spare_member = member->next;
	return member;
}

static void forget_member(struct round_detector *bursts, struct member *member)
{
	HASH_DEL(bursts->member, member);
	member->next = bursts->spare_member;
	bursts->spare_member = member;
}

/* NULL: out of memory. */
static struct burst *new_burst(struct round_detector *bursts)
{
	struct burst *burst = bursts->spare;

	if (!burst)
		return calloc(1, sizeof(*burst));
	bursts->spare = burst->next;
	memset(burst, 0, sizeof(*burst));
	return burst;
}

/* Nothing more that its thread sends belongs to it. */
static void leave_sender(struct round_detector *bursts, struct burst *burst)
{
	if (!burst->sender)
		return;
	DL_DELETE2(bursts->busy, burst->sender, prev_busy, next_busy);
	burst->sender->burst = NULL;
	burst->sender = NULL;
}

static void forget_burst(struct round_detector *bursts, struct burst *burst)
{
	struct member *member, *next;

	LL_FOREACH_SAFE(burst->open, member, next)
	{
		forget_member(bursts, member);
	}
	for (uint32_t i = 0; i < burst->arrived_cnt; i++)
		free(burst->arrived[i].segment);
	free(burst->arrived);
	leave_sender(bursts, burst);
	DL_DELETE(bursts->open, burst);
	bursts->open_cnt--;
	bursts->sent_cnt -= burst->sent;
	burst->next = bursts->spare;
	bursts->spare = burst;
}

static void free_spares(struct round_detector *bursts)
{
	struct member *member;
	struct burst *burst;

	while ((member = bursts->spare_member)) {
		bursts->spare_member = member->next;
		free(member);
	}
	while ((burst = bursts->spare)) {
		bursts->spare = burst->next;
		free(burst);
	}
}

void round_detector__free(struct round_detector *bursts)
{
	struct sender *sender, *next;

	if (!bursts)
		return;
	while (bursts->open)
		forget_burst(bursts, bursts->open);
	free_spares(bursts);
	HASH_ITER (hh, bursts->first, sender, next) {
		LRU_DELETE(bursts, sender);
		free(sender);
	}
	round_clients__free(bursts->listeners);
	rounds__free(bursts->rounds);
	ordered_events__free(bursts->acts);
	free(bursts);
}

static bool has_channel(const struct sender *sender, uint32_t channel)
{
	for (uint32_t i = 0; i < sender->burst->channels; i++) {
		if (sender->channel[i] == channel)
			return true;
	}
	return false;
}

static void count_client(struct client_summary *client, const struct burst *burst,
			 const struct arrived *arrived)
{
	stat_add(&client->latency, arrived->recv_ns - burst->start_ns);
	client->components.count++;
	for (uint32_t i = 0; i < arrived->segment_cnt; i++)
		client->components.ns[arrived->segment[i].component] +=
			arrived->segment[i].to_ns - arrived->segment[i].from_ns;
}

static int arrive(struct round_detector *bursts, uint64_t number, const struct burst *burst,
		  const struct arrived *arrived)
{
	struct client_summary *client =
		round_clients__find(bursts->listeners, arrived->channel, &arrived->receiver);
	struct round_arrival arrival = {
		.stamp_ns = burst->start_ns,
		.user_ns = arrived->recv_ns,
		.segment = arrived->segment,
		.segment_cnt = arrived->segment_cnt,
		.peak = arrived->peak,
	};

	if (!client)
		return -ENOMEM;
	arrival.client = arrival.peak.client = client->client;
	count_client(client, burst, arrived);
	return rounds__arrive(bursts->rounds, number, &arrival);
}

static int make_round(struct round_detector *bursts, const struct burst *burst)
{
	uint64_t number = bursts->round++;
	int err = rounds__tick(bursts->rounds, number, burst->channels);

	for (uint32_t i = 0; i < burst->arrived_cnt && !err; i++)
		err = arrive(bursts, number, burst, &burst->arrived[i]);
	if (!bursts->first_ns || burst->start_ns < bursts->first_ns)
		bursts->first_ns = burst->start_ns;
	if (burst->start_ns > bursts->last_ns)
		bursts->last_ns = burst->start_ns;
	return err;
}

/* All of it is here, or it can never be a round. */
static int finish_burst(struct round_detector *bursts, struct burst *burst)
{
	int err = 0;

	if (burst->sender || (!burst->no_round && burst->channels > 1 && burst->open))
		return 0;
	if (!burst->no_round && burst->channels > 1)
		err = make_round(bursts, burst);
	forget_burst(bursts, burst);
	return err;
}

static int end_burst(struct round_detector *bursts, struct sender *sender)
{
	struct burst *burst = sender->burst;

	if (!burst)
		return 0;
	leave_sender(bursts, burst);
	return finish_burst(bursts, burst);
}

/* 0 or -ENOMEM. */
static int find_or_make(struct round_detector *bursts, uint32_t tid, struct sender **sender)
{
	int err = 0;

	LRU_FIND(bursts, tid, *sender);
	if (*sender) {
		LRU_USE(bursts, *sender);
		return 0;
	}
	*sender = LRU_OLDEST(bursts, DETECTED_ROUND_SENDERS_MAX);
	if (*sender) {
		err = end_burst(bursts, *sender);
		LRU_DELETE(bursts, *sender);
		free(*sender);
	}
	*sender = calloc(1, sizeof(**sender));
	if (!*sender)
		return -ENOMEM;
	(*sender)->id = tid;
	HASH_ADD(hh, bursts->first, id, sizeof((*sender)->id), *sender);
	return err;
}

/* It may have been a round. */
static void give_up(struct round_detector *bursts, struct burst *burst)
{
	if (!burst->no_round && burst->channels > 1)
		bursts->given_up += burst->sent;
	forget_burst(bursts, burst);
}

/* For one more message, in a burst of its own perhaps. */
static void make_room(struct round_detector *bursts)
{
	while (bursts->open_cnt >= ROUND_DETECTOR_OPEN_MAX ||
	       bursts->sent_cnt >= ROUND_DETECTOR_MESSAGES_MAX)
		give_up(bursts, bursts->open);
}

/* It is not known what belongs to it: what it has already counts as given up. */
static void doubt(struct round_detector *bursts, struct burst *burst)
{
	if (!burst->no_round)
		bursts->given_up += burst->sent;
	burst->no_round = burst->is_doubtful = true;
}

static int begin_burst(struct round_detector *bursts, struct sender *sender,
		       const struct ordered_event *send, const struct timeline *line)
{
	struct burst *burst = new_burst(bursts);

	if (!burst)
		return -ENOMEM;
	burst->sender = sender;
	burst->start_ns = send->start_ns;
	if (bursts->torn_ns && !sender->took &&
	    !timeline_slept(line, bursts->torn_ns, send->end_ns))
		doubt(bursts, burst);
	sender->burst = burst;
	DL_APPEND2(bursts->busy, sender, prev_busy, next_busy);
	DL_APPEND(bursts->open, burst);
	bursts->open_cnt++;
	return 0;
}

static int add_member(struct round_detector *bursts, struct sender *sender,
		      const struct ordered_event *send)
{
	struct member *member = new_member(bursts);

	if (!member)
		return -ENOMEM;
	member->is_early = false;
	member->id = (struct member_id){.channel = send->channel, .position = send->position};
	member->burst = sender->burst;
	LL_PREPEND(sender->burst->open, member);
	HASH_ADD(hh, bursts->member, id, sizeof(member->id), member);
	sender->burst->sent++;
	bursts->sent_cnt++;
	return 0;
}

static bool is_last_channel(const struct sender *sender, uint32_t channel)
{
	uint32_t cnt = sender->burst->channels;

	return cnt && sender->channel[cnt - 1] == channel;
}

/* It is the first one's turn again: who is late does not sleep between two rounds. */
static bool is_next_round(const struct sender *sender, uint32_t channel)
{
	return sender->burst->channels > 1 && sender->channel[0] == channel;
}

/* Whether it can be told of this one, too, what it is to the round. */
static bool is_certain(const struct sender *sender, const struct ordered_event *send)
{
	if (sender->burst->sent == DETECTED_ROUND_MESSAGES_MAX)
		return false;
	/* The rest of a message, or who knows what. */
	return is_last_channel(sender, send->channel) || !has_channel(sender, send->channel);
}

static void drop_arrived(struct burst *burst, uint32_t channel)
{
	for (uint32_t i = 0; i < burst->arrived_cnt; i++) {
		if (burst->arrived[i].channel != channel)
			continue;
		free(burst->arrived[i].segment);
		memmove(&burst->arrived[i], &burst->arrived[i + 1],
			(--burst->arrived_cnt - i) * sizeof(*burst->arrived));
		return;
	}
}

/* Of what a channel gets piece by piece, its listener has all when the last one is there. */
static int extend(struct round_detector *bursts, struct sender *sender,
		  const struct ordered_event *send)
{
	struct burst *burst = sender->burst;

	if (is_last_channel(sender, send->channel))
		drop_arrived(burst, send->channel);
	else
		sender->channel[burst->channels++] = send->channel;
	if (burst->open && burst->open->id.channel == send->channel)
		burst->open->is_early = true;
	return add_member(bursts, sender, send);
}

static bool ends_burst(const struct sender *sender, const struct ordered_event *send,
		       const struct timeline *line)
{
	return sender->took || timeline_slept(line, sender->last_ns, send->end_ns) ||
	       is_next_round(sender, send->channel);
}

static int take_send(struct round_detector *bursts, struct sender *sender,
		     const struct ordered_event *send, const struct timeline *line)
{
	int err = 0;

	make_room(bursts);
	if (sender->burst && ends_burst(sender, send, line))
		err = end_burst(bursts, sender);
	if (!err && !sender->burst)
		err = begin_burst(bursts, sender, send, line);
	if (err)
		return err;
	sender->took = false;
	sender->last_ns = send->queued_ns;
	bursts->given_up += sender->burst->is_doubtful;
	sender->burst->no_round |= !is_certain(sender, send);
	return sender->burst->no_round ? 0 : extend(bursts, sender, send);
}

/* Told of when the acts after it had been settled: nobody knows what it would have changed. */
static void take_late(struct round_detector *bursts, struct sender *sender,
		      const struct ordered_event *act)
{
	if (sender->burst)
		doubt(bursts, sender->burst);
	bursts->given_up += !act->receives;
}

/* NULL: it has not sent anything, or is no target. 0 or -ENOMEM. */
static int sender_of(struct round_detector *bursts, const struct ordered_event *act,
		     struct sender **sender)
{
	*sender = NULL;
	if (!act->receives)
		return threads__is_target(bursts->threads, act->tid, act->at_ns)
			       ? find_or_make(bursts, act->tid, sender)
			       : 0;
	LRU_FIND(bursts, act->tid, *sender);
	return 0;
}

static int take_act(struct round_detector *bursts, const struct ordered_event *act,
		    struct timelines *lines)
{
	struct sender *sender;
	struct timeline line;
	int err = sender_of(bursts, act, &sender);

	if (err || !sender)
		return err;
	if (act->at_ns < sender->at_ns) {
		take_late(bursts, sender, act);
		return 0;
	}
	sender->at_ns = act->at_ns;
	sender->took |= act->receives;
	if (act->receives)
		return 0;
	line = timelines__of(lines, act->tid);
	return take_send(bursts, sender, act, &line);
}

/* Too many wait to be settled. Whatever goes on now may have begun with one of these. */
static void tear(struct round_detector *bursts)
{
	struct sender *sender, *next;
	size_t cnt;
	const struct ordered_event *act = ordered_events__before(bursts->acts, UINT64_MAX, &cnt);

	for (size_t i = 0; i < cnt; i++)
		bursts->given_up += !act[i].receives &&
				    threads__is_target(bursts->threads, act[i].tid, act[i].at_ns);
	bursts->torn_ns = act[cnt - 1].at_ns;
	ordered_events__drop(bursts->acts, cnt);
	HASH_ITER (hh, bursts->first, sender, next) {
		if (sender->burst)
			doubt(bursts, sender->burst);
		sender->took = false;
	}
}

int round_detector__add(struct round_detector *bursts, const struct ordered_event *act)
{
	int err = ordered_events__add(bursts->acts, act);

	if (err != -ENOSPC)
		return err;
	tear(bursts);
	return ordered_events__add(bursts->acts, act);
}

/* Of those that sleep now, nothing of what comes belongs to what was. */
static int end_slept(struct round_detector *bursts, uint64_t before_ns, struct timelines *lines)
{
	struct sender *sender, *next;
	int err = 0;

	DL_FOREACH_SAFE2(bursts->busy, sender, next, next_busy)
	{
		struct timeline line;

		if (err || !work_spend(STEPS_OF_SENDER))
			break;
		line = timelines__of(lines, sender->id);
		if (timeline_slept(&line, sender->last_ns, before_ns))
			err = end_burst(bursts, sender);
	}
	return err;
}

int round_detector__settle(struct round_detector *bursts, uint64_t before_ns,
			   struct timelines *lines)
{
	size_t cnt;
	const struct ordered_event *act = ordered_events__before(bursts->acts, before_ns, &cnt);
	int err = 0;

	for (size_t i = 0; i < cnt && !err && work_spend(STEPS_OF_SENDER); i++)
		err = take_act(bursts, &act[i], lines);
	ordered_events__drop(bursts->acts, cnt);
	return err ? err : end_slept(bursts, before_ns, lines);
}

/* With what came before its send: the earlier sends of the burst. */
static int keep(struct burst *burst, const struct message *message)
{
	struct arrived *more = realloc(burst->arrived, (burst->arrived_cnt + 1) * sizeof(*more));
	struct arrived *arrived;

	if (!more)
		return -ENOMEM;
	burst->arrived = more;
	arrived = &more[burst->arrived_cnt];
	*arrived = (struct arrived){
		.channel = message->channel,
		.receiver = message->receiver,
		.peak = peak_of(message),
		.recv_ns = message->recv_ns,
		.segment = malloc((message->segment_cnt + 1) * sizeof(*arrived->segment)),
	};
	if (!arrived->segment)
		return -ENOMEM;
	arrived->peak.latency_ns = message->recv_ns - burst->start_ns;
	burst->arrived_cnt++;
	if (message->send_ns > burst->start_ns)
		arrived->segment[arrived->segment_cnt++] = (struct segment){
			.from_ns = burst->start_ns,
			.to_ns = message->send_ns,
			.component = COMPONENT_DISPATCH,
		};
	memcpy(arrived->segment + arrived->segment_cnt, message->segment,
	       message->segment_cnt * sizeof(*arrived->segment));
	arrived->segment_cnt += message->segment_cnt;
	return 0;
}

int round_detector__message(struct round_detector *bursts, const struct message *message,
			    bool is_answer)
{
	struct member_id id = {.channel = message->channel, .position = message->position};
	struct member *member;
	struct burst *burst;
	bool is_early;
	int err = 0;

	HASH_FIND(hh, bursts->member, &id, sizeof(id), member);
	if (!member)
		return 0;
	burst = member->burst;
	is_early = member->is_early;
	LL_DELETE(burst->open, member);
	forget_member(bursts, member);
	burst->no_round |= is_answer || (!burst->sender && burst->channels < 2);
	if (!burst->no_round && !is_early)
		err = keep(burst, message);
	return err ? err : finish_burst(bursts, burst);
}

int round_detector__finish(struct round_detector *bursts, struct summary *summary)
{
	int err = 0;

	while (bursts->busy && !err)
		err = end_burst(bursts, bursts->busy);
	while (bursts->open)
		give_up(bursts, bursts->open);
	rounds__finish(bursts->rounds, bursts->first_ns,
		       (double)(bursts->last_ns - bursts->first_ns) / 1e9, summary);
	summary->rounds.given_up = bursts->given_up;
	round_clients__finish(bursts->listeners, summary);
	return err;
}
