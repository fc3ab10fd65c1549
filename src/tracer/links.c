/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches loaded BPF programs to their tracepoints, and detaches them. */
#include "tracer/links.h"

#include "tracer/programs.h"
#include "util/log.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The other programs run when the tracer asks for them. */
static bool has_tracepoint(const struct bpf_program *program)
{
	const char *section = bpf_program__section_name(program);

	return bpf_program__autoload(program) && !strncmp(section, "tp_btf/", strlen("tp_btf/"));
}

static size_t count_with_tracepoint(const struct bpf_object *object)
{
	struct bpf_program *program;
	size_t cnt = 0;

	bpf_object__for_each_program(program, object) cnt += has_tracepoint(program);
	return cnt;
}

int links_attach(struct links *links, struct bpf_object *object)
{
	struct bpf_program *program;
	struct bpf_link *link;

	links->link = calloc(count_with_tracepoint(object), sizeof(*links->link));
	if (!links->link)
		return -ENOMEM;
	bpf_object__for_each_program(program, object)
	{
		if (!has_tracepoint(program))
			continue;
		link = bpf_program__attach(program);
		if (!link)
			return -errno;
		links->link[links->cnt++] = link;
	}
	return 0;
}

void links_detach(struct links *links)
{
	for (size_t i = 0; i < links->cnt; i++)
		bpf_link__destroy(links->link[i]);
	free(links->link);
	*links = (struct links){};
}

/* Sums what the kernel counts for each loaded program: its run time and its misses. */

int program_stats_sum(const struct bpf_object *object, const struct kernel_traits *traits,
		      uint64_t *run_ns, uint64_t *misses)
{
	struct bpf_program *program;
	uint64_t before = 0; /* missed by the current program and all its twins so far */

	*run_ns = *misses = 0;
	bpf_object__for_each_program(program, object)
	{
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_program__fd(program);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &size))
			return -errno;
		*run_ns += info.run_time_ns;
		if (program_misses_nothing(bpf_program__name(program), traits))
			continue;
		if (info.recursion_misses)
			log_info("the kernel has skipped a BPF program: %s: %llu times",
				 bpf_program__name(program),
				 (unsigned long long)info.recursion_misses);
		if (!program_is_twin(bpf_program__name(program))) {
			*misses += before = info.recursion_misses;
		} else if (info.recursion_misses < before) {
			*misses -= before - info.recursion_misses;
			before = info.recursion_misses;
		}
	}
	return 0;
}
