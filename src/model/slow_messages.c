/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes messages and summaries as SLOW records, for recordings with --slower-than. A message or a
 * summary may need several records. Also reads these records.
 */
#include "model/slow_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Words that fit behind the fields of the longest record. */
#define PART_WORDS (UINT8_MAX - RECORD_WORDS(struct record_slow))

/* Memory is bounded: no summary has more words than this. */
#define WORDS_MAX (1u << 23)

/* Writes the words in as many records as they need. */
static int put_parts(const struct serializer *s, enum slow_kind kind, slow_messages_write_fn *write,
		     void *ctx)
{
	struct {
		struct record_slow slow;
		uint64_t word[PART_WORDS];
	} record = {.slow = {.head = {.type = RECORD_SLOW}, .kind = kind}};
	int err = s->error;

	for (size_t at = 0, cnt; !err && at < s->cnt; at += cnt) {
		cnt = s->cnt - at < PART_WORDS ? s->cnt - at : PART_WORDS;
		record.slow.head.words = RECORD_WORDS(record.slow) + cnt;
		record.slow.left = s->cnt - at - cnt;
		memcpy(record.word, s->word + at, cnt * sizeof(record.word[0]));
		err = write(ctx, &record.slow.head);
	}
	return err;
}

/* A serializer that writes does not change what it is given. */
int slow_messages_write_message(const struct message *message, slow_messages_write_fn *write,
				void *ctx)
{
	struct slow_messages_lists lists = {(struct segment *)message->segment,
					    (struct blame *)message->blame};
	struct message copy = *message;
	struct serializer s = {0};
	int err;

	serialize_message(&s, &copy, &lists);
	err = put_parts(&s, SLOW_MESSAGE, write, ctx);
	serializer_free(&s);
	return err;
}

int slow_messages_write_summary(const struct summary *summary, slow_messages_write_fn *write,
				void *ctx)
{
	struct summary copy = *summary;
	struct serializer s = {0};
	int err;

	serialize_summary(&s, &copy);
	err = put_parts(&s, SLOW_SUMMARY, write, ctx);
	serializer_free(&s);
	return err;
}

struct slow_messages {
	struct serializer parts; /* the words of a message or summary that is not complete */
	struct slow_messages_lists lists;
	struct summary summary;
	bool has_summary;
};

struct slow_messages *slow_messages__new(const struct run_info *info)
{
	struct slow_messages *slow = calloc(1, sizeof(*slow));

	if (slow)
		slow->summary.info = *info;
	return slow;
}

static void free_lists(struct slow_messages_lists *lists)
{
	free(lists->segment);
	free(lists->blame);
	*lists = (struct slow_messages_lists){0};
}

/* Also forgets a summary that could not be read to its end. */
static void forget_summary(struct slow_messages *slow)
{
	struct run_info info = slow->summary.info;

	summary_clean(&slow->summary);
	slow->summary = (struct summary){.info = info};
	slow->has_summary = false;
}

void slow_messages__free(struct slow_messages *slow)
{
	if (!slow)
		return;
	serializer_free(&slow->parts);
	free_lists(&slow->lists);
	summary_clean(&slow->summary);
	free(slow);
}

static bool is_whole(const struct serializer *words)
{
	return !words->error && words->at == words->cnt;
}

static int read_message(struct slow_messages *slow, struct serializer *words,
			struct message *message)
{
	free_lists(&slow->lists);
	*message = (struct message){0};
	serialize_message(words, message, &slow->lists);
	return is_whole(words);
}

static int read_summary(struct slow_messages *slow, struct serializer *words)
{
	forget_summary(slow);
	serialize_summary(words, &slow->summary);
	slow->has_summary = is_whole(words);
	if (!slow->has_summary)
		forget_summary(slow);
	return 0;
}

/* Reads a message or a summary of which all parts are here. */
static int read_whole(struct slow_messages *slow, uint32_t kind, struct message *message)
{
	struct serializer words = {.reads = true,
				   .word = slow->parts.word,
				   .cnt = slow->parts.cnt,
				   .lacks_room = !slow->summary.info.shows_room};
	int found = kind == SLOW_MESSAGE   ? read_message(slow, &words, message)
		    : kind == SLOW_SUMMARY ? read_summary(slow, &words)
					   : 0;

	slow->parts.cnt = 0;
	return words.error == -ENOMEM ? -ENOMEM : found;
}

int slow_messages__record(struct slow_messages *slow, const struct record_slow *record,
			  struct message *message)
{
	size_t cnt = record->head.words - RECORD_WORDS(*record);

	if (!cnt)
		return 0;
	if (slow->parts.cnt + cnt > WORDS_MAX)
		slow->parts.cnt = 0;
	serializer_value(&slow->parts, (void *)(record + 1), cnt * sizeof(uint64_t));
	if (slow->parts.error)
		return slow->parts.error;
	return record->left ? 0 : read_whole(slow, record->kind, message);
}

struct summary *slow_messages__summary(struct slow_messages *slow)
{
	return slow->has_summary ? &slow->summary : NULL;
}
