/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON objects "host", "steal" and "workload" of a report. */
#include "report/json_value.h"
#include "insight/metrics.h"

json_t *host_json(const struct host *host)
{
	return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o}", "kernel", json_value_text(host->kernel),
			 "arch", json_value_text(host->arch), "cpus", json_value_int(host->cpus),
			 "preemption", json_value_text(host->preemption), "clocksource",
			 json_value_text(host->clocksource), "virtual",
			 json_value_text(host->virtual_machine));
}

json_t *steal_json(const struct summary *summary)
{
	json_t *cpus;
	int error = 0;

	if (!summary->steal_cnt)
		return json_null();
	cpus = json_array();
	for (uint32_t i = 0; i < summary->steal_cnt; i++) {
		const struct steal_summary *cpu = &summary->steal[i];

		error |= json_array_append_new(
			cpus, json_pack("{s:I, s:I, s:I}", "cpu", json_value_int(cpu->cpu), "ns",
					json_value_int(cpu->steal_ns), "span_ns",
					json_value_int(cpu->span_ns)));
	}
	return json_pack("{s:I, s:o, s:o}", "ns", json_value_int(steal_ns(summary)), "share",
			 json_value_real(steal_share(summary)), "cpus",
			 json_value_whole(cpus, error));
}

json_t *workload_json(const struct run_info *info)
{
	const struct workload_spec *spec = &info->workload;
	bool fixed_priority = spec->sched_policy == POLICY_RR || spec->sched_policy == POLICY_FIFO;
	char cpus[2 * SPEC_TEXT_LEN + sizeof("server=,clients=")];

	if (info->mode == MODE_ATTACH)
		return json_null();
	cpu_affinity_text(spec, cpus, sizeof(cpus));
	return json_pack(
		"{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o,"
		" s:o}",
		"transport", json_value_text(spec->transport), "pattern",
		json_value_text(spec->pattern), "clients", json_value_int(spec->clients),
		"messages", json_value_int(spec->messages), "warmup", json_value_int(spec->warmup),
		"period_ns", json_value_int(spec->period_ns), "size", json_value_int(spec->size),
		"policy", json_value_text(sched_policy_names[spec->sched_policy]),
		"server_priority", json_value_integer(spec->server_priority, fixed_priority),
		"client_priority", json_value_integer(spec->client_priority, fixed_priority),
		"cpus", json_value_text(cpus), "handler", json_value_text(spec->handler), "load",
		json_value_text(spec->load), "threads", spec->threads, "reader",
		json_value_text(reader_names[spec->reader]), "read_size",
		json_value_integer(spec->read_size, spec->read_size > 0), "run",
		json_value_integer(spec->run, spec->run > 0));
}
