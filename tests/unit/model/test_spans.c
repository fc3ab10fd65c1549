/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether spans of time meet. */
#include "support/build.h"

#include "model/spans.h"

TEST(spans_are_found_in_any_order)
{
	static const struct span span[] = {{10, 20}, {30, 30}, {40, 60}};
	const struct spans spans = {span, ARRAY_SIZE(span)}, none = {0};
	size_t near = 0;

	assert_false(spans_meet(&none, 0, UINT64_MAX, &near));
	for (uint64_t from = 0; from < 70; from++) {
		for (uint64_t to = from; to < 70; to++) {
			bool meets = false;

			for (size_t i = 0; i < spans.cnt; i++)
				meets |= span[i].from_ns <= to && span[i].to_ns >= from;
			for (size_t start = 0; start <= spans.cnt; start++) {
				near = start;
				assert_int_equal(spans_meet(&spans, from, to, &near), meets);
			}
		}
	}
}
