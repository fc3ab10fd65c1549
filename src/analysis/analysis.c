/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach_messages.h"

#include "analysis/work.h"
#include "model/record_decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_handout(struct analysis *a, message_fn *on_message, void *ctx)
{
	const struct message_builder_parts parts = {
		.past = &a->past,
		.channels = a->channels,
		.names = a->names,
		.roles = a->roles,
		.tally = a->tally,
		.attach = a->attach,
		.hides_calls = a->info.level == LEVEL_LIGHT,
		.shows_switch = a->info.shows_switch,
		.on_message = on_message,
		.ctx = ctx,
	};

	a->handout = message_builder__new(&parts);
	return a->handout;
}

struct analysis *analysis__new(const struct run_info *info, message_fn *on_message, void *ctx)
{
	struct analysis *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->info = *info;
	a->join = join__new();
	a->channels = channels__new();
	a->names = names__new();
	a->roles = roles__new();
	a->stamps = stamps__new();
	a->services = calls__new();
	a->connections = calloc(info->workload.clients + 1, sizeof(*a->connections));
	a->tally = aggregate__new(info);
	a->kept = slow_messages__new(info);
	if (!a->kept || history_init(&a->past) || !a->join || !a->channels || !a->names ||
	    !a->roles || !a->stamps || !a->services || !a->connections || !a->tally ||
	    !attach_begin(a) || !has_handout(a, on_message, ctx)) {
		analysis__free(a);
		return NULL;
	}
	return a;
}

void analysis__free(struct analysis *a)
{
	if (!a)
		return;
	join__free(a->join);
	channels__free(a->channels);
	history_clean(&a->past);
	names__free(a->names);
	roles__free(a->roles);
	stamps__free(a->stamps);
	calls__free(a->services);
	free(a->connections);
	aggregate__free(a->tally);
	attach_state__free(a->attach);
	multi_receive__free(a->returns);
	message_builder__free(a->handout);
	slow_messages__free(a->kept);
	free(a);
}

static struct place place_of(struct analysis *a, const struct joined *joined)
{
	uint32_t channel = joined->has_send ? joined->send.channel : joined->receive.channel;
	struct place place = {.index = joined->seq};

	if (channel != CHANNEL_UNKNOWN && channel & CHANNEL_OF_LINK(0, 0)) {
		place.client = (channel & ~CHANNEL_OF_LINK(0, 0)) >> 1;
		place.to_server = channel & 1;
		return place;
	}
	if (!joined->has_send || !joined->has_receive)
		return place;
	if (roles__is_server(a->roles, joined->send.head.tid)) {
		place.client = roles__client(a->roles, joined->receive.head.tid);
	} else if (roles__is_server(a->roles, joined->receive.head.tid) &&
		   !spec_has_rounds(&a->info.workload)) {
		place.client = roles__client(a->roles, joined->send.head.tid);
		place.to_server = true;
	}
	return place;
}

/* Requests and responses become calls; the server's time line cuts the service. */
static void take_call(struct analysis *a, const struct record_stamp *stamp, bool traced)
{
	struct timeline server;
	int err;

	if (!spec_has_calls(&a->info.workload) || aggregate__is_warmup(a->tally, stamp->index))
		return;
	server = timelines__of(a->past.timelines, calls__server(a->services, stamp));
	err = calls__take(a->services, stamp, traced ? &server : NULL, aggregate__calls(a->tally));
	if (err && !a->error)
		a->error = err;
}

void analysis_hand_out(struct analysis *a, const struct joined *joined, const struct place *place,
		       const struct record_stamp *stamp)
{
	int err = message_builder__message(a->handout, joined, place, stamp);

	if (err && !a->error)
		a->error = err;
	if (stamp)
		take_call(a, stamp, true);
}

/*
 * A message with both ends. Its number in its channel is the number on its way of the link, which
 * its stamp goes by; where every message has a connection of its own, its client's connections are
 * counted, which follow one another in time.
 */
static bool take_message(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	const struct workload_spec *spec = &a->info.workload;
	struct place place = place_of(a, joined);
	struct record_stamp stamp;

	if (a->attach) {
		attach_message(a, joined);
		return true;
	}
	if (!place.client || place.client > spec->clients)
		return true; /* open and close messages, and other people's */
	if (spec_has_connections(spec) && !place.to_server)
		place.index = a->connections[place.client];
	if (place.index == SEQ_UNKNOWN) {
		aggregate__incomplete(a->tally, INCOMPLETE_HISTORY);
		return true;
	}
	if (spec_has_stamps(spec) &&
	    !stamps__take(a->stamps, place.client, place.to_server, place.index, &stamp))
		return false;
	if (!place.to_server)
		a->connections[place.client]++;
	if (aggregate__is_warmup(a->tally, place.index))
		return true;
	if (!spec_has_stamps(spec)) {
		analysis_hand_out(a, joined, &place, NULL);
	} else if (stamp.round != place.index) {
		aggregate__incomplete(a->tally, INCOMPLETE_STAMP);
	} else {
		analysis_hand_out(a, joined, &place, &stamp);
	}
	return true;
}

