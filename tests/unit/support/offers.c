/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/offers.h"

#include "support/build.h"

int offers_setup(void **state)
{
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

struct offers offers_settled(struct join *join, uint64_t before_ns)
{
	struct offers offers = {0};

	assert_int_equal(join__settle(join, before_ns, offers_take, &offers), 0);
	return offers;
}

struct offers offers_left(struct join *join)
{
	struct offers offers = {0};

	join__leftover(join, offers_take, &offers);
	return offers;
}
