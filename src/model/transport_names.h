/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that name transports, and defines sets of related transports. */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

#define TRANSPORT_BIT(id) (1u << (id))
#define TRANSPORTS_TCP    (TRANSPORT_BIT(TRANSPORT_TCP) | TRANSPORT_BIT(TRANSPORT_TCP6))
#define TRANSPORTS_UDP    (TRANSPORT_BIT(TRANSPORT_UDP) | TRANSPORT_BIT(TRANSPORT_UDP6))
#define TRANSPORTS_INET   (TRANSPORTS_TCP | TRANSPORTS_UDP)
#define TRANSPORTS_PIPES  (TRANSPORT_BIT(TRANSPORT_PIPE) | TRANSPORT_BIT(TRANSPORT_FIFO))
#define TRANSPORTS_QUEUES (TRANSPORT_BIT(TRANSPORT_MQUEUE) | TRANSPORT_BIT(TRANSPORT_SYSV))
#define TRANSPORTS_UNIX                                                                            \
	(TRANSPORT_BIT(TRANSPORT_UDS) | TRANSPORT_BIT(TRANSPORT_UDS_STREAM) |                      \
	 TRANSPORT_BIT(TRANSPORT_UDS_SEQPACKET))
#define TRANSPORTS_SOCKETS (TRANSPORTS_UNIX | TRANSPORTS_INET)

extern const char *const transport_id_names[NR_TRANSPORT_IDS]; /* "uds-stream"; NULL for 0 */

/* The same; NULL: there is no such id. */
const char *transport_id_name(enum transport_id id);

bool transport_name_is_known(const char *name);

bool is_unix(enum transport_id id);
bool is_inet(enum transport_id id);

/* The transports that `ipctrace list` can show, in its order; 0 is the end. */
extern const enum transport_id listed_transports[];
