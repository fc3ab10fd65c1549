/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds open pipes, FIFOs and message queues to the list of channels. */
#include "command/channels/sources.h"

#include <string.h>

/* An O_PATH descriptor neither reads nor writes, so that it is no end. */
static bool pipes_has_ends(const struct owned *owned)
{
	return owned->object.kind != OBJECT_SOCKET &&
	       (owned->by[SIDE_READ].cnt || owned->by[SIDE_WRITE].cnt);
}

/* A queue exists without holders. A pipe or FIFO with one side closed has no peer. */
static bool is_gone(const struct owned *owned, enum side side, bool complete)
{
	return complete && !owned->by[side].cnt && owned->object.kind != OBJECT_MQUEUE;
}

static int add_pipe(const struct owned *owned, enum transport_id transport, bool complete,
		    struct channel_list *list)
{
	struct end reader = {
		.transport = transport,
		.state = END_CONNECTED,
		.inode = owned->object.inode,
		.name = owned->name,
		.name_len = owned->name ? strlen(owned->name) : 0,
		.holding = owned->by[SIDE_READ],
	};
	struct end writer = reader;

	writer.holding = owned->by[SIDE_WRITE];
	return channel_list__add_pair(list, is_gone(owned, SIDE_WRITE, complete) ? NULL : &writer,
				      is_gone(owned, SIDE_READ, complete) ? NULL : &reader);
}

int pipes_add(const struct owners *owners, bool complete, struct channel_list *list)
{
	static const enum transport_id transports[] = {[OBJECT_PIPE] = TRANSPORT_PIPE,
						       [OBJECT_FIFO] = TRANSPORT_FIFO,
						       [OBJECT_MQUEUE] = TRANSPORT_MQUEUE};
	int err = 0;

	for (const struct owned *owned = owners->owned; !err && owned; owned = owned->hh.next) {
		if (pipes_has_ends(owned))
			err = add_pipe(owned, transports[owned->object.kind], complete, list);
	}
	return err;
}
