/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds options that the command line has more than once, before argp parses them. */
#include "cli/repeated.h"

#include "util/log.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What getopt returns: a character for a short option, from here on the number of a long one. */
#define LONG_FIRST 0x100

/* Of a short option: the character and two colons. */
#define SHORT_LEN 3

struct given {
	const struct argp_option *option;
	bool has_been;     /* in the command line so far */
	const char *value; /* NULL: it was given without */
};

struct scan {
	struct given *given;   /* owned; [cnt]: all options of the command */
	struct option *option; /* owned; ends with zeros */
	char *letters;         /* owned */
	size_t cnt;
};

static void scan_free(struct scan *scan)
{
	free(scan->given);
	free(scan->option);
	free(scan->letters);
}

static bool is_option(const struct argp_option *option)
{
	return !(option->flags & OPTION_DOC) && (option->name || option->key);
}

static bool is_letter(int key)
{
	return key > 0 && key < LONG_FIRST;
}

/* Without `given`, counts them. */
static size_t find_options(const struct argp *argp, struct given *given, size_t cnt)
{
	for (const struct argp_option *option = argp->options;
	     option && (option->name || option->key || option->doc); option++) {
		if (!is_option(option))
			continue;
		if (given)
			given[cnt].option = option;
		cnt++;
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		cnt = find_options(child->argp, given, cnt);
	return cnt;
}

static int takes(const struct argp_option *option)
{
	if (!option->arg)
		return no_argument;
	return option->flags & OPTION_ARG_OPTIONAL ? optional_argument : required_argument;
}

/* With "-" in front, getopt leaves the words in their order. */
static void describe(struct scan *scan)
{
	struct option *at = scan->option;
	char *letter = scan->letters;

	*letter++ = '-';
	for (size_t i = 0; i < scan->cnt; i++) {
		const struct argp_option *option = scan->given[i].option;
		int has_arg = takes(option);

		if (option->name)
			*at++ = (struct option){option->name, has_arg, NULL, LONG_FIRST + (int)i};
		if (!is_letter(option->key))
			continue;
		*letter++ = (char)option->key;
		for (int colon = 0; colon < has_arg; colon++)
			*letter++ = ':';
	}
}

static int scan_new(const struct argp *argp, struct scan *scan)
{
	size_t cnt = find_options(argp, NULL, 0);

	*scan = (struct scan){.given = calloc(cnt + 1, sizeof(*scan->given)),
			      .option = calloc(cnt + 1, sizeof(*scan->option)),
			      .letters = calloc(cnt + 1, SHORT_LEN),
			      .cnt = cnt};
	if (!scan->given || !scan->option || !scan->letters) {
		scan_free(scan);
		return ENOMEM;
	}
	find_options(argp, scan->given, 0);
	describe(scan);
	return 0;
}

/* NULL: a word that is no option, or an unknown option. */
static struct given *given_of(struct scan *scan, int returned)
{
	if (returned >= LONG_FIRST)
		return &scan->given[returned - LONG_FIRST];
	for (size_t i = 0; i < scan->cnt; i++) {
		if (scan->given[i].option->key == returned)
			return &scan->given[i];
	}
	return NULL;
}

static int refuse(const struct given *given, const char *value)
{
	const char *option = given->option->name;

	if (!value || !given->value)
		log_error("--%s: '%s': given twice, once without a value: give it once", option,
			  value ?: given->value);
	else
		log_error("--%s: '%s': given twice, before that with '%s': give it once", option,
			  value, given->value);
	return EINVAL;
}

static int add(struct given *given, const char *value)
{
	bool is_equal = !value == !given->value && (!value || !strcmp(value, given->value));

	if (given->has_been && !is_equal && !(given->option->flags & OPTION_ADDS_UP))
		return refuse(given, value);
	given->has_been = true;
	given->value = value;
	return 0;
}

int repeated_check(const struct argp *argp, int argc, char **argv)
{
	struct scan scan;
	int err = scan_new(argp, &scan);
	int returned;

	if (err)
		return err;
	/* 0: getopt starts anew, with another command line than before. */
	optind = 0;
	opterr = 0;
	while (!err && (returned = getopt_long(argc, argv, scan.letters, scan.option, NULL)) >= 0) {
		struct given *given = given_of(&scan, returned);

		if (returned == '?' || (given && given->option->flags & OPTION_ENDS))
			break;
		if (given)
			err = add(given, optarg);
	}
	scan_free(&scan);
	return err;
}
