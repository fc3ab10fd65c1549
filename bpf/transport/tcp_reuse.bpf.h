/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deletes the channel that an earlier connection with the same addresses and ports has left. Both
 * ends of the new connection may find this channel at the same time:
 *
 *	one end     |- finds the old channel ------------------------------- deletes it? -|
 *	the other      |- finds it, deletes it, makes the new channel -|
 *
 * The new channel lies at the same key, and often at the same place in memory. So the end that
 * takes the id out of the channel deletes it. Ids are never used again, those of streams are not 0.
 * A new channel is copied from its first byte to its last: its cookies are there before its id.
 */
#pragma once

#include "base/channel.bpf.h"

#ifdef LEGACY

/* There is no instruction that compares and exchanges. */
static __always_inline void tcp_forget(const struct channel_key *key, struct channel_state *known,
				       u64 *cookie, u64 before)
{
	bpf_map_delete_elem(&channels, key);
}

#else

/* `cookie` points into `known`, and was `before`, which is of an earlier connection. */
static __always_inline void tcp_forget(const struct channel_key *key, struct channel_state *known,
				       u64 *cookie, u64 before)
{
	u32 id = *(volatile u32 *)&known->id;

	/* If the cookie is still the earlier connection's, so was the id. */
	if (!id || READ_LATER(cookie) != before)
		return;
	if (COMPARE_EXCHANGE(&known->id, id, 0) == id)
		bpf_map_delete_elem(&channels, key);
}

#endif
