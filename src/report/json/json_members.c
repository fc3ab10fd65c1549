/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds JSON objects in loops over the tables of structs. */
#include "report/json/json_members.h"

#include "report/json_value.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 64

struct fields {
	struct {
		const struct member *member;
		const char *of;
	} field[FIELDS_MAX];
	size_t cnt;
};

static const struct members *more_of(const struct json_more *more, const struct members *table)
{
	while (more->of && more->of != table)
		more++;
	return more->more;
}

/* `of` is NULL where only the table counts. */
static void json_members_collect(struct fields *all, const struct json_more *more,
				 const struct members *table, const char *of)
{
	for (size_t i = 0; i < table->cnt; i++) {
		const struct member *member = &table->row[i];

		if (member->name && !member->name[0])
			json_members_collect(all, more, member->of, of ? of + member->at : NULL);
		else if (member->name && all->cnt == FIELDS_MAX)
			abort(); /* tables do not depend on data: raise FIELDS_MAX */
		else if (member->name)
			all->field[all->cnt++] = (typeof(*all->field)){member, of};
	}
	table = more_of(more, table);
	if (table)
		json_members_collect(all, more, table, of);
}

/* Those that stand behind this name, each with those that stand behind it. */
static void pass_after(const struct fields *all, const char *name, json_row_fn *row, void *ctx)
{
	for (size_t i = 0; i < all->cnt; i++) {
		const struct member *member = all->field[i].member;

		if (!name != !member->after || (name && strcmp(name, member->after)))
			continue;
		row(ctx, member, all->field[i].of);
		pass_after(all, member->name, row, ctx);
	}
}

void json_members_each(const struct json_more *more, const struct members *table, const char *of,
		       json_row_fn *row, void *ctx)
{
	struct fields all = {.cnt = 0};

	json_members_collect(&all, more, table, of);
	pass_after(&all, "", row, ctx);
	pass_after(&all, NULL, row, ctx);
}

/* The numbers of an array that are not 0. */
static json_t *numbers_json(const struct member *member, const char *value)
{
	const struct member one = {.size = member->size / member->cnt};
	json_t *list = json_array();
	int error = 0;

	for (size_t i = 0; i < member->cnt; i++) {
		uint64_t number = member_number(&one, value + i * one.size);

		if (number)
			error |= json_array_append_new(list, json_value_integer(number, true));
	}
	return json_value_whole(list, error);
}

static json_t *reals_json(const struct member *member, const double *value)
{
	json_t *list = json_array();
	int error = 0;

	for (size_t i = 0; i < member->cnt; i++)
		error |= json_array_append_new(list, json_value_real(value[i]));
	return json_value_whole(list, error);
}

static json_t *counters_json(const struct member *member, const uint64_t *counter)
{
	json_t *object = json_object();
	int error = 0;

	for (uint32_t i = 0; i < member->cnt; i++)
		error |= json_object_set_new(object, member_word(member, i),
					     json_value_integer(counter[i], true));
	return json_value_whole(object, error);
}

static json_t *number_json(const struct json_place *place)
{
	const struct member *member = place->member;

	if (member->is_each)
		return counters_json(member, json_value_at(place));
	if (member->words || member->word_of)
		return json_value_text(member_word(member, member_number(member, place->of)));
	return member->cnt ? numbers_json(member, json_value_at(place))
			   : json_value_integer(member_number(member, place->of), true);
}

static json_t *object_json(const struct json_place *place, const struct members *table,
			   const void *of, json_t *object);

static json_t *value_json(const struct json_place *place)
{
	const struct member *member = place->member;
	const void *value = json_value_at(place);

	if (!member_is_known(member, place->info, place->of))
		return json_null();
	if (member->derive)
		return member->derive(place);
	if (member->real)
		return json_value_real(member->real(place->summary));
	if (member->number)
		return json_value_integer(member->number(place->summary), true);
	switch (member->kind) {
	case SIGNED:
		return json_integer(*(const int32_t *)value);
	case REAL:
	case REAL_NS:
	case RATE:
	case SHARE:
		if (member->is_mean)
			return json_value_real((double)*(const uint64_t *)value /
					       (double)*(const uint64_t *)((const char *)place->of +
									   member->per_at));
		return member->cnt ? reals_json(member, value)
				   : json_value_real(*(const double *)value);
	case FLAG:
		return json_boolean(*(const bool *)value);
	case TEXT:
		return json_value_text(value);
	case NAME:
		return json_value_text(*(const char *const *)value);
	case DISTRIBUTION:
		return member->of ? object_json(place->parent, member->of, place->of,
						json_value_stat(value))
				  : json_value_stat(value);
	case STRUCT:
		return json_members(place, member->of, value);
	case LIST:
	case FIRST:
	case ENTRIES:
		return json_members_list(place, member);
	case NOTHING:
		return json_null();
	default:
		return number_json(place);
	}
}

struct writing {
	json_t *object;
	struct json_place place;
	int error;
};

static void json_members_on_row(void *ctx, const struct member *member, const char *of)
{
	struct writing *writing = ctx;

	if (member->is_optional)
		return;
	writing->place.of = of;
	writing->place.member = member;
	writing->error |=
		json_object_set_new(writing->object, member->name, value_json(&writing->place));
}

/* Adds the members of the struct at `of` to the object. */
static json_t *object_json(const struct json_place *place, const struct members *table,
			   const void *of, json_t *object)
{
	struct writing writing = {.object = object, .place = *place};

	writing.place.parent = place;
	json_members_each(place->more, table, of, json_members_on_row, &writing);
	return json_value_whole(object, writing.error);
}

json_t *json_members(const struct json_place *place, const struct members *table, const void *of)
{
	return object_json(place, table, of, json_object());
}

json_t *json_members_list(const struct json_place *place, const struct member *member)
{
	struct json_place entry = *place;
	json_t *list = json_array();
	const char *at;
	uint32_t cnt;
	int error = 0;

	at = member_entries(member, place->of, &cnt);
	for (entry.index = 0; entry.index < cnt; entry.index++) {
		const char *of = at + entry.index * member->of->size;

		error |= json_array_append_new(list, json_members(&entry, member->of, of));
	}
	return json_value_whole(list, error);
}
