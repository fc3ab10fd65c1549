/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up the expected bytes in bins of time, and takes the slowest messages, one after the other,
 * until the bytes around them fill the file:
 *
 *	bytes     |..|..|##|..|##|##|..|
 *	              slowest   second
 */
#include "command/excerpt/excerpt.h"

#include "command/excerpt/span_set.h"
#include "util/duration.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Expected bytes, as measured. docs/perfetto.md has the figures. */
#define MESSAGE_BYTES 400
#define SEGMENT_BYTES 65
#define PIECE_BYTES   70
#define MOMENT_BYTES  30

/* How many threads run one after the other in a wait for a CPU, and how many of these are drawn. */
#define PIECE_NS   500000
#define PIECES_MAX 8

/* The slowest messages once more, and the names of tracks: a quarter of a small file. */
#define HEAD_BYTES  30000

#define BINS        8192
#define BIN_NS      1000000ULL
#define SLOWEST_MAX 4096

/* The selected messages may be far apart. More spans than this become longer ones. */
#define SPANS_MAX 65536

struct slow {
	uint64_t latency_ns;
	uint64_t from_ns;
	uint64_t to_ns;
};

/* Bytes by time. A bin gets twice its length if the time exceeds them all. */
struct bins {
	uint64_t bin_ns;
	uint64_t bytes[BINS];
};

struct excerpt {
	uint64_t max_bytes;
	uint64_t begin_ns; /* of the first bin */
	uint64_t messages;
	uint64_t message_bytes; /* of all */
	uint64_t moment_bytes;
	struct bins message_bins;
	struct bins moment_bins;
	struct slow slowest[SLOWEST_MAX]; /* a heap with the fastest one first */
	uint32_t slowest_cnt;
	struct span_set selected;
	struct span_set chosen;
	uint64_t around_ns; /* what is shown around each of them */
	struct spans spans;
	bool has_spans;
	bool is_limited;
	uint32_t chosen_cnt; /* messages */
	size_t near_message, near_moment;
};

struct excerpt *excerpt__new(uint64_t max_bytes, uint64_t begin_ns)
{
	struct excerpt *excerpt = calloc(1, sizeof(*excerpt));

	if (!excerpt)
		return NULL;
	excerpt->max_bytes = max_bytes;
	excerpt->begin_ns = begin_ns;
	excerpt->message_bins.bin_ns = excerpt->moment_bins.bin_ns = BIN_NS;
	return excerpt;
}

void excerpt__free(struct excerpt *excerpt)
{
	if (!excerpt)
		return;
	span_set_free(&excerpt->selected);
	span_set_free(&excerpt->chosen);
	free(excerpt);
}

static void excerpt_lengthen(struct bins *bins)
{
	for (size_t i = 0; i < BINS / 2; i++)
		bins->bytes[i] = bins->bytes[2 * i] + bins->bytes[2 * i + 1];
	for (size_t i = BINS / 2; i < BINS; i++)
		bins->bytes[i] = 0;
	bins->bin_ns *= 2;
}

/* The time from the first bin on; without a start, the first event is at it. */
static uint64_t since_begin(struct excerpt *excerpt, uint64_t at_ns)
{
	if (!excerpt->begin_ns)
		excerpt->begin_ns = at_ns;
	return at_ns > excerpt->begin_ns ? at_ns - excerpt->begin_ns : 0;
}

static void add_bytes(struct excerpt *excerpt, struct bins *bins, uint64_t at_ns, uint64_t bytes)
{
	uint64_t since_ns = since_begin(excerpt, at_ns);

	while (since_ns / bins->bin_ns >= BINS)
		excerpt_lengthen(bins);
	bins->bytes[since_ns / bins->bin_ns] += bytes;
}

/* A stretch that ends in one bin counts there with its share. */
static uint64_t excerpt_bytes_in(const struct bins *bins, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t bytes = 0;

	for (uint64_t i = from_ns / bins->bin_ns; i <= to_ns / bins->bin_ns && i < BINS; i++) {
		uint64_t begin_ns = i * bins->bin_ns, end_ns = begin_ns + bins->bin_ns;
		uint64_t first_ns = from_ns > begin_ns ? from_ns : begin_ns;
		uint64_t last_ns = to_ns < end_ns ? to_ns : end_ns;

		bytes += (uint64_t)((double)bins->bytes[i] * (double)(last_ns - first_ns) /
				    (double)bins->bin_ns);
	}
	return bytes;
}

/* The estimate may be too low by a tenth. */
static uint64_t budget_of(const struct excerpt *excerpt)
{
	uint64_t tenth = excerpt->max_bytes / 10, quarter = excerpt->max_bytes / 4;

	return excerpt->max_bytes - tenth - (quarter < HEAD_BYTES ? quarter : HEAD_BYTES);
}

