/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/offers.h"

#include "support/build.h"

struct offers offers;

int offers_setup(void **state)
{
	offers = (struct offers){0};
	*state = join__new();
	return *state ? 0 : -1;
}

int offers_teardown(void **state)
{
	join__free(*state);
	return 0;
}

bool offers_take(void *ctx, const struct joined *message)
{
	struct offers *offers = ctx;

	assert_true(offers->cnt < ARRAY_SIZE(offers->joined));
	offers->joined[offers->cnt++] = *message;
	return !offers->refuse;
}

void offers_settle(struct join *join, uint64_t before_ns)
{
	offers = (struct offers){0};
	assert_int_equal(join__settle(join, before_ns, offers_take, &offers), 0);
}

void assert_settled(struct join *join, uint64_t before_ns, size_t cnt)
{
	offers_settle(join, before_ns);
	assert_int_equal(offers.cnt, cnt);
}

void assert_left(struct join *join, size_t cnt)
{
	offers = (struct offers){0};
	join__leftover(join, offers_take, &offers);
	assert_int_equal(offers.cnt, cnt);
}
