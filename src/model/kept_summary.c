/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the summary as SUMMARY records, of which it needs several, and reads these records.
 * Converts it to 64-bit words and back in a loop over its table (model/members). Leaves out
 * run_info, which is in the header of a recording.
 */
#include "model/kept_summary.h"

#include "model/members/members.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Words that fit behind the fields of the longest record. */
#define PART_WORDS (UINT8_MAX - RECORD_WORDS(struct record_summary))

/* Memory is bounded: no summary has more words than this. */
#define WORDS_MAX  (1u << 23)
#define ROOM_LEAST 256

/* The least words of a distribution. */
#define STAT_WORDS   (9 + STAT_OCTAVES)
#define BUCKET_WORDS 1

/* ---- words ---- */

/*
 * Converts values to 64-bit words and back: the same function writes and reads, and the order of
 * the values is the format. After an error, it writes nothing more, and every value that it reads
 * is 0. Zero-initialised, it writes. To read, the caller sets `reads`, `word` and `cnt`, and owns
 * `word`.
 */
struct serializer {
	bool reads;
	uint64_t *word;
	size_t cnt;
	size_t room; /* when writing: `word` is owned */
	size_t at;   /* when reading: the next word */
	int error;   /* -ENOMEM; -EINVAL: the words are not those that were written */
};

static void serializer_fail(struct serializer *s, int err)
{
	if (!s->error)
		s->error = err;
}

static bool serializer_has_room(struct serializer *s, size_t words)
{
	size_t room = s->room ? s->room : ROOM_LEAST;
	uint64_t *word;

	while (room < s->cnt + words)
		room *= 2;
	if (room == s->room)
		return true;
	word = realloc(s->word, room * sizeof(*word));
	if (!word)
		return false;
	s->word = word;
	s->room = room;
	return true;
}

static void write_value(struct serializer *s, const void *value, size_t size, size_t words)
{
	if (!serializer_has_room(s, words)) {
		serializer_fail(s, -ENOMEM);
		return;
	}
	s->word[s->cnt + words - 1] = 0;
	memcpy(&s->word[s->cnt], value, size);
	s->cnt += words;
}

static void read_value(struct serializer *s, void *value, size_t size, size_t words)
{
	memset(value, 0, size);
	if (!s->error && words > s->cnt - s->at)
		serializer_fail(s, -EINVAL);
	if (s->error)
		return;
	memcpy(value, &s->word[s->at], size);
	s->at += words;
}

/* Any plain value, in as many words as it needs; the last one is filled up with zeros. */
static void serializer_value(struct serializer *s, void *value, size_t size)
{
	size_t words = (size + 7) / 8;

	if (s->reads)
		read_value(s, value, size, words);
	else if (!s->error)
		write_value(s, value, size, words);
}

/*
 * A number, or an array of 64-bit numbers. When reading, one above SERIALIZER_NUMBER_MAX is an
 * error, and becomes 0. So does a floating-point number that is negative, infinite or none.
 */
static void serializer_number(struct serializer *s, void *number, size_t size)
{
	uint64_t word;

	serializer_value(s, number, size);
	for (size_t at = 0; s->reads && at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, (char *)number + at, sizeof(word));
		if (word <= SERIALIZER_NUMBER_MAX)
			continue;
		serializer_fail(s, -EINVAL);
		memset(number, 0, size);
	}
}

static void serializer_real(struct serializer *s, void *number, size_t size)
{
	double value;

	serializer_value(s, number, size);
	memcpy(&value, number, sizeof(value));
	if (!s->reads || (isfinite(value) && value >= 0))
		return;
	serializer_fail(s, -EINVAL);
	memset(number, 0, size);
}

static void serializer_flag(struct serializer *s, bool *flag)
{
	uint64_t number = *flag;

	serializer_number(s, &number, sizeof(number));
	*flag = number;
}

/* A number below `limit`. A larger one is an error, and becomes 0. */
static void serializer_below(struct serializer *s, uint32_t *number, uint32_t limit)
{
	serializer_number(s, number, sizeof(*number));
	if (*number < limit)
		return;
	serializer_fail(s, -EINVAL);
	*number = 0;
}

/*
 * How many entries follow, each of at least `words` words. When reading, a count that does not fit
 * is an error, and becomes 0.
 */
