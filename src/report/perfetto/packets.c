/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes packets with the code that protobuf-c generates from trace.proto. */
#include "report/perfetto/packets.h"

#include "report/markup.h"
#include "report/perfetto/fit.h"
#include "report/perfetto/trace.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Bits of sequence_flags. */
#define STATE_CLEARED 1
#define STATE_NEEDED  2

/* Field 1 of Perfetto's Trace: a packet, with its length before it. */
#define PACKET_TAG 0x0a

/* The sequence of packets that have no instant. */
#define SEQUENCE_OF_TRACKS 1

/* Longer text is cut. */
#define TEXT_LEN 512

/* New texts of one packet: its category and name, and two of each note. */
#define INTERNED_MAX     (2 * NOTES_MAX + 2)

#define LENGTH_BYTES_MAX 10

/* One byte becomes \ooo. */
#define ESCAPE_LEN 4

enum string_kind { STRING_CATEGORY, STRING_NAME, STRING_NOTE, STRING_TEXT };

/* Longer texts are rare, and have no number. */
#define KEY_LEN 256

/* A text that each sequence has once, and then its number. */
struct string {
	UT_hash_handle hh;
	uint32_t number; /* from 1 on */
	char key[];      /* the kind, as a letter, and the text */
};

struct sequence {
	uint32_t number;
	uint64_t known[STRINGS_MAX / 64]; /* bits of the texts that it has */
};

struct packets {
	FILE *out;
	int err;
	uint64_t written; /* bytes */
	struct string *strings;
	struct fit fit; /* of sequences */
	uint32_t last_number;
	struct sequence *current;
	uint64_t last_uuid;
	uint8_t *bytes; /* of the last packet; its memory is used again */
	size_t room;
	struct sequence sequence[SEQUENCES_MAX];
};

/* A packet that is put together, with all that it points at. */
struct draft {
	Pf__TracePacket packet;
	Pf__TrackEvent event;
	Pf__InternedData interned;
	Pf__DebugAnnotation note[NOTES_MAX];
	Pf__DebugAnnotation *notes[NOTES_MAX];
	Pf__Interned text[INTERNED_MAX];
	uint32_t text_cnt;
	Pf__Interned *category[1];
	Pf__Interned *name[1];
	Pf__Interned *note_name[NOTES_MAX];
	Pf__Interned *note_text[NOTES_MAX];
	uint64_t category_number;
	char *category_word[1];
	uint64_t flow, flow_end;
	char plain[INTERNED_MAX][TEXT_LEN];
	uint32_t plain_cnt;
};

void event_note(struct event *event, const char *name, uint64_t number)
{
	if (event->note_cnt < NOTES_MAX)
		event->note[event->note_cnt++] = (struct note){.name = name, .number = number};
}

void event_note_text(struct event *event, const char *name, const char *text)
{
	if (event->note_cnt < NOTES_MAX)
		event->note[event->note_cnt++] = (struct note){.name = name, .text = text};
}

struct packets *packets__new(FILE *out)
{
	struct packets *packets = calloc(1, sizeof(*packets));

	if (!packets)
		return NULL;
	packets->out = out;
	packets->last_number = SEQUENCE_OF_TRACKS;
	return packets;
}

void packets__free(struct packets *packets)
{
	struct string *string, *next;

	if (!packets)
		return;
	HASH_ITER (hh, packets->strings, string, next) {
		HASH_DEL(packets->strings, string);
		free(string);
	}
	fit_free(&packets->fit);
	free(packets->bytes);
	free(packets);
}

uint64_t packets__bytes(const struct packets *packets)
{
	return packets->written;
}

int packets__error(const struct packets *packets)
{
	return packets->err;
}

void packets__fail(struct packets *packets)
{
	if (!packets->err)
		packets->err = -ENOMEM;
}

static bool packets_has_room(struct packets *packets, size_t size)
{
	uint8_t *bytes;

	if (size <= packets->room)
		return true;
	bytes = realloc(packets->bytes, 2 * size);
	if (!bytes) {
		packets__fail(packets);
		return false;
	}
	packets->bytes = bytes;
	packets->room = 2 * size;
	return true;
}

/* Base 128, the low digits first. */
static size_t put_length(uint8_t *bytes, size_t length)
{
	size_t cnt = 0;

	for (; length >= 0x80; length >>= 7)
		bytes[cnt++] = length | 0x80;
	bytes[cnt++] = length;
	return cnt;
}

static void write_packet(struct packets *packets, const Pf__TracePacket *packet)
{
	size_t size = pf__trace_packet__get_packed_size(packet);
	uint8_t head[1 + LENGTH_BYTES_MAX] = {PACKET_TAG};
	size_t head_size = 1 + put_length(head + 1, size);

	if (packets->err || !packets_has_room(packets, size))
		return;
	packets->written += head_size + size;
	pf__trace_packet__pack(packet, packets->bytes);
	if (fwrite(head, head_size, 1, packets->out) != 1 ||
	    (size && fwrite(packets->bytes, size, 1, packets->out) != 1))
		packets->err = -errno;
}

