/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the options of --explain from those of --stop-at. */
#include "command/live/stop_at.h"

#include "command/output.h"

struct explain_live_options stop_at_explains(const struct explain_live_options *asked,
					     const struct watch_options *watch,
					     const struct output *output)
{
	struct explain_live_options options = *asked;

	if (watch->stop.step_cnt && output->format->explanation)
		options.is_asked = true;
	return options;
}

bool stop_at_records_window(const struct explain_live_options *asked,
			    const struct watch_options *watch, const char *record)
{
	return watch->stop.step_cnt && !record && !asked->is_asked;
}

void stop_at_select(struct explain_live_options *options, const struct occasion *stopped_by)
{
	options->select = (struct select_options){
		.selection = {.has_message = true,
			      .message_channel = stopped_by->channel,
			      .message_position = stopped_by->position},
		.has_unit = true,
		.unit = stopped_by->is_call ? UNIT_CALL : UNIT_MESSAGE,
		.given = "message",
	};
}
