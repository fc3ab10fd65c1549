/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf/transport/tcp_reuse.bpf.h in user space: both ends of a connection find the channel of an
 * earlier one, and the other end makes the new channel at the worst moment.
 */
#include "support/build.h"

/* What bpf/base/channel.bpf.h and its includes provide, for one channel. Its guard keeps it out. */
#define IPCTRACE_BPF_BASE_CHANNEL_H
#undef __always_inline
#define __always_inline inline __attribute__((unused))

typedef int64_t s64;

#include "bpf/base/state.bpf.h"

enum { OLD_ID = 7, NEW_ID = 8, OLD_COOKIE = 1, NEW_COOKIE = 2 };
enum comes { NEVER, BEFORE_COOKIE, BEFORE_TAKING };

static struct channel_state channels;
static bool is_there; /* whether the map has it */
static enum comes other_comes;

static long bpf_map_delete_elem(const struct channel_state *map, const struct channel_key *key)
{
	assert_ptr_equal(map, &channels);
	assert_non_null(key);
	is_there = false;
	return 0;
}

/* The memory of a deleted element is the first to be given out again. */
static void other_end_comes(enum comes now)
{
	if (now == other_comes)
		channels = (struct channel_state){.id = NEW_ID, .sender_cookie = NEW_COOKIE};
}

static u64 read_later(const u64 *value)
{
	other_end_comes(BEFORE_COOKIE);
	return *value;
}

static u32 compare_exchange(u32 *value, u32 old, u32 new)
{
	u32 before;

	other_end_comes(BEFORE_TAKING);
	before = *value;
	if (before == old)
		*value = new;
	return before;
}

#define READ_LATER       read_later
#define COMPARE_EXCHANGE compare_exchange

#include "bpf/transport/tcp_reuse.bpf.h"

static void forget(enum comes moment)
{
	const struct channel_key key = {0};

	other_comes = moment;
	tcp_forget(&key, &channels, &channels.receiver_cookie, OLD_COOKIE);
}

static void begin(void)
{
	channels = (struct channel_state){.id = OLD_ID, .receiver_cookie = OLD_COOKIE};
	is_there = true;
}

TEST(one_end_deletes_the_channel_of_an_earlier_connection)
{
	begin();
	forget(NEVER);
	assert_false(is_there);
}

TEST(the_channel_that_the_other_end_has_made_stays)
{
	for (enum comes moment = BEFORE_COOKIE; moment <= BEFORE_TAKING; moment++) {
		begin();
		forget(moment);
		assert_true(is_there);
		assert_int_equal(channels.id, NEW_ID);
	}
}

/* It is about to: that the other end has taken the id shows it. */
TEST(one_end_leaves_it_to_the_other_to_delete_the_channel)
{
	begin();
	channels.id = 0;
	forget(NEVER);
	assert_true(is_there);
}
