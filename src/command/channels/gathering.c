/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the processes from /proc, and the sockets of each network namespace. */
#include "command/channels/gathering.h"

#include "command/channels/sources.h"
#include "command/channels/unix_files.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/* -ENOENT and -EOPNOTSUPP: this kernel does not list such sockets. */
static int note_error(int *error, int err)
{
	if (!err || err == -ENOMEM)
		return err;
	*error = err;
	return 0;
}

/* A namespace that has vanished meanwhile is ignored. */
static int gathering_add_sockets(struct gathering *gathering, size_t i, enum wanted_sockets wanted)
{
	uint64_t network = gathering->networks.network[i].inode;
	int diag = network_open_diag(&gathering->networks, i), err;
	struct channel_list *list = gathering->list;

	if (diag < 0) {
		gathering->networks.unreached += diag != -ESRCH;
		return 0;
	}
	log_info("reading the sockets of a network namespace: net:[%llu]",
		 (unsigned long long)network);
	err = note_error(&gathering->unix_error, unix_sockets_add(diag, network, wanted, list));
	if (!err)
		err = note_error(&gathering->inet_error,
				 inet_sockets_add(diag, network, wanted, list));
	close(diag);
	return err;
}

/* `sees_all`: an end without a holder is closed. */
static int gathering_add_all(struct gathering *gathering, enum wanted_sockets wanted, bool sees_all)
{
	int err = 0;

	gathering->list = channel_list__new(gathering->networks.network[0].inode);
	if (!gathering->list)
		return -ENOMEM;
	for (size_t i = 0; !err && i < gathering->networks.cnt; i++)
		err = gathering_add_sockets(gathering, i, wanted);
	if (!err)
		err = pipes_add(&gathering->owners, sees_all, gathering->list);
	if (!err)
		err = channel_list__pair(gathering->list);
	if (err)
		return err;
	channel_list__set_owners(gathering->list, &gathering->owners);
	unix_files_find(gathering->list);
	return 0;
}

int gathering_read(struct gathering *gathering)
{
	const struct proc_gaps *gaps = &gathering->gaps;
	int err = proc_read("/proc", NULL, 0, &gathering->owners, &gathering->networks,
			    &gathering->gaps);

	if (err)
		return err;
	return gathering_add_all(gathering, SOCKETS_ALL,
				 !gaps->hidden && !gaps->within_namespace &&
					 !gathering->owners.refused);
}

int gathering_services_of(struct gathering *gathering, const pid_t *pid, size_t cnt)
{
	int err = proc_read("/proc", pid, cnt, &gathering->owners, &gathering->networks,
			    &gathering->gaps);

	return err ?: gathering_add_all(gathering, SOCKETS_UNCONNECTED, false);
}

void gathering_free(struct gathering *gathering)
{
	channel_list__free(gathering->list);
	owners_free(&gathering->owners);
}
