/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes the begin of the window and its triggers, and compares instants with it. */
#include "analysis/windows.h"

void windows_begin(struct windows *windows, const struct record_window *record,
		   const struct begin *begin)
{
	if (!windows->is_on)
		windows->begin = *begin;
	windows->is_on = true;
	windows->is_finished = false;
	windows->from_ns = record->from_ns;
	windows->before_ns = 0;
	number_table_clean(&windows->numbers);
	windows->summary.known = true;
	windows->summary.windows++;
	windows->summary.shortened += record->head.flags & WINDOW_SHORTENED;
}

int windows_record(struct windows *windows, const struct record *record)
{
	struct window_summary *summary = &windows->summary;
	const struct record_trigger *trigger = (const void *)record;
	const struct record_number *number = (const void *)record;

	if (record->type == RECORD_NUMBER)
		return number_table_add(&windows->numbers, number->channel, number->position,
					number->number);
	summary->triggers++;
	if (summary->trigger_cnt == WINDOW_TRIGGERS_MAX)
		return 0;
	summary->trigger[summary->trigger_cnt++] = (struct window_trigger){
		.channel = trigger->channel,
		.tid = trigger->head.tid,
		.quantity = trigger->quantity,
		.is_call = trigger->head.flags & TRIGGER_IS_CALL,
		.position = trigger->position,
		.from_ns = trigger->from_ns,
		.at_ns = trigger->at_ns,
		.value_ns = trigger->value_ns,
	};
	return 0;
}

bool windows_have(const struct windows *windows, uint64_t from_ns, uint64_t to_ns)
{
	return !windows->is_on || (from_ns >= windows->from_ns && to_ns <= windows->before_ns);
}
