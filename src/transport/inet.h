/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What TCP and UDP over loopback, of both IP versions, have in common: the kernel chooses all
 * ports, and the ends find each other's in memory that they share.
 */
#ifndef IPCTRACE_TRANSPORT_INET_H
#define IPCTRACE_TRANSPORT_INET_H

#include "transport/transport.h"

#include <stdatomic.h>
#include <sys/socket.h>

/* 0: not known yet. */
struct inet_link {
	_Atomic uint32_t client_port;
	_Atomic uint32_t server_port;
};

struct medium {
	struct medium_spec spec;
	int family;                     /* AF_INET or AF_INET6 */
	_Atomic uint32_t server_port;   /* where links are made, 0: not known yet */
	_Atomic uint32_t listener_port; /* where connections come and go */
	struct inet_link links[];       /* by client */
};

struct medium *inet_create(const struct medium_spec *spec, int family);
void inet_destroy(struct medium *medium);

/* NULL, or why the loopback interface has no such address. Static. */
const char *inet6_refuse(const struct workload_spec *spec);

/* A socket that is bound to the loopback address and a port of the kernel's choice, or -errno. */
int inet_bound(int family, int type);

/* 0 or -errno. */
int inet_connect(int fd, int family, uint32_t port);

/* The port at this end, or at the other one. 0: there is none, and errno. */
uint32_t inet_port(int fd);
uint32_t inet_peer_port(int fd);

#endif
