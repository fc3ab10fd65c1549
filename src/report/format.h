/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the interface of an output format, for example text or JSON. A format writes messages
 * and summaries to a stream. formats.c lists the formats.
 */
#pragma once

#include "model/call.h"
#include "model/summary.h"
#include "model/unit.h"

#include <errno.h>
#include <stdio.h>

struct report_style {
	FILE *out;               /* borrowed */
	bool color;              /* the text may have colors */
	bool is_unicode;         /* bars may have block characters; else they are ASCII */
	bool is_run_matrix;      /* the report is about several runs */
	bool is_brief;           /* only the first screen */
	bool shows_published;    /* beside the run's own figures */
	int columns;             /* of the terminal; 0: `out` is not a terminal */
	uint64_t slower_than_ns; /* only slower messages are passed; 0: all are */
	const char *figure;      /* the only one to show; NULL: all. Borrowed */
	const char *select;      /* only these are, in words; NULL or empty: all. Borrowed */
	bool has_unit;           /* `unit` is what to show; else the summary decides */
	enum unit_kind unit;
	const char *limit;         /* only these are, for the size of the file. As `select` */
	uint64_t max_bytes;        /* of a trace; 0: no limit */
	const uint64_t *run_bytes; /* of each run in it. Borrowed; or NULL: as `max_bytes` */
	uint64_t *left_out;        /* counts messages without room in it. Borrowed; or NULL */
	uint64_t *bytes;           /* how large it became. As `left_out` */
};

struct explanation;
struct picture;
struct run_points;

/* What figures show: one run, or several. Borrowed. */
struct illustration {
	const struct summary *summary;
	const struct explanation *explanation; /* its outcome says whether there is one */
	const struct picture *picture;
	const struct run_points *points; /* of several runs; NULL: it is about one */
};

/* How a whole is written that is no report of messages. */
enum document { DOCUMENT_NONE, DOCUMENT_TEXT, DOCUMENT_JSON };

/* A report that is being written. Each format defines its own. */
struct report;

/*
 * The caller makes these calls, in this order:
 *	begin (run (moments | message | call)* summary)* explanation* end
 *	begin illustrate* end                        formats that have illustrate()
 * Each but begin() and end() returns 0 or -errno of the output. After an error the caller calls
 * only end().
 */
struct report_format {
	const char *name;    /* the value of --format */
	const char *meaning; /* for the help */

	/* What list, doctor and explain have in this format, which show no messages. */
	enum document document;
	bool has_first_screen; /* --brief and --published change it */
	bool shows_unit;       /* --unit selects whose latency */
	bool shows_one_figure; /* --figure selects which one */
	bool wants_messages;   /* message() is called for every message; else it may be NULL */
	bool shows_one_run;    /* not several */
	bool wants_file;       /* no terminal can show it */

	/* A run or an attach is reported from its recording, after its end. */
	bool wants_recording;
	bool wants_causes; /* messages have units with causes and waits; moments() is called */

	/* NULL and errno on failure. end() frees the report. */
	struct report *(*begin)(const struct report_style *style);

	/* A run, or an attach, begins. */
	int (*run)(struct report *report, const struct run_info *info);
	int (*message)(struct report *report, const struct message *message);

	/* What a thread did, before the messages that it received meanwhile. */
	int (*moments)(struct report *report, const struct thread_moments *moments);
	int (*call)(struct report *report, const struct call *call); /* NULL: calls are not shown */

	/* The run has ended with these results. */
	int (*summary)(struct report *report, const struct summary *summary);

	/*
	 * Why slow messages were slow: in the order of the runs, of all of them or none. Without
	 * any summary, the report consists of explanations alone. NULL: the format shows none.
	 */
	int (*explanation)(struct report *report, const struct explanation *explanation);

	/*
	 * One run with all that figures need, which takes two passes over a recording. NULL: the
	 * format shows no figures. A format with figures has no other hooks but begin() and end().
	 * -ENODATA: the run has nothing that the figure shows. -ENOTUNIQ: the figure shows one run,
	 * and there are several.
	 */
	int (*illustrate)(struct report *report, const struct illustration *illustration);

	/*
	 * Writes what is left and frees the report. Returns 0 or -errno. `is_cut`: the recording
	 * lacks its end, so nothing is known about what followed the last summary.
	 */
	int (*end)(struct report *report, bool is_cut);
};

extern const struct report_format report_text;
extern const struct report_format report_json;
extern const struct report_format report_ndjson;
extern const struct report_format report_perfetto;
extern const struct report_format report_html;
extern const struct report_format report_svg;
extern const struct report_format report_csv;
extern const struct report_format report_hgrm;

/* Flushes `out`. Returns 0 or -errno, also of an earlier write. */
static inline int report_flush(FILE *out)
{
	if (fflush(out))
		return -errno;
	return ferror(out) ? -EIO : 0;
}

/* NULL if no format has this name. */
const struct report_format *report_format_find(const char *name);

/* The formats, from 0 on; NULL after the last one. */
const struct report_format *report_format_at(size_t i);
