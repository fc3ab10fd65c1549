/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the type information of the kernel (BTF), and logs why loading failed. */
#include "tracer/kernel_types.h"

#include "tracer/tracer_spec.h"
#include "util/log.h"
#include "util/rights.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_TYPES "/sys/kernel/btf/vmlinux"

/* libbpf reports some of this as EIO only, such as an empty file or a folder. */
static const char *reason_of(const char *path, int err)
{
	struct stat file;

	if (stat(path, &file) || access(path, R_OK))
		return strerror(errno);
	if (S_ISDIR(file.st_mode))
		return "it is a directory";
	if (!S_ISREG(file.st_mode))
		return "it is no regular file";
	if (!file.st_size)
		return "it is empty";
	if (err == EINVAL)
		return "its BTF is damaged";
	return err == ENOMEM ? strerror(err) : "there is no BTF in it";
}

static bool is_same_as(const void *bytes, size_t size, FILE *file)
{
	char piece[4096];
	size_t at = 0, got;

	while ((got = fread(piece, 1, sizeof(piece), file))) {
		if (got > size - at || memcmp(piece, (const char *)bytes + at, got))
			return false;
		at += got;
	}
	return at == size;
}

/* A kernel without its own types cannot be compared. */
static bool is_of_other_kernel(const struct btf *types)
{
	FILE *own = fopen(OWN_TYPES, "re");
	__u32 size;
	const void *bytes = btf__raw_data(types, &size);
	bool differs;

	if (!own)
		return false;
	differs = !bytes || !is_same_as(bytes, size, own);
	fclose(own);
	return differs;
}

static struct btf *load_from(const char *path)
{
	struct btf *types = btf__parse(path, NULL);
	int err = errno;

	if (types && is_of_other_kernel(types)) {
		log_error("cannot trace: --btf '%s': its types are not those that this kernel has "
			  "itself, in " OWN_TYPES ": leave out --btf",
			  path);
		btf__free(types);
		errno = EINVAL;
		return NULL;
	}
	if (types)
		return types;
	log_error("cannot trace: no type information of the kernel: --btf '%s': %s: name a file of "
		  "BTF, made of this very kernel",
		  path, reason_of(path, err));
	errno = err;
	return NULL;
}

static struct btf *load_own(const struct tracer_spec *spec)
{
	struct btf *types = btf__load_vmlinux_btf();
	int err;

	/* libbpf has tried several places and returns the error of the last one. */
	if (!types)
		types = btf__parse(OWN_TYPES, NULL);
	if (types)
		return types;
	err = errno;
	if (err == ENOMEM)
		log_error("cannot trace: no memory for the kernel's types: " OWN_TYPES ": %s",
			  strerror(err));
	else
		log_error("cannot trace: no type information of the kernel: " OWN_TYPES ": %s: use "
			  "a kernel with CONFIG_DEBUG_INFO_BTF%s",
			  strerror(err), spec->attach ? "" : ", or --btf FILE");
	errno = err;
	return NULL;
}

struct btf *kernel_types_load(const struct tracer_spec *spec)
{
	struct btf *types;
	bool was_used;

	if (!spec->types)
		return load_own(spec);
	was_used = rights_lower();
	types = load_from(spec->types);
	rights_restore(was_used);
	return types;
}

/*
 * Translates a thread id of the tracer's PID namespace. The BPF program find_pid_ns() finds the id
 * in the initial PID namespace, which spans the whole machine.
 */

pid_t kernel_ids_find(int program, pid_t tid)
{
	uint64_t arguments[] = {tid};
	LIBBPF_OPTS(bpf_test_run_opts, how, .ctx_in = arguments, .ctx_size_in = sizeof(arguments));

	return bpf_prog_test_run_opts(program, &how) ? -errno : (pid_t)how.retval;
}
