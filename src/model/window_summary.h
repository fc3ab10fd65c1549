/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what a recording of windows holds, see window_records.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A message or call for which records were kept, see struct record_trigger. */
struct window_trigger {
	uint32_t channel;
	uint32_t tid;
	uint32_t quantity; /* enum quantity */
	bool is_call;
	uint64_t position; /* of the message, or the last one of the request */
	uint64_t from_ns;
	uint64_t at_ns;
	uint64_t value_ns;
};

/* The first ones are listed, all are counted. */
#define WINDOW_TRIGGERS_MAX 32

struct window_summary {
	bool known; /* the recording has been read */
	uint64_t windows;
	uint64_t shortened; /* they begin later than asked for */
	uint64_t messages;  /* in windows: they have been handed out */
	uint64_t triggers;
	struct window_trigger trigger[WINDOW_TRIGGERS_MAX];
	uint32_t trigger_cnt;
};
