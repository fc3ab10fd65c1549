/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes each record as the difference between the record and a prediction from earlier records. */
#include "recording/coder.h"

#include "model/record_decode.h"
#include "recording/layout.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Slots for the last records of threads. Threads whose ids are equal modulo SLOTS share one. */
#define SLOTS 64

/* A field, or eight bytes of a longer field. */
struct unit {
	uint16_t offset;
	uint8_t size;
	bool is_time;
};

#define UNITS_MAX 24

/* Words after the units of a type form its tail. TAIL_MAX of them are remembered. */
#define TAIL_MAX  32
#define MASK_BITS 64

/* The first bits of a mask. Those of units and tail words follow. */
enum { HAS_CPU, HAS_TID, HAS_SHAPE, NR_HEAD_BITS };

struct slot {
	uint16_t shape; /* see coder_shape_of() */
	uint64_t value[UNITS_MAX];
	uint64_t step[UNITS_MAX]; /* difference of the last two values */
	uint32_t high[TAIL_MAX];  /* of the tail words: all but their time */
};

struct shape {
	size_t words; /* 0: there is no such type */
	size_t unit_cnt;
	struct unit unit[UNITS_MAX];
};

struct coder {
	struct shape shape[NR_RECORD_TYPES];
	uint64_t time_ns; /* the last time in any record */
	uint16_t cpu;     /* of the previous record */
	uint32_t tid;
	struct slot slot[NR_RECORD_TYPES][SLOTS];
};

static bool is_time(const char *name)
{
	size_t length = strlen(name);

	return length > 3 && !strcmp(name + length - 3, "_ns");
}

static void shape_fill(struct shape *shape, const struct layout *layout)
{
	shape->words = layout->size / 8;
	for (const struct field *field = layout->field; field->name; field++) {
		size_t size = field->size < 8 ? field->size : 8;

		for (size_t at = 0; at < field->size; at += size)
			shape->unit[shape->unit_cnt++] = (struct unit){
				.offset = field->offset + at,
				.size = size,
				.is_time = is_time(field->name),
			};
	}
}

struct coder *coder__new(void)
{
	struct coder *c = calloc(1, sizeof(*c));
	const struct layout *layouts;
	size_t cnt;

	if (!c)
		return NULL;
	layouts = recording_layouts(&cnt);
	for (size_t i = 0; i < cnt; i++)
		shape_fill(&c->shape[layouts[i].type], &layouts[i]);
	return c;
}

void coder__reset(struct coder *c)
{
	c->time_ns = 0;
	c->cpu = 0;
	c->tid = 0;
	memset(c->slot, 0, sizeof(c->slot));
}

void coder__free(struct coder *c)
{
	free(c);
}

/* Zigzag: small numbers of either sign become small unsigned numbers. */
static uint64_t coder_fold(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unfold(uint64_t folded)
{
	return folded >> 1 ^ -(folded & 1);
}

/* LEB128: seven bits a byte, lowest first. All bytes but the last have their top bit set. */
static unsigned char *coder_put_number(unsigned char *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*out++ = number | 0x80;
	*out++ = number;
	return out;
}

static const unsigned char *get_number(const unsigned char *in, uint64_t *number)
{
	uint64_t value = *in++;

	if (value & 0x80) {
		value &= 0x7f;
		for (unsigned int shift = 7; shift < 64; shift += 7) {
			value |= (uint64_t)(*in & 0x7f) << shift;
			if (!(*in++ & 0x80))
				break;
		}
	}
	*number = value;
	return in;
}

static uint64_t load_unit(const struct record *record, const struct unit *unit)
{
	const char *at = (const char *)record + unit->offset;
	uint64_t value = 0;

	switch (unit->size) {
	case sizeof(uint64_t):
		return *(const uint64_t *)at;
	case sizeof(uint32_t):
		return *(const uint32_t *)at;
	default:
		memcpy(&value, at, unit->size);
		return value;
	}
}

static void store_unit(struct record *record, const struct unit *unit, uint64_t value)
{
	char *at = (char *)record + unit->offset;

	switch (unit->size) {
	case sizeof(uint64_t):
		*(uint64_t *)at = value;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)at = value;
		break;
	default:
		memcpy(at, &value, unit->size);
	}
}

/* Length and flags in one number, which is small without flags. */
static uint16_t coder_shape_of(const struct record *record)
{
	return record->words | record->flags << 8;
}

static struct slot *slot_of(struct coder *c, const struct record *record)
{
	return &c->slot[record->type][record->tid % SLOTS];
}

/*
 * A time is predicted as the last time in any record, another value as the last one plus its step.
 */
static uint64_t predict(const struct coder *c, const struct slot *slot, const struct unit *unit,
			size_t i)
{
	if (unit->is_time)
		return slot->value[i] ? c->time_ns : 0;
	return slot->value[i] + slot->step[i];
}

static void coder_remember(struct coder *c, struct slot *slot, const struct unit *unit, size_t i,
			   uint64_t value)
{
	slot->step[i] = value - slot->value[i];
	slot->value[i] = value;
	if (unit->is_time && value)
		c->time_ns = value;
}

/* The bits of a tail word above its time: kind and CPU of a state change. */
static uint32_t high_of(uint64_t word)
{
	return word >> CHANGE_TIME_BITS;
}

/* The signed distance of a tail word's time from the last time. */
static uint64_t time_step(const struct coder *c, uint64_t word)
{
	uint64_t step = (word - c->time_ns) & CHANGE_TIME_MASK;

	return step >> (CHANGE_TIME_BITS - 1) ? step | ~CHANGE_TIME_MASK : step;
}