/*
 * Whether a message with one end is the workload's. What a client sends and nobody takes may be its
 * word to the control thread: the links' own counts tell whether it was more.
 */
static bool is_ours(const struct analysis *a, const struct joined *joined)
{
	if (joined->has_send)
		return roles__is_server(a->roles, joined->send.head.tid);
	return roles__client(a->roles, joined->receive.head.tid) ||
	       (!spec_has_rounds(&a->info.workload) &&
		roles__is_server(a->roles, joined->receive.head.tid));
}

/* The workload's messages have contents. An empty one is how an end says that it closes. */
static bool is_empty(const struct joined *joined)
{
	return joined->has_send ? !joined->send.bytes : !joined->receive.bytes;
}

/* At the end: why a message is still open. */
static bool take_leftover(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	struct place place = place_of(a, joined);

	if (a->attach) {
		attach_end(a, joined);
		return true;
	}
	if (aggregate__is_warmup(a->tally, place.index) || is_empty(joined))
		return true;
	if (!joined->has_receive && is_ours(a, joined))
		aggregate__incomplete(a->tally, INCOMPLETE_NOT_RECEIVED);
	else if (!joined->has_send && is_ours(a, joined))
		aggregate__incomplete(a->tally, INCOMPLETE_NO_SEND);
	else if (place.client)
		aggregate__incomplete(a->tally, INCOMPLETE_NO_STAMP);
	return true;
}

static int settle(struct analysis *a, uint64_t before_ns, bool is_last)
{
	uint64_t horizon_ns, known_ns = before_ns;
	/* What is found out now is handed out with all the others. */
	int err = a->attach ? attach_state__settle(a->attach, before_ns, is_last, a->past.timelines)
			    : 0;

	timelines__told(a->past.timelines, before_ns);
	if (a->attach)
		known_ns = attach_state__known_ns(a->attach, before_ns);
	if (!err)
		err = join__settle(a->join, known_ns, take_message, a);
	if (err || a->error)
		return err ? err : a->error;
	horizon_ns = join__horizon(a->join);
	if (horizon_ns > calls__horizon(a->services))
		horizon_ns = calls__horizon(a->services);
	if (a->attach && horizon_ns > attach_state__horizon(a->attach))
		horizon_ns = attach_state__horizon(a->attach);
	if (horizon_ns > before_ns)
		horizon_ns = before_ns;
	attach_expire(a, before_ns);
	if (a->returns)
		multi_receive__settle(a->returns, before_ns);
	history_trim(&a->past, before_ns, horizon_ns);
	return 0;
}

static int take_stamp(struct analysis *a, const struct record_stamp *stamp)
{
	if (!stamp->client || stamp->client > a->info.workload.clients)
		return 0;
	if (aggregate__seen(a->tally, stamp) == -ENOMEM)
		return -ENOMEM;
	if (a->info.traced)
		return stamps__add(a->stamps, stamp);
	take_call(a, stamp, false);
	return aggregate__stamp(a->tally, stamp);
}

static int take_send(struct analysis *a, const struct record_send *send)
{
	struct joined joined = {.has_send = true, .send = *send, .seq = SEQ_UNKNOWN};
	struct timeline line;
	int err = a->attach ? attach_state__send(a->attach, send) : 0;

	if (err == ATTACH_SENT_ELSEWHERE) {
		attach_elsewhere(a, &joined);
		return 0;
	}
	if (!err && send_has_place(send))
		err = join__send(a->join, send);
	else if (!err)
		take_leftover(a, &joined);
	if (err || !a->attach)
		return err;
	line = timelines__of(a->past.timelines, send->head.tid);
	return attach_state__sent(a->attach, send, &line, a->info.level == LEVEL_LIGHT);
}

static int take_any_send(struct analysis *a, const struct record_send *send)
{
	int err = take_send(a, send);

	if (!err && send_has_place(send) && send->head.flags & SEND_AMBIGUOUS)
		join__doubt_send(a->join, send->channel, send->position);
	return err;
}

