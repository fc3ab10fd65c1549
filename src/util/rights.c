/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lowers and drops capabilities. The permitted set holds what a thread may use again, and the
 * effective set what counts now (capabilities(7)).
 */
#include "util/rights.h"

#include "util/log.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Missing in old versions of linux/capability.h. */
#define NUMBER_OF_PERFMON 38
#define NUMBER_OF_BPF     39

#define BIT(capability)   (1ULL << (capability))

/*
 * To load and attach BPF programs; to see the files, images and network namespaces of other users'
 * processes; to name functions of the kernel; for priorities, control groups and large queues.
 */
#define NEEDED                                                                                     \
	(BIT(NUMBER_OF_BPF) | BIT(NUMBER_OF_PERFMON) | BIT(CAP_SYS_ADMIN) | BIT(CAP_SYS_PTRACE) |  \
	 BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_SYSLOG) | BIT(CAP_SYS_NICE) |  \
	 BIT(CAP_SYS_RESOURCE))

struct sets {
	uint64_t permitted, effective, inheritable;
};

_Noreturn static void rights_fail(const char *what)
{
	log_error("cannot give up rights: %s: %s: run it where this system call is allowed", what,
		  strerror(errno));
	_exit(EXIT_FAILURE);
}

static struct sets sets_read(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &header, half))
		rights_fail("capget");
	return (struct sets){
		.permitted = half[0].permitted | (uint64_t)half[1].permitted << 32,
		.effective = half[0].effective | (uint64_t)half[1].effective << 32,
		.inheritable = half[0].inheritable | (uint64_t)half[1].inheritable << 32,
	};
}

static void sets_write(const struct sets *sets)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3] = {
		{sets->effective, sets->permitted, sets->inheritable},
		{sets->effective >> 32, sets->permitted >> 32, sets->inheritable >> 32},
	};

	if (syscall(SYS_capset, &header, half))
		rights_fail("capset");
}

/*
 * A program that was executed with the set-user-ID or set-group-ID bit. The capabilities stay, as
 * of a program that has them from its file. What root itself starts stays as it is.
 */
static void become_real_user(void)
{
	uid_t user = getuid();
	gid_t group = getgid();

	if (!user || (user == geteuid() && group == getegid()))
		return;
	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(group, group, group) ||
	    setresuid(user, user, user) || prctl(PR_SET_KEEPCAPS, 0))
		rights_fail("setresuid");
}

/*
 * The ambient set needs no step of its own: a capability leaves it when it is no longer both
 * permitted and inheritable. A sandbox may forbid capset(2) to a process that has nothing anyway.
 */
static void rights_keep(uint64_t wanted)
{
	struct sets sets = sets_read();

	if (!(sets.permitted | sets.effective | sets.inheritable))
		return;
	sets = (struct sets){.permitted = sets.permitted & wanted};
	sets_write(&sets);
}

void rights_begin(void)
{
	/* The change of user empties the effective set. */
	uint64_t used = sets_read().effective;

	become_real_user();
	if (geteuid())
		rights_keep(NEEDED & used);
}

void rights_use(void)
{
	struct sets sets;

	if (!geteuid())
		return;
	sets = sets_read();
	if (sets.effective == sets.permitted)
		return;
	sets.effective = sets.permitted;
	sets_write(&sets);
}

void rights_drop(void)
{
	if (geteuid())
		rights_keep(0);
}

bool rights_lower(void)
{
	struct sets sets;
	int before = errno;

	if (!geteuid())
		return false;
	sets = sets_read();
	if (!sets.effective)
		return false;
	sets.effective = 0;
	sets_write(&sets);
	errno = before;
	return true;
}

void rights_restore(bool was_used)
{
	int before = errno;

	if (was_used)
		rights_use();
	errno = before;
}

uint64_t rights_effective(void)
{
	return sets_read().effective;
}
