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
	const char *comm; /* of a process or thread; NULL: it is neither */
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

int values__of(struct values *values, const struct unit *unit, uint32_t number[NR_ATTRIBUTES])
{
	const char *sender = unit->sender_process[0] ? unit->sender_process : unit->sender.comm;
	const char *receiver =
		unit->receiver_process[0] ? unit->receiver_process : unit->receiver.comm;
	bool is_attach = values->mode == MODE_ATTACH, is_irq = unit->from_interrupt;
	const struct {
		bool is_known;
		struct wanted wanted;
	} all[] = {
		{unit->receiver.cpu < BLAME_CPU_SEVERAL,
		 {ATTRIBUTE_CPU, .key = unit->receiver.cpu}},
		{unit->path < NR_PATHS, {ATTRIBUTE_PATH, .key = unit->path}},
		{!values->by_name || values->mode == MODE_RUN,
		 {ATTRIBUTE_CHANNEL, .key = unit->channel}},
		{unit->transport, {ATTRIBUTE_TRANSPORT, .key = unit->transport}},
		{true, {ATTRIBUTE_SIZE, .key = size_class(unit->bytes), .exact = unit->bytes}},
		{unit->has_round && unit->place, {ATTRIBUTE_PLACE, .key = unit->place}},
		{unit->since_ns,
		 {ATTRIBUTE_SINCE, .key = since_class(unit->since_ns), .exact = unit->since_ns}},
		{unit->has_migrated, {ATTRIBUTE_MIGRATION, .key = unit->has_migrated}},
		{is_attach && unit->sender_pid,
		 {ATTRIBUTE_CLIENT, .key = unit->sender_pid, .comm = sender}},
		{!is_attach && unit->has_round && unit->client,
		 {ATTRIBUTE_CLIENT, .key = unit->client}},
		{unit->receiver_pid, {ATTRIBUTE_PEER, .key = unit->receiver_pid, .comm = receiver}},
		{is_irq, {ATTRIBUTE_WAKER, .key = WAKER_INTERRUPT}},
		{!is_irq && unit->waker.tid,
		 {ATTRIBUTE_WAKER, .key = unit->waker.tid, .comm = unit->waker.comm}},
	};
	int err = 0;

	for (unsigned int i = 0; i < NR_ATTRIBUTES; i++)
		number[i] = VALUE_NONE;
	for (size_t i = 0; !err && i < sizeof(all) / sizeof(all[0]); i++) {
		struct wanted wanted = all[i].wanted;

		if (wanted.comm && values->by_name)
			wanted.key = hash_name(wanted.comm);
		if (all[i].is_known)
			err = values_find_or_make(values, &wanted, &number[wanted.attribute]);
	}
	return err;
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
		if (value->least == value->most)
			snprintf(text, ATTRIBUTE_VALUE_LEN, "%" PRIu64 " bytes", value->least);
		else
			snprintf(text, ATTRIBUTE_VALUE_LEN, "%" PRIu64 " to %" PRIu64 " bytes",
				 value->least, value->most);
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
