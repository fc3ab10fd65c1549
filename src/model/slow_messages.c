/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/slow_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Words behind the fields of the longest record. */
#define PART_WORDS (UINT8_MAX - RECORD_WORDS(struct record_kept))

/* Memory is bounded: what has more words than the largest summary is none. */
#define WORDS_MAX (1u << 23)

/* The words of an archive, in as many records as they need. */
static int put_parts(const struct serializer *a, enum kept_kind kind, kept_fn *take, void *ctx)
{
	struct {
		struct record_kept kept;
		uint64_t word[PART_WORDS];
	} record = {.kept = {.head = {.type = RECORD_KEPT}, .kind = kind}};
	int err = a->error;

	for (size_t at = 0, cnt; !err && at < a->cnt; at += cnt) {
		cnt = a->cnt - at < PART_WORDS ? a->cnt - at : PART_WORDS;
		record.kept.head.words = RECORD_WORDS(record.kept) + cnt;
		record.kept.left = a->cnt - at - cnt;
		memcpy(record.word, a->word + at, cnt * sizeof(record.word[0]));
		err = take(ctx, &record.kept.head);
	}
	return err;
}

/* An archive that is written changes nothing of what it is given. */
int kept_message(const struct message *message, kept_fn *take, void *ctx)
{
	struct slow_messages_lists lists = {(struct segment *)message->segment,
					    (struct blame *)message->blame};
	struct message copy = *message;
	struct serializer a = {0};
	int err;

	keep_message(&a, &copy, &lists);
	err = put_parts(&a, KEPT_MESSAGE, take, ctx);
	serializer_free(&a);
	return err;
}

int kept_summary(const struct summary *summary, kept_fn *take, void *ctx)
{
	struct summary copy = *summary;
	struct serializer a = {0};
	int err;

	keep_summary(&a, &copy);
	err = put_parts(&a, KEPT_SUMMARY, take, ctx);
	serializer_free(&a);
	return err;
}

struct slow_messages {
	struct serializer parts; /* of what is not complete yet */
	struct slow_messages_lists lists;
	struct summary summary;
	bool has_summary;
};

struct slow_messages *slow_messages__new(const struct run_info *info)
{
	struct slow_messages *kept = calloc(1, sizeof(*kept));

	if (kept)
		kept->summary.info = *info;
	return kept;
}

static void free_lists(struct slow_messages_lists *lists)
{
	free(lists->segment);
	free(lists->blame);
	*lists = (struct slow_messages_lists){0};
}

/* Also of a summary that could not be read to its end. */
static void forget_summary(struct slow_messages *kept)
{
	struct run_info info = kept->summary.info;

	summary_clean(&kept->summary);
	kept->summary = (struct summary){.info = info};
	kept->has_summary = false;
}

void slow_messages__free(struct slow_messages *kept)
{
	if (!kept)
		return;
	serializer_free(&kept->parts);
	free_lists(&kept->lists);
	summary_clean(&kept->summary);
	free(kept);
}

static bool is_whole(const struct serializer *words)
{
	return !words->error && words->at == words->cnt;
}

static int read_message(struct slow_messages *kept, struct serializer *words,
			struct message *message)
{
	free_lists(&kept->lists);
	*message = (struct message){0};
	keep_message(words, message, &kept->lists);
	return is_whole(words);
}

static int read_summary(struct slow_messages *kept, struct serializer *words)
{
	forget_summary(kept);
	keep_summary(words, &kept->summary);
	kept->has_summary = is_whole(words);
	if (!kept->has_summary)
		forget_summary(kept);
	return 0;
}

/* All parts are there. */
static int read_whole(struct slow_messages *kept, uint32_t kind, struct message *message)
{
	struct serializer words = {.reads = true, .word = kept->parts.word, .cnt = kept->parts.cnt};
	int found = kind == KEPT_MESSAGE   ? read_message(kept, &words, message)
		    : kind == KEPT_SUMMARY ? read_summary(kept, &words)
					   : 0;

	kept->parts.cnt = 0;
	return words.error == -ENOMEM ? -ENOMEM : found;
}

int slow_messages__record(struct slow_messages *kept, const struct record_kept *record,
			  struct message *message)
{
	size_t cnt = record->head.words - RECORD_WORDS(*record);

	if (!cnt)
		return 0;
	if (kept->parts.cnt + cnt > WORDS_MAX)
		kept->parts.cnt = 0;
	serializer_value(&kept->parts, (void *)(record + 1), cnt * sizeof(uint64_t));
	if (kept->parts.error)
		return kept->parts.error;
	return record->left ? 0 : read_whole(kept, record->kind, message);
}

struct summary *slow_messages__summary(struct slow_messages *kept)
{
	return kept->has_summary ? &kept->summary : NULL;
}
