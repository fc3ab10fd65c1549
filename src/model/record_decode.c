/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a record has a known type and is long enough for its type. */
#include "model/record_decode.h"

#include "bpf/deep.h"
#include "bpf/record_stacks.h"
#include "model/window_records.h"

#include <errno.h>
#include <string.h>

static const unsigned char fewest_words[NR_RECORD_TYPES] = {
	[RECORD_SEND] = RECORD_WORDS(struct record_send),
	[RECORD_RECEIVE] = RECORD_WORDS(struct record_receive),
	[RECORD_SLICE] = RECORD_WORDS(struct record_slice),
	[RECORD_CHANNEL] = RECORD_WORDS(struct record_channel),
	[RECORD_NAME] = RECORD_WORDS(struct record_name),
	[RECORD_ROLE] = RECORD_WORDS(struct record_role),
	[RECORD_TICK] = RECORD_WORDS(struct record_tick),
	[RECORD_STAMP] = RECORD_WORDS(struct record_stamp),
	[RECORD_LEFT] = RECORD_WORDS(struct record_left),
	[RECORD_WATERMARK] = RECORD_WORDS(struct record_watermark),
	[RECORD_END] = RECORD_WORDS(struct record_end),
	[RECORD_CHANGES] = RECORD_WORDS(struct record_changes),
	[RECORD_ARRIVAL] = RECORD_WORDS(struct record_arrival),
	[RECORD_TRAFFIC] = RECORD_WORDS(struct record_traffic),
	[RECORD_LOAD] = RECORD_WORDS(struct record_load),
	[RECORD_THREAD] = RECORD_WORDS(struct record_thread),
	[RECORD_ADDRESS] = RECORD_WORDS(struct record_address),
	[RECORD_BASELINE] = RECORD_WORDS(struct record_baseline),
	[RECORD_STOP] = RECORD_WORDS(struct record_stop),
	[RECORD_OBSERVER_EFFECT] = RECORD_WORDS(struct record_observer_effect),
	[RECORD_SUMMARY] = RECORD_WORDS(struct record_summary),
	[RECORD_BESIDE] = RECORD_WORDS(struct record_beside),
	[RECORD_STARVING] = RECORD_WORDS(struct record_starving),
	[RECORD_PROCESS] = RECORD_WORDS(struct record_process),
	[RECORD_READER] = RECORD_WORDS(struct record_reader),
	[RECORD_PATH] = RECORD_WORDS(struct record_path),
	[RECORD_FOUND] = RECORD_WORDS(struct record_found),
	[RECORD_WAKEUP] = RECORD_WORDS(struct record_wakeup),
	[RECORD_SCRIPT] = RECORD_WORDS(struct record_script),
	[RECORD_STEAL] = RECORD_WORDS(struct record_steal),
	[RECORD_WAKER] = RECORD_WORDS(struct record_waker),
	[RECORD_IDLE] = RECORD_WORDS(struct record_idle),
	[RECORD_GROUP] = RECORD_WORDS(struct record_group),
	[RECORD_WINDOW] = RECORD_WORDS(struct record_window),
	[RECORD_TRIGGER] = RECORD_WORDS(struct record_trigger),
	[RECORD_NUMBER] = RECORD_WORDS(struct record_number),
	[RECORD_CONNECTION] = RECORD_WORDS(struct record_connection),
	[RECORD_STOLEN] = RECORD_WORDS(struct record_stolen),
	[RECORD_STACK] = RECORD_WORDS(struct record_stack),
	[RECORD_FRAMES] = RECORD_WORDS(struct record_frames),
	[RECORD_SYMBOL] = RECORD_WORDS(struct record_symbol),
	[RECORD_STACKS] = RECORD_WORDS(struct record_stacks),
	[RECORD_PAUSES] = RECORD_WORDS(struct record_pauses),
	[RECORD_FUTEX_WAKEUP] = RECORD_WORDS(struct record_wakeup),
};

ssize_t record_check(const struct record *record, size_t available)
{
	if (available < sizeof(*record))
		return 0;
	if (record->type >= NR_RECORD_TYPES || !fewest_words[record->type] ||
	    record->words < fewest_words[record->type])
		return -EINVAL;
	return record_size(record) <= available ? (ssize_t)record_size(record) : 0;
}

/* A shorter one is read as well, as a longer one is cut. */
static void read_text(const struct record *record, size_t from, char text[PATH_TEXT_LEN])
{
	size_t size = record_size(record) - from;

	size = size < PATH_TEXT_LEN - 1 ? size : PATH_TEXT_LEN - 1;
	memcpy(text, (const char *)record + from, size);
	text[size] = '\0';
}

void path_text(const struct record_path *path, char text[PATH_TEXT_LEN])
{
	read_text(&path->head, sizeof(*path), text);
}

void found_text(const struct record_found *found, char text[PATH_TEXT_LEN])
{
	read_text(&found->head, sizeof(*found), text);
}

const uint64_t *receive_changes(const struct record_receive *receive, size_t *cnt)
{
	*cnt = receive->head.words - RECORD_WORDS(*receive);
	return (const uint64_t *)(receive + 1);
}

const uint64_t *changes_changes(const struct record_changes *changes, size_t *cnt)
{
	*cnt = changes->head.words - RECORD_WORDS(*changes);
	return (const uint64_t *)(changes + 1);
}
