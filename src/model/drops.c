/* SPDX-License-Identifier: BSD-2-Clause */
/* Has the names of the reasons for which the kernel drops datagrams. */
#include "model/drops.h"

const struct drop_reason_info drop_reasons[NR_DROP_REASONS] = {
	[DROP_UNKNOWN] = {.name = "unknown"},
	[DROP_BUFFER_FULL] = {"buffer_full", "its receive buffer was full"},
	[DROP_MEMORY] = {"memory", "all UDP sockets together had used up their memory (udp_mem)"},
	[DROP_NO_SOCKET] = {"no_socket", "no socket was bound to the address"},
	[DROP_FILTER] = {"filter", "a filter of the socket refused them"},
	[DROP_CHECKSUM] = {"checksum", "their checksum was wrong"},
	[DROP_BACKLOG] = {"backlog",
			  "the packet queue of a CPU was full (net.core.netdev_max_backlog)"},
	[DROP_RULE] = {"rule", "a rule of the packet filter dropped them"},
	[DROP_QUEUE] = {"queue", "the queue of the sending device was full"},
	[DROP_OTHER] = {"other"},
};
