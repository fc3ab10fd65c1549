/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes JSON Schemas of the tables of structs, in the words of JSON Schema 2020-12. All members of
 * an object are required, and others are refused. Each table that is met is a definition.
 */
#include "report/json/schema.h"

#include "report/json/json_members.h"
#include "report/json/summary_fields.h"
#include "report/json_value.h"
#include "report/message_fields.h"

#include <errno.h>
#include <string.h>

#define DIALECT  "https://json-schema.org/draft/2020-12/schema"
#define SAYS_LEN 512

static const struct {
	const char *name;
	const char *says;
	const struct members *const
		*root; /* the document is one of these; NULL after the last one */
} schemas[] = {
	{"summary", "-f json: the results of a run or an attach.", ONE_OF(&summary_members)},
	{"sweep", "-f json of several runs, or of an experiment.", ONE_OF(&sweep_object)},
	{"messages", "One line of -f ndjson, or what --on-slow hands to its command.",
	 ONE_OF(&header_object, &message_members, &call_object, &last_object)},
	{"explain", "ipctrace explain -f json: why the slow ones are slow.",
	 ONE_OF(&explanation_object)},
	{"explain_sweep", "ipctrace explain -f json of a recording of several runs.",
	 ONE_OF(&explain_sweep_object)},
	{"list", "ipctrace list -f json: the local channels of this machine.",
	 ONE_OF(&list_object)},
	{"doctor", "ipctrace doctor -f json: what this machine offers.", ONE_OF(&doctor_object)},
};

#define SCHEMA_CNT (sizeof(schemas) / sizeof(schemas[0]))

static void schema_set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *typed(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

static json_t *number(const char *type, uint32_t least)
{
	return json_pack("{s:s, s:i}", "type", type, "minimum", (int)least);
}

static json_t *object_of(json_t *properties, json_t *required)
{
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
			 "required", required, "additionalProperties", false);
}

/* What may be null, too. */
static json_t *or_null(json_t *shape)
{
	json_t *type = json_object_get(shape, "type"), *words = json_object_get(shape, "enum");

	if (!json_is_string(type) || !strcmp(json_string_value(type), "object"))
		return json_pack("{s:[o, {s:s}]}", "anyOf", shape, "type", "null");
	if (words)
		json_array_append_new(words, json_null());
	schema_set(shape, "type", json_pack("[O, s]", type, "null"));
	return shape;
}

/* "its name; null: not known" */
static void schema_describe(json_t *shape, const struct member *member, const char *says)
{
	bool is_ns = member->kind == NS || member->kind == REAL_NS;
	const char *unit = is_ns                   ? ", in ns"
			   : member->kind == SHARE ? ", as a share: 1 is all of it"
						   : "";
	const char *null = member->null && member->null[0] ? member->null : NULL;
	char text[SAYS_LEN];

	snprintf(text, sizeof(text), "%s%s%s%s%s", says ?: "", says ? unit : "",
		 says && null ? "; " : "", null ? "null: " : "", null ?: "");
	if (text[0])
		schema_set(shape, "description", json_string(text));
}

static json_t *ref(json_t *definitions, const struct members *table);

/* A name for each value; what has no name is null. */
static json_t *enumeration(const struct member *member)
{
	json_t *words = json_array();

	for (uint32_t i = 0; i < member->cnt; i++) {
		if (member_word(member, i))
			json_array_append_new(words, json_string(member_word(member, i)));
	}
	if (member->else_word)
		json_array_append_new(words, json_string(member->else_word));
	return json_pack("{s:s, s:o}", "type", "string", "enum", words);
}

static const struct {
	const char *name;
	const char *says;
	const char *type;
} stat_numbers[] = {
	{"min", "the smallest, in ns", "integer"},
	{"mean", "the mean, in ns", "number"},
	{"stddev", "the standard deviation of all values, in ns", "number"},
	{"p50", "half of all values are at most this, in ns", "integer"},
	{"p90", "90 % are at most this, in ns", "integer"},
	{"p99", "99 % are at most this, in ns", "integer"},
	{"p999", "99.9 % are at most this, in ns", "integer"},
	{"max", "the largest, in ns", "integer"},
};

