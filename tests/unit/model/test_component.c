/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of components: what every report and document takes from a row is there. */
#include "model/component.h"
#include "support/test.h"

#include <string.h>

TEST(every_component_has_its_words)
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		const struct component_info *one = &components[i];
		const char *const words[] = {
			one->is,    one->part,    one->verdict.before, one->verdict.after,
			one->means, one->happens, one->helps};

		for (size_t j = 0; j < sizeof(words) / sizeof(words[0]); j++)
			assert_non_null(words[j]);
		assert_int_equal(strlen(one->mark.letter), 1);
	}
}

TEST(every_cost_has_names)
{
	for (int i = 0; i < NR_COSTS; i++) {
		assert_string_equal(components[i].class + strlen("c-"), components[i].name);
		assert_non_null(components[i].title);
		assert_non_null(components[i].does);
	}
}

TEST(no_two_components_have_one_letter)
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		for (int j = 0; j < i; j++)
			assert_string_not_equal(components[i].mark.letter,
						components[j].mark.letter);
	}
}

/* Reports say why a component is missing, for each reason why it can be. */
TEST(what_can_be_missing_has_a_reason)
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (components[i].needs & (NEEDS_ROOM | NEEDS_SWITCH))
			assert_non_null(components[i].lacking);
		if (components[i].needs & NEEDS_CALLS)
			assert_non_null(components[i].light_run);
	}
}

/* Bars and tables put the context switch in one place, and the receiver behind the sender. */
TEST(groups_stand_together)
{
	int switches = 0;

	assert_false(components[0].in_switch);
	for (int i = 1; i < NR_COMPONENTS; i++) {
		assert_true(components[i - 1].of_sender || !components[i].of_sender);
		switches += components[i].in_switch && !components[i - 1].in_switch;
	}
	assert_int_equal(switches, 1);
}
