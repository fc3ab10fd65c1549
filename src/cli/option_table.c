/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses a command line by the tables of its command. First it is read without effect, to refuse an
 * option that is given twice, whatever else is wrong.
 */
#include "cli/option_table.h"

#include "util/log.h"

#include <errno.h>
#include <string.h>

/* The keys of argp: a letter, or the number of the option from here on. */
#define KEY_FIRST 0x100

struct entry {
	const struct option_row *row;
	size_t at;         /* as in struct option_part */
	bool has_been;     /* in the command line so far */
	const char *value; /* NULL: it was given without */
};

struct reading {
	struct parsing parsing;
	char *options; /* of the command */
	bool is_check; /* for options that are given twice */
	bool is_refused;
	size_t cnt;
	struct entry entry[OPTIONS_MAX];
	struct argp_option option[OPTIONS_MAX + 1];
};

static bool is_last(const struct option_row *row)
{
	return !row->name && !row->letter && !row->help;
}

/* argp sorts the groups of --usage by the number of headings before them in their table. */
static void add_table(struct reading *reading, const struct option_part *part)
{
	int group = 0;

	for (const struct option_row *row = part->table->rows;
	     !is_last(row) && reading->cnt < OPTIONS_MAX; row++) {
		size_t i = reading->cnt++;
		bool is_heading = !row->name && !row->letter;

		group += is_heading;
		reading->entry[i] = (struct entry){.row = row, .at = part->at};
		reading->option[i] = (struct argp_option){
			.name = row->name,
			.key = is_heading    ? 0
			       : row->letter ? row->letter
					     : KEY_FIRST + (int)i,
			.arg = row->arg,
			.flags = (int)row->flags,
			.doc = row->help,
			.group = group,
		};
	}
}

static int option_table_refuse(const struct entry *entry, const char *value)
{
	const char *option = entry->row->name;

	if (!value || !entry->value)
		log_error("--%s: '%s': given twice, once without a value: give it once", option,
			  value ?: entry->value);
	else
		log_error("--%s: '%s': given twice, before that with '%s': give it once", option,
			  value, entry->value);
	return EINVAL;
}

/* Any error ends the check: what argp itself refuses, it refuses again later. */
static error_t option_table_check(struct reading *reading, struct entry *entry, const char *value)
{
	bool is_equal = !value == !entry->value && (!value || !strcmp(value, entry->value));

	if (entry->row->flags & OPTION_ENDS)
		return ECANCELED;
	if (entry->has_been && !is_equal && !(entry->row->flags & OPTION_ADDS_UP)) {
		reading->is_refused = true;
		return option_table_refuse(entry, value);
	}
	entry->has_been = true;
	entry->value = value;
	return 0;
}

static error_t option_table_set(struct reading *reading, const struct entry *entry, char *arg)
{
	const struct option_row *row = entry->row;
	char *options = reading->options + entry->at;
	bool none = false, *given = row->given ? (bool *)(options + row->given) : &none;
	error_t err;

	reading->parsing.row = row;
	reading->parsing.is_repeated = *given;
	err = row->set(&reading->parsing, arg, options + row->to);
	*given = true;
	if (row->named)
		*(const char **)(options + row->named) = row->name;
	return err;
}

/* As argp does with its own tables: the last one first, and the command's own at the end. */
static error_t option_table_end(const struct reading *reading)
{
	const struct option_part *part = reading->parsing.syntax->part;
	size_t i = 0;
	error_t err = 0;

	while (i < PARTS_MAX && part[i].table)
		i++;
	while (!err && i--) {
		if (part[i].table->end)
			err = part[i].table->end(reading->options + part[i].at);
	}
	return err;
}

int argument_refuse(const struct command_syntax *syntax, const char *arg)
{
	log_error("unexpected argument: '%s': %s has only options: %s", arg, syntax->name,
		  syntax->instead);
	return EINVAL;
}

static error_t argument(const struct reading *reading, char *arg)
{
	const struct command_syntax *syntax = reading->parsing.syntax;

	if (syntax->argument)
		return syntax->argument(&reading->parsing, arg, reading->options);
	return arg ? argument_refuse(syntax, arg) : 0;
}

static error_t cli_option_table_parse(int key, char *arg, struct argp_state *state)
{
	struct reading *reading = state->input;

	reading->parsing.state = state;
	for (size_t i = 0; key > 0 && i < reading->cnt; i++) {
		struct entry *entry = &reading->entry[i];

		if (reading->option[i].key == key)
			return reading->is_check ? option_table_check(reading, entry, arg)
						 : option_table_set(reading, entry, arg);
	}
	switch (key) {
	case ARGP_KEY_ARG:
	case ARGP_KEY_NO_ARGS:
		return reading->is_check ? 0 : argument(reading, arg);
	case ARGP_KEY_END:
		return reading->is_check ? 0 : option_table_end(reading);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int option_table_parse(const struct command_syntax *syntax, int argc, char **argv, void *options)
{
	struct reading reading = {.parsing.syntax = syntax, .options = options, .is_check = true};
	const struct argp argp = {.options = reading.option,
				  .parser = cli_option_table_parse,
				  .args_doc = syntax->args_doc};
	unsigned int flags = ARGP_NO_HELP | (syntax->in_order ? ARGP_IN_ORDER : 0);

	for (size_t i = 0; i < PARTS_MAX && syntax->part[i].table; i++)
		add_table(&reading, &syntax->part[i]);
	argp_parse(&argp, argc, argv, ARGP_SILENT | ARGP_IN_ORDER, NULL, &reading);
	if (reading.is_refused)
		return EINVAL;
	reading.is_check = false;
	return argp_parse(&argp, argc, argv, flags, NULL, &reading);
}
