/* SPDX-License-Identifier: BSD-2-Clause */
/* The explanation as JSON, with the fields of schema ipctrace.explain/1. */
#include "support/build.h"
#include "support/capture.h"
#include "support/explained.h"
#include "support/json_report.h"

#include <math.h>
#include <stdlib.h>

static json_t *json_of(struct explanation *explanation)
{
	return json_parse(explained_show("json", (struct report_style){0}, explanation));
}

static const char *const typed[] = {
	"s schema",
	"s unit",
	"s slow.select",
	"i slow.count",
	"n slow.mean_ns",
	"s base.select",
	"i base.count",
	"0 base.sampled_of",
	"n base.mean_ns",
	"n difference_ns",
	"a rows",
	"0 rows.0.part",
	"s rows.0.component",
	"0 rows.0.culprit",
	"n rows.0.ns",
	"n rows.0.share",
	"i rows.0.slow_messages",
	"i rows.0.base_messages",
	"o rows.1.culprit",
	"s rows.1.culprit.class",
	"s rows.1.culprit.comm",
	"i rows.1.culprit.tid",
	"s rows.1.role",
	"i rows.1.cpu",
	"a rows.1.followed",
	"s attributes.0.name",
	"s attributes.0.value",
	"n attributes.0.slow_share",
	"n attributes.0.base_share",
	"n attributes.0.ratio",
	"n attributes.0.ratio_low",
	"n attributes.0.ratio_high",
	"0 attributes.1.ratio",
	"i attributes_looked_at",
	"i episodes.0.from_ns",
	"i episodes.0.to_ns",
	"i episodes.0.messages",
	"i episodes.0.rounds",
	"o episodes.0.culprit",
	"i episodes.0.cpu",
	"i period_ns",
	"o without.0.culprit",
	"i without.0.p99_ns",
	"i without.0.p999_ns",
	"o typical",
	"a typical.causes",
	"a typical.moments",
	"n own_share",
};

TEST(fields_have_their_types)
{
	struct explanation *explanation = explained_push();
	json_t *json = json_of(explanation);

	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_text_at(json, "schema", "ipctrace.explain/1");
	assert_text_at(json, "unit", "message");
	assert_text_at(json, "outcome", "explained");
}

/* Components add up to the difference, and the culprits behind a component to it. */
static void assert_rows_add_up(json_t *json)
{
	double difference_ns = json_number_at(json, "difference_ns"), culprits_ns = 0;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(json, "rows"), i, row)
	{
		double ns = json_number_at(row, "ns");

		if (json_is_null(json_object_get(row, "culprit"))) {
			assert_true(fabs(culprits_ns) < 1e-3);
			difference_ns -= ns;
			culprits_ns = ns;
		} else {
			culprits_ns -= ns;
		}
	}
	assert_true(fabs(difference_ns) < 1e-3);
	assert_true(fabs(culprits_ns) < 1e-3);
}

TEST(rows_add_up)
{
	struct explanation *explanation = explained_push();
	json_t *json = json_of(explanation);

	assert_rows_add_up(json);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 11);
	explanation = explained_lock();
	json = json_of(explanation);
	assert_rows_add_up(json);
}

/* They are no part of the sums, so they are no rows of their own. */
TEST(followed_rows_are_within_their_culprit)
{
	struct explanation *explanation = explained_lock();
	json_t *json = json_of(explanation);

	assert_int_equal(json_array_size(json_object_get(json, "rows")), 7);
	assert_text_at(json, "rows.1.culprit.comm", "worker");
	assert_text_at(json, "rows.1.role", "woke");
	assert_text_at(json, "rows.1.call", "futex");
	assert_text_at(json, "rows.1.part", "service");
	assert_text_at(json, "rows.1.followed.0.component", "runqueue");
	assert_text_at(json, "rows.1.followed.0.culprit.comm", "hog");
	assert_text_at(json, "rows.1.followed.1.component", "on_cpu");
	assert_text_at(json, "rows.1.followed.1.culprit.class", "itself");
	assert_text_at(json, "rows.2.culprit.class", "itself");
	assert_text_at(json, "rows.6.culprit.class", "unknown");
	assert_null_at(json, "period_ns");
	assert_null_at(json, "typical");
}

TEST(deeper_followed_rows_are_nested)
{
	struct explanation *explanation = explained_lock();
	json_t *json;

	explanation->row[3].depth = 2;
	json = json_of(explanation);
	assert_text_at(json, "rows.1.followed.0.followed.0.component", "on_cpu");
	assert_int_equal(json_array_size(json_at(json, "rows.1.followed")), 1);
	assert_text_at(json, "rows.2.component", "blocked");
}

