/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the names of system calls with libseccomp. The numbers of system calls depend on the
 * architecture, and a recording may come from another architecture.
 */
#include "report/words/labels.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSCALLS_MAX 512

/* libseccomp needs 1.5 us to find a name, and ndjson asks for names at every message. */
struct name_table {
	char arch[SPEC_TEXT_LEN];
	char name[SYSCALLS_MAX][NAME_LEN]; /* empty: libseccomp does not know the number */
};

static void fill(struct name_table *table, const char *arch)
{
	uint32_t token = seccomp_arch_resolve_name(arch);

	snprintf(table->arch, sizeof(table->arch), "%s", arch);
	for (int i = 0; i < SYSCALLS_MAX; i++) {
		char *name = token ? seccomp_syscall_resolve_num_arch(token, i) : NULL;

		snprintf(table->name[i], NAME_LEN, "%s", name ?: "");
		free(name);
	}
}

static const char *find(const char *arch, uint16_t number)
{
	static struct name_table table;

	if (strcmp(table.arch, arch))
		fill(&table, arch);
	return number < SYSCALLS_MAX ? table.name[number] : "";
}

void syscall_name(const char *arch, uint16_t number, char name[NAME_LEN])
{
	const char *known = number == CALL_OUTSIDE   ? "no call"
			    : number == CALL_STOPPED ? "stopped"
			    : number == CALL_UNKNOWN ? "unknown"
			    : number == CALL_OTHERS  ? "others"
						     : find(arch, number);

	if (known[0])
		snprintf(name, NAME_LEN, "%s", known);
	else
		snprintf(name, NAME_LEN, "call %u", number);
}
