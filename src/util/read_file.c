/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lines and fields of small text files. */
#include "util/read_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *open_below(const char *root, const char *path)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	return fopen(whole, "re");
}

bool read_line(const char *root, const char *path, char *line, size_t size)
{
	FILE *file = open_below(root, path);
	bool read = file && fgets(line, size, file);

	if (file)
		fclose(file);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read && *line;
}

bool read_number(const char *root, const char *path, long long *number)
{
	char line[64], *end;

	if (!read_line(root, path, line, sizeof(line)))
		return false;
	*number = strtoll(line, &end, 10);
	return end != line;
}

bool read_field(const char *root, const char *path, const char *words, char *rest, size_t size)
{
	FILE *file = open_below(root, path);
	char line[4096];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		size_t at = strlen(words);

		if (strncmp(line, words, at))
			continue;
		at += strspn(line + at, " \t");
		line[strcspn(line, "\n")] = '\0';
		snprintf(rest, size, "%s", line + at);
		found = true;
	}
	if (file)
		fclose(file);
	return found;
}

bool is_there(const char *root, const char *path)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	return !access(whole, F_OK);
}
