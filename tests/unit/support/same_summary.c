/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/same_summary.h"

#include "support/build.h"

#include "model/members/members.h"

#include <string.h>

static void assert_same_stat(const struct stat *a, const struct stat *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_true(a->sum == b->sum && a->sum_of_squares == b->sum_of_squares);
	for (int i = 0; i < STAT_OCTAVES; i++) {
		assert_int_equal(!a->octave[i], !b->octave[i]);
		if (a->octave[i])
			assert_memory_equal(a->octave[i], b->octave[i],
					    sizeof(uint32_t) << STAT_SUB_BITS);
	}
}

static bool is_same(const struct member *member, const char *a, const char *b)
{
	return member->kind == TEXT ? !strcmp(a, b) : !memcmp(a, b, member->size);
}

static void assert_same_structs(const struct members *table, const char *a, const char *b)
{
	for (size_t i = 0; i < table->cnt; i++) {
		const struct member *member = &table->row[i];
		const char *of_a = a + member->at, *of_b = b + member->at;
		uint32_t cnt = member->cnt ?: 1, cnt_b;

		if (member->of) {
			of_a = member_entries(member, a, &cnt);
			of_b = member_entries(member, b, &cnt_b);
			assert_int_equal(cnt, cnt_b);
			for (size_t k = 0; k < cnt; k++)
				assert_same_structs(member->of, of_a + k * member->of->size,
						    of_b + k * member->of->size);
		} else if (member->kind == DISTRIBUTION) {
			for (size_t k = 0; k < cnt; k++)
				assert_same_stat((const struct stat *)of_a + k,
						 (const struct stat *)of_b + k);
		} else if (!is_same(member, of_a, of_b)) {
			fail_msg("%s: the %u bytes at %u (%s) differ", table->name, member->size,
				 member->at, member->name ?: "not in JSON");
		}
	}
}

void assert_same_summary(const struct summary *a, const struct summary *b)
{
	assert_same_structs(&summary_members, (const char *)a, (const char *)b);
}
