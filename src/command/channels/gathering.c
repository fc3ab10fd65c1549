/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the open sockets, pipes and message queues of the machine: the processes from /proc, the
 * sockets of each network namespace from the kernel.
 */
#include "command/channels/gathering.h"

#include "command/channels/sources.h"
#include "command/channels/unix_files.h"
#include "util/log.h"

#include <errno.h>
#include <unistd.h>

/* -ENOENT and -EOPNOTSUPP: this kernel does not list such sockets. */
static int note_error(int *error, int err)
{
	if (!err || err == -ENOMEM)
		return err;
	*error = err;
	return 0;
}

static int add_sockets_of(struct gathering *gathering, int diag, uint64_t network,
			  enum wanted_sockets wanted)
{
	struct channel_list *list = gathering->list;
	int err = note_error(&gathering->unix_error, unix_sockets_add(diag, network, wanted, list));

	return err
		       ?: note_error(&gathering->inet_error,
				     inet_sockets_add(diag, network, wanted, list));
}

/* A namespace that has vanished meanwhile is ignored. */
static int gathering_add_sockets(struct gathering *gathering, size_t i, enum wanted_sockets wanted)
{
	uint64_t network = gathering->networks.network[i].inode;
	int diag = network_open_diag(&gathering->networks, i), err;

	if (diag < 0) {
		gathering->networks.unreached += diag != -ESRCH;
		return 0;
	}
	log_info("reading the sockets of a network namespace: net:[%llu]",
		 (unsigned long long)network);
	err = add_sockets_of(gathering, diag, network, wanted);
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
	int err = proc_read("/proc", &gathering->owners, &gathering->networks, &gathering->gaps);

	if (err)
		return err;
	return gathering_add_all(gathering, SOCKETS_ALL,
				 !gaps->hidden && !gaps->within_namespace &&
					 !gathering->owners.refused);
}

int gathering_services_of(struct gathering *gathering, const pid_t *pid, size_t cnt)
{
	int err = proc_read_of("/proc", pid, cnt, &gathering->owners, &gathering->networks,
			       &gathering->gaps);

	return err ?: gathering_add_all(gathering, SOCKETS_UNCONNECTED, false);
}

void gathering_free(struct gathering *gathering)
{
	channel_list__free(gathering->list);
	owners_free(&gathering->owners);
}
