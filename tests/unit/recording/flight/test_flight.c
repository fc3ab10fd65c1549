/* SPDX-License-Identifier: BSD-2-Clause */
/* Which records a window has: by time, by bytes, with the facts from before, and merged. */
#include "support/build.h"

#include "recording/flight/flight.h"

#include <errno.h>

#define MS 1000000ULL

struct written {
	struct tape tape;
	size_t facts; /* calls of write_facts() */
	int error;
};

static struct written written; /* of each test */

static int teardown(void **state)
{
	tape_free(&written.tape);
	written = (struct written){0};
	return 0;
}

EACH_TEST(NULL, teardown)

static int put(void *ctx, const struct record *record)
{
	struct written *written = ctx;

	tape_add(&written->tape, record);
	return written->error;
}

static int put_facts(void *ctx)
{
	((struct written *)ctx)->facts++;
	return 0;
}

static void drop(void *flight)
{
	flight__free(flight);
}

static struct flight *flight_of(struct written *written, uint64_t keep_ns, size_t bytes_max)
{
	return drop_after(flight__new(&(struct flight_spec){.keep_ns = keep_ns,
							    .after_ns = 100 * MS,
							    .bytes_max = bytes_max,
							    .write = put,
							    .write_facts = put_facts,
							    .ctx = written}),
			  drop);
}

/* A send of this instant, in a drain of its own of 10 ms. Nothing is pending. */
static void drain_at(struct flight *flight, uint64_t at_ns)
{
	struct record_send send = make_send(7, 1, at_ns, at_ns, at_ns);

	assert_int_equal(flight__record(flight, &send.head), 0);
	assert_int_equal(flight__end_drain(flight, at_ns + 1, at_ns, at_ns), 0);
}

static void drain_until(struct flight *flight, uint64_t from_ns, uint64_t until_ns)
{
	for (uint64_t at_ns = from_ns; at_ns < until_ns; at_ns += 10 * MS)
		drain_at(flight, at_ns);
}

static void pull(struct flight *flight, uint64_t from_ns, uint64_t at_ns)
{
	const struct record_trigger trigger = {
		.head = {.type = RECORD_TRIGGER, .words = RECORD_WORDS(trigger)},
		.from_ns = from_ns,
		.at_ns = at_ns};

	assert_int_equal(flight__trigger(flight, &trigger), 0);
}

static size_t count(const struct written *written, unsigned int type)
{
	size_t cnt = 0;

	for (size_t i = 0; i < written->tape.cnt; i++)
		cnt += written->tape.record[i]->type == type;
	return cnt;
}

static bool has_send(const struct written *written, uint64_t at_ns)
{
	for (size_t i = 0; i < written->tape.cnt; i++) {
		const struct record_send *send = (const void *)written->tape.record[i];

		if (send->head.type == RECORD_SEND && send->send_ns == at_ns)
			return true;
	}
	return false;
}

static const struct record_window *window_at(const struct written *written, size_t number)
{
	for (size_t i = 0; i < written->tape.cnt; i++) {
		if (written->tape.record[i]->type == RECORD_WINDOW && !number--)
			return (const void *)written->tape.record[i];
	}
	fail_msg("there are fewer windows");
	return NULL;
}

/* Each send of the time, once and in order. */
static void assert_sends(const struct written *written, uint64_t from_ns, uint64_t until_ns)
{
	uint64_t last_ns = 0;

	for (uint64_t at_ns = from_ns; at_ns < until_ns; at_ns += 10 * MS) {
		if (!has_send(written, at_ns))
			fail_msg("%llu ms is missing", (unsigned long long)(at_ns / MS));
	}
	for (size_t i = 0; i < written->tape.cnt; i++) {
		const struct record_send *send = (const void *)written->tape.record[i];

		if (send->head.type != RECORD_SEND)
			continue;
		assert_true(send->send_ns > last_ns);
		last_ns = send->send_ns;
	}
}

TEST(without_a_trigger_nothing_is_written)
{
	struct flight *flight = flight_of(&written, 50 * MS, 1 << 20);

	drain_until(flight, 1000 * MS, 3000 * MS);
	assert_int_equal(flight__finish(flight, 3000 * MS), 0);
	assert_int_equal(written.tape.cnt, 0);
	assert_int_equal(flight__counts(flight).windows, 0);
}

