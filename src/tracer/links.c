/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches loaded BPF programs to their tracepoints, and detaches them. */
#include "tracer/links.h"

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
