/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the numbers of records with their limits, and reads the statistics of a recording. */
#include "recording/plausible.h"

#include "model/kept_summary.h"
#include "model/window_records.h"
#include "recording/layout.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* No record has more fields of 64 bits. */
#define NUMBERS_MAX 8

/* Where the numbers of a record are: times and counts, in bytes from its start. */
struct numbers {
	unsigned char cnt;
	unsigned char at[NUMBERS_MAX];
};

struct plausible {
	bool has_windows;          /* the run has its statistics at its end */
	struct kept_summary *kept; /* these statistics */
	struct numbers numbers[NR_RECORD_TYPES];
};

/* Two instants of one record, of which the workload reads the first one first. */
static const struct {
	unsigned int type;
	unsigned int from, to; /* their offsets */
} ordered[] = {
	{RECORD_STAMP, offsetof(struct record_stamp, stamp_ns),
	 offsetof(struct record_stamp, user_ns)},
	{RECORD_TRAFFIC, offsetof(struct record_traffic, first_ns),
	 offsetof(struct record_traffic, last_ns)},
	{RECORD_TICK, offsetof(struct record_tick, due_ns), offsetof(struct record_tick, stamp_ns)},
};

static uint64_t plausible_number_at(const struct record *record, unsigned int at)
{
	uint64_t number;

	memcpy(&number, (const char *)record + at, sizeof(number));
	return number;
}

static void find_numbers(struct numbers *numbers, const struct layout *layout)
{
	for (const struct field *field = layout->field; field->name; field++) {
		size_t cnt = field->is_any ? 0 : field->size / sizeof(uint64_t);

		for (size_t i = 0; i < cnt && numbers->cnt < NUMBERS_MAX; i++)
			numbers->at[numbers->cnt++] = field->offset + i * sizeof(uint64_t);
	}
}

struct plausible *plausible__new(const struct run_info *info)
{
	struct plausible *plausible = calloc(1, sizeof(*plausible));
	const struct layout *layouts;
	size_t cnt;

	if (!plausible)
		return NULL;
	plausible->has_windows = info->condition[0];
	plausible->kept = kept_summary__new(info);
	if (!plausible->kept) {
		plausible__free(plausible);
		return NULL;
	}
	layouts = recording_layouts(&cnt);
	for (size_t i = 0; i < cnt; i++)
		find_numbers(&plausible->numbers[layouts[i].type], &layouts[i]);
	return plausible;
}

void plausible__free(struct plausible *plausible)
{
	if (!plausible)
		return;
	kept_summary__free(plausible->kept);
	free(plausible);
}

static bool has_possible_numbers(const struct plausible *plausible, const struct record *record)
{
	const struct numbers *numbers = &plausible->numbers[record->type];

	for (unsigned int i = 0; i < numbers->cnt; i++) {
		if (plausible_number_at(record, numbers->at[i]) > SERIALIZER_NUMBER_MAX)
			return false;
	}
	for (size_t i = 0; i < sizeof(ordered) / sizeof(ordered[0]); i++) {
		if (record->type == ordered[i].type &&
		    plausible_number_at(record, ordered[i].from) >
			    plausible_number_at(record, ordered[i].to))
			return false;
	}
	return true;
}

bool plausible__record(struct plausible *plausible, const struct record *record)
{
	if (!has_possible_numbers(plausible, record))
		return false;
	switch (record->type) {
	case RECORD_WINDOW:
		plausible->has_windows = true;
		return true;
	case RECORD_SUMMARY:
		return kept_summary__record(plausible->kept, (const void *)record) != -EINVAL;
	case RECORD_END:
		return !plausible->has_windows || kept_summary__summary(plausible->kept);
	default:
		return true;
	}
}
