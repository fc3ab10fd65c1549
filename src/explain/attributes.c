/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts values by cluster in the slow set and in the lanes of the base. */
#include "explain/attributes.h"

#include "explain/attribute_rows.h"
#include "explain/index_table.h"
#include "explain/sweep.h"
#include "explain/tally.h"

/* The cluster that is open in a lane. */
struct lane {
	struct tally values;
	uint64_t units;
};

/* One side: the slow set has one lane. */
struct side {
	struct attributes *attributes;
	enum explain_side side;
	struct sweep *sweep;
	struct lane lane[ATTRIBUTE_LANES_MAX];
	uint32_t lanes;
	double share;    /* of the units, which is tested */
	uint64_t number; /* of the last unit, from 1 */
};

struct attributes {
	struct bounds bounds;
	struct values *values;
	struct side side[NR_EXPLAIN_SIDES];
	uint32_t number[NR_ATTRIBUTES]; /* of the unit that was added last */
	struct attribute_counts counts;
};

/* Deterministic, so that an explanation is the same each time: below 1. */
static double random_of(uint64_t number, uint64_t salt)
{
	return (hash_word(hash_word(salt, number), salt) >> 11) * 0x1p-53;
}

enum { SALT_KEEP = 1, SALT_LANE, SALT_LENGTH, SALT_SAMPLE };

static int extend(void *ctx, const struct interval *interval)
{
	struct side *side = ctx;
	struct lane *lane = &side->lane[interval->lane];
	const uint32_t *number = interval->payload;
	int err = 0;

	lane->units++;
	for (unsigned int i = 0; !err && i < NR_ATTRIBUTES; i++) {
		if (number[i] != VALUE_NONE)
			err = tally_add(&lane->values, number[i], 1, 0);
	}
	return err;
}

static int close_cluster(void *ctx, uint32_t index)
{
	struct side *side = ctx;
	struct lane *lane = &side->lane[index];

	if (lane->units > 1)
		tally_settle(&lane->values);
	for (uint32_t i = 0; i < lane->values.cnt; i++) {
		const struct tally_entry *entry = &lane->values.entry[i];
		struct value *value = values__get(side->attributes->values, entry->key);

		value->clusters[side->side] += (double)entry->sum / (double)lane->units;
	}
	side->attributes->counts.clusters[side->side]++;
	tally_empty(&lane->values);
	lane->units = 0;
	return 0;
}

static const struct sweep_ops ops = {extend, close_cluster};

static int begin_side(struct attributes *attributes, enum explain_side which)
{
	struct side *side = &attributes->side[which];
	double slow = attributes->bounds.slow_cnt ?: 1, base = attributes->bounds.base_cnt ?: 1;

	*side = (struct side){.attributes = attributes, .side = which, .lanes = 1, .share = 1};
	if (which == SIDE_SLOW && slow > base)
		side->share = base / slow;
	if (which == SIDE_BASE && base > slow) {
		side->lanes = base / slow < ATTRIBUTE_LANES_MAX ? base / slow : ATTRIBUTE_LANES_MAX;
		side->share = side->lanes * slow / base;
	}
	side->sweep = sweep__new(side->lanes, &ops, side);
	return side->sweep ? 0 : -ENOMEM;
}

struct attributes *attributes__new(enum mode mode, bool by_name, const struct bounds *bounds)
{
	struct attributes *attributes = calloc(1, sizeof(*attributes));

	if (!attributes)
		return NULL;
	attributes->bounds = *bounds;
	attributes->values = values__new(mode, by_name);
	if (attributes->values && !begin_side(attributes, SIDE_SLOW) &&
	    !begin_side(attributes, SIDE_BASE))
		return attributes;
	attributes__free(attributes);
	return NULL;
}

void attributes__free(struct attributes *attributes)
{
	if (!attributes)
		return;
	for (unsigned int i = 0; i < NR_EXPLAIN_SIDES; i++) {
		sweep__free(attributes->side[i].sweep);
		for (unsigned int j = 0; j < ATTRIBUTE_LANES_MAX; j++)
			tally_free(&attributes->side[i].lane[j].values);
	}
	values__free(attributes->values);
	free(attributes);
}

/* Keeps some units in full, to see which values go together (reservoir sampling). */
static void sample(struct attributes *attributes, const struct side *side)
{
	struct attribute_sample *sample = &attributes->counts.sample[side->side];
	uint64_t at = side->number - 1;

	if (at >= ATTRIBUTE_SAMPLE_MAX)
		at = random_of(side->number, SALT_SAMPLE) * (double)side->number;
	if (at >= ATTRIBUTE_SAMPLE_MAX)
		return;
	memcpy(sample->number[at], attributes->number, sizeof(attributes->number));
	if (sample->cnt < ATTRIBUTE_SAMPLE_MAX)
		sample->cnt++;
}

/* A unit of the base counts as if it had lasted as long as some slow one. */
static uint64_t end_of(const struct attributes *attributes, const struct side *side,
		       const struct unit *unit)
{
	const struct bounds *bounds = &attributes->bounds;
	uint32_t i;

	if (side->side == SIDE_SLOW || !bounds->slow_sample_cnt)
		return unit->to_ns;
	i = random_of(side->number, SALT_LENGTH) * bounds->slow_sample_cnt;
	return unit->from_ns + bounds->slow_sample_ns[i];
}

int attributes__add(struct attributes *attributes, enum explain_side which, const struct unit *unit)
{
	struct side *side = &attributes->side[which];
	struct interval interval = {.from_ns = unit->from_ns};
	int err = values__of(attributes->values, unit, attributes->number);

	if (err)
		return err;
	for (unsigned int i = 0; i < NR_ATTRIBUTES; i++) {
		if (attributes->number[i] != VALUE_NONE)
			values__get(attributes->values, attributes->number[i])->units[which]++;
	}
	attributes->counts.units[which]++;
	side->number++;
	sample(attributes, side);
	if (random_of(side->number, SALT_KEEP) >= side->share)
		return 0;
	interval.to_ns = end_of(attributes, side, unit);
	interval.lane = random_of(side->number, SALT_LANE) * side->lanes;
	interval.payload = malloc(sizeof(attributes->number));
	if (!interval.payload)
		return -ENOMEM;
	memcpy(interval.payload, attributes->number, sizeof(attributes->number));
	return sweep__add(side->sweep, &interval, sizeof(attributes->number));
}

const uint32_t *attributes__values(const struct attributes *attributes)
{
	return attributes->number;
}

void attributes__count_episode(struct attributes *attributes, uint32_t number, uint64_t episode)
{
	struct value *value = values__get(attributes->values, number);

	if (value->episodes && value->last_episode == episode)
		return;
	value->last_episode = episode;
	value->episodes++;
}

int attributes__finish(struct attributes *attributes, struct explanation *explanation)
{
	int err = sweep__finish(attributes->side[SIDE_SLOW].sweep);

	err = err ?: sweep__finish(attributes->side[SIDE_BASE].sweep);
	return err ?: attribute_rows(attributes->values, &attributes->counts, explanation);
}