TEST(a_window_has_the_time_before_and_after)
{
	struct flight *flight = flight_of(&written, 50 * MS, 1 << 20);

	drain_until(flight, 1000 * MS, 3000 * MS);
	pull(flight, 2990 * MS, 2995 * MS);
	assert_false(flight__counts(flight).is_open);
	drain_at(flight, 3000 * MS);
	assert_true(flight__counts(flight).is_open);
	drain_until(flight, 3010 * MS, 4000 * MS);
	assert_false(flight__counts(flight).is_open);
	assert_int_equal(count(&written, RECORD_WINDOW), 1);
	assert_int_equal(count(&written, RECORD_TRIGGER), 1);
	assert_int_equal(written.facts, 1);
	assert_int_equal(window_at(&written, 0)->from_ns, 2940 * MS);
	assert_int_equal(window_at(&written, 0)->head.flags, 0);
	assert_sends(&written, 2940 * MS, 3090 * MS);
	assert_false(has_send(&written, 2700 * MS));
	assert_false(has_send(&written, 3200 * MS));
	assert_int_equal(flight__finish(flight, 4000 * MS), 0);
	assert_int_equal(count(&written, RECORD_WATERMARK), 0);
}

TEST(windows_that_touch_are_one)
{
	struct flight *flight = flight_of(&written, 50 * MS, 1 << 20);

	drain_until(flight, 1000 * MS, 2000 * MS);
	pull(flight, 1980 * MS, 1990 * MS);
	drain_until(flight, 2000 * MS, 2110 * MS);
	assert_false(flight__counts(flight).is_open);
	pull(flight, 2140 * MS, 2141 * MS);
	drain_until(flight, 2110 * MS, 2500 * MS);
	assert_int_equal(count(&written, RECORD_WINDOW), 1);
	assert_int_equal(count(&written, RECORD_TRIGGER), 2);
	assert_sends(&written, 1930 * MS, 2240 * MS);
	assert_int_equal(flight__counts(flight).windows, 1);
	pull(flight, 2490 * MS, 2490 * MS);
	drain_until(flight, 2500 * MS, 2700 * MS);
	assert_int_equal(count(&written, RECORD_WINDOW), 2);
	assert_int_equal(window_at(&written, 1)->from_ns, 2440 * MS);
	assert_int_equal(flight__counts(flight).triggers, 3);
}

/* Else a condition that is always true would never let a window end. */
TEST(a_counted_window_is_not_prolonged)
{
	struct flight *flight = flight__new(&(struct flight_spec){.keep_ns = 50 * MS,
								  .after_ns = 100 * MS,
								  .has_fixed_end = true,
								  .bytes_max = 1 << 20,
								  .write = put,
								  .ctx = &written});
	uint64_t at_ns;

	drain_until(flight, 1000 * MS, 2000 * MS);
	for (at_ns = 2000 * MS; at_ns < 9000 * MS && flight__counts(flight).openings < 2;
	     at_ns += 10 * MS) {
		pull(flight, at_ns - 10 * MS, at_ns - 5 * MS);
		drain_at(flight, at_ns);
	}
	assert_in_range(at_ns, 2090 * MS, 2130 * MS);
	assert_int_equal(flight__counts(flight).windows, 1);
	assert_sends(&written, 1950 * MS, at_ns - 10 * MS);
	flight__free(flight);
}

/* A message that has been under way for long may be the next trigger. */
TEST(what_is_pending_keeps_its_time)
{
	struct flight *flight = flight_of(&written, 50 * MS, 1 << 20);

	drain_until(flight, 1000 * MS, 2000 * MS);
	for (uint64_t at_ns = 2000 * MS; at_ns < 5000 * MS; at_ns += 10 * MS) {
		struct record_send send = make_send(7, 1, at_ns, at_ns, at_ns);

		assert_int_equal(flight__record(flight, &send.head), 0);
		assert_int_equal(flight__end_drain(flight, at_ns + 1, at_ns, 2000 * MS), 0);
	}
	pull(flight, 2000 * MS, 4990 * MS);
	drain_at(flight, 5000 * MS);
	assert_int_equal(window_at(&written, 0)->from_ns, 1950 * MS);
	assert_sends(&written, 1950 * MS, 5000 * MS);
}

