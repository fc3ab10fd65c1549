/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the JSON of waits for room: at which receivers, and what these did meanwhile. */
#include "report/json_value.h"
#include "insight/metrics.h"

static json_t *reader_json(const struct room_summary *room, const struct summary *summary)
{
	double all_ns = (double)summary->component[COMPONENT_ROOM].sum;
	bool is_attach = summary->info.mode == MODE_ATTACH;

	return json_pack("{s:o, s:I, s:I, s:o, s:{s:I, s:I, s:I, s:I}, s:o}", "reader",
			 room->reader.tid ? json_value_process(summary, &room->reader)
					  : json_null(),
			 "messages", json_value_int(room->messages), "ns", json_value_int(room->ns),
			 "share", json_value_real(all_ns > 0 ? (double)room->ns / all_ns : 0),
			 "states_ns", "on_cpu", json_value_int(room->state_ns[SERVICE_ON_CPU]),
			 "runqueue", json_value_int(room->state_ns[SERVICE_RUNQUEUE]), "blocked",
			 json_value_int(room->state_ns[SERVICE_BLOCKED]), "unknown",
			 json_value_int(room->unknown_ns), "blocked_on",
			 is_attach ? json_value_blocked_calls(&room->blocked,
							      summary->info.host.arch, "sleeps")
				   : json_null());
}

json_t *room_json(const struct summary *summary)
{
	json_t *readers;
	int error = 0;

	if (!summary->info.traced || !component_applies(&summary->info, COMPONENT_ROOM))
		return json_null();
	readers = json_array();
	for (uint32_t i = 0; i < summary->room_cnt; i++)
		error |= json_array_append_new(readers, reader_json(&summary->room[i], summary));
	return json_value_whole(readers, error);
}
