/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/altered_tape.h"

#include "support/simulation.h"

#include <stdlib.h>

struct tape tape_shuffled(const struct tape *tape, uint64_t seed)
{
	struct tape result = {0};

	for (size_t i = 0; i < tape->cnt; i++)
		tape_add(&result, tape->record[i]);
	tape_shuffle(&result, &seed);
	return result;
}

/* The instant that a record is about; 0: none, it stands before everything. */
static uint64_t event_of(const struct record *record)
{
	switch (record->type) {
	case RECORD_SEND:
		return ((const struct record_send *)record)->queued_ns;
	case RECORD_RECEIVE:
		return ((const struct record_receive *)record)->exit_ns;
	case RECORD_CHANGES:
		return ((const struct record_changes *)record)->base_ns;
	case RECORD_SLICE:
		return ((const struct record_slice *)record)->end_ns;
	case RECORD_NAME:
		return ((const struct record_name *)record)->since_ns;
	case RECORD_TICK:
		return ((const struct record_tick *)record)->stamp_ns;
	case RECORD_STAMP:
		return ((const struct record_stamp *)record)->user_ns;
	case RECORD_END:
		return UINT64_MAX;
	default:
		return 0;
	}
}

struct tape tape_watermarked(const struct tape *tape, uint64_t seed)
{
	uint64_t *coming_ns = calloc(tape->cnt + 1, sizeof(*coming_ns));
	struct tape result = {0};

	coming_ns[tape->cnt] = UINT64_MAX;
	for (size_t i = tape->cnt; i > 0; i--) {
		uint64_t event_ns = event_of(tape->record[i - 1]);

		coming_ns[i - 1] = event_ns < coming_ns[i] ? event_ns : coming_ns[i];
	}
	for (size_t i = 0; i < tape->cnt; i++) {
		uint64_t back_ns = random_below(&seed, 3) ? 0 : random_below(&seed, 2000);

		if (coming_ns[i] > back_ns && !random_below(&seed, 6))
			put_watermark(&result, coming_ns[i] - back_ns);
		tape_add(&result, tape->record[i]);
	}
	free(coming_ns);
	return result;
}

/* What the kernel leaves out of the numbering of each client's changes for its lost receives. */
struct gaps {
	uint64_t cnt[CLIENTS_MOST + 1];
};

static uint64_t *gap_of(struct gaps *gaps, const struct record *record)
{
	static uint64_t nobodys;

	if (record->tid > SERVER_TID && record->tid <= SERVER_TID + CLIENTS_MOST)
		return &gaps->cnt[record->tid - SERVER_TID];
	nobodys = 0;
	return &nobodys;
}

/* As the kernel would have numbered its changes after the losses so far. */
static void renumber(struct record *record, struct gaps *gaps)
{
	if (record->type == RECORD_RECEIVE)
		((struct record_receive *)record)->first += *gap_of(gaps, record);
	else if (record->type == RECORD_CHANGES)
		((struct record_changes *)record)->first += *gap_of(gaps, record);
}

struct tape tape_damaged(const struct tape *tape, record_kind_fn *is_kind, size_t holes,
			 uint64_t *seed)
{
	struct tape result = {0};
	struct gaps gaps = {0};
	size_t left = 0;

	for (size_t i = 0; i < tape->cnt; i++)
		left += is_kind(tape->record[i]);
	/* Each of the remaining records is equally likely to become a hole. */
	for (size_t i = 0; i < tape->cnt; i++) {
		if (is_kind(tape->record[i]) && random_below(seed, left--) < holes) {
			holes--;
			*gap_of(&gaps, tape->record[i]) += tape->record[i]->type == RECORD_RECEIVE;
			continue;
		}
		tape_add(&result, tape->record[i]);
		renumber(result.record[result.cnt - 1], &gaps);
	}
	return result;
}