static void set_sequence(Pf__TracePacket *packet, uint32_t number, uint32_t flags)
{
	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = number;
	packet->has_sequence_flags = true;
	packet->sequence_flags = flags;
}

/* The first packet of a sequence: its instants are those of CLOCK_MONOTONIC. */
static void begin_sequence(struct packets *packets, uint32_t number)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TracePacketDefaults defaults = PF__TRACE_PACKET_DEFAULTS__INIT;

	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = PF__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC;
	packet.trace_packet_defaults = &defaults;
	packet.has_first_packet_on_sequence = packet.first_packet_on_sequence = true;
	set_sequence(&packet, number, STATE_CLEARED);
	write_packet(packets, &packet);
}

static void set_clock(Pf__Clock *clock, Pf__BuiltinClock id, uint64_t ns)
{
	*clock = (Pf__Clock)PF__CLOCK__INIT;
	clock->has_clock_id = clock->has_timestamp = true;
	clock->clock_id = id;
	clock->timestamp = ns;
}

/*
 * Suspends are not recorded, by which CLOCK_BOOTTIME is ahead: both clocks are written as equal.
 * Readers that want BOOTTIME would otherwise refuse the events.
 */
void packets__clock(struct packets *packets, uint64_t ns, uint64_t unix_ns)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__ClockSnapshot snapshot = PF__CLOCK_SNAPSHOT__INIT;
	Pf__Clock clock[3], *clocks[] = {&clock[0], &clock[1], &clock[2]};

	if (packets->last_number == SEQUENCE_OF_TRACKS)
		begin_sequence(packets, SEQUENCE_OF_TRACKS);
	set_clock(&clock[0], PF__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC, ns);
	set_clock(&clock[1], PF__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME, ns);
	set_clock(&clock[2], PF__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME, unix_ns);
	snapshot.clocks = clocks;
	snapshot.n_clocks = unix_ns ? 3 : 2;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = PF__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC;
	packet.clock_snapshot = &snapshot;
	set_sequence(&packet, SEQUENCE_OF_TRACKS, STATE_NEEDED);
	write_packet(packets, &packet);
}

uint64_t packets__uuid(struct packets *packets)
{
	return ++packets->last_uuid;
}

/*
 * Foreign text as valid UTF-8 without control characters: other bytes become octal numbers (\ooo),
 * as in markup. The text is cut before the first character that does not fit.
 */
static void make_plain(const char *text, char plain[TEXT_LEN])
{
	size_t at = 0;

	while (*text) {
		size_t length = markup_character_length(text), more = length ?: ESCAPE_LEN;

		if (at + more >= TEXT_LEN)
			break;
		if (length)
			memcpy(plain + at, text, length);
		else
			snprintf(plain + at, ESCAPE_LEN + 1, "\\%03o", (unsigned char)*text);
		at += more;
		text += length ?: 1;
	}
	plain[at] = 0;
}

static char *plain_of(const char *text, char plain[TEXT_LEN])
{
	if (!text || !text[0])
		return NULL;
	make_plain(text, plain);
	return plain;
}

void packets__track(struct packets *packets, const struct track *from)
{
	char name[TEXT_LEN], description[TEXT_LEN], comm[TEXT_LEN];
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	Pf__CounterDescriptor counter = PF__COUNTER_DESCRIPTOR__INIT;
	Pf__ProcessDescriptor process = PF__PROCESS_DESCRIPTOR__INIT;
	Pf__ThreadDescriptor thread = PF__THREAD_DESCRIPTOR__INIT;

	track.has_uuid = true;
	track.uuid = from->uuid;
	track.name = plain_of(from->name, name);
	track.description = plain_of(from->description, description);
	track.has_parent_uuid = from->parent;
	track.parent_uuid = from->parent;
	track.has_sibling_order_rank = from->rank;
	track.sibling_order_rank = from->rank;
	track.has_child_ordering = from->has_ranks;
	track.child_ordering = PF__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
	if (from->unit != TRACK_OF_SLICES) {
		counter.has_unit = true;
		counter.unit = from->unit == TRACK_OF_NS
				       ? PF__COUNTER_DESCRIPTOR__UNIT__UNIT_TIME_NS
				       : PF__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
		track.counter = &counter;
	}
	if (from->tid) {
		thread.has_pid = thread.has_tid = true;
		thread.pid = (int32_t)from->pid;
		thread.tid = from->tid;
		thread.thread_name = plain_of(from->comm, comm);
		track.thread = &thread;
	} else if (from->pid) {
		process.has_pid = true;
		process.pid = (int32_t)from->pid;
		process.process_name = plain_of(from->comm, comm);
		track.process = &process;
	}
	packet.track_descriptor = &track;
	set_sequence(&packet, SEQUENCE_OF_TRACKS, STATE_NEEDED);
	write_packet(packets, &packet);
}

