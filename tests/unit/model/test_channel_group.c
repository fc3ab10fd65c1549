/* SPDX-License-Identifier: BSD-2-Clause */
/* Which channels are those of one service. */
#include "support/build.h"

#include "model/channel_group.h"

#include <stdio.h>
#include <string.h>

static struct channel_summary channel(uint32_t named, const char *name)
{
	struct channel_summary one = {.transport = TRANSPORT_TCP,
				      .named = named,
				      .sender = {.pid = 1, .tid = 2, .comm = "a"},
				      .receiver = {.pid = 3, .tid = 4, .comm = "b"}};

	snprintf(one.name, sizeof(one.name), "%s", name);
	return one;
}

static bool is_same(const struct channel_summary *x, const struct channel_summary *y)
{
	char x_key[CHANNEL_KEY_LEN], y_key[CHANNEL_KEY_LEN];

	return channel_group_key(x, x_key) && channel_group_key(y, y_key) && !strcmp(x_key, y_key);
}

TEST(the_address_of_the_client_does_not_matter)
{
	struct channel_summary x = channel(ADDRESS_OF_RECEIVER, "1.1.1.1:50 > 1.1.1.1:80");
	struct channel_summary y = channel(ADDRESS_OF_RECEIVER, "1.1.1.1:51 > 1.1.1.1:80");

	y.sender.pid = 7;
	assert_true(is_same(&x, &y));
	channel_group_begin(&x);
	assert_string_equal(x.name, "* > 1.1.1.1:80");
	assert_int_equal(x.receiver.pid, 3);
	assert_true(is_same(&x, &y));
}

TEST(answers_are_channels_of_their_own)
{
	struct channel_summary x = channel(ADDRESS_OF_SENDER, "1.1.1.1:80 > 1.1.1.1:50");
	struct channel_summary y = channel(ADDRESS_OF_SENDER, "1.1.1.1:80 > 1.1.1.1:51");
	struct channel_summary request = channel(ADDRESS_OF_RECEIVER, "1.1.1.1:50 > 1.1.1.1:80");

	assert_true(is_same(&x, &y));
	assert_false(is_same(&x, &request));
	channel_group_begin(&x);
	assert_string_equal(x.name, "1.1.1.1:80 > *");
}

TEST(a_group_of_one_process_keeps_its_number)
{
	struct channel_summary x = channel(ADDRESS_OF_RECEIVER, "/run/x"), group;

	strcpy(x.sender_process, "java");
	group = x;
	channel_group_begin(&group);
	channel_group_add(&group, &x);
	assert_int_equal(group.sender.pid, 1);
	assert_int_equal(group.sender.tid, 0);
	assert_int_equal(group.receiver.pid, 3);
	assert_string_equal(channel_process(&group, true).comm, "java");
	x.sender.pid = 7;
	channel_group_add(&group, &x);
	assert_int_equal(group.sender.pid, 0);
	assert_string_equal(channel_process(&group, true).comm, "java");
	strcpy(x.sender_process, "node");
	channel_group_add(&group, &x);
	assert_int_equal(group.sender.pid, 0);
	assert_string_equal(channel_process(&group, true).comm, "a");
	stat_free(&group.latency);
}

TEST(all_that_a_reader_tells_apart_is_apart)
{
	const struct channel_summary x = channel(ADDRESS_OF_RECEIVER, "/run/x");
	struct channel_summary y = x;

	assert_true(is_same(&x, &y));
	y.transport = TRANSPORT_UDS;
	assert_false(is_same(&x, &y));
	y = x;
	y.receiver.pid = 9;
	assert_false(is_same(&x, &y));
	y = x;
	strcpy(y.sender.comm, "other");
	assert_false(is_same(&x, &y));
	y = x;
	strcpy(y.name, "/run/y");
	assert_false(is_same(&x, &y));
}

TEST(without_a_service_there_is_no_group)
{
	struct channel_summary none = channel(0, "pipe:[12]"), both = channel(ADDRESS_OF_BOTH, "x");
	char key[CHANNEL_KEY_LEN];

	assert_false(channel_group_key(&none, key));
	assert_false(channel_group_key(&both, key));
}
