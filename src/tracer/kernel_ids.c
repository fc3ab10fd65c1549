/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the BPF program find_pid_ns() by hand, with a thread id as its argument. */
#include "tracer/kernel_ids.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>

/* Returns the program's result, or -errno. */
static pid_t run(int program, pid_t tid)
{
	uint64_t arguments[] = {tid};
	LIBBPF_OPTS(bpf_test_run_opts, how, .ctx_in = arguments, .ctx_size_in = sizeof(arguments));

	return bpf_prog_test_run_opts(program, &how) ? -errno : (pid_t)how.retval;
}

int kernel_ids_begin(int program)
{
	pid_t found = run(program, 0);

	return found < 0 ? found : 0;
}

pid_t kernel_ids_find(int program, pid_t tid)
{
	pid_t found = run(program, tid);

	return found ? found : -ESRCH;
}
