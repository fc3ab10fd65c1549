/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the values of attributes in a hash table with a cache for each attribute. */
#include "explain/values.h"

#include "explain/index_table.h"
#include "model/transport_names.h"

#include <inttypes.h>
#include <stdio.h>

#define CACHE_ROOM 256

/* Key of a wakeup by an interrupt; others are numbers of threads. */
#define WAKER_INTERRUPT UINT32_MAX

struct cached {
	uint64_t key;
	uint32_t number; /* 1 + that of the value; 0: empty */
};

struct values {
	enum mode mode;
	bool by_name;
	struct index_table table; /* of struct value */
	struct cached cache[NR_ATTRIBUTES][CACHE_ROOM];
};

struct values *values__new(enum mode mode, bool by_name)
{
	struct values *values = calloc(1, sizeof(*values));

	if (!values)
		return NULL;
	values->mode = mode;
	values->by_name = by_name;
	values->table = (struct index_table){.entry_size = sizeof(struct value),
					     .key_size = sizeof(struct value_key)};
	return values;
}

void values__free(struct values *values)
{
	if (!values)
		return;
	index_table_clean(&values->table);
	free(values);
}

/* What is looked up for one attribute of a unit. */
struct wanted {
	enum attribute attribute;
	uint64_t key;
	const char *comm; /* or NULL */
	uint64_t exact;   /* what the class is made of */
};

static int values_find_or_make(struct values *values, const struct wanted *wanted, uint32_t *number)
{
	struct value_key key = {wanted->key, wanted->attribute};
	struct cached *cached = &values->cache[wanted->attribute][wanted->key % CACHE_ROOM];
	uint32_t before = values->table.cnt;
	struct value *value;
	int64_t found;

	if (!cached->number || cached->key != wanted->key) {
		found = index_table_place(&values->table, &key, VALUES_MAX);
		if (found < 0 || found == INDEX_NONE)
			return found < 0 ? found : 0;
		*cached = (struct cached){wanted->key, found + 1};
	}
	*number = cached->number - 1;
	value = values__get(values, *number);
	if (values->table.cnt > before) {
		value->least = UINT64_MAX;
		value->has_name_only = wanted->comm && values->by_name;
		snprintf(value->comm, sizeof(value->comm), "%.15s", wanted->comm ?: "");
	}
	if (wanted->exact < value->least)
		value->least = wanted->exact;
	if (wanted->exact > value->most)
		value->most = wanted->exact;
	return 0;
}

/* Classes of times: 1, 3, 10, 30 us, ... The limit that begins the class; 0: below the first. */
static uint64_t since_class(uint64_t ns)
{
	uint64_t limit = 1000;

	if (ns < limit)
		return 0;
	while (limit < UINT64_MAX / 10 && ns >= 10 * limit)
		limit *= 10;
	return ns >= 3 * limit ? 3 * limit : limit;
}

/* Classes of sizes: powers of two. */
static uint64_t size_class(uint64_t bytes)
{
	return bytes ? 1ULL << (63 - __builtin_clzll(bytes)) : 0;
}

static uint64_t hash_name(const char *comm)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < RECORD_COMM_LEN && comm[i]; i++)
		hash = hash_word(hash, (unsigned char)comm[i]);
	return hash;
}

/* A process or thread. */
static int number_of_named(struct values *values, enum attribute attribute, uint64_t id,
			   const char *comm, uint32_t *number)
{
	struct wanted wanted = {.attribute = attribute, .key = id, .comm = comm};

	if (!id)
		return 0;
	if (values->by_name)
		wanted.key = hash_name(comm);
	return values_find_or_make(values, &wanted, number);
}

static int number_of_client(struct values *values, const struct unit *unit, uint32_t *number)
{
	struct wanted wanted = {.attribute = ATTRIBUTE_CLIENT, .key = unit->client};
	const char *name = unit->sender_process[0] ? unit->sender_process : unit->sender.comm;

	if (values->mode == MODE_ATTACH)
		return number_of_named(values, ATTRIBUTE_CLIENT, unit->sender_pid, name, number);
	return unit->has_round && unit->client ? values_find_or_make(values, &wanted, number) : 0;
}

static int number_of_peer(struct values *values, const struct unit *unit, uint32_t *number)
{
	const char *name = unit->receiver_process[0] ? unit->receiver_process : unit->receiver.comm;

	return number_of_named(values, ATTRIBUTE_PEER, unit->receiver_pid, name, number);
}

static int number_of_waker(struct values *values, const struct unit *unit, uint32_t *number)
{
	struct wanted interrupt = {.attribute = ATTRIBUTE_WAKER, .key = WAKER_INTERRUPT};

	if (unit->from_interrupt)
		return values_find_or_make(values, &interrupt, number);
	return number_of_named(values, ATTRIBUTE_WAKER, unit->waker.tid, unit->waker.comm, number);
}

