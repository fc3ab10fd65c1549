/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the fields of every record type. A new record type or field needs an entry here. */
#include "recording/layout.h"

#include "bpf/deep.h"
#include "bpf/record.h"
#include "bpf/record_stacks.h"
#include "model/window_records.h"

/* Programs compiled before and after a change must agree on these. */
#define RECORD_SIZE_IS(type, size)                                                                 \
	_Static_assert(sizeof(type) == (size) && (size) % 8 == 0, #type " is part of the format")
RECORD_SIZE_IS(struct record, 8);
RECORD_SIZE_IS(struct record_send, 40);
RECORD_SIZE_IS(struct record_send_counted, 48);
RECORD_SIZE_IS(struct record_send_outside, 56);
RECORD_SIZE_IS(struct record_receive, 48);
RECORD_SIZE_IS(struct record_slice, 32);
RECORD_SIZE_IS(struct record_channel, 32);
RECORD_SIZE_IS(struct record_name, 48);
RECORD_SIZE_IS(struct record_role, 32);
RECORD_SIZE_IS(struct record_tick, 40);
RECORD_SIZE_IS(struct record_stamp, 56);
RECORD_SIZE_IS(struct record_arrival, 32);
RECORD_SIZE_IS(struct record_traffic, 80);
RECORD_SIZE_IS(struct record_left, 32);
RECORD_SIZE_IS(struct record_load, 24);
RECORD_SIZE_IS(struct record_watermark, 16);
RECORD_SIZE_IS(struct record_end, 56);
RECORD_SIZE_IS(struct record_changes, 24);
RECORD_SIZE_IS(struct record_thread, 24);
RECORD_SIZE_IS(struct record_baseline, 24);
RECORD_SIZE_IS(struct record_stop, 16);
RECORD_SIZE_IS(struct record_observer_effect, 40);
RECORD_SIZE_IS(struct record_reader, 32);
RECORD_SIZE_IS(struct record_beside, 32);
RECORD_SIZE_IS(struct record_starving, 32);
RECORD_SIZE_IS(struct record_process, 40);
RECORD_SIZE_IS(struct record_address, 144);
RECORD_SIZE_IS(struct record_summary, 16);
RECORD_SIZE_IS(struct record_pauses, 24);
RECORD_SIZE_IS(struct record_wakeup, 24);
RECORD_SIZE_IS(struct record_path, 128);
RECORD_SIZE_IS(struct record_found, 48);
RECORD_SIZE_IS(struct record_script, 112);
RECORD_SIZE_IS(struct record_steal, 24);
RECORD_SIZE_IS(struct record_waker, 32);
RECORD_SIZE_IS(struct record_idle, 32);
RECORD_SIZE_IS(struct record_group, 120);
RECORD_SIZE_IS(struct record_window, 24);
RECORD_SIZE_IS(struct record_trigger, 48);
RECORD_SIZE_IS(struct record_number, 32);
RECORD_SIZE_IS(struct record_connection, 40);
RECORD_SIZE_IS(struct record_stolen, 32);
RECORD_SIZE_IS(struct record_stack, 32);
RECORD_SIZE_IS(struct record_frames, 16);
RECORD_SIZE_IS(struct record_symbol, 16);
RECORD_SIZE_IS(struct record_stacks, 56);
RECORD_SIZE_IS(struct stage, 2048);

#define FIELD(record, field)                                                                       \
	{                                                                                          \
#field, offsetof(struct record, field), sizeof(((struct record *)0)->field), false \
	}
/* One in which every value is possible: a text, too. */
#define ANY(record, field)                                                                         \
	{                                                                                          \
#field, offsetof(struct record, field), sizeof(((struct record *)0)->field), true  \
	}
#define FIELDS(...)                                                                                \
	(const struct field[])                                                                     \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

static const struct layout layouts[] = {
	{"send", RECORD_SEND, sizeof(struct record_send),
	 FIELDS(FIELD(record_send, channel), FIELD(record_send, bytes), ANY(record_send, position),
		FIELD(record_send, send_ns), FIELD(record_send, queued_ns))},
	{"receive", RECORD_RECEIVE, sizeof(struct record_receive),
	 FIELDS(FIELD(record_receive, channel), FIELD(record_receive, bytes),
		ANY(record_receive, position), FIELD(record_receive, enter_ns),
		FIELD(record_receive, exit_ns), ANY(record_receive, first))},
	{"slice", RECORD_SLICE, sizeof(struct record_slice),
	 FIELDS(FIELD(record_slice, kind), FIELD(record_slice, seq), FIELD(record_slice, start_ns),
		FIELD(record_slice, end_ns))},
	{"channel", RECORD_CHANNEL, sizeof(struct record_channel),
	 FIELDS(FIELD(record_channel, channel), FIELD(record_channel, transport),
		ANY(record_channel, sender), ANY(record_channel, receiver))},
	{"name", RECORD_NAME, sizeof(struct record_name),
	 FIELDS(FIELD(record_name, kind), FIELD(record_name, flags), FIELD(record_name, policy),
		FIELD(record_name, priority), FIELD(record_name, since_ns),
		ANY(record_name, comm))},
	{"role", RECORD_ROLE, sizeof(struct record_role),
	 FIELDS(FIELD(record_role, role), FIELD(record_role, client), ANY(record_role, comm))},
	{"tick", RECORD_TICK, sizeof(struct record_tick),
	 FIELDS(FIELD(record_tick, round), FIELD(record_tick, due_ns), FIELD(record_tick, stamp_ns),
		FIELD(record_tick, sent), FIELD(record_tick, skipped))},
	{"stamp", RECORD_STAMP, sizeof(struct record_stamp),
	 FIELDS(FIELD(record_stamp, client), FIELD(record_stamp, to_server),
		FIELD(record_stamp, index), FIELD(record_stamp, round),
		FIELD(record_stamp, stamp_ns), FIELD(record_stamp, user_ns),
		FIELD(record_stamp, due_ns))},
	{"left", RECORD_LEFT, sizeof(struct record_left),
	 FIELDS(FIELD(record_left, client), FIELD(record_left, reason), FIELD(record_left, round),
		FIELD(record_left, detail))},
	{"watermark", RECORD_WATERMARK, sizeof(struct record_watermark),
	 FIELDS(ANY(record_watermark, before_ns))},
	{"end", RECORD_END, sizeof(struct record_end),
	 FIELDS(FIELD(record_end, loss), FIELD(record_end, bpf_ns),
		FIELD(record_end, bpf_messages))},
	{"changes", RECORD_CHANGES, sizeof(struct record_changes),
	 FIELDS(FIELD(record_changes, base_ns), ANY(record_changes, first))},
	{"arrival", RECORD_ARRIVAL, sizeof(struct record_arrival),
	 FIELDS(FIELD(record_arrival, channel), ANY(record_arrival, end),
		FIELD(record_arrival, at_ns))},
	{"traffic", RECORD_TRAFFIC, sizeof(struct record_traffic),
	 FIELDS(FIELD(record_traffic, client), FIELD(record_traffic, to_server),
		FIELD(record_traffic, sent), FIELD(record_traffic, received),
		FIELD(record_traffic, corrupt), FIELD(record_traffic, bytes),
		FIELD(record_traffic, first_ns), FIELD(record_traffic, last_ns),
		FIELD(record_traffic, wakes_sent), FIELD(record_traffic, wakes_delivered))},
	{"load", RECORD_LOAD, sizeof(struct record_load),
	 FIELDS(FIELD(record_load, count), FIELD(record_load, ended))},
	{"thread", RECORD_THREAD, sizeof(struct record_thread),
	 FIELDS(FIELD(record_thread, pid), FIELD(record_thread, is_peer),
		FIELD(record_thread, since_ns))},
	{"address", RECORD_ADDRESS, sizeof(struct record_address),
	 FIELDS(FIELD(record_address, channel), FIELD(record_address, family),
		FIELD(record_address, length), FIELD(record_address, sender_port),
		FIELD(record_address, receiver_port), FIELD(record_address, named),
		ANY(record_address, inode), ANY(record_address, text))},
	{"start", RECORD_BASELINE, sizeof(struct record_baseline),
	 FIELDS(FIELD(record_baseline, channel), FIELD(record_baseline, is_new),
		ANY(record_baseline, leftover))},
	{"stop", RECORD_STOP, sizeof(struct record_stop), FIELDS(FIELD(record_stop, at_ns))},
	{"effect", RECORD_OBSERVER_EFFECT, sizeof(struct record_observer_effect),
	 FIELDS(FIELD(record_observer_effect, pairs), FIELD(record_observer_effect, ratio),
		FIELD(record_observer_effect, low), FIELD(record_observer_effect, high))},
	{"kept", RECORD_SUMMARY, sizeof(struct record_summary),
	 FIELDS(FIELD(record_summary, kind), FIELD(record_summary, left))},
	{"beside", RECORD_BESIDE, sizeof(struct record_beside),
	 FIELDS(FIELD(record_beside, channel), FIELD(record_beside, from_ns),
		FIELD(record_beside, until_ns))},
	{"starving", RECORD_STARVING, sizeof(struct record_starving),
	 FIELDS(FIELD(record_starving, at_queue), FIELD(record_starving, from_ns),
		FIELD(record_starving, until_ns))},
	{"process", RECORD_PROCESS, sizeof(struct record_process),
	 FIELDS(FIELD(record_process, since_ns), FIELD(record_process, pid),
		ANY(record_process, comm))},
	{"reader", RECORD_READER, sizeof(struct record_reader),
	 FIELDS(FIELD(record_reader, policy), FIELD(record_reader, start_ns),
		FIELD(record_reader, hurried_ns))},
	{"wakeup", RECORD_WAKEUP, sizeof(struct record_wakeup),
	 FIELDS(FIELD(record_wakeup, woken), FIELD(record_wakeup, at_ns))},
	{"path", RECORD_PATH, sizeof(struct record_path),
	 FIELDS(FIELD(record_path, length), ANY(record_path, name))},
	{"found", RECORD_FOUND, sizeof(struct record_found),
	 FIELDS(FIELD(record_found, targets), FIELD(record_found, connections),
		FIELD(record_found, services), FIELD(record_found, elsewhere),
		FIELD(record_found, transport), FIELD(record_found, pid), ANY(record_found, comm))},
	{"script", RECORD_SCRIPT, sizeof(struct record_script), FIELDS(ANY(record_script, text))},
	{"steal", RECORD_STEAL, sizeof(struct record_steal),
	 FIELDS(FIELD(record_steal, steal_ns), FIELD(record_steal, span_ns))},
	{"waker", RECORD_WAKER, sizeof(struct record_waker),
	 FIELDS(FIELD(record_waker, woken), FIELD(record_waker, number), FIELD(record_waker, at_ns),
		FIELD(record_waker, wake_ns))},
	{"idle", RECORD_IDLE, sizeof(struct record_idle),
	 FIELDS(FIELD(record_idle, idle_ns), FIELD(record_idle, left_ns),
		FIELD(record_idle, switch_ns))},
	{"group", RECORD_GROUP, sizeof(struct record_group),
	 FIELDS(FIELD(record_group, since_ns), ANY(record_group, text))},
	{"window", RECORD_WINDOW, sizeof(struct record_window),
	 FIELDS(FIELD(record_window, from_ns), FIELD(record_window, begun_ns))},
	{"trigger", RECORD_TRIGGER, sizeof(struct record_trigger),
	 FIELDS(FIELD(record_trigger, channel), FIELD(record_trigger, quantity),
		FIELD(record_trigger, position), FIELD(record_trigger, from_ns),
		FIELD(record_trigger, at_ns), FIELD(record_trigger, value_ns))},
	{"number", RECORD_NUMBER, sizeof(struct record_number),
	 FIELDS(FIELD(record_number, channel), ANY(record_number, position),
		FIELD(record_number, number))},
	{"connection", RECORD_CONNECTION, sizeof(struct record_connection),
	 FIELDS(ANY(record_connection, low), ANY(record_connection, high),
		FIELD(record_connection, from_low), FIELD(record_connection, from_high),
		FIELD(record_connection, client), FIELD(record_connection, basis))},
	{"stolen", RECORD_STOLEN, sizeof(struct record_stolen),
	 FIELDS(FIELD(record_stolen, from_ns), FIELD(record_stolen, to_ns),
		FIELD(record_stolen, stolen_ns))},
	{"stack", RECORD_STACK, sizeof(struct record_stack),
	 FIELDS(FIELD(record_stack, from_ns), FIELD(record_stack, to_ns), FIELD(record_stack, kind),
		FIELD(record_stack, stack))},
	{"frames", RECORD_FRAMES, sizeof(struct record_frames),
	 FIELDS(FIELD(record_frames, stack), FIELD(record_frames, kernel_cnt),
		FIELD(record_frames, user_cnt))},
	{"symbol", RECORD_SYMBOL, sizeof(struct record_symbol),
	 FIELDS(FIELD(record_symbol, symbol), FIELD(record_symbol, length))},
	{"stacks", RECORD_STACKS, sizeof(struct record_stacks),
	 FIELDS(FIELD(record_stacks, over_ns), FIELD(record_stacks, taken),
		FIELD(record_stacks, lost), FIELD(record_stacks, no_room),
		FIELD(record_stacks, unknown), FIELD(record_stacks, overfull))},
	{"futex_wakeup", RECORD_FUTEX_WAKEUP, sizeof(struct record_wakeup),
	 FIELDS(FIELD(record_wakeup, woken), FIELD(record_wakeup, place),
		FIELD(record_wakeup, at_ns))},
	{"pauses", RECORD_PAUSES, sizeof(struct record_pauses),
	 FIELDS(FIELD(record_pauses, count), FIELD(record_pauses, ns))},
};

const struct layout *recording_layouts(size_t *cnt)
{
	*cnt = sizeof(layouts) / sizeof(layouts[0]);
	return layouts;
}
