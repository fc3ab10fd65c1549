/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows connections that have to wait in their handshake, by their HANDSHAKE records. These show
 * connections that no connect() call and no accept() call shows: they still wait when tracing ends,
 * or began before it.
 */
#pragma once

#include "analysis/attach/connections/listeners.h"
#include "bpf/record_connections.h"

struct handshakes;

struct handshakes *handshakes__new(void); /* NULL: out of memory */
void handshakes__free(struct handshakes *handshakes);

/* 0 or -ENOMEM. */
int handshakes__add(struct handshakes *handshakes, const struct record_handshake *handshake);

/* A connect() call has returned: a thread does not wait in it any more. */
void handshakes__returned(struct handshakes *handshakes, const struct record_connect *connect);

/*
 * A TCP connection was accepted: the caller counts it from now on. Whether it is certain that it
 * had to wait because the queue of its listener was full.
 */
bool handshakes__take(struct handshakes *handshakes, const struct record_accept *accept);

/*
 * Adds the connections that are not taken to the sums of their listeners. Those that are not over
 * at `end_ns` still wait. 0 or -ENOMEM.
 */
int handshakes__finish(struct handshakes *handshakes, uint64_t end_ns, struct listeners *listeners);
