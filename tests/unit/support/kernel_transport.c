/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces the kernel transport in unit tests, which are linked without libbpf. The table of
 * transports and the command line need its name and its flags.
 */
#include "bpf/record.h"
#include "transport/transport.h"

static const char *absent_refuse(const struct workload_spec *spec)
{
	return "not in unit tests";
}

static size_t absent_size_max(void)
{
	return 1;
}

const struct transport_ops kernel_transport = {
	.name = "kernel",
	.summary = "stands for the real one",
	.id = TRANSPORT_KERNEL,
	.notes_handover = true,
	.kernel_sends = true,
	.refuse = absent_refuse,
	.size_max = absent_size_max,
};
