/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the commands that trace share: the rows that stand among those of the command, and
 * the check of all of struct trace_options, which is the member `trace` of their options.
 */
#pragma once

#include "cli/options.h"
#include "cli/values.h"

option_set_fn set_stacks;        /* uint64_t, ns; its value may be missing */
option_set_fn set_reader_policy; /* struct reader_spec */

/* `type` is the struct of the command's options. */
#define LEVEL_ROW(type)                                                                            \
	{                                                                                          \
		"level", .arg = "NAME", .set = set_name, NAMES(level_names),                       \
			 .to = offsetof(type, trace.level),                                        \
			 .given = offsetof(type, trace.has_level),                                 \
			 .help = "How much to trace (default: full):\n"                            \
				 "full\tall transports, with the times of system calls\n"          \
				 "light\tonly unix sockets and TCP, without the times of system "  \
				 "calls (needs Linux 6.3). This slows other programs less.\n"      \
				 "deep\tas full; also what wakes threads and interrupts them, "    \
				 "for explanations. This costs more.",                             \
	}
#define STACKS_ROW(type)                                                                           \
	{                                                                                          \
		"stacks", .arg = "DUR", .flags = OPTION_ARG_OPTIONAL, .set = set_stacks,           \
			  .to = offsetof(type, trace.stacks_over_ns),                              \
			  .help = "Record the stacks of threads that a traced thread waits for, "  \
				  "and of traced threads that sleep, if it takes DUR or longer "   \
				  "(default: no stacks; without DUR: the time of --slower-than, "  \
				  "or else 100us). The report of ipctrace explain shows them.",    \
	}
#define READER_POLICY_ROW(type)                                                                    \
	{                                                                                          \
		"reader-policy", .arg = "POLICY", .set = set_reader_policy,                        \
				 .to = offsetof(type, trace.reader),                               \
				 .help = "How ipctrace itself gets a CPU to read and analyse "     \
					 "records (default: idle):\n"                              \
					 "idle\tonly when no other thread wants it; if the "       \
					 "buffer fills up, before others\n"                        \
					 "other\tas any other thread\n"                            \
					 "LIST\tas any other thread, but only on these CPUs, for " \
					 "example 0,4-5",                                          \
	}
#define RECORD_ROW(type)                                                                           \
	{                                                                                          \
		"record", .arg = "FILE", .set = set_text, .to = offsetof(type, trace.record),      \
			  .help = "Write all records to FILE, for ipctrace report (default: no "   \
				  "recording)",                                                    \
	}

/*
 * Checks the options against each other and against those of the output, and fills in defaults. 0,
 * or EINVAL (logged).
 */
int trace_options_finish(struct trace_options *trace, const struct output_options *output);
