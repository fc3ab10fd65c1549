/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges over the transports that are made of descriptors. */
#include "support/fd_transports.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>

bool is_udp(const struct transport_ops *ops)
{
	return ops == &udp_transport || ops == &udp6_transport;
}

void echo_server(struct ends_side *side)
{
	uint64_t left = (uint64_t)ROUNDS * side->spec->clients;
	uint32_t from;

	while (left) {
		int came = ends_receive(side, &from);

		ends_expect(side, came >= 0);
		if (came < 0)
			return;
		for (int i = 0; i < came; i++)
			ends_expect(side, !ends_send(side, from, left % 2));
		left -= (uint64_t)came;
	}
}

void echo_client(struct ends_side *side)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint32_t from = UINT32_MAX;

		ends_expect(side, !ends_send(side, LINK_SERVER, i % 2));
		ends_expect(side, ends_receive(side, &from) == 1);
		ends_expect(side, from == LINK_SERVER);
	}
}

void echo(const struct ends_spec *spec)
{
	const struct ends_outcome *outcome = ends_run(spec, echo_server, echo_client);

	assert_all(spec, outcome, ROUNDS, ROUNDS);
}

void receive_all(struct ends_side *side, uint64_t count)
{
	while (count) {
		int came = ends_receive(side, NULL);

		ends_expect(side, came >= 0);
		if (came < 0)
			return;
		count -= (uint64_t)came;
	}
}

int descriptors(bool inherited)
{
	DIR *entries = opendir("/proc/self/fd");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(entries))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || fd == dirfd(entries))
			continue;
		count += !inherited || !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	closedir(entries);
	return count;
}