TEST(lack_of_memory_shortens_the_window_and_says_so)
{
	struct flight *flight = flight_of(&written, 1000 * MS, 4 * 1024);
	const struct record_window *window;

	drain_until(flight, 1000 * MS, 9000 * MS);
	pull(flight, 8990 * MS, 8991 * MS);
	drain_at(flight, 9000 * MS);
	window = window_at(&written, 0);
	assert_int_equal(window->head.flags, WINDOW_SHORTENED);
	assert_in_range(window->from_ns, 8000 * MS, 8990 * MS);
	assert_sends(&written, (window->from_ns + 10 * MS) / (10 * MS) * (10 * MS), 9000 * MS);
	assert_int_equal(flight__counts(flight).shortened, 1);
	assert_int_equal(flight__counts(flight).shortest_ns, 8990 * MS - window->from_ns);
}

/* More than fits comes in one drain, in the middle of a window: it is written at once. */
TEST(a_flood_in_a_window_is_not_lost)
{
	struct flight *flight = flight_of(&written, 50 * MS, 256 * 1024);

	drain_until(flight, 1000 * MS, 2000 * MS);
	pull(flight, 1980 * MS, 1990 * MS);
	drain_at(flight, 2000 * MS);
	for (uint64_t i = 1; i <= 50000; i++) {
		struct record_send send = make_send(7, 1, i, 2000 * MS + i, 2000 * MS + i);

		assert_int_equal(flight__record(flight, &send.head), 0);
	}
	assert_int_equal(flight__end_drain(flight, 2010 * MS, 2009 * MS, 2009 * MS), 0);
	drain_until(flight, 2010 * MS, 2030 * MS);
	assert_sends(&written, 1930 * MS, 2030 * MS);
	for (uint64_t i = 1; i <= 50000; i += 777)
		assert_true(has_send(&written, 2000 * MS + i));
}

TEST(an_open_window_is_written_to_the_end)
{
	struct flight *flight = flight_of(&written, 50 * MS, 1 << 20);
	struct record_send last = make_send(7, 1, 5, 2005 * MS, 2005 * MS);
	const struct record_watermark *watermark;

	drain_until(flight, 1000 * MS, 2000 * MS);
	pull(flight, 1980 * MS, 1990 * MS);
	assert_int_equal(flight__record(flight, &last.head), 0);
	assert_int_equal(flight__finish(flight, 2010 * MS), 0);
	assert_true(has_send(&written, 2005 * MS));
	watermark = (const void *)written.tape.record[written.tape.cnt - 1];
	assert_int_equal(watermark->head.type, RECORD_WATERMARK);
	assert_int_equal(watermark->before_ns, UINT64_MAX);
}

/* The last name before the window counts, wherever the record of it is. */
TEST(facts_come_first)
{
	struct flight *flight = flight_of(&written, 50 * MS, 1 << 20);
	struct record_name old = make_name(SLICE_TASK, 7, 1, "old"),
			   new = make_name(SLICE_TASK, 7, 2, "new");
	size_t names = 0;

	assert_int_equal(flight__record(flight, &old.head), 0);
	drain_until(flight, 1000 * MS, 1500 * MS);
	assert_int_equal(flight__record(flight, &new.head), 0);
	drain_until(flight, 1500 * MS, 2000 * MS);
	pull(flight, 1980 * MS, 1990 * MS);
	drain_at(flight, 2000 * MS);
	for (size_t i = 0; i < written.tape.cnt; i++) {
		const struct record_name *name = (const void *)written.tape.record[i];

		if (name->head.type == RECORD_NAME && ++names)
			assert_string_equal(name->comm, "new");
	}
	assert_int_equal(names, 1);
}

TEST(what_cannot_be_written_is_an_error)
{
	struct flight *flight = flight_of(&written, 50 * MS, 1 << 20);
	struct record_send send = make_send(7, 1, 1, 2000 * MS, 2000 * MS);

	written.error = -EIO;
	drain_until(flight, 1000 * MS, 2000 * MS);
	pull(flight, 1980 * MS, 1990 * MS);
	assert_int_equal(flight__record(flight, &send.head), 0);
	assert_int_equal(flight__end_drain(flight, 2001 * MS, 2000 * MS, 2000 * MS), -EIO);
}
