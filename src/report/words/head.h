/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the words for the workload and the machine: the head of a report. */
#pragma once

#include "insight/focus.h"
#include "report/words/paragraph.h"

/* Words of the first line. A run matrix has several values of each. */
struct workload_words {
	const char *pattern;   /* push */
	const char *transport; /* uds */
	char clients[64];      /* 5 clients */
	char messages[64];     /* 1000 messages */
	char size[64];         /* 64 bytes */
	const char *handler;   /* echo; empty: none */
	const char *load;      /* launch; empty: none */
	uint32_t least_runs;   /* of one configuration */
	uint32_t most_runs;
};

/* "push over uds, 5 clients x 1000 messages ...", "attached to ...". */
void head_title(struct paragraph *line, const struct run_info *info);
void workload_title(struct paragraph *line, const struct run_info *info,
		    const struct workload_words *words);

/* "redis-server (pid 4711); only messages with the peer redis-cli" */
void target_words(struct paragraph *line, const struct run_info *info);

void host_words(struct paragraph *line, const struct host *host);

/* The first lines of the report: what was seen, and under which conditions. */
struct head_lines {
	struct paragraph title;
	struct paragraph conditions;
};

/* `all`: what the focus is a part of. */
void head_lines_of(struct head_lines *lines, const struct focus *focus, const struct summary *all);
void workload_lines(struct head_lines *lines, const struct run_info *info,
		    const struct workload_words *words);
