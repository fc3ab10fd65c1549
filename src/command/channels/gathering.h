/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that read the open channels of the machine, and the processes that hold them.
 */
#pragma once

#include "command/channels/channel_list.h"
#include "command/channels/proc.h"

#include <sys/types.h>

/* Starts as zeros, with owners.filter set. gathering_free() frees the content. */
struct gathering {
	struct owners owners;
	struct networks networks;
	struct proc_gaps gaps;
	struct channel_list *list; /* ends are paired and have their holders */
	int unix_error;            /* the kernel cannot list such sockets: -errno */
	int inet_error;
};

/* 0 or -errno. */
int gathering_read(struct gathering *gathering);

/*
 * The same, but only what others can connect or send to, and only of these processes: other holders
 * are not known.
 */
int gathering_services_of(struct gathering *gathering, const pid_t *pid, size_t cnt);

void gathering_free(struct gathering *gathering);
