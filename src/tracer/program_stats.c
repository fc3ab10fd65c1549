/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums what the kernel counts for each loaded program: its run time and its misses. */
#include "tracer/program_stats.h"

#include "tracer/programs.h"
#include "util/log.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

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
