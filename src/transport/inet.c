/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and connects loopback sockets for TCP and UDP. */
#include "transport/inet.h"

#include "transport/common.h"
#include "util/shared_memory.h"

#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static size_t memory_size(uint32_t clients)
{
	return sizeof(struct medium) + ((size_t)clients + 1) * sizeof(struct inet_link);
}

struct medium *inet_create(const struct medium_spec *spec)
{
	struct medium *medium = shared_memory_map(memory_size(spec->clients));

	if (!medium)
		return NULL;
	medium->spec = *spec;
	medium->family = spec->ops->variant;
	return medium;
}

void inet_destroy(struct medium *medium)
{
	if (medium)
		munmap(medium, memory_size(medium->spec.clients));
}

/* Fills in a loopback address. Returns its length. */
static socklen_t inet_address_set(union address *address, int family, uint32_t port)
{
	if (family == AF_INET6) {
		address->v6 = (struct sockaddr_in6){
			.sin6_family = AF_INET6,
			.sin6_addr = IN6ADDR_LOOPBACK_INIT,
			.sin6_port = htons((uint16_t)port),
		};
		return sizeof(address->v6);
	}
	address->v4 = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)port),
	};
	return sizeof(address->v4);
}

int inet_bound(int family, int type)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0);
	union address address;
	socklen_t length = inet_address_set(&address, family, 0);

	if (fd < 0)
		return -errno;
	return fd_or_error(fd, bind(fd, &address.any, length) ? -errno : 0);
}

int inet_connect(int fd, int family, uint32_t port)
{
	union address address;
	socklen_t length = inet_address_set(&address, family, port);

	return connect(fd, &address.any, length) ? -errno : 0;
}

uint32_t inet_port(int fd, bool of_peer)
{
	union address address;
	socklen_t length = sizeof(address);

	if (of_peer ? getpeername(fd, &address.any, &length)
		    : getsockname(fd, &address.any, &length))
		return 0;
	return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port
						       : address.v4.sin_port);
}

const char *inet6_refuse(const struct workload_spec *spec)
{
	int fd = inet_bound(AF_INET6, SOCK_STREAM);

	(void)spec;
	if (fd < 0)
		return "the loopback interface has no IPv6 address ::1: use tcp or udp, or allow "
		       "it (sysctl net.ipv6.conf.lo.disable_ipv6=0)";
	close(fd);
	return NULL;
}
