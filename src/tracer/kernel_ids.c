/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translates a thread id of the tracer's PID namespace. The BPF program find_pid_ns() finds the id
 * in the initial PID namespace, which spans the whole machine.
 */
#include "tracer/kernel_ids.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>

pid_t kernel_ids_find(int program, pid_t tid)
{
	uint64_t arguments[] = {tid};
	LIBBPF_OPTS(bpf_test_run_opts, how, .ctx_in = arguments, .ctx_size_in = sizeof(arguments));

	return bpf_prog_test_run_opts(program, &how) ? -errno : (pid_t)how.retval;
}
