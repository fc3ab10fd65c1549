/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs errors of libbpf, and says what the user can do. */
#include "tracer/bpf_failure.h"

#include "util/log.h"
#include "util/memory.h"
#include "util/process_limits.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define WORDS_LEN 128

static void bpf_failure_say_remedy(const char *what, int err, const char *remedy)
{
	char words[WORDS_LEN];

	libbpf_strerror(err, words, sizeof(words));
	log_error("%s: %s: %s", what, words, remedy);
}

void bpf_failure_say(const char *what, int err)
{
	/* libbpf does not always return ENOMEM when it lacks memory. */
	if (err == -ENOMEM || memory_is_short())
		log_error("%s: %s", what, strerror(ENOMEM));
	else if (err == -EMFILE || files_are_few())
		log_error("%s: %s", what, strerror(EMFILE));
	else
		bpf_failure_say_remedy(what, err, "run with -vv to see why");
}

/* Where this limit counts, libbpf raises it, unless that is forbidden. */
static bool is_locked_short(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

void bpf_failure_say_load(int err, bool locks_memory)
{
	const char *what = "cannot load BPF programs and their maps";

	if (err != -EPERM)
		bpf_failure_say(what, err);
	else if (locks_memory && is_locked_short())
		bpf_failure_say_remedy(
			what, err, "raise the limit of locked memory (RLIMIT_MEMLOCK, ulimit -l)");
	else
		bpf_failure_say_remedy(what, err, "see dmesg, the kernel may be locked down");
}
