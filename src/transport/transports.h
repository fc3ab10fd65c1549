/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all transports, looked up by name or by index. */
#ifndef IPCTRACE_TRANSPORT_TRANSPORTS_H
#define IPCTRACE_TRANSPORT_TRANSPORTS_H

#include "transport/transport.h"

/* NULL if there is none of that name. */
const struct transport_ops *transport_find(const char *name);

/* All names, comma separated, for messages and help. Static. */
const char *transport_names(void);

/* In table order; NULL past the end. */
const struct transport_ops *transport_at(size_t i);

/* Calls tidy() of every transport that has one. */
void transports_tidy(const char *note, uid_t owner);

#endif