/* Without any value, all numbers are null; else none is. */
static json_t *stat_shape(void)
{
	json_t *properties = json_object(), *none = json_object(), *some = json_object();
	json_t *required = json_pack("[s]", "count"), *shape;

	schema_set(properties, "count", number("integer", 0));
	for (size_t i = 0; i < sizeof(stat_numbers) / sizeof(stat_numbers[0]); i++) {
		const char *name = stat_numbers[i].name, *type = stat_numbers[i].type;
		json_t *one = strcmp(type, "integer") ? typed(type) : number(type, 0);

		schema_set(properties, name, or_null(one));
		schema_set(json_object_get(properties, name), "description",
			   json_string(stat_numbers[i].says));
		schema_set(none, name, typed("null"));
		schema_set(some, name, typed("number"));
		json_array_append_new(required, json_string(name));
	}
	shape = object_of(properties, required);
	schema_set(shape, "description",
		   json_string("A distribution in ns. A percentile is at most 1/1024 too high."));
	schema_set(shape, "if", json_pack("{s:{s:{s:i}}}", "properties", "count", "const", 0));
	schema_set(shape, "then", json_pack("{s:o}", "properties", none));
	schema_set(shape, "else", json_pack("{s:o}", "properties", some));
	return shape;
}

static json_t *reference(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "#/$defs/%s", name);
	return json_pack("{s:s}", "$ref", path);
}

static json_t *members_shape(json_t *definitions, const struct members *table, json_t *shape);

/* A distribution by name, or with the members of a table. */
static json_t *distribution(json_t *definitions, const struct member *member)
{
	if (member->of)
		return members_shape(definitions, member->of, stat_shape());
	if (!json_object_get(definitions, "stat"))
		schema_set(definitions, "stat", stat_shape());
	return reference("stat");
}

static json_t *value_shape(json_t *definitions, const struct member *member);

/* An object with a value for each name. A count is always known. */
static json_t *each_shape(json_t *definitions, const struct member *member)
{
	const struct member one = {.kind = member->kind};
	json_t *properties = json_object(), *required = json_array();

	for (uint32_t i = 0; i < member->cnt; i++) {
		const char *name = member_word(member, i);
		json_t *shape = name ? value_shape(definitions, &one) : NULL;

		if (!name)
			continue;
		schema_set(properties, name,
			   one.kind == NUMBER || one.kind == FLAG ? shape : or_null(shape));
		json_array_append_new(required, json_string(name));
	}
	return object_of(properties, required);
}

static json_t *array_of(json_t *items)
{
	return json_pack("{s:s, s:o}", "type", "array", "items", items);
}

static json_t *reals_shape(uint32_t cnt)
{
	json_t *shape = array_of(or_null(typed("number")));

	schema_set(shape, "minItems", json_integer(cnt));
	schema_set(shape, "maxItems", json_integer(cnt));
	return shape;
}

/* Any of the tables. */
static json_t *any_of(json_t *definitions, const struct members *const *table)
{
	json_t *shapes = json_array();

	if (!table[1]) {
		json_decref(shapes);
		return ref(definitions, table[0]);
	}
	for (; *table; table++)
		json_array_append_new(shapes, ref(definitions, *table));
	return json_pack("{s:o}", "anyOf", shapes);
}

static json_t *texts_shape(const struct member *member)
{
	json_t *text = json_pack("{s:s, s:i}", "type", "string", "minLength", 1);

	if (member->is_never_null)
		return text;
	json_object_update_new(text, json_pack("{s:[s, s]}", "type", "string", "null"));
	return text;
}

