/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says which channels are those of one service, from clients of one name: a hundred programs that
 * each connect once have a hundred channels, which a reader wants to see as one.
 */
#pragma once

#include "model/summary.h"

#include <stdbool.h>

#define CHANNEL_KEY_LEN 256

/*
 * Channels with the same key are alike: transport, direction, name and process of the service, and
 * name of the client. False: the channel belongs to no service that has a name.
 */
bool channel_group_key(const struct channel_summary *channel, char key[CHANNEL_KEY_LEN]);

/*
 * Turns a channel into an entry for all with its key, still with its own messages: "*" stands for
 * the address of the client, which is a process.
 */
void channel_group_begin(struct channel_summary *channel);

/*
 * Adds the messages of a channel. The number and the name of the client's process are forgotten if
 * the channel has others. The caller counts `folded`.
 */
void channel_group_add(struct channel_summary *group, const struct channel_summary *channel);
