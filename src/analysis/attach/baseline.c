/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds receives until the baseline of their channel is known. */
#include "analysis/attach/baseline.h"

#include "container/array.h"
#include "model/window_records.h"

#include <errno.h>
#include <stdlib.h>

struct held_receive {
	struct record_receive receive;
	size_t change_cnt;
};

void baselines_forget(struct baselines *baselines, struct baseline *baseline)
{
	baselines->held_cnt -= baseline->held_cnt;
	free(baseline->held);
	baseline->held = NULL;
	baseline->held_cnt = baseline->held_room = 0;
}

/*
 * A receive that takes the end of the leftover and the beginning of a send counts as one of the
 * latter only. The leftover is negative if the first send was partly received before receives were
 * counted.
 */
static int put_shifted(struct baselines *baselines, const struct baseline *baseline,
		       const struct record_receive *receive, size_t change_cnt)
{
	struct record_receive shifted = *receive;
	int64_t from = (int64_t)(receive->position - baseline->leftover);
	int64_t end = from + receive->bytes;

	if (from >= 0) {
		shifted.position = from;
	} else if (receive->channel & CHANNEL_STREAM && end > 0) {
		shifted.position = 0;
		shifted.bytes = end;
	} else {
		return 0;
	}
	return baselines->put(baselines->ctx, &shifted, change_cnt);
}

static int baseline_hold(struct baselines *baselines, struct baseline *baseline,
			 const struct record_receive *receive, size_t change_cnt)
{
	uint64_t end = receive->position + (receive->channel & CHANNEL_STREAM ? receive->bytes : 1);

	if (baselines->held_cnt == BASELINES_HELD_MAX ||
	    baseline->held_cnt == BASELINES_HELD_OF_ONE_MAX) {
		if (!baseline->dropped_end || receive->position < baseline->dropped_from)
			baseline->dropped_from = receive->position;
		if (end > baseline->dropped_end)
			baseline->dropped_end = end;
		return 0;
	}
	if (array_grow(&baseline->held, baseline->held_cnt, &baseline->held_room,
		       sizeof(*baseline->held)))
		return -ENOMEM;
	baseline->held[baseline->held_cnt++] =
		(struct held_receive){.receive = *receive, .change_cnt = change_cnt};
	baselines->held_cnt++;
	return 0;
}

int baselines_add(struct baselines *baselines, struct baseline *baseline,
		  const struct record_baseline *record)
{
	int err = 0, put_err;

	/* Sender and receiver may both have found it, at the same time: the first one holds. */
	if (baseline->is_known)
		return 0;
	baseline->is_known = record->leftover != BASELINE_UNKNOWN;
	baseline->is_unknowable = !baseline->is_known;
	baseline->resyncs =
		baseline->is_known && !record->is_new && !(record->head.flags & BASELINE_COUNTED);
	baseline->leftover = record->leftover;
	for (size_t i = 0; i < baseline->held_cnt && baseline->is_known; i++) {
		put_err = put_shifted(baselines, baseline, &baseline->held[i].receive,
				      baseline->held[i].change_cnt);
		err = err ? err : put_err;
	}
	baselines_forget(baselines, baseline);
	return err;
}

int baselines_receive(struct baselines *baselines, struct baseline *baseline,
		      const struct record_receive *receive, size_t change_cnt)
{
	if (baseline->is_known)
		return put_shifted(baselines, baseline, receive, change_cnt);
	if (baseline->is_unknowable)
		return 0;
	return baseline_hold(baselines, baseline, receive, change_cnt);
}

bool baseline_dropped(const struct baseline *baseline, uint64_t position)
{
	return baseline->dropped_end && position + baseline->leftover >= baseline->dropped_from &&
	       position + baseline->leftover < baseline->dropped_end;
}

bool baseline_resyncs(struct baseline *baseline)
{
	bool resyncs = baseline->resyncs;

	baseline->resyncs = false;
	return resyncs;
}
