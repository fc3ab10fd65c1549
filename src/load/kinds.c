/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the background loads. Finds a load by the argument of --load, and checks whether the
 * programs of the load are installed.
 */
#include "load/kind.h"
#include "util/word_list.h"

#include <stdio.h>
#include <string.h>

const struct load_kind *const load_kinds[] = {
	&launch_load, &ftp_load, &window_load, &cpu_load, &io_load, &memory_load, NULL,
};

const char *load_names(void)
{
	static char names[64];
	struct word_list list = {.text = names, .size = sizeof(names)};

	for (size_t i = 0; load_kinds[i]; i++)
		word_list_add(&list, "%s", load_kinds[i]->name);
	return names;
}

const struct load_kind *load_kind_find(const char *text)
{
	for (size_t i = 0; load_kinds[i]; i++)
		if (!strcmp(text, load_kinds[i]->name))
			return load_kinds[i];
	return &command_load;
}

static const struct need *need_find(const struct load_kind *kind)
{
	for (const struct need *need = kind->needs; need && need->program; need++)
		if (!site_has_program(need->program))
			return need;
	return kind->lacks ? kind->lacks() : NULL;
}

bool load_refuse(const char *text, char why[LOAD_WHY_LEN])
{
	const struct need *need;

	if (!text[strspn(text, " \t\n")]) {
		snprintf(why, LOAD_WHY_LEN,
			 "cannot start the load: '%s': the name is empty: use one of %s, or a "
			 "command",
			 text, load_names());
		return true;
	}
	need = need_find(load_kind_find(text));
	if (!need)
		return false;
	snprintf(why, LOAD_WHY_LEN,
		 "cannot start the load: '%s': %s is not installed: install the Debian package %s",
		 text, need->program, need->package);
	return true;
}
