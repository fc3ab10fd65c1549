/* SPDX-License-Identifier: BSD-2-Clause */
/* Which records make sense: all that a kernel can make, and no others that have a checksum. */
#include "support/build.h"
#include "support/sample.h"

#include "model/kept_summary.h"
#include "model/window_records.h"
#include "recording/layout.h"
#include "recording/plausible.h"

#include <errno.h>
#include <string.h>

static struct plausible *plausible;
static struct run_info info;

static int setup(void **state)
{
	memset(&info, 0, sizeof(info));
	plausible = plausible__new(&info);
	return plausible ? 0 : -1;
}

static int teardown(void **state)
{
	plausible__free(plausible);
	return 0;
}

EACH_TEST(setup, teardown)

/* A record of this type with one value, and whether it makes sense. */
static bool makes_sense(const struct layout *layout, const struct field *field, uint64_t value)
{
	uint64_t words[64] = {0};
	struct record *record = (struct record *)words;

	record->type = layout->type;
	record->words = layout->size / sizeof(uint64_t);
	memcpy((char *)words + field->offset, &value, sizeof(value));
	return plausible__record(plausible, record);
}

/* The first of two instants: the other one is 0 here. */
static bool is_first(const struct layout *layout, const struct field *field)
{
	return (layout->type == RECORD_STAMP && !strcmp(field->name, "stamp_ns")) ||
	       (layout->type == RECORD_TRAFFIC && !strcmp(field->name, "first_ns")) ||
	       (layout->type == RECORD_TICK && !strcmp(field->name, "due_ns"));
}

/* A message cannot be received before it was sent. */
TEST(instants_of_the_workload_have_an_order)
{
	struct record_stamp stamp = make_stamp(1, 0, 1000, 1000);
	struct record_tick tick = make_tick(0, 1000, 1);

	tick.due_ns = 1000;
	assert_true(plausible__record(plausible, &stamp.head));
	assert_true(plausible__record(plausible, &tick.head));
	stamp.stamp_ns++;
	tick.due_ns++;
	assert_false(plausible__record(plausible, &stamp.head));
	assert_false(plausible__record(plausible, &tick.head));
}

TEST(each_number_of_an_array_has_a_limit)
{
	for (int i = 0; i < NR_LOSSES; i++) {
		struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};

		end.loss[i] = SERIALIZER_NUMBER_MAX;
		assert_true(plausible__record(plausible, &end.head));
		end.loss[i]++;
		assert_false(plausible__record(plausible, &end.head));
	}
}

/* A sum of several, and JSON, have a sign. */
TEST(numbers_have_a_limit_and_other_words_have_none)
{
	size_t cnt, numbers = 0, others = 0;
	const struct layout *layout = recording_layouts(&cnt);

	for (size_t i = 0; i < cnt; i++) {
		for (const struct field *field = layout[i].field; field->name; field++) {
			if (field->size != sizeof(uint64_t) || layout[i].type == RECORD_END)
				continue;
			assert_true(makes_sense(&layout[i], field, 0));
			assert_int_equal(makes_sense(&layout[i], field, UINT64_MAX), field->is_any);
			assert_int_equal(makes_sense(&layout[i], field, SERIALIZER_NUMBER_MAX + 1),
					 field->is_any);
			assert_true(is_first(&layout[i], field) ||
				    makes_sense(&layout[i], field, SERIALIZER_NUMBER_MAX));
			numbers += !field->is_any;
			others += field->is_any;
		}
	}
	assert_true(numbers > 60);
	assert_true(others > 10);
}

/* Every time is a number. But the last watermark of a window may stand for the end of tracing. */
TEST(every_time_is_a_number)
{
	size_t cnt;
	const struct layout *layout = recording_layouts(&cnt);

	for (size_t i = 0; i < cnt; i++) {
		for (const struct field *field = layout[i].field; field->name; field++) {
			size_t length = strlen(field->name);

			if (length > 3 && !strcmp(field->name + length - 3, "_ns"))
				assert_int_equal(field->is_any, layout[i].type == RECORD_WATERMARK);
		}
	}
}

static int read_part(void *ctx, const struct record *record)
{
	int *left = ctx;

	assert_true(plausible__record(plausible, record));
	return --*left ? 0 : -EINTR;
}

static bool ends(void)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};

	return plausible__record(plausible, &end.head);
}

/* A recording of windows ends with its statistics. */
TEST(windows_without_all_of_their_statistics_do_not_end)
{
	struct record_window window = {
		.head = {.type = RECORD_WINDOW, .words = RECORD_WORDS(window)}};
	struct summary *summary = sample_summary(5);
	int left = 2;

	assert_true(ends());
	assert_true(plausible__record(plausible, &window.head));
	assert_false(ends());
	assert_int_equal(kept_summary_write(summary, read_part, &left), -EINTR);
	assert_false(ends());
	left = 1000;
	plausible__free(plausible);
	strcpy(info.condition, "latency>1ms");
	plausible = plausible__new(&info);
	assert_false(ends());
	assert_int_equal(kept_summary_write(summary, read_part, &left), 0);
	assert_true(ends());
}