void packets__begin(struct packets *packets, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t id;

	if (fit_take(&packets->fit, from_ns, to_ns, true, &id)) {
		packets->current = &packets->sequence[id];
		return;
	}
	if (packets->fit.cnt == SEQUENCES_MAX) {
		id = fit_reuse(&packets->fit, to_ns);
	} else if (!fit_add(&packets->fit, to_ns, &id)) {
		packets__fail(packets);
		return;
	}
	packets->current = &packets->sequence[id];
	*packets->current = (struct sequence){.number = ++packets->last_number};
	begin_sequence(packets, packets->current->number);
}

static uint32_t add_string(struct packets *packets, const char *key, size_t length)
{
	struct string *string;

	if (HASH_COUNT(packets->strings) == STRINGS_MAX)
		return 0;
	string = calloc(1, sizeof(*string) + length);
	if (!string)
		return 0;
	memcpy(string->key, key, length);
	string->number = HASH_COUNT(packets->strings) + 1;
	HASH_ADD(hh, packets->strings, key, length, string);
	return string->number;
}

/* The number of a text; 0: it has none. */
static uint32_t string_number(struct packets *packets, enum string_kind kind, const char *text)
{
	size_t length = strlen(text) + 1;
	struct string *string;
	char key[KEY_LEN];

	if (length >= KEY_LEN)
		return 0;
	key[0] = (char)('a' + kind);
	memcpy(key + 1, text, length);
	HASH_FIND(hh, packets->strings, key, length, string);
	return string ? string->number : add_string(packets, key, length);
}

/* Whether the sequence gets to know this number now. */
static bool is_new_in(struct sequence *sequence, uint32_t number)
{
	uint64_t *bits = &sequence->known[(number - 1) / 64], bit = 1ULL << (number - 1) % 64;
	bool is_new = !(*bits & bit);

	*bits |= bit;
	return is_new;
}

/*
 * The number of a text; 0: it stands in the event itself, as `*plain`. The first time in a
 * sequence, the text comes with it: then `*interned` gets it.
 */
static uint32_t intern(struct packets *packets, struct draft *draft, enum string_kind kind,
		       const char *text, Pf__Interned **interned, char **plain)
{
	char *form = draft->plain[draft->plain_cnt++];
	Pf__Interned *entry;
	uint32_t number;

	make_plain(text, form);
	*plain = form;
	*interned = NULL;
	number = string_number(packets, kind, form);
	if (!number || !is_new_in(packets->current, number))
		return number;
	entry = &draft->text[draft->text_cnt++];
	*entry = (Pf__Interned)PF__INTERNED__INIT;
	entry->has_iid = true;
	entry->iid = number;
	entry->name = form;
	*interned = entry;
	return number;
}

static void packets_set_name(struct packets *packets, struct draft *draft, const struct event *from)
{
	Pf__TrackEvent *event = &draft->event;
	char *plain;

	event->name_iid = intern(packets, draft, STRING_NAME, from->name, &draft->name[0], &plain);
	event->has_name_iid = event->name_iid;
	if (!event->name_iid)
		event->name = plain;
	draft->interned.event_names = draft->name;
	draft->interned.n_event_names = draft->name[0] ? 1 : 0;
}

static void set_category(struct packets *packets, struct draft *draft, const struct event *from)
{
	Pf__TrackEvent *event = &draft->event;
	uint32_t number = intern(packets, draft, STRING_CATEGORY, from->category,
				 &draft->category[0], &draft->category_word[0]);

	draft->category_number = number;
	event->category_iids = &draft->category_number;
	event->n_category_iids = number ? 1 : 0;
	event->categories = draft->category_word;
	event->n_categories = number ? 0 : 1;
	draft->interned.event_categories = draft->category;
	draft->interned.n_event_categories = draft->category[0] ? 1 : 0;
}

static void set_note_text(struct packets *packets, struct draft *draft, const struct note *from,
			  Pf__DebugAnnotation *note)
{
	Pf__InternedData *interned = &draft->interned;
	Pf__Interned *entry;
	char *plain;

	note->string_value_iid = intern(packets, draft, STRING_TEXT, from->text, &entry, &plain);
	note->has_string_value_iid = note->string_value_iid;
	if (!note->string_value_iid)
		note->string_value = plain;
	if (entry)
		draft->note_text[interned->n_debug_annotation_string_values++] = entry;
}

