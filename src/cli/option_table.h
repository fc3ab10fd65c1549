/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the tables of options. An option is one row: its help, which member of the options gets
 * its value, and by which function. The parser, the help and the check for options that are given
 * twice go through these rows. cli/values.h has the functions for usual values.
 */
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Flags of an option beside those of argp, which uses the lowest bits. */
#define OPTION_ADDS_UP 0x1000 /* all of its values count, together; else they have to be equal */
#define OPTION_ENDS    0x2000 /* prints something and ends the program */

#define OPTIONS_MAX    96 /* of a command, with headings */
#define PARTS_MAX      6

struct parsing;

/*
 * Puts the value of an option to `to`. `arg` is NULL if it has none. 0, ENOMEM, or EINVAL (logged).
 */
typedef int option_set_fn(const struct parsing *parsing, char *arg, void *to);

struct option_row {
	const char *name; /* NULL without a letter: `help` is a heading */
	const char *arg;  /* what the help calls the value; NULL: it has none */
	const char *help;
	void (*values)(FILE *out); /* appends values to the help. NULL: none */
	option_set_fn *set;
	size_t to;                /* offset of `to` in the options of the table */
	size_t given;             /* the same, of a bool that is set then; 0: none */
	size_t named;             /* the same, of a const char * that gets the name of the option */
	uint64_t min, max;        /* of a number */
	const char *const *names; /* of the values, from 0 on; `cnt` of them */
	size_t cnt;
	int letter;         /* 0: none */
	unsigned int flags; /* of argp, and those above */
};

/* `rows` ends with zeros. `end`, if any, checks the options after the last one: 0 or EINVAL. */
struct option_table {
	const struct option_row *rows;
	int (*end)(void *options);
};

/* A table, and where its options are in those of the command. */
struct option_part {
	const struct option_table *table;
	size_t at;
};

/* The command line of one command. */
struct command_syntax {
	const char *name;
	const char *args_doc; /* a line for each form of the command; NULL: only options */
	const char *doc;      /* before the options, '\v', and after them */
	bool in_order;        /* words behind "--" are not moved */

	/* A word that is no option; NULL: there was none. As option_set_fn. NULL: it is refused. */
	int (*argument)(const struct parsing *parsing, char *arg, void *options);
	const char *instead; /* of such a word */

	struct option_part part[PARTS_MAX]; /* in the order of the help; ends with zeros */
};

/* The command line while it is parsed. */
struct parsing {
	const struct command_syntax *syntax;
	const struct option_row *row; /* the current option */
	struct argp_state *state;
	bool is_repeated; /* the option has been given before, if its row has `given` */
};

/* Refuses a word that is no option. EINVAL (logged). */
int argument_refuse(const struct command_syntax *syntax, const char *arg);

/*
 * `argv` is that of argp_parse(): its first word is the program. 0, ENOMEM, or EINVAL (logged).
 * --help and the like exit.
 */
int option_table_parse(const struct command_syntax *syntax, int argc, char **argv, void *options);
