/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what a row of a table refers to, and frees what a struct owns. */
#include "model/members/members.h"

#include "model/stat.h"

#include <stdlib.h>
#include <string.h>

bool is_attach(const struct run_info *info, const void *of)
{
	(void)of;
	return info->mode == MODE_ATTACH;
}

bool is_run(const struct run_info *info, const void *of)
{
	(void)of;
	return info->mode == MODE_RUN;
}

bool is_traced(const struct run_info *info, const void *of)
{
	(void)of;
	return info->traced;
}

uint32_t members_last_batch(const struct members *table)
{
	uint32_t last = 0;

	for (size_t i = 0; i < table->cnt; i++) {
		const struct member *member = &table->row[i];
		uint32_t batch = member->of              ? members_last_batch(member->of)
				 : member->kind == BATCH ? member->cnt
							 : 0;

		for (int k = 0; member->by_component && k < NR_COMPONENTS; k++)
			batch = components[k].batch > batch ? components[k].batch : batch;
		last = batch > last ? batch : last;
	}
	return last;
}

const char *member_word(const struct member *member, uint32_t value)
{
	if (value >= member->cnt)
		return member->else_word;
	if (member->word_of)
		return member->word_of(value);
	return *(const char *const *)((const char *)member->words + value * member->words_apart);
}

uint64_t member_number(const struct member *member, const void *of)
{
	const void *value = (const char *)of + member->at;
	uint64_t number = 0;

	if (member->since_at)
		return *(const uint64_t *)value -
		       *(const uint64_t *)((const char *)of + member->since_at);
	if (member->size == sizeof(uint64_t))
		return *(const uint64_t *)value;
	if (member->size == sizeof(uint32_t))
		return *(const uint32_t *)value;
	memcpy(&number, value, member->size < sizeof(number) ? member->size : 0);
	return number;
}

static bool is_set(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return true;
	}
	return false;
}

bool member_is_known(const struct member *member, const struct run_info *info, const void *of)
{
	const char *bytes = of;

	if (member->known)
		return member->known(info, of);
	if (member->if_set)
		return is_set(bytes + member->at, member->size);
	return !member->flag_size ||
	       is_set(bytes + member->flag_at, member->flag_size) != member->is_unless;
}

void *member_entries(const struct member *member, const void *of, uint32_t *cnt)
{
	char *value = (char *)of + member->at;

	if (member->kind == STRUCT) {
		*cnt = member->cnt ?: 1;
		return value;
	}
	*cnt = *(const uint32_t *)((const char *)of + member->cnt_at);
	if (member->kind == FIRST && *cnt > member->cnt)
		*cnt = member->cnt;
	if (member->kind != ENTRIES)
		return value;
	value = *(void **)value;
	*cnt = value ? *cnt : 0;
	return value;
}

/* The kernel's timer sends a clock reading, which has no known contents. */
bool has_contents(const struct run_info *info, const void *of)
{
	(void)of;
	return info->mode == MODE_RUN && strcmp(info->workload.transport, "kernel") != 0;
}

void members_clean(const struct members *table, void *of)
{
	for (size_t i = 0; i < table->cnt; i++) {
		const struct member *member = &table->row[i];
		uint32_t cnt = member->cnt ?: 1;
		char *entry = (char *)of + member->at;

		if (member->kind == DISTRIBUTION) {
			while (cnt--)
				stat_free((struct stat *)entry + cnt);
			continue;
		}
		if (!member->of)
			continue;
		entry = member_entries(member, of, &cnt);
		while (cnt--)
			members_clean(member->of, entry + cnt * member->of->size);
		if (member->kind == ENTRIES)
			free(entry);
	}
}
