/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the summary as SUMMARY records, of which it needs several, and reads these records.
 */
#include "model/kept_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Words that fit behind the fields of the longest record. */
#define PART_WORDS (UINT8_MAX - RECORD_WORDS(struct record_summary))

/* Memory is bounded: no summary has more words than this. */
#define WORDS_MAX (1u << 23)

/* Writes the words in as many records as they need. */
static int put_parts(const struct serializer *s, kept_summary_write_fn *write, void *ctx)
{
	struct {
		struct record_summary summary;
		uint64_t word[PART_WORDS];
	} record = {.summary = {.head = {.type = RECORD_SUMMARY}, .kind = SUMMARY_OF_ALL}};
	int err = s->error;

	for (size_t at = 0, cnt; !err && at < s->cnt; at += cnt) {
		cnt = s->cnt - at < PART_WORDS ? s->cnt - at : PART_WORDS;
		record.summary.head.words = RECORD_WORDS(record.summary) + cnt;
		record.summary.left = s->cnt - at - cnt;
		memcpy(record.word, s->word + at, cnt * sizeof(record.word[0]));
		err = write(ctx, &record.summary.head);
	}
	return err;
}

/* A serializer that writes does not change what it is given. */
int kept_summary_write(const struct summary *summary, kept_summary_write_fn *write, void *ctx)
{
	struct summary copy = *summary;
	struct serializer s = {0};
	int err;

	serialize_summary(&s, &copy);
	err = put_parts(&s, write, ctx);
	serializer_free(&s);
	return err;
}

struct kept_summary {
	struct serializer parts; /* the words of a summary that is not complete */
	struct summary summary;
	bool is_whole;
};

struct kept_summary *kept_summary__new(const struct run_info *info)
{
	struct kept_summary *kept = calloc(1, sizeof(*kept));

	if (kept)
		kept->summary.info = *info;
	return kept;
}

/* Also forgets a summary that could not be read to its end. */
static void forget_summary(struct kept_summary *kept)
{
	struct run_info info = kept->summary.info;

	summary_clean(&kept->summary);
	kept->summary = (struct summary){.info = info};
	kept->is_whole = false;
}

void kept_summary__free(struct kept_summary *kept)
{
	if (!kept)
		return;
	serializer_free(&kept->parts);
	summary_clean(&kept->summary);
	free(kept);
}

/* All parts are here. */
static int read_summary(struct kept_summary *kept)
{
	struct serializer words = {.reads = true, .word = kept->parts.word, .cnt = kept->parts.cnt};

	forget_summary(kept);
	serialize_summary(&words, &kept->summary);
	kept->is_whole = !words.error && words.at == words.cnt;
	if (!kept->is_whole)
		forget_summary(kept);
	kept->parts.cnt = 0;
	if (words.error == -ENOMEM)
		return -ENOMEM;
	return kept->is_whole ? 0 : -EINVAL;
}

int kept_summary__record(struct kept_summary *kept, const struct record_summary *record)
{
	size_t cnt = record->head.words - RECORD_WORDS(*record);

	if (!cnt || record->kind != SUMMARY_OF_ALL)
		return 0;
	if (kept->parts.cnt + cnt > WORDS_MAX)
		kept->parts.cnt = 0;
	serializer_value(&kept->parts, (void *)(record + 1), cnt * sizeof(uint64_t));
	if (kept->parts.error)
		return kept->parts.error;
	return record->left ? 0 : read_summary(kept);
}

struct summary *kept_summary__summary(struct kept_summary *kept)
{
	return kept->is_whole ? &kept->summary : NULL;
}
