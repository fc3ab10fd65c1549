/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach_messages.h"

#include "model/record_decode.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define EXPIRE_EVERY_NS 1000000000ULL

/* Strangers' messages, that we see one end of, do not keep the past for longer. */
#define NEEDLESS_NS 2000000000ULL

/* --peer is a process id, or a glob of names. */
static bool is_wanted(struct analysis *a, const struct joined *joined, const struct record *end,
		      uint64_t at_ns)
{
	struct party party = {0};
	char pid[16];

	if (!attach_state__is_peer(a->attach, joined, end->tid, at_ns))
		return false;
	message_builder__party(a->handout, &party, end, at_ns);
	snprintf(pid, sizeof(pid), "%u", attach_state__pid(a->attach, end->tid, at_ns));
	return !strcmp(a->info.peer, pid) || !fnmatch(a->info.peer, party.comm, 0);
}

/* Of a message with one end, who is at the other is not known. */
static bool has_wanted_peer(struct analysis *a, const struct joined *joined)
{
	if (!a->info.peer[0])
		return true;
	return (joined->has_send &&
		is_wanted(a, joined, &joined->send.head,
			  joined->send.send_ns ? joined->send.send_ns : joined->send.queued_ns)) ||
	       (joined->has_receive &&
		is_wanted(a, joined, &joined->receive.head, joined->receive.exit_ns));
}

/* Whether a message, or the one end that is known, is what the user asked for. */
static bool concerns(struct analysis *a, const struct joined *joined)
{
	if (attach_state__concerns(a->attach, joined))
		return has_wanted_peer(a, joined);
	if (attach_state__forgot(a->attach, joined))
		aggregate__incomplete(a->tally, INCOMPLETE_FORGOTTEN);
	return false;
}

void attach_message(struct analysis *a, const struct joined *joined)
{
	static const struct place none = {0};

	if (!concerns(a, joined))
		return;
	if (!joined->send.send_ns || !joined->receive.enter_ns)
		aggregate__incomplete(a->tally, INCOMPLETE_NOT_TRACED);
	else
		analysis_hand_out(a, joined, &none, NULL);
}

void attach_elsewhere(struct analysis *a, const struct joined *joined)
{
	if (concerns(a, joined))
		aggregate__elsewhere(a->tally);
}

bool attach_end(struct analysis *a, const struct joined *joined)
{
	enum incomplete reason;
	bool elsewhere;

	if (!concerns(a, joined))
		return false;
	reason = attach_state__reason(a->attach, joined, &elsewhere);
	if (elsewhere)
		aggregate__elsewhere(a->tally);
	else if (reason < NR_INCOMPLETES)
		aggregate__incomplete(a->tally, reason);
	return true;
}

/* For attach_state__missing(). */
static void count_missing(void *ctx, const struct joined *last, uint64_t cnt)
{
	struct analysis *a = ctx;

	if (has_wanted_peer(a, last))
		aggregate__not_recorded(a->tally, cnt);
}

void attach_missing(struct analysis *a)
{
	attach_state__missing(a->attach, count_missing, a);
}

/* For join__expire(): it has been waiting for its other end for too long. */
static bool give_up(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;

	if (attach_end(a, joined) && joined->has_send)
		attach_state__gave_up(a->attach, &joined->send, a->expired_ns);
	return true;
}

/* For join__let_go(): whether its past is kept for nothing. */
static bool is_needless(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;

	return attach_state__is_needless(a->attach, joined);
}

void attach_expire(struct analysis *a, uint64_t before_ns)
{
	if (!a->attach || before_ns == UINT64_MAX || before_ns < a->expired_ns + EXPIRE_EVERY_NS)
		return;
	a->expired_ns = before_ns; /* this looks at everything that is open */
	if (before_ns > NEEDLESS_NS)
		join__let_go(a->join, before_ns - NEEDLESS_NS, is_needless, a);
	if (before_ns > HISTORY_MAX_NS)
		join__expire(a->join, before_ns - HISTORY_MAX_NS, give_up, a);
}

/* For attach_state__new(): nobody will ever know which send this receive belongs to. */
static void take_unknown(void *ctx, const struct record_receive *receive)
{
	const struct joined joined = {.has_receive = true, .receive = *receive, .seq = SEQ_UNKNOWN};

	attach_elsewhere(ctx, &joined);
}

/* It has no place in a channel, but may still get one. */
static int take_unseen(struct analysis *a, const struct record_receive *receive, size_t change_cnt)
{
	struct timeline line;

	if (receive->position == POSITION_NONE) {
		take_unknown(a, receive);
		return 0;
	}
	line = timelines__of(a->past.timelines, receive->head.tid);
	return attach_state__unseen(a->attach, receive, change_cnt,
				    timeline_awake_ns(&line, receive->enter_ns, receive->exit_ns));
}

int attach_receive(struct analysis *a, const struct record_receive *receive, size_t change_cnt)
{
	int err = 0;

	if (receive->channel == CHANNEL_UNKNOWN)
		return take_unseen(a, receive, change_cnt);
	if (receive->head.flags & RECEIVE_LATE)
		err = attach_state__late(a->attach, receive->channel);
	return err ? err : attach_state__receive(a->attach, receive, change_cnt);
}

/*
 * For attach_state__new(), too: a receive whose position is that of its send, or may be
 * (RECEIVE_AMBIGUOUS).
 */
static int put_receive(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	struct analysis *a = ctx;
	struct timeline line;
	uint64_t since_ns = receive_is_outside(receive) ? 0 : receive->enter_ns;
	int err = join__receive(a->join, receive, change_cnt);

	if (err)
		return err;
	if (receive->head.flags & RECEIVE_AMBIGUOUS)
		join__doubt_receive(a->join, receive->channel, receive->position);
	line = timelines__of(a->past.timelines, receive->head.tid);
	return attach_state__received(a->attach, receive,
				      timeline_awake_ns(&line, since_ns, receive->exit_ns));
}

bool attach_begin(struct analysis *a)
{
	if (a->info.mode != MODE_ATTACH)
		return true;
	a->attach = attach_state__new(a->join, put_receive, take_unknown, a);
	a->returns = multi_receive__new();
	return a->attach && a->returns;
}