/* It has returned. */
static int take_returned(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	struct analysis *a = ctx;
	int err = receive_calls__add(a->past.calls, receive->head.tid, receive->channel,
				     receive->enter_ns, receive->exit_ns);

	if (err)
		return err;
	return a->attach ? attach_receive(a, receive, change_cnt)
			 : join__receive(a->join, receive, change_cnt);
}

static int take_receive(struct analysis *a, const struct record_receive *receive)
{
	size_t cnt;
	const uint64_t *change = receive_changes(receive, &cnt);
	int err = 0;

	if (receive->first != RECEIVE_FROM_WORKLOAD)
		err = timelines__add(a->past.timelines, receive->head.tid, change, cnt,
				     receive->first, receive->exit_ns);
	if (err)
		return err;
	return a->returns ? multi_receive__take(a->returns, receive, cnt, take_returned, a)
			  : take_returned(a, receive, cnt);
}

static int take_changes(struct analysis *a, const struct record_changes *changes)
{
	size_t cnt;
	const uint64_t *change = changes_changes(changes, &cnt);

	return timelines__add(a->past.timelines, changes->head.tid, change, cnt, changes->first,
			      changes->base_ns);
}

static int take_kept(struct analysis *a, const struct record_kept *record)
{
	struct message message;
	int found = slow_messages__record(a->kept, record, &message);

	if (found <= 0)
		return found;
	aggregate__slower(a->tally, &message);
	return message_builder__kept(a->handout, &message);
}

static int dispatch(struct analysis *a, const struct record *record)
{
	switch (record->type) {
	case RECORD_SEND:
		return take_any_send(a, (const void *)record);
	case RECORD_RECEIVE:
		return take_receive(a, (const void *)record);
	case RECORD_ARRIVAL:
		return join__arrival(a->join, (const void *)record);
	case RECORD_TRAFFIC:
		aggregate__traffic(a->tally, (const void *)record);
		return 0;
	case RECORD_CHANGES:
		return take_changes(a, (const void *)record);
	case RECORD_SLICE:
		return cpu_slices__add(a->past.cpus, (const void *)record);
	case RECORD_NAME:
		return names__add(a->names, (const void *)record);
	case RECORD_ROLE:
		aggregate__role(a->tally, (const void *)record);
		return roles__add(a->roles, (const void *)record);
	case RECORD_TICK:
		return aggregate__tick(a->tally, (const void *)record);
	case RECORD_STAMP:
		return take_stamp(a, (const void *)record);
	case RECORD_LEFT:
		aggregate__left(a->tally, (const void *)record);
		return 0;
	case RECORD_LOAD:
		aggregate__load(a->tally, (const void *)record);
		return 0;
	case RECORD_EFFECT:
		aggregate__effect(a->tally, (const void *)record);
		return 0;
	case RECORD_WATERMARK:
		return settle(a, ((const struct record_watermark *)record)->before_ns, false);
	case RECORD_END:
		aggregate__end(a->tally, (const void *)record);
		return 0;
	case RECORD_CHANNEL:
		return channels__add(a->channels, (const void *)record);
	case RECORD_KEPT:
		return take_kept(a, (const void *)record);
	default:
		return 0;
	}
}

/* Records of an attach say more to it alone. */
static int dispatch_attached(struct analysis *a, const struct record *record)
{
	return a->attach ? attach_state__record(a->attach, record) : 0;
}

int analysis__record(struct analysis *a, const struct record *record)
{
	int err;

	work_record();
	err = dispatch(a, record);
	if (!err)
		err = dispatch_attached(a, record);
	if (work_is_over())
		return -E2BIG;
	if (err != -ENOSPC)
		return err;
	/* A receive or a stamp that is refused leaves its send open, which is counted at the end.
	 */
	if (record->type == RECORD_SEND)
		a->refused_sends++;
	return 0;
}

int analysis__finish(struct analysis *a)
{
	int err = settle(a, UINT64_MAX, false), tally_err;

	/* What was handed out last tells of what had come before. */
	if (!err && a->attach)
		err = settle(a, UINT64_MAX, true);
	join__leftover(a->join, take_leftover, a);
	if (work_is_over())
		return -E2BIG;
	if (a->attach)
		attach_missing(a);
	tally_err = aggregate__finish(a->tally, a->refused_sends, a->attach);
	if (slow_messages__summary(a->kept))
		slow_messages__summary(a->kept)->integrity.truncated =
			aggregate__summary(a->tally)->integrity.truncated;
	return err ? err : tally_err;
}

bool analysis__needs_starving(const struct analysis *a)
{
	return a->attach && attach_state__shared(a->attach);
}

const struct summary *analysis__summary(const struct analysis *a)
{
	const struct summary *kept = slow_messages__summary(a->kept);

	return kept ? kept : aggregate__summary(a->tally);
}
