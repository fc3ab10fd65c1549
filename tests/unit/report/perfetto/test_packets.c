/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets, read back with the generated code: order, sequences, and texts by their numbers. */
#include "support/build.h"

#include "report/perfetto/scene.h"
#include "report/perfetto/packets.h"
#include "report/perfetto/trace.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 65536

static char *bytes;
static size_t size;
static FILE *out;
static struct packets *packets;

static int setup(void **state)
{
	out = open_memstream(&bytes, &size);
	packets = out ? packets__new(out) : NULL;
	return packets ? 0 : -1;
}

static int teardown(void **state)
{
	packets__free(packets);
	fclose(out);
	free(bytes);
	return 0;
}

EACH_TEST(setup, teardown)

/* The next packet of the file; NULL: the end. */
static Pf__TracePacket *next_packet(size_t *at)
{
	size_t length = 0;
	Pf__TracePacket *packet;

	if (*at == size)
		return NULL;
	assert_int_equal(bytes[(*at)++], 0x0a);
	for (int shift = 0;; shift += 7) {
		uint8_t byte = (uint8_t)bytes[(*at)++];

		length |= (size_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	packet = pf__trace_packet__unpack(NULL, length, (uint8_t *)bytes + *at);
	assert_non_null(packet);
	*at += length;
	return packet;
}

/* What a reader knows of each sequence. */
struct sequence {
	bool is_begun;
	uint64_t last_ns;
	bool knows[STRINGS_MAX + 1];
};

static struct sequence *sequence_of(uint32_t number)
{
	static struct sequence *sequence[NUMBERS_MAX];

	assert_true(number && number < NUMBERS_MAX);
	if (!sequence[number])
		sequence[number] = calloc(1, sizeof(*sequence[number]));
	return sequence[number];
}

static void learn(struct sequence *sequence, size_t cnt, Pf__Interned **entry)
{
	for (size_t i = 0; i < cnt; i++) {
		assert_false(sequence->knows[entry[i]->iid]);
		sequence->knows[entry[i]->iid] = true;
	}
}

static void check_event(struct sequence *sequence, const Pf__TracePacket *packet)
{
	const Pf__TrackEvent *event = packet->track_event;

	assert_true(packet->timestamp >= sequence->last_ns);
	sequence->last_ns = packet->timestamp;
	if (event->has_name_iid)
		assert_true(sequence->knows[event->name_iid]);
	for (size_t i = 0; i < event->n_debug_annotations; i++) {
		const Pf__DebugAnnotation *note = event->debug_annotations[i];

		assert_true(note->has_name_iid ? sequence->knows[note->name_iid] : !!note->name);
		if (note->has_string_value_iid)
			assert_true(sequence->knows[note->string_value_iid]);
	}
}

/* Holds the file against the rules of sequences. How many events it has. */
static size_t check_file(void)
{
	Pf__TracePacket *packet;
	size_t at = 0, events = 0;

	fflush(out);
	while ((packet = next_packet(&at))) {
		struct sequence *sequence = sequence_of(packet->trusted_packet_sequence_id);
		const Pf__InternedData *interned = packet->interned_data;

		assert_int_equal(packet->sequence_flags, sequence->is_begun ? 2 : 1);
		sequence->is_begun = true;
		if (interned) {
			learn(sequence, interned->n_event_names, interned->event_names);
			learn(sequence, interned->n_event_categories, interned->event_categories);
			learn(sequence, interned->n_debug_annotation_names,
			      interned->debug_annotation_names);
			learn(sequence, interned->n_debug_annotation_string_values,
			      interned->debug_annotation_string_values);
		}
		if (packet->track_event) {
			check_event(sequence, packet);
			events++;
		}
		pf__trace_packet__free_unpacked(packet, NULL);
	}
	for (uint32_t i = 1; i < NUMBERS_MAX; i++) {
		if (sequence_of(i)->is_begun)
			*sequence_of(i) = (struct sequence){0};
	}
	return events;
}

static void put(uint64_t at_ns, const char *name, const char *text)
{
	struct event event = {
		.type = EVENT_INSTANT, .at_ns = at_ns, .track = 1, .name = name, .category = "c"};

	event_note_text(&event, "text", text);
	event_note(&event, "number", at_ns);
	packets__put(packets, &event);
}

/* More runs overlap than there are sequences: others begin. */
TEST(instants_rise_in_every_sequence)
{
	uint64_t seed = 1;

	packets__clock(packets, 1000, 5000);
	for (int i = 0; i < 5000; i++) {
		uint64_t from_ns = 1000000 - 150 * i + random_below(&seed, 100000);
		char text[32];

		snprintf(text, sizeof(text), "text %d", (int)random_below(&seed, 50));
		packets__begin(packets, from_ns, from_ns + 2000);
		put(from_ns, "begin", text);
		put(from_ns + 2000, "end", text);
	}
	assert_int_equal(packets__error(packets), 0);
	assert_int_equal(check_file(), 10000);
}

/* So many that not all get numbers: then the event itself has the text. */
TEST(texts_without_a_number_stand_in_their_event)
{
	packets__clock(packets, 1000, 5000);
	packets__begin(packets, 0, 20000);
	for (int i = 0; i < 2 * STRINGS_MAX; i++) {
		char text[32];

		snprintf(text, sizeof(text), "text %d", i);
		put(i, "name", text);
	}
	assert_int_equal(check_file(), 2 * STRINGS_MAX);
	assert_non_null(memmem(bytes, size, "text 8191", 9));
}

TEST(foreign_text_is_plain_utf8)
{
	packets__begin(packets, 1, 1);
	put(1, "a\033[31m\n", "\xff\xc3\xbc\xe2\x80\xae<script>");
	assert_int_equal(check_file(), 1);
	assert_non_null(memmem(bytes, size, "a\\033[31m\\012", 12));
	assert_non_null(memmem(bytes, size, "\\377\xc3\xbc\\342\\200\\256<script>", 26));
}

TEST(long_text_is_cut)
{
	static char text[100000];

	memset(text, 'x', sizeof(text) - 1);
	packets__begin(packets, 1, 1);
	put(1, text, text);
	assert_int_equal(check_file(), 1);
	assert_true(size < 2000);
}

/* Slices that overlap, or touch, are on different tracks of one name. */
TEST(lanes_keep_slices_apart)
{
	struct lanes lanes = {.parent = 7, .name = "lane"};
	uint64_t first = lanes_take(&lanes, packets, 10, 20);

	assert_int_equal(lanes_take(&lanes, packets, 21, 30), first);
	assert_int_not_equal(lanes_take(&lanes, packets, 30, 35), first);
	assert_int_not_equal(lanes_take(&lanes, packets, 25, 36), first);
	assert_int_equal(lanes_take(&lanes, packets, 31, 40), first);
	assert_int_equal(lanes.fit.cnt, 3);
	fit_free(&lanes.fit);
}

TEST_WITH(an_error_of_the_file_is_kept, NULL, NULL)
{
	FILE *full = fopen("/dev/full", "w");
	struct packets *failing = packets__new(full);

	setvbuf(full, NULL, _IONBF, 0);
	packets__clock(failing, 1, 1);
	assert_int_equal(packets__error(failing), -28); /* ENOSPC */
	packets__free(failing);
	fclose(full);
}
