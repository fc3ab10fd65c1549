/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out which datagram a thread has received, if the BPF programs could not see the datagram.
 * Such a receive from a UDP socket is called an unseen read. The result can be certain only if a
 * single thread reads the socket.
 */
#pragma once

#include "analysis/attach/baseline.h"
#include "analysis/attach/datagram_inbox.h"
#include "analysis/join/join.h"

struct datagram_search {
	struct join *join;     /* borrowed */
	baselines_put_fn *put; /* gets the receive of another thread again, when it moves */
	void *ctx;             /* of that */
};

/* The only send that this read must have received; NULL: none, or several. */
struct unread_send *datagram_search_certain(const struct datagram_inbox *inbox,
					    const struct unseen_read *unseen);

/* The earliest send that this read may have received; NULL: none. */
struct unread_send *datagram_search_likely(const struct datagram_inbox *inbox,
					   const struct datagram_read *read);

/*
 * The same with several readers: one that another thread has received moves on to another send. 1:
 * the send is in `left`; 0: none; < 0: what `put` returned.
 */
int datagram_search_shared(const struct datagram_search *search, struct datagram_inbox *inbox,
			   const struct unseen_read *unseen, struct record_send *left);
