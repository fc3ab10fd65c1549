/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the JSON of when, and for how long, was traced. */
#include "report/json/json_value.h"
#include "report/labels.h"
#include "report/metrics.h"

json_t *begin_json(const struct run_info *info)
{
	const struct begin *begin = &info->begin;
	char utc[BEGIN_LEN];

	if (!begin->unix_ns)
		return json_null();
	begin_in_utc(begin, utc);
	return json_pack("{s:o, s:I, s:I, s:i}", "utc", json_value_text(utc), "unix_ns",
			 (json_int_t)begin->unix_ns, "monotonic_ns", (json_int_t)begin->ns,
			 "utc_offset_s", (int)begin->utc_offset_s);
}

json_t *tracing_json(const struct summary *summary)
{
	uint64_t ns = traced_ns(summary);

	return json_pack("{s:o, s:o, s:o, s:o}", "began", begin_json(&summary->info), "duration_ns",
			 json_value_integer(ns, ns > 0), "messages_per_second",
			 json_value_real(sends_per_second(summary)), "calls_per_second",
			 json_value_real(calls_per_second(summary)));
}
