/* SPDX-License-Identifier: BSD-2-Clause */
/* Knows of which maps no program of a session will use an entry. */
#include "tracer/map_sizes.h"

#include "model/transport_names.h"

#include <bpf/libbpf.h>

static void map_sizes_shrink_one(struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	if (map)
		bpf_map__set_max_entries(map, 1);
}

void map_sizes_shrink(struct bpf_object *object, const struct tracer_spec *spec,
		      const struct kernel_traits *traits, bool takes_stacks)
{
	static const char *const of_attach[] = {"listeners",  "ports",       "listening",
						"handshakes", "unix_owners", "partial_receives"};

	if (!takes_stacks)
		map_sizes_shrink_one(object, "stacks");
	if (!spec->deep || !traits->shows_locks)
		map_sizes_shrink_one(object, "lock_stacks");
	if (!traits->by_syscalls) {
		map_sizes_shrink_one(object, "socket_ids");
		map_sizes_shrink_one(object, "unix_names");
	}
	if (!(spec->transports & TRANSPORTS_UDP) || (!spec->attach && !traits->by_syscalls))
		map_sizes_shrink_one(object, "datagrams");
	if (!spec->connections) {
		map_sizes_shrink_one(object, "openings");
		map_sizes_shrink_one(object, "queued_since");
	}
	for (size_t i = 0; !spec->attach && i < sizeof(of_attach) / sizeof(of_attach[0]); i++)
		map_sizes_shrink_one(object, of_attach[i]);
}
