/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/machine.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[MACHINE_LEN];

int machine_make(void **state)
{
	snprintf(root, sizeof(root), "/tmp/test-machine-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
	return remove(path);
}

int machine_remove(void **state)
{
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS) ? -1 : 0;
}

const char *machine_root(void)
{
	return root;
}

/* Prefixes the path with the root, and makes its folders. */
static void make_folders(const char *path, char whole[PATH_MAX])
{
	snprintf(whole, PATH_MAX, "%s%s", root, path);
	for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
}

int machine_put(const char *path, const char *text)
{
	char whole[PATH_MAX];
	FILE *file;
	int err;

	make_folders(path, whole);
	file = fopen(whole, "we");
	if (!file)
		return -1;
	err = fputs(text, file) < 0;
	return fclose(file) || err ? -1 : 0;
}

int machine_link(const char *path, const char *target)
{
	char whole[PATH_MAX];

	make_folders(path, whole);
	unlink(whole);
	return symlink(target, whole);
}
