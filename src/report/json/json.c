/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes reports for --format json. The report of a single run is one summary object. For an
 * experiment or several runs, one object of schema ipctrace.sweep/1 contains all summaries.
 */
#include "report/json_value.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>

struct report {
	FILE *out;
	bool is_run_matrix;
	json_t *runs;        /* array of the summaries so far, or of explanations alone */
	size_t explanations; /* so far */
	bool only_explains;  /* there are no summaries */
	char experiment[SPEC_TEXT_LEN];
};

static struct report *json_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->out = style->out;
	report->is_run_matrix = style->is_run_matrix;
	report->runs = json_array();
	if (!report->runs) {
		free(report);
		errno = ENOMEM;
		return NULL;
	}
	return report;
}

/* The rest of `info` is part of the summary. */
static int json_run(struct report *report, const struct run_info *info)
{
	snprintf(report->experiment, sizeof(report->experiment), "%s", info->experiment);
	return 0;
}

static int json_summary(struct report *report, const struct summary *summary)
{
	return json_array_append_new(report->runs, summary_json(summary)) ? -ENOMEM : 0;
}

/* A member of the run's summary; without summaries an object of its own. */
static int json_explanation(struct report *report, const struct explanation *explanation)
{
	json_t *value = explanation_json(explanation);
	json_t *summary = json_array_get(report->runs, report->explanations);

	report->only_explains |= !summary;
	report->explanations++;
	if (report->only_explains)
		return json_array_append_new(report->runs, value) ? -ENOMEM : 0;
	return json_object_set_new(summary, "explanation", value) ? -ENOMEM : 0;
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

/* A cut recording may have had more runs. */
static json_t *single(json_t *summary, bool is_cut)
{
	json_t *integrity = json_object_get(summary, "integrity");

	if (is_cut)
		json_object_set_new(integrity ?: summary, "truncated", json_true());
	return json_incref(summary);
}

/* A single run that failed before its summary leaves the output empty. */
static int json_end(struct report *report, bool is_cut)
{
	int error = 0;

	if (report->is_run_matrix)
		error = write_json(report->out,
				   json_pack("{s:s, s:o, s:b, s:O}", "schema",
					     report->only_explains ? "ipctrace.explain_sweep/1"
								   : "ipctrace.sweep/1",
					     "experiment", json_value_text(report->experiment),
					     "truncated", is_cut, "cells", report->runs));
	else if (json_array_size(report->runs))
		error = write_json(report->out, single(json_array_get(report->runs, 0), is_cut));
	json_decref(report->runs);
	free(report);
	return error;
}

const struct report_format report_json = {
	.name = "json",
	.meaning = "one JSON object with all statistics",
	.document = DOCUMENT_JSON,
	.begin = json_begin,
	.run = json_run,
	.summary = json_summary,
	.explanation = json_explanation,
	.end = json_end,
};