int values__of(struct values *values, const struct unit *unit, uint32_t number[NR_ATTRIBUTES])
{
	const struct {
		enum attribute attribute;
		bool is_known;
		uint64_t key;
		uint64_t exact;
	} plain[] = {
		{ATTRIBUTE_CPU, unit->receiver.cpu < BLAME_CPU_SEVERAL, unit->receiver.cpu, 0},
		{ATTRIBUTE_PATH, unit->path < NR_PATHS, unit->path, 0},
		{ATTRIBUTE_CHANNEL, !values->by_name || values->mode == MODE_RUN, unit->channel, 0},
		{ATTRIBUTE_TRANSPORT, unit->transport, unit->transport, 0},
		{ATTRIBUTE_SIZE, true, size_class(unit->bytes), unit->bytes},
		{ATTRIBUTE_PLACE, unit->has_round && unit->place, unit->place, 0},
		{ATTRIBUTE_SINCE, unit->since_ns, since_class(unit->since_ns), unit->since_ns},
		{ATTRIBUTE_MIGRATION, unit->has_migrated, unit->has_migrated, 0},
	};
	int err = 0;

	for (unsigned int i = 0; i < NR_ATTRIBUTES; i++)
		number[i] = VALUE_NONE;
	for (size_t i = 0; !err && i < sizeof(plain) / sizeof(plain[0]); i++) {
		const struct wanted wanted = {.attribute = plain[i].attribute,
					      .key = plain[i].key,
					      .exact = plain[i].exact};

		if (plain[i].is_known)
			err = values_find_or_make(values, &wanted, &number[wanted.attribute]);
	}
	err = err ?: number_of_client(values, unit, &number[ATTRIBUTE_CLIENT]);
	err = err ?: number_of_peer(values, unit, &number[ATTRIBUTE_PEER]);
	return err ?: number_of_waker(values, unit, &number[ATTRIBUTE_WAKER]);
}

uint32_t values__count(const struct values *values)
{
	return values->table.cnt;
}

struct value *values__get(struct values *values, uint32_t number)
{
	struct value *value = values->table.entry;

	return &value[number];
}

#define DURATION_LEN 24

/* "30us" */
static void exact_duration(uint64_t ns, char text[DURATION_LEN])
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	size_t i = 0;

	while (ns < units[i].ns && units[i].ns > 1)
		i++;
	snprintf(text, DURATION_LEN, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
}

static void since_text(uint64_t from_ns, char text[ATTRIBUTE_VALUE_LEN])
{
	uint64_t digit = from_ns;
	char from[DURATION_LEN], to[DURATION_LEN];

	if (!from_ns) {
		snprintf(text, ATTRIBUTE_VALUE_LEN, "below 1us");
		return;
	}
	while (digit >= 10)
		digit /= 10;
	exact_duration(from_ns, from);
	exact_duration(digit == 1 ? 3 * from_ns : from_ns / 3 * 10, to);
	snprintf(text, ATTRIBUTE_VALUE_LEN, "%s to %s", from, to);
}

static void size_text(const struct value *value, char text[ATTRIBUTE_VALUE_LEN])
{
	if (value->least == value->most)
		snprintf(text, ATTRIBUTE_VALUE_LEN, "%" PRIu64 " bytes", value->least);
	else
		snprintf(text, ATTRIBUTE_VALUE_LEN, "%" PRIu64 " to %" PRIu64 " bytes",
			 value->least, value->most);
}

static void thread_text(const struct value *value, char text[ATTRIBUTE_VALUE_LEN])
{
	if (value->key.attribute == ATTRIBUTE_WAKER && value->key.number == WAKER_INTERRUPT)
		snprintf(text, ATTRIBUTE_VALUE_LEN, "an interrupt");
	else if (value->has_name_only)
		snprintf(text, ATTRIBUTE_VALUE_LEN, "%s", value->comm[0] ? value->comm : "?");
	else if (value->comm[0])
		snprintf(text, ATTRIBUTE_VALUE_LEN, "%s (%s %" PRIu64 ")", value->comm,
			 value->key.attribute == ATTRIBUTE_WAKER ? "tid" : "pid",
			 value->key.number);
	else
		snprintf(text, ATTRIBUTE_VALUE_LEN, "%" PRIu64, value->key.number);
}

void value_text(const struct value *value, char text[ATTRIBUTE_VALUE_LEN])
{
	switch (value->key.attribute) {
	case ATTRIBUTE_PATH:
		snprintf(text, ATTRIBUTE_VALUE_LEN, "%s", paths[value->key.number].name);
		break;
	case ATTRIBUTE_TRANSPORT:
		snprintf(text, ATTRIBUTE_VALUE_LEN, "%s",
			 transport_id_name(value->key.number) ?: "not known");
		break;
	case ATTRIBUTE_SIZE:
		size_text(value, text);
		break;
	case ATTRIBUTE_SINCE:
		since_text(value->key.number, text);
		break;
	case ATTRIBUTE_MIGRATION:
		snprintf(text, ATTRIBUTE_VALUE_LEN, "yes");
		break;
	case ATTRIBUTE_CLIENT:
	case ATTRIBUTE_PEER:
	case ATTRIBUTE_WAKER:
		thread_text(value, text);
		break;
	default:
		snprintf(text, ATTRIBUTE_VALUE_LEN, "%" PRIu64, value->key.number);
	}
}
