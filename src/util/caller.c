/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads SUDO_UID and SUDO_GID to find the user that called sudo. Switches a child process to that
 * user.
 */
#include "util/caller.h"

#include "util/caller_environment.h"
#include "util/log.h"
#include "util/rights.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* To the kernel (uid_t)-1 means "leave unchanged", so it is no id. */
#define ID_MAX (UINT_MAX - 1)

/* More groups than the kernel allows for a process. */
#define GROUPS_MAX (1 << 17)

/* Digits alone: strtoul() also reads blanks and a sign, which sudo never writes. */
static int id_parse(const char *variable, unsigned int *id)
{
	const char *text = getenv(variable) ?: "";
	bool is_number = *text && !text[strspn(text, "0123456789")];
	unsigned long value;

	errno = 0;
	value = strtoul(text, NULL, 10);
	if (!is_number || errno || value > ID_MAX) {
		log_error("cannot find the user that called sudo: %s='%s': no user or group "
			  "id: run with sudo, or unset SUDO_UID and SUDO_GID",
			  variable, text);
		return -EINVAL;
	}
	*id = (unsigned int)value;
	return 0;
}

/*
 * Several names can share a number; sudo reports the name that was used. NULL: there is no entry.
 */
static const struct passwd *entry_find(uid_t uid)
{
	const char *name = getenv("SUDO_USER");
	const struct passwd *entry = name ? getpwnam(name) : NULL;

	return entry && entry->pw_uid == uid ? entry : getpwuid(uid);
}

static int groups_find(struct caller *caller, const char *name)
{
	for (int room = 64; room <= GROUPS_MAX; room *= 2) {
		gid_t *group = realloc(caller->group, room * sizeof(*group));
		int cnt = room;

		if (!group)
			return -ENOMEM;
		caller->group = group;
		if (getgrouplist(name, caller->gid, group, &cnt) < 0)
			continue;
		caller->group_cnt = cnt;
		return 0;
	}
	return -E2BIG;
}

/* A user without an entry has no supplementary groups, and the home directory of login(1). */
static int caller_describe(struct caller *caller)
{
	const struct passwd *entry = entry_find(caller->uid);
	struct account account = {.name = getenv("SUDO_USER"), .home = "/", .shell = "/bin/sh"};
	char **theirs = caller_environment_of_sudo(caller->uid);
	int err = 0;

	if (entry)
		account = (struct account){
			.name = entry->pw_name,
			.home = entry->pw_dir,
			.shell = *entry->pw_shell ? entry->pw_shell : "/bin/sh",
		};
	caller->environment = caller_environment(environ, theirs, &account);
	free(theirs);
	if (!caller->environment)
		err = -ENOMEM;
	if (!err && entry)
		err = groups_find(caller, account.name);
	if (err)
		log_error("cannot find the user that called sudo: user %u: %s: end other programs",
			  caller->uid, strerror(-err));
	return err;
}

static int util_caller_find(struct caller *caller)
{
	int err;

	if (geteuid() != 0 || !(getenv("SUDO_UID") || getenv("SUDO_GID")))
		return 0;
	err = id_parse("SUDO_UID", &caller->uid);
	if (!err)
		err = id_parse("SUDO_GID", &caller->gid);
	if (err || !caller->uid)
		return err;
	caller->is_other = true;
	return caller_describe(caller);
}

const struct caller *caller_find(void)
{
	static struct caller caller;
	static bool is_found;

	if (!is_found && util_caller_find(&caller))
		return NULL;
	is_found = true;
	return &caller;
}

int caller_become(const struct caller *caller)
{
	if (!caller->is_other) {
		rights_drop();
		return 0;
	}
	/* Groups first: changing them needs root. */
	if (setgroups(caller->group_cnt, caller->group) || setgid(caller->gid) ||
	    setuid(caller->uid))
		return -errno;
	/* The change of user leaves the inheritable capabilities. */
	rights_drop();
	if (caller->environment)
		environ = caller->environment;
	return 0;
}
