/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens files without a name. */
#include "util/temporary_file.h"

#include "util/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Not /tmp, which is often in memory. */
#define FOLDER "/var/tmp"

const char *temporary_file_folder(void)
{
	const char *given = getenv("TMPDIR");

	return given && given[0] == '/' ? given : FOLDER;
}

/* Some file systems have no files without a name: there the name is removed at once. */
static int file_make(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[PATH_MAX];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	snprintf(name, sizeof(name), "%s/.ipctrace-XXXXXX", folder);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int temporary_file_open(const char *folder)
{
	bool was_used = rights_lower();
	int fd = file_make(folder);

	rights_restore(was_used);
	return fd;
}