static json_t *value_shape(json_t *definitions, const struct member *member)
{
	bool has_words = member->words || member->word_of;

	if (member->is_each)
		return each_shape(definitions, member);
	switch (member->kind) {
	case SIGNED:
		return typed("integer");
	case REAL:
	case REAL_NS:
	case RATE:
	case SHARE:
		return member->cnt                              ? reals_shape(member->cnt)
		       : member->least || member->kind == SHARE ? number("number", member->least)
								: typed("number");
	case FLAG:
		return typed("boolean");
	case TEXT:
	case NAME:
		return has_words ? enumeration(member)
				 : json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
	case TEXTS:
		return array_of(has_words ? enumeration(member) : texts_shape(member));
	case DISTRIBUTION:
		return distribution(definitions, member);
	case STRUCT:
		return member->any ? any_of(definitions, member->any)
				   : ref(definitions, member->of);
	case LIST:
	case FIRST:
	case ENTRIES:
		return array_of(member->any ? any_of(definitions, member->any)
					    : ref(definitions, member->of));
	case NOTHING:
		return typed("null");
	default:
		return has_words     ? enumeration(member)
		       : member->cnt ? array_of(number("integer", 1))
				     : number("integer", member->if_set ? 1 : member->least);
	}
}

static bool may_be_null(const struct member *member)
{
	bool is_text = (member->kind == TEXT || member->kind == NAME) && !member->is_never_null;

	return member->null || member->known || member->if_set || member->flag_size || is_text ||
	       member->kind == RATE;
}

struct shaping {
	json_t *definitions;
	json_t *properties;
	json_t *required;
};

static void schema_on_row(void *ctx, const struct member *member, const char *of)
{
	struct shaping *shaping = ctx;
	json_t *shape = value_shape(shaping->definitions, member);
	const char *says = member->says;

	(void)of;
	if (member->limits)
		json_object_update_new(shape, json_loads(member->limits, 0, NULL));
	if (may_be_null(member))
		shape = or_null(shape);
	if (!says && member->component)
		says = member->component->means;
	schema_describe(shape, member, says);
	schema_set(shaping->properties, member->name, shape);
	if (!member->is_optional)
		json_array_append_new(shaping->required, json_string(member->name));
}

/* Adds the members of a table to an object. */
static json_t *members_shape(json_t *definitions, const struct members *table, json_t *shape)
{
	struct shaping shaping = {definitions, json_object_get(shape, "properties"),
				  json_object_get(shape, "required")};

	json_members_each(json_more, table, NULL, schema_on_row, &shaping);
	return shape;
}

/* A table is set before its members are known: it may refer to itself. */
static json_t *ref(json_t *definitions, const struct members *table)
{
	json_t *shape;

	if (json_object_get(definitions, table->name))
		return reference(table->name);
	shape = object_of(json_object(), json_array());
	if (table->says && table->says[0])
		schema_set(shape, "description", json_string(table->says));
	schema_set(definitions, table->name, shape);
	members_shape(definitions, table, shape);
	return reference(table->name);
}

static json_t *document(size_t i)
{
	json_t *definitions = json_object(), *root = any_of(definitions, schemas[i].root), *shape;
	char title[64];

	snprintf(title, sizeof(title), "ipctrace.%s/1", schemas[i].name);
	shape = json_pack("{s:s, s:s, s:s}", "$schema", DIALECT, "title", title, "description",
			  schemas[i].says);
	json_object_update(shape, root);
	json_decref(root);
	schema_set(shape, "$defs", definitions);
	return shape;
}

static size_t schema_find(const char *name)
{
	size_t i = 0;

	while (i < SCHEMA_CNT && strcmp(schemas[i].name, name))
		i++;
	return i;
}

bool schema_is_known(const char *name)
{
	return schema_find(name) < SCHEMA_CNT;
}

const char *schema_name_at(size_t i)
{
	return i < SCHEMA_CNT ? schemas[i].name : NULL;
}

int schema_write(const char *name, FILE *out)
{
	json_t *schema = document(schema_find(name));
	int error = schema ? json_value_write(schema, JSON_INDENT(1), out) : -ENOMEM;

	json_decref(schema);
	fputc('\n', out);
	return error ?: fflush(out) ? -errno : 0;
}