static void serializer_count(struct serializer *s, uint32_t *cnt, size_t words)
{
	serializer_number(s, cnt, sizeof(*cnt));
	if (!s->reads || *cnt <= (s->cnt - s->at) / words)
		return;
	serializer_fail(s, -EINVAL);
	*cnt = 0;
}

/*
 * A count as above, of at most `most` entries. When reading, it allocates the entries, all 0; the
 * caller owns `*first`.
 */
static void serializer_entries(struct serializer *s, void *first, uint32_t *cnt, size_t size,
			       size_t words, uint32_t most)
{
	void *memory;

	serializer_count(s, cnt, words);
	if (!s->reads)
		return;
	if (*cnt > most) {
		serializer_fail(s, -EINVAL);
		*cnt = 0;
	}
	memory = calloc(*cnt + 1, size);
	if (!memory) {
		serializer_fail(s, -ENOMEM);
		*cnt = 0;
	}
	memcpy(first, &memory, sizeof(memory));
}

/* When reading, values that contradict each other are an error. */
static void serializer_expect(struct serializer *s, bool holds)
{
	if (s->reads && !holds)
		serializer_fail(s, -EINVAL);
}

/* ---- distributions ---- */

/* A bucket in one word: 22 upper bits of its count, its number, and 32 lower bits of its count. */
static void write_octave(struct serializer *s, const uint32_t *octave, const uint32_t *carry)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; octave && i < 1u << STAT_SUB_BITS; i++)
		cnt += octave[i] || (carry && carry[i]);
	serializer_count(s, &cnt, BUCKET_WORDS);
	for (uint64_t i = 0; cnt && i < 1u << STAT_SUB_BITS; i++) {
		uint64_t high = carry ? carry[i] : 0;
		uint64_t bucket = high << (32 + STAT_SUB_BITS) | i << 32 | octave[i];

		if (octave[i] || high)
			serializer_value(s, &bucket, sizeof(bucket));
	}
}

static uint32_t *new_octave(struct serializer *s)
{
	uint32_t *octave = calloc(1u << STAT_SUB_BITS, sizeof(*octave));

	if (!octave)
		s->error = -ENOMEM;
	return octave;
}

static void read_octave(struct serializer *s, uint32_t **octave, uint32_t **carry)
{
	uint64_t bucket, high;
	uint32_t cnt, i;

	*octave = *carry = NULL;
	serializer_count(s, &cnt, BUCKET_WORDS);
	if (!cnt)
		return;
	*octave = new_octave(s);
	for (; *octave && cnt; cnt--) {
		serializer_value(s, &bucket, sizeof(bucket));
		i = bucket >> 32 & ((1u << STAT_SUB_BITS) - 1);
		high = bucket >> (32 + STAT_SUB_BITS);
		(*octave)[i] = bucket;
		if (high && !*carry)
			*carry = new_octave(s);
		if (high && *carry)
			(*carry)[i] = high;
	}
}

/* Only those buckets of the histogram that are in use. */
static void serialize_stat(struct serializer *s, struct stat *stat)
{
	serializer_number(s, &stat->count, sizeof(stat->count));
	serializer_number(s, &stat->min, sizeof(stat->min));
	serializer_number(s, &stat->max, sizeof(stat->max));
	serializer_value(s, &stat->sum, sizeof(stat->sum));
	serializer_value(s, &stat->sum_of_squares, sizeof(stat->sum_of_squares));
	serializer_flag(s, &stat->squares_overflow);
	serializer_number(s, &stat->uncounted, sizeof(stat->uncounted));
	for (unsigned int i = 0; i < STAT_OCTAVES; i++) {
		if (s->reads)
			read_octave(s, &stat->octave[i], &stat->carry[i]);
		else
			write_octave(s, stat->octave[i], stat->carry[i]);
	}
	serializer_expect(s, stat_is_possible(stat));
}

/* ---- the summary ---- */

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
		serializer_value(s, value, member->size);
		((char *)value)[member->size - 1] = '\0';
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
		/* What newer programs have added is missing in the words of older ones. */
		if (batch >= MEMBERS_MAY_END && s->reads && !s->error && s->at == s->cnt)
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
	free(s.word);
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
	free(kept->parts.word);
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
