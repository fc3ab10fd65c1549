/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses and stores the usual values of options. */
#include "cli/values.h"

#include "util/log.h"
#include "util/parse.h"

#include <errno.h>
#include <string.h>

#define NAMES_LEN 128

int refuse_value(const char *option, const char *why)
{
	log_error("--%s: %s", option, why);
	return EINVAL;
}

int refuse_word(const char *option, const char *word, const char *known)
{
	log_error("--%s: '%s': unknown value: use one of %s", option, word, known);
	return EINVAL;
}

int parse_bounded(const char *option, const char *arg, uint64_t min, uint64_t max, uint64_t *value)
{
	char why[PARSE_WHY_LEN];

	return parse_number(arg, min, max, value, why) ? refuse_value(option, why) : 0;
}

int set_flag(const struct parsing *parsing, char *arg, void *to)
{
	(void)parsing;
	(void)arg;
	*(bool *)to = true;
	return 0;
}

int set_text(const struct parsing *parsing, char *arg, void *to)
{
	(void)parsing;
	*(const char **)to = arg;
	return 0;
}

int set_number(const struct parsing *parsing, char *arg, void *to)
{
	const struct option_row *row = parsing->row;

	return parse_bounded(row->name, arg, row->min, row->max, to);
}

int set_count(const struct parsing *parsing, char *arg, void *to)
{
	uint64_t value;
	int err = set_number(parsing, arg, &value);

	if (!err)
		*(uint32_t *)to = (uint32_t)value;
	return err;
}

int set_duration(const struct parsing *parsing, char *arg, void *to)
{
	char why[PARSE_WHY_LEN];

	return parse_duration(arg, to, why) ? refuse_value(parsing->row->name, why) : 0;
}

/* "full, light or deep" */
static void join_names(const struct option_row *row, char text[NAMES_LEN])
{
	size_t at = 0;

	for (size_t i = 0; i < row->cnt && at < NAMES_LEN; i++)
		at += (size_t)snprintf(text + at, NAMES_LEN - at, "%s%s",
				       !i                  ? ""
				       : i + 1 == row->cnt ? " or "
							   : ", ",
				       row->names[i]);
}

int set_name(const struct parsing *parsing, char *arg, void *to)
{
	const struct option_row *row = parsing->row;
	char names[NAMES_LEN];

	for (size_t i = 0; i < row->cnt; i++) {
		if (strcmp(arg, row->names[i]))
			continue;
		*(unsigned int *)to = (unsigned int)i;
		return 0;
	}
	join_names(row, names);
	return refuse_word(row->name, arg, names);
}

int set_processes(const struct parsing *parsing, char *arg, void *to)
{
	char *text = to;
	size_t length = strlen(text);

	if (!arg[0] || length + 1 + strlen(arg) >= SPEC_TEXT_LEN) {
		log_error("--%s: '%s': %s", parsing->row->name, arg,
			  arg[0] ? "all names of this option are too long: use a pattern"
				 : "not a name of a process: give a name, a glob or a PID");
		return EINVAL;
	}
	snprintf(text + length, SPEC_TEXT_LEN - length, "%s%s", length ? "," : "", arg);
	return 0;
}

void value_help(FILE *out, const char *value, const char *meaning)
{
	fprintf(out, "\n%s\t%s", value, meaning);
}