static uint64_t bytes_of(const struct message *message)
{
	uint64_t bytes = MESSAGE_BYTES;

	for (uint32_t i = 0; i < message->segment_cnt; i++) {
		const struct segment *segment = &message->segment[i];
		uint64_t pieces = 1 + (segment->to_ns - segment->from_ns) / PIECE_NS;

		bytes += SEGMENT_BYTES;
		if (segment->component == COMPONENT_RUNQUEUE)
			bytes += PIECE_BYTES * (pieces < PIECES_MAX ? pieces : PIECES_MAX);
	}
	return bytes;
}

/* The later one of two equal ones counts as faster. */
static bool is_faster(const struct slow *a, const struct slow *b)
{
	if (a->latency_ns != b->latency_ns)
		return a->latency_ns < b->latency_ns;
	return a->from_ns > b->from_ns;
}

static void excerpt_swap(struct slow *a, struct slow *b)
{
	struct slow old = *a;

	*a = *b;
	*b = old;
}

static void excerpt_sift_down(struct slow *heap, uint32_t cnt)
{
	for (uint32_t i = 0;;) {
		uint32_t least = 2 * i + 1;

		if (least + 1 < cnt && is_faster(&heap[least + 1], &heap[least]))
			least++;
		if (least >= cnt || !is_faster(&heap[least], &heap[i]))
			return;
		excerpt_swap(&heap[i], &heap[least]);
		i = least;
	}
}

static void excerpt_rank(struct excerpt *excerpt, const struct slow *slow)
{
	struct slow *heap = excerpt->slowest;
	uint32_t i = excerpt->slowest_cnt;

	if (i < SLOWEST_MAX) {
		heap[i] = *slow;
		excerpt->slowest_cnt++;
		for (; i && is_faster(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
			excerpt_swap(&heap[i], &heap[(i - 1) / 2]);
	} else if (is_faster(&heap[0], slow)) {
		heap[0] = *slow;
		excerpt_sift_down(heap, SLOWEST_MAX);
	}
}

static struct span around(uint64_t from_ns, uint64_t to_ns, uint64_t around_ns)
{
	return (struct span){
		.from_ns = from_ns > around_ns ? from_ns - around_ns : 0,
		.to_ns = to_ns + around_ns,
	};
}

int excerpt__message(struct excerpt *excerpt, const struct message *message)
{
	const struct slow slow = {.latency_ns = message->latency_ns,
				  .from_ns = message_begin_ns(message),
				  .to_ns = message_end_ns(message)};
	uint64_t bytes = bytes_of(message);

	excerpt->messages++;
	excerpt->message_bytes += bytes;
	add_bytes(excerpt, &excerpt->message_bins, slow.to_ns, bytes);
	excerpt_rank(excerpt, &slow);
	return span_set_append(&excerpt->selected,
			       around(slow.from_ns, slow.to_ns, EXCERPT_AROUND_NS), SPANS_MAX)
		       ? 0
		       : -ENOMEM;
}

void excerpt__moments(struct excerpt *excerpt, const struct thread_moments *moments)
{
	uint64_t to_ns = moments->moment[moments->cnt - 1].to_ns;

	excerpt->moment_bytes += moments->cnt * MOMENT_BYTES;
	add_bytes(excerpt, &excerpt->moment_bins, to_ns, moments->cnt * MOMENT_BYTES);
}

/* The bytes of messages and threads in a span. */
static uint64_t bytes_of_span(struct excerpt *excerpt, const struct span *span)
{
	uint64_t from_ns = since_begin(excerpt, span->from_ns);
	uint64_t to_ns = since_begin(excerpt, span->to_ns);

	return excerpt_bytes_in(&excerpt->message_bins, from_ns, to_ns) +
	       excerpt_bytes_in(&excerpt->moment_bins, from_ns, to_ns);
}

static uint64_t moment_bytes_selected(struct excerpt *excerpt)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < excerpt->selected.cnt; i++) {
		const struct span *span = &excerpt->selected.span[i];

		bytes +=
			excerpt_bytes_in(&excerpt->moment_bins, since_begin(excerpt, span->from_ns),
					 since_begin(excerpt, span->to_ns));
	}
	return bytes;
}

static int compare_slow(const void *a, const void *b)
{
	return is_faster(a, b) - is_faster(b, a);
}

/* Around all of a message, or only around its start and its end. */
static uint32_t spans_of(const struct slow *slow, uint64_t around_ns, bool is_whole,
			 struct span span[2])
{
	span[0] = around(slow->from_ns, is_whole ? slow->to_ns : slow->from_ns, around_ns);
	span[1] = around(slow->to_ns, slow->to_ns, around_ns);
	return is_whole ? 1 : 2;
}

