/* SPDX-License-Identifier: BSD-2-Clause */
/* -f json: one summary object, or the "ipctrace.sweep/1" object with all of them. */
#include "report/json/json_value.h"
#include "report/json/summary.h"
#include "report/sinks.h"

#include <errno.h>
#include <stdlib.h>

struct sink {
	FILE *out;
	bool sweep;
	json_t *cells; /* summaries so far */
	char experiment[SPEC_TEXT_LEN];
};

static struct sink *json_begin(const struct report_style *options)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	sink->out = options->out;
	sink->sweep = options->sweep;
	sink->cells = json_array();
	if (!sink->cells) {
		free(sink);
		errno = ENOMEM;
		return NULL;
	}
	return sink;
}

/* The rest is part of the result. */
static int json_cell(struct sink *sink, const struct run_info *info)
{
	snprintf(sink->experiment, sizeof(sink->experiment), "%s", info->experiment);
	return 0;
}

static int json_result(struct sink *sink, const struct summary *summary)
{
	return json_array_append_new(sink->cells, summary_json(summary)) ? -ENOMEM : 0;
}

static int write_json(FILE *out, json_t *value)
{
	int error;

	if (!value)
		return -ENOMEM;
	error = json_value_write(value, JSON_INDENT(2) | JSON_REAL_PRECISION(15), out);
	json_decref(value);
	fputc('\n', out);
	return report_flush(out) ?: error;
}

/* More runs may have followed this one. */
static json_t *single(json_t *summary, bool is_cut)
{
	if (is_cut)
		json_object_set_new(json_object_get(summary, "integrity"), "truncated",
				    json_true());
	return json_incref(summary);
}

/* A single run that failed before its result leaves the output empty. */
static int json_end(struct sink *sink, bool is_cut)
{
	int error = 0;

	if (sink->sweep)
		error = write_json(sink->out,
				   json_pack("{s:s, s:o, s:b, s:O}", "schema", "ipctrace.sweep/1",
					     "experiment", json_value_text(sink->experiment),
					     "truncated", is_cut, "cells", sink->cells));
	else if (json_array_size(sink->cells))
		error = write_json(sink->out, single(json_array_get(sink->cells, 0), is_cut));
	json_decref(sink->cells);
	free(sink);
	return error;
}

const struct report_format report_json = {
	.name = "json",
	.summary = "the summary as one JSON object, times in ns",
	.begin = json_begin,
	.cell = json_cell,
	.result = json_result,
	.end = json_end,
};
