/* SPDX-License-Identifier: BSD-2-Clause */
#include "workload/privileges.h"
#include "log.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* (uid_t)-1 means "leave as it is" to the kernel, so it is no id. */
#define ID_MAX (UINT_MAX - 1)

static int id_parse(const char *variable, unsigned int *id)
{
	const char *text = getenv(variable);
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value > ID_MAX) {
		log_error("cannot run the workload as you: %s=%s: not a user or group number: "
			  "run with sudo, or unset %s",
			  variable, text, variable);
		return -EINVAL;
	}
	*id = (unsigned int)value;
	return 0;
}

int privileges_find(struct identity *identity)
{
	int err;

	*identity = (struct identity){.drop = false};
	if (geteuid() != 0 || !getenv("SUDO_UID") || !getenv("SUDO_GID"))
		return 0;
	err = id_parse("SUDO_UID", &identity->uid);
	if (!err)
		err = id_parse("SUDO_GID", &identity->gid);
	if (!err)
		identity->drop = identity->uid != 0;
	return err;
}

int privileges_drop(const struct identity *identity)
{
	if (!identity->drop)
		return 0;
	/* The groups first: they can't be changed without root. */
	if (setgroups(0, NULL) || setgid(identity->gid) || setuid(identity->uid))
		return -errno;
	return 0;
}
