/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that the transports over TCP and UDP share. The kernel chooses all ports. The
 * server and the clients exchange their port numbers in shared memory.
 */
#pragma once

#include "transport/transport.h"

#include <stdatomic.h>
#include <sys/socket.h>

/* Ports of one link; 0: not known yet. */
struct inet_link {
	_Atomic uint32_t client_port;
	_Atomic uint32_t server_port;
};

struct medium {
	struct medium_spec spec;
	int family;                     /* AF_INET or AF_INET6 */
	_Atomic uint32_t server_port;   /* port for links; 0: not known yet */
	_Atomic uint32_t listener_port; /* port for connections of pattern connect */
	struct inet_link links[];       /* by client */
};

struct medium *inet_create(const struct medium_spec *spec);
void inet_destroy(struct medium *medium);

/* NULL, or why the loopback interface has no IPv6 address. Static. */
const char *inet6_refuse(const struct workload_spec *spec);

/* A socket bound to the loopback address and a port that the kernel chooses, or -errno. */
int inet_bound(int family, int type);

/* 0 or -errno. */
int inet_connect(int fd, int family, uint32_t port);

/* The port of this side, or of the other side. 0 and errno on failure. */
uint32_t inet_port(int fd, bool of_peer);
