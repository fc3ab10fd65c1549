/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the diagnosis as one JSON object, for `doctor -f json`. */
#include "command/doctor/diagnosis.h"
#include "model/transport_names.h"
#include "report/json_value.h"
#include "report/words/labels.h"
#include "util/version.h"

#include <errno.h>

#define SCHEMA "ipctrace.doctor/1"

/* The names of what cannot be used for this reason, as an array. */
static json_t *diagnosis_json_lost_json(const struct finding *finding)
{
	json_t *names = json_array();

	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (finding->components & COMPONENT_BIT(i))
			json_array_append_new(names, json_string(components[i].name));
	}
	for (int i = 1; i < NR_TRANSPORT_IDS; i++) {
		if (finding->transports & TRANSPORT_BIT(i))
			json_array_append_new(names, json_string(transport_id_name(i)));
	}
	return names;
}

static json_t *finding_json(const struct finding *finding)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:s, s:s}", "subject",
			 json_value_text(finding->subject), "health", health_name(finding->health),
			 "value", json_value_text(finding->value), "cost",
			 json_value_text(finding->cost), "remedy", json_value_text(finding->remedy),
			 "lost", diagnosis_json_lost_json(finding), "attach",
			 health_name(finding_health(finding, JOB_ATTACH)), "run",
			 health_name(finding_health(finding, JOB_RUN)));
}

static json_t *job_json(const struct diagnosis *diagnosis, enum job job)
{
	return json_pack("{s:b, s:I}", "works", diagnosis_works(diagnosis, job), "limits",
			 (json_int_t)diagnosis_limit_cnt(diagnosis, job));
}

static json_t *findings_json(const struct diagnosis *diagnosis)
{
	json_t *findings = json_array();

	for (size_t i = 0; i < diagnosis->finding_cnt; i++)
		json_array_append_new(findings, finding_json(&diagnosis->finding[i]));
	return findings;
}

static json_t *diagnosis_json_components_json(const struct diagnosis *diagnosis)
{
	json_t *shown = json_object();

	for (int i = 0; i < NR_COMPONENTS; i++)
		json_object_set_new(shown, components[i].name,
				    json_boolean(diagnosis_shows(diagnosis, i)));
	return shown;
}

static json_t *transports_json(const struct diagnosis *diagnosis)
{
	json_t *transports = json_object();

	for (int i = 1; i < NR_TRANSPORT_IDS; i++)
		json_object_set_new(transports, transport_id_name(i),
				    json_boolean(diagnosis_carries(diagnosis, i)));
	return transports;
}

int diagnosis_json(const void *ctx, const struct report_style *style)
{
	const struct diagnosis *diagnosis = ctx;
	struct paragraph answer = {0};
	json_t *object;
	int err;

	diagnosis_answer(diagnosis, &answer);
	object = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:I}", "schema",
			   SCHEMA, "version", IPCTRACE_VERSION, "answer",
			   json_value_text(answer.text), "attach", job_json(diagnosis, JOB_ATTACH),
			   "run", job_json(diagnosis, JOB_RUN), "host", host_json(&diagnosis->host),
			   "main_job", diagnosis_works(diagnosis, JOB_RUN), "components",
			   diagnosis_json_components_json(diagnosis), "transports",
			   transports_json(diagnosis), "findings", findings_json(diagnosis),
			   "left_out", (json_int_t)diagnosis->left_out);
	if (!object)
		return -ENOMEM;
	err = json_value_write(object, JSON_INDENT(2), style->out);
	json_decref(object);
	fputc('\n', style->out);
	if (fflush(style->out))
		return -errno;
	return err;
}