static uint64_t bytes_around(struct excerpt *excerpt, const struct slow *slow, uint64_t around_ns)
{
	struct span span[2];

	spans_of(slow, around_ns, false, span);
	return bytes_of_span(excerpt, &span[0]) + bytes_of_span(excerpt, &span[1]);
}

/* Less time around each, if even what is around the slowest one would not fit. */
static uint64_t choose_around(struct excerpt *excerpt)
{
	static const uint64_t around_ns[] = {EXCERPT_AROUND_NS, 1000000, 200000, 0};
	uint32_t i = 0;

	while (around_ns[i] &&
	       bytes_around(excerpt, &excerpt->slowest[0], around_ns[i]) > budget_of(excerpt))
		i++;
	return around_ns[i];
}

/* Chooses the spans if these, too, fit into the file. */
static int try_spans(struct excerpt *excerpt, const struct span *span, uint32_t cnt,
		     uint64_t *bytes, bool is_forced)
{
	uint64_t more = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		struct span part;
		uint64_t at_ns = span[i].from_ns;

		while (span_set_next_gap(&excerpt->chosen, at_ns, span[i].to_ns, &part)) {
			more += bytes_of_span(excerpt, &part);
			at_ns = part.to_ns;
		}
	}
	if (!is_forced && *bytes + more > budget_of(excerpt))
		return -ENOSPC;
	*bytes += more;
	for (uint32_t i = 0; i < cnt; i++) {
		if (!span_set_insert(&excerpt->chosen, span[i]))
			return -ENOMEM;
	}
	return 0;
}

/* The slowest message is always shown. */
static int choose_slowest(struct excerpt *excerpt)
{
	uint64_t bytes = 0;

	qsort(excerpt->slowest, excerpt->slowest_cnt, sizeof(*excerpt->slowest), compare_slow);
	excerpt->around_ns = choose_around(excerpt);
	for (uint32_t i = 0; i < excerpt->slowest_cnt; i++) {
		struct span span[2];
		uint32_t cnt = spans_of(&excerpt->slowest[i], excerpt->around_ns, true, span);
		int err = try_spans(excerpt, span, cnt, &bytes, false);

		if (err == -ENOSPC) {
			cnt = spans_of(&excerpt->slowest[i], excerpt->around_ns, false, span);
			err = try_spans(excerpt, span, cnt, &bytes, !i);
		}
		if (err == -ENOSPC)
			break;
		if (err)
			return err;
		excerpt->chosen_cnt++;
	}
	return 0;
}

static void show_within(struct excerpt *excerpt, const struct span_set *set)
{
	excerpt->spans = (struct spans){.span = set->span, .cnt = set->cnt};
	excerpt->has_spans = true;
}

int excerpt__choose(struct excerpt *excerpt, bool is_selection)
{
	uint64_t bytes = excerpt->message_bytes +
			 (is_selection ? moment_bytes_selected(excerpt) : excerpt->moment_bytes);
	int err;

	if (bytes <= budget_of(excerpt)) {
		if (is_selection)
			show_within(excerpt, &excerpt->selected);
		return 0;
	}
	excerpt->is_limited = true;
	err = choose_slowest(excerpt);
	if (!err)
		show_within(excerpt, &excerpt->chosen);
	return err;
}

void excerpt__text(const struct excerpt *excerpt, char text[EXCERPT_TEXT_LEN])
{
	char around[64] = "what happened meanwhile";

	text[0] = 0;
	if (!excerpt->is_limited)
		return;
	if (excerpt->around_ns)
		snprintf(around, sizeof(around), "%s around each of them",
			 DURATION(excerpt->around_ns));
	snprintf(text, EXCERPT_TEXT_LEN, "the slowest %" PRIu32 " of %" PRIu64 " messages, and %s",
		 excerpt->chosen_cnt, excerpt->messages, around);
}

const struct spans *excerpt__spans(const struct excerpt *excerpt)
{
	return excerpt->has_spans ? &excerpt->spans : NULL;
}

/* A selection has its messages and calls, wherever they are. */
bool excerpt__has_message(struct excerpt *excerpt, const struct message *message)
{
	return !excerpt->is_limited || spans_meet(&excerpt->spans, message_begin_ns(message),
						  message_end_ns(message), &excerpt->near_message);
}

bool excerpt__has_call(struct excerpt *excerpt, const struct call *call)
{
	return !excerpt->is_limited ||
	       spans_meet(&excerpt->spans, call->sent_ns, call->back_ns, &excerpt->near_message);
}

bool excerpt__has_moment(struct excerpt *excerpt, const struct moment *moment)
{
	return !excerpt->has_spans ||
	       spans_meet(&excerpt->spans, moment->from_ns, moment->to_ns, &excerpt->near_moment);
}
