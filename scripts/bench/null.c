/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor of what tracing costs: empty programs at tracepoints, as many as named, until standard
 * input ends.
 *
 *	null TRACEPOINT...
 *
 * A name may come more than once. Prints "ready" when all are attached.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

static int attach_empty(const struct btf *kernel, const char *tracepoint)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_RAW_TP);
	char type[128];
	int id, program;

	snprintf(type, sizeof(type), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF);
	if (id < 0)
		return id;
	options.attach_btf_id = id;
	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "nothing", "GPL", nothing,
				sizeof(nothing) / sizeof(nothing[0]), &options);
	return program < 0 ? program : bpf_raw_tracepoint_open(NULL, program);
}

int main(int argc, char **argv)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	int err;

	if (!kernel) {
		perror("null: no type information of the kernel");
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		err = attach_empty(kernel, argv[i]);
		if (err < 0) {
			fprintf(stderr, "null: cannot attach: %s: %s\n", argv[i],
				strerror(-err));
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
