/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a struct of options for every command. The parsers in this folder fill in the structs,
 * and the commands read the structs.
 */
#pragma once

#include "explain/selection.h"
#include "model/condition.h"
#include "model/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct experiment;
struct report_format;

enum command {
	COMMAND_RUN,
	COMMAND_ATTACH,
	COMMAND_REPORT,
	COMMAND_EXPLAIN,
	COMMAND_LIST,
	COMMAND_DOCTOR,
	NR_COMMANDS
};

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/*
 * How and where results are shown: the first member of every command's options. Strings are
 * borrowed from argv.
 */
struct output_options {
	const struct report_format *format;
	const char *path; /* NULL: standard output */
	enum color color;
	bool has_unit; /* `unit` is what -f hgrm shows; else the summary decides */
	enum unit_kind unit;
	bool is_brief;        /* only the first screen of the text report */
	bool shows_published; /* published figures beside those of the runs, in the text report */
	const char *figure;   /* the only one of the report; NULL: all */
	uint64_t slower_than_ns; /* faster messages are only counted; 0: all are shown */
	uint64_t max_bytes;      /* of a trace (perfetto) */
	int verbosity;           /* -1: quiet; 0: default; 1, 2: -v, -vv */
};

/* Which messages are selected. Strings are borrowed from argv. */
struct select_options {
	struct selection selection; /* without `client` and `caller` */
	bool has_between;           /* --between was given */
	const char *around;  /* an instant, or a message: see select_around(); NULL: not given */
	const char *client;  /* a number, or a name: see select_client(); NULL: not given */
	const char *against; /* AGAINST_FILE: the path */
	bool has_unit;
	enum unit_kind unit;
	const char *is_for_figures; /* the name of an option that needs figures; NULL: none */
	const char *given;          /* the name of the last option of these; NULL: there is none */
};

/* --explain of commands that trace: their report then says why slow messages were slow. */
struct explain_live_options {
	bool is_asked;
	struct select_options select; /* --slowest, and --slower-than of the output */
};

/* How the calls of an attach are found. A call is a request with its answer. */
struct call_options {
	bool in_turn;               /* answers come in the order of requests */
	char server[SPEC_TEXT_LEN]; /* numbers and globs, between commas: these serve; empty: not
				       given */
	char client[SPEC_TEXT_LEN]; /* the same: these call */
};

/*
 * Conditions that are compared while tracing goes on: what to record around slow messages, when to
 * stop, and which command to execute.
 */
struct watch_options {
	struct condition trigger; /* of --trigger, or of --slower-than; no steps: none */
	struct condition stop;    /* no steps: none */
	bool has_trigger;         /* --trigger was given */
	uint64_t keep_ns;
	bool has_keep;
	uint32_t count;      /* windows, then tracing ends; 0: no limit */
	const char *on_slow; /* a command; NULL: none */
};

/* Whether any condition is to be compared. */
static inline bool watch_options_given(const struct watch_options *watch)
{
	return watch->trigger.step_cnt || watch->stop.step_cnt;
}

/* What the commands that trace have in common, see cli/trace.h. */
struct trace_options {
	enum level level;
	bool has_level;          /* --level was given */
	uint64_t stacks_over_ns; /* stacks of so long times are recorded; 0: none */
	struct reader_spec reader;
	struct explain_live_options explain;
	struct watch_options watch;
	const char *record; /* NULL: no recording */
};

/* Whether messages are to be explained, which needs --level deep. */
static inline bool trace_options_explain(const struct trace_options *trace)
{
	return trace->explain.is_asked || trace->watch.has_trigger || trace->watch.stop.step_cnt;
}

#define TRANSPORTS_MAX 32

/* Runs in their order, see cli/run_matrix.h. */
struct run_matrix {
	struct workload_spec *spec; /* owned */
	size_t cnt;
};

/* Which options were given: they replace the values of an experiment. */
struct run_given {
	bool transport, pattern, clients, messages, warmup, period, size, handler, load, runs;
	bool threads, policy, server_priority, client_priority;
};

struct run_options {
	struct output_options output;
	struct run_given given;
	struct workload_spec spec;                  /* without the values that lists replace */
	const char *transports[TRANSPORTS_MAX + 1]; /* ends with NULL; static names */
	uint32_t *sizes;                            /* owned; ends with 0 */
	uint32_t *clients;                          /* owned; ends with 0 */
	uint32_t runs;                              /* how often the whole matrix is run */
	const struct experiment *experiment;        /* NULL: none */
	struct run_matrix matrix;                   /* owned: all runs that follow from the above */
	bool no_trace;
	bool overhead;
	struct trace_options trace;
	const char *btf; /* a file of the kernel's types; NULL: the kernel's own */
};

struct report_options {
	struct output_options output;
	struct call_options
		calls; /* of an attach; what is given replaces what the recording says */
	struct select_options select; /* which messages ndjson shows */
	const char *path;
	const char *schema;        /* print the JSON Schema of this name instead; NULL: none */
	uint32_t run;              /* the only one to show, from 1; 0: all */
	bool has_max_size;         /* --max-size was given */
	bool no_limit;             /* the analysis of the recording has no limit */
	uint64_t steps_per_record; /* 0: STEPS_PER_RECORD of container/step_limit.h */
};

struct explain_options {
	struct output_options output;
	struct select_options select;
	struct call_options calls; /* as in struct report_options */
	const char *path;
	bool no_limit;
};

#define PID_LARGEST 4194304 /* the kernel's PID_MAX_LIMIT */

enum target_kind { TARGET_PID, TARGET_COMM, TARGET_CGROUP, TARGET_UNIX, TARGET_PORT };

/* One value of an option that names processes to attach to. */
struct target_choice {
	enum target_kind kind;
	uint32_t number;  /* of TARGET_PID and TARGET_PORT */
	const char *name; /* else: a glob, a folder, or the path or @name of a socket */
};

struct target_list {
	struct target_choice *at; /* owned; in the given order, the same one may be there twice */
	size_t cnt;
};

struct attach_options {
	struct output_options output;
	struct target_list targets; /* all processes that any of these names */
	char *const *command;       /* to start, ends with NULL; NULL: none */
	bool no_children;           /* only later children of the targets are traced */
	bool as_root;             /* start the command as root; else as the user that called sudo */
	char peer[SPEC_TEXT_LEN]; /* numbers and globs, between commas: only messages with such a
				     peer count */
	struct call_options calls;
	uint64_t duration_ns; /* 0: until an interrupt or the exit of the last target */
	uint64_t interval_ns; /* between two lines about the progress; 0: none */
	struct trace_options trace;
};

struct list_options {
	struct output_options output;
	struct target_list processes; /* TARGET_PID, TARGET_COMM; empty: any */
	unsigned int transports;      /* bits of enum transport_id; 0: all */
};

struct doctor_options {
	struct output_options output;
};

struct options {
	enum command command;
	union {
		struct output_options output; /* the first member of each */
		struct run_options run;
		struct attach_options attach;
		struct report_options report;
		struct explain_options explain;
		struct list_options list;
		struct doctor_options doctor;
	};
};
