/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracepoint.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_hidden(const char *tracepoint)
{
	const char *word = getenv("IPCTRACE_WITHOUT");
	size_t size = strlen(tracepoint);

	while (word) {
		size_t length = strcspn(word, ",");

		if (length == size && !strncmp(word, tracepoint, size))
			return true;
		word = word[length] ? word + length + 1 : NULL;
	}
	return false;
}

bool tracepoint_is_there(const struct btf *types, const char *name)
{
	char type[128];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return !is_hidden(name) && btf__find_by_name_kind(types, type, BTF_KIND_TYPEDEF) > 0;
}

/*
 * They are guarded by an SRCU of theirs. Older kernels had one of this name for the few that fire
 * where RCU does not watch, until tracepoints came to have a struct tracepoint_ext.
 */
bool tracepoints_preempt(const struct btf *types)
{
	return btf__find_by_name_kind(types, "tracepoint_ext", BTF_KIND_STRUCT) > 0 &&
	       btf__find_by_name_kind(types, "tracepoint_srcu_srcu_data", BTF_KIND_VAR) > 0;
}
