/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the name and the kind of a transport by its id. Lists the transports for `ipctrace list`.
 */
#include "model/transport_names.h"

#include <string.h>

const char *const transport_id_names[NR_TRANSPORT_IDS] = {
	[TRANSPORT_UDS] = "uds",
	[TRANSPORT_UDS_STREAM] = "uds-stream",
	[TRANSPORT_UDS_SEQPACKET] = "uds-seqpacket",
	[TRANSPORT_TCP] = "tcp",
	[TRANSPORT_UDP] = "udp",
	[TRANSPORT_PIPE] = "pipe",
	[TRANSPORT_FIFO] = "fifo",
	[TRANSPORT_SHM] = "shm",
	[TRANSPORT_MQUEUE] = "mqueue",
	[TRANSPORT_SYSV] = "sysv",
	[TRANSPORT_SIGNAL] = "signal",
	[TRANSPORT_SIGNAL_STD] = "signal-std",
	[TRANSPORT_EVENTFD] = "eventfd",
	[TRANSPORT_KERNEL] = "kernel",
	[TRANSPORT_TCP6] = "tcp6",
	[TRANSPORT_UDP6] = "udp6",
	[TRANSPORT_FUTEX] = "futex",
};

const enum transport_id listed_transports[] = {
	TRANSPORT_UDS,
	TRANSPORT_UDS_STREAM,
	TRANSPORT_UDS_SEQPACKET,
	TRANSPORT_TCP,
	TRANSPORT_TCP6,
	TRANSPORT_UDP,
	TRANSPORT_UDP6,
	TRANSPORT_PIPE,
	TRANSPORT_FIFO,
	TRANSPORT_MQUEUE,
	0,
};

const char *transport_id_name(enum transport_id id)
{
	return id < NR_TRANSPORT_IDS ? transport_id_names[id] : NULL;
}

bool transport_name_is_known(const char *name)
{
	for (enum transport_id id = 0; id < NR_TRANSPORT_IDS; id++) {
		if (transport_id_names[id] && !strcmp(transport_id_names[id], name))
			return true;
	}
	return false;
}

bool is_unix(enum transport_id id)
{
	return TRANSPORTS_UNIX & TRANSPORT_BIT(id);
}

bool is_inet(enum transport_id id)
{
	return TRANSPORTS_INET & TRANSPORT_BIT(id);
}