static bool has_bit(uint64_t mask, size_t bit)
{
	return bit >= MASK_BITS || mask >> bit & 1;
}

/* Writes the differences that are not zero and sets their bits in the mask. */
static unsigned char *put_units(struct coder *c, struct slot *slot, const struct record *record,
				unsigned char *out, uint64_t *mask)
{
	const struct shape *shape = &c->shape[record->type];

	for (size_t i = 0; i < shape->unit_cnt; i++) {
		const struct unit *unit = &shape->unit[i];
		uint64_t value = load_unit(record, unit);
		uint64_t difference = value - predict(c, slot, unit, i);

		if (difference) {
			*mask |= 1ULL << (NR_HEAD_BITS + i);
			out = coder_put_number(out, coder_fold(difference));
		}
		coder_remember(c, slot, unit, i, value);
	}
	return out;
}

static unsigned char *coder_put_tail(struct coder *c, struct slot *slot,
				     const struct record *record, unsigned char *out,
				     uint64_t *mask)
{
	const struct shape *shape = &c->shape[record->type];
	const uint64_t *word = (const uint64_t *)record + shape->words;

	for (size_t i = 0; i < record->words - shape->words; i++) {
		size_t bit = NR_HEAD_BITS + shape->unit_cnt + i;
		uint32_t high = high_of(word[i]), before = i < TAIL_MAX ? slot->high[i] : 0;
		uint64_t step = time_step(c, word[i]);

		if (high != before || bit >= MASK_BITS) {
			if (bit < MASK_BITS)
				*mask |= 1ULL << bit;
			out = coder_put_number(out, high ^ before);
		}
		out = coder_put_number(out, coder_fold(step));
		c->time_ns += step;
		if (i < TAIL_MAX)
			slot->high[i] = high;
	}
	return out;
}

size_t coder__encode(struct coder *c, const struct record *record, unsigned char *out)
{
	struct slot *slot = slot_of(c, record);
	unsigned char coded[CODED_MAX], *at = coded, *begin = out;
	uint64_t mask = 0;

	if (record->cpu != c->cpu) {
		mask |= 1ULL << HAS_CPU;
		at = coder_put_number(at, coder_fold((uint64_t)record->cpu - c->cpu));
	}
	if (record->tid != c->tid) {
		mask |= 1ULL << HAS_TID;
		at = coder_put_number(at, coder_fold((uint64_t)record->tid - c->tid));
	}
	if (coder_shape_of(record) != slot->shape) {
		mask |= 1ULL << HAS_SHAPE;
		at = coder_put_number(at, coder_shape_of(record));
	}
	c->cpu = record->cpu;
	c->tid = record->tid;
	slot->shape = coder_shape_of(record);
	at = put_units(c, slot, record, at, &mask);
	at = coder_put_tail(c, slot, record, at, &mask);
	*out++ = record->type;
	out = coder_put_number(out, mask);
	memcpy(out, coded, at - coded);
	return out + (at - coded) - begin;
}

static const unsigned char *get_units(struct coder *c, struct slot *slot, uint64_t mask,
				      const unsigned char *in, struct record *record)
{
	const struct shape *shape = &c->shape[record->type];

	for (size_t i = 0; i < shape->unit_cnt; i++) {
		const struct unit *unit = &shape->unit[i];
		uint64_t value = predict(c, slot, unit, i), folded;

		if (mask >> (NR_HEAD_BITS + i) & 1) {
			in = get_number(in, &folded);
			value += unfold(folded);
		}
		store_unit(record, unit, value);
		coder_remember(c, slot, unit, i, value);
	}
	return in;
}

static const unsigned char *get_tail(struct coder *c, struct slot *slot, uint64_t mask,
				     const unsigned char *in, struct record *record)
{
	const struct shape *shape = &c->shape[record->type];
	uint64_t *word = (uint64_t *)record + shape->words;

	for (size_t i = 0; i < record->words - shape->words; i++) {
		uint64_t high = i < TAIL_MAX ? slot->high[i] : 0, number;

		if (has_bit(mask, NR_HEAD_BITS + shape->unit_cnt + i)) {
			in = get_number(in, &number);
			high ^= number;
		}
		in = get_number(in, &number);
		c->time_ns += unfold(number);
		word[i] = (c->time_ns & CHANGE_TIME_MASK) | high << CHANGE_TIME_BITS;
		if (i < TAIL_MAX)
			slot->high[i] = high;
	}
	return in;
}

ssize_t coder__decode(struct coder *c, const unsigned char *in, size_t size, struct record *record)
{
	const unsigned char *begin = in;
	uint64_t mask, number;
	struct slot *slot;

	if (!size || *in >= NR_RECORD_TYPES || !c->shape[*in].words)
		return -EINVAL;
	record->type = *in++;
	in = get_number(in, &mask);
	if (has_bit(mask, HAS_CPU)) {
		in = get_number(in, &number);
		c->cpu += unfold(number);
	}
	if (has_bit(mask, HAS_TID)) {
		in = get_number(in, &number);
		c->tid += unfold(number);
	}
	record->cpu = c->cpu;
	record->tid = c->tid;
	slot = slot_of(c, record);
	if (has_bit(mask, HAS_SHAPE)) {
		in = get_number(in, &number);
		slot->shape = number;
	}
	record->words = slot->shape;
	record->flags = slot->shape >> 8;
	if (record->words < c->shape[record->type].words)
		return -EINVAL;
	memset(record + 1, 0, (c->shape[record->type].words - 1) * 8);
	in = get_units(c, slot, mask, in, record);
	in = get_tail(c, slot, mask, in, record);
	return (size_t)(in - begin) <= size ? in - begin : -EINVAL;
}