TEST(typical_has_the_fields_of_a_message)
{
	struct explanation *explanation = explained_push();
	double sum_ns = 0;
	json_t *json, *cause;
	size_t i;

	json = json_of(explanation);
	assert_int_equal(json_number_at(json, "typical.channel"), 17);
	assert_int_equal(json_number_at(json, "typical.seq"), 4211);
	assert_text_at(json, "typical.transport", "uds");
	assert_int_equal(json_number_at(json, "typical.latency_ns"), 812500);
	assert_int_equal(json_number_at(json, "typical.runqueue_ns"), 799012);
	assert_text_at(json, "typical.receiver_comm", "ipctrace-cl-3");
	json_array_foreach(json_at(json, "typical.causes"), i, cause)
	{
		sum_ns += json_number_at(cause, "ns");
	}
	assert_int_equal(sum_ns, 812500);
	assert_text_at(json, "typical.causes.2.culprit.comm", "hog");
	assert_text_at(json, "typical.moments.0.state", "blocked");
	assert_text_at(json, "typical.moments.0.call", "recvfrom");
}

TEST(typical_call_has_the_fields_of_a_call)
{
	struct explanation *explanation = explained_push();
	struct cause *cause;
	json_t *json;

	explanation->unit = explanation->typical.unit.kind = UNIT_CALL;
	explanation->typical.unit.number = 12;
	cause = (struct cause *)explanation->typical.unit.cause;
	for (uint32_t i = 0; i < explanation->typical.unit.cause_cnt; i++)
		cause[i].part = i < 3 ? PART_REQUEST : i == 3 ? PART_SERVICE : PART_RESPONSE;
	json = json_of(explanation);
	assert_int_equal(json_number_at(json, "typical.call"), 12);
	assert_int_equal(json_number_at(json, "typical.round_trip_ns"), 812500);
	assert_int_equal(json_number_at(json, "typical.request_ns"), 801512);
	assert_int_equal(json_number_at(json, "typical.service_ns"), 9000);
	assert_int_equal(json_number_at(json, "typical.response_ns"), 1988);
	assert_text_at(json, "typical.client_comm", "ipctrace-server");
}

TEST(nothing_to_explain_has_no_rows)
{
	struct explanation *explanation = explained_nothing(EXPLAIN_NONE_SLOW);
	json_t *json = json_of(explanation);

	assert_text_at(json, "outcome", "none_slow");
	assert_int_equal(json_array_size(json_at(json, "rows")), 0);
	assert_null_at(json, "slow.mean_ns");
	assert_null_at(json, "typical");
}

static json_t *json_with_summary(bool is_matrix, int runs)
{
	struct report_style style = {.is_run_matrix = is_matrix};
	struct explanation *explanation = explained_push();
	struct summary *summary = sample_summary(2);
	struct report *report;
	char *text = NULL;
	size_t size;

	style.out = open_memstream(&text, &size);
	report = report_json.begin(&style);
	for (int i = 0; i < runs; i++)
		assert_int_equal(report_json.summary(report, summary), 0);
	for (int i = 0; i < runs; i++) {
		explanation->slow.count = 50 + i;
		assert_int_equal(report_json.explanation(report, explanation), 0);
	}
	assert_int_equal(report_json.end(report, false), 0);
	fclose(style.out);
	return json_parse(drop_after(text, free));
}

TEST(explanation_of_a_run_is_in_its_summary)
{
	json_t *json = json_with_summary(false, 1);

	assert_text_at(json, "schema", "ipctrace.summary/1");
	assert_text_at(json, "explanation.schema", "ipctrace.explain/1");
	json = json_with_summary(true, 2);
	assert_text_at(json, "schema", "ipctrace.sweep/1");
	assert_int_equal(json_number_at(json, "cells.0.explanation.slow.count"), 50);
	assert_int_equal(json_number_at(json, "cells.1.explanation.slow.count"), 51);
}

TEST(several_explanations_are_cells)
{
	const struct report_style style = {.is_run_matrix = true};
	struct explanation *explanation = explained_push();
	json_t *json;

	json = json_parse(explained_show("json", style, explanation));
	assert_text_at(json, "schema", "ipctrace.explain_sweep/1");
	assert_text_at(json, "cells.0.schema", "ipctrace.explain/1");
}
