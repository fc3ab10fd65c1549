/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the tables of options that commands share, and the command line of each command. */
#pragma once

#include "cli/option_table.h"
#include "cli/options.h"

/* Of a struct output_options. */
extern const struct option_table whole_table;      /* for commands that show no messages */
extern const struct option_table screen_table;     /* the same, with a first screen */
extern const struct option_table message_table;    /* for commands that show messages */
extern const struct option_table run_report_table; /* as message_table, for those that show runs */

/* Of a struct select_options. */
extern const struct option_table select_table;        /* of `explain`: all of them */
extern const struct option_table report_select_table; /* of `report`: which messages are shown */

/* Of a struct call_options. */
extern const struct option_table call_table;        /* for an attach */
extern const struct option_table report_call_table; /* for reports of an attach */

/* Of a struct trace_options: for commands that trace. */
extern const struct option_table explain_live_table; /* --explain */
extern const struct option_table watch_table;        /* --trigger, --stop-at and --on-slow */

/* Refuse options of `attach`. */
extern const struct option_table attach_hint_table; /* in other commands */
extern const struct option_table list_hint_table;   /* in `list`, which has some of them itself */

extern const struct command_syntax run_syntax;
extern const struct command_syntax attach_syntax;
extern const struct command_syntax report_syntax;
extern const struct command_syntax explain_syntax;
extern const struct command_syntax list_syntax;
extern const struct command_syntax doctor_syntax;

/* Help that several tables have. */
#define UNIT_HELP                                                                                  \
	"message\ta message\n"                                                                     \
	"call\ta request with its answer\n"                                                        \
	"round\ta message to each client, until the last one has it\n"                             \
	"connection\tfrom connect() to accept()"

#define NO_LIMIT_HELP                                                                              \
	"Analyse the recording, however long that takes (default: stop if it takes much longer "   \
	"than a good recording of its size). Use this only for recordings that you trust."

/* For the end of the help of a command. */
#define DURATION_HELP "DUR is a number with a unit: ns, us, ms, s or m. Example: 10ms or 0.5s.\n"
#define GLOB_HELP     "GLOB is a name with wildcards. Example: 'redis-*'.\n"

/* Sets the defaults. 0 or -ENOMEM. */
int run_options_init(struct run_options *run);
void run_options_clean(struct run_options *run);