static void add_note(struct packets *packets, struct draft *draft, const struct note *from)
{
	Pf__TrackEvent *event = &draft->event;
	Pf__DebugAnnotation *note = &draft->note[event->n_debug_annotations];
	Pf__Interned *entry;
	char *plain;

	*note = (Pf__DebugAnnotation)PF__DEBUG_ANNOTATION__INIT;
	note->name_iid = intern(packets, draft, STRING_NOTE, from->name, &entry, &plain);
	note->has_name_iid = note->name_iid;
	if (!note->name_iid)
		note->name = plain;
	if (entry)
		draft->note_name[draft->interned.n_debug_annotation_names++] = entry;
	if (from->text) {
		set_note_text(packets, draft, from, note);
	} else {
		note->has_uint_value = true;
		note->uint_value = from->number;
	}
	draft->notes[event->n_debug_annotations++] = note;
}

static void set_type(Pf__TrackEvent *event, const struct event *from)
{
	static const Pf__TrackEvent__Type types[] = {
		[EVENT_BEGIN] = PF__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
		[EVENT_END] = PF__TRACK_EVENT__TYPE__TYPE_SLICE_END,
		[EVENT_INSTANT] = PF__TRACK_EVENT__TYPE__TYPE_INSTANT,
		[EVENT_COUNTER] = PF__TRACK_EVENT__TYPE__TYPE_COUNTER,
	};

	event->has_type = event->has_track_uuid = true;
	event->type = types[from->type];
	event->track_uuid = from->track;
	event->has_counter_value = from->type == EVENT_COUNTER;
	event->counter_value = from->value;
}

/* A packet of the current sequence. */
static void write_at(struct packets *packets, Pf__TracePacket *packet, uint64_t at_ns)
{
	packet->has_timestamp = true;
	packet->timestamp = at_ns;
	set_sequence(packet, packets->current->number, STATE_NEEDED);
	write_packet(packets, packet);
}

void packets__put(struct packets *packets, const struct event *from)
{
	struct draft draft;

	if (packets->err)
		return;
	draft.packet = (Pf__TracePacket)PF__TRACE_PACKET__INIT;
	draft.event = (Pf__TrackEvent)PF__TRACK_EVENT__INIT;
	draft.interned = (Pf__InternedData)PF__INTERNED_DATA__INIT;
	draft.text_cnt = draft.plain_cnt = 0;
	draft.event.debug_annotations = draft.notes;
	draft.interned.debug_annotation_names = draft.note_name;
	draft.interned.debug_annotation_string_values = draft.note_text;
	set_type(&draft.event, from);
	draft.flow = from->flow;
	draft.flow_end = from->flow_end;
	draft.event.flow_ids = &draft.flow;
	draft.event.n_flow_ids = from->flow ? 1 : 0;
	draft.event.terminating_flow_ids = &draft.flow_end;
	draft.event.n_terminating_flow_ids = from->flow_end ? 1 : 0;
	if (from->category)
		set_category(packets, &draft, from);
	if (from->name)
		packets_set_name(packets, &draft, from);
	for (uint32_t i = 0; i < from->note_cnt; i++)
		add_note(packets, &draft, &from->note[i]);
	if (draft.text_cnt)
		draft.packet.interned_data = &draft.interned;
	draft.packet.track_event = &draft.event;
	write_at(packets, &draft.packet, from->at_ns);
}

void packets__put_one(struct packets *packets, const struct event *event)
{
	packets__begin(packets, event->at_ns, event->at_ns);
	packets__put(packets, event);
}

void packets__change(struct packets *packets, const struct task_change *from)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__GenericKernelTaskStateEvent change = PF__GENERIC_KERNEL_TASK_STATE_EVENT__INIT;
	char comm[TEXT_LEN];

	packets__begin(packets, from->at_ns, from->at_ns);
	if (packets->err)
		return;
	change.has_cpu = change.has_tid = change.has_state = true;
	change.cpu = (int32_t)from->cpu;
	change.tid = from->tid;
	change.state = (Pf__GenericKernelTaskStateEvent__TaskStateEnum)from->state;
	change.comm = plain_of(from->comm, comm);
	change.has_prio = from->state == TASK_RUNNING;
	change.prio = (int32_t)from->priority;
	packet.generic_kernel_task_state_event = &change;
	write_at(packets, &packet, from->at_ns);
}

static void put_service_event(struct packets *packets, uint64_t at_ns, bool begins)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TracingServiceEvent event = PF__TRACING_SERVICE_EVENT__INIT;

	packets__begin(packets, at_ns, at_ns);
	if (packets->err)
		return;
	event.has_all_data_sources_started = event.all_data_sources_started = begins;
	event.has_tracing_disabled = event.tracing_disabled = !begins;
	packet.service_event = &event;
	write_at(packets, &packet, at_ns);
}

void packets__view(struct packets *packets, uint64_t from_ns, uint64_t to_ns)
{
	put_service_event(packets, from_ns, true);
	put_service_event(packets, to_ns, false);
}
