/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the summary as SUMMARY records, of which it needs several, and reads these records.
 * Converts it to 64-bit words and back in a loop over its table (model/members). Leaves out
 * run_info, which is in the header of a recording.
 */
#include "model/kept_summary.h"

#include "model/members/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Words that fit behind the fields of the longest record. */
#define PART_WORDS (UINT8_MAX - RECORD_WORDS(struct record_summary))

/* Memory is bounded: no summary has more words than this. */
#define WORDS_MAX (1u << 23)

/* Components that each recording has. */
static size_t first_components(void)
{
	size_t cnt = 0;

	for (int i = 0; i < NR_COMPONENTS; i++)
		cnt += !components[i].batch;
	return cnt;
}

/* The least words of one: they bound how many there can be when reading. */
static size_t least_words(const struct members *table)
{
	size_t words = 0;

	for (size_t i = 0; i < table->cnt && table->row[i].kind != BATCH; i++) {
		const struct member *member = &table->row[i];
		size_t cnt = member->cnt ?: 1;

		if (member->by_component && member->kind != WORD)
			cnt = first_components();
		if (member->kind == STRUCT)
			words += cnt * least_words(member->of);
		else if (member->kind == DISTRIBUTION)
			words += cnt * STAT_WORDS;
		else if (member->kind == LIST || member->kind == ENTRIES || member->kind == FLAG)
			words++;
		else if (member->kind != FIRST && member->kind != CHECK)
			words += member->by_component && member->kind != WORD
					 ? cnt
					 : (member->size + 7) / 8;
	}
	return words;
}

/* The number of a component in recordings: there, one that was added later stands behind others. */
static uint32_t kept_number(uint32_t component)
{
	uint32_t number = 0;

	for (uint32_t i = 0; component < NR_COMPONENTS && i < NR_COMPONENTS; i++) {
		if (components[i].batch == components[component].batch)
			number += i < component;
		else
			number += components[i].batch < components[component].batch;
	}
	return number;
}

static uint32_t kept_summary_component_of(uint32_t number)
{
	uint32_t component = 0;

	while (component < NR_COMPONENTS && kept_number(component) != number)
		component++;
	return component;
}

/* An enum may be stored in fewer bytes. */
static void serialize_word(struct serializer *s, const struct member *member, void *value)
{
	uint32_t number = 0;

	memcpy(&number, value, member->size);
	if (member->by_component)
		number = kept_number(number);
	serializer_below(s, &number, member->cnt);
	if (member->by_component)
		number = kept_summary_component_of(number);
	memcpy(value, &number, member->size);
}

/* The entries of the components that came with this batch. */
static void serialize_components(struct serializer *s, const struct member *member, char *of,
				 uint32_t batch)
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (components[i].batch != batch)
			continue;
		if (member->kind == DISTRIBUTION)
			serialize_stat(s, (struct stat *)(of + member->at) + i);
		else
			serializer_number(s, (uint64_t *)(of + member->at) + i, sizeof(uint64_t));
	}
}

static void serialize_value(struct serializer *s, const struct member *member, char *of)
{
	void *value = of + member->at;
	uint32_t *cnt = (uint32_t *)(of + member->cnt_at);

	switch (member->kind) {
	case BITS:
		serializer_value(s, value, member->size);
		break;
	case REAL:
	case REAL_NS:
		serializer_real(s, value, member->size);
		break;
	case FLAG:
		serializer_flag(s, value);
		break;
	case WORD:
		serialize_word(s, member, value);
		break;
	case TEXT:
		serializer_text(s, value, member->size);
		break;
	case DISTRIBUTION:
		for (uint32_t i = 0; i < (member->cnt ?: 1); i++)
			serialize_stat(s, (struct stat *)value + i);
		break;
	case LIST:
		serializer_below(s, cnt, member->cnt + 1);
		break;
	case ENTRIES:
		serializer_entries(s, value, cnt, member->of->size, least_words(member->of),
				   member->cnt);
		break;
	case CHECK:
		serializer_expect(s, !s->reads || member->holds(of));
		break;
	default:
		serializer_number(s, value, member->size);
	}
}

static void serialize_batch(struct serializer *s, const struct members *table, char *of,
			    uint32_t batch);

/* What this batch adds to the structs of a member. */
static void serialize_within(struct serializer *s, const struct member *member, char *of,
			     uint32_t batch)
{
	uint32_t cnt;
	char *entry = member_entries(member, of, &cnt);

	for (uint32_t i = 0; i < cnt; i++)
		serialize_batch(s, member->of, entry + i * member->of->size, batch);
}

/* The members that came with this batch, with all that their structs had by then. */
static void serialize_batch(struct serializer *s, const struct members *table, char *of,
			    uint32_t batch)
{
	uint32_t since = 0;

	for (size_t i = 0; i < table->cnt && since <= batch; i++) {
		const struct member *member = &table->row[i];

		if (member->kind == BATCH)
			since = member->cnt;
		else if (since < batch && member->of)
			serialize_within(s, member, of, batch);
		if (member->by_component && member->kind != WORD) {
			serialize_components(s, member, of, batch);
			continue;
		}
		if (member->kind == BATCH || since != batch)
			continue;
		if (member->kind != STRUCT && member->kind != FIRST)
			serialize_value(s, member, of);
		for (uint32_t k = 0; member->of && k <= batch; k++)
			serialize_within(s, member, of, k);
	}
}

static void serialize_summary(struct serializer *s, struct summary *summary)
{
	uint32_t last = members_last_batch(&summary_members);

	for (uint32_t batch = 0; batch <= last; batch++) {
		if (batch >= MEMBERS_MAY_END && serializer_ends(s))
			return;
		serialize_batch(s, &summary_members, (char *)summary, batch);
	}
}

/* Writes the words in as many records as they need. */
static int put_parts(const struct serializer *s, record_put_fn *write, void *ctx)
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
int kept_summary_write(const struct summary *summary, record_put_fn *write, void *ctx)
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
